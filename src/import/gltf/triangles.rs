//! Triangles of a glTF mesh: all its triangle primitives together, since the faces of one solid may have several
//! materials.

use crate::error::Error;
use crate::import::collect::Collector;
use crate::import::gltf::accessors::values;
use crate::import::gltf::buffers::Buffers;
use crate::import::gltf::document::{Document, Primitive};
use crate::import::refusal::{Refusal, damaged, refuse};
use crate::mesh::TriMesh;
use crate::mesh::read::coordinate_range::{accept_point, refusal};

const TRIANGLES: u64 = 4;
const STRIP: u64 = 5;
const FAN: u64 = 6;

/// Largest number of triangles of a mesh.
const MAX_TRIANGLES: usize = 1 << 29;

/// Reads the triangles of a mesh. Counts points and lines as left out.
///
/// # Errors
/// Refuses morph targets, Draco compression, damaged accessors, indices without a vertex, coordinates out of range.
pub(crate) fn of_mesh(
    document: &Document,
    buffers: &Buffers<'_>,
    mesh: usize,
    file: &str,
    collector: &mut Collector,
) -> Result<TriMesh, Error> {
    let found = &document.meshes[mesh];
    let name = found.name.clone().unwrap_or_else(|| format!("mesh {mesh}"));
    let mut out = TriMesh::default();
    for primitive in &found.primitives {
        match primitive.mode.unwrap_or(TRIANGLES) {
            0 => collector.leave_out("sets of points", 1, &name),
            1..=3 => collector.leave_out("sets of lines", 1, &name),
            TRIANGLES..=FAN => add(document, buffers, primitive, (file, &name), &mut out)?,
            other => return Err(damaged(file, format!("mesh {name}: unknown mode {other}"))),
        }
    }
    Ok(out)
}

fn add(
    document: &Document,
    buffers: &Buffers<'_>,
    primitive: &Primitive,
    (file, name): (&str, &str),
    out: &mut TriMesh,
) -> Result<(), Error> {
    let name = crate::json::wording::one_line(name);
    if !primitive.targets.is_empty() {
        let what = format!("mesh {name}: morph targets");
        return Err(refuse(file, Refusal::Unsupported, what, "export one shape, without morph targets"));
    }
    let role = format!("positions of mesh {name}");
    let Some(positions) = primitive.attributes.get("POSITION") else {
        return Err(damaged(file, format!("mesh {name} has no positions")));
    };
    let positions = values(document, buffers, *positions, ("VEC3", 3), (file, &role))?;
    let base = out.vertices.len();
    if base + positions.count > 3 * MAX_TRIANGLES {
        return Err(refuse(file, Refusal::TooLarge, format!("mesh {name} is too large"), "split the mesh"));
    }
    out.vertices.reserve(positions.count);
    for p in positions.positions() {
        let Some(accepted) = accept_point(&p) else {
            let bad = p.iter().copied().find(|x| !x.is_finite() || x.abs() > 1.0).unwrap_or(f64::NAN);
            return Err(damaged(file, format!("mesh {name}: {}", refusal(bad).0)));
        };
        out.vertices.push(accepted);
    }
    let count = positions.count;
    let indices: Vec<u32> = match primitive.indices {
        None => (0..count as u32).collect(),
        Some(indices) => {
            let role = format!("indices of mesh {name}");
            let found = values(document, buffers, indices, ("SCALAR", 1), (file, &role))?;
            let Some(found) = found.indices() else {
                return Err(damaged(file, format!("{role}: a type that indices cannot have")));
            };
            found.collect()
        }
    };
    if let Some(bad) = indices.iter().find(|i| **i as usize >= count) {
        return Err(damaged(file, format!("mesh {name} names vertex {bad} of {count}")));
    }
    let corner = |i: u32| base as u32 + i;
    let mode = primitive.mode.unwrap_or(TRIANGLES);
    if mode == TRIANGLES {
        let (whole, rest) = indices.as_chunks::<3>();
        if !rest.is_empty() {
            return Err(damaged(file, format!("mesh {name}: {} indices are no whole triangles", indices.len())));
        }
        out.triangles.extend(whole.iter().map(|t| t.map(corner)));
        return Ok(());
    }
    for k in 0..indices.len().saturating_sub(2) {
        let t = match mode {
            // Every other triangle of a strip is wound the other way (glTF 2.0 Specification, §3.7.2.1).
            STRIP => [indices[k], indices[k + 1 + k % 2], indices[k + 2 - k % 2]],
            _ => [indices[k + 1], indices[k + 2], indices[0]],
        };
        // Strips repeat a vertex to continue elsewhere.
        if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] {
            out.triangles.push(t.map(corner));
        }
    }
    Ok(())
}
