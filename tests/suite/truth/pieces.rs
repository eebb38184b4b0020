//! Do convex pieces keep their promises for known pairs? `--geometry decomposition` must find each overlap. It must
//! never report a larger gap than the parts have, nor one smaller by more than both overshoots.

use super::harness::{Size, pair};
use super::known::Known;
use super::{FAMILIES, Make};
use crate::support::Rng;
use interfere::Measure;
use interfere::internals::assembly::{Assembly, Facets, Geometry, RuleAction};
use interfere::internals::check::{NoProgress, Options, Outcome, Status, check};
use interfere::internals::geom::{Affine, Bounds, LengthUnit};
use interfere::internals::io::FsLoader;
use rayon::prelude::*;

/// Smallest and largest epsilon, as a share of the pair's size.
const EPSILONS: [f64; 2] = [1e-4, 0.1];

fn run(known: &Known, tolerance: f64, epsilon: f64, measure: Measure) -> Outcome {
    let [a, b] = &known.parts;
    let mut builder = Assembly::builder("known", LengthUnit::Mm)
        .part("a", a.clone())
        .part("b", b.clone())
        .instance("a", "a", Affine::identity())
        .instance("b", "b", known.b_in_a);
    if let Some(verb) = known.verb {
        builder = builder.rule("a", "b", verb, None);
    }
    let options = Options {
        geometry: Some(Geometry::Decomposition),
        tolerance: Some(tolerance),
        facets: Some(Facets::Strict),
        report_within: Some(known.gap.abs() + 10.0 * tolerance),
        epsilon: Some(epsilon),
        max_pieces: 24,
        measure,
        fixes: 0,
        ..Options::default()
    };
    let assembly = builder.build().unwrap_or_else(|e| panic!("{e}"));
    check(&assembly, &options, &FsLoader, &NoProgress).unwrap_or_else(|e| panic!("{e}"))
}

#[derive(Default)]
struct Seen {
    interferences: usize,
    apart: usize,
    alarms: usize,
    wrong: Vec<String>,
}

fn one(make: Make, seed: u64) -> Seen {
    let (draw, known, asked) = pair(make, seed, Size { pairs_per_family: 1, most_triangles: 500, most_facets: 24 });
    let mut rng = Rng::new(seed);
    let epsilon = draw.size * rng.scale(EPSILONS[0], EPSILONS[1]);
    let mut seen = Seen::default();
    let outcome = run(&known, asked.tolerance, epsilon, Measure::All);
    let rounding = 1e-9 * draw.size;
    let allowed = if let Some(RuleAction::AllowDepth(d)) = known.verb { d } else { 0.0 };
    let interferes = -known.gap > asked.tolerance.max(allowed) + rounding;
    // A part without a decomposition is represented by its hull: its overshoot is unbounded.
    let reach: Option<f64> = outcome.parts.iter().map(|p| p.epsilon).sum();
    for outcome in [&outcome, &run(&known, asked.tolerance, epsilon, Measure::None)] {
        let found = outcome.counts.of(Status::Interference) + outcome.counts.of(Status::Undecided);
        if interferes && found == 0 {
            seen.wrong.push(format!("missed: {:?}", outcome.counts));
        }
        let alarm = outcome.counts.of(Status::Interference) > 0;
        if alarm && reach.is_some_and(|e| known.gap > e + rounding) {
            seen.wrong.push(format!("an alarm at a gap of {}, the pieces reach {reach:?}", known.gap));
        }
        seen.alarms += usize::from(alarm && !interferes);
    }
    seen.interferences += usize::from(interferes);
    seen.apart += usize::from(known.gap > rounding);
    if let Some(row) = outcome.pairs.first() {
        let (Some(gap), Some(Bounds { lower: low, upper: high })) = (row.gap, row.gap_bracket) else {
            seen.wrong.push("no gap".to_owned());
            return seen;
        };
        if known.gap > rounding && gap > known.gap + rounding {
            seen.wrong.push(format!("the pieces are {gap} apart, the parts {}", known.gap));
        }
        // The depth of a pieces' overlap is unbounded: a piece filling a hole is as deep as the hole is wide.
        if reach.is_some_and(|e| known.gap > e + rounding && high < known.gap - e - rounding) {
            seen.wrong.push(format!("the pieces are {low} to {high} apart, the parts {}", known.gap));
        }
        if row.status == Status::Undecided {
            seen.wrong.push("undecided".to_owned());
        }
    }
    seen
}

#[test]
fn pieces_find_overlaps_without_alarms_beyond_epsilon() {
    let per_family = if std::env::var_os("INTERFERE_FULL").is_some() { 100 } else { 2 };
    let tasks: Vec<(usize, usize)> = (0..FAMILIES.len()).flat_map(|f| (0..per_family).map(move |k| (f, k))).collect();
    let seen: Vec<(usize, usize, Seen)> = tasks
        .par_iter()
        .map(|&(f, k)| (f, k, one(FAMILIES[f].1, 77_000_000 + 1_000_000 * f as u64 + k as u64)))
        .collect();
    let sum = |of: fn(&Seen) -> usize| seen.iter().map(|s| of(&s.2)).sum::<usize>();
    let (interferences, apart, alarms) = (sum(|s| s.interferences), sum(|s| s.apart), sum(|s| s.alarms));
    println!("{} pairs: {interferences} interfere, {apart} are apart, {alarms} false alarms within reach", seen.len());
    let wrong: Vec<String> =
        seen.iter().flat_map(|(f, k, s)| s.wrong.iter().map(move |w| format!("{} {k}: {w}", FAMILIES[*f].0))).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(interferences * 5 > seen.len() && apart * 10 > seen.len(), "{interferences} and {apart} of {}", seen.len());
}
