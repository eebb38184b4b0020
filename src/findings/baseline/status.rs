//! Defines the result of comparing a run with a baseline.

use crate::check::Status;
use crate::findings::severity::{Metric, Severity};

/// Baseline status of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BaselineStatus {
    /// Missing in the baseline.
    New,
    /// In the baseline, and no worse.
    Accepted,
    /// Deeper, closer or looser than accepted, with a larger common volume, a longer separating translation, or a
    /// longer path over the failing parts of a sweep.
    Worse,
    /// Another status or relation than accepted; for an undecided pair, another bracket or other inputs.
    Changed,
    /// In the baseline, without a number in this run to compare.
    Unmeasured,
}

impl BaselineStatus {
    /// Every baseline status, in the order of the report's counts.
    pub const ALL: [Self; 5] = [Self::New, Self::Worse, Self::Changed, Self::Unmeasured, Self::Accepted];

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Accepted => "accepted",
            Self::Worse => "worse",
            Self::Changed => "changed",
            Self::Unmeasured => "unmeasured",
        }
    }

    /// Returns true if the finding fails a gate set to `new`.
    pub fn fails(self) -> bool {
        self != Self::Accepted
    }
}

/// Comparison of a finding with the baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Baseline status of the finding.
    pub status: BaselineStatus,
    /// Accepted finding of the pair; `None` if the baseline lacks the pair.
    pub accepted: Option<Accepted>,
}

/// An accepted finding, compared with the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// Accepted severity (mm); `None` without a number.
    pub extent: Option<Severity>,
    /// Length of the accepted separating translation (mm); `None` without one.
    pub penetration_depth: Option<f64>,
    /// Length of the accepted path over the failing parts of a sweep (mm); `None` outside of a sweep.
    pub travel: Option<f64>,
    /// Metrics that are worse now.
    pub worse_in: Vec<Metric>,
}

/// Findings that fail a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FailOn {
    /// Findings not covered by the baseline.
    New,
    /// All findings.
    #[default]
    Any,
    /// No finding.
    Never,
}

impl FailOn {
    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Any => "any",
            Self::Never => "never",
        }
    }
}

/// Number of findings with each baseline status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BaselineCounts {
    /// See [`BaselineStatus::New`].
    pub new: u64,
    /// See [`BaselineStatus::Worse`].
    pub worse: u64,
    /// See [`BaselineStatus::Changed`].
    pub changed: u64,
    /// See [`BaselineStatus::Unmeasured`].
    pub unmeasured: u64,
    /// See [`BaselineStatus::Accepted`].
    pub accepted: u64,
}

impl BaselineCounts {
    /// Count of a baseline status.
    pub fn of(&self, status: BaselineStatus) -> u64 {
        match status {
            BaselineStatus::New => self.new,
            BaselineStatus::Worse => self.worse,
            BaselineStatus::Changed => self.changed,
            BaselineStatus::Unmeasured => self.unmeasured,
            BaselineStatus::Accepted => self.accepted,
        }
    }

    /// Counter of a baseline status.
    pub fn of_mut(&mut self, status: BaselineStatus) -> &mut u64 {
        match status {
            BaselineStatus::New => &mut self.new,
            BaselineStatus::Worse => &mut self.worse,
            BaselineStatus::Changed => &mut self.changed,
            BaselineStatus::Unmeasured => &mut self.unmeasured,
            BaselineStatus::Accepted => &mut self.accepted,
        }
    }

    /// Number of findings not covered by the baseline.
    pub fn failing(&self) -> u64 {
        BaselineStatus::ALL.into_iter().filter(|s| s.fails()).map(|s| self.of(s)).sum()
    }
}

/// An accepted finding without a finding in the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedFinding {
    /// Full id of instance A, first in byte order.
    pub a: String,
    /// Full id of instance B.
    pub b: String,
    /// Pose or sweep of the finding; `None` for the drawing.
    pub run: Option<String>,
    /// Accepted status.
    pub status: Status,
    /// True if the run proves the fix: both instances exist, the pair was checked, and it keeps the limit broken
    /// before.
    pub fixed: bool,
    /// State of the pair in the run, in one line.
    pub why: String,
}

/// Result of comparing an outcome with a baseline.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BaselineOutcome {
    /// Baseline file as named in reports.
    pub file: String,
    /// Comparison of each pair, in the order of [`Outcome::pairs`](crate::check::Outcome::pairs); `None` for a pair
    /// without a finding.
    pub comparisons: Vec<Option<Comparison>>,
    /// Comparison of each row of each run, in the order of the outcome.
    pub runs: Vec<Vec<Option<Comparison>>>,
    /// Counts of the findings.
    pub counts: BaselineCounts,
    /// Accepted findings missing in the run, sorted by a, then b.
    pub gone: Vec<ResolvedFinding>,
}

impl BaselineOutcome {
    /// Number of missing findings with a proved fix.
    pub fn fixed(&self) -> u64 {
        self.gone.iter().filter(|g| g.fixed).count() as u64
    }

    /// Number of missing findings without a proved fix (unverified).
    pub fn unverified(&self) -> u64 {
        self.gone.len() as u64 - self.fixed()
    }
}
