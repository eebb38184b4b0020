//! The generated folder of an import, as bytes: `assembly.json`, `parts/`, `import.json`.
//!
//! A part becomes a binary STL file if single precision holds all its coordinates, else a binary PLY file in double
//! precision: no coordinate changes. The same input gives the same bytes: no date, no machine, no absolute path.

use crate::assembly::Geometry;
use crate::assembly::escaped;
use crate::error::{Error, Warning, WarningCode};
use crate::geom::{Affine, Mat3, Vec3};
use crate::import::names::{Siblings, file_stem};
use crate::import::part_file::part_file;
use crate::import::refusal::{Refusal, refuse};
use crate::import::{ImportOptions, Imported, ImportedJoint, Up};
use crate::json::write::write_lines;
use crate::mesh;
use serde::Serialize;
use std::collections::BTreeMap;

/// Name of the assembly file in a generated folder.
pub const ASSEMBLY: &str = "assembly.json";
/// Name of the file about the import in a generated folder.
pub const IMPORT: &str = "import.json";
/// Number of parts that a message names.
const MAX_NAMED: usize = 3;

/// A generated folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Folder {
    /// Files by path relative to the folder, with `/`.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Sizes for people.
    pub summary: Summary,
    /// Warnings of the import and of the meshes.
    pub warnings: Vec<Warning>,
}

/// Sizes of an import.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Kind of the source.
    pub format: String,
    /// Number of parts.
    pub parts: u64,
    /// Number of instances.
    pub instances: u64,
    /// Number of triangles of all parts.
    pub triangles: u64,
    /// Number of rules.
    pub rules: u64,
    /// Greatest deflection of a part (mm); `None` if no part has one.
    pub deflection: Option<f64>,
    /// Number of parts without an inside.
    pub open_parts: u64,
    /// Content without effect.
    pub left_out: Vec<LeftOutEntry>,
}

/// A kind of content without effect.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeftOutEntry {
    /// Kind, in the plural.
    pub what: String,
    /// Number of items.
    pub count: u64,
    /// Names of the first items.
    #[serde(rename = "where")]
    pub places: Vec<String>,
}

#[derive(Serialize)]
struct AssemblyFile<'a> {
    version: u32,
    name: &'a str,
    units: &'static str,
    parts: BTreeMap<&'a str, PartEntry>,
    instances: Vec<InstanceEntry<'a>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    joints: BTreeMap<&'a str, JointEntry<'a>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    poses: BTreeMap<&'a str, &'a BTreeMap<String, f64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<RuleEntry<'a>>,
}

#[derive(Serialize)]
struct JointEntry<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    axis: [f64; 3],
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<[f64; 3]>,
    moves: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    on: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range_deg: Option<RangeEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    home: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lead: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    follows: Option<FollowEntry<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum RangeEntry {
    Limits([f64; 2]),
    Word(&'static str),
}

#[derive(Serialize)]
struct FollowEntry<'a> {
    joint: &'a str,
    ratio: f64,
    #[serde(skip_serializing_if = "is_zero")]
    offset: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

impl<'a> From<&'a ImportedJoint> for JointEntry<'a> {
    fn from(j: &'a ImportedJoint) -> Self {
        let angles = j.range.map_or(RangeEntry::Word("full"), RangeEntry::Limits);
        Self {
            kind: match (j.lead, j.turns) {
                (Some(_), _) => "screw",
                (None, true) => "revolute",
                (None, false) => "prismatic",
            },
            lead: j.lead,
            axis: j.axis.into(),
            at: j.turns.then(|| j.at.into()),
            moves: &j.moves,
            on: j.on.as_deref(),
            range: j.range.filter(|_| !j.turns),
            range_deg: (j.turns && j.follows.is_none()).then_some(angles),
            home: Some(j.home).filter(|home| *home != 0.0),
            follows: j.follows.as_ref().map(|f| FollowEntry { joint: &f.joint, ratio: f.ratio, offset: f.offset }),
        }
    }
}

#[derive(Serialize)]
struct PartEntry {
    mesh: String,
    units: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    deflection: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    geometry: Option<&'static str>,
}

#[derive(Serialize)]
struct InstanceEntry<'a> {
    id: &'a str,
    part: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    placement: Option<PlacementEntry>,
}

#[derive(Serialize)]
struct PlacementEntry {
    #[serde(skip_serializing_if = "Option::is_none")]
    translation: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matrix: Option<[[f64; 4]; 4]>,
}

#[derive(Serialize)]
struct RuleEntry<'a> {
    between: &'a [String; 2],
    ignore: bool,
    reason: &'a str,
}

#[derive(Serialize)]
struct ImportFile<'a> {
    version: u32,
    source: SourceEntry<'a>,
    settings: Settings<'a>,
    tools: [Tool; 1],
    key: String,
    parts: BTreeMap<&'a str, PartFacts<'a>>,
    left_out: &'a [LeftOutEntry],
    files: BTreeMap<&'a str, String>,
}

#[derive(Serialize)]
struct SourceEntry<'a> {
    path: &'a str,
    blake3: &'a str,
    format: &'static str,
    generator: Option<&'a str>,
    further: &'a [String],
}

#[derive(Serialize)]
struct Settings<'a> {
    units: Option<&'static str>,
    up: &'static str,
    deflection: f64,
    angle: f64,
    pose: Option<&'a str>,
    joints: BTreeMap<&'a str, f64>,
    geometry: &'static str,
    parts_as: Option<&'static str>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct PartFacts<'a> {
    names: &'a [String],
    colour: Option<&'a str>,
    deflection: Option<f64>,
    asked: Option<f64>,
    solids: u64,
    triangles: u64,
    closed: bool,
}

/// Builds the files. `source` is the path of the imported file as `import.json` names it.
///
/// Cost: reads every part's mesh again, as `check` does.
///
/// # Errors
/// Refuses a mesh that `check` would refuse.
pub fn generate(imported: &Imported, options: &ImportOptions, source: &str) -> Result<Folder, Error> {
    let mut files = BTreeMap::new();
    let (mut entries, mut facts) = (BTreeMap::new(), BTreeMap::new());
    let mut stems = Siblings::default();
    let (mut open, mut triangles, mut deflection) = (Vec::new(), 0, None::<f64>);
    for part in &imported.parts {
        let (ending, bytes) = part_file(part);
        let path = format!("parts/{}.{ending}", file_stem(&part.name, &mut stems));
        let health = mesh::load(&bytes)
            .map_err(|e| {
                let what = format!("part {}: {}", part.name, e.what);
                refuse(source, Refusal::Damaged, what, e.fix)
            })?
            .health;
        if !health.enclosing {
            open.push(part.name.as_str());
        }
        triangles += health.triangles;
        deflection = part.deflection.map_or(deflection, |d| Some(deflection.map_or(d, |known| known.max(d))));
        entries.insert(
            part.name.as_str(),
            PartEntry {
                mesh: path.clone(),
                units: part.units.name(),
                deflection: part.deflection,
                geometry: options.parts_as.map(Geometry::name),
            },
        );
        facts.insert(
            part.name.as_str(),
            PartFacts {
                names: &part.names,
                colour: part.colour.as_deref(),
                deflection: part.deflection,
                asked: part.deflection.map(|_| options.deflection),
                solids: 1,
                triangles: health.triangles,
                closed: health.enclosing,
            },
        );
        files.insert(path, bytes);
    }
    let left_out: Vec<LeftOutEntry> = imported
        .left_out
        .iter()
        .map(|l| LeftOutEntry { what: l.what.clone(), count: l.count, places: l.places.clone() })
        .collect();
    let summary = Summary {
        format: imported.kind.name().to_owned(),
        parts: imported.parts.len() as u64,
        instances: imported.instances.len() as u64,
        triangles,
        rules: imported.rules.len() as u64,
        deflection,
        open_parts: open.len() as u64,
        left_out,
    };
    files.insert(ASSEMBLY.to_owned(), assembly_file(imported, entries)?);
    let import = import_file(imported, options, source, facts, &summary.left_out, &files)?;
    files.insert(IMPORT.to_owned(), import);
    let mut warnings = imported.warnings.clone();
    warnings.extend(open_parts(&open, imported.parts.len()));
    Ok(Folder { files, summary, warnings })
}

fn open_parts(open: &[&str], all: usize) -> Option<Warning> {
    if open.is_empty() {
        return None;
    }
    let named = open.iter().take(MAX_NAMED).copied().collect::<Vec<_>>().join(", ");
    let more = if open.len() > MAX_NAMED { ", …" } else { "" };
    let message = format!(
        "{} of {all} parts have no closed surface ({named}{more}): their pairs can become undecided; export solids",
        open.len()
    );
    Some(Warning::new(WarningCode::NotClosed, message))
}

fn assembly_file(imported: &Imported, parts: BTreeMap<&str, PartEntry>) -> Result<Vec<u8>, Error> {
    let instances = imported
        .instances
        .iter()
        .map(|instance| InstanceEntry {
            id: &instance.id,
            part: &imported.parts[instance.part].name,
            placement: placement(&instance.placement),
        })
        .collect();
    let rules =
        imported.rules.iter().map(|rule| RuleEntry { between: &rule.between, ignore: true, reason: &rule.reason });
    let file = AssemblyFile {
        version: 1,
        name: &imported.name,
        units: "mm",
        parts,
        instances,
        joints: imported.joints.iter().map(|j| (j.name.as_str(), JointEntry::from(j))).collect(),
        poses: imported.poses.iter().map(|p| (p.name.as_str(), &p.values)).collect(),
        rules: rules.collect(),
    };
    as_bytes(&file)
}

fn placement(placement: &Affine) -> Option<PlacementEntry> {
    let (l, t) = (&placement.linear, &placement.translation);
    if *l == Mat3::identity() {
        let moved = *t != Vec3::zeros();
        return moved.then(|| PlacementEntry { translation: Some([t.x, t.y, t.z]), matrix: None });
    }
    let row = |i: usize| [l[(i, 0)], l[(i, 1)], l[(i, 2)], t[i]];
    let matrix = [row(0), row(1), row(2), [0.0, 0.0, 0.0, 1.0]];
    Some(PlacementEntry { translation: None, matrix: Some(matrix) })
}

fn import_file(
    imported: &Imported,
    options: &ImportOptions,
    source: &str,
    parts: BTreeMap<&str, PartFacts<'_>>,
    left_out: &[LeftOutEntry],
    files: &BTreeMap<String, Vec<u8>>,
) -> Result<Vec<u8>, Error> {
    let settings = Settings {
        units: options.units.map(crate::geom::LengthUnit::name),
        up: if options.up == Up::Y { "y" } else { "z" },
        deflection: options.deflection,
        angle: options.angle,
        pose: options.pose.as_deref(),
        joints: options.joints.iter().map(|(name, value)| (name.as_str(), *value)).collect(),
        geometry: if options.visual { "visual" } else { "collision" },
        parts_as: options.parts_as.map(Geometry::name),
    };
    let tool = Tool { name: "interfere", version: env!("CARGO_PKG_VERSION") };
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"interfere import 1\0").update(imported.hash.as_bytes()).update(tool.version.as_bytes());
    hasher.update(&as_bytes(&settings)?);
    let file = ImportFile {
        version: 1,
        source: SourceEntry {
            path: source,
            blake3: &imported.hash,
            format: imported.kind.name(),
            generator: imported.generator.as_deref(),
            further: &imported.sources,
        },
        settings,
        tools: [tool],
        key: hasher.finalize().to_hex().to_string(),
        parts,
        left_out,
        files: files.iter().map(|(path, bytes)| (path.as_str(), blake3::hash(bytes).to_hex().to_string())).collect(),
    };
    as_bytes(&file)
}

fn as_bytes(value: &impl Serialize) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    // Writing to memory cannot fail.
    write_lines(value, 2, &mut out).map_err(|e| refuse("", Refusal::Damaged, e.to_string(), ""))?;
    Ok(out)
}

/// Glob of one id.
pub(crate) fn glob_of(id: &str) -> String {
    escaped(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placements_are_short() {
        let text = |affine: Affine| serde_json::to_string(&placement(&affine)).unwrap();
        assert_eq!(text(Affine::identity()), "null");
        let moved = Affine { translation: Vec3::new(1.0, 2.0, 3.0), ..Affine::identity() };
        assert_eq!(text(moved), r#"{"translation":[1.0,2.0,3.0]}"#);
        assert!(text(Affine { linear: -Mat3::identity(), ..moved }).starts_with(r#"{"matrix":[[-1.0"#));
    }
}
