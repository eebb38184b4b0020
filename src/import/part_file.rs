//! The mesh file of a part, without loss: binary STL if single precision holds all coordinates, else binary PLY in
//! double precision.

use crate::import::ImportedPart;
use crate::mesh::TriMesh;

/// Ending and bytes of a part's file.
pub(crate) fn part_file(part: &ImportedPart) -> (&'static str, Vec<u8>) {
    let is_single = |x: &f64| f64::from(*x as f32).to_bits() == (x + 0.0).to_bits() || *x == 0.0;
    if part.mesh.vertices.iter().flatten().all(is_single) { ("stl", stl(&part.mesh)) } else { ("ply", ply(&part.mesh)) }
}

/// Binary STL with zero normals; the coordinates fit single precision.
fn stl(mesh: &TriMesh) -> Vec<u8> {
    let mut out = vec![0; 80];
    out[..9].copy_from_slice(b"interfere");
    out.reserve(4 + 50 * mesh.triangles.len());
    out.extend((mesh.triangles.len() as u32).to_le_bytes());
    for t in &mesh.triangles {
        out.extend([0; 12]);
        for corner in t {
            for x in mesh.vertices[*corner as usize].iter() {
                out.extend((*x as f32 + 0.0).to_le_bytes());
            }
        }
        out.extend([0; 2]);
    }
    out
}

/// Binary PLY in double precision, with the used vertices in the order of their first use.
fn ply(mesh: &TriMesh) -> Vec<u8> {
    let mut number = vec![u32::MAX; mesh.vertices.len()];
    let mut used = Vec::new();
    for corner in mesh.triangles.iter().flatten() {
        if number[*corner as usize] == u32::MAX {
            number[*corner as usize] = used.len() as u32;
            used.push(mesh.vertices[*corner as usize]);
        }
    }
    let mut out = format!(
        "ply\nformat binary_little_endian 1.0\ncomment interfere\nelement vertex {}\nproperty double x\n\
         property double y\nproperty double z\nelement face {}\nproperty list uchar uint vertex_indices\nend_header\n",
        used.len(),
        mesh.triangles.len()
    )
    .into_bytes();
    out.reserve(24 * used.len() + 13 * mesh.triangles.len());
    for x in used.iter().flatten() {
        out.extend((x + 0.0).to_le_bytes());
    }
    for t in &mesh.triangles {
        out.push(3);
        for corner in t {
            out.extend(number[*corner as usize].to_le_bytes());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::LengthUnit;
    use crate::mesh;
    use crate::testkit::solids::block;

    fn part(mesh: TriMesh) -> ImportedPart {
        let (name, names) = ("a".to_owned(), Vec::new());
        ImportedPart { name, names, mesh, units: LengthUnit::Mm, deflection: None, colour: None }
    }

    #[test]
    fn no_coordinate_changes() {
        for (size, expected) in [(0.5, "stl"), (0.1, "ply"), (1e-44, "ply")] {
            let mesh = block([-size; 3], [size; 3]);
            let (ending, bytes) = part_file(&part(mesh.clone()));
            assert_eq!(ending, expected);
            let read = mesh::load(&bytes).unwrap();
            let sorted = |m: &TriMesh| {
                let mut bits: Vec<_> = m.vertices.iter().map(|v| [v.x, v.y, v.z].map(f64::to_bits)).collect();
                bits.sort_unstable();
                bits
            };
            assert_eq!(sorted(&read.mesh), sorted(&mesh));
            assert_eq!(read.single_precision, ending == "stl");
        }
    }
}
