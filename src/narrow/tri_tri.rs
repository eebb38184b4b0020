//! Two triangles in space: whether they meet, exactly, and how far they are apart; and a point and a triangle.

mod crossing;
mod distance;
#[cfg(test)]
mod tests;

use crate::geom::Vec3;
pub use crossing::{cross, meet};
pub use distance::{Closest, Feature, Foot, closest, point_triangle};

/// Corners of a triangle.
pub type Triangle = [Vec3; 3];

fn edges(t: &Triangle) -> impl Iterator<Item = [&Vec3; 2]> {
    [[&t[0], &t[1]], [&t[1], &t[2]], [&t[2], &t[0]]].into_iter()
}
