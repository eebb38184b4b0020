//! Solids that are covered by convex pieces: how far apart two of them are, and the thickest that a piece of each has in
//! common. What is asked of a solid that is no decomposition is asked of its hull, as of a single piece.
//!
//! All questions go over the boxes of the pieces first (`tree`), then to GJK and to the linear programme of two hulls. How thick
//! it is what two unions have in common, beyond what two pieces have, the surface of all pieces tells ([`Pieces::surface`]):
//! shells that overlap are one solid.

mod pairs;
mod set;
mod stored;
mod tree;

pub use pairs::{CommonBall, PieceDistance, PiecePair, Thickest};
pub use set::{Cover, Pieces};
pub(crate) use stored::StoredPieces;

#[cfg(test)]
mod tests;
