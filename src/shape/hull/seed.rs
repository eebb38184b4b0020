//! Finds the exact affine rank of a point set and a simplex spanning it, and builds the hulls of rank 0 to 2.

use crate::geom::predicates::{collinear, orient2d, orient3d};
use crate::geom::{Aabb, Vec3};
use crate::shape::hull::Hull;

/// Indices of points spanning the set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Seed {
    /// No point at all.
    Empty,
    /// All points are equal.
    Point(u32),
    /// All points lie on one line; its two ends.
    Segment([u32; 2]),
    /// All points lie in one plane; three of them, not collinear.
    Plane([u32; 3]),
    /// Four points, not coplanar; `d` is below the plane of `a`, `b`, `c` (their normal points away from `d`).
    Solid([u32; 4]),
}

/// Finds the affine rank exactly. Approximate distances choose far-apart points; exact signs decide. Cost O(n).
pub(crate) fn seed(points: &[Vec3], bounds: &Aabb) -> Seed {
    if points.is_empty() {
        return Seed::Empty;
    }
    if bounds.min == bounds.max {
        return Seed::Point(0);
    }
    let size = bounds.max - bounds.min;
    // The ends differ along the widest axis. Lexicographic ties make them the true ends of a segment.
    let axis = size.imax();
    let key = |p: &Vec3| [p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]];
    let (mut a, mut b) = (0, 0);
    for (i, p) in points.iter().enumerate() {
        if p[axis] <= points[a][axis] && key(p) < key(&points[a]) {
            a = i;
        }
        if p[axis] >= points[b][axis] && key(p) > key(&points[b]) {
            b = i;
        }
    }
    let (pa, pb) = (points[a], points[b]);
    let along = pb - pa;
    let off_line = |p: &Vec3| (p - pa).cross(&along).norm_squared();
    let Some(c) = farthest(points, off_line, |p| !collinear(&pa, &pb, p)) else {
        return Seed::Segment([a as u32, b as u32]);
    };
    let pc = points[c];
    let normal = along.cross(&(pc - pa));
    let off_plane = |p: &Vec3| normal.dot(&(p - pa)).abs();
    let Some(d) = farthest(points, off_plane, |p| orient3d(&pa, &pb, &pc, p) != 0.0) else {
        return Seed::Plane([a as u32, b as u32, c as u32]);
    };
    let [a, b, c, d] = [a, b, c, d].map(|i| i as u32);
    if orient3d(&pa, &pb, &pc, &points[d as usize]) < 0.0 {
        Seed::Solid([a, b, c, d])
    } else {
        Seed::Solid([b, a, c, d])
    }
}

/// Returns the point of largest `measure` if it passes the exact test `spans`, else the first point passing the test.
fn farthest(points: &[Vec3], measure: impl Fn(&Vec3) -> f64, spans: impl Fn(&Vec3) -> bool) -> Option<usize> {
    let (mut best, mut at) = (-1.0, 0);
    for (i, p) in points.iter().enumerate() {
        let m = measure(p);
        if m > best {
            (best, at) = (m, i);
        }
    }
    if spans(&points[at]) { Some(at) } else { points.iter().position(spans) }
}

/// Builds the hull of points on one line, or of a single point, from its ends.
pub(crate) fn thin_hull(ends: &[u32], points: &[Vec3]) -> Hull {
    let vertices: Vec<Vec3> = ends.iter().map(|&i| points[i as usize]).collect();
    let (neighbor_starts, neighbors) =
        if ends.len() == 2 { (vec![0, 1, 2], vec![1, 0]) } else { (vec![0; ends.len() + 1], vec![]) };
    Hull { vertices, triangles: vec![], rank: (ends.len().max(1) - 1) as u8, neighbor_starts, neighbors, twins: vec![] }
}

/// Computes the exact hull of coplanar points; `plane` is three of them, not collinear.
///
/// The hull has corners only, counter-clockwise about the normal of `plane`, starting at the lexicographically smallest
/// of the projection. Method: monotone chain (A. M. Andrew, "Another efficient algorithm for convex hulls in two
/// dimensions", 1979). Cost O(n log n).
pub(crate) fn flat_hull(plane: [u32; 3], work: &[Vec3], points: &[Vec3]) -> Hull {
    // Dropping a coordinate maps the plane one to one if the triangle keeps an area.
    let [a, b, c] = plane.map(|i| work[i as usize]);
    let turn = |u: usize, v: usize| orient2d([a[u], a[v]], [b[u], b[v]], [c[u], c[v]]);
    let (u, v) = [(0, 1), (1, 2), (2, 0)]
        .into_iter()
        .max_by(|&(i, j), &(k, l)| turn(i, j).abs().total_cmp(&turn(k, l).abs()))
        .unwrap_or((0, 1));
    let (u, v) = if turn(u, v) > 0.0 { (u, v) } else { (v, u) };
    let at = |i: u32| [work[i as usize][u], work[i as usize][v]];
    let mut order: Vec<u32> = (0..work.len() as u32).collect();
    order.sort_by(|&i, &j| {
        let (p, q) = (at(i), at(j));
        p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])).then(i.cmp(&j))
    });
    order.dedup_by(|i, j| at(*i) == at(*j));
    let mut corners = Vec::new();
    half_chain(&mut corners, order.iter().copied(), &at);
    half_chain(&mut corners, order.iter().rev().copied(), &at);
    let n = corners.len() as u32;
    Hull {
        vertices: corners.iter().map(|&i| points[i as usize]).collect(),
        triangles: vec![],
        rank: 2,
        neighbor_starts: (0..=n).map(|i| 2 * i).collect(),
        neighbors: (0..n).flat_map(|i| [(i + n - 1) % n, (i + 1) % n]).collect(),
        twins: vec![],
    }
}

/// Builds one side of the monotone chain, without its last point (the first of the other side).
fn half_chain(corners: &mut Vec<u32>, order: impl Iterator<Item = u32>, at: &impl Fn(u32) -> [f64; 2]) {
    let start = corners.len();
    for i in order {
        while let [.., p, q] = corners[start..] {
            if orient2d(at(p), at(q), at(i)) > 0.0 {
                break;
            }
            corners.pop();
        }
        corners.push(i);
    }
    corners.pop();
}
