//! Certificate by inset: proves with one crossing test that two solids have no common ball thicker than 2τ.
//!
//! Every vertex v moves inward by d with dist(v + d, T) ≤ τ for every triangle T at v. The distance to a triangle is
//! convex, so every point on the straight path from the surface to the inset surface stays within τ of the surface.
//! Points deeper than τ therefore keep their winding number. Suppose the inset surfaces are disjoint and no shell of
//! one lies in the other. Then no point has a winding number of 1 or more in both, so no point is deeper than τ in
//! both. An inset surface may cross itself freely.

use crate::geom::Vec3;
use crate::geom::triangle::Triangle;
use crate::query::depth::inset::surface::InsetSurface;
use crate::query::depth::inset::vertex_offset::{SolidSide, slack};
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::{displaced_intersection, intersections_of_pieces};
use crate::shape::surface::winding_number::winding_of_pieces;

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

/// Tests if no ball of a radius above `tau` (mm) lies in both closed solids; `taken_b` selects the inside or the
/// outside of B's surface, `divides` divides long edges. `rounding` as in [`InsetSurface::new`] (mm). Cost: one crossing
/// test, plus about a microsecond a vertex near the other solid; several times as much with divided edges.
pub(crate) fn certify_by_inset(p: &Pairing, taken_b: SolidSide, tau: f64, rounding: f64, divides: bool) -> InsetResult {
    if tau <= 0.0 {
        return InsetResult::Nested;
    }
    let a = InsetSurface::new(p.a, None, SolidSide::Inside, tau, rounding).dividing_edges(divides);
    let b = InsetSurface::new(p.b, Some(p.b_in_a), taken_b, tau, rounding).dividing_edges(divides);
    let slack = slack(p, tau);
    if let Some(x) = intersection(p, slack, &a, &b) {
        return InsetResult::Meet(x);
    }
    // Without crossings each shell lies on one side of the other surface.
    let in_b = |w: i32| (w >= 1) == (taken_b == SolidSide::Inside);
    let of_a =
        |v: u32| winding_of_pieces(p.b, Some(p.b_in_a), &a.at(v), slack, |j| b.pieces(j)).is_some_and(|w| !in_b(w));
    let of_b = |v: u32| winding_of_pieces(p.a, None, &b.at(v), slack, |i| a.pieces(i)).is_some_and(|w| w < 1);
    if p.a.shells.iter().all(|&v| of_a(v)) && p.b.shells.iter().all(|&v| of_b(v)) {
        InsetResult::Apart
    } else {
        InsetResult::Nested
    }
}

/// Point near an intersection of two inset surfaces (A's frame, mm); `None` if they are disjoint.
fn intersection(p: &Pairing, slack: f64, a: &InsetSurface, b: &InsetSurface) -> Option<Vec3> {
    if !a.divides_edges && !b.divides_edges {
        if let Some(x) = displaced_intersection(p, slack, |i| a.triangle(i), |j| b.triangle(j)) {
            return Some(x);
        }
        if !a.parts() && !b.parts() {
            return None;
        }
    }
    let mut met = None;
    let visit = |_, _, x| {
        met = Some(x);
        false
    };
    // Without divided edges, `displaced_intersection` has tested the pairs of single pieces.
    let asked = |s: &[Triangle], t: &[Triangle]| a.divides_edges || b.divides_edges || s.len() > 1 || t.len() > 1;
    intersections_of_pieces(p, slack, |i| a.pieces(i), |j| b.pieces(j), asked, visit);
    met
}
