//! Reads STL (binary and ASCII), OBJ, PLY and OFF from bytes.
//!
//! - `detect`, `other_formats`: recognise the format by content; file names are irrelevant
//! - `stl_binary`, `stl_ascii`, `obj`, `ply` with `ply_header`, `off`: one reader per format; each merges corners of
//!   equal position
//! - `faces`, `triangulate`: faces of indexed formats; cut their polygons into triangles
//! - `lexer`, `parse_float`, `coordinate_range`: words, numbers, accepted coordinates
//! - `mesh_format`, `parsed`, `mesh_error`: names of formats; the result of a reader and its warnings; its errors
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
pub(crate) mod faces;
pub(crate) mod lexer;
pub(crate) mod mesh_error;
pub(crate) mod mesh_format;
pub(crate) mod obj;
pub(crate) mod off;
#[cfg(test)]
mod off_tests;
pub(crate) mod other_formats;
pub(crate) mod parse_float;
pub(crate) mod parsed;
pub(crate) mod ply;
pub(crate) mod ply_header;
#[cfg(test)]
mod ply_tests;
pub(crate) mod stl_ascii;
pub(crate) mod stl_binary;
#[cfg(test)]
mod stl_pieces_tests;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod triangulate;

use crate::mesh::TriMesh;
use crate::mesh::load::{LoadedMesh, finish};
use std::io::Read;

pub use crate::mesh::read::detect::detect;
pub use crate::mesh::read::mesh_error::MeshError;
pub use crate::mesh::read::mesh_format::MeshFormat;
pub use crate::mesh::read::parsed::MeshWarning;
pub(crate) use crate::mesh::read::parsed::Parsed;

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

/// Reads a binary STL of `length` bytes piece by piece: its bytes are never in memory at once. Returns `None` for all
/// other content, and for a file with an error; [`load_owned`] then reads the file or describes the error.
pub(crate) fn load_streamed(content: &mut dyn Read, length: u64) -> Option<LoadedMesh> {
    crate::mesh::read::stl_binary::read_streamed(content, length).map(finish)
}

/// Runs the first half of [`load`], for benches: merges corners with equal bits, without counts and repairs.
///
/// # Errors
/// Same as [`load`].
#[doc(hidden)]
pub fn read_and_merge(bytes: &[u8]) -> Result<TriMesh, MeshError> {
    Ok(parse(bytes)?.mesh)
}

/// Reads the triangles of a file without repairs; merges corners with equal bits.
///
/// # Errors
/// Same as [`load`].
pub(crate) fn parse(bytes: &[u8]) -> Result<Parsed, MeshError> {
    let bytes = detect::without_mark(bytes);
    let parsed = match detect(bytes)? {
        MeshFormat::StlBinary => crate::mesh::read::stl_binary::read(bytes)?,
        MeshFormat::StlAscii => crate::mesh::read::stl_ascii::read(bytes)?,
        MeshFormat::Ply => crate::mesh::read::ply::read(bytes)?,
        MeshFormat::Off => crate::mesh::read::off::read(bytes)?,
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
