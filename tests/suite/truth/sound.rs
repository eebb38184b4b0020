//! Are the families' closed-form numbers right? Slow, simple searches in the meshes as drawn confirm them.

use super::known::{Draw, Known, Lie};
use super::{FAMILIES, Make};
use crate::support::Rng;
use crate::support::soup::{Effort, Search, Soup};
use interfere::internals::geom::Affine;
use rayon::prelude::*;

/// Share of a ball's width found by every search. Rings around hexagons are 0.933 times as wide along the sides as in
/// the corners, and a search may miss the corners.
const FOUND: f64 = 0.93;

/// Contradiction between a search and a pair's number, if any.
fn contradiction(known: &Known, rng: &mut Rng) -> Option<String> {
    let a = Soup::new(known.plain(), &Affine::identity());
    let b = Soup::new(&known.parts[1], &known.b_in_a);
    let size = b.corners().chain(a.corners()).map(|v| v.amax()).fold(0.0, f64::max);
    let error = 1e-11 * size;
    let apart = a.distance(&b);
    let nested = a.corners().all(|v| b.winding(&v) > 0.5) || b.corners().all(|v| a.winding(&v) > 0.5);
    if known.gap > error {
        let wrong = (apart - known.gap).abs() > error;
        return (wrong || nested).then(|| format!("{apart} apart by all triangles, nested: {nested}"));
    }
    if apart > error && !nested {
        return Some(format!("{apart} apart by all triangles"));
    }
    if known.lie == Lie::Within && !(nested && apart > error) {
        return Some(format!("not within: {apart} between the surfaces"));
    }
    let effort = Effort { tries: 300, climbs: 24, steps: 60 };
    let search = Search { a: &a, b: &b };
    let mut found = f64::NEG_INFINITY;
    for _ in 0..8 {
        found = found.max(2.0 * search.deepest(rng, effort).1);
        if found >= -known.gap * FOUND - error {
            break;
        }
    }
    let wrong = found > -known.gap + error || found < -known.gap * FOUND - error;
    wrong.then(|| format!("the largest ball found is {found} wide"))
}

#[test]
fn searches_confirm_the_known_numbers() {
    let per_family = if std::env::var_os("INTERFERE_FULL").is_some() { 200 } else { 6 };
    let tasks: Vec<(usize, &(&str, Make))> =
        (0..per_family).flat_map(|k| FAMILIES.iter().map(move |family| (k, family))).collect();
    let wrong: Vec<String> = tasks
        .par_iter()
        .filter_map(|(k, (name, make))| {
            let mut draw = Draw::new(7000 + *k as u64, 24);
            let known = make(&mut draw);
            let said = contradiction(&known, &mut draw.rng)?;
            Some(format!("{name} {k}: {} known, {said} (tolerance {}, {:?})", known.gap, draw.tolerance, known.lie))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), tasks.len(), wrong.join("\n"));
}
