//! Lower bounds of the distance of two oriented boxes, many per microsecond.
//!
//! Axes and half extents are held in single precision, four lanes at a time; only the difference of the centres is taken in
//! double precision. What single precision may add to a bound is taken off it, in proportion to the boxes' own size and distance.

use super::surface::Node;
use crate::geom::{Pose, Vec3};

/// Four numbers; the fourth is 0 or unused.
#[derive(Debug, Clone, Copy)]
#[repr(align(16))]
struct Lanes([f32; 4]);

impl Lanes {
    #[inline]
    fn zip(self, o: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self([f(self.0[0], o.0[0]), f(self.0[1], o.0[1]), f(self.0[2], o.0[2]), f(self.0[3], o.0[3])])
    }

    #[inline]
    fn times(self, s: f32) -> Self {
        self.zip(self, |x, _| x * s)
    }

    #[inline]
    fn plus(self, o: Self) -> Self {
        self.zip(o, |x, y| x + y)
    }

    #[inline]
    fn minus(self, o: Self) -> Self {
        self.zip(o, |x, y| x - y)
    }

    #[inline]
    fn abs(self) -> Self {
        self.zip(self, |x, _| x.abs())
    }

    /// `x·a + y·b + z·c`.
    #[inline]
    fn combine(a: Self, b: Self, c: Self, [x, y, z]: [f32; 3]) -> Self {
        a.times(x).plus(b.times(y)).plus(c.times(z))
    }
}

/// What rounding to single precision may do to a separation along an axis, in units of the sum of the coordinates that go into
/// it: axes decoded (4 roundings), carried into the other frame (3), their products (4) and sums (8), each of 2⁻²⁴, and the
/// centres' difference; rounded up.
const SINGLE: f32 = 24.0 * f32::EPSILON;

/// A box placed in the frame of a pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacedBox {
    center: Vec3,
    /// Of the matrix whose columns are the axes.
    rows: [Lanes; 3],
    half: Lanes,
    /// Sum of the half extents.
    sum: f32,
}

/// A motion, its rotation rounded.
#[derive(Debug, Clone, Copy)]
pub(super) struct Motion<'a> {
    pose: &'a Pose,
    rows: [[f32; 3]; 3],
}

impl<'a> Motion<'a> {
    pub(super) fn new(pose: &'a Pose) -> Self {
        let r = &pose.rotation;
        Self { pose, rows: [0, 1, 2].map(|i| [0, 1, 2].map(|j| r[(i, j)] as f32)) }
    }
}

impl PlacedBox {
    /// Where the node stands in its own surface's frame.
    #[inline]
    pub(super) fn of(node: &Node) -> Self {
        let (rows, half) = (node.axes_f32(), node.half_f32());
        Self {
            center: node.center(),
            rows: rows.map(|[x, y, z]| Lanes([x, y, z, 0.0])),
            half: Lanes([half[0], half[1], half[2], 0.0]),
            sum: half[0] + half[1] + half[2],
        }
    }

    /// The same box after a motion.
    #[inline]
    pub(super) fn moved(&self, by: &Motion) -> Self {
        let [a, b, c] = self.rows;
        Self { center: by.pose.point(&self.center), rows: by.rows.map(|r| Lanes::combine(a, b, c, r)), ..*self }
    }

    /// A lower bound of the distance of two boxes (mm), 0 where their six axes do not separate them. Ends at the first box
    /// whose axes separate by more than `limit`.
    #[inline]
    pub(super) fn apart(&self, other: &Self, limit: f32) -> f32 {
        let d = other.center - self.center;
        let d = [d.x as f32, d.y as f32, d.z as f32];
        let error = SINGLE * (d[0].abs() + d[1].abs() + d[2].abs() + self.sum + other.sum);
        let mine = self.beside(other, d, error);
        if mine > limit * limit {
            return mine.sqrt();
        }
        let theirs = other.beside(self, d, error);
        (if theirs > mine { theirs } else { mine }).sqrt()
    }

    /// A lower bound of the distance of the box from a plane (mm), not above 0 where the plane may cut it: `normal` a unit vector to
    /// rounding, `at` a point of the plane.
    #[inline]
    pub(super) fn off_plane(&self, normal: &Vec3, at: &Vec3) -> f64 {
        let d = self.center - at;
        let n = [normal.x as f32, normal.y as f32, normal.z as f32];
        let [x, y, z] = self.rows;
        let reach = Lanes::combine(x, y, z, n).abs().zip(self.half, |a, h| a * h).0;
        let error = SINGLE * (self.sum + (d.x.abs() + d.y.abs() + d.z.abs()) as f32);
        normal.dot(&d).abs() - f64::from(reach[0] + reach[1] + reach[2] + error)
    }

    /// Squared distance of this box and the box around the other along this one's axes.
    #[inline]
    fn beside(&self, other: &Self, d: [f32; 3], error: f32) -> f32 {
        let [x, y, z] = self.rows;
        let t = Lanes::combine(x, y, z, d);
        let column = |j: usize| {
            let axis = [other.rows[0].0[j], other.rows[1].0[j], other.rows[2].0[j]];
            Lanes::combine(x, y, z, axis).abs()
        };
        let reach =
            Lanes::combine(column(0), column(1), column(2), [other.half.0[0], other.half.0[1], other.half.0[2]]);
        let s = t.abs().minus(self.half).minus(reach);
        let square = |k: usize| {
            let s = s.0[k] - error;
            if s > 0.0 { s * s } else { 0.0 }
        };
        // The sums of squares and the root round, too: by far less than SINGLE allows for.
        square(0) + square(1) + square(2)
    }
}
