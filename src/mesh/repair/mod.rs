//! Repairs of a mesh file, in their order.
//!
//! - `merge_vertices`, `merge_vertices_f32`: one vertex for equal positions, in double and single precision
//! - `weld`: closes rounding cracks between open edges
//! - `orient`: makes the faces of a closed mesh agree and point outward
//! - `shell_nesting`: finds the shells wound inside out, for `orient`
pub(crate) mod merge_vertices;
pub(crate) mod merge_vertices_f32;
pub(crate) mod orient;
pub(crate) mod shell_nesting;
pub(crate) mod weld;
