//! Floor 6: results as bytes. Pure: values in, bytes out; no clock, no files, no environment.

pub mod baseline;
#[cfg(test)]
mod conform_tests;
pub mod csv;
pub mod decompose;
pub mod diff;
pub mod explain;
mod findings;
pub mod github;
mod help;
pub mod inspect;
pub mod json;
pub mod junit;
pub mod layout;
pub mod markdown;
pub mod number;
pub mod partial;
mod place;
mod rows;
#[cfg(test)]
pub(crate) mod sample;
pub mod sarif;
pub mod suggest;
pub mod table;
pub mod text;
pub mod timings;
mod xml;

use crate::check::Outcome;
use std::io;

/// A form of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// For people: what fails, worst first.
    Table,
    /// For programs: everything, in a stable order (report-format.md).
    Json,
    /// For code scanning: what fails and warnings, at their lines of the assembly files.
    Sarif,
    /// For CI systems that show tests: a case per listed pair.
    Junit,
    /// For the log of a GitHub workflow, which shows them as annotations: the worst few and a count.
    Github,
    /// For a job's summary or a comment: what fails, worst first, of limited size.
    Markdown,
    /// For spreadsheets: a row per listed pair.
    Csv,
}

impl Format {
    /// Every form, in the order in which they are told.
    pub const ALL: [Self; 7] =
        [Self::Table, Self::Json, Self::Sarif, Self::Junit, Self::Github, Self::Markdown, Self::Csv];

    /// The name, as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Json => "json",
            Self::Sarif => "sarif",
            Self::Junit => "junit",
            Self::Github => "github",
            Self::Markdown => "markdown",
            Self::Csv => "csv",
        }
    }

    /// Whether it shows what mending a pair does to others ([`Outcome::fixes`]).
    pub fn shows_fixes(self) -> bool {
        matches!(self, Self::Table | Self::Markdown)
    }
}

/// How the formats for people are written; the others are the same in every style.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    /// The table is painted.
    pub colour: bool,
    /// The table has a row per pair, and not one per group of pairs that are one problem.
    pub expand: bool,
}

/// Writes the report of a check.
///
/// # Errors
/// As the writer says.
pub fn render(outcome: &Outcome, format: Format, style: Style, out: &mut dyn io::Write) -> io::Result<()> {
    match format {
        Format::Table => table::render(outcome, style, out),
        Format::Json => json::render(outcome, out),
        Format::Sarif => sarif::render(outcome, out),
        Format::Junit => junit::render(outcome, out),
        Format::Github => github::render(outcome, out),
        Format::Markdown => markdown::render(outcome, out),
        Format::Csv => csv::render(outcome, out),
    }
}
