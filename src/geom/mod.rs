//! Floor 0: numbers, vectors, poses, boxes and exact predicates. No I/O, no logging; serialisation is derived, nothing
//! is rendered.

pub mod aabb;
pub mod math;
pub mod obb;
pub mod pose;
pub mod predicates;
pub mod serde_infinity;
pub mod tolerance;
pub mod triangle;
pub(crate) mod union_find;
pub mod unit;

pub use crate::geom::aabb::Aabb;
pub use crate::geom::math::{Mat3, Vec2, Vec3};
pub use crate::geom::obb::Obb;
pub use crate::geom::pose::{Affine, Pose};
pub use crate::geom::unit::LengthUnit;
