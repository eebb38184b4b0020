//! Counts the pairs of a run by status and by stage.

use crate::check::pairs::distinct::UniquePairs;
use crate::check::stages::Answer;
use crate::check::stages::trace::ExitStage;
use crate::check::{ClearedBy, Counts, PairFunnel, Status};

/// Counts of a run.
pub(crate) struct RunCounts {
    pub counts: Counts,
    pub cleared_by: ClearedBy,
    pub funnel: PairFunnel,
}

/// Counts of pairs outside the candidates.
#[derive(Clone, Copy, Default)]
pub(crate) struct Pruned {
    pub ignored: u64,
    /// Pairs cleared by their axis-aligned boxes.
    pub by_boxes: u64,
}

impl RunCounts {
    /// Counts every pair once.
    pub(crate) fn of(unseen: Pruned, groups: &UniquePairs, answers: &[Answer]) -> Self {
        let Pruned { ignored, by_boxes } = unseen;
        let candidates = groups.candidates.len() as u64;
        let mut tally = Self {
            counts: Counts { ignored, clear: by_boxes, ..Counts::default() },
            cleared_by: ClearedBy { aabb: by_boxes, ..ClearedBy::default() },
            funnel: PairFunnel {
                possible: by_boxes + candidates,
                aabb: candidates,
                distinct: groups.distinct.len() as u64,
                ..PairFunnel::default()
            },
        };
        groups.candidates.iter().for_each(|member| tally.add(&answers[member.group as usize]));
        tally
    }

    fn add(&mut self, answer: &Answer) {
        *self.counts.of_mut(answer.status) += 1;
        if answer.exit_stage == ExitStage::Obb {
            self.cleared_by.obb += 1;
            return;
        }
        self.funnel.obb += 1;
        if answer.exit_stage != ExitStage::Hull {
            self.funnel.hull += 1;
        }
        let settled = answer.status != Status::Clear;
        let counter = if settled { &mut self.funnel.confirmed } else { self.cleared_by.of_mut(answer.exit_stage) };
        *counter += 1;
    }
}
