//! What one shard of a run found, as a file holds it. The form stands in docs/report-format.md.

use crate::check::{Candidates, InstanceOutcome, Outcome, PlacedWarning, Shard, ShardOutcome, Timings};
use crate::error::{Error, Location, Problem};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The form that is written and read.
const FORMAT_VERSION: u32 = 1;

/// What stands between everything else and its hash.
const BEFORE_HASH: &str = ",\n  \"hash\": \"";

/// What stands after the hash.
const AFTER_HASH: &str = "\"\n}\n";

/// The program that wrote a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Tool {
    /// This program.
    pub fn own() -> Self {
        Self { name: env!("CARGO_PKG_NAME").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

/// A partial report: what one shard found, and what tells whether it belongs to the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partial {
    /// The form of the file.
    #[serde(rename = "partial")]
    pub(crate) form: u32,
    /// What wrote it.
    pub(crate) tool: Tool,
    /// Which shard it is.
    pub(crate) shard: Shard,
    /// What all shards together looked at.
    pub(crate) candidates: Candidates,
    /// A hash of all instances, which shard 1 alone lists.
    pub(crate) instances_hash: String,
    /// Of the shard alone are `counts`, `cleared_by`, `pairs` and `fixes`; lengths are in mm.
    pub(crate) outcome: Outcome,
    /// What it noticed, each with its place among the warnings of the whole run.
    pub(crate) warnings: Vec<PlacedWarning>,
    /// Of the file before it, where it was read from one.
    #[serde(default, skip_serializing)]
    hash: String,
}

impl Partial {
    /// What is to be written of a shard; without its timings.
    pub fn new(found: ShardOutcome) -> Self {
        let ShardOutcome { shard, candidates, warnings, mut outcome } = found;
        let instances_hash = hash_of(&outcome.instances);
        if shard.index > 1 {
            outcome.instances = Vec::new();
        }
        // Of this process, not of the report.
        outcome.timings = Timings::default();
        Self {
            form: FORMAT_VERSION,
            tool: Tool::own(),
            shard,
            candidates,
            instances_hash,
            outcome,
            warnings,
            hash: String::new(),
        }
    }

    /// Which shard it is.
    pub fn shard(&self) -> Shard {
        self.shard
    }

    /// Whether both say the same, read from a file or not.
    pub fn same_content(&self, other: &Self) -> bool {
        let Self { form, tool, shard, candidates, instances_hash, outcome, warnings, hash: _ } = self;
        (form, tool, shard, candidates) == (&other.form, &other.tool, &other.shard, &other.candidates)
            && (instances_hash, outcome, warnings) == (&other.instances_hash, &other.outcome, &other.warnings)
    }

    /// The text of a file, of the text that a JSON document of it is: its last key is a hash of what stands before.
    #[must_use]
    pub fn with_hash(mut document: String) -> String {
        let end = document.trim_end();
        document.truncate(end.strip_suffix('}').unwrap_or(end).trim_end().len());
        let hash = blake3::hash(document.as_bytes()).to_hex();
        document + BEFORE_HASH + hash.as_str() + AFTER_HASH
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// What is no partial report, was written by another version of the program, or was changed since it was written: with the name
    /// of the file and, where there is one, the place in it.
    pub fn read(file: &str, text: &str) -> Result<Self, Error> {
        let changed = |at| {
            let what = "damaged: it is not what was written";
            Error::one(at, what, "run the shard again, or fetch the file again")
        };
        match serde_json::from_str::<Self>(text) {
            Err(error) => {
                let at = place(file, &error);
                let intact = is_intact(text);
                Err(intact.map_or_else(
                    || not_partial(at.clone(), text, &error),
                    |intact| {
                        if intact { foreign_form(at.clone(), text, &error) } else { changed(at.clone()) }
                    },
                ))
            }
            Ok(read) if read.hash.is_empty() || is_intact(text) != Some(true) => Err(changed(Location::file(file))),
            Ok(read) => read.checked(file),
        }
    }

    /// Refuses what this version did not write, and numbers that point nowhere.
    fn checked(self, file: &str) -> Result<Self, Error> {
        let own = Tool::own();
        if self.tool != own || self.form != FORMAT_VERSION {
            return Err(Problem::new(Location::file(file), written_by(&self.tool), ONE_VERSION).into());
        }
        let shard = self.shard;
        let first = shard.index == 1;
        if !shard.is_valid() || (!first && !self.outcome.instances.is_empty()) {
            return Err(inconsistent(file, "shard"));
        }
        if first && hash_of(&self.outcome.instances) != self.instances_hash {
            return Err(inconsistent(file, "instances_hash"));
        }
        Ok(self)
    }
}

/// A hash of everything that is said of the instances, in their order.
fn hash_of(instances: &[InstanceOutcome]) -> String {
    let mut hasher = blake3::Hasher::new();
    for instance in instances {
        // A text and numbers always become JSON.
        hasher.update(&serde_json::to_vec(instance).unwrap_or_default()).update(b"\n");
    }
    hasher.finalize().to_hex().as_str()[..32].to_owned()
}

/// What a file says that its hash vouches for and that cannot be.
pub(crate) fn inconsistent(file: &str, key: &str) -> Error {
    let at = Location { json_path: Some(key.to_owned()), ..Location::file(file) };
    Error::one(
        at,
        "it does not agree with the rest of the file",
        "run the shard again; if that does not help, report it",
    )
}

/// Whether the hash at the end is that of what stands before it; `None` where there is none.
fn is_intact(text: &str) -> Option<bool> {
    let (content, rest) = text.rsplit_once(BEFORE_HASH)?;
    let hash = rest.strip_suffix(AFTER_HASH);
    Some(hash == Some(blake3::hash(content.as_bytes()).to_hex().as_str()))
}

const ONE_VERSION: &str = "run all shards and the merge with one version";

fn written_by(tool: &Tool) -> String {
    let own = Tool::own();
    format!("written by {} {}, and this is {} {}", tool.name, tool.version, own.name, own.version)
}

/// Of a file that has no hash: what else it is, or where it ends too early.
fn not_partial(at: Location, text: &str, error: &serde_json::Error) -> Error {
    let whole_file = Location { file: at.file.clone(), ..Location::default() };
    match serde_json::from_str::<Value>(text) {
        Ok(value) if value.get("pairs").is_some() && value.get("version").is_some() => Error::one(
            whole_file,
            "a whole report, not a partial one",
            "give what `interfere check --shard I/N -o FILE` wrote",
        ),
        Ok(_) => {
            Error::one(whole_file, "not a partial report", "give what `interfere check --shard I/N -o FILE` wrote")
        }
        Err(e) if e.is_eof() => Error::one(at, "it ends too early", "run the shard again, or fetch the file again"),
        Err(_) => {
            let what = format!("not a partial report: {}", said(error));
            Error::one(at, what, "give what `interfere check --shard I/N -o FILE` wrote")
        }
    }
}

/// Of a file that is as it was written and that this version does not understand.
fn foreign_form(at: Location, text: &str, error: &serde_json::Error) -> Error {
    let value = serde_json::from_str::<Value>(text).unwrap_or_default();
    let tool = value.get("tool").and_then(|t| serde_json::from_value::<Tool>(t.clone()).ok());
    match tool {
        Some(tool) if tool != Tool::own() => {
            let at = Location { file: at.file, ..Location::default() };
            Error::one(at, written_by(&tool), ONE_VERSION)
        }
        _ => Error::one(at, format!("not a partial report: {}", said(error)), ONE_VERSION),
    }
}

/// What is wrong, without the place, which is said elsewhere.
fn said(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

fn place(file: &str, error: &serde_json::Error) -> Location {
    let known = |n: usize| u32::try_from(n).ok().filter(|n| *n > 0);
    Location { line: known(error.line()), column: known(error.column()), ..Location::file(file) }
}
