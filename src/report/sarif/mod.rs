//! The report as SARIF 2.1.0, for code scanning: findings and warnings at the lines of the assembly files, the worst first.

mod collector;
mod model;

use super::layout::write_lines;
use crate::check::Outcome;
use std::io::{self, Write};

/// Code scanning refuses a run of more results.
pub const MAX_RESULTS: usize = 25_000;

/// What relative paths are relative to: the name by which code scanning knows the root of the repository.
const BASE: &str = "%SRCROOT%";

/// Writes the report.
///
/// # Errors
/// As the writer says.
pub fn render(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    write_lines(&collector::log(outcome), 3, out)
}

#[cfg(test)]
#[path = "../sarif_tests.rs"]
mod tests;
