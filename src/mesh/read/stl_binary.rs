//! Reads binary STL: an 80-byte header, a count, 50 bytes a facet. Uses the corners only; ignores stored normals and
//! attribute bytes.

use crate::error::WarningCode;
use crate::geom::tolerance::MAX_COORDINATE;
use crate::mesh::TriMesh;
use crate::mesh::read::coordinate_range::{accept, refusal};
use crate::mesh::read::mesh_error::{MAX_TRIANGLES, MeshError};
use crate::mesh::read::mesh_format::MeshFormat;
use crate::mesh::read::parsed::{MeshWarning, Parsed};
use crate::mesh::repair::merge_vertices_f32::{BLOCK, VertexMergerF32};
use std::io::Read;

/// Length of header and count (bytes).
pub(crate) const HEAD: usize = 84;

/// Length of a facet (bytes): a normal, three corners, two attribute bytes.
pub(crate) const FACET: usize = 50;

/// Number of facets of a piece: some 200 kB, which stay in the second cache of a core.
const PIECE: usize = 64 * (BLOCK / 3);

/// Largest accepted coordinate in single precision; rounding the limit to `f32` makes it smaller.
const LARGEST: f32 = MAX_COORDINATE as f32;
const _: () = assert!(LARGEST as f64 <= MAX_COORDINATE);

/// Number of facets in the header.
pub(crate) fn announced(bytes: &[u8]) -> Option<u32> {
    let count = bytes.get(80..84)?;
    Some(u32::from_le_bytes([count[0], count[1], count[2], count[3]]))
}

/// Reads the facets of a binary STL of sufficient length for its count.
///
/// # Errors
/// Refuses a coordinate that is not finite or too large, with its byte offset; a file shorter than its count.
pub(crate) fn read(bytes: &[u8]) -> Result<Parsed, MeshError> {
    let count = announced(bytes).unwrap_or(0) as usize;
    let Some(body) = bytes.get(HEAD..HEAD + FACET * count) else {
        return Err(truncated(bytes.len(), count));
    };
    if count > MAX_TRIANGLES {
        return Err(MeshError::too_many());
    }
    let mut facets = MergedFacets::with_expected(count);
    facets.add(body).map_err(|facet| refused(body, facet))?;
    let mut warnings = Vec::new();
    let trailing = bytes.len() - HEAD - body.len();
    if trailing > 0 {
        let message = format!("{trailing} bytes after the last of {count} triangles are ignored");
        warnings.push(MeshWarning { code: WarningCode::TrailingBytes, message });
    }
    Ok(facets.parsed(warnings))
}

/// Reads a binary STL of `length` bytes piece by piece. Returns `None` for an error, and for a count that does not fit
/// the length exactly.
pub(crate) fn read_streamed(content: &mut dyn Read, length: u64) -> Option<Parsed> {
    let mut head = [0; HEAD];
    content.read_exact(&mut head).ok()?;
    let count = announced(&head)? as usize;
    let is_exact = length == HEAD as u64 + FACET as u64 * count as u64;
    // Texts that begin so are other formats.
    let is_other = head.starts_with(b"ply") || head.starts_with(b"\xef\xbb\xbf");
    if !is_exact || is_other || count == 0 || count > MAX_TRIANGLES {
        return None;
    }
    let mut facets = MergedFacets::with_expected(count);
    let mut piece = vec![0; FACET * PIECE.min(count)];
    for first in (0..count).step_by(PIECE) {
        let bytes = &mut piece[..FACET * PIECE.min(count - first)];
        content.read_exact(bytes).ok()?;
        facets.add(bytes).ok()?;
    }
    Some(facets.parsed(Vec::new()))
}

/// Facets with merged corners.
struct MergedFacets {
    joiner: VertexMergerF32,
    triangles: Vec<[u32; 3]>,
}

impl MergedFacets {
    fn with_expected(count: usize) -> Self {
        Self { joiner: VertexMergerF32::with_expected(count / 2 + 1), triangles: Vec::with_capacity(count) }
    }

    /// Adds the facets in `body`.
    ///
    /// # Errors
    /// Returns a facet of `body` from which on a coordinate is not finite or too large.
    fn add(&mut self, body: &[u8]) -> Result<(), usize> {
        let mut keys = [[0; 3]; BLOCK];
        for (k, block) in body.chunks(BLOCK / 3 * FACET).enumerate() {
            let mut fine = true;
            for (facet, keys) in block.as_chunks::<FACET>().0.iter().zip(keys.as_chunks_mut::<3>().0) {
                for (corner, key) in facet[12..48].as_chunks::<12>().0.iter().zip(keys) {
                    let p = numbers(corner);
                    // Excludes NaN and too large numbers. Every `f32` except 0 is above the least coordinate.
                    fine &= (p[0].abs() <= LARGEST) & (p[1].abs() <= LARGEST) & (p[2].abs() <= LARGEST);
                    // Adding 0.0 turns −0.0 into 0.0.
                    *key = p.map(|x| (x + 0.0).to_bits());
                }
            }
            if !fine {
                return Err(k * (BLOCK / 3));
            }
            self.joiner.join(&keys[..block.len() / FACET * 3], &mut self.triangles);
        }
        Ok(())
    }

    fn parsed(self, warnings: Vec<MeshWarning>) -> Parsed {
        Parsed {
            format: MeshFormat::StlBinary,
            solids: 1,
            mesh: TriMesh { vertices: self.joiner.into_vertices(), triangles: self.triangles },
            warnings,
            single_precision: true,
        }
    }
}

/// Reads the three numbers of a corner.
#[inline]
fn numbers(corner: &[u8; 12]) -> [f32; 3] {
    let [x0, x1, x2, x3, y0, y1, y2, y3, z0, z1, z2, z3] = *corner;
    [[x0, x1, x2, x3], [y0, y1, y2, y3], [z0, z1, z2, z3]].map(f32::from_le_bytes)
}

/// Builds the error for the first refused coordinate from this facet on.
#[cold]
fn refused(body: &[u8], facet: usize) -> MeshError {
    for (k, bytes) in body.chunks_exact(FACET).enumerate().skip(facet) {
        for (j, corner) in bytes[12..48].as_chunks::<12>().0.iter().enumerate() {
            for (i, x) in numbers(corner).map(f64::from).into_iter().enumerate() {
                if accept(x).is_none() {
                    let (what, fix) = refusal(x);
                    let at = HEAD + k * FACET + 12 + 12 * j + 4 * i;
                    return MeshError { byte: Some(at as u64), ..MeshError::new(what, fix) };
                }
            }
        }
    }
    MeshError::default()
}

/// Builds the error for a file shorter than its count.
pub(crate) fn truncated(length: usize, count: usize) -> MeshError {
    let whole = length.saturating_sub(HEAD) / FACET;
    MeshError {
        byte: Some(length as u64),
        ..MeshError::new(
            format!("truncated binary STL: the header announces {count} triangles, the file ends after {whole}"),
            "copy or export the file again",
        )
    }
}
