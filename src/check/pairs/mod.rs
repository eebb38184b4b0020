//! Pairs of a run: candidates, unique pairs, canonical poses, shards.
pub(crate) mod candidates;
pub(crate) mod canonical_pose;
pub(crate) mod distinct;
pub(crate) mod rotations;
pub(crate) mod shard;
