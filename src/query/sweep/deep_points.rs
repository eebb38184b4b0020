//! Points of concave facets in the other part, which may bound the common solid.

use crate::geom::Vec3;
use crate::geom::math::greater;
use crate::geom::triangle::{Feature, point_triangle};
use crate::query::facet_allowance::FacetTable;
use crate::shape::surface::Surface;
use crate::shape::surface::nearest::Nearest;
use crate::shape::surface::placed::PlacedSurface;

/// Largest number of facets of a part that are looked at in one pose.
const MAX_FACETS: usize = 64;

/// Largest number of facets of a part that are tried in one pose.
const MAX_PIECES: usize = 4;

/// Points of a triangle that are looked at: weights of its corners.
const SAMPLES: [[f64; 3]; 7] = [
    [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0],
    [0.5, 0.5, 0.0],
    [0.0, 0.5, 0.5],
    [0.5, 0.0, 0.5],
    [0.8, 0.1, 0.1],
    [0.1, 0.8, 0.1],
    [0.1, 0.1, 0.8],
];

/// Sagittas of this share of the largest one count as equal.
pub(super) const NEARLY: f64 = 0.9;

/// A point of a concave facet inside the other part.
pub(super) struct Deep {
    /// The facet.
    pub triangle: u32,
    /// The point, in the frame of its own part (mm).
    pub middle: Vec3,
    /// Distance from the surface of the other part (mm, > 0).
    pub depth: f64,
}

/// Points on the concave facets nearest to a point (own frame, mm), one for each facet, that are deeper than `least`
/// (mm): those of facets with nearly the largest sagitta first, the deeper ones before the others. Cost: a few queries
/// of points for each of these facets.
pub(super) fn deep_points(
    [own, other]: [&PlacedSurface; 2],
    table: &FacetTable,
    point: &Vec3,
    least: f64,
) -> Vec<Deep> {
    let concave = (0..own.surface.triangles.len() as u32).filter(|t| table.sagitta(*t) > 0.0);
    let mut near: Vec<(f64, u32)> =
        concave.map(|t| (point_triangle(point, &own.surface.triangle(t)).squared, t)).collect();
    near.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    near.truncate(MAX_FACETS);
    let of_triangle = |t: u32| {
        let corners = own.surface.triangle(t);
        let samples = SAMPLES.iter().map(|w| corners[0] * w[0] + corners[1] * w[1] + corners[2] * w[2]);
        let depth = |middle: Vec3| {
            let x = own.global(&middle);
            let near = other.surface.nearest(&other.local(&x), f64::INFINITY)?;
            // The side of the nearest face drops most points outside. Only a ray proves that a point lies inside.
            let is_outside = near.feature == Feature::Face && is_in_front(other.surface, &near, &other.local(&x));
            (!is_outside && other.contains(&x)).then_some(Deep { triangle: t, middle, depth: near.distance })
        };
        let found = samples.chain([point_triangle(point, &corners).point]).filter_map(depth);
        found.max_by(|x, y| x.depth.total_cmp(&y.depth)).filter(|d| d.depth > least)
    };
    let mut found: Vec<Deep> = near.into_iter().filter_map(|(_, t)| of_triangle(t)).collect();
    let largest = found.iter().map(|d| table.sagitta(d.triangle)).fold(0.0, greater);
    let is_less = |d: &Deep| table.sagitta(d.triangle) < NEARLY * largest;
    found.sort_by(|x, y| is_less(x).cmp(&is_less(y)).then(y.depth.total_cmp(&x.depth)));
    found.truncate(MAX_PIECES);
    found
}

/// True if a point (surface's frame, mm) lies on the outer side of its nearest triangle.
fn is_in_front(surface: &Surface, near: &Nearest, x: &Vec3) -> bool {
    surface.normal(near.triangle).dot(&(x - near.point)) > 0.0
}
