//! Do the convex stages agree with slow, simple methods? All feature pairs for the distance, all axes for the
//! penetration depth, all sets of four planes for the thickness.

use crate::support::Rng;
use interfere::internals::geom::tolerance::roundoff_mm;
use interfere::internals::geom::{Pose, Vec3};
use interfere::internals::query::convex::common_ball_lp::{self, Goal};
use interfere::internals::query::convex::epa::{self, EpaScratch};
use interfere::internals::query::convex::gjk::{self, GjkEnd, HullPair};
use interfere::internals::query::convex::sat::obb_obb;
use interfere::internals::shape::hull;
use interfere::internals::shape::polytope::Convex;

/// A hull as a textbook polyhedron in a common frame.
struct Polyhedron {
    vertices: Vec<Vec3>,
    triangles: Vec<[Vec3; 3]>,
    edges: Vec<[Vec3; 2]>,
    /// Unit outward normals.
    normals: Vec<Vec3>,
}

impl Polyhedron {
    fn new(c: &Convex, pose: &Pose) -> Self {
        let at = |i: u32| pose.point(&c.vertices[i as usize]);
        let triangles: Vec<[Vec3; 3]> = c.triangles.iter().map(|t| t.map(at)).collect();
        let edges = c
            .triangles
            .iter()
            .flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]])
            .filter(|e| e[0] < e[1])
            .map(|e| e.map(at))
            .collect();
        // A triangle of tiny area may round to a zero normal; its neighbours' axes suffice.
        let normals = triangles.iter().filter_map(|[a, b, c]| (b - a).cross(&(c - a)).try_normalize(0.0)).collect();
        Self { vertices: c.vertices.iter().map(|v| pose.point(v)).collect(), triangles, edges, normals }
    }

    fn extent(&self, d: &Vec3) -> (f64, f64) {
        self.vertices
            .iter()
            .map(|v| v.dot(d))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)))
    }
}

/// Shortest separating translation of B over all face normals and edge pairs; negative if an axis separates.
fn brute_penetration(a: &Polyhedron, b: &Polyhedron) -> f64 {
    let mut axes: Vec<Vec3> = a.normals.iter().chain(&b.normals).copied().collect();
    for e in &a.edges {
        for f in &b.edges {
            let n = (e[1] - e[0]).cross(&(f[1] - f[0]));
            let scale = (e[1] - e[0]).norm() * (f[1] - f[0]).norm();
            // A nearly parallel pair needs no axis of its own: the adjacent faces have it.
            if n.norm() > 1e-9 * scale {
                axes.push(n.normalize());
            }
        }
    }
    axes.iter().flat_map(|n| [*n, -n]).map(|n| a.extent(&n).1 - b.extent(&n).0).fold(f64::INFINITY, f64::min)
}

fn point_segment(p: &Vec3, [a, b]: &[Vec3; 2]) -> f64 {
    let d = b - a;
    let s = if d.norm_squared() > 0.0 { ((p - a).dot(&d) / d.norm_squared()).clamp(0.0, 1.0) } else { 0.0 };
    (a + d * s - p).norm()
}

fn point_triangle(p: &Vec3, t: &[Vec3; 3]) -> f64 {
    let n = (t[1] - t[0]).cross(&(t[2] - t[0]));
    let inside = n.norm_squared() > 0.0 && (0..3).all(|k| (t[(k + 1) % 3] - t[k]).cross(&(p - t[k])).dot(&n) >= 0.0);
    if inside {
        return ((p - t[0]).dot(&n) / n.norm()).abs();
    }
    (0..3).map(|k| point_segment(p, &[t[k], t[(k + 1) % 3]])).fold(f64::INFINITY, f64::min)
}

/// Distance of two segments: each end point against the other segment, and the common perpendicular if its feet lie
/// inside.
fn segment_segment(e: &[Vec3; 2], f: &[Vec3; 2]) -> f64 {
    let ends = [point_segment(&e[0], f), point_segment(&e[1], f), point_segment(&f[0], e), point_segment(&f[1], e)];
    let best = ends.into_iter().fold(f64::INFINITY, f64::min);
    let (u, v, w) = (e[1] - e[0], f[1] - f[0], e[0] - f[0]);
    let n = u.cross(&v);
    let nn = n.norm_squared();
    if nn > 1e-20 * u.norm_squared() * v.norm_squared() {
        let s = v.cross(&w).dot(&n) / nn;
        let t = u.cross(&w).dot(&n) / nn;
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            return best.min((w.dot(&n) / nn.sqrt()).abs());
        }
    }
    best
}

/// Distance of two disjoint polyhedra.
fn brute_distance(a: &Polyhedron, b: &Polyhedron) -> f64 {
    let mut best = f64::INFINITY;
    for p in &a.vertices {
        for t in &b.triangles {
            best = best.min(point_triangle(p, t));
        }
    }
    for p in &b.vertices {
        for t in &a.triangles {
            best = best.min(point_triangle(p, t));
        }
    }
    for e in &a.edges {
        for f in &b.edges {
            best = best.min(segment_segment(e, f));
        }
    }
    best
}

/// A random solid hull and its box; the part's own coordinates may lie far from their origin.
fn random_convex(rng: &mut Rng, size: f64, part_offset: f64) -> (Convex, interfere::internals::geom::Obb) {
    loop {
        let offset = rng.direction() * part_offset;
        let points: Vec<Vec3> = rng.cloud(size).iter().map(|p| p + offset).collect();
        let hull = hull::convex_hull(&points);
        if hull.rank == 3 {
            let facets = hull::facets(&hull);
            let convex = Convex::new(&hull, &facets);
            let mut obb = hull::fit_obb(&hull, &facets, hull::Tried::Large);
            obb.center -= convex.origin;
            return (convex, obb);
        }
    }
}

/// B's pose in A's frame with the hulls near each other: `spread` × the sum of their radii apart, centre to centre,
/// computed from two distant poses.
fn near_pose(rng: &mut Rng, a: &Convex, b: &Convex, spread: f64, offset: f64) -> Pose {
    let far = rng.direction() * offset;
    let reach = 0.5 * (a.diameter + b.diameter) * spread;
    let first = Pose { rotation: rng.rotation(), translation: far };
    let second = Pose { rotation: rng.rotation(), translation: far + rng.direction() * reach };
    first.relative(&second)
}

fn margin(a: &Convex, b: &Convex, pose: &Pose) -> f64 {
    roundoff_mm(a.diameter, b.diameter, pose.translation.norm())
}

#[test]
fn distance_bound_never_exceeds_truth() {
    let count = if std::env::var_os("INTERFERE_FULL").is_some() { 100_000 } else { 20_000 };
    let mut rng = Rng::new(1);
    let (mut apart, mut wide, mut pruned_by_box) = (0, 0, 0);
    for k in 0..count {
        let size = rng.scale(1e-3, 1e4);
        let offset = if k % 3 == 0 { rng.scale(1.0, 1e6) } else { 0.0 };
        let other = size * rng.scale(0.05, 20.0);
        let (a, box_a) = random_convex(&mut rng, size, offset * 0.1);
        let (b, box_b) = random_convex(&mut rng, other.clamp(1e-3, 1e4), 0.0);
        let spread = rng.range(0.1, 0.9);
        let pose = near_pose(&mut rng, &a, &b, spread, offset);
        let q = HullPair { a: &a, b: &b, b_in_a: &pose };
        let eta = margin(&a, &b, &pose);
        let found = gjk::separation(&q, f64::INFINITY, eta);
        let (pa, pb) = (Polyhedron::new(&a, &Pose::identity()), Polyhedron::new(&b, &pose));
        let separated = brute_penetration(&pa, &pb) < -eta;
        let bound = obb_obb(&box_a, &box_b, &pose, f64::INFINITY);
        if !separated {
            assert!(found.lower <= eta, "pair {k}: apart by {} claimed, no axis separates", found.lower);
            assert!(bound <= eta, "pair {k}: boxes apart by {bound} claimed, no axis separates the hulls");
            continue;
        }
        apart += 1;
        let truth = brute_distance(&pa, &pb);
        assert!(
            found.lower - eta <= truth,
            "pair {k}: bound {} above the distance {truth}, margin {eta:e}",
            found.lower
        );
        assert!(found.upper + eta >= truth, "pair {k}: upper bound {} below the distance {truth}", found.upper);
        assert!(bound - eta <= truth, "pair {k}: box bound {bound} above the distance {truth}");
        pruned_by_box += usize::from(bound > 0.0);
        assert_ne!(found.ending, GjkEnd::Touching, "pair {k}: {truth} apart and not told");
        wide += usize::from(found.upper - found.lower > 1e-9 * truth + 4.0 * eta);
        // An early answer at a limit must be equally sound.
        let early = gjk::separation(&q, truth * 0.5, eta);
        assert!(early.lower - eta <= truth && (early.ending != GjkEnd::BeyondLimit || early.lower > truth * 0.5));
    }
    assert!(apart * 3 > count, "the sample must hold separated pairs: {apart} of {count}");
    assert!(apart * 10 < count * 9, "and overlapping ones: {apart} of {count}");
    assert!(pruned_by_box * 3 > apart, "boxes must separate some: {pruned_by_box} of {apart}");
    assert!(wide * 1000 <= apart, "{wide} of {apart} intervals are wide");
}

#[test]
fn penetration_depth_is_minimal_and_separates() {
    let count = if std::env::var_os("INTERFERE_FULL").is_some() { 10_000 } else { 2_000 };
    let mut rng = Rng::new(2);
    let mut scratch = EpaScratch::default();
    let (mut overlapping, mut worst) = (0, 0.0_f64);
    for k in 0..count {
        let size = rng.scale(1e-3, 1e4);
        let offset = if k % 3 == 0 { rng.scale(1.0, 1e6) } else { 0.0 };
        let (a, _) = random_convex(&mut rng, size, 0.0);
        let other = size * rng.scale(0.2, 5.0);
        let (b, _) = random_convex(&mut rng, other, 0.0);
        let spread = rng.range(0.0, 0.5);
        let pose = near_pose(&mut rng, &a, &b, spread, offset);
        let (pa, pb) = (Polyhedron::new(&a, &Pose::identity()), Polyhedron::new(&b, &pose));
        let truth = brute_penetration(&pa, &pb);
        let scale = a.diameter + b.diameter;
        if truth <= 1e-9 * scale {
            continue;
        }
        overlapping += 1;
        let q = HullPair { a: &a, b: &b, b_in_a: &pose };
        let eta = margin(&a, &b, &pose);
        let simplex = gjk::separation(&q, f64::INFINITY, eta).simplex;
        let found = epa::penetration(&q, &simplex, eta, &mut scratch).expect("solid hulls have a solid difference");
        worst = worst.max((found.upper - truth).abs() / scale);
        assert!((found.upper - truth).abs() <= 1e-9 * scale, "pair {k}: {} found, {truth} over all axes", found.upper);
        assert!(found.lower - eta <= truth, "pair {k}: at least {} claimed, {truth} separates", found.lower);
        assert!(found.upper - found.lower <= 1e-9 * scale, "pair {k}: [{}, {}] is open", found.lower, found.upper);
        let moved = |by: f64| {
            let t = pose.translation + found.axis * (found.upper * by);
            brute_penetration(&pa, &Polyhedron::new(&b, &Pose { translation: t, ..pose }))
        };
        assert!(moved(1.0) <= 4.0 * eta, "pair {k}: the vector leaves {} of {truth}", moved(1.0));
        assert!(moved(0.999) > 0.0, "pair {k}: 0.999 of the vector already separates");
    }
    assert!(overlapping * 2 > count, "the sample must hold overlapping pairs: {overlapping} of {count}");
    assert!(worst < 1e-9, "{worst:e}");
}

/// Thickness over all sets of four planes: the least feasible vertex of the dual.
fn brute_thickness(planes: &[(Vec3, f64)]) -> f64 {
    let mut best = f64::INFINITY;
    let n = planes.len();
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                for l in k + 1..n {
                    let rows = [i, j, k, l].map(|m| planes[m]);
                    // λ ≥ 0 with Σ λ n = 0 and Σ λ = 1 bounds the radius by Σ λ d.
                    let m = nalgebra::Matrix4::from_fn(|r, c| if r < 3 { rows[c].0[r] } else { 1.0 });
                    let Some(inverse) = m.try_inverse() else { continue };
                    let lambda = inverse.column(3);
                    if m.determinant().abs() > 1e-13 && lambda.iter().all(|x| *x >= -1e-12) {
                        best = best.min((0..4).map(|c| lambda[c] * rows[c].1).sum());
                    }
                }
            }
        }
    }
    2.0 * best
}

#[test]
fn thickness_agrees_with_all_sets_of_four_planes() {
    let mut rng = Rng::new(3);
    let mut thick = 0;
    for k in 0..1500 {
        // Hulls of four to six points in general position: at most 16 planes, and no parallel ones across the two
        // hulls. The best four planes are then independent or exact opposites.
        let mut solid = |size: f64| loop {
            let points: Vec<Vec3> = (0..4 + k % 3).map(|_| rng.in_ball() * size).collect();
            let hull = hull::convex_hull(&points);
            if hull.rank == 3 && hull::measure(&hull).volume > 0.02 * size * size * size {
                return Convex::new(&hull, &hull::facets(&hull));
            }
        };
        let (a, b) = (solid(1.0), solid(1.5));
        let mut rng2 = Rng::new(1000 + k);
        let pose = Pose { rotation: rng2.rotation(), translation: rng2.in_ball() * 0.8 };
        let q = HullPair { a: &a, b: &b, b_in_a: &pose };
        let mut planes: Vec<(Vec3, f64)> = a.planes().collect();
        planes.extend(b.planes().map(|(n, d)| {
            let n = pose.direction(&n);
            (n, d + n.dot(&pose.translation))
        }));
        let truth = brute_thickness(&planes);
        let found = common_ball_lp::overlap(&q, None, Goal::VALUE);
        assert!(found.lower <= truth.max(0.0) + 1e-9, "pair {k}: {} claimed to fit, at most {truth}", found.lower);
        if truth > 1e-6 {
            thick += 1;
            assert!(found.upper >= truth - 1e-9, "pair {k}: at most {} claimed, {truth} fits", found.upper);
            assert!(
                found.upper - found.lower < 1e-9,
                "pair {k}: [{}, {}] is open, truth {truth}",
                found.lower,
                found.upper
            );
        }
    }
    assert!(thick > 500, "the sample must hold overlapping pairs: {thick}");
}
