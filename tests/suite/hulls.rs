//! Hulls of 10 000 random and degenerate clouds against exact, simple tests, and closed forms. `INTERFERE_FULL=1` takes
//! ten times as many.

use crate::support::Rng;
use interfere::internals::geom::Vec3;
use interfere::internals::geom::math::sin_cos_deg;
use interfere::internals::shape::hull::{
    Hull, Tried, convex_hull, encloses, facets, fit_obb, hull_within, measure, violations,
};

fn grid(rng: &mut Rng, n: usize) -> Vec<Vec3> {
    let side = 2 + rng.below(5);
    (0..n).map(|_| Vec3::new(rng.below(side) as f64, rng.below(side) as f64, rng.below(side) as f64)).collect()
}

fn rings(rng: &mut Rng, n: usize) -> Vec<Vec3> {
    let around = 3 + n / 3;
    (0..n)
        .map(|i| {
            let (s, c) = sin_cos_deg(360.0 * (i % around) as f64 / around as f64);
            Vec3::new(c, s, (i / around) as f64 + if rng.below(50) == 0 { 0.5 } else { 0.0 })
        })
        .collect()
}

fn rounded_to_f32(points: &mut [Vec3]) {
    for p in points {
        *p = p.map(|x| f64::from(x as f32));
    }
}

const KINDS: usize = 12;

/// A cloud of a kind known to break hull builders.
fn cloud(rng: &mut Rng, kind: usize) -> Vec<Vec3> {
    let n = match rng.below(10) {
        0..=2 => 1 + rng.below(6),
        3..=8 => 4 + rng.below(60),
        _ => 64 + rng.below(240),
    };
    let free = rng.in_cube();
    let mut points: Vec<Vec3> = match kind {
        0 => (0..n).map(|_| rng.in_cube()).collect(),
        1 => (0..n).map(|_| rng.in_ball()).collect(),
        2 => (0..n).map(|_| rng.direction()).collect(),
        3 => grid(rng, n),
        4 => (0..n).map(|_| free * rng.below(9) as f64).collect(),
        5 => (0..n).map(|_| Vec3::new(rng.unit(), rng.unit(), 0.25)).collect(),
        6 => (0..n).map(|_| free).collect(),
        7 | 8 => rings(rng, n),
        9 => (0..n).map(|_| rng.in_cube().map(|x| if x < 0.0 { -0.0 } else { 1.0 })).collect(),
        10 => (0..n).map(|_| Vec3::new(rng.unit(), rng.unit(), 1e-13 * rng.unit())).collect(),
        _ => {
            let (a, b) = (rng.in_cube(), rng.in_cube());
            (0..n).map(|_| a * rng.unit() + b * rng.unit()).collect()
        }
    };
    // Half of the clouds are turned and scaled; some end far away, some in single precision, some with duplicates.
    if rng.below(2) == 0 {
        let turn = rng.rotation() * libm::pow(10.0, rng.unit() * 7.0 - 3.0);
        for p in &mut points {
            *p = turn * *p;
        }
    }
    if rng.below(4) == 0 {
        for p in &mut points {
            *p += Vec3::new(1e6, -1e6, 1e6);
        }
    }
    if kind == 8 || rng.below(4) == 0 {
        rounded_to_f32(&mut points);
    }
    if rng.below(4) == 0 {
        let copies: Vec<Vec3> = points.iter().filter(|_| rng.below(3) == 0).copied().collect();
        points.extend(copies);
    }
    points
}

fn clouds() -> usize {
    if std::env::var_os("INTERFERE_FULL").is_some() { 100_000 } else { 10_000 }
}

/// Asserts: ascending along neighbours from any vertex reaches the highest vertex, up to rounding.
fn climbing_reaches_the_top(hull: &Hull, rng: &mut Rng) {
    let v = &hull.vertices;
    let size = v.iter().map(Vec3::amax).fold(0.0, f64::max);
    for _ in 0..4 {
        let direction = rng.direction();
        let top = v.iter().map(|p| direction.dot(p)).fold(f64::NEG_INFINITY, f64::max);
        let mut at = rng.below(v.len());
        loop {
            let row = hull.neighbor_starts[at] as usize..hull.neighbor_starts[at + 1] as usize;
            let here = direction.dot(&v[at]);
            match hull.neighbors[row].iter().find(|&&i| direction.dot(&v[i as usize]) > here) {
                Some(&i) => at = i as usize,
                None => break,
            }
        }
        let reached = direction.dot(&v[at]);
        assert!(top - reached <= 8.0 * f64::EPSILON * size, "{reached} instead of {top}");
    }
}

/// Asserts: facets support every vertex, in exact planes up to a few round-offs. Returns their number.
fn facets_support(hull: &Hull) -> usize {
    let found = facets(hull);
    let size = hull.vertices.iter().map(Vec3::amax).fold(0.0, f64::max);
    for f in &found {
        assert!((f.normal.norm() - 1.0).abs() < 1e-14);
        assert!(hull.vertices.iter().all(|v| f.normal.dot(v) <= f.offset));
        assert!(f.slack >= 0.0 && f.slack <= 1e-13 * size, "slack {} at size {size}", f.slack);
    }
    found.len()
}

#[test]
fn every_hull_of_a_random_cloud_is_sound() {
    let mut rng = Rng::new(7);
    let mut ranks = [0_u32; 4];
    let (mut facet_count, mut dropped) = (0, 0);
    for i in 0..clouds() {
        let points = cloud(&mut rng, i % KINDS);
        let hull = convex_hull(&points);
        let wrong = violations(&hull, &points);
        assert!(wrong.is_empty(), "cloud {i}: {wrong:?}\n{points:?}");
        assert!(encloses(&hull, &points));
        ranks[hull.rank as usize] += 1;
        dropped += u32::from(hull.vertices.len() < points.len());
        facet_count += facets_support(&hull);
        climbing_reaches_the_top(&hull, &mut rng);
        let obb = fit_obb(&hull, &facets(&hull), if i % 2 == 0 { Tried::Large } else { Tried::Many });
        assert!(points.iter().all(|p| obb.contains(p)), "cloud {i}: a point is outside of its oriented box");
        assert!(measure(&hull).volume >= 0.0);
    }
    // The sample has enough clouds of each rank, dropped points and facets.
    let n = clouds() as u32;
    assert!(ranks[0] > n / 30 && ranks[1] > n / 40 && ranks[2] > n / 15 && ranks[3] > n / 2, "{ranks:?}");
    assert!(dropped > n / 3 && facet_count > 10 * n as usize, "{dropped} {facet_count}");
}

#[test]
fn large_clouds_take_the_filter_and_the_spatial_order() {
    let mut rng = Rng::new(11);
    for kind in 0..5 {
        let points: Vec<Vec3> = (0..4000)
            .map(|i| match kind {
                0 => rng.in_ball(),
                1 => rng.direction(),
                2 => rng.in_cube().component_mul(&Vec3::new(1e3, 1.0, 1e-3)) + Vec3::repeat(1e4),
                3 => Vec3::new(f64::from(i % 16), f64::from(i / 16 % 16), f64::from(i / 256)),
                _ => Vec3::new(f64::from(i % 60), f64::from(i / 60), f64::from(i % 2) * 1e-12),
            })
            .collect();
        let hull = convex_hull(&points);
        // A subset of the points keeps the quadratic test short; it includes all vertices.
        let some: Vec<Vec3> = points.iter().step_by(3).copied().chain(hull.vertices.iter().copied()).collect();
        assert_eq!(violations(&hull, &some), Vec::<String>::new(), "kind {kind}");
        assert_eq!(hull.rank, 3);
        assert_eq!(hull.vertices.len() == 4000, kind == 1);
    }
}

#[test]
fn smooth_closed_curves_and_cones_keep_every_point() {
    let curve = |f: &dyn Fn(f64, f64) -> Vec3| -> Vec<Vec3> {
        (0..3000)
            .map(|i| {
                let (s, c) = sin_cos_deg(f64::from(i) * 0.12);
                f(s, c)
            })
            .collect()
    };
    let mut cone = curve(&|s, c| Vec3::new(c, s, 0.0));
    cone.insert(5, Vec3::z());
    for (points, facet_count) in [(curve(&|s, c| Vec3::new(c, s, s * c)), None), (cone, Some(3001))] {
        let hull = convex_hull(&points);
        assert_eq!(violations(&hull, &points), Vec::<String>::new());
        assert_eq!((hull.rank, hull.vertices.len()), (3, points.len()));
        let found = facets(&hull).len();
        assert!(facet_count.is_none_or(|n| n == found), "{found}");
    }
}

#[test]
fn rough_hull_lists_all_outside_points() {
    let mut rng = Rng::new(17);
    let (mut outside, mut named) = (0, 0);
    for i in 0..clouds() / 4 {
        let points = cloud(&mut rng, i % KINDS);
        let size = points.iter().map(|p| (p - points[0]).amax()).fold(0.0, f64::max);
        let (hull, left) = hull_within(&points, 0.05 * size);
        assert!(hull.rank == 3 || left.is_empty());
        let wrong = violations(&hull, &hull.vertices);
        assert!(wrong.is_empty(), "cloud {i}: {wrong:?}");
        for (k, p) in (0..).zip(&points) {
            if left.contains(&k) {
                named += 1;
                outside += u64::from(!encloses(&hull, &[*p]));
            } else {
                assert!(encloses(&hull, &[*p]), "cloud {i}: point {k} is outside and not named");
            }
        }
        let (exact, none) = hull_within(&points, 0.0);
        assert!(exact == convex_hull(&points) && none.is_empty());
    }
    assert!(outside > 1000 && named < 50 * outside, "{outside} of {named}");
    // Few vertices on a smooth surface, and all points close to the hull.
    let ball: Vec<Vec3> = (0..5000).map(|_| rng.direction()).collect();
    let (hull, left) = hull_within(&ball, 0.02);
    assert!(hull.vertices.len() < 400 && left.len() > 4000, "{} {}", hull.vertices.len(), left.len());
    let planes = facets(&hull);
    let height = |p: &Vec3| planes.iter().map(|f| f.normal.dot(p) - f.offset).fold(f64::NEG_INFINITY, f64::max);
    let highest = ball.iter().map(height).fold(0.0, f64::max);
    assert!(highest > 0.01 && highest < 0.03, "{highest}");
}

#[test]
fn the_same_points_give_the_same_bytes() {
    let mut rng = Rng::new(3);
    let points: Vec<Vec3> = (0..2000).map(|_| rng.in_ball()).collect();
    assert_eq!(convex_hull(&points), convex_hull(&points));
}

fn cube_grid(side: u32) -> Vec<Vec3> {
    (0..side.pow(3))
        .map(|i| Vec3::new(f64::from(i % side), f64::from(i / side % side), f64::from(i / side / side)))
        .collect()
}

#[test]
fn closed_forms_of_cube_tetrahedron_and_octahedron() {
    let far = Vec3::new(1024.0, -2048.0, 512.0);
    let cube: Vec<Vec3> = cube_grid(2).iter().map(|p| p * 2.0 + far).collect();
    let hull = convex_hull(&cube);
    let m = measure(&hull);
    assert_eq!((hull.vertices.len(), hull.triangles.len(), facets(&hull).len()), (8, 12, 6));
    assert_eq!((m.volume, m.area, m.centroid), (8.0, 24.0, far + Vec3::repeat(1.0)));
    let tetrahedron = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
    let hull = convex_hull(&tetrahedron);
    let m = measure(&hull);
    assert_eq!(facets(&hull).len(), 4);
    assert!((m.volume - 1.0 / 6.0).abs() < 1e-16 && (m.area - (1.5 + 0.75_f64.sqrt())).abs() < 1e-15);
    assert!((m.centroid - Vec3::repeat(0.25)).norm() < 1e-16);
    let octahedron = [Vec3::x(), -Vec3::x(), Vec3::y(), -Vec3::y(), Vec3::z(), -Vec3::z()];
    let hull = convex_hull(&octahedron);
    let m = measure(&hull);
    assert_eq!((hull.vertices.len(), facets(&hull).len()), (6, 8));
    assert!((m.volume - 4.0 / 3.0).abs() < 1e-15 && (m.area - 12.0_f64.sqrt() * 2.0).abs() < 1e-14);
    assert!(m.centroid.norm() < 1e-16);
}

#[test]
fn coplanar_triangles_of_a_grid_are_six_facets() {
    let found = facets(&convex_hull(&cube_grid(5)));
    assert_eq!(found.len(), 6);
    assert!(found.iter().all(|f| f.area == 16.0 && f.slack < 1e-13));
}

#[test]
fn a_box_turned_in_double_precision_still_has_six_facets() {
    let mut rng = Rng::new(5);
    for _ in 0..200 {
        let turn = rng.rotation();
        let points: Vec<Vec3> =
            cube_grid(4).iter().map(|p| turn * p.component_mul(&Vec3::new(10.0, 30.0, 5.0))).collect();
        let hull = convex_hull(&points);
        assert_eq!(violations(&hull, &points), Vec::<String>::new());
        let found = facets(&hull);
        // Rounding may leave thin strips along the edges; the six sides remain the largest facets.
        let sides: f64 = found.iter().take(6).map(|f| f.area).sum();
        assert!((sides / measure(&hull).area - 1.0).abs() < 1e-12, "{}", found.len());
    }
}

#[test]
fn points_segments_and_polygons_have_their_rank() {
    assert_eq!(convex_hull(&[]).rank, 0);
    assert!(convex_hull(&[]).vertices.is_empty());
    let p = Vec3::new(1.0, 2.0, 3.0);
    let hull = convex_hull(&[p, p, p]);
    assert_eq!((hull.rank, hull.vertices), (0, vec![p]));
    let zeros = [Vec3::zeros(), Vec3::new(-0.0, 0.0, -0.0)];
    assert_eq!(convex_hull(&zeros).rank, 0);
    let line: Vec<Vec3> = (0..9).map(|i| p * f64::from(i * 5 % 9)).collect();
    let hull = convex_hull(&line);
    assert_eq!((hull.rank, hull.vertices), (1, vec![Vec3::zeros(), p * 8.0]));
    let square = [[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 2.0], [2.0, 2.0], [0.0, 2.0]];
    let square: Vec<Vec3> = square.iter().map(|q| Vec3::new(q[0], 5.0, q[1])).collect();
    let hull = convex_hull(&square);
    assert_eq!((hull.rank, hull.vertices.len(), measure(&hull).area), (2, 4, 8.0));
    assert_eq!(measure(&hull).centroid, Vec3::new(1.0, 5.0, 1.0));
    assert_eq!(facets(&hull).len(), 2);
}

#[test]
fn denormal_coordinates_neither_panic_nor_loop() {
    let mut rng = Rng::new(13);
    for scale in [5e-324, 1e-310, 1e-200, 1e-100, 1e-93] {
        for n in [4, 30, 700] {
            let mut points: Vec<Vec3> = (0..n).map(|_| rng.in_cube() * scale).collect();
            for with_ordinary in [false, true] {
                if with_ordinary {
                    points.extend((0..20).map(|_| rng.in_cube()));
                }
                let hull = convex_hull(&points);
                let flushed: Vec<Vec3> =
                    points.iter().map(|p| p.map(|x| if x.abs() < 1e-91 { 0.0 } else { x })).collect();
                assert_eq!(hull.rank, if with_ordinary { 3 } else { 0 });
                let found = facets(&hull);
                assert!(!with_ordinary || encloses(&hull, &flushed));
                assert!(fit_obb(&hull, &found, Tried::Many).half_extents.iter().all(|h| h.is_finite()));
            }
        }
    }
}

#[test]
fn missing_points_and_broken_surfaces_are_found() {
    let mut rng = Rng::new(17);
    let points: Vec<Vec3> = (0..40).map(|_| rng.in_ball()).collect();
    let hull = convex_hull(&points);
    let outside: Vec<Vec3> = points.iter().copied().chain([Vec3::repeat(3.0)]).collect();
    assert!(!encloses(&hull, &outside) && violations(&hull, &outside).len() == 1);
    let mut open = hull.clone();
    open.triangles.pop();
    assert!(!violations(&open, &points).is_empty());
    let mut flipped = hull.clone();
    flipped.triangles[0].swap(0, 1);
    assert!(!violations(&flipped, &points).is_empty());
    let mut moved = hull;
    moved.vertices[0] *= 0.5;
    assert!(!violations(&moved, &points).is_empty());
}

#[test]
fn the_oriented_box_of_a_turned_box_is_that_box() {
    let mut rng = Rng::new(19);
    for _ in 0..100 {
        let turn = rng.rotation();
        let half = Vec3::new(10.0, 3.0, 0.5);
        let points: Vec<Vec3> =
            cube_grid(2).iter().map(|p| turn * (p * 2.0 - Vec3::repeat(1.0)).component_mul(&half)).collect();
        let hull = convex_hull(&points);
        let obb = fit_obb(&hull, &facets(&hull), Tried::Large);
        let mut sides: Vec<f64> = obb.half_extents.iter().copied().collect();
        sides.sort_by(f64::total_cmp);
        for (side, expected) in sides.iter().zip([0.5, 3.0, 10.0]) {
            assert!((side - expected).abs() < 1e-12, "{sides:?}");
        }
        assert!((obb.axes.determinant() - 1.0).abs() < 1e-14);
    }
}
