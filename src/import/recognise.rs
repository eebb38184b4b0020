//! Recognises the kind of a file by content, independent of the file name.

use crate::mesh;
use serde::Deserialize;

/// Kind of a file that can become an assembly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// glTF 2.0, text or binary.
    Gltf,
    /// 3MF.
    ThreeMf,
    /// URDF.
    Urdf,
    /// MJCF, the models of MuJoCo.
    Mjcf,
    /// SDFormat.
    Sdf,
    /// COLLADA: one part.
    Collada,
    /// A mesh: one part.
    Mesh,
    /// STEP.
    Step,
    /// IGES.
    Iges,
    /// BREP of OpenCASCADE.
    Brep,
}

impl Kind {
    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gltf => "glTF",
            Self::ThreeMf => "3MF",
            Self::Urdf => "URDF",
            Self::Mjcf => "MJCF",
            Self::Sdf => "SDF",
            Self::Collada => "COLLADA",
            Self::Mesh => "mesh",
            Self::Step => "STEP",
            Self::Iges => "IGES",
            Self::Brep => "BREP",
        }
    }

    /// True for a kind that another program reads.
    pub fn needs_program(self) -> bool {
        matches!(self, Self::Step | Self::Iges | Self::Brep)
    }

    /// True for a description of a robot, with lengths in metres.
    pub fn is_robot(self) -> bool {
        matches!(self, Self::Urdf | Self::Mjcf | Self::Sdf)
    }

    /// True for a kind that can hold an assembly of several parts.
    pub fn is_assembly(self) -> bool {
        !matches!(self, Self::Collada | Self::Mesh)
    }
}

/// First bytes of a binary MuJoCo model: its mark 54321, then 8 bytes a number.
const MJB: &[u8] = b"\x31\xd4\0\0\x08\0\0\0";

/// Recognises the kind of a file.
///
/// # Errors
/// Describes a file of another kind.
pub fn kind_of(bytes: &[u8]) -> Result<Kind, String> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    if bytes.starts_with(b"glTF") || is_gltf_text(text) {
        return Ok(Kind::Gltf);
    }
    if text.starts_with(b"ISO-10303-21") {
        return Ok(Kind::Step);
    }
    if text.starts_with(b"DBRep_DrawableShape") || text.starts_with(b"CASCADE Topology") {
        return Ok(Kind::Brep);
    }
    if bytes.starts_with(MJB) {
        return Err("a binary MuJoCo model (MJB): save the model as XML".to_owned());
    }
    if bytes.starts_with(b"PK\x03\x04") {
        return archive(bytes);
    }
    if text.starts_with(b"<") {
        return markup(text);
    }
    match mesh::detect(bytes) {
        Ok(_) => Ok(Kind::Mesh),
        Err(error) if error.what.contains("IGES") => Ok(Kind::Iges),
        Err(error) => Err(error.what),
    }
}

#[derive(Deserialize)]
struct Probe {
    asset: Option<Asset>,
}

#[derive(Deserialize)]
struct Asset {
    #[expect(dead_code, reason = "its presence tells a glTF file")]
    version: String,
}

fn is_gltf_text(text: &[u8]) -> bool {
    text.starts_with(b"{")
        && contains(text, b"\"asset\"")
        && serde_json::from_slice::<Probe>(text).is_ok_and(|probe| probe.asset.is_some())
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|w| w == word)
}

/// Tells the archives apart by the names of their entries, which stand in the directory at the end of the file.
fn archive(bytes: &[u8]) -> Result<Kind, String> {
    const DIRECTORY: usize = 1 << 20;
    let end = &bytes[bytes.len().saturating_sub(DIRECTORY)..];
    let lower = |bytes: &[u8]| bytes.to_ascii_lowercase();
    let (start, end) = (lower(&bytes[..bytes.len().min(4096)]), lower(end));
    let has = |word: &[u8]| contains(&start, word) || contains(&end, word);
    if has(b".model") && (has(b"3d/") || has(b"3dmodel")) {
        Ok(Kind::ThreeMf)
    } else if has(b"document.xml") {
        Err("a FreeCAD document, which only FreeCAD reads: docs/how-to/from-cad.md has the script".to_owned())
    } else {
        Err("a zip archive without a 3D model".to_owned())
    }
}

/// Tells XML documents apart by the name of the root element.
fn markup(text: &[u8]) -> Result<Kind, String> {
    match root_name(text).as_deref() {
        Some("robot") => Ok(Kind::Urdf),
        Some("COLLADA") => Ok(Kind::Collada),
        Some("mujoco") => Ok(Kind::Mjcf),
        Some("mujocoinclude") => Err("a part of a MuJoCo model: name the model that includes it".to_owned()),
        Some("sdf" | "gazebo") => Ok(Kind::Sdf),
        Some(name) => Err(format!("XML with the root {}", crate::json::wording::quoted(name))),
        None => Err("XML or HTML without a root element".to_owned()),
    }
}

/// Name of the root element, without its prefix.
fn root_name(text: &[u8]) -> Option<String> {
    let mut at = 0;
    loop {
        at += text.get(at..)?.iter().position(|b| *b == b'<')?;
        let rest = &text[at..];
        let end: &[u8] = if rest.starts_with(b"<!--") {
            b"-->"
        } else if rest.starts_with(b"<?") {
            b"?>"
        } else if rest.starts_with(b"<!") {
            b">"
        } else {
            let name = rest[1..].iter().take_while(|b| !b.is_ascii_whitespace() && !matches!(b, b'>' | b'/')).take(100);
            let name = String::from_utf8_lossy(&name.copied().collect::<Vec<u8>>()).into_owned();
            return Some(name.rsplit(':').next().unwrap_or_default().to_owned());
        };
        at += rest.windows(end.len()).position(|w| w == end)? + end.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_tells_the_kind() {
        for (bytes, kind) in [
            (&b"glTF\x02\0\0\0"[..], Kind::Gltf),
            (b" {\"scenes\": [], \"asset\": {\"version\": \"2.0\"}}", Kind::Gltf),
            (b"ISO-10303-21;\nHEADER;", Kind::Step),
            (b"PK\x03\x04....3D/3dmodel.model", Kind::ThreeMf),
            (b"PK\x03\x04....3d/Part.MODEL", Kind::ThreeMf),
            (b"<?xml version=\"1.0\"?>\n<!-- <a> -->\n<robot name=\"r\">", Kind::Urdf),
            (b"\xef\xbb\xbf<COLLADA xmlns=\"\">", Kind::Collada),
            (b"<mujoco model='a'/>", Kind::Mjcf),
            (b"<?xml version='1.0'?><sdf version='1.6'>", Kind::Sdf),
            (b"DBRep_DrawableShape\n", Kind::Brep),
            (b"OFF\n3 1 0", Kind::Mesh),
            (b"solid x\nfacet", Kind::Mesh),
            (format!("{:72}S      1\n", "bracket").as_bytes(), Kind::Iges),
        ] {
            assert_eq!(kind_of(bytes), Ok(kind), "{}", String::from_utf8_lossy(bytes));
        }
        for (bytes, says) in [
            (&b"{\"version\": 1, \"instances\": []}"[..], "an assembly file"),
            (b"{\"asset\": 1}", "a glTF file"),
            (b"PK\x03\x04....Document.xml", "FreeCAD"),
            (b"PK\x03\x04....notes.txt", "a zip archive"),
            (b"<mujocoinclude/>", "a part of a MuJoCo model"),
            (b"\x31\xd4\0\0\x08\0\0\0", "MJB"),
            (b"<html>", "XML with the root `html`"),
            (b"<!-- never closed", "without a root element"),
            (b"", "empty"),
        ] {
            let found = kind_of(bytes).expect_err(says);
            assert!(found.contains(says), "{found}");
        }
    }
}
