//! An assembly, resolved: nested files flattened, lengths in millimetres, ids complete.

use crate::error::{Location, Warning};
use crate::geom::{Affine, LengthUnit};
use crate::mesh::TriMesh;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// What a part's solid is taken to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Geometry {
    /// The triangles themselves.
    Exact,
    /// Convex pieces that cover it.
    Decomposition,
    /// The convex hull of its vertices.
    Hull,
}

impl Geometry {
    /// The name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Decomposition => "decomposition",
            Self::Hull => "hull",
        }
    }
}

/// Whether a pair's facet allowance is granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Facets {
    /// Overlaps that facets explain are contact.
    #[default]
    Allow,
    /// No allowance.
    Strict,
}

/// Index of a part in [`Assembly::parts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PartIx(pub u32);

/// Index of an instance in [`Assembly::instances`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct InstanceIx(pub u32);

/// Where a part's triangles come from.
#[derive(Debug, Clone)]
pub enum MeshSource {
    /// A file, already checked to lie where it may be read from.
    File {
        /// To open.
        path: PathBuf,
        /// As reports name it: relative to the root assembly's folder, with `/`.
        shown: String,
    },
    /// Triangles handed in by the caller, in the part's units.
    Memory(Arc<TriMesh>),
}

impl MeshSource {
    /// As reports name it; empty for triangles handed in by the caller.
    pub fn shown(&self) -> &str {
        match self {
            Self::File { shown, .. } => shown,
            Self::Memory(_) => "",
        }
    }
}

/// A part: a mesh and how to read it.
#[derive(Debug, Clone)]
pub struct Part {
    /// Its name; for parts of a sub-assembly `PATH#name`.
    pub key: String,
    /// Its triangles.
    pub source: MeshSource,
    /// The unit of the mesh's coordinates.
    pub units: LengthUnit,
    /// Chordal deflection of the export where stated, in mm.
    pub deflection: Option<f64>,
    /// What its solid is taken to be, over the run's choice.
    pub geometry: Option<Geometry>,
    /// Where it is defined.
    pub at: Location,
}

/// A line of an assembly file: small, since every instance has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileLine {
    /// Index in [`Assembly::files`].
    pub file: u32,
    /// From 1.
    pub line: u32,
}

/// A placed part.
#[derive(Debug, Clone)]
pub struct Instance {
    /// Full id, joined with `/` through sub-assemblies; unique.
    pub id: String,
    /// Which part.
    pub part: PartIx,
    /// Part to root, translation in mm. Invertible and finite.
    pub placement: Affine,
    /// The outermost `as_unit` sub-assembly it lies in, if any; pairs within one are ignored.
    pub unit: Option<u32>,
    /// Where it is written; `None` for one handed in by the caller.
    pub at: Option<FileLine>,
}

/// What a rule says of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleAction {
    /// Not this gate's business.
    Ignore,
    /// Overlap up to this depth is fine, mm.
    AllowDepth(f64),
    /// The gap must be at least this, mm.
    MinClearance(f64),
}

/// A rule as written, with the place where it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The two globs as written.
    pub between: [String; 2],
    /// What it demands or allows.
    pub verb: RuleAction,
    /// Free text.
    pub reason: Option<String>,
    /// Full id prefix of the sub-assembly it belongs to: empty, or ending in `/`. It speaks of pairs inside alone.
    pub scope: String,
    /// The file, relative to the root assembly's folder with `/`; the root's own is its file name.
    pub file: String,
    /// Position in that file's `rules`.
    pub index: u32,
    /// The unit of that file's numbers.
    pub units: LengthUnit,
    /// Where it stands.
    pub at: Location,
}

impl Rule {
    /// The rule as an assembly file has it, on one line, lengths in its file's unit.
    pub fn as_line(&self) -> String {
        let text = |t: &str| serde_json::Value::from(t).to_string();
        let [a, b] = self.between.each_ref().map(|g| text(g));
        let verb = match self.verb {
            RuleAction::Ignore => "\"ignore\": true".to_owned(),
            RuleAction::AllowDepth(mm) => format!("\"allow_depth\": {}", self.units.as_given(mm)),
            RuleAction::MinClearance(mm) => format!("\"min_clearance\": {}", self.units.as_given(mm)),
        };
        let reason = self.reason.as_ref().map_or_else(String::new, |r| format!(", \"reason\": {}", text(r)));
        format!("{{ \"between\": [{a}, {b}], {verb}{reason} }}")
    }
}

/// A resolved assembly: every length in mm, every id complete.
#[derive(Debug, Clone)]
pub struct Assembly {
    /// Free text shown in reports; by default the file's stem.
    pub name: String,
    /// Its path as the user gave it, with `/`.
    pub path: String,
    /// The assembly files, as the user would name them; the root first. Empty where there is no file.
    pub files: Vec<String>,
    /// Unit of the report.
    pub units: LengthUnit,
    /// Overlap no deeper than this is contact, in mm.
    pub tolerance: f64,
    /// Whether facet allowances are granted.
    pub facets: Facets,
    /// Sorted by key.
    pub parts: Vec<Part>,
    /// In file order, sub-assemblies expanded in place.
    pub instances: Vec<Instance>,
    /// Full ids of the `as_unit` sub-assemblies; [`Instance::unit`] counts them.
    pub unit_ids: Vec<String>,
    /// Outermost file first, file order within; the first that matches a pair holds.
    pub rules: Vec<Rule>,
    /// What was noticed on reading.
    pub warnings: Vec<Warning>,
}
