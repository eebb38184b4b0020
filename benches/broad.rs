//! Broad phase: the box tree and its join with itself. `cargo bench --bench broad`
//!
//! The name of each case gives input and output: boxes, all their pairs → pairs of overlapping boxes. A faster run with
//! more pairs at the end is no improvement.

mod common;

use common::Rng;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use interfere::internals::broad::BoxTree;
use interfere::internals::geom::{Aabb, Vec3};
use std::fmt;
use std::sync::LazyLock;

fn main() {
    divan::main();
}

/// Boxes and the number of their overlapping pairs.
struct Case {
    name: &'static str,
    boxes: Vec<Aabb>,
    meeting: usize,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let n = self.boxes.len();
        write!(f, "{} {n}: {} → {}", self.name, n * (n - 1) / 2, self.meeting)
    }
}

static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    [
        ("grid", grid(10_000)),
        ("grid", grid(100_000)),
        ("equal", scattered(100_000, 0.0)),
        ("sizes 1:1000", scattered(10_000, 3.0)),
        ("sizes 1:1000", scattered(100_000, 3.0)),
    ]
    .map(|(name, boxes)| Case { name, meeting: join(&BoxTree::new(&boxes)).len(), boxes })
    .into()
});

fn cases() -> impl Iterator<Item = &'static Case> {
    CASES.iter()
}

/// Boxes of the grid of `../shared/tools/peers/gen.py grid`: tiles edge to edge, four bolts in each, grown by half the
/// tolerance.
fn grid(count: usize) -> Vec<Aabb> {
    let tiles = count / 5;
    let row = (tiles - 1).isqrt() + 1;
    let mut boxes = Vec::with_capacity(count);
    for k in 0..tiles {
        let at = Vec3::new((k % row) as f64, (k / row) as f64, 0.0) * 40.0;
        boxes.push(Aabb { min: at, max: at + Vec3::new(40.0, 40.0, 5.0) });
        for b in 0..4 {
            let axis = at + Vec3::new(10.0 + 20.0 * f64::from(b % 2), 10.0 + 20.0 * f64::from(b / 2), 0.0);
            boxes.push(Aabb { min: axis - Vec3::new(5.0, 5.0, 12.0), max: axis + Vec3::new(5.0, 5.0, 3.0) });
        }
    }
    boxes.iter().map(|b| b.inflated(0.005)).collect()
}

/// Boxes anywhere in a cube, with sides of up to 10 and smaller by up to `decades` powers of ten.
fn scattered(count: usize, decades: f64) -> Vec<Aabb> {
    let mut rng = Rng::new(11);
    // Smaller boxes are placed more densely, so some overlap.
    let extent = libm::cbrt(count as f64) * if decades > 0.0 { 4.0 } else { 15.0 };
    (0..count)
        .map(|_| {
            let center = rng.in_unit_cube() * extent;
            let half = 5.0 * libm::pow(10.0, -decades * rng.unit()) * (Vec3::repeat(0.5) + 0.5 * rng.in_unit_cube());
            Aabb { min: center - half, max: center + half }
        })
        .collect()
}

fn join(tree: &BoxTree) -> Vec<(u32, u32)> {
    let mut out = Vec::new();
    for task in tree.tasks(256) {
        tree.join(task, &mut out);
    }
    out
}

#[divan::bench(args = cases(), sample_count = 30)]
fn build(bencher: Bencher, case: &Case) {
    bencher.counter(ItemsCount::new(case.boxes.len())).bench_local(|| BoxTree::new(black_box(&case.boxes)));
}

#[divan::bench(args = cases(), sample_count = 30)]
fn self_join(bencher: Bencher, case: &Case) {
    let tree = BoxTree::new(&case.boxes);
    bencher.counter(ItemsCount::new(case.boxes.len())).bench_local(|| join(black_box(&tree)));
}

#[divan::bench(args = cases(), sample_count = 30)]
fn build_and_join(bencher: Bencher, case: &Case) {
    bencher.counter(ItemsCount::new(case.boxes.len())).bench_local(|| join(&BoxTree::new(black_box(&case.boxes))));
}
