//! Lower bounds of distances of oriented boxes, many per microsecond.
//!
//! Axes and half extents are in single precision, four lanes at a time; only the difference of two centres is taken in double
//! precision. What single precision may add to a bound is taken off it, in proportion to the sizes that go into it.

use crate::geom::{Pose, Vec3};
use crate::shape::surface::bvh_node::Node;
use wide::f32x4;

/// `x·a + y·b + z·c`; of four numbers the fourth means nothing.
#[inline]
fn combine([a, b, c]: [f32x4; 3], [x, y, z]: [f32; 3]) -> f32x4 {
    a * f32x4::splat(x) + b * f32x4::splat(y) + c * f32x4::splat(z)
}

/// What single precision may add to a separation along an axis, in units of the sum of the coordinates that go into it: axes
/// stored (1 rounding of 2⁻²⁴, and twice that for their skew), carried into the other frame (4), multiplied (4) and summed
/// up (8), and the centres' difference (1); doubled.
const F32_ERROR: f32 = 24.0 * f32::EPSILON;

/// A box placed in the frame of a pair.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedObb {
    center: Vec3,
    /// Of the matrix whose columns are the axes.
    rows: [f32x4; 3],
    half: f32x4,
    /// Sum of the half extents.
    sum: f32,
}

/// A motion, its rotation rounded.
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
    /// Where the node stands in its own surface's frame.
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

    /// The same box after a motion.
    #[inline]
    pub(crate) fn moved(&self, by: &Motion) -> Self {
        Self { center: by.pose.point(&self.center), rows: by.rows.map(|r| combine(self.rows, r)), ..*self }
    }

    /// A lower bound of the distance of two boxes (mm), not above 0 where their six axes do not separate them, and the less the
    /// deeper they overlap. Ends at the first box whose axes separate by more than `limit`.
    #[inline]
    pub(crate) fn distance_bound(&self, other: &Self, limit: f32) -> f32 {
        let d = other.center - self.center;
        let d = [d.x as f32, d.y as f32, d.z as f32];
        let error = F32_ERROR * (d[0].abs() + d[1].abs() + d[2].abs() + self.sum + other.sum);
        let [x, y, z] = other.rows.map(f32x4::to_array);
        // Of one box's axes along the other's.
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

    /// A lower bound of the distance of a point (mm), not above 0 inside.
    #[inline]
    pub(crate) fn point_distance_bound(&self, x: &Vec3) -> f32 {
        let d = x - self.center;
        let d = [d.x as f32, d.y as f32, d.z as f32];
        let error = F32_ERROR * (d[0].abs() + d[1].abs() + d[2].abs() + self.sum);
        distance(combine(self.rows, d), self.half, error)
    }

    /// A lower bound of the distance of the box from a plane (mm), not above 0 where the plane may cut it: `normal` a unit vector to
    /// rounding, `at` a point of the plane.
    #[inline]
    pub(crate) fn plane_distance_bound(&self, normal: &Vec3, at: &Vec3) -> f64 {
        let d = self.center - at;
        let n = [normal.x as f32, normal.y as f32, normal.z as f32];
        let reach = (combine(self.rows, n).abs() * self.half).to_array();
        let error = F32_ERROR * self.sum;
        normal.dot(&d).abs() - f64::from(reach[0] + reach[1] + reach[2] + error)
    }
}

/// Distance of the origin from a box around `t` with these half extents, each lowered by `error`; where it is inside, minus the
/// depth.
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
    // The sum of squares and its root round, too: by far less than SINGLE allows for.
    (square(x) + square(y) + square(z)).sqrt()
}
