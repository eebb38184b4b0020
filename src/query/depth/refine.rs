//! Narrows what is known of a pair that meets: shrinks, climbs, branch and bound, in the order that costs least.

use crate::geom::Vec3;
use crate::geom::math::{greater, lesser};
use crate::query::depth::bracket::{Event, OverlapSearch};
use crate::query::depth::inset::certificate::{InsetResult, certify_by_inset};
use crate::query::depth::inset::remaining_boxes::remaining_boxes;
use crate::query::depth::inset::vertex_offset::SolidSide;
use crate::query::depth::open_surface::BallSearch;
use crate::query::depth::search::Target;

/// Cells of one pair's branch and bound, at most: about two seconds.
const MAX_CELLS: u32 = 120_000;

/// A threshold is decided by a shrink that ends this share of it below, so that its own rounding does not matter.
const SHRINK_SHARE: f64 = 1e-9;

/// A bracket that exceeds a width by no more than this share of it has that width: sums are rounded.
const SAME_WIDTH: f64 = 1e-9;

/// Cells after which a shrink is tried for the first time where a bracket is to be narrowed.
const FIRST_CELLS: u32 = 128;

/// Where that shrink ends, in widths above the best ball.
const SHRINK_WIDTH: f64 = 0.98;

/// Better balls that such shrinks lead to, one after the other, at most.
const MAX_BALLS: usize = 32;

/// The same before branch and bound begins.
const FIRST_BALLS: usize = 6;

/// Balls that are better by less than this share of the width lead no further.
const BALL_SHARE: f64 = 0.05;

/// The first step of a climb towards a ball, in depths asked for.
const ASCENT_STEP: f64 = 2.0;

/// The first stride along a sheet, in diagonals of the hulls' common box.
const SHEET_STEP_SHARE: f64 = 0.125;

/// Surfaces that meet within the rounding of both files and this many margins more touch.
const TOUCH_IN_MARGINS: f64 = 8.0;

/// Pairs of more triangles than this look for a ball before the surfaces are shrunk.
const ASCENT_FIRST_TRIANGLES: usize = 20_000;

/// Pairs of no more triangles than this are shrunk with care however deep they overlap.
const MUCH_EFFORT_TRIANGLES: usize = 2_000;

/// Others where the overlap is no more than this share of the smaller part's diameter.
const THIN_SHARE: f64 = 0.02;

/// Bisections of the shrink certificate where branch and bound did not close the bracket.
const SHRINK_STEPS: usize = 7;

/// How narrow a bracket of the depth is to be made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision {
    /// Of the depth.
    relative: f64,
    /// Where that is less, this is narrow enough (mm).
    absolute: f64,
    /// Beyond this depth (mm) the second pair, relative and absolute, counts as well as the first.
    beyond: f64,
    closer: [f64; 2],
}

impl Precision {
    /// As wide as `relative` of the depth, or `absolute` (mm), whichever is more.
    pub fn new(relative: f64, absolute: f64) -> Self {
        Self { relative, absolute, beyond: f64::INFINITY, closer: [0.0; 2] }
    }

    /// The same, and of depths greater than `depth` (mm) as narrow as this says, too.
    #[must_use]
    pub fn beyond(self, depth: f64, relative: f64, absolute: f64) -> Self {
        Self { beyond: depth, closer: [relative, absolute], ..self }
    }

    /// Of a depth (mm).
    pub(crate) fn of(&self, depth: f64) -> f64 {
        let depth = greater(depth, 0.0);
        let width = greater(self.relative * depth, self.absolute);
        let closer = greater(self.closer[0] * depth, self.closer[1]);
        if depth > self.beyond { lesser(width, closer) } else { width }
    }

    /// With what is allowed whatever the depth less by `mm`, for rounding.
    fn less(self, mm: f64) -> Self {
        let less = |of: f64| greater(of - mm, 0.0);
        Self { absolute: less(self.absolute), closer: [self.closer[0], less(self.closer[1])], ..self }
    }
}

/// How much is done for a shrink certificate: with much care more is certified, at several times the cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effort {
    Little,
    Much,
}

impl OverlapSearch<'_> {
    /// Narrows the bounds until the threshold (mm) lies outside, or the budget is spent.
    pub fn decide_threshold(&mut self, threshold: f64) {
        let (above, at_most) = (threshold + 2.0 * self.ask.margin, threshold + self.ask.margin);
        let decided = |m: &Self| m.lower > above || m.upper <= at_most;
        if decided(self) {
            return;
        }
        if !self.looked_at_middle {
            self.evaluate_centre();
            if decided(self) {
                return;
            }
        }
        // Most pairs that meet only touch; of large ones a climb costs less than looking at everything near the other.
        if !self.is_surface()
            && self.is_large()
            && let Some(start) = self.contact()
        {
            self.climb(&start, threshold);
            if !decided(self) {
                self.stride(above);
            }
            if decided(self) {
                return;
            }
        }
        for care in [Effort::Little, Effort::Much] {
            self.shrink(threshold, care);
            if decided(self) {
                return;
            }
        }
        self.resolve();
        if decided(self) {
            return;
        }
        self.confine(threshold);
        let target = Target { above: 0.5 * above, at_most: 0.5 * at_most, width: None };
        self.refine(&target, MAX_CELLS);
    }

    /// Tells whether the solids only touch, which most that meet do: where a shrink by rounding certifies it, there is nothing left
    /// to decide or to narrow.
    pub fn certify_contact(&mut self) {
        if !self.is_large() && self.lower <= self.ask.rounding {
            if !self.looked_at_middle {
                self.evaluate_centre();
            }
            self.inset_to_contact();
        }
    }

    fn inset_to_contact(&mut self) {
        if self.lower <= self.ask.rounding {
            self.shrink(self.ask.rounding + TOUCH_IN_MARGINS * self.ask.margin, Effort::Little);
        }
    }

    /// Narrows the bounds until they are as close as `width` asks, or the budget is spent.
    pub fn refine_to(&mut self, width: &Precision) {
        self.resolve();
        if !self.looked_at_middle {
            self.evaluate_centre();
        }
        let width = width.less(6.0 * self.ask.margin);
        let of = |m: &Self| width.of(m.lower);
        let met = |m: &Self| m.is_within(of(m));
        if met(self) {
            return;
        }
        self.inset_to_contact();
        if met(self) {
            return;
        }
        if self.lower <= self.ask.rounding
            && let Some(start) = self.contact()
        {
            self.climb(&start, greater(width.absolute, self.ask.rounding));
        }
        if self.lower <= width.absolute {
            self.shrink(greater(self.lower, 0.0) + width.absolute, Effort::Little);
            if met(self) {
                return;
            }
        }
        let Some(ball) = self.depth.best.filter(|w| w.radius > 0.0) else {
            if self.is_solid() {
                self.search(&width);
            }
            return;
        };
        // Of thin overlaps a climb and a shrink or two beyond what it finds tell most, for less than the first cells cost.
        if self.is_solid() && !self.is_large() && self.worth_much_effort(self.lower) {
            self.climb_beyond(&ball.center, greater(self.lower, of(self)), f64::INFINITY);
            self.inset_beyond_balls(of, FIRST_BALLS);
            if met(self) {
                return;
            }
            self.confine_beyond(&width);
        }
        self.search(&width);
    }

    /// Branch and bound, with shrinks in between.
    fn search(&mut self, width: &Precision) {
        let of = |m: &Self| width.of(m.lower);
        let met = |m: &Self| m.is_within(of(m));
        let target = Target { above: f64::INFINITY, at_most: f64::NEG_INFINITY, width: Some(*width) };
        // A good ball is found long before the last cell is bounded; then a shrink just beyond it may end the search.
        for cells in [FIRST_CELLS, 8 * FIRST_CELLS, MAX_CELLS] {
            self.refine(&target, self.depth.cells.saturating_add(cells).min(MAX_CELLS));
            if met(self) || !self.is_solid() {
                return;
            }
            // Of deep overlaps of fine meshes a shrink costs more than many cells.
            if cells == FIRST_CELLS && !self.worth_much_effort(self.lower) {
                continue;
            }
            self.inset_beyond_balls(of, MAX_BALLS);
            if met(self) {
                return;
            }
            self.confine_beyond(width);
        }
        for _ in 0..SHRINK_STEPS {
            if met(self) || !self.is_solid() {
                return;
            }
            self.shrink(0.5 * (greater(self.lower, 0.0) + self.upper), Effort::Much);
        }
    }

    /// Keeps the search to where a shrink just beyond the best ball fails.
    fn confine_beyond(&mut self, width: &Precision) {
        self.confine(greater(self.lower, 0.0) + SHRINK_WIDTH * width.of(self.lower));
    }

    /// Shrinks to just beyond the best ball, as long as that leads to better ones, so many at most; `width` is what the bracket may
    /// be wide.
    fn inset_beyond_balls(&mut self, width: impl Fn(&Self) -> f64, balls: usize) {
        for _ in 0..balls {
            let (before, step) = (self.lower, BALL_SHARE * width(self));
            self.shrink(greater(before, 0.0) + SHRINK_WIDTH * width(self), Effort::Much);
            if self.lower <= before + step || self.is_within(width(self)) || !self.worth_much_effort(before) {
                return;
            }
        }
    }

    /// Whether the bracket is no wider than this, to the rounding of who took the same sum for a target.
    fn is_within(&self, width: f64) -> bool {
        self.upper - self.lower <= width * (1.0 + SAME_WIDTH)
    }

    /// Between the closest points of the surfaces, where these were asked for.
    fn contact(&self) -> Option<Vec3> {
        self.surfaces.map(|apart| (apart.points[0] + apart.points[1]) * 0.5)
    }

    /// Looks for a ball thicker than this along the sheets that the best one lies between.
    fn stride(&mut self, above: f64) {
        if let Some(ball) = self.depth.best {
            self.depth.walk_sheet(&ball.center, SHEET_STEP_SHARE * self.region.diagonal(), 0.5 * above);
            self.take_bounds();
            self.events.push(Event::Climb(self.lower));
        }
    }

    fn refine(&mut self, target: &Target, budget: u32) {
        let cells = if self.is_solid() {
            self.depth.refine(target, budget);
            self.depth.cells
        } else {
            // Only the witness counts: what bounds it from above holds for boundaries of solids.
            let sides = self.depth.sides();
            let search = self.search.get_or_insert_with(|| Box::new(BallSearch::new(sides, &self.region)));
            search.refine(target, &mut self.depth.best);
            search.cells
        };
        self.take_bounds();
        self.events.push(Event::Cells(cells, self.depth_bounds()));
    }

    pub(crate) fn take_bounds(&mut self) {
        // Without a definite inside only a common ball says anything.
        if !self.is_surface() || self.ball().is_some() {
            self.lower = greater(self.lower, 2.0 * self.depth.lower());
        }
        if self.is_solid() {
            self.upper = lesser(self.upper, 2.0 * self.depth.upper());
        }
    }

    /// Tries to certify that nothing is thicker than this. Where the moved surfaces meet, a ball may be near.
    fn shrink(&mut self, thickness: f64, care: Effort) {
        let care = if self.worth_much_effort(thickness) { care } else { Effort::Little };
        if self.is_surface() || self.solid == Some(false) || thickness <= self.failed[care as usize] {
            return;
        }
        let tau = self.tau(thickness);
        let rounding = if care == Effort::Much { self.ask.rounding } else { 0.0 };
        let shrunk = certify_by_inset(&self.pairing(), SolidSide::Inside, tau, rounding);
        // Where the moved surfaces meet, a ball tells as much of the surfaces as they are; a bound is about boundaries.
        if shrunk == InsetResult::Apart {
            if self.resolve() {
                self.shrink(thickness, care);
                return;
            }
            if !self.is_solid() {
                return;
            }
        }
        self.events.push(Event::Shrink(thickness, shrunk == InsetResult::Apart));
        if shrunk == InsetResult::Apart {
            self.upper = lesser(self.upper, thickness);
            self.depth.lower_ceiling(0.5 * thickness);
            return;
        }
        for failed in &mut self.failed[..=care as usize] {
            *failed = greater(*failed, thickness);
        }
        if let InsetResult::Meet(x) = shrunk {
            // Where a bracket is narrowed the deepest ball counts, not the first that will do.
            let enough = if care == Effort::Much { f64::INFINITY } else { thickness };
            self.climb_beyond(&x, thickness, enough);
        }
    }

    /// How far surfaces are moved to tell whether anything is thicker than this.
    fn tau(&self, thickness: f64) -> f64 {
        0.5 * thickness * (1.0 - SHRINK_SHARE) - self.ask.margin
    }

    /// After a shrink failed: keeps the search to where something may be thicker than this.
    fn confine(&mut self, thickness: f64) {
        if !self.is_solid() || !self.worth_much_effort(thickness) || self.confined == Some(thickness) {
            return;
        }
        self.confined = Some(thickness);
        if let Some(boxes) = remaining_boxes(&self.pairing(), self.tau(thickness), self.ask.rounding, self.ask.margin) {
            self.events.push(Event::Confined(thickness, boxes.len()));
            self.depth.confine(boxes, 0.5 * thickness);
            self.take_bounds();
        }
    }

    /// Whether a careful shrink by this much is worth its cost: it asks each vertex about all that is so near to it.
    fn worth_much_effort(&self, thickness: f64) -> bool {
        let smaller = lesser(self.bodies[0].convex.diameter, self.bodies[1].convex.diameter);
        self.triangles() <= MUCH_EFFORT_TRIANGLES || thickness <= THIN_SHARE * smaller
    }

    /// Looks for a ball thicker than this, beginning at a point.
    fn climb(&mut self, start: &Vec3, thickness: f64) {
        self.climb_beyond(start, thickness, thickness);
    }

    /// The same until a ball is thicker than `enough`, in steps to suit one of `thickness`.
    fn climb_beyond(&mut self, start: &Vec3, thickness: f64, enough: f64) {
        self.depth.ascend(start, ASCENT_STEP * thickness, 0.5 * enough + self.ask.margin);
        self.take_bounds();
        self.events.push(Event::Climb(self.lower));
    }

    fn is_large(&self) -> bool {
        self.triangles() > ASCENT_FIRST_TRIANGLES
    }

    fn triangles(&self) -> usize {
        self.bodies.iter().map(|b| b.surface.triangles.len()).sum()
    }
}
