//! Errors of an import, with a code.

use crate::error::{Error, Location, Problem};

/// Code of an error; docs/reference/import.md explains each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The content contradicts its format.
    Damaged,
    /// A format, a version or an extension without support.
    Unsupported,
    /// No solid, no triangle.
    NoGeometry,
    /// A referenced file is missing or may not be read.
    ReferenceMissing,
    /// A limit against hostile files.
    TooLarge,
    /// A name in an option that the file does not have.
    UnknownName,
    /// The program for the format is missing.
    ImporterMissing,
    /// The program for the format failed.
    ImporterFailed,
    /// The program for the format reached a limit of time or memory.
    ImporterLimit,
}

impl Refusal {
    /// Stable kebab-case name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Damaged => "damaged",
            Self::Unsupported => "unsupported",
            Self::NoGeometry => "no-geometry",
            Self::ReferenceMissing => "reference-missing",
            Self::TooLarge => "too-large",
            Self::UnknownName => "unknown-name",
            Self::ImporterMissing => "importer-missing",
            Self::ImporterFailed => "importer-failed",
            Self::ImporterLimit => "importer-limit",
        }
    }
}

/// Builds an error about a file.
pub fn refuse(file: &str, code: Refusal, what: impl AsRef<str>, fix: impl Into<String>) -> Error {
    Error::from(problem(Location::file(file), code, what, fix))
}

/// Builds a problem at a place.
pub(crate) fn problem(at: Location, code: Refusal, what: impl AsRef<str>, fix: impl Into<String>) -> Problem {
    Problem::new(at, format!("{} [{}]", what.as_ref(), code.name()), fix)
}

/// Builds an error about damaged content.
pub(crate) fn damaged(file: &str, what: impl AsRef<str>) -> Error {
    refuse(file, Refusal::Damaged, what, "export the file again")
}
