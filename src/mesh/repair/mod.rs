//! Repairs of a mesh file: merging equal vertices, welding near ones, orienting shells, nesting shells.
pub(crate) mod merge_vertices;
pub(crate) mod merge_vertices_f32;
pub(crate) mod orient;
pub(crate) mod shell_nesting;
pub(crate) mod weld;
