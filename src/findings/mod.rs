//! Floor 5: what a gate makes of an outcome. Pure: values in, values out; no clock, no files, no environment.

pub mod baseline;
pub mod diff;
pub(crate) mod glob_for;
pub mod groups;
#[cfg(test)]
mod groups_tests;
pub mod rank;
pub mod report_reader;
pub(crate) mod resolved;
pub(crate) mod round_up;
pub(crate) mod rule_lint;
pub mod run_view;
pub(crate) mod severity;
pub mod shards;
pub(crate) mod suggest;

pub use crate::findings::baseline::Baseline;
pub use crate::findings::diff::{Change, Diff, diff};
pub use crate::findings::groups::{Entry, Group, Groups, Kind};
pub use crate::findings::report_reader::Report;
pub use crate::findings::rule_lint::lint;
pub use crate::findings::shards::merge::merge;
pub use crate::findings::shards::partial::{Partial, Tool};
pub use crate::findings::suggest::{Fit, Proposal, Suggestions, Unproposed, suggest};
