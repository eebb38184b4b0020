//! What a run says of parts and instances.

use super::load::PartMesh;
use super::shape::Shapes;
use super::{InstanceOutcome, PartOutcome};
use crate::assembly::Assembly;
use crate::error::Warning;
use crate::narrow::overlap::Overlaps;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) fn describe_parts(assembly: &Assembly, meshes: &[Arc<PartMesh>]) -> Vec<PartOutcome> {
    let mut instances = vec![0_u64; assembly.parts.len()];
    for instance in &assembly.instances {
        instances[instance.part.0 as usize] += 1;
    }
    assembly
        .parts
        .iter()
        .zip(meshes)
        .zip(instances)
        .map(|((part, mesh), instances)| PartOutcome {
            key: part.key.clone(),
            mesh: part.source.shown().to_owned(),
            triangles: mesh.triangles,
            closed: mesh.closed,
            facet_error: mesh.facet_error,
            instances,
            pieces: None,
            epsilon: None,
            hash: mesh.hash.to_hex().as_str()[..32].to_owned(),
        })
        .collect()
}

pub(super) fn describe_instances(assembly: &Assembly) -> Vec<InstanceOutcome> {
    assembly
        .instances
        .par_iter()
        .map(|instance| {
            let mut numbers = [[0; 8]; 12];
            let placement = instance.placement.linear.iter().chain(&instance.placement.translation);
            numbers.iter_mut().zip(placement).for_each(|(n, e)| *n = (e + 0.0).to_le_bytes());
            InstanceOutcome {
                id: instance.id.clone(),
                part: instance.part,
                placement: blake3::hash(numbers.as_flattened()).to_hex().as_str()[..16].to_owned(),
            }
        })
        .collect()
}

/// What was noticed on reading the assembly, in each mesh, and of each shape, in this order.
pub(super) fn collect_warnings(
    assembly: &Assembly,
    meshes: &[Arc<PartMesh>],
    shapes: &Shapes,
    tolerance: f64,
) -> Vec<Warning> {
    let mut warnings = assembly.warnings.clone();
    // Parts of one file share its mesh: told once.
    let mut told = BTreeSet::new();
    for mesh in meshes {
        if told.insert(Arc::as_ptr(mesh)) {
            warnings.extend(mesh.warnings.iter().cloned());
        }
    }
    warnings.extend(shape_warnings(assembly, shapes, tolerance));
    warnings
}

/// What the tolerance means for each shape, and which were united.
fn shape_warnings(assembly: &Assembly, shapes: &Shapes, tolerance: f64) -> Vec<Warning> {
    let mm = assembly.units.mm();
    let unit = assembly.units.name();
    let mut warnings = Vec::new();
    for (shape, part) in shapes.all.iter().zip(&shapes.part_of) {
        let part = Some(assembly.parts[*part as usize].key.clone());
        let floor = shape.tolerance_floor();
        if floor > tolerance {
            warnings.push(Warning {
                part: part.clone(),
                ..Warning::new(
                    "tolerance-below-roundoff",
                    format!(
                        "its coordinates are stored in single precision and round by up to {:.3e} {unit}, so its pairs are held to {:.3e} \
                         {unit} and not to the tolerance of {:.3e}; export it nearer to its own origin or raise the tolerance",
                        shape.quantum / mm,
                        floor / mm,
                        tolerance / mm
                    ),
                )
            });
        }
        let united = match shape.overlaps() {
            None | Some(Overlaps::None) => None,
            Some(Overlaps::Resolved) => Some("its pairs are held against the union of what they enclose".to_owned()),
            Some(Overlaps::Unresolved(why)) => {
                Some(format!("they were not united ({why}), so only its hull bounds how deep its overlaps are"))
            }
        };
        if let Some(what) = united {
            let message = format!("shells of it overlap, or its surface crosses itself; {what}");
            warnings.push(Warning { part: part.clone(), ..Warning::new("overlapping-shells", message) });
        }
        let thickness = 2.0 * shape.convex.inner_radius;
        if thickness <= tolerance.max(floor) {
            warnings.push(Warning {
                part,
                ..Warning::new(
                    "thinner-than-tolerance",
                    format!(
                        "its hull is {:.3e} {unit} thick, no more than the tolerance, so it can never interfere; lower the tolerance if it should",
                        thickness / mm
                    ),
                )
            });
        }
    }
    warnings
}
