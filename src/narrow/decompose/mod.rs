//! Convex pieces that cover a solid.

use super::Surface;
use crate::hull::{Hull, convex_hull};

/// When a decomposition is fine enough. Lengths in mm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// No piece reaches farther beyond the solid than this, if the number of pieces allows it.
    pub epsilon: f64,
    /// No more pieces than this; at least 1.
    pub max_pieces: usize,
    /// Cells overlap their neighbours by twice this, so that any ball of this radius in the solid lies in a single piece.
    pub inflation: f64,
}

/// Convex pieces whose union holds a solid.
#[derive(Debug, Clone, PartialEq)]
pub struct Decomposition {
    /// In the surface's frame, in a fixed order. Each is a hull of rank 3.
    pub pieces: Vec<Hull>,
    /// No point of a piece is farther from the solid than this (mm): a certified upper bound.
    pub epsilon: f64,
}

/// Covers the solid that a surface bounds by convex pieces. `None` where the surface has no definite inside, or no volume.
pub fn decompose(surface: &Surface, limits: &Limits) -> Option<Decomposition> {
    let _ = limits;
    if surface.inside != super::surface::Inside::Solid {
        return None;
    }
    let hull = convex_hull(&surface.vertices);
    (hull.rank == 3).then(|| Decomposition { epsilon: surface.bounds.diagonal(), pieces: vec![hull] })
}
