//! Decides if two surfaces cross or only touch.
//!
//! Intersecting triangles may be coplanar, stand on one another, or share an edge of a fold: all these are contacts.
//! Two surfaces cross in one of three ways:
//!
//! - Each of two triangles extends to both sides of the other's plane, and their common segment has a length.
//! - An edge of one surface runs through a triangle of the other, and its two triangles leave on different sides.
//! - Two edges run along each other, and the surfaces pass through each other there.
//!
//! Heights and lengths up to `slack` count as zero, since surfaces coinciding by design miss each other by that much.

use crate::geom::math::{greater, lesser};
use crate::geom::triangle::Triangle;
use crate::geom::{Pose, Vec3};
use crate::query::triangles::intersecting_pairs;
use crate::query::triangles::pairing::Pairing;
use crate::shape::surface::Surface;
use std::f64::consts::TAU;

/// Returns true if the surfaces cross by more than `slack` (mm). Calls `touched` for each pair of triangles touching
/// without crossing.
pub(crate) fn cross(p: &Pairing, slack: f64, mut touched: impl FnMut(u32, u32)) -> bool {
    let identity = Pose::identity();
    let mut found = false;
    intersecting_pairs(p, |i, j| {
        let (a, b) = (TriangleWithNeighbors::new(p.a, &identity, i), TriangleWithNeighbors::new(p.b, p.b_in_a, j));
        found = a.crosses(&b, slack);
        if !found {
            touched(i, j);
        }
        !found
    });
    found
}

/// Triangle and access to its neighbours, in A's frame.
struct TriangleWithNeighbors<'a> {
    surface: &'a Surface,
    pose: &'a Pose,
    triangle: u32,
    corners: Triangle,
    normal: Vec3,
}

impl<'a> TriangleWithNeighbors<'a> {
    fn new(surface: &'a Surface, pose: &'a Pose, triangle: u32) -> Self {
        let corners = surface.triangle(triangle).map(|v| pose.point(&v));
        Self { surface, pose, triangle, corners, normal: pose.direction(&surface.normal(triangle)) }
    }

    fn height(&self, x: &Vec3) -> f64 {
        self.normal.dot(&(x - self.corners[0]))
    }

    /// Finds the opposite corner of the triangle across an edge.
    fn across(&self, k: usize) -> Option<Vec3> {
        let other = self.surface.neighbor(self.triangle, k);
        if other == u32::MAX {
            return None;
        }
        let own = self.surface.triangles[self.triangle as usize];
        let (p, q) = (own[k], own[(k + 1) % 3]);
        let far = self.surface.triangles[other as usize].into_iter().find(|v| *v != p && *v != q)?;
        Some(self.pose.point(&self.surface.vertices[far as usize]))
    }

    /// Returns the ends of an edge.
    fn edge(&self, k: usize) -> [Vec3; 2] {
        [self.corners[k], self.corners[(k + 1) % 3]]
    }

    fn crosses(&self, other: &Self, slack: f64) -> bool {
        let (mine, theirs) = (self.corners.map(|v| other.height(&v)), other.corners.map(|v| self.height(&v)));
        if straddles(&mine, slack) && straddles(&theirs, slack) && self.overlap(other, &mine, &theirs) > slack {
            return true;
        }
        (0..3).any(|k| self.pierced_by_fold(other, k, slack) || other.pierced_by_fold(self, k, slack))
            || (0..3).any(|k| (0..3).any(|j| self.folds_cross(other, k, j, slack)))
    }

    /// Computes the length of the segment common to both triangles, on the line of intersection of their planes (mm).
    fn overlap(&self, other: &Self, mine: &[f64; 3], theirs: &[f64; 3]) -> f64 {
        let Some(line) = self.normal.cross(&other.normal).try_normalize(0.0) else { return 0.0 };
        let (a, b) = (interval(&self.corners, mine, &line), interval(&other.corners, theirs, &line));
        lesser(a[1], b[1]) - greater(a[0], b[0])
    }

    /// Returns true if an edge of the other surface lies in this triangle and its two triangles leave on different
    /// sides.
    fn pierced_by_fold(&self, other: &Self, k: usize, slack: f64) -> bool {
        let edge = other.edge(k);
        if edge.iter().any(|v| self.height(v).abs() > slack) {
            return false;
        }
        let Some(far) = other.across(k) else { return false };
        straddles(&[self.height(&other.corners[(k + 2) % 3]), self.height(&far)], slack) && self.covers(&edge, slack)
    }

    /// Returns true if a segment in the plane runs through the triangle, farther than `slack` from its edges, over a
    /// length above `slack`.
    fn covers(&self, [p, q]: &[Vec3; 2], slack: f64) -> bool {
        let (mut from, mut to) = (0.0, 1.0);
        for k in 0..3 {
            let [c, d] = self.edge(k);
            let Some(inward) = self.normal.cross(&(d - c)).try_normalize(0.0) else { return false };
            let (at_p, at_q) = (inward.dot(&(p - c)) - slack, inward.dot(&(q - c)) - slack);
            if at_p <= 0.0 && at_q <= 0.0 {
                return false;
            }
            if at_p < 0.0 {
                from = greater(from, at_p / (at_p - at_q));
            } else if at_q < 0.0 {
                to = lesser(to, at_p / (at_p - at_q));
            }
        }
        (to - from) * (q - p).norm() > slack
    }

    /// Returns true if two edges run along each other and the surfaces pass through each other there.
    fn folds_cross(&self, other: &Self, k: usize, j: usize, slack: f64) -> bool {
        let ([p, q], [r, s]) = (self.edge(k), other.edge(j));
        let Some(along) = (q - p).try_normalize(0.0) else { return false };
        let off = |x: &Vec3| {
            let d = x - p;
            d - along * along.dot(&d)
        };
        if off(&r).norm() > slack || off(&s).norm() > slack {
            return false;
        }
        let (at_r, at_s) = (along.dot(&(r - p)), along.dot(&(s - p)));
        let both = lesser((q - p).norm(), greater(at_r, at_s)) - greater(0.0, lesser(at_r, at_s));
        if both <= slack {
            return false;
        }
        let (Some(mine), Some(theirs)) = (self.across(k), other.across(j)) else { return false };
        let first = off(&self.corners[(k + 2) % 3]);
        let Some(u) = first.try_normalize(0.0) else { return false };
        let v = along.cross(&u);
        // Angle around the line, measured from the first triangle.
        let angle = |x: &Vec3| {
            let d = off(x);
            let a = libm::atan2(d.dot(&v), d.dot(&u));
            (if a < 0.0 { a + TAU } else { a }, 2.0 * slack / d.norm())
        };
        let (end, blur) = angle(&mine);
        let blur = blur + 2.0 * slack / first.norm();
        let side = |x: &Vec3| {
            let (a, own) = angle(x);
            let blur = blur + own;
            if a > blur && a < end - blur {
                1
            } else if a > end + blur && a < TAU - blur {
                -1
            } else {
                0
            }
        };
        side(&other.corners[(j + 2) % 3]) * side(&theirs) < 0
    }
}

/// Returns true if some heights are above `slack` and some below `-slack`.
fn straddles(heights: &[f64], slack: f64) -> bool {
    heights.iter().any(|h| *h > slack) && heights.iter().any(|h| *h < -slack)
}

/// Computes the interval of a triangle on the line of intersection with a plane, as coordinates along `line` (mm).
/// `heights` are the heights of the corners above that plane.
fn interval(t: &Triangle, heights: &[f64; 3], line: &Vec3) -> [f64; 2] {
    let mut out = [f64::INFINITY, f64::NEG_INFINITY];
    for k in 0..3 {
        let (p, q, h, g) = (&t[k], &t[(k + 1) % 3], heights[k], heights[(k + 1) % 3]);
        if (h > 0.0) != (g > 0.0) {
            let at = line.dot(&(p + (q - p) * (h / (h - g))));
            out = [lesser(out[0], at), greater(out[1], at)];
        }
    }
    out
}
