use crate::geom::{Aabb, Mat3, Pose, Vec3};
use crate::measure::intersection::by_arrangement::{intersection_by_mesh, is_common, solid};
use crate::measure::intersection::tests::{common_of, is_box, near, surface, swap};
use crate::measure::intersection::{Intersection, IntersectionInput, intersection};
use crate::mesh::TriMesh;
use crate::query::triangles::pairing::Pairing;
use crate::shape::hull::convex_hull;
use crate::shape::self_union::SelfUnion;
use crate::shape::surface::{Inside, Surface};
use crate::testkit::poses::at;
use crate::testkit::rng::Rng;
use crate::testkit::solids::{block, cubes, joined, prism, reversed, ring, translated};

/// Returns the half-spaces n·x ≤ d of a placed convex mesh.
fn half_spaces(mesh: &TriMesh, pose: &Pose) -> Vec<(Vec3, f64)> {
    let corners = mesh.triangles.iter().map(|t| t.map(|v| pose.point(&mesh.vertices[v as usize])));
    corners.map(|[a, b, c]| ((b - a).cross(&(c - a)).normalize(), a)).map(|(n, a)| (n, n.dot(&a))).collect()
}

/// Computes volume and box of a convex cell, each face cut from a large square in its plane; the first of coincident
/// planes counts.
fn cell(planes: &[(Vec3, f64)]) -> (f64, Aabb) {
    let (mut volume, mut bounds) = (0.0, Aabb::EMPTY);
    for (k, (n, d)) in planes.iter().enumerate() {
        if planes[..k].iter().any(|(m, e)| (m - n).norm() < 1e-9 && (e - d).abs() < 1e-9) {
            continue;
        }
        let across = if n.x.abs() < 0.7 { n.cross(&Vec3::x()) } else { n.cross(&Vec3::y()) }.normalize();
        let up = n.cross(&across);
        let corner = |x: f64, y: f64| n * *d + across * (100.0 * x) + up * (100.0 * y);
        let mut face = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        for (m, e) in planes.iter().enumerate().filter(|(l, _)| *l != k).map(|(_, p)| p) {
            if (m - n).norm() < 1e-9 && (e - d).abs() < 1e-9 {
                continue;
            }
            let height = |p: &Vec3| m.dot(p) - e;
            face = (0..face.len())
                .flat_map(|i| {
                    let (p, q) = (face[i], face[(i + 1) % face.len()]);
                    let (s, t) = (height(&p), height(&q));
                    let cut = (s * t < 0.0).then(|| p + (q - p) * (s / (s - t)));
                    (s <= 0.0).then_some(p).into_iter().chain(cut)
                })
                .collect();
        }
        if let Some(first) = face.first().copied() {
            volume += face.windows(2).map(|w| (w[0] - first).cross(&(w[1] - first)).dot(n)).sum::<f64>() * d / 6.0;
            for p in &face {
                bounds = Aabb { min: bounds.min.inf(p), max: bounds.max.sup(p) };
            }
        }
    }
    (volume, bounds)
}

/// Returns the hull of points spread over a sphere.
fn sphere(points: u32, radius: f64) -> TriMesh {
    let on = |k: u32| {
        let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(points);
        let turn = nalgebra::Rotation3::from_axis_angle(&Vec3::z_axis(), 2.399_963 * f64::from(k));
        turn * Vec3::new((1.0 - z * z).sqrt() * radius, 0.0, z * radius)
    };
    let hull = convex_hull(&(0..points).map(on).collect::<Vec<_>>());
    TriMesh { vertices: hull.vertices, triangles: hull.triangles }
}

fn in_single_precision(mesh: &TriMesh, pose: &Pose) -> TriMesh {
    let round = |v: &Vec3| pose.point(v).map(|x| f64::from(x as f32));
    TriMesh { vertices: mesh.vertices.iter().map(round).collect(), triangles: mesh.triangles.clone() }
}

/// Computes the common solid by its mesh alone.
fn by_mesh(a: &Surface, b: &Surface, pose: &Pose, depth: f64) -> Option<Intersection> {
    let turns = [Mat3::identity()];
    let known = IntersectionInput {
        margin: 1e-13,
        rounding: 1e-12,
        witness: pose.translation,
        depth,
        deepest: f64::INFINITY,
        turns: &turns,
        as_given: [true; 2],
    };
    intersection_by_mesh(&Pairing { a, b, b_in_a: pose }, &known)
}

#[track_caller]
fn same_box(common: &Intersection, wanted: &Aabb) {
    is_box(common, wanted.min.into(), wanted.max.into());
}

/// Computes the volume of the common solid's mesh and asserts a closed mesh.
fn volume_of_mesh(a: &Surface, b: &Surface, pose: &Pose) -> Option<f64> {
    let found = surface(&solid(a, b, pose).ok()?);
    assert!(found.is_closed());
    Some(found.volume())
}

#[test]
fn intersection_equals_cell_of_all_planes() {
    let mut rng = Rng::new(20);
    for round in 0..8 {
        let (a, b) = if round % 2 == 0 {
            (sphere(150, 5.0), sphere(90, 4.0))
        } else {
            (prism(12 + round, 4.0, [0.0, 6.0]), prism(31, 3.0, [0.0, 8.0]))
        };
        let pose = Pose { rotation: rng.rotation(), translation: rng.in_cube() * 2.5 };
        let mut planes = half_spaces(&a, &Pose::identity());
        planes.extend(half_spaces(&b, &pose));
        let (wanted, bounds) = cell(&planes);
        assert!(wanted > 1.0, "{round}");
        let (sa, sb) = (surface(&a), surface(&b));
        for found in [common_of(&sa, &sb, &pose, 0.1), by_mesh(&sa, &sb, &pose, 0.1)] {
            let found = found.unwrap();
            near(found.volume, wanted, 1e-10);
            same_box(&found, &bounds);
        }
        near(volume_of_mesh(&sa, &sb, &pose).unwrap(), wanted, 1e-10);
    }
}

#[test]
fn prisms_turned_by_half_a_side_share_double_prism() {
    for sides in [3, 4, 6, 32, 64] {
        let (a, b) = (surface(&prism(sides, 5.0, [0.0, 4.0])), surface(&prism(sides, 5.0, [0.0, 7.0])));
        let half = std::f64::consts::PI / sides as f64;
        let turn = *nalgebra::Rotation3::from_axis_angle(&Vec3::z_axis(), half).matrix();
        let pose = Pose { rotation: turn, translation: Vec3::z() };
        let inner = 5.0 * libm::cos(half);
        let wanted = 3.0 * 2.0 * sides as f64 * inner * inner * libm::tan(0.5 * half);
        near(common_of(&a, &b, &pose, 1.0).unwrap().volume, wanted, 1e-11);
        near(by_mesh(&a, &b, &pose, 1.0).unwrap().volume, wanted, 1e-11);
        near(volume_of_mesh(&b, &a, &swap(&pose)).unwrap(), wanted, 1e-11);
    }
}

#[test]
fn surfaces_coincident_up_to_single_precision() {
    let mut rng = Rng::new(8);
    for round in 0..6 {
        let pose = Pose { rotation: rng.rotation(), translation: rng.in_cube() * 40.0 };
        let back = pose.inverse();
        let cup = joined(&[
            ring(&[[5.0, 0.0], [8.0, 0.0], [8.0, 6.0], [5.0, 6.0]], 24 + round),
            translated(&prism(24 + round, 5.0, [0.0, 6.0]), Vec3::z() * 6.0),
        ]);
        let peg = prism(24 + round, 5.0, [0.0, 6.0]);
        for (a, b, wanted) in [(&peg, &peg, surface(&peg).volume()), (&cup, &cup, surface(&cup).volume())] {
            // Two files: the second mesh is written in its own frame.
            let (a, b) = (in_single_precision(a, &Pose::identity()), in_single_precision(b, &back));
            let (a, b) = (surface(&a), surface(&b));
            let turns = [Mat3::identity()];
            let known = IntersectionInput {
                margin: 1e-13,
                rounding: 2e-5,
                witness: Vec3::z(),
                depth: 0.5,
                deepest: f64::INFINITY,
                turns: &turns,
                as_given: [true; 2],
            };
            let found = intersection(&Pairing { a: &a, b: &b, b_in_a: &pose }, &known).unwrap();
            near(found.volume, wanted, 1e-3);
            let off = (found.boxes[0].min - a.bounds.min).amax().max((found.boxes[0].max - a.bounds.max).amax());
            assert!(off < 1e-3, "{:?}", found.boxes);
            near(volume_of_mesh(&a, &b, &pose).unwrap(), wanted, 1e-3);
        }
    }
}

#[test]
fn unresolved_shells_count_once() {
    // Too many intersecting shells to unite, and two overlapping shells far from them.
    let pile: Vec<TriMesh> =
        (0..60).map(|k| translated(&block([0.0; 3], [9.0; 3]), Vec3::repeat(0.01 * f64::from(k)))).collect();
    let two = [
        translated(&block([0.0; 3], [4.0; 3]), Vec3::x() * 50.0),
        translated(&block([0.0; 3], [4.0; 3]), Vec3::x() * 52.0),
    ];
    let part = surface(&joined(&[joined(&pile), joined(&two)]));
    assert!(matches!(part.overlaps(), SelfUnion::Unresolved(_)) && std::ptr::eq(part.solid(), &raw const part));
    let bar = surface(&block([0.0; 3], [10.0, 1.0, 1.0]));
    for (x, wanted) in [(48.0, 6.0), (51.0, 5.0), (52.5, 3.5)] {
        let pose = at(x, 1.0, 1.0);
        let low = [f64::max(50.0, x), 1.0, 1.0];
        for (a, b, pose) in [(&part, &bar, pose), (&bar, &part, swap(&pose))] {
            let found = common_of(a, b, &pose, 0.5).unwrap();
            near(found.volume, wanted, 1e-12);
            let by = if std::ptr::eq(a, &raw const part) { Vec3::zeros() } else { pose.translation };
            is_box(&found, (Vec3::from(low) + by).into(), (Vec3::new(56.0, 2.0, 2.0) + by).into());
            near(volume_of_mesh(a, b, &pose).unwrap(), wanted, 1e-12);
        }
    }
    // Beside the shells: nothing is shared, and the place of contact was not computed.
    let beside = common_of(&part, &bar, &at(56.0, 1.0, 1.0), 0.0).unwrap();
    assert!(beside.volume == 0.0 && beside.boxes.is_empty(), "{beside:?}");
    // In the pile: too many triangles, hence no volume.
    assert!(common_of(&part, &bar, &at(5.0, 4.0, 4.0), 0.5).is_none());
    assert!(solid(&part, &bar, &at(5.0, 4.0, 4.0)).is_err());
}

#[test]
fn flush_faces_keep_box_of_unresolved_shells() {
    // A foot resting on the plate, and two overlapping pins through the plate.
    let pins = [
        translated(&block([0.0; 3], [10.0, 4.0, 1.0]), Vec3::new(5.0, 5.0, 2.0)),
        translated(&block([0.0; 3], [2.0; 3]), Vec3::new(6.0, 6.0, 1.0)),
        translated(&block([0.0; 3], [2.0, 2.0, 2.5]), Vec3::new(7.0, 6.0, 1.0)),
    ];
    let (plate, feet) = (surface(&block([0.0; 3], [20.0, 20.0, 2.0])), surface(&joined(&pins)));
    let found = by_mesh(&plate, &feet, &Pose::identity(), 0.5).unwrap();
    near(found.volume, 6.0, 1e-12);
    is_box(&found, [6.0, 6.0, 1.0], [9.0, 8.0, 2.0]);
}

#[test]
fn intersection_mesh_of_concave_solids_is_closed_and_exact() {
    let mut rng = Rng::new(1);
    let (mut some, mut none) = (0, 0);
    for round in 0..40 {
        let (a, b) = (surface(&cubes(&mut rng)), surface(&cubes(&mut rng)));
        if !(a.is_closed() && b.is_closed()) {
            continue;
        }
        // Every other round on one grid: faces, edges and corners of both solids coincide.
        let turn = if round % 2 == 0 { rng.rotation() } else { Mat3::identity() };
        let by = rng.in_cube() * 2.0;
        let by = if round % 2 == 0 { by } else { by.map(f64::round) };
        let pose =
            Pose { rotation: turn, translation: a.bounds.center().map(f64::floor) + by - turn * Vec3::repeat(2.0) };
        let wanted = common_of(&a, &b, &pose, 0.0).unwrap().volume;
        if let Some(found) = volume_of_mesh(&a, &b, &pose) {
            assert!((found - wanted).abs() < 1e-10, "{round}: {found} is not {wanted}");
            some += 1;
        } else {
            assert!(wanted == 0.0, "{round}: {wanted}");
            none += 1;
        }
    }
    assert!(some >= 15 && none >= 1, "{some} {none}");
}

#[test]
fn empty_and_open_inputs_give_no_mesh() {
    let one = surface(&block([0.0; 3], [1.0; 3]));
    for beside in [at(1.0, 0.0, 0.0), at(1.0, 1.0, 1.0), at(3.0, 0.0, 0.0), at(1.0 - 1e-16, 0.0, 0.0)] {
        assert!(solid(&one, &one, &beside).is_err());
    }
    let aside = at(0.5, 0.3, 0.2);
    near(volume_of_mesh(&one, &one, &aside).unwrap(), 0.5 * 0.7 * 0.8, 1e-12);
    let mut open = block([0.0; 3], [1.0; 3]);
    open.triangles.pop();
    let undefined = Surface::new(&block([0.0; 3], [1.0; 3]), &Vec3::zeros(), Inside::Undefined);
    for bad in [surface(&open), undefined, surface(&reversed(&block([0.0; 3], [1.0; 3])))] {
        assert!(solid(&one, &bad, &aside).is_err() && solid(&bad, &one, &aside).is_err());
    }
}

#[test]
fn mesh_of_another_solid_is_detected() {
    let hollow =
        joined(&[block([0.0; 3], [9.0; 3]), reversed(&translated(&block([0.0; 3], [3.0; 3]), Vec3::repeat(3.0)))]);
    let (a, b) =
        (surface(&hollow), surface(&joined(&[block([0.0; 3], [4.0, 8.0, 8.0]), block([0.0; 3], [5.0, 8.0, 8.0])])));
    let pose = at(1.0, 0.5, 0.5);
    let p = Pairing { a: &a, b: &b, b_in_a: &pose };
    let of = |mesh: &TriMesh| is_common(&surface(mesh), &p);
    let outside = translated(&block([0.0; 3], [5.0, 8.0, 8.0]), Vec3::new(1.0, 0.5, 0.5));
    let cavity = reversed(&translated(&block([0.0; 3], [3.0; 3]), Vec3::repeat(3.0)));
    assert!(of(&joined(&[outside.clone(), cavity.clone()])));
    assert!(!of(&outside), "a cavity is missing");
    assert!(!of(&TriMesh::default()) && !of(&cavity) && !of(&reversed(&outside)));
    assert!(!of(&joined(&[outside.clone(), outside.clone(), cavity.clone()])), "it winds twice");
    let inner = translated(&block([0.0; 3], [4.0, 8.0, 8.0]), Vec3::new(1.0, 0.5, 0.5));
    assert!(!of(&joined(&[inner, cavity.clone()])), "only one of the shells");
    let mut open = joined(&[outside, cavity]);
    open.triangles.swap_remove(3);
    assert!(!of(&open));
}
