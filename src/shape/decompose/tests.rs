use crate::geom::Vec3;
use crate::geom::math::sin_cos_deg;
use crate::mesh::TriMesh;
use crate::shape::decompose::box_clip::ClippedBox;
use crate::shape::decompose::cell::Plane;
use crate::shape::decompose::overshoot::{Goal, overshoot};
use crate::shape::decompose::quads::TrianglePairs;
use crate::shape::decompose::split::planes_of;
use crate::shape::decompose::*;
use crate::shape::hull::{convex_hull, encloses, measure};
use crate::shape::surface::winding_number::winding;
use crate::shape::surface::{Inside, Surface};
use crate::testkit::rng::Rng;
use crate::testkit::solids::{block, cubes, extruded, joined, reversed, ring, translated};

const INFLATION: f64 = 0.005;

fn surface(mesh: &TriMesh) -> Surface {
    Surface::new(mesh, &Vec3::zeros(), Inside::Solid)
}

fn limits(epsilon: f64) -> Limits {
    Limits { epsilon, max_pieces: 256, inflation: INFLATION }
}

/// Makes a tube about z, with radii 8 and 10.
fn tube() -> TriMesh {
    ring(&[[8.0, 0.0], [10.0, 0.0], [10.0, 30.0], [8.0, 30.0]], 48)
}

/// Makes a prism over a counter-clockwise polygon with the given triangles.
fn extruded_with_caps(outline: &[[f64; 2]], caps: &[[u32; 3]], height: f64) -> TriMesh {
    let n = outline.len() as u32;
    let at = |z: f64| outline.iter().map(move |p| Vec3::new(p[0], p[1], z));
    let vertices: Vec<Vec3> = at(0.0).chain(at(height)).collect();
    let sides = (0..n).flat_map(|k| {
        let j = (k + 1) % n;
        [[k, j, n + j], [k, n + j, n + k]]
    });
    let caps = caps.iter().flat_map(|&[a, b, c]| [[a, c, b], [n + a, n + b, n + c]]);
    TriMesh { vertices, triangles: sides.chain(caps).collect() }
}

/// Makes an L with legs of 40 and 30, 4 thick.
fn angle() -> TriMesh {
    let outline = [[4.0, 4.0], [4.0, 30.0], [0.0, 30.0], [0.0, 0.0], [40.0, 0.0], [40.0, 4.0]];
    extruded(&outline, [0.0, 25.0])
}

/// Makes a block with a slot 6 wide and 10 deep.
fn channel() -> TriMesh {
    let outline =
        [[-8.0, 0.0], [8.0, 0.0], [8.0, 20.0], [3.0, 20.0], [3.0, 10.0], [-3.0, 10.0], [-3.0, 20.0], [-8.0, 20.0]];
    extruded_with_caps(&outline, &[[0, 1, 4], [0, 4, 5], [1, 2, 3], [1, 3, 4], [0, 5, 6], [0, 6, 7]], 40.0)
}

/// Distance of a point beyond the solid (mm); 0 inside.
fn beyond(s: &Surface, x: &Vec3) -> f64 {
    if winding(s, None, x).is_some_and(|w| w >= 1) {
        return 0.0;
    }
    s.nearest(x, f64::INFINITY).map_or(f64::INFINITY, |n| n.distance)
}

/// Random points spread over a hull.
fn points_in(hull: &Hull, rng: &mut Rng, n: usize) -> Vec<Vec3> {
    let corner = |rng: &mut Rng| hull.vertices[rng.below(hull.vertices.len())];
    (0..n)
        .map(|_| {
            let [a, b, c, d] = [corner(rng), corner(rng), corner(rng), corner(rng)];
            let (u, v, w) = (rng.unit(), rng.unit(), rng.unit());
            let edge = a + (b - a) * u;
            edge + (c + (d - c) * v - edge) * (w * w)
        })
        .collect()
}

/// Checks a decomposition on samples and returns the largest overshoot found.
fn hold(s: &Surface, d: &Decomposition, rng: &mut Rng) -> f64 {
    let mut planes: Vec<Vec<Plane>> = Vec::new();
    for piece in &d.pieces {
        assert_eq!(piece.rank, 3);
        assert!(crate::shape::hull::violations(piece, &piece.vertices).is_empty());
        planes.push(planes_of(piece));
    }
    for v in s.triangles.iter().flatten().map(|&v| s.vertices[v as usize]) {
        assert!(d.pieces.iter().any(|p| encloses(p, &[v])), "a vertex is outside: {v}");
    }
    let holds = |p: &[Plane], x: &Vec3, deep: f64| p.iter().all(|plane| plane.height(x) <= -deep);
    for _ in 0..3000 {
        let [a, b, c] = s.triangle(rng.below(s.triangles.len()) as u32);
        let (u, v) = (rng.unit(), rng.unit());
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        let x = a + (b - a) * u + (c - a) * v;
        assert!(planes.iter().any(|p| holds(p, &x, 0.0)), "a surface point is outside: {x}");
    }
    // Balls with the radius of the inflation lie in single pieces.
    let mut balls = 0;
    let (low, size) = (s.bounds.min, s.bounds.max - s.bounds.min);
    for _ in 0..3000 {
        let x = low + rng.in_unit_cube().component_mul(&size);
        let inside = winding(s, None, &x).is_some_and(|w| w >= 1);
        if inside && s.nearest(&x, f64::INFINITY).is_some_and(|n| n.distance > INFLATION) {
            balls += 1;
            assert!(planes.iter().any(|p| holds(p, &x, INFLATION * (1.0 - 1e-9))), "a ball is cut: {x}");
        }
    }
    assert!(balls > 100, "{balls} balls");
    let samples = d.pieces.iter().flat_map(|p| points_in(p, rng, 1000));
    let worst = samples.map(|x| beyond(s, &x)).fold(0.0, f64::max);
    assert!(worst <= d.epsilon, "{worst} beyond, certified {}", d.epsilon);
    worst
}

#[test]
fn block_is_one_piece_and_l_shape_two() {
    let rng = &mut Rng::new(1);
    let s = surface(&block([0.0; 3], [3.0, 4.0, 5.0]));
    let d = decompose(&s, &limits(0.1)).unwrap();
    assert_eq!(d.pieces.len(), 1);
    assert!(d.epsilon < 1e-9, "{}", d.epsilon);
    hold(&s, &d, rng);
    let s = surface(&angle());
    let d = decompose(&s, &limits(0.1)).unwrap();
    assert_eq!(d.pieces.len(), 2);
    let volume: f64 = d.pieces.iter().map(|p| measure(p).volume).sum();
    assert!((volume / (25.0 * 4.0 * 66.0) - 1.0).abs() < 0.01, "{volume}");
    hold(&s, &d, rng);
}

#[test]
fn pieces_contain_solid_and_keep_epsilon() {
    let rng = &mut Rng::new(2);
    let pocket = joined(&[
        block([0.0; 3], [20.0, 20.0, 10.0]),
        reversed(&translated(&block([0.0; 3], [8.0, 8.0, 4.0]), Vec3::new(6.0, 5.0, 3.0))),
    ]);
    let mut cut = 0;
    for mesh in [tube(), angle(), channel(), pocket, cubes(rng), cubes(rng)] {
        let s = surface(&mesh);
        for part in [0.1, 0.03, 0.01] {
            let asked = part * s.bounds.diagonal();
            let d = decompose(&s, &limits(asked)).unwrap();
            assert!(d.epsilon <= asked, "{} of {asked} with {} pieces", d.epsilon, d.pieces.len());
            hold(&s, &d, rng);
            cut += usize::from(d.pieces.len() > 1);
        }
    }
    assert!(cut >= 9, "{cut}");
}

#[test]
fn tube_pieces_stay_near_sagitta_estimate() {
    // A sector of angle 2φ overshoots by r(1 − cos φ) into the bore: 1.07 for φ = 30°.
    let s = surface(&tube());
    let d = decompose(&s, &limits(8.0 * (1.0 - sin_cos_deg(30.0).1) + 0.05)).unwrap();
    assert!((6..=8).contains(&d.pieces.len()), "{}", d.pieces.len());
}

#[test]
fn hull_overshoot_is_bounded_from_both_sides() {
    let s = surface(&channel());
    let hull = convex_hull(&s.vertices);
    let patches = TrianglePairs::new(&s, 1e-6);
    let goal = Goal { allowed: f64::INFINITY, enough: 0.1 };
    // The middle of the slot is 3 from its walls, from slightly above the floor upward.
    let found = overshoot(&patches, &hull.vertices, &planes_of(&hull), Goal { enough: 3.05, ..goal });
    assert!(found.upper >= 3.0 && found.upper <= 3.06, "{}", found.upper);
    let found = overshoot(&patches, &hull.vertices, &planes_of(&hull), Goal { allowed: 2.5, enough: 2.5 });
    let [near, point] = found.beyond.unwrap();
    assert!((point - near).norm() > 2.5 && beyond(&s, &point) > 2.5 && found.upper >= 3.0);
}

#[test]
fn a_budget_ends_the_refinement_and_the_bound_still_holds() {
    let s = surface(&tube());
    let reached = [1, 2, 4, 8].map(|max_pieces| {
        let d = decompose(&s, &Limits { max_pieces, ..limits(0.05) }).unwrap();
        assert!(d.pieces.len() <= max_pieces);
        assert!(hold(&s, &d, &mut Rng::new(3)) > 0.05);
        d.epsilon
    });
    // The bore's radius, and less than quarters leave: 8 (1 − cos 45°) = 2.3.
    assert!(reached[0] >= 7.9 && reached[3] < 2.3, "{reached:?}");
}

#[test]
fn useless_cuts_of_overlapping_cells_are_skipped() {
    let s = surface(&angle());
    let d = decompose(&s, &Limits { inflation: 6.0, ..limits(0.05) }).unwrap();
    assert!((2..10).contains(&d.pieces.len()), "{} pieces", d.pieces.len());
    let reached = hold(&s, &d, &mut Rng::new(5));
    assert!(reached > 1.0 && d.epsilon < 12.0, "{reached} {}", d.epsilon);
}

#[test]
fn open_mesh_has_no_pieces() {
    let mut open = block([0.0; 3], [1.0; 3]);
    open.triangles.pop();
    assert!(decompose(&Surface::new(&open, &Vec3::zeros(), Inside::Undefined), &limits(0.1)).is_none());
    assert!(decompose(&surface(&TriMesh::default()), &limits(0.1)).is_none());
}

#[test]
fn cell_overlap_leaves_bore_pieces_unchanged() {
    // Cuts across the bore are useless, and once hid the bore in slices thinner than the sample spacing.
    let s = surface(&tube());
    let counts = [1e-9, 1e-5, 1e-3, 0.01].map(|inflation| {
        let d = decompose(&s, &Limits { epsilon: 0.5, max_pieces: 64, inflation }).unwrap();
        assert!(d.epsilon <= 0.5);
        d.pieces.len()
    });
    assert!(counts.iter().all(|&n| (9..=14).contains(&n)), "{counts:?}");
}

#[test]
fn decomposition_depends_only_on_surface_and_limits() {
    let s = surface(&tube());
    assert_eq!(decompose(&s, &limits(0.5)), decompose(&surface(&tube()), &limits(0.5)));
}

#[test]
fn pieces_are_the_same_for_any_thread_count() {
    for mesh in [tube(), angle(), channel()] {
        let s = surface(&mesh);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| decompose(&s, &limits(0.3)).unwrap())
        };
        let alone = on(1);
        assert!(alone.pieces.len() > 1);
        for threads in [2, 5] {
            assert_eq!(on(threads), alone);
        }
    }
}

#[test]
fn clipped_box_contains_its_part_of_a_piece() {
    let rng = &mut Rng::new(3);
    let mut cut = 0;
    for _ in 0..200 {
        let mut any = || rng.in_cube();
        let (center, half) = (any(), any().abs() + Vec3::repeat(0.1));
        let planes: Vec<Plane> = (0..4)
            .map(|_| {
                let normal = any().normalize();
                Plane { normal, offset: normal.dot(&(center + any().component_mul(&half) * 0.7)) }
            })
            .collect();
        let from = any() * 2.0;
        let mut held = ClippedBox::default();
        held.begin(&center, &half);
        held.ask(&from, 0.0);
        cut += planes.iter().filter(|p| held.cut(p)).count();
        let (middle, around) = held.around();
        let (radius, most) = (held.radius(&from), held.top().map_or(0.0, |top| top.most));
        for _ in 0..200 {
            let x = center + any().component_mul(&half);
            if planes.iter().all(|p| p.height(&x) < -1e-9) {
                assert!((0..3).all(|k| (x - middle)[k].abs() <= around[k] + 1e-9), "{x} is outside of what is held");
                assert!((x - from).norm() <= radius + 1e-9 && radius <= most + 1e-9, "{x} is farther");
            }
        }
    }
    assert!(cut > 400, "{cut} cuts");
}
