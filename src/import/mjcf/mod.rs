//! Reads MuJoCo models (DeepMind, "MuJoCo documentation: XML Reference"): the bodies of MJCF with their geometries, the
//! joints that turn or slide, the filters of its contacts. Lengths are metres.
//!
//! - `include`: elements, with included files in place
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
pub(crate) mod defaults;
pub(crate) mod frame;
pub(crate) mod geoms;
pub(crate) mod include;
pub(crate) mod states;
#[cfg(test)]
mod tests;

use crate::error::Error;
use crate::import::collect::Collector;
use crate::import::element::Element;
use crate::import::mjcf::bodies::Bodies;
use crate::import::mjcf::compiler::Compiler;
use crate::import::mjcf::defaults::Defaults;
use crate::import::references::References;
use crate::import::refusal::{Refusal, problem};
use crate::import::robot::{Built, build};
use crate::import::{FileFacts, ImportOptions};

/// Elements that change a model in ways this reader does not follow.
const REFUSED: [&str; 5] = ["composite", "flexcomp", "flex", "replicate", "attach"];

/// Reads a model, the files that it includes, and its meshes.
///
/// # Errors
/// Refuses composite and flexible objects, replicas and attached models by name, damaged content, unknown names of
/// classes, meshes, joints and poses, missing files.
pub(crate) fn read(
    bytes: &[u8],
    file: &str,
    references: &mut References<'_>,
    options: &ImportOptions,
    collector: &mut Collector,
) -> Result<FileFacts, Error> {
    let (root, sources) = include::read(bytes, file, references)?;
    refuse_by_name(&root)?;
    let compiler = Compiler::read(&root)?;
    let defaults = Defaults::read(&root)?;
    let mut bodies = Bodies::read(&root, &compiler, &defaults, collector)?;
    states::followers(&root, &defaults, &mut bodies.robot, collector)?;
    let states = states::keyframes(&root, &bodies, collector);
    count_left_out(&root, collector);
    let apart = contacts::excluded(&root, &bodies)?;
    let Built { mut facts, placed, ruled } =
        build(&bodies.robot, &states, &apart, file, references, options, collector)?;
    facts.rules.extend(contacts::masked(&root, &bodies, &placed, options.visual, &ruled));
    Ok(FileFacts { sources, ..facts })
}

fn refuse_by_name(root: &Element) -> Result<(), Error> {
    let mut problems = Vec::new();
    root.walk(&mut |e| {
        if REFUSED.contains(&e.name.as_str()) {
            let what = format!("`{}` in a MuJoCo model", e.name);
            let fix = "load the model in MuJoCo, and save it as XML: python -c \"import mujoco; \
                       m = mujoco.MjModel.from_xml_path('A.xml'); mujoco.mj_saveLastXML('B.xml', m)\"";
            problems.push(problem(e.place(), Refusal::Unsupported, what, fix));
        }
    });
    problems.truncate(20);
    if problems.is_empty() { Ok(()) } else { Err(Error { problems }) }
}

fn count_left_out(root: &Element, collector: &mut Collector) {
    let mut counts = [("camera", "cameras", 0), ("light", "lights", 0), ("skin", "skins", 0), ("tendon", "tendons", 0)];
    for section in &root.children {
        match section.name.as_str() {
            "worldbody" | "asset" | "deformable" => section.walk(&mut |e| {
                counts.iter_mut().filter(|(name, ..)| *name == e.name).for_each(|(.., count)| *count += 1);
            }),
            "tendon" => counts[3].2 += section.children.len() as u64,
            _ => {}
        }
    }
    for (_, what, count) in counts {
        collector.leave_out(what, count, "");
    }
}
