//! One oriented box of the tree: 36 bytes.

use crate::geom::{Mat3, Vec3};
use std::ops::Range;

/// Largest entry of a stored quaternion. Axes are right to about 3·10⁻⁵ rad, which a box of 100 mm pays with 0.003 mm.
const QUATERNION_SCALE: f64 = 32_767.0;

/// Set in `link` of a leaf; below it two bits count its triangles less one, below these stands the first.
const LEAF_BIT: u32 = 1 << 31;
const COUNT_SHIFT: u32 = 29;

/// Triangles of a leaf, at most.
pub(super) const LEAF: usize = 4;

/// Triangles that a tree can hold.
pub(super) const MAX_TRIANGLES: usize = 1 << COUNT_SHIFT;

/// A box that holds a range of triangles for certain: centre and half extents in single precision, rounded outward, axes as
/// a quaternion of small integers. The thinnest side is the third.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    center: [f32; 3],
    half: [f32; 3],
    axes: [i16; 4],
    link: u32,
}

/// What follows below a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Below {
    /// The two children.
    Children([u32; 2]),
    /// The triangles of a leaf.
    Triangles(Range<u32>),
}

/// A box with its axes, ready for computing. Columns of `axes` are orthonormal to rounding.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Oriented {
    /// In the surface's frame (mm), or wherever it was carried.
    pub center: Vec3,
    /// Columns.
    pub axes: Mat3,
    /// Along them (mm).
    pub half: Vec3,
}

impl Node {
    /// A leaf over these triangles, at most [`LEAF`] of them, its box still to be fitted.
    pub(super) fn leaf(first: usize, count: usize) -> Self {
        Self::linked(LEAF_BIT | ((count as u32).wrapping_sub(1) << COUNT_SHIFT) | first as u32)
    }

    /// A node whose children stand at `first` and behind it, its box still to be fitted.
    pub(super) fn inner(first: usize) -> Self {
        Self::linked(first as u32)
    }

    fn linked(link: u32) -> Self {
        Self { center: [0.0; 3], half: [0.0; 3], axes: [0, 0, 0, 1], link }
    }

    /// What follows below.
    #[inline]
    pub(crate) fn below(&self) -> Below {
        match self.leaf_triangles() {
            Some(range) => Below::Triangles(range),
            None => Below::Children([self.link, self.link + 1]),
        }
    }

    /// The triangles of a leaf.
    #[inline]
    pub(crate) fn leaf_triangles(&self) -> Option<Range<u32>> {
        (self.link & LEAF_BIT != 0).then(|| {
            let first = self.link & (MAX_TRIANGLES as u32 - 1);
            first..first + 1 + (self.link >> COUNT_SHIFT & (LEAF as u32 - 1))
        })
    }

    /// A measure of size (mm).
    #[inline]
    pub(crate) fn size(&self) -> f32 {
        self.half[0] + self.half[1]
    }

    /// The centre (mm).
    #[inline]
    pub(crate) fn center(&self) -> Vec3 {
        wide(self.center)
    }

    /// The half extents (mm).
    #[inline]
    pub(crate) fn half_f32(&self) -> [f32; 3] {
        self.half
    }

    /// Rows of the matrix whose columns are the axes, in single precision.
    #[inline]
    pub(crate) fn axes_f32(&self) -> [[f32; 3]; 3] {
        let [x, y, z, w] = self.axes.map(f32::from);
        let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
        let s = 2.0 / (xx + yy + zz + ww);
        let (xy, xz, yz) = (x * y, x * z, y * z);
        let (xw, yw, zw) = (x * w, y * w, z * w);
        [
            [1.0 - s * (yy + zz), s * (xy - zw), s * (xz + yw)],
            [s * (xy + zw), 1.0 - s * (xx + zz), s * (yz - xw)],
            [s * (xz - yw), s * (yz + xw), 1.0 - s * (xx + yy)],
        ]
    }

    /// The box.
    #[inline]
    pub(crate) fn oriented(&self) -> Oriented {
        Oriented { center: wide(self.center), axes: rotation(self.axes), half: wide(self.half) }
    }

    /// Sets the box to one with these quantised axes that holds what lies between `low` and `high` along them, seen from
    /// `from`.
    pub(super) fn set_box(&mut self, quaternion: [i16; 4], axes: &Mat3, from: &Vec3, low: &Vec3, high: &Vec3) {
        let center = (from + axes * ((low + high) * 0.5)).map(|x| f64::from(x as f32));
        // Where the rounded centre lies, along the axes.
        let shift = axes.tr_mul(&(center - from));
        self.axes = quaternion;
        self.center = [0, 1, 2].map(|k| center[k] as f32);
        self.half = [0, 1, 2].map(|k| up((high[k] - shift[k]).max(shift[k] - low[k])));
    }
}

impl Oriented {
    /// Squared distance of a point, 0 inside (mm²).
    #[inline]
    pub(crate) fn squared_distance(&self, x: &Vec3) -> f64 {
        let local = self.axes.tr_mul(&(x - self.center));
        let out = |k: usize| {
            let d = local[k].abs() - self.half[k];
            if d > 0.0 { d } else { 0.0 }
        };
        let (a, b, c) = (out(0), out(1), out(2));
        a * a + b * b + c * c
    }
}

fn wide(v: [f32; 3]) -> Vec3 {
    Vec3::new(f64::from(v[0]), f64::from(v[1]), f64::from(v[2]))
}

/// The smallest single-precision number that is not below `x` ≥ 0.
fn up(x: f64) -> f32 {
    let f = x as f32;
    if f64::from(f) < x { f.next_up() } else { f }
}

/// The quantised quaternion (x, y, z, w) of a rotation.
pub(super) fn quaternion(m: &Mat3) -> [i16; 4] {
    // The largest of the four squared entries first: S. W. Shepperd, "Quaternion from Rotation Matrix", 1978.
    let (a, b, c) = (m[(0, 0)], m[(1, 1)], m[(2, 2)]);
    let squares = [1.0 + a - b - c, 1.0 - a + b - c, 1.0 - a - b + c, 1.0 + a + b + c];
    let largest = (0..4).fold(0, |l, k| if squares[k] > squares[l] { k } else { l });
    let (xy, xz, yz) = (m[(0, 1)] + m[(1, 0)], m[(0, 2)] + m[(2, 0)], m[(1, 2)] + m[(2, 1)]);
    let (xw, yw, zw) = (m[(2, 1)] - m[(1, 2)], m[(0, 2)] - m[(2, 0)], m[(1, 0)] - m[(0, 1)]);
    let q = match largest {
        0 => [squares[0], xy, xz, xw],
        1 => [xy, squares[1], yz, yw],
        2 => [xz, yz, squares[2], zw],
        _ => [xw, yw, zw, squares[3]],
    };
    let scale = QUATERNION_SCALE / q.iter().map(|e| e * e).sum::<f64>().sqrt();
    q.map(|e| libm::rint(e * scale) as i16)
}

/// The rotation of a quantised quaternion that is not 0.
#[inline]
pub(super) fn rotation(q: [i16; 4]) -> Mat3 {
    let [x, y, z, w] = q.map(f64::from);
    // Sums of integers below 2³²: exact.
    let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
    let s = 2.0 / (xx + yy + zz + ww);
    let (xy, xz, yz) = (x * y, x * z, y * z);
    let (xw, yw, zw) = (x * w, y * w, z * w);
    Mat3::new(
        1.0 - s * (yy + zz),
        s * (xy - zw),
        s * (xz + yw),
        s * (xy + zw),
        1.0 - s * (xx + zz),
        s * (yz - xw),
        s * (xz - yw),
        s * (yz + xw),
        1.0 - s * (xx + yy),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::math::sin_cos_deg;

    #[test]
    fn quantised_axes_are_a_rotation_close_to_the_one_asked_for() {
        let turn = |deg: f64, k: usize| {
            let (s, c) = sin_cos_deg(deg);
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let mut m = Mat3::identity();
            (m[(i, i)], m[(i, j)], m[(j, i)], m[(j, j)]) = (c, -s, s, c);
            m
        };
        for a in 0..40 {
            for b in 0..20 {
                let m = turn(f64::from(a) * 9.0, 0) * turn(f64::from(b) * 17.3, 1) * turn(f64::from(a + b) * 31.0, 2);
                let r = rotation(quaternion(&m));
                assert!((r - m).abs().max() < 1e-4);
                assert!((r.tr_mul(&r) - Mat3::identity()).abs().max() < 1e-15);
            }
        }
        let around = Mat3::new(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0);
        assert_eq!(rotation(quaternion(&around)), around);
        assert_eq!(rotation(quaternion(&Mat3::identity())), Mat3::identity());
    }

    #[test]
    fn links_keep_leaves_and_children() {
        assert_eq!(Node::leaf(MAX_TRIANGLES - 4, 4).below(), Below::Triangles((1 << 29) - 4..1 << 29));
        assert_eq!(Node::leaf(7, 1).below(), Below::Triangles(7..8));
        assert_eq!(Node::inner(9).below(), Below::Children([9, 10]));
        assert_eq!(size_of::<Node>(), 36);
    }
}
