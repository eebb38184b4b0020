//! Orbits: all places of a shape while a single joint turns, as a region of (r, z) about the axis.
//!
//! A turn keeps the distance r of each point from its axis, and its height z along it. The map to (r, z) never increases
//! a distance, so shapes with regions more than θ apart stay more than θ apart at every angle
//! (docs/explanation/motion.md, claim 7).

use crate::geom::math::{basis, greater, lesser};
use crate::geom::{Pose, Vec3};
use crate::motion::chain::Chain;
use crate::motion::joint::JointKind;

/// The four directions of a region, as (r, z): along r, along z, and both diagonals.
const DIRECTIONS: [[f64; 2]; 4] = [
    [1.0, 0.0],
    [0.0, 1.0],
    [std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2],
    [std::f64::consts::FRAC_1_SQRT_2, -std::f64::consts::FRAC_1_SQRT_2],
];

/// Axis of the only joint that moves in a chain, with coordinates about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrbitAxis {
    axis: Vec3,
    at: Vec3,
    across: [Vec3; 2],
    /// Pose of B in A's frame at which A and B are compared: any value of the joint.
    pub pose: Pose,
}

impl OrbitAxis {
    /// Finds the axis; `None` unless exactly one joint of the chain moves, and turns without a slide.
    pub fn of(chain: &Chain) -> Option<Self> {
        let chain = chain.without_constants();
        let [j] = chain.joints.as_slice() else { return None };
        if j.joint.kind != JointKind::Revolute {
            return None;
        }
        let (x, y) = basis(&j.joint.axis);
        Some(Self { axis: j.joint.axis, at: j.joint.at, across: [x, y], pose: chain.drawn })
    }

    /// Coordinates of a point about the axis: two across it, one along it.
    fn local(&self, x: &Vec3) -> Vec3 {
        let d = x - self.at;
        Vec3::new(self.across[0].dot(&d), self.across[1].dot(&d), self.axis.dot(&d))
    }

    /// Region of a triangle (A's frame, at [`OrbitAxis::pose`] for triangles of B).
    pub fn orbit(&self, triangle: &[Vec3; 3]) -> Orbit {
        let points = triangle.map(|x| self.local(&x));
        let flat = points.map(|p| [p.x, p.y]);
        let (foot, least) = nearest_to_origin(&flat);
        // The distance from the axis is at least the coordinate along any direction across it.
        let n = if least > 0.0 { [foot[0] / least, foot[1] / least] } else { [0.0; 2] };
        let mut orbit = Orbit { low: [f64::INFINITY; 4], high: [f64::NEG_INFINITY; 4] };
        for p in &points {
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
}

/// Region of (r, z) around the orbit of a shape: intervals along four directions (mm).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Orbit {
    low: [f64; 4],
    high: [f64; 4],
}

impl Orbit {
    /// Region around two regions.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            low: std::array::from_fn(|k| lesser(self.low[k], other.low[k])),
            high: std::array::from_fn(|k| greater(self.high[k], other.high[k])),
        }
    }

    /// Lower bound of the distance of two orbits (mm), up to rounding; <= 0 if the regions may meet.
    pub fn distance_bound(&self, other: &Self) -> f64 {
        let gap = |k: usize| greater(other.low[k] - self.high[k], self.low[k] - other.high[k]);
        let (r, z) = (greater(gap(0), 0.0), greater(gap(1), 0.0));
        greater(greater(gap(2), gap(3)), (r * r + z * z).sqrt())
    }
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

    fn turn(rng: &mut Rng) -> Chain {
        let joint = Joint { kind: JointKind::Revolute, axis: rng.direction(), at: rng.in_cube() * 5.0 };
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
        let mut sharpest = 0.0_f64;
        for _ in 0..if full { 1_000_000 } else { 3000 } {
            let chain = turn(&mut rng);
            let axis = OrbitAxis::of(&chain).unwrap();
            let mut triangle = |size: f64| {
                let at = rng.in_cube() * 20.0;
                [0, 1, 2].map(|_| at + rng.in_cube() * size)
            };
            let (a, b) = (triangle(4.0), triangle(4.0));
            let placed = b.map(|x| axis.pose.point(&x));
            let bound = axis.orbit(&a).distance_bound(&axis.orbit(&placed));
            for _ in 0..8 {
                let pose = chain.pose(&[rng.unit()]);
                let b = b.map(|x| pose.point(&x));
                let d = if intersects(&a, &b) { 0.0 } else { closest(&a, &b).squared.sqrt() };
                assert!(d >= bound - 1e-10, "{d} {bound}");
                sharpest = sharpest.max(bound / d);
            }
        }
        assert!(sharpest > 0.98, "{sharpest}");
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
