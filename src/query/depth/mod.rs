//! Measures one pair of triangle meshes: distance if they are separate, overlap depth if they are in contact.
//!
//! The depth is the diameter of the largest common ball. [`classify`] separates disjoint pairs, with their distance,
//! from pairs in contact. For pairs in contact, a [`OverlapSearch`] keeps certified bounds of the depth and narrows
//! them on demand.
//!
//! - [`bracket`]: are the two meshes separate, or which bounds of the depth hold? Starts with the hulls' linear
//!   programme.
//! - [`hull_bounds`]: bounds of the depth from hulls and boxes.
//! - [`refine`]: narrows the bounds, cheapest step first; [`precision`]: to which width; [`inset_bounds`]: by insets.
//! - [`inset`]: upper bounds by moving both surfaces inward; sufficient if the parts only touch.
//! - [`inner_triangles`]: is a certificate by inset valid without a self-union?
//! - [`lump_bounds`]: by the hulls of the lumps of the common solid.
//! - [`search`]: branch and bound and ascent for the rest.
//! - [`containment`]: does one solid lie inside the other?
//! - [`open_surface`]: pairs with a mesh without a definite inside, with fewer certain results.
//!
//! docs/explanation/numerics.md has the proofs.

pub(crate) mod bracket;
pub(crate) mod containment;
pub(crate) mod hull_bounds;
pub(crate) mod inner_triangles;
pub mod inset;
pub(crate) mod inset_bounds;
#[cfg(test)]
mod large_pair_tests;
pub(crate) mod lump_bounds;
pub(crate) mod open_surface;
#[cfg(test)]
mod open_surface_tests;
pub(crate) mod precision;
pub(crate) mod refine;
pub(crate) mod search;
#[cfg(test)]
mod self_union_tests;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use crate::query::depth::inset::surface::InsetSurface;
pub(crate) use crate::query::depth::inset::vertex_offset::{MAX_OFFSET, SolidSide};

pub use crate::query::depth::bracket::{
    Apart, Classified, Event, OverlapQuery, OverlapSearch, PairRelation, SolidRef, classify,
};
pub use crate::query::depth::containment::Containment;
pub use crate::query::depth::precision::Precision;
pub(crate) use crate::query::depth::refine::SAME_WIDTH;
