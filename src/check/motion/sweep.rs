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
use crate::geom::math::{greater, max3};
use crate::geom::tolerance::roundoff_mm;
use crate::geom::{Pose, Vec3};
use crate::motion::{Cell, Chain, ChainJoint, JointKind, Law, Segment};
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
}

impl SweepAnswer {
    fn undecided(why: &'static str) -> Self {
        Self { status: Status::Undecided, by_balls: false, why: Some(why) }
    }

    fn by_triangles(status: Status) -> Self {
        Self { status, by_balls: false, why: None }
    }
}

/// Answers a pair over all parameters of a run. Cost: up to [`DEFAULT_TESTS`] tests for each segment.
pub(crate) fn sweep_pair(query: &SweepQuery<'_>) -> SweepAnswer {
    let clear = |(chain, _, cells): &(Chain, &Segment, &[Cell])| cells.iter().all(|cell| apart(query, chain, cell));
    if query.segments.iter().all(clear) {
        return SweepAnswer { status: Status::Clear, by_balls: true, why: None };
    }
    if query.limits.max_gap.is_some() {
        return SweepAnswer::undecided(LARGEST_GAP);
    }
    if [query.first, query.second].iter().any(|s| s.exact().surface.triangles.is_empty()) {
        return SweepAnswer::undecided(NO_TRIANGLES);
    }
    let mut worst = SweepAnswer::by_triangles(Status::Clear);
    for (chain, segment, _) in &query.segments {
        let Some((chain, range)) = one_parameter(chain, &segment.ranges) else {
            return SweepAnswer::undecided(SEVERAL_PARAMETERS);
        };
        let answer = segment_answer(query, &chain, range);
        if rank(answer.status) > rank(worst.status) {
            worst = answer;
        }
        if worst.status == Status::Interference {
            break;
        }
    }
    worst
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
fn segment_answer(query: &SweepQuery<'_>, chain: &Chain, range: [f64; 2]) -> SweepAnswer {
    let limits = raised(query);
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
    // Contact needs a tolerance: no proof exists for depth 0.
    if limits.tolerance <= 0.0 {
        return SweepAnswer::undecided(NO_PROOF);
    }
    let answer = sweep.answer();
    match answer.status {
        SweepStatus::Clear => SweepAnswer::by_triangles(Status::Clear),
        SweepStatus::TooClose => SweepAnswer::by_triangles(Status::TooClose),
        SweepStatus::Contact => SweepAnswer::by_triangles(Status::Contact),
        SweepStatus::Allowed => SweepAnswer::by_triangles(Status::Allowed),
        SweepStatus::Undecided => SweepAnswer::undecided(NO_PROOF),
        SweepStatus::Interference => interference(query, chain, range, &answer),
    }
}

/// Rounding of the change to centred frames, and of pieces in place of a solid (mm), as in [`PairQuery::margin`].
fn recentring(query: &SweepQuery<'_>) -> f64 {
    let (first, second) = (query.first, query.second);
    0.25 * roundoff_mm(first.max_abs, second.max_abs, 0.0) + first.outside_pieces() + second.outside_pieces()
}

/// Judges a broken pose as a static check does: facets may explain its overlap.
fn interference(query: &SweepQuery<'_>, chain: &Chain, range: [f64; 2], answer: &sweep::SweepAnswer) -> SweepAnswer {
    let cell = Cell::between(range[0], range[1]);
    let residual = query.residual + chain.rounding(&cell, query.first.max_abs + query.second.max_abs);
    let broken = |at: f64| {
        let pose: Pose = chain.pose(&[at]);
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
    if poses.into_iter().any(broken) {
        SweepAnswer::by_triangles(Status::Interference)
    } else {
        SweepAnswer::undecided(FACETS)
    }
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
    let center = chain.pose(&cell.center).translation;
    let displacement = displacement(chain, cell, &Vec3::zeros(), of_b);
    let rounding = chain.rounding(cell, size) + roundoff_mm(size, size, center.norm()) + query.residual;
    // Twice the rounding, for the sums of this function.
    center.norm() - displacement - of_a - of_b > limits.max_distance() + 2.0 * rounding
}

/// Bounds the displacement of a ball of the second part over a cell, from the centre of the cell (mm, >= 0). The
/// distance of a point from the axis of a joint depends on the joints nearer the second part alone, and those have moved
/// it by the sum so far. A turn by the angle w moves a point at the distance R from its axis by 2·R·sin(w/2).
fn displacement(chain: &Chain, cell: &Cell, ball: &Vec3, radius: f64) -> f64 {
    let mut point = chain.drawn.point(ball);
    let mut moved = 0.0;
    for ChainJoint { joint, law } in &chain.joints {
        let reach = law.reach(&cell.half);
        let from_axis = (point - joint.at).cross(&joint.axis).norm() + radius + moved;
        let chord = 2.0 * from_axis * libm::sin((0.5 * reach.to_radians()).min(std::f64::consts::FRAC_PI_2));
        moved += match joint.kind {
            JointKind::Fixed => 0.0,
            JointKind::Prismatic => reach,
            JointKind::Revolute => chord,
            JointKind::Screw { lead } => libm::hypot(chord, lead * reach / 360.0),
        };
        point = joint.motion(law.value(&cell.center)).point(&point);
    }
    moved
}
