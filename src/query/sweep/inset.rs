//! Inset surfaces of a sweep: both solids moved inward by τ, made once for all poses.
//!
//! If the insets stay apart at a pose, no common ball is thicker than 2τ there (docs/explanation/numerics.md, the inset
//! certificate). The inset depends on the part and on τ, not on the pose, so one proof covers a whole run
//! (docs/explanation/motion.md, claim 6).

use crate::geom::{Pose, Vec3};
use crate::query::depth::inset::surface::InsetSurface;
use crate::query::depth::inset::vertex_offset::SolidSide;
use crate::shape::self_union::SelfUnion;
use crate::shape::surface::placed::PlacedSurface;
use crate::shape::surface::{Inside, Surface};
use std::collections::BTreeMap;

/// The boundary of a solid; `None` if the surface has no definite inside or its self-union failed. Only boundaries give
/// upper bounds of a depth.
pub(crate) fn boundary(surface: &Surface) -> Option<&Surface> {
    let solid = surface.solid();
    (solid.inside == Inside::Solid && solid.overlaps() == SelfUnion::None).then_some(solid)
}

/// Moves the boundary of a solid inward by `tau` (mm, > 0), in its own frame. `rounding` as in [`InsetSurface::new`]
/// (mm). With `divides`, long edges are divided: faces move by almost `tau` except close to corners, and have several
/// times as many triangles. `moving` is true for each vertex that moves; all move without a list. Cost: that of a careful
/// inset of every vertex that moves, and a tree.
pub(crate) fn inset(boundary: &Surface, tau: f64, rounding: f64, divides: bool, moving: Option<&[bool]>) -> Surface {
    let moved =
        InsetSurface::new(boundary, None, SolidSide::Inside, tau, rounding).dividing_edges(divides).moving(moving);
    let mut index: BTreeMap<[u64; 3], u32> = BTreeMap::new();
    let mut vertices: Vec<Vec3> = Vec::new();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for t in 0..boundary.triangles.len() as u32 {
        for piece in moved.pieces(t).iter() {
            triangles.push(piece.map(|x| {
                // Adding 0 turns −0 into 0: equal positions become one vertex.
                *index.entry([0, 1, 2].map(|k| (x[k] + 0.0).to_bits())).or_insert_with(|| {
                    vertices.push(x);
                    vertices.len() as u32 - 1
                })
            }));
        }
    }
    Surface::of(vertices, &triangles, Inside::Solid)
}

/// True if a shell of either inset lies in the other one at this pose, or may do so. The surfaces must be apart there.
pub(crate) fn nested(a: &Surface, b: &Surface, b_in_a: &Pose) -> bool {
    let (in_a, in_b) = (PlacedSurface { surface: a, pose: None }, PlacedSurface { surface: b, pose: Some(b_in_a) });
    a.shells.iter().any(|&v| in_b.may_contain(&in_a.vertex(v)))
        || b.shells.iter().any(|&v| in_a.may_contain(&in_b.vertex(v)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::poses::at;
    use crate::testkit::solids::block;

    #[test]
    fn an_inset_box_is_smaller_on_every_side() {
        let surface = Surface::new(&block([0.0; 3], [10.0; 3]), &Vec3::zeros(), Inside::Solid);
        let small = inset(boundary(&surface).unwrap(), 0.25, 1e-12, false, None);
        assert!((small.bounds.min - Vec3::repeat(0.25)).norm() < 1e-8);
        assert!((small.bounds.max - Vec3::repeat(9.75)).norm() < 1e-8);
        assert_eq!(small.shells.len(), 1);
        let inner = Surface::new(&block([2.0; 3], [3.0; 3]), &Vec3::zeros(), Inside::Solid);
        assert!(nested(&small, &inner, &Pose::identity()) && nested(&inner, &small, &Pose::identity()));
        assert!(!nested(&small, &inner, &at(20.0, 0.0, 0.0)));
    }

    #[test]
    fn a_surface_without_an_inside_has_no_boundary() {
        let mut mesh = block([0.0; 3], [10.0; 3]);
        mesh.triangles.pop();
        assert!(boundary(&Surface::new(&mesh, &Vec3::zeros(), Inside::Undefined)).is_none());
    }
}
