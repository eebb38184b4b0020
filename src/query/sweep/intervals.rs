//! The parts of a run that break a rule, certified from both sides.
//!
//! Both ends come from proofs that approach them from outside. Inside, a gap below the limit by some slack stays below
//! it as long as B, or the centre of a common ball, moves by less than the slack (docs/explanation/motion.md, claims 1
//! and 8).

use crate::geom::math::{greater, lesser};
use crate::motion::{Cell, Frame};
use crate::query::sweep::cells::displacement;
use crate::query::sweep::lasting::LastingBalls;
use crate::query::sweep::level::{Level, Scan};
use crate::query::sweep::run::{Failing, PROMISED_FLOORS, Sweep, SweepStatus};
use crate::query::sweep::widest::by_pairs;
use crate::query::sweep::work::Work;

/// Largest number of poses inside the failing part of one run, for depths and for distances.
const MAX_QUERIES: [usize; 2] = [256, 2048];

/// Largest number of halvings of a certified extension.
const HALVINGS: u32 = 40;

impl Sweep<'_> {
    /// Finds the failing parts at a level, the signed gap `limit` (mm): for a depth `Interference`, else `TooClose`.
    /// `scan` is the scan of the whole run from its start; `shown` is a broken pose known otherwise.
    pub(crate) fn failing(
        &self,
        level: &Level,
        work: &mut Work,
        limit: f64,
        scan: &Scan,
        shown: Option<f64>,
    ) -> Vec<Failing> {
        let status = if limit < 0.0 { SweepStatus::Interference } else { SweepStatus::TooClose };
        let [from, to] = self.range;
        let any = [scan.violation.map(|v| v.at), shown].into_iter().flatten().reduce(f64::min);
        let Some(any) = any else { return Vec::new() };
        if !self.measured {
            return vec![Failing { status, from: scan.first.unwrap_or([from, any]), to: [any, to], throughout: false }];
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
            out.push(Failing { status, from: start, to: end, throughout });
            start = next;
        }
        out.push(Failing { status, from: start, to: last, throughout });
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
        let balls = (limit < 0.0).then(|| LastingBalls::new(self));
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
                let half = self.broken_around(work, limit, middle, 0.5 * (y - x), slack);
                let by_ball = match &balls {
                    Some(balls) if half < 0.5 * (y - x) => balls.around(work, -limit, middle, [x, y], None),
                    _ => [middle; 2],
                };
                let shown = [lesser(middle - half, by_ball[0]), greater(middle + half, by_ball[1])];
                stack.extend([[shown[1], y], [x, shown[0]]]);
                continue;
            }
            // The middle keeps the rule, or nearly so: proofs from it find the ends on both sides.
            let left = self.scan(level, work, [x, middle], true);
            let right = self.scan(level, work, [middle, y], false);
            let (Some(end), Some(next)) = (left.first, right.first) else {
                all = false;
                continue;
            };
            let mut shown = [end[0], next[1]];
            if end[1] < next[0] {
                gaps.push([end, next]);
            } else if self.moved(shown[0], shown[1]) > PROMISED_FLOORS * work.floor {
                all = false;
                continue;
            } else if let Some(balls) = &balls {
                // The middle is broken, but no ascent from the middles of the parts finds the ball there.
                for v in [left.violation, right.violation].into_iter().flatten() {
                    let start = (v.points[0] + v.points[1]) * 0.5;
                    let [early, late] = balls.around(work, -limit, v.at, [x, y], Some(start));
                    shown = [lesser(shown[0], early), greater(shown[1], late)];
                }
            }
            stack.extend([[shown[1], y], [x, shown[0]]]);
        }
        all
    }

    /// Half the length of an interval about a broken pose, at most `half`, at all values of which the rule is broken; 0
    /// if none is found. The gap at the pose is below the limit by `slack` (mm).
    fn broken_around(&self, work: &Work, limit: f64, middle: f64, half: f64, slack: f64) -> f64 {
        let near = (limit > 0.0).then(|| work.still.nearest(&self.chain.pose(&[middle]), limit)).flatten();
        let spans = self.spans();
        let mut half = half;
        for _ in 0..HALVINGS {
            let frame = Frame::new(self.chain, &Cell { center: vec![middle], half: vec![half] });
            let stays_near = near.as_ref().is_some_and(|near| by_pairs(&work.still, &frame, near) < limit);
            if half <= 0.0 || stays_near || displacement(&frame, &spans) < slack {
                return half;
            }
            half *= 0.5;
        }
        0.0
    }

    /// Largest displacement between two values of the parameter, from the place in their middle (mm): that of B, or of
    /// A seen from B.
    pub(crate) fn moved(&self, from: f64, to: f64) -> f64 {
        displacement(&Frame::new(self.chain, &Cell::between(from, to)), &self.spans())
    }

    /// Amount by which the gap at a pose is certainly below a limit (mm); <= 0 if it may keep the limit. A search for
    /// more than `enough` (mm, >= 0) ends there.
    pub(super) fn slack(&self, work: &mut Work, limit: f64, q: f64, enough: f64) -> f64 {
        let pose = self.chain.pose(&[q]);
        let mut known = f64::NEG_INFINITY;
        if limit > 0.0
            && let Some((d, _)) = work.still.distance(&pose, limit)
        {
            // The gap is at most the distance of the surfaces: it is less for solids that overlap or are nested.
            known = limit - (d + work.still.margin);
            if known > enough || (d > work.still.margin && !work.still.nested(&pose)) {
                return known;
            }
        }
        let ball = work.still.ball(&pose, None, enough - limit);
        ball.map_or(known, |(depth, _)| greater(known, limit + depth))
    }
}
