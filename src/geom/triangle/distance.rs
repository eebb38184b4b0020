//! Distances between two triangles, and between a point and a triangle.

use crate::geom::Vec3;
use crate::geom::math::UNIT_ROUNDOFF;
use crate::geom::predicates::accurate_normal;
use crate::geom::triangle::{Triangle, edges};

/// A cross product shorter than this fraction of the squared longest edge is computed again with [`accurate_normal`].
/// The direction of the plain cross product is then wrong by more than 2·u over this fraction.
const SLIVER_SINE: f64 = 1e-3;

/// The part of a triangle with a given point. Edge `k` runs from corner `k` to corner `k + 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// Inside all edges.
    Face,
    /// Between the ends of this edge.
    Edge(u8),
    /// At this corner.
    Vertex(u8),
}

/// The point of a triangle closest to another point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosestPoint {
    /// Closest point, on the triangle to rounding (mm).
    pub point: Vec3,
    /// Squared distance (mm²).
    pub squared: f64,
    /// Face, edge or corner of the closest point.
    pub feature: Feature,
}

/// The closest points of two triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosestPair {
    /// Squared distance (mm²).
    pub squared: f64,
    /// Points on the first and on the second triangle (mm).
    pub points: [Vec3; 2],
}

/// Computes `(b−a)×(c−a)` with an accurate direction for every shape of triangle; zero for a triangle without area.
fn direction(t: &Triangle) -> Vec3 {
    let (e, f) = (t[1] - t[0], t[2] - t[0]);
    let n = e.cross(&f);
    let longest = e.norm_squared().max(f.norm_squared());
    if n.norm_squared() < SLIVER_SINE * SLIVER_SINE * longest * longest {
        accurate_normal(&t[0], &t[1], &t[2])
    } else {
        n
    }
}

/// Finds the point of a closed triangle closest to `x`. Accurate to a few roundings of the coordinates, slivers
/// included.
pub fn point_triangle(x: &Vec3, t: &Triangle) -> ClosestPoint {
    closest_on_triangle(x, t, &direction(t))
}

/// Finds the closest point, given `n` along the triangle's normal.
fn closest_on_triangle(x: &Vec3, t: &Triangle, n: &Vec3) -> ClosestPoint {
    let squared = n.norm_squared();
    let mut best = ClosestPoint { point: t[0], squared: f64::INFINITY, feature: Feature::Vertex(0) };
    let mut inside = squared > 0.0;
    for k in 0..3 {
        let (p, q) = (&t[k], &t[(k + 1) % 3]);
        let (edge, to) = (q - p, x - p);
        if squared > 0.0 && n.cross(&edge).dot(&to) > 0.0 {
            continue;
        }
        inside = false;
        let (along, length) = (edge.dot(&to), edge.norm_squared());
        let (point, feature) = if along <= 0.0 {
            (*p, Feature::Vertex(k as u8))
        } else if along >= length {
            (*q, Feature::Vertex((k as u8 + 1) % 3))
        } else {
            (p + edge * (along / length), Feature::Edge(k as u8))
        };
        let d = (x - point).norm_squared();
        if d < best.squared {
            best = ClosestPoint { point, squared: d, feature };
        }
    }
    if inside {
        let height = n.dot(&(x - t[0]));
        return ClosestPoint {
            point: x - n * (height / squared),
            squared: height * height / squared,
            feature: Feature::Face,
        };
    }
    best
}

/// Finds the closest points of two disjoint triangles: a corner and the other triangle, or two edges. Accurate to a few
/// roundings of the coordinates. For intersecting triangles the result is the distance of some pair of edges, or of a
/// corner and the other triangle.
pub fn closest(a: &Triangle, b: &Triangle) -> ClosestPair {
    let mut best = ClosestPair { squared: f64::INFINITY, points: [a[0], b[0]] };
    let n = direction(b);
    for v in a {
        let foot = closest_on_triangle(v, b, &n);
        if foot.squared < best.squared {
            best = ClosestPair { squared: foot.squared, points: [*v, foot.point] };
        }
    }
    if separates(&best, a, b) {
        return best;
    }
    let n = direction(a);
    let mut better = false;
    for v in b {
        let foot = closest_on_triangle(v, a, &n);
        if foot.squared < best.squared {
            best = ClosestPair { squared: foot.squared, points: [foot.point, *v] };
            better = true;
        }
    }
    if better && separates(&best, a, b) {
        return best;
    }
    for e in edges(a) {
        for f in edges(b) {
            if let Some(c) = inner_closest(e, f)
                && c.squared < best.squared
            {
                best = c;
                if separates(&best, a, b) {
                    return best;
                }
            }
        }
    }
    best
}

/// Tests if the planes through the two points, perpendicular to their difference, separate the triangles: then no two
/// points are closer.
fn separates(c: &ClosestPair, a: &Triangle, b: &Triangle) -> bool {
    let way = c.points[1] - c.points[0];
    a.iter().all(|v| way.dot(&(v - c.points[0])) <= 0.0) && b.iter().all(|v| way.dot(&(v - c.points[1])) >= 0.0)
}

/// Finds the closest points of the lines through two segments, if both lie between the segments' ends. Uses cross
/// products: a determinant of dot products would lose twice the digits on nearly parallel edges.
fn inner_closest([p, q]: [&Vec3; 2], [r, s]: [&Vec3; 2]) -> Option<ClosestPair> {
    let (d, e, w) = (q - p, s - r, r - p);
    let n = d.cross(&e);
    let squared = n.norm_squared();
    let (first, second) = (w.cross(&e).dot(&n), w.cross(&d).dot(&n));
    // Parallel within rounding: an end is as close.
    let parallel = squared <= 16.0 * UNIT_ROUNDOFF * UNIT_ROUNDOFF * d.norm_squared() * e.norm_squared();
    if parallel || !(first > 0.0 && first < squared && second > 0.0 && second < squared) {
        return None;
    }
    let points = [p + d * (first / squared), r + e * (second / squared)];
    Some(ClosestPair { squared: (points[0] - points[1]).norm_squared(), points })
}
