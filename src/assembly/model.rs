//! A resolved assembly: nested files flattened, lengths in millimetres, full ids.

use crate::assembly::motion::Motion;
use crate::assembly::rules::glob::Glob;
use crate::error::{Location, Warning};
use crate::geom::{Affine, LengthUnit};
use crate::mesh::TriMesh;
use crate::motion::JointIx;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// Solid to check for a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Geometry {
    /// The triangles themselves.
    Exact,
    /// A cover of convex pieces.
    Decomposition,
    /// The convex hull of the vertices.
    Hull,
}

impl Geometry {
    /// Name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Decomposition => "decomposition",
            Self::Hull => "hull",
        }
    }
}

/// Handling of a pair's facet allowance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Facets {
    /// Overlaps explained by facets are contact.
    #[default]
    Allow,
    /// No allowance.
    Strict,
}

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The finding fails the gate.
    #[default]
    Error,
    /// The finding is listed, and passes.
    Warning,
}

impl Level {
    /// Every level.
    pub const ALL: [Self; 2] = [Self::Error, Self::Warning];

    /// Name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }

    /// Finds the level of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

/// Settings of a run as keys of the root assembly file. Options take precedence.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FileSettings {
    /// Geometry of parts without a choice of their own; `None` for exact.
    pub geometry: Option<Geometry>,
    /// Overshoot of the pieces of decomposed parts (mm, >= 0).
    pub epsilon: Option<f64>,
    /// Largest gap of a listed clear pair (mm, >= 0).
    pub report_within: Option<f64>,
    /// True if warnings are errors.
    pub strict: bool,
}

/// Index of a part in [`Assembly::parts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PartIx(pub u32);

/// Index of an instance in [`Assembly::instances`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct InstanceIx(pub u32);

/// Source of a part's triangles.
#[derive(Debug, Clone)]
pub enum MeshSource {
    /// A mesh file within the allowed tree.
    File {
        /// Path to open.
        path: PathBuf,
        /// Name in reports: relative to the root assembly's folder, with `/`.
        shown: String,
    },
    /// Triangles from the caller, in the part's units.
    Memory(Arc<TriMesh>),
}

impl MeshSource {
    /// Name in reports; empty for triangles from the caller.
    pub fn shown(&self) -> &str {
        match self {
            Self::File { shown, .. } => shown,
            Self::Memory(_) => "",
        }
    }
}

/// A part: a mesh and its settings.
#[derive(Debug, Clone)]
pub struct Part {
    /// Key: the part's name; `PATH#name` for parts of a sub-assembly.
    pub key: String,
    /// Source of its triangles.
    pub source: MeshSource,
    /// Unit of the mesh's coordinates.
    pub units: LengthUnit,
    /// Chordal deflection of the export, if stated (mm): upper bound of the sagittas estimated from the facets.
    pub deflection: Option<f64>,
    /// Geometry of this part, in place of the run's choice.
    pub geometry: Option<Geometry>,
    /// Location of its definition.
    pub at: Location,
}

/// A line of an assembly file; small, because every instance has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileLine {
    /// Index in [`Assembly::files`].
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
}

/// A placed part.
#[derive(Debug, Clone)]
pub struct Instance {
    /// Full id, joined with `/` through sub-assemblies; unique.
    pub id: String,
    /// The placed part.
    pub part: PartIx,
    /// Map from part frame to root frame, translation in mm. Invertible and finite.
    pub placement: Affine,
    /// Outermost `as_unit` sub-assembly around the instance, if any; its inner pairs are ignored.
    pub unit: Option<u32>,
    /// Line of its definition; `None` for an instance from the caller.
    pub at: Option<FileLine>,
    /// Joint that moves it; `None` for an instance at rest.
    pub joint: Option<JointIx>,
}

/// Action of a rule for a pair.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleAction {
    /// Skip the pair.
    Ignore,
    /// Allow overlap up to this depth (mm, >= 0).
    AllowDepth(f64),
    /// Require a gap of at least this (mm, >= 0).
    MinClearance(f64),
    /// Keep the tolerance; the rule sets a severity only.
    Grade,
}

impl RuleAction {
    /// Keys in an assembly file. [`RuleAction::Grade`] has none of its own: it is a rule with a severity alone.
    pub(crate) const KEYS: [&'static str; 3] = ["ignore", "allow_depth", "min_clearance"];

    /// Action of a key and its length (mm); without a length, [`RuleAction::Ignore`].
    pub(crate) fn of_key(key: &str, length: Option<f64>) -> Self {
        match (key, length) {
            ("allow_depth", Some(mm)) => Self::AllowDepth(mm),
            ("min_clearance", Some(mm)) => Self::MinClearance(mm),
            _ => Self::Ignore,
        }
    }

    /// Key in an assembly file.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Ignore => "ignore",
            Self::AllowDepth(_) => "allow_depth",
            Self::MinClearance(_) => "min_clearance",
            Self::Grade => "severity",
        }
    }

    /// Length of the action (mm); `None` if it has none.
    pub(crate) fn length(self) -> Option<f64> {
        match self {
            Self::Ignore | Self::Grade => None,
            Self::AllowDepth(mm) | Self::MinClearance(mm) => Some(mm),
        }
    }

    /// Allowed depth (mm).
    pub(crate) fn allow_depth(self) -> Option<f64> {
        if let Self::AllowDepth(mm) = self { Some(mm) } else { None }
    }

    /// Required gap (mm).
    pub(crate) fn min_clearance(self) -> Option<f64> {
        if let Self::MinClearance(mm) = self { Some(mm) } else { None }
    }

    /// Effect in words, for a sentence like "this rule ignores pairs".
    pub(crate) fn effect(self) -> &'static str {
        match self {
            Self::Ignore => "ignores",
            Self::AllowDepth(_) => "allows an overlap for",
            Self::MinClearance(_) => "requires a clearance for",
            Self::Grade => "sets the severity of",
        }
    }
}

impl Rule {
    /// Effect in words without an object, for a sentence about no certain pair.
    pub(crate) fn effect_alone(&self) -> &'static str {
        match self.verb {
            RuleAction::Ignore => "ignores pairs",
            RuleAction::AllowDepth(_) => "allows an overlap",
            RuleAction::MinClearance(_) => "requires a clearance",
            RuleAction::Grade if self.max_gap.is_some() => "limits a gap",
            RuleAction::Grade => "sets a severity",
        }
    }
}

/// A rule as written, with its location.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The two globs as written.
    pub between: [String; 2],
    /// Requirement or allowance of the rule.
    pub verb: RuleAction,
    /// Severity of the findings of its pairs.
    pub severity: Level,
    /// Free text.
    pub reason: Option<String>,
    /// Largest gap (mm, >= 0): a larger one fails as `loose`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_gap: Option<f64>,
    /// Globs over the names of the runs of the rule; `None` for every run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub during: Option<Vec<String>>,
    /// Full id prefix of the sub-assembly of the rule: empty, or ending in `/`. The rule applies only to pairs inside.
    pub scope: String,
    /// File relative to the root assembly's folder, with `/`; for the root its file name.
    pub file: String,
    /// Position in that file's `rules`.
    pub index: u32,
    /// Unit of that file's numbers.
    pub units: LengthUnit,
    /// Location of the rule.
    pub at: Location,
}

impl Rule {
    /// True if the rule applies in a run. An invalid glob, already refused on loading, matches nothing.
    pub fn applies_in(&self, run: &str) -> bool {
        let matches = |glob: &String| Glob::new(glob).is_ok_and(|glob| glob.matches(run));
        self.during.as_ref().is_none_or(|globs| globs.iter().any(matches))
    }

    /// Formats the rule as in an assembly file, on one line, lengths in its file's unit.
    pub fn as_line(&self) -> String {
        let text = |t: &str| serde_json::Value::from(t).to_string();
        let [a, b] = self.between.each_ref().map(|g| text(g));
        let key = self.verb.key();
        let severity = format!("\"severity\": \"{}\"", self.severity.name());
        let max_gap = self.max_gap.map(|mm| format!("\"max_gap\": {}", self.units.as_given(mm)));
        let mut keys: Vec<String> = match (self.verb, self.verb.length()) {
            (RuleAction::Grade, _) => Vec::new(),
            (_, Some(mm)) => vec![format!("\"{key}\": {}", self.units.as_given(mm))],
            (_, None) => vec![format!("\"{key}\": true")],
        };
        keys.extend(max_gap);
        if keys.is_empty() || self.severity != Level::Error {
            keys.push(severity);
        }
        if let Some(during) = &self.during {
            let globs: Vec<String> = during.iter().map(|g| text(g)).collect();
            keys.push(format!("\"during\": [{}]", globs.join(", ")));
        }
        let verb = keys.join(", ");
        let reason = self.reason.as_ref().map_or_else(String::new, |r| format!(", \"reason\": {}", text(r)));
        format!("{{ \"between\": [{a}, {b}], {verb}{reason} }}")
    }
}

/// A resolved assembly: every length in mm, every id complete.
#[derive(Debug, Clone)]
pub struct Assembly {
    /// Free text for reports; by default the file's stem.
    pub name: String,
    /// Path as the user gave it, with `/`.
    pub path: String,
    /// The assembly files as the user would name them, the root first. Empty without files.
    pub files: Vec<String>,
    /// Unit of the report.
    pub units: LengthUnit,
    /// Tolerance: overlap up to this depth is contact (mm, >= 0).
    pub tolerance: f64,
    /// Handling of facet allowances.
    pub facets: Facets,
    /// Other settings of the root file.
    pub settings: FileSettings,
    /// Parts, sorted by key.
    pub parts: Vec<Part>,
    /// Instances in file order, sub-assemblies expanded in place.
    pub instances: Vec<Instance>,
    /// Full ids of the `as_unit` sub-assemblies; [`Instance::unit`] is an index into this list.
    pub unit_ids: Vec<String>,
    /// Rules, the outermost file first, then in file order; the first match of a pair applies.
    pub rules: Vec<Rule>,
    /// Joints and runs.
    pub motion: Motion,
    /// Warnings from reading.
    pub warnings: Vec<Warning>,
}
