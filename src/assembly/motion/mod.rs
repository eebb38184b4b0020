//! Joints and runs of an assembly: names, locations, and the joint that moves each instance.
//!
//! - `all_joints`: the joints that a sweep can move, and the sweep of all of them at once
//! - `chosen`: the runs of a check
//! - `joints`: joints of all files, in the coordinates of the root
//! - `loops`: loops of all files, and the joints that they solve
//! - `moves`: the joint that moves each instance
//! - `runs`: poses and sweeps of the root file
//! - `scope`: the tree of files, with the ids of all instances

pub(crate) mod all_joints;
pub mod chosen;
pub(crate) mod joints;
pub(crate) mod loops;
pub(crate) mod moves;
pub(crate) mod runs;
pub(crate) mod scope;

use crate::assembly::file::tree::File;
use crate::error::Location;
use crate::motion::{JointIx, Mechanism, RunKind};

/// Joints and runs of an assembly; empty for an assembly without joints.
#[derive(Debug, Clone, Default)]
pub struct Motion {
    /// Names and locations of the joints, by [`JointIx`].
    pub joints: Vec<NamedJoint>,
    /// The tree of the joints.
    pub mechanism: Mechanism,
    /// Poses, then sweeps, in file order.
    pub runs: Vec<NamedRun>,
}

/// Name of a joint and its location.
#[derive(Debug, Clone)]
pub struct NamedJoint {
    /// Full name, joined with `/` through sub-assemblies; unique.
    pub name: String,
    /// Location of its definition.
    pub at: Location,
}

/// A pose or a sweep.
#[derive(Debug, Clone)]
pub struct NamedRun {
    /// Name; unique among the runs, never [`AS_DRAWN`](crate::motion::AS_DRAWN).
    pub name: String,
    /// Location of its definition.
    pub at: Location,
    /// Joint values.
    pub kind: RunKind,
}

/// Finds the joints and runs of all files and the joint of each instance, and adds their problems to the files. `clean`
/// is true if the files have no other problems.
pub(crate) fn resolve(files: &mut [File], clean: bool) -> (Motion, Vec<Option<JointIx>>) {
    if !files.iter().any(|f| f.raw.has_motion()) {
        return Default::default();
    }
    let scope = scope::Scope::of(files);
    let mut report = scope::Report::default();
    let mut tree = joints::JointTree::of(files, &scope, &mut report);
    let moved_by = moves::instances(files, &scope, &mut tree, clean, &mut report);
    let mechanism = tree.mechanism(files, &mut report);
    let mechanism = mechanism.map(|m| loops::with_loops(m, files, &scope, &tree, &mut report));
    let runs = runs::runs(files, &tree, mechanism.as_ref(), &mut report);
    for (file, problem) in report.problems {
        files[file].problems.push(problem);
    }
    let joints = tree.joints.into_iter().map(|j| NamedJoint { name: j.name, at: j.at }).collect();
    (Motion { joints, mechanism: mechanism.unwrap_or_default(), runs }, moved_by)
}
