//! Judges the outcome of a run: findings, baseline, rules, reports to compare. Floor 6. Pure functions, without clock,
//! files or environment.
//!
//! - `judged`: an outcome with its baseline and its gate
//! - `rank`, `groups`: order of the findings, and rows with one cause
//! - `name_pattern`: common pattern of the names of a group
//! - `row_numbers`: handles of the rows of a report
//! - `severity`, `resolved`: compares a finding with an older one
//! - `baseline`: accepted findings
//! - `run_view`: common view of a run and of a report
//! - `report_reader`, `report_motion`, `diff`: compares two reports
//! - `report_run`, `report_runs`, `as_reported`: a run from its report, and the run with the numbers of its report
//! - `rule_lint`, `suggest`: warns about rules, proposes rules
//! - `not_placed`: warns about instances without a placement
//! - `glob_for`, `round_up`: globs and numbers of proposed rules
//! - `shards`: partial reports and their merge

pub(crate) mod as_reported;
pub mod baseline;
pub mod diff;
pub(crate) mod glob_for;
pub mod groups;
#[cfg(test)]
mod groups_tests;
pub(crate) mod judged;
pub(crate) mod name_pattern;
pub(crate) mod not_placed;
pub mod rank;
pub(crate) mod report_motion;
pub mod report_reader;
pub(crate) mod report_run;
pub(crate) mod report_runs;
pub(crate) mod resolved;
pub(crate) mod round_up;
pub mod row_numbers;
pub(crate) mod rule_lint;
pub mod run_view;
pub(crate) mod severity;
pub mod shards;
pub(crate) mod suggest;

pub use crate::findings::as_reported::as_reported;
pub use crate::findings::baseline::Baseline;
pub use crate::findings::baseline::status::{
    Accepted, BaselineCounts, BaselineOutcome, BaselineStatus, Comparison, FailOn, ResolvedFinding,
};
pub use crate::findings::diff::{Change, Diff, diff};
pub use crate::findings::groups::{Entry, Group, Groups, Kind};
pub use crate::findings::judged::{Judged, Severities};
pub use crate::findings::report_reader::Report;
pub use crate::findings::row_numbers::{RowNumber, RowNumbers};
pub use crate::findings::rule_lint::lint;
pub use crate::findings::severity::{CommonVolume, Metric, Severity};
pub use crate::findings::shards::merge::merge;
pub use crate::findings::shards::partial::{Partial, Tool};
pub use crate::findings::suggest::{Fit, Proposal, Suggestions, Unproposed, suggest};
