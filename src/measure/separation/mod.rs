//! Finds a short translation of B separating two overlapping solids.
//!
//! For non-convex solids the shortest translation is a question about their Minkowski difference, with up to O(n⁶)
//! faces. This module searches heuristically and verifies its answer: at the reported translation the two inset
//! surfaces, moved inward by half of the rounding margin, are disjoint, and no shell lies inside the other solid. The
//! hulls always give a translation to start from. The search follows C. Je, M. Tang, Y. Lee, M. Lee & Y. J. Kim,
//! "`PolyDepth`: Real-Time Penetration Depth Computation Using Iterative Contact-Space Projection", 2012.
//!
//! - `search`: order and budgets of the search
//! - `branch`: branch and bound over the faces of single pairs of triangles
//! - `directions`: candidate directions from hulls, boxes and intersecting triangles
//! - `line_search`: first free translation along a direction, reached by steps over blocked intervals
//! - `blocked_interval`: interval of a line blocked by one pair of triangles, in closed form
//! - `contact_planes`: planes beyond which two intersecting triangles are apart
//! - `inset_pair`: the two inset surfaces and their collision tests
//! - `min_norm`: shortest translation beyond several planes, to slide along the blocking planes
//! - `ray_exit`: distance from an inside point to the surface along a direction

pub(crate) mod blocked_interval;
pub(crate) mod branch;
pub(crate) mod contact_planes;
pub(crate) mod directions;
pub(crate) mod inset_pair;
pub(crate) mod line_search;
pub(crate) mod min_norm;
pub(crate) mod ray_exit;
pub(crate) mod search;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use crate::measure::separation::search::is_separating;
pub use crate::measure::separation::search::{SeparationInput, separate};
