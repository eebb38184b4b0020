//! The long-running part of each command, replaceable in tests.

use crate::check::{Drawn, Explanation, Outcome, Progress, RunStats, SweepProofs};
use crate::cli::settings::{CheckSettings, ExplainSettings};
use crate::error::Error;
use crate::report::inspect::MeshReport;
use std::path::Path;

/// A finished check.
pub(crate) struct FinishedCheck {
    pub(crate) outcome: Outcome,
    pub(crate) stats: RunStats,
    /// Judged shapes, if the run draws.
    pub(crate) drawn: Option<Drawn>,
    /// Proofs of the sweeps, if the run writes them.
    pub(crate) proofs: Option<SweepProofs>,
}

/// Runs a check.
type RunCheck<'a> = dyn Fn(&CheckSettings, &dyn Progress) -> Result<FinishedCheck, Error> + Sync + 'a;

/// Implementations of the commands, replaceable in tests.
pub(crate) struct Work<'a> {
    pub(crate) check: &'a RunCheck<'a>,
    pub(crate) explain: &'a (dyn Fn(&ExplainSettings, &dyn Progress) -> Result<Explanation, Error> + Sync),
    pub(crate) examine: &'a dyn Fn(&Path) -> Result<MeshReport, Error>,
}
