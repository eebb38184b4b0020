//! Pairs with known answers.

use super::*;
use crate::geom::tolerance::roundoff_mm;
use crate::geom::{Mat3, Pose, Vec3};
use crate::hull;
use crate::mesh::TriMesh;
use crate::narrow::Convex;
use crate::narrow::surface::{Inside, Surface};

struct Part {
    convex: Convex,
    surface: Surface,
}

fn part(mesh: &TriMesh) -> Part {
    let hull = hull::convex_hull(&mesh.vertices);
    let facets = hull::facets(&hull);
    let convex = Convex::new(&hull, &facets);
    let surface = Surface::new(mesh, &convex.origin, Inside::Solid);
    Part { convex, surface }
}

fn ring(n: usize, r: f64, z: f64) -> Vec<Vec3> {
    (0..n)
        .map(|k| {
            let a = std::f64::consts::TAU * k as f64 / n as f64;
            Vec3::new(r * libm::cos(a), r * libm::sin(a), z)
        })
        .collect()
}

fn quad(t: &mut Vec<[u32; 3]>, a: u32, b: u32, c: u32, d: u32) {
    t.push([a, b, c]);
    t.push([a, c, d]);
}

fn prism(n: usize, r: f64, z0: f64, z1: f64) -> TriMesh {
    let mut vertices = ring(n, r, z0);
    vertices.extend(ring(n, r, z1));
    let n = n as u32;
    let mut triangles = Vec::new();
    for i in 0..n {
        let j = (i + 1) % n;
        quad(&mut triangles, i, j, n + j, n + i);
        if i > 0 && j > 0 {
            triangles.push([0, j, i]);
            triangles.push([n, n + i, n + j]);
        }
    }
    TriMesh { vertices, triangles }
}

fn tube(n: usize, outer: f64, inner: f64, z0: f64, z1: f64) -> TriMesh {
    let mut vertices = ring(n, outer, z0);
    vertices.extend(ring(n, outer, z1));
    vertices.extend(ring(n, inner, z0));
    vertices.extend(ring(n, inner, z1));
    let n = n as u32;
    let mut t = Vec::new();
    for i in 0..n {
        let j = (i + 1) % n;
        let [a, b, c, d] = [0, n, 2 * n, 3 * n];
        quad(&mut t, a + i, a + j, b + j, b + i);
        quad(&mut t, c + j, c + i, d + i, d + j);
        quad(&mut t, b + i, b + j, d + j, d + i);
        quad(&mut t, a + j, a + i, c + i, c + j);
    }
    TriMesh { vertices, triangles: t }
}

fn block(min: [f64; 3], max: [f64; 3]) -> TriMesh {
    let vertices = (0..8).map(|i| Vec3::from_fn(|k, _| if i >> k & 1 == 1 { max[k] } else { min[k] })).collect();
    let mut t = Vec::new();
    for [a, b, c, d] in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] {
        quad(&mut t, a, b, c, d);
    }
    TriMesh { vertices, triangles: t }
}

fn turned(mesh: &TriMesh, r: &Mat3, t: Vec3) -> TriMesh {
    TriMesh { vertices: mesh.vertices.iter().map(|v| r * v + t).collect(), triangles: mesh.triangles.clone() }
}

fn some_rotation() -> Mat3 {
    *nalgebra::Rotation3::from_euler_angles(0.3, -0.7, 1.1).matrix()
}

/// The pair placed as the coordinates say, both turned.
fn pose(a: &Part, b: &Part) -> Pose {
    Pose { rotation: Mat3::identity(), translation: b.convex.origin - a.convex.origin }
}

fn bracket(a: &TriMesh, b: &TriMesh, rotate: bool) -> ([f64; 2], Vec<Event>) {
    let r = if rotate { some_rotation() } else { Mat3::identity() };
    let (a, b) = (part(&turned(a, &r, Vec3::zeros())), part(&turned(b, &r, Vec3::zeros())));
    let pose = pose(&a, &b);
    let margin = roundoff_mm(a.convex.diameter, b.convex.diameter, pose.translation.norm());
    let question = Question { margin, reach: 0.01, deep: None };
    let found = meet(
        Body { convex: &a.convex, surface: &a.surface },
        Body { convex: &b.convex, surface: &b.surface },
        &pose,
        &question,
    );
    match found {
        Found::Beyond(d) => ([-f64::INFINITY, -d], vec![]),
        Found::Apart(apart) => ([-apart.distance; 2], vec![]),
        Found::Meets(mut m) => {
            m.decide(0.01);
            m.narrow_to(0.01, 0.001);
            (m.thickness(), m.events().to_vec())
        }
    }
}

/// Name, the two parts, the overlap depth (minus the distance where they are apart).
type Case = (&'static str, TriMesh, TriMesh, f64);

fn cases() -> Vec<Case> {
    let apothem = |n: f64| libm::cos(std::f64::consts::PI / n);
    let tubed = |n| tube(n, 20.0, 10.0, 0.0, 20.0);
    vec![
        ("flush boxes", block([0.0; 3], [10.0; 3]), block([10.0, 2.0, 3.0], [20.0, 8.0, 9.0]), 0.0),
        ("overlap", block([0.0; 3], [10.0; 3]), block([9.98, 2.0, 3.0], [20.0, 8.0, 9.0]), 0.02),
        ("within tolerance", block([0.0; 3], [10.0; 3]), block([9.994, 2.0, 3.0], [20.0, 8.0, 9.0]), 0.006),
        ("inside", block([0.0; 3], [10.0; 3]), block([2.0; 3], [5.0; 3]), 3.0),
        ("same box", block([0.0; 3], [10.0; 3]), block([0.0; 3], [10.0; 3]), 10.0),
        ("bars", block([-50.0, -2.0, -2.0], [50.0, 2.0, 2.0]), block([-2.0, -50.0, 1.0], [2.0, 50.0, 5.0]), 1.0),
        (
            "aligned bars",
            block([-50.0, -2.0, -2.0], [50.0, 2.0, 2.0]),
            block([20.0, -2.0, -2.0], [90.0, 2.0, 2.0]),
            4.0,
        ),
        ("sheets", block([0.0; 3], [100.0, 100.0, 0.05]), block([10.0, 10.0, 0.05], [120.0, 90.0, 0.1]), 0.0),
        ("pressed sheets", block([0.0; 3], [100.0, 100.0, 0.05]), block([10.0, 10.0, 0.03], [120.0, 90.0, 0.1]), 0.02),
        ("pin with play", tubed(64), prism(64, 9.995, -5.0, 25.0), -0.005 * apothem(64.0)),
        ("pin that fits", tubed(64), prism(64, 10.0, -5.0, 25.0), 0.0),
        // In the corners: under two faces of the pin, over an edge of the bore.
        ("pressed pin", tubed(24), prism(24, 10.03, -5.0, 25.0), 0.06 * apothem(24.0) / (1.0 + apothem(24.0))),
        // A corner of the pin over the middle of a facet of the bore.
        ("pin of more facets", tubed(24), prism(48, 10.0, -5.0, 25.0), {
            20.0 * (1.0 - apothem(24.0)) * apothem(48.0) / (1.0 + apothem(48.0))
        }),
        ("pierce", block([-30.0; 3], [100.0, 100.0, 5.0]), prism(24, 0.5, -50.0, 30.0), apothem(24.0)),
    ]
}

#[test]
fn the_bracket_holds_the_depth_and_is_narrow() {
    for (name, a, b, known) in cases() {
        for rotate in [false, true] {
            let (t, events) = bracket(&a, &b, rotate);
            assert!(t[0] <= known + 1e-11 && known <= t[1] + 1e-11, "{name} {rotate} {t:?} {known} {events:?}");
            assert!(t[1] - t[0] <= (0.01 * known.abs()).max(0.001), "{name} {rotate} {t:?} {known} {events:?}");
        }
    }
}
