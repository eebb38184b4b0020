//! Writes the stages of one pair: `text` for people, `document` as JSON, `steps` for one step in either form,
//! `run` for a pair in a pose or a sweep.

pub(crate) mod document;
pub(crate) mod run;
pub(crate) mod steps;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod text;

pub use crate::report::explain::run::render_run;

use crate::check::Explanation;
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
