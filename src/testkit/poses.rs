//! Fixed rotations and translations for tests.

use crate::geom::math::sin_cos_deg;
use crate::geom::{Mat3, Pose, Vec3};

/// Rotation about a coordinate axis (0 = x, 1 = y, 2 = z) by an angle (degrees, counter-clockwise).
pub fn about_axis(axis: usize, deg: f64) -> Mat3 {
    let (s, c) = sin_cos_deg(deg);
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut m = Mat3::identity();
    (m[(i, i)], m[(i, j)], m[(j, i)], m[(j, j)]) = (c, -s, s, c);
    m
}

/// Rotation about the z axis by an angle (degrees, counter-clockwise).
pub fn about_z(deg: f64) -> Mat3 {
    about_axis(2, deg)
}

/// A fixed rotation that leaves no axis parallel to a coordinate plane.
pub fn oblique() -> Mat3 {
    *nalgebra::Rotation3::from_euler_angles(0.3, -0.7, 1.1).matrix()
}

/// Translation by (x, y, z) (mm), without a rotation.
pub fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose { rotation: Mat3::identity(), translation: Vec3::new(x, y, z) }
}
