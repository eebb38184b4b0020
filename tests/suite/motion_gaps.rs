//! Does a largest gap hold at every value of a sweep: with closed forms, in every format, in a baseline, in `range`?

use crate::motion::{assert_close, bracket, changed, holds, report, row};
use crate::support::command::interfere;
use crate::support::scratch::Scratch;
use crate::support::solids::{block, stl};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The sliding doors, 2q mm apart at the value q of the joint, with a largest gap during some runs.
fn doors(scratch: &Scratch, largest: f64, during: &[&str]) -> PathBuf {
    changed(scratch, "sliding-doors", |file| {
        file["rules"] = json!([
            { "between": ["left", "right"], "max_gap": largest, "during": during, "reason": "the belt is this long" },
            { "between": ["right", "stop"], "allow_depth": 3, "reason": "another question" }
        ]);
    })
}

#[test]
fn doors_that_open_too_far_fail_from_their_limit_on() {
    let scratch = Scratch::new();
    let (found, code) = report(&doors(&scratch, 8.0, &["opening"]), &["--run", "opening", "--run", "cycle"]);
    assert_eq!(code, 1);
    let loose = row(&found, "opening", "left", "right");
    assert_eq!((&loose["status"], &loose["certainty"]), (&json!("loose"), &json!("certified")));
    assert_eq!((&loose["worst"]["at"], &loose["proved"]), (&json!({ "left": 20, "right": 20 }), &json!(1)));
    assert_close(&loose["worst"]["gap"], 40.0);
    let [low, high] = bracket(&loose["worst"]["gap_bracket"]);
    assert!(low <= 40.0 && 40.0 <= high && high - low < 0.4, "{low} {high}");
    let parts = loose["intervals"].as_array().expect("intervals");
    assert_eq!((parts.len(), &parts[0]["status"], &parts[0]["throughout"]), (1, &json!("loose"), &json!(true)));
    assert!(holds(&parts[0]["from"]["left"], 4.0) && holds(&parts[0]["to"]["left"], 20.0), "{parts:?}");
    assert!(holds(&loose["first"]["at_bracket"]["left"], 4.0), "{loose}");
    // The rule does not apply to the path, which opens the doors by 35.
    let rows = found["motion"]["rows"].as_array().expect("rows");
    assert!(rows.iter().all(|r| r["run"] == "opening" || r["status"] != "loose"), "{rows:?}");
}

#[test]
fn a_largest_gap_met_with_equality_passes() {
    let scratch = Scratch::new();
    for (largest, status) in [(40.0, "contact"), (39.999, "loose"), (41.0, "contact")] {
        for flags in [&[][..], &["--measure", "none"], &["--geometry", "hull"]] {
            let flags = [&["--run", "opening"], flags].concat();
            let (found, code) = report(&doors(&scratch, largest, &["*"]), &flags);
            let row = row(&found, "opening", "left", "right");
            assert_eq!((&row["status"], code), (&json!(status), u8::from(status == "loose")), "{largest} {flags:?}");
        }
    }
}

#[test]
fn a_path_is_too_loose_in_both_of_its_segments() {
    let scratch = Scratch::new();
    let (found, _) = report(&doors(&scratch, 20.0, &["cycle"]), &["--run", "cycle"]);
    let loose = row(&found, "cycle", "left", "right");
    assert_eq!((&loose["status"], &loose["worst"]["at"]["left"]), (&json!("loose"), &json!(17.5)));
    assert_close(&loose["worst"]["gap"], 35.0);
    let parts = loose["intervals"].as_array().expect("intervals");
    let ends: Vec<(&Value, &Value)> = parts.iter().map(|part| (&part["from"]["left"], &part["to"]["left"])).collect();
    assert_eq!(ends.len(), 2);
    assert!(holds(ends[0].0, 10.0) && holds(ends[0].1, 17.5), "{ends:?}");
    assert!(holds(ends[1].0, 17.5) && holds(ends[1].1, 10.0), "{ends:?}");
}

#[test]
fn a_largest_gap_beyond_the_budget_is_undecided() {
    let scratch = Scratch::new();
    let (found, code) = report(&doors(&scratch, 39.0, &["*"]), &["--run", "opening", "--sweep-cells", "1"]);
    assert_eq!((&row(&found, "opening", "left", "right")["status"], code), (&json!("undecided"), 1));
}

#[test]
fn every_format_and_the_baseline_know_a_loose_pair_of_a_sweep() {
    let scratch = Scratch::new();
    let path = doors(&scratch, 8.0, &["opening"]);
    let path = path.to_str().expect("UTF-8");
    let of = |format: &str| interfere(&["check", path, "--run", "opening", "--format", format]).stdout;
    let table = interfere(&["check", path, "--run", "opening"]).stdout;
    assert!(table.contains("1 loose") && table.contains("… 20"), "{table}");
    for format in ["csv", "junit", "sarif", "markdown", "github"] {
        let text = of(format);
        assert!(text.contains("loose") && text.contains("left"), "{format}: {text}");
    }
    let said = "left and right are 40 mm apart";
    assert!(of("github").contains(said) && of("junit").contains(said), "{}", of("github"));
    assert_eq!(interfere(&["accept", path, "--reason", "known"]).code, 0);
    assert_eq!(interfere(&["check", path, "--run", "opening"]).code, 0);
    doors(&scratch, 7.0, &["as-drawn"]);
    let ran = interfere(&["range", path, "left"]);
    assert!(ran.stdout.contains("left and right are too far apart from 3.5 on"), "{}", ran.stdout);
}

#[test]
fn bounds_of_least_gaps_are_as_close_as_asked_or_bracketed() {
    let of = |case: &str, flags: &[&str]| {
        let scratch = Scratch::new();
        report(&changed(&scratch, case, |_| {}), &[&["--report-within", "100"], flags].concat()).0
    };
    // Rows with their least gaps in closed form (mm).
    let known = [
        ("sliding-doors", "opening", ["left", "stop"], 38.0),
        ("sliding-doors", "cycle", ["left", "stop"], 38.0),
        ("slider-crank", "turn", ["head", "piston"], 0.5),
    ];
    for (case, run, [a, b], gap) in known {
        let mut before = f64::INFINITY;
        for (asked, width) in [("0.3", 0.3), ("1um", 1e-3)] {
            let found = of(case, &["--gap-width", asked]);
            let row = row(&found, run, a, b);
            let [low, high] = bracket(&row["worst"]["gap_bracket"]);
            assert!(low <= gap && gap <= high && high - low <= width && high - low < before, "{case} {low} {high}");
            assert_eq!((&row["certainty"], &found["settings"]["gap_width"]), (&json!("certified"), &json!(width)));
            before = high - low;
        }
        assert_eq!(of(case, &[])["settings"].get("gap_width"), None);
        if case != "sliding-doors" {
            // A loop would use its whole budget.
            continue;
        }
        // No bracket is as narrow as the rounding.
        let found = of(case, &["--gap-width", "0.000000000001"]);
        let too_wide = row(&found, run, a, b);
        let [low, high] = bracket(&too_wide["worst"]["gap_bracket"]);
        assert!(low <= gap && gap <= high && high - low < 1e-6, "{case} {low} {high}");
        assert_eq!(too_wide["certainty"], "bracketed", "{case}");
    }
}

#[test]
fn a_width_of_zero_is_refused_and_one_without_sweeps_has_no_effect() {
    let scratch = Scratch::new();
    let path = changed(&scratch, "sliding-doors", |_| {});
    let path = path.to_str().expect("UTF-8");
    let refused = interfere(&["check", path, "--gap-width", "0"]);
    assert!(refused.code == 2 && refused.stderr.contains("--gap-width is 0"), "{}", refused.stderr);
    let warned = interfere(&["check", path, "--gap-width", "1mm", "--measure", "none"]);
    assert!(warned.stderr.contains("--gap-width has no effect: --measure none"), "{}", warned.stderr);
    let scratch = Scratch::new();
    let still = changed(&scratch, "sliding-doors", |file| {
        file.as_object_mut().expect("an object").remove("sweeps");
        file["rules"] = json!([{ "between": ["right", "stop"], "allow_depth": 3, "reason": "another question" }]);
    });
    let warned = interfere(&["check", still.to_str().expect("UTF-8"), "--gap-width", "1mm"]);
    assert!(warned.stderr.contains("--gap-width has no effect: the assembly has no sweep"), "{}", warned.stderr);
}

/// Blocks that slide past each other at a distance.
#[test]
fn the_least_gap_of_a_clear_sweep_is_certified() {
    let scratch = Scratch::new();
    scratch.write("block.stl", stl(&block([0.0; 3], [10.0; 3])));
    for (y, z) in [(4.0, 3.0), (5.5, 4.6), (7.25, 1.0), (3.1, 8.3), (12.0, 0.5)] {
        let at = json!({ "translation": [-20, 10.0 + y, 10.0 + z] });
        let assembly = json!({
            "version": 1,
            "parts": { "block": "block.stl" },
            "instances": [{ "id": "a", "part": "block" }, { "id": "b", "part": "block", "placement": at }],
            "joints": { "s": { "type": "prismatic", "axis": "x", "moves": ["b"], "range": [0, 40] } },
            "sweeps": { "w": { "joints": { "s": "range" } } },
            "report_within": 50
        });
        let (found, code) = report(&scratch.write("assembly.json", assembly.to_string()), &[]);
        let row = row(&found, "w", "a", "b");
        assert_eq!((&row["status"], &row["certainty"], code), (&json!("clear"), &json!("certified"), 0), "{row}");
        let (gap, [low, high]) = (f64::hypot(y, z), bracket(&row["worst"]["gap_bracket"]));
        assert!(low <= gap && gap <= high && high - low <= 0.01 * high + 1e-9, "{gap} {low} {high}");
    }
}
