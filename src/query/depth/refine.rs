//! Narrows the depth bracket of a pair in contact: insets, ascents and branch and bound, cheapest first.
//!
//! `decide_threshold` stops once a threshold lies outside the bracket, `refine_to` at a width. Both try the centre of
//! the hulls' overlap, insets (upper bound) and ascents (lower bound), and end with branch and bound. A failed inset
//! gives the start of an ascent, and boxes to confine the branch and bound. For a deep threshold, some cells of branch
//! and bound come before the insets.

use crate::geom::Vec3;
use crate::geom::math::{greater, lesser};
use crate::query::depth::bracket::{Event, OverlapSearch};
use crate::query::depth::inset_bounds::{Effort, FIRST_BALLS};
use crate::query::depth::open_surface::BallSearch;
use crate::query::depth::precision::Precision;
use crate::query::depth::search::Target;

/// Upper limit of cells of one pair's branch and bound, about two seconds.
const MAX_CELLS: u32 = 120_000;

/// Tolerance for comparing bracket widths (share of the width): sums are rounded.
pub(crate) const SAME_WIDTH: f64 = 1e-9;

/// Number of cells of a search for a ball before a self-union: some milliseconds.
const CELLS_BEFORE_SELF_UNION: u32 = 256;

/// Depth from which cells of branch and bound come before insets, to decide a threshold (share of the smaller part's
/// diameter). Far insets cross in many places, so they cost more than these cells.
const DEEP_SHARE: f64 = 0.1;

/// Number of these cells.
const CELLS_BEFORE_FAR_INSETS: u32 = 1024;

/// Number of cells before the first inset, if a bracket is narrowed.
const FIRST_CELLS: u32 = 128;

/// Upper limit of successive better balls found by insets after branch and bound.
const MAX_BALLS: usize = 32;

/// First step of an ascent (multiples of the requested depth).
pub(super) const ASCENT_STEP: f64 = 2.0;

/// First step of a walk along a sheet (multiples of the diagonal of the hulls' common box).
const SHEET_STEP_SHARE: f64 = 0.125;

/// Limit of contact beyond the rounding of both files (multiples of the margin).
const TOUCH_IN_MARGINS: f64 = 8.0;

/// Number of bisections by insets after branch and bound left the bracket open.
const SHRINK_STEPS: usize = 7;

impl OverlapSearch<'_> {
    /// Narrows the bracket until the threshold (mm) lies outside or the budget is spent.
    pub fn decide_threshold(&mut self, threshold: f64) {
        self.decide(threshold, MAX_CELLS);
    }

    /// The same for deep overlaps, with another budget, in cells of the branch and bound. Tries insets only for thin
    /// overlaps: far insets cross in many places, and finding them all takes most of the time.
    pub(crate) fn decide_deep_threshold(&mut self, threshold: f64, cells: u32) {
        if self.is_thin(threshold) {
            return self.decide(threshold, cells);
        }
        if !self.looked_at_middle {
            self.evaluate_centre();
        }
        self.resolve();
        if !self.is_decided(threshold) {
            self.refine(&self.target_of(threshold), cells);
        }
    }

    /// Depth that a lower bound must exceed, and depth that an upper bound may reach, to decide a threshold (mm).
    fn limits_around(&self, threshold: f64) -> [f64; 2] {
        [threshold + 2.0 * self.ask.margin, threshold + self.ask.margin]
    }

    /// True if a threshold (mm) lies outside the bracket.
    fn is_decided(&self, threshold: f64) -> bool {
        let [above, at_most] = self.limits_around(threshold);
        self.lower > above || self.upper <= at_most
    }

    /// Target of a branch and bound that decides a threshold (mm).
    fn target_of(&self, threshold: f64) -> Target {
        let [above, at_most] = self.limits_around(threshold);
        Target { above: 0.5 * above, at_most: 0.5 * at_most, width: None }
    }

    fn decide(&mut self, threshold: f64, cells: u32) {
        if self.is_decided(threshold) {
            return;
        }
        if !self.looked_at_middle {
            self.evaluate_centre();
            if self.is_decided(threshold) {
                return;
            }
        }
        let [above, _] = self.limits_around(threshold);
        // Most pairs in contact only touch. For large pairs an ascent costs less than testing everything close to the
        // other part.
        if !self.is_surface()
            && self.is_large()
            && let Some(start) = self.contact()
        {
            self.climb(&start, threshold);
            if !self.is_decided(threshold) {
                self.stride(above);
            }
            if self.is_decided(threshold) {
                return;
            }
        }
        let is_deep = !self.is_surface() && threshold > DEEP_SHARE * self.smaller_diameter();
        if !is_deep && self.insets_decide(threshold) {
            return;
        }
        self.search_before_self_union(above);
        if self.is_decided(threshold) {
            return;
        }
        self.resolve();
        if self.is_decided(threshold) {
            return;
        }
        if is_deep {
            self.refine(&self.target_of(threshold), cells.min(CELLS_BEFORE_FAR_INSETS));
            if self.is_decided(threshold) || self.insets_decide(threshold) {
                return;
            }
        }
        self.shrink(threshold, Effort::Most);
        if self.is_decided(threshold) {
            return;
        }
        self.confine(threshold);
        self.refine(&self.target_of(threshold), cells);
    }

    /// Tries insets with little and with much effort; true if they decide a threshold (mm).
    fn insets_decide(&mut self, threshold: f64) -> bool {
        [Effort::Little, Effort::Much].into_iter().any(|care| {
            self.shrink(threshold, care);
            self.is_decided(threshold)
        })
    }

    /// Searches a ball thicker than `above` (mm) before a self-union: a ball needs none, and some cells cost less.
    fn search_before_self_union(&mut self, above: f64) {
        if self.solid.is_none() && !self.is_surface() && self.only_boundaries_reach() != [true; 2] {
            self.skip_inner_triangles();
            let target = Target { above: 0.5 * above, at_most: 0.5 * above, width: None };
            self.refine(&target, CELLS_BEFORE_SELF_UNION);
        }
    }

    /// Certifies mere contact, the most frequent case, by an inset of about the rounding. After success the bracket is
    /// final. Skips large pairs.
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

    /// Narrows the bracket to `width`, or until the budget is spent.
    pub fn refine_to(&mut self, width: &Precision) {
        self.resolve();
        self.narrow_to(width);
        self.insets = [None, None];
    }

    fn narrow_to(&mut self, width: &Precision) {
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
        let Some(ball) = self.depth.evaluator.best.filter(|w| w.radius > 0.0) else {
            if self.is_solid() {
                self.search(&width);
            }
            return;
        };
        // For thin overlaps, an ascent and one or two insets beyond its ball yield most, for less than the cost of the
        // first cells.
        if self.is_solid() && (!self.is_large() || self.lumps.is_some()) && self.worth_much_effort(self.lower) {
            self.climb_beyond(&ball.center, greater(self.lower, of(self)), f64::INFINITY);
            self.inset_beyond_balls(of, FIRST_BALLS, Effort::Much);
            if met(self) {
                return;
            }
            self.confine_beyond(&width);
            if met(self) {
                return;
            }
        }
        self.search(&width);
    }

    /// Branch and bound, alternating with insets.
    fn search(&mut self, width: &Precision) {
        let of = |m: &Self| width.of(m.lower);
        let met = |m: &Self| m.is_within(of(m));
        let target = Target { above: f64::INFINITY, at_most: f64::NEG_INFINITY, width: Some(*width) };
        // Branch and bound finds a good ball long before it bounds the last cell; an inset just beyond this ball may
        // end the search.
        for cells in [FIRST_CELLS, 8 * FIRST_CELLS, MAX_CELLS] {
            self.refine(&target, self.depth.cells.saturating_add(cells).min(MAX_CELLS));
            if met(self) || !self.is_solid() {
                return;
            }
            // For deep overlaps of fine meshes an inset costs more than many cells.
            if cells == FIRST_CELLS && !self.worth_much_effort(self.lower) {
                continue;
            }
            self.inset_beyond_balls(of, MAX_BALLS, Effort::Much);
            if met(self) {
                return;
            }
            self.confine_beyond(width);
            if met(self) {
                return;
            }
        }
        for _ in 0..SHRINK_STEPS {
            if met(self) || !self.is_solid() {
                return;
            }
            self.shrink(0.5 * (greater(self.lower, 0.0) + self.upper), Effort::Much);
        }
    }

    /// True if the bracket is as narrow as [`Self::refine_to`] makes it.
    pub(crate) fn is_narrow(&self, width: &Precision) -> bool {
        self.is_within(width.less(6.0 * self.ask.margin).of(self.lower))
    }

    /// True if the bracket has at most this width (mm), up to the rounding of the same sum in a target.
    pub(super) fn is_within(&self, width: f64) -> bool {
        self.upper - self.lower <= width * (1.0 + SAME_WIDTH)
    }

    /// Point between the closest points of the surfaces, if measured (A's frame).
    fn contact(&self) -> Option<Vec3> {
        self.surfaces.map(|apart| (apart.points[0] + apart.points[1]) * 0.5)
    }

    /// Walks along the sheets around the best ball, in search of a ball thicker than `above` (mm).
    fn stride(&mut self, above: f64) {
        if let Some(ball) = self.depth.evaluator.best {
            self.depth.evaluator.walk_sheet(&ball.center, SHEET_STEP_SHARE * self.region.diagonal(), 0.5 * above);
            self.take_bounds();
            self.events.push(Event::Ascent(self.lower));
        }
    }

    /// Walks along the sheets around the best ball, and climbs from a better one; `step` is the least thickness for its
    /// steps (mm).
    pub(super) fn climb_along_sheet(&mut self, step: f64) {
        let before = self.lower;
        self.stride(f64::INFINITY);
        if self.lower > before
            && let Some(ball) = self.depth.evaluator.best
        {
            self.climb_beyond(&ball.center, greater(self.lower, step), f64::INFINITY);
        }
    }

    fn refine(&mut self, target: &Target, budget: u32) {
        let cells = if self.is_solid() {
            self.depth.refine(target, budget);
            self.depth.cells
        } else {
            // Takes only the witness: the upper bounds of branch and bound require boundaries of solids.
            let sides = self.depth.sides();
            let search = self.search.get_or_insert_with(|| Box::new(BallSearch::new(sides, &self.region)));
            search.refine(target, budget, &mut self.depth.evaluator.best);
            search.cells
        };
        self.take_bounds();
        self.events.push(Event::BranchAndBound(cells, self.gap_bounds()));
    }

    pub(crate) fn take_bounds(&mut self) {
        // Without a definite inside, only a common ball is a valid lower bound.
        if !self.is_surface() || self.ball().is_some() {
            self.lower = greater(self.lower, 2.0 * self.depth.lower());
        }
        if self.is_solid() {
            self.upper = lesser(self.upper, 2.0 * self.depth.upper());
        }
    }

    /// Ascends from a point to a ball thicker than `thickness` (mm).
    fn climb(&mut self, start: &Vec3, thickness: f64) {
        self.climb_beyond(start, thickness, thickness);
    }

    /// Ascends until a ball is thicker than `enough` (mm), with steps suited to `thickness` (mm).
    pub(super) fn climb_beyond(&mut self, start: &Vec3, thickness: f64, enough: f64) {
        self.depth.evaluator.ascend(start, ASCENT_STEP * thickness, 0.5 * enough + self.ask.margin);
        self.take_bounds();
        self.events.push(Event::Ascent(self.lower));
    }

    pub(crate) fn is_large(&self) -> bool {
        self.pairing().is_large()
    }

    /// Diameter of the smaller part (mm).
    pub(super) fn smaller_diameter(&self) -> f64 {
        let [a, b] = self.bodies.map(|body| body.convex.diameter);
        lesser(a, b)
    }

    pub(crate) fn triangles(&self) -> usize {
        self.bodies.iter().map(|b| b.surface.triangles.len()).sum()
    }
}
