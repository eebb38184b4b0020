//! Describes the parts and instances of a run.

use crate::assembly::Assembly;
use crate::check::prepare::decompose::Covered;
use crate::check::prepare::load::PartMesh;
use crate::check::prepare::shapes::Shapes;
use crate::check::{InstanceOutcome, PartOutcome};
use rayon::prelude::*;
use std::sync::Arc;

pub(crate) fn describe_parts(assembly: &Assembly, meshes: &[Arc<PartMesh>], shapes: &Shapes) -> Vec<PartOutcome> {
    let covers = covers(assembly, shapes);
    let mut instances = vec![0_u64; assembly.parts.len()];
    for instance in &assembly.instances {
        instances[instance.part.0 as usize] += 1;
    }
    assembly
        .parts
        .iter()
        .zip(meshes)
        .zip(instances)
        .zip(covers)
        .map(|(((part, mesh), instances), cover)| PartOutcome {
            key: part.key.clone(),
            mesh: part.source.shown().to_owned(),
            triangles: mesh.triangles,
            closed: mesh.closed,
            facet_error: mesh.facet_error,
            instances,
            pieces: cover.map(|c| c.0),
            epsilon: cover.map(|c| c.1),
            hash: mesh.hash.to_hex().as_str()[..32].to_owned(),
        })
        .collect()
}

/// Number of pieces and overshoot (mm) of each decomposed part: the largest among its shapes, if instances stretch it
/// differently.
fn covers(assembly: &Assembly, shapes: &Shapes) -> Vec<Option<(u64, f64)>> {
    let mut covers: Vec<Option<(u64, f64)>> = vec![None; assembly.parts.len()];
    for (instance, placed) in assembly.instances.iter().zip(&shapes.placed) {
        let own = shapes.all[placed.shape as usize].covered().and_then(Covered::pieces_and_epsilon);
        if let Some((pieces, epsilon)) = own {
            let known = covers[instance.part.0 as usize].get_or_insert((pieces, epsilon));
            *known = (known.0.max(pieces), known.1.max(epsilon));
        }
    }
    covers
}

pub(crate) fn describe_instances(assembly: &Assembly) -> Vec<InstanceOutcome> {
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
                unit: instance.unit.and_then(|u| assembly.unit_ids.get(u as usize)).map(|id| id.len() as u32),
                at: instance.at,
            }
        })
        .collect()
}
