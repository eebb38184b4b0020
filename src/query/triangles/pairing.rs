//! Holds two surfaces and the pose of the second in the frame of the first.

use crate::geom::Pose;
use crate::geom::triangle::Triangle;
use crate::shape::surface::Surface;

/// Two surfaces, B placed in A's frame. All answers are in A's frame and refer to B's vertices as rounded by `b_in_a`.
#[derive(Debug, Clone, Copy)]
pub struct Pairing<'a> {
    /// Surface of A.
    pub a: &'a Surface,
    /// Surface of B.
    pub b: &'a Surface,
    /// Pose of B in A's frame.
    pub b_in_a: &'a Pose,
}

/// Computes the corners of a triangle of B in A's frame (mm).
pub(crate) fn placed(p: &Pairing, t: u32) -> Triangle {
    p.b.triangle(t).map(|v| p.b_in_a.point(&v))
}
