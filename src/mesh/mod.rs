//! Floor 1: triangle meshes: reading, joining, health, measures.
pub mod tri_mesh;
pub use tri_mesh::TriMesh;
