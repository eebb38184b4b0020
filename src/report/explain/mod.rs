//! The way of one pair through the stages, in words or as JSON.

mod document;
mod text;

use super::Format;
use super::layout::write_json;
use crate::check::{Explanation, Step};
use std::io::{self, Write};

/// Writes the explanation; [`Format::Table`] is the text.
///
/// # Errors
/// As the writer says.
pub fn render(e: &Explanation, format: Format, colour: bool, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Json => write_json(&document::Document::new(e), out),
        _ => text::text(e, colour, out),
    }
}

/// The name of the stage that a step belongs to.
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

#[cfg(test)]
pub(crate) mod tests;
