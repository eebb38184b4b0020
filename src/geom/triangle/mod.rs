//! Queries on two triangles, or on a point and a triangle.
//!
//! - `intersect`: do two triangles meet, or cross? Exact.
//! - `distance`: closest points of two triangles, or of a point and a triangle.

pub(crate) mod distance;
pub(crate) mod intersect;
#[cfg(test)]
pub(crate) mod tests;

use crate::geom::Vec3;
pub use crate::geom::triangle::distance::{ClosestPair, ClosestPoint, Feature, closest, point_triangle};
pub use crate::geom::triangle::intersect::{crosses, intersects};

/// Corners of a triangle.
pub type Triangle = [Vec3; 3];

fn edges(t: &Triangle) -> impl Iterator<Item = [&Vec3; 2]> {
    [[&t[0], &t[1]], [&t[1], &t[2]], [&t[2], &t[0]]].into_iter()
}
