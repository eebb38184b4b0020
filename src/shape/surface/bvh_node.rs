//! Stores one oriented box of the tree in a cache line.

use crate::geom::math::greater;
use crate::geom::{Mat3, Vec3};
use std::ops::Range;

/// Marks a leaf in `link`. The two bits below it hold the number of triangles less one, the lowest 29 bits the first
/// triangle.
const LEAF_BIT: u32 = 1 << 31;
const COUNT_SHIFT: u32 = 29;

/// Largest number of triangles of a leaf.
pub(crate) const LEAF: usize = 4;

/// Largest number of triangles of a tree.
pub(crate) const MAX_TRIANGLES: usize = 1 << COUNT_SHIFT;

/// Skew of axes stored in single precision, as a fraction of the sum of the half extents: a point within the slabs of a
/// box may lie outside the sum of its half axes by this much. The nine dot products of the axes are each wrong by 2⁻²⁴
/// twice, so their matrix differs from the identity by at most 3 · 2⁻²³ (Frobenius norm), rounded up here.
pub(crate) const SKEW: f64 = 4.0 * f32::EPSILON as f64;

/// Box certainly containing a range of triangles: half extents rounded outward, along the axes as stored.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Node {
    /// Rows of the matrix with the axes as columns; the fourth lanes hold the centre (mm).
    rows: [[f32; 4]; 3],
    half: [f32; 3],
    link: u32,
}

/// Place of what is below a node: all of a node that is known before its box.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link(u32);

impl Link {
    /// Links a leaf to its triangles, at most [`LEAF`] of them.
    pub(crate) fn to_triangles(first: usize, count: usize) -> Self {
        Self(LEAF_BIT | ((count as u32).wrapping_sub(1) << COUNT_SHIFT) | first as u32)
    }

    /// Links a node to its children at `first` and `first + 1`.
    pub(crate) fn to_children(first: usize) -> Self {
        Self(first as u32)
    }
}

/// Content below a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Below {
    /// Indices of the two children.
    Children([u32; 2]),
    /// Range of the triangles of a leaf.
    Triangles(Range<u32>),
}

impl Node {
    /// Makes a node; its box is fitted later.
    pub(crate) fn new(link: Link) -> Self {
        Self { rows: [[0.0; 4]; 3], half: [0.0; 3], link: link.0 }
    }

    /// Moves the children of an inner node back by `by` places. A leaf stays as it is.
    pub(crate) fn with_children_moved(self, by: usize) -> Self {
        if self.link & LEAF_BIT == 0 { Self { link: self.link + by as u32, ..self } } else { self }
    }

    /// Returns the content below.
    #[inline]
    pub(crate) fn below(&self) -> Below {
        match self.leaf_triangles() {
            Some(range) => Below::Triangles(range),
            None => Below::Children([self.link, self.link + 1]),
        }
    }

    /// Returns the triangles of a leaf, `None` for an inner node.
    #[inline]
    pub(crate) fn leaf_triangles(&self) -> Option<Range<u32>> {
        (self.link & LEAF_BIT != 0).then(|| {
            let first = self.link & (MAX_TRIANGLES as u32 - 1);
            first..first + 1 + (self.link >> COUNT_SHIFT & (LEAF as u32 - 1))
        })
    }

    /// Sum of the half extents (mm).
    #[inline]
    pub(crate) fn size(&self) -> f32 {
        self.half[0] + self.half[1] + self.half[2]
    }

    /// The centre (mm).
    #[inline]
    pub(crate) fn center(&self) -> Vec3 {
        let [x, y, z] = self.rows;
        Vec3::new(f64::from(x[3]), f64::from(y[3]), f64::from(z[3]))
    }

    /// The half extents (mm).
    #[inline]
    pub(crate) fn half(&self) -> [f32; 3] {
        self.half
    }

    /// Rows of the matrix with the axes as columns; ignore the fourth lanes.
    #[inline]
    pub(crate) fn rows(&self) -> [[f32; 4]; 3] {
        self.rows
    }

    /// The axes as columns: orthonormal to single precision.
    #[inline]
    pub(crate) fn axes(&self) -> Mat3 {
        let [x, y, z] = self.rows.map(|r| [f64::from(r[0]), f64::from(r[1]), f64::from(r[2])]);
        Mat3::new(x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2])
    }

    /// Sets the box: the smallest along these axes containing all points between `low` and `high`, measured along them
    /// from `from` (mm). The entries of the axes are single-precision numbers.
    pub(crate) fn set_box(&mut self, axes: &Mat3, from: &Vec3, low: &Vec3, high: &Vec3) {
        let single = |x: f64| f64::from(x as f32);
        let center = from + axes * ((low + high) * 0.5);
        let center = Vec3::new(single(center.x), single(center.y), single(center.z));
        // Position of the rounded centre along the axes.
        let shift = axes.tr_mul(&(center - from));
        for (i, row) in self.rows.iter_mut().enumerate() {
            *row = [axes[(i, 0)] as f32, axes[(i, 1)] as f32, axes[(i, 2)] as f32, center[i] as f32];
        }
        let (above, below) = (high - shift, shift - low);
        self.half = [up(greater(above.x, below.x)), up(greater(above.y, below.y)), up(greater(above.z, below.z))];
    }
}

/// Returns the smallest single-precision number of at least `x` (>= 0).
fn up(x: f64) -> f32 {
    let f = x as f32;
    // The bits of the next larger number are larger by one; without a branch.
    f32::from_bits(f.to_bits() + u32::from(f64::from(f) < x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_keep_leaves_and_children() {
        let leaf = |first: usize, count: usize| Node::new(Link::to_triangles(first, count));
        assert_eq!(leaf(MAX_TRIANGLES - 4, 4).below(), Below::Triangles((1 << 29) - 4..1 << 29));
        assert_eq!(leaf(7, 1).below(), Below::Triangles(7..8));
        assert_eq!(leaf(7, 1).with_children_moved(5).below(), Below::Triangles(7..8));
        let inner = Node::new(Link::to_children(9));
        assert_eq!(inner.below(), Below::Children([9, 10]));
        assert_eq!(inner.with_children_moved(5).below(), Below::Children([14, 15]));
        assert_eq!(size_of::<Node>(), 64);
    }

    #[test]
    fn half_extents_round_up_by_at_most_a_step() {
        for x in [0.0, 1e-60, 1e-45, 1e-40, 0.1, 1.0, 1.0 + 1e-12, f64::from(f32::MAX) * (1.0 - 1e-9)] {
            let f = up(x);
            assert!(f64::from(f) >= x && (f == 0.0 || f64::from(f.next_down()) < x), "{x:e} {f:e}");
        }
    }

    #[test]
    fn fitted_box_contains_its_triangles() {
        // A centre beyond single precision.
        let (from, low, high) =
            (Vec3::new(1e5 + 0.001, 0.1, -3e-5), Vec3::new(-0.01, -2.0, 0.0), Vec3::new(0.02, 3.0, 1e-9));
        let mut node = Node::new(Link::to_triangles(0, 1));
        node.set_box(&Mat3::identity(), &from, &low, &high);
        for k in 0..3 {
            let (c, h) = (node.center()[k], f64::from(node.half()[k]));
            assert!(c - h <= from[k] + low[k] && from[k] + high[k] <= c + h);
            assert!(h <= (high[k] - low[k]) * 0.5 + 0.005);
        }
    }
}
