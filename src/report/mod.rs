//! Floor 6: results as bytes. Pure: values in, bytes out; no clock, no files, no environment.

pub mod baseline;
pub mod decompose;
pub mod diff;
pub mod explain;
pub mod inspect;
pub mod json;
pub mod layout;
pub mod number;
pub mod partial;
#[cfg(test)]
pub(crate) mod sample;
pub mod suggest;
pub mod table;
pub mod text;
pub mod timings;

use crate::check::Outcome;
use std::io;

/// A form of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// For people: what fails, worst first.
    Table,
    /// For programs: everything, in a stable order (report-format.md).
    Json,
}

/// Writes the report of a check. `colour` is for people's formats alone.
///
/// # Errors
/// As the writer says.
pub fn render(outcome: &Outcome, format: Format, colour: bool, out: &mut dyn io::Write) -> io::Result<()> {
    match format {
        Format::Table => table::render(outcome, colour, out),
        Format::Json => json::render(outcome, out),
    }
}
