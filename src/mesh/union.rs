//! The boundary of what a mesh winds around.

use super::TriMesh;
use crate::geom::Vec3;
use manifold_rust::manifold::Manifold;
use manifold_rust::types::{Error, MeshGLP, WindingRule};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The boundary of the points that a closed mesh winds around at least once: overlapping shells become one, what crosses itself
/// is cut where it does. `None` where the library that does it gives up; what it gives is to be checked. Crossings are exact and
/// vertices are rounded once. Cost: some ten microseconds a triangle.
///
/// Source: the arrangement engine of `manifold-rust`.
pub(crate) fn union(mesh: &TriMesh) -> Option<TriMesh> {
    let input = MeshGLP::<f64, u32> {
        num_prop: 3,
        vert_properties: mesh.vertices.iter().flat_map(|v| [v.x, v.y, v.z]).collect(),
        tri_verts: mesh.triangles.iter().flatten().copied().collect(),
        ..MeshGLP::default()
    };
    let run = || {
        let given = Manifold::from_mesh_glp_robust(&input);
        if given.status() != Error::NoError {
            return None;
        }
        let out = given.rebuild_solid(WindingRule::Positive);
        (out.status() == Error::NoError).then(|| out.get_mesh_glp::<f64, u32>(-1))
    };
    let out = catch_unwind(AssertUnwindSafe(run)).ok().flatten()?;
    let properties = usize::try_from(out.num_prop).ok().filter(|n| *n >= 3)?;
    let vertices: Vec<Vec3> =
        out.vert_properties.chunks_exact(properties).map(|p| Vec3::new(p[0], p[1], p[2])).collect();
    let triangles: Vec<[u32; 3]> = out.tri_verts.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
    let sound = vertices.iter().all(|v| v.iter().all(|x| x.is_finite()))
        && triangles.iter().flatten().all(|v| (*v as usize) < vertices.len());
    (sound && !triangles.is_empty()).then_some(TriMesh { vertices, triangles })
}

#[cfg(test)]
mod tests {
    use super::super::measure::Measures;
    use super::super::samples::{block, together, translated, turned};
    use super::*;

    fn volume(mesh: &TriMesh) -> f64 {
        Measures::of(mesh).volume.signed
    }

    #[test]
    fn two_blocks_become_one() {
        let second = translated(&block(2.0, 2.0, 2.0), Vec3::new(1.0, 0.5, 0.25));
        let both = together(&[block(2.0, 2.0, 2.0), second]);
        let one = union(&both).unwrap();
        assert!((volume(&one) - (16.0 - 1.0 * 1.5 * 1.75)).abs() < 1e-12);
    }

    #[test]
    fn a_wall_between_flush_blocks_goes_and_a_cavity_stays() {
        let flush = together(&[block(2.0, 2.0, 2.0), translated(&block(1.0, 1.0, 1.0), Vec3::new(2.0, 0.5, 0.5))]);
        let one = union(&flush).unwrap();
        assert!((volume(&one) - 9.0).abs() < 1e-12);
        assert!((Measures::of(&one).area - 28.0).abs() < 1e-12);
        let cavity = turned(&translated(&block(1.0, 1.0, 1.0), Vec3::repeat(0.5)));
        let hollow = together(&[flush, cavity]);
        assert!((volume(&union(&hollow).unwrap()) - 8.0).abs() < 1e-12);
    }

    #[test]
    fn what_is_not_closed_is_not_united() {
        let mut open = block(1.0, 1.0, 1.0);
        open.triangles.pop();
        assert_eq!(union(&open), None);
    }
}
