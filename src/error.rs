//! Errors and warnings about the input: one type for a problem, with its location and fix.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Location of a problem, as far as known. Displayed as `file:line:column: path`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Location {
    /// File as the user would name it; empty without a file.
    pub file: String,
    /// Line, from 1.
    pub line: Option<u32>,
    /// Column in characters, from 1.
    pub column: Option<u32>,
    /// Byte offset in binary files, from 0.
    pub byte: Option<u64>,
    /// Path inside a JSON document, such as `rules[0].between`.
    pub json_path: Option<String>,
}

impl Location {
    /// Location of a whole file.
    pub fn file(file: impl Into<String>) -> Self {
        Self { file: file.into(), ..Self::default() }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
            if let Some(column) = self.column {
                write!(f, ":{column}")?;
            }
        }
        if let Some(byte) = self.byte {
            write!(f, ": byte {byte}")?;
        }
        if let Some(path) = self.json_path.as_deref().filter(|p| !p.is_empty()) {
            let colon = if self.file.is_empty() { "" } else { ": " };
            write!(f, "{colon}{path}")?;
        }
        Ok(())
    }
}

/// One problem of the input. Displayed in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Location of the problem.
    pub at: Location,
    /// The problem: lower case, no full stop.
    pub what: String,
    /// The fix: lower case, no full stop; empty if unknown.
    pub fix: String,
}

impl Problem {
    /// Makes a problem with a location and a fix.
    pub fn new(at: Location, what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { at, what: what.into(), fix: fix.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.at != Location::default() {
            write!(f, "{}: ", self.at)?;
        }
        write!(f, "{}", self.what)?;
        if !self.fix.is_empty() {
            write!(f, "; {}", self.fix)?;
        }
        Ok(())
    }
}

/// Failure before any verdict: all problems found, at least one, in the order of their locations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The problems.
    pub problems: Vec<Problem>,
}

impl Error {
    /// Makes an error of one problem.
    pub fn one(at: Location, what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { problems: vec![Problem::new(at, what, fix)] }
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self { problems: vec![problem] }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, p) in self.problems.iter().enumerate() {
            if k > 0 {
                writeln!(f)?;
            }
            write!(f, "{p}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

macro_rules! warning_codes {
    ($($code:ident = $name:literal,)*) => {
        /// Code of a warning. The one list of all codes; docs/reference/findings.md explains each.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum WarningCode {
            $(
                #[doc = concat!("`", $name, "`")]
                $code,
            )*
        }

        impl WarningCode {
            /// Every code, sorted by name.
            pub const ALL: &[Self] = &[$(Self::$code),*];

            /// Stable kebab-case name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$code => $name,)*
                }
            }
        }
    };
}

warning_codes! {
    AllowanceBelowTolerance = "allowance-below-tolerance",
    AllowanceTooLarge = "allowance-too-large",
    CacheNotWritten = "cache-not-written",
    ContradictingRules = "contradicting-rules",
    CrookedFaces = "crooked-faces",
    DeflectionExceeded = "deflection-exceeded",
    EpsilonNotReached = "epsilon-not-reached",
    FlagWithoutEffect = "flag-without-effect",
    FreeFormIgnored = "free-form-ignored",
    IdsByOrder = "ids-by-order",
    IgnoredSubSetting = "ignored-sub-setting",
    ImporterMessage = "importer-message",
    InsideOut = "inside-out",
    LeftOut = "left-out",
    MissingEndsolid = "missing-endsolid",
    MissingReason = "missing-reason",
    NestingUndecided = "nesting-undecided",
    NonRigidPlacement = "non-rigid-placement",
    NotClosed = "not-closed",
    NotDecomposed = "not-decomposed",
    NotPlaced = "not-placed",
    OneSided = "one-sided",
    OpenMesh = "open-mesh",
    OpenShell = "open-shell",
    OtherBaseline = "other-baseline",
    OverlappingShells = "overlapping-shells",
    PackageGuessed = "package-guessed",
    Reoriented = "reoriented",
    ShadowedRule = "shadowed-rule",
    SolidsLost = "solids-lost",
    SweepRepeats = "sweep-repeats",
    ThinnerThanTolerance = "thinner-than-tolerance",
    ToleranceBelowRoundoff = "tolerance-below-roundoff",
    TrailingBytes = "trailing-bytes",
    UnitDoubtful = "unit-doubtful",
    UnitSuspect = "unit-suspect",
    UnneededAllowance = "unneeded-allowance",
    UnsweptJoint = "unswept-joint",
    UnusedPart = "unused-part",
    UnusedRule = "unused-rule",
    Welded = "welded",
    ZeroOutsideLimits = "zero-outside-limits",
}

impl WarningCode {
    /// Code of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name() == name)
    }
}

impl fmt::Display for WarningCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for WarningCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for WarningCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::from_name(&name).ok_or_else(|| serde::de::Error::custom("unknown warning code"))
    }
}

/// A warning to the user; the run goes on. Goes to stderr and into the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Warning {
    /// Code, explained in docs/reference/findings.md.
    pub code: WarningCode,
    /// Key of the part concerned, if any.
    pub part: Option<String>,
    /// Location in a file, if any.
    pub at: Option<Location>,
    /// Event and remedy in one line.
    pub message: String,
}

impl Warning {
    /// Makes a warning without a location.
    pub fn new(code: WarningCode, message: impl Into<String>) -> Self {
        Self { code, part: None, at: None, message: message.into() }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(at) = &self.at {
            write!(f, "{at}: ")?;
        }
        if let Some(part) = &self.part {
            write!(f, "part {part}: ")?;
        }
        write!(f, "{} [{}]", self.message, self.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_known_by_their_names() {
        assert!(WarningCode::ALL.is_sorted_by(|a, b| a < b && a.name() < b.name()));
        for &code in WarningCode::ALL {
            assert_eq!(WarningCode::from_name(code.name()), Some(code));
        }
        assert_eq!(WarningCode::from_name("no-such-code"), None);
    }
}
