//! Poses of a run that break its limits, found one by one before a proof.

use crate::query::sweep::run::{Sweep, SweepAnswer, SweepStatus};
use crate::query::sweep::work::Work;

/// Poses judged before the proof, evenly spread over the run: they only choose where to look first.
const FIRST_POSES: usize = 5;

/// Poses judged behind the first contact of a run for its status alone. The first one is this multiple of the limit
/// away, by the displacement of B, and each other one this many times as far.
const BEHIND: [f64; 2] = [8.0, 4.0];

/// Largest number of such poses.
const POSES_BEHIND: usize = 6;

impl Sweep<'_> {
    /// The answer of a run with a pose deeper than the limits that the static check denies.
    pub(super) fn denied(&self, at: f64) -> Option<SweepAnswer> {
        let denies = self.confirms.is_some_and(|confirms| !confirms(at));
        denies.then(|| self.unconfirmed(at))
    }

    /// The answer of a run with a pose deeper than the limits that the static check has denied.
    pub(super) fn unconfirmed(&self, at: f64) -> SweepAnswer {
        SweepAnswer { unconfirmed: Some(at), ..self.bare(SweepStatus::Undecided, vec![self.range]) }
    }

    /// A pose that overlaps deeper than all limits, among a few; `None` without one, or if none is cheap to find.
    pub fn overlapping_pose(&self) -> Option<f64> {
        self.broken_pose(&self.work(), self.first_poses().into_iter())
    }

    /// The poses judged first, in order.
    pub(super) fn first_poses(&self) -> Vec<f64> {
        spread_poses(self.range)
    }

    /// The first of some poses that overlaps deeper than all limits.
    pub(super) fn broken_pose(&self, work: &Work, mut poses: impl Iterator<Item = f64>) -> Option<f64> {
        let deepest = self.limits.deepest();
        poses.find(|q| work.still.gap_within(&self.chain.pose(&[*q]), deepest, 0.0).gap.upper < -deepest)
    }

    /// Searches a pose deeper than all limits behind a contact, by common balls alone: each pose is farther from the
    /// contact than the one before.
    pub(super) fn overlap_behind(&self, work: &Work, contact: f64) -> Option<f64> {
        let deepest = self.limits.deepest();
        let rest = self.range[1] - contact;
        let mut poses = behind(deepest / self.moved(contact, self.range[1])).map(|share| contact + share * rest);
        poses
            .find(|q| work.still.ball(&self.chain.pose(&[*q]), None, deepest).is_some_and(|(depth, _)| depth > deepest))
    }
}

/// Poses evenly spread over a run.
pub(super) fn spread_poses([from, to]: [f64; 2]) -> Vec<f64> {
    (0..FIRST_POSES).map(|k| from + (to - from) * k as f64 / (FIRST_POSES - 1) as f64).collect()
}

/// Shares of the way from a contact to the end of a run, for an overlap behind it. `limit` is the share within which B
/// moves by the limit of the depth.
pub(super) fn behind(limit: f64) -> impl Iterator<Item = f64> {
    let shares = std::iter::successors(Some(BEHIND[0] * limit), |share| Some(share * BEHIND[1]));
    shares.take(POSES_BEHIND).take_while(|share| *share > 0.0 && *share < 1.0)
}
