//! Narrow phase: each query of a pair on its own, on random hulls of 8, 60 and 500 vertices. `cargo bench --bench
//! narrow`
//!
//! A case has 100 pairs, and its name gives the number of pairs before and after: not proved apart (`sat`, `gjk`),
//! proved deep (`inner_ball`, `common_ball`), with a certified positive thickness (`thickness`), answered (`epa`). A
//! faster run with fewer decisions is no improvement. Divide a time by 100 for the time of one pair; `items/s` are
//! pairs.

mod common;

use common::Rng;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use interfere::internals::geom::tolerance::roundoff_mm;
use interfere::internals::geom::{Obb, Pose};
use interfere::internals::query::convex::common_ball_lp::{self, Goal, Thickness};
use interfere::internals::query::convex::epa::{EpaScratch, penetration};
use interfere::internals::query::convex::gjk::{GjkEnd, HullPair, Separation, separation};
use interfere::internals::query::convex::sat::obb_obb;
use interfere::internals::query::convex::{HullAnswer, HullLimits, InnerBalls, hull_gap};
use interfere::internals::shape::hull::{Tried, facets, fit_obb};
use interfere::internals::shape::polytope::Convex;
use std::fmt;
use std::sync::LazyLock;

fn main() {
    divan::main();
}

const PAIRS: usize = 100;
const SHAPES: usize = 16;
/// Search radius of a check with the default tolerance (mm).
const REACH: f64 = 0.01;
/// Gap of the hulls of each class (mm); negative: pushed in from touching. The hulls are 10 to 20 wide.
const CLASSES: [(&str, f64); 4] = [("apart", 2.0), ("near", 0.05), ("shallow", -0.1), ("deep", -5.0)];

struct Solid {
    convex: Convex,
    obb: Obb,
}

struct Placed {
    a: usize,
    b: usize,
    b_in_a: Pose,
    margin: f64,
}

struct Batch {
    vertices: usize,
    class: &'static str,
    solids: Vec<Solid>,
    pairs: Vec<Placed>,
}

impl Batch {
    fn new(vertices: usize, (class, gap): (&'static str, f64)) -> Self {
        let mut rng = Rng::new(vertices as u64);
        let solids: Vec<Solid> = (0..SHAPES).map(|_| solid(&mut rng, vertices)).collect();
        let mut batch = Self { vertices, class, solids, pairs: Vec::new() };
        for _ in 0..PAIRS {
            let (a, b) = (rng.unit() * SHAPES as f64, rng.unit() * SHAPES as f64);
            let rotation = rng.rotation();
            let towards = rng.direction();
            let mut pair = Placed {
                a: a as usize,
                b: b as usize,
                b_in_a: Pose { rotation, translation: towards * 60.0 },
                margin: 0.0,
            };
            // Conservative advancement: closing the gap along the axis never passes through.
            for _ in 0..50 {
                let found = separation(&batch.query(&pair), f64::INFINITY, 0.0);
                let closing = -found.axis.dot(&towards);
                pair.b_in_a.translation += towards * ((found.upper - 1e-6) / closing.min(-0.05));
            }
            pair.b_in_a.translation += towards * gap;
            let q = batch.query(&pair);
            pair.margin = roundoff_mm(q.a.diameter, q.b.diameter, pair.b_in_a.translation.norm());
            batch.pairs.push(pair);
        }
        batch
    }

    fn query<'a>(&'a self, pair: &'a Placed) -> HullPair<'a> {
        HullPair { a: &self.solids[pair.a].convex, b: &self.solids[pair.b].convex, b_in_a: &pair.b_in_a }
    }

    fn sat(&self, pair: &Placed) -> f64 {
        obb_obb(&self.solids[pair.a].obb, &self.solids[pair.b].obb, &pair.b_in_a, REACH + pair.margin)
    }

    fn gjk(&self, pair: &Placed, limit: f64) -> Separation {
        separation(&self.query(pair), limit, pair.margin)
    }

    fn thickness(&self, pair: &Placed, goal: Goal) -> Thickness {
        common_ball_lp::overlap(&self.query(pair), None, goal)
    }

    fn count(&self, keep: impl Fn(&Placed) -> bool) -> usize {
        self.pairs.iter().filter(|p| keep(p)).count()
    }
}

fn solid(rng: &mut Rng, vertices: usize) -> Solid {
    let hull = common::solid(rng, vertices);
    let facets = facets(&hull);
    let convex = Convex::new(&hull, &facets);
    let mut obb = fit_obb(&hull, &facets, Tried::Large);
    obb.center -= convex.origin;
    Solid { convex, obb }
}

static BATCHES: LazyLock<Vec<Batch>> =
    LazyLock::new(|| [8, 60, 500].iter().flat_map(|&v| CLASSES.map(|c| Batch::new(v, c))).collect());

/// A batch, and the number of its pairs left after the measured stage.
struct Case {
    batch: &'static Batch,
    out: usize,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}v {}: {PAIRS} → {}", self.batch.vertices, self.batch.class, self.out)
    }
}

/// Every class, with its number of pairs satisfying `keep`.
fn cases(keep: impl Fn(&Batch, &Placed) -> bool) -> Vec<Case> {
    BATCHES.iter().map(|batch| Case { batch, out: batch.count(|p| keep(batch, p)) }).collect()
}

/// The overlapping classes alone.
fn overlapping(keep: impl Fn(&Batch, &Placed) -> bool) -> Vec<Case> {
    cases(keep).into_iter().filter(|c| matches!(c.batch.class, "shallow" | "deep")).collect()
}

fn run<T>(bencher: Bencher, case: &Case, mut answer: impl FnMut(&Batch, &Placed) -> T) {
    bencher.counter(ItemsCount::new(PAIRS)).bench_local(|| {
        for pair in &case.batch.pairs {
            black_box(answer(black_box(case.batch), pair));
        }
    });
}

#[divan::bench(args = cases(|b, p| b.sat(p) <= REACH + p.margin))]
fn sat(bencher: Bencher, case: &Case) {
    run(bencher, case, Batch::sat);
}

/// Stops as soon as the pair is known to be farther apart than the tolerance.
#[divan::bench(args = cases(|b, p| b.gjk(p, REACH).ending != GjkEnd::BeyondLimit))]
fn gjk_verdict(bencher: Bencher, case: &Case) {
    run(bencher, case, |b, p| b.gjk(p, REACH));
}

/// Computes the distance.
#[divan::bench(args = cases(|b, p| b.gjk(p, f64::INFINITY).ending == GjkEnd::Touching))]
fn gjk_distance(bencher: Bencher, case: &Case) {
    run(bencher, case, |b, p| b.gjk(p, f64::INFINITY));
}

#[divan::bench(args = cases(|b, p| InnerBalls::of(&b.query(p)).thickness > REACH))]
fn inner_ball(bencher: Bencher, case: &Case) {
    run(bencher, case, |b, p| InnerBalls::of(&b.query(p)).thickness);
}

/// Common ball as in the check: only if the inner balls come near to each other.
fn common(batch: &Batch, pair: &Placed) -> f64 {
    let q = batch.query(pair);
    let balls = InnerBalls::of(&q);
    if balls.near { balls.common_ball(&q) } else { f64::NEG_INFINITY }
}

#[divan::bench(args = cases(|b, p| common(b, p) > REACH))]
fn common_ball_between(bencher: Bencher, case: &Case) {
    run(bencher, case, common);
}

/// Stops as soon as the overlap is known to be deeper or not deeper than the tolerance.
#[divan::bench(args = overlapping(|b, p| b.thickness(p, TOLERANCE).lower > REACH))]
fn thickness_verdict(bencher: Bencher, case: &Case) {
    run(bencher, case, |b, p| b.thickness(p, TOLERANCE));
}

const TOLERANCE: Goal = Goal { above: REACH, at_most: REACH };

/// Computes the depth.
#[divan::bench(args = overlapping(|b, p| b.thickness(p, Goal::VALUE).lower > 0.0))]
fn thickness_value(bencher: Bencher, case: &Case) {
    run(bencher, case, |b, p| b.thickness(p, Goal::VALUE));
}

/// Computes the shortest separating translation, including GJK before it.
#[divan::bench(args = overlapping(|b, p| epa_of(b, p, &mut EpaScratch::default())))]
fn gjk_and_epa(bencher: Bencher, case: &Case) {
    let mut scratch = EpaScratch::default();
    run(bencher, case, |b, p| epa_of(b, p, &mut scratch));
}

fn epa_of(batch: &Batch, pair: &Placed, scratch: &mut EpaScratch) -> bool {
    let ended = batch.gjk(pair, REACH);
    penetration(&batch.query(pair), &ended.simplex, pair.margin, scratch).is_some()
}

/// Decides a pair after its box tests, for the verdict alone.
#[divan::bench(args = cases(|b, p| gap_of(b, p, TOLERANCE)))]
fn hull_gap_verdict(bencher: Bencher, case: &Case) {
    run(bencher, case, |b, p| gap_of(b, p, TOLERANCE));
}

/// The same with every number except the separating translation.
#[divan::bench(args = cases(|b, p| gap_of(b, p, Goal::VALUE)))]
fn hull_gap_value(bencher: Bencher, case: &Case) {
    run(bencher, case, |b, p| gap_of(b, p, Goal::VALUE));
}

/// True if the query returned a gap, not just a bound beyond the search radius.
fn gap_of(batch: &Batch, pair: &Placed, goal: Goal) -> bool {
    let ask = HullLimits { reach: REACH, goal, margin: pair.margin };
    matches!(hull_gap(&batch.query(pair), &ask), HullAnswer::Gap(_))
}
