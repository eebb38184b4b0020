//! Robots of every description language as links and joints: places of the links, their parts, joints and rules.
//!
//! - `model`: links, geometries and joints
//! - `kinematics`: places of the links for joint values
//! - `packages`: mesh files by their addresses
//! - `shapes`: the mesh of each geometry
//! - `places`: parts and instances of the links
//! - `joints`: joints and poses of the assembly
//! - `neighbours`: rules for links that touch by design

pub(crate) mod joints;
pub(crate) mod kinematics;
pub(crate) mod model;
pub(crate) mod neighbours;
pub(crate) mod packages;
pub(crate) mod places;
pub(crate) mod shapes;

use crate::error::Error;
use crate::import::collect::Collector;
use crate::import::references::References;
use crate::import::robot::model::{Poses, Robot};
use crate::import::robot::places::Placed;
use crate::import::{FileFacts, ImportOptions};
use std::collections::BTreeSet;

/// A robot as an assembly.
pub(crate) struct Built {
    pub(crate) facts: FileFacts,
    /// Instances of each link.
    pub(crate) placed: Vec<Placed>,
    /// Pairs of links with a rule, the lower index first.
    pub(crate) ruled: BTreeSet<(usize, usize)>,
}

/// Places the links of a robot and reads their meshes. `states` are its named poses, `apart` further pairs of links to
/// ignore, each with its reason.
///
/// # Errors
/// Refuses a robot without exactly one root, a cycle, unknown names of joints and poses, missing meshes.
pub(crate) fn build(
    robot: &Robot,
    states: &Poses,
    apart: &[([usize; 2], String)],
    file: &str,
    references: &References<'_>,
    options: &ImportOptions,
    collector: &mut Collector,
) -> Result<Built, Error> {
    let values = kinematics::joint_values(robot, states, file, options, collector)?;
    let placements = kinematics::placements(robot, &values, file)?;
    let placed = places::place(robot, &placements, file, references, options, collector)?;
    let (rules, ruled) = neighbours::rules(robot, &placed, apart);
    let joints = joints::joints(robot, &placements, &values, &placed, collector);
    let poses = joints::poses(robot, states, &values, &joints, collector);
    let (joints, _) = joints;
    let links = places::links(robot, &placed, options.visual);
    let facts = FileFacts { name: robot.name.clone(), rules, joints, poses, links, ..FileFacts::default() };
    Ok(Built { facts, placed, ruled })
}
