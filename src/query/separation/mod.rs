//! A short translation of B that takes two overlapping solids apart.
//!
//! For solids that are not convex the shortest one is a question about their Minkowski difference, which may have O(n⁶) faces.
//! So it is searched for, and what is reported is verified: at that translation the surfaces, moved inward by half of the
//! rounding margin, do not meet and nothing lies inside anything (`slim`). The hulls always give one. Along a direction the first
//! free place is found by leaps (`leap`): every pair of triangles that meets blocks an interval of the line whose end has a closed
//! form (`cell`); the search goes there and asks again. Directions come from hulls, boxes and the triangles that meet
//! (`directions`); the best place slides on along the planes that block it (`planes`), after C. Je, M. Tang, Y. Lee, M. Lee &
//! Y. J. Kim, "`PolyDepth`: Real-Time Penetration Depth Computation Using Iterative Contact-Space Projection", 2012.

pub(crate) mod blocked_interval;
pub(crate) mod directions;
pub(crate) mod inset_pair;
pub(crate) mod line_search;
pub(crate) mod min_norm;
pub(crate) mod ray_exit;
pub(crate) mod search;
#[cfg(test)]
pub(crate) mod tests;

pub use crate::query::separation::search::{SeparationInput, separate};
