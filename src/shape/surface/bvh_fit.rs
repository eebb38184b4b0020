//! Fits an oriented box to every node, from the leaves up.
//!
//! The axes come from additive moments. The summed area vector of a patch is normal to its flattest plane; the second
//! moments of area give its elongation (S. Gottschalk, M. C. Lin & D. Manocha, `OBBTree`, 1996, §4). The extents come
//! from the vertices at low nodes, else from the boxes of descendants some levels below. A box along the part's axes is
//! used if it is at most as large.

use crate::geom::math::{greater, max3, min3};
use crate::geom::{Mat3, Vec3};
use crate::shape::surface::bvh_entry::{Entry, Triangles};
use crate::shape::surface::bvh_node::{Below, LEAF, Node};
use crate::shape::surface::bvh_span::Span;
use std::ops::Range;

/// Largest height above the deepest leaf at which a node takes its extents from vertices. A higher node takes them from
/// the boxes as many levels below: with one level, each box would add its own slack to the next box's slack.
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
    /// First of the triangles in leaf order, and the end of their range.
    range: [u32; 2],
}

impl Moments {
    fn of(triangles: Range<u32>, leaves: &mut LeafTriangles<'_>) -> Self {
        let mut m = Self {
            area: 0.0,
            normal: Vec3::zeros(),
            first: Vec3::zeros(),
            second: [0.0; 6],
            low: Vec3::repeat(f64::INFINITY),
            high: Vec3::repeat(f64::NEG_INFINITY),
            height: 0,
            range: [triangles.start, triangles.end],
        };
        leaves.read(&triangles);
        for t in triangles {
            m.add(&leaves.corners(t));
        }
        m
    }

    #[inline]
    fn add(&mut self, [a, b, c]: &[Vec3; 3]) {
        let n = (b - a).cross(&(c - a));
        let area = n.norm();
        let sum = a + b + c;
        self.area += area;
        self.normal += n;
        self.first += sum * (area / 3.0);
        let w = area / 12.0;
        let entry = |i: usize, j: usize| w * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + sum[i] * sum[j]);
        let add = [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)];
        for (s, a) in self.second.iter_mut().zip(add) {
            *s += a;
        }
        self.low = min3(min3(self.low, *a), min3(*b, *c));
        self.high = max3(max3(self.high, *a), max3(*b, *c));
    }

    /// Sums of both sets of triangles, one level higher.
    pub(crate) fn plus(&self, o: &Self) -> Self {
        Self {
            area: self.area + o.area,
            normal: self.normal + o.normal,
            first: self.first + o.first,
            second: std::array::from_fn(|k| self.second[k] + o.second[k]),
            low: min3(self.low, o.low),
            high: max3(self.high, o.high),
            height: 1 + self.height.max(o.height),
            range: [self.range[0], o.range[1]],
        }
    }

    /// Second moments about the centroid.
    fn covariance(&self) -> Mat3 {
        let m = if self.area > 0.0 { self.first * (1.0 / self.area) } else { Vec3::zeros() };
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
            return along_normal(&(self.normal * (1.0 / length)), &covariance);
        }
        principal(&covariance)
    }

    /// Starts to measure the triangles along their axes, from the middle of their axis-parallel box.
    fn empty_span(&self) -> Span {
        Span::new(&self.axes(), (self.low + self.high) * 0.5)
    }
}

/// Builds axes with the normal last, after the two principal axes perpendicular to it.
fn along_normal(n: &Vec3, covariance: &Mat3) -> Mat3 {
    // Two perpendicular vectors of one length. The length is divided out last, so no step waits for it.
    let u = if n.x.abs() < 0.6 { Vec3::new(0.0, n.z, -n.y) } else { Vec3::new(-n.z, 0.0, n.x) };
    let v = n.cross(&u);
    let (cu, cv) = (covariance * u, covariance * v);
    let (half, mixed) = ((u.dot(&cu) - v.dot(&cv)) * 0.5, u.dot(&cv));
    let length = (half * half + mixed * mixed).sqrt();
    let (c, s) = if length > 0.0 {
        let double = half / length;
        (greater(0.5 + 0.5 * double, 0.0).sqrt(), greater(0.5 - 0.5 * double, 0.0).sqrt().copysign(mixed))
    } else {
        (1.0, 0.0)
    };
    let first = (u * c + v * s) * (1.0 / u.norm());
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

fn half_surface(d: &Vec3) -> f64 {
    d.x * d.y + d.y * d.z + d.z * d.x
}

/// Triangles in leaf order, with the corners of those used last: a node reads those that its children have just read.
pub(crate) struct LeafTriangles<'a> {
    mesh: Triangles<'a>,
    entries: &'a [Entry],
    /// Place of the first entry in leaf order.
    first: usize,
    /// First triangle of a block, at the block's number modulo their count.
    blocks: [u32; KEPT / READ_AT_ONCE],
    /// Coordinates of the corners of these triangles: x, y and z in lists of their own.
    corners: [[f64; 3 * KEPT]; 3],
}

/// Number of triangles kept, a power of two: at least those of a node with extents from vertices, in whole blocks.
const KEPT: usize = 128;

/// Number of triangles read together: in a large mesh nearly every one misses the caches, and the reads of a block
/// overlap.
const READ_AT_ONCE: usize = 16;

impl<'a> LeafTriangles<'a> {
    /// Takes the sorted triangles of a mesh; those of `entries` start at `first` in leaf order.
    pub(crate) fn new(mesh: Triangles<'a>, entries: &'a [Entry], first: usize) -> Self {
        let (blocks, corners) = ([u32::MAX; KEPT / READ_AT_ONCE], [[0.0; 3 * KEPT]; 3]);
        Self { mesh, entries, first, blocks, corners }
    }

    /// Corners of a triangle that was read.
    #[inline]
    fn corners(&self, t: u32) -> [Vec3; 3] {
        let slot = t as usize % KEPT;
        let [xs, ys, zs] = &self.corners;
        let (x, y, z) = (&xs.as_chunks::<3>().0[slot], &ys.as_chunks::<3>().0[slot], &zs.as_chunks::<3>().0[slot]);
        [Vec3::new(x[0], y[0], z[0]), Vec3::new(x[1], y[1], z[1]), Vec3::new(x[2], y[2], z[2])]
    }

    /// Adds the corners of a range of triangles, at most those of a node with extents from vertices.
    #[inline]
    fn add_to(&mut self, span: &mut Span, range: &Range<u32>) {
        self.read(range);
        let (start, count) = (range.start as usize % KEPT, range.len());
        let ahead = count.min(KEPT - start);
        for slots in [start..start + ahead, 0..count - ahead] {
            let points = 3 * slots.start..3 * slots.end;
            let [xs, ys, zs] = &self.corners;
            span.add_points([&xs[points.clone()], &ys[points.clone()], &zs[points]]);
        }
    }

    /// Reads the blocks of a range of triangles.
    #[inline]
    fn read(&mut self, range: &Range<u32>) {
        for block in range.start as usize / READ_AT_ONCE..(range.end as usize).div_ceil(READ_AT_ONCE) {
            if self.blocks[block % (KEPT / READ_AT_ONCE)] != block as u32 {
                self.read_block(block);
            }
        }
    }

    #[inline(never)]
    fn read_block(&mut self, block: usize) {
        self.blocks[block % (KEPT / READ_AT_ONCE)] = block as u32;
        let start = block * READ_AT_ONCE;
        let range = start.max(self.first)..(start + READ_AT_ONCE).min(self.first + self.entries.len());
        let [xs, ys, zs] = self.corners.each_mut().map(|list| list.as_chunks_mut::<3>().0);
        for (t, e) in range.clone().zip(&self.entries[range.start - self.first..range.end - self.first]) {
            let slot = t % KEPT;
            for (k, p) in self.mesh.corners(e.triangle()).into_iter().enumerate() {
                (xs[slot][k], ys[slot][k], zs[slot][k]) = (p.x, p.y, p.z);
            }
        }
    }
}

/// Fits the box of every node, and returns the moments of the root; `None` without nodes.
pub(crate) fn fit_all(nodes: &mut [Node], leaves: &mut LeafTriangles<'_>) -> Option<Moments> {
    // Moments of inner nodes with their parents still to be visited. The loop visits pairs of siblings from last to
    // first, and everything below the second sibling before everything below the first.
    let mut open: Vec<Moments> = Vec::new();
    let moments_of = |node: &Node, open: &mut Vec<Moments>, leaves: &mut LeafTriangles<'_>| {
        node.leaf_triangles().map_or_else(|| open.pop(), |range| Some(Moments::of(range, leaves)))
    };
    for first in (1..nodes.len()).step_by(2).rev() {
        let left = moments_of(&nodes[first], &mut open, leaves);
        let right = moments_of(&nodes[first + 1], &mut open, leaves);
        let (Some(left), Some(right)) = (left, right) else { return None };
        // Roots and divisions take long; those of both siblings overlap.
        let spans = [&left, &right].map(Moments::empty_span);
        fit_span(nodes, first, &left, spans[0], leaves);
        fit_span(nodes, first + 1, &right, spans[1], leaves);
        open.push(left.plus(&right));
    }
    let moments = moments_of(nodes.first()?, &mut open, leaves)?;
    fit(nodes, 0, &moments, leaves);
    Some(moments)
}

/// Fits one box; the boxes below are fitted already.
pub(crate) fn fit(nodes: &mut [Node], at: usize, moments: &Moments, leaves: &mut LeafTriangles<'_>) {
    fit_span(nodes, at, moments, moments.empty_span(), leaves);
}

/// Fits one box along the axes of an empty span.
fn fit_span(nodes: &mut [Node], at: usize, moments: &Moments, mut span: Span, leaves: &mut LeafTriangles<'_>) {
    if moments.height <= LEVELS_BELOW {
        leaves.add_to(&mut span, &(moments.range[0]..moments.range[1]));
    } else {
        add_below(nodes, at, LEVELS_BELOW, &mut span, leaves);
    }
    let (size, middle) = (moments.high - moments.low, *span.from());
    // The middle is rounded.
    let reach = size * 0.5 + middle.abs() * f64::EPSILON;
    let [low, high] = span.bounds(reach.norm());
    if half_surface(&(high - low)) < half_surface(&size) {
        nodes[at].set_box(&span.axes(), &middle, &low, &high);
    } else {
        let axes = upright(&size);
        let half = axes.tr_mul(&(size * 0.5)).abs();
        nodes[at].set_box(&axes, &middle, &-half, &half);
    }
}

/// Adds the leaves up to `depth` levels below a node, by their triangles, and the boxes of the inner nodes exactly
/// `depth` levels below.
fn add_below(nodes: &[Node], at: usize, depth: u32, span: &mut Span, leaves: &mut LeafTriangles<'_>) {
    match nodes[at].below() {
        Below::Triangles(range) => leaves.add_to(span, &range),
        Below::Children(_) if depth == 0 => span.add_box(&nodes[at]),
        Below::Children(children) => {
            for child in children {
                add_below(nodes, child as usize, depth - 1, span, leaves);
            }
        }
    }
}

/// Limits the triangles of a node with extents from vertices, and the blocks they are read in.
const _: () = assert!((LEAF << LEVELS_BELOW) + 2 * READ_AT_ONCE <= KEPT);
