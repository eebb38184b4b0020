//! Tests if a mesh is its own convex hull; the hull then answers for the solid.

use crate::geom::Vec3;
use crate::geom::predicates::{collinear, orient3d};
use crate::mesh::TriMesh;

/// Relative tolerance between the volumes of mesh and hull, for the rounding of two sums; exact edge signs detect
/// smaller hollows. The comparison also rejects a surface that winds around twice, since its edges are convex, too.
const VOLUME_ROUNDING: f64 = 1e-9;

/// Returns true if a mesh of one shell with outward faces bounds a convex solid. Conditions: each edge joins two faces
/// and is convex or flat by exact sign, each face has an area, and the volume is that of the hull. A closed, connected,
/// locally convex surface is convex, unless it winds around more than once (H. Tietze, "Über Konvexheit im kleinen und
/// im großen", 1928).
///
/// Volumes in mm³. Cost: one comparison, then one sort of the edges.
pub(crate) fn is_convex(mesh: &TriMesh, volume: f64, hull_volume: f64) -> bool {
    let alike = (hull_volume - volume).abs() <= VOLUME_ROUNDING * hull_volume;
    hull_volume > 0.0 && alike && every_edge_is_convex(mesh)
}

fn every_edge_is_convex(mesh: &TriMesh) -> bool {
    // Two vertices, direction and face of each half-edge.
    let mut sides: Vec<(u32, u32, bool, u32)> = Vec::with_capacity(3 * mesh.triangles.len());
    for (t, [a, b, c]) in (0u32..).zip(&mesh.triangles) {
        for (p, q) in [(*a, *b), (*b, *c), (*c, *a)] {
            sides.push((p.min(q), p.max(q), p > q, t));
        }
    }
    sides.sort_unstable();
    let corners = |t: u32| mesh.triangles[t as usize].map(|i| &mesh.vertices[i as usize]);
    // A face without area has no plane, so its edges cannot be tested.
    if (0u32..mesh.triangles.len() as u32).map(corners).any(|[a, b, c]| collinear(a, b, c)) {
        return false;
    }
    let below = |t: u32, x: &Vec3| {
        let [a, b, c] = corners(t);
        orient3d(a, b, c, x) <= 0.0
    };
    sides.chunk_by(|s, t| (s.0, s.1) == (t.0, t.1)).all(|edge| match edge {
        [s, t] if s.2 != t.2 => {
            corners(s.3).iter().all(|x| below(t.3, x)) && corners(t.3).iter().all(|x| below(s.3, x))
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::solids::block;

    fn cube() -> TriMesh {
        block([0.0; 3], [1.0; 3])
    }

    #[test]
    fn cube_is_convex_and_dented_cube_is_not() {
        assert!(is_convex(&cube(), 1.0, 1.0));
        let mut dented = cube();
        // Move a corner inward, below the resolution of the volumes.
        dented.vertices[6] -= Vec3::repeat(1e-13);
        assert!(!is_convex(&dented, 1.0, 1.0));
        let mut open = cube();
        open.triangles.pop();
        assert!(!is_convex(&open, 1.0, 1.0));
    }

    #[test]
    fn solid_smaller_than_its_hull_is_not_convex() {
        assert!(!is_convex(&cube(), 0.999, 1.0));
        assert!(!is_convex(&cube(), 2.0, 1.0));
        assert!(!is_convex(&cube(), 0.0, 0.0));
    }
}
