//! Do the staircases of a sweep bound the gap, in the report and in `explain`?

use crate::generate::cases;
use crate::motion::{changed, report, row};
use crate::support::command::interfere;
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use serde_json::{Value, json};

fn doors() -> std::path::PathBuf {
    cases().join("sliding-doors/assembly.json")
}

/// Parts of a staircase: value of a joint at the start, at the end, bounds of the gap.
fn steps(row: &Value, joint: &str) -> Vec<[f64; 4]> {
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value} is no number: {row}"));
    let steps = row["curve"].as_array().unwrap_or_else(|| panic!("no staircase: {row}")).iter();
    steps
        .map(|s| [&s["from"][joint], &s["to"][joint], &s["gap_bracket"][0], &s["gap_bracket"][1]].map(number))
        .collect()
}

/// The gap of door and stop is 18 mm less the travel.
#[test]
fn a_staircase_holds_the_gap_of_a_closed_form_and_is_narrow() {
    let (all, code) = report(&doors(), &["--curves"]);
    assert_eq!(code, 1);
    let stop = row(&all, "opening", "right", "stop");
    let steps = steps(stop, "right");
    assert_eq!((steps.len(), steps[0][0], steps[steps.len() - 1][1]), (48, 0.0, 20.0));
    assert!(steps.windows(2).all(|two| two[0][1] == two[1][0]), "{steps:?}");
    for [from, to, lower, upper] in &steps {
        let least = 18.0 - to;
        assert!(*lower <= least + 1e-9 && least <= upper + 1e-9, "{from} to {to}: {lower} {upper}");
        if *lower > 0.0 {
            assert!(upper - lower <= 1.01 * (0.05 * upper).max(0.01), "{from} to {to}: {lower} {upper}");
        } else {
            assert!(least - lower < 0.6 && upper - least < 0.3, "{from} to {to}: {lower} {upper}");
        }
    }
    let worst = stop["worst"]["gap_bracket"][1].as_f64().expect("a number");
    let lowest = steps.iter().map(|step| step[2]).fold(f64::INFINITY, f64::min);
    let highest = steps.iter().map(|step| step[3]).fold(f64::INFINITY, f64::min);
    assert!(lowest <= worst && highest <= worst, "{lowest} {highest} {worst}");
}

#[test]
fn a_path_has_the_steps_of_its_segments_in_order() {
    let (all, _) = report(&doors(), &["--curves", "--run", "cycle"]);
    let stop = row(&all, "cycle", "right", "stop");
    let segments: Vec<u64> =
        stop["curve"].as_array().expect("steps").iter().filter_map(|s| s["segment"].as_u64()).collect();
    assert!(segments.is_sorted() && segments[0] == 1 && segments[segments.len() - 1] == 2, "{segments:?}");
    for [from, to, lower, upper] in steps(stop, "right") {
        // The second segment moves back.
        let least = 18.0 - from.max(to);
        assert!(lower <= least + 1e-9 && least <= upper + 1e-9, "{from} to {to}: {lower} {upper}");
    }
}

#[test]
fn the_flag_adds_staircases_and_changes_nothing_else() {
    // The pose has a gap of 0.5 mm.
    let near = ["--report-within", "1"];
    let (mut with, without) = (report(&doors(), &["--curves", near[0], near[1]]).0, report(&doors(), &near).0);
    let mut poses = 0;
    for row in with["motion"]["rows"].as_array_mut().expect("rows") {
        let is_pose = row["run"] == "open";
        let curve = row.as_object_mut().and_then(|row| row.remove("curve")).expect("every row has the key");
        assert_eq!(curve.is_null(), is_pose, "{row}");
        poses += usize::from(is_pose);
    }
    assert!(poses > 0, "the report lists a row of a pose");
    assert_eq!(with["motion"], without["motion"]);
}

#[test]
fn a_pair_that_two_joints_move_has_no_staircase() {
    let scratch = Scratch::new();
    let path = changed(&scratch, "sliding-doors", |file| {
        file["joints"]["right"] = json!({ "type": "prismatic", "axis": "x", "moves": ["right"], "range": [0, 20] });
        file["sweeps"] = json!({ "both": { "joints": { "left": "range", "right": "range" } } });
        file["rules"] = json!([]);
        file["poses"] = json!({});
    });
    let (all, _) = report(&path, &["--curves"]);
    assert_eq!(row(&all, "both", "left", "right")["curve"], Value::Null);
    assert_eq!(steps(row(&all, "both", "right", "stop"), "right").len(), 48);
}

#[test]
fn the_cache_keeps_staircases_apart_from_answers_without() {
    let scratch = Scratch::new();
    let cache = scratch.path().join("cache");
    let cached = |flags: &[&str]| {
        let cache = cache.to_str().expect("UTF-8");
        report(&doors(), &[&["--cache", cache], flags].concat()).0["motion"].clone()
    };
    let plain = cached(&[]);
    let expected = report(&doors(), &["--curves"]).0["motion"].clone();
    assert_eq!(cached(&["--curves"]), expected);
    assert_eq!(cached(&["--curves"]), expected);
    assert_eq!(cached(&[]), plain);
}

#[test]
fn explain_draws_the_staircase_of_its_pair() {
    let doors = doors();
    let ask = |format: &str| {
        let path = doors.to_str().expect("UTF-8");
        interfere(&["explain", path, "right", "stop", "--run", "opening", "--format", format])
    };
    let text = ask("text").stdout;
    let plot = text.lines().find(|line| line.starts_with("      gap  ")).unwrap_or_else(|| panic!("no plot: {text}"));
    let bars: String = plot.chars().skip(11).take(48).collect();
    assert!(bars.starts_with('█') && bars.ends_with("××××") && bars.contains('▄'), "{plot}");
    assert!(plot.ends_with("  left 0 … left 20"), "{plot}");
    let explained = parsed(&ask("json").stdout);
    assert_eq!(steps(&explained["run"]["row"], "right"), {
        let (all, _) = report(&doors, &["--curves", "--run", "opening"]);
        steps(row(&all, "opening", "right", "stop"), "right")
    });
}

#[test]
fn a_run_without_measures_refuses_curves() {
    let path = doors();
    let ran = interfere(&["check", path.to_str().expect("UTF-8"), "--curves", "--verdict-only"]);
    assert!(ran.code == 2 && ran.stderr.contains("--curves and --verdict-only exclude each other"), "{ran:?}");
}
