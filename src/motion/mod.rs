//! Joints and the rigid motions that they make: the kinematics of an assembly, without its shapes.
//!
//! - `joint`: one joint
//! - `chain`: the joints between two parts, with their values in a run
//! - `frame`: a chain over one cell: bounds of displacement, first order and remainder
//! - `orbit`: all places of a shape during a turn
//! - `mechanism`: the tree of all joints, and its loops
//! - `loops`: values of joints that close a ring
//! - `run`: the joint values that a check covers
//! - `segments`: the laws of all joints over a run

pub mod chain;
pub mod frame;
pub mod joint;
pub mod loops;
pub mod mechanism;
#[cfg(test)]
mod mechanism_tests;
pub mod orbit;
pub mod run;
pub mod segments;

pub use chain::{Cell, Chain, ChainJoint, Law};
pub use frame::{Frame, MovingAxis, Spread, Twist};
pub use joint::{Joint, JointKind};
pub use mechanism::{Follow, JointIx, Loop, Mechanism, MechanismJoint};
pub use orbit::{Orbit, OrbitAxis};
pub(crate) use run::sweep_name;
pub use run::{ALL_JOINTS, AS_DRAWN, RunKind, Segment};
pub use segments::LoopStop;
