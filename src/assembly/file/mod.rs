//! An assembly file as written: one struct per object, with checked keys, numbers in mm, and positions.
//!
//! - `instances`, `joints`, `loops`, `placement`, `rotation`, `rules`, `runs`: readers of these objects
//! - `paths`: resolves file names and restricts them to the allowed tree
//! - `tree`: reads the root file and its sub-assemblies, resolves part names and paths
//!
//! Module `resolve` expands the files to one assembly.

pub(crate) mod instances;
pub(crate) mod joints;
pub(crate) mod loops;
pub(crate) mod paths;
pub(crate) mod placement;
pub(crate) mod rotation;
pub(crate) mod rules;
pub(crate) mod runs;
pub(crate) mod tree;

pub(crate) use crate::assembly::file::instances::bad_id;
use crate::assembly::file::instances::read_instances;
use crate::assembly::file::joints::{RawJoint, read_joints};
use crate::assembly::file::loops::{RawLoops, read_loops};
use crate::assembly::file::rules::read_rules;
use crate::assembly::file::runs::{RawRuns, read_runs};
use crate::assembly::{Facets, Geometry, Level, RuleAction};
use crate::error::{Location, Problem};
use crate::geom::{Affine, LengthUnit};
use crate::json::document::{Document, Json, List, Member, Value};
use crate::json::document_kind::DocumentKind;
use crate::json::length_problem::same_unit;
use crate::json::position::{JsonPath, Source};
use crate::json::reader::{Fields, Reader, document_kind};
use crate::json::wording::{join_or, quoted};

/// One file, without the parts, instances and rules with a problem.
#[derive(Debug, Default)]
pub(crate) struct RawFile {
    pub name: Option<String>,
    pub units: Option<LengthUnit>,
    pub settings: RawSettings,
    pub parts: Vec<RawPart>,
    pub instances: Vec<RawInstance>,
    pub rules: Vec<RawRule>,
    pub joints: Vec<RawJoint>,
    pub loops: RawLoops,
    /// Names of all joints, including joints with a problem.
    pub joint_names: Vec<String>,
    pub runs: RawRuns,
    /// Names of all parts, including parts with a problem.
    pub part_names: Vec<String>,
    /// Location for problems of the whole list of instances.
    pub instances_at: Location,
}

impl RawFile {
    /// True if the file has joints, runs, or rules for certain runs.
    pub fn has_motion(&self) -> bool {
        !self.joint_names.is_empty()
            || !self.loops.is_empty()
            || !self.runs.is_empty()
            || self.rules.iter().any(|r| r.during.is_some())
    }
}

/// The settings of a file.
#[derive(Debug, Default)]
pub(crate) struct RawSettings {
    pub tolerance: Option<Located<f64>>,
    pub facets: Option<Located<Facets>>,
    pub geometry: Option<Located<Geometry>>,
    pub epsilon: Option<Located<f64>>,
    pub report_within: Option<Located<f64>>,
    pub strict: Option<Located<bool>>,
}

/// A value with its location.
#[derive(Debug)]
pub(crate) struct Located<T> {
    pub value: T,
    pub at: Location,
}

/// A value of `parts`.
#[derive(Debug)]
pub(crate) struct RawPart {
    pub name: String,
    pub at: Location,
    /// Path as written.
    pub mesh: Located<String>,
    pub units: Option<LengthUnit>,
    pub deflection: Option<f64>,
    pub geometry: Option<Geometry>,
}

/// An element of `instances`.
#[derive(Debug)]
pub(crate) struct RawInstance {
    pub id: String,
    /// Byte offset of the id's value.
    pub id_offset: usize,
    /// Position in the list of the file, including elements with a problem.
    pub index: usize,
    pub target: Target,
    /// Byte offset of the target's value.
    pub target_offset: usize,
    pub as_unit: bool,
    pub placement: Affine,
}

/// Part or assembly placed by an instance.
#[derive(Debug)]
pub(crate) enum Target {
    /// A part with an entry in this file: its position in [`RawFile::part_names`].
    Part(usize),
    /// A part name without an entry.
    UnknownPart(String),
    /// An assembly file, by path.
    Assembly(String),
}

/// An element of `rules`.
#[derive(Debug)]
pub(crate) struct RawRule {
    pub between: [String; 2],
    pub verb: RuleAction,
    pub severity: Level,
    pub reason: Option<String>,
    /// Largest gap (mm, >= 0).
    pub max_gap: Option<f64>,
    /// Globs over the names of runs; `None` for every run.
    pub during: Option<Vec<Located<String>>>,
    pub index: u32,
    pub at: Location,
}

const PART_KEYS: [&str; 5] = ["mesh", "units", "deflection", "geometry", "comment"];
const TOP_KEYS: [&str; 17] = [
    "version",
    "name",
    "units",
    "tolerance",
    "facets",
    "geometry",
    "epsilon",
    "report_within",
    "strict",
    "parts",
    "instances",
    "rules",
    "joints",
    "loops",
    "poses",
    "sweeps",
    "$schema",
];

/// Reads a document and collects all its problems.
pub(crate) fn read(source: &Source, document: &Document<'_>) -> (RawFile, Vec<Problem>) {
    let mut reader = Reader::new(source);
    let file = read_file(&mut reader, document.root()).unwrap_or_default();
    (file, reader.problems)
}

fn read_file(reader: &mut Reader<'_>, document: Value<'_>) -> Option<RawFile> {
    let root = JsonPath::Root;
    let noted = reader.problems.len();
    if let Some(kind) = document_kind(document).filter(|kind| *kind != DocumentKind::Assembly) {
        let what = format!("{}, not an assembly file", kind.name());
        reader.problem(document.start(), &root, what, "name the assembly file");
        return None;
    }
    let fields = reader.fields(document, &root, &TOP_KEYS, "an object: an assembly file, version 1")?;
    let in_keys = reader.problems.split_off(noted);
    match fields.get("version").map(|v| (v, v.json())) {
        None => reader.problem(document.start(), &root, "no `version`", "add \"version\": 1"),
        Some((_, Json::Number(1.0))) => {}
        Some((other, json)) => {
            // Another version has other keys: report the version alone.
            let trail = JsonPath::Key(&root, "version");
            if let Json::Number(_) = json {
                let written = crate::json::wording::one_line(other.number_as_written());
                let what = format!("this release does not know version {written}");
                reader.problem(other.start(), &trail, what, "expected 1");
            } else {
                reader.wrong_kind(other, &trail, "the number 1");
            }
            return None;
        }
    }
    reader.problems.extend(in_keys);
    let text = |reader: &mut Reader<'_>, key: &str| {
        let value = fields.get(key)?;
        reader.text(value, &JsonPath::Key(&root, key), "a text").map(str::to_owned)
    };
    // Editors use this key; the checker ignores its target.
    text(reader, "$schema");
    let name = text(reader, "name");
    let units = read_units(reader, &fields, &root);
    let unit = units.unwrap_or(LengthUnit::Mm);
    let settings = read_settings(reader, &fields, unit);
    let (parts, part_names) = read_parts(reader, &fields, unit);
    let instances = read_instances(reader, &fields, &part_names, unit);
    let rules = read_rules(reader, &fields, unit);
    let (joints, joint_names) = read_joints(reader, &fields, unit);
    let loops = read_loops(reader, &fields, unit);
    let runs = read_runs(reader, &fields);
    let blamed = fields.get("instances").map_or(document.start(), Value::start);
    let instances_at = reader.source.at(blamed, &JsonPath::Key(&root, "instances"));
    let lists = RawFile { parts, instances, rules, joints, loops, runs, ..RawFile::default() };
    Some(RawFile { name, units, settings, joint_names, part_names, instances_at, ..lists })
}

/// Reads the settings of a run; lengths in `unit`.
fn read_settings(reader: &mut Reader<'_>, fields: &Fields<'_>, unit: LengthUnit) -> RawSettings {
    /// Reads one value and keeps its location.
    fn located<T>(
        reader: &mut Reader<'_>,
        fields: &Fields<'_>,
        key: &'static str,
        read: impl Fn(&mut Reader<'_>, Value<'_>, &JsonPath<'_>) -> Option<T>,
    ) -> Option<Located<T>> {
        let value = fields.get(key)?;
        let trail = JsonPath::Key(&JsonPath::Root, key);
        Some(Located { value: read(reader, value, &trail)?, at: reader.source.at(value.start(), &trail) })
    }
    let length = |reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>| reader.length(value, trail, unit);
    RawSettings {
        tolerance: located(reader, fields, "tolerance", length),
        facets: located(reader, fields, "facets", read_facets),
        geometry: located(reader, fields, "geometry", read_geometry),
        epsilon: located(reader, fields, "epsilon", length),
        report_within: located(reader, fields, "report_within", length),
        strict: located(reader, fields, "strict", read_boolean),
    }
}

fn read_units(reader: &mut Reader<'_>, fields: &Fields<'_>, trail: &JsonPath<'_>) -> Option<LengthUnit> {
    let value = fields.get("units")?;
    let trail = JsonPath::Key(trail, "units");
    let names = join_or(&LengthUnit::ALL.map(LengthUnit::name));
    let word = reader.text(value, &trail, &names)?;
    let found = LengthUnit::from_spelling(word);
    if found.is_none() {
        // Suggests no unit of another length.
        let near = same_unit(word).filter(|name| LengthUnit::from_spelling(name).is_some());
        let fix = near.map_or_else(|| format!("expected {names}"), |name| format!("did you mean {}?", quoted(name)));
        reader.problem(value.start(), &trail, format!("unknown unit {}", quoted(word)), fix);
    }
    found
}

/// Checks that the comment of an object is a text.
fn read_comment(reader: &mut Reader<'_>, fields: &Fields<'_>, trail: &JsonPath<'_>) {
    if let Some(value) = fields.get("comment") {
        reader.text(value, &JsonPath::Key(trail, "comment"), "a text");
    }
}

fn read_boolean(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>) -> Option<bool> {
    reader.boolean(value, trail)
}

fn read_facets(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>) -> Option<Facets> {
    reader.word(value, trail, &["allow", "strict"], |word| match word {
        "allow" => Some(Facets::Allow),
        "strict" => Some(Facets::Strict),
        _ => None,
    })
}

fn read_geometry(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>) -> Option<Geometry> {
    let all = [Geometry::Exact, Geometry::Decomposition, Geometry::Hull];
    reader.word(value, trail, &all.map(Geometry::name), |word| all.into_iter().find(|g| g.name() == word))
}

fn read_parts(reader: &mut Reader<'_>, fields: &Fields<'_>, unit: LengthUnit) -> (Vec<RawPart>, Vec<String>) {
    let root = JsonPath::Root;
    let trail = JsonPath::Key(&root, "parts");
    let expected = "an object of parts by name";
    let Some(entries) = fields.get("parts").and_then(|v| reader.entries(v, &trail, expected)) else {
        return Default::default();
    };
    let names = entries.iter().map(|p| p.key.to_owned()).collect();
    (entries.into_iter().filter_map(|entry| read_part(reader, entry, &trail, unit)).collect(), names)
}

fn read_part(reader: &mut Reader<'_>, entry: Member<'_>, parts: &JsonPath<'_>, unit: LengthUnit) -> Option<RawPart> {
    let name = entry.key;
    let trail = JsonPath::Key(parts, name);
    let offset = entry.value.start();
    if name.is_empty() {
        reader.problem(offset, &trail, "an empty part name", "name the part");
    }
    if let Json::Text(path) = entry.value.json() {
        let mesh = Located { value: path.to_owned(), at: reader.source.at(offset, &trail) };
        let at = mesh.at.clone();
        return Some(RawPart { name: name.to_owned(), at, mesh, units: None, deflection: None, geometry: None });
    }
    let expected = "the path of an STL, OBJ, PLY or OFF file, or an object with `mesh`";
    let fields = reader.fields(entry.value, &trail, &PART_KEYS, expected)?;
    read_comment(reader, &fields, &trail);
    let units = read_units(reader, &fields, &trail);
    let deflection = fields.get("deflection").map(|v| reader.length(v, &JsonPath::Key(&trail, "deflection"), unit));
    let geometry = fields.get("geometry").map(|v| read_geometry(reader, v, &JsonPath::Key(&trail, "geometry")));
    let Some(mesh) = fields.get("mesh") else {
        reader.problem(offset, &trail, "no `mesh`", "add \"mesh\" with the path of an STL, OBJ, PLY or OFF file");
        return None;
    };
    let mesh_trail = JsonPath::Key(&trail, "mesh");
    let path = reader.text(mesh, &mesh_trail, "the path of an STL, OBJ, PLY or OFF file")?;
    Some(RawPart {
        name: name.to_owned(),
        at: reader.source.at(offset, &trail),
        mesh: Located { value: path.to_owned(), at: reader.source.at(mesh.start(), &mesh_trail) },
        units,
        deflection: deflection.flatten(),
        geometry: geometry.flatten(),
    })
}

/// Returns the elements of an optional list.
fn read_list<'d>(
    reader: &mut Reader<'_>,
    fields: &Fields<'d>,
    trail: &JsonPath<'_>,
    key: &str,
    expected: &str,
) -> Option<List<'d>> {
    let value = fields.get(key)?;
    if let Json::List(items) = value.json() {
        return Some(items);
    }
    reader.wrong_kind(value, trail, expected);
    None
}
