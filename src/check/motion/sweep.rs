//! Answers one pair over a sweep.
//!
//! The pair is clear if the balls around its parts stay farther apart than all its limits: over each cell of joint
//! values, the distance at the centre less the largest displacement. The triangles decide the others, for motions of
//! one parameter (`query::sweep`). A pair without a proof is undecided, and fails.

use crate::check::pairs::rotations::Rotations;
use crate::check::prepare::shape::Shape;
use crate::check::prepare::solid::body;
use crate::check::stages::PairQuery;
use crate::check::stages::limits::Limits;
use crate::check::stages::trace::Trace;
use crate::check::{Measure, Status};
use crate::geom::math::{greater, lesser, max3};
use crate::geom::tolerance::roundoff_mm;
use crate::motion::{Cell, Chain, ChainJoint, Frame, Law, Segment};
use crate::query::convex::epa::EpaScratch;
use crate::query::sweep::{self, DEFAULT_TESTS, Sweep, SweepLimits, SweepStatus};

/// Reasons of undecided pairs.
const NO_PROOF: &str = "parts of the sweep stay without a proof";
const SEVERAL_PARAMETERS: &str =
    "this version decides one joint value at a time; sweep the joints one by one or by a path";
const LARGEST_GAP: &str = "this version proves no largest gap over a sweep";
const NO_TRIANGLES: &str = "a part has no triangle with an area";
const FACETS: &str = "facets may explain the overlap of a pair; this version proves that only in poses";

/// Query of a pair over a run.
pub(crate) struct SweepQuery<'a> {
    pub first: &'a Shape,
    pub second: &'a Shape,
    /// Motion of the second shape's centred frame seen from that of the first one, with the parameters of each segment,
    /// and cells that cover them.
    pub segments: Vec<(Chain, &'a Segment, &'a [Cell])>,
    pub limits: Limits,
    /// Largest displacement of points by rounding of the placements (mm).
    pub residual: f64,
}

/// Answer of a pair over a run.
pub(crate) struct SweepAnswer {
    pub status: Status,
    /// True if the balls around the parts clear the pair.
    pub by_balls: bool,
    /// Reason of an undecided pair.
    pub why: Option<&'static str>,
    /// Share of the run with a proof of the status (0 to 1).
    pub proved: f64,
}

impl SweepAnswer {
    fn undecided(why: &'static str, proved: f64) -> Self {
        Self { status: Status::Undecided, by_balls: false, why: Some(why), proved }
    }

    fn decided(status: Status, proved: f64) -> Self {
        Self { status, by_balls: false, why: None, proved }
    }
}

/// Answers a pair over all parameters of a run. Cost: up to [`DEFAULT_TESTS`] tests for each segment.
pub(crate) fn sweep_pair(query: &SweepQuery<'_>) -> SweepAnswer {
    let clear = |(chain, _, cells): &(Chain, &Segment, &[Cell])| cells.iter().all(|cell| apart(query, chain, cell));
    if query.segments.iter().all(clear) {
        return SweepAnswer { by_balls: true, ..SweepAnswer::decided(Status::Clear, 1.0) };
    }
    let limits = raised(query);
    let none = |why| SweepAnswer::undecided(why, 0.0);
    if limits.max_gap.is_some() {
        return none(LARGEST_GAP);
    }
    if limits.tolerance <= 0.0 {
        // No inset proves a depth of 0.
        return none(NO_PROOF);
    }
    if [query.first, query.second].iter().any(|s| s.exact().surface.triangles.is_empty()) {
        return none(NO_TRIANGLES);
    }
    let mut worst = SweepAnswer::decided(Status::Clear, 1.0);
    let mut proved = 0.0;
    for (chain, segment, _) in &query.segments {
        let Some((chain, range)) = one_parameter(chain, &segment.ranges) else {
            return none(SEVERAL_PARAMETERS);
        };
        let answer = segment_answer(query, &limits, &chain, range);
        proved += answer.proved / query.segments.len() as f64;
        if rank(answer.status) > rank(worst.status) {
            worst = answer;
        }
        if worst.status == Status::Interference {
            // The other segments change nothing.
            break;
        }
    }
    SweepAnswer { proved: lesser(proved, 1.0), ..worst }
}

/// Order of the statuses over a run: the one of its worst segment counts.
fn rank(status: Status) -> u8 {
    match status {
        Status::Interference => 5,
        Status::Undecided => 4,
        Status::TooClose => 3,
        Status::Allowed => 2,
        Status::Contact => 1,
        _ => 0,
    }
}

/// Answers a segment by the triangles.
fn segment_answer(query: &SweepQuery<'_>, limits: &Limits, chain: &Chain, range: [f64; 2]) -> SweepAnswer {
    let sweep = Sweep {
        a: body(query.first),
        b: body(query.second),
        chain,
        range,
        limits: SweepLimits {
            tolerance: limits.tolerance,
            allow_depth: limits.allow_depth,
            min_clearance: limits.min_clearance,
        },
        quantum: query.first.quantum + query.second.quantum,
        residual: query.residual + recentring(query),
        tests: DEFAULT_TESTS,
        measured: false,
    };
    let answer = sweep.answer();
    let status = match answer.status {
        SweepStatus::Clear => Status::Clear,
        SweepStatus::TooClose => Status::TooClose,
        SweepStatus::Contact => Status::Contact,
        SweepStatus::Allowed => Status::Allowed,
        SweepStatus::Undecided => return SweepAnswer::undecided(NO_PROOF, answer.proved),
        SweepStatus::Interference if interferes(query, chain, range, &answer) => Status::Interference,
        SweepStatus::Interference => return SweepAnswer::undecided(FACETS, 0.0),
    };
    SweepAnswer::decided(status, answer.proved)
}

/// Rounding of the change to centred frames, and of pieces in place of a solid (mm), as in [`PairQuery::margin`].
fn recentring(query: &SweepQuery<'_>) -> f64 {
    let (first, second) = (query.first, query.second);
    0.25 * roundoff_mm(first.max_abs, second.max_abs, 0.0) + first.outside_pieces() + second.outside_pieces()
}

/// True if a static check confirms the interference at a broken pose: facets may explain its overlap.
fn interferes(query: &SweepQuery<'_>, chain: &Chain, range: [f64; 2], answer: &sweep::SweepAnswer) -> bool {
    let cell = Cell::between(range[0], range[1]);
    let residual = query.residual + chain.rounding(&cell, query.first.max_abs + query.second.max_abs);
    let confirmed = |at: f64| {
        let pose = chain.pose(&[at]);
        let pair = PairQuery {
            first: query.first,
            second: query.second,
            pose: &pose,
            limits: &query.limits,
            residual,
            turns: Rotations::default(),
            measure: Measure::None,
        };
        pair.answer(&mut EpaScratch::default(), &mut Trace::default()).status == Status::Interference
    };
    let poses = answer.failing.iter().flat_map(|f| [f.from[1], f.from[1] + 0.5 * (f.to[0] - f.from[1]), f.to[0]]);
    poses.into_iter().any(confirmed)
}

/// The chain as a motion of the one parameter that it depends on, and the range of this parameter; `None` if it depends
/// on several.
fn one_parameter(chain: &Chain, ranges: &[[f64; 2]]) -> Option<(Chain, [f64; 2])> {
    let moving: Vec<usize> = (0..ranges.len()).filter(|p| chain.joints.iter().any(|j| j.law.rate(*p) != 0.0)).collect();
    let (parameter, range) = match moving.as_slice() {
        [] => (0, [0.0, 0.0]),
        [one] => (*one, ranges[*one]),
        _ => return None,
    };
    let law = |law: &Law| Law::linear(law.rate(parameter), law.offset);
    let joints = chain.joints.iter().map(|j| ChainJoint { law: law(&j.law), ..j.clone() }).collect();
    Some((Chain { joints, ..chain.clone() }.without_constants(), range))
}

/// Limits with the tolerance that the meshes resolve.
fn raised(query: &SweepQuery<'_>) -> Limits {
    let floor = greater(query.first.tolerance_floor(), query.second.tolerance_floor());
    Limits { tolerance: greater(query.limits.tolerance, floor), ..query.limits }
}

/// True if the balls around both parts stay farther apart than all limits over a cell.
fn apart(query: &SweepQuery<'_>, chain: &Chain, cell: &Cell) -> bool {
    let [of_a, of_b] = [query.first, query.second].map(|shape| {
        let bounds = &shape.convex.aabb;
        max3(bounds.min.abs(), bounds.max.abs()).norm()
    });
    let limits = raised(query);
    let size = query.first.max_abs + query.second.max_abs;
    let frame = Frame::new(chain, cell);
    let center = frame.pose.translation;
    let displacement = frame.spread_of_ball(&center, of_b).displacement;
    let rounding = chain.rounding(cell, size) + roundoff_mm(size, size, center.norm()) + query.residual;
    // Twice the rounding, for the sums of this function.
    center.norm() - displacement - of_a - of_b > limits.max_distance() + 2.0 * rounding
}
