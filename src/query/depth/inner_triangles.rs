//! Shows that no triangle inside the solid of its own part reaches the other solid: then no self-union is needed.
//!
//! Let b be a ball in both solids, and T a triangle of A through b. T reaches the solid of B. If T bounds the solid of
//! A, with the outside in front, then b reaches outside A. So b has no triangle of A inside, and none of B. A
//! certificate by inset ([`crate::query::depth::inset::certificate`]) keeps the winding numbers of the centre of b, for
//! the surfaces as given. So the certificate bounds the radius of b if every triangle that reaches the other solid
//! bounds its own.

use crate::geom::math::greater;
use crate::geom::triangle::{closest, intersects};
use crate::geom::union_find::UnionFind;
use crate::geom::{Aabb, Vec3};
use crate::query::depth::bracket::OverlapSearch;
use crate::query::triangles::bvh_traversal::LeafPairs;
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::triangle_bounds::BoundedTriangle;
use crate::query::triangles::visit_near;
use crate::shape::surface::Surface;
use crate::shape::surface::placed::{NearestPoint, PlacedSurface};
use std::sync::atomic::{AtomicBool, Ordering};

/// Distance from a surface up to which a triangle counts as reaching it (multiples of the pair's rounding): more than
/// any query moves it.
const REACH_IN_ROUNDINGS: f64 = 128.0;

/// Largest number of unknown triangles in the boxes that are tested without a traversal of both trees. The traversal
/// costs about as much as such a test.
const FEW_UNKNOWN: usize = 12_000;

impl OverlapSearch<'_> {
    /// Distance up to which triangles count as reaching the other solid (mm).
    pub(crate) fn reach_of_solids(&self) -> f64 {
        REACH_IN_ROUNDINGS * greater(self.ask.rounding, self.ask.margin)
    }

    /// Lets branch and bound take elements only from triangles that bound their solid.
    pub(crate) fn skip_inner_triangles(&mut self) {
        self.depth.evaluator.may_have_inner = self.bodies.map(|body| !body.surface.is_known_boundary());
    }

    /// Point of each solid's boundary nearest to the centre of the best common ball; without a ball, the closest points
    /// of the surfaces (A's frame, mm). Also true for each part whose self-union was needed: its surface is taken as
    /// given, and the nearest triangle does not bound its solid.
    pub(crate) fn witness(&self) -> ([Vec3; 2], [bool; 2]) {
        let Some((center, _, mut points)) = self.ball() else {
            return (self.surfaces().map_or_else(|| [Vec3::zeros(); 2], |s| s.points), [false; 2]);
        };
        let mut used = [false; 2];
        for (k, given) in self.sides().into_iter().enumerate() {
            let is_bounding = |near: NearestPoint| given.surface.is_bounding(near.triangle);
            if !self.as_given[k] || given.nearest(&center, f64::INFINITY).is_none_or(is_bounding) {
                continue;
            }
            let united = PlacedSurface { surface: given.surface.solid(), ..given };
            if let Some(near) = united.nearest(&center, f64::INFINITY) {
                points[k] = near.point;
            }
            used[k] = true;
        }
        (points, used)
    }

    /// True for each part of which every triangle within [`Self::reach_of_solids`] of the other solid bounds its own.
    /// False for pairs without a definite inside. The first call costs as much as [`only_boundaries_reach`], and keeps its
    /// pairs of leaves.
    pub(crate) fn only_boundaries_reach(&mut self) -> [bool; 2] {
        if let Some(known) = self.only_boundaries_reach {
            return known;
        }
        let mut shown = [false; 2];
        if !self.is_surface() {
            let leaves;
            (shown, leaves) = only_boundaries_reach(&self.pairing(), self.reach_of_solids());
            self.leaf_pairs = self.leaf_pairs.take().or(leaves);
        }
        self.only_boundaries_reach = Some(shown);
        shown
    }
}

/// True for each of two closed surfaces of which only triangles that bound their solid lie within `reach` (mm) of the
/// other solid. Costs one pass over all triangles, and a search of each tree near the triangles in the other part's
/// box, less those known from earlier calls. If these are many, or if one does not bound its solid, a traversal of both
/// trees finds those within `reach`, on all threads for a large pair. After such a traversal of a smaller pair, it also
/// returns the pairs of leaves within `reach`.
pub(crate) fn only_boundaries_reach<'a>(p: &Pairing<'a>, reach: f64) -> ([bool; 2], Option<LeafPairs<'a>>) {
    let sides = p.sides();
    let surfaces = sides.map(|side| side.surface);
    let mut shown = surfaces.map(Surface::is_known_boundary);
    if shown == [true; 2] {
        return (shown, None);
    }
    let in_box = |k: usize| in_box_of(&sides[k], &sides[1 - k], reach);
    let in_box: [Vec<bool>; 2] = rayon::join(|| in_box(0), || in_box(1)).into();
    let unknown = |k: usize| if shown[k] { 0 } else { surfaces[k].count_unknown(&in_box[k]) };
    if unknown(0) + unknown(1) <= FEW_UNKNOWN {
        shown = rayon::join(|| surfaces[0].are_bounding(&in_box[0]), || surfaces[1].are_bounding(&in_box[1])).into();
    }
    if shown == [true; 2] {
        return (shown, None);
    }
    let (reaching, leaves) = reaching_triangles(p, reach);
    let is_shown = |k: usize| shown[k] || surfaces[k].are_bounding(&reaching[k]);
    (rayon::join(|| is_shown(0), || is_shown(1)).into(), leaves)
}

/// True for each triangle of `own` with a box that meets the other surface's box, grown by `reach` (mm): all within
/// `reach` of its solid are among them.
fn in_box_of(own: &PlacedSurface, other: &PlacedSurface, reach: f64) -> Vec<bool> {
    let corners = other.surface.bounds.corners().map(|x| own.local(&other.global(&x)));
    let around = Aabb::of_points(&corners).inflated(reach);
    // One bit for each side of the box that a vertex is beyond.
    let sides = |x: &Vec3| {
        let side =
            |bits: u8, k: usize| bits << 2 | u8::from(x[k] < around.min[k]) << 1 | u8::from(x[k] > around.max[k]);
        (0..3).fold(0, side)
    };
    let beyond: Vec<u8> = own.surface.vertices.iter().map(sides).collect();
    let meets = |ids: &[u32; 3]| ids.iter().fold(u8::MAX, |all, &v| all & beyond[v as usize]) == 0;
    own.surface.triangles.iter().map(meets).collect()
}

/// True for each triangle of two closed surfaces within `reach` (mm) of the other solid. Runs on all threads for a
/// large pair, with the same result for every number of threads. For a smaller pair, it also returns the pairs of leaves
/// within `reach`.
pub(super) fn reaching_triangles<'a>(p: &Pairing<'a>, reach: f64) -> ([Vec<bool>; 2], Option<LeafPairs<'a>>) {
    let [a, b] = &p.sides();
    let marks = [a, b].map(|side| side.surface.triangles.iter().map(|_| AtomicBool::new(false)).collect::<Vec<_>>());
    let is_marked = |side: usize, t: u32| marks[side][t as usize].load(Ordering::Relaxed);
    let mark = |(i, s): (u32, &BoundedTriangle), (j, t): (u32, &BoundedTriangle)| {
        let is_known = is_marked(0, i) && is_marked(1, j);
        let near = || intersects(&s.corners, &t.corners) || closest(&s.corners, &t.corners).squared <= reach * reach;
        if !is_known && near() {
            marks[0][i as usize].store(true, Ordering::Relaxed);
            marks[1][j as usize].store(true, Ordering::Relaxed);
        }
    };
    let leaves = visit_near(p, reach, mark);
    let [mut of_a, mut of_b] = marks.map(|marks| marks.into_iter().map(AtomicBool::into_inner).collect::<Vec<_>>());
    rayon::join(|| add_inside(a, b, &mut of_a), || add_inside(b, a, &mut of_b));
    ([of_a, of_b], leaves)
}

/// Marks the triangles inside the other solid. The unmarked ones are away from its surface, so those connected by
/// vertices lie on one side of it. Those outside its box lie outside of it.
fn add_inside(own: &PlacedSurface, other: &PlacedSurface, reaching: &mut [bool]) {
    let triangles = &own.surface.triangles;
    let in_box = |t: usize| other.surface.bounds.contains(&other.local(&own.vertex(triangles[t][0])));
    let open: Vec<usize> = (0..triangles.len()).filter(|&t| !reaching[t] && in_box(t)).collect();
    let mut sets = UnionFind::new(own.surface.vertices.len());
    for &t in &open {
        let [a, b, c] = triangles[t];
        sets.union(a, b, false);
        sets.union(b, c, false);
    }
    let mut inside: Vec<Option<bool>> = vec![None; own.surface.vertices.len()];
    for t in open {
        let (set, _) = sets.find(triangles[t][0]);
        reaching[t] = *inside[set as usize].get_or_insert_with(|| {
            let [a, b, c] = own.corners(t as u32);
            other.may_contain(&((a + b + c) / 3.0))
        });
    }
}
