//! Names the statuses, relations and certainties of pairs, and counts the statuses.

use serde::{Deserialize, Serialize};

/// Status of a pair (docs/explanation/gap.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Overlap deeper than tolerance and allowance.
    Interference,
    /// Gap smaller than a rule requires.
    TooClose,
    /// Gap larger than a rule allows.
    Loose,
    /// A threshold lies inside the certified bracket, or the status depends on an undefined inside.
    Undecided,
    /// Overlap within the allowance of a rule.
    Allowed,
    /// Gap or depth within the tolerance, or depth within tolerance and facet allowance.
    Contact,
    /// Farther apart than the tolerance.
    Clear,
    /// Excluded by a rule or by `as_unit`.
    Ignored,
}

impl Status {
    /// Every status, in the order of the report's counts.
    pub const ALL: [Self; 8] = [
        Self::Interference,
        Self::TooClose,
        Self::Loose,
        Self::Undecided,
        Self::Allowed,
        Self::Contact,
        Self::Clear,
        Self::Ignored,
    ];

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Interference => "interference",
            Self::TooClose => "too_close",
            Self::Loose => "loose",
            Self::Undecided => "undecided",
            Self::Allowed => "allowed",
            Self::Contact => "contact",
            Self::Clear => "clear",
            Self::Ignored => "ignored",
        }
    }

    /// Position in tables, the worst status first.
    pub(crate) fn rank(self) -> u8 {
        match self {
            Self::Interference => 0,
            Self::TooClose => 1,
            Self::Loose => 2,
            Self::Undecided => 3,
            Self::Allowed => 4,
            Self::Clear => 5,
            Self::Contact => 6,
            Self::Ignored => 7,
        }
    }

    /// Returns true if a pair of this status fails the gate.
    pub fn fails(self) -> bool {
        matches!(self, Self::Interference | Self::TooClose | Self::Loose | Self::Undecided)
    }
}

/// Relation of two solids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// Gap greater than 0.
    Apart,
    /// The surfaces meet within rounding; no deeper overlap.
    Touch,
    /// Overlapping.
    Overlap,
    /// B lies inside A.
    AContainsB,
    /// A lies inside B.
    BContainsA,
    /// Each surface lies within single-precision rounding of the other.
    Coincident,
}

impl Relation {
    /// Every relation.
    pub const ALL: [Self; 6] =
        [Self::Apart, Self::Touch, Self::Overlap, Self::AContainsB, Self::BContainsA, Self::Coincident];

    /// Name in reports.
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

    /// Relation with A and B exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::AContainsB => Self::BContainsA,
            Self::BContainsA => Self::AContainsB,
            other => other,
        }
    }
}

/// Certainty of a pair's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// The bracket excludes every relevant threshold and is as narrow as the report promises.
    Certified,
    /// The search budget ended before the promised width.
    Bracketed,
    /// A mesh of the pair has no definite inside.
    NoInside,
}

impl Certainty {
    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Certified => "certified",
            Self::Bracketed => "bracketed",
            Self::NoInside => "no_inside",
        }
    }
}

/// Number of pairs with each status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// See [`Status::Interference`].
    pub interference: u64,
    /// See [`Status::TooClose`].
    pub too_close: u64,
    /// See [`Status::Loose`]. Reports leave out a 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub loose: u64,
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field by reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Counts {
    /// Status and count, in the order of the report; without [`Status::Loose`] if no pair has it.
    pub fn named(&self) -> impl Iterator<Item = (Status, u64)> {
        let counts = Status::ALL.map(|status| (status, self.of(status)));
        counts.into_iter().filter(|(status, n)| *status != Status::Loose || *n > 0)
    }

    /// Count of a status.
    pub fn of(&self, status: Status) -> u64 {
        match status {
            Status::Interference => self.interference,
            Status::TooClose => self.too_close,
            Status::Loose => self.loose,
            Status::Undecided => self.undecided,
            Status::Allowed => self.allowed,
            Status::Contact => self.contact,
            Status::Clear => self.clear,
            Status::Ignored => self.ignored,
        }
    }

    /// Counter of a status.
    pub fn of_mut(&mut self, status: Status) -> &mut u64 {
        match status {
            Status::Interference => &mut self.interference,
            Status::TooClose => &mut self.too_close,
            Status::Loose => &mut self.loose,
            Status::Undecided => &mut self.undecided,
            Status::Allowed => &mut self.allowed,
            Status::Contact => &mut self.contact,
            Status::Clear => &mut self.clear,
            Status::Ignored => &mut self.ignored,
        }
    }
}
