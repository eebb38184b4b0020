//! Words the syntax errors of JSON files. `serde_json` finds the place, in a copy without comments and trailing commas.

use crate::error::Problem;
use crate::json::document::Document;
use crate::json::position::{JsonPath, Source};
use crate::json::wording::quoted;
use std::borrow::Cow;

/// Parses the document, or returns its first syntax error. `serde_json` runs only in case of an error or a very large
/// number, for its message and position.
pub(crate) fn parse(source: &Source) -> Result<Document<'_>, Box<Problem>> {
    let document = Document::new(&source.text);
    if document.as_ref().is_none_or(|d| d.has_large)
        && let Err(e) = serde_json::from_str::<serde_json::Value>(&plain(&source.text))
    {
        return Err(Box::new(syntax_problem(source, &e)));
    }
    document.ok_or_else(|| Box::new(Problem::new(source.at(0, &JsonPath::Root), "not JSON", "write it in plain JSON")))
}

/// Replaces line comments and trailing commas by blanks. Every other byte keeps its offset.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut out: Vec<u8> = Vec::new();
    let mut blank = |from: usize, to: usize| {
        if out.is_empty() {
            out = bytes.to_vec();
        }
        out[from..to].fill(b' ');
    };
    // The last character outside of comments and white space, and the comma that may turn out to be a trailing one.
    let (mut last, mut comma) = (b'[', None);
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let from = at;
        at += 1;
        match byte {
            b' ' | b'\n' | b'\t' | b'\r' => continue,
            b'/' if bytes.get(at) == Some(&b'/') => {
                at = from + bytes[from..].iter().position(|b| *b == b'\n').unwrap_or(bytes.len() - from);
                blank(from, at);
                continue;
            }
            b',' => comma = (!matches!(last, b'[' | b'{' | b',' | b':')).then_some(from),
            b']' | b'}' => {
                if let Some(comma) = comma.take() {
                    blank(comma, comma + 1);
                }
            }
            b'"' => {
                comma = None;
                while let Some(byte) = bytes.get(at).filter(|b| **b != b'"' && **b != b'\n') {
                    at += if *byte == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(bytes.len());
            }
            _ => comma = None,
        }
        last = *byte;
    }
    // Only ASCII characters and whole comments were replaced.
    if out.is_empty() { Cow::Borrowed(text) } else { String::from_utf8(out).map_or(Cow::Borrowed(text), Cow::Owned) }
}

fn syntax_problem(source: &Source, e: &serde_json::Error) -> Problem {
    let offset = source.offset(e.line(), e.column());
    let said = e.to_string();
    let said = said.split(" at line ").next().unwrap_or("");
    let text = source.text.as_str();
    if let Some((what, fix)) = other_kind(text) {
        return Problem::new(source.at(0, &JsonPath::Root), what, fix);
    }
    let wants_value = ["expected value", "expected ident", "key must be a string"].contains(&said);
    if let Some((start, what, fix)) = bad_word(text, offset).filter(|_| wants_value) {
        return Problem::new(source.at(start, &JsonPath::Root), what, fix);
    }
    let rest = &text[offset..];
    let fix = if text.trim().is_empty() {
        "the file is empty"
    } else if e.is_eof() {
        "the file ends too early: close the open brackets"
    } else if rest.starts_with("/*") {
        "begin each line of the comment with //"
    } else if rest.starts_with(',') && !said.starts_with("invalid number") {
        "remove this comma"
    } else if rest.starts_with('\'') {
        "quote with \" instead of '"
    } else {
        FIXES.iter().find(|(start, _)| said.starts_with(start)).map_or("correct the JSON here", |(_, fix)| fix)
    };
    Problem::new(source.at(offset, &JsonPath::Root), format!("not JSON: {said}"), fix)
}

/// Corrections by the beginning of the message of `serde_json`.
const FIXES: [(&str, &str); 15] = [
    ("trailing comma", "remove the comma before it"),
    ("recursion limit", "nest at most 127 levels"),
    ("number out of range", "write a number below 1.8e308"),
    ("invalid number", "write a number such as 0.5, -3 or 1e-3"),
    ("trailing characters", "remove the text after the document"),
    ("expected value", "write a text in quotes, a number, true, false, null, a list or an object"),
    ("expected `:`", "write a colon between the key and its value"),
    ("expected `,` or `]`", "write a comma between two elements, and ] after the last"),
    ("expected `,` or `}`", "write a comma between two members, and } after the last"),
    ("key must be a string", "write a key in quotes"),
    ("expected `\"`", "write a key in quotes"),
    ("control character", "close the text with \" on its line, or write \\n for a line break"),
    ("invalid escape", "write \\\\ for a backslash, or / between folders"),
    ("invalid unicode", "write \\u and four hexadecimal digits"),
    ("lone leading surrogate", "write the character itself instead of its escape"),
];

/// Recognizes a file of another kind by its beginning: the problem and its fix.
fn other_kind(text: &str) -> Option<(&'static str, &'static str)> {
    const MESH: &str = "name an assembly file; `interfere init FOLDER` writes one for a folder of meshes";
    let start = text.trim_start();
    let head = start.lines().next().unwrap_or_default().trim_end();
    let line = start.lines().map(str::trim).find(|l| !l.is_empty() && !l.starts_with('#')).unwrap_or_default();
    let word = line.split_whitespace().next().unwrap_or_default();
    if start.starts_with("solid") && start.contains("facet") {
        return Some(("a mesh (STL), not an assembly file", MESH));
    }
    if ["v", "vn", "vt", "mtllib", "o", "g", "usemtl"].contains(&word) && line.len() > word.len() {
        return Some(("a mesh (OBJ), not an assembly file", MESH));
    }
    if head.starts_with("ISO-10303-21") {
        return Some((
            "a STEP file, not an assembly file",
            "export its parts as STL or OBJ; then run `interfere init FOLDER`",
        ));
    }
    if start.starts_with('<') {
        return Some(("XML or HTML, not JSON", "name an assembly file in JSON"));
    }
    if head == "---" || head.starts_with("%YAML") || is_yaml_key(line) {
        return Some(("YAML, not JSON", "write the file in JSON: { \"version\": 1, … }"));
    }
    None
}

/// Returns true for a line `key:` or `key: value` without quotes and brackets.
fn is_yaml_key(line: &str) -> bool {
    let Some((key, rest)) = line.split_once(':') else { return false };
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$');
    !key.is_empty() && key.chars().all(is_word) && (rest.is_empty() || rest.starts_with(' '))
}

/// Finds a word without quotes at an offset: its start, the problem and its fix.
fn bad_word(text: &str, offset: usize) -> Option<(usize, String, String)> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '+' | '.' | '$');
    let before =
        text[..offset].rfind(|c| !is_word(c)).map_or(0, |k| k + text[k..].chars().next().map_or(1, char::len_utf8));
    let end = text[offset..].find(|c| !is_word(c)).map_or(text.len(), |k| offset + k);
    let word = &text[before..end];
    let letters = word.trim_start_matches(['-', '+', '.']);
    if !letters.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$') {
        return None;
    }
    let fix = match letters.to_ascii_lowercase().as_str() {
        "nan" | "inf" | "infinity" => "write a finite number".to_owned(),
        "true" | "yes" | "on" => "write true".to_owned(),
        "false" | "no" | "off" => "write false".to_owned(),
        "none" | "nil" | "undefined" | "null" => "write null, or remove the key".to_owned(),
        _ if text[..before].trim().is_empty() => "begin the file with {".to_owned(),
        _ => "write it in quotes".to_owned(),
    };
    Some((before, format!("not JSON: {}", quoted(word)), fix))
}
