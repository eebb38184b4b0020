//! Two surfaces and the pose of the second in the frame of the first.

use crate::geom::Pose;
use crate::geom::triangle::Triangle;
use crate::shape::surface::Surface;

/// Two surfaces, B placed in A's frame. Everything is answered in A's frame, on B's vertices as `b_in_a` rounds them.
#[derive(Debug, Clone, Copy)]
pub struct Pairing<'a> {
    /// The first surface.
    pub a: &'a Surface,
    /// The second one.
    pub b: &'a Surface,
    /// Where it stands.
    pub b_in_a: &'a Pose,
}

/// The corners of a triangle of B, in A's frame.
pub(crate) fn placed(p: &Pairing, t: u32) -> Triangle {
    p.b.triangle(t).map(|v| p.b_in_a.point(&v))
}
