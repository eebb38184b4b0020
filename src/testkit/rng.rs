//! Random numbers, points, rotations and poses; equal seeds give equal values on every machine.

use crate::geom::math::sin_cos_deg;
use crate::geom::{Mat3, Pose, Vec3};
use crate::testkit::solids::corners;

/// `SplitMix64` (Steele, Lea & Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
pub struct Rng(u64);

impl Rng {
    /// Starts the sequence of a seed; neighbouring seeds give independent sequences.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Draws 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Draws a number from 0 (included) to 1 (excluded).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Draws a number from −1 (included) to 1 (excluded).
    pub fn signed(&mut self) -> f64 {
        self.range(-1.0, 1.0)
    }

    /// Draws a number from `low` (included) to `high` (excluded).
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Draws an integer from 0 to `n` (excluded); 0 for `n` = 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    /// Draws a number from `low` to `high` (both > 0), its logarithm equally likely everywhere.
    pub fn scale(&mut self, low: f64, high: f64) -> f64 {
        libm::exp(self.range(libm::log(low), libm::log(high)))
    }

    /// Draws a point of the cube [0, 1)³.
    pub fn in_unit_cube(&mut self) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit())
    }

    /// Draws a point of the cube [−1, 1)³.
    pub fn in_cube(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    /// Draws a point of the unit ball.
    pub fn in_ball(&mut self) -> Vec3 {
        loop {
            let v = self.in_cube();
            if v.norm_squared() <= 1.0 {
                return v;
            }
        }
    }

    /// Draws a unit vector, every direction equally likely.
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = self.in_ball();
            if v.norm_squared() > 1e-3 {
                return v.normalize();
            }
        }
    }

    /// Draws a rotation, every rotation equally likely (Shoemake, "Uniform Random Rotations", 1992, by rejection).
    pub fn rotation(&mut self) -> Mat3 {
        let [x, y, z, w] = loop {
            let q: [f64; 4] = std::array::from_fn(|_| self.signed());
            let n = q.iter().map(|e| e * e).sum::<f64>();
            if n <= 1.0 && n > 1e-3 {
                break q.map(|e| e / n.sqrt());
            }
        };
        Mat3::new(
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - z * w),
            2.0 * (x * z + y * w),
            2.0 * (x * y + z * w),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z - x * w),
            2.0 * (x * z - y * w),
            2.0 * (y * z + x * w),
            1.0 - 2.0 * (x * x + y * y),
        )
    }

    /// Draws a rotation and a translation of at most `reach` (mm).
    pub fn pose(&mut self, reach: f64) -> Pose {
        Pose { rotation: self.rotation(), translation: self.in_ball() * reach }
    }

    /// Draws points within a ball of radius `size` (mm) about the origin, of one of five kinds: a few in general
    /// position, a box, a wedge of grid points, a flattened or stretched cloud, a prism.
    pub fn cloud(&mut self, size: f64) -> Vec<Vec3> {
        match self.below(5) {
            0 => (0..4 + self.below(12)).map(|_| self.in_ball() * size).collect(),
            1 => {
                let h = Vec3::new(self.range(0.1, 0.57), self.range(0.1, 0.57), self.range(0.1, 0.57)) * size;
                let r = self.rotation();
                corners(h).iter().map(|c| r * c).collect()
            }
            2 => {
                (0..5 + self.below(10)).map(|_| self.in_ball().map(|e| (e * 2.0).round() / 2.0 * size * 0.57)).collect()
            }
            3 => {
                let s = Vec3::new(1.0, self.scale(0.01, 1.0), self.scale(0.01, 1.0));
                let r = self.rotation();
                (0..6 + self.below(10)).map(|_| r * self.in_ball().component_mul(&s) * size).collect()
            }
            _ => {
                let (n, r) = (3 + self.below(6), self.rotation());
                let (radius, half) = (self.range(0.2, 0.7) * size, self.range(0.1, 0.7) * size);
                (0..n)
                    .flat_map(|k| {
                        let (s, c) = sin_cos_deg(360.0 * k as f64 / n as f64);
                        [-half, half].map(|z| r * Vec3::new(radius * c, radius * s, z))
                    })
                    .collect()
            }
        }
    }
}
