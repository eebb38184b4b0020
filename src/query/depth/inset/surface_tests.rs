//! Inset surfaces: points farther than τ from the surface keep their winding number, and faces move by τ.

use crate::geom::math::sin_cos_deg;
use crate::geom::tolerance::f32_quantum;
use crate::geom::{Mat3, Pose, Vec3};
use crate::mesh::TriMesh;
use crate::query::depth::inset::coplanar_extent::{Plane, continues_in_plane, covers_in_plane};
use crate::query::depth::inset::surface::InsetSurface;
use crate::query::depth::inset::vertex_offset::SolidSide;
use crate::shape::surface::winding_number::{winding, winding_of_pieces};
use crate::shape::surface::{Inside, Surface};
use crate::testkit::rng::Rng;
use crate::testkit::solids::{cubes, moved, refined, reversed, ring, tube};
use std::collections::BTreeMap;

/// A ring of eight to thirty facets with a groove or a shoulder, all walls thicker than 0.3.
fn shouldered(rng: &mut Rng) -> TriMesh {
    let step = 0.4 + 0.3 * rng.signed();
    let inner = 1.0 + 0.5 * rng.signed();
    let profiles: [&[[f64; 2]]; 3] = [
        &[[inner, 0.0], [3.0, 0.0], [3.0, 1.0], [3.0 - step, 1.0], [3.0 - step, 3.0], [inner, 3.0]],
        &[
            [inner, 0.0],
            [3.0, 0.0],
            [3.0, 3.0],
            [inner, 3.0],
            [inner, 2.0],
            [inner + step, 2.0],
            [inner + step, 1.0],
            [inner, 1.0],
        ],
        &[[inner, 0.0], [3.0, -step], [3.0, 3.0], [inner, 3.0 - step]],
    ];
    ring(profiles[rng.below(3)], 8 + rng.below(23))
}

/// A prism over a star outline with `n` corners, alternately far and near; the near ones vary by up to `random`. Both
/// ends of its reflex edges join two faces and a flat one. All walls are thicker than 0.3.
fn notched(rng: &mut Rng, n: usize, [far, near, random]: [f64; 3]) -> TriMesh {
    let reach: Vec<f64> = (0..n).map(|k| if k % 2 == 0 { far } else { near } + random * rng.signed()).collect();
    let mut mesh = TriMesh::default();
    for z in [0.0, 1.5] {
        mesh.vertices.push(Vec3::new(0.0, 0.0, z));
        for (k, r) in reach.iter().enumerate() {
            let (sine, cosine) = sin_cos_deg(360.0 * k as f64 / n as f64);
            mesh.vertices.push(Vec3::new(r * cosine, r * sine, z));
        }
    }
    let top = n as u32 + 1;
    for k in 0..n as u32 {
        let (p, q) = (1 + k, 1 + (k + 1) % n as u32);
        mesh.triangles.extend([[0, q, p], [top, top + p, top + q], [p, q, top + q], [p, top + q, top + p]]);
    }
    mesh
}

/// An octahedron with irregular corners, all convex and each with four faces that no sphere touches.
fn octahedron(rng: &mut Rng) -> TriMesh {
    let mut mesh = TriMesh::default();
    for k in 0..6 {
        let axis = Vec3::ith(k / 2, if k % 2 == 0 { 1.0 } else { -1.0 });
        mesh.vertices.push(axis * (2.0 + 0.3 * rng.signed()) + rng.in_cube() * 0.3);
    }
    for [x, y, z] in [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4]] {
        mesh.triangles.extend([[x, y, z], [y, x, z + 1]]);
    }
    mesh
}

/// Surface of a random solid, randomly triangulated, rotated and sheared.
fn solid(rng: &mut Rng, round: usize, single: bool) -> Surface {
    let mesh = match round % 5 {
        0 | 2 => cubes(rng),
        1 => shouldered(rng),
        4 => octahedron(rng),
        _ => {
            let corners = 2 * (4 + rng.below(5));
            notched(rng, corners, [2.6, 1.4, 0.3])
        }
    };
    let mesh = refined(&mesh, rng, 4 * (round % 40));
    let turn = rng.rotation();
    let shear = Mat3::from_fn(|i, j| f64::from(u8::from(i == j)) + 0.25 * rng.signed());
    let vertices = mesh.vertices.iter().map(|v| {
        let p = turn * (shear * v);
        if single { p.map(|x| f64::from(x as f32)) } else { p }
    });
    let mesh = TriMesh { vertices: vertices.collect(), triangles: mesh.triangles };
    Surface::new(&mesh, &Vec3::zeros(), Inside::Solid)
}

#[test]
fn inset_keeps_winding_beyond_tau() {
    let mut rng = Rng::new(7);
    let (mut asked, mut inside, mut parted) = (0, 0, 0);
    for round in 0..300 {
        let single = round % 3 == 0;
        let s = solid(&mut rng, round, single);
        let tau = 0.02 * libm::exp2(4.0 * rng.unit());
        let rounding = if single { 1e-6 } else { 1e-13 };
        let moved = InsetSurface::new(&s, None, SolidSide::Inside, tau, rounding);
        let moved = moved.with_full_moves().dividing_edges(round % 2 == 1);
        for _ in 0..120 {
            let t = rng.below(s.triangles.len()) as u32;
            let [a, b, c] = s.triangle(t);
            let (u, v) = (rng.unit(), rng.unit());
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            // Mostly just deeper than τ, near features.
            let x = a + (b - a) * u + (c - a) * v - s.normal(t) * (tau * (1.2 + 1.4 * rng.signed()))
                + rng.in_cube() * (0.7 * tau);
            let distance = s.nearest(&x, f64::INFINITY).unwrap().distance;
            if distance <= tau * (1.0 + 1e-9) {
                continue;
            }
            let before = winding(&s, None, &x);
            let after = winding_of_pieces(&s, None, &x, moved.farthest_offset(), |t| moved.pieces(t));
            if let (Some(before), Some(after)) = (before, after) {
                assert_eq!(before, after, "round {round}, {x:?}, {distance} from the surface, tau {tau}");
                asked += 1;
                inside += i32::from(before == 1);
            }
        }
        parted += i32::from(moved.parts());
    }
    assert!(asked > 8000 && inside > 5000 && parted > 100, "{asked} {inside} {parted}");
}

/// Vertex as the bits of its coordinates.
type Bits = [u64; 3];

#[test]
fn insets_that_share_offsets_have_the_same_pieces() {
    let mut rng = Rng::new(31);
    let (tau, rounding) = (0.05, 1e-9);
    let mut split = 0;
    for round in 0..40 {
        let s = solid(&mut rng, round, false);
        let n = s.triangles.len() as u32;
        let pose = Pose { rotation: rng.rotation(), translation: rng.in_cube() * 10.0 };
        let inset = |pose, divides, shares| {
            let mut inset = InsetSurface::new(&s, pose, SolidSide::Inside, tau, rounding).dividing_edges(divides);
            if shares {
                inset.take_kept_offsets();
            }
            inset
        };
        for divides in [false, true] {
            // Leaves the offsets of some triangles with the surface.
            let first = inset(None, !divides, true);
            (0..n).step_by(3).for_each(|t| _ = first.pieces(t));
            drop(first);
            let (later, fresh) = (inset(Some(&pose), divides, true), inset(Some(&pose), divides, false));
            for t in 0..n {
                let (later, fresh) = (later.pieces(t), fresh.pieces(t));
                assert_eq!(later.as_ref(), fresh.as_ref(), "round {round}, triangle {t}");
                split += usize::from(fresh.len() > 1);
            }
        }
    }
    assert!(split > 500, "{split}");
}

#[test]
fn all_pieces_of_a_moved_surface_close() {
    let mut rng = Rng::new(11);
    let mut extra = 0;
    for round in 0..200 {
        let s = solid(&mut rng, round, round % 3 == 0);
        let moved = InsetSurface::new(&s, None, SolidSide::Inside, 0.1, 1e-6);
        let moved = moved.dividing_edges(round % 4 >= 2);
        let mut open: BTreeMap<[Bits; 2], i32> = BTreeMap::new();
        for t in 0..s.triangles.len() as u32 {
            let pieces = moved.pieces(t);
            extra += pieces.len() - 1;
            for piece in pieces.iter() {
                let ends = piece.map(|p| <[f64; 3]>::from(p).map(|x| (x + 0.0).to_bits()));
                for k in 0..3 {
                    let (from, to) = (ends[k], ends[(k + 1) % 3]);
                    *open.entry([from, to]).or_default() += 1;
                    *open.entry([to, from]).or_default() -= 1;
                }
            }
        }
        assert!(open.values().all(|n| *n == 0), "round {round}");
    }
    assert!(extra > 5000, "{extra}");
}

/// Distance of each triangle's offset corners below its plane, the least of the three (shares of τ).
fn shares(s: &Surface, tau: f64, rounding: f64) -> Vec<f64> {
    shares_of(s, tau, &InsetSurface::new(s, None, SolidSide::Inside, tau, rounding))
}

fn shares_of(s: &Surface, tau: f64, moved: &InsetSurface) -> Vec<f64> {
    let share = |t: u32| {
        let (n, from) = (s.normal(t), s.triangle(t)[0]);
        moved.triangle(t).iter().map(|p| -n.dot(&(p - from)) / tau).fold(f64::INFINITY, f64::min)
    };
    (0..s.triangles.len() as u32).map(share).collect()
}

#[test]
fn careful_inset_moves_faces_by_almost_tau() {
    let mut rng = Rng::new(3);
    let sharp = [[1.0, 0.0], [3.0, 0.0], [3.0, 1.0], [2.0, 1.0], [2.0, 4.0], [1.0, 4.0]];
    for n in [24, 48] {
        let mesh = ring(&sharp, n);
        for (single, rounding) in [(false, 1e-13), (true, 1e-6)] {
            let mut mesh = refined(&mesh, &mut rng, 200);
            if single {
                mesh.vertices.iter_mut().for_each(|v| *v = v.map(|x| f64::from(x as f32)));
            }
            let s = Surface::new(&mesh, &Vec3::zeros(), Inside::Solid);
            let [plain, careful] = [0.0, rounding].map(|r| shares(&s, 0.02, r));
            let least = |shares: &[f64]| shares.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(least(&plain) < 0.75, "{n} {}", least(&plain));
            let all = careful.iter().filter(|c| **c >= 0.98).count();
            assert!(all as f64 >= 0.97 * careful.len() as f64, "{n} {single}: {all} of {}", careful.len());
        }
    }
}

#[test]
fn faces_at_one_reflex_edge_move_by_full_tau() {
    let mut rng = Rng::new(5);
    for _ in 0..20 {
        let s = Surface::new(&notched(&mut rng, 8, [2.6, 1.1, 0.05]), &Vec3::zeros(), Inside::Solid);
        let [plain, careful] = [0.0, 1e-13].map(|r| shares(&s, 0.05, r).into_iter().fold(f64::INFINITY, f64::min));
        assert!(plain < 0.95 && careful > 0.995, "{plain} {careful}");
    }
}

#[test]
fn faces_at_convex_corners_of_four_planes_move_by_full_tau() {
    let mut rng = Rng::new(31);
    let mut lagging = 0;
    for _ in 0..200 {
        let mesh = octahedron(&mut rng);
        let s = Surface::new(&mesh, &Vec3::zeros(), Inside::Solid);
        let least = |shares: Vec<f64>| shares.into_iter().fold(f64::INFINITY, f64::min);
        let plain = least(shares(&s, 0.05, 0.0));
        let moved = InsetSurface::new(&s, None, SolidSide::Inside, 0.05, 1e-13).with_full_moves();
        let careful = least(shares_of(&s, 0.05, &moved));
        lagging += i32::from(plain < 0.99);
        assert!(careful > 0.995, "{plain} {careful} {mesh:?}");
    }
    assert!(lagging > 150, "{lagging}");
}

#[test]
fn turned_faces_move_as_far_as_drawn_ones_also_after_rounding() {
    let mut rng = Rng::new(29);
    let hole = tube(36, 9.0, 2.0, [0.0, 1.5]);
    let undercut = [[5.0, 0.0], [8.0, 0.0], [8.0, 1.0], [7.0, 0.5], [7.0, 2.5], [8.0, 2.0], [8.0, 3.0], [5.0, 3.0]];
    for (k, mesh) in [notched(&mut rng, 8, [2.6, 1.1, 0.05]), hole, ring(&undercut, 16)].iter().enumerate() {
        let least = |mesh: &TriMesh, rounding: f64| {
            let s = Surface::new(mesh, &Vec3::zeros(), Inside::Solid);
            shares(&s, 0.03, rounding).into_iter().fold(f64::INFINITY, f64::min)
        };
        let drawn = least(mesh, 1e-12);
        for _ in 0..12 {
            let pose = Pose { rotation: rng.rotation(), translation: rng.in_cube() * 20.0 };
            let mut mesh = moved(mesh, &pose);
            let turned = least(&mesh, 1e-12);
            mesh.vertices.iter_mut().for_each(|v| *v = v.map(|x| f64::from(x as f32)));
            let rounded = least(&mesh, f32_quantum(40.0));
            assert!(turned >= drawn - 0.002 && rounded >= drawn - 0.02, "{k}: {drawn} {turned} {rounded}");
        }
    }
}

#[test]
fn surface_ends_at_a_folded_edge() {
    // Angle between the lower and the upper face, seen along the y axis: sharp and blunt wedges, and a right angle.
    for degrees in [20.0, 45.0, 89.0, 90.0, 91.0, 135.0] {
        let (sine, cosine) = sin_cos_deg(degrees);
        let corners = [[0.0, 0.0], [-cosine * 4.0, -sine * 4.0], [-4.0, 0.0]];
        let at = |y: f64| corners.map(|[x, z]| Vec3::new(x, y, z));
        let vertices: Vec<Vec3> = at(0.0).into_iter().chain(at(3.0)).collect();
        let mut triangles = vec![[0, 1, 2], [3, 5, 4]];
        for [p, q] in [[0, 2], [2, 1], [1, 0]] {
            triangles.extend([[p, q, q + 3], [p, q + 3, p + 3]]);
        }
        let mut mesh = TriMesh { vertices, triangles };
        for inside_out in [false, true] {
            if inside_out {
                mesh = reversed(&mesh);
            }
            let s = Surface::new(&mesh, &Vec3::zeros(), Inside::Solid);
            for t in 0..s.triangles.len() as u32 {
                let plane = Plane::of(&s, t);
                let corners = s.triangle(t);
                // With feet at the corners the polygon is the triangle itself. A foot beyond an edge lies over the
                // neighbour, folded or coplanar.
                assert!(continues_in_plane(&s, t, &corners, &plane, 1e-12), "{degrees} {t}");
                for k in 0..3 {
                    let (p, q) = (corners[k], corners[(k + 1) % 3]);
                    let out = (q - p).cross(&s.normal(t)).normalize();
                    let mut feet = corners;
                    feet[k] = (p + q) * 0.5 + out * 0.1;
                    let n = s.normal(s.neighbor(t, k));
                    let flat = n.dot(&s.normal(t)) > 0.999_999;
                    assert_eq!(continues_in_plane(&s, t, &feet, &plane, 1e-12), flat, "{degrees} {inside_out} {t} {k}");
                }
            }
        }
    }
}

#[test]
fn faces_of_slivers_cover_what_lies_over_them() {
    let mut rng = Rng::new(11);
    let profile = [[1.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0]];
    let (mut inside, mut outside) = (0, 0);
    for round in 0..40 {
        let s = Surface::new(&refined(&ring(&profile, 32), &mut rng, 40), &Vec3::zeros(), Inside::Solid);
        let side = 0.05 + 0.3 * rng.unit();
        let angle = 6.3 * rng.unit();
        let [sine, cosine] = [libm::sin(angle), libm::cos(angle)];
        let middle = Vec3::new(2.0 * cosine, 2.0 * sine, 0.7) + rng.in_cube() * 1.2;
        let points = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
            .map(|[x, y]| middle + Vec3::new(side * x, side * y, 0.3 * x));
        let Some(near) = s.nearest(&Vec3::new(middle.x, middle.y, 1.2), f64::INFINITY) else { panic!("no triangle") };
        let plane = Plane::of(&s, near.triangle);
        if plane.normal.z < 0.999 {
            continue;
        }
        // The face is the ring between a polygon of 32 sides within the circle of 3 and one within the circle of 1.
        let within = |k: f64| libm::cos(std::f64::consts::PI / 32.0) * k;
        let radius = |p: &Vec3| p.xy().norm();
        let covered = covers_in_plane(&s, near.triangle, &points, &plane, 1e-9);
        if points.iter().all(|p| radius(p) < within(3.0)) && radius(&middle) - 1.5 * side > 1.0 {
            assert!(covered, "round {round}: {points:?}");
            inside += 1;
        } else if points.iter().any(|p| radius(p) > 3.0 || radius(p) < within(1.0)) {
            assert!(!covered, "round {round}: {points:?}");
            outside += 1;
        }
        // Too far from the plane of another height.
        let lower = Plane { origin: plane.origin - plane.normal * 0.01, ..plane };
        assert!(!covers_in_plane(&s, near.triangle, &points, &lower, 0.005), "round {round}");
    }
    assert!(inside >= 8 && outside >= 8, "{inside} {outside}");
}

#[test]
fn narrow_step_holds_back_a_long_wall_only_close_by() {
    // A ring with a step of 0.02 in its outer wall, and a long wall above the step.
    let profile = [[1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [2.02, 1.0], [2.02, 6.0], [1.0, 6.0]];
    let s = Surface::new(&ring(&profile, 24), &Vec3::zeros(), Inside::Solid);
    let tau = 0.1;
    // Share of the area above the step that moves by almost τ.
    let share = |divides: bool| {
        let moved = InsetSurface::new(&s, None, SolidSide::Inside, tau, 1e-13).dividing_edges(divides);
        let (mut all, mut full) = (0.0, 0.0);
        for t in 0..s.triangles.len() as u32 {
            let (n, [from, p, q]) = (s.normal(t), s.triangle(t));
            if n.z.abs() > 0.1 || [from, p, q].iter().any(|x| x.z < 0.9 || x.xy().norm() < 1.9) {
                continue;
            }
            for [a, b, c] in moved.pieces(t).iter() {
                let by = [a, b, c].map(|x| -n.dot(&(x - from)) / tau).into_iter().fold(f64::INFINITY, f64::min);
                let area = (b - a).cross(&(c - a)).norm();
                all += area;
                full += if by > 0.98 { area } else { 0.0 };
            }
        }
        assert!(all > 0.0);
        full / all
    };
    let [plain, divided] = [false, true].map(share);
    assert!(plain < 0.1 && divided > 0.9, "{plain} {divided}");
}
