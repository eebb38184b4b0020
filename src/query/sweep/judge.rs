//! Judges the poses of a proof at which surfaces of a level come too close.

use crate::geom::math::greater;
use crate::geom::{Pose, Vec3};
use crate::query::sweep::cells::Interval;
use crate::query::sweep::prove::{Budget, Judgement};
use crate::query::sweep::still::{Still, StillGap};
use crate::shape::surface::Surface;

/// Cost of a static query: this many tests, and one for each triangle.
const STILL_COST: u64 = 500;

/// Number of searches for a ball that cost as much as a static query.
const ASCENTS: u64 = 4;

/// Margins by which a static query asks for less than a cell needs: its own bounds are wider by two.
pub(crate) const QUERY_MARGINS: f64 = 4.0;

/// Price of a static query, in tests.
pub(crate) fn price(surfaces: [&Surface; 2]) -> u64 {
    STILL_COST + surfaces.iter().map(|s| s.triangles.len() as u64).sum::<u64>()
}

/// Judges poses at which two triangles of a level come too close.
pub(crate) struct Judge<'s> {
    depth: Option<f64>,
    still: &'s Still<'s>,
    /// Price of a static query, in tests.
    price: u64,
    /// Static queries that remain: all, and those without an answer.
    queries: [u32; 2],
    /// Poses that may still be judged; without one, any number.
    poses: Option<u32>,
    /// Static check of the first broken pose; `None` after it.
    confirms: Option<&'s dyn Fn(f64) -> bool>,
    /// True once the static check has denied a broken pose.
    pub denied: bool,
}

impl<'s> Judge<'s> {
    /// Starts with a depth (mm, `None` for levels of a distance) and the largest numbers of static queries: all, and
    /// those without an answer.
    pub(crate) fn new(depth: Option<f64>, queries: [u32; 2], still: &'s Still) -> Self {
        let price = price([still.a.surface, still.b.surface]);
        Self { depth, still, price, queries, poses: None, confirms: None, denied: false }
    }

    /// The same with a largest number of poses, if one is given. Later ones stay open.
    pub(crate) fn within_poses(self, poses: Option<u32>) -> Self {
        Self { poses, ..self }
    }

    /// The same, with a static check of the first broken pose of [`Self::interval`].
    pub(crate) fn confirmed_by(self, confirms: Option<&'s dyn Fn(f64) -> bool>) -> Self {
        Self { confirms, ..self }
    }

    /// Decides about an interval as by [`Self::judge`]; adds it to `settled` if the rule holds there.
    pub(crate) fn interval(
        &mut self,
        cell: &Interval,
        points: [Vec3; 2],
        budget: &mut Budget,
        settled: &mut Vec<[f64; 2]>,
    ) -> Judgement {
        let judgement = self.judge(&cell.frame.pose, cell.displacement, points, budget);
        if judgement == Judgement::Holds {
            settled.push([cell.from, cell.to]);
        }
        if judgement == Judgement::Broken
            && let Some(confirms) = self.confirms.take()
            && !confirms(cell.middle)
        {
            self.denied = true;
            return Judgement::Final;
        }
        judgement
    }

    /// Decides about a cell with two triangles too close in its middle, at `pose`, given their closest points there and
    /// the displacement of B within the cell (mm).
    pub(crate) fn judge(
        &mut self,
        pose: &Pose,
        displacement: f64,
        points: [Vec3; 2],
        budget: &mut Budget,
    ) -> Judgement {
        let Some(depth) = self.depth else { return Judgement::Broken };
        // The hulls of convex solids take no search among the triangles.
        let price = if self.poses.is_some() { STILL_COST } else { self.price };
        if self.poses == Some(0) || !budget.charge(price / ASCENTS) {
            return Judgement::Open;
        }
        self.poses = self.poses.map(|n| n - 1);
        if self.still.deepest_by_hulls(pose, depth - displacement) + displacement <= depth {
            return Judgement::Holds;
        }
        // Insets meet about τ below both surfaces: a common ball is near.
        let start = (points[0] + points[1]) * 0.5;
        let ball = self.still.ball(pose, Some(start), depth).map_or(0.0, |(least, _)| greater(least, 0.0));
        if ball > depth {
            return Judgement::Broken;
        }
        // A whole cell keeps the limit only if B moves by less than what the ball leaves of it.
        let wanted = depth - displacement - QUERY_MARGINS * self.still.margin;
        if wanted <= ball || self.queries.contains(&0) {
            return Judgement::Open;
        }
        if !budget.charge(self.price) {
            return Judgement::Open;
        }
        self.queries[0] -= 1;
        let StillGap { gap, points } = self.still.gap(pose, wanted, None);
        let [least, most] = gap.to_depth();
        if most + displacement <= depth {
            return Judgement::Holds;
        }
        // The query ends at a ball thicker than wanted: a larger one may lie near.
        let near = (points[0] + points[1]) * 0.5;
        if least > depth || (least > wanted && self.still.ball(pose, Some(near), depth).is_some_and(|b| b.0 > depth)) {
            return Judgement::Broken;
        }
        self.queries[1] -= 1;
        Judgement::Open
    }
}
