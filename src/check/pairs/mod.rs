//! Finds the pairs of a run: candidates, unique pairs, shards.
//!
//! - `candidates`: pairs of instances with touching boxes
//! - `canonical_pose`: relative pose, rounded to equal bits for equal placements
//! - `distinct`: unique pairs; equal pairs share one answer
//! - `rotations`: rotations of the first shape in the rows of a unique pair
//! - `shard`: pairs of one shard
pub(crate) mod candidates;
pub(crate) mod canonical_pose;
pub(crate) mod distinct;
pub(crate) mod rotations;
pub(crate) mod shard;
