//! Reads MuJoCo models (DeepMind, "MuJoCo documentation: XML Reference"): the bodies of MJCF with their geometries, the
//! joints that turn or slide, the filters of its contacts. Lengths are metres.
//!
//! - `include`: elements, with included files in place
//! - `models`: a model with the models that it attaches
//! - `copies`: `replicate` and `attach`
//! - `defaults`: attributes by default classes
//! - `compiler`: settings of a model
//! - `frame`: places and directions of elements
//! - `bodies`: bodies and joints
//! - `geoms`: shapes, and meshes of the assets
//! - `contacts`: rules from the filters of contacts
//! - `states`: poses from keyframes, joints that follow others
//!
//! The reader is our own (docs/decisions/0023-import.md).

pub(crate) mod bodies;
pub(crate) mod compiler;
pub(crate) mod contacts;
pub(crate) mod copies;
#[cfg(test)]
mod copies_tests;
pub(crate) mod defaults;
pub(crate) mod frame;
pub(crate) mod geoms;
pub(crate) mod include;
pub(crate) mod models;
pub(crate) mod states;
#[cfg(test)]
mod tests;

use crate::error::Error;
use crate::import::collect::Collector;
use crate::import::mjcf::bodies::Bodies;
use crate::import::mjcf::models::{Models, count_left_out};
use crate::import::references::References;
use crate::import::robot::{Built, build};
use crate::import::{FileFacts, ImportOptions};

/// Reads a model, the files that it includes, and its meshes.
///
/// # Errors
/// Refuses composite and flexible objects by name, damaged content, unknown names of
/// classes, meshes, joints and poses, missing files.
pub(crate) fn read(
    bytes: &[u8],
    file: &str,
    references: &mut References<'_>,
    options: &ImportOptions,
    collector: &mut Collector,
) -> Result<FileFacts, Error> {
    let mut models = Models::new(references, collector);
    let root = models.model(bytes, file, None)?;
    let (scopes, sources) = (models.scopes, models.reader.sources);
    let mut bodies = Bodies::read(&root, &scopes, collector)?;
    states::followers(&root, &scopes, &mut bodies.robot, collector)?;
    let states = states::keyframes(&root, &bodies, collector);
    count_left_out(&root, collector);
    let apart = contacts::excluded(&root, &bodies)?;
    let Built { mut facts, placed, ruled } =
        build(&bodies.robot, &states, &apart, file, references, options, collector)?;
    facts.rules.extend(contacts::masked(&root, &bodies, &placed, options.visual, &ruled)?);
    Ok(FileFacts { sources, ..facts })
}
