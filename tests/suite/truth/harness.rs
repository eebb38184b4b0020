//! Checks pairs in several guises and compares each report with the known answer.

use super::dress::{Asked, Dressed};
use super::expect::Expected;
use super::known::{Draw, Known};
use super::{FAMILIES, Make};
use crate::support::soup::Soup;
use interfere::internals::assembly::{Facets, Geometry, RuleAction};
use interfere::internals::check::{Certainty, Outcome, PairOutcome, Relation, Status};
use interfere::internals::geom::math::UNIT_ROUNDOFF;
use interfere::internals::geom::{Affine, Bounds, Vec3};
use rayon::prelude::*;
use std::path::Path;
use std::time::{Duration, Instant};

/// Result of a family, or of one pair.
#[derive(Default)]
pub struct Tally {
    pub pairs: usize,
    /// Compared reports: each pair comes in several guises.
    pub reports: usize,
    pub wrong: Vec<String>,
    pub bracketed: usize,
    pub undecided: usize,
    /// Guises with a status decided by rounding: their status is not compared.
    pub open: usize,
    pub slowest: Duration,
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { pairs, reports, bracketed, undecided, open, .. } = self;
        let (wrong, ms) = (self.wrong.len(), self.slowest.as_secs_f64() * 1e3);
        write!(f, "{pairs:5} {reports:7} {wrong:5} {bracketed:9} {undecided:9} {open:4} {ms:6.0} ms")
    }
}

impl Tally {
    pub fn add(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.reports += other.reports;
        self.wrong.extend(other.wrong);
        self.bracketed += other.bracketed;
        self.undecided += other.undecided;
        self.open += other.open;
        self.slowest = self.slowest.max(other.slowest);
    }
}

/// Size of a run.
#[derive(Clone, Copy)]
pub struct Size {
    pub pairs_per_family: usize,
    /// Approximate largest number of triangles of a part.
    pub most_triangles: usize,
    /// Largest number of facets of a round thing.
    pub most_facets: usize,
}

/// One pair of a family and its options, reproducible from the seed.
pub fn pair(make: Make, seed: u64, size: Size) -> (Draw, Known, Asked) {
    let mut draw = Draw::new(seed, size.most_facets);
    let mut known = make(&mut draw);
    let facets = if draw.chance(2) { Facets::Allow } else { Facets::Strict };
    if known.verb.is_none() && draw.chance(6) {
        let part = if draw.chance(2) { draw.rng.range(0.3, 0.9) } else { draw.rng.range(1.1, 3.0) };
        known.verb = Some(if known.gap < 0.0 {
            RuleAction::AllowDepth(-known.gap * part)
        } else {
            RuleAction::MinClearance(known.gap.max(draw.tolerance) * part)
        });
    }
    let asked = Asked { tolerance: draw.tolerance, facets };
    (draw, known, asked)
}

/// Runs all families; `INTERFERE_TRUTH_ONLY`, such as `combs` or `combs 2`, selects pairs by the start of family and
/// number.
pub fn run(size: Size) -> Vec<(&'static str, Tally)> {
    let only = std::env::var("INTERFERE_TRUTH_ONLY").ok();
    let tasks: Vec<(usize, usize)> = (0..FAMILIES.len())
        .flat_map(|f| (0..size.pairs_per_family).map(move |k| (f, k)))
        .filter(|(f, k)| match &only {
            Some(only) => format!("{} {k}", FAMILIES[*f].0).starts_with(only),
            None => true,
        })
        .collect();
    let tallies: Vec<Tally> = tasks.par_iter().map(|&(f, k)| one(f, k, size)).collect();
    let mut out: Vec<(&'static str, Tally)> = FAMILIES.iter().map(|(name, _)| (*name, Tally::default())).collect();
    for ((f, _), tally) in tasks.iter().zip(tallies) {
        out[*f].1.add(tally);
    }
    out
}

fn one(family: usize, k: usize, size: Size) -> Tally {
    let (name, make) = FAMILIES[family];
    let (mut draw, known, asked) = pair(make, 1_000_000 * family as u64 + k as u64, size);
    let guises = [
        Dressed::plain(&known),
        Dressed::some(&known, &mut draw.rng, size.most_triangles),
        Dressed::some(&known, &mut draw.rng, size.most_triangles),
    ];
    let mut tally = Tally { pairs: 1, ..Tally::default() };
    let mut brackets: Vec<[f64; 2]> = Vec::new();
    for (g, dressed) in guises.iter().enumerate() {
        let expected = Expected::of(&known, dressed, &asked);
        tally.open += usize::from(expected.status.is_none());
        // The last guise is tested in both orders.
        for ids in [["a", "b"], ["b", "a"]].into_iter().take(1 + g / 2) {
            if std::env::var_os("INTERFERE_TRUTH_ONLY").is_some() {
                dump(&known, dressed, &asked, name, k, g);
            }
            let begun = Instant::now();
            let outcome = dressed.check(&known, ids, &asked);
            tally.slowest = tally.slowest.max(begun.elapsed());
            tally.reports += 1;
            let mut held = Held {
                known: &known,
                dressed,
                expected: &expected,
                swapped: g == 2 && ids[0] == "b",
                said: Vec::new(),
            };
            if let Some(row) = held.listed(&outcome) {
                tally.bracketed += usize::from(row.certainty != Certainty::Certified);
                tally.undecided += usize::from(row.status == Status::Undecided);
                held.row(row);
                brackets.extend(row.gap_bracket.map(|b| <[f64; 2]>::from(b.widened(2.0 * dressed.moved))));
            }
            let tolerance = asked.tolerance;
            let facets = asked.facets;
            let about =
                format!("{name} {k}, guise {g} ({}), tolerance {tolerance:e}, {facets:?}, {ids:?}", dressed.describe);
            if !held.said.is_empty() {
                dump(&known, dressed, &asked, name, k, g);
                tally.wrong.push(format!("{about}: {} known:\n    {}", known.gap, held.said.join("\n    ")));
            }
        }
    }
    let low = brackets.iter().map(|b| b[0]).fold(f64::NEG_INFINITY, f64::max);
    let high = brackets.iter().map(|b| b[1]).fold(f64::INFINITY, f64::min);
    if low > high + 1e-13 * draw.size {
        tally.wrong.push(format!("{name} {k}: the brackets of its guises have nothing in common: {brackets:?}"));
    }
    tally
}

/// Writes a failing pair below the folder of `INTERFERE_TRUTH_DUMP`; with `INTERFERE_TRUTH_ONLY`, every pair of the
/// run.
fn dump(known: &Known, dressed: &Dressed, asked: &Asked, name: &str, k: usize, guise: usize) {
    if let Some(folder) = std::env::var_os("INTERFERE_TRUTH_DUMP") {
        let name = name.replace([' ', ','], "-");
        dressed.write(known, asked, &Path::new(&folder).join(format!("{name}-{k}-{guise}")));
    }
}

/// Comparison of one report with the known answer of its pair.
struct Held<'a> {
    known: &'a Known,
    dressed: &'a Dressed,
    expected: &'a Expected,
    /// True if the pair's first part is the report's second.
    swapped: bool,
    said: Vec<String>,
}

impl Held<'_> {
    fn hold(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.said.push(otherwise());
        }
    }

    /// The pair's row: listed once, and consistent with the counts.
    fn listed<'o>(&mut self, outcome: &'o Outcome) -> Option<&'o PairOutcome> {
        let row = outcome.pairs.first();
        let (Some(row), 1) = (row, outcome.pairs.len()) else {
            self.said.push(format!("not listed: {:?}, {:?}", outcome.counts, outcome.cleared_by));
            return None;
        };
        self.hold(outcome.counts.of(row.status) == 1, || format!("{:?} is not what is counted", row.status));
        Some(row)
    }

    fn row(&mut self, row: &PairOutcome) {
        let e = self.expected;
        if let Some(status) = e.status {
            self.hold(row.status == status, || format!("status {:?}, expected {status:?}", row.status));
        }
        // If surfaces of one part touch, a report may be uncertain.
        let labelled = self.known.plain.is_some() && row.certainty != Certainty::Certified;
        self.hold(labelled || row.certainty == Certainty::Certified, || format!("certainty {:?}", row.certainty));
        self.hold(row.geometry == Geometry::Exact, || format!("geometry {:?}", row.geometry));
        let relation = if self.swapped { row.relation.map(Relation::swapped) } else { row.relation };
        let told = relation.is_some_and(|r| e.relations.contains(&r));
        self.hold(labelled || told, || format!("relation {relation:?}, expected {:?}", e.relations));
        let (Some(gap), Some(bracket)) = (row.gap, row.gap_bracket) else {
            self.hold(labelled, || "no gap".to_owned());
            return;
        };
        self.numbers(row, gap, bracket);
        self.points(row, gap);
        self.facets(row);
    }

    fn numbers(&mut self, row: &PairOutcome, gap: f64, Bounds { lower: low, upper: high }: Bounds) {
        let e = self.expected;
        self.hold(low <= gap && gap <= high, || format!("gap {gap} outside of [{low}, {high}]"));
        let meets = low <= e.gap[1] + e.margin[0] && high >= e.gap[0] - e.margin[0];
        self.hold(meets, || format!("bracket [{low}, {high}], known [{}, {}]", e.gap[0], e.gap[1]));
        let promised = if e.gap[0] > e.margin[1] {
            8.0 * e.margin[1] + 1e-12 * gap
        } else {
            (0.01 * gap.abs()).max(0.1 * e.tolerance) * (1.0 + 1e-9)
        };
        let kept = high - low <= promised || row.certainty != Certainty::Certified;
        self.hold(kept, || format!("bracket [{low}, {high}] is {} wide, promised {promised}", high - low));
        let depth = row.overlap_depth;
        self.hold(depth == Some((-gap).max(0.0)), || format!("overlap depth {depth:?} with the gap {gap}"));
        if let (Some(depth), Some(far)) = (depth, row.penetration_depth) {
            self.hold(far >= depth - (high - low), || format!("penetration depth {far}, overlap depth {depth}"));
        }
    }

    /// Tests the closest points: on their surfaces, and as far apart as the gap.
    fn points(&mut self, row: &PairOutcome, gap: f64) {
        let e = self.expected;
        let apart = gap > e.margin[1];
        let Some(points) = row.closest_points else {
            self.hold(false, || "no closest points".to_owned());
            return;
        };
        let [a, b] = if self.swapped { [points[1], points[0]] } else { points };
        let rounding = 16.0 * UNIT_ROUNDOFF * (a.amax() + b.amax()) + e.margin[1];
        let between: Vec3 = points[1] - points[0];
        if apart {
            let off = (between.norm() - gap).abs();
            self.hold(off <= 1e-9 * gap + rounding, || format!("closest points {} apart, gap {gap}", between.norm()));
        }
        let surfaces =
            [Soup::new(self.known.plain(), &Affine::identity()), Soup::new(&self.known.parts[1], &self.known.b_in_a)];
        for (surface, point) in surfaces.iter().zip([a, b]) {
            let off = surface.to_surface(&self.dressed.in_family(&point));
            let allowed = self.dressed.moved + 4.0 * rounding;
            self.hold(off <= allowed, || format!("closest point {point:?} lies {off} off its surface"));
        }
        let Some(normal) = row.normal else {
            self.hold(!apart, || "no normal".to_owned());
            return;
        };
        self.hold((normal.norm() - 1.0).abs() < 1e-12, || format!("normal {normal:?}"));
        if gap > 1e4 * rounding {
            let off = (normal - between / between.norm()).norm();
            self.hold(off < 1e-3, || format!("normal {normal:?} from A's closest point to B's {between:?}"));
        }
    }

    fn facets(&mut self, row: &PairOutcome) {
        let e = self.expected;
        let deep = e.gap[1] < -e.margin[1];
        let [low, high] = e.allowance;
        if deep && high > 0.0 {
            let within = row.facet_allowance.is_some_and(|f| low <= f && f <= high);
            self.hold(within, || format!("facet allowance {:?}, expected [{low}, {high}]", row.facet_allowance));
        }
        if let (Some(status), true) = (e.status, self.known.verb.is_none()) {
            let t = e.tolerance;
            let sure = (-e.gap[1] - t).abs() > e.margin[1] && (e.gap[1] > -t) == (e.gap[0] > -t);
            let within = status == Status::Contact && e.gap[0] < -t;
            self.hold(!sure || row.within_facet_error == within, || {
                format!("within facet error: {}, expected {within}", row.within_facet_error)
            });
        }
    }
}
