//! Solids of closed form, and the files they are stored in. Outward triangles.

use interfere::geom::Vec3;
use interfere::geom::math::sin_cos_deg;
use interfere::mesh::TriMesh;
use interfere::shape::hull;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The box between two corners.
pub fn cuboid(min: [f64; 3], max: [f64; 3]) -> TriMesh {
    let square = |z: f64| {
        [[min[0], min[1]], [max[0], min[1]], [max[0], max[1]], [min[0], max[1]]].map(|[x, y]| Vec3::new(x, y, z))
    };
    between(&square(min[2]), &square(max[2]))
}

/// A prism over a regular polygon whose corners lie at `radius`, the first on the x axis.
pub fn prism(sides: usize, radius: f64, z: [f64; 2]) -> TriMesh {
    between(&ring(sides, radius, z[0]), &ring(sides, radius, z[1]))
}

/// A prism with a hole; the corners of both polygons lie at the radii.
pub fn tube(sides: usize, outer: f64, inner: f64, z: [f64; 2]) -> TriMesh {
    let mut vertices = ring(sides, outer, z[0]);
    vertices.extend(ring(sides, outer, z[1]));
    vertices.extend(ring(sides, inner, z[0]));
    vertices.extend(ring(sides, inner, z[1]));
    let n = sides as u32;
    let mut triangles = Vec::new();
    for i in 0..n {
        let j = (i + 1) % n;
        // Rows of corners: outer low, outer high, inner low, inner high.
        let [a, b, c, d] = [0, n, 2 * n, 3 * n];
        let mut quad = |p: u32, q: u32, r: u32, s: u32| triangles.extend([[p, q, r], [p, r, s]]);
        quad(a + i, a + j, b + j, b + i);
        quad(c + j, c + i, d + i, d + j);
        quad(b + i, b + j, d + j, d + i);
        quad(a + j, a + i, c + i, c + j);
    }
    TriMesh { vertices, triangles }
}

/// The solid between a convex polygon, counter-clockwise seen from above, and the same number of corners above it.
pub fn between(low: &[Vec3], high: &[Vec3]) -> TriMesh {
    let n = low.len() as u32;
    let mut triangles = Vec::new();
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, j, n + j], [i, n + j, n + i]]);
        if i > 0 && j > 0 {
            triangles.extend([[0, j, i], [n, n + i, n + j]]);
        }
    }
    TriMesh { vertices: low.iter().chain(high).copied().collect(), triangles }
}

fn ring(sides: usize, radius: f64, z: f64) -> Vec<Vec3> {
    (0..sides)
        .map(|k| {
            let (s, c) = sin_cos_deg(360.0 * k as f64 / sides as f64);
            Vec3::new(radius * c, radius * s, z)
        })
        .collect()
}

/// The filled cells of a grid with these planes along x, y and z, inner walls left out. Filled cells that touch must share
/// a side, or a chain of sides around what they touch in.
pub fn cells(planes: [&[f64]; 3], filled: impl Fn([usize; 3]) -> bool) -> TriMesh {
    let counts = planes.map(|p| p.len() - 1);
    let full =
        |at: [isize; 3]| (0..3).all(|k| at[k] >= 0 && (at[k] as usize) < counts[k]) && filled(at.map(|i| i as usize));
    let mut index = BTreeMap::new();
    let mut mesh = TriMesh::default();
    for code in 0..counts.iter().product::<usize>() {
        let at = [code % counts[0], code / counts[0] % counts[1], code / (counts[0] * counts[1])].map(|i| i as isize);
        for (axis, side) in (0..3).flat_map(|axis| [(axis, 0), (axis, 1)]) {
            let mut beyond = at;
            beyond[axis] += 2 * side - 1;
            if !full(at) || full(beyond) {
                continue;
            }
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let corner = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[i, j]| {
                let mut node = at;
                node[axis] += side;
                node[u] += i;
                node[v] += j;
                *index.entry(node).or_insert_with(|| {
                    mesh.vertices.push(Vec3::from([0, 1, 2].map(|k| planes[k][node[k] as usize])));
                    mesh.vertices.len() as u32 - 1
                })
            });
            let [a, b, c, d] = if side == 1 { corner } else { [corner[3], corner[2], corner[1], corner[0]] };
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

/// A ball's inscribed octahedron, its faces cut into four and blown up to the ball `levels` times; centrally symmetric.
pub fn ball(radius: f64, levels: usize) -> TriMesh {
    let vertices = [Vec3::x(), Vec3::y(), Vec3::z(), -Vec3::x(), -Vec3::y(), -Vec3::z()];
    let up = [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2]];
    let down = up.map(|[a, b, _]| [b, a, 5]);
    let mut mesh = TriMesh { vertices: vertices.to_vec(), triangles: [up, down].concat() };
    for _ in 0..levels {
        mesh = finer(&mesh);
        mesh.vertices.iter_mut().for_each(|v| *v = v.normalize());
    }
    mesh.vertices.iter_mut().for_each(|v| *v *= radius);
    mesh
}

/// Several meshes as one.
pub fn together(meshes: &[TriMesh]) -> TriMesh {
    let mut out = TriMesh::default();
    for mesh in meshes {
        let first = out.vertices.len() as u32;
        out.vertices.extend(&mesh.vertices);
        out.triangles.extend(mesh.triangles.iter().map(|t| t.map(|i| first + i)));
    }
    out
}

/// The same surface wound the other way.
pub fn turned(mesh: &TriMesh) -> TriMesh {
    TriMesh { vertices: mesh.vertices.clone(), triangles: mesh.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect() }
}

/// The hull of points as a mesh; `None` where they span no solid.
pub fn hull_of(points: &[Vec3]) -> Option<TriMesh> {
    let hull = hull::convex_hull(points);
    (hull.rank == 3).then_some(TriMesh { vertices: hull.vertices, triangles: hull.triangles })
}

/// Every triangle cut into four.
pub fn finer(mesh: &TriMesh) -> TriMesh {
    let mut out = TriMesh::default();
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|i| mesh.vertices[i as usize]);
        let k = out.vertices.len() as u32;
        out.vertices.extend([a, b, c, (a + b) * 0.5, (b + c) * 0.5, (c + a) * 0.5]);
        out.triangles.extend([[k, k + 3, k + 5], [k + 3, k + 1, k + 4], [k + 5, k + 4, k + 2], [k + 3, k + 4, k + 5]]);
    }
    out
}

/// The mesh moved.
pub fn moved(mesh: &TriMesh, by: Vec3) -> TriMesh {
    TriMesh { vertices: mesh.vertices.iter().map(|v| v + by).collect(), triangles: mesh.triangles.clone() }
}

/// As an OBJ file, all digits.
pub fn obj(mesh: &TriMesh) -> String {
    let mut out = String::new();
    for v in &mesh.vertices {
        // Adding zero takes the sign from -0.
        writeln!(out, "v {} {} {}", v.x + 0.0, v.y + 0.0, v.z + 0.0).expect("text grows");
    }
    for [a, b, c] in &mesh.triangles {
        writeln!(out, "f {} {} {}", a + 1, b + 1, c + 1).expect("text grows");
    }
    out
}

/// As a binary STL file, rounded to single precision.
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
