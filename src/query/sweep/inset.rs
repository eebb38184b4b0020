//! Inset surfaces of a sweep: both solids moved inward by τ, made once for all poses.
//!
//! If the insets stay apart at a pose, no common ball is thicker than 2τ there (docs/explanation/numerics.md, the inset
//! certificate). The inset depends on the part and on τ, not on the pose, so one proof covers a whole run
//! (docs/explanation/motion.md, claim 6).

use crate::geom::math::lesser;
use crate::geom::tolerance::roundoff_mm;
use crate::geom::{Pose, Vec3};
use crate::query::depth::inset::certificate::{InsetResult, InsetSurfaces};
use crate::query::depth::inset::surface::InsetSurface;
use crate::query::depth::inset::vertex_offset::SolidSide;
use crate::query::sweep::cells::Cells;
use crate::query::sweep::reach::vertices_in_reach;
use crate::query::sweep::run::Sweep;
use crate::query::sweep::still::Still;
use crate::query::triangles::pairing::Pairing;
use crate::shape::self_union::SelfUnion;
use crate::shape::surface::placed::PlacedSurface;
use crate::shape::surface::{Inside, Surface};
use std::collections::BTreeMap;

/// Reduction of an inset (share of the depth): keeps its own rounding out of the decision.
const INSET_SHARE: f64 = 1e-9;

/// Distance of the other part up to which vertices of a large part move (multiples of τ). Faces of both parts move by
/// at most τ each, and sharp corners reach farther. The distance affects success and time, never a claim.
const REACH: f64 = 3.0;

/// Number of triangles of a pair up to which the parts are small: their insets are careful at any depth, and may divide
/// edges.
const SMALL_UP_TO: usize = 2_000;

/// Largest depth for careful insets of larger parts (share of the smaller part's diameter). Deep ones of fine meshes
/// take many seconds.
const CAREFUL_SHARE: f64 = 0.05;

/// Edges left whole in the insets of both solids.
pub(crate) const WHOLE: [bool; 2] = [false; 2];

/// Insets of both solids with divided edges, of both and of either: divided edges mend long faces that lag behind at a
/// corner, and fold over at sharp edges.
pub(crate) const DIVIDED: [[bool; 2]; 3] = [[true, true], [true, false], [false, true]];

/// The boundary of a solid; `None` if the surface has no definite inside or its self-union failed. Only boundaries give
/// upper bounds of a depth.
pub(crate) fn boundary(surface: &Surface) -> Option<&Surface> {
    let solid = surface.solid();
    (solid.inside == Inside::Solid && solid.overlaps() == SelfUnion::None).then_some(solid)
}

/// Inset of each solid that proves a depth (mm); not positive for depths within the rounding.
pub(crate) fn inset_distance(still: &Still, depth: f64) -> f64 {
    0.5 * depth * (1.0 - INSET_SHARE) - still.margin
}

/// Insets of two solids for the depth 2τ; `None` if no upper bound of a depth is possible. `divides`: for each solid,
/// if long edges are divided; faces then move by almost τ except close to corners, and have several times as many
/// triangles. Cost: a careful inset of every vertex, and two trees.
pub(crate) fn insets(still: &Still, depth: f64, divides: [bool; 2]) -> Option<[Surface; 2]> {
    Some(DepthInsets::new(still, depth, divides)?.surfaces.each_ref().map(surface_of))
}

/// Insets as by [`insets`], for proofs over one run. Vertices of large parts keep their places where the other part
/// does not come near.
pub(crate) fn insets_of_run(sweep: &Sweep, still: &Still, depth: f64, divides: [bool; 2]) -> Option<[Surface; 2]> {
    Some(DepthInsets::new(still, depth, divides)?.of_run(sweep))
}

/// Insets of two solids for one depth. The offsets of vertices are found on demand, for single poses and for the run.
pub(crate) struct DepthInsets<'a> {
    solids: [&'a Surface; 2],
    /// Inset distance τ (mm, > 0).
    tau: f64,
    surfaces: [InsetSurface<'a>; 2],
}

impl<'a> DepthInsets<'a> {
    /// Prepares the insets, without any offset; arguments and `None` as by [`insets`].
    pub(crate) fn new(still: &Still<'a>, depth: f64, divides: [bool; 2]) -> Option<Self> {
        let tau = inset_distance(still, depth);
        let solids = [boundary(still.a.surface)?, boundary(still.b.surface)?];
        if tau <= 0.0 {
            return None;
        }
        let rounding = if is_careful(still, depth) { own_rounding(still) } else { 0.0 };
        let prepared = |k: usize| {
            let inset = InsetSurface::new(solids[k], None, SolidSide::Inside, tau, rounding).with_full_moves();
            inset.dividing_edges(divides[k])
        };
        Some(Self { solids, tau, surfaces: [0, 1].map(prepared) })
    }

    /// Tests if the insets stay apart at one pose. Offsets few vertices; later calls save them.
    pub(crate) fn certify_at(self, pose: &'a Pose) -> (InsetResult, Self) {
        let pairing = Pairing { a: self.solids[0], b: self.solids[1], b_in_a: pose };
        let at_pose = InsetSurfaces::of_surfaces(pairing, self.tau, self.surfaces);
        let result = at_pose.certify();
        (result, Self { surfaces: at_pose.surfaces, ..self })
    }

    /// The insets for proofs over a run, as by [`insets_of_run`].
    pub(crate) fn of_run(self, sweep: &Sweep) -> [Surface; 2] {
        let [a, b] = self.surfaces.map(|surface| surface.at_pose(None));
        let near = (!sweep.divides_edges()).then(|| {
            let mut cells = Cells::new(sweep.chain, sweep.range, sweep.spans());
            vertices_in_reach(self.solids, &mut cells, REACH * self.tau)
        });
        match near.flatten() {
            None => [&a, &b].map(surface_of),
            Some([of_a, of_b]) => [a.moving(Some(of_a.into())), b.moving(Some(of_b.into()))].each_ref().map(surface_of),
        }
    }
}

/// Rounding of the vertices of each surface against each other (mm): that of the file and of coordinates in the part's
/// own frame. Poses move all vertices of a surface together, so their rounding does not count.
fn own_rounding(still: &Still) -> f64 {
    let of_files = still.rounding - still.margin;
    of_files + roundoff_mm(still.a.convex.diameter, still.b.convex.diameter, 0.0)
}

/// True if careful insets for a depth (mm) are worth their cost: each vertex then examines everything within τ.
fn is_careful(still: &Still, depth: f64) -> bool {
    let smaller = lesser(still.a.convex.diameter, still.b.convex.diameter);
    are_small(still.a.surface, still.b.surface) || depth <= CAREFUL_SHARE * smaller
}

/// True if two surfaces have few triangles: costly insets then pay.
pub(crate) fn are_small(a: &Surface, b: &Surface) -> bool {
    has_up_to(SMALL_UP_TO, a, b)
}

/// True if two surfaces have at most this number of triangles together.
pub(crate) fn has_up_to(most: usize, a: &Surface, b: &Surface) -> bool {
    a.triangles.len() + b.triangles.len() <= most
}

/// Surface of all pieces of an inset, in its own frame.
fn surface_of(moved: &InsetSurface) -> Surface {
    let mut index: BTreeMap<[u64; 3], u32> = BTreeMap::new();
    let mut vertices: Vec<Vec3> = Vec::new();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for t in 0..moved.surface.triangles.len() as u32 {
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
    use crate::query::depth::tests::part_with;
    use crate::testkit::poses::at;
    use crate::testkit::solids::{block, ring};

    #[test]
    fn an_inset_box_is_smaller_on_every_side() {
        let surface = Surface::new(&block([0.0; 3], [10.0; 3]), &Vec3::zeros(), Inside::Solid);
        let moved = InsetSurface::new(boundary(&surface).unwrap(), None, SolidSide::Inside, 0.25, 1e-12);
        let small = surface_of(&moved);
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

    #[test]
    fn tests_at_poses_change_no_inset_and_later_tests_give_the_same() {
        // A groove has reflex edges, where vertices split.
        let groove = part_with(
            &ring(&[[5.0, 0.0], [8.0, 0.0], [8.0, 1.0], [7.0, 2.0], [8.0, 3.0], [5.0, 3.0]], 12),
            Inside::Solid,
        );
        let block = part_with(&block([7.0, -1.0, 1.0], [9.0, 1.0, 2.0]), Inside::Solid);
        let still = Still { a: groove.body(), b: block.body(), margin: 1e-10, rounding: 1e-8 };
        for divides in [WHOLE, DIVIDED[0]] {
            let all = [7.0, 8.0, 8.9, 30.0].map(|x| at(x, 0.0, 0.0));
            let fresh = || DepthInsets::new(&still, 0.2, divides).expect("two solids");
            let mut shared = fresh();
            let mut apart = Vec::new();
            for pose in &all {
                let (result, same) = shared.certify_at(pose);
                assert_eq!(result, fresh().certify_at(pose).0);
                apart.push(result == InsetResult::Apart);
                shared = same;
            }
            assert!(!apart[0] && apart[3], "{apart:?}");
            let of_run = |insets: DepthInsets| insets.surfaces.map(|s| surface_of(&s.at_pose(None)));
            for (x, y) in of_run(shared).iter().zip(&of_run(fresh())) {
                assert_eq!(x.vertices, y.vertices);
                assert_eq!(x.triangles, y.triangles);
            }
        }
    }
}
