//! Reads the header of a PLY file: its encoding, its elements and their properties (G. Turk, "The PLY Polygon File
//! Format", 1994).

use crate::mesh::read::lexer::{error_at, is_line_end, line_end, next_word, shown_word};
use crate::mesh::read::mesh_error::MeshError;

/// Encoding of the values after the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

/// Type of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Kind {
    fn of_name(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }

    /// Length of a binary value (bytes).
    pub(crate) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    pub(crate) fn is_whole(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }
}

/// A property of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Property {
    pub(crate) name: Vec<u8>,
    /// Type of the length of a list; `None` for a single value.
    pub(crate) length: Option<Kind>,
    /// Type of a value.
    pub(crate) kind: Kind,
}

/// An element: a table with one row for each vertex, face or other item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) name: Vec<u8>,
    pub(crate) count: u64,
    pub(crate) properties: Vec<Property>,
    /// Byte offset of its line.
    pub(crate) at: usize,
}

impl Element {
    /// Position of a property by name.
    pub(crate) fn position(&self, name: &[u8]) -> Option<usize> {
        self.properties.iter().position(|p| p.name == name)
    }

    /// Length of a binary row without lists (bytes); `None` for a row with a list.
    pub(crate) fn row_size(&self) -> Option<usize> {
        self.properties.iter().map(|p| p.length.is_none().then(|| p.kind.size())).sum()
    }
}

/// A header and the offset of the first byte after it.
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) encoding: Encoding,
    pub(crate) elements: Vec<Element>,
    pub(crate) end: usize,
}

/// True if the text begins like a PLY file: the word `ply` alone on the first line, a word of a header on the next.
pub(crate) fn is_ply(bytes: &[u8]) -> bool {
    let Some(rest) = bytes.strip_prefix(b"ply").filter(|rest| rest.first().is_some_and(u8::is_ascii_whitespace)) else {
        return false;
    };
    let (start, end) = next_word(rest, 0);
    matches!(&rest[start..end], b"format" | b"comment" | b"obj_info" | b"element")
}

/// Largest number of elements and of properties of one element.
const MAX_ENTRIES: usize = 1000;

const EXPORT_AGAIN: &str = "export the mesh again";

/// Reads the header.
///
/// # Errors
/// Refuses an unknown word, type or encoding, a missing end, with line and column.
pub(crate) fn read(bytes: &[u8]) -> Result<Header, MeshError> {
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    let mut at = line_start_after(bytes, 0);
    loop {
        let end = line_end(bytes, at.min(bytes.len()));
        let line = Line { bytes, end };
        let (word, rest) = line.word(at);
        let refuse = |at: usize, what: String| error_at(bytes, at, what, EXPORT_AGAIN);
        match line.text(word) {
            b"format" => {
                let (name, _) = line.word(rest);
                encoding = Some(match line.text(name) {
                    b"ascii" => Encoding::Ascii,
                    b"binary_little_endian" => Encoding::LittleEndian,
                    b"binary_big_endian" => Encoding::BigEndian,
                    _ => return Err(refuse(name.0, format!("unknown PLY format {}", shown_word(bytes, name.0)))),
                });
            }
            b"element" => {
                let (name, rest) = line.word(rest);
                let (count, _) = line.word(rest);
                let number = std::str::from_utf8(line.text(count)).ok().and_then(|text| text.parse().ok());
                let Some(number) = number.filter(|_| elements.len() < MAX_ENTRIES) else {
                    let what = format!("expected the number of elements, found {}", shown_word(bytes, count.0));
                    return Err(refuse(count.0, what));
                };
                let properties = Vec::new();
                elements.push(Element { name: line.text(name).to_vec(), count: number, properties, at });
            }
            b"property" => {
                let property = property(&line, rest)?;
                let Some(element) = elements.last_mut().filter(|e| e.properties.len() < MAX_ENTRIES) else {
                    return Err(refuse(at, "a property outside an element".to_owned()));
                };
                element.properties.push(property);
            }
            b"end_header" => {
                let Some(encoding) = encoding else {
                    return Err(refuse(at, "a PLY header without `format`".to_owned()));
                };
                return Ok(Header { encoding, elements, end: line_start_after(bytes, at) });
            }
            b"comment" | b"obj_info" => {}
            [] if end < bytes.len() => {}
            [] => {
                let fix = "the file is truncated: copy or export it again";
                return Err(error_at(bytes, at, "a PLY header without `end_header`", fix));
            }
            _ => {
                let what = format!("expected a word of a PLY header, found {}", shown_word(bytes, word.0));
                return Err(refuse(word.0, what));
            }
        }
        at = line_start_after(bytes, at);
    }
}

/// Reads a property after its first word.
fn property(line: &Line<'_>, at: usize) -> Result<Property, MeshError> {
    let kind = |word: (usize, usize)| {
        Kind::of_name(line.text(word)).ok_or_else(|| {
            let what = format!("unknown PLY type {}", shown_word(line.bytes, word.0));
            error_at(line.bytes, word.0, what, EXPORT_AGAIN)
        })
    };
    let (first, rest) = line.word(at);
    if line.text(first) != b"list" {
        let (name, _) = line.word(rest);
        return Ok(Property { name: line.text(name).to_vec(), length: None, kind: kind(first)? });
    }
    let (length, rest) = line.word(rest);
    let (value, rest) = line.word(rest);
    let (name, _) = line.word(rest);
    let counts = kind(length)?;
    if !counts.is_whole() {
        let what = format!("a list with a length of type {}", shown_word(line.bytes, length.0));
        return Err(error_at(line.bytes, length.0, what, EXPORT_AGAIN));
    }
    Ok(Property { name: line.text(name).to_vec(), length: Some(counts), kind: kind(value)? })
}

/// A line of the header.
struct Line<'a> {
    bytes: &'a [u8],
    end: usize,
}

impl<'a> Line<'a> {
    /// Next word of the line as bounds, and the position after it; empty at the end of the line.
    fn word(&self, at: usize) -> ((usize, usize), usize) {
        let (start, end) = next_word(&self.bytes[..self.end], at.min(self.end));
        ((start, end), end)
    }

    fn text(&self, (start, end): (usize, usize)) -> &'a [u8] {
        &self.bytes[start..end]
    }
}

/// Start of the line after the one around `at`; `CR LF` ends one line.
fn line_start_after(bytes: &[u8], at: usize) -> usize {
    let end = line_end(bytes, at.min(bytes.len()));
    let is_pair = bytes.get(end) == Some(&b'\r') && bytes.get(end + 1) == Some(&b'\n');
    let next = end + 1 + usize::from(is_pair);
    debug_assert!(bytes.get(end).is_none_or(|b| is_line_end(*b)));
    next.min(bytes.len())
}
