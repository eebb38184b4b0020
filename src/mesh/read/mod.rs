//! Reads STL (binary and ASCII) and OBJ from bytes.
//!
//! - `detect`: recognises the format by content; file names are irrelevant
//! - `stl_binary`, `stl_ascii`, `obj`: one reader per format; each merges corners of equal position
//! - `triangulate`: cuts polygons of an OBJ into triangles
//! - `lexer`, `parse_float`, `coordinate_range`: words, numbers, accepted coordinates
//!
//! After the format's reader, [`load`] welds rounding cracks, counts edges, makes faces agree and turns shells wound
//! inside out (`mesh::load`).
//!
//! The readers are our own and take one pass (docs/decisions/0001-mesh-reading.md): `stl_io` and `tobj`, the oracles of
//! the tests, misread or refuse the cases listed in the tests, and take several times as long.
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

use crate::error::WarningCode;
use crate::geom::Vec3;
use crate::mesh::TriMesh;
use crate::mesh::load::{LoadedMesh, finish};
use std::fmt;

pub(crate) use crate::mesh::read::coordinate_range::{accept, refusal};
pub use crate::mesh::read::detect::detect;

/// Largest accepted number of triangles: indices of half-edges stay below 2³².
pub(crate) const MAX_TRIANGLES: usize = 1 << 29;

/// Source format of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeshFormat {
    /// Binary STL.
    StlBinary,
    /// ASCII STL.
    StlAscii,
    /// Wavefront OBJ.
    Obj,
    /// No file: triangles from a caller.
    Memory,
}

impl MeshFormat {
    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::StlBinary => "stl-binary",
            Self::StlAscii => "stl-ascii",
            Self::Obj => "obj",
            Self::Memory => "memory",
        }
    }
}

/// Error for bytes of no valid mesh, with its position. The caller adds the file's name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MeshError {
    /// Line of a text file, from 1.
    pub line: Option<u32>,
    /// Column in characters, from 1.
    pub column: Option<u32>,
    /// Byte offset in a binary file, from 0.
    pub byte: Option<u64>,
    /// Problem: one line, lower case, no full stop.
    pub what: String,
    /// Fix, in the same form; empty if unknown.
    pub fix: String,
}

impl MeshError {
    /// Makes an error without a position.
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

/// A finding about a mesh, worth a warning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeshWarning {
    /// Code of the warning.
    pub code: WarningCode,
    /// Message of one line.
    pub message: String,
}

/// Result of a format's reader: corners of equal position are merged.
#[derive(Debug, Clone)]
pub(crate) struct Parsed {
    pub format: MeshFormat,
    pub solids: u32,
    pub mesh: TriMesh,
    pub warnings: Vec<MeshWarning>,
    pub single_precision: bool,
}

/// Reads a mesh: recognises the format, merges vertices, welds rounding cracks, makes faces agree and orients them
/// outward.
///
/// Cost: linear in the file's length. Memory: about 40 bytes a triangle beside the mesh itself.
///
/// # Errors
/// Refuses bytes of another format (see [`detect()`]), a truncated file, an unexpected word or index, a coordinate
/// that is not finite or beyond [`crate::geom::tolerance::MAX_COORDINATE`], a mesh without triangles.
pub fn load(bytes: &[u8]) -> Result<LoadedMesh, MeshError> {
    Ok(finish(parse(bytes)?))
}

/// Reads a mesh like [`load`]; frees `bytes` before the repair, for a lower peak of memory.
///
/// # Errors
/// Same as [`load`].
pub fn load_owned(bytes: Vec<u8>) -> Result<LoadedMesh, MeshError> {
    let parsed = parse(&bytes)?;
    drop(bytes);
    Ok(finish(parsed))
}

/// Runs the first half of [`load`], for benches: merges corners with equal bits, without counts and repairs.
///
/// # Errors
/// Same as [`load`].
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

/// Returns the point if all its coordinates are accepted.
pub(crate) fn accept_point(p: &Vec3) -> Option<Vec3> {
    Some(Vec3::new(accept(p.x)?, accept(p.y)?, accept(p.z)?))
}
