//! Floor 7: results as bytes. Pure: values in, bytes out; no clock, no files, no environment.

pub mod baseline;
#[cfg(test)]
mod conform_tests;
pub mod csv;
#[cfg(test)]
mod csv_tests;
pub mod decompose;
#[cfg(test)]
mod decompose_tests;
pub mod diff;
pub mod explain;
pub(crate) mod finding_help;
pub mod github;
#[cfg(test)]
mod github_tests;
pub mod inspect;
pub mod json;
pub mod junit;
#[cfg(test)]
mod junit_tests;
pub(crate) mod location;
pub mod markdown;
#[cfg(test)]
mod markdown_tests;
pub mod number;
pub(crate) mod rows;
pub mod sarif;
pub(crate) mod sentence;
pub mod suggest;
pub mod table;
#[cfg(test)]
mod table_tests;
pub mod text;
pub mod timings;
pub(crate) mod xml;

use crate::findings::Judged;
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

    /// Whether it shows what mending a pair does to others ([`Outcome::fixes`](crate::check::Outcome::fixes)).
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
pub fn render(judged: &Judged, format: Format, style: Style, out: &mut dyn io::Write) -> io::Result<()> {
    match format {
        Format::Table => crate::report::table::render(judged, style, out),
        Format::Json => crate::report::json::render(judged, out),
        Format::Sarif => crate::report::sarif::render(judged, out),
        Format::Junit => crate::report::junit::render(judged, out),
        Format::Github => crate::report::github::render(judged, out),
        Format::Markdown => crate::report::markdown::render(judged, out),
        Format::Csv => crate::report::csv::render(judged, out),
    }
}
