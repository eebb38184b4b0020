//! Staircase of a run: bounds of the least gap over each of some equal parts (docs/explanation/motion.md, claim 11).
//!
//! The gap in the middle of a part bounds the others by the displacement (claim 1). A branch and bound narrows the
//! bounds of parts that stay apart (claim 5), and insets those of parts that overlap (claim 6).

use crate::geom::Bounds;
use crate::geom::math::{greater, lesser};
use crate::query::depth::Precision;
use crate::query::sweep::cells::Cells;
use crate::query::sweep::inset::{WHOLE, insets};
use crate::query::sweep::judge::price;
use crate::query::sweep::level::Level;
use crate::query::sweep::prove::Budget;
use crate::query::sweep::run::Sweep;
use crate::query::sweep::work::Work;

/// Width of the bounds of a step that ends the search: a share of the gap, and of the tolerance; the larger one counts.
const WIDTH: [f64; 2] = [0.05, 1.0];

/// Number of depths beyond the limit for which insets bound the steps.
const LEVELS: usize = 4;

/// Depth of the last level: this multiple of the largest depth in the middle of a part.
const BEYOND: f64 = 1.1;

/// A part of a run with bounds of its least gap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// First value of the parameter.
    pub from: f64,
    /// Last value of the parameter.
    pub to: f64,
    /// Certified bounds of the least gap over the part (mm, signed); infinite without a bound.
    pub gap: Bounds,
}

impl Sweep<'_> {
    /// Bounds the least gap over `count` equal parts of the run; a run of one pose is one part. Cost: at most the
    /// budget, and one static query for each part. Without a budget, the bounds are wider.
    pub fn staircase(&self, count: usize) -> Vec<Step> {
        let mut work = self.work();
        let apart = work.level(self.chain, 0.0);
        // Insets take what the middles leave.
        let mut budget = work.budget.share(2);
        let mut deepest = 0.0;
        let parts = self.parts(count);
        let mut steps = Vec::with_capacity(parts.len());
        for (k, part) in parts.iter().enumerate() {
            let mut share = budget.share((parts.len() - k) as u64);
            let (step, depth) = self.step(&work, &apart, *part, &mut share);
            budget.give_back(share);
            deepest = greater(deepest, depth);
            steps.push(step);
        }
        work.budget.give_back(budget);
        self.raise_by_insets(&mut work, &mut steps, deepest);
        steps
    }

    /// Equal parts of the run, in order.
    fn parts(&self, count: usize) -> Vec<[f64; 2]> {
        let [from, to] = self.range;
        let count = if from < to { count.max(1) } else { 1 };
        let end = |k: usize| if k == count { to } else { from + (to - from) * (k as f64 / count as f64) };
        (0..count).map(|k| [end(k), end(k + 1)]).collect()
    }

    /// Bounds the least gap over a part by its middle, and by the distance of the surfaces if they are apart there.
    /// Also returns an upper bound of the depth in the middle (mm, negative for a distance).
    fn step(&self, work: &Work, apart: &Level, [from, to]: [f64; 2], budget: &mut Budget) -> (Step, f64) {
        let unknown = Bounds { lower: f64::NEG_INFINITY, upper: f64::INFINITY };
        if !budget.charge(price([self.a.surface, self.b.surface])) {
            return (Step { from, to, gap: unknown }, f64::NEG_INFINITY);
        }
        let middle = from + 0.5 * (to - from);
        let precision = Precision::new(WIDTH[0], WIDTH[1] * self.limits.tolerance);
        let found = work.still.gap(&self.chain.pose(&[middle]), f64::INFINITY, Some(precision));
        let mut gap = Bounds { lower: found.gap.lower - self.moved(from, to), upper: found.gap.upper };
        if found.gap.lower > 0.0 && gap.width() > self.step_width(gap.upper) {
            let mut cells = Cells::new(self.chain, [from, to], self.spans());
            let known = (found.gap.upper, middle, found.points);
            let course = apart.course(&work.still, work.floor);
            let least = course.least_distance(&mut cells, known, |best| self.step_width(best), budget).distance;
            gap.upper = lesser(gap.upper, least.upper);
            // Surfaces apart throughout, and solids apart in the middle: the distance is the gap.
            if least.lower > 0.0 {
                gap.lower = greater(gap.lower, least.lower);
            }
        }
        (Step { from, to, gap }, -found.gap.lower)
    }

    /// Width of the bounds of a step (mm).
    fn step_width(&self, gap: f64) -> f64 {
        greater(WIDTH[0] * gap, WIDTH[1] * self.limits.tolerance)
    }

    /// Raises the lower bounds of parts that may overlap: insets of some depths prove most of them. `deepest` is the
    /// largest depth in the middle of a part (mm).
    fn raise_by_insets(&self, work: &mut Work, steps: &mut [Step], deepest: f64) {
        for depth in self.depths(work.slack, deepest) {
            let is_open = |step: &Step| step.gap.lower < -depth && step.gap.upper >= -depth;
            if !steps.iter().any(is_open) {
                continue;
            }
            let Some(surfaces) = insets(&work.still, depth, WHOLE) else { return };
            // A plot is not worth static queries.
            let level = work.level_of_insets(&surfaces, self.chain, depth).complete_or_open(0).without_queries();
            for step in steps.iter_mut().filter(|step| is_open(step)) {
                if self.scan(&level, work, [step.from, step.to], false).is_complete() {
                    step.gap.lower = -depth;
                }
            }
        }
    }

    /// Depths of the levels, in order (mm): the limit, and equal steps from it to just beyond the deepest middle.
    fn depths(&self, slack: f64, deepest: f64) -> Vec<f64> {
        let limit = self.limits.deepest() + slack;
        let beyond = BEYOND * deepest - limit;
        let levels = if beyond > 0.0 && beyond.is_finite() { LEVELS } else { 0 };
        let more = (1..=levels).map(|k| limit + beyond * (k as f64 / LEVELS as f64));
        std::iter::once(limit).chain(more).collect()
    }
}
