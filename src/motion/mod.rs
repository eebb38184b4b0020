//! Joints and the rigid motions that they make: the kinematics of an assembly, without its shapes.

pub mod joint;

pub use joint::{Joint, JointKind};
