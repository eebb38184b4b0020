//! What several benchmarks share: a sequence of numbers that is the same everywhere, and random solids.
#![allow(dead_code, reason = "each benchmark uses some of it")]

use interfere::geom::{Mat3, Vec3};
use interfere::shape::hull::{Hull, convex_hull};

/// Numbers from a fixed linear congruential sequence.
pub struct Sequence(u64);

impl Sequence {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        let mut sequence = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        sequence.unit();
        sequence
    }

    /// In [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Each coordinate in [0, 1).
    pub fn point(&mut self) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit())
    }

    /// On the unit sphere, every direction equally likely.
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let p = self.point() * 2.0 - Vec3::repeat(1.0);
            let length = p.norm();
            if length <= 1.0 && length > 0.01 {
                return p / length;
            }
        }
    }

    /// Every rotation equally likely: a unit quaternion.
    pub fn rotation(&mut self) -> Mat3 {
        loop {
            let q = [(); 4].map(|()| self.unit() * 2.0 - 1.0);
            let length_sq: f64 = q.iter().map(|x| x * x).sum();
            if length_sq <= 1.0 && length_sq > 0.01 {
                let q = nalgebra::Quaternion::new(q[0], q[1], q[2], q[3]);
                return *nalgebra::UnitQuaternion::from_quaternion(q).to_rotation_matrix().matrix();
            }
        }
    }

    /// The hull of points on an ellipsoid with half axes between 5 and 10: all of them are its vertices.
    pub fn solid(&mut self, vertices: usize) -> Hull {
        let axes = Vec3::repeat(5.0) + 5.0 * self.point();
        let points: Vec<Vec3> = (0..vertices).map(|_| self.direction().component_mul(&axes)).collect();
        convex_hull(&points)
    }
}
