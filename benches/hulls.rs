//! Hulls, facets and oriented boxes: points in a ball (few are extreme) and on a sphere (all are). `cargo bench --bench
//! hulls`
//!
//! With `INTERFERE_BENCH_POINTS=FOLDER` the points come from `points_ball_1000.f64` and so on in this folder, written
//! by `../shared/tools/peers/gen.py micro`: other libraries can then be measured on the same points.

use divan::{Bencher, black_box};
use interfere::internals::geom::Vec3;
use interfere::internals::shape::hull::{Tried, convex_hull, facets, fit_obb};
use interfere::testkit::rng::Rng;

fn main() {
    divan::main();
}

/// Points in the unit ball, or on its surface: from the file if a folder is named, else from [`generated`].
fn points(count: usize, on_sphere: bool) -> Vec<Vec3> {
    let Some(folder) = std::env::var_os("INTERFERE_BENCH_POINTS") else { return generated(count, on_sphere) };
    let name = format!("points_{}_{count}.f64", if on_sphere { "sphere" } else { "ball" });
    let path = std::path::Path::new(&folder).join(name);
    let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let numbers: Vec<f64> = bytes.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect();
    assert_eq!(numbers.len(), 3 * count, "{}", path.display());
    numbers.as_chunks().0.iter().map(|c| Vec3::from(*c)).collect()
}

/// Random points in the unit ball, or on its surface.
fn generated(count: usize, on_sphere: bool) -> Vec<Vec3> {
    let mut rng = Rng::new(1);
    (0..count).map(|_| if on_sphere { rng.direction() } else { rng.in_ball() }).collect()
}

/// A turned cylinder of 360 × 20 points in single precision: nearly coplanar, nearly collinear.
fn cylinder() -> Vec<Vec3> {
    let turn = nalgebra::Rotation3::from_axis_angle(&Vec3::x_axis(), 0.4);
    (0..7200)
        .map(|i| {
            let (s, c) = interfere::internals::geom::math::sin_cos_deg(f64::from(i % 360));
            (turn * Vec3::new(20.0 * c, 20.0 * s, f64::from(i / 360))).map(|x| f64::from(x as f32))
        })
        .collect()
}

#[divan::bench(args = [1_000, 10_000, 100_000, 1_000_000], sample_count = 10)]
fn hull_in_ball(bencher: Bencher, count: usize) {
    let p = points(count, false);
    bencher.bench_local(|| convex_hull(black_box(&p)));
}

#[divan::bench(args = [1_000, 10_000, 100_000, 1_000_000], sample_count = 10)]
fn hull_on_sphere(bencher: Bencher, count: usize) {
    let p = points(count, true);
    bencher.bench_local(|| convex_hull(black_box(&p)));
}

#[divan::bench(sample_count = 10)]
fn hull_of_cylinder(bencher: Bencher) {
    let p = cylinder();
    bencher.bench_local(|| convex_hull(black_box(&p)));
}

#[divan::bench(args = [100, 2_000, 100_000], sample_count = 10)]
fn facets_of_sphere(bencher: Bencher, count: usize) {
    let hull = convex_hull(&generated(count, true));
    bencher.bench_local(|| facets(black_box(&hull)));
}

#[divan::bench(args = [100, 2_000, 100_000], sample_count = 10)]
fn box_of_sphere(bencher: Bencher, count: usize) {
    let hull = convex_hull(&generated(count, true));
    let found = facets(&hull);
    bencher.bench_local(|| fit_obb(black_box(&hull), &found, Tried::Large));
}
