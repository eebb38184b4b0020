//! The long-running part of each command, replaceable in tests.

use crate::check::{Explanation, Outcome, Progress, RunStats};
use crate::cli::settings::{CheckSettings, ExplainSettings};
use crate::error::Error;
use crate::report::inspect::MeshReport;
use std::path::Path;

/// Runs a check; returns its outcome and its statistics.
type RunCheck<'a> = dyn Fn(&CheckSettings, &dyn Progress) -> Result<(Outcome, RunStats), Error> + Sync + 'a;

/// Implementations of the commands, replaceable in tests.
pub(crate) struct Work<'a> {
    pub(crate) check: &'a RunCheck<'a>,
    pub(crate) explain: &'a (dyn Fn(&ExplainSettings, &dyn Progress) -> Result<Explanation, Error> + Sync),
    pub(crate) examine: &'a dyn Fn(&Path) -> Result<MeshReport, Error>,
}
