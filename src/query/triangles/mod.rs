//! Two placed surfaces: how far they are apart, and which of their triangles meet.
pub(crate) mod bvh_traversal;
pub mod pairing;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod transversal_crossing;
pub(crate) mod triangle_bounds;

use crate::geom::Vec3;
use crate::geom::triangle::{Triangle, closest, intersects, point_triangle};
use crate::query::triangles::bvh_traversal::{DualTraversal, SearchRadius};
use crate::query::triangles::pairing::{Pairing, placed};

/// How far two surfaces are apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Distance {
    /// Farther than asked for: a lower bound (mm), above the limit; infinite where a surface has no triangle.
    Beyond(f64),
    /// Not farther than asked for.
    Within(Gap),
}

/// The closest points of two surfaces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// Their distance (mm), 0 where triangles meet.
    pub value: f64,
    /// On A and on B (A's frame, mm).
    pub points: [Vec3; 2],
    /// Of A and of B.
    pub triangles: [u32; 2],
    /// Whether these two triangles meet, by exact test.
    pub meets: bool,
    /// Whether nothing is closer; otherwise the search ended as soon as it was close enough.
    pub exact: bool,
}

/// Smallest distance of two surfaces, to rounding. What is farther than `limit` (mm) is left out; the search ends as soon as a
/// distance of at most `enough` (mm) is found. A 0 is only claimed for triangles that meet by exact test.
pub fn separation(p: &Pairing, limit: f64, enough: f64) -> Distance {
    let mut best: Option<Gap> = None;
    let mut reach = SearchRadius::new(limit);
    let mut descent = DualTraversal::new(p, 0.0);
    let rounding = descent.rounding;
    let mut way: Option<Vec3> = None;
    descent.run(
        &mut reach,
        |i| p.a.triangle(i),
        |j| placed(p, j),
        |reach, bound, (i, f), (j, g)| {
            // What is beyond the closest points so far, in the same direction, is seldom closer.
            if way.is_some_and(|way| reach.excludes(f.apart_along(g, &way) - rounding)) {
                return true;
            }
            let (s, t) = (&f.corners, &g.corners);
            let gap = if bound <= 0.0 && intersects(s, t) {
                Gap { value: 0.0, points: common_points(s, t), triangles: [i, j], meets: true, exact: true }
            } else {
                let c = closest(s, t);
                Gap { value: c.squared.sqrt(), points: c.points, triangles: [i, j], meets: false, exact: true }
            };
            if !reach.excludes(gap.value) && best.is_none_or(|b| gap.value < b.value || gap.meets) {
                reach.reach = gap.value;
                way = (gap.value > 0.0).then(|| (gap.points[1] - gap.points[0]) / gap.value);
                best = Some(gap);
            }
            reach.reach > enough || best.is_none()
        },
    );
    match best {
        Some(gap) => Distance::Within(Gap { exact: gap.meets || gap.value > enough, ..gap }),
        None => Distance::Beyond(reach.beyond),
    }
}

/// Visits the pairs of triangles that meet, touching ones too, exactly, each pair once; ends when `visit` returns false.
pub fn intersecting_pairs(p: &Pairing, visit: impl FnMut(u32, u32) -> bool) {
    crossings_of(p, 0.0, |i| p.a.triangle(i), |j| placed(p, j), visit);
}

/// A point (A's frame) near which triangles meet when they are moved, `None` where none do: `moved_a` and `moved_b` say
/// where a triangle's corners are then, in A's frame, no farther than `slack` (mm) from where they were.
pub fn displaced_intersection(
    p: &Pairing,
    slack: f64,
    mut moved_a: impl FnMut(u32) -> Triangle,
    mut moved_b: impl FnMut(u32) -> Triangle,
) -> Option<Vec3> {
    let mut found = None;
    crossings_of(p, 2.0 * slack, &mut moved_a, &mut moved_b, |i, j| {
        found = Some((i, j));
        false
    });
    let (i, j) = found?;
    Some(middle_of_crossing(&moved_a(i), &moved_b(j)))
}

/// Visits the pairs of triangles that meet when they are moved, as [`crossing_moved`] has it, until `visit` returns false.
pub(crate) fn displaced_intersections(
    p: &Pairing,
    slack: f64,
    moved_a: impl FnMut(u32) -> Triangle,
    moved_b: impl FnMut(u32) -> Triangle,
    visit: impl FnMut(u32, u32) -> bool,
) {
    crossings_of(p, 2.0 * slack, moved_a, moved_b, visit);
}

/// The pairs of triangles of which something meets when they are moved: `pieces_a` and `pieces_b` say what belongs to a triangle then,
/// some triangles in A's frame, no farther than `slack` (mm) from it. Pairs for which `asked` is false are left out. Each pair comes with a
/// point near which it meets; `visit` says whether to go on.
pub(crate) fn intersections_of_pieces<P: AsRef<[Triangle]>>(
    p: &Pairing,
    slack: f64,
    mut pieces_a: impl FnMut(u32) -> P,
    mut pieces_b: impl FnMut(u32) -> P,
    asked: impl Fn(&[Triangle], &[Triangle]) -> bool,
    mut visit: impl FnMut(u32, u32, Vec3) -> bool,
) {
    DualTraversal::new(p, 0.0).run(
        &mut SearchRadius::new(2.0 * slack),
        |i| p.a.triangle(i),
        |j| placed(p, j),
        |_, _, (i, _), (j, _)| {
            let (a, b) = (pieces_a(i), pieces_b(j));
            let (a, b) = (a.as_ref(), b.as_ref());
            if !asked(a, b) {
                return true;
            }
            let met = a.iter().find_map(|s| Some((s, b.iter().find(|t| intersects(s, t))?)));
            met.is_none_or(|(s, t)| visit(i, j, middle_of_crossing(s, t)))
        },
    );
}

/// A point close to what two meeting triangles have in common.
pub(crate) fn middle_of_crossing(s: &Triangle, t: &Triangle) -> Vec3 {
    let [x, y] = common_points(s, t);
    (x + y) * 0.5
}

/// The pairs of triangles that meet, their corners given, where boxes are no farther apart than `slack`.
fn crossings_of(
    p: &Pairing,
    slack: f64,
    corners_a: impl FnMut(u32) -> Triangle,
    corners_b: impl FnMut(u32) -> Triangle,
    mut visit: impl FnMut(u32, u32) -> bool,
) {
    DualTraversal::new(p, slack).run(&mut SearchRadius::new(0.0), corners_a, corners_b, |_, _, (i, f), (j, g)| {
        !intersects(&f.corners, &g.corners) || visit(i, j)
    });
}

/// Points of two meeting triangles that are close to what they have in common.
fn common_points(s: &Triangle, t: &Triangle) -> [Vec3; 2] {
    let mut best = closest(s, t);
    for (of, other, turned) in [(s, t, false), (t, s, true)] {
        let n = (other[1] - other[0]).cross(&(other[2] - other[0]));
        for k in 0..3 {
            let (p, q) = (of[k], of[(k + 1) % 3]);
            let (from, to) = (n.dot(&(p - other[0])), n.dot(&(q - other[0])));
            if from * to < 0.0 {
                let x = p + (q - p) * (from / (from - to));
                let foot = point_triangle(&x, other);
                if foot.squared < best.squared {
                    best.squared = foot.squared;
                    best.points = if turned { [foot.point, x] } else { [x, foot.point] };
                }
            }
        }
    }
    best.points
}
