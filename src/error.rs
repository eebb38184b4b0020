//! What can go wrong before anything is decided. One type: a place, what is wrong there, what would fix it.

use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// Where a problem lies, as far as it is known. Displayed as `file:line:column: path`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Location {
    /// The file as the user would name it; empty where no file is concerned.
    pub file: String,
    /// Line, from 1.
    pub line: Option<u32>,
    /// Column in characters, from 1.
    pub column: Option<u32>,
    /// Byte offset, from 0, in binary files.
    pub byte: Option<u64>,
    /// Path inside a JSON document, such as `rules[0].between`.
    pub json_path: Option<String>,
}

impl Location {
    /// A whole file.
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
    /// Where.
    pub at: Location,
    /// What is wrong: lower case, no full stop.
    pub what: String,
    /// What would fix it: lower case, no full stop; empty where nothing sensible can be said.
    pub fix: String,
}

impl Problem {
    /// A problem and its fix at a place.
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

/// Why nothing was decided: all problems that were found, at least one, in the order of their places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The problems.
    pub problems: Vec<Problem>,
}

impl Error {
    /// An error of one problem.
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

/// What reading a [`Warning`] does not take for a text that borrows from the file.
type Code = &'static str;

/// Something the user should know although the run went on. Goes to stderr and into the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Warning {
    /// Stable kebab-case code; the list stands in docs/findings.md.
    #[serde(deserialize_with = "code")]
    pub code: Code,
    /// Key of the part concerned, if it is one.
    pub part: Option<String>,
    /// Where, if it is about a place in a file.
    pub at: Option<Location>,
    /// What happened and what would change it: one line.
    pub message: String,
}

impl Warning {
    /// A warning without a place.
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

/// No code is longer.
const MAX_CODE_LENGTH: usize = 64;

/// A code read from a file. Each different one is kept for the rest of the process, so that it is like those that are written in
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
    // A panic of another thread cannot leave the set half changed.
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(code) = known.get(read.as_str()) {
        return Ok(code);
    }
    let kept: &'static str = Box::leak(read.into_boxed_str());
    known.insert(kept);
    Ok(kept)
}
