//! Parts and instances of the links of a robot.

use crate::error::{Error, Problem};
use crate::geom::{Affine, LengthUnit, Mat3, Vec3};
use crate::import::ImportOptions;
use crate::import::collect::{Collector, Source, SourceIx};
use crate::import::gltf::nodes::refuse_singular;
use crate::import::names::{Siblings, clean};
use crate::import::part_mesh::{PartMesh, read_mesh};
use crate::import::primitives::{Fineness, Primitive, cuboid, cylinder, sphere};
use crate::import::references::References;
use crate::import::refusal::{Refusal, problem};
use crate::import::urdf::packages::Packages;
use crate::import::urdf::robot::{Geometry, Robot, Shape};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Places the geometries of all links. Returns the ids of each link's instances, in the order of the links.
///
/// # Errors
/// Returns the problems of all meshes at once.
pub(crate) fn place(
    robot: &Robot,
    placements: &[Affine],
    file: &str,
    references: &References<'_>,
    options: &ImportOptions,
    collector: &mut Collector,
) -> Result<Vec<Vec<String>>, Error> {
    let mut shapes = Shapes {
        packages: Packages::new(options),
        references,
        options,
        meshes: BTreeMap::new(),
        by_address: BTreeMap::new(),
        problems: Vec::new(),
    };
    let mut siblings = Siblings::default();
    let mut ids = Vec::with_capacity(robot.links.len());
    for (link, placement) in robot.links.iter().zip(placements) {
        let name = siblings.unique(clean(&link.name).unwrap_or_else(|| "link".to_owned()));
        // A link without one kind of geometry has the other.
        let (first, second) =
            if options.visual { (&link.visuals, &link.collisions) } else { (&link.collisions, &link.visuals) };
        let geometries = if first.is_empty() { second } else { first };
        if geometries.is_empty() {
            collector.leave_out("links without geometry", 1, &link.name);
        }
        let mut own = Vec::new();
        for (k, geometry) in geometries.iter().enumerate() {
            let Some((source, scale)) = shapes.source(geometry, &link.name, collector) else { continue };
            let id = if k == 0 { name.clone() } else { format!("{name}.{}", k + 1) };
            let scale = Affine { linear: Mat3::from_diagonal(&Vec3::from(scale)), ..Affine::identity() };
            let placed = placement.after(&geometry.origin).after(&scale);
            refuse_singular(&placed, &id, file)?;
            own.push(collector.instance(id, source, &placed));
        }
        ids.push(own);
    }
    collector.numbered += siblings.numbered;
    collector.warnings.extend(shapes.packages.guesses());
    if shapes.problems.is_empty() { Ok(ids) } else { Err(Error { problems: shapes.problems }) }
}

/// Meshes of a robot, each read once.
struct Shapes<'a, 'l> {
    packages: Packages<'a>,
    references: &'a References<'l>,
    options: &'a ImportOptions,
    /// Mesh of each file; `None` for a file with a problem.
    meshes: BTreeMap<PathBuf, Option<SourceIx>>,
    /// File of each address.
    by_address: BTreeMap<String, Option<PathBuf>>,
    problems: Vec<Problem>,
}

impl Shapes<'_, '_> {
    /// Mesh of a geometry and its scale; `None` after a problem.
    fn source(&mut self, geometry: &Geometry, link: &str, collector: &mut Collector) -> Option<(SourceIx, [f64; 3])> {
        let fine = Fineness { deflection: self.options.deflection / 1000.0, angle: self.options.angle };
        let primitive = match &geometry.shape {
            Shape::Box(size) => cuboid(*size),
            Shape::Cylinder { radius, length } => cylinder(*radius, *length, fine),
            Shape::Sphere(radius) => sphere(*radius, fine),
            Shape::Mesh { file, scale } => return Some((self.mesh(file, geometry, collector)?, *scale)),
            Shape::Other(name) => {
                let what = format!("geometry {} of link {}", crate::json::wording::quoted(name), link);
                let fix = "replace it by a mesh, a box, a cylinder or a sphere";
                self.problems.push(problem(geometry.at.clone(), Refusal::Unsupported, what, fix));
                return None;
            }
        };
        let Primitive { mesh, deflection } = primitive;
        let name = geometry.name.clone().filter(|n| clean(n).is_some()).unwrap_or_else(|| link.to_owned());
        // Rounds up to a thousandth of a micrometre, for a short number.
        let deflection = libm::ceil(deflection * 1e9) / 1e6;
        let deflection = Some(deflection).filter(|d| *d > 0.0);
        let units = self.options.units.unwrap_or(LengthUnit::M);
        Some((collector.source(Source { mesh, units, name, deflection, colour: None }), [1.0; 3]))
    }

    fn mesh(&mut self, written: &str, geometry: &Geometry, collector: &mut Collector) -> Option<SourceIx> {
        if !self.by_address.contains_key(written) {
            let found = self.packages.find(written, self.references);
            let found = found.map_err(|p| self.problems.push(Problem { at: geometry.at.clone(), ..p })).ok();
            self.by_address.insert(written.to_owned(), found);
        }
        let path = self.by_address.get(written)?.clone()?;
        if !self.meshes.contains_key(&path) {
            let read = self.read(&path, collector).map_err(|p| self.problems.push(p)).ok();
            self.meshes.insert(path.clone(), read);
        }
        *self.meshes.get(&path)?
    }

    fn read(&self, path: &Path, collector: &mut Collector) -> Result<SourceIx, Problem> {
        let bytes = self.references.read(path)?;
        let shown = self.references.shown(path);
        let PartMesh { mesh, units } = read_mesh(&bytes, &shown, collector)?;
        let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let units = self.options.units.or(units).unwrap_or(LengthUnit::M);
        Ok(collector.source(Source { mesh, units, name, deflection: None, colour: None }))
    }
}
