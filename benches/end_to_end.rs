//! The whole check on assemblies in memory, one thread, from meshes to the outcome. `cargo bench --bench end_to_end`
//!
//! The name of each case gives the number of pairs after each stage: all → boxes (unique pairs among them) → oriented
//! boxes → hulls → not clear. A faster run with less pruning is no improvement.

mod common;

use common::Rng;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use interfere::Measure;
use interfere::internals::assembly::AssemblyBuilder;
use interfere::internals::assembly::model::Assembly;
use interfere::internals::check::{NoProgress, Options, Outcome, RunStats, check_with_stats};
use interfere::internals::geom::math::sin_cos_deg;
use interfere::internals::geom::{Affine, LengthUnit, Mat3, Vec3};
use interfere::internals::io::FsLoader;
use interfere::internals::mesh::tri_mesh::TriMesh;
use interfere::internals::shape::hull::{Hull, convex_hull};
use std::fmt;
use std::sync::LazyLock;

fn main() {
    divan::main();
}

struct Case {
    name: &'static str,
    assembly: Assembly,
    options: Options,
    pool: rayon::ThreadPool,
    funnel: String,
}

impl Case {
    fn new(name: &'static str, assembly: Assembly, options: Options) -> Self {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
        let mut case = Self { name, assembly, options, pool, funnel: String::new() };
        let f = case.run().1.timings.pairs;
        case.funnel =
            format!("{} → {} ({}) → {} → {} → {}", f.possible, f.aabb, f.distinct, f.obb, f.hull, f.confirmed);
        case
    }

    fn run(&self) -> (Outcome, RunStats) {
        self.pool
            .install(|| check_with_stats(&self.assembly, &self.options, &FsLoader, &NoProgress))
            .expect("a sound assembly")
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.funnel)
    }
}

static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let verdict = Options { measure: Measure::None, ..Options::default() };
    // Like the side-by-side runs: clear pairs up to 1 mm apart are measured and listed, too.
    let full = Options { report_within: Some(1.0), ..Options::default() };
    let (hulls, grid) = (random_hulls(1000, 60), grid(10_000));
    vec![
        Case::new("hulls verdict", hulls.clone(), verdict.clone()),
        Case::new("hulls full", hulls, full.clone()),
        Case::new("grid verdict", grid.clone(), verdict),
        Case::new("grid full", grid, full),
    ]
});

fn cases() -> impl Iterator<Item = &'static Case> {
    CASES.iter()
}

fn mesh(hull: Hull) -> TriMesh {
    TriMesh { vertices: hull.vertices, triangles: hull.triangles }
}

/// 64 different random hulls at random placements; the boxes of 3 % of all pairs overlap.
fn random_hulls(count: usize, vertices: usize) -> Assembly {
    let mut rng = Rng::new(5);
    let mut builder = Assembly::builder("hulls", LengthUnit::Mm);
    for k in 0..64 {
        builder = builder.part(format!("hull{k:02}"), mesh(common::solid(&mut rng, vertices)));
    }
    // Two boxes of side s overlap in a cube of side L with a probability of about (2s/L − (s/L)²)³; s is the mean here.
    let (side, share) = (15.0, libm::cbrt(0.03));
    let extent = side / (1.0 - (1.0 - share).sqrt());
    for k in 0..count {
        let placement = Affine { translation: rng.in_unit_cube() * extent, linear: rng.rotation() };
        builder = builder.instance(format!("h{k:04}"), format!("hull{:02}", k % 64), placement);
    }
    builder.build().expect("a sound assembly")
}

/// The grid of `../shared/tools/peers/gen.py grid`, as hulls: tiles edge to edge, four bolts in each, 1 in 50 too
/// thick.
fn grid(count: usize) -> Assembly {
    let tiles = count / 5;
    let row = (tiles - 1).isqrt() + 1;
    let mut rng = Rng::new(3);
    let mut builder =
        Assembly::builder("grid", LengthUnit::Mm).part("tile", plate()).part("bolt", bolt(2.8)).part("fat", bolt(3.1));
    let put = |builder: AssemblyBuilder, id: String, part: &str, translation: Vec3| {
        builder.instance(id, part, Affine { linear: Mat3::identity(), translation })
    };
    for k in 0..tiles {
        let at = Vec3::new((k % row) as f64, (k / row) as f64, 0.0) * 40.0;
        builder = put(builder, format!("t{k:06}"), "tile", at);
        for b in 0..4 {
            let part = if rng.unit() < 0.02 { "fat" } else { "bolt" };
            let axis = at + Vec3::new(10.0 + 20.0 * f64::from(b % 2), 10.0 + 20.0 * f64::from(b / 2), 0.0);
            builder = put(builder, format!("t{k:06}-b{b}"), part, axis);
        }
    }
    builder.build().expect("a sound assembly")
}

fn plate() -> TriMesh {
    let corner = |k: u32| Vec3::new(f64::from(k & 1) * 40.0, f64::from(k >> 1 & 1) * 40.0, f64::from(k >> 2) * 5.0);
    mesh(convex_hull(&(0..8).map(corner).collect::<Vec<_>>()))
}

/// A shank of 12 below the origin, a head of 3 above.
fn bolt(radius: f64) -> TriMesh {
    let ring = |r: f64, z: f64| {
        (0..32).map(move |k| {
            let (s, c) = sin_cos_deg(f64::from(k) * 11.25);
            Vec3::new(r * c, r * s, z)
        })
    };
    let points: Vec<Vec3> =
        ring(radius, -12.0).chain(ring(radius, 0.0)).chain(ring(5.0, 0.0)).chain(ring(5.0, 3.0)).collect();
    mesh(convex_hull(&points))
}

#[divan::bench(args = cases(), sample_count = 20)]
fn run(bencher: Bencher, case: &Case) {
    let pairs = case.assembly.instances.len() * (case.assembly.instances.len() - 1) / 2;
    bencher.counter(ItemsCount::new(pairs)).bench_local(|| black_box(case).run());
}
