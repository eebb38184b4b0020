//! The parts of a run that break lesser limits than its status names, or may break them.
//!
//! A run that interferes may come too close in one part, or too far apart in another one. Each pose belongs to one
//! part, that of its worst status. A part without a proof has the status `Undecided`.

use crate::geom::math::{greater, lesser};
use crate::query::sweep::cells::merged;
use crate::query::sweep::run::{Failing, Sweep, SweepAnswer, SweepStatus};
use crate::query::sweep::widest::{GapLimit, widest};
use crate::query::sweep::work::Work;

/// Statuses of failing parts, the worst one first.
pub(super) const BREAKING: [SweepStatus; 4] =
    [SweepStatus::Interference, SweepStatus::Undecided, SweepStatus::TooClose, SweepStatus::Loose];

impl Sweep<'_> {
    /// Adds the parts that break lesser limits than the status of a failing or undecided run.
    pub(super) fn with_other_parts(&self, work: &mut Work, answer: SweepAnswer) -> SweepAnswer {
        let limits = &self.limits;
        if limits.min_clearance.is_none() && limits.max_gap.is_none() {
            return answer;
        }
        if !self.measured && !self.first_failing {
            // A lesser status may have a graver severity, so a verdict needs all parts, too.
            return Self { measured: true, ..*self }.with_all_parts(work, answer);
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
                answer.failing.extend(self.parts_too_far(work, largest, pose.at[0]));
            } else {
                let open = merged(found.open.iter().map(|ends| ends[0]).collect());
                answer.failing.extend(open.into_iter().map(unproved));
            }
        }
        answer.failing = in_order(answer.failing);
        answer
    }

    /// The parts of a run that interferes, with all ends, and those that break lesser limits.
    fn with_all_parts(&self, work: &mut Work, answer: SweepAnswer) -> SweepAnswer {
        let mut answer = answer;
        if answer.status == SweepStatus::Interference
            && let Some(hard) = self.depth_scan_of_broken(work)
        {
            let shown = answer.failing.first().map(|f| f.from[1]);
            answer.failing = self.parts_too_deep(work, &hard, shown);
        }
        self.with_other_parts(work, answer)
    }

    /// The parts farther apart than the largest gap of a rule (mm); `shown` is a pose of one. Where the gap equals the
    /// limit, the slack is granted. Without an answer, one part with unknown ends.
    pub(super) fn parts_too_far(&self, work: &mut Work, largest: f64, shown: f64) -> Vec<Failing> {
        let limits = [largest, largest + work.slack];
        let parts = limits.into_iter().find_map(|limit| self.parts_above(work, limit, !self.measured));
        parts.unwrap_or_else(|| vec![self.failing_somewhere(SweepStatus::Loose, shown)])
    }
}

/// A part that may break a limit.
fn unproved([from, to]: [f64; 2]) -> Failing {
    Failing { status: SweepStatus::Undecided, from: [from; 2], to: [to; 2], throughout: false }
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
