//! Compares findings with a baseline: the types of the result. `findings::baseline` fills them after the check.

use crate::check::Status;

/// Baseline status of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BaselineStatus {
    /// Missing in the baseline.
    New,
    /// In the baseline, and no worse.
    Accepted,
    /// Deeper, closer or with a larger common volume than accepted.
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

/// Severity of a finding, compared between runs. Lengths in mm, unless stated otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Severity {
    /// Overlap depth of an interference (>= 0), and its common volume if computed. More is worse.
    Depth(f64, Option<CommonVolume>),
    /// Gap of a too small clearance. Less is worse.
    Gap(f64),
    /// Bounds of the gap of an undecided pair.
    Bracket([f64; 2]),
}

/// Common volume of two solids (mm³, >= 0).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CommonVolume {
    /// Volume of the intersection.
    pub volume: f64,
    /// Uncertainty, see [`PairOutcome::overlap_volume_slack`](super::PairOutcome::overlap_volume_slack).
    pub slack: f64,
    /// Uncertainty, see [`PairOutcome::overlap_volume_facets`](super::PairOutcome::overlap_volume_facets).
    pub facets: f64,
}

impl Severity {
    /// Converts lengths and volumes to another unit.
    #[must_use]
    pub fn scaled(self, length: impl Fn(f64) -> f64, volume: impl Fn(f64) -> f64) -> Self {
        match self {
            Self::Depth(depth, shared) => {
                let shared = shared.map(|s| CommonVolume {
                    volume: volume(s.volume),
                    slack: volume(s.slack),
                    facets: volume(s.facets),
                });
                Self::Depth(length(depth), shared)
            }
            Self::Gap(gap) => Self::Gap(length(gap)),
            Self::Bracket(bracket) => Self::Bracket(bracket.map(length)),
        }
    }
}

/// Metric of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Metric {
    /// Overlap depth.
    Depth,
    /// Volume of the intersection.
    Volume,
    /// Gap.
    Gap,
    /// Both ends of the gap's bracket.
    Bracket,
}

impl Metric {
    /// Key of the metric in a pair's row.
    pub fn name(self) -> &'static str {
        match self {
            Self::Depth => "overlap_depth",
            Self::Volume => "overlap_volume",
            Self::Gap => "gap",
            Self::Bracket => "gap_bracket",
        }
    }
}

/// An accepted finding, compared with the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// Accepted severity (mm); `None` without a number.
    pub extent: Option<Severity>,
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
    pub fn of(&self, standing: BaselineStatus) -> u64 {
        match standing {
            BaselineStatus::New => self.new,
            BaselineStatus::Worse => self.worse,
            BaselineStatus::Changed => self.changed,
            BaselineStatus::Unmeasured => self.unmeasured,
            BaselineStatus::Accepted => self.accepted,
        }
    }

    /// Counter of a baseline status.
    pub fn of_mut(&mut self, standing: BaselineStatus) -> &mut u64 {
        match standing {
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
    /// Accepted status.
    pub status: Status,
    /// True if the run proves the fix: both instances exist, the pair was checked, and it keeps the limit broken
    /// before.
    pub fixed: bool,
    /// State of the pair in the run, in one line.
    pub why: String,
}

/// Result of comparing an outcome with a baseline.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BaselineOutcome {
    /// Baseline file as named in reports.
    pub file: String,
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
