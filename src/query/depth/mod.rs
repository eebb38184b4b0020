//! One pair of triangle meshes: how far apart, and where they meet, how thick is what they have in common.
//!
//! [`meet`] tells pairs that are apart, with their distance, from those that overlap, touch or contain one another. Of the
//! latter a [`Meeting`] keeps certified bounds of the overlap depth, which it narrows as far as it is asked to: by the hulls'
//! linear programme from above, by the shrink certificate (`shrink`) where the parts only touch, and by branch and bound
//! (`depth`) for the rest. docs/numerics.md has the proofs. A mesh without a definite inside leaves less to be said (`open`).

pub(crate) mod bracket;
pub(crate) mod containment;
pub mod inset;
pub(crate) mod open_surface;
#[cfg(test)]
mod open_surface_tests;
pub(crate) mod refine;
pub(crate) mod search;
#[cfg(test)]
mod self_union_tests;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use crate::query::depth::inset::surface::InsetSurface;
pub(crate) use crate::query::depth::inset::vertex_offset::{MAX_OFFSET, SolidSide};

pub use crate::query::depth::bracket::{Apart, Event, OverlapQuery, OverlapSearch, PairRelation, SolidRef, classify};
pub use crate::query::depth::containment::Containment;
pub use crate::query::depth::refine::Precision;
