//! Prepares one part for queries (floor 2).
//!
//! - `hull`: exact convex hull, its facets and oriented box.
//! - `polytope`: the hull prepared for convex queries.
//! - `surface`: the triangles prepared for queries: BVH, nearest point, inside test.
//! - `self_union`: union of the part's overlapping shells.
//! - `decompose`: cover of the part by convex pieces.
pub mod decompose;
pub mod hull;
pub mod polytope;
pub mod self_union;
pub mod surface;

use crate::geom::Vec3;
use crate::mesh::{LoadedMesh, MeshError, TriMesh};
use surface::{Inside, Surface};

/// Prepares a mesh from memory as a solid, in its own frame (mm); `None` if it has no definite inside.
///
/// # Errors
/// Returns the reason for a mesh without triangles, or with indices or coordinates out of range.
pub(crate) fn solid_surface(mesh: &TriMesh) -> Result<Option<Surface>, MeshError> {
    let LoadedMesh { mesh, health, .. } = LoadedMesh::from_tri_mesh(mesh.clone())?;
    Ok(health.enclosing.then(|| Surface::new(&mesh, &Vec3::zeros(), Inside::Solid)))
}
