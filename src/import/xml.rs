//! Limits, places and attributes of XML documents.

use crate::error::{Location, Problem};
use crate::import::refusal::{Refusal, problem};
use roxmltree::{Document, Node, ParsingOptions};
use std::borrow::Cow;

/// Largest number of nodes and attributes of a document; a node takes about 100 bytes.
const MAX_NODES: u32 = 10_000_000;

/// Largest nesting depth of elements.
const MAX_DEPTH: usize = 256;

/// Parses a document of a limited size.
///
/// # Errors
/// Refuses text that is not UTF-8, damaged XML, a document type (it could define entities), and too deep nesting.
pub(crate) fn parse<'t>(text: &'t str, file: &str) -> Result<Document<'t>, Problem> {
    refuse_depth(text, file)?;
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|e| {
        let at = e.pos();
        let at = Location { line: Some(at.row), column: Some(at.col), ..Location::file(file) };
        let text = e.to_string();
        let what = text.rsplit_once(" at ").map_or(text.as_str(), |(before, _)| before);
        let what = format!("not valid XML: {}", crate::json::wording::one_line_of(what, 200));
        problem(at, Refusal::Damaged, what, "export the file again")
    })
}

/// Bytes as text, without a byte order mark.
///
/// # Errors
/// Refuses other encodings than UTF-8.
pub(crate) fn text<'b>(bytes: &'b [u8], file: &str) -> Result<&'b str, Problem> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|e| {
        let at = Location { byte: Some(e.valid_up_to() as u64), ..Location::file(file) };
        problem(at, Refusal::Damaged, "not UTF-8", "save it as UTF-8")
    })
}

/// Text of an element before its first child element, without its comments.
pub(crate) fn content<'a>(node: Node<'a, '_>) -> Cow<'a, str> {
    let own = node.children().take_while(|n| !n.is_element()).filter(Node::is_text);
    let texts: Vec<&'a str> = own.filter_map(|n| n.text()).collect();
    match texts.as_slice() {
        [] => Cow::Borrowed(""),
        [one] => Cow::Borrowed(one),
        several => Cow::Owned(several.concat()),
    }
}

/// Refuses a nesting that would exhaust the stack of a parser: counts tags, without regard to their names.
fn refuse_depth(text: &str, file: &str) -> Result<(), Problem> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0usize, 0);
    while let Some(next) = bytes[at..].iter().position(|b| *b == b'<') {
        at += next + 1;
        let rest = &bytes[at..];
        if rest.starts_with(b"!--") {
            at += find(rest, b"-->");
        } else if rest.starts_with(b"![CDATA[") {
            at += find(rest, b"]]>");
        } else if rest.starts_with(b"/") {
            depth = depth.saturating_sub(1);
        } else if rest.first().is_some_and(|b| *b != b'!' && *b != b'?') {
            let end = tag_end(rest);
            depth += usize::from(end == 0 || rest.get(end - 1) != Some(&b'/'));
            at += end;
            if depth > MAX_DEPTH {
                let line = text.get(..at).unwrap_or(text).lines().count() as u32;
                let at = Location { line: Some(line), ..Location::file(file) };
                let what = format!("elements nested deeper than {MAX_DEPTH}");
                return Err(problem(at, Refusal::TooLarge, what, "flatten some of them"));
            }
        }
    }
    Ok(())
}

fn find(bytes: &[u8], end: &[u8]) -> usize {
    bytes.windows(end.len()).position(|w| w == end).map_or(bytes.len(), |k| k + end.len())
}

/// Position of the `>` of a tag; quoted values may hold one.
fn tag_end(bytes: &[u8]) -> usize {
    let mut quote = None;
    for (k, b) in bytes.iter().enumerate() {
        match (quote, *b) {
            (None, b'>') => return k,
            (None, b'"' | b'\'') => quote = Some(*b),
            (Some(q), b) if q == b => quote = None,
            _ => {}
        }
    }
    bytes.len()
}

/// Place of a node in its file.
pub(crate) fn place(node: Node<'_, '_>, file: &str) -> Location {
    let at = node.document().text_pos_at(node.range().start);
    Location { line: Some(at.row), column: Some(at.col), ..Location::file(file) }
}

/// First child element of a name, in the name space of its parent.
pub(crate) fn child<'a, 't>(node: Node<'a, 't>, name: &str) -> Option<Node<'a, 't>> {
    children(node, name).next()
}

/// Child elements of a name, in the name space of their parent: those of other programs have no meaning here.
pub(crate) fn children<'a, 't>(node: Node<'a, 't>, name: &str) -> impl Iterator<Item = Node<'a, 't>> {
    node.children().filter(move |n| is_own(*n, node) && n.tag_name().name() == name)
}

/// True for an element in the name space of its parent.
pub(crate) fn is_own(child: Node<'_, '_>, parent: Node<'_, '_>) -> bool {
    child.is_element() && child.tag_name().namespace() == parent.tag_name().namespace()
}

/// Numbers separated by white space.
///
/// # Errors
/// Refuses other words, and numbers that are not finite.
pub(crate) fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let number = |word: &str| {
        let value: Option<f64> = word.parse().ok().filter(|x: &f64| x.is_finite());
        value.ok_or_else(|| format!("expected a number, found {}", crate::json::wording::quoted(word)))
    };
    text.split_ascii_whitespace().map(number).collect()
}

/// Numbers of an attribute; `None` without it.
///
/// # Errors
/// Refuses another count, other words, and numbers that are not finite.
pub(crate) fn attribute<const N: usize>(
    node: Node<'_, '_>,
    name: &str,
    file: &str,
) -> Result<Option<[f64; N]>, Problem> {
    let Some(written) = node.attribute(name) else { return Ok(None) };
    let found = numbers(written).and_then(|numbers| {
        let count = numbers.len();
        numbers.try_into().map_err(|_| format!("expected {N} numbers, found {count}"))
    });
    found.map(Some).map_err(|why| problem(place(node, file), Refusal::Damaged, format!("`{name}`: {why}"), ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse(text, "a.xml").map(|_| ()).expect_err(text).to_string()
    }

    #[test]
    fn hostile_documents_are_refused() {
        assert!(error("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>").contains("[damaged]"));
        assert!(error("<a>").contains("a.xml:1:"));
        let deep = format!("{}{}", "<a x='>'>".repeat(300), "</a>".repeat(300));
        assert!(error(&deep).contains("nested deeper than 256"));
        // An unclosed nesting must not reach the stack of the parser.
        assert!(error(&"<a>".repeat(1_000_000)).contains("nested deeper"));
        let wide =
            format!("<a>{}<!-- {} --><![CDATA[{}]]></a>", "<b/>".repeat(1000), "<a>".repeat(999), "<a>".repeat(999));
        assert!(parse(&wide, "a.xml").is_ok());
        assert_eq!(text(b"a\xff", "a.xml").expect_err("not UTF-8").at.byte, Some(1));
    }

    #[test]
    fn numbers_are_checked() {
        assert_eq!(numbers(" 1 -2.5e-3\n+4"), Ok(vec![1.0, -0.0025, 4.0]));
        assert!(numbers("1 nan").is_err() && numbers("1,2").is_err() && numbers("1e999").is_err());
        let document = parse("<a b='1 2'/>", "f").expect("valid");
        assert_eq!(attribute::<2>(document.root_element(), "b", "f"), Ok(Some([1.0, 2.0])));
        assert_eq!(attribute::<2>(document.root_element(), "c", "f"), Ok(None));
        assert!(attribute::<3>(document.root_element(), "b", "f").is_err());
    }
}
