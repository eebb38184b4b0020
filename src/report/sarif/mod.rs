//! Writes the report as SARIF 2.1.0, for code scanning: findings and warnings at the lines of the assembly files, worst
//! first.

pub(crate) mod collector;
pub(crate) mod model;
#[cfg(test)]
pub(crate) mod tests;

use crate::findings::Judged;
use crate::json::write::write_lines;
use crate::report::PictureLinks;
use crate::report::sarif::model::Run;
use std::io::{self, Write};

/// Largest number of results of a run; code scanning refuses more.
pub const MAX_RESULTS: usize = 25_000;

/// Base of relative paths: code scanning's name for the root of the repository.
const BASE: &str = "%SRCROOT%";

/// Writes the report.
///
/// # Errors
/// Returns the writer's error.
pub fn render(judged: &Judged, links: PictureLinks<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_log(vec![collector::run(judged, links)], out)
}

/// Writes a log of several runs.
///
/// # Errors
/// Returns the writer's error.
pub(crate) fn write_log(runs: Vec<Run>, out: &mut dyn Write) -> io::Result<()> {
    write_lines(&collector::log(runs), 3, out)
}
