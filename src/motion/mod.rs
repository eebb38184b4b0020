//! Joints and the rigid motions that they make: the kinematics of an assembly, without its shapes.

pub mod chain;
pub mod joint;

pub use chain::{Cell, Chain, ChainJoint, Law};
pub use joint::{Joint, JointKind};
