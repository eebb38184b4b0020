//! Status of a run: two solids on a chain of joints, one parameter, the limits of a pair.

use crate::geom::math::greater;
use crate::geom::{Bounds, Vec3};
use crate::motion::{Cell, Chain};
use crate::query::depth::SolidRef;
use crate::query::sweep::cells::{Cells, merged};
use crate::query::sweep::level::{Level, Scan, insets};
use crate::query::sweep::work::{Work, balls};
use crate::shape::surface::Inside;

/// Default number of tests of a pair in a run: seconds for one thread.
pub const DEFAULT_TESTS: u64 = 16_000_000;

/// Width of the bracket of a least gap: a share of the gap, and of the tolerance; the larger one counts.
const WIDTH: [f64; 2] = [0.01, 0.1];

/// Poses judged before the proof, evenly spread over the run: they only choose where to look first.
const FIRST_POSES: usize = 5;

/// Limits of a pair (mm).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SweepLimits {
    /// Largest depth of a contact (> 0).
    pub tolerance: f64,
    /// Largest depth allowed by a rule.
    pub allow_depth: Option<f64>,
    /// Smallest gap required by a rule.
    pub min_clearance: Option<f64>,
}

impl SweepLimits {
    /// Depth beyond which the pair interferes (mm).
    pub(crate) fn deepest(&self) -> f64 {
        greater(self.tolerance, self.allow_depth.unwrap_or(0.0))
    }
}

/// A pair of solids on a run of one parameter.
#[derive(Clone, Copy)]
pub struct Sweep<'a> {
    /// The first solid, in its centred frame.
    pub a: SolidRef<'a>,
    /// The second solid, in its centred frame.
    pub b: SolidRef<'a>,
    /// Motion of the second frame in the first one, on one parameter.
    pub chain: &'a Chain,
    /// First and last value of the parameter, in increasing order.
    pub range: [f64; 2],
    /// Limits of the pair.
    pub limits: SweepLimits,
    /// Distance by which surfaces designed to coincide may miss each other: the rounding of both files (mm, >= 0).
    pub quantum: f64,
    /// Loss of the placements (mm, >= 0).
    pub residual: f64,
    /// Budget in tests of two nodes or triangles.
    pub tests: u64,
    /// True to bracket the worst pose and the ends of all intervals; false if the status alone counts.
    pub measured: bool,
    /// True to bracket the first failing pose, even if the status alone is known before.
    pub first_failing: bool,
    /// True to bracket the least gap of a clear run as well.
    pub measures_clear: bool,
}

/// Status of a run, for all its poses together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SweepStatus {
    /// The gap exceeds tolerance and clearance at every pose, to within a hundredth of the tolerance.
    Clear,
    /// A pose is closer than the rule demands; no pose interferes.
    TooClose,
    /// No pose overlaps deeper than the tolerance, to within a hundredth of it.
    Contact,
    /// No pose overlaps deeper than a rule allows.
    Allowed,
    /// A pose overlaps deeper than tolerance and rule allow.
    Interference,
    /// Neither is shown.
    Undecided,
}

/// The worst pose known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worst {
    /// Value of the parameter.
    pub at: f64,
    /// Certified bounds of the least gap of the run (mm, signed); the upper end belongs to the gap at `at`.
    pub gap: Bounds,
    /// Point of A and point of B at this pose (A's frame, mm).
    pub points: [Vec3; 2],
}

/// A part of a run that breaks a rule; each end is a bracket, with the pose on the inner side broken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Failing {
    /// Bracket of the start.
    pub from: [f64; 2],
    /// Bracket of the end.
    pub to: [f64; 2],
    /// True if every pose in between is shown to break the rule; false if some are unknown.
    pub throughout: bool,
}

/// Answer for a run.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepAnswer {
    /// Status of the run.
    pub status: SweepStatus,
    /// Share of the run with a proof of its status, 0 to 1.
    pub proved: f64,
    /// Parts of the run without a proof.
    pub open: Vec<[f64; 2]>,
    /// The worst pose known.
    pub worst: Option<Worst>,
    /// Bracket of the first pose that comes within the larger of tolerance and clearance (less a hundredth of the
    /// tolerance), if one is known.
    pub approach: Option<[f64; 2]>,
    /// Parts that break the rule, in order; empty for passing runs.
    pub failing: Vec<Failing>,
    /// Tests used.
    pub tests: u64,
    /// Configurations of the joints evaluated.
    pub frames: usize,
    /// True if a surface has no definite inside.
    pub no_inside: bool,
    /// Slack granted to each limit (mm, >= 0).
    pub slack: f64,
}

impl<'a> Sweep<'a> {
    /// Balls around A and B, each in its own frame: centre, radius (mm).
    pub(crate) fn balls(&self) -> [(Vec3, f64); 2] {
        balls([self.a, self.b])
    }

    fn work(&self) -> Work<'a> {
        let cell = Cell::between(self.range[0], self.range[1]);
        let lost = [self.quantum, self.residual];
        Work::new([self.a, self.b], self.chain, &cell, &self.limits, lost, self.tests)
    }

    /// Decides the run. Cost: up to the budget, and some static queries.
    pub fn answer(&self) -> SweepAnswer {
        let mut work = self.work();
        let mut approach = None;
        let [from, to] = self.range;
        if !(from <= to && from.is_finite() && to.is_finite()) {
            // No proof covers an empty range.
            return self.bare(SweepStatus::Undecided, vec![self.range]);
        }
        let mut answer = self.decide(&mut work, &mut approach);
        let unknown = answer.failing.iter().filter(|f| !f.throughout).map(|f| [f.from[1], f.to[0]]);
        answer.open = merged(answer.open.iter().copied().chain(unknown).collect());
        answer.proved = self.share_without(&answer.open);
        answer.approach = approach;
        answer.tests = work.budget.used;
        answer.frames = work.frames;
        answer.slack = work.slack;
        answer
    }

    fn decide(&self, work: &mut Work, approach: &mut Option<[f64; 2]>) -> SweepAnswer {
        let limits = &self.limits;
        let bare = |status, open: Vec<[f64; 2]>| self.bare(status, open);
        let surfaces = [self.a.surface, self.b.surface];
        let wanted = greater(limits.tolerance, limits.min_clearance.unwrap_or(0.0));
        let apart = Level::apart(surfaces, self.chain, greater(wanted - work.slack, 0.0));
        let near = self.scan(&apart, work, self.range, false);
        *approach = near.first.filter(|_| near.nested.is_empty());
        if near.is_complete() {
            let worst = (self.measured && self.measures_clear).then(|| self.least_gap(&apart, work)).flatten();
            return SweepAnswer { worst, ..bare(SweepStatus::Clear, Vec::new()) };
        }
        // Poses shown by no branch and bound: ends, middle, and a few more.
        let [from, to] = self.range;
        let deepest = limits.deepest();
        let shown = (0..FIRST_POSES)
            .map(|k| from + (to - from) * k as f64 / (FIRST_POSES - 1) as f64)
            .chain(near.nested.iter().map(|n| n[0] + 0.5 * (n[1] - n[0])))
            .find(|&q| work.still.gap(&self.chain.pose(&[q]), deepest, None).gap.upper < -deepest);
        if let Some(at) = shown.filter(|_| !self.measured && !self.first_failing) {
            let answer = bare(SweepStatus::Interference, Vec::new());
            return SweepAnswer { failing: vec![self.failing_somewhere(at)], ..answer };
        }
        let hard = self.depth_scan(work, deepest);
        let middles = hard.iter().flat_map(|(_, scan)| &scan.nested).map(|n| n[0] + 0.5 * (n[1] - n[0]));
        let broken = |q: &f64| work.still.gap(&self.chain.pose(&[*q]), deepest, None).gap.upper < -deepest;
        let shown = shown.or_else(|| middles.into_iter().find(broken));
        let hard_broken = hard.as_ref().is_some_and(|(_, scan)| scan.violation.is_some());
        if shown.is_some() || hard_broken {
            let mut answer = bare(SweepStatus::Interference, Vec::new());
            match &hard {
                Some((surfaces, scan)) => {
                    let level = Level::depth([&surfaces[0], &surfaces[1]], self.chain, deepest);
                    answer.failing = self.failing(&level, work, -deepest, scan, shown);
                }
                None => answer.failing = shown.map(|at| self.failing_somewhere(at)).into_iter().collect(),
            }
            if self.measured {
                let seed = answer.failing.first().map_or(from, |f| f.from[1]);
                answer.worst = Some(self.largest_depth(work, seed, &answer.failing));
            }
            return answer;
        }
        let Some((_, hard)) = hard else {
            // No upper bound of a depth exists: only the distance of the surfaces counts.
            let unproved = [near.open.clone(), near.nested.clone(), near.beyond(to)].concat();
            return bare(SweepStatus::Undecided, merged(unproved));
        };
        if !hard.is_complete() {
            return bare(SweepStatus::Undecided, merged([hard.open, hard.nested].concat()));
        }
        if let Some(clearance) = limits.min_clearance {
            let soft = if clearance > limits.tolerance { Some(near) } else { self.clearance_scan(work, clearance) };
            match soft {
                Some(scan) if scan.violation.is_some() => {
                    let mut answer = bare(SweepStatus::TooClose, Vec::new());
                    let level = Level::apart(surfaces, self.chain, greater(clearance, 0.0));
                    // The scan granted the slack; the bracket is that of the clearance itself.
                    let exact = if clearance > 0.0 { self.scan(&level, work, self.range, false) } else { scan };
                    answer.failing = self.failing(&level, work, clearance, &exact, None);
                    answer.worst = self.measured.then(|| self.least_gap(&apart, work)).flatten();
                    return answer;
                }
                Some(scan) if scan.is_complete() => {}
                Some(scan) => {
                    return bare(SweepStatus::Undecided, merged([scan.open, scan.nested].concat()));
                }
                None => return bare(SweepStatus::Undecided, vec![self.range]),
            }
        }
        let mut answer = bare(SweepStatus::Contact, Vec::new());
        if deepest > limits.tolerance {
            let contact = self.depth_scan(work, limits.tolerance);
            if !contact.is_some_and(|(_, scan)| scan.is_complete()) {
                answer.status = SweepStatus::Allowed;
            }
        }
        if self.measured {
            answer.worst = self.least_gap(&apart, work).map(|w| {
                let low = if w.gap.lower > 0.0 { w.gap.lower } else { -deepest - work.slack };
                Worst { gap: Bounds { lower: low, upper: w.gap.upper }, ..w }
            });
        }
        answer
    }

    /// An answer without measures.
    fn bare(&self, status: SweepStatus, open: Vec<[f64; 2]>) -> SweepAnswer {
        let no_inside = [self.a, self.b].iter().any(|s| s.surface.inside == Inside::Undefined);
        SweepAnswer {
            status,
            proved: 0.0,
            open,
            worst: None,
            approach: None,
            failing: Vec::new(),
            tests: 0,
            frames: 0,
            no_inside,
            slack: 0.0,
        }
    }

    /// Scans a part of the run at a level.
    pub(crate) fn scan(&self, level: &Level, work: &mut Work, range: [f64; 2], backward: bool) -> Scan {
        let scan = level.scan(self, &work.still, work.floor, range, backward, &mut work.budget);
        work.frames += scan.frames;
        scan
    }

    /// Scans the run for depths above a limit (mm); `None` if no upper bound of a depth is possible. A limit that is met
    /// with equality counts as kept: the second scan grants the slack.
    fn depth_scan(&self, work: &mut Work, depth: f64) -> Option<([crate::shape::surface::Surface; 2], Scan)> {
        let mut found = None;
        for granted in [depth, depth + work.slack] {
            let surfaces = insets(&work.still, granted)?;
            let level = Level::depth([&surfaces[0], &surfaces[1]], self.chain, granted);
            let scan = self.scan(&level, work, self.range, false);
            let done = scan.is_complete() || scan.violation.is_some();
            if done || found.is_none() {
                found = Some((surfaces, scan));
            }
            if done {
                break;
            }
        }
        found
    }

    /// Scans for gaps below a clearance that is at most the tolerance (mm).
    fn clearance_scan(&self, work: &mut Work, clearance: f64) -> Option<Scan> {
        let least = clearance - work.slack;
        if least > work.still.margin {
            let level = Level::apart([self.a.surface, self.b.surface], self.chain, least);
            return Some(self.scan(&level, work, self.range, false));
        }
        self.depth_scan(work, greater(-least, 0.5 * work.slack)).map(|(_, scan)| scan)
    }

    /// Share of the run outside some intervals.
    fn share_without(&self, open: &[[f64; 2]]) -> f64 {
        let [from, to] = self.range;
        let length: f64 = open.iter().map(|o| o[1] - o[0]).sum();
        if to > from {
            (1.0 - length / (to - from)).clamp(0.0, 1.0)
        } else if open.is_empty() {
            1.0
        } else {
            0.0
        }
    }

    /// A broken pose, with unknown ends.
    fn failing_somewhere(&self, at: f64) -> Failing {
        Failing { from: [self.range[0], at], to: [at, self.range[1]], throughout: false }
    }

    /// Bracket of the least distance of the surfaces, seeded by a few poses. `None` for a surface without triangles.
    fn least_gap(&self, level: &Level, work: &mut Work) -> Option<Worst> {
        let [from, to] = self.range;
        let mut known: Option<(f64, f64, [Vec3; 2])> = None;
        for k in 0..FIRST_POSES {
            let q = from + (to - from) * k as f64 / (FIRST_POSES - 1) as f64;
            let limit = known.map_or(f64::INFINITY, |k| k.0);
            if let Some((d, points)) = work.still.distance(&self.chain.pose(&[q]), limit)
                && d < limit
            {
                known = Some((d, q, points));
            }
        }
        let mut cells = Cells::new(self.chain, self.range, self.balls());
        let tolerance = self.limits.tolerance;
        let width = |best: f64| greater(WIDTH[0] * best, WIDTH[1] * tolerance);
        let least = level.course(&work.still, work.floor).least_distance(&mut cells, known?, width, &mut work.budget);
        work.frames += cells.count();
        Some(Worst { at: least.at, gap: least.distance, points: least.points })
    }
}

impl Scan {
    /// The part of a run after the first broken pose.
    fn beyond(&self, to: f64) -> Vec<[f64; 2]> {
        self.violation.map(|v| [v.at, to]).into_iter().collect()
    }
}
