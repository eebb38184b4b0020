//! Defines the partial report of one shard and its text form (docs/reference/report.md).

use crate::check::{Candidates, InstanceOutcome, Outcome, PlacedWarning, Shard, ShardOutcome};
use crate::error::{Error, Location, Problem};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Version of the form.
const FORMAT_VERSION: u32 = 1;

/// Text between the content and its hash.
const BEFORE_HASH: &str = ",\n  \"hash\": \"";

/// Text after the hash.
const AFTER_HASH: &str = "\"\n}\n";

/// Program and version that wrote a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Name of the program.
    pub name: String,
    /// Version of the program.
    pub version: String,
}

impl Tool {
    /// The running program.
    pub fn own() -> Self {
        Self { name: env!("CARGO_PKG_NAME").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

/// A partial report: the results of one shard, and the identity of its run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partial {
    /// Version of the form.
    #[serde(rename = "partial")]
    pub(crate) form: u32,
    /// Writing program.
    pub(crate) tool: Tool,
    /// The shard.
    pub(crate) shard: Shard,
    /// Candidates of all shards.
    pub(crate) candidates: Candidates,
    /// Hash of all instances; only shard 1 lists them.
    pub(crate) instances_hash: String,
    /// Outcome with lengths in mm; `counts`, `cleared_by`, `pairs` and `fixes` are those of the shard.
    pub(crate) outcome: Outcome,
    /// Warnings of the shard, each with its position among those of the whole run.
    pub(crate) warnings: Vec<PlacedWarning>,
    /// Hash at the end of the file; empty if not read from a file.
    #[serde(default, skip_serializing)]
    hash: String,
}

impl Partial {
    /// Partial report of a shard, without statistics: these belong to the process, not to the report.
    pub fn new(found: ShardOutcome) -> Self {
        let ShardOutcome { shard, candidates, warnings, mut outcome, stats: _ } = found;
        let instances_hash = hash_of(&outcome.instances);
        if shard.index > 1 {
            outcome.instances = Vec::new();
        }
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

    /// Returns the shard.
    pub fn shard(&self) -> Shard {
        self.shard
    }

    /// Returns true if both have equal content, ignoring the hash.
    pub fn same_content(&self, other: &Self) -> bool {
        let Self { form, tool, shard, candidates, instances_hash, outcome, warnings, hash: _ } = self;
        (form, tool, shard, candidates) == (&other.form, &other.tool, &other.shard, &other.candidates)
            && (instances_hash, outcome, warnings) == (&other.instances_hash, &other.outcome, &other.warnings)
    }

    /// Text of a file from its JSON document: appends a hash of the content as last key.
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
    /// Refuses a file that is no partial report, was written by another version, or was changed; with the name of the
    /// file and, if known, the position.
    pub fn read(file: &str, text: &str) -> Result<Self, Error> {
        let changed = |at| {
            let what = "damaged: the content differs from its hash";
            Error::one(at, what, "run the shard again, or copy the file again")
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

    /// Refuses other versions of the form or program, and inconsistent shards and instances.
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

/// Hash of all data of the instances, in their order.
fn hash_of(instances: &[InstanceOutcome]) -> String {
    let mut hasher = blake3::Hasher::new();
    for instance in instances {
        // Text and numbers always convert to JSON.
        hasher.update(&serde_json::to_vec(instance).unwrap_or_default()).update(b"\n");
    }
    hasher.finalize().to_hex().as_str()[..32].to_owned()
}

/// Error for a file with a valid hash and contradictory content.
pub(crate) fn inconsistent(file: &str, key: &str) -> Error {
    let at = Location { json_path: Some(key.to_owned()), ..Location::file(file) };
    Error::one(at, "contradicts the rest of the file", "run the shard again; report the error if it persists")
}

/// Returns true if the hash at the end matches the content; `None` without a hash.
fn is_intact(text: &str) -> Option<bool> {
    let (content, rest) = text.rsplit_once(BEFORE_HASH)?;
    let hash = rest.strip_suffix(AFTER_HASH);
    Some(hash == Some(blake3::hash(content.as_bytes()).to_hex().as_str()))
}

const ONE_VERSION: &str = "use one version for all shards and the merge";

fn written_by(tool: &Tool) -> String {
    let own = Tool::own();
    format!("written by {} {}, but this is {} {}", tool.name, tool.version, own.name, own.version)
}

/// Error for a file without a hash: another kind of file, or a truncated one.
fn not_partial(at: Location, text: &str, error: &serde_json::Error) -> Error {
    let whole_file = Location { file: at.file.clone(), ..Location::default() };
    match serde_json::from_str::<Value>(text) {
        Ok(value) if value.get("pairs").is_some() && value.get("version").is_some() => Error::one(
            whole_file,
            "a complete report, not a partial one",
            "name a file from `interfere check --shard I/N -o FILE`",
        ),
        Ok(_) => {
            Error::one(whole_file, "not a partial report", "name a file from `interfere check --shard I/N -o FILE`")
        }
        Err(e) if e.is_eof() => {
            Error::one(at, "the file ends too early", "run the shard again, or copy the file again")
        }
        Err(_) => {
            let what = format!("not a partial report: {}", said(error));
            Error::one(at, what, "name a file from `interfere check --shard I/N -o FILE`")
        }
    }
}

/// Error for an intact file in a form unknown to this version.
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

/// Message without its position; the location has it.
fn said(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

fn place(file: &str, error: &serde_json::Error) -> Location {
    let known = |n: usize| u32::try_from(n).ok().filter(|n| *n > 0);
    Location { line: known(error.line()), column: known(error.column()), ..Location::file(file) }
}
