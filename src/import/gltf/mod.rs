//! Reads glTF 2.0, text and binary (Khronos Group, "glTF 2.0 Specification", 2021): the nodes of the default scene, the
//! triangles of their meshes. Lengths are metres.
//!
//! - `document`: the parts of the JSON that geometry needs
//! - `container`: the chunks of a binary file
//! - `buffers`: bytes of the buffers
//! - `accessors`: numbers in the buffers, checked against their lengths
//! - `triangles`: triangles of a mesh
//! - `nodes`: placements and names of the nodes
//!
//! The reader is our own (docs/decisions/0023-import.md): it reads transforms in double precision, names what it
//! refuses, and checks every count before it reserves memory.

pub(crate) mod accessors;
pub(crate) mod buffers;
pub(crate) mod container;
pub(crate) mod document;
pub(crate) mod nodes;
#[cfg(test)]
mod tests;
pub(crate) mod triangles;

use crate::error::Error;
use crate::geom::LengthUnit;
use crate::import::collect::{Collector, Source, SourceIx};
use crate::import::gltf::buffers::Buffers;
use crate::import::gltf::document::{Document, Extensions};
use crate::import::gltf::nodes::Walk;
use crate::import::references::References;
use crate::import::refusal::{Refusal, damaged, refuse};
use crate::import::{FileFacts, ImportOptions};

/// Reads a file and its buffers.
///
/// # Errors
/// Refuses other versions, extensions that change geometry, skins, morph targets, damaged content and missing buffers.
pub(crate) fn read(
    bytes: &[u8],
    file: &str,
    references: &mut References<'_>,
    options: &ImportOptions,
    collector: &mut Collector,
) -> Result<FileFacts, Error> {
    let (json, binary) = container::chunks(bytes, file)?;
    let document = document::parse(json, file)?;
    refuse_extensions(&document, file)?;
    let buffers = Buffers::read(&document, binary, file, references)?;
    let units = options.units.unwrap_or(LengthUnit::M);
    let mut reader = Reader { document: &document, buffers: &buffers, file, units, sources: Vec::new() };
    reader.sources.resize(document.meshes.len(), Read::NotYet);
    let walk = Walk::new(&document, file)?;
    let name = walk.place(&mut reader, collector)?;
    collector.leave_out("cameras", document.nodes.iter().filter(|n| n.camera.is_some()).count() as u64, "");
    collector.leave_out("lights", document.lights(), "");
    collector.leave_out("animations", document.animations.len() as u64, "");
    let generator = document.asset.generator.clone();
    Ok(FileFacts { name, generator, doubts_unit: options.units.is_none(), ..FileFacts::default() })
}

/// Result of a mesh.
#[derive(Debug, Clone, Copy)]
enum Read {
    NotYet,
    WithoutTriangles,
    Source(SourceIx),
}

/// Meshes of a file, each read once.
pub(crate) struct Reader<'a> {
    pub(crate) document: &'a Document,
    buffers: &'a Buffers<'a>,
    file: &'a str,
    pub(crate) units: LengthUnit,
    sources: Vec<Read>,
}

impl Reader<'_> {
    /// Mesh of a node; `None` for a mesh without triangles.
    fn source(&mut self, mesh: usize, collector: &mut Collector) -> Result<Option<SourceIx>, Error> {
        let Some(known) = self.sources.get(mesh) else {
            let what = format!("a node names mesh {mesh} of {}", self.document.meshes.len());
            return Err(damaged(self.file, what));
        };
        match known {
            Read::NotYet => {}
            Read::WithoutTriangles => return Ok(None),
            Read::Source(known) => return Ok(Some(*known)),
        }
        let found = &self.document.meshes[mesh];
        let name = found.name.clone().unwrap_or_else(|| format!("mesh-{mesh}"));
        let triangles = triangles::of_mesh(self.document, self.buffers, mesh, self.file, collector)?;
        let colour = found.primitives.iter().find_map(|p| self.document.colour(p.material?));
        let source = (!triangles.triangles.is_empty())
            .then(|| collector.source(Source { mesh: triangles, units: self.units, name, deflection: None, colour }));
        self.sources[mesh] = source.map_or(Read::WithoutTriangles, Read::Source);
        Ok(source)
    }
}

/// Extensions that leave geometry as it is, by the beginning of their names.
const HARMLESS: [&str; 9] = [
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "MSFT_texture_",
    "KHR_lights_punctual",
    "KHR_mesh_quantization",
    "KHR_animation_pointer",
    "KHR_xmp",
    "EXT_lights_",
];

fn refuse_extensions(document: &Document, file: &str) -> Result<(), Error> {
    let Extensions { used, required } = &document.extensions;
    let unknown = required.iter().find(|name| !HARMLESS.iter().any(|start| name.starts_with(start)));
    let instancing = used.iter().find(|name| *name == "EXT_mesh_gpu_instancing");
    let Some(name) = unknown.or(instancing) else { return Ok(()) };
    let (what, fix) = match name.as_str() {
        "KHR_draco_mesh_compression" => {
            ("Draco compression (KHR_draco_mesh_compression)".to_owned(), "export without compression")
        }
        "EXT_meshopt_compression" => {
            ("meshopt compression (EXT_meshopt_compression)".to_owned(), "export without compression")
        }
        _ => (format!("the extension {}", crate::json::wording::quoted(name)), "export without this extension"),
    };
    Err(refuse(file, Refusal::Unsupported, what, fix))
}
