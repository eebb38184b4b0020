//! Pairs coplanar neighbouring triangles for the distances in overshoot bounds.

use crate::geom::Vec3;
use crate::geom::math::lesser;
use crate::geom::triangle::point_triangle;
use crate::shape::surface::Surface;

/// Number of triangles above which triangles stay unpaired.
const PATCHED_UP_TO: usize = 20_000;

/// Triangles, each paired with a coplanar neighbour if both form a convex patch: the distance to such a patch is
/// convex, too.
pub(crate) struct TrianglePairs<'a> {
    pub surface: &'a Surface,
    /// Neighbour of each triangle, and twice its distance from the plane (mm); empty for many small triangles.
    mates: Vec<(u32, f64)>,
}

impl<'a> TrianglePairs<'a> {
    /// Pairs every triangle with a neighbour forming a convex patch with it, across the longest possible side. `flat`
    /// is the largest distance of the neighbour from the plane (mm).
    pub fn new(surface: &'a Surface, flat: f64) -> Self {
        let count = surface.triangles.len();
        let mates = if count > PATCHED_UP_TO {
            Vec::new()
        } else {
            (0..count as u32).map(|t| partner(surface, t, flat)).collect()
        };
        Self { surface, mates }
    }

    /// Distance of a point from a triangle's patch (mm), or slightly more.
    pub fn distance(&self, t: u32, x: &Vec3) -> f64 {
        let own = point_triangle(x, &self.surface.triangle(t)).squared;
        match self.mates.get(t as usize) {
            Some(&(mate, off)) if mate != u32::MAX => {
                lesser(own, point_triangle(x, &self.surface.triangle(mate)).squared).sqrt() + off
            }
            _ => own.sqrt(),
        }
    }
}

/// Finds the neighbour of a triangle forming a convex patch with it, across the longest possible side; returns it with
/// twice its distance from the plane (mm).
fn partner(surface: &Surface, t: u32, flat: f64) -> (u32, f64) {
    let corners = surface.triangle(t);
    let normal = surface.normal(t);
    let mut best = (u32::MAX, 0.0);
    let mut longest = 0.0;
    for k in 0..3 {
        let other = surface.neighbor(t, k);
        let (p, q, r) = (corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]);
        let length = (q - p).norm_squared();
        if other == u32::MAX || length <= longest {
            continue;
        }
        let ids = surface.triangles[t as usize];
        let apex = surface.triangles[other as usize].into_iter().find(|v| !ids.contains(v));
        let Some(v) = apex.map(|v| surface.vertices[v as usize]) else { continue };
        let off = normal.dot(&(v - p)).abs();
        let turns = |a: &Vec3, b: &Vec3, c: &Vec3| normal.dot(&(b - a).cross(&(c - b))) >= 0.0;
        if off <= flat && turns(&r, &p, &v) && turns(&v, &q, &r) {
            longest = length;
            // The patch is the triangle and its neighbour projected to the plane: the distance counts there and back.
            best = (other, 2.0 * off);
        }
    }
    best
}
