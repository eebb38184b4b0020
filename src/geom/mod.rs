//! Floor 0: numbers, vectors, poses, boxes and exact predicates. No I/O, no logging; serialisation is derived, nothing
//! is rendered.

pub mod aabb;
pub mod math;
pub mod obb;
pub mod pose;
pub mod predicates;
pub mod tolerance;
pub mod unit;
pub mod wire;

pub use aabb::Aabb;
pub use math::{Mat3, Vec2, Vec3};
pub use obb::Obb;
pub use pose::{Affine, Pose};
pub use unit::LengthUnit;
