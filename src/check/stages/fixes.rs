//! Computes the effect of a fix: a part moved out of an overlap may fail with its other neighbours.

use crate::assembly::{InstanceIx, PairRule, RuleTable};
use crate::check::outcome::fix::Fix;
use crate::check::outcome::fix::fixable_rows;
use crate::check::outcome::fix::is_fixable;
use crate::check::pairs::candidates::{Candidate, instance_boxes};
use crate::check::prepare::shapes::PlacedInstance;
use crate::check::stages::Answer;
use crate::check::stages::answers::Checker;
use crate::check::stages::limits::Limits;
use crate::check::{Measure, PairOutcome, Status};
use crate::geom::{Aabb, Bounds, Vec3};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Largest number of neighbours tested for one moved part.
const MAX_NEIGHBOURS: usize = 32;

/// A pair before a move.
#[derive(Clone, Copy)]
struct Before {
    fails: bool,
    /// Certified bounds of the gap (mm); `None` where the gap is unknown.
    gap: Option<Bounds>,
}

/// Computes fixes for the rows of a run.
pub(crate) struct FixSearch<'a> {
    run: &'a Checker<'a>,
    rules: &'a RuleTable,
    /// Boxes of the instances (mm, root frame), grown so that two meet if the pair matters.
    boxes: Vec<Aabb>,
    /// Rows of the run, by their instances in increasing order.
    rows: BTreeMap<[u32; 2], Before>,
}

impl<'a> FixSearch<'a> {
    /// Prepares the search; pairs farther apart than `reach` (mm) are clear.
    pub(crate) fn new(run: &'a Checker<'a>, rules: &'a RuleTable, reach: f64) -> Self {
        Self { run, rules, boxes: instance_boxes(run.shapes, 0.5 * reach), rows: BTreeMap::new() }
    }

    /// Takes statuses and gaps of the drawing from its rows, in place of answering them again.
    fn with_rows(mut self, pairs: &[PairOutcome]) -> Self {
        let before = |row: &PairOutcome| Before { fails: row.status.fails(), gap: row.gap.and(row.gap_bracket) };
        self.rows = pairs.iter().map(|row| (in_order(row.a, row.b), before(row))).collect();
        self
    }

    /// Computes the fixes of the selected rows, in their order.
    pub(crate) fn fixes(&self, pairs: &[PairOutcome], most: usize) -> Vec<Fix> {
        fixable_rows(pairs, most).par_iter().filter_map(|row| self.fix(&pairs[*row])).collect()
    }

    /// Applies the row's translation and checks the moved part's other pairs. Cost: at most four answers a neighbour.
    pub(crate) fn fix(&self, row: &PairOutcome) -> Option<Fix> {
        let translation = row.separating_translation.filter(|_| is_fixable(row))?;
        let (moved, by) = row.separating_move()?;
        let own = self.boxes[moved.0 as usize];
        let there = Aabb { min: own.min + by, max: own.max + by };
        let near = (0..self.boxes.len() as u32)
            .map(InstanceIx)
            .filter(|&c| c != row.a && c != row.b && self.boxes[c.0 as usize].distance(&there) <= 0.0);
        let mut near: Vec<_> = near.filter(|&c| !matches!(self.rules.of(moved, c), PairRule::Ignored { .. })).collect();
        let moves_into = (near.len() <= MAX_NEIGHBOURS).then(|| {
            near.sort_by_key(|&c| &self.run.assembly.instances[c.0 as usize].id);
            near.into_iter().filter(|&c| self.gets_worse(moved, c, &by)).collect()
        });
        Some(Fix { pair: [row.a, row.b], translation, moves_into })
    }

    /// True if the pair newly fails after the move, or fails with bounds of the gap below those before.
    fn gets_worse(&self, moved: InstanceIx, other: InstanceIx, by: &Vec3) -> bool {
        let rule = if let PairRule::Rule(r) = self.rules.of(moved, other) { Some(r) } else { None };
        let limits = self.run.limits(rule);
        let here = self.run.shapes.placed[moved.0 as usize];
        let mut there = here;
        there.pose.translation += by;
        let candidate = Candidate { a: moved.0, b: other.0, rule };
        let answer = |placed: &PlacedInstance, measure| self.run.answer_at(&candidate, placed, &limits, measure);
        if !answer(&there, Measure::None).status.fails() {
            return false;
        }
        let known = self.rows.get(&in_order(moved, other)).copied();
        let before = known.unwrap_or_else(|| {
            let fails = answer(&here, Measure::None).status.fails();
            Before { fails, gap: if fails { gap_of(&answer(&here, Measure::Depth)) } else { None } }
        });
        if !before.fails {
            return true;
        }
        // A failing pair without a gap counts as worse.
        let Some(before) = before.gap else { return true };
        if before.lower < 0.0 {
            // A verdict costs less than the depth.
            let deeper = Limits::deeper_than(before.to_depth()[1]);
            return self.run.answer_at(&candidate, &there, &deeper, Measure::None).status == Status::Interference;
        }
        gap_of(&answer(&there, Measure::Depth)).is_none_or(|after| after.upper < before.lower)
    }
}

fn in_order(a: InstanceIx, b: InstanceIx) -> [u32; 2] {
    [a.0.min(b.0), a.0.max(b.0)]
}

/// Certified bounds of the gap (mm); `None` where the gap is unknown.
fn gap_of(answer: &Answer) -> Option<Bounds> {
    answer.measured.as_ref().filter(|m| m.gap.is_some()).map(|m| m.bracket)
}

impl Checker<'_> {
    /// Computes fixes for the rows of [`fixable_rows`]; pairs farther apart than `reach` (mm) are clear.
    pub(crate) fn fixes(&self, pairs: &[PairOutcome], rules: &RuleTable, reach: f64, most: usize) -> Vec<Fix> {
        let wanted = most > 0 && pairs.iter().any(is_fixable);
        if wanted { FixSearch::new(self, rules, reach).with_rows(pairs).fixes(pairs, most) } else { Vec::new() }
    }
}
