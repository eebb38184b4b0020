//! Floor 5: what a gate makes of an outcome. Pure: values in, values out; no clock, no files, no environment.

mod lint;
mod name_sets;
mod round;
mod suggest;

pub use lint::lint;
pub use suggest::{Fit, LeftOut, Proposal, Suggestions, suggest};
