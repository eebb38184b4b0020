//! Floor 5: what a gate makes of an outcome. Pure: values in, values out; no clock, no files, no environment.

pub mod groups;
pub mod rank;

pub use groups::{Entry, Group, Groups, Kind};
