//! Small solids with known measures, and random numbers, for tests.

use crate::geom::Vec3;
use crate::mesh::TriMesh;

/// An axis-aligned block with one corner at the origin, 8 vertices and 12 faces, oriented outward.
pub(crate) fn block(x: f64, y: f64, z: f64) -> TriMesh {
    let vertices =
        (0..8u8).map(|i| Vec3::new(f64::from(i & 1) * x, f64::from(i >> 1 & 1) * y, f64::from(i >> 2) * z)).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|q: &[u32; 4]| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    TriMesh { vertices, triangles }
}

/// Moves the mesh by `by`.
pub(crate) fn translated(mesh: &TriMesh, by: Vec3) -> TriMesh {
    TriMesh { vertices: mesh.vertices.iter().map(|v| v + by).collect(), triangles: mesh.triangles.clone() }
}

/// Reverses every face of the mesh.
pub(crate) fn turned(mesh: &TriMesh) -> TriMesh {
    let triangles = mesh.triangles.iter().map(|t| [t[0], t[2], t[1]]).collect();
    TriMesh { vertices: mesh.vertices.clone(), triangles }
}

/// Joins meshes to one.
pub(crate) fn joined(meshes: &[TriMesh]) -> TriMesh {
    let mut all = TriMesh::default();
    for m in meshes {
        let base = all.vertices.len() as u32;
        all.vertices.extend(&m.vertices);
        all.triangles.extend(m.triangles.iter().map(|t| t.map(|i| i + base)));
    }
    all
}

/// A fixed pseudo-random sequence (Knuth's 64-bit linear congruential generator).
pub(crate) struct Rng(pub u64);

impl Rng {
    /// Returns a number from −1 (included) to 1 (excluded).
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Returns an integer from 0 to `n` (excluded).
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (0.5 * (self.unit() + 1.0) * n as f64) as usize % n
    }

    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit())
    }
}

/// Random subset of 27 unit cubes, with the centre one: edges and corners of every kind, some of them shared by cubes
/// in contact only there.
pub(crate) fn cubes(dice: &mut Rng) -> TriMesh {
    let mut full = [[[false; 5]; 5]; 5];
    for i in 0..27 {
        full[1 + i % 3][1 + i / 3 % 3][1 + i / 9] = dice.unit() < 0.2;
    }
    full[2][2][2] = true;
    let mut mesh = TriMesh::default();
    let id = |p: [usize; 3]| (p[0] + 5 * p[1] + 25 * p[2]) as u32;
    mesh.vertices = (0..125_u8).map(|i| Vec3::new(f64::from(i % 5), f64::from(i / 5 % 5), f64::from(i / 25))).collect();
    for i in 0..27 {
        let cube = [1 + i % 3, 1 + i / 3 % 3, 1 + i / 9];
        if !full[cube[0]][cube[1]][cube[2]] {
            continue;
        }
        for axis in 0..3 {
            for far in [0, 1] {
                let mut beside = cube;
                beside[axis] = beside[axis] + 2 * far - 1;
                if full[beside[0]][beside[1]][beside[2]] {
                    continue;
                }
                let corner = |u: usize, v: usize| {
                    let mut p = cube;
                    p[axis] += far;
                    p[(axis + 1) % 3] += u;
                    p[(axis + 2) % 3] += v;
                    id(p)
                };
                let mut quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                if far == 0 {
                    quad.reverse();
                }
                quad.rotate_left(dice.below(2));
                mesh.triangles.extend([[quad[0], quad[1], quad[2]], [quad[0], quad[2], quad[3]]]);
            }
        }
    }
    mesh
}

/// A ring: revolves a closed profile of radii (> 0) and heights, counter-clockwise, about the z axis in `n` facets.
pub(crate) fn ring(profile: &[[f64; 2]], n: usize) -> TriMesh {
    let mut mesh = TriMesh::default();
    for k in 0..n {
        let angle = std::f64::consts::TAU * k as f64 / n as f64;
        let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
        mesh.vertices.extend(profile.iter().map(|[r, z]| Vec3::new(r * cosine, r * sine, *z)));
    }
    let m = profile.len();
    for k in 0..n {
        for i in 0..m {
            let at = |k: usize, i: usize| (k % n * m + i % m) as u32;
            let quad = [at(k, i), at(k + 1, i), at(k + 1, i + 1), at(k, i + 1)];
            mesh.triangles.extend([[quad[0], quad[1], quad[2]], [quad[0], quad[2], quad[3]]]);
        }
    }
    mesh
}

/// Refines a mesh without changing its surface: `times` cuts a random triangle at an inner point, or the triangles at
/// an edge at a point of this edge.
pub(crate) fn refined(mesh: &TriMesh, dice: &mut Rng, times: usize) -> TriMesh {
    let mut mesh = mesh.clone();
    for _ in 0..times {
        let t = dice.below(mesh.triangles.len());
        let [a, b, c] = mesh.triangles[t];
        let new = mesh.vertices.len() as u32;
        let share = 0.5 + 0.45 * dice.unit();
        let [p, q, r] = [a, b, c].map(|v| mesh.vertices[v as usize]);
        if dice.unit() < 0.0 {
            mesh.vertices.push((p * share + q * (1.0 - share)) * 0.8 + r * 0.2);
            mesh.triangles[t] = [a, b, new];
            mesh.triangles.extend([[b, c, new], [c, a, new]]);
            continue;
        }
        mesh.vertices.push(p * share + q * (1.0 - share));
        let edge = |t: &[u32; 3]| (0..3).find(|&k| t.contains(&a) && t.contains(&b) && t[k] != a && t[k] != b);
        for i in 0..mesh.triangles.len() {
            let Some(k) = edge(&mesh.triangles[i]) else { continue };
            let old = mesh.triangles[i];
            let [tip, from, to] = [old[k], old[(k + 1) % 3], old[(k + 2) % 3]];
            mesh.triangles[i] = [tip, from, new];
            mesh.triangles.push([tip, new, to]);
        }
    }
    mesh
}
