//! Floor 5: what a gate makes of an outcome. Pure: values in, values out; no clock, no files, no environment.

mod lint;
mod merge;
mod name_sets;
mod partial;
mod round;
mod suggest;

pub use lint::lint;
pub use merge::merge;
pub use partial::{Partial, Tool};
pub use suggest::{Fit, LeftOut, Proposal, Suggestions, suggest};
