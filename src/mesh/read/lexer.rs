//! Words, lines and positions of a text in an unknown encoding. Bytes above 127 count as letters; `LF`, `CR LF` and
//! `CR` end lines.

use crate::mesh::read::mesh_error::MeshError;

/// True for bytes between words: blanks, line ends, all control characters.
#[inline]
pub(crate) fn is_blank(byte: u8) -> bool {
    byte <= b' '
}

/// True for a byte that ends a line, alone or as half of a pair.
#[inline]
pub(crate) fn is_line_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

/// True for bytes of a text: everything except control characters; blanks from tab to carriage return are text.
pub(crate) fn is_text(byte: u8) -> bool {
    byte >= b' ' && byte != 0x7f || (b'\t'..=b'\r').contains(&byte)
}

/// Line and column of a byte, both from 1; columns count characters.
pub(crate) fn line_column(bytes: &[u8], at: usize) -> (u32, u32) {
    let before = &bytes[..at.min(bytes.len())];
    let (mut line, mut start) = (1u32, 0);
    for (k, &b) in before.iter().enumerate() {
        // In CR LF the LF counts.
        if b == b'\n' || b == b'\r' && bytes.get(k + 1) != Some(&b'\n') {
            line = line.saturating_add(1);
            start = k + 1;
        }
    }
    let characters = before[start..].iter().filter(|b| (**b & 0xc0) != 0x80).count();
    (line, (characters as u32).saturating_add(1))
}

/// Returns the word at a position for a message: at most 24 characters, without control characters.
pub(crate) fn shown_word(bytes: &[u8], at: usize) -> String {
    let rest = bytes.get(at..).unwrap_or_default();
    let word = &rest[..rest.iter().position(|b| is_blank(*b)).unwrap_or(rest.len())];
    if word.is_empty() {
        return "the end of the file".into();
    }
    let text = String::from_utf8_lossy(&word[..word.len().min(100)]);
    let mut shown: String = text.chars().filter(|c| !c.is_control()).take(24).collect();
    if shown.len() < text.len() || word.len() > 100 {
        shown.push('…');
    }
    format!("`{shown}`")
}

/// Builds an error at a position of a text.
pub(crate) fn error_at(bytes: &[u8], at: usize, what: impl Into<String>, fix: impl Into<String>) -> MeshError {
    let (line, column) = line_column(bytes, at);
    MeshError { line: Some(line), column: Some(column), byte: None, what: what.into(), fix: fix.into() }
}

/// Bounds of the next word at or after `at`; empty at the end of the text.
#[inline]
pub(crate) fn next_word(bytes: &[u8], mut at: usize) -> (usize, usize) {
    while bytes.get(at).is_some_and(|b| is_blank(*b)) {
        at += 1;
    }
    (at, word_end(bytes, at))
}

/// Position of the first blank at or after `at`, or the end of the text. Reads eight bytes at a time.
#[inline]
pub(crate) fn word_end(bytes: &[u8], mut at: usize) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    while let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*eight);
        // The subtraction borrows from the top bit of blanks, and of letters after a blank: the first mark is exact.
        let blanks = word.wrapping_sub(EACH * 0x21) & !word & (EACH * 0x80);
        if blanks != 0 {
            return at + (blanks.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|b| !is_blank(*b)) {
        at += 1;
    }
    at
}

/// End of the line around `at`: position of the next line-end byte, or the end of the text.
pub(crate) fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|b| is_line_end(*b)).map_or(bytes.len(), |k| at + k)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_every_line_ending_once() {
        let text = b"a\r\nb\rc\n\xc3\xa4d";
        assert_eq!(line_column(text, 0), (1, 1));
        assert_eq!(line_column(text, 3), (2, 1));
        assert_eq!(line_column(text, 5), (3, 1));
        assert_eq!(line_column(text, 9), (4, 2));
        assert_eq!(line_column(text, 99), (4, 3));
    }

    #[test]
    fn words_end_at_the_first_blank() {
        for length in 0..20 {
            for blank in [b"".as_slice(), b" ", b"\n", b"\0", b" !!!!!!!!", b"\x1f\x7f \x80\xff\x21!!!!!"] {
                for fill in [b'!', b'a', 0x7f, 0x80, 0xa0, 0xff] {
                    let text = [&vec![fill; length], blank].concat();
                    assert_eq!(word_end(&text, 0), length, "{text:?}");
                }
            }
        }
    }

    #[test]
    fn words_are_shown_short_and_clean() {
        assert_eq!(shown_word(b"ab cd", 0), "`ab`");
        assert_eq!(shown_word(b"ab", 2), "the end of the file");
        assert_eq!(shown_word(&[b'x'; 300], 0), format!("`{}…`", "x".repeat(24)));
        assert!(!shown_word(b"a\x7fb", 0).contains('\x7f'));
    }
}
