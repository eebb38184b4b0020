//! Answers for one pair of convex hulls: gap, depth of the overlap, separating translation.
//!
//! The order of the tests, cheapest first:
//!
//! - `sat`: lower bound of the distance of two oriented boxes
//! - `gjk`: distance of two hulls, on the sub-algorithm in `simplex`
//! - `common_ball_lp`: largest common ball of two overlapping hulls, a linear programme
//! - `epa`: shortest translation separating two overlapping hulls
//! - `containment`: one hull inside another
pub mod common_ball_lp;
mod containment;
pub mod epa;
pub mod gjk;
pub mod sat;
pub mod simplex;

use crate::geom::math::{greater, lesser};
use crate::geom::{Bounds, Vec3};
use crate::query::convex::common_ball_lp::{Goal, Thickness};
pub use crate::query::convex::containment::contains;
use crate::query::convex::epa::{EpaScratch, Penetration};
use crate::query::convex::gjk::{GjkEnd, HullPair, Separation};

/// Gap of two hulls. Lengths in mm, points and directions in A's centred frame. The caller adds the pair's rounding
/// margin to the bounds.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::large_enum_variant, reason = "one on the stack for each pair, read at once")]
pub enum HullAnswer {
    /// Lower bound of the distance of hulls farther apart than the limit (mm).
    Beyond(f64),
    /// Hulls whose gap lies in the bracket.
    Gap(Gap),
}

/// Gap of two hulls with its witnesses.
#[derive(Debug, Clone, Copy)]
pub struct Gap {
    /// Certified bounds of the gap (mm): positive if the hulls are apart, minus the depth of the overlap otherwise.
    pub bracket: Bounds,
    /// Best estimate inside the bracket (mm).
    pub value: f64,
    /// Point of A and point of B (A's frame, mm): the closest two, or for overlapping hulls the nearest surface points
    /// to the centre of the largest common ball.
    pub witness: [Vec3; 2],
    /// Centre of the largest common ball found (A's frame, mm); `None` without a common ball.
    pub ball_center: Option<Vec3>,
    /// Unit direction from A to B (A's frame), if known without the penetration depth.
    pub normal: Option<Vec3>,
    /// Final state of GJK, for [`Gap::penetration`].
    separation: Separation,
}

/// Limit and precision of a hull query.
#[derive(Debug, Clone, Copy)]
pub struct HullLimits {
    /// Distance (mm); a lower bound suffices for hulls farther apart.
    pub reach: f64,
    /// Precision required of the depth.
    pub goal: Goal,
    /// The pair's rounding margin (mm).
    pub margin: f64,
}

/// Computes the gap of two hulls as a certified interval: GJK brackets the distance, the linear programme brackets the
/// depth if GJK cannot separate the hulls.
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
        bracket: Bounds { lower: greater(separation.lower, 0.0), upper: separation.upper },
        value: separation.upper,
        witness: points,
        ball_center: None,
        normal: (separation.axis != Vec3::zeros() && separation.ending != GjkEnd::Touching).then_some(separation.axis),
        separation,
    };
    if separation.ending != GjkEnd::Touching && separation.lower > ask.margin {
        return HullAnswer::Gap(apart);
    }
    if q.a.rank < 3 || q.b.rank < 3 {
        // A flat hull has no interior, so the depth of the overlap is zero.
        return HullAnswer::Gap(apart);
    }
    // A common point found by GJK may already decide the threshold.
    let guess = (ask.goal != Goal::VALUE && separation.ending == GjkEnd::Touching).then_some(points[0]);
    HullAnswer::Gap(overlapping(q, &apart, &common_ball_lp::overlap(q, guess, ask.goal)))
}

fn overlapping(q: &HullPair, apart: &Gap, thick: &Thickness) -> Gap {
    let inside = Bounds::from_depth(thick.lower, thick.upper);
    // The plane depth of an outside point is at most its distance, so a negative upper bound of the depth is a lower
    // bound of the distance.
    let low = greater(
        inside.lower,
        if apart.separation.ending == GjkEnd::Touching { f64::NEG_INFINITY } else { apart.separation.lower },
    );
    let high = if thick.lower > 0.0 { inside.upper } else { apart.separation.upper };
    let high = greater(low, high);
    let [(facet_a, depth_a), (facet_b, depth_b)] = thick.nearest;
    let normal_b = q.b_in_a.direction(&q.b.normal(facet_b));
    let deep = thick.lower > 0.0;
    Gap {
        bracket: Bounds { lower: low, upper: high },
        value: if deep { greater(-thick.value, low) } else { high },
        witness: if deep {
            [thick.center + q.a.normal(facet_a) * depth_a, thick.center + normal_b * depth_b]
        } else {
            apart.witness
        },
        ball_center: deep.then_some(thick.center),
        normal: apart.normal.or(Some(q.a.normal(facet_a))),
        ..*apart
    }
}

impl Gap {
    /// Computes the shortest translation of B separating the hulls; see [`epa::penetration`].
    pub fn penetration(&self, q: &HullPair, margin: f64, scratch: &mut EpaScratch) -> Option<Penetration> {
        epa::penetration(q, &self.separation.simplex, margin, scratch)
    }
}

/// Distance of two inner balls, in sums of their radii, up to which a common point between them is likely enough to be
/// tested.
const PROMISING_SHARE: f64 = 1.25;

/// Largest balls inside two hulls: the cheapest test of a pair.
#[derive(Debug, Clone, Copy)]
pub struct InnerBalls {
    /// Lower bound of the depth from the balls alone (mm); negative if the balls are disjoint.
    pub thickness: f64,
    /// True if the balls overlap or nearly touch, relative to their size.
    pub near: bool,
    distance: f64,
    centers: [Vec3; 2],
}

impl InnerBalls {
    /// Places the inner balls of a pair.
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

    /// Computes a lower bound of the depth from one point between the centres (mm); negative if the point is outside
    /// one hull.
    pub fn common_ball(&self, q: &HullPair) -> f64 {
        let (ra, rb, [ca, cb]) = (q.a.inner_radius, q.b.inner_radius, self.centers);
        if self.distance <= 0.0 {
            return common_ball_lp::at_point(q, &ca);
        }
        // Middle of the interval common to the two balls, or of the gap between them, on the line of centres (mm from
        // A's centre).
        let middle = 0.5 * (lesser(ra, self.distance + rb) + greater(-ra, self.distance - rb));
        common_ball_lp::at_point(q, &(ca + (cb - ca) * (middle / self.distance)))
    }
}
