//! Prepares text for a terminal: names are data with any characters.

use crate::json::wording::{has_unsafe_char, is_unsafe_char};
use std::borrow::Cow;
use std::fmt::Write as _;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Text on one line, with every control and direction character as `\u{1b}`.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !has_unsafe_char(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_unsafe_char(c) => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Shortens a text to `most` columns of a terminal by its middle; full ids differ at either end.
pub fn within(text: &str, most: usize) -> Cow<'_, str> {
    if text.width() <= most {
        return Cow::Borrowed(text);
    }
    // End of the longest part of at most `columns`, in bytes from its side.
    let end = |chars: &mut dyn Iterator<Item = char>, columns: usize| {
        let mut taken = 0;
        let fits = |c: &char| {
            taken += c.width().unwrap_or(0);
            taken <= columns
        };
        chars.take_while(fits).map(char::len_utf8).sum::<usize>()
    };
    let head = end(&mut text.chars(), most.saturating_sub(1) / 2);
    let tail = end(&mut text.chars().rev(), most / 2);
    Cow::Owned(format!("{}…{}", &text[..head], &text[text.len() - tail..]))
}

/// Colour of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// Failure.
    Bad,
    /// Success.
    Good,
    /// Attention.
    Warn,
    /// Heading.
    Bold,
}

/// Colours the text; unchanged if `colour` is false.
pub fn painted(text: &str, paint: Paint, colour: bool) -> String {
    let code = match paint {
        Paint::Bad => "1;31",
        Paint::Good => "1;32",
        Paint::Warn => "1;33",
        Paint::Bold => "1",
    };
    if colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(shown("gehäuse \"1\" 軸"), "gehäuse \"1\" 軸");
        assert!(matches!(shown("plain"), Cow::Borrowed(_)));
        assert_eq!(shown("a\x1b[31mred\x07\n\u{9b}2J\u{202e}b"), "a\\u{1b}[31mred\\u{7}\\n\\u{9b}2J\\u{202e}b");
    }

    #[test]
    fn a_long_text_keeps_both_ends() {
        assert_eq!(within("grün-oben", 9), "grün-oben");
        assert_eq!(within("grün-oben", 8), "grü…oben");
        assert_eq!(within("grün-oben", 7), "grü…ben");
        // A wide character takes two columns.
        assert_eq!(within("部品部品", 5), "部…品");
        let long = "x".repeat(500);
        assert_eq!(within(&long, 60).chars().count(), 60);
    }

    #[test]
    fn colour_off_leaves_text_alone() {
        assert_eq!(painted("PASS", Paint::Good, false), "PASS");
        assert_eq!(painted("FAIL", Paint::Bad, true), "\x1b[1;31mFAIL\x1b[0m");
    }
}
