//! Writes the partial report of a shard: exact numbers, and a hash at the end.

use crate::findings::Partial;
use crate::json::write::to_exact_json;
use std::io::{self, Write};

/// Writes the report. Builds the text in memory first, since its hash is at the end.
///
/// # Errors
/// Returns the writer's error. Also refuses a text that would read back with other values.
pub fn render(partial: &Partial, out: &mut dyn Write) -> io::Result<()> {
    let text = Partial::with_hash(to_exact_json(partial)?);
    // JSON cannot express some numbers: write no file rather than a different one.
    match Partial::read("partial report", &text) {
        Ok(read) if read.same_content(partial) => out.write_all(text.as_bytes()),
        Ok(_) => Err(io::Error::other("a number of the report cannot be written as JSON")),
        Err(error) => Err(io::Error::other(error)),
    }
}
