//! Binary STL: an 80-byte header, a count, 50 bytes a facet. Only the corners count; stored normals and attribute bytes
//! are ignored.

use super::coordinate::{accept, refusal};
use super::{MeshError, MeshFormat, MeshWarning, Parsed};
use crate::geom::Vec3;
use crate::geom::tolerance::MAX_COORDINATE;
use crate::mesh::TriMesh;
use crate::mesh::join::Joiner;

/// Header and count.
pub(crate) const HEAD: usize = 84;

/// A normal, three corners, two attribute bytes.
pub(crate) const FACET: usize = 50;

/// Facets whose corners are looked up together.
const BLOCK: usize = 64;

/// The announced number of facets.
pub(crate) fn announced(bytes: &[u8]) -> Option<u32> {
    let count = bytes.get(80..84)?;
    Some(u32::from_le_bytes([count[0], count[1], count[2], count[3]]))
}

/// The facets of a file that was recognised as binary STL and is long enough for those it announces.
///
/// # Errors
/// A coordinate that is not finite or too large, with the byte it starts at; a file shorter than its count.
pub(crate) fn read(bytes: &[u8]) -> Result<Parsed, MeshError> {
    let count = announced(bytes).unwrap_or(0) as usize;
    let Some(body) = bytes.get(HEAD..HEAD + FACET * count) else {
        return Err(truncated(bytes.len(), count));
    };
    let mut joiner = Joiner::with_expected(count / 2 + 1);
    let mut triangles = Vec::with_capacity(count);
    let mut points = Vec::with_capacity(3 * BLOCK);
    for (k, block) in body.chunks(BLOCK * FACET).enumerate() {
        points.clear();
        for (j, facet) in block.chunks_exact(FACET).enumerate() {
            for place in [12, 24, 36] {
                let raw = corner(facet, place);
                // A number that is not NaN and not too large is taken: no f32 but 0 lies below the least coordinate.
                if !raw.iter().fold(true, |fine, x| fine & (x.abs() <= MAX_COORDINATE)) {
                    return Err(refused(raw, HEAD + (k * BLOCK + j) * FACET + place));
                }
                points.push(Vec3::new(raw[0], raw[1], raw[2]));
            }
        }
        joiner.expect(&points);
        triangles.extend(points.chunks_exact(3).map(|p| [joiner.add(p[0]), joiner.add(p[1]), joiner.add(p[2])]));
    }
    let mut warnings = Vec::new();
    let trailing = bytes.len() - HEAD - body.len();
    if trailing > 0 {
        let message = format!("{trailing} bytes after the last of {count} triangles are ignored");
        warnings.push(MeshWarning { code: "trailing-bytes", message });
    }
    Ok(Parsed {
        format: MeshFormat::StlBinary,
        solids: 1,
        mesh: TriMesh { vertices: joiner.into_vertices(), triangles },
        warnings,
        single_precision: true,
    })
}

/// The three numbers at a place of a facet.
#[inline]
fn corner(facet: &[u8], place: usize) -> [f64; 3] {
    [0, 4, 8].map(|offset| {
        let at = place + offset;
        f64::from(f32::from_le_bytes([facet[at], facet[at + 1], facet[at + 2], facet[at + 3]]))
    })
}

fn refused(raw: [f64; 3], at: usize) -> MeshError {
    let bad = raw.iter().position(|x| accept(*x).is_none()).unwrap_or(0);
    let (what, fix) = refusal(raw[bad]);
    MeshError { byte: Some((at + 4 * bad) as u64), ..MeshError::new(what, fix) }
}

/// The error of a file shorter than its count.
pub(crate) fn truncated(length: usize, count: usize) -> MeshError {
    let whole = length.saturating_sub(HEAD) / FACET;
    MeshError {
        byte: Some(length as u64),
        ..MeshError::new(
            format!("truncated binary STL: it announces {count} triangles and ends after {whole}"),
            "copy or export the file again",
        )
    }
}
