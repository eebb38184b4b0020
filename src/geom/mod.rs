//! Floor 0: numbers, vectors, poses, boxes and exact predicates. No I/O, no logging; derives serialisation only.
//!
//! - `math`: scalars and vectors
//! - `unit`: length units
//! - `length`: lengths as people write them
//! - `tolerance`: shared tolerances and limits
//! - `pose`: placements and rigid motions
//! - `aabb`, `obb`: axis-aligned and oriented boxes
//! - `interval`: certified bounds of the gap
//! - `predicates`: exact orientation tests
//! - `triangle`: queries on two triangles, or a point and a triangle
//! - `rows`: rows of numbers in one list
//! - `union_find`: disjoint sets
//! - `serde_infinity`: infinite numbers in JSON

pub mod aabb;
pub(crate) mod clip;
pub mod interval;
pub(crate) mod length;
#[cfg(test)]
mod length_tests;
pub mod math;
pub mod obb;
pub mod pose;
pub mod predicates;
pub(crate) mod rows;
pub mod serde_infinity;
pub mod tolerance;
pub mod triangle;
pub(crate) mod union_find;
pub mod unit;

pub use crate::geom::aabb::Aabb;
pub use crate::geom::interval::Bounds;
pub use crate::geom::math::{Mat3, Vec2, Vec3};
pub use crate::geom::obb::Obb;
pub use crate::geom::pose::{Affine, Pose};
pub use crate::geom::unit::LengthUnit;
