//! The parts of a run that break lesser limits than its status names.
//!
//! A run that interferes may come too close in one part, or too far apart in another one. Each pose belongs to one part,
//! that of its worst status.

use crate::geom::math::{greater, lesser};
use crate::query::sweep::cells::merged;
use crate::query::sweep::run::{Failing, Sweep, SweepAnswer, SweepStatus};
use crate::query::sweep::widest::{GapLimit, widest};
use crate::query::sweep::work::Work;

/// Statuses of failing parts, the worst one first.
pub(super) const BREAKING: [SweepStatus; 3] = [SweepStatus::Interference, SweepStatus::TooClose, SweepStatus::Loose];

impl Sweep<'_> {
    /// Adds the parts that break lesser limits than the status of a failing or undecided run. A verdict needs none.
    pub(super) fn with_other_parts(&self, work: &mut Work, answer: SweepAnswer) -> SweepAnswer {
        if !self.measured && !self.first_failing {
            return answer;
        }
        let mut answer = answer;
        if let Some(clearance) = self.limits.min_clearance
            && answer.status != SweepStatus::TooClose
        {
            let shown = answer.failing.first().map(|f| f.from[1]);
            let close = self.parts_too_close(work, clearance, shown);
            answer.failing =
                if self.measured { joined(answer.failing, close) } else { [answer.failing, close].concat() };
        }
        if let Some(largest) = self.limits.max_gap {
            let limit = GapLimit { largest, measured: false };
            let found = widest(work, self.chain, &[self.range], limit, |_| f64::INFINITY);
            if let Some(pose) = found.pose.filter(|pose| pose.least > largest + work.slack) {
                let loose = self.parts_too_far(work, largest, pose.at[0]);
                // Surfaces of nested solids may be far apart.
                let is_overlap = |f: &&Failing| f.status == SweepStatus::Interference;
                let outside = |f: &Failing| !answer.failing.iter().filter(is_overlap).any(|o| self.meets(o, f));
                let loose: Vec<Failing> = loose.into_iter().filter(outside).collect();
                answer.failing.extend(loose);
            } else {
                answer.open = merged(answer.open.into_iter().chain(found.open.iter().map(|ends| ends[0])).collect());
            }
        }
        answer.failing = in_order(answer.failing);
        answer
    }

    /// The parts farther apart than the largest gap of a rule (mm); `shown` is a pose of one. Beyond the budget, one part
    /// with unknown ends.
    pub(super) fn parts_too_far(&self, work: &mut Work, largest: f64, shown: f64) -> Vec<Failing> {
        let parts = self.parts_above(work, largest, !self.measured);
        if parts.is_empty() || work.budget.remaining == 0 {
            return vec![self.failing_somewhere(SweepStatus::Loose, shown)];
        }
        parts
    }

    /// True if a loose part has poses in common with one that overlaps; without measures, both are known by their starts
    /// alone.
    fn meets(&self, overlap: &Failing, loose: &Failing) -> bool {
        let ends_after = !self.measured || overlap.from[0] < loose.to[1];
        overlap.from[0] <= loose.from[1] && loose.from[1] <= overlap.to[1] && ends_after
    }
}

/// Sorts parts by their starts.
pub(super) fn in_order(mut parts: Vec<Failing>) -> Vec<Failing> {
    parts.sort_by(|x, y| x.from[0].total_cmp(&y.from[0]).then(x.to[0].total_cmp(&y.to[0])));
    parts
}

/// Parts of a worse status, and what lesser parts have outside of them. A lesser part with unknown poses stays whole.
fn joined(worse: Vec<Failing>, lesser_parts: Vec<Failing>) -> Vec<Failing> {
    let mut worse = in_order(worse);
    let mut out = Vec::new();
    for part in lesser_parts {
        if !part.throughout {
            out.push(part);
            continue;
        }
        let mut start = part.from;
        let inside = |w: &&mut Failing| w.from[1] <= part.to[1] && w.to[0] >= part.from[0];
        let mut last: Option<&mut Failing> = None;
        for w in worse.iter_mut().filter(inside) {
            if w.from[0] > start[1] {
                out.push(Failing { from: start, to: w.from, ..part });
            } else {
                // The brackets overlap: the one of the worse part holds both.
                w.from[0] = lesser(w.from[0], start[0]);
            }
            start = w.to;
            last = Some(w);
        }
        match last {
            Some(w) if part.to[0] <= start[1] => w.to[1] = greater(w.to[1], part.to[1]),
            _ => out.push(Failing { from: start, ..part }),
        }
    }
    out.extend(worse);
    out
}
