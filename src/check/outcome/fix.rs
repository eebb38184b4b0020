//! Fixes: translations that resolve an interference, and the rows that get one.

use crate::assembly::InstanceIx;
use crate::check::{Outcome, PairOutcome, Status};
use crate::geom::Vec3;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A translation that resolves an interference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fix {
    /// Both instances, lesser id first; the second one moves.
    pub pair: [InstanceIx; 2],
    /// Translation of the second instance (mm, root frame): the row's `separating_translation`.
    pub translation: Vec3,
    /// Instances with which the moved one newly fails, or fails worse, in the order of their ids. `None` if too many
    /// neighbours come near.
    pub moves_into: Option<Vec<InstanceIx>>,
}

/// Returns true if a translation resolves the row.
pub(crate) fn is_fixable(row: &PairOutcome) -> bool {
    row.status == Status::Interference && row.separating_translation.is_some()
}

/// Selects the rows for fixes: the `most` deepest ones with a separating translation, and the deepest row of each of
/// the `most` first kinds ([`PairOutcome::alike`]). A report thus has the fixes of its rows, listed one by one or by
/// kind. Sorted by depth, deepest first; equal rows keep their order. A shard selects at least its share of the whole
/// run's rows.
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

impl Outcome {
    /// Fix of a row, if the run computed one.
    pub fn fix_of(&self, row: &PairOutcome) -> Option<&Fix> {
        self.fixes.iter().find(|f| f.pair == [row.a, row.b])
    }
}
