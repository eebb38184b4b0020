//! What becomes of the other pairs when a part is moved out of the one that it overlaps.

use crate::assembly::{InstanceIx, PairRule, RuleTable};
use crate::check::pairs::candidates::{Candidate, instance_boxes};
use crate::check::prepare::shapes::PlacedInstance;
use crate::check::stages::Answer;
use crate::check::stages::answers::Checker;
use crate::check::{Outcome, PairOutcome, Status};
use crate::geom::{Aabb, Vec3};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Neighbours that one moved part is held against, at most; with more nothing is said.
const MAX_NEIGHBOURS: usize = 32;

/// A pair that fails already is made worse by this share of its gap or more.
const WORSE_GAP_SHARE: f64 = 0.02;

/// A way to mend a pair that interferes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fix {
    /// Of the pair that it mends, the lesser id first; the second is moved.
    pub pair: [InstanceIx; 2],
    /// By this (mm, root coordinates): the row's `separating_translation`.
    pub translation: Vec3,
    /// The instances with which the moved one then fails where it did not, or fails worse; in the order of their ids. `None` where
    /// too many come near to be asked.
    pub moves_into: Option<Vec<InstanceIx>>,
}

/// Whether a row is one that a translation mends.
pub(crate) fn is_fixable(row: &PairOutcome) -> bool {
    row.status == Status::Interference && row.separating_translation.is_some()
}

/// The rows for which fixes are looked up: the deepest that a translation mends, no more than `most`, and as many of which no two are
/// alike, so that a report has them whether it lists every pair or each kind once. Deepest first, the outcome's order among
/// equals. Those of a whole run are among those of its parts.
pub fn fixable_rows(pairs: &[PairOutcome], most: usize) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..pairs.len()).filter(|k| is_fixable(&pairs[*k])).collect();
    let depth = |k: &usize| pairs[*k].overlap_depth.unwrap_or(0.0);
    rows.sort_by(|x, y| depth(y).total_cmp(&depth(x)));
    let mut kinds = BTreeSet::new();
    let mut listed = 0;
    rows.retain(|k| {
        listed += 1;
        (kinds.len() < most && kinds.insert(pairs[*k].alike)) || listed <= most
    });
    rows
}

/// What is needed to try moves.
pub(crate) struct FixSearch<'a> {
    run: &'a Checker<'a>,
    rules: &'a RuleTable,
    /// Of the instances, so large that only pairs matter whose boxes meet.
    boxes: Vec<Aabb>,
}

impl<'a> FixSearch<'a> {
    /// Nothing is asked of pairs farther apart than `reach` (mm).
    pub(crate) fn new(run: &'a Checker<'a>, rules: &'a RuleTable, reach: f64) -> Self {
        Self { run, rules, boxes: instance_boxes(run.shapes, 0.5 * reach) }
    }

    /// Of the rows that are worth it. In their order.
    pub(crate) fn fixes(&self, pairs: &[PairOutcome], most: usize) -> Vec<Fix> {
        fixable_rows(pairs, most).par_iter().filter_map(|row| self.fix(&pairs[*row])).collect()
    }

    /// What the row's translation does to the moved part's other pairs. Cost: two answers, at most, for each neighbour.
    pub(crate) fn fix(&self, row: &PairOutcome) -> Option<Fix> {
        let translation = row.separating_translation.filter(|_| is_fixable(row))?;
        let own = self.boxes[row.b.0 as usize];
        let there = Aabb { min: own.min + translation, max: own.max + translation };
        let near = (0..self.boxes.len() as u32)
            .map(InstanceIx)
            .filter(|&c| c != row.a && c != row.b && self.boxes[c.0 as usize].distance(&there) <= 0.0);
        let mut near: Vec<_> = near.filter(|&c| !matches!(self.rules.of(row.b, c), PairRule::Ignored { .. })).collect();
        let moves_into = (near.len() <= MAX_NEIGHBOURS).then(|| {
            near.sort_by_key(|&c| &self.run.assembly.instances[c.0 as usize].id);
            near.into_iter().filter(|&c| self.gets_worse(row.b, c, &translation)).collect()
        });
        Some(Fix { pair: [row.a, row.b], translation, moves_into })
    }

    fn gets_worse(&self, moved: InstanceIx, other: InstanceIx, by: &Vec3) -> bool {
        let rule = if let PairRule::Rule(r) = self.rules.of(moved, other) { Some(r) } else { None };
        let here = self.run.shapes.placed[moved.0 as usize];
        let mut there = here;
        there.pose.translation += by;
        let answer = |placed: &PlacedInstance, verdict_only| {
            let candidate = Candidate { a: moved.0, b: other.0, rule };
            self.run.answer_at(&candidate, placed, verdict_only)
        };
        if !answer(&there, true).status.fails() {
            return false;
        }
        if !answer(&here, true).status.fails() {
            return true;
        }
        let gap = |placed| gap_of(&answer(placed, false));
        match (gap(&here), gap(&there)) {
            (Some(before), Some(after)) => after < before - WORSE_GAP_SHARE * before.abs(),
            // Whether it is worse is not known: it fails.
            _ => true,
        }
    }
}

impl Checker<'_> {
    /// Of the deepest pairs that a translation mends, no more than `most`, what becomes of the others. Nothing is asked of pairs
    /// farther apart than `reach` (mm).
    pub(crate) fn fixes(&self, pairs: &[PairOutcome], rules: &RuleTable, reach: f64, most: usize) -> Vec<Fix> {
        let wanted = most > 0 && pairs.iter().any(is_fixable);
        if wanted { FixSearch::new(self, rules, reach).fixes(pairs, most) } else { Vec::new() }
    }
}

fn gap_of(answer: &Answer) -> Option<f64> {
    answer.measured.as_ref().and_then(|m| m.gap)
}

impl Outcome {
    /// What was found to mend a pair, where that was asked for.
    pub fn fix_of(&self, row: &PairOutcome) -> Option<&Fix> {
        self.fixes.iter().find(|f| f.pair == [row.a, row.b])
    }
}
