//! Bounds a depth from above by insets; where an inset fails, gives the start of an ascent and boxes to search.

use crate::geom::Vec3;
use crate::geom::math::{greater, leading_bits, lesser};
use crate::query::depth::bracket::{Event, OverlapSearch};
use crate::query::depth::inset::certificate::{InsetResult, InsetSurfaces};
use crate::query::depth::inset::remaining_boxes::remaining_boxes;
use crate::query::depth::inset::vertex_offset::SolidSide;
use crate::query::depth::precision::Precision;
use crate::query::triangles::{displaced_intersection_in_parallel, leaves_of_disjoint};
use crate::shape::surface::placed::PlacedSurface;
use crate::shape::surface::winding_number::winding_moved;

/// Reduction of the inset (share of the threshold): keeps its own rounding out of the decision.
const SHRINK_SHARE: f64 = 1e-9;

/// Thickness above that of the best ball which the next inset tests (multiples of the bracket's width).
const SHRINK_WIDTH: f64 = 0.98;

/// Largest step between the thicknesses that insets test (share of the bracket's width).
const THICKNESS_STEP: f64 = 0.05;

/// Number of leading bits of an inset distance: the margins of pairs differ, and those of equal depth share their
/// offsets.
const TAU_BITS: u32 = 26;

/// The same for the rounding of a pair.
const ROUNDING_BITS: u32 = 12;

/// Upper limit of successive better balls found by insets before branch and bound begins.
pub(super) const FIRST_BALLS: usize = 6;

/// Least improvement of a ball to continue (share of the width, or of the distance to the tested thickness).
const BALL_SHARE: f64 = 0.05;

/// Number of triangles of a pair up to which insets use much effort at any depth.
const MUCH_EFFORT_TRIANGLES: usize = 2_000;

/// Largest depth of a thin overlap, for much effort in larger pairs (share of the smaller part's diameter).
const THIN_SHARE: f64 = 0.02;

/// Upper limit of boxes around what an inset with divided edges leaves. More lie all over a seam that is thick
/// everywhere; then the fewer, larger ones of undivided edges need fewer cells.
const FEW_BOXES: usize = 8;

/// Difference up to which two depths count as one for insets (share of the depth): the results hardly differ.
const SAME_DEPTH: f64 = 1e-3;

/// Effort of a certificate by inset: each more certifies more, at several times the cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(super) enum Effort {
    Little,
    /// Faces of several triangles move as one, and vertices split at reflex edges.
    Much,
    /// Long edges are divided, too.
    Most,
}

impl OverlapSearch<'_> {
    /// Confines the search to boxes where an inset just beyond the best ball fails, unless one with the most effort
    /// succeeds.
    pub(super) fn confine_beyond(&mut self, width: &Precision) {
        let of = |m: &Self| width.of(m.lower);
        self.inset_beyond_balls(of, FIRST_BALLS, Effort::Most);
        if self.is_within(of(self)) {
            return;
        }
        self.confine(self.thickness_beyond(width.of(self.lower)));
    }

    /// Insets just beyond the best ball, repeated while better balls result, at most `balls` times; `width` is the
    /// allowed width of the bracket (mm). Longer steps do not pay: a certificate tests all close triangles, and a
    /// failed inset only those up to the first crossing.
    pub(super) fn inset_beyond_balls(&mut self, width: impl Fn(&Self) -> f64, balls: usize, care: Effort) {
        for tried in 0..balls {
            // A better ball beyond a failed inset shows that there are several local maxima.
            if tried == 1 && !self.is_large() {
                self.climb_along_sheet(width(self));
            }
            let (before, step) = (self.lower, BALL_SHARE * width(self));
            let thickness = self.thickness_beyond(width(self));
            // On fine meshes faces move by almost τ with little effort.
            if self.is_large() && self.lumps.is_none() {
                self.shrink_and_climb(thickness, Effort::Little, f64::INFINITY);
            }
            if self.lower <= before + step && !self.is_within(width(self)) {
                self.shrink(thickness, care);
            }
            if self.lower <= before + step || self.is_within(width(self)) || !self.worth_much_effort(before) {
                return;
            }
        }
    }

    /// Tries to certify by inset that no common ball is thicker than `thickness` (mm). If the inset surfaces intersect,
    /// starts an ascent there: with little effort, as for a threshold, up to the first ball above it.
    pub(super) fn shrink(&mut self, thickness: f64, care: Effort) {
        self.shrink_and_climb(thickness, care, if care == Effort::Little { thickness } else { f64::INFINITY });
    }

    /// The same, with an ascent up to a ball thicker than `enough` (mm).
    fn shrink_and_climb(&mut self, thickness: f64, care: Effort, enough: f64) {
        let worth = self.worth_much_effort(thickness);
        if care == Effort::Most && !worth {
            return;
        }
        let care = if worth { care } else { Effort::Little };
        let failed = self.failed[care as usize];
        if self.is_surface() || self.solid == Some(false) || thickness <= failed || is_same(thickness, failed) {
            return;
        }
        let shrunk = match care {
            Effort::Little => self.inset_of_little_effort(thickness, enough),
            Effort::Much | Effort::Most => Some(self.insets(thickness, care == Effort::Most).certify()),
        };
        let Some(shrunk) = shrunk else { return };
        // A ball found by a failed inset is valid for the surfaces as they are. The upper bound requires boundaries of
        // solids, or that only such boundaries reach the other solid. Measures need the boundaries in any case.
        if shrunk == InsetResult::Apart && !self.bounds_as_given() {
            if self.resolve() {
                self.shrink_and_climb(thickness, care, enough);
                return;
            }
            if !self.is_solid() {
                return;
            }
        }
        self.events.push(Event::Inset(thickness, shrunk == InsetResult::Apart));
        if shrunk == InsetResult::Apart {
            self.upper = lesser(self.upper, thickness);
            self.depth.lower_ceiling(0.5 * thickness);
            return;
        }
        for failed in &mut self.failed[..=care as usize] {
            *failed = greater(*failed, thickness);
        }
        if let InsetResult::Meet(x) = shrunk {
            self.climb_beyond(&x, thickness, enough);
        }
    }

    /// Tests a thickness (mm) with little effort: along the mean normals, then with offset vertices. `None` if an ascent
    /// in between found a better ball; `enough` as in [`Self::finds_better_ball`] (mm).
    fn inset_of_little_effort(&mut self, thickness: f64, enough: f64) -> Option<InsetResult> {
        match self.inset_by_mean_normals(thickness) {
            InsetResult::Apart => Some(InsetResult::Apart),
            InsetResult::Meet(x) if self.is_large() && self.finds_better_ball(&x, thickness, enough) => None,
            InsetResult::Meet(_) | InsetResult::Nested => {
                let (pairing, tau) = (self.pairing(), self.tau(thickness));
                Some(InsetSurfaces::new(pairing, SolidSide::Inside, tau, 0.0, false).certify())
            }
        }
    }

    /// Ascends from a point at which insets along the mean normals meet. True for a ball thicker than `enough` (mm); if
    /// that is infinite, for a better ball: then other insets by the same thickness seldom succeed, and cost a large pair
    /// more than the next step.
    fn finds_better_ball(&mut self, x: &Vec3, thickness: f64, enough: f64) -> bool {
        let (before, first) = (self.lower, self.events.len());
        self.climb_beyond(x, thickness, enough);
        let better = if enough.is_finite() { enough } else { before + BALL_SHARE * (thickness - before) };
        let is_better = self.lower > better;
        if is_better {
            self.events.insert(first, Event::Inset(thickness, false));
        }
        is_better
    }

    /// Tests with insets along the mean normals if no common ball is thicker than `thickness` (mm). The directions are
    /// known for each surface, and no vertex moves farther than the inset distance, so this costs less than other
    /// insets; faces at sharp edges move less. Keeps the pairs of leaves close to each other for the measures of a pair
    /// that is not large.
    pub(super) fn inset_by_mean_normals(&mut self, thickness: f64) -> InsetResult {
        let (p, tau) = (self.pairing(), self.tau(thickness));
        if tau <= 0.0 {
            return InsetResult::Nested;
        }
        let (of_a, of_b) = rayon::join(|| p.a.inward(), || p.b.inward());
        let inward = [of_a, of_b];
        let [a, b] = p.sides();
        let moved = |k: usize, side: &PlacedSurface, v: u32| {
            side.global(&(side.surface.vertices[v as usize] + Vec3::from(inward[k][v as usize].map(f64::from)) * tau))
        };
        let (of_a, of_b) = (|v: u32| moved(0, &a, v), |v: u32| moved(1, &b, v));
        let triangle_a = |t: u32| p.a.triangles[t as usize].map(of_a);
        let triangle_b = |t: u32| p.b.triangles[t as usize].map(of_b);
        if self.is_large() {
            let (of_a, of_b) = (|(): &(), t: u32| triangle_a(t), |(): &(), t: u32| triangle_b(t));
            if let Some(x) = displaced_intersection_in_parallel(&p, tau, || (), |()| false, of_a, of_b) {
                return InsetResult::Meet(x);
            }
        } else {
            match leaves_of_disjoint(&p, tau, triangle_a, triangle_b) {
                Err(x) => return InsetResult::Meet(x),
                Ok(leaves) if self.ask.deep.is_none() => self.leaf_pairs = Some(leaves),
                Ok(_) => {}
            }
        }
        let is_outside = |w: Option<i32>| w.is_some_and(|w| w < 1);
        let is_apart = p.a.shells.iter().all(|&v| is_outside(winding_moved(p.b, Some(p.b_in_a), &of_a(v), tau, of_b)))
            && p.b.shells.iter().all(|&v| is_outside(winding_moved(p.a, None, &of_b(v), tau, of_a)));
        if is_apart { InsetResult::Apart } else { InsetResult::Nested }
    }

    /// True if a verdict can use a certificate by inset of the surfaces as given.
    fn bounds_as_given(&mut self) -> bool {
        self.solid.is_none() && self.ask.deep.is_some() && self.only_boundaries_reach() == [true; 2]
    }

    /// Inset surfaces of much effort to certify a thickness (mm). Only the lumps that may hold a thicker ball count.
    fn insets(&mut self, thickness: f64, divides: bool) -> &InsetSurfaces<'_> {
        let (pairing, margin, shares) = (self.pairing(), self.ask.margin, self.shares_offsets());
        let (mut rounding, mut tau) = (self.ask.rounding, self.tau(thickness));
        if shares {
            (rounding, tau) = (leading_bits(rounding, ROUNDING_BITS), leading_bits(tau, TAU_BITS));
        }
        let best = self.depth.evaluator.best;
        let lumps = self.lumps.as_ref().filter(|lumps| lumps.hold_balls_above(thickness, best));
        let is_local = lumps.is_some();
        let [undivided, divided] = &mut self.insets;
        let (own, other) = if divides { (divided, undivided) } else { (undivided, divided) };
        let is_same = |i: &InsetSurfaces| i.tau == tau && i.boxes.is_some() == is_local;
        let kept = own.take().filter(|i| is_same(i));
        own.insert(kept.unwrap_or_else(|| {
            let other = other.as_ref().filter(|i| is_same(i));
            let mut insets = match lumps {
                Some(lumps) if other.is_none() => {
                    InsetSurfaces::within(pairing, tau, [rounding, margin], divides, &lumps.boxes)
                }
                _ => InsetSurfaces::new(pairing, SolidSide::Inside, tau, rounding, divides),
            };
            match other {
                Some(other) => insets.share_with(other),
                None if shares => insets.take_kept_offsets(),
                None => {}
            }
            Box::new(insets)
        }))
    }

    /// Thickness for an inset just beyond the best ball, with brackets of `width` (both in mm). If the pair shares offsets,
    /// the thickness is one of a few: other pairs of nearly equal depth then test the same one.
    fn thickness_beyond(&self, width: f64) -> f64 {
        let most = greater(self.lower, 0.0) + SHRINK_WIDTH * width;
        if self.shares_offsets() { rounded_down(most, THICKNESS_STEP * width) } else { most }
    }

    /// True if insets share offsets with those of other pairs. A large pair has offsets of too many vertices, and those in
    /// the surfaces of several threads.
    fn shares_offsets(&self) -> bool {
        !self.is_large()
    }

    /// Inset distance to certify a thickness (both in mm).
    fn tau(&self, thickness: f64) -> f64 {
        0.5 * thickness * (1.0 - SHRINK_SHARE) - self.ask.margin
    }

    /// After a failed inset: confines the search to the boxes with possible depths above `thickness` (mm).
    pub(super) fn confine(&mut self, thickness: f64) {
        if !self.is_solid()
            || !self.worth_much_effort(thickness)
            || self.confined.is_some_and(|confined| is_same(thickness, confined))
        {
            return;
        }
        let failed = self.failed[Effort::Most as usize];
        let thickness = if is_same(thickness, failed) { failed } else { thickness };
        self.confined = Some(thickness);
        let margin = self.ask.margin;
        let mut boxes = |divides| remaining_boxes(self.insets(thickness, divides), margin);
        let few = boxes(true).filter(|boxes| boxes.len() <= FEW_BOXES);
        if let Some(boxes) = few.or_else(|| boxes(false)) {
            self.events.push(Event::RemainingBoxes(thickness, boxes.len()));
            self.depth.confine(&boxes, 0.5 * thickness);
            self.take_bounds();
        }
    }

    /// True if an inset with much effort is worth its cost: each vertex then examines everything within the inset
    /// distance.
    pub(super) fn worth_much_effort(&self, thickness: f64) -> bool {
        self.triangles() <= MUCH_EFFORT_TRIANGLES || self.is_thin(thickness)
    }

    /// True if an overlap of this depth (mm) is thin beside both parts.
    pub(super) fn is_thin(&self, depth: f64) -> bool {
        depth <= THIN_SHARE * self.smaller_diameter()
    }
}

/// Largest multiple of a power of two, at most `step`, that does not exceed `x`; `x` itself without a step.
fn rounded_down(x: f64, step: f64) -> f64 {
    let step = leading_bits(step, 1);
    if step > 0.0 { libm::floor(x / step) * step } else { x }
}

/// True if two depths are one for insets (both in mm).
fn is_same(x: f64, y: f64) -> bool {
    (x - y).abs() <= SAME_DEPTH * y
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::rng::Rng;
    use std::collections::BTreeSet;

    #[test]
    fn nearly_equal_numbers_round_down_to_a_few() {
        let mut rng = Rng::new(5);
        let mut all = BTreeSet::new();
        for _ in 0..1000 {
            let x = 0.2 * (1.0 + 1e-3 * rng.signed());
            let rounded = rounded_down(x, 1e-4);
            assert!(rounded > x - 1e-4 && rounded <= x, "{x}");
            all.insert(rounded.to_bits());
        }
        assert!(all.len() < 10, "{}", all.len());
        assert_eq!([rounded_down(0.5, 0.0), rounded_down(-0.3, 0.3)], [0.5, -0.5]);
    }
}
