//! How the findings of a run compare with those that were accepted before. Filled in by [`crate::gate`], after the check.

use crate::check::Status;

/// How a finding compares with the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BaselineStatus {
    /// Not in the baseline.
    New,
    /// In it, and no worse than what was accepted.
    Accepted,
    /// Deeper, nearer, or with a larger volume in common than what was accepted.
    Worse,
    /// Of another kind or relation than what was accepted; of an undecided pair, with another bracket or other inputs.
    Changed,
    /// In the baseline, but this run measured nothing that could be compared.
    Unmeasured,
}

impl BaselineStatus {
    /// Every standing, in the order of the report's counts.
    pub const ALL: [Self; 5] = [Self::New, Self::Worse, Self::Changed, Self::Unmeasured, Self::Accepted];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Accepted => "accepted",
            Self::Worse => "worse",
            Self::Changed => "changed",
            Self::Unmeasured => "unmeasured",
        }
    }

    /// Whether a finding of this standing fails a gate that fails on what is new.
    pub fn fails(self) -> bool {
        self != Self::Accepted
    }
}

/// How bad a finding is: what it is held against later. Lengths in mm, where nothing else is said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Severity {
    /// Of an interference: the overlap depth, and the volume where it was computed. More is worse.
    Depth(f64, Option<CommonVolume>),
    /// Of a clearance: the gap; less is worse.
    Gap(f64),
    /// Of an undecided pair: between these bounds lies its gap.
    Bracket([f64; 2]),
}

/// The volume that two solids share (mm³).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CommonVolume {
    /// Of the common solid.
    pub volume: f64,
    /// See [`PairOutcome::overlap_volume_slack`](super::PairOutcome::overlap_volume_slack).
    pub slack: f64,
    /// See [`PairOutcome::overlap_volume_facets`](super::PairOutcome::overlap_volume_facets).
    pub facets: f64,
}

impl Severity {
    /// The same in another unit, of which one of these is so many.
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

/// What of a finding is compared with what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Metric {
    /// The overlap depth.
    Depth,
    /// The volume of the common solid.
    Volume,
    /// The gap.
    Gap,
    /// Both ends of the gap's bracket.
    Bracket,
}

impl Metric {
    /// The key of a pair's row in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Depth => "overlap_depth",
            Self::Volume => "overlap_volume",
            Self::Gap => "gap",
            Self::Bracket => "gap_bracket",
        }
    }
}

/// What a finding was accepted as.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// As bad as this (mm); `None` where no number was known.
    pub extent: Option<Severity>,
    /// In what it is worse now.
    pub worse_in: Vec<Metric>,
}

/// What makes a gate fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FailOn {
    /// Findings that the baseline does not cover.
    New,
    /// Every finding.
    #[default]
    Any,
    /// Nothing.
    Never,
}

impl FailOn {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Any => "any",
            Self::Never => "never",
        }
    }
}

/// How many findings have each standing, and what became of accepted ones that are none any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BaselineCounts {
    /// See [`Standing::New`].
    pub new: u64,
    /// See [`Standing::Worse`].
    pub worse: u64,
    /// See [`Standing::Changed`].
    pub changed: u64,
    /// See [`Standing::Unmeasured`].
    pub unmeasured: u64,
    /// See [`Standing::Accepted`].
    pub accepted: u64,
}

impl BaselineCounts {
    /// The count of a standing.
    pub fn of(&self, standing: BaselineStatus) -> u64 {
        match standing {
            BaselineStatus::New => self.new,
            BaselineStatus::Worse => self.worse,
            BaselineStatus::Changed => self.changed,
            BaselineStatus::Unmeasured => self.unmeasured,
            BaselineStatus::Accepted => self.accepted,
        }
    }

    /// The counter of a standing.
    pub fn of_mut(&mut self, standing: BaselineStatus) -> &mut u64 {
        match standing {
            BaselineStatus::New => &mut self.new,
            BaselineStatus::Worse => &mut self.worse,
            BaselineStatus::Changed => &mut self.changed,
            BaselineStatus::Unmeasured => &mut self.unmeasured,
            BaselineStatus::Accepted => &mut self.accepted,
        }
    }

    /// How many findings the baseline does not cover.
    pub fn failing(&self) -> u64 {
        BaselineStatus::ALL.into_iter().filter(|s| s.fails()).map(|s| self.of(s)).sum()
    }
}

/// An accepted finding that the run does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedFinding {
    /// Full id of the instance whose id comes first in byte order.
    pub a: String,
    /// Of the other one.
    pub b: String,
    /// What it was accepted as.
    pub status: Status,
    /// Whether the run shows that it is mended: both instances are there, were held against each other, and keep the limit
    /// that was broken.
    pub fixed: bool,
    /// What the run knows of the pair, in one line.
    pub why: String,
}

/// What a baseline makes of an outcome.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BaselineOutcome {
    /// The file, as the user would name it.
    pub file: String,
    /// Of the findings.
    pub counts: BaselineCounts,
    /// Sorted by a, then b.
    pub gone: Vec<ResolvedFinding>,
}

impl BaselineOutcome {
    /// How many accepted findings are gone and mended.
    pub fn fixed(&self) -> u64 {
        self.gone.iter().filter(|g| g.fixed).count() as u64
    }

    /// How many are gone without proof that they are mended.
    pub fn unproved(&self) -> u64 {
        self.gone.len() as u64 - self.fixed()
    }
}
