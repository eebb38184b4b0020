//! Floor 4: assemblies in the form in which CAD programs and robot descriptions leave them. Reads a file and the files
//! that it names, through the `Loader` of the caller, to parts, instances and rules.
//!
//! - `recognise`: the kind of a file, by content
//! - `gltf`: glTF 2.0 and GLB
//! - `threemf`: 3MF
//! - `robot`: links and joints of robots, whatever describes them
//! - `urdf`, `mjcf`, `sdf`: robots in their languages
//! - `collada`: COLLADA meshes
//! - `part_mesh`: a mesh file as a part
//! - `part_file`: a part as a mesh file
//! - `primitives`: meshes of boxes, cylinders and spheres
//! - `collect`: shares equal meshes, names instances, counts what is left out
//! - `names`: ids and file names from names of any characters
//! - `near_rotation`: removes single-precision rounding from a placement
//! - `references`: files named by a file
//! - `element`: elements of XML documents with their places
//! - `folder`: the generated folder, as bytes
//! - `refusal`: errors with a code
//! - `xml`: limits and attributes of XML documents

pub(crate) mod collada;
#[cfg(test)]
mod collada_tests;
pub(crate) mod collect;
pub(crate) mod element;
pub mod folder;
pub(crate) mod gltf;
pub(crate) mod mjcf;
pub(crate) mod names;
pub(crate) mod near_rotation;
pub(crate) mod part_file;
pub(crate) mod part_mesh;
pub(crate) mod primitives;
pub mod recognise;
pub(crate) mod references;
pub(crate) mod refusal;
pub(crate) mod robot;
pub(crate) mod sdf;
pub(crate) mod threemf;
pub(crate) mod urdf;
pub(crate) mod xml;

use crate::assembly::Geometry;
use crate::assembly::file::paths::{VersionedTree, shown};
use crate::error::{Error, Location, Warning};
use crate::geom::{Affine, LengthUnit, Mat3, Vec3};
use crate::import::collect::Collector;
use crate::import::recognise::Kind;
use crate::import::references::References;
use crate::import::refusal::{Refusal, refuse};
use crate::io::Loader;
use crate::mesh::TriMesh;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Axis that points up in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Up {
    /// The third axis: the placements stay as they are.
    #[default]
    Z,
    /// The second axis: the assembly turns by 90° about x.
    Y,
}

/// Options of an import.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportOptions {
    /// Unit of the file, in place of the unit that its format or its content states. Descriptions of robots are in
    /// metres.
    pub units: Option<LengthUnit>,
    /// Axis that points up in the file.
    pub up: Up,
    /// Largest distance of a facet from the surface that it approximates (mm, > 0).
    pub deflection: f64,
    /// Largest angle between neighbouring facets of a curved surface (rad, > 0).
    pub angle: f64,
    /// Named pose of a robot; `None` for all joints at zero.
    pub pose: Option<String>,
    /// Joint values by name (rad, m), after the pose.
    pub joints: Vec<(String, f64)>,
    /// Folders of packages by name.
    pub packages: Vec<(String, PathBuf)>,
    /// Folders with packages below them.
    pub package_folders: Vec<PathBuf>,
    /// Semantic description of a robot; `None` to search beside it.
    pub srdf: Option<PathBuf>,
    /// True for the visual geometry of links, in place of the collision geometry.
    pub visual: bool,
    /// Geometry of every part.
    pub parts_as: Option<Geometry>,
    /// True if files may lie outside the version-controlled tree.
    pub allow_outside: bool,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            units: None,
            up: Up::Z,
            deflection: 0.05,
            angle: 0.3,
            pose: None,
            joints: Vec::new(),
            packages: Vec::new(),
            package_folders: Vec::new(),
            srdf: None,
            visual: false,
            parts_as: None,
            allow_outside: false,
        }
    }
}

/// An imported assembly.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// Kind of the file.
    pub kind: Kind,
    /// BLAKE3 hash of the file, in hexadecimal digits.
    pub hash: String,
    /// Program that wrote the file, if the file names one.
    pub generator: Option<String>,
    /// Name of the assembly.
    pub name: String,
    /// Parts, in the order of their first use.
    pub parts: Vec<ImportedPart>,
    /// Instances, in file order.
    pub instances: Vec<ImportedInstance>,
    /// Rules, in file order.
    pub rules: Vec<ImportedRule>,
    /// Joints.
    pub joints: Vec<ImportedJoint>,
    /// Named poses.
    pub poses: Vec<ImportedPose>,
    /// Links of a robot with their instances, in file order.
    pub links: Vec<ImportedLink>,
    /// Content of the file without effect on the result, counted.
    pub left_out: Vec<LeftOut>,
    /// Further files that decided the result, as the file names them.
    pub sources: Vec<String>,
    /// Warnings.
    pub warnings: Vec<Warning>,
}

/// A part of an imported assembly.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedPart {
    /// Unique name.
    pub name: String,
    /// Names of this part in the file, sorted.
    pub names: Vec<String>,
    /// Triangles, in `units`, in the part's frame.
    pub mesh: TriMesh,
    /// Unit of the mesh.
    pub units: LengthUnit,
    /// Deflection of the facets, if known (mm, >= 0).
    pub deflection: Option<f64>,
    /// Colour as `#rrggbb`, if the file gives one.
    pub colour: Option<String>,
}

/// A placed part of an imported assembly.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedInstance {
    /// Unique id.
    pub id: String,
    /// Index of the part.
    pub part: usize,
    /// Map from the part's frame to the assembly's frame (mm).
    pub placement: Affine,
}

/// A joint with a single value. Angles in degrees, lengths in mm.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedJoint {
    /// Unique name.
    pub name: String,
    /// True for a turn or a screw, false for a slide.
    pub turns: bool,
    /// Travel of a screw for one turn (mm).
    pub lead: Option<f64>,
    /// Unit direction of the axis as drawn, in the assembly's frame.
    pub axis: Vec3,
    /// Point of the axis as drawn, in the assembly's frame.
    pub at: Vec3,
    /// Globs of the instances that the joint moves.
    pub moves: Vec<String>,
    /// Name of the joint below.
    pub on: Option<String>,
    /// Limits; `None` for a follower, and for a turn without limits.
    pub range: Option<[f64; 2]>,
    /// Value as drawn.
    pub home: f64,
    /// Joint that leads this one.
    pub follows: Option<ImportedFollow>,
}

/// A joint's value by that of another: `ratio` · value + `offset`, in the units of both.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedFollow {
    /// Name of the other joint.
    pub joint: String,
    /// Factor.
    pub ratio: f64,
    /// Value at zero of the other joint.
    pub offset: f64,
}

/// A named pose: values of joints in degrees or mm.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedPose {
    /// Unique name.
    pub name: String,
    /// Value by the name of a joint.
    pub values: BTreeMap<String, f64>,
}

/// A link of a robot with geometry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedLink {
    /// Name in the file.
    pub name: String,
    /// Ids of its instances.
    pub instances: Vec<String>,
    /// True if every geometry of the link has an instance.
    pub is_complete: bool,
}

/// A rule that ignores pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedRule {
    /// The two globs.
    pub between: [String; 2],
    /// Reason, with its source.
    pub reason: String,
}

/// A kind of content that has no effect on the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Kind, in the plural.
    pub what: String,
    /// Number of items (> 0).
    pub count: u64,
    /// Names or places of the first items.
    pub places: Vec<String>,
}

impl LeftOut {
    /// Count and kind: `2 links without geometry`.
    pub fn counted(&self) -> String {
        counted(self.count, &self.what)
    }
}

/// Formats a count and a kind in the plural, whose noun stands before the first preposition: `1 link without geometry`.
pub fn counted(count: u64, what: &str) -> String {
    if count != 1 {
        return format!("{count} {what}");
    }
    let prepositions = [" of ", " with ", " without ", " outside "];
    let end = prepositions.iter().filter_map(|word| what.find(word)).min().unwrap_or(what.len());
    let (nouns, rest) = what.split_at(end);
    let one = match nouns.strip_suffix("ies") {
        Some(start) => format!("{start}y"),
        None => nouns.strip_suffix('s').unwrap_or(nouns).to_owned(),
    };
    format!("1 {one}{rest}")
}

/// Reads a file and the files that it names.
///
/// # Errors
/// Refuses a file of an unknown kind or one that needs another program, damaged content, content without support, and
/// references to missing files. Every problem has a code in brackets.
pub fn import(path: &Path, loader: &dyn Loader, options: &ImportOptions) -> Result<Imported, Error> {
    let tree = VersionedTree::new(path, loader, options.allow_outside)?;
    let bytes = crate::assembly::file::paths::read(&tree.root_file, loader)
        .map_err(|(what, fix)| Error::one(Location::file(shown(path)), what, fix))?;
    import_bytes(path, &bytes, tree, loader, options)
}

/// Reads a file of known content, and the files named in it.
///
/// # Errors
/// As [`import`].
pub fn import_content(
    path: &Path,
    bytes: &[u8],
    loader: &dyn Loader,
    options: &ImportOptions,
) -> Result<Imported, Error> {
    import_bytes(path, bytes, VersionedTree::new(path, loader, options.allow_outside)?, loader, options)
}

fn import_bytes(
    path: &Path,
    bytes: &[u8],
    tree: VersionedTree,
    loader: &dyn Loader,
    options: &ImportOptions,
) -> Result<Imported, Error> {
    let file = shown(path);
    let kind = recognise::kind_of(bytes).map_err(|what| {
        let fix = "`interfere import` reads glTF, 3MF, URDF, MJCF, SDF, STEP and meshes";
        refuse(&file, Refusal::Unsupported, what, fix)
    })?;
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let mut collector = Collector::new(options);
    let mut references = References::new(tree, loader, &file);
    let read = match kind {
        Kind::Gltf => gltf::read(bytes, &file, &mut references, options, &mut collector),
        Kind::ThreeMf => threemf::read(bytes, &file, options, &mut collector),
        Kind::Urdf => urdf::read(bytes, &file, &mut references, options, &mut collector),
        Kind::Mjcf => mjcf::read(bytes, &file, &mut references, options, &mut collector),
        Kind::Sdf => sdf::read(bytes, &file, &mut references, options, &mut collector),
        Kind::Collada | Kind::Mesh => part_mesh::read_alone(bytes, &file, &stem, options, &mut collector),
        Kind::Step | Kind::Iges | Kind::Brep => {
            let what = format!("{} needs another program", kind.name());
            let fix = "`interfere import` runs `interfere-cad`; install it from the sources of interfere: pipx install './python[occt]'";
            Err(refuse(&file, Refusal::ImporterMissing, what, fix))
        }
    }?;
    collector.finish(kind, bytes, &file, &stem, read)
}

/// Facts of a file beside its parts and instances.
#[derive(Debug, Default)]
pub(crate) struct FileFacts {
    pub(crate) name: Option<String>,
    pub(crate) generator: Option<String>,
    pub(crate) rules: Vec<ImportedRule>,
    pub(crate) joints: Vec<ImportedJoint>,
    pub(crate) poses: Vec<ImportedPose>,
    pub(crate) links: Vec<ImportedLink>,
    pub(crate) sources: Vec<String>,
    /// True if the size of the assembly tells a wrong unit.
    pub(crate) doubts_unit: bool,
}

/// Map from the file's axes to the assembly's.
pub(crate) fn turned(up: Up) -> Affine {
    let linear = match up {
        Up::Z => Mat3::identity(),
        Up::Y => Mat3::new(1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0),
    };
    Affine { linear, ..Affine::identity() }
}
