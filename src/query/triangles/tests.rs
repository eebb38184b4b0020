//! Compares surfaces, queries and pairs with brute force, on degenerate shapes.

use crate::geom::math::sin_cos_deg;
use crate::geom::triangle::{Feature, Triangle, closest, intersects, point_triangle};
use crate::geom::{Mat3, Pose, Vec3};
use crate::mesh::TriMesh;
use crate::query::triangles::bvh_traversal::{DualTraversal, LeafPairs, SearchRadius};
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::triangle_bounds::{BoundedTriangle, SidePlanes};
use crate::query::triangles::{
    Distance, LastShare, displaced_intersection, intersecting_pairs, leaves_of_disjoint, separation,
    some_displaced_intersections, visit_near,
};
use crate::shape::surface::winding_number::{winding, winding_moved};
use crate::shape::surface::{Inside, Surface};
use crate::testkit::poses::{about_axis, oblique};
use crate::testkit::rng::Rng;
use crate::testkit::solids::squared_box;
use std::collections::BTreeSet;

/// Draws a point of the cube [−0.5, 0.5)³.
fn near_origin(rng: &mut Rng) -> Vec3 {
    rng.in_cube() * 0.5
}

/// Draws a pose: some poses align faces, edges and vertices, others are general.
pub(crate) fn random_pose(rng: &mut Rng) -> Pose {
    let rotation = match rng.below(3) {
        0 => Mat3::identity(),
        1 => about_axis(rng.below(3), 90.0 * rng.below(4) as f64),
        _ => rng.rotation(),
    };
    let translation = match rng.below(4) {
        0 => Vec3::zeros(),
        1 => (near_origin(rng) * 8.0).map(libm::round),
        2 => near_origin(rng) * 12.0,
        _ => near_origin(rng) * 1e-4,
    };
    Pose { rotation, translation }
}

pub(crate) fn ball(n: u32) -> TriMesh {
    squared_box(n, |p| p.normalize() * (2.2 + 0.1 * libm::sin(3.0 * p.x) * libm::cos(2.0 * p.y)))
}

/// Returns `n` unconnected triangles.
fn soup(n: u32, mut corner: impl FnMut() -> Vec3) -> TriMesh {
    let vertices = (0..3 * n).map(|_| corner()).collect();
    TriMesh { vertices, triangles: (0..n).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect() }
}

fn shapes(rng: &mut Rng) -> Vec<TriMesh> {
    let mut all = vec![
        squared_box(1, |p| p),
        squared_box(3, |p| p),
        ball(4),
        squared_box(6, |p| Vec3::new(p.x, p.y, p.z * 0.01)),
    ];
    all.push(soup(40, || near_origin(rng) * 4.0));
    all.push(soup(60, || (near_origin(rng) * 4.0).map(libm::round)));
    all.push(soup(50, || Vec3::new(2.0, 1.0, 0.5).component_mul(&near_origin(rng).map(|x| libm::round(2.0 * x)))));
    // Slivers, all close to one line.
    all.push(soup(30, || Vec3::new(4.0, 3.0, 2.0) * (rng.unit() - 0.5) + near_origin(rng) * 1e-7));
    // Thirty copies of one triangle.
    let mut k = 0;
    all.push(soup(30, || {
        k += 1;
        [Vec3::zeros(), Vec3::x(), Vec3::y()][k % 3]
    }));
    // A cylinder's fan: needles with a common vertex.
    let ring = |k: u32| sin_cos_deg(f64::from(k) * 9.0);
    let mut fan = TriMesh { vertices: vec![Vec3::new(0.0, 0.0, 3.0)], triangles: Vec::new() };
    for k in 0..40 {
        let (s, c) = ring(k);
        fan.vertices.push(Vec3::new(c, s, -3.0));
        fan.triangles.push([0, 1 + k, 1 + (k + 1) % 40]);
    }
    all.push(fan);
    all
}

fn surface(mesh: &TriMesh) -> Surface {
    Surface::new(mesh, &Vec3::zeros(), Inside::Undefined)
}

fn triangles(s: &Surface, pose: &Pose) -> Vec<Triangle> {
    (0..s.triangles.len() as u32).map(|t| s.triangle(t).map(|v| pose.point(&v))).collect()
}

/// Returns all pairs of intersecting triangles, and the least distance of two triangles.
fn brute_force(a: &[Triangle], b: &[Triangle]) -> (BTreeSet<(u32, u32)>, f64) {
    let (mut met, mut least) = (BTreeSet::new(), f64::INFINITY);
    for (i, s) in (0..).zip(a) {
        for (j, t) in (0..).zip(b) {
            if intersects(s, t) {
                met.insert((i, j));
                least = 0.0;
            } else if least > 0.0 {
                least = closest(s, t).squared.sqrt().min(least);
            }
        }
    }
    (met, least)
}

/// Calls `check` for pairs of all shapes in several poses, some far from the origin.
fn pairs(seed: u64, rounds: usize, mut check: impl FnMut(&Surface, &Surface, &Pose, f64, &mut Rng)) {
    let mut rng = Rng::new(seed);
    let shapes = shapes(&mut rng);
    for round in 0..rounds {
        let [mut a, mut b] = [(); 2].map(|()| shapes[rng.below(shapes.len())].clone());
        let mut pose = random_pose(&mut rng);
        if round % 5 == 4 {
            // B's own frame lies far away; the pose moves B back.
            let far = Vec3::new(1e5, -2e5, 3e4);
            b.vertices.iter_mut().for_each(|v| *v += far);
            pose.translation -= pose.rotation * far;
        }
        if round % 7 == 6 {
            a.vertices.iter_mut().chain(&mut b.vertices).for_each(|v| *v = v.map(|x| f64::from(x as f32)));
        }
        let (a, b) = (surface(&a), surface(&b));
        let eta = 1e-15 * (20.0 + 4.0 * pose.translation.norm());
        check(&a, &b, &pose, eta, &mut rng);
    }
}

#[test]
fn triangle_pairs_agree_with_brute_force() {
    let (mut some, mut none) = (0, 0);
    pairs(1, 400, |a, b, pose, _, _| {
        let (expected, _) = brute_force(&triangles(a, &Pose::identity()), &triangles(b, pose));
        let mut found = BTreeSet::new();
        let p = Pairing { a, b, b_in_a: pose };
        intersecting_pairs(&p, |i, j| found.insert((i, j)));
        assert_eq!(found, expected);
        let mut calls = 0;
        intersecting_pairs(&p, |_, _| {
            calls += 1;
            calls < 2
        });
        assert_eq!(calls, expected.len().min(2));
        *(if expected.is_empty() { &mut none } else { &mut some }) += 1;
    });
    assert!(some > 50 && none > 50, "{some} {none}");
}

#[test]
fn distances_agree_with_brute_force() {
    let (mut within, mut beyond) = (0, 0);
    pairs(2, 400, |a, b, pose, eta, rng| {
        let (met, least) = brute_force(&triangles(a, &Pose::identity()), &triangles(b, pose));
        let p = Pairing { a, b, b_in_a: pose };
        let Distance::Within(gap) = separation(&p, f64::INFINITY, 0.0) else { panic!("all is within infinity") };
        assert_eq!(gap.meets, !met.is_empty());
        assert!(gap.exact || gap.value == 0.0);
        assert!((gap.value - least).abs() <= eta, "{} {least}", gap.value);
        assert!(met.is_empty() || met.contains(&(gap.triangles[0], gap.triangles[1])));
        assert!(((gap.points[0] - gap.points[1]).norm() - gap.value).abs() < 1e-7_f64.max(10.0 * eta));
        assert!(point_triangle(&gap.points[0], &a.triangle(gap.triangles[0])).squared.sqrt() <= 1e-7);
        let limit = least * 1.5 * rng.unit();
        match separation(&p, limit, limit) {
            Distance::Beyond(bound) => {
                assert!(limit < least + eta && limit < bound && bound <= least + eta, "{limit} {bound} {least}");
                beyond += 1;
            }
            Distance::Within(gap) => {
                assert!(gap.value <= limit && gap.value >= least - eta);
                within += 1;
            }
        }
    });
    assert!(within > 50 && beyond > 50, "{within} {beyond}");
}

#[test]
fn moved_triangle_pairs_agree_with_brute_force() {
    let (mut some, mut none) = (0, 0);
    pairs(3, 300, |a, b, pose, _, rng| {
        let slack = [1e-4, 0.01, 0.3][rng.below(3)];
        let mut nudge = |v: Vec3| v + near_origin(rng) * slack;
        let va: Vec<Vec3> = a.vertices.iter().map(|&v| nudge(v)).collect();
        let vb: Vec<Vec3> = b.vertices.iter().map(|v| nudge(pose.point(v))).collect();
        let corners = |s: &Surface, v: &[Vec3]| -> Vec<Triangle> {
            s.triangles.iter().map(|t| t.map(|k| v[k as usize])).collect()
        };
        let (ta, tb) = (corners(a, &va), corners(b, &vb));
        let expected = !brute_force(&ta, &tb).0.is_empty();
        let p = Pairing { a, b, b_in_a: pose };
        assert_eq!(displaced_intersection(&p, slack, |i| ta[i as usize], |j| tb[j as usize]).is_some(), expected);
        *(if expected { &mut some } else { &mut none }) += 1;
    });
    assert!(some > 50 && none > 50, "{some} {none}");
}

#[test]
fn nearest_and_within_agree_with_brute_force() {
    let mut seen = BTreeSet::new();
    pairs(4, 200, |_, s, pose, _, rng| {
        let back = pose.inverse();
        for _ in 0..10 {
            let mut x = back.point(&(pose.translation + near_origin(rng) * 10.0));
            if rng.below(3) == 0 {
                x = s.vertices[rng.below(s.vertices.len())] + near_origin(rng) * 1e-3;
            }
            let all: Vec<f64> =
                triangles(s, &Pose::identity()).iter().map(|t| point_triangle(&x, t).squared.sqrt()).collect();
            let least = all.iter().copied().fold(f64::INFINITY, f64::min);
            let found = s.nearest(&x, f64::INFINITY).expect("there are triangles");
            assert_eq!(found.distance, least);
            assert!(s.nearest(&x, least).is_none());
            assert_eq!(s.nearest(&x, least * 1.001 + 1e-9).map(|n| n.distance), Some(least));
            seen.insert(match found.feature {
                Feature::Face => 0,
                Feature::Edge(k) => 1 + k,
                Feature::Vertex(k) => 4 + k,
            });
            let radius = least * 1.3 + 1e-3;
            let mut visited = BTreeSet::new();
            s.within(&x, radius, |t| visited.insert(t));
            assert!((0..).zip(&all).all(|(t, &d)| d > radius || visited.contains(&t)));
            assert!(visited.iter().all(|&t| all[t as usize] <= radius * (1.0 + 1e-9) + 1e-9));
        }
    });
    assert_eq!(seen.len(), 7, "every feature is nearest to some point");
}

#[test]
fn winding_numbers_count_closed_surfaces() {
    let mut rng = Rng::new(5);
    let mut counts = [0; 4];
    for round in 0..60 {
        // A ball in a box, inverted in every other round to form a cavity.
        let (mut mesh, inner) = (squared_box(1 + round % 4, |p| p), ball(3));
        let first = mesh.vertices.len() as u32;
        mesh.vertices.extend(inner.vertices.iter().map(|v| v * 0.5));
        mesh.triangles.extend(inner.triangles.iter().map(|&[a, b, c]| {
            let t = if round % 2 == 0 { [a, b, c] } else { [a, c, b] };
            t.map(|v| v + first)
        }));
        let s = surface(&mesh);
        assert_eq!(s.shells, [0, first]);
        let pose = random_pose(&mut rng);
        for _ in 0..50 {
            let x = near_origin(&mut rng) * 5.0;
            let placed = pose.point(&x);
            let angle: f64 = triangles(&s, &pose).iter().map(|t| solid_angle(&placed, t)).sum();
            let expected = libm::round(angle / (4.0 * std::f64::consts::PI)) as i32;
            assert_eq!(winding(&s, Some(&pose), &placed), Some(expected));
            let moved = |v: u32| pose.point(&s.vertices[v as usize]) + Vec3::new(0.01, -0.02, 0.01);
            let x = placed + Vec3::new(0.01, -0.02, 0.01);
            assert_eq!(winding_moved(&s, Some(&pose), &x, 0.03, moved), Some(expected));
            counts[(expected + 1) as usize] += 1;
        }
        let on = s.triangle(rng.below(s.triangles.len()) as u32);
        assert_eq!(winding(&s, None, &on[1]), None);
    }
    assert!(counts[1] > 100 && counts[2] > 100 && counts[3] > 50, "{counts:?}");
}

/// Computes the solid angle of a triangle seen from `x`. Source: A. van Oosterom & J. Strackee, "The Solid Angle of a
/// Plane Triangle", 1983.
fn solid_angle(x: &Vec3, t: &Triangle) -> f64 {
    let [a, b, c] = t.map(|v| v - x);
    let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
    let below = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
    2.0 * libm::atan2(a.dot(&b.cross(&c)), below)
}

#[test]
fn triangles_apart_beyond_a_side_are_farther_than_the_limit() {
    let (mut apart, mut near) = (0, 0);
    pairs(31, 60, |a, b, pose, _, rng| {
        let limit = rng.scale(1e-6, 1.0);
        let others: Vec<BoundedTriangle> = triangles(b, pose).into_iter().map(BoundedTriangle::new).collect();
        for s in (0..a.triangles.len() as u32).map(|t| BoundedTriangle::new(a.triangle(t))) {
            let sides = SidePlanes::new(&s);
            for t in &others {
                let distance = closest(&s.corners, &t.corners).squared.sqrt();
                if sides.exclude(t, limit) {
                    assert!(distance > 0.999 * limit && !intersects(&s.corners, &t.corners), "{s:?} {t:?}");
                    apart += 1;
                } else {
                    near += usize::from(distance <= limit);
                }
            }
        }
    });
    assert!(apart > 10_000 && near > 1000, "{apart} {near}");
}

#[test]
fn known_pairs_of_leaves_give_the_pairs_of_triangles_of_a_descent_in_the_same_order() {
    let (mut shorter, mut visited) = (0, 0);
    pairs(47, 200, |a, b, pose, _, rng| {
        let p = Pairing { a, b, b_in_a: pose };
        let slack = rng.scale(1e-6, 1.0);
        let far = Vec3::repeat(1e3);
        // B's triangles are moved away from all of A, so that none intersect. Only the boxes count.
        let placed = |j: u32| triangles(b, pose)[j as usize].map(|x| x + far);
        let Ok(leaves) = leaves_of_disjoint(&p, slack, |i| a.triangle(i), placed) else { panic!("disjoint triangles") };
        assert!(leaves.are_of(&p) && !leaves.are_of(&Pairing { a: b, b: a, b_in_a: pose }));
        let near = visit_near(&p, slack, |_, _| {}).expect("a small pair");
        let within = [(&leaves, 2.0 * slack), (&near, slack)];
        let radii = [0.0, slack, 2.0 * slack, 3.0 * slack];
        for ((leaves, within), radius) in within.into_iter().flat_map(|w| radii.map(|radius| (w, radius))) {
            let run = |known: Option<&LeafPairs>| {
                let (mut descent, mut reach) = (DualTraversal::new(&p, 0.0), SearchRadius::new(radius));
                let roots = descent.roots_among(known, &reach);
                let (count, mut found) = (roots.len(), Vec::new());
                let corners = |j: u32| triangles(b, pose)[j as usize];
                descent.run_below(
                    roots,
                    &mut reach,
                    |i| a.triangle(i),
                    corners,
                    |_, _, (i, f), (j, g)| {
                        found.push((i, j, closest(&f.corners, &g.corners).squared.sqrt()));
                        true
                    },
                );
                (count, found)
            };
            let ((_, all), (count, found)) = (run(None), run(Some(leaves)));
            let mut rest = all.iter();
            let mut next = rest.next();
            for pair in &found {
                if Some(pair) == next {
                    next = rest.next();
                } else {
                    assert!(pair.2 > radius, "{pair:?}");
                }
            }
            assert!(next.is_none(), "{next:?}");
            visited += all.len();
            shorter += usize::from(radius <= within && count != 1);
        }
    });
    assert!(shorter > 200 && visited > 10_000, "{shorter} {visited}");
}

#[test]
fn a_crossing_test_that_begins_at_the_last_share_finds_the_same_pairs() {
    let [a, b] = [surface(&ball(46)), surface(&ball(46))];
    let found = |p: &Pairing, count: usize, last: &LastShare| {
        some_displaced_intersections(p, 0.0, |i| p.a.triangle(i), |j| p.sides()[1].corners(j), count, last)
    };
    let in_order = |mut pairs: Vec<(u32, u32)>| {
        pairs.sort_unstable();
        pairs
    };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let last = LastShare::default();
        let mut all = Vec::new();
        // Each pose begins where the one before found crossings. The last two are disjoint, and far apart.
        for x in [2.0, 2.01, 4.3, 4.31, 5.0, 90.0] {
            let pose = Pose { rotation: oblique(), translation: Vec3::new(x, 0.3, -0.2) };
            let p = Pairing { a: &a, b: &b, b_in_a: &pose };
            let mut should = Vec::new();
            intersecting_pairs(&p, |i, j| {
                should.push((i, j));
                true
            });
            let (some, every) = pool.install(|| (found(&p, 12, &last), found(&p, usize::MAX, &last)));
            assert_eq!(some.len(), should.len().min(12), "{x}");
            assert!(some.iter().all(|pair| should.contains(pair)), "{x}");
            assert_eq!(in_order(every), in_order(should), "{x}");
            all.push(some);
        }
        all
    };
    let all = on(1);
    assert!(all[0].len() == 12 && all[4].is_empty() && all[5].is_empty());
    assert_eq!(all, on(3));
}
