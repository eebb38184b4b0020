//! Fits an oriented box to every node, from the leaves up.
//!
//! The axes come from additive moments. The summed area vector of a patch is normal to its flattest plane; the second
//! moments of area give its elongation (S. Gottschalk, M. C. Lin & D. Manocha, `OBBTree`, 1996, §4). The extents come
//! from the vertices at low nodes, else from the boxes of descendants some levels below. A box along the part's axes is
//! used if it is at most as large.

use crate::geom::math::{max3, min3};
use crate::geom::{Mat3, Vec3};
use crate::shape::surface::bvh_node::{Below, LEAF, Node, SKEW};
use std::ops::Range;

/// Largest height above the deepest leaf at which a node takes its extents from vertices.
const FROM_VERTICES: u32 = 2;

/// Number of levels from a higher node down to the boxes for its extents. With one level, each box would add its own
/// slack to the next box's slack.
const LEVELS_BELOW: u32 = 4;

/// Ratio of the length of the summed area vector to the summed area above which a patch counts as flat: its normal
/// becomes an axis.
const FLAT_SHARE: f64 = 0.4;

/// Sums over triangles, in the surface's frame. Areas are doubled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moments {
    area: f64,
    normal: Vec3,
    first: Vec3,
    /// Second moments of the doubled area: xx, yy, zz, xy, xz, yz.
    second: [f64; 6],
    low: Vec3,
    high: Vec3,
    /// Number of levels down to the deepest leaf.
    height: u32,
}

impl Moments {
    fn of(triangles: Range<u32>, corners: &mut impl FnMut(u32) -> [Vec3; 3]) -> Self {
        let mut m = Self {
            area: 0.0,
            normal: Vec3::zeros(),
            first: Vec3::zeros(),
            second: [0.0; 6],
            low: Vec3::repeat(f64::INFINITY),
            high: Vec3::repeat(f64::NEG_INFINITY),
            height: 0,
        };
        for t in triangles {
            let [a, b, c] = corners(t);
            let n = (b - a).cross(&(c - a));
            let area = n.norm();
            let sum = a + b + c;
            m.area += area;
            m.normal += n;
            m.first += sum * (area / 3.0);
            let w = area / 12.0;
            let entry = |i: usize, j: usize| w * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + sum[i] * sum[j]);
            let add = [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)];
            for (s, a) in m.second.iter_mut().zip(add) {
                *s += a;
            }
            m.low = m.low.inf(&a).inf(&b).inf(&c);
            m.high = m.high.sup(&a).sup(&b).sup(&c);
        }
        m
    }

    /// Sums of both sets of triangles, one level higher.
    pub(crate) fn plus(&self, o: &Self) -> Self {
        Self {
            area: self.area + o.area,
            normal: self.normal + o.normal,
            first: self.first + o.first,
            second: std::array::from_fn(|k| self.second[k] + o.second[k]),
            low: self.low.inf(&o.low),
            high: self.high.sup(&o.high),
            height: 1 + self.height.max(o.height),
        }
    }

    /// Second moments about the centroid.
    fn covariance(&self) -> Mat3 {
        let m = if self.area > 0.0 { self.first / self.area } else { Vec3::zeros() };
        let s = &self.second;
        let c = |k: usize, i: usize, j: usize| s[k] - self.area * m[i] * m[j];
        let (xx, yy, zz, xy, xz, yz) = (c(0, 0, 0), c(1, 1, 1), c(2, 2, 2), c(3, 0, 1), c(4, 0, 2), c(5, 1, 2));
        Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
    }

    /// Computes orthonormal axes as columns: by moments, the longest extent first, the thinnest last.
    fn axes(&self) -> Mat3 {
        let covariance = self.covariance();
        let length = self.normal.norm();
        if length > FLAT_SHARE * self.area {
            let n = self.normal / length;
            return along_normal(&n, &covariance);
        }
        principal(&covariance)
    }
}

/// Builds axes with the normal last, after the two principal axes perpendicular to it.
fn along_normal(n: &Vec3, covariance: &Mat3) -> Mat3 {
    let thin = if n.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() };
    let u = n.cross(&thin).normalize();
    let v = n.cross(&u);
    let (cu, cv) = (covariance * u, covariance * v);
    let (half, mixed) = ((u.dot(&cu) - v.dot(&cv)) * 0.5, u.dot(&cv));
    let length = (half * half + mixed * mixed).sqrt();
    let (c, s) = if length > 0.0 {
        let double = half / length;
        (((1.0 + double).max(0.0) * 0.5).sqrt(), ((1.0 - double).max(0.0) * 0.5).sqrt().copysign(mixed))
    } else {
        (1.0, 0.0)
    };
    let first = u * c + v * s;
    Mat3::from_columns(&[first, n.cross(&first), *n])
}

/// Computes the eigenvectors of a symmetric matrix by Jacobi rotations, the largest eigenvalue first; the result is a
/// rotation. Its rounding only makes the box looser.
fn principal(covariance: &Mat3) -> Mat3 {
    let mut m = *covariance;
    let mut v = Mat3::identity();
    for _ in 0..4 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = m[(p, q)];
            let difference = m[(q, q)] - m[(p, p)];
            if off.abs() <= 1e-12 * (m[(p, p)].abs() + m[(q, q)].abs()) {
                continue;
            }
            let theta = difference / (2.0 * off);
            let t = 1.0_f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            let mut turn = Mat3::identity();
            (turn[(p, p)], turn[(p, q)], turn[(q, p)], turn[(q, q)]) = (c, s, -s, c);
            m = turn.tr_mul(&m) * turn;
            v *= turn;
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| m[(j, j)].total_cmp(&m[(i, i)]));
    let [first, second] = [v.column(order[0]).into_owned(), v.column(order[1]).into_owned()];
    Mat3::from_columns(&[first, second, first.cross(&second)])
}

/// Axes of the part, permuted: the shortest of these lengths comes last.
fn upright(lengths: &Vec3) -> Mat3 {
    let (x, y, z) = (Vec3::x(), Vec3::y(), Vec3::z());
    Mat3::from_columns(&match lengths.imin() {
        0 => [y, z, x],
        1 => [z, x, y],
        _ => [x, y, z],
    })
}

/// Smallest and largest coordinates along some axes.
#[derive(Debug, Clone, Copy)]
struct Span {
    axes: Mat3,
    from: Vec3,
    low: Vec3,
    high: Vec3,
}

impl Span {
    fn new(axes: Mat3, from: Vec3) -> Self {
        Self { axes, from, low: Vec3::repeat(f64::INFINITY), high: Vec3::repeat(f64::NEG_INFINITY) }
    }

    #[inline]
    fn add_points(&mut self, points: &[Vec3; 3]) {
        for p in points {
            let local = self.axes.tr_mul(&(p - self.from));
            self.low = min3(self.low, local);
            self.high = max3(self.high, local);
        }
    }

    fn add_box(&mut self, b: &Node) {
        let local = self.axes.tr_mul(&(b.center() - self.from));
        let half = Vec3::from(b.half().map(f64::from));
        let reach = (self.axes.tr_mul(&b.axes()).abs() * half).add_scalar(SKEW * half.sum());
        self.low = min3(self.low, local - reach);
        self.high = max3(self.high, local + reach);
    }

    /// Half the surface area of the box.
    fn area(&self) -> f64 {
        half_surface(&(self.high - self.low))
    }
}

fn half_surface(d: &Vec3) -> f64 {
    d.x * d.y + d.y * d.z + d.z * d.x
}

/// Corners of the triangles used last: a node reads those that its children have just read.
struct LastCorners<F> {
    corners: F,
    /// Index and corners of a triangle, at its index modulo [`KEPT`].
    kept: [(u32, [Vec3; 3]); KEPT],
}

/// Number of triangles kept, a power of two, a few times the triangles of a node with extents from vertices.
const KEPT: usize = 64;

impl<F: Fn(u32) -> [Vec3; 3]> LastCorners<F> {
    fn new(corners: F) -> Self {
        Self { corners, kept: [(u32::MAX, [Vec3::zeros(); 3]); KEPT] }
    }

    #[inline]
    fn of(&mut self, t: u32) -> [Vec3; 3] {
        let kept = &mut self.kept[t as usize % KEPT];
        if kept.0 != t {
            *kept = (t, (self.corners)(t));
        }
        kept.1
    }
}

/// Fits the box of every node, and returns the moments of the root; `None` without nodes. `corners` returns the corners
/// of a triangle in leaf order.
pub(crate) fn fit_all(nodes: &mut [Node], corners: impl Fn(u32) -> [Vec3; 3]) -> Option<Moments> {
    let mut last = LastCorners::new(corners);
    let mut corners = |t: u32| last.of(t);
    // Moments of inner nodes with their parents still to be visited. The loop visits pairs of siblings from last to
    // first, and everything below the second sibling before everything below the first.
    let mut open: Vec<Moments> = Vec::new();
    let mut met = |nodes: &mut [Node], at: usize, open: &mut Vec<Moments>| {
        let moments = match nodes[at].leaf_triangles() {
            Some(range) => Moments::of(range, &mut corners),
            None => match open.pop() {
                Some(moments) => moments,
                None => return None,
            },
        };
        fit(nodes, at, &moments, &mut corners);
        Some(moments)
    };
    for first in (1..nodes.len()).step_by(2).rev() {
        let (left, right) = (met(nodes, first, &mut open), met(nodes, first + 1, &mut open));
        if let (Some(left), Some(right)) = (left, right) {
            open.push(left.plus(&right));
        }
    }
    if nodes.is_empty() { None } else { met(nodes, 0, &mut open) }
}

/// Fits one box; the boxes below are fitted already.
pub(crate) fn fit(nodes: &mut [Node], at: usize, moments: &Moments, corners: &mut impl FnMut(u32) -> [Vec3; 3]) {
    let upright = upright(&(moments.high - moments.low));
    let middle = (moments.low + moments.high) * 0.5;
    let mut span = Span::new(moments.axes().map(|x| f64::from(x as f32)), middle);
    let depth = if moments.height <= FROM_VERTICES { FROM_VERTICES } else { LEVELS_BELOW };
    add_below(nodes, at, depth, &mut span, corners);
    if span.area() < half_surface(&(moments.high - moments.low)) {
        nodes[at].set_box(&span.axes, &span.from, &span.low, &span.high);
    } else {
        let half = upright.tr_mul(&((moments.high - moments.low) * 0.5)).abs();
        nodes[at].set_box(&upright, &middle, &-half, &half);
    }
}

/// Adds the leaves up to `depth` levels below a node, by their triangles, and the boxes of the inner nodes exactly
/// `depth` levels below.
fn add_below(nodes: &[Node], at: usize, depth: u32, span: &mut Span, corners: &mut impl FnMut(u32) -> [Vec3; 3]) {
    match nodes[at].below() {
        Below::Triangles(range) => range.for_each(|t| span.add_points(&corners(t))),
        Below::Children(_) if depth == 0 => span.add_box(&nodes[at]),
        Below::Children(children) => {
            for child in children {
                add_below(nodes, child as usize, depth - 1, span, corners);
            }
        }
    }
}

/// Limits the triangles of a node with extents from vertices.
const _: () = assert!((LEAF << FROM_VERTICES) <= KEPT);
