//! Merges the results of a pose or sweep, and verifies counts and indices.

use crate::check::motion::outcome::least_reason;
use crate::check::{Counts, JointOutcome, JointTravel, MotionOutcome, PairOutcome, RunOutcome, Status};
use crate::geom::math::greater;
use std::mem;

/// Takes the results of a shard out of a run; the definition, common to all shards, remains.
pub(crate) fn take_results(run: &mut RunOutcome) -> RunOutcome {
    let RunOutcome { name, kind, at, definition, joints, pairs, moving, .. } = &*run;
    let definition = RunOutcome {
        name: name.clone(),
        kind: kind.clone(),
        at: at.clone(),
        definition: *definition,
        joints: joints.clone(),
        pairs: *pairs,
        moving: *moving,
        ..RunOutcome::default()
    };
    mem::replace(run, definition)
}

/// Adds the results of another shard.
pub(crate) fn add_results(run: &mut RunOutcome, more: RunOutcome) {
    add(&mut run.counts, &more.counts);
    run.cleared_by.add(&more.cleared_by);
    run.cleared_by_swept_balls = run.cleared_by_swept_balls.saturating_add(more.cleared_by_swept_balls);
    run.rows.extend(more.rows);
    run.margin = greater(run.margin, more.margin);
    run.undecided_because = least_reason([run.undecided_because.take(), more.undecided_because]);
}

/// Adds with saturation: a huge count in a file must not overflow.
pub(crate) fn add(sum: &mut Counts, other: &Counts) {
    for status in Status::ALL {
        let n = sum.of_mut(status);
        *n = n.saturating_add(other.of(status));
    }
}

/// True if the joints that a joint names exist.
pub(crate) fn is_joint_known(joint: &JointOutcome, motion: &MotionOutcome) -> bool {
    [joint.on, joint.follows].into_iter().flatten().all(|j| (j as usize) < motion.joints.len())
}

/// True if every joint of a run and of its rows exists.
pub(crate) fn are_joints_known(run: &RunOutcome, motion: &MotionOutcome) -> bool {
    let known = |travel: &[JointTravel]| travel.iter().all(|t| (t.joint as usize) < motion.joints.len());
    let of_row = |row: &PairOutcome| {
        let Some(swept) = row.swept.as_deref() else { return true };
        let failing = swept.failing.iter().flatten().flat_map(|part| [&part.from, &part.to]);
        let curve = swept.curve.iter().flatten().map(|part| &part.span);
        let mut spans = swept.worst.iter().chain(&swept.first).chain(&swept.open).chain(failing).chain(curve);
        spans.all(|span| known(&span.joints))
    };
    known(&run.joints) && run.rows.iter().all(of_row)
}

/// Counts and rows of the drawing or of a run.
pub(crate) struct Tally<'a> {
    /// Number of checked pairs.
    pub pairs: u64,
    pub counts: &'a Counts,
    /// Number of pairs cleared by all stages; `None` beyond the largest integer.
    pub cleared: Option<u64>,
    pub rows: &'a [PairOutcome],
}

impl<'a> Tally<'a> {
    pub(crate) fn of(run: &'a RunOutcome) -> Self {
        let stages = run.cleared_by.named().map(|(_, n)| n);
        let cleared = total(&stages).and_then(|n| n.checked_add(run.cleared_by_swept_balls));
        Self { pairs: run.pairs, counts: &run.counts, cleared, rows: &run.rows }
    }

    /// True if every pair has one status, and every status its rows.
    pub(crate) fn is_whole(&self) -> bool {
        let ended = total(&Status::ALL.map(|s| self.counts.of(s)));
        let mut listed = Counts::default();
        self.rows.iter().for_each(|p| *listed.of_mut(p.status) += 1);
        let all_listed = Status::ALL.into_iter().all(|s| match s {
            Status::Clear => listed.clear <= self.counts.clear,
            Status::Ignored => listed.ignored == 0,
            _ => listed.of(s) == self.counts.of(s),
        });
        let twice = self.rows.windows(2).any(|w| (w[0].a, w[0].b) == (w[1].a, w[1].b));
        ended == Some(self.pairs) && self.cleared == Some(self.counts.clear) && all_listed && !twice
    }
}

/// Sum of numbers; `None` beyond the largest integer.
pub(crate) fn total(numbers: &[u64]) -> Option<u64> {
    numbers.iter().try_fold(0_u64, |sum, n| sum.checked_add(*n))
}
