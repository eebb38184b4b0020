//! Reads models and worlds of SDFormat (Open Robotics, "SDFormat Specification" and "Specifying pose"): the links with
//! their geometries, the joints, the frames that poses relate to. Lengths are metres, angles radians.
//!
//! - `include`: elements, with the models of included files in place
//! - `frames`: poses by the frames that they relate to
//! - `scopes`: models, links, joints and frames by their names
//! - `shapes`: geometries
//! - `joints`: axes, limits and motions
//! - `build`: links and joints as a robot
//!
//! The reader is our own (docs/decisions/0023-import.md).

pub(crate) mod build;
pub(crate) mod frames;
pub(crate) mod include;
pub(crate) mod joints;
pub(crate) mod scopes;
pub(crate) mod shapes;
#[cfg(test)]
mod tests;

use crate::error::Error;
use crate::import::collect::Collector;
use crate::import::element::Element;
use crate::import::references::References;
use crate::import::robot::build as assembled;
use crate::import::robot::model::Poses;
use crate::import::{FileFacts, ImportOptions};

/// Reads a model or a world, the models that it includes, and their meshes.
///
/// # Errors
/// Refuses models of the network and merged models by name, frames without a pose and in cycles, unknown names, damaged
/// content, missing files.
pub(crate) fn read(
    bytes: &[u8],
    file: &str,
    references: &mut References<'_>,
    options: &ImportOptions,
    collector: &mut Collector,
) -> Result<FileFacts, Error> {
    let (root, sources) = include::read(bytes, file, references, options)?;
    count_left_out(&root, collector);
    let built = build::robot(&root, collector)?;
    let as_assembly = assembled(&built.robot, &Poses::new(), &built.apart, file, references, options, collector)?;
    Ok(FileFacts { sources, ..as_assembly.facts })
}

fn count_left_out(root: &Element, collector: &mut Collector) {
    let kinds = [("plugin", "plugins"), ("light", "lights"), ("sensor", "sensors"), ("actor", "actors")];
    let further =
        [("state", "saved states"), ("population", "populations"), ("road", "roads"), ("gripper", "grippers")];
    for (name, what) in kinds.into_iter().chain(further) {
        let mut count = 0;
        root.walk(&mut |e| count += u64::from(e.name == name));
        collector.leave_out(what, count, "");
    }
}
