//! Computes lower bounds of distances between oriented boxes, many per microsecond.
//!
//! Axes and half extents are in single precision, four lanes at a time; only the difference of two centres is in double
//! precision. Each bound is reduced by the largest error of single precision, in proportion to the sizes involved.

use crate::geom::{Pose, Vec3};
use crate::shape::surface::bvh_node::Node;
use wide::f32x4;

/// Computes `x·a + y·b + z·c`; ignore the fourth lane.
#[inline]
pub(crate) fn combine([a, b, c]: [f32x4; 3], [x, y, z]: [f32; 3]) -> f32x4 {
    a * f32x4::splat(x) + b * f32x4::splat(y) + c * f32x4::splat(z)
}

/// Error of single precision in a separation along an axis, relative to the sum of the coordinates involved, in
/// roundings of 2⁻²⁴: stored axes (1, and 2 more for their skew), rotation to the other frame (4), products (4), sums
/// (8), the centres' difference (1); doubled and rounded up.
const F32_ERROR: f32 = 24.0 * f32::EPSILON;

/// Box placed in the frame of a pair (mm).
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedObb {
    center: Vec3,
    /// Rows of the matrix with the axes as columns.
    rows: [f32x4; 3],
    half: f32x4,
    /// Sum of the half extents (mm).
    sum: f32,
}

/// Rigid motion, with its rotation rounded to single precision.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Motion<'a> {
    pose: &'a Pose,
    rows: [[f32; 3]; 3],
}

impl<'a> Motion<'a> {
    pub(crate) fn new(pose: &'a Pose) -> Self {
        let r = &pose.rotation;
        Self { pose, rows: [0, 1, 2].map(|i| [0, 1, 2].map(|j| r[(i, j)] as f32)) }
    }
}

impl PlacedObb {
    /// Box of the node in its own surface's frame.
    #[inline]
    pub(crate) fn of(node: &Node) -> Self {
        let half = node.half();
        Self {
            center: node.center(),
            rows: node.rows().map(f32x4::new),
            half: f32x4::new([half[0], half[1], half[2], 0.0]),
            sum: node.size(),
        }
    }

    /// Returns the box after a motion.
    #[inline]
    pub(crate) fn moved(&self, by: &Motion) -> Self {
        Self { center: by.pose.point(&self.center), rows: by.rows.map(|r| combine(self.rows, r)), ..*self }
    }

    /// Lower bound of the distance between two boxes (mm). At most 0 if none of their six axes separates them, and then
    /// the lower, the deeper they overlap. Returns early if the axes of `self` separate by more than `limit` (mm).
    #[inline]
    pub(crate) fn distance_bound(&self, other: &Self, limit: f32) -> f32 {
        let d = other.center - self.center;
        let d = [d.x as f32, d.y as f32, d.z as f32];
        let error = F32_ERROR * (d[0].abs() + d[1].abs() + d[2].abs() + self.sum + other.sum);
        let [x, y, z] = other.rows.map(f32x4::to_array);
        // Cosines between the axes of the two boxes.
        let products = [0, 1, 2].map(|j| combine(self.rows, [x[j], y[j], z[j]]).abs());
        let [hx, hy, hz, _] = other.half.to_array();
        let reach = combine(products, [hx, hy, hz]);
        let mine = distance(combine(self.rows, d), self.half + reach, error);
        if mine > limit {
            return mine;
        }
        let [p, q, r] = products.map(|p| p * self.half);
        let [x, y, z, _] = f32x4::transpose([p, q, r, f32x4::ZERO]);
        let theirs = distance(combine(other.rows, d), other.half + (x + y + z), error);
        if theirs > mine { theirs } else { mine }
    }

    /// Lower bound of the distance to a point (mm); at most 0 if the point is inside.
    #[inline]
    pub(crate) fn point_distance_bound(&self, x: &Vec3) -> f32 {
        let d = x - self.center;
        let d = [d.x as f32, d.y as f32, d.z as f32];
        let error = F32_ERROR * (d[0].abs() + d[1].abs() + d[2].abs() + self.sum);
        distance(combine(self.rows, d), self.half, error)
    }

    /// Lower bound of the distance between the box and a plane (mm); at most 0 if the plane may cut the box. `normal`
    /// is a unit vector up to rounding, `at` a point of the plane.
    #[inline]
    pub(crate) fn plane_distance_bound(&self, normal: &Vec3, at: &Vec3) -> f64 {
        let d = self.center - at;
        let n = [normal.x as f32, normal.y as f32, normal.z as f32];
        let reach = (combine(self.rows, n).abs() * self.half).to_array();
        let error = F32_ERROR * self.sum;
        normal.dot(&d).abs() - f64::from(reach[0] + reach[1] + reach[2] + error)
    }
}

/// Distance of the origin from a box around `t` with these half extents, each coordinate reduced by `error`; minus the
/// depth if the origin is inside.
#[inline]
fn distance(t: f32x4, half: f32x4, error: f32) -> f32 {
    let [x, y, z, _] = (t.abs() - half).to_array();
    let larger = if x > y { x } else { y };
    let deepest = if z > larger { z } else { larger } - error;
    if deepest <= 0.0 {
        return deepest;
    }
    let square = |x: f32| {
        let x = x - error;
        if x > 0.0 { x * x } else { 0.0 }
    };
    // The rounding of the sum of squares and of the root is far below the allowance in `F32_ERROR`.
    (square(x) + square(y) + square(z)).sqrt()
}
