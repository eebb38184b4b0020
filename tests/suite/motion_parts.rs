//! Does a sweep show every part that breaks a limit, also beside parts of a worse status?

use crate::motion::{holds, report, row};
use crate::support::command::interfere;
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use crate::support::solids::{block, joined, obj};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// A block of 10 mm that slides along x through a post, 20 mm away and 2 mm thick, under a rule.
fn past_a_post(scratch: &Scratch, rule: &Value, range: [f64; 2]) -> PathBuf {
    for (name, mesh) in [("block", block([0.0; 3], [10.0; 3])), ("post", block([30.0, 0.0, 0.0], [32.0, 10.0, 10.0]))] {
        fs::write(scratch.path().join(format!("{name}.obj")), obj(&mesh)).expect("written");
    }
    let mut rule = rule.clone();
    rule["between"] = json!(["block", "post"]);
    rule["reason"] = json!("a test");
    let file = json!({
        "version": 1,
        "tolerance": 0.01,
        "parts": { "block": "block.obj", "post": "post.obj" },
        "instances": [{ "id": "block", "part": "block" }, { "id": "post", "part": "post" }],
        "joints": { "slide": { "type": "prismatic", "axis": [1, 0, 0], "range": range, "moves": ["block"] } },
        "sweeps": { "along": { "joints": { "slide": "range" } } },
        "rules": [rule]
    });
    let path = scratch.path().join("assembly.json");
    fs::write(&path, file.to_string()).expect("written");
    path
}

/// Changes the assembly file.
fn edit(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut file: Value = serde_json::from_str(&fs::read_to_string(path).expect("read")).expect("JSON");
    change(&mut file);
    fs::write(path, file.to_string()).expect("written");
}

/// Status, start and end of a part.
type Part = (&'static str, f64, f64);

#[test]
fn a_row_lists_the_parts_of_all_broken_limits() {
    let scratch = Scratch::new();
    let through = ("interference", 20.01, 31.99);
    let (before, after) = (("too_close", 15.0, 20.01), ("too_close", 31.99, 37.0));
    let (far, gone) = (("loose", 0.0, 2.0), ("loose", 50.0, 60.0));
    let cases: [(Value, [f64; 2], &str, &[Part]); 6] = [
        (json!({ "min_clearance": 5 }), [0.0, 60.0], "interference", &[before, through, after]),
        (json!({ "max_gap": 18 }), [0.0, 60.0], "interference", &[far, through, gone]),
        (
            json!({ "min_clearance": 5, "max_gap": 18 }),
            [0.0, 60.0],
            "interference",
            &[far, before, through, after, gone],
        ),
        (json!({ "min_clearance": 5, "max_gap": 18 }), [0.0, 17.0], "too_close", &[far, ("too_close", 15.0, 17.0)]),
        // The run ends within the post.
        (json!({ "min_clearance": 5 }), [0.0, 27.0], "interference", &[before, ("interference", 20.01, 27.0)]),
        // The depth of 2 mm is allowed.
        (json!({ "allow_depth": 3, "max_gap": 18 }), [0.0, 60.0], "loose", &[far, gone]),
    ];
    for (rule, range, status, parts) in cases {
        let path = past_a_post(&scratch, &rule, range);
        let (found, code) = report(&path, &["--run", "along"]);
        let row = row(&found, "along", "block", "post");
        let intervals = row["intervals"].as_array().expect("intervals");
        let told: Vec<&str> = intervals.iter().filter_map(|part| part["status"].as_str()).collect();
        let expected: Vec<&str> = parts.iter().map(|part| part.0).collect();
        assert_eq!((code, &row["status"], told), (1, &json!(status), expected), "{rule} {range:?}");
        for (part, (_, from, to)) in intervals.iter().zip(parts) {
            assert!(holds(&part["from"]["slide"], *from) && holds(&part["to"]["slide"], *to), "{rule}: {part}");
            assert_eq!(part["throughout"], true, "{rule}: {part}");
        }
        let travel = row["failing_travel"].as_f64().expect("a length");
        let length: f64 = parts.iter().map(|(_, from, to)| to - from).sum();
        assert!((travel - length).abs() < 1e-3, "{rule}: {travel} {length}");
    }
}

#[test]
fn a_range_ends_where_the_first_limit_breaks() {
    let scratch = Scratch::new();
    let cases = [
        (json!({ "min_clearance": 5 }), 15.0, "too_close"),
        (json!({ "min_clearance": 25 }), 0.0, "too_close"),
        (json!({ "max_gap": 19, "allow_depth": 1 }), 0.0, "loose"),
        (json!({ "min_clearance": 1, "max_gap": 30 }), 19.0, "too_close"),
        (json!({ "allow_depth": 1, "max_gap": 30 }), 21.0, "interference"),
    ];
    for (rule, free, status) in cases {
        let path = past_a_post(&scratch, &rule, [0.0, 26.0]);
        let ran = interfere(&["range", path.to_str().expect("UTF-8"), "slide", "--format", "json", "--quiet"]);
        let found = parsed(&ran.stdout);
        let side = &found["joints"][0]["up"];
        let end = side["free"].as_f64().expect("a value");
        assert!((end - free).abs() < 1e-3 && end <= free, "{rule}: {found}");
        assert_eq!(side["stop"]["status"], status, "{rule}: {found}");
    }
}

#[test]
fn the_gravest_part_grades_a_row() {
    let scratch = Scratch::new();
    let path = past_a_post(&scratch, &json!({ "min_clearance": 5 }), [0.0, 25.0]);
    let mild = ["--severity", "interference=warning"];
    let (found, code) = report(&path, &mild);
    assert_eq!((code, &row(&found, "along", "block", "post")["severity"]), (1, &json!("error")));
    let (found, code) = report(&path, &[&mild[..], &["--severity", "too_close=warning"]].concat());
    assert_eq!((code, &row(&found, "along", "block", "post")["severity"]), (0, &json!("warning")));
    // A verdict without measures has the same exit code.
    for rule in [json!({ "min_clearance": 5 }), json!({ "max_gap": 18 })] {
        let path = past_a_post(&scratch, &rule, [0.0, 25.0]);
        let codes = ["all", "depth", "none"].map(|m| report(&path, &[&mild[..], &["--measure", m]].concat()).1);
        assert_eq!(codes, [1; 3], "{rule}");
    }
}

#[test]
fn a_segment_without_a_proof_grades_a_row_that_fails_in_another_one() {
    let scratch = Scratch::new();
    let path = past_a_post(&scratch, &json!({ "allow_depth": 1 }), [0.0, 60.0]);
    edit(&path, |file| {
        file["sweeps"] = json!({ "there": { "path": [{ "slide": 25 }, { "slide": 10 }, { "slide": 0 }] } });
    });
    // The budget proves nothing: single poses show that the first segment interferes.
    let mild = ["--sweep-cells", "1", "--severity", "interference=warning"];
    for measure in ["all", "depth", "none"] {
        let (found, code) = report(&path, &[&mild[..], &["--measure", measure]].concat());
        let row = row(&found, "there", "block", "post");
        assert_eq!((code, &row["status"], &row["severity"]), (1, &json!("interference"), &json!("error")), "{row}");
        let part = row["intervals"].as_array().and_then(|parts| parts.last()).expect("a part");
        assert_eq!((&part["status"], &part["segment"]), (&json!("undecided"), &json!(2)), "{row}");
        let ends = [&part["from"]["slide"], &part["to"]["slide"]];
        assert_eq!(ends, [&json!([10, 10]), &json!([0, 0])], "{row}");
        let (_, code) =
            report(&path, &[&mild[..], &["--severity", "undecided=warning", "--measure", measure]].concat());
        assert_eq!(code, 0, "{measure}");
    }
    // With the whole budget, the second segment is clear.
    let (found, code) = report(&path, &["--severity", "interference=warning"]);
    assert_eq!((code, row(&found, "there", "block", "post")["intervals"].as_array().map(Vec::len)), (0, Some(1)));
}

/// A shoe that slides along x over a floor under a rule, `at` (mm) above it.
fn over_a_floor(scratch: &Scratch, rule: &Value, at: f64) -> String {
    // A floor of 50 mm with a step at its end.
    let step = [block([0.0; 3], [50.0, 10.0, 5.0]), block([40.0, 0.0, 4.0], [50.0, 10.0, 8.0])];
    let floor = if at > 0.0 { joined(&step) } else { step[0].clone() };
    let shoe = block([0.0, 0.0, 5.0 + at], [10.0, 10.0, 15.0 + at]);
    for (name, mesh) in [("floor", floor), ("shoe", shoe)] {
        fs::write(scratch.path().join(format!("{name}.obj")), obj(&mesh)).expect("written");
    }
    let mut rule = rule.clone();
    rule["between"] = json!(["floor", "shoe"]);
    let file = json!({
        "version": 1,
        "parts": { "floor": "floor.obj", "shoe": "shoe.obj" },
        "instances": [{ "id": "floor", "part": "floor" }, { "id": "shoe", "part": "shoe" }],
        "joints": { "slide": { "type": "prismatic", "axis": [1, 0, 0], "range": [0, 80], "moves": ["shoe"] } },
        "sweeps": { "along": { "joints": { "slide": "range" } } },
        "rules": [rule]
    });
    let path = scratch.path().join("floor.json");
    fs::write(&path, file.to_string()).expect("written");
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn a_limit_met_with_equality_breaks_later() {
    let scratch = Scratch::new();
    // The step stands 30 mm from the shoe, 1 mm higher than the gap; the floor ends after 50 mm.
    for (rule, at, free, status) in
        [(json!({ "min_clearance": 1 }), 1.0, 29.0, "too_close"), (json!({ "max_gap": 0 }), 0.0, 50.0, "loose")]
    {
        let path = over_a_floor(&scratch, &rule, at);
        let found = parsed(&interfere(&["range", &path, "slide", "--format", "json", "--quiet"]).stdout);
        let side = &found["joints"][0]["up"];
        let end = side["free"].as_f64().expect("a value");
        assert!((end - free).abs() < 1e-3, "{rule}: {found}");
        assert_eq!(side["stop"]["status"], status, "{rule}: {found}");
        let (found, _) = report(Path::new(&path), &["--run", "along"]);
        let row = row(&found, "along", "floor", "shoe");
        let first = &row["intervals"][0];
        assert_eq!((&first["status"], &first["throughout"]), (&json!(status), &json!(true)), "{row}");
        let [low, high] = crate::motion::bracket(&first["from"]["slide"]);
        assert!((low - free).abs() < 1e-3 && (high - free).abs() < 1e-3, "{row}");
    }
}

#[test]
fn a_baseline_sees_new_parts_of_a_lesser_status() {
    let scratch = Scratch::new();
    let path = past_a_post(&scratch, &json!({ "min_clearance": 1 }), [0.0, 25.0]);
    let text = path.to_str().expect("UTF-8");
    assert_eq!(interfere(&["accept", text, "--reason", "known"]).code, 0);
    assert_eq!(report(&path, &[]).1, 0);
    past_a_post(&scratch, &json!({ "min_clearance": 5 }), [0.0, 25.0]);
    let (found, code) = report(&path, &[]);
    assert_eq!((code, &row(&found, "along", "block", "post")["baseline"]), (1, &json!("worse")));
}

#[test]
fn a_pair_at_rest_fails_over_the_whole_segment() {
    let scratch = Scratch::new();
    let path = past_a_post(&scratch, &json!({ "min_clearance": 5 }), [0.0, 25.0]);
    let mut file = parsed(&fs::read_to_string(&path).expect("readable"));
    file["instances"]
        .as_array_mut()
        .expect("instances")
        .push(json!({ "id": "far", "part": "post", "placement": { "translation": [0, 90, 0] } }));
    file["joints"]["other"] = json!({ "type": "prismatic", "axis": "y", "range": [0, 8], "moves": ["far"] });
    // The block stands in the post while the other part moves, and then leaves it.
    file["sweeps"] = json!({ "along": { "path": [{ "slide": 25 }, { "slide": 25, "other": 8 }, { "other": 8 }] } });
    fs::write(&path, file.to_string()).expect("written");
    // The later segment is too close, also for a verdict.
    let mild = ["--run", "along", "--severity", "interference=warning"];
    let codes = ["all", "depth", "none"].map(|m| report(&path, &[&mild[..], &["--measure", m]].concat()).1);
    assert_eq!(codes, [1; 3]);
    let (found, code) = report(&path, &["--run", "along"]);
    let row = row(&found, "along", "block", "post");
    assert_eq!((code, &row["status"], &row["proved"]), (1, &json!("interference"), &json!(1)));
    let intervals = row["intervals"].as_array().expect("intervals");
    let told: Vec<_> = intervals.iter().map(|part| (&part["segment"], &part["status"])).collect();
    assert_eq!(json!(told), json!([[1, "interference"], [2, "interference"], [2, "too_close"]]));
    assert_eq!(intervals[0]["from"], json!({ "other": [0, 0] }));
    assert_eq!(intervals[0]["to"], json!({ "other": [8, 8] }));
    assert_eq!(row["first"], json!({ "segment": 1, "at_bracket": { "other": [0, 0] } }));
    assert!(holds(&intervals[1]["to"]["slide"], 20.01) && holds(&intervals[2]["to"]["slide"], 15.0), "{row}");
}

#[test]
fn a_page_plays_a_sweep_from_before_its_first_broken_limit() {
    let scratch = Scratch::new();
    let path = past_a_post(&scratch, &json!({ "min_clearance": 5 }), [0.0, 25.0]);
    let page = scratch.path().join("page.html");
    let format = format!("html={}", page.to_str().expect("UTF-8"));
    assert_eq!(interfere(&["check", path.to_str().expect("UTF-8"), "--quiet", "--format", &format]).code, 1);
    let text = fs::read_to_string(&page).expect("a page");
    // The overlap begins where the block is too close already.
    assert!(text.contains(r#""safe":[0.0]"#), "no safe pose at the start");
}

#[test]
fn an_allowed_sweep_tells_its_largest_depth() {
    let scratch = Scratch::new();
    // The post is 2 mm thick: the block is deepest in it from 22 mm to 30 mm.
    let path = past_a_post(&scratch, &json!({ "allow_depth": 30 }), [0.0, 60.0]);
    let (found, code) = report(&path, &[]);
    let worst = &row(&found, "along", "block", "post")["worst"];
    assert_eq!((code, &row(&found, "along", "block", "post")["status"]), (0, &json!("allowed")));
    let depth = worst["overlap_depth"].as_f64().expect("a depth");
    let at = worst["at"]["slide"].as_f64().expect("a value");
    assert!((depth - 2.0).abs() < 0.02 && (21.9..30.1).contains(&at), "{worst}");
    // The run proves a bound of the depth: the need of the rule.
    let codes: Vec<&str> =
        found["warnings"].as_array().expect("warnings").iter().filter_map(|w| w["code"].as_str()).collect();
    assert_eq!(codes, ["allowance-too-large"]);
}

#[test]
fn an_accepted_row_tells_the_path_over_its_failing_parts() {
    let scratch = Scratch::new();
    let path = past_a_post(&scratch, &json!({ "min_clearance": 1 }), [0.0, 25.0]);
    let text = path.to_str().expect("UTF-8");
    assert_eq!(interfere(&["accept", text, "--reason", "known"]).code, 0);
    past_a_post(&scratch, &json!({ "min_clearance": 5 }), [0.0, 25.0]);
    let (found, _) = report(&path, &[]);
    let row = row(&found, "along", "block", "post");
    let accepted = &row["accepted"];
    assert_eq!(accepted["worse_in"], json!(["failing_travel"]), "{accepted}");
    let [before, now] = [&accepted["failing_travel"], &row["failing_travel"]].map(|mm| mm.as_f64().expect("a length"));
    assert!((before - 6.0).abs() < 1e-3 && (now - 10.0).abs() < 1e-3, "{before} {now}");
    let table = interfere(&["check", text, "--quiet"]).stdout;
    assert!(table.contains("fails over 10 mm, 6 mm accepted"), "{table}");
}

#[test]
fn a_loose_box_of_two_joints_has_two_bounds_and_can_be_accepted() {
    let scratch = Scratch::new();
    let path = past_a_post(&scratch, &json!({ "max_gap": 19 }), [0.0, 5.0]);
    edit(&path, |file| {
        file["joints"]["lift"] =
            json!({ "type": "prismatic", "axis": [0, 0, 1], "range": [0, 5], "on": "slide", "moves": ["block"] });
        file["joints"]["slide"]["moves"] = json!([]);
        file["sweeps"] = json!({ "both": { "joints": { "slide": "range", "lift": "range" } } });
    });
    let (found, code) = report(&path, &[]);
    let row = row(&found, "both", "block", "post");
    let bracket = row["worst"]["gap_bracket"].as_array().expect("two bounds");
    let [low, high] = [0, 1].map(|k| bracket[k].as_f64().expect("a number"));
    assert_eq!((code, &row["status"]), (1, &json!("loose")), "{row}");
    assert!(low <= 20.0 + 1e-6 && high >= 20.0 - 1e-6, "{bracket:?}");
    let text = path.to_str().expect("UTF-8");
    assert_eq!(interfere(&["accept", text, "--reason", "known"]).code, 0);
    assert_eq!(report(&path, &[]).1, 0);
}

#[test]
fn a_loose_pair_that_no_run_sees_is_not_fixed() {
    let scratch = Scratch::new();
    let path = past_a_post(&scratch, &json!({ "max_gap": 19 }), [0.0, 5.0]);
    let text = path.to_str().expect("UTF-8");
    assert_eq!(interfere(&["accept", text, "--reason", "known"]).code, 0);
    // The sweep covers the same values, and moves the block no more.
    edit(&path, |file| file["joints"]["slide"]["moves"] = json!([]));
    let (found, _) = report(&path, &["--run", "along"]);
    let counts = &found["baseline"]["counts"];
    assert_eq!((&counts["fixed"], &counts["unverified"]), (&json!(0), &json!(2)), "{counts}");
}
