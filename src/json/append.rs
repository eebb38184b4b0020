//! Appends elements to a list of a JSON file, and keeps the file's layout and comments.

use crate::json::document::{Document, Json, Value};
use crate::json::reader::decode;

/// Appends elements, as JSON texts, to the list under a key of the outermost object; adds a missing list at the end of
/// the object. Keeps all other bytes, indents as the lines around, and ends lines as the file does.
///
/// Returns `None` for bytes without an object, and for another value under the key.
pub(crate) fn append_to_list(bytes: &[u8], key: &str, elements: &[String]) -> Option<Vec<u8>> {
    let text = decode("", bytes.to_vec()).ok()?;
    let mark = if bytes.starts_with("\u{feff}".as_bytes()) && !text.starts_with('\u{feff}') { "\u{feff}" } else { "" };
    let document = Document::new(&text)?;
    let Json::Object(members) = document.root().json() else { return None };
    let list = members.clone().find(|m| m.key == key).map(|m| m.value);
    let edit = match list {
        Some(list) => {
            let Json::List(items) = list.json() else { return None };
            into_list(&text, list.start(), items.last(), elements)?
        }
        None => into_object(&text, document.root(), members.last().map(|m| m.value), key, elements)?,
    };
    let Edit { end, comma, until, inserted, close } = edit;
    Some([mark, &text[..end], comma, &text[end..until], &inserted, &text[close..]].concat().into_bytes())
}

/// Change of a text before a closing bracket.
struct Edit {
    /// End of the last member.
    end: usize,
    /// Comma after it, or nothing.
    comma: &'static str,
    /// End of the comments after it.
    until: usize,
    /// Text in place of the white space from there to the closing bracket.
    inserted: String,
    /// Offset of the closing bracket.
    close: usize,
}

/// Change of a list that begins at `start`.
fn into_list(text: &str, start: usize, last: Option<Value<'_>>, elements: &[String]) -> Option<Edit> {
    let of_list = indent(text, start);
    let own = match last {
        Some(v) if begins_line(text, v.start()) => indent(text, v.start()).to_owned(),
        _ => format!("{of_list}{}", step(text)),
    };
    edit(text, start, last, &lines(text, &own, elements))
}

/// Change of an object without the key.
fn into_object(text: &str, object: Value<'_>, last: Option<Value<'_>>, key: &str, elements: &[String]) -> Option<Edit> {
    let own = format!("{}{}", indent(text, object.start()), step(text));
    let inner = lines(text, &format!("{own}{}", step(text)), elements);
    let line_end = line_end(text);
    edit(text, object.start(), last, &format!("{line_end}{own}\"{key}\": [{inner}{line_end}{own}]"))
}

/// Change of the object or list that begins at `start`: `inserted` follows the last member and its comments.
fn edit(text: &str, start: usize, last: Option<Value<'_>>, inserted: &str) -> Option<Edit> {
    let close = closing(text, start)?;
    let end = last.map_or(Some(start + 1), |v| end_of(text, v.start()))?;
    let between = &text[end..close];
    let until = end + between.trim_end().len();
    let comma = if last.is_some() && first_significant(between) != Some(',') { "," } else { "" };
    let white = &text[until..close];
    let tail =
        if white.contains('\n') { white.to_owned() } else { format!("{}{}", line_end(text), indent(text, start)) };
    Some(Edit { end, comma, until, inserted: format!("{inserted}{tail}"), close })
}

/// Elements, each on a line of its own after a line end.
fn lines(text: &str, indent: &str, elements: &[String]) -> String {
    let lines: Vec<String> = elements.iter().map(|e| format!("{}{indent}{e}", line_end(text))).collect();
    lines.join(",")
}

fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// White space at the beginning of the line of an offset.
fn indent(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |n| n + 1)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn begins_line(text: &str, at: usize) -> bool {
    text[..at].rfind('\n').is_some_and(|n| text[n + 1..at].trim().is_empty())
}

/// Indentation of one level: that of the first indented line.
fn step(text: &str) -> &str {
    let mut indented = text.lines().map(|l| &l[..l.len() - l.trim_start_matches([' ', '\t']).len()]);
    indented.find(|white| !white.is_empty()).unwrap_or("  ")
}

/// First character outside of white space and comments.
fn first_significant(text: &str) -> Option<char> {
    let mut rest = text.trim_start();
    while rest.starts_with("//") {
        rest = rest.split_once('\n').map_or("", |(_, after)| after).trim_start();
    }
    rest.chars().next()
}

/// End of the value at an offset.
fn end_of(text: &str, start: usize) -> Option<usize> {
    match text.as_bytes().get(start)? {
        b'{' | b'[' => Some(closing(text, start)? + 1),
        b'"' => end_of_text(text, start),
        _ => {
            let rest = &text[start..];
            Some(start + rest.find(|c: char| c.is_whitespace() || ",]}/".contains(c)).unwrap_or(rest.len()))
        }
    }
}

/// End of the text in quotes at an offset.
fn end_of_text(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Offset of the bracket that closes the one at `start`; skips texts and line comments.
fn closing(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_u32, start);
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = end_of_text(text, at)?;
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += text[at..].find('\n')?;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        at += 1;
    }
}
