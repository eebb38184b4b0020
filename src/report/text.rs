//! Text that reaches a terminal: names are data and may hold anything.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character steers a terminal or hides what stands there: control characters, line separators, invisible
/// and direction-changing characters.
pub fn is_steering(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Whether any character of a text steers: [`is_steering`], with a short cut for plain ASCII, which most names are.
pub fn steers(text: &str) -> bool {
    !text.bytes().all(|b| (b' '..=b'~').contains(&b)) && text.contains(is_steering)
}

/// The text in one line, every steering character as `\u{1b}`.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !steers(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_steering(c) => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// How a word is painted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// What fails.
    Bad,
    /// What passes.
    Good,
    /// What wants attention.
    Warn,
    /// Headings.
    Bold,
}

/// The text painted, or as it is where colour is off.
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
    fn steering_characters_are_spelt_out() {
        assert_eq!(shown("gehäuse \"1\" 軸"), "gehäuse \"1\" 軸");
        assert!(matches!(shown("plain"), Cow::Borrowed(_)));
        assert_eq!(shown("a\x1b[31mred\x07\n\u{9b}2J\u{202e}b"), "a\\u{1b}[31mred\\u{7}\\n\\u{9b}2J\\u{202e}b");
    }

    #[test]
    fn colour_off_leaves_text_alone() {
        assert_eq!(painted("PASS", Paint::Good, false), "PASS");
        assert_eq!(painted("FAIL", Paint::Bad, true), "\x1b[1;31mFAIL\x1b[0m");
    }
}
