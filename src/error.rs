//! Errors and warnings about the input: one type for a problem, with its location and fix.

use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

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

/// Alias: with a plain `&'static str` serde's derive would borrow the code from the input.
type Code = &'static str;

/// A warning to the user; the run goes on. Goes to stderr and into the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Warning {
    /// Stable kebab-case code, listed in docs/reference/findings.md.
    #[serde(deserialize_with = "code")]
    pub code: Code,
    /// Key of the part concerned, if any.
    pub part: Option<String>,
    /// Location in a file, if any.
    pub at: Option<Location>,
    /// Event and remedy in one line.
    pub message: String,
}

impl Warning {
    /// Makes a warning without a location.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
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

/// Upper limit of a code's length (bytes).
const MAX_CODE_LENGTH: usize = 64;

/// Deserialises a code. Keeps each distinct code for the rest of the process, to make it `'static` like the codes in
/// the source; there are some dozens.
fn code<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static str, D::Error> {
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let read = String::deserialize(deserializer)?;
    let is_code = !read.is_empty()
        && read.len() <= MAX_CODE_LENGTH
        && read.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if !is_code {
        return Err(serde::de::Error::custom("not the code of a warning"));
    }
    // A panic of another thread leaves the set complete.
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(code) = known.get(read.as_str()) {
        return Ok(code);
    }
    let kept: &'static str = Box::leak(read.into_boxed_str());
    known.insert(kept);
    Ok(kept)
}
