//! The solids of the library's test kit, and their files.

use interfere::internals::mesh::TriMesh;
pub use interfere::testkit::solids::{
    ball, between, block, cells, extruded, finer, hull_of, joined, prism, reversed, translated, tube,
};
use std::fmt::Write;

/// OBJ file with all digits.
pub fn obj(mesh: &TriMesh) -> String {
    let mut out = String::new();
    for v in &mesh.vertices {
        // Adding zero turns -0 into 0.
        writeln!(out, "v {} {} {}", v.x + 0.0, v.y + 0.0, v.z + 0.0).expect("text grows");
    }
    for [a, b, c] in &mesh.triangles {
        writeln!(out, "f {} {} {}", a + 1, b + 1, c + 1).expect("text grows");
    }
    out
}

/// Binary STL file, rounded to single precision.
pub fn stl(mesh: &TriMesh) -> Vec<u8> {
    let mut out = b"made by tests/suite/generate.rs".to_vec();
    out.resize(80, 0);
    out.extend((mesh.triangles.len() as u32).to_le_bytes());
    for t in &mesh.triangles {
        out.extend([0; 12]);
        for i in t {
            for x in mesh.vertices[*i as usize].iter() {
                out.extend((*x as f32 + 0.0).to_le_bytes());
            }
        }
        out.extend([0; 2]);
    }
    out
}
