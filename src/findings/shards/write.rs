//! The partial report of a shard as a file holds it: every bit of every number, and a hash of it all at the end.

use crate::findings::Partial;
use crate::json::write::to_exact_json;
use std::io::{self, Write};

/// Writes the report. In memory first: its hash stands at its end.
///
/// # Errors
/// As the writer says; and where the text would not read back as what it was made from.
pub fn render(partial: &Partial, out: &mut dyn Write) -> io::Result<()> {
    let text = Partial::with_hash(to_exact_json(partial)?);
    // JSON has no word for some numbers: better no file than one that says something else.
    match Partial::read("partial report", &text) {
        Ok(read) if read.same_content(partial) => out.write_all(text.as_bytes()),
        Ok(_) => Err(io::Error::other("a number of it cannot be written")),
        Err(error) => Err(io::Error::other(error)),
    }
}
