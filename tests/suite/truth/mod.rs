//! Pairs with a closed-form answer, and searches trying to beat the check's certificates. A seeded part of both runs
//! with the suite; the full set, 5400 known pairs and 10 500 searched ones, runs with
//!
//! ```text
//! INTERFERE_FULL=1 cargo test --release --test suite truth:: -- --nocapture
//! ```
//!
//! - A family draws a pair and its closed form: `meeting` (convex solids), `hollow`, `fits` (pegs in bores, with their
//!   plane figures in `polygon`), `shells`; `known` is their random source.
//! - `dress` hands the pair to the check in several guises, `expect` turns the known number into an expected report,
//!   `harness` compares. With `INTERFERE_TRUTH_DUMP=FOLDER` a failing pair is written there as an assembly.
//! - `pieces` tests the promises of convex pieces against the known numbers.
//! - `sound` tests the families' numbers themselves with slow searches independent of the crate.
//! - `searches` runs such searches against the reports of random solids (`nasty`).

mod dress;
mod expect;
mod fits;
mod harness;
mod hollow;
mod known;
mod meeting;
mod nasty;
mod pieces;
mod polygon;
mod searches;
mod shells;
mod sound;

use known::{Draw, Known};

/// Function drawing a pair of a family.
type Make = fn(&mut Draw) -> Known;

/// Every family by its name.
const FAMILIES: [(&str, Make); 27] = [
    ("flush faces", meeting::flush),
    ("faces", meeting::faces),
    ("shifted boxes", meeting::shifted),
    ("edge on edge", meeting::edge_on_edge),
    ("corner on face", meeting::corner_on_face),
    ("pierce", meeting::pierce),
    ("aligned bars", meeting::bars),
    ("crossing bars", meeting::crossing),
    ("containment", meeting::containment),
    ("thin sheets", meeting::sheets),
    ("needle and giant", meeting::needle),
    ("equality", meeting::equality),
    ("bracket on plate", hollow::bracket_on_plate),
    ("cavity", hollow::cavity),
    ("pocket", hollow::pocket),
    ("hooked brackets", hollow::brackets),
    ("chain links", hollow::chain),
    ("combs", hollow::comb),
    ("the same twice", hollow::twice),
    ("within a bracket", hollow::within_bracket),
    ("peg with play", fits::peg),
    ("press fit, facets alike", fits::press_alike),
    ("press fit, facets unlike", fits::press_unlike),
    ("facet error", fits::facet_error),
    ("separate shells", shells::separate),
    ("inner sheets", shells::inner_sheets),
    ("nominal fit", fits::nominal),
];

/// Number of pairs and size of their parts; `INTERFERE_FULL=1` takes all.
fn size() -> harness::Size {
    if std::env::var_os("INTERFERE_FULL").is_some() {
        harness::Size { pairs_per_family: 200, most_triangles: 20_000, most_facets: 96 }
    } else {
        harness::Size { pairs_per_family: 13, most_triangles: 1_500, most_facets: 36 }
    }
}

#[test]
fn known_numbers_are_found_in_every_guise() {
    let tallies = harness::run(size());
    println!("{:26} pairs reports wrong bracketed undecided open  slowest", "family");
    let mut all = harness::Tally::default();
    for (name, tally) in tallies {
        println!("{name:26} {tally}");
        all.add(tally);
    }
    println!("{:26} {all}", "all");
    let some: Vec<&str> = all.wrong.iter().take(60).map(String::as_str).collect();
    assert!(some.is_empty(), "{} wrong:\n{}", all.wrong.len(), some.join("\n"));
    assert!(all.open * 10 < all.reports, "{} of {} reports could not be held to a status", all.open, all.reports);
    assert_eq!((all.bracketed, all.undecided), (0, 0), "bracketed or undecided");
}
