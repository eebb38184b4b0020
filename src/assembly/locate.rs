//! Places in an assembly file: from a byte offset to line and column, and the path inside the document.

use crate::error::Location;
use std::fmt;

/// The text of a file with an index that finds line and column of an offset in logarithmic time, whatever the length
/// of its lines: a generated file may be one line of many megabytes.
#[derive(Debug)]
pub(crate) struct Source {
    /// The file as the user would name it.
    pub shown: String,
    /// Its content.
    pub text: String,
    /// Byte offset of each line's first character.
    line_starts: Vec<usize>,
    /// How many UTF-8 continuation bytes stand before each block of [`BLOCK`] bytes.
    continuations: Vec<usize>,
}

/// Bytes per entry of [`Source::continuations`].
const BLOCK: usize = 256;

impl Source {
    pub fn new(shown: String, text: String) -> Self {
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(k, _)| k + 1));
        let mut continuations = Vec::with_capacity(text.len() / BLOCK + 1);
        let mut sum = 0;
        for block in text.as_bytes().chunks(BLOCK) {
            continuations.push(sum);
            sum += count_continuations(block);
        }
        Self { shown, text, line_starts, continuations }
    }

    /// Line and column, both from 1, the column in characters.
    pub fn position(&self, offset: usize) -> (u32, u32) {
        let offset = offset.min(self.text.len());
        let line = self.line_starts.partition_point(|start| *start <= offset).max(1);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        let characters = (offset - start) - (self.continuations_before(offset) - self.continuations_before(start));
        (saturate(line), saturate(characters + 1))
    }

    /// The offset of the `column`-th byte, from 1, of a line, from 1; the nearest there is.
    pub fn offset(&self, line: usize, column: usize) -> usize {
        let start = self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len());
        let mut offset = start.saturating_add(column.saturating_sub(1)).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }

    /// The location of an offset and a path inside the document.
    pub fn at(&self, offset: usize, trail: &Trail<'_>) -> Location {
        let (line, column) = self.position(offset);
        Location {
            file: self.shown.clone(),
            line: Some(line),
            column: Some(column),
            byte: None,
            json_path: Some(trail.to_string()),
        }
    }

    fn continuations_before(&self, offset: usize) -> usize {
        let block = offset / BLOCK;
        let Some(before) = self.continuations.get(block) else {
            // Just past the last, full block.
            return count_continuations(&self.text.as_bytes()[..offset]);
        };
        before + count_continuations(&self.text.as_bytes()[block * BLOCK..offset])
    }
}

fn count_continuations(bytes: &[u8]) -> usize {
    bytes.iter().filter(|b| **b & 0xC0 == 0x80).count()
}

fn saturate(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// A path inside a JSON document, kept as a chain on the stack: nothing is allocated until it is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Trail<'p> {
    /// The document.
    Root,
    /// A value of an object.
    Key(&'p Trail<'p>, &'p str),
    /// A value of an array, from 0.
    Index(&'p Trail<'p>, usize),
}

impl fmt::Display for Trail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trail::Root => Ok(()),
            Trail::Index(parent, index) => write!(f, "{parent}[{index}]"),
            Trail::Key(parent, key) => {
                let plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'));
                match (plain, parent) {
                    (true, Trail::Root) => f.write_str(key),
                    (true, _) => write!(f, "{parent}.{key}"),
                    (false, _) => write!(f, "{parent}[\"{}\"]", super::words::one_line(key)),
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
        }
        for cut in [0, 255, 256, 257, 512] {
            let source = Source::new(String::new(), "x".repeat(cut));
            assert_eq!(source.position(cut), (1, cut as u32 + 1));
        }
    }

    #[test]
    fn paths_read_like_code() {
        let root = Trail::Root;
        let parts = Trail::Key(&root, "parts");
        assert_eq!(Trail::Key(&Trail::Key(&parts, "bracket"), "mesh").to_string(), "parts.bracket.mesh");
        assert_eq!(Trail::Key(&parts, "my part\n").to_string(), "parts[\"my part\\n\"]");
        let list = Trail::Key(&root, "instances");
        assert_eq!(Trail::Key(&Trail::Index(&list, 3), "placement").to_string(), "instances[3].placement");
    }
}
