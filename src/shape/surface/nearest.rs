//! Finds the closest point of a surface, and all triangles within a radius.

use crate::geom::Vec3;
use crate::geom::math::{UNIT_ROUNDOFF, lesser, norm1};
use crate::geom::predicates::orient3d;
use crate::geom::triangle::distance::Feature;
use crate::geom::triangle::point_triangle;
use crate::shape::surface::{Below, PlacedObb, Surface};
use smallvec::SmallVec;

/// Closest point of a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// Triangle of the closest point.
    pub triangle: u32,
    /// Closest point, in the surface's frame (mm).
    pub point: Vec3,
    /// Distance from the query point (mm, >= 0).
    pub distance: f64,
    /// Vertex, edge or interior of the triangle at the closest point.
    pub feature: Feature,
    /// True if no other triangle of the search is as close, up to rounding.
    pub is_single: bool,
}

/// Rounding errors of a distance, in units of 2⁻⁵³ of the coordinates. The search includes boxes farther than the best
/// by this margin.
const ROUNDOFFS_PER_DISTANCE: f64 = 16.0;

impl Surface {
    /// Finds the closest point of the surface to `x` (surface's frame, mm); `None` if no point is nearer than `limit`
    /// (mm).
    pub fn nearest(&self, x: &Vec3, limit: f64) -> Option<Nearest> {
        self.nearest_where(x, limit, |_| true)
    }

    /// Does the same as [`Self::nearest`] without a limit, from a triangle close to the closest one on: costs less.
    pub(crate) fn nearest_from(&self, x: &Vec3, start: u32) -> Nearest {
        let foot = point_triangle(x, &self.triangle(start));
        let (point, distance) = (foot.point, foot.squared.sqrt());
        let first = Nearest { triangle: start, point, distance, feature: foot.feature, is_single: false };
        self.nearest_to(x, distance, Some(first), |t| t != start).unwrap_or(first)
    }

    /// Does the same as [`Self::nearest`] among the `wanted` triangles.
    #[inline]
    pub(crate) fn nearest_where(&self, x: &Vec3, limit: f64, wanted: impl Fn(u32) -> bool) -> Option<Nearest> {
        self.nearest_to(x, limit, None, wanted)
    }

    /// The same with a first candidate, at the distance `limit` (mm).
    #[inline]
    fn nearest_to(
        &self,
        x: &Vec3,
        limit: f64,
        first: Option<Nearest>,
        wanted: impl Fn(u32) -> bool,
    ) -> Option<Nearest> {
        let nodes = &self.tree().nodes;
        let margin = self.margin(x);
        let mut best = first;
        let mut reach = limit;
        // Distance of the closest triangle besides the best one, if it is close to that distance.
        let mut next = f64::INFINITY;
        let mut far = outward(reach + margin);
        let distance = |at: u32| PlacedObb::of(&nodes[at as usize]).point_distance_bound(x);
        let mut stack: SmallVec<[(u32, f32); 64]> = SmallVec::new();
        if !nodes.is_empty() {
            stack.push((0, distance(0)));
        }
        while let Some((at, bound)) = stack.pop() {
            if bound > far {
                continue;
            }
            match nodes[at as usize].below() {
                Below::Triangles(range) => {
                    for t in range.filter(|t| wanted(*t)) {
                        let foot = point_triangle(x, &self.triangle(t));
                        let distance = foot.squared.sqrt();
                        if distance < reach {
                            next = best.map_or(next, |best| best.distance);
                            reach = distance;
                            far = outward(reach + margin);
                            let (point, feature) = (foot.point, foot.feature);
                            best = Some(Nearest { triangle: t, point, distance, feature, is_single: false });
                        } else {
                            next = lesser(next, distance);
                        }
                    }
                }
                Below::Children([left, right]) => {
                    let (near, other) = ((left, distance(left)), (right, distance(right)));
                    let (near, other) = if near.1 <= other.1 { (near, other) } else { (other, near) };
                    if other.1 <= far {
                        stack.push(other);
                    }
                    stack.push(near);
                }
            }
        }
        // The search has met every triangle within the margin of the best one.
        best.map(|best| Nearest { is_single: next - best.distance > 0.5 * margin, ..best })
    }

    /// Visits every triangle at most `radius` (mm) from `x` (surface's frame), and perhaps a few farther ones. Ends
    /// early once `visit` returns false.
    pub fn within(&self, x: &Vec3, radius: f64, visit: impl FnMut(u32) -> bool) {
        self.within_where(x, radius, Some, visit);
    }

    /// Does the same as [`Self::within`] with a cheap filter before the distance: `wanted` returns `None` to skip a
    /// triangle, else the value for `visit`. Kept out of its callers: inlined, the search takes half as long again.
    #[inline(never)]
    pub(crate) fn within_where<T>(
        &self,
        x: &Vec3,
        radius: f64,
        mut wanted: impl FnMut(u32) -> Option<T>,
        mut visit: impl FnMut(T) -> bool,
    ) {
        let nodes = &self.tree().nodes;
        let reach = radius + self.margin(x);
        let far = outward(reach);
        let mut stack: SmallVec<[u32; 64]> = SmallVec::new();
        stack.extend((!nodes.is_empty()).then_some(0));
        while let Some(at) = stack.pop() {
            let node = &nodes[at as usize];
            if PlacedObb::of(node).point_distance_bound(x) > far {
                continue;
            }
            match node.below() {
                Below::Children([left, right]) => stack.extend([right, left]),
                Below::Triangles(range) => {
                    for t in range {
                        if let Some(found) = wanted(t)
                            && point_triangle(x, &self.triangle(t)).squared <= reach * reach
                            && !visit(found)
                        {
                            return;
                        }
                    }
                }
            }
        }
    }

    /// True if a point (surface's frame, mm) lies behind its closest triangle, false in front of it. `None` unless the
    /// closest point lies inside this triangle, and no other triangle is as close: then the point may lie elsewhere.
    pub(crate) fn is_behind(&self, x: &Vec3, found: &Nearest) -> Option<bool> {
        if !found.is_single || found.feature != Feature::Face || found.distance <= self.margin(x) {
            return None;
        }
        let [a, b, c] = self.triangle(found.triangle);
        let side = orient3d(&a, &b, &c, x);
        (side != 0.0).then_some(side < 0.0)
    }

    pub(super) fn margin(&self, x: &Vec3) -> f64 {
        ROUNDOFFS_PER_DISTANCE * UNIT_ROUNDOFF * (norm1(x) + self.bounds.max_abs())
    }
}

/// Returns a single-precision number above `x`.
fn outward(x: f64) -> f32 {
    (x as f32).next_up()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::TriMesh;
    use crate::shape::surface::Inside;
    use crate::testkit::rng::Rng;

    #[test]
    fn the_nearest_triangle_and_all_within_a_radius_are_found() {
        let mut rng = Rng::new(5);
        let vertices: Vec<Vec3> =
            (0..300).map(|_| rng.in_unit_cube().component_mul(&Vec3::new(10.0, 10.0, 1.0))).collect();
        let triangles = (0..100).map(|t| t % 90).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let mut single = 0;
        let s = Surface::new(&TriMesh { vertices, triangles }, &Vec3::zeros(), Inside::Undefined);
        for _ in 0..300 {
            let x = rng.in_unit_cube() * 12.0;
            let d: Vec<f64> = (0..100).map(|t| point_triangle(&x, &s.triangle(t)).squared.sqrt()).collect();
            let least = d.iter().copied().fold(f64::INFINITY, f64::min);
            let found = s.nearest(&x, f64::INFINITY).unwrap();
            assert_eq!(found.distance, least);
            assert_eq!(d[found.triangle as usize], least);
            assert!(((found.point - x).norm() - least).abs() < 1e-13);
            assert!(s.nearest(&x, least).is_none());
            let mut visited = [false; 100];
            s.within(&x, 1.5 * least, |t| {
                assert!(!std::mem::replace(&mut visited[t as usize], true));
                true
            });
            assert!((0..100).all(|t| visited[t] || d[t] > 1.5 * least));
            for start in [found.triangle, rng.below(100) as u32] {
                let from = s.nearest_from(&x, start);
                assert_eq!((from.distance, from.is_single), (least, found.is_single));
                assert_eq!(d[from.triangle as usize], least);
            }
            // The first ten triangles have copies.
            assert_eq!(found.is_single, d.iter().filter(|d| **d - least < 1e-12).count() == 1);
            single += usize::from(found.is_single);
            let mut calls = 0;
            s.within(&x, 1.5 * least, |_| {
                calls += 1;
                false
            });
            assert_eq!(calls, 1);
        }
        assert!(single > 100 && single < 295, "{single}");
    }
}
