//! The parts of the JSON of a glTF file that geometry needs. Other keys have no effect.

use crate::error::{Error, Location};
use crate::import::refusal::{Refusal, problem, refuse};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// Index into a list of the document.
pub(crate) type Index = usize;

#[derive(Debug, Default)]
pub(crate) struct Extensions {
    pub(crate) used: Vec<String>,
    pub(crate) required: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Document {
    pub(crate) asset: Asset,
    #[serde(default)]
    extensions_used: Vec<String>,
    #[serde(default)]
    extensions_required: Vec<String>,
    #[serde(skip)]
    pub(crate) extensions: Extensions,
    pub(crate) scene: Option<Index>,
    #[serde(default)]
    pub(crate) scenes: Vec<Scene>,
    #[serde(default)]
    pub(crate) nodes: Vec<Node>,
    #[serde(default)]
    pub(crate) meshes: Vec<Mesh>,
    #[serde(default)]
    pub(crate) accessors: Vec<Accessor>,
    #[serde(default)]
    pub(crate) buffer_views: Vec<BufferView>,
    #[serde(default)]
    pub(crate) buffers: Vec<Buffer>,
    #[serde(default)]
    pub(crate) animations: Vec<IgnoredAny>,
    #[serde(default)]
    materials: Vec<serde_json::Value>,
    #[serde(default, rename = "extensions")]
    own_extensions: BTreeMap<String, serde_json::Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Asset {
    pub(crate) version: String,
    pub(crate) min_version: Option<String>,
    pub(crate) generator: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Scene {
    #[serde(default)]
    pub(crate) nodes: Vec<Index>,
    pub(crate) name: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Node {
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) children: Vec<Index>,
    pub(crate) mesh: Option<Index>,
    pub(crate) skin: Option<Index>,
    pub(crate) camera: Option<IgnoredAny>,
    pub(crate) matrix: Option<[f64; 16]>,
    pub(crate) translation: Option<[f64; 3]>,
    pub(crate) rotation: Option<[f64; 4]>,
    pub(crate) scale: Option<[f64; 3]>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Mesh {
    pub(crate) name: Option<String>,
    pub(crate) primitives: Vec<Primitive>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Primitive {
    pub(crate) attributes: BTreeMap<String, Index>,
    pub(crate) indices: Option<Index>,
    pub(crate) mode: Option<u64>,
    pub(crate) material: Option<Index>,
    #[serde(default)]
    pub(crate) targets: Vec<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Accessor {
    pub(crate) buffer_view: Option<Index>,
    #[serde(default)]
    pub(crate) byte_offset: u64,
    pub(crate) component_type: u64,
    #[serde(default)]
    pub(crate) normalized: bool,
    pub(crate) count: u64,
    #[serde(rename = "type")]
    pub(crate) shape: String,
    pub(crate) sparse: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BufferView {
    pub(crate) buffer: Index,
    #[serde(default)]
    pub(crate) byte_offset: u64,
    pub(crate) byte_length: u64,
    pub(crate) byte_stride: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Buffer {
    pub(crate) uri: Option<String>,
    pub(crate) byte_length: u64,
}

#[derive(Deserialize)]
struct VersionAlone {
    asset: Asset,
}

/// Parses the JSON.
///
/// # Errors
/// Refuses another version first, since other versions have other keys; then values of a wrong type, with the place.
pub(crate) fn parse(json: &[u8], file: &str) -> Result<Document, Error> {
    let broken = |e: serde_json::Error| {
        let at = Location {
            line: u32::try_from(e.line()).ok().filter(|l| *l > 0),
            column: u32::try_from(e.column()).ok().filter(|c| *c > 0),
            ..Location::file(file)
        };
        let text = e.to_string();
        let what = text.split(" at line ").next().unwrap_or_default();
        let what = format!("not valid glTF: {}", crate::json::wording::one_line_of(what, 200));
        Error::from(problem(at, Refusal::Damaged, what, "export the file again"))
    };
    let version: VersionAlone = serde_json::from_slice(json).map_err(broken)?;
    let needed = version.asset.min_version.as_ref().unwrap_or(&version.asset.version);
    if needed != "2.0" && !(version.asset.min_version.is_none() && needed.starts_with("2.")) {
        let what = format!("glTF {}", crate::json::wording::one_line(needed));
        return Err(refuse(file, Refusal::Unsupported, what, "export glTF 2.0"));
    }
    let mut document: Document = serde_json::from_slice(json).map_err(broken)?;
    document.extensions = Extensions {
        used: std::mem::take(&mut document.extensions_used),
        required: std::mem::take(&mut document.extensions_required),
    };
    Ok(document)
}

impl Document {
    /// Number of lights.
    pub(crate) fn lights(&self) -> u64 {
        let lights = self.own_extensions.get("KHR_lights_punctual").and_then(|e| e.get("lights"));
        lights.and_then(|l| l.as_array()).map_or(0, |l| l.len() as u64)
    }

    /// Base colour of a material as `#rrggbb`; the file gives linear values, the result is sRGB.
    pub(crate) fn colour(&self, material: Index) -> Option<String> {
        let factor = self.materials.get(material)?.get("pbrMetallicRoughness")?.get("baseColorFactor")?.as_array()?;
        let channel = |k: usize| factor.get(k)?.as_f64().map(|x| x.clamp(0.0, 1.0)).map(srgb);
        Some(format!("#{:02x}{:02x}{:02x}", channel(0)?, channel(1)?, channel(2)?))
    }
}

/// Converts a linear channel from 0 to 1 to sRGB from 0 to 255 (IEC 61966-2-1, 1999).
fn srgb(linear: f64) -> u8 {
    let x = if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * libm::pow(linear, 1.0 / 2.4) - 0.055 };
    libm::round(255.0 * x) as u8
}
