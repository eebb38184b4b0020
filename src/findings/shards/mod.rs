//! Partial reports of shards: content, file format, merging.
pub(crate) mod merge;
pub(crate) mod partial;
pub mod write;
