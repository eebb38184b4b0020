//! Recognises the format of a mesh file by content, independent of the file name.

use crate::mesh::read::lexer::{is_text, line_end, next_word};
use crate::mesh::read::mesh_error::MeshError;
use crate::mesh::read::mesh_format::MeshFormat;
use crate::mesh::read::off::keyword;
use crate::mesh::read::other_formats::{is_other_binary, other_format};
use crate::mesh::read::ply_header::is_ply;
use crate::mesh::read::stl_binary::{FACET, HEAD, announced, truncated};

/// Number of bytes that decide between text and binary.
const SAMPLE: usize = 1024;

/// Recognises the format of a file.
///
/// PLY: begins with the line `ply`. Binary STL: at least as long as required by the count at byte 80, and either of
/// exactly this length or with a byte outside text in its first KiB. A shorter file of at least 84 bytes with a byte
/// outside text is a truncated binary STL. Of texts, files that begin with `OFF` or a variant of it are OFF, with
/// `solid` or `facet` ASCII STL, and files with a line beginning with `v`, `vn`, `vt`, `f`, `mtllib` or `usemtl` are
/// OBJ.
///
/// # Errors
/// Refuses other formats, with their name if known, and truncated binary STL.
pub fn detect(bytes: &[u8]) -> Result<MeshFormat, MeshError> {
    if bytes.is_empty() {
        return Err(MeshError::new("the file is empty", "copy or export it again"));
    }
    let bytes = without_mark(bytes);
    if is_ply(bytes) {
        return Ok(MeshFormat::Ply);
    }
    let binary_text = bytes.iter().take(SAMPLE).all(|b| is_text(*b));
    let wanted = announced(bytes).map(|n| HEAD as u64 + FACET as u64 * u64::from(n));
    let length = bytes.len() as u64;
    let exact = wanted == Some(length);
    if exact || (!binary_text && wanted.is_some_and(|w| length >= w)) {
        let other = is_other_binary(bytes) && !exact;
        return if other { Err(other_format(bytes).unwrap_or_else(unknown)) } else { Ok(MeshFormat::StlBinary) };
    }
    if let Some(other) = other_format(bytes) {
        return Err(other);
    }
    if !binary_text {
        return Err(match announced(bytes) {
            Some(count) => truncated(bytes.len(), count as usize),
            None => unknown(),
        });
    }
    if keyword(bytes).is_some() {
        return Ok(MeshFormat::Off);
    }
    let first = first_word(bytes);
    if first.eq_ignore_ascii_case(b"solid") || first.eq_ignore_ascii_case(b"facet") {
        return Ok(MeshFormat::StlAscii);
    }
    if has_obj_line(bytes) { Ok(MeshFormat::Obj) } else { Err(unknown()) }
}

/// Text of an OFF or a PLY without the byte order mark; the other readers skip it themselves.
pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    let is_known = |text: &&[u8]| is_ply(text) || keyword(text).is_some();
    bytes.strip_prefix(b"\xef\xbb\xbf").filter(is_known).unwrap_or(bytes)
}

/// Format or description of a file whose content tells its kind; `None` for an unknown text, and for a damaged file.
pub(crate) fn described(bytes: &[u8]) -> Option<Result<MeshFormat, String>> {
    match detect(bytes) {
        Ok(format) => Some(Ok(format)),
        Err(_) => other_format(bytes).map(|error| Err(error.what)),
    }
}

fn unknown() -> MeshError {
    MeshError::new("not an STL, OBJ, PLY or OFF mesh", "export the part as STL or OBJ")
}

fn first_word(bytes: &[u8]) -> &[u8] {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let (start, end) = next_word(text, 0);
    &text[start..end]
}

/// True if a line begins with an OBJ word that every mesh needs, or with one specific to OBJ.
fn has_obj_line(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut at = 0;
    while at < text.len() {
        let end = line_end(text, at);
        let (start, stop) = next_word(&text[..end], at);
        if matches!(&text[start..stop], b"v" | b"vn" | b"vt" | b"f" | b"mtllib" | b"usemtl") {
            return true;
        }
        at = end + 1;
    }
    false
}
