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
