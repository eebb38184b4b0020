//! Shows that no triangle inside the solid of its own part reaches the other solid: then a verdict needs no self-union.
//!
//! Let b be a ball in both solids, and T a triangle of A through b. T reaches the solid of B. If T bounds the solid of
//! A, with the outside in front, then b reaches outside A. So b has no triangle of A inside, and none of B. A
//! certificate by inset ([`crate::query::depth::inset::certificate`]) keeps the winding numbers of the centre of b, for
//! the surfaces as given. So the certificate bounds the radius of b if every triangle that reaches the other solid
//! bounds its own.

use crate::geom::math::greater;
use crate::geom::triangle::{closest, intersects};
use crate::geom::union_find::UnionFind;
use crate::query::depth::bracket::OverlapSearch;
use crate::query::triangles::bvh_traversal::{DualTraversal, SearchRadius};
use crate::query::triangles::pairing::Pairing;
use crate::shape::self_union::bound_the_solid;
use crate::shape::surface::placed::PlacedSurface;

/// Distance from a surface up to which a triangle counts as reaching it (multiples of the pair's rounding): more than
/// any query moves it.
const REACH_IN_ROUNDINGS: f64 = 16.0;

impl OverlapSearch<'_> {
    /// Distance up to which triangles count as reaching the other solid (mm).
    pub(crate) fn reach_of_solids(&self) -> f64 {
        REACH_IN_ROUNDINGS * greater(self.ask.rounding, self.ask.margin)
    }

    /// True if every triangle within [`Self::reach_of_solids`] of the other solid bounds its own, for both parts. The
    /// first call costs one traversal of both trees, one pass over all triangles, and a search for crossings of the
    /// triangles found. False for pairs without a definite inside.
    pub(crate) fn only_boundaries_reach(&mut self) -> bool {
        if let Some(known) = self.only_boundaries_reach {
            return known;
        }
        let shown = !self.is_surface() && only_boundaries_reach(&self.pairing(), self.reach_of_solids());
        self.only_boundaries_reach = Some(shown);
        shown
    }
}

/// The same for a pair of closed surfaces and a distance (mm).
fn only_boundaries_reach(p: &Pairing, reach: f64) -> bool {
    let sides = p.sides();
    if p.a.is_known_boundary() && p.b.is_known_boundary() {
        return true;
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
    reaching.iter_mut().zip(0..).all(|(reaching, side)| {
        let (own, other) = (&sides[side], &sides[1 - side]);
        own.surface.is_known_boundary() || {
            add_inside(own, other, reaching);
            bound_the_solid(own.surface, reaching)
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
