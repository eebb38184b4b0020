//! Helpers of several benchmarks: random numbers, equal on every machine, and random solids.
#![allow(dead_code, reason = "each benchmark uses some of it")]

use interfere::internals::geom::Vec3;
use interfere::internals::shape::hull::{Hull, convex_hull};
pub use interfere::testkit::rng::Rng;

/// The hull of points on an ellipsoid with half axes between 5 and 10 mm: all of them are its vertices.
pub fn solid(rng: &mut Rng, vertices: usize) -> Hull {
    let axes = Vec3::repeat(5.0) + 5.0 * rng.in_unit_cube();
    let points: Vec<Vec3> = (0..vertices).map(|_| rng.direction().component_mul(&axes)).collect();
    convex_hull(&points)
}
