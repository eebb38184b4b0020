//! Builds a hull of few vertices around many points.

use crate::geom::{Aabb, Vec3};
use crate::shape::hull::{Facet, Hull, convex_hull, facets, hull_within};

/// Number of points from which hulls are simplified.
const MANY_VERTICES: usize = 100;

/// Share of `spare` by which points may lie outside the first hull; moving its faces outward then encloses them.
const BY_MOVING: f64 = 0.45;

/// Limit of attempts; each adds the points still outside.
const ROUNDS: usize = 4;

/// Largest ratio of a vertex's move to the move of its faces. Beyond it, a cube's corners replace the vertex.
const MAX_SPIKE: f64 = 2.0;

/// Number of steps to find the direction of a vertex's move.
const STEPS: usize = 20;

/// Relative enlargement of the boxes of points, for rounding.
const BOX_ROUNDING: f64 = 1e-9;

/// Number of consecutive points in one box.
const POINT_BLOCK: usize = 16;

/// Hull containing points.
pub(crate) enum HullAround {
    /// Exact hull of the points.
    Exact(Hull),
    /// Hull of few vertices, containing all balls of the required radius around the points.
    Simple(Hull),
}

/// Builds a hull containing the points. If the exact hull has many vertices, builds a simpler one around it. The
/// simpler hull overshoots by about `spare` (mm) at most and contains all balls of radius `room` (mm) around the
/// points.
///
/// Method: find a hull of some of the points with the others only slightly outside, and move its faces outward by that
/// distance. A vertex between faces with normals n moves by that distance times m, with n·m ≥ 1 for all of them. Every
/// direction is a sum Σ λ·n, λ ≥ 0, at one of the vertices, and |Σ λ·n| ≤ Σ λ: so the larger hull contains all balls
/// around points of the smaller. A final test checks the points themselves.
pub(crate) fn hull_around(points: &[Vec3], spare: f64, room: f64) -> HullAround {
    if points.len() < MANY_VERTICES {
        return HullAround::Exact(convex_hull(points));
    }
    let by = BY_MOVING * spare;
    let (mut core, left) = hull_within(points, by);
    // The hull of these points is the hull of all points.
    let mut outer: Vec<Vec3> = left.into_iter().map(|k| points[k as usize]).collect();
    outer.extend(&core.vertices);
    for _ in 0..ROUNDS {
        if core.rank < 3 || outer.len() < 2 * core.vertices.len() || outer.len() <= MANY_VERTICES {
            break;
        }
        let around = moved(&core, &facets(&core), by + 2.0 * room);
        let planes = facets(&around);
        // Slivers have no plane to test points against.
        if planes.iter().map(|f| f.triangles.len()).sum::<usize>() < around.triangles.len() {
            break;
        }
        let missing = missing(&outer, &planes, room);
        if missing.is_empty() {
            return HullAround::Simple(around);
        }
        core = convex_hull(&[&core.vertices, &missing[..]].concat());
    }
    HullAround::Exact(convex_hull(&outer))
}

/// Finds the highest point for each plane among those less than `room` (mm) below it, or not certainly so far.
fn missing(points: &[Vec3], planes: &[Facet], room: f64) -> Vec<Vec3> {
    let blocks: Vec<(Vec3, Vec3)> = points
        .chunks(POINT_BLOCK)
        .map(|block| {
            let bounds = Aabb::of_points(block);
            (bounds.center(), (bounds.max - bounds.min) * (0.5 * (1.0 + BOX_ROUNDING)))
        })
        .collect();
    let mut missing = Vec::new();
    for f in planes {
        let (level, steep) = (f.offset - f.slack - room, f.normal.abs());
        let (mut top, mut at) = (0.0, None);
        for (k, (center, half)) in blocks.iter().enumerate() {
            if f.normal.dot(center) + steep.dot(half) <= level - f.slack {
                continue;
            }
            for x in &points[k * POINT_BLOCK..points.len().min((k + 1) * POINT_BLOCK)] {
                let above = f.normal.dot(x) - level;
                if above > top {
                    (top, at) = (above, Some(*x));
                }
            }
        }
        missing.extend(at);
    }
    missing
}

/// Builds a hull containing all balls of radius `by` (mm) around points of another hull.
fn moved(hull: &Hull, planes: &[Facet], by: f64) -> Hull {
    let mut normals: Vec<(u32, Vec3)> = Vec::with_capacity(3 * hull.triangles.len());
    for f in planes {
        let corners = f.triangles.iter().flat_map(|&t| hull.triangles[t as usize]);
        normals.extend(corners.map(|v| (v, f.normal)));
    }
    normals.sort_by_key(|n| n.0);
    let mut points = Vec::with_capacity(2 * hull.vertices.len());
    for of_vertex in normals.chunk_by(|a, b| a.0 == b.0) {
        let vertex = hull.vertices[of_vertex[0].0 as usize];
        if let Some(way) = common_outward(of_vertex) {
            points.push(vertex + way * by);
        } else {
            let side = |k: usize, i: usize| if k >> i & 1 == 0 { -by } else { by };
            points.extend((0..8).map(|k| vertex + Vec3::new(side(k, 0), side(k, 1), side(k, 2))));
        }
    }
    convex_hull(&points)
}

/// Finds a short vector rising by at least 1 above all planes with these normals, if there is one.
fn common_outward(normals: &[(u32, Vec3)]) -> Option<Vec3> {
    let rise = |way: &Vec3| {
        let least = normals.iter().map(|(_, n)| (n.dot(way), n)).reduce(|a, b| if b.0 < a.0 { b } else { a });
        least.map_or((0.0, Vec3::zeros()), |(rise, n)| (rise, *n))
    };
    let mut way = normals.iter().map(|n| n.1).sum::<Vec3>().try_normalize(0.0)?;
    for _ in 0..STEPS {
        let (least, normal) = rise(&way);
        if least >= 1.0 {
            break;
        }
        way += normal * (1.0 - least);
    }
    let least = rise(&way).0;
    let way = way / least;
    (least > 0.0 && way.norm() <= MAX_SPIKE).then_some(way)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::hull::encloses;
    use crate::testkit::rng::Rng;

    /// Points on ellipsoids, cylinders and blocks of many sizes, sometimes few.
    fn cloud(rng: &mut Rng, round: u32) -> Vec<Vec3> {
        let size = Vec3::new(1.0, 1.0 + rng.signed().abs() * 4.0, 1.0 + rng.signed().abs() * 9.0);
        let shift = rng.in_cube() * 100.0;
        (0..if round.is_multiple_of(4) { 90 } else { 2000 })
            .map(|_| {
                let p = rng.in_cube();
                let on = match round % 3 {
                    0 => p.normalize(),
                    1 => Vec3::new(p.x, p.y, 0.0).normalize() + Vec3::new(0.0, 0.0, if p.z > 0.5 { 1.0 } else { p.z }),
                    _ => p / p.amax(),
                };
                on.component_mul(&size) + shift
            })
            .collect()
    }

    #[test]
    fn simple_hulls_contain_balls_and_keep_overshoot() {
        let rng = &mut Rng::new(3);
        let (mut simple, mut exact) = (0, 0);
        for round in 0..60 {
            let points = cloud(rng, round);
            let (spare, room) = (0.05, 1e-9);
            let whole = convex_hull(&points);
            match hull_around(&points, spare, room) {
                HullAround::Simple(hull) => {
                    simple += 1;
                    assert!(round % 3 > 0 || 2 * hull.vertices.len() < whole.vertices.len());
                    assert!(encloses(&hull, &points), "round {round}");
                    for f in facets(&hull) {
                        let top = points.iter().map(|x| f.normal.dot(x)).fold(f64::NEG_INFINITY, f64::max);
                        assert!(top + room <= f.offset, "round {round}");
                    }
                    for f in facets(&whole) {
                        let top = hull.vertices.iter().map(|x| f.normal.dot(x)).fold(f64::NEG_INFINITY, f64::max);
                        assert!(
                            top - f.offset <= MAX_SPIKE * BY_MOVING * spare + 1e-6,
                            "round {round}: {}",
                            top - f.offset
                        );
                    }
                }
                HullAround::Exact(hull) => {
                    exact += 1;
                    assert!(encloses(&hull, &points) && encloses(&whole, &hull.vertices), "round {round}");
                }
            }
        }
        assert!(simple > 20 && exact > 10, "{simple} {exact}");
    }

    #[test]
    fn sharp_and_flat_points_have_hulls_around_them_too() {
        // A needle with a dense shaft, and points in a plane.
        let rng = &mut Rng::new(9);
        let mut needle: Vec<Vec3> = (0..3000)
            .map(|_| {
                let p = rng.in_cube();
                let side = Vec3::new(p.x, p.y, 0.0).normalize() * (1.0 - p.z.abs());
                side + Vec3::new(0.0, 0.0, 40.0 * p.z)
            })
            .collect();
        needle.push(Vec3::new(0.0, 0.0, 45.0));
        let flat: Vec<Vec3> = needle.iter().map(|p| Vec3::new(p.x, p.z, 2.0)).collect();
        for points in [needle, flat] {
            let (HullAround::Simple(hull) | HullAround::Exact(hull)) = hull_around(&points, 0.05, 1e-9);
            assert!(encloses(&hull, &points));
        }
    }
}
