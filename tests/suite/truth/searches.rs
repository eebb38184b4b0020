//! Can a search beat a certificate? No ball may be larger than the certified depth, no two points nearer than the
//! certified gap, and no stage may clear a pair within the search radius.

use super::nasty::{on_surface, solid};
use crate::support::Rng;
use crate::support::soup::{Effort, Search, Soup};
use crate::support::two::placed;
use interfere::internals::assembly::{Assembly, Facets, Geometry, RuleAction};
use interfere::internals::check::{Certainty, NoProgress, Options, Outcome, PairOutcome, Status, check};
use interfere::internals::geom::{Affine, LengthUnit, Mat3, Vec3};
use interfere::internals::io::FsLoader;
use interfere::internals::mesh::TriMesh;
use rayon::prelude::*;

fn full() -> bool {
    std::env::var_os("INTERFERE_FULL").is_some()
}

/// Two random solids, overlapping, touching or almost touching.
struct Duel {
    meshes: [TriMesh; 2],
    pose: Affine,
    size: f64,
    tolerance: f64,
}

impl Duel {
    fn new(seed: u64) -> (Self, Rng) {
        let mut rng = Rng::new(seed);
        let size = rng.scale(1.0, 100.0);
        let meshes = [solid(&mut rng, size), { solid(&mut rng, size) }];
        let turn = match rng.below(4) {
            0 => Mat3::identity(),
            1 => crate::support::two::about_z(90.0 * rng.below(4) as f64),
            _ => rng.rotation(),
        };
        // Moves a point of one surface onto, into or off the other surface.
        let (to, from) = (on_surface(&meshes[0], &mut rng), turn * on_surface(&meshes[1], &mut rng));
        let by = match rng.below(5) {
            0 => Vec3::zeros(),
            1 => rng.in_ball() * (0.5 * size),
            2 => to.try_normalize(0.0).unwrap_or_else(Vec3::x) * (size * rng.range(0.0, 1.0)),
            _ => rng.direction() * (size * rng.scale(1e-4, 0.1)),
        };
        let tolerance = size * rng.scale(2e-4, 5e-3);
        (Self { pose: placed(turn, to - from + by), meshes, size, tolerance }, rng)
    }

    fn row(&self) -> Option<PairOutcome> {
        let [a, b] = &self.meshes;
        let assembly = Assembly::builder("duel", LengthUnit::Mm)
            .part("a", a.clone())
            .part("b", b.clone())
            .instance("a", "a", Affine::identity())
            .instance("b", "b", self.pose)
            .build()
            .unwrap_or_else(|e| panic!("{e}"));
        let options = Options {
            geometry: Some(Geometry::Exact),
            tolerance: Some(self.tolerance),
            facets: Some(Facets::Strict),
            report_within: Some(10.0 * self.size),
            ..Options::default()
        };
        check(&assembly, &options, &FsLoader, &NoProgress).unwrap_or_else(|e| panic!("{e}")).pairs.pop()
    }
}

#[derive(Default)]
struct Score {
    apart: usize,
    overlapping: usize,
    uncertain: usize,
    /// Number of searches within two per cent of the certified upper bound.
    close: usize,
    said: Option<String>,
}

fn duel(seed: u64) -> Score {
    let (duel, mut rng) = Duel::new(seed);
    let mut score = Score::default();
    let Some(row) = duel.row() else {
        return Score { said: Some(format!("pair {seed} is not listed")), ..score };
    };
    score.uncertain += usize::from(row.certainty != Certainty::Certified);
    let [low, high] = row.gap_bracket.map_or([f64::NEG_INFINITY, f64::INFINITY], <[f64; 2]>::from);
    let a = Soup::new(&duel.meshes[0], &Affine::identity());
    let b = Soup::new(&duel.meshes[1], &duel.pose);
    let error = 1e-11 * duel.size;
    let distance = a.distance(&b);
    let nested = nested(&a, &b);
    if distance > error && !nested {
        score.apart += 1;
        if low > distance + error || high < distance - error {
            score.said = Some(format!("pair {seed}: gap in [{low}, {high}], {distance} by all triangles"));
        }
        return score;
    }
    score.overlapping += 1;
    if high > 0.0 && high > error && nested {
        score.said = Some(format!("pair {seed}: gap in [{low}, {high}] of nested solids"));
        return score;
    }
    let search = Search { a: &a, b: &b };
    let mut found = f64::NEG_INFINITY;
    // Two rounds as a rule; more if the search falls short of the certified lower bound.
    for round in 0..50 {
        let effort = Effort { tries: 100, climbs: 12, steps: 40 };
        found = found.max(2.0 * search.deepest(&mut rng, effort).1);
        if found > -low + error {
            score.said = Some(format!("pair {seed}: a ball {found} wide, certified at most {}", -low));
            return score;
        }
        if round > 0 && (-high <= error || found >= -high * 0.8 - 1e-4 * duel.size) {
            score.close += usize::from(found >= -low * 0.98);
            return score;
        }
    }
    score.said = Some(format!("pair {seed}: a ball {found} wide is the best found, certified {} at least", -high));
    score
}

/// True if one solid lies inside the other; the surfaces must be apart.
fn nested(a: &Soup, b: &Soup) -> bool {
    let inside = |p: &Soup, q: &Soup| p.corners().all(|v| q.winding(&v) > 0.5);
    inside(a, b) || inside(b, a)
}

#[test]
fn certificates_withstand_search() {
    let count = if full() { 10_500 } else { 200 };
    let scores: Vec<Score> = (0..count).into_par_iter().map(|k| duel(90_000 + k)).collect();
    let sum = |of: fn(&Score) -> usize| scores.iter().map(of).sum::<usize>();
    let (apart, overlapping) = (sum(|s| s.apart), sum(|s| s.overlapping));
    let (uncertain, close) = (sum(|s| s.uncertain), sum(|s| s.close));
    println!("{count} pairs: {apart} apart, {overlapping} overlapping, {close} of them searched to within 2 %");
    let said: Vec<&str> = scores.iter().filter_map(|s| s.said.as_deref()).collect();
    assert!(said.is_empty(), "{} beaten:\n{}", said.len(), said.join("\n"));
    assert_eq!(uncertain, 0, "not certified");
    assert!(apart * 10 > scores.len() && overlapping * 2 > scores.len(), "{apart} apart, {overlapping} overlapping");
    assert!(close * 4 > overlapping * 3, "the search is weak: {close} of {overlapping}");
}

/// Two dozen crowded instances of six solids.
struct Crowd {
    solids: Vec<TriMesh>,
    places: Vec<Affine>,
}

impl Crowd {
    fn new(rng: &mut Rng) -> Self {
        let sizes = [10.0, 4.0, 15.0, 1.0, 6.0, 25.0];
        let solids: Vec<TriMesh> = sizes.iter().map(|size| solid(rng, *size)).collect();
        let far = if rng.below(2) == 0 { Vec3::zeros() } else { (rng.direction() * 1e6).map(f64::round) };
        let places = (0..24).map(|_| placed(rng.rotation(), far + rng.in_ball() * 30.0)).collect();
        Self { solids, places }
    }

    fn check(&self, report_within: Option<f64>, clearance: Option<f64>) -> Outcome {
        let mut builder = Assembly::builder("crowd", LengthUnit::Mm);
        for (k, mesh) in self.solids.iter().enumerate() {
            builder = builder.part(format!("solid-{k}"), mesh.clone());
        }
        for (k, place) in self.places.iter().enumerate() {
            builder = builder.instance(format!("{k:02}"), format!("solid-{}", k % self.solids.len()), *place);
        }
        if let Some(mm) = clearance {
            builder = builder.rule("*", "*", RuleAction::MinClearance(mm), None);
        }
        let assembly = builder.build().unwrap_or_else(|e| panic!("{e}"));
        let options = Options {
            geometry: Some(Geometry::Exact),
            facets: Some(Facets::Strict),
            report_within,
            ..Options::default()
        };
        check(&assembly, &options, &FsLoader, &NoProgress).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Solids relative to the first instance: brute force then avoids the rounding of distant coordinates.
    fn soups(&self) -> Vec<Soup> {
        let near = |p: &Affine| Affine { translation: p.translation - self.places[0].translation, ..*p };
        self.places.iter().enumerate().map(|(k, p)| Soup::new(&self.solids[k % self.solids.len()], &near(p))).collect()
    }
}

#[test]
fn no_stage_clears_triangles_within_search_radius() {
    let mut rng = Rng::new(71);
    let (mut overlapping, mut within, mut beyond) = (0, 0, 0);
    let mut cleared = [0; 4];
    let crowds = if full() { 300 } else { 12 };
    for crowd in 0..crowds {
        let these = Crowd::new(&mut rng);
        let reach = rng.scale(0.1, 10.0);
        let (listed, gated) = (these.check(Some(reach), None), these.check(None, Some(reach)));
        for by in [&listed.cleared_by, &gated.cleared_by] {
            let now = [by.aabb, by.obb, by.hull, by.exact];
            cleared.iter_mut().zip(now).for_each(|(sum, n)| *sum += n);
        }
        let soups = these.soups();
        // Placements a million away round to 1e-10.
        let margin = 1e-9;
        for (i, a) in soups.iter().enumerate() {
            for (j, b) in soups.iter().enumerate().skip(i + 1) {
                let row = |o: &Outcome| o.pairs.iter().find(|p| (p.a.0, p.b.0) == (i as u32, j as u32)).cloned();
                let (row, gated) = (row(&listed), row(&gated));
                let distance = a.distance(b);
                let about = format!("crowd {crowd}, {i:02} and {j:02}, {distance} apart, reach {reach}");
                if distance < margin || nested(a, b) {
                    overlapping += 1;
                    let gap = row.as_ref().and_then(|r| r.gap);
                    assert!(gap.is_some_and(|g| g <= margin), "{about}: {row:?}");
                    assert!(gated.is_some_and(|g| g.status != Status::Clear), "{about}: {row:?}");
                } else if distance < reach - margin {
                    within += 1;
                    let gap = row.as_ref().and_then(|r| r.gap);
                    assert!(gap.is_some_and(|g| (g - distance).abs() <= margin), "{about}: {row:?}");
                    assert_eq!(gated.map(|g| g.status), Some(Status::TooClose), "{about}");
                } else if distance > reach + margin {
                    beyond += 1;
                    assert!(row.is_none() && gated.is_none(), "{about}: {row:?} {gated:?}");
                }
            }
        }
    }
    println!(
        "{overlapping} overlapping, {within} within, {beyond} beyond; cleared by box, oriented box, hull, triangles: {cleared:?}"
    );
    assert!(
        overlapping > 10 * crowds && within > 5 * crowds && beyond > 50 * crowds,
        "{overlapping} {within} {beyond}"
    );
    assert!(cleared.iter().all(|n| *n > crowds), "every stage cleared some: {cleared:?}");
}
