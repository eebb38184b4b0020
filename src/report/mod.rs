//! Floor 7: results as bytes. Pure: values in, bytes out; no clock, no files, no environment.

pub(crate) mod baseline;
pub(crate) mod caption;
#[cfg(test)]
mod conform_tests;
pub(crate) mod csv;
#[cfg(test)]
mod csv_tests;
pub(crate) mod decompose;
#[cfg(test)]
mod decompose_tests;
pub(crate) mod diff;
pub(crate) mod diff_markdown;
pub(crate) mod explain;
pub(crate) mod finding_help;
pub(crate) mod github;
#[cfg(test)]
mod github_tests;
pub(crate) mod inspect;
pub(crate) mod json;
pub(crate) mod junit;
#[cfg(test)]
mod junit_tests;
pub(crate) mod location;
pub(crate) mod markdown;
#[cfg(test)]
mod markdown_tests;
pub(crate) mod motion;
pub(crate) mod never;
pub(crate) mod number;
pub(crate) mod picture_links;
pub(crate) mod proof;
pub(crate) mod range;
pub(crate) mod rows;
pub(crate) mod sarif;
pub(crate) mod sentence;
pub(crate) mod several;
pub(crate) mod suggest;
pub(crate) mod table;
pub(crate) mod table_layout;
#[cfg(test)]
mod table_tests;
pub(crate) mod text;
pub(crate) mod timings;
pub(crate) mod wrap;
pub(crate) mod xml;

use crate::findings::Judged;
use std::io;

pub use crate::report::picture_links::{PictureFiles, PictureLinks};

/// Format of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// For people: findings, worst first.
    Table,
    /// For programs: all data, in a stable order (docs/reference/report.md).
    Json,
    /// For code scanning: findings and warnings, at their lines of the assembly files.
    Sarif,
    /// For CI systems with test results: a case for each listed pair.
    Junit,
    /// For the log of a GitHub workflow: annotations for the worst findings, and a count.
    Github,
    /// For a job summary or a comment: findings, worst first, of limited size.
    Markdown,
    /// For spreadsheets: a row per listed pair.
    Csv,
}

impl Format {
    /// All formats, in the order of messages.
    pub const ALL: [Self; 7] =
        [Self::Table, Self::Json, Self::Sarif, Self::Junit, Self::Github, Self::Markdown, Self::Csv];

    /// Name on the command line.
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

    /// Description in one line.
    pub fn about(self) -> &'static str {
        match self {
            Self::Table => "for people: findings, worst first",
            Self::Json => "for programs: all data",
            Self::Sarif => "for code scanning",
            Self::Junit => "for CI systems with test results",
            Self::Github => "annotations of a GitHub workflow",
            Self::Markdown => "for a job summary or a comment",
            Self::Csv => "for spreadsheets",
        }
    }

    /// Returns true if the format shows the effect of a fix on other pairs
    /// ([`Outcome::fixes`](crate::check::Outcome::fixes)).
    pub fn shows_fixes(self) -> bool {
        matches!(self, Self::Table | Self::Markdown)
    }
}

/// Style of the formats for people; other formats ignore it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// True for a coloured table.
    pub colour: bool,
    /// True for a row for each pair, false for a row for each group of pairs with one cause.
    pub expand: bool,
    /// Largest number of rows of the table; 0 for all.
    pub limit: usize,
    /// Width of the table (columns); at least 60.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Self {
        let (limit, width) = (crate::report::table::MAX_ROWS, crate::report::wrap::DEFAULT_WIDTH);
        Self { colour: false, expand: false, limit, width }
    }
}

/// Writes the report of a check.
///
/// # Errors
/// Returns the writer's error.
pub fn render(judged: &Judged, format: Format, style: Style, out: &mut dyn io::Write) -> io::Result<()> {
    render_with_links(judged, format, style, PictureLinks::default(), out)
}

/// Writes the report of a check with links to pictures. `SARIF`, `JUnit` and Markdown have links; the other formats
/// ignore them.
///
/// # Errors
/// Returns the writer's error.
pub fn render_with_links(
    judged: &Judged,
    format: Format,
    style: Style,
    links: PictureLinks<'_>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    match format {
        Format::Table => crate::report::table::render(judged, style, out),
        Format::Json => crate::report::json::render(judged, out),
        Format::Sarif => crate::report::sarif::render(judged, links, out),
        Format::Junit => crate::report::junit::render(judged, links, out),
        Format::Github => crate::report::github::render(judged, out),
        Format::Markdown => crate::report::markdown::render(judged, links, out),
        Format::Csv => crate::report::csv::render(judged, out),
    }
}
