//! Status of a box: two solids on a chain of joints, every combination of several parameters, the limits of a pair.

use crate::geom::math::greater;
use crate::geom::{Bounds, Vec3};
use crate::motion::{Cell, Chain};
use crate::query::depth::SolidRef;
use crate::query::sweep::boxes::{BoxProof, pieces_outside, share_of};
use crate::query::sweep::inset::{WHOLE, insets};
use crate::query::sweep::judge::price;
use crate::query::sweep::level::Level;
use crate::query::sweep::regions::{Regions, cell_of};
use crate::query::sweep::run::{SweepLimits, SweepStatus};
use crate::query::sweep::widest::{GapLimit, widest};
use crate::query::sweep::work::{Work, spans};
use crate::shape::surface::Inside;

/// Configurations judged before the proofs, beside the ends and the middle: they only choose where to look first.
const CONFIGURATIONS: u32 = 256;

/// Largest number of parameters with all combinations of their ends among the judged configurations.
const MAX_CORNER_PARAMETERS: usize = 6;

/// Share of the budget for the first proof, before any static judgement: parts far apart need no more.
const FIRST_SHARE: u64 = 8;

/// Largest number of proved pieces of a box with open parts; the rest of the box counts as open.
const MAX_PIECES: usize = 32;

/// Largest number of open cells in an answer.
const MAX_OPEN: usize = 16;

/// Bases of the fixed sequence of configurations (Halton 1960): the first primes.
const BASES: [u32; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

/// A pair of solids over every combination of several parameters.
#[derive(Clone, Copy)]
pub struct BoxSweep<'a> {
    /// The first solid, in its centred frame.
    pub a: SolidRef<'a>,
    /// The second solid, in its centred frame.
    pub b: SolidRef<'a>,
    /// Motion of the second frame in the first one, on the parameters of `ranges`.
    pub chain: &'a Chain,
    /// Least and largest value of each parameter.
    pub ranges: &'a [[f64; 2]],
    /// Limits of the pair.
    pub limits: SweepLimits,
    /// Distance by which surfaces designed to coincide may miss each other: the rounding of both files (mm, >= 0).
    pub quantum: f64,
    /// Loss of the placements (mm, >= 0).
    pub residual: f64,
    /// Budget in tests of two nodes or triangles.
    pub tests: u64,
}

/// The worst configuration known.
#[derive(Debug, Clone, PartialEq)]
pub struct WorstConfiguration {
    /// Values of the parameters.
    pub at: Vec<f64>,
    /// Bounds of the gap there (mm, signed). For [`SweepStatus::Loose`], bounds of the largest gap of the run: the
    /// lower end belongs to the gap there.
    pub gap: Bounds,
    /// Point of A and point of B there (A's frame, mm).
    pub points: [Vec3; 2],
}

/// Answer for a box.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxAnswer {
    /// Status of the box.
    pub status: SweepStatus,
    /// Share of the volume of the box with a proof of its status, 0 to 1: at least this share.
    pub proved: f64,
    /// Cells without a proof, at most 16.
    pub open: Vec<Cell>,
    /// The worst configuration known, if one comes within the limits.
    pub worst: Option<WorstConfiguration>,
    /// Tests used.
    pub tests: u64,
    /// Configurations of the joints evaluated.
    pub frames: usize,
    /// True if a surface has no definite inside.
    pub no_inside: bool,
    /// Slack granted to each limit (mm, >= 0).
    pub slack: f64,
}

/// Proof of a level over the box.
struct Proved {
    /// Configuration that breaks the level.
    broken: Option<Vec<f64>>,
    open: Vec<Cell>,
    share: f64,
}

impl Proved {
    fn is_complete(&self) -> bool {
        self.broken.is_none() && self.open.is_empty()
    }
}

impl BoxSweep<'_> {
    /// Decides the box. Cost: up to the budget, and some hundred static queries.
    pub fn answer(&self) -> BoxAnswer {
        let lost = [self.quantum, self.residual];
        let root = cell_of(self.ranges);
        let mut work = Work::new([self.a, self.b], self.chain, &root, &self.limits, lost, self.tests);
        let no_inside = [self.a, self.b].iter().any(|s| s.surface.inside == Inside::Undefined);
        let slack = work.slack;
        let mut answer = BoxAnswer {
            status: SweepStatus::Undecided,
            proved: 0.0,
            open: vec![root],
            worst: None,
            tests: 0,
            frames: 0,
            no_inside,
            slack,
        };
        // No proof covers an empty range.
        if self.ranges.iter().all(|[from, to]| from <= to && from.is_finite() && to.is_finite()) {
            self.decide(&mut work, &mut answer);
            let passes = matches!(answer.status, SweepStatus::Clear | SweepStatus::Contact | SweepStatus::Allowed);
            if let Some(largest) = self.limits.max_gap.filter(|_| passes) {
                self.decide_from_above(&mut work, largest, &mut answer);
            }
        }
        answer.open.truncate(MAX_OPEN);
        (answer.tests, answer.frames) = (work.budget.used, work.frames);
        answer
    }

    fn decide(&self, work: &mut Work, answer: &mut BoxAnswer) {
        let (limits, deepest) = (&self.limits, self.limits.deepest());
        let wanted = greater(limits.tolerance, limits.min_clearance.unwrap_or(0.0));
        let apart = work.level(self.chain, greater(wanted - work.slack, 0.0));
        // A short proof first: it settles parts far apart.
        let rest = work.budget.remaining - work.budget.remaining / FIRST_SHARE;
        work.budget.remaining /= FIRST_SHARE;
        let mut near = self.prove(&apart, work);
        work.budget.remaining += rest;
        if near.is_complete() {
            return settle(answer, SweepStatus::Clear);
        }
        let seeds: Vec<Vec<f64>> = near.broken.iter().cloned().chain(self.configurations()).collect();
        for q in seeds {
            self.look(work, &q, wanted, answer);
            if answer.worst.as_ref().is_some_and(|w| w.gap.upper < -deepest) {
                answer.open.clear();
                return settle(answer, SweepStatus::Interference);
            }
        }
        if near.broken.is_none() && answer.worst.is_none() {
            near = self.prove(&apart, work);
            if near.is_complete() {
                return settle(answer, SweepStatus::Clear);
            }
        }
        let Some(hard) = self.depth(work, deepest) else {
            (answer.open, answer.proved) = (near.open, if near.broken.is_none() { near.share } else { 0.0 });
            return;
        };
        if let Some(q) = &hard.broken {
            self.look(work, q, wanted, answer);
            return settle(answer, SweepStatus::Interference);
        }
        if !hard.open.is_empty() {
            (answer.open, answer.proved) = (hard.open, hard.share);
            return;
        }
        self.decide_passing(work, &near, answer);
    }

    /// Decides a box without interference.
    fn decide_passing(&self, work: &mut Work, near: &Proved, answer: &mut BoxAnswer) {
        let limits = &self.limits;
        if let Some(clearance) = limits.min_clearance {
            if answer.worst.as_ref().is_some_and(|w| w.gap.upper < clearance) {
                return settle(answer, SweepStatus::TooClose);
            }
            let least = clearance - work.slack;
            let kept = if clearance > limits.tolerance {
                None
            } else if least > work.still.margin {
                Some(self.prove(&work.level(self.chain, least), work))
            } else {
                self.depth(work, greater(-least, 0.5 * work.slack))
            };
            let kept = kept.as_ref().unwrap_or(near);
            if !kept.is_complete() {
                // A violation by the granted slack alone leaves the box open.
                if kept.broken.is_none() {
                    (answer.open, answer.proved) = (kept.open.clone(), kept.share);
                }
                return;
            }
        }
        let within = |found: Option<Proved>| found.is_some_and(|found| found.is_complete());
        let allowed = limits.deepest() > limits.tolerance && !within(self.depth(work, limits.tolerance));
        settle(answer, if allowed { SweepStatus::Allowed } else { SweepStatus::Contact });
    }

    /// Decides a box that keeps all other limits by the largest gap of a rule (mm).
    fn decide_from_above(&self, work: &mut Work, largest: f64, answer: &mut BoxAnswer) {
        let limit = GapLimit { largest, measured: false };
        let found = widest(work, self.chain, self.ranges, limit, |_| 0.0);
        if found.exceeds(largest + work.slack) {
            if let (Some(gap), Some(pose)) = (found.bounds(), found.pose) {
                answer.worst = Some(WorstConfiguration { at: pose.at, gap, points: pose.points });
            }
            return settle(answer, SweepStatus::Loose);
        }
        if !found.open.is_empty() {
            answer.status = SweepStatus::Undecided;
            answer.proved = 1.0 - found.open.iter().map(|ends| share_of(ends, self.ranges)).sum::<f64>().min(1.0);
            answer.open = found.open.iter().map(|ends| cell_of(ends)).collect();
        }
    }

    /// Proves a depth (mm) over the box; a limit met with equality counts as kept. `None` if no upper bound of a depth
    /// is possible.
    fn depth(&self, work: &mut Work, depth: f64) -> Option<Proved> {
        let mut found = None;
        for granted in [depth, depth + work.slack] {
            let surfaces = insets(&work.still, granted, WHOLE)?;
            let proved = self.prove(&work.level_of_insets(&surfaces, self.chain, granted), work);
            let done = proved.is_complete() || proved.broken.is_some();
            if done || found.is_none() {
                found = Some(proved);
            }
            if done {
                break;
            }
        }
        found
    }

    /// Proves a level. Whether the solids are nested is tested once in each proved piece.
    fn prove(&self, level: &Level, work: &mut Work) -> Proved {
        let mut regions = Regions::new(self.chain, self.ranges, spans([self.a, self.b], self.chain));
        let BoxProof { violation, open } = level.prove_box(&mut regions, &work.still, work.floor, &mut work.budget);
        work.frames += regions.count();
        if let Some((id, _)) = violation {
            let broken = Some(regions.get(id).cell.center.clone());
            return Proved { broken, open: vec![cell_of(self.ranges)], share: 0.0 };
        }
        let mut open_cells: Vec<Cell> = open.iter().map(|id| regions.get(*id).cell.clone()).collect();
        let mut share = 0.0;
        for piece in pieces_outside(&regions, &open, MAX_PIECES) {
            work.budget.charge(price([self.a.surface, self.b.surface]));
            let cell = cell_of(&piece);
            if level.is_nested(&work.still, &self.chain.pose(&cell.center)) {
                open_cells.push(cell);
            } else {
                share += share_of(&piece, self.ranges);
            }
        }
        Proved { broken: None, open: open_cells, share: share.min(1.0) }
    }

    /// Judges one configuration as in a static check, if it comes within a distance (mm); keeps the worst one.
    fn look(&self, work: &mut Work, q: &[f64], wanted: f64, answer: &mut BoxAnswer) {
        work.budget.charge(price([self.a.surface, self.b.surface]));
        let found = work.still.gap_within(&self.chain.pose(q), self.limits.deepest(), wanted);
        let worse = answer.worst.as_ref().is_none_or(|w| found.gap.upper < w.gap.upper);
        if worse && found.gap.upper <= wanted + work.still.margin {
            answer.worst = Some(WorstConfiguration { at: q.to_vec(), gap: found.gap, points: found.points });
        }
    }

    /// The ends, the middle and a fixed sequence of configurations (Halton, "On the efficiency of certain quasi-random
    /// sequences of points", 1960).
    fn configurations(&self) -> Vec<Vec<f64>> {
        let at = |share: &dyn Fn(usize) -> f64| -> Vec<f64> {
            self.ranges.iter().enumerate().map(|(p, [from, to])| from + (to - from) * share(p)).collect()
        };
        let corners = if self.ranges.len() <= MAX_CORNER_PARAMETERS { 1_u32 << self.ranges.len() } else { 2 };
        let mut all = vec![at(&|_| 0.5)];
        // With too many parameters, all of them end together.
        let end = |k: u32, p: usize| f64::from(if corners > 2 { k >> p & 1 } else { k });
        all.extend((0..corners).map(|k| at(&|p| end(k, p))));
        all.extend((1..=CONFIGURATIONS).map(|k| at(&|p| reversed_digits(k, BASES[p % BASES.len()]))));
        all
    }
}

/// Settles a box with a proof of its status over all of it.
fn settle(answer: &mut BoxAnswer, status: SweepStatus) {
    answer.status = status;
    answer.proved = 1.0;
    answer.open.clear();
}

/// The digits of a number in a base, mirrored at the point: a number from 0 to 1.
fn reversed_digits(mut k: u32, base: u32) -> f64 {
    let (mut value, mut unit) = (0.0, 1.0);
    while k > 0 {
        unit /= f64::from(base);
        value += unit * f64::from(k % base);
        k /= base;
    }
    value
}
