//! Samples triangles in an orthographic view, with the same result on every machine.
//!
//! Method: edge functions in fixed point with the top-left rule (Pineda, "A Parallel Algorithm for Polygon
//! Rasterization", 1988, §3). Every sample of an edge shared by two triangles belongs to exactly one of them, so the
//! crossings of a closed mesh along a sample cancel exactly.

use crate::geom::Vec3;
use std::cmp::Ordering;
use std::ops::Range;

/// Steps of the fixed point per sample.
const STEPS: f64 = 256.0;

/// Largest screen coordinate (steps): products of two differences stay below 2⁶³.
const LARGEST: f64 = 268_435_456.0; // 2^28

/// An orthographic view. `right`, `up` and `into` are orthonormal; `into` points away from the viewer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    /// Direction to the right of the picture (root frame).
    pub right: Vec3,
    /// Direction to the top of the picture (root frame).
    pub up: Vec3,
    /// Direction of sight (root frame).
    pub into: Vec3,
    /// Point in the middle of the picture (root frame, mm).
    pub centre: Vec3,
    /// Width and height of the shown rectangle (mm, > 0).
    pub size: [f64; 2],
}

impl View {
    /// View along `into` with `up` as upright as possible. Another axis takes the place of an `up` along the sight.
    pub fn new(into: Vec3, up: Vec3, centre: Vec3, size: [f64; 2]) -> Self {
        let upright = [up, Vec3::y(), Vec3::x(), Vec3::z()].into_iter().find(|u| into.cross(u).norm() > 0.1);
        let right = into.cross(&upright.unwrap_or_else(Vec3::z));
        let right = right / right.norm();
        let up = right.cross(&into);
        Self { right, up: up / up.norm(), into, centre, size }
    }

    /// Coordinates in the view: to the right, upwards, and away from the viewer, from the centre (mm).
    pub fn coordinates(&self, p: &Vec3) -> [f64; 3] {
        let d = p - self.centre;
        [d.dot(&self.right), d.dot(&self.up), d.dot(&self.into)]
    }
}

/// Grid of samples over a view.
#[derive(Debug, Clone, Copy)]
pub struct Raster {
    /// The view.
    pub view: View,
    /// Number of samples per row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
}

/// A sample covered by a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Column of the sample, from the left.
    pub x: usize,
    /// Row of the sample, from the top.
    pub y: usize,
    /// Depth: distance behind the plane through the view's centre (mm, negative before it).
    pub z: f64,
    /// True if the triangle shows its outer side.
    pub front: bool,
}

/// A projected corner: screen coordinates (samples) and depth (mm).
pub type Corner = [f64; 3];

impl Raster {
    /// Samples per millimetre.
    pub fn scale(&self) -> f64 {
        self.width as f64 / self.view.size[0]
    }

    /// Position of a point on the screen (samples, from the top left), and its depth (mm).
    pub fn project(&self, p: &Vec3) -> Corner {
        let [x, y, z] = self.view.coordinates(p);
        let scale = self.scale();
        [0.5 * self.width as f64 + x * scale, 0.5 * self.height as f64 - y * scale, z]
    }

    /// Returns true if the box of a projected triangle reaches into the picture.
    pub fn shows(&self, corners: &[Corner; 3]) -> bool {
        let reaches = |axis: usize, size: usize| {
            let [a, b, c] = corners.map(|p| p[axis]);
            a.max(b).max(c) >= 0.0 && a.min(b).min(c) <= size as f64
        };
        reaches(0, self.width) && reaches(1, self.height)
    }

    /// Calls `hit` for each sample of a projected triangle in these rows.
    pub fn triangle(&self, corners: [Corner; 3], rows: Range<usize>, hit: &mut impl FnMut(Hit)) {
        let corners = corners.map(|[x, y, z]| [x * STEPS, y * STEPS, z]);
        let outside = |c: &Corner| !(c[0].abs() <= LARGEST && c[1].abs() <= LARGEST);
        if !corners.iter().any(outside) {
            return self.sample(&corners, rows, hit);
        }
        let polygon = clipped(&corners);
        for k in 2..polygon.len() {
            self.sample(&[polygon[0], polygon[k - 1], polygon[k]], rows.clone(), hit);
        }
    }

    fn sample(&self, corners: &[Corner; 3], rows: Range<usize>, hit: &mut impl FnMut(Hit)) {
        let snap = |v: f64| libm::floor(v + 0.5) as i64;
        let mut p = corners.map(|[x, y, z]| (snap(x), snap(y), z));
        let area_of =
            |p: &[(i64, i64, f64); 3]| (p[1].0 - p[0].0) * (p[2].1 - p[0].1) - (p[2].0 - p[0].0) * (p[1].1 - p[0].1);
        let mut area = area_of(&p);
        if area == 0 {
            return;
        }
        // The screen's y points down, so a triangle with its outer side in front has a negative area.
        let front = area < 0;
        if front {
            p.swap(1, 2);
            area = -area;
        }
        let step = STEPS as i64;
        let first = |v: i64| (v - step / 2 + step - 1).div_euclid(step).max(0) as usize;
        let last = |v: i64, end: usize| ((v - step / 2).div_euclid(step) + 1).clamp(0, end as i64) as usize;
        let (x0, x1) = (p[0].0.min(p[1].0).min(p[2].0), p[0].0.max(p[1].0).max(p[2].0));
        let (y0, y1) = (p[0].1.min(p[1].1).min(p[2].1), p[0].1.max(p[1].1).max(p[2].1));
        let columns = first(x0)..last(x1, self.width);
        let rows = first(y0).max(rows.start)..last(y1, rows.end.min(self.height));
        if columns.is_empty() || rows.is_empty() {
            return;
        }
        let plane = Plane::through(&p, area);
        let edges = [0, 1, 2].map(|k| Edge::new(p[k], p[(k + 1) % 3]));
        for y in rows {
            let at_y = y as i64 * step + step / 2;
            // Range of the columns in which all edge functions are non-negative.
            let (mut from, mut to) = (0, columns.len() as i64 - 1);
            for edge in &edges {
                let value = edge.at(columns.start as i64 * step + step / 2, at_y);
                let fall = edge.dy * step;
                match fall.cmp(&0) {
                    Ordering::Less if value < 0 => from = from.max((-value + -fall - 1) / -fall),
                    _ if value < 0 => to = -1,
                    Ordering::Greater => to = to.min(value / fall),
                    Ordering::Less | Ordering::Equal => {}
                }
            }
            for k in from..=to {
                let x = columns.start + k as usize;
                let z = plane.at(x as i64 * step + step / 2, at_y);
                hit(Hit { x, y, z, front });
            }
        }
    }
}

/// Edge of a triangle: its function is non-negative at samples on its inner side.
struct Edge {
    from: (i64, i64),
    dx: i64,
    dy: i64,
    /// -1 if samples on the edge belong to the neighbour.
    bias: i64,
}

impl Edge {
    fn new(a: (i64, i64, f64), b: (i64, i64, f64)) -> Self {
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let top_left = dy < 0 || dy == 0 && dx > 0;
        Self { from: (a.0, a.1), dx, dy, bias: if top_left { 0 } else { -1 } }
    }

    fn at(&self, x: i64, y: i64) -> i64 {
        self.dx * (y - self.from.1) - self.dy * (x - self.from.0) + self.bias
    }
}

/// Depth of a triangle over the screen, kept within the depths of its corners.
struct Plane {
    from: (i64, i64, f64),
    slope: [f64; 2],
    range: [f64; 2],
}

impl Plane {
    fn through(p: &[(i64, i64, f64); 3], area: i64) -> Self {
        let d = |k: usize| ((p[k].0 - p[0].0) as f64, (p[k].1 - p[0].1) as f64, p[k].2 - p[0].2);
        let ((x1, y1, z1), (x2, y2, z2)) = (d(1), d(2));
        let area = area as f64;
        let low = p[0].2.min(p[1].2).min(p[2].2);
        let high = p[0].2.max(p[1].2).max(p[2].2);
        Self { from: p[0], slope: [(z1 * y2 - z2 * y1) / area, (x1 * z2 - x2 * z1) / area], range: [low, high] }
    }

    fn at(&self, x: i64, y: i64) -> f64 {
        let z = self.from.2 + self.slope[0] * (x - self.from.0) as f64 + self.slope[1] * (y - self.from.1) as f64;
        // Snapping may tilt the plane of a sliver.
        z.max(self.range[0]).min(self.range[1])
    }
}

/// Cuts a triangle to the range of the fixed point (Sutherland and Hodgman, "Reentrant Polygon Clipping", 1974).
/// Computes the cut of an edge from its corners in a fixed order, so two triangles with a common edge share its cuts.
fn clipped(corners: &[Corner; 3]) -> Vec<Corner> {
    let mut polygon: Vec<Corner> = corners.iter().copied().filter(|c| c.iter().all(|v| v.is_finite())).collect();
    for (axis, side) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)] {
        let inside = |c: &Corner| side * c[axis] <= LARGEST;
        let mut kept = Vec::with_capacity(polygon.len() + 1);
        for (k, c) in polygon.iter().enumerate() {
            let next = &polygon[(k + 1) % polygon.len()];
            if inside(c) {
                kept.push(*c);
            }
            if inside(c) != inside(next) {
                let (from, to) = if inside(c) { (c, next) } else { (next, c) };
                let t = (side * LARGEST - from[axis]) / (to[axis] - from[axis]);
                let mut cut = [0, 1, 2].map(|i| from[i] + (to[i] - from[i]) * t);
                cut[axis] = side * LARGEST;
                kept.push(cut);
            }
        }
        polygon = kept;
    }
    polygon
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raster(width: usize) -> Raster {
        let view = View::new(-Vec3::z(), Vec3::y(), Vec3::zeros(), [10.0, 10.0]);
        Raster { view, width, height: width }
    }

    #[test]
    fn a_view_keeps_its_directions() {
        let view = raster(10).view;
        assert_eq!((view.right, view.up), (Vec3::x(), Vec3::y()));
        assert_eq!(view.coordinates(&Vec3::new(1.0, 2.0, 3.0)), [1.0, 2.0, -3.0]);
    }

    #[test]
    fn two_triangles_of_a_square_share_no_sample() {
        let raster = raster(40);
        let p = [(-3.3, -2.1), (4.2, -2.1), (4.2, 3.7), (-3.3, 3.7)].map(|(x, y)| Vec3::new(x, y, 1.0));
        let mut count = vec![0; 1600];
        for t in [[p[0], p[1], p[2]], [p[0], p[2], p[3]]] {
            raster.triangle(t.map(|p| raster.project(&p)), 0..40, &mut |hit| {
                assert!(hit.front && (hit.z + 1.0).abs() < 1e-12);
                count[hit.y * 40 + hit.x] += 1;
            });
        }
        assert!(count.iter().all(|n| *n <= 1));
        // 7.5 by 5.8 mm at 16 samples per mm².
        let covered = count.iter().sum::<i32>();
        assert!((covered - 696).abs() <= 30, "{covered}");
    }

    #[test]
    fn a_huge_triangle_is_cut_and_covers_the_view() {
        let raster = raster(20);
        let far = 1e12;
        let t = [Vec3::new(-far, -far, 0.0), Vec3::new(far, -far, 0.0), Vec3::new(0.0, far, 0.0)];
        let mut hits = 0;
        raster.triangle(t.map(|p| raster.project(&p)), 0..20, &mut |_| hits += 1);
        assert_eq!(hits, 400);
    }
}
