//! Small solids with known measures, and changes of meshes, for tests. Lengths are in mm; every solid is closed and its
//! triangles are wound outward.

use crate::geom::math::sin_cos_deg;
use crate::geom::{Pose, Vec3};
use crate::mesh::TriMesh;
use crate::shape::hull;
use crate::testkit::rng::Rng;
use std::collections::BTreeMap;

/// The axis-aligned block between two corners: 8 vertices, 12 triangles.
pub fn block(min: [f64; 3], max: [f64; 3]) -> TriMesh {
    let square = |z: f64| {
        [[min[0], min[1]], [max[0], min[1]], [max[0], max[1]], [min[0], max[1]]].map(|[x, y]| Vec3::new(x, y, z))
    };
    between(&square(min[2]), &square(max[2]))
}

/// Eight corners of a box of half extents `h` about the origin.
pub fn corners(h: Vec3) -> [Vec3; 8] {
    std::array::from_fn(|i| {
        let sign = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        Vec3::new(h.x * sign(0), h.y * sign(1), h.z * sign(2))
    })
}

/// The corners of a regular polygon at a height `z`, counter-clockwise from above: at `radius` from the z axis, the
/// first on the x axis.
pub fn circle(sides: usize, radius: f64, z: f64) -> Vec<Vec3> {
    (0..sides)
        .map(|k| {
            let (s, c) = sin_cos_deg(360.0 * k as f64 / sides as f64);
            Vec3::new(radius * c, radius * s, z)
        })
        .collect()
}

/// A prism over a regular polygon, from one height to another; the corners lie at `radius`, the first on the x axis.
pub fn prism(sides: usize, radius: f64, z: [f64; 2]) -> TriMesh {
    between(&circle(sides, radius, z[0]), &circle(sides, radius, z[1]))
}

/// A prism over a polygon, counter-clockwise from above, whose first corner sees every other corner.
pub fn extruded(outline: &[[f64; 2]], z: [f64; 2]) -> TriMesh {
    let at = |z: f64| outline.iter().map(|p| Vec3::new(p[0], p[1], z)).collect::<Vec<_>>();
    between(&at(z[0]), &at(z[1]))
}

/// A prism with a hole about the z axis; the corners of both polygons lie at the radii, the first on the x axis.
pub fn tube(sides: usize, outer: f64, inner: f64, z: [f64; 2]) -> TriMesh {
    tube_between(z.map(|z| circle(sides, outer, z)), z.map(|z| circle(sides, inner, z)))
}

/// A solid with a hole: the lower and the upper polygon of its outside, and those of its hole, all with the same number
/// of corners, counter-clockwise from above, each seen from the corner of the same number.
pub fn tube_between(outer: [Vec<Vec3>; 2], inner: [Vec<Vec3>; 2]) -> TriMesh {
    let n = outer[0].len() as u32;
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
    TriMesh { vertices: outer.into_iter().chain(inner).flatten().collect(), triangles }
}

/// The solid between a polygon, counter-clockwise from above, and the same number of corners above it. The first corner
/// of each polygon must see every other corner.
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

/// A ring: revolves a closed profile of radii (> 0) and heights, counter-clockwise, about the z axis in `n` facets.
pub fn ring(profile: &[[f64; 2]], n: usize) -> TriMesh {
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

/// The filled cells of a grid with these planes along x, y and z, without inner walls. Filled cells in contact must
/// share a side, or a chain of sides around the contact.
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

/// Random subset of 27 unit cubes, with the centre one: edges and corners of every kind, some of them shared by cubes
/// in contact only there.
pub fn cubes(rng: &mut Rng) -> TriMesh {
    let mut full = [[[false; 5]; 5]; 5];
    for i in 0..27 {
        full[1 + i % 3][1 + i / 3 % 3][1 + i / 9] = rng.signed() < 0.2;
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
                quad.rotate_left(rng.below(2));
                mesh.triangles.extend([[quad[0], quad[1], quad[2]], [quad[0], quad[2], quad[3]]]);
            }
        }
    }
    mesh
}

/// A box of side 4 about the origin, each side cut into `n` × `n` squares, its vertices mapped by `shape`.
pub fn squared_box(n: u32, shape: impl Fn(Vec3) -> Vec3) -> TriMesh {
    let mut mesh = TriMesh::default();
    let mut index = BTreeMap::new();
    let mut vertex = |p: [u32; 3], mesh: &mut TriMesh| {
        *index.entry(p).or_insert_with(|| {
            mesh.vertices.push(shape(Vec3::from(p.map(|x| f64::from(x) * 4.0 / f64::from(n) - 2.0))));
            mesh.vertices.len() as u32 - 1
        })
    };
    for axis in 0..3 {
        for side in [0, n] {
            for (u, v) in (0..n).flat_map(|u| (0..n).map(move |v| (u, v))) {
                let at = |du: u32, dv: u32| {
                    let mut p = [0; 3];
                    (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (side, u + du, v + dv);
                    p
                };
                let [a, b, c, d] = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)].map(|p| vertex(p, &mut mesh));
                let quad = if side == 0 { [a, d, c, b] } else { [a, b, c, d] };
                mesh.triangles.extend([[quad[0], quad[1], quad[2]], [quad[0], quad[2], quad[3]]]);
            }
        }
    }
    mesh
}

/// A ball about the origin: an octahedron, its faces cut into four and moved out to the ball `levels` times; centrally
/// symmetric. The vertices lie at `radius`.
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

/// The hull of points; `None` for points in one plane.
pub fn hull_of(points: &[Vec3]) -> Option<TriMesh> {
    let hull = hull::convex_hull(points);
    (hull.rank == 3).then_some(TriMesh { vertices: hull.vertices, triangles: hull.triangles })
}

/// Moves the mesh by a vector.
pub fn translated(mesh: &TriMesh, by: Vec3) -> TriMesh {
    TriMesh { vertices: mesh.vertices.iter().map(|v| v + by).collect(), triangles: mesh.triangles.clone() }
}

/// Moves the mesh by a pose.
pub fn moved(mesh: &TriMesh, by: &Pose) -> TriMesh {
    TriMesh { vertices: mesh.vertices.iter().map(|v| by.point(v)).collect(), triangles: mesh.triangles.clone() }
}

/// Reverses the winding of every triangle.
pub fn reversed(mesh: &TriMesh) -> TriMesh {
    let triangles = mesh.triangles.iter().map(|t| [t[0], t[2], t[1]]).collect();
    TriMesh { vertices: mesh.vertices.clone(), triangles }
}

/// Joins meshes to one.
pub fn joined(meshes: &[TriMesh]) -> TriMesh {
    let mut all = TriMesh::default();
    for m in meshes {
        let base = all.vertices.len() as u32;
        all.vertices.extend(&m.vertices);
        all.triangles.extend(m.triangles.iter().map(|t| t.map(|i| i + base)));
    }
    all
}

/// Cuts every triangle into four at the middles of its edges; the triangles share no vertices.
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

/// Refines a mesh without changing its surface: `times` cuts a random triangle at an inner point, or the triangles at
/// an edge at a point of this edge.
pub fn refined(mesh: &TriMesh, rng: &mut Rng, times: usize) -> TriMesh {
    let mut mesh = mesh.clone();
    for _ in 0..times {
        let t = rng.below(mesh.triangles.len());
        let [a, b, c] = mesh.triangles[t];
        let new = mesh.vertices.len() as u32;
        let share = 0.5 + 0.45 * rng.signed();
        let [p, q, r] = [a, b, c].map(|v| mesh.vertices[v as usize]);
        if rng.signed() < 0.0 {
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
