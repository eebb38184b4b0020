//! Recognises files of other kinds by their first bytes, for the message that refuses them.

use crate::mesh::read::mesh_error::MeshError;

const EXPORT: &str = "export STL or OBJ from CAD";
const CONVERT: &str = "convert it to STL or OBJ";
const IMPORT: &str = "run `interfere import` on it, or name it as the `assembly` of an instance";

/// Number of bytes to search for a word of a text format.
const SAMPLE: usize = 4096;

/// Column of the section letter in a line of an IGES file, from 0. The number of the line follows it.
const IGES_SECTION: usize = 72;

/// Length of a line of an IGES file.
const IGES_LINE: usize = 80;

/// First bytes of other kinds of files, with a description and a fix.
const FIRST_BYTES: [(&[u8], &str, &str); 11] = [
    (b"version https://git-lfs.github.com/spec/", "a Git LFS pointer, not a mesh", "run `git lfs pull`"),
    (b"ISO-10303-21", "a STEP file, not a mesh", IMPORT),
    (b"#VRML", "a VRML file, not an STL or OBJ file", CONVERT),
    (b"glTF", "a glTF file, not an STL or OBJ file", IMPORT),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an OLE file (SolidWorks, Inventor or Solid Edge?), not a mesh", EXPORT),
    (b"\x1f\x8b", "a gzip archive, not an STL or OBJ file", "unpack it"),
    (b"BZh", "a bzip2 archive, not an STL or OBJ file", "unpack it"),
    (b"\xfd7zXZ\0", "an xz archive, not an STL or OBJ file", "unpack it"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive, not an STL or OBJ file", "unpack it"),
    (b"\xff\xfe", "UTF-16 text, not UTF-8", "save it as UTF-8"),
    (b"\xfe\xff", "UTF-16 text, not UTF-8", "save it as UTF-8"),
];

/// Description and fix of a file of another kind; `None` if unknown.
pub(crate) fn other_format(bytes: &[u8]) -> Option<MeshError> {
    let text = trimmed(bytes);
    let found = FIRST_BYTES.iter().find(|(start, ..)| text.starts_with(start)).map(|(_, what, fix)| (*what, *fix));
    let found = found.or_else(|| zip(bytes)).or_else(|| markup(text)).or_else(|| json(text)).or_else(|| iges(bytes));
    found.map(|(what, fix)| MeshError::new(what, fix))
}

/// True for binary formats that may pass for a binary STL with a long tail.
pub(crate) fn is_other_binary(bytes: &[u8]) -> bool {
    const BINARY: [&[u8]; 6] = [
        b"PK\x03\x04",
        b"glTF",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        b"\x1f\x8b",
        b"\xfd7zXZ\0",
        b"7z\xbc\xaf\x27\x1c",
    ];
    BINARY.iter().any(|start| bytes.starts_with(start))
}

fn trimmed(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start()
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes[..bytes.len().min(SAMPLE)].windows(word.len()).any(|w| w == word)
}

type Known = (&'static str, &'static str);

/// Tells the zip archives of CAD apart by the names of their first entries.
fn zip(bytes: &[u8]) -> Option<Known> {
    if !bytes.starts_with(b"PK\x03\x04") {
        return None;
    }
    Some(if contains(bytes, b"3D/") || contains(bytes, b"3dmodel") {
        ("a 3MF file, not an STL or OBJ file", IMPORT)
    } else if contains(bytes, b"Document.xml") {
        ("a FreeCAD document, not a mesh", "export STL or OBJ from FreeCAD")
    } else {
        ("a zip archive (3MF, FreeCAD or Fusion?), not an STL or OBJ file", "export STL or OBJ")
    })
}

fn markup(text: &[u8]) -> Option<Known> {
    if !text.starts_with(b"<") {
        return None;
    }
    let kinds: [(&[u8], Known); 3] = [
        (b"<COLLADA", ("a COLLADA file, not an STL or OBJ file", CONVERT)),
        (b"<X3D", ("an X3D file, not an STL or OBJ file", CONVERT)),
        (b"<amf", ("an AMF file, not an STL or OBJ file", CONVERT)),
    ];
    let known = kinds.into_iter().find(|(word, _)| contains(text, word)).map(|(_, known)| known);
    Some(known.unwrap_or(("XML or HTML, not an STL or OBJ file", "check the source of the file; export STL or OBJ")))
}

fn json(text: &[u8]) -> Option<Known> {
    if !text.starts_with(b"{") {
        return None;
    }
    Some(if contains(text, b"\"instances\"") {
        ("an assembly file, not a mesh", "name the mesh files of its parts")
    } else if contains(text, b"\"asset\"") || contains(text, b"\"buffers\"") {
        ("a glTF file, not an STL or OBJ file", IMPORT)
    } else {
        ("JSON, not an STL or OBJ file", "check the path")
    })
}

fn iges(bytes: &[u8]) -> Option<Known> {
    let line = bytes.get(..IGES_LINE)?;
    let numbered = line[IGES_SECTION + 1..].iter().all(|b| b.is_ascii_digit() || *b == b' ');
    let is_iges = line[IGES_SECTION] == b'S' && numbered && line.is_ascii() && !line.contains(&b'\n');
    is_iges.then_some(("an IGES file, not a mesh", IMPORT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cad_formats_are_named() {
        let iges = format!("{:72}S      1\n", "bracket");
        for (bytes, starts) in [
            (&b"ISO-10303-21;\nHEADER;"[..], "a STEP file"),
            (b"PK\x03\x04....3D/3dmodel.model", "a 3MF file"),
            (b"PK\x03\x04....Document.xml", "a FreeCAD document"),
            (b"PK\x03\x04....notes.txt", "a zip archive"),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", "an OLE file"),
            (b"\x1f\x8b\x08\0", "a gzip archive"),
            (b"#VRML V2.0 utf8\n", "a VRML file"),
            (b"{ \"asset\": { \"version\": \"2.0\" } }", "a glTF file"),
            (b"{ \"version\": 1, \"instances\": [] }", "an assembly file"),
            (b"{}", "JSON"),
            (b"<?xml version=\"1.0\"?><COLLADA>", "a COLLADA file"),
            (b"<!DOCTYPE html>", "XML or HTML"),
            (iges.as_bytes(), "an IGES file"),
        ] {
            let found = other_format(bytes).map(|e| e.what);
            assert!(found.as_ref().is_some_and(|what| what.starts_with(starts)), "{starts}: {found:?}");
        }
        assert!(other_format(b"solid x\nfacet").is_none());
        assert!(other_format(b"v 0 0 0\n").is_none());
    }
}
