//! Covers a solid by convex pieces.
//!
//! Planes cut space into convex cells, and the convex hull of the solid's part in each cell becomes a piece. The pieces
//! contain the solid and overshoot it by at most a certified ε (docs/explanation/numerics.md, Convex pieces). The
//! steps:
//!
//! - `split`: the main loop, from one cell to pieces within ε.
//! - `choose_cut`: the plane to cut by, scored on samples of the free space in front of the surface (`void_samples`)
//!   and of the surface in the cell (`polygon_sample`), with hulls approximated by k-DOPs (`kdop`).
//! - `cell`, `cell_hull`: the piece of a cell, clipped from the triangles; `simplify_hull`: a hull of few vertices.
//! - `overshoot`: the certified bound, by branch and bound over boxes cut by the piece's planes (`box_clip`), from
//!   distances to triangles (`quads`).
//! - `merge`: joins pieces if their common hull stays within ε.
//! - `verify`: an independent check of the cover; `union_volume`: boundary and volume of the union of pieces.
//! - `piece_set`, `piece_tree`, `stored`: the pieces for queries, the tree over them, their form in the cache.

pub(crate) mod box_clip;
pub(crate) mod cell;
pub(crate) mod cell_hull;
pub(crate) mod choose_cut;
pub(crate) mod kdop;
pub(crate) mod merge;
pub(crate) mod overshoot;
pub(crate) mod piece_set;
pub(crate) mod piece_tree;
pub(crate) mod polygon_sample;
pub(crate) mod quads;
pub(crate) mod simplify_hull;
pub(crate) mod split;
pub(crate) mod stored;
#[cfg(test)]
pub(crate) mod tests;
pub mod union_volume;
pub mod verify;
pub(crate) mod void_samples;

pub use crate::shape::decompose::split::decompose;

use crate::shape::hull::Hull;

/// Limits of a decomposition. Lengths in mm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Target for the largest overshoot of a piece beyond the solid (mm, > 0); `max_pieces` may end cutting earlier.
    pub epsilon: f64,
    /// Largest number of pieces, at least 1.
    pub max_pieces: usize,
    /// Distance by which each cell is grown (mm, >= 0). Neighbours overlap by twice this, so any ball of this radius in
    /// the solid lies in a single piece.
    pub inflation: f64,
}

/// Convex pieces; their union contains a solid.
#[derive(Debug, Clone, PartialEq)]
pub struct Decomposition {
    /// Pieces in the surface's frame (mm), in a fixed order; each is a hull of rank 3.
    pub pieces: Vec<Hull>,
    /// Certified upper bound of the distance of any point of a piece from the solid (mm, >= 0).
    pub epsilon: f64,
}
