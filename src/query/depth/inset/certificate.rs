//! Certificate by inset: proves with one crossing test that two solids have no common ball thicker than 2τ.
//!
//! Every vertex v moves inward by d with dist(v + d, T) ≤ τ for every triangle T at v. The distance to a triangle is
//! convex, so every point on the straight path from the surface to the inset surface stays within τ of the surface.
//! Points deeper than τ therefore keep their winding number. Suppose the inset surfaces are disjoint and no shell of
//! one lies in the other. Then no point has a winding number of 1 or more in both, so no point is deeper than τ in
//! both. An inset surface may cross itself freely.

use crate::geom::Vec3;
use crate::geom::math::greater;
use crate::geom::triangle::Triangle;
use crate::query::depth::inset::inset_box::InsetBox;
use crate::query::depth::inset::surface::InsetSurface;
use crate::query::depth::inset::vertex_offset::{SolidSide, slack};
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::{
    displaced_intersection_in_parallel, displaced_intersection_in_shares, intersections_of_pieces, leaves_of_disjoint,
};
use crate::shape::surface::winding_number::winding_of_pieces;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of vertices of one surface above which a thread drops its offsets: some megabytes.
const MAX_POSITIONS_OF_THREAD: usize = 50_000;

/// Result of a certificate by inset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum InsetResult {
    /// Certified: no ball of a radius above τ lies in both solids.
    Apart,
    /// The inset surfaces intersect near this point (A's frame, mm).
    Meet(Vec3),
    /// The inset surfaces are disjoint, but a shell of one lies in the other solid or may do so. Also for τ <= 0.
    Nested,
}

/// Inset surfaces of the two closed solids of a pair.
pub(crate) struct InsetSurfaces<'a> {
    pub(crate) pairing: Pairing<'a>,
    /// Inset distance (mm).
    pub(crate) tau: f64,
    /// Largest offset of a point (mm).
    pub(crate) slack: f64,
    pub(crate) surfaces: [InsetSurface<'a>; 2],
    taken_b: SolidSide,
    /// Rounding of the coordinates (mm), for the surfaces of further threads; `None` keeps all offsets in these
    /// surfaces.
    rounding: Option<f64>,
    /// Boxes in which the surfaces are tested; `None` tests them everywhere.
    pub(crate) boxes: Option<Rc<[InsetBox]>>,
}

/// Inset surfaces of both solids, without any computed position.
fn surfaces(p: Pairing<'_>, taken_b: SolidSide, tau: f64, rounding: f64) -> [InsetSurface<'_>; 2] {
    let a = InsetSurface::new(p.a, None, SolidSide::Inside, tau, rounding);
    let b = InsetSurface::new(p.b, Some(p.b_in_a), taken_b, tau, rounding);
    [a, b]
}

impl<'a> InsetSurfaces<'a> {
    /// Prepares inset surfaces by `tau` (mm); `taken_b` selects the inside or the outside of B's surface, `divides`
    /// divides long edges. `rounding` as in [`InsetSurface::new`] (mm).
    pub(crate) fn new(pairing: Pairing<'a>, taken_b: SolidSide, tau: f64, rounding: f64, divides: bool) -> Self {
        let surfaces = surfaces(pairing, taken_b, tau, rounding).map(|s| s.dividing_edges(divides));
        Self { pairing, tau, slack: slack(&pairing, tau), surfaces, taken_b, rounding: Some(rounding), boxes: None }
    }

    /// Shares offsets and boxes with insets of the same surfaces by the same `tau`, with or without divided edges.
    pub(crate) fn share_with(&mut self, other: &Self) {
        self.boxes.clone_from(&other.boxes);
        for (surface, other) in self.surfaces.iter_mut().zip(&other.surfaces) {
            surface.share_with(other);
        }
    }

    /// Takes up offsets that the surfaces keep from other pairs. Comes before any position is computed.
    pub(crate) fn take_kept_offsets(&mut self) {
        self.surfaces.iter_mut().for_each(InsetSurface::take_kept_offsets);
    }

    /// Places the insets of both insides by `tau` (mm) at the pose of a pair; their offsets are used again afterwards.
    pub(crate) fn of_surfaces(pairing: Pairing<'a>, tau: f64, [a, b]: [InsetSurface<'a>; 2]) -> Self {
        let surfaces = [a.at_pose(None), b.at_pose(Some(pairing.b_in_a))];
        let slack = greater(surfaces[0].farthest_offset(), surfaces[1].farthest_offset());
        Self { pairing, tau, slack, surfaces, taken_b: SolidSide::Inside, rounding: None, boxes: None }
    }

    /// Tests if no ball of a radius above τ lies in both solids. Cost: one crossing test, plus about a microsecond a
    /// vertex near the other solid; several times as much with divided edges. A later call with the same surfaces
    /// saves the vertices.
    pub(crate) fn certify(&self) -> InsetResult {
        if self.tau <= 0.0 {
            return InsetResult::Nested;
        }
        if let Some(boxes) = &self.boxes {
            return self.certify_within(boxes);
        }
        let (p, slack, [a, b]) = (&self.pairing, self.slack, &self.surfaces);
        if let Some(x) = self.intersection() {
            return InsetResult::Meet(x);
        }
        // Without crossings each shell lies on one side of the other surface.
        let in_b = |w: i32| (w >= 1) == (self.taken_b == SolidSide::Inside);
        let of_a =
            |v: u32| winding_of_pieces(p.b, Some(p.b_in_a), &a.at(v), slack, |j| b.pieces(j)).is_some_and(|w| !in_b(w));
        let of_b = |v: u32| winding_of_pieces(p.a, None, &b.at(v), slack, |i| a.pieces(i)).is_some_and(|w| w < 1);
        if p.a.shells.iter().all(|&v| of_a(v)) && p.b.shells.iter().all(|&v| of_b(v)) {
            InsetResult::Apart
        } else {
            InsetResult::Nested
        }
    }

    /// Point near an intersection of the two inset surfaces (A's frame, mm); `None` if they are disjoint.
    fn intersection(&self) -> Option<Vec3> {
        let (p, slack, [a, b]) = (&self.pairing, self.slack, &self.surfaces);
        let divides = a.divides_edges || b.divides_edges;
        let mut leaves = None;
        if !divides {
            if let Some(rounding) = self.rounding_if_large() {
                let (met, parts) = self.intersection_of_triangles(rounding);
                if met.is_some() || !parts {
                    return met;
                }
            } else {
                match leaves_of_disjoint(p, slack, |i| a.triangle(i), |j| b.triangle(j)) {
                    Err(x) => return Some(x),
                    Ok(found) => leaves = Some(found),
                }
                if !(a.parts() || b.parts()) {
                    return None;
                }
            }
        }
        let mut met = None;
        let visit = |_, _, x| {
            met = Some(x);
            false
        };
        // Without divided edges, the pairs of single pieces are tested already.
        let asked = |s: &[Triangle], t: &[Triangle]| divides || s.len() > 1 || t.len() > 1;
        intersections_of_pieces(p, slack, leaves.as_ref(), |i| a.pieces(i), |j| b.pieces(j), asked, visit);
        met
    }

    /// Rounding of the coordinates (mm) if the crossing test of triangles runs in parallel. Each thread then computes its
    /// own vertex offsets.
    fn rounding_if_large(&self) -> Option<f64> {
        self.rounding.filter(|_| self.pairing.is_large())
    }

    /// The same for the offset triangles of a large pair alone, and true if any of them has further pieces. `rounding` is
    /// that of the coordinates (mm), for the surfaces of further threads.
    fn intersection_of_triangles(&self, rounding: f64) -> (Option<Vec3>, bool) {
        let (p, slack, [a, b]) = (&self.pairing, self.slack, &self.surfaces);
        // On one thread, these surfaces keep the offsets for the pieces of split vertices.
        if a.flat > 0.0 && rayon::current_num_threads() == 1 {
            let met = displaced_intersection_in_shares(p, slack, |i| a.triangle(i), |j| b.triangle(j));
            return (met, a.parts() || b.parts());
        }
        let parts = AtomicBool::new(false);
        let moved = |surface: &InsetSurface, t: u32| {
            let moved = surface.triangle(t);
            if surface.parts() {
                parts.store(true, Ordering::Relaxed);
            }
            moved
        };
        let (pairing, taken_b, tau) = (self.pairing, self.taken_b, self.tau);
        let prepare = || surfaces(pairing, taken_b, tau, rounding);
        let is_full = |s: &[InsetSurface; 2]| s.iter().any(|s| s.places.borrow().len() > MAX_POSITIONS_OF_THREAD);
        let (of_a, of_b) = (|s: &[_; 2], i| moved(&s[0], i), |s: &[_; 2], j| moved(&s[1], j));
        let met = displaced_intersection_in_parallel(p, slack, prepare, is_full, of_a, of_b);
        (met, parts.into_inner())
    }
}
