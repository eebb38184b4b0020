//! Floor 5: what a gate makes of an outcome. Pure: values in, values out; no clock, no files, no environment.

mod merge;
mod partial;

pub use merge::merge;
pub use partial::{Partial, Tool};
