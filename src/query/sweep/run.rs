//! Status of a run: two solids on a chain of joints, one parameter, the limits of a pair.

use crate::geom::math::greater;
use crate::geom::{Bounds, Vec3};
use crate::motion::{Cell, Chain};
use crate::query::depth::SolidRef;
use crate::query::sweep::cells::{Cells, merged};
use crate::query::sweep::work::{Work, spans};
use crate::shape::surface::Inside;

/// Default number of tests of a pair in a run: seconds for one thread.
pub const DEFAULT_TESTS: u64 = 16_000_000;

/// Promised width of the bracket of an end, and the widest stretch between two broken poses that counts as broken: B
/// moves by this many floors (a hundredth of the tolerance).
pub(crate) const PROMISED_FLOORS: f64 = 10.0;

/// Limits of a pair (mm).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SweepLimits {
    /// Largest depth of a contact (> 0).
    pub tolerance: f64,
    /// Largest depth allowed by a rule.
    pub allow_depth: Option<f64>,
    /// Smallest gap required by a rule.
    pub min_clearance: Option<f64>,
    /// Largest gap allowed by a rule.
    pub max_gap: Option<f64>,
}

impl SweepLimits {
    /// Depth beyond which the pair interferes (mm).
    pub(crate) fn deepest(&self) -> f64 {
        greater(self.tolerance, self.allow_depth.unwrap_or(0.0))
    }
}

/// A pair of solids on a run of one parameter.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "independent questions")]
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
    /// True to tell an overlap that a rule allows from a contact, and to bracket its depth; false if both count as
    /// contacts.
    pub tells_allowed: bool,
    /// Largest width of the bracket of a least or largest gap (mm, > 0); without it, the usual width.
    pub gap_width: Option<f64>,
    /// Static check of a pose, asked before an interference is measured. It returns false for a pose with an overlap
    /// that something else explains: then the answer is undecided, and names the pose as `unconfirmed`.
    pub confirms: Option<&'a dyn Fn(f64) -> bool>,
}

/// Status of a run, for all its poses together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SweepStatus {
    /// The gap exceeds tolerance and clearance at every pose, to within a hundredth of the tolerance.
    Clear,
    /// A pose is closer than the rule demands; no pose interferes.
    TooClose,
    /// A pose is farther apart than the rule allows, by more than a hundredth of the tolerance; every pose keeps the
    /// other limits.
    Loose,
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
    /// Certified bounds of the least gap of the run (mm, signed); the upper end belongs to the gap at `at`. Bounds of
    /// the largest gap for [`SweepStatus::Loose`]; then the lower end belongs to the gap at `at`.
    pub gap: Bounds,
    /// Point of A and point of B at this pose (A's frame, mm).
    pub points: [Vec3; 2],
}

/// A part of a run that breaks a limit; each end is a bracket, with the pose on the inner side broken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Failing {
    /// Status of the poses inside: `Interference`, `TooClose` or `Loose`; `Undecided` if some may break a limit.
    pub status: SweepStatus,
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
    /// tolerance), if one is known; of the first pose above the largest gap for [`SweepStatus::Loose`].
    pub approach: Option<[f64; 2]>,
    /// Parts that break a limit, in order: those of the status, and those of lesser ones beside them, with the parts
    /// that may break a lesser one. Empty for passing runs.
    pub failing: Vec<Failing>,
    /// True if an end of a measured failing part has a wider bracket than promised: B moves by more than a hundredth of
    /// the tolerance within it.
    pub wide_ends: bool,
    /// Tests used.
    pub tests: u64,
    /// Configurations of the joints evaluated.
    pub frames: usize,
    /// True if a surface has no definite inside.
    pub no_inside: bool,
    /// Slack granted to each limit (mm, >= 0).
    pub slack: f64,
    /// A pose deeper than the limits that [`Sweep::confirms`] denies.
    pub unconfirmed: Option<f64>,
}

impl<'a> Sweep<'a> {
    /// Spans of A and B on the chain.
    pub(crate) fn spans(&self) -> [(Vec3, f64); 2] {
        spans([self.a, self.b], self.chain)
    }

    pub(super) fn work(&self) -> Work<'a> {
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
        // A wide bracket of an end may hold further failing parts.
        let wide = if self.measured { self.wide_ends(&answer.failing, work.floor) } else { Vec::new() };
        answer.wide_ends = !wide.is_empty();
        answer.open = merged(answer.open.iter().copied().chain(unknown).chain(wide).collect());
        answer.proved = self.share_without(&answer.open);
        answer.approach = approach;
        answer.tests = work.budget.used;
        answer.frames = work.frames;
        answer.slack = work.slack;
        answer
    }

    /// An answer without measures.
    pub(super) fn bare(&self, status: SweepStatus, open: Vec<[f64; 2]>) -> SweepAnswer {
        let no_inside = [self.a, self.b].iter().any(|s| s.surface.inside == Inside::Undefined);
        SweepAnswer {
            status,
            proved: 0.0,
            open,
            worst: None,
            approach: None,
            failing: Vec::new(),
            wide_ends: false,
            tests: 0,
            frames: 0,
            no_inside,
            slack: 0.0,
            unconfirmed: None,
        }
    }

    /// Brackets of ends within which B moves by more than the promise. `floor` is the displacement below which no
    /// interval is split (mm).
    pub(super) fn wide_ends(&self, failing: &[Failing], floor: f64) -> Vec<[f64; 2]> {
        let ends = failing.iter().flat_map(|f| [f.from, f.to]).filter(|end| end[0] < end[1]);
        // The displacement counts from the middle of the bracket.
        let moves = |end: [f64; 2]| 2.0 * Cells::new(self.chain, end, self.spans()).get(0).displacement;
        ends.filter(|end| moves(*end) > PROMISED_FLOORS * floor).collect()
    }

    /// Share of the run outside some intervals.
    pub(super) fn share_without(&self, open: &[[f64; 2]]) -> f64 {
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
}
