//! Writes common solids as one binary STL file, for CAD programs.

use crate::geom::LengthUnit;
use crate::mesh::TriMesh;
use crate::report::decompose::{PieceMesh, write_stl};
use std::io;

/// Writes meshes as one binary STL file: coordinates in the frame of the root assembly, in the given unit, single
/// precision. Without a mesh, the file has no triangle. Cost: linear in the triangles.
///
/// # Errors
/// Refuses more than 2³² − 1 triangles.
pub fn stl(meshes: &[TriMesh], unit: LengthUnit) -> io::Result<Vec<u8>> {
    let mut all = TriMesh::default();
    for mesh in meshes {
        let first = all.vertices.len() as u32;
        all.vertices.extend(mesh.vertices.iter().map(|v| v / unit.mm()));
        all.triangles.extend(mesh.triangles.iter().map(|t| t.map(|v| first + v)));
    }
    let mut bytes = io::Cursor::new(Vec::new());
    write_stl(PieceMesh { vertices: &all.vertices, triangles: &all.triangles }, &mut bytes)?;
    Ok(bytes.into_inner())
}
