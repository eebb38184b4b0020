//! Answers one pair over a sweep.
//!
//! The pair is clear if the balls around its parts stay farther apart than all its limits: over each cell of joint
//! values, the distance at the centre less the largest displacement. Any other pair is undecided, and fails.

use crate::check::Status;
use crate::check::prepare::shape::Shape;
use crate::check::stages::limits::Limits;
use crate::geom::Vec3;
use crate::geom::math::max3;
use crate::geom::tolerance::roundoff_mm;
use crate::motion::{Cell, Chain, ChainJoint, JointKind};

/// Query of a pair over a run.
pub(crate) struct SweepQuery<'a> {
    pub first: &'a Shape,
    pub second: &'a Shape,
    /// Motion of the second shape seen from the first one, with cells that cover the parameters.
    pub segments: Vec<(Chain, &'a [Cell])>,
    pub limits: Limits,
    /// Largest displacement of points by rounding of the placements (mm).
    pub residual: f64,
}

/// Answer of a pair over a run.
pub(crate) struct SweepAnswer {
    pub status: Status,
    /// Reason of an undecided pair.
    pub why: Option<&'static str>,
}

/// Answers a pair over all parameters of a run.
pub(crate) fn sweep_pair(query: &SweepQuery<'_>) -> SweepAnswer {
    let clear = |(chain, cells): &(Chain, &[Cell])| cells.iter().all(|cell| apart(query, chain, cell));
    if query.segments.iter().all(clear) {
        return SweepAnswer { status: Status::Clear, why: None };
    }
    SweepAnswer { status: Status::Undecided, why: Some("this version decides a sweep only for pairs far apart") }
}

/// True if the balls around both parts stay farther apart than all limits over a cell.
fn apart(query: &SweepQuery<'_>, chain: &Chain, cell: &Cell) -> bool {
    let [(a, of_a), (b, of_b)] = [query.first, query.second].map(|shape| {
        let bounds = &shape.convex.aabb;
        (shape.convex.origin, max3(bounds.min.abs(), bounds.max.abs()).norm())
    });
    let floor = query.first.tolerance_floor().max(query.second.tolerance_floor());
    let limits = Limits { tolerance: query.limits.tolerance.max(floor), ..query.limits };
    let size = query.first.max_abs + query.second.max_abs;
    let center = chain.pose(&cell.center).point(&b);
    let displacement = displacement(chain, cell, &b, of_b);
    let rounding = chain.rounding(cell, size) + roundoff_mm(size, size, center.norm()) + query.residual;
    // Twice the rounding, for the sums of this function.
    (center - a).norm() - displacement - of_a - of_b > limits.max_distance() + 2.0 * rounding
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
