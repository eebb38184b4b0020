//! One pair of triangle meshes: how far apart, and where they meet, how thick is what they have in common.
//!
//! [`meet`] tells pairs that are apart, with their distance, from those that overlap, touch or contain one another. Of the
//! latter a [`Meeting`] keeps certified bounds of the overlap depth, which it narrows as far as it is asked to: by the hulls'
//! linear programme from above, by the shrink certificate (`shrink`) where the parts only touch, and by branch and bound
//! (`depth`) for the rest. docs/numerics.md has the proofs. A mesh without a definite inside leaves less to be said (`open`).

mod bound;
mod climb;
mod containment;
mod depth;
mod elements;
mod features;
mod leftover;
mod meeting;
mod moved;
mod narrowing;
mod open;
mod patches;
mod plane;
mod program;
mod shrink;
mod side;
mod split;
mod wish;

pub(super) use moved::Moved;
pub(super) use wish::{FARTHEST, Taken};

pub use containment::Containment;
pub use meeting::{Apart, Body, Event, Found, Meeting, Question, meet};
pub use narrowing::Width;

#[cfg(test)]
mod depth_tests;
#[cfg(test)]
mod leftover_tests;
#[cfg(test)]
mod moved_tests;
#[cfg(test)]
mod open_tests;
#[cfg(test)]
mod overlap_tests;
#[cfg(test)]
mod tests;
