//! Bounds of the overlap depth from the hulls of both parts, or from their bounding boxes.

use crate::geom::math::greater;
use crate::geom::{Aabb, Pose, Vec3};
use crate::query::convex::common_ball_lp::{self, Goal};
use crate::query::convex::gjk::HullPair;
use crate::query::depth::bracket::{Event, OverlapSearch};
use crate::query::depth::search::BranchAndBound;
use crate::shape::polytope::Convex;

impl OverlapSearch<'_> {
    /// Adds the bounds of the hulls, or of the boxes around inner hulls: the largest depth and the box of the overlap.
    pub(super) fn bounded_by_hulls(mut self) -> Self {
        let [a, b] = self.bodies.map(|body| body.convex);
        let q = HullPair { a, b, b_in_a: self.b_in_a };
        let (common, upper, middle) = if self.bodies.iter().any(|body| body.has_inner_hull) {
            // A ball is no thicker than any box around it.
            let common = a.aabb.intersection(&placed_bounds(&b.aabb, self.b_in_a));
            (common, greater((common.max - common.min).min(), 0.0), common.center())
        } else {
            let common = a.aabb.intersection(&placed_box(b, self.b_in_a));
            let (upper, middle) = if a.rank == 3 && b.rank == 3 {
                let thick = common_ball_lp::overlap(&q, None, Goal::VALUE);
                (greater(thick.upper, 0.0), thick.center)
            } else {
                (0.0, a.inner_center)
            };
            (common, upper, middle)
        };
        let best = self.depth.evaluator.best;
        self.upper = upper;
        self.region = common.inflated(self.ask.margin);
        let bounds = [0.5 * self.lower, 0.5 * upper];
        self.depth = BranchAndBound::new(self.sides(), &self.region, bounds, self.ask.margin).starting_at(middle);
        self.depth.evaluator.best = best;
        self.events.push(Event::HullBound(upper));
        self
    }

    /// Tests if a ball thicker than `deep` (mm) is found at small cost. The search starts between the inscribed balls
    /// of the hulls, at the point of equal depth in both balls.
    pub(super) fn finds_ball_above(&mut self, deep: f64) -> bool {
        let [a, b] = self.bodies.map(|body| body.convex);
        let (from, to) = (a.inner_center, self.b_in_a.point(&b.inner_center));
        let distance = (to - from).norm();
        let share = 0.5 * (distance + a.inner_radius - b.inner_radius) / distance;
        let start = if distance > 0.0 { from + (to - from) * share.clamp(0.0, 1.0) } else { from };
        let above = deep + 2.0 * self.ask.margin;
        self.depth.evaluator.balance(&start, 0.5 * above);
        self.take_bounds();
        self.lower > above
    }
}

/// Bounding box of a placed hull (A's frame).
fn placed_box(convex: &Convex, pose: &Pose) -> Aabb {
    let mut out = Aabb::EMPTY;
    for k in 0..3 {
        let d: Vec3 = pose.rotation.row(k).transpose();
        out.max[k] = pose.translation[k] + convex.scan(&d).1;
        out.min[k] = pose.translation[k] - convex.scan(&-d).1;
    }
    out
}

/// Bounding box of a placed box (A's frame).
fn placed_bounds(bounds: &Aabb, pose: &Pose) -> Aabb {
    let half = pose.rotation.abs() * ((bounds.max - bounds.min) * 0.5);
    let center = pose.point(&bounds.center());
    Aabb { min: center - half, max: center + half }
}
