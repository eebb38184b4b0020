//! Floor 5: what a gate makes of an outcome. Pure: values in, values out; no clock, no files, no environment.

pub mod baseline;
pub mod diff;
mod extent;
mod gone;
pub mod groups;
mod lint;
mod merge;
mod name_sets;
mod partial;
pub mod rank;
pub mod report_file;
mod round;
mod suggest;
pub mod view;

pub use baseline::Baseline;
pub use diff::{Change, Diff, diff};
pub use groups::{Entry, Group, Groups, Kind};
pub use lint::lint;
pub use merge::merge;
pub use partial::{Partial, Tool};
pub use report_file::Report;
pub use suggest::{Fit, LeftOut, Proposal, Suggestions, suggest};
