//! Positions in a JSON file: byte offset to line and column, and the path inside the document.

use crate::error::Location;
use std::fmt;

/// The text of a file with an index. Finds line and column of an offset in logarithmic time for lines of any length: a
/// generated file may be one line of many megabytes.
#[derive(Debug)]
pub(crate) struct Source {
    /// File name as the user would write it.
    pub shown: String,
    /// Content of the file.
    pub text: String,
    /// Counts before each block of [`BLOCK`] bytes.
    before: Vec<Counts>,
}

/// Counts over the bytes before a position.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    line_ends: usize,
    /// UTF-8 continuation bytes; offset minus this count gives characters.
    continuations: usize,
}

/// Bytes per entry of [`Source::before`]; at most 255, for counting a block in single bytes.
const BLOCK: usize = 192;

impl Counts {
    fn and(self, bytes: &[u8]) -> Self {
        let count = |is: fn(u8) -> bool| usize::from(bytes.iter().map(|b| u8::from(is(*b))).sum::<u8>());
        Self {
            line_ends: self.line_ends + count(|b| b == b'\n'),
            continuations: self.continuations + count(|b| b & 0xC0 == 0x80),
        }
    }
}

impl Source {
    pub fn new(shown: String, text: String) -> Self {
        let mut before = Vec::with_capacity(text.len() / BLOCK + 1);
        let mut counts = Counts::default();
        for block in text.as_bytes().chunks(BLOCK) {
            before.push(counts);
            counts = counts.and(block);
        }
        // Counts at the end of the text, needed if the last block is full.
        before.push(counts);
        Self { shown, text, before }
    }

    /// Line of an offset, from 1.
    pub fn line(&self, offset: usize) -> u32 {
        saturate(self.counts(offset.min(self.text.len())).line_ends + 1)
    }

    /// Line and column of an offset, both from 1; columns count characters.
    pub fn position(&self, offset: usize) -> (u32, u32) {
        let offset = offset.min(self.text.len());
        let here = self.counts(offset);
        let start = self.line_start(here.line_ends);
        let characters = (offset - start) - (here.continuations - self.counts(start).continuations);
        (saturate(here.line_ends + 1), saturate(characters + 1))
    }

    /// Offset of the `column`-th byte of a line, both from 1; beyond the text the nearest offset.
    pub fn offset(&self, line: usize, column: usize) -> usize {
        let start = self.line_start(line.saturating_sub(1));
        let mut offset = start.saturating_add(column.saturating_sub(1)).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }

    /// Location of an offset, with a path inside the document.
    pub fn at(&self, offset: usize, trail: &JsonPath<'_>) -> Location {
        let (line, column) = self.position(offset);
        Location {
            file: self.shown.clone(),
            line: Some(line),
            column: Some(column),
            byte: None,
            json_path: Some(trail.to_string()),
        }
    }

    /// Counts before an offset.
    fn counts(&self, offset: usize) -> Counts {
        let block = offset / BLOCK;
        self.before[block].and(&self.text.as_bytes()[block * BLOCK..offset])
    }

    /// Start of the line after `lines` line ends; the end of the text if it has fewer.
    fn line_start(&self, lines: usize) -> usize {
        if lines == 0 {
            return 0;
        }
        // The first block has a count of 0, below `lines`.
        let block = self.before.partition_point(|counts| counts.line_ends < lines) - 1;
        let from = block * BLOCK;
        let rest = &self.text.as_bytes()[from..];
        let ends = rest.iter().enumerate().filter(|(_, b)| **b == b'\n');
        ends.map(|(k, _)| from + k + 1).nth(lines - self.before[block].line_ends - 1).unwrap_or(self.text.len())
    }
}

fn saturate(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// A path inside a JSON document, a chain on the stack: allocates only for display.
#[derive(Debug, Clone, Copy)]
pub(crate) enum JsonPath<'p> {
    /// The document.
    Root,
    /// A value of an object, by key.
    Key(&'p JsonPath<'p>, &'p str),
    /// A value of an array, from 0.
    Index(&'p JsonPath<'p>, usize),
}

impl fmt::Display for JsonPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JsonPath::Root => Ok(()),
            JsonPath::Index(parent, index) => write!(f, "{parent}[{index}]"),
            JsonPath::Key(parent, key) => {
                let plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'));
                match (plain, parent) {
                    (true, JsonPath::Root) => f.write_str(key),
                    (true, _) => write!(f, "{parent}.{key}"),
                    (false, _) => write!(f, "{parent}[\"{}\"]", crate::json::wording::one_line(key)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_not_bytes() {
        let source = Source::new("a.json".into(), "{\n  \"Gehäuse\": 1,\n\"🦀\": 2}".into());
        let of = |needle: &str| source.position(source.text.find(needle).expect("there"));
        assert_eq!(of("{"), (1, 1));
        assert_eq!(of("1,"), (2, 14));
        assert_eq!(of("2}"), (3, 6));
        assert_eq!(source.position(usize::MAX), (3, 8));
    }

    #[test]
    fn every_offset_agrees_with_counting() {
        let text = "ä1234\n€🦀x\n".repeat(97);
        let source = Source::new(String::new(), text.clone());
        for (offset, _) in text.char_indices() {
            let before = &text[..offset];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
            assert_eq!(source.position(offset), (line as u32, column as u32));
            assert_eq!(source.line(offset), line as u32);
        }
        for cut in [0, 255, 256, 257, 512] {
            let source = Source::new(String::new(), "x".repeat(cut));
            assert_eq!(source.position(cut), (1, cut as u32 + 1));
        }
    }

    #[test]
    fn paths_read_like_code() {
        let root = JsonPath::Root;
        let parts = JsonPath::Key(&root, "parts");
        assert_eq!(JsonPath::Key(&JsonPath::Key(&parts, "bracket"), "mesh").to_string(), "parts.bracket.mesh");
        assert_eq!(JsonPath::Key(&parts, "my part\n").to_string(), "parts[\"my part\\n\"]");
        let list = JsonPath::Key(&root, "instances");
        assert_eq!(JsonPath::Key(&JsonPath::Index(&list, 3), "placement").to_string(), "instances[3].placement");
    }
}
