//! Where pairs end, in words, and how many in each.

use serde::{Deserialize, Serialize};

/// Where a pair ended (concept.md, Verdicts).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// They share space beyond tolerance and allowance.
    Interference,
    /// Nearer than a rule demands.
    TooClose,
    /// A threshold lies inside the certified bracket, or inside and outside are undefined where it matters.
    Undecided,
    /// They share space within a rule's allowance.
    Allowed,
    /// They touch, or overlap within tolerance.
    Contact,
    /// Apart by more than the tolerance.
    Clear,
    /// Not this gate's business.
    Ignored,
}

impl Status {
    /// Every status, in the order of the report's counts.
    pub const ALL: [Self; 7] =
        [Self::Interference, Self::TooClose, Self::Undecided, Self::Allowed, Self::Contact, Self::Clear, Self::Ignored];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Interference => "interference",
            Self::TooClose => "clearance",
            Self::Undecided => "undecided",
            Self::Allowed => "allowed",
            Self::Contact => "contact",
            Self::Clear => "clear",
            Self::Ignored => "ignored",
        }
    }

    /// Whether a pair of this status fails the gate.
    pub fn fails(self) -> bool {
        matches!(self, Self::Interference | Self::TooClose | Self::Undecided)
    }
}

/// How two solids lie to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// A positive gap.
    Apart,
    /// The surfaces meet within rounding, nothing deeper in common.
    Touch,
    /// They share space.
    Overlap,
    /// No point of B lies outside A.
    AContainsB,
    /// No point of A lies outside B.
    BContainsA,
    /// Each surface lies within single-precision rounding of the other.
    Coincident,
}

impl Relation {
    /// Every relation.
    pub const ALL: [Self; 6] =
        [Self::Apart, Self::Touch, Self::Overlap, Self::AContainsB, Self::BContainsA, Self::Coincident];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Apart => "apart",
            Self::Touch => "touch",
            Self::Overlap => "overlap",
            Self::AContainsB => "a_contains_b",
            Self::BContainsA => "b_contains_a",
            Self::Coincident => "coincident",
        }
    }

    /// The same seen from B.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::AContainsB => Self::BContainsA,
            Self::BContainsA => Self::AContainsB,
            other => other,
        }
    }
}

/// How far a pair's numbers can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// The bracket excludes every threshold that matters and is as narrow as the report promises.
    Certified,
    /// A budget ended the refinement before the promised width.
    Bracketed,
    /// A mesh of the pair has no definite inside.
    NoInside,
}

impl Certainty {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Certified => "certified",
            Self::Bracketed => "bracketed",
            Self::NoInside => "surface",
        }
    }
}

/// How many pairs ended in each status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// See [`Status::Interference`].
    pub interference: u64,
    /// See [`Status::Clearance`].
    pub clearance: u64,
    /// See [`Status::Undecided`].
    pub undecided: u64,
    /// See [`Status::Allowed`].
    pub allowed: u64,
    /// See [`Status::Contact`].
    pub contact: u64,
    /// See [`Status::Clear`].
    pub clear: u64,
    /// See [`Status::Ignored`].
    pub ignored: u64,
}

impl Counts {
    /// The count of a status.
    pub fn of(&self, status: Status) -> u64 {
        match status {
            Status::Interference => self.interference,
            Status::TooClose => self.clearance,
            Status::Undecided => self.undecided,
            Status::Allowed => self.allowed,
            Status::Contact => self.contact,
            Status::Clear => self.clear,
            Status::Ignored => self.ignored,
        }
    }

    /// The counter of a status.
    pub fn of_mut(&mut self, status: Status) -> &mut u64 {
        match status {
            Status::Interference => &mut self.interference,
            Status::TooClose => &mut self.clearance,
            Status::Undecided => &mut self.undecided,
            Status::Allowed => &mut self.allowed,
            Status::Contact => &mut self.contact,
            Status::Clear => &mut self.clear,
            Status::Ignored => &mut self.ignored,
        }
    }
}
