//! Narrows the depth bracket of a pair in contact: insets, ascents and branch and bound, cheapest first.
//!
//! `decide_threshold` stops once a threshold lies outside the bracket, `refine_to` at a width. Both try the centre of the hulls'
//! overlap, insets (upper bound) and ascents (lower bound), and end with branch and bound. A failed inset gives the
//! start of an ascent, and boxes to confine the branch and bound.

use crate::geom::Vec3;
use crate::geom::math::{greater, lesser};
use crate::query::depth::bracket::{Event, OverlapSearch, SolidRef};
use crate::query::depth::inset::certificate::{InsetResult, InsetSurfaces};
use crate::query::depth::inset::remaining_boxes::remaining_boxes;
use crate::query::depth::inset::vertex_offset::SolidSide;
use crate::query::depth::open_surface::BallSearch;
use crate::query::depth::precision::Precision;
use crate::query::depth::search::Target;

/// Upper limit of cells of one pair's branch and bound, about two seconds.
const MAX_CELLS: u32 = 120_000;

/// Reduction of the inset (share of the threshold): keeps its own rounding out of the decision.
const SHRINK_SHARE: f64 = 1e-9;

/// Tolerance for comparing bracket widths (share of the width): sums are rounded.
pub(crate) const SAME_WIDTH: f64 = 1e-9;

/// Number of cells of a search for a ball before a self-union: some milliseconds.
const CELLS_BEFORE_SELF_UNION: u32 = 256;

/// Number of cells before the first inset, if a bracket is narrowed.
const FIRST_CELLS: u32 = 128;

/// Thickness tested by this inset, above the best ball (multiples of the width).
const SHRINK_WIDTH: f64 = 0.98;

/// Upper limit of successive better balls found by such insets.
const MAX_BALLS: usize = 32;

/// The same limit before branch and bound begins.
const FIRST_BALLS: usize = 6;

/// Least improvement of a ball to continue (share of the width).
const BALL_SHARE: f64 = 0.05;

/// First step of an ascent (multiples of the requested depth).
const ASCENT_STEP: f64 = 2.0;

/// First step of a walk along a sheet (multiples of the diagonal of the hulls' common box).
const SHEET_STEP_SHARE: f64 = 0.125;

/// Limit of contact beyond the rounding of both files (multiples of the margin).
const TOUCH_IN_MARGINS: f64 = 8.0;

/// Number of triangles of a pair above which an ascent precedes the insets.
const ASCENT_FIRST_TRIANGLES: usize = 20_000;

/// Number of triangles of a pair up to which insets use much effort at any depth.
const MUCH_EFFORT_TRIANGLES: usize = 2_000;

/// Largest depth for much effort in larger pairs (share of the smaller part's diameter).
const THIN_SHARE: f64 = 0.02;

/// Upper limit of boxes around what an inset with divided edges leaves. More lie all over a seam that is thick
/// everywhere; then the fewer, larger ones of undivided edges need fewer cells.
const FEW_BOXES: usize = 8;

/// Difference up to which two depths count as one for insets (share of the depth): the results hardly differ.
const SAME_DEPTH: f64 = 1e-4;

/// Number of bisections by insets after branch and bound left the bracket open.
const SHRINK_STEPS: usize = 7;

/// Effort of a certificate by inset: each more certifies more, at several times the cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Effort {
    Little,
    /// Faces of several triangles move as one, and vertices split at reflex edges.
    Much,
    /// Long edges are divided, too.
    Most,
}

impl OverlapSearch<'_> {
    /// Narrows the bracket until the threshold (mm) lies outside or the budget is spent.
    pub fn decide_threshold(&mut self, threshold: f64) {
        self.decide(threshold, MAX_CELLS);
    }

    /// The same for deep overlaps, with another budget, in cells of the branch and bound. Tries insets only where they are
    /// worth much effort: far insets of large parts cross in many places, and testing them takes seconds.
    pub(crate) fn decide_deep_threshold(&mut self, threshold: f64, cells: u32) {
        if self.worth_much_effort(threshold) {
            return self.decide(threshold, cells);
        }
        if !self.looked_at_middle {
            self.evaluate_centre();
        }
        self.resolve();
        let [above, at_most] = self.limits_around(threshold);
        if self.lower <= above && self.upper > at_most {
            self.refine(&Target { above: 0.5 * above, at_most: 0.5 * at_most, width: None }, cells);
        }
    }

    /// Depth that a lower bound must exceed, and depth that an upper bound may reach, to decide a threshold (mm).
    fn limits_around(&self, threshold: f64) -> [f64; 2] {
        [threshold + 2.0 * self.ask.margin, threshold + self.ask.margin]
    }

    fn decide(&mut self, threshold: f64, cells: u32) {
        let [above, at_most] = self.limits_around(threshold);
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
        // Most pairs in contact only touch. For large pairs an ascent costs less than testing everything close to the
        // other part.
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
        self.search_before_self_union(above);
        if decided(self) {
            return;
        }
        self.resolve();
        if decided(self) {
            return;
        }
        self.shrink(threshold, Effort::Most);
        if decided(self) {
            return;
        }
        self.confine(threshold);
        let target = Target { above: 0.5 * above, at_most: 0.5 * at_most, width: None };
        self.refine(&target, cells);
    }

    /// Searches a ball thicker than `above` (mm) if a surface intersects itself: a ball needs no self-union, and some cells
    /// cost less.
    fn search_before_self_union(&mut self, above: f64) {
        let intersects = |body: &SolidRef| body.surface.has_self_intersections();
        if self.solid.is_none() && self.bodies.iter().any(intersects) {
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
        if self.is_solid() && !self.is_large() && self.worth_much_effort(self.lower) {
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

    /// Confines the search to boxes where an inset just beyond the best ball fails, unless one with the most effort
    /// succeeds.
    fn confine_beyond(&mut self, width: &Precision) {
        let of = |m: &Self| width.of(m.lower);
        self.inset_beyond_balls(of, FIRST_BALLS, Effort::Most);
        if self.is_within(of(self)) {
            return;
        }
        self.confine(greater(self.lower, 0.0) + SHRINK_WIDTH * width.of(self.lower));
    }

    /// Insets just beyond the best ball, repeated while better balls result, at most `balls` times; `width` is the
    /// allowed width of the bracket (mm). Longer steps do not pay: a certificate tests all close triangles, and a failed
    /// inset only those up to the first crossing.
    fn inset_beyond_balls(&mut self, width: impl Fn(&Self) -> f64, balls: usize, care: Effort) {
        for _ in 0..balls {
            let (before, step) = (self.lower, BALL_SHARE * width(self));
            let thickness = greater(before, 0.0) + SHRINK_WIDTH * width(self);
            // On fine meshes faces move by almost τ with little effort.
            if self.is_large() {
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

    /// True if the bracket has at most this width (mm), up to the rounding of the same sum in a target.
    fn is_within(&self, width: f64) -> bool {
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

    /// Tries to certify by inset that no common ball is thicker than `thickness` (mm). If the inset surfaces intersect,
    /// starts an ascent there: with little effort, as for a threshold, up to the first ball above it.
    fn shrink(&mut self, thickness: f64, care: Effort) {
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
        let tau = self.tau(thickness);
        let shrunk = match care {
            Effort::Little => InsetSurfaces::new(self.pairing(), SolidSide::Inside, tau, 0.0, false).certify(),
            Effort::Much | Effort::Most => self.insets(tau, care == Effort::Most).certify(),
        };
        // A ball found by a failed inset is valid for the surfaces as they are. The upper bound requires boundaries of
        // solids.
        if shrunk == InsetResult::Apart {
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

    /// Inset surfaces of much effort by `tau` (mm).
    fn insets(&mut self, tau: f64, divides: bool) -> &InsetSurfaces<'_> {
        let (pairing, rounding) = (self.pairing(), self.ask.rounding);
        let kept = self.insets[usize::from(divides)].take().filter(|i| i.tau == tau);
        self.insets[usize::from(divides)].insert(
            kept.unwrap_or_else(|| Box::new(InsetSurfaces::new(pairing, SolidSide::Inside, tau, rounding, divides))),
        )
    }

    /// Inset distance to certify a thickness (both in mm).
    fn tau(&self, thickness: f64) -> f64 {
        0.5 * thickness * (1.0 - SHRINK_SHARE) - self.ask.margin
    }

    /// After a failed inset: confines the search to the boxes with possible depths above `thickness` (mm).
    fn confine(&mut self, thickness: f64) {
        if !self.is_solid()
            || !self.worth_much_effort(thickness)
            || self.confined.is_some_and(|confined| is_same(thickness, confined))
        {
            return;
        }
        let failed = self.failed[Effort::Most as usize];
        let thickness = if is_same(thickness, failed) { failed } else { thickness };
        self.confined = Some(thickness);
        let (tau, margin) = (self.tau(thickness), self.ask.margin);
        let mut boxes = |divides| remaining_boxes(self.insets(tau, divides), margin);
        let few = boxes(true).filter(|boxes| boxes.len() <= FEW_BOXES);
        if let Some(boxes) = few.or_else(|| boxes(false)) {
            self.events.push(Event::RemainingBoxes(thickness, boxes.len()));
            self.depth.confine(boxes, 0.5 * thickness);
            self.take_bounds();
        }
    }

    /// True if an inset with much effort is worth its cost: each vertex then examines everything within the inset
    /// distance.
    fn worth_much_effort(&self, thickness: f64) -> bool {
        let smaller = lesser(self.bodies[0].convex.diameter, self.bodies[1].convex.diameter);
        self.triangles() <= MUCH_EFFORT_TRIANGLES || thickness <= THIN_SHARE * smaller
    }

    /// Ascends from a point to a ball thicker than `thickness` (mm).
    fn climb(&mut self, start: &Vec3, thickness: f64) {
        self.climb_beyond(start, thickness, thickness);
    }

    /// Ascends until a ball is thicker than `enough` (mm), with steps suited to `thickness` (mm).
    fn climb_beyond(&mut self, start: &Vec3, thickness: f64, enough: f64) {
        self.depth.evaluator.ascend(start, ASCENT_STEP * thickness, 0.5 * enough + self.ask.margin);
        self.take_bounds();
        self.events.push(Event::Ascent(self.lower));
    }

    fn is_large(&self) -> bool {
        self.triangles() > ASCENT_FIRST_TRIANGLES
    }

    fn triangles(&self) -> usize {
        self.bodies.iter().map(|b| b.surface.triangles.len()).sum()
    }
}

/// True if two depths are one for insets (both in mm).
fn is_same(x: f64, y: f64) -> bool {
    (x - y).abs() <= SAME_DEPTH * y
}
