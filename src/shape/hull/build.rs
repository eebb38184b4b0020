//! Builds a [`Hull`] from points: clean copy, seed simplex, filter, spatial order, quickhull, renumbering.

use crate::geom::predicates::MIN_COORDINATE;
use crate::geom::{Aabb, Vec3};
use crate::shape::hull::half_edge::{HalfEdges, NO_INDEX, neighbor_rows};
use crate::shape::hull::order::spatial_order;
use crate::shape::hull::prefilter::survivors;
use crate::shape::hull::quickhull::quickhull;
use crate::shape::hull::seed::{Seed, flat_hull, seed, thin_hull};
use crate::shape::hull::{Hull, check};

/// Largest number of points for which quickhull runs without filter and spatial order: both cost more than they save.
const FILTER_ABOVE: usize = 512;

/// Computes the exact convex hull of finite points, in their own frame and unit.
///
/// Any degeneracy is allowed: no point (rank 0, no vertices), equal points, points on a line or in a plane, duplicates,
/// any number of coplanar or collinear points. The method uses no epsilon. Vertices keep the order of the input, but
/// the vertices of a flat hull run around its boundary. Of equal points, any one may become the vertex. The result
/// depends only on the order and the bits of the input.
///
/// Precondition: coordinates are finite and at most `tolerance::MAX_COORDINATE` in magnitude. Guarantee: every point is
/// inside or on the hull by exact predicate, if each coordinate is 0 or at least
/// [`MIN_COORDINATE`](crate::geom::predicates::MIN_COORDINATE) = 2⁻³⁰⁵ in magnitude. The predicates count smaller ones
/// as 0. The hull is then exact up to a displacement of that size.
///
/// Cost: expected O(n log n), 1 µs a point if all are extreme, some 20 ns if few are. Source: see `quickhull.rs`.
pub fn convex_hull(points: &[Vec3]) -> Hull {
    hull_within(points, 0.0).0
}

/// Computes the exact convex hull of a subset of the points. Returns the hull and the indices of all points possibly
/// outside it.
///
/// The subset is so large that the other points are mostly at most `spare` (mm, >= 0) outside. With `spare` 0 it is the
/// full hull. Preconditions and guarantees are otherwise those of [`convex_hull`]. Cost: for points on a smooth
/// surface, a small part of the cost of the full hull.
pub fn hull_within(points: &[Vec3], spare: f64) -> (Hull, Vec<u32>) {
    let work = flush_tiny(points);
    let bounds = Aabb::of_points(&work);
    let mut left = Vec::new();
    let hull = match seed(&work, &bounds) {
        Seed::Empty => thin_hull(&[], points),
        Seed::Point(a) => thin_hull(&[a], points),
        Seed::Segment(ends) => thin_hull(&ends, points),
        Seed::Plane(three) => flat_hull(three, &work, points),
        Seed::Solid(four) if spare > 0.0 => {
            let (surface, outside) = quickhull(&work, four, extent(&bounds), spare);
            left = outside;
            into_hull(&surface, points, |i| i)
        }
        Seed::Solid(four) => solid_hull(four, &work, &bounds, points),
    };
    if cfg!(debug_assertions) && !hull.vertices.iter().any(|v| v.iter().any(|&x| is_tiny(x))) {
        let wrong = check::structural_violations(&hull);
        debug_assert!(wrong.is_empty(), "{wrong:?}");
    }
    (hull, left)
}

/// Upper bound of the true coordinate differences of the points: the box size, rounded up.
fn extent(bounds: &Aabb) -> Vec3 {
    (bounds.max - bounds.min) * (1.0 + f64::EPSILON)
}

/// True for nonzero numbers too small for products of three differences.
fn is_tiny(x: f64) -> bool {
    x != 0.0 && x.abs() < MIN_COORDINATE
}

/// Copies the points; −0 and magnitudes too small for the predicates become 0.
fn flush_tiny(points: &[Vec3]) -> Vec<Vec3> {
    let one = |x: f64| if x.abs() < MIN_COORDINATE { 0.0 } else { x };
    points.iter().map(|p| Vec3::new(one(p.x), one(p.y), one(p.z))).collect()
}

/// Computes the hull of points of affine rank 3.
fn solid_hull(seed: [u32; 4], work: &[Vec3], bounds: &Aabb, points: &[Vec3]) -> Hull {
    let extent = extent(bounds);
    if work.len() <= FILTER_ABOVE {
        let (surface, _) = quickhull(work, seed, extent, 0.0);
        return into_hull(&surface, points, |i| i);
    }
    let kept = spatial_order(work, survivors(work, bounds, seed), bounds);
    let near: Vec<Vec3> = kept.iter().map(|&i| work[i as usize]).collect();
    let mut local = [0; 4];
    for (at, &i) in kept.iter().enumerate() {
        for k in 0..4 {
            if seed[k] == i {
                local[k] = at as u32;
            }
        }
    }
    let (surface, _) = quickhull(&near, local, extent, 0.0);
    into_hull(&surface, points, |i| kept[i as usize])
}

/// Numbers the used points in input order and flattens the surface. `original` maps the indices of the surface to those
/// of `points`.
fn into_hull(surface: &HalfEdges, points: &[Vec3], original: impl Fn(u32) -> u32) -> Hull {
    let mut triangles: Vec<[u32; 3]> = surface.triangles().map(|t| t.map(&original)).collect();
    triangles.shrink_to_fit();
    let mut number = vec![NO_INDEX; points.len()];
    let mut used = 0;
    for &v in triangles.as_flattened() {
        used += usize::from(number[v as usize] == NO_INDEX);
        number[v as usize] = 0;
    }
    let mut vertices = Vec::with_capacity(used);
    for (p, n) in points.iter().zip(&mut number) {
        if *n != NO_INDEX {
            *n = vertices.len() as u32;
            vertices.push(*p);
        }
    }
    for t in &mut triangles {
        *t = t.map(|v| number[v as usize]);
    }
    let (neighbor_starts, neighbors) = neighbor_rows(vertices.len(), &triangles);
    Hull { vertices, triangles, rank: 3, neighbor_starts, neighbors, twins: surface.twins() }
}
