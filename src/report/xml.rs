//! Escapes text for XML 1.0.

use crate::report::text::shown;
use std::borrow::Cow;

/// Text on one line, as content or as the value of an attribute in double quotes. Characters invalid in XML, even as
/// references, appear as `\u{1b}`.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    let text = shown(text);
    if !text.contains(['&', '<', '>', '"', '\u{fffe}', '\u{ffff}']) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' => out.push_str("\\u{fffe}"),
            '\u{ffff}' => out.push_str("\\u{ffff}"),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_becomes_valid_xml() {
        for c in '\0'..=char::MAX {
            let allowed = |c: char| matches!(c, ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
            let text = c.to_string();
            let escaped = escaped(&text);
            assert!(escaped.chars().all(allowed) && !escaped.contains(['<', '>', '"']), "{c:?}: {escaped}");
            assert!(!escaped.contains('&') || escaped.ends_with(';'), "{c:?}: {escaped}");
        }
        assert_eq!(escaped("plain ä"), "plain ä");
    }
}
