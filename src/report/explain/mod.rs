//! Writes the stages of one pair: `text` for people, `document` as JSON.

pub(crate) mod document;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod text;

use crate::check::{Explanation, Step};
use crate::json::write::write_json;
use crate::report::Format;
use std::io::{self, Write};

/// Writes the explanation; [`Format::Table`] is the text.
///
/// # Errors
/// Returns the writer's error.
pub fn render(e: &Explanation, format: Format, colour: bool, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Json => write_json(&crate::report::explain::document::Document::new(e), out),
        _ => crate::report::explain::text::text(e, colour, out),
    }
}

/// Name of a step's stage.
fn stage(step: &Step) -> &'static str {
    match step {
        Step::Aabb { .. } => "aabb",
        Step::Obb { .. } => "obb",
        Step::Hull { .. } => "hull",
        Step::Pieces { .. } => "pieces",
        Step::Facets { .. } => "facets",
        _ => "exact",
    }
}
