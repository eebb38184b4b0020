//! Shows that no triangle inside the solid of its own part reaches the other solid: then no self-union is needed.
//!
//! Let b be a ball in both solids, and T a triangle of A through b. T reaches the solid of B. If T bounds the solid of
//! A, with the outside in front, then b reaches outside A. So b has no triangle of A inside, and none of B. A
//! certificate by inset ([`crate::query::depth::inset::certificate`]) keeps the winding numbers of the centre of b, for
//! the surfaces as given. So the certificate bounds the radius of b if every triangle that reaches the other solid
//! bounds its own.

use crate::geom::Vec3;
use crate::geom::math::greater;
use crate::geom::triangle::{closest, intersects};
use crate::geom::union_find::UnionFind;
use crate::query::depth::bracket::OverlapSearch;
use crate::query::triangles::bvh_traversal::{DualTraversal, SearchRadius};
use crate::query::triangles::pairing::Pairing;
use crate::shape::self_union::bound_the_solid;
use crate::shape::surface::Surface;
use crate::shape::surface::placed::{NearestPoint, PlacedSurface};

/// Distance from a surface up to which a triangle counts as reaching it (multiples of the pair's rounding): more than
/// any query moves it.
const REACH_IN_ROUNDINGS: f64 = 64.0;

impl<'a> OverlapSearch<'a> {
    /// Distance up to which triangles count as reaching the other solid (mm).
    pub(crate) fn reach_of_solids(&self) -> f64 {
        REACH_IN_ROUNDINGS * greater(self.ask.rounding, self.ask.margin)
    }

    /// True if one of the two solids has intersecting triangles. Branch and bound then takes elements only from
    /// triangles that bound their solid. The first call searches for intersecting triangles.
    pub(crate) fn intersects_itself(&mut self) -> bool {
        let [a, b] = self.bodies.map(|body| body.surface);
        if self.is_surface() || a.is_known_boundary() && b.is_known_boundary() {
            return false;
        }
        // Each search is long for a surface of many triangles.
        let (of_a, of_b) = rayon::join(|| a.has_self_intersections(), || b.has_self_intersections());
        if of_a || of_b {
            self.skip_inner_triangles();
        }
        of_a || of_b
    }

    /// Lets branch and bound take elements only from triangles that bound their solid.
    pub(crate) fn skip_inner_triangles(&mut self) {
        let bounding = |s: &'a Surface| (!s.is_known_boundary()).then(|| s.bounding_triangles());
        self.depth.evaluator.bounding = self.bodies.map(|body| bounding(body.surface));
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
            let bounds = |near: NearestPoint| given.surface.bounding_triangles()[near.triangle as usize];
            if !self.as_given[k] || given.nearest(&center, f64::INFINITY).is_none_or(bounds) {
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
    /// The first call costs one traversal of both trees and one pass over all triangles. A verdict also searches for
    /// crossings of the triangles found; measures take them from a search of the whole surfaces. False for pairs
    /// without a definite inside.
    pub(crate) fn only_boundaries_reach(&mut self) -> [bool; 2] {
        if let Some(known) = self.only_boundaries_reach {
            return known;
        }
        let is_verdict = self.ask.deep.is_some();
        let bound = |s: &Surface, reaching: &[bool]| {
            if is_verdict { bound_the_solid(s, reaching) } else { all_bound_the_solid(s, reaching) }
        };
        let shown = if self.is_surface() {
            [false; 2]
        } else {
            reach_and_bound(&self.pairing(), self.reach_of_solids(), bound)
        };
        self.only_boundaries_reach = Some(shown);
        shown
    }
}

/// True for each of two closed surfaces of which only triangles that bound their solid lie within `reach` (mm) of the
/// other solid. Costs one traversal of both trees, one pass over all triangles, and the first call of
/// [`Surface::bounding_triangles`].
pub(crate) fn only_boundaries_reach(p: &Pairing, reach: f64) -> [bool; 2] {
    reach_and_bound(p, reach, all_bound_the_solid)
}

fn all_bound_the_solid(s: &Surface, reaching: &[bool]) -> bool {
    reaching.iter().zip(s.bounding_triangles()).all(|(reaches, bounds)| *bounds || !reaches)
}

/// True for each of two closed surfaces if `bound` holds for its triangles within `reach` (mm) of the other solid.
fn reach_and_bound(p: &Pairing, reach: f64, bound: impl Fn(&Surface, &[bool]) -> bool) -> [bool; 2] {
    let sides = p.sides();
    if p.a.is_known_boundary() && p.b.is_known_boundary() {
        return [true; 2];
    }
    let mut reaching = sides.map(|side| vec![false; side.surface.triangles.len()]);
    let [_, b] = &sides;
    DualTraversal::new(p, 0.0).run(
        &mut SearchRadius::new(reach),
        |i| p.a.triangle(i),
        |j| b.corners(j),
        |_, _, (i, s), (j, t)| {
            let marked = reaching[0][i as usize] && reaching[1][j as usize];
            let near =
                || intersects(&s.corners, &t.corners) || closest(&s.corners, &t.corners).squared <= reach * reach;
            if !marked && near() {
                reaching[0][i as usize] = true;
                reaching[1][j as usize] = true;
            }
            true
        },
    );
    [0, 1].map(|side| {
        let (own, other) = (&sides[side], &sides[1 - side]);
        own.surface.is_known_boundary() || {
            add_inside(own, other, &mut reaching[side]);
            bound(own.surface, &reaching[side])
        }
    })
}

/// Marks the triangles inside the other solid. The unmarked ones are away from its surface, so those connected by
/// vertices lie on one side of it.
fn add_inside(own: &PlacedSurface, other: &PlacedSurface, reaching: &mut [bool]) {
    let triangles = &own.surface.triangles;
    let mut sets = UnionFind::new(own.surface.vertices.len());
    for (&[a, b, c], _) in triangles.iter().zip(&*reaching).filter(|(_, reaches)| !**reaches) {
        sets.union(a, b, false);
        sets.union(b, c, false);
    }
    let mut inside: Vec<Option<bool>> = vec![None; own.surface.vertices.len()];
    for (t, reaches) in (0..).zip(reaching).filter(|(_, reaches)| !**reaches) {
        let (set, _) = sets.find(triangles[t as usize][0]);
        *reaches = *inside[set as usize].get_or_insert_with(|| {
            let [a, b, c] = own.corners(t);
            other.may_contain(&((a + b + c) / 3.0))
        });
    }
}
