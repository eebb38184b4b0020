//! The same surface with other triangles.

use super::Rng;
use super::solids::finer;
use interfere::internals::mesh::TriMesh;
use std::collections::BTreeMap;

/// Merges vertices of equal position.
pub fn indexed(mesh: &TriMesh) -> TriMesh {
    let mut index = BTreeMap::new();
    let mut out = TriMesh::default();
    for t in &mesh.triangles {
        out.triangles.push(t.map(|i| {
            let v = mesh.vertices[i as usize];
            // Adding zero turns -0 into 0.
            *index.entry([v.x, v.y, v.z].map(|x| (x + 0.0).to_bits())).or_insert_with(|| {
                out.vertices.push(v);
                out.vertices.len() as u32 - 1
            })
        }));
    }
    out
}

/// Cuts every triangle into four, `levels` times, up to about `most` triangles.
pub fn refined(mesh: &TriMesh, levels: usize, most: usize) -> TriMesh {
    let mut out = mesh.clone();
    for _ in 0..levels {
        if 4 * out.triangles.len() > most {
            break;
        }
        out = finer(&out);
    }
    out
}

/// Makes `cuts` random cuts: a point in a triangle joined to its corners, or a point on an edge joined to the opposite
/// corners. The surface stays as closed as before; points on an edge lie there up to rounding.
pub fn irregular(mesh: &TriMesh, cuts: usize, rng: &mut Rng) -> TriMesh {
    let mut out = indexed(mesh);
    for _ in 0..cuts {
        let t = rng.below(out.triangles.len());
        let turn = rng.below(3);
        let [a, b, c] = [0, 1, 2].map(|k| out.triangles[t][(turn + k) % 3]);
        let at = |i: u32| out.vertices[i as usize];
        let new = out.vertices.len() as u32;
        if rng.below(2) == 0 {
            let (s, u) = (rng.range(0.2, 0.5), rng.range(0.2, 0.4));
            let point = at(a) * (1.0 - s - u) + at(b) * s + at(c) * u;
            out.vertices.push(point);
            out.triangles[t] = [a, b, new];
            out.triangles.extend([[b, c, new], [c, a, new]]);
            continue;
        }
        let across: Vec<usize> = (0..out.triangles.len())
            .filter(|&k| k != t && out.triangles[k].contains(&a) && out.triangles[k].contains(&b))
            .collect();
        if let [other] = across[..] {
            let point = at(a) + (at(b) - at(a)) * rng.range(0.2, 0.8);
            let d = out.triangles[other].into_iter().find(|i| *i != a && *i != b).expect("three corners");
            out.vertices.push(point);
            out.triangles[t] = [a, new, c];
            out.triangles[other] = [a, d, new];
            out.triangles.extend([[new, b, c], [new, d, b]]);
        }
    }
    out
}
