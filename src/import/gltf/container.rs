//! The chunks of a binary glTF file (glTF 2.0 Specification, §4).

use crate::error::Error;
use crate::import::refusal::{Refusal, damaged, refuse};

const HEADER: usize = 12;
const JSON: [u8; 4] = *b"JSON";
const BINARY: [u8; 4] = *b"BIN\0";

/// JSON text and binary chunk of a file; a text file is its own JSON.
///
/// # Errors
/// Refuses another version and lengths beyond the file.
pub(crate) fn chunks<'b>(bytes: &'b [u8], file: &str) -> Result<(&'b [u8], Option<&'b [u8]>), Error> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes), None));
    }
    let (Some(version), Some(length)) = (word(bytes, 4), word(bytes, 8)) else {
        return Err(damaged(file, "truncated GLB: the file ends in its header"));
    };
    if version != 2 {
        let what = format!("binary glTF {version}");
        return Err(refuse(file, Refusal::Unsupported, what, "export glTF 2.0"));
    }
    let Some(bytes) = bytes.get(..length as usize).filter(|b| b.len() >= HEADER) else {
        let what = format!("truncated GLB: the header announces {length} bytes, the file has {}", bytes.len());
        return Err(damaged(file, what));
    };
    let (mut json, mut binary) = (None, None);
    let mut at = HEADER;
    while let (Some(length), Some(kind)) = (word(bytes, at), bytes.get(at + 4..at + 8)) {
        let start = at + 8;
        let Some(content) = start.checked_add(length as usize).and_then(|end| bytes.get(start..end)) else {
            return Err(damaged(file, format!("truncated GLB: a chunk of {length} bytes at byte {at} passes the end")));
        };
        if kind == JSON && json.is_none() {
            json = Some(content);
        } else if kind == BINARY && binary.is_none() {
            binary = Some(content);
        }
        at = start + content.len();
    }
    json.map(|json| (json, binary)).ok_or_else(|| damaged(file, "a GLB without its JSON chunk"))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*word))
}
