//! Bounds the distance of two triangles cheaply, by their normals and boxes.

use crate::geom::Vec3;
use crate::geom::math::{greater, lesser, max3, min3};
use crate::geom::triangle::Triangle;
use crate::shape::surface::PlacedObb;

/// Triangle with an approximate normal and its bounding box.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoundedTriangle {
    /// Corners in the pair's frame (mm).
    pub corners: Triangle,
    /// Unit to rounding, or 0 for a triangle without area. The direction of a sliver may be arbitrarily wrong, yet
    /// every bound along it stays valid.
    normal: Vec3,
    /// Extent of the corners along the normal, relative to the first corner (mm).
    low: f64,
    high: f64,
    min: Vec3,
    max: Vec3,
}

impl BoundedTriangle {
    #[inline]
    pub(crate) fn new(corners: Triangle) -> Self {
        let [a, b, c] = &corners;
        let (e, f) = (b - a, c - a);
        let n = e.cross(&f);
        let length = n.norm();
        let normal = if length > 0.0 { n / length } else { n };
        let (he, hf) = (normal.dot(&e), normal.dot(&f));
        Self {
            normal,
            low: lesser(0.0, lesser(he, hf)),
            high: greater(0.0, greater(he, hf)),
            min: min3(min3(*a, *b), *c),
            max: max3(max3(*a, *b), *c),
            corners,
        }
    }

    /// Computes a lower bound of the distance from the triangle to a box (mm); <= 0 if the triangle's plane may cut the
    /// box.
    #[inline]
    pub(crate) fn box_distance_bound(&self, other: &PlacedObb) -> f64 {
        other.plane_distance_bound(&self.normal, &self.corners[0]) - (self.high - self.low)
    }

    /// Computes a lower bound of the distance of two triangles (mm), up to rounding; <= 0 if none of a few directions
    /// separates them. Returns early at the first normal with a separation above `limit`.
    #[inline]
    pub(crate) fn distance_bound(&self, other: &Self, limit: f64) -> f64 {
        let s = self.separation_along_normal(other);
        if s > limit {
            return s;
        }
        let t = other.separation_along_normal(self);
        if t > limit {
            return t;
        }
        let gap = |k: usize| greater(0.0, greater(self.min[k] - other.max[k], other.min[k] - self.max[k]));
        let (x, y, z) = (gap(0), gap(1), gap(2));
        greater(greater(s, t), (x * x + y * y + z * z).sqrt())
    }

    /// Computes the separation of the other triangle from this one along a unit direction (mm).
    #[inline]
    pub(crate) fn apart_along(&self, other: &Self, direction: &Vec3) -> f64 {
        let [p, q, r] = self.corners.each_ref().map(|v| direction.dot(v));
        let [s, t, u] = other.corners.each_ref().map(|v| direction.dot(v));
        lesser(lesser(s, t), u) - greater(greater(p, q), r)
    }

    /// Computes the separation of the other triangle along this triangle's normal, on either side (mm).
    #[inline]
    fn separation_along_normal(&self, other: &Self) -> f64 {
        let [p, q, r] = other.corners.each_ref().map(|v| self.normal.dot(&(v - self.corners[0])));
        greater(lesser(lesser(p, q), r) - self.high, self.low - greater(greater(p, q), r))
    }
}

/// Planes along the sides of a triangle, at right angles to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SidePlanes {
    /// Unit normals, away from the triangle; 0 for a side without length.
    outward: [Vec3; 3],
    /// Height of the farthest corner along each normal (mm).
    reach: [f64; 3],
}

impl SidePlanes {
    pub(crate) fn new(triangle: &BoundedTriangle) -> Self {
        let [a, b, c] = &triangle.corners;
        let outward = [b - a, c - b, a - c].map(|side| {
            let outward = side.cross(&triangle.normal);
            outward.try_normalize(0.0).unwrap_or(outward)
        });
        let reach = outward.map(|n| greater(greater(n.dot(a), n.dot(b)), n.dot(c)));
        Self { outward, reach }
    }

    /// True if one of the planes separates another triangle by more than `limit` (mm, more than rounding). Triangles in
    /// one plane or at one edge of a part are often separated like this alone.
    #[inline]
    pub(crate) fn exclude(&self, other: &BoundedTriangle, limit: f64) -> bool {
        let [p, q, r] = &other.corners;
        (0..3).any(|k| {
            let n = &self.outward[k];
            lesser(lesser(n.dot(p), n.dot(q)), n.dot(r)) - self.reach[k] > limit
        })
    }
}
