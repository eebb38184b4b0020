//! An indexed triangle mesh.

use crate::geom::Vec3;

/// Triangles over shared vertices; counter-clockwise seen from outside, if the mesh has an outside.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TriMesh {
    /// Vertex positions in the part's frame (unit of the mesh).
    pub vertices: Vec<Vec3>,
    /// Indices into `vertices`, three per triangle.
    pub triangles: Vec<[u32; 3]>,
}
