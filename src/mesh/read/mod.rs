//! Reads STL (binary and ASCII) and OBJ from bytes.
//!
//! What is it: [`recognise`] looks at the content, never at a name. What is in it: one file per format, each of which
//! joins corners of equal position as it goes. Whether that is a solid: [`load`] closes rounding cracks, counts edges,
//! makes faces agree and turns what is inside out (`mesh::finish`).
//!
//! Everything is read directly and in one pass (docs/decisions/0001-mesh-reading.md): `stl_io` and `tobj`, which the tests
//! compare with, misread or refuse what `stl_ascii` and `obj` list in their tests, and take several times as long.
//!
//! No input may panic, hang, or reserve memory beyond a multiple of its own length.

pub(crate) mod coordinate_range;
pub(crate) mod detect;
pub(crate) mod lexer;
pub(crate) mod obj;
pub(crate) mod parse_float;
pub(crate) mod stl_ascii;
pub(crate) mod stl_binary;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod triangulate;

use crate::geom::Vec3;
use crate::mesh::TriMesh;
use crate::mesh::load::{LoadedMesh, finish};
use std::fmt;

pub(crate) use crate::mesh::read::coordinate_range::{accept, refusal};
pub use crate::mesh::read::detect::detect;

/// More triangles than this are refused: indices of half-edges stay below 2³².
pub(crate) const MAX_TRIANGLES: usize = 1 << 29;

/// What a mesh was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeshFormat {
    /// Binary STL.
    StlBinary,
    /// ASCII STL.
    StlAscii,
    /// Wavefront OBJ.
    Obj,
    /// No file: triangles handed in by a caller.
    Memory,
}

impl MeshFormat {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::StlBinary => "stl-binary",
            Self::StlAscii => "stl-ascii",
            Self::Obj => "obj",
            Self::Memory => "memory",
        }
    }
}

/// Why bytes are no mesh, and where. The caller adds the file's name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MeshError {
    /// Line of a text file, from 1.
    pub line: Option<u32>,
    /// Column in characters, from 1.
    pub column: Option<u32>,
    /// Byte of a binary file, from 0.
    pub byte: Option<u64>,
    /// What is wrong: one line, lower case, no full stop.
    pub what: String,
    /// What would fix it, in the same form; empty where nothing sensible can be said.
    pub fix: String,
}

impl MeshError {
    /// An error without a place.
    pub(crate) fn new(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { what: what.into(), fix: fix.into(), ..Self::default() }
    }

    pub(crate) fn too_many() -> Self {
        Self::new(format!("more than {MAX_TRIANGLES} triangles"), "split or simplify the mesh")
    }
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column, self.byte) {
            (Some(line), Some(column), _) => write!(f, "{line}:{column}: ")?,
            (Some(line), None, _) => write!(f, "{line}: ")?,
            (None, _, Some(byte)) => write!(f, "byte {byte}: ")?,
            (None, _, None) => {}
        }
        write!(f, "{}", self.what)?;
        if self.fix.is_empty() { Ok(()) } else { write!(f, "; {}", self.fix) }
    }
}

impl std::error::Error for MeshError {}

/// Something to know about a mesh that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeshWarning {
    /// Stable kebab-case code.
    pub code: &'static str,
    /// One line.
    pub message: String,
}

/// What a format's reader hands on: corners joined where their positions are equal.
#[derive(Debug, Clone)]
pub(crate) struct Parsed {
    pub format: MeshFormat,
    pub solids: u32,
    pub mesh: TriMesh,
    pub warnings: Vec<MeshWarning>,
    pub single_precision: bool,
}

/// Reads a mesh: recognises the format, joins vertices, closes rounding cracks, makes faces agree and look outward.
///
/// Cost: linear in the file's length. Memory: about 40 bytes a triangle beside the mesh itself while it runs.
///
/// # Errors
/// Bytes that are no mesh: see [`recognise`]; a file that is cut off, a word or index that does not belong there, a
/// coordinate that is no finite number of at most [`crate::geom::tolerance::MAX_COORDINATE`], a mesh of no triangles.
pub fn load(bytes: &[u8]) -> Result<LoadedMesh, MeshError> {
    Ok(finish(parse(bytes)?))
}

/// As [`load`]; lets go of the bytes before the rest asks for as much memory.
///
/// # Errors
/// As of [`load`].
pub fn load_owned(bytes: Vec<u8>) -> Result<LoadedMesh, MeshError> {
    let parsed = parse(&bytes)?;
    drop(bytes);
    Ok(finish(parsed))
}

/// The first half of [`load`], for benches: the mesh of a file with its corners joined where their bits are equal,
/// neither counted nor mended.
///
/// # Errors
/// As of [`load`].
#[doc(hidden)]
pub fn read_and_merge(bytes: &[u8]) -> Result<TriMesh, MeshError> {
    Ok(parse(bytes)?.mesh)
}

fn parse(bytes: &[u8]) -> Result<Parsed, MeshError> {
    let parsed = match detect(bytes)? {
        MeshFormat::StlBinary => crate::mesh::read::stl_binary::read(bytes)?,
        MeshFormat::StlAscii => crate::mesh::read::stl_ascii::read(bytes)?,
        MeshFormat::Obj | MeshFormat::Memory => crate::mesh::read::obj::read(bytes)?,
    };
    if parsed.mesh.triangles.is_empty() {
        let what = match parsed.format {
            MeshFormat::StlBinary if bytes.len() > crate::mesh::read::stl_binary::HEAD => {
                format!(
                    "no triangles: the header announces 0, though {} bytes follow",
                    bytes.len() - crate::mesh::read::stl_binary::HEAD
                )
            }
            _ => "no triangles".into(),
        };
        return Err(MeshError::new(what, "export the part again, as a mesh"));
    }
    Ok(parsed)
}

/// A point all of whose coordinates are taken.
pub(crate) fn accept_point(p: &Vec3) -> Option<Vec3> {
    Some(Vec3::new(accept(p.x)?, accept(p.y)?, accept(p.z)?))
}
