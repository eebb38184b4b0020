//! Holds two surfaces and the pose of the second in the frame of the first.

use crate::geom::Pose;
use crate::shape::surface::Surface;
use crate::shape::surface::placed::PlacedSurface;

/// Number of triangles of a pair above which its searches run on all threads.
const LARGE_PAIR: usize = 20_000;

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

impl<'a> Pairing<'a> {
    /// The two surfaces with their poses in A's frame.
    #[inline]
    pub(crate) fn sides(&self) -> [PlacedSurface<'a>; 2] {
        [PlacedSurface { surface: self.a, pose: None }, PlacedSurface { surface: self.b, pose: Some(self.b_in_a) }]
    }

    /// True for a pair of so many triangles that its searches run on all threads.
    pub(crate) fn is_large(&self) -> bool {
        self.a.triangles.len() + self.b.triangles.len() > LARGE_PAIR
    }
}
