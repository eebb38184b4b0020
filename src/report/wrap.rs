//! Fills the lines of a text up to a width, in columns of a terminal.

use crate::report::text::within;
use unicode_width::UnicodeWidthStr;

/// Width without a terminal, and of files (columns).
pub const DEFAULT_WIDTH: usize = 100;

/// Least width (columns): a status, a number and a readable name need it.
pub const MIN_WIDTH: usize = 60;

/// Width of a text (columns).
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// Appends blanks up to a width.
pub(crate) fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// Breaks a paragraph at its blanks; `hang` blanks begin each further line. A word wider than a line loses its middle.
pub(crate) fn wrapped(text: &str, hang: usize, width: usize) -> Vec<String> {
    let begin = text.len() - text.trim_start_matches(' ').len();
    let mut lines = Filled { lines: Vec::new(), line: " ".repeat(begin), start: begin, hang, width };
    text.split(' ').filter(|word| !word.is_empty()).for_each(|word| lines.add(word, " "));
    lines.finish()
}

/// Fills lines with pieces of text, joined by `; `, from `indent` on; breaks within a piece only if it is wider than a
/// line.
pub(crate) fn filled(pieces: &[String], indent: usize, width: usize) -> Vec<String> {
    let mut lines = Filled { lines: Vec::new(), line: " ".repeat(indent), start: indent, hang: indent, width };
    for (k, piece) in pieces.iter().enumerate() {
        let piece = if k + 1 < pieces.len() { format!("{piece};") } else { piece.clone() };
        if indent + columns(&piece) <= width {
            lines.add(&piece, " ");
        } else {
            piece.split(' ').for_each(|word| lines.add(word, " "));
        }
    }
    lines.finish()
}

/// Lines under construction.
struct Filled {
    lines: Vec<String>,
    line: String,
    /// Length of the present line before its first word (bytes).
    start: usize,
    hang: usize,
    width: usize,
}

impl Filled {
    fn add(&mut self, word: &str, between: &str) {
        let is_empty = self.line.len() == self.start;
        let needed = if is_empty { 0 } else { between.len() } + columns(word);
        if !is_empty && columns(&self.line) + needed > self.width {
            let next = " ".repeat(self.hang);
            self.lines.push(std::mem::replace(&mut self.line, next));
            self.start = self.hang;
        } else if !is_empty {
            self.line.push_str(between);
        }
        let room = self.width.saturating_sub(columns(&self.line));
        self.line.push_str(&within(word, room));
    }

    fn finish(mut self) -> Vec<String> {
        if self.line.len() > self.start || self.lines.is_empty() {
            self.lines.push(self.line.trim_end().to_owned());
        }
        self.lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks() {
        assert_eq!(wrapped("one two three", 2, 9), ["one two", "  three"]);
        assert_eq!(wrapped("  one two", 4, 7), ["  one", "    two"]);
        assert_eq!(wrapped("", 2, 9), [""]);
    }

    #[test]
    fn a_wide_word_loses_its_middle() {
        assert_eq!(wrapped("a abcdefghij b", 1, 6), ["a", " ab…ij", " b"]);
        assert_eq!(wrapped("部品部品部品", 0, 7), ["部…品"]);
    }

    #[test]
    fn pieces_stay_whole_if_they_fit() {
        let pieces = ["at (1, 2)", "into x y z", "id 7"].map(str::to_owned);
        assert_eq!(filled(&pieces, 1, 14), [" at (1, 2);", " into x y z;", " id 7"]);
        assert_eq!(filled(&pieces, 1, 9), [" at (1,", " 2); into", " x y z;", " id 7"]);
    }
}
