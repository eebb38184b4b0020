//! Measures triangles and boxes along the axes of a box, in single precision and four lanes at a time.
//!
//! Every extent is rounded outward by more than the largest error of single precision, so the box certainly contains
//! what was added.

use crate::geom::{Mat3, Vec3};
use crate::shape::surface::bvh_node::{Node, SKEW};
use crate::shape::surface::bvh_obb_f32::combine;
use wide::f32x4;

/// Error of a point's coordinate along an axis, relative to the point's distance from the origin of the span, in
/// roundings of 2⁻²⁴: differences (1), products (1), sum of three (2), rounded up. The magnitudes of the products sum up
/// to at most this distance, as the axis has length 1.
const POINT_ERROR: f32 = 2.5 * f32::EPSILON;

/// Error of the reach of a box along an axis, relative to the sum of its half extents, in roundings of 2⁻²⁴: cosines
/// (3), their products with the half extents (1), sum of three (2), the ends of the box (1), rounded up.
const BOX_ERROR: f32 = 4.0 * f32::EPSILON;

/// Number of points measured at once.
const LANES: usize = 4;

/// Smallest and largest coordinates along some axes, measured from a point (mm).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    /// Rows of the matrix with the axes as columns.
    rows: [f32x4; 3],
    from: Vec3,
    low: f32x4,
    high: f32x4,
}

impl Span {
    /// Makes an empty span along these axes; their entries are rounded to single precision.
    pub(crate) fn new(axes: &Mat3, from: Vec3) -> Self {
        let row = |i: usize| f32x4::new([axes[(i, 0)] as f32, axes[(i, 1)] as f32, axes[(i, 2)] as f32, 0.0]);
        let (low, high) = (f32x4::splat(f32::INFINITY), f32x4::splat(f32::NEG_INFINITY));
        Self { rows: [row(0), row(1), row(2)], from, low, high }
    }

    #[inline]
    fn relative(&self, p: &Vec3) -> [f32; 3] {
        [(p.x - self.from.x) as f32, (p.y - self.from.y) as f32, (p.z - self.from.z) as f32]
    }

    #[inline]
    fn add(&mut self, low: f32x4, high: f32x4) {
        self.low = low.fast_min(self.low);
        self.high = high.fast_max(self.high);
    }

    /// Adds points, given by their coordinates in lists of one length. [`Self::bounds`] accounts for their rounding.
    #[inline]
    pub(crate) fn add_points(&mut self, points: [&[f64]; 3]) {
        let count = points[0].len();
        if count < LANES {
            for k in 0..count {
                let local = combine(self.rows, self.relative(&Vec3::from(points.map(|list| list[k]))));
                self.add(local, local);
            }
            return;
        }
        // One vector of each axis holds the coordinates of several points. The last vector may repeat points.
        let mut wide = WideSpan::new(&self.rows);
        let [xs, ys, zs] = points.map(|list| list.as_chunks::<LANES>().0);
        for ((x, y), z) in xs.iter().zip(ys).zip(zs) {
            wide.add(relative(x, self.from.x), relative(y, self.from.y), relative(z, self.from.z));
        }
        if let [Some(x), Some(y), Some(z)] = points.map(<[f64]>::last_chunk) {
            wide.add(relative(x, self.from.x), relative(y, self.from.y), relative(z, self.from.z));
        }
        let ([a, b, c, d], [e, f, g, h]) = (by_point(wide.low), by_point(wide.high));
        self.add(a.fast_min(b).fast_min(c.fast_min(d)), e.fast_max(f).fast_max(g.fast_max(h)));
    }

    /// Adds a fitted box, and the rounding of this step.
    #[inline]
    pub(crate) fn add_box(&mut self, b: &Node) {
        let d = self.relative(&b.center());
        let ([x, y, z], half) = (b.rows(), b.half());
        let cosines = [0, 1, 2].map(|j| combine(self.rows, [x[j], y[j], z[j]]).abs());
        let sum = half[0] + half[1] + half[2];
        // The ends of the box round its centre once more than a point.
        let slack = (SKEW as f32 + BOX_ERROR) * sum + 1.5 * POINT_ERROR * (d[0].abs() + d[1].abs() + d[2].abs());
        let (local, reach) = (combine(self.rows, d), combine(cosines, half) + f32x4::splat(slack));
        self.add(local - reach, local + reach);
    }

    /// Returns the smallest and largest coordinates, rounded outward. All points added are at most `reach` from the
    /// origin of the span (mm).
    #[inline]
    pub(crate) fn bounds(&self, reach: f64) -> [Vec3; 2] {
        // Products below the normal range lose less than this in all.
        let slack = f64::from(POINT_ERROR) * reach + f64::from(f32::MIN_POSITIVE);
        let wide = |lanes: f32x4, by: f64| {
            let [x, y, z, _] = lanes.to_array().map(f64::from);
            Vec3::new(x + by, y + by, z + by)
        };
        [wide(self.low, -slack), wide(self.high, slack)]
    }

    /// The axes as columns, as rounded.
    pub(crate) fn axes(&self) -> Mat3 {
        let [x, y, z] = self.rows.map(|r| r.to_array().map(f64::from));
        Mat3::new(x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2])
    }

    /// Origin of the coordinates (mm).
    pub(crate) fn from(&self) -> &Vec3 {
        &self.from
    }
}

/// Smallest and largest coordinates of the points in each lane, along each axis.
struct WideSpan {
    /// Entries of the matrix with the axes as columns, row by row.
    rows: [[f32x4; 3]; 3],
    low: [f32x4; 3],
    high: [f32x4; 3],
}

impl WideSpan {
    #[inline]
    fn new(rows: &[f32x4; 3]) -> Self {
        let row = |i: usize| {
            let [a, b, c, _] = rows[i].to_array();
            [f32x4::splat(a), f32x4::splat(b), f32x4::splat(c)]
        };
        let (low, high) = (f32x4::splat(f32::INFINITY), f32x4::splat(f32::NEG_INFINITY));
        Self { rows: [row(0), row(1), row(2)], low: [low; 3], high: [high; 3] }
    }

    /// Adds a point in each lane, relative to the origin of the span.
    #[inline]
    fn add(&mut self, x: f32x4, y: f32x4, z: f32x4) {
        let [a, b, c] = self.rows;
        for k in 0..3 {
            let local = a[k] * x + b[k] * y + c[k] * z;
            self.low[k] = local.fast_min(self.low[k]);
            self.high[k] = local.fast_max(self.high[k]);
        }
    }
}

/// Coordinates of several points relative to one of the origin.
#[inline]
fn relative(list: &[f64; LANES], from: f64) -> f32x4 {
    let [a, b, c, d] = *list;
    f32x4::new([(a - from) as f32, (b - from) as f32, (c - from) as f32, (d - from) as f32])
}

/// Turns a vector of each axis into one of each lane.
#[inline]
fn by_point([x, y, z]: [f32x4; 3]) -> [f32x4; LANES] {
    f32x4::transpose([x, y, z, f32x4::ZERO])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::surface::bvh_node::Link;
    use crate::testkit::rng::Rng;

    fn vector(rng: &mut Rng, size: f64) -> Vec3 {
        Vec3::from([(); 3].map(|()| (rng.unit() - 0.5) * size))
    }

    /// Orthonormal axes at random.
    fn axes(rng: &mut Rng) -> Mat3 {
        let (a, b) = (vector(rng, 1.0).normalize(), vector(rng, 1.0));
        let b = a.cross(&b).normalize();
        Mat3::from_columns(&[a, b, a.cross(&b)])
    }

    /// Largest distance of a point beyond the bounds of the span, in double precision (mm).
    fn beyond(span: &Span, reach: f64, points: &[Vec3]) -> f64 {
        let [low, high] = span.bounds(reach);
        let outside = |p: &Vec3| {
            let local = span.axes().tr_mul(&(p - span.from()));
            (low - local).max().max((local - high).max())
        };
        points.iter().map(outside).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Largest distance from a point (mm).
    fn reach_of(from: &Vec3, points: &[Vec3]) -> f64 {
        points.iter().map(|p| (p - from).norm()).fold(0.0, f64::max)
    }

    #[test]
    fn spans_contain_points_tightly() {
        let mut rng = Rng::new(5);
        for round in 0..20_000 {
            let size = libm::exp2(f64::from(round % 50 - 35));
            let middle = vector(&mut rng, 100.0);
            let points: Vec<Vec3> = (0..=round % 23).map(|_| middle + vector(&mut rng, size)).collect();
            let reach = reach_of(&middle, &points);
            let mut span = Span::new(&axes(&mut rng), middle);
            let lists = [0, 1, 2].map(|i| points.iter().map(|p| p[i]).collect::<Vec<f64>>());
            span.add_points([&lists[0], &lists[1], &lists[2]]);
            // The outermost point is inside by less than 10⁻⁶ of the size.
            let beyond = beyond(&span, reach, &points) / reach;
            assert!(beyond <= 0.0 && beyond > -1e-6, "{beyond:e} at {size:e}");
        }
    }

    #[test]
    fn spans_contain_boxes_tightly() {
        let mut rng = Rng::new(6);
        for round in 0..20_000 {
            let size = libm::exp2(f64::from(round % 30 - 20));
            let middle = vector(&mut rng, 100.0);
            let mut node = Node::new(Link::to_triangles(0, 1));
            let half = vector(&mut rng, size).abs();
            node.set_box(
                &axes(&mut rng).map(|x| f64::from(x as f32)),
                &(middle + vector(&mut rng, size)),
                &-half,
                &half,
            );
            let half = Vec3::from(node.half().map(f64::from));
            let corner = |k: u32| {
                let sign = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
                node.center() + node.axes() * half.component_mul(&Vec3::new(sign(0), sign(1), sign(2)))
            };
            let corners: Vec<Vec3> = (0..8).map(corner).collect();
            let mut span = Span::new(&axes(&mut rng), middle);
            span.add_box(&node);
            let beyond = beyond(&span, 0.0, &corners) / reach_of(&middle, &corners);
            assert!(beyond <= 0.0 && beyond > -4e-6, "{beyond:e} at {size:e}");
        }
    }
}
