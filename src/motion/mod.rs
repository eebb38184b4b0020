//! Joints and the rigid motions that they make: the kinematics of an assembly, without its shapes.
//!
//! - `joint`: one joint
//! - `chain`: the joints between two parts, with their values in a run
//! - `mechanism`: the tree of all joints
//! - `run`: the joint values that a check covers

pub mod chain;
pub mod joint;
pub mod mechanism;
#[cfg(test)]
mod mechanism_tests;
pub mod run;

pub use chain::{Cell, Chain, ChainJoint, Law};
pub use joint::{Joint, JointKind};
pub use mechanism::{Follow, JointIx, Mechanism, MechanismJoint};
pub use run::{AS_DRAWN, RunKind, Segment};
