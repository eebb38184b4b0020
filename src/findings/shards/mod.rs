//! Splits a run into shards: partial reports and their merge.
//!
//! - `partial`: content and text form of a partial report
//! - `write`: writes a partial report
//! - `merge`: joins all shards into one outcome
//! - `runs`: joins the results of poses and sweeps
pub(crate) mod merge;
pub(crate) mod partial;
pub(crate) mod runs;
pub mod write;
