//! One pair of convex hulls, from "can they be apart" to "how deep".
pub mod common_ball_lp;
pub mod epa;
pub mod gjk;
pub mod sat;
pub mod simplex;

use crate::geom::math::{greater, lesser};
use crate::geom::{Pose, Vec3};
use crate::query::convex::common_ball_lp::{Goal, Thickness};
use crate::query::convex::epa::{EpaScratch, Penetration};
use crate::query::convex::gjk::{GjkEnd, HullPair, Separation};
use crate::shape::polytope::Convex;

/// Where two hulls stand to each other. Lengths in mm, points and directions in A's centred frame, the interval without
/// the pair's rounding margin, which the caller adds.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::large_enum_variant, reason = "one on the stack for each pair, read at once")]
pub enum HullAnswer {
    /// Apart by more than the limit; at least this far.
    Beyond(f64),
    /// The gap lies in the bracket.
    Gap(Gap),
}

/// The gap of two hulls with its witnesses.
#[derive(Debug, Clone, Copy)]
pub struct Gap {
    /// Certified bounds of the gap: positive apart, minus the thickness of the common part where they overlap.
    pub bracket: [f64; 2],
    /// The best value inside the bracket.
    pub value: f64,
    /// A point of A and of B: the closest two, or where they overlap the nearest surface points to the centre of the
    /// largest common ball.
    pub witness: [Vec3; 2],
    /// Unit, from A to B, as far as it is known without the penetration depth.
    pub normal: Option<Vec3>,
    /// What GJK ended with, for [`Gap::penetration`].
    separation: Separation,
}

/// What is asked of a pair of hulls.
#[derive(Debug, Clone, Copy)]
pub struct HullLimits {
    /// Nothing is needed of pairs farther apart than this (mm).
    pub reach: f64,
    /// When the thickness is known well enough.
    pub goal: Goal,
    /// The pair's rounding margin (mm).
    pub margin: f64,
}

/// Distance or thickness of two hulls. A certified interval in every case: what GJK cannot tell apart, the linear
/// programme brackets.
pub fn hull_gap(q: &HullPair, ask: &HullLimits) -> HullAnswer {
    let separation = gjk::separation(q, ask.reach, ask.margin);
    if separation.ending == GjkEnd::BeyondLimit {
        return HullAnswer::Beyond(separation.lower);
    }
    let points = [
        separation.simplex.combine(|p| q.a.vertices[p.a as usize]),
        separation.simplex.combine(|p| q.b_in_a.point(&q.b.vertices[p.b as usize])),
    ];
    let apart = Gap {
        bracket: [greater(separation.lower, 0.0), separation.upper],
        value: separation.upper,
        witness: points,
        normal: (separation.axis != Vec3::zeros() && separation.ending != GjkEnd::Touching).then_some(separation.axis),
        separation,
    };
    if separation.ending != GjkEnd::Touching && separation.lower > ask.margin {
        return HullAnswer::Gap(apart);
    }
    if q.a.rank < 3 || q.b.rank < 3 {
        // A flat solid has no inside: nothing is thinner than nothing, so the hulls meet at depth zero.
        return HullAnswer::Gap(apart);
    }
    // A point that GJK found in both may settle a verdict at once.
    let guess = (ask.goal != Goal::VALUE && separation.ending == GjkEnd::Touching).then_some(points[0]);
    HullAnswer::Gap(overlapping(q, &apart, &common_ball_lp::overlap(q, guess, ask.goal)))
}

fn overlapping(q: &HullPair, apart: &Gap, thick: &Thickness) -> Gap {
    // The plane depth of a point outside never exceeds its distance, so an upper bound below zero is a distance too.
    let low = greater(
        -thick.upper,
        if apart.separation.ending == GjkEnd::Touching { f64::NEG_INFINITY } else { apart.separation.lower },
    );
    let high = if thick.lower > 0.0 { -thick.lower } else { apart.separation.upper };
    let high = greater(low, high);
    let [(facet_a, depth_a), (facet_b, depth_b)] = thick.nearest;
    let normal_b = q.b_in_a.direction(&q.b.normals[facet_b]);
    let deep = thick.lower > 0.0;
    Gap {
        bracket: [low, high],
        value: if deep { greater(-thick.value, low) } else { high },
        witness: if deep {
            [thick.center + q.a.normals[facet_a] * depth_a, thick.center + normal_b * depth_b]
        } else {
            apart.witness
        },
        normal: apart.normal.or(Some(q.a.normals[facet_a])),
        ..*apart
    }
}

impl Gap {
    /// The shortest translation of B that separates the hulls; see [`epa::penetration`].
    pub fn penetration(&self, q: &HullPair, margin: f64, scratch: &mut EpaScratch) -> Option<Penetration> {
        epa::penetration(q, &self.separation.simplex, margin, scratch)
    }
}

/// Inner balls nearer than this, in sums of their radii, often leave a common point between them: worth a look.
const PROMISING_SHARE: f64 = 1.25;

/// How the largest balls inside two hulls lie to each other: the cheapest look at a pair.
#[derive(Debug, Clone, Copy)]
pub struct InnerBalls {
    /// A lower bound of the thickness from the balls alone (mm); negative where they do not meet.
    pub thickness: f64,
    /// Whether they overlap or come near to it, as measured by their own size.
    pub near: bool,
    distance: f64,
    centers: [Vec3; 2],
}

impl InnerBalls {
    /// Of a pair.
    #[inline]
    pub fn of(q: &HullPair) -> Self {
        let (ra, rb) = (q.a.inner_radius, q.b.inner_radius);
        let centers = [q.a.inner_center, q.b_in_a.point(&q.b.inner_center)];
        let distance = (centers[1] - centers[0]).norm();
        Self {
            thickness: lesser(ra + rb - distance, lesser(2.0 * ra, 2.0 * rb)),
            near: ra > 0.0 && rb > 0.0 && distance <= PROMISING_SHARE * (ra + rb),
            distance,
            centers,
        }
    }

    /// A lower bound of the thickness from one point between the centres (mm); negative where that point is not in both
    /// hulls.
    pub fn common_ball(&self, q: &HullPair) -> f64 {
        let (ra, rb, [ca, cb]) = (q.a.inner_radius, q.b.inner_radius, self.centers);
        if self.distance <= 0.0 {
            return common_ball_lp::at_point(q, &ca);
        }
        // The middle of the stretch between the balls' far and near ends, as a fraction of the way from A's centre to B's.
        let middle = 0.5 * (lesser(ra, self.distance + rb) + greater(-ra, self.distance - rb));
        common_ball_lp::at_point(q, &(ca + (cb - ca) * (middle / self.distance)))
    }
}

/// Above what rounding does to a dot product of a unit vector and a vertex of the centred frame, in diameters: a few
/// round-offs of 1.1·10⁻¹⁶ each.
const SUPPORT_ROUNDING: f64 = 1e-12;

/// Whether no vertex of `inner` lies outside of `outer` by more than `slack` (mm), `inner` placed at `pose` in the frame of
/// `outer`. One support query a facet, of all vertices only where the ball and the box about them do not settle it.
pub fn contains(outer: &Convex, inner: &Convex, pose: &Pose, slack: f64) -> bool {
    if outer.rank < 3 {
        return false;
    }
    let rounding = SUPPORT_ROUNDING * inner.diameter;
    let radius = inner.vertices.iter().map(Vec3::norm_squared).fold(0.0, greater).sqrt();
    let (middle, half) = (inner.aabb.center(), (inner.aabb.max - inner.aabb.min) * 0.5);
    let mut hint = 0;
    outer.normals.iter().zip(&outer.offsets).all(|(n, offset)| {
        let local = pose.rotation.tr_mul(n);
        let beyond = |value: f64| value + n.dot(&pose.translation) > offset + slack;
        let most = lesser(radius, local.dot(&middle) + local.abs().dot(&half)) + rounding;
        if !beyond(most) {
            return true;
        }
        let (found, value) = inner.climb(&local, hint);
        hint = found;
        !beyond(value) && (inner.climb_scans() || !beyond(inner.scan(&local).1))
    })
}
