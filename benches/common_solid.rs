//! Volume and box of the intersection of two large meshes, trees built before. `INTERFERE_DENSE=FOLDER cargo bench
//! --bench common_solid`
//!
//! The folder is `dense100k` or `dense1m` of `../shared/tools/peers`; without it the benchmark does nothing. `push`:
//! the core moved 0.08 into its shell, with contact nearly everywhere. `ball`: two cores with a common lens.

use divan::{Bencher, black_box};
use interfere::internals::geom::{Mat3, Pose, Vec3};
use interfere::internals::measure::intersection::{IntersectionInput, intersection};
use interfere::internals::mesh;
use interfere::internals::query::triangles::pairing::Pairing;
use interfere::internals::shape::surface::{Inside, Surface};
use std::path::PathBuf;
use std::sync::LazyLock;

/// Rounding of a pair of this size (mm).
const MARGIN: f64 = 1e-11;

struct Dense {
    core: Surface,
    shell: Surface,
}

static DENSE: LazyLock<Option<Dense>> = LazyLock::new(|| {
    let folder = std::env::var_os("INTERFERE_DENSE").map(PathBuf::from)?.join("parts");
    let surface = |name: &str| {
        let bytes = std::fs::read(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mesh = mesh::load(&bytes).unwrap_or_else(|e| panic!("{name}: {e:?}")).mesh;
        Surface::new(&mesh, &Vec3::zeros(), Inside::Solid)
    };
    Some(Dense { core: surface("core.stl"), shell: surface("shell.stl") })
});

#[expect(clippy::print_stdout, reason = "nobody else says that nothing was measured")]
fn main() {
    if DENSE.is_none() {
        println!("skipped: INTERFERE_DENSE names no folder");
        return;
    }
    divan::main();
}

/// Measures the volume alone, or with its box.
#[divan::bench(args = [false, true], sample_count = 5, sample_size = 1)]
fn push(bencher: Bencher<'_, '_>, with_box: bool) {
    let Some(dense) = DENSE.as_ref() else { return };
    let pose = Pose { translation: Vec3::new(-0.08, 0.0, 0.0), ..Pose::identity() };
    let witness = Vec3::new(dense.core.bounds.max.x, 0.0, 0.0);
    measure(bencher, [&dense.core, &dense.shell], &pose, (witness, 0.02), with_box);
}

/// Measures the volume alone, or with its box.
#[divan::bench(args = [false, true], sample_count = 5, sample_size = 1)]
fn ball(bencher: Bencher<'_, '_>, with_box: bool) {
    let Some(dense) = DENSE.as_ref() else { return };
    let (z, w) = (0.342_897_807_455_451_34_f64, 0.939_372_712_847_378_9_f64);
    let (c, s) = (w * w - z * z, 2.0 * w * z);
    let pose =
        Pose { rotation: Mat3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0), translation: Vec3::new(70.0, 11.0, 5.0) };
    measure(bencher, [&dense.core, &dense.core], &pose, (Vec3::new(35.0, 5.5, 2.5), 10.0), with_box);
}

fn measure(bencher: Bencher<'_, '_>, [a, b]: [&Surface; 2], pose: &Pose, ball: (Vec3, f64), with_box: bool) {
    let turns = [Mat3::identity()];
    let turns = if with_box { &turns[..] } else { &[] };
    let known = IntersectionInput {
        margin: MARGIN,
        rounding: MARGIN,
        witness: ball.0,
        depth: ball.1,
        deepest: f64::INFINITY,
        turns,
        as_given: [false; 2],
    };
    bencher.bench_local(|| {
        let found = intersection(&Pairing { a, b, b_in_a: pose }, black_box(&known));
        assert!(found.is_some_and(|f| f.volume > 0.0), "no volume");
    });
}
