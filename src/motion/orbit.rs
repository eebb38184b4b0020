//! Orbits: all places of a shape while a single joint turns or screws, as a region about the axis.
//!
//! A turn keeps the distance r of each point from its axis, and its height z along it. A screw keeps r and the offset
//! s = z − pφ, up to whole leads. Neither map increases a distance by more than a known factor, so shapes with regions
//! far enough apart stay apart at every angle (docs/explanation/motion.md, claim 7).

use crate::geom::math::{basis, greater, lesser};
use crate::geom::{Pose, Vec3};
use crate::motion::chain::Chain;
use crate::motion::joint::JointKind;
use std::f64::consts::{FRAC_1_SQRT_2, TAU};

/// The four directions of a region, as (r, z): along r, along z, and both diagonals. A screw has s in place of z.
const DIRECTIONS: [[f64; 2]; 4] =
    [[1.0, 0.0], [0.0, 1.0], [FRAC_1_SQRT_2, FRAC_1_SQRT_2], [FRAC_1_SQRT_2, -FRAC_1_SQRT_2]];

/// Axis of the only joint that moves in a chain, with coordinates about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrbitAxis {
    axis: Vec3,
    at: Vec3,
    across: [Vec3; 2],
    /// Travel for one turn, signed (mm); 0 for a turn.
    lead: f64,
    /// Pose of B in A's frame at which A and B are compared: any value of the joint.
    pub pose: Pose,
}

impl OrbitAxis {
    /// Finds the axis; `None` unless exactly one joint of the chain moves, and turns.
    pub fn of(chain: &Chain) -> Option<Self> {
        let chain = chain.without_constants();
        let [j] = chain.joints.as_slice() else { return None };
        let lead = match j.joint.kind {
            JointKind::Revolute => 0.0,
            JointKind::Screw { lead } => lead,
            JointKind::Prismatic | JointKind::Fixed => return None,
        };
        let (x, y) = basis(&j.joint.axis);
        Some(Self { axis: j.joint.axis, at: j.joint.at, across: [x, y], lead, pose: chain.drawn })
    }

    /// True for a screw.
    pub fn is_screw(&self) -> bool {
        self.lead != 0.0
    }

    /// Coordinates of a point about the axis: two across it, one along it.
    fn local(&self, x: &Vec3) -> Vec3 {
        let d = x - self.at;
        Vec3::new(self.across[0].dot(&d), self.across[1].dot(&d), self.axis.dot(&d))
    }

    /// Region of a triangle (A's frame, at [`OrbitAxis::pose`] for triangles of B).
    pub fn orbit(&self, triangle: &[Vec3; 3]) -> Orbit {
        let points = triangle.map(|x| self.local(&x));
        if self.lead == 0.0 { Self::of_turn(&points) } else { self.of_screw(&points) }
    }

    fn of_turn(points: &[Vec3; 3]) -> Orbit {
        let (n, least) = nearest(points);
        let mut orbit = Orbit { low: [f64::INFINITY; 4], high: [f64::NEG_INFINITY; 4], lead: 0.0 };
        for p in points {
            let r = (p.x * p.x + p.y * p.y).sqrt();
            let along = n[0] * p.x + n[1] * p.y;
            for (k, [of_r, of_z]) in DIRECTIONS.iter().enumerate() {
                orbit.high[k] = greater(orbit.high[k], of_r * r + of_z * p.z);
                orbit.low[k] = lesser(orbit.low[k], of_r * along + of_z * p.z);
            }
        }
        orbit.low[0] = least;
        orbit
    }

    /// Bounds r and s = z − pφ over a triangle. Let u point from the axis to its middle, and v across u and the axis.
    /// Then φ = φ₀ + atan(v/u), and atan differs from v/u by at most a third of its cube. The rest, (z·u − p·v)/u, is a
    /// quotient of quadratic functions of the barycentric coordinates, and lies between the quotients of their
    /// coefficients in Bernstein form. r is at least the coordinate along any direction, and at most its linear
    /// interpolation between the corners.
    fn of_screw(&self, points: &[Vec3; 3]) -> Orbit {
        let (n, least) = nearest(points);
        let radii = points.map(|p| (p.x * p.x + p.y * p.y).sqrt());
        let farthest = radii.iter().copied().fold(0.0, greater);
        let lead = self.lead.abs();
        let anywhere = Orbit {
            low: [least, f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY],
            high: [farthest, f64::INFINITY, f64::INFINITY, f64::INFINITY],
            lead,
        };
        let middle = points[0] + points[1] + points[2];
        let length = (middle.x * middle.x + middle.y * middle.y).sqrt();
        let [ux, uy] = [middle.x / length, middle.y / length];
        let (u, v) = (points.map(|p| ux * p.x + uy * p.y), points.map(|p| ux * p.y - uy * p.x));
        let widest = u.iter().zip(&v).map(|(u, v)| v.abs() / u).fold(0.0, greater);
        if !(length > 0.0 && u.iter().all(|u| *u > 0.0) && widest < 1.0) {
            return anywhere;
        }
        let pitch = self.lead / TAU;
        let phase = pitch * libm::atan2(uy, ux);
        let bend = pitch.abs() * widest * widest * widest / 3.0;
        let along = points.map(|p| n[0] * p.x + n[1] * p.y);
        let mut orbit = Orbit { low: [f64::INFINITY; 4], high: [f64::NEG_INFINITY; 4], lead };
        (orbit.low[0], orbit.high[0]) = (least, farthest);
        for (k, [of_r, of_z]) in DIRECTIONS.iter().enumerate().skip(1) {
            for i in 0..3 {
                for j in 0..=i {
                    // Coefficient of the quotient's numerator without r, and of u, at the corners i and j.
                    let down = 0.5 * (u[i] + u[j]);
                    let of_s = 0.5 * (points[i].z * u[j] + points[j].z * u[i]) - 0.5 * pitch * (v[i] + v[j]);
                    let with = |r: &[f64; 3]| (of_z * of_s + of_r * 0.5 * (r[i] * u[j] + r[j] * u[i])) / down;
                    let offset = of_z * phase;
                    orbit.low[k] = lesser(orbit.low[k], with(&along) - offset - bend * of_z.abs());
                    orbit.high[k] = greater(orbit.high[k], with(&radii) - offset + bend * of_z.abs());
                }
            }
        }
        orbit
    }
}

/// Region of (r, z), or of (r, s) up to whole leads, around the orbit of a shape: intervals along four directions (mm).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Orbit {
    low: [f64; 4],
    high: [f64; 4],
    /// Length of the lead (mm); 0 for a turn.
    lead: f64,
}

impl Orbit {
    /// Region around two regions of the same axis.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut out = Self {
            low: std::array::from_fn(|k| lesser(self.low[k], other.low[k])),
            high: std::array::from_fn(|k| greater(self.high[k], other.high[k])),
            lead: self.lead,
        };
        for (k, [_, of_z]) in DIRECTIONS.iter().enumerate().skip(1) {
            let period = self.lead * of_z.abs();
            let between = 0.5 * (self.low[k] + self.high[k]) - 0.5 * (other.low[k] + other.high[k]);
            if period > 0.0 && between.is_finite() {
                let shift = period * (between / period).round();
                out.low[k] = lesser(self.low[k], other.low[k] + shift);
                out.high[k] = greater(self.high[k], other.high[k] + shift);
            }
        }
        out
    }

    /// Middle of the region along r, and along z or s (mm); the second one is 0 for a region of all offsets.
    pub fn middle(&self) -> [f64; 2] {
        let z = 0.5 * (self.low[1] + self.high[1]);
        let z = if self.lead > 0.0 { z - self.lead * (z / self.lead).floor() } else { z };
        [0.5 * (self.low[0] + self.high[0]), if z.is_finite() { z } else { 0.0 }]
    }

    /// Lower bound of the distance of two orbits (mm), up to rounding; <= 0 if the regions may meet.
    pub fn distance_bound(&self, other: &Self) -> f64 {
        let gap = |k: usize| {
            let apart = greater(other.low[k] - self.high[k], self.low[k] - other.high[k]);
            let period = self.lead * DIRECTIONS[k][1].abs();
            if period > 0.0 { self.circular_gap(other, k, period) } else { apart }
        };
        let (r, z) = (greater(gap(0), 0.0), greater(gap(1), 0.0));
        let diagonal = greater(gap(2), gap(3));
        let bound = greater(diagonal, (r * r + z * z).sqrt());
        if self.lead == 0.0 {
            return bound;
        }
        // A shorter segment between the shapes stays this far from the axis, where s changes by at most 1/c for 1 mm.
        let inner = lesser(self.low[0], other.low[0]) - 0.5 * bound;
        if inner <= 0.0 {
            return r;
        }
        let slope = self.lead / (TAU * inner);
        let c = 1.0 / (1.0 + slope * slope).sqrt();
        greater(c * diagonal, (r * r + c * c * z * z).sqrt())
    }

    /// Distance of two intervals on a circle (mm, along direction `k`); <= 0 if they meet.
    fn circular_gap(&self, other: &Self, k: usize, period: f64) -> f64 {
        let (of_self, of_other) = (self.high[k] - self.low[k], other.high[k] - other.low[k]);
        if of_self.max(of_other) >= period {
            return 0.0;
        }
        let up = other.low[k] - self.high[k];
        let up = up - period * (up / period).floor();
        lesser(up, period - up - of_self - of_other)
    }
}

/// Direction from the axis to the nearest point of a triangle, and its distance r from the axis (mm). The distance of
/// any of its points from the axis is at least the coordinate along this direction. Both are 0 if the axis meets it.
fn nearest(points: &[Vec3; 3]) -> ([f64; 2], f64) {
    let (foot, least) = nearest_to_origin(&points.map(|p| [p.x, p.y]));
    if least > 0.0 { ([foot[0] / least, foot[1] / least], least) } else { ([0.0; 2], 0.0) }
}

/// Point of a triangle of the plane nearest to the origin, and its distance; 0 if the origin lies in the triangle.
fn nearest_to_origin(t: &[[f64; 2]; 3]) -> ([f64; 2], f64) {
    let cross = |p: &[f64; 2], q: &[f64; 2]| p[0] * q[1] - p[1] * q[0];
    let turns = [cross(&t[0], &t[1]), cross(&t[1], &t[2]), cross(&t[2], &t[0])];
    if turns.iter().all(|c| *c >= 0.0) || turns.iter().all(|c| *c <= 0.0) {
        // Also for a triangle seen edge on with a line through the origin; the bound is only weaker.
        return ([0.0; 2], 0.0);
    }
    let mut best = ([0.0; 2], f64::INFINITY);
    for k in 0..3 {
        let (p, q) = (&t[k], &t[(k + 1) % 3]);
        let e = [q[0] - p[0], q[1] - p[1]];
        let length = e[0] * e[0] + e[1] * e[1];
        let share = if length > 0.0 { (-(e[0] * p[0] + e[1] * p[1]) / length).clamp(0.0, 1.0) } else { 0.0 };
        let x = [p[0] + e[0] * share, p[1] + e[1] * share];
        let d = (x[0] * x[0] + x[1] * x[1]).sqrt();
        if d < best.1 {
            best = (x, d);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::triangle::{closest, intersects};
    use crate::motion::chain::{ChainJoint, Law};
    use crate::motion::joint::Joint;
    use crate::testkit::rng::Rng;

    /// A chain with a single joint that moves: a turn or a screw.
    fn turn(rng: &mut Rng) -> Chain {
        let kind = [JointKind::Revolute, JointKind::Screw { lead: rng.signed() * 30.0 }][rng.below(2)];
        let joint = Joint { kind, axis: rng.direction(), at: rng.in_cube() * 5.0 };
        let fixed = Joint { kind: JointKind::Revolute, axis: rng.direction(), at: rng.in_cube() * 5.0 };
        let joints = vec![
            ChainJoint { joint: fixed, law: Law::constant(rng.signed() * 90.0) },
            ChainJoint { joint, law: Law::linear(360.0, rng.signed()) },
            ChainJoint { joint: fixed, law: Law::constant(rng.signed() * 90.0) },
        ];
        Chain { drawn: rng.pose(10.0), joints }
    }

    #[test]
    fn no_turn_brings_triangles_closer_than_their_orbits() {
        let full = std::env::var_os("INTERFERE_FULL").is_some();
        let mut rng = Rng::new(7);
        let (mut sharpest, mut separated) = (0.0_f64, [0; 2]);
        let rounds = if full { 2_000_000 } else { 3000 };
        for _ in 0..rounds {
            let chain = turn(&mut rng);
            let axis = OrbitAxis::of(&chain).unwrap();
            let size = rng.scale(0.3, 4.0);
            let mut triangle = || {
                let at = rng.in_cube() * 20.0;
                [0, 1, 2].map(|_| at + rng.in_cube() * size)
            };
            let (a, b, c) = (triangle(), triangle(), triangle());
            let of_b = |x: [Vec3; 3]| axis.orbit(&x.map(|x| axis.pose.point(&x)));
            let bound = axis.orbit(&a).distance_bound(&of_b(b));
            let of_both = axis.orbit(&a).distance_bound(&of_b(c).union(&of_b(b)));
            separated[usize::from(axis.lead != 0.0)] += usize::from(bound > 0.0);
            for _ in 0..8 {
                let pose = chain.pose(&[rng.signed() * 2.0]);
                let b = b.map(|x| pose.point(&x));
                let d = if intersects(&a, &b) { 0.0 } else { closest(&a, &b).squared.sqrt() };
                assert!(d >= bound - 1e-10 && d >= of_both - 1e-10, "{d} {bound} {of_both}");
                sharpest = sharpest.max(bound / d);
            }
        }
        assert!(sharpest > 0.98 && separated.iter().all(|n| *n > rounds / 10), "{sharpest} {separated:?}");
    }

    #[test]
    fn a_pin_clears_a_bore_by_radii() {
        let axis = OrbitAxis::of(&Chain {
            drawn: Pose::identity(),
            joints: vec![ChainJoint {
                joint: Joint { kind: JointKind::Revolute, axis: Vec3::z(), at: Vec3::zeros() },
                law: Law::linear(1.0, 0.0),
            }],
        });
        let axis = axis.unwrap();
        // A facet of a bore: its middle is nearest to the axis.
        let bore = axis.orbit(&[Vec3::new(5.0, -1.0, 0.0), Vec3::new(5.0, 1.0, 0.0), Vec3::new(5.0, 0.0, 9.0)]);
        let pin = axis.orbit(&[Vec3::new(4.9, 0.0, 0.0), Vec3::new(0.0, 4.9, 0.0), Vec3::new(0.0, 0.0, 9.0)]);
        assert!((bore.distance_bound(&pin) - 0.1).abs() < 1e-14);
    }
}
