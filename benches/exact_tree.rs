//! Surfaces and exact queries on bumpy balls of 20 000 and 200 000 triangles. `cargo bench --bench exact_tree`
//!
//! `near`: a ball in a shell 0.05 mm farther out, the whole surface conforming; `pushed`: the same 0.08 mm off centre,
//! so they cross. `decide` decides at a tolerance of 0.01 mm, `distance` computes the distance. `nearest` and `winding`
//! are for 1000 points around the surface; divide by 1000.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use interfere::internals::geom::{Pose, Vec3};
use interfere::internals::mesh::TriMesh;
use interfere::internals::query::triangles::pairing::Pairing;
use interfere::internals::query::triangles::{Distance, displaced_intersection, intersecting_pairs, separation};
use interfere::internals::shape::surface::winding_number::winding;
use interfere::internals::shape::surface::{Inside, Surface};
use interfere::testkit::solids::squared_box;
use std::sync::LazyLock;

fn main() {
    divan::main();
}

/// Squares along a side of the cube projected to the balls: 12 n² triangles.
const SIDES: [u32; 2] = [41, 129];
const RADIUS: f64 = 30.0;
const GAP: f64 = 0.05;
const PUSH: f64 = 0.08;
const TOLERANCE: f64 = 0.01;

/// A closed ball with bumps, `out` mm larger in radius.
fn ball(n: u32, out: f64) -> TriMesh {
    squared_box(n, |p| {
        let d = p.normalize();
        let bump = libm::sin(5.0 * d.x) * libm::cos(4.0 * d.y) + 0.5 * libm::sin(7.0 * d.z);
        d * (RADIUS + bump + out)
    })
}

struct Pair {
    inner: Surface,
    outer: Surface,
}

static PAIRS: LazyLock<Vec<Pair>> = LazyLock::new(|| {
    let surface = |n, out| Surface::new(&ball(n, out), &Vec3::zeros(), Inside::Solid);
    SIDES.iter().map(|&n| Pair { inner: surface(n, 0.0), outer: surface(n, GAP) }).collect()
});

/// The pair with `n` squares a side, and the pose of the outer ball.
fn pair(n: u32, push: f64) -> (&'static Pair, Pose) {
    let k = SIDES.iter().position(|&s| s == n).unwrap_or(0);
    (&PAIRS[k], Pose { translation: Vec3::new(push, 0.0, 0.0), ..Pose::identity() })
}

#[divan::bench(args = SIDES)]
fn build(bencher: Bencher, n: u32) {
    let mesh = ball(n, 0.0);
    bencher
        .counter(ItemsCount::new(mesh.triangles.len()))
        .bench_local(|| Surface::new(black_box(&mesh), &Vec3::zeros(), Inside::Solid));
}

#[divan::bench(args = SIDES)]
fn near_decide(bencher: Bencher, n: u32) {
    let (pair, pose) = pair(n, 0.0);
    let p = Pairing { a: &pair.inner, b: &pair.outer, b_in_a: &pose };
    assert!(matches!(separation(&p, TOLERANCE, TOLERANCE), Distance::Beyond(_)));
    bencher.bench_local(|| separation(black_box(&p), TOLERANCE, TOLERANCE));
}

#[divan::bench(args = SIDES)]
fn near_distance(bencher: Bencher, n: u32) {
    let (pair, pose) = pair(n, 0.0);
    let p = Pairing { a: &pair.inner, b: &pair.outer, b_in_a: &pose };
    assert!(matches!(separation(&p, f64::INFINITY, 0.0), Distance::Within(gap) if gap.exact && gap.value > 0.0));
    bencher.bench_local(|| separation(black_box(&p), f64::INFINITY, 0.0));
}

#[divan::bench(args = SIDES)]
fn near_moved(bencher: Bencher, n: u32) {
    let (pair, pose) = pair(n, 0.0);
    let p = Pairing { a: &pair.inner, b: &pair.outer, b_in_a: &pose };
    let crossing = || {
        let (a, b) = (&pair.inner, &pair.outer);
        displaced_intersection(black_box(&p), TOLERANCE, |i| a.triangle(i), |j| b.triangle(j))
    };
    assert!(crossing().is_none());
    bencher.bench_local(crossing);
}

#[divan::bench(args = SIDES)]
fn pushed_crossings(bencher: Bencher, n: u32) {
    let (pair, pose) = pair(n, PUSH);
    let p = Pairing { a: &pair.inner, b: &pair.outer, b_in_a: &pose };
    let count = || {
        let mut count = 0;
        intersecting_pairs(black_box(&p), |_, _| {
            count += 1;
            true
        });
        count
    };
    assert!(count() > 0);
    bencher.bench_local(count);
}

/// Points up to 1 mm off the surface.
fn points(s: &Surface) -> Vec<Vec3> {
    (0..1000).map(|k| s.vertices[k * s.vertices.len() / 1000] * (1.0 + (k as f64 / 500.0 - 1.0) / RADIUS)).collect()
}

#[divan::bench(args = SIDES)]
fn nearest(bencher: Bencher, n: u32) {
    let s = &pair(n, 0.0).0.inner;
    let points = points(s);
    bencher.bench_local(|| points.iter().filter_map(|x| s.nearest(x, f64::INFINITY)).map(|f| f.distance).sum::<f64>());
}

#[divan::bench(args = SIDES, name = "winding")]
fn winding_number(bencher: Bencher, n: u32) {
    let s = &pair(n, 0.0).0.inner;
    let points = points(s);
    bencher.bench_local(|| points.iter().filter_map(|x| winding(s, None, x)).sum::<i32>());
}
