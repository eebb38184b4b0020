//! Reads robots: URDF (ROS, "urdf/XML"), the poses and disabled pairs of its SRDF, the meshes of its links. Lengths are
//! metres, angles radians.
//!
//! - `robot`: links and joints as written
//! - `semantics`: disabled pairs and poses of an SRDF
//! - `kinematics`: places of the links for joint values
//! - `packages`: mesh files by their addresses
//! - `links`: parts and instances of the links
//! - `joints`: joints and poses of the assembly
//! - `neighbours`: rules for links that touch by design
//!
//! The reader is our own (docs/decisions/0023-import.md).

pub(crate) mod joints;
pub(crate) mod kinematics;
pub(crate) mod links;
pub(crate) mod neighbours;
pub(crate) mod packages;
pub(crate) mod robot;
pub(crate) mod semantics;
#[cfg(test)]
mod tests;

use crate::error::Error;
use crate::import::collect::Collector;
use crate::import::references::References;
use crate::import::urdf::kinematics::{joint_values, placements};
use crate::import::urdf::semantics::Semantics;
use crate::import::{FileFacts, ImportOptions};

/// Reads a robot, its SRDF and its meshes.
///
/// # Errors
/// Refuses xacro, a robot without exactly one root, a cycle, unknown names of joints and poses, missing meshes.
pub(crate) fn read(
    bytes: &[u8],
    file: &str,
    references: &mut References<'_>,
    options: &ImportOptions,
    collector: &mut Collector,
) -> Result<FileFacts, Error> {
    let robot = robot::parse(bytes, file)?;
    for link in &robot.without_child {
        collector.leave_out("joints of missing links", 1, link);
    }
    let semantics = Semantics::find(&robot, references, options, collector)?;
    let values = joint_values(&robot, &semantics, file, options, collector)?;
    let placements = placements(&robot, &values, file)?;
    let ids = links::place(&robot, &placements, file, references, options, collector)?;
    let rules = neighbours::rules(&robot, &semantics, &ids);
    let joints = joints::joints(&robot, &placements, &values, &ids, collector);
    let poses = joints::poses(&robot, &semantics, &joints, collector);
    let name = robot.name.clone();
    let sources = semantics.shown.into_iter().collect();
    Ok(FileFacts { name, rules, joints, poses, sources, ..FileFacts::default() })
}
