//! Fixes: translations that resolve an interference. Chooses the rows with a fix.

use crate::assembly::InstanceIx;
use crate::check::{Outcome, PairOutcome, Status};
use crate::geom::Vec3;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Instance of a pair that moves to separate it, with the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mover {
    /// The instance: A moves by the opposite of the separating translation, B by the translation itself.
    pub moves: Side,
    /// Reason of the choice.
    pub why: MoverReason,
}

/// One instance of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Instance A.
    A,
    /// Instance B.
    B,
}

/// Reason for the instance that moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MoverReason {
    /// Its oriented box has the smaller volume.
    Smaller,
    /// Both boxes have the same volume, so B moves.
    Equal,
    /// The other instance, of at most the same volume, is beside more than half of all instances.
    FewerNeighbours,
}

impl Mover {
    /// Chooses the instance with the smaller box (`volumes` in mm³, ≥ 0). The larger one moves if the smaller one has
    /// more neighbours, and more than half of the `others`, all instances but one.
    pub(crate) fn choose(volumes: [f64; 2], neighbours: [u32; 2], others: usize) -> Self {
        let smaller = usize::from(volumes[0] >= volumes[1]);
        let larger = 1 - smaller;
        let is_hub = 2 * neighbours[smaller] as usize > others && neighbours[smaller] > neighbours[larger];
        let side = |k: usize| if k == 0 { Side::A } else { Side::B };
        if is_hub {
            Self { moves: side(larger), why: MoverReason::FewerNeighbours }
        } else if volumes[0] == volumes[1] {
            Self { moves: Side::B, why: MoverReason::Equal }
        } else {
            Self { moves: side(smaller), why: MoverReason::Smaller }
        }
    }
}

/// A translation that resolves an interference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fix {
    /// Both instances, lesser id first. [`PairOutcome::mover`] tells which one moves.
    pub pair: [InstanceIx; 2],
    /// Translation of the second instance, relative to the first (mm, root frame): the row's `separating_translation`.
    pub translation: Vec3,
    /// Instances with which the moved one newly fails, or fails worse: the certified bounds of the gap lie below those
    /// before the move. In the order of their ids. `None` if too many neighbours come near.
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

impl PairOutcome {
    /// Instance that moves to separate the pair, and its translation (mm, root frame).
    pub fn separating_move(&self) -> Option<(InstanceIx, Vec3)> {
        let translation = self.separating_translation?;
        Some(match self.mover?.moves {
            Side::A => (self.a, Vec3::zeros() - translation),
            Side::B => (self.b, translation),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_part_moves_unless_most_others_touch_it() {
        let chosen = |volumes, neighbours, others| {
            let Mover { moves, why } = Mover::choose(volumes, neighbours, others);
            (moves, why)
        };
        assert_eq!(chosen([1.0, 8.0], [1, 1], 1), (Side::A, MoverReason::Smaller));
        assert_eq!(chosen([8.0, 1.0], [1, 1], 1), (Side::B, MoverReason::Smaller));
        assert_eq!(chosen([2.0, 2.0], [1, 1], 1), (Side::B, MoverReason::Equal));
        // A shaft in most of ten parts stays, unless the larger part has as many neighbours.
        assert_eq!(chosen([1.0, 8.0], [6, 1], 10), (Side::B, MoverReason::FewerNeighbours));
        assert_eq!(chosen([1.0, 8.0], [6, 6], 10), (Side::A, MoverReason::Smaller));
        assert_eq!(chosen([1.0, 8.0], [5, 1], 10), (Side::A, MoverReason::Smaller));
        assert_eq!(chosen([2.0, 2.0], [1, 6], 10), (Side::A, MoverReason::FewerNeighbours));
    }
}
