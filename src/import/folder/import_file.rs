//! `import.json` of a generated folder.

use crate::assembly::Geometry;
use crate::error::Error;
use crate::import::folder::{LeftOutEntry, as_bytes};
use crate::import::{ImportOptions, Imported, Up};
use serde::Serialize;
use std::collections::BTreeMap;

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

/// Facts of a part.
#[derive(Serialize)]
pub(crate) struct PartFacts<'a> {
    pub(crate) names: &'a [String],
    pub(crate) colour: Option<&'a str>,
    pub(crate) deflection: Option<f64>,
    pub(crate) asked: Option<f64>,
    pub(crate) solids: u64,
    pub(crate) triangles: u64,
    pub(crate) closed: bool,
}

/// Builds the file.
///
/// # Errors
/// Refuses numbers that JSON cannot hold.
pub(crate) fn import_file(
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
