//! Rules of an assembly.
//!
//! - `glob`: matches instance ids
//! - `table`: the first matching rule of every pair, by classes of instances
//! - `first_match`: the same for single pairs of ids
//! - `coverage`: pairs of each rule, and its conflicts with other rules
pub(crate) mod coverage;
pub(crate) mod first_match;
pub(crate) mod glob;
pub mod table;
