//! The report as SARIF 2.1.0, for code scanning: findings and warnings at the lines of the assembly files, the worst first.

pub(crate) mod collector;
pub(crate) mod model;
#[cfg(test)]
pub(crate) mod tests;

use crate::findings::Judged;
use crate::json::write::write_lines;
use std::io::{self, Write};

/// Code scanning refuses a run of more results.
pub const MAX_RESULTS: usize = 25_000;

/// What relative paths are relative to: the name by which code scanning knows the root of the repository.
const BASE: &str = "%SRCROOT%";

/// Writes the report.
///
/// # Errors
/// As the writer says.
pub fn render(judged: &Judged, out: &mut dyn Write) -> io::Result<()> {
    write_lines(&crate::report::sarif::collector::log(judged), 3, out)
}
