//! Axis-aligned boxes.

use crate::geom::math::{Vec3, max3, min3};
use serde::{Deserialize, Serialize};

/// Directions across the faces, the edges and the corners of a box, up to sign and length.
pub(crate) const BOX_DIRECTIONS: [[f64; 3]; 13] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 0.0],
    [1.0, -1.0, 0.0],
    [0.0, 1.0, 1.0],
    [0.0, 1.0, -1.0],
    [1.0, 0.0, 1.0],
    [-1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [1.0, 1.0, -1.0],
    [1.0, -1.0, 1.0],
    [1.0, -1.0, -1.0],
];

/// An axis-aligned box, closed. Empty if `min` > `max` along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Aabb {
    /// Smallest coordinates.
    pub min: Vec3,
    /// Largest coordinates.
    pub max: Vec3,
}

impl Aabb {
    /// The empty box.
    pub const EMPTY: Self = Self {
        min: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        max: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// Returns the smallest box around the points.
    pub fn of_points<'a>(points: impl IntoIterator<Item = &'a Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self { min: min3(b.min, *p), max: max3(b.max, *p) })
    }

    /// Length of the diagonal; 0 for an empty box.
    pub fn diagonal(&self) -> f64 {
        if self.min.x <= self.max.x { (self.max - self.min).norm() } else { 0.0 }
    }

    /// Centre of the box.
    pub fn center(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }

    /// The eight corners, in the order of the bits of their number: a bit is 1 for the largest coordinate of its axis.
    pub(crate) fn corners(&self) -> [Vec3; 8] {
        let side = [self.min, self.max];
        [0, 1, 2, 3, 4, 5, 6, 7].map(|k: usize| Vec3::from_fn(|axis, _| side[k >> axis & 1][axis]))
    }

    /// Largest magnitude of any coordinate; 0 for an empty box.
    pub fn max_abs(&self) -> f64 {
        if self.min.x <= self.max.x { self.min.amax().max(self.max.amax()) } else { 0.0 }
    }

    /// True if the point lies in the box.
    pub fn contains(&self, p: &Vec3) -> bool {
        (0..3).all(|k| self.min[k] <= p[k] && p[k] <= self.max[k])
    }

    /// Grows the box by `by` on every side.
    #[must_use]
    pub fn inflated(&self, by: f64) -> Self {
        let e = Vec3::repeat(by);
        Self { min: self.min - e, max: self.max + e }
    }

    /// Returns the smallest box around both boxes.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self { min: min3(self.min, other.min), max: max3(self.max, other.max) }
    }

    /// Returns the common box; empty if the boxes are disjoint.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self { min: max3(self.min, other.min), max: min3(self.max, other.max) }
    }

    /// Distance of the two boxes (>= 0); 0 if they intersect.
    pub fn distance(&self, other: &Self) -> f64 {
        let apart = max3(other.min - self.max, self.min - other.max);
        apart.map(|d| d.max(0.0)).norm()
    }

    /// Tests if the closed boxes intersect.
    pub fn meets(&self, other: &Self) -> bool {
        (0..3).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }
}
