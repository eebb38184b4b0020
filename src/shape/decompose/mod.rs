//! Convex pieces that cover a solid.
//!
//! Space is cut into convex cells by planes, and each cell's part of the solid is replaced by its convex hull. The pieces hold the
//! solid, and reach beyond it by no more than a certified ε (docs/numerics.md, Convex pieces):
//!
//! - which plane to cut by: `plan.rs`, on a sample of the surface's gaps (`gaps.rs`) and what of the surface lies in a cell (`soup.rs`),
//!   whose hulls are taken from a few directions (`lines.rs`)
//! - the piece of a cell: `piece.rs`, clipped from the triangles, with few vertices (`simple.rs`)
//! - how far a piece reaches beyond the solid at most: `reach.rs`, branch and bound over boxes that are cut by its planes (`held.rs`), from distances to
//!   triangles (`patches.rs`)
//! - which pieces are one within ε: `merge.rs`

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
