//! Builds each shape of an assembly once and places the instances.

use crate::assembly::{Assembly, Geometry, Part};
use crate::check::cache::{Key as CacheKey, Kind, Name, Session, StoredShape, shape_key};
use crate::check::prepare::decompose::{self, Covered};
use crate::check::prepare::load::PartMesh;
use crate::check::prepare::part_hull::DEFERRED_INSTANCES;
use crate::check::prepare::placement_cache::Splitter;
use crate::check::prepare::shape::{Shape, ShapeData, ShapeRequest, build_shape_data};
use crate::check::{Measure, Progress, Settings, Stage};
use crate::error::{Error, Problem};
use crate::geom::pose::PlacementSplit;
use crate::geom::tolerance::MAX_COORDINATE;
use crate::geom::{Mat3, Pose, Vec3};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Shape and pose of an instance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedInstance {
    /// Index of its shape. Shapes are sorted by content, independent of names.
    pub shape: u32,
    /// Pose, part frame to root frame.
    pub pose: Pose,
    /// Largest displacement of a point by rounding the stretch (mm).
    pub residual: f64,
}

/// Origin of a shape's centred frame, and its size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin {
    /// Origin in the part's frame (mm).
    pub origin: Vec3,
    /// Diagonal of the hull's box (mm).
    pub diameter: f64,
}

/// All shapes of an assembly, and the placed instances. A copy shares the shapes.
#[derive(Debug, Clone)]
pub(crate) struct Shapes {
    pub all: Arc<Vec<Shape>>,
    /// Origins of the shapes, contiguous for the loop over candidates.
    pub origins: Vec<Origin>,
    /// Fingerprint of each shape, equal in every run.
    pub fingerprints: Vec<u64>,
    pub placed: Vec<PlacedInstance>,
    /// One part of each shape, for messages.
    pub part_of: Vec<u32>,
    /// Cache key of each shape; empty without a cache.
    pub keys: Vec<CacheKey>,
}

/// Identity of a shape. It includes the rounding of the file, since it changes the tolerance, and the geometry, since a
/// part and its hull are two shapes.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    content: [u8; 32],
    rounding: u64,
    geometry: Geometry,
    deflection: Option<u64>,
    stretch: [u64; 9],
}

impl Key {
    fn of(w: &ShapeRequest, part: &Part, mesh: &PartMesh) -> Self {
        let mut stretch = [0; 9];
        stretch.iter_mut().zip(w.stretch.iter()).for_each(|(b, e)| *b = e.to_bits());
        // A hull has no concave edge, so the deflection has no effect.
        let deflection = part.deflection.filter(|_| w.geometry != Geometry::Hull);
        Self {
            content: *mesh.hash.as_bytes(),
            rounding: mesh.rounding.to_bits(),
            geometry: w.geometry,
            deflection: deflection.map(f64::to_bits),
            stretch,
        }
    }

    /// Hash of the key, equal in every run.
    fn stamp(&self) -> u64 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.content).update(&self.rounding.to_le_bytes()).update(self.geometry.name().as_bytes());
        // Distinguish a stated deflection from a missing one.
        hasher.update(&[u8::from(self.deflection.is_some())]).update(&self.deflection.unwrap_or(0).to_le_bytes());
        hasher.update(self.stretch.map(u64::to_le_bytes).as_flattened());
        let mut first = [0; 8];
        first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        u64::from_le_bytes(first)
    }
}

/// Builds the shape of every unique (mesh, stretch) and places the instances.
///
/// # Errors
/// Refuses singular placements and placements beyond the largest coordinate.
pub(crate) fn build(
    assembly: &Assembly,
    meshes: &[Arc<PartMesh>],
    settings: &Settings,
    session: Option<&Session>,
    progress: &dyn Progress,
) -> Result<Shapes, Error> {
    build_with_triangles(assembly, meshes, &[], settings, session, progress)
}

/// Builds and places the shapes as [`build`] does, and prepares the triangles of the shapes of some meshes. A thread that
/// is done with its hulls then need not wait for those of larger shapes.
///
/// # Errors
/// Returns the errors of [`build`].
pub(crate) fn build_with_triangles(
    assembly: &Assembly,
    meshes: &[Arc<PartMesh>],
    prepared: &[&PartMesh],
    settings: &Settings,
    session: Option<&Session>,
    progress: &dyn Progress,
) -> Result<Shapes, Error> {
    let splits = split_placements(assembly, meshes)?;
    let mut indices: BTreeMap<Key, (u32, ShapeRequest)> = BTreeMap::new();
    let wanted = |part: u32, stretch: &Mat3| {
        let geometry = assembly.parts[part as usize].geometry.unwrap_or(settings.geometry);
        ShapeRequest { part, geometry, stretch: *stretch, instances: 0 }
    };
    let key = |w: &ShapeRequest| Key::of(w, &assembly.parts[w.part as usize], &meshes[w.part as usize]);
    for (instance, split) in assembly.instances.iter().zip(&splits) {
        let wanted = wanted(instance.part.0, &split.stretch);
        indices.entry(key(&wanted)).or_insert((0, wanted)).1.instances += 1;
    }
    // The order of the map is the order of the shapes: by content.
    let all: Vec<ShapeRequest> = indices.values().map(|v| v.1).collect();
    let stamps = indices.keys().map(Key::stamp).collect();
    indices.values_mut().zip(0..).for_each(|(v, i)| v.0 = i);
    progress.begin(Stage::Shape, all.len() as u64);
    let maker = ShapeBuilder { assembly, settings, session, deepest: decompose::deepest_threshold(assembly, settings) };
    // The largest first, taken one by one: no thread waits for a large one at the end.
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&k| Reverse(meshes[all[k].part as usize].triangles));
    let made = order.into_iter().par_bridge().map(|k| {
        let mesh = &meshes[all[k].part as usize];
        let shape = maker.shape(mesh, &all[k]);
        if prepared.iter().any(|p| p.hash == mesh.hash) {
            shape.0.exact();
        }
        progress.advance(1);
        (k, shape)
    });
    let mut made: Vec<(usize, (Shape, Option<CacheKey>))> = made.collect();
    made.sort_by_key(|(k, _)| *k);
    let (shapes, keys): (Vec<Shape>, Vec<Option<CacheKey>>) = made.into_iter().map(|(_, shape)| shape).unzip();
    let placed = assembly
        .instances
        .iter()
        .zip(&splits)
        .map(|(instance, split)| PlacedInstance {
            shape: indices.get(&key(&wanted(instance.part.0, &split.stretch))).map_or(0, |v| v.0),
            pose: split.pose,
            residual: split.displacement(meshes[instance.part.0 as usize].bounds.max_abs()),
        })
        .collect();
    let origins = shapes.iter().map(|s| Origin { origin: s.inner().origin, diameter: s.inner().diameter }).collect();
    let part_of = all.iter().map(|w| w.part).collect();
    Ok(Shapes {
        all: Arc::new(shapes),
        origins,
        fingerprints: stamps,
        placed,
        part_of,
        keys: keys.into_iter().flatten().collect(),
    })
}

/// Builds shapes or takes them from the cache.
struct ShapeBuilder<'a> {
    assembly: &'a Assembly,
    settings: &'a Settings,
    session: Option<&'a Session<'a>>,
    /// Largest depth threshold of the run (mm).
    deepest: f64,
}

impl ShapeBuilder<'_> {
    /// Builds a shape; also returns its key if there is a cache.
    fn shape(&self, part: &Arc<PartMesh>, wanted: &ShapeRequest) -> (Shape, Option<CacheKey>) {
        let deflection = self.assembly.parts[wanted.part as usize].deflection;
        let Some(session) = self.session else {
            return (Shape::of(part, wanted, deflection, self.make(part, wanted, deflection)), None);
        };
        let key = shape_key(part, wanted, deflection, self.settings, self.deepest);
        let name = Name { kind: "shapes", key };
        let known = session.get(&name).and_then(StoredShape::restored);
        session.count(Kind::Shapes, known.is_some());
        let made = known.unwrap_or_else(|| {
            let made = self.make(part, wanted, deflection);
            if let Some(stored) = StoredShape::of(&made) {
                session.put(&name, &stored);
            }
            made
        });
        (Shape::of(part, wanted, deflection, made), Some(key))
    }

    fn make(&self, part: &Arc<PartMesh>, wanted: &ShapeRequest, deflection: Option<f64>) -> ShapeData {
        // The cache keeps hulls, and measures need them.
        let may_defer = self.session.is_none() && self.settings.measure == Measure::None;
        let may_defer = may_defer && wanted.geometry == Geometry::Exact && wanted.instances <= DEFERRED_INSTANCES;
        let made = build_shape_data(part, wanted, may_defer);
        if wanted.geometry != Geometry::Decomposition {
            return made;
        }
        let mut shape = Shape::of(part, wanted, deflection, made);
        let covered = decompose::cover(&shape, self.settings, self.deepest);
        if matches!(covered, Covered::Not(_)) {
            shape.geometry = Geometry::Exact;
        }
        ShapeData { covered: Some(covered), ..shape.into_data() }
    }
}

fn split_placements(assembly: &Assembly, meshes: &[Arc<PartMesh>]) -> Result<Vec<PlacementSplit>, Error> {
    let mut problems = Vec::new();
    let mut splits = Vec::with_capacity(assembly.instances.len());
    let mut splitter = Splitter::new();
    for instance in &assembly.instances {
        let reach = instance.placement.linear.abs().sum() * meshes[instance.part.0 as usize].bounds.max_abs()
            + instance.placement.translation.amax();
        let part = &assembly.parts[instance.part.0 as usize];
        match splitter.split(&instance.placement) {
            Some(split) if reach <= MAX_COORDINATE => splits.push(split),
            Some(_) => problems.push(Problem::new(
                part.at.clone(),
                format!("instance `{}` reaches {reach:e} mm from the origin", instance.id),
                format!("the limit is {MAX_COORDINATE:e} mm; check the units"),
            )),
            None => problems.push(Problem::new(
                part.at.clone(),
                format!("the placement of instance `{}` is singular", instance.id),
                "give an invertible matrix",
            )),
        }
    }
    if problems.is_empty() { Ok(splits) } else { Err(Error { problems }) }
}
