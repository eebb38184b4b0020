//! Shapes: what a part becomes once a placement's stretch is baked into it, and where its instances stand.

use super::load::PartMesh;
use super::splits::Splitter;
use super::{Progress, Stage};
use crate::assembly::Assembly;
use crate::error::{Error, Problem};
use crate::geom::pose::Split;
use crate::geom::tolerance::{MAX_COORDINATE, TOLERANCE_IN_F32_QUANTA, f32_quantum};
use crate::geom::{Aabb, Mat3, Obb, Pose, Vec3};
use crate::hull;
use crate::narrow::Convex;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A part's convex hull and box, ready for queries; one for all rigid placements of a mesh, one more for each mirror
/// image, scale or shear.
#[derive(Debug)]
pub(super) struct Shape {
    pub convex: Convex,
    /// In the hull's centred frame.
    pub obb: Obb,
    /// Single-precision quantum of the mesh's largest coordinate (mm); 0 for double-precision meshes.
    pub quantum: f64,
    /// Largest magnitude of a coordinate before it was recentred (mm).
    pub max_abs: f64,
}

impl Shape {
    /// No tolerance below this can be held against the rounding of the mesh's own coordinates (mm).
    pub(super) fn tolerance_floor(&self) -> f64 {
        TOLERANCE_IN_F32_QUANTA * self.quantum
    }
}

/// Where an instance stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    /// Index of its shape. Shapes are ordered by content, so this order does not depend on names.
    pub shape: u32,
    /// Part to root.
    pub pose: Pose,
    /// How far rounding the stretch may have moved a point, at most (mm).
    pub residual: f64,
}

/// Where a shape's centred frame lies and how large it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    /// In the part's frame (mm).
    pub origin: Vec3,
    /// Diagonal of the hull's box (mm).
    pub diameter: f64,
}

/// All shapes of an assembly and its instances' placements.
#[derive(Debug)]
pub(super) struct Shapes {
    pub all: Vec<Shape>,
    /// Of each shape, side by side: what every candidate pair asks for.
    pub origins: Vec<Origin>,
    pub placed: Vec<Placed>,
    /// A part that each shape comes from, for messages.
    pub part_of: Vec<u32>,
}

/// Content hash, precision and stretch: what makes two shapes the same. The same vertices from a file that rounds them and
/// from one that does not are held to different tolerances.
type Key = ([u8; 32], bool, [u64; 9]);

/// Builds the shape of every distinct (mesh, stretch) and places the instances.
///
/// # Errors
/// Placements that cannot be inverted or that carry a part beyond what coordinates can hold.
pub(super) fn build(assembly: &Assembly, meshes: &[Arc<PartMesh>], progress: &dyn Progress) -> Result<Shapes, Error> {
    let splits = split_placements(assembly, meshes)?;
    let mut indices: BTreeMap<Key, (u32, Mat3)> = BTreeMap::new();
    let key = |part: u32, stretch: &Mat3| -> Key {
        let mut bits = [0; 9];
        bits.iter_mut().zip(stretch.iter()).for_each(|(b, e)| *b = e.to_bits());
        let mesh = &meshes[part as usize];
        (*mesh.hash.as_bytes(), mesh.single_precision, bits)
    };
    for (instance, split) in assembly.instances.iter().zip(&splits) {
        indices.entry(key(instance.part.0, &split.stretch)).or_insert((instance.part.0, split.stretch));
    }
    // The map's order is the shapes' order: by content.
    let wanted: Vec<(u32, Mat3)> = indices.values().copied().collect();
    indices.values_mut().zip(0..).for_each(|(v, i)| v.0 = i);
    progress.begin(Stage::Shape, wanted.len() as u64);
    let shapes: Vec<Shape> = wanted
        .par_iter()
        .map(|(part, stretch)| {
            let shape = bake(&meshes[*part as usize], stretch);
            progress.advance(1);
            shape
        })
        .collect();
    let placed = assembly
        .instances
        .iter()
        .zip(&splits)
        .map(|(instance, split)| Placed {
            shape: indices.get(&key(instance.part.0, &split.stretch)).map_or(0, |v| v.0),
            pose: split.pose,
            residual: split.residual * 3.0 * meshes[instance.part.0 as usize].bounds.max_abs(),
        })
        .collect();
    let origins = shapes.iter().map(|s| Origin { origin: s.convex.origin, diameter: s.convex.diameter }).collect();
    Ok(Shapes { all: shapes, origins, placed, part_of: wanted.iter().map(|w| w.0).collect() })
}

fn split_placements(assembly: &Assembly, meshes: &[Arc<PartMesh>]) -> Result<Vec<Split>, Error> {
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
                format!("coordinates are limited to {MAX_COORDINATE:e} mm; check the units"),
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

fn bake(part: &PartMesh, stretch: &Mat3) -> Shape {
    let rigid = *stretch == Mat3::identity();
    let stretched: Vec<Vec3>;
    let points = if rigid {
        &part.mesh.vertices
    } else {
        stretched = part.mesh.vertices.iter().map(|v| stretch * v).collect();
        &stretched
    };
    let hull = hull::convex_hull(points);
    let facets = hull::facets(&hull);
    let mut obb = hull::fit_obb(&hull, &facets);
    let convex = Convex::new(&hull, &facets);
    obb.center -= convex.origin;
    // A stretch carries the quantum of the file's coordinates along.
    let scale = if rigid { 1.0 } else { stretch.abs().max() };
    Shape {
        obb,
        quantum: if part.single_precision { f32_quantum(part.bounds.max_abs()) * scale } else { 0.0 },
        max_abs: Aabb::of_points(&hull.vertices).max_abs(),
        convex,
    }
}
