//! The generated folder of an import, as bytes: `assembly.json`, `parts/`, `import.json`.
//!
//! - `assembly_file`: `assembly.json`
//! - `import_file`: `import.json`
//!
//! A part becomes a binary STL file if single precision holds all its coordinates, else a binary PLY file in double
//! precision: no coordinate changes. The same input gives the same bytes: no date, no machine, no absolute path.

pub(crate) mod assembly_file;
pub(crate) mod import_file;

use crate::assembly::{Geometry, escaped};
use crate::error::{Error, Warning, WarningCode};
use crate::import::folder::assembly_file::{PartEntry, assembly_file};
use crate::import::folder::import_file::{PartFacts, import_file};
use crate::import::names::{Siblings, file_stem};
use crate::import::part_file::part_file;
use crate::import::refusal::{Refusal, refuse};
use crate::import::{ImportOptions, Imported, ImportedLink};
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
    /// Links of a robot; none for the folder of another program.
    pub links: Vec<ImportedLink>,
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
    Ok(Folder { files, summary, warnings, links: imported.links.clone() })
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
