//! The parts of a run that break a rule, certified from both sides.
//!
//! Both ends come from proofs that approach them from outside. Inside, a gap below the limit by some slack stays below
//! it as long as B, or the centre of a common ball, moves by less than the slack (docs/explanation/motion.md, claims 1
//! and 8).

use crate::motion::{Cell, Frame};
use crate::query::sweep::cells::displacement;
use crate::query::sweep::level::{Level, Scan};
use crate::query::sweep::run::{Failing, PROMISED_FLOORS, Sweep};
use crate::query::sweep::work::Work;

/// Largest number of poses inside the failing part of one run, for depths and for distances.
const MAX_QUERIES: [usize; 2] = [256, 2048];

/// Largest number of halvings of a certified extension.
const HALVINGS: u32 = 40;

impl Sweep<'_> {
    /// Finds the failing parts at a level, the signed gap `limit` (mm). `scan` is the scan of the whole run from its
    /// start; `shown` is a broken pose known otherwise.
    pub(crate) fn failing(
        &self,
        level: &Level,
        work: &mut Work,
        limit: f64,
        scan: &Scan,
        shown: Option<f64>,
    ) -> Vec<Failing> {
        let [from, to] = self.range;
        let any = [scan.violation.map(|v| v.at), shown].into_iter().flatten().reduce(f64::min);
        let Some(any) = any else { return Vec::new() };
        if !self.measured {
            return vec![Failing { from: scan.first.unwrap_or([from, any]), to: [any, to], throughout: false }];
        }
        let first = if self.slack(work, limit, from, 0.0) > 0.0 {
            [from; 2]
        } else {
            match scan.first {
                Some(first) if scan.nested.is_empty() && shown.is_none_or(|s| s >= first[0]) => first,
                _ => [from, any],
            }
        };
        let last = if self.slack(work, limit, to, 0.0) > 0.0 {
            [to; 2]
        } else {
            let back = self.scan(level, work, [any, to], true);
            match back.first {
                Some(last) if back.nested.is_empty() => last,
                _ => [any, to],
            }
        };
        let mut gaps = Vec::new();
        let throughout = self.inside(level, work, limit, [first[1], last[0]], &mut gaps);
        gaps.sort_by(|x: &[[f64; 2]; 2], y| x[0][0].total_cmp(&y[0][0]));
        let mut out = Vec::new();
        let mut start = first;
        for [end, next] in gaps {
            out.push(Failing { from: start, to: end, throughout });
            start = next;
        }
        out.push(Failing { from: start, to: last, throughout });
        out
    }

    /// Searches between two broken poses for parts that keep the rule: brackets of where they start and end. Returns
    /// true if everything else is shown broken.
    fn inside(
        &self,
        level: &Level,
        work: &mut Work,
        limit: f64,
        range: [f64; 2],
        gaps: &mut Vec<[[f64; 2]; 2]>,
    ) -> bool {
        let mut queries = 0;
        let mut stack = vec![range];
        let mut all = true;
        while let Some([x, y]) = stack.pop() {
            let moved = self.moved(x, y);
            if y <= x || moved <= PROMISED_FLOORS * work.floor {
                continue;
            }
            if queries >= MAX_QUERIES[usize::from(limit > 0.0)] {
                all = false;
                continue;
            }
            queries += 1;
            let middle = x + 0.5 * (y - x);
            let slack = self.slack(work, limit, middle, moved);
            if slack > 0.0 {
                let mut half = 0.5 * (y - x);
                let mut halvings = 0;
                while half > 0.0 && halvings < HALVINGS && self.moved(middle - half, middle + half) >= slack {
                    half *= 0.5;
                    halvings += 1;
                }
                if halvings == HALVINGS {
                    half = 0.0;
                }
                if half < 0.5 * (y - x) {
                    stack.extend([[middle + half, y], [x, middle - half]]);
                }
                continue;
            }
            // The middle keeps the rule, or nearly so: proofs from it find the ends on both sides.
            let left = self.scan(level, work, [x, middle], true);
            let right = self.scan(level, work, [middle, y], false);
            if let (Some(end), Some(next)) = (left.first, right.first)
                && end[1] < next[0]
            {
                gaps.push([end, next]);
                stack.extend([[next[1], y], [x, end[0]]]);
            } else {
                all = false;
            }
        }
        all
    }

    /// Largest displacement between two values of the parameter, from the place in their middle (mm): that of B, or of A
    /// seen from B.
    pub(crate) fn moved(&self, from: f64, to: f64) -> f64 {
        displacement(&Frame::new(self.chain, &Cell::between(from, to)), &self.balls())
    }

    /// Amount by which the gap at a pose is certainly below a limit (mm); <= 0 if it may keep the limit. A search for more
    /// than `enough` (mm, >= 0) ends there.
    fn slack(&self, work: &mut Work, limit: f64, q: f64, enough: f64) -> f64 {
        let pose = self.chain.pose(&[q]);
        if limit > 0.0
            && let Some((d, _)) = work.still.distance(&pose, limit)
            && d > work.still.margin
            && !work.still.nested(&pose)
        {
            return limit - (d + work.still.margin);
        }
        let ball = work.still.ball(&pose, None, enough - limit);
        ball.map_or(f64::NEG_INFINITY, |(depth, _)| limit + depth)
    }
}
