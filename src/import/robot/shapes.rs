//! The mesh of each geometry of a robot: of a primitive, or of a file, which is read once.

use crate::error::{Problem, Warning};
use crate::geom::{Affine, LengthUnit};
use crate::import::ImportOptions;
use crate::import::collect::{Collector, Source, SourceIx};
use crate::import::names::clean;
use crate::import::part_mesh::{PartMesh, read_mesh};
use crate::import::primitives::{Fineness, Primitive, capsule, cone, cuboid, cylinder, ellipsoid, sphere};
use crate::import::references::References;
use crate::import::refusal::{Refusal, problem};
use crate::import::robot::model::{Address, Geometry, Shape};
use crate::import::robot::packages::Packages;
use crate::mesh::TriMesh;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Largest number of triangles of primitives.
const MAX_TRIANGLES: usize = 20_000_000;

/// Mesh of a geometry.
pub(crate) struct Found {
    pub(crate) source: SourceIx,
    /// Map of its points (mm).
    pub(crate) map: Affine,
    /// Name of the geometry, where an earlier one gave its name to the mesh.
    pub(crate) name: Option<String>,
}

/// Meshes of a robot, each read once.
pub(crate) struct Shapes<'a, 'l> {
    packages: Packages<'a>,
    references: &'a References<'l>,
    options: &'a ImportOptions,
    /// Word of the language for a link.
    word: &'static str,
    /// Mesh of each file; `None` for a file with a problem.
    meshes: BTreeMap<PathBuf, Option<SourceIx>>,
    /// File of each address.
    by_address: BTreeMap<Address, Option<PathBuf>>,
    /// Mesh of each primitive, by its sizes; of triangles, by their address.
    primitives: BTreeMap<String, SourceIx>,
    /// Number of triangles of all primitives.
    triangles: usize,
    pub(crate) problems: Vec<Problem>,
}

impl<'a, 'l> Shapes<'a, 'l> {
    pub(crate) fn new(references: &'a References<'l>, options: &'a ImportOptions, word: &'static str) -> Self {
        let (meshes, by_address, problems) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        Self {
            packages: Packages::new(options),
            references,
            options,
            word,
            meshes,
            by_address,
            primitives: BTreeMap::new(),
            triangles: 0,
            problems,
        }
    }

    /// Warnings about files that were guessed.
    pub(crate) fn guesses(&self) -> Vec<Warning> {
        self.packages.guesses()
    }

    /// Mesh of a geometry; `None` after a problem. Equal primitives share one.
    pub(crate) fn source(&mut self, geometry: &Geometry, link: &str, collector: &mut Collector) -> Option<Found> {
        let key = match &geometry.shape {
            Shape::Triangles(mesh) => format!("{:p}", Rc::as_ptr(mesh)),
            shape => format!("{shape:?}"),
        };
        let name = geometry.name.clone().filter(|n| clean(n).is_some()).unwrap_or_else(|| link.to_owned());
        if let Some(source) = self.primitives.get(&key) {
            return Some(Found { source: *source, map: Affine::identity(), name: Some(name) });
        }
        let fine = Fineness { deflection: self.options.deflection / 1000.0, angle: self.options.angle };
        let primitive = match &geometry.shape {
            Shape::Box(size) => cuboid(*size),
            Shape::Cylinder { radius, length } => cylinder(*radius, *length, fine),
            Shape::Capsule { radius, length } => capsule(*radius, *length, fine),
            Shape::Cone { radius, length } => cone(*radius, *length, fine),
            Shape::Sphere(radius) => sphere(*radius, fine),
            Shape::Ellipsoid(radii) => ellipsoid(*radii, fine),
            Shape::Triangles(mesh) => Primitive { mesh: TriMesh::clone(mesh), deflection: 0.0 },
            Shape::Mesh { file, map } => {
                let in_mm = Affine { translation: map.translation * 1000.0, ..*map };
                return Some(Found { source: self.mesh(file, geometry, collector)?, map: in_mm, name: None });
            }
            Shape::Other(name) => {
                let what = format!("geometry {} of {} {link}", crate::json::wording::quoted(name), self.word);
                let fix = "replace it by a mesh, a box, a cylinder or a sphere";
                self.problems.push(problem(geometry.at.clone(), Refusal::Unsupported, what, fix));
                return None;
            }
        };
        let Primitive { mesh, deflection } = primitive;
        self.triangles += mesh.triangles.len();
        if self.triangles > MAX_TRIANGLES {
            if !self.problems.iter().any(|p| p.what.contains("of primitives")) {
                let what = format!("more than {MAX_TRIANGLES} triangles of primitives");
                let fix = "allow a larger --deflection and --angle";
                self.problems.push(problem(geometry.at.clone(), Refusal::TooLarge, what, fix));
            }
            return None;
        }
        // Rounds up to a thousandth of a micrometre, for a short number.
        let deflection = libm::ceil(deflection * 1e9) / 1e6;
        let deflection = Some(deflection).filter(|d| *d > 0.0);
        let source = collector.source(Source { mesh, units: LengthUnit::M, name, deflection, colour: None });
        self.primitives.insert(key, source);
        Some(Found { source, map: Affine::identity(), name: None })
    }

    fn mesh(&mut self, written: &Address, geometry: &Geometry, collector: &mut Collector) -> Option<SourceIx> {
        if !self.by_address.contains_key(written) {
            let found = match written {
                Address::Uri(uri) => self.packages.find(uri, self.references),
                Address::Path(path) => self.references.find(self.references.folder(), path),
                Address::Beside(folder, path) => self.references.find(folder, path),
            };
            let found = found.map_err(|p| self.problems.push(Problem { at: geometry.at.clone(), ..p })).ok();
            self.by_address.insert(written.clone(), found);
        }
        let path = self.by_address.get(written)?.clone()?;
        if !self.meshes.contains_key(&path) {
            let read = self.read(&path, collector).map_err(|p| self.problems.push(p)).ok();
            self.meshes.insert(path.clone(), read);
        }
        *self.meshes.get(&path)?
    }

    fn read(&self, path: &Path, collector: &mut Collector) -> Result<SourceIx, Problem> {
        let (bytes, shown) = self.references.read(path)?;
        let PartMesh { mesh, units } = read_mesh(&bytes, &shown, collector)?;
        let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let units = units.unwrap_or(LengthUnit::M);
        Ok(collector.source(Source { mesh, units, name, deflection: None, colour: None }))
    }
}
