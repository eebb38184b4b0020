//! Answers one pair over a sweep.
//!
//! The pair is clear if the balls around its parts stay farther apart than all its limits: over each cell of joint
//! values, the distance at the centre less the largest displacement. The triangles decide the others (`segment`). A
//! pair without a proof is undecided, and fails.

use crate::check::motion::curve::CurveStep;
use crate::check::motion::facets::FACETS;
use crate::check::motion::segment::{SegmentAnswer, one_parameter, segment_answer};
use crate::check::motion::several::box_answer;
use crate::check::prepare::shape::Shape;
use crate::check::stages::limits::Limits;
use crate::check::{Curves, Measure, Status};
use crate::geom::math::{greater, lesser, max3};
use crate::geom::tolerance::roundoff_mm;
use crate::motion::{Cell, Chain, Frame, Segment};
use serde::{Deserialize, Serialize};

/// Reasons of undecided pairs.
pub(crate) const NO_PROOF: &str = "parts of the sweep stay without a proof";
const NO_TRIANGLES: &str = "a part has no triangle with an area";

/// All reasons, for the cache.
pub(crate) const REASONS: [&str; 3] = [NO_PROOF, NO_TRIANGLES, FACETS];

/// Query of a pair over a run.
pub(crate) struct SweepQuery<'a> {
    pub first: &'a Shape,
    pub second: &'a Shape,
    /// Motion of the second shape's centred frame seen from that of the first one, with the parameters of each segment.
    pub segments: Vec<(Chain, &'a Segment)>,
    pub limits: Limits,
    /// Largest displacement of points by rounding of the placements (mm).
    pub residual: f64,
    /// Budget of the pair in tests of two nodes or triangles.
    pub tests: u64,
    pub effort: Effort,
    /// Rows with a staircase of the gap.
    pub curves: Curves,
}

/// Values of a pair over a run beyond its status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// The status alone.
    Status,
    /// The bracket of the first failing pose.
    First,
    /// Everything.
    All,
}

impl Effort {
    pub(crate) fn of(measure: Measure) -> Self {
        if measure == Measure::None { Self::Status } else { Self::All }
    }
}

/// Answer of a pair over a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SweepAnswer {
    pub status: Status,
    /// True if the balls around the parts clear the pair.
    pub by_balls: bool,
    /// Reason of an undecided pair; the cache keeps it as a code.
    #[serde(skip)]
    pub why: Option<&'static str>,
    /// Answers of the segments in their order.
    pub segments: Vec<SegmentAnswer>,
    /// Share of the run with a proof of the status (0 to 1).
    pub proved: f64,
    /// Staircase of the gap, if the report has one.
    pub curve: Option<Vec<CurveStep>>,
}

impl SweepAnswer {
    /// Slack granted to the limits of the pair (mm, >= 0).
    pub(crate) fn slack(&self) -> f64 {
        self.segments.iter().map(|s| s.slack).fold(0.0, greater)
    }

    /// True if the answer depends on the self-unions of both shapes. Surfaces that stay apart need none, nor do hulls.
    pub(crate) fn used_self_unions(&self) -> bool {
        let by_hulls = !self.segments.is_empty() && self.segments.iter().all(|s| s.by_hulls);
        self.status != Status::Clear && !by_hulls
    }
}

/// Answer of a pair without segments.
fn settled(status: Status) -> SweepAnswer {
    SweepAnswer { status, by_balls: true, why: None, segments: Vec::new(), proved: 1.0, curve: None }
}

/// Answers a pair over all parameters of a run. Cost: up to the budget.
pub(crate) fn sweep_pair(query: &SweepQuery<'_>) -> SweepAnswer {
    by_balls(query).unwrap_or_else(|| by_triangles(query))
}

/// Answers a pair if the balls around its parts clear it.
pub(crate) fn by_balls(query: &SweepQuery<'_>) -> Option<SweepAnswer> {
    let clear = |(chain, segment): &(Chain, &Segment)| {
        (0..segment.cell_count()).all(|k| apart(query, chain, &segment.cell(k..k + 1)))
    };
    query.segments.iter().all(clear).then(|| settled(Status::Clear))
}

/// Answers a pair by its triangles.
pub(crate) fn by_triangles(query: &SweepQuery<'_>) -> SweepAnswer {
    let answer = by_surfaces(query);
    if answer.used_self_unions() {
        // Warnings about self-unions must not depend on the cache.
        for shape in [query.first, query.second] {
            shape.exact().surface.solid();
        }
    }
    answer
}

fn by_surfaces(query: &SweepQuery<'_>) -> SweepAnswer {
    let limits = raised(query);
    let none = |why| SweepAnswer { by_balls: false, why: Some(why), proved: 0.0, ..settled(Status::Undecided) };
    if limits.tolerance <= 0.0 {
        // No inset proves a depth of 0.
        return none(NO_PROOF);
    }
    // A solid has triangles with an area.
    let has_triangles = |s: &Shape| s.is_in_hull() || !s.exact().surface.triangles.is_empty();
    if ![query.first, query.second].into_iter().all(has_triangles) {
        return none(NO_TRIANGLES);
    }
    let mut answer = SweepAnswer { by_balls: false, ..settled(Status::Clear) };
    let (mut proved, mut tests) = (0.0, query.tests);
    for (k, (chain, segment)) in query.segments.iter().enumerate() {
        // Each segment may use an equal share of the remaining budget.
        let share = tests / (query.segments.len() - k) as u64;
        let found = match one_parameter(chain, &segment.ranges) {
            Some(one) => segment_answer(query, &limits, &one, segment, share),
            None => box_answer(query, &limits, (chain, segment), share),
        };
        tests = tests.saturating_sub(found.tests);
        proved += found.proved / query.segments.len() as f64;
        if rank(found.status) > rank(answer.status) {
            (answer.status, answer.why) = (found.status, found.why);
        }
        answer.segments.push(found);
    }
    if answer.status != Status::Undecided {
        let undecided = |s: &&mut SegmentAnswer| s.status == Status::Undecided;
        answer.segments.iter_mut().filter(undecided).for_each(SegmentAnswer::list_open_parts);
    }
    SweepAnswer { proved: lesser(proved, 1.0), ..answer }
}

/// Order of the statuses over a run: the one of its worst segment counts.
fn rank(status: Status) -> u8 {
    match status {
        Status::Interference => 6,
        Status::Undecided => 5,
        Status::TooClose => 4,
        Status::Loose => 3,
        Status::Allowed => 2,
        Status::Contact => 1,
        _ => 0,
    }
}

/// Radius of the ball about the centre of a shape that holds it (mm).
pub(crate) fn radius(shape: &Shape) -> f64 {
    let bounds = &shape.inner().aabb;
    max3(bounds.min.abs(), bounds.max.abs()).norm()
}

/// Limits with the tolerance that the meshes resolve.
pub(crate) fn raised(query: &SweepQuery<'_>) -> Limits {
    let floor = greater(query.first.tolerance_floor(), query.second.tolerance_floor());
    Limits { tolerance: greater(query.limits.tolerance, floor), ..query.limits }
}

/// True if the balls around both parts stay farther apart than all limits over a cell.
fn apart(query: &SweepQuery<'_>, chain: &Chain, cell: &Cell) -> bool {
    let [of_a, of_b] = [query.first, query.second].map(radius);
    let limits = raised(query);
    let size = query.first.max_abs + query.second.max_abs;
    let frame = Frame::new(chain, cell);
    let center = frame.pose.translation;
    // The ball about the moved centre holds the part, turned in any way.
    let displacement = frame.spread_of_ball(&center, 0.0).displacement;
    let rounding = chain.rounding(cell, size) + roundoff_mm(size, size, center.norm()) + query.residual;
    // Twice the rounding, for the sums of this function.
    center.norm() - displacement - of_a - of_b > limits.max_distance() + 2.0 * rounding
}
