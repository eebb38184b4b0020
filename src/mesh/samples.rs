//! Small solids with known measures, for the tests of this folder.

use super::TriMesh;
use crate::geom::Vec3;

/// An axis-aligned block with one corner at the origin, 8 vertices and 12 faces, outward.
pub(crate) fn block(x: f64, y: f64, z: f64) -> TriMesh {
    let vertices =
        (0..8u8).map(|i| Vec3::new(f64::from(i & 1) * x, f64::from(i >> 1 & 1) * y, f64::from(i >> 2) * z)).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|q: &[u32; 4]| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    TriMesh { vertices, triangles }
}

/// The mesh moved by `by`.
pub(crate) fn translated(mesh: &TriMesh, by: Vec3) -> TriMesh {
    TriMesh { vertices: mesh.vertices.iter().map(|v| v + by).collect(), triangles: mesh.triangles.clone() }
}

/// The mesh with every face turned over.
pub(crate) fn turned(mesh: &TriMesh) -> TriMesh {
    let triangles = mesh.triangles.iter().map(|t| [t[0], t[2], t[1]]).collect();
    TriMesh { vertices: mesh.vertices.clone(), triangles }
}

/// All meshes as one.
pub(crate) fn together(meshes: &[TriMesh]) -> TriMesh {
    let mut all = TriMesh::default();
    for m in meshes {
        let base = all.vertices.len() as u32;
        all.vertices.extend(&m.vertices);
        all.triangles.extend(m.triangles.iter().map(|t| t.map(|i| i + base)));
    }
    all
}
