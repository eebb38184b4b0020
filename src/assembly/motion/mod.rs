//! Joints and runs of an assembly: names, locations, and the joint that moves each instance.
//!
//! - `chosen`: the runs of a check
//! - `joints`: joints of all files, in the coordinates of the root
//! - `moves`: the joint that moves each instance
//! - `runs`: poses and sweeps of the root file
//! - `scope`: the tree of files, with the ids of all instances

pub mod chosen;
pub(crate) mod joints;
pub(crate) mod moves;
pub(crate) mod runs;
pub(crate) mod scope;

use crate::assembly::InstanceIx;
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
    /// Joint that moves each instance; empty without joints.
    pub moved_by: Vec<Option<JointIx>>,
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

impl Motion {
    /// Joint that moves an instance; `None` for an instance at rest.
    pub fn joint_of(&self, instance: InstanceIx) -> Option<JointIx> {
        self.moved_by.get(instance.0 as usize).copied().flatten()
    }

    /// True if no joint lies between two instances: they keep their relative pose in every run.
    pub fn is_static(&self, a: InstanceIx, b: InstanceIx) -> bool {
        self.mechanism.is_static(self.joint_of(a), self.joint_of(b))
    }
}

/// Finds the joints and runs of all files, and adds their problems to the files. `clean` is true if the files have no
/// other problems.
pub(crate) fn resolve(files: &mut [File], clean: bool) -> Motion {
    if !files.iter().any(|f| f.raw.has_motion()) {
        return Motion::default();
    }
    let scope = scope::Scope::of(files);
    let mut report = scope::Report::default();
    let mut tree = joints::JointTree::of(files, &scope, &mut report);
    let moved_by = moves::instances(files, &scope, &mut tree, clean, &mut report);
    let mechanism = tree.mechanism(files, &mut report);
    let runs = runs::runs(files, &tree, mechanism.as_ref(), &mut report);
    for (file, problem) in report.problems {
        files[file].problems.push(problem);
    }
    let joints = tree.joints.into_iter().map(|j| NamedJoint { name: j.name, at: j.at }).collect();
    Motion { joints, mechanism: mechanism.unwrap_or_default(), moved_by, runs }
}
