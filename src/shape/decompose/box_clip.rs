//! Encloses the part of a piece in a box by the hull of a few points.

use crate::geom::{Aabb, Vec3};
use crate::shape::decompose::cell::Plane;

/// Largest number of points after a cut.
const MAX_POINTS: usize = 24;

/// Edges of a box: corners with indices differing in one bit.
const EDGES: [[usize; 2]; 12] =
    [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];

/// Point of the clipped box.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    pub at: Vec3,
    /// Upper bound of the distance in question (mm).
    pub most: f64,
    /// True once the distance itself is computed.
    pub is_known: bool,
}

/// Points with a hull enclosing the part of a piece in a box: the corners of the box, and later the points left by
/// cuts.
#[derive(Debug, Default)]
pub(crate) struct ClippedBox {
    points: Vec<Point>,
    /// True while the points are the corners of the box.
    whole: bool,
    /// Heights of the points above the plane of the current cut (mm).
    heights: Vec<f64>,
    new: Vec<Point>,
}

impl ClippedBox {
    /// Starts with the corners of a box.
    pub fn begin(&mut self, center: &Vec3, half: &Vec3) {
        self.points.clear();
        let of = |k| Point { at: corner(center, half, k), most: f64::INFINITY, is_known: false };
        self.points.extend((0..8).map(of));
        self.whole = true;
    }

    /// Sets the bounds of the distance to a convex set at `distance` (mm) from `from`.
    pub fn ask(&mut self, from: &Vec3, distance: f64) {
        for p in &mut self.points {
            (p.most, p.is_known) = (distance + (p.at - from).norm(), false);
        }
    }

    /// Point with the largest bound.
    pub fn top(&mut self) -> Option<&mut Point> {
        self.points.iter_mut().reduce(|best, p| if p.most > best.most { p } else { best })
    }

    /// Cuts off the part in front of a plane: points in front are replaced by the intersections of the plane with
    /// segments to the other points. Returns false, unchanged, if this makes too many points.
    pub fn cut(&mut self, plane: &Plane) -> bool {
        let Self { points, heights, new, whole } = self;
        heights.clear();
        heights.extend(points.iter().map(|p| plane.height(&p.at)));
        let above = heights.iter().filter(|h| **h > 0.0).count();
        let below = points.len() - above;
        if !*whole && below + below * above > MAX_POINTS {
            return false;
        }
        new.clear();
        let mut between = |i: usize, j: usize| {
            let (h, g) = (heights[i], heights[j]);
            if (h > 0.0) != (g > 0.0) {
                let (p, q, t) = (&points[i], &points[j], h / (h - g));
                // The distance to a convex set is convex.
                let most = p.most + (q.most - p.most) * t;
                new.push(Point { at: p.at + (q.at - p.at) * t, most, is_known: false });
            }
        };
        if *whole {
            for [i, j] in EDGES {
                between(i, j);
            }
        } else {
            for j in 1..heights.len() {
                for i in 0..j {
                    between(i, j);
                }
            }
        }
        let mut is_below = heights.iter().map(|h| *h <= 0.0);
        points.retain(|_| is_below.next() == Some(true));
        points.append(new);
        *whole = false;
        true
    }

    /// Box around the points: centre and half extents.
    pub fn around(&self) -> (Vec3, Vec3) {
        let bounds = Aabb::of_points(self.points.iter().map(|p| &p.at));
        (bounds.center(), (bounds.max - bounds.min) * 0.5)
    }

    /// Largest distance of the points from `around` (mm).
    pub fn radius(&self, around: &Vec3) -> f64 {
        self.points.iter().map(|p| (p.at - around).norm_squared()).fold(0.0, f64::max).sqrt()
    }
}

/// Corner `k` of a box.
fn corner(center: &Vec3, half: &Vec3, k: usize) -> Vec3 {
    center + half.map_with_location(|i, _, h| if k >> i & 1 == 0 { -h } else { h })
}
