//! Does the check answer poses and sweeps: with closed forms, with placements by hand, in every format?

use crate::generate::cases;
use crate::support::command::interfere;
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use crate::support::solids::{block, obj};
use interfere::internals::geom::math::sin_cos_deg;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The file of the hinged box with changes.
pub fn hinged_box(scratch: &Scratch, change: impl Fn(&mut Value)) -> PathBuf {
    changed(scratch, "hinged-box", change)
}

/// The file of a case with changes, beside copies of its meshes.
pub fn changed(scratch: &Scratch, case: &str, change: impl Fn(&mut Value)) -> PathBuf {
    let folder = cases().join(case);
    let mut file = parsed(&fs::read_to_string(folder.join("assembly.json")).expect("readable"));
    for (_, mesh) in file["parts"].as_object_mut().expect("parts") {
        let name = mesh.as_str().expect("a path").trim_start_matches("parts/").to_owned();
        fs::copy(folder.join("parts").join(&name), scratch.path().join(&name)).expect("copied");
        *mesh = json!(name);
    }
    change(&mut file);
    let path = scratch.path().join("assembly.json");
    fs::write(&path, file.to_string()).expect("written");
    path
}

pub fn report(path: &Path, flags: &[&str]) -> (Value, u8) {
    let path = path.to_str().expect("UTF-8");
    let ran = interfere(&[&["check", path, "--quiet", "--format", "json"], flags].concat());
    assert!(ran.code != 2, "{ran:?}");
    (parsed(&ran.stdout), u8::try_from(ran.code).expect("an exit code"))
}

pub fn row<'r>(report: &'r Value, run: &str, a: &str, b: &str) -> &'r Value {
    let rows = report["motion"]["rows"].as_array().expect("rows");
    rows.iter().find(|r| r["run"] == run && r["a"] == a && r["b"] == b).unwrap_or_else(|| panic!("{run} {a} {b}"))
}

pub fn assert_close(found: &Value, expected: f64) {
    let found = found.as_f64().expect("a number");
    assert!((found - expected).abs() < 1e-9, "{found}, not {expected}");
}

#[test]
fn a_lid_that_opens_too_far_fails_in_its_pose_alone() {
    let path = cases().join("hinged-box/assembly.json");
    let (all, code) = report(&path, &["--report-within", "10"]);
    assert_eq!(code, 1);
    let (sin, cos) = sin_cos_deg(20.0);
    let below = 4.0 - (10.0 * cos - 20.0 * sin);
    let flung = row(&all, "flung", "lid", "post");
    assert_eq!((&flung["status"], &flung["relation"]), (&json!("interference"), &json!("overlap")));
    assert_close(&flung["worst"]["overlap_depth"], below * (1.0 / sin + 1.0 / cos - 1.0 / (sin * cos)));
    assert_close(&flung["worst"]["penetration_depth"], below);
    assert_eq!(flung["worst"]["at"], json!({ "hinge": 110 }));
    let open = row(&all, "open", "lid", "post");
    assert_eq!((&open["status"], &open["rule"]["index"]), (&json!("clear"), &json!(0)));
    assert_close(&open["worst"]["gap"], 6.0);
    // The rule applies in the other pose alone.
    assert_eq!(flung["rule"], Value::Null);
    let runs = all["motion"]["runs"].as_array().expect("runs");
    let told: Vec<_> = runs.iter().map(|r| (r["name"].clone(), r["verdict"].clone(), r["moving"].clone())).collect();
    assert_eq!(json!(told), json!([["open", "pass", 2], ["flung", "fail", 2]]));
    assert_eq!(all["motion"]["joints"][0]["axis"], json!([0, -1, 0]));
    // Case and post keep their places: no run answers them again.
    let rows = all["motion"]["rows"].as_array().expect("rows");
    assert!(rows.iter().all(|r| r["a"] == "lid" || r["b"] == "lid"));
}

#[test]
fn the_drawing_is_reported_as_without_joints() {
    let scratch = Scratch::new();
    let with = report(&hinged_box(&scratch, |_| {}), &["--report-within", "50"]).0;
    let without = hinged_box(&scratch, |file| {
        let file = file.as_object_mut().expect("an object");
        file.retain(|key, _| !["joints", "poses", "rules"].contains(&key.as_str()));
    });
    let (without, code) = report(&without, &["--report-within", "50"]);
    assert_eq!((code, &without["pairs"]), (0, &with["pairs"]));
    assert!(without.get("motion").is_none());
}

#[test]
fn a_pose_equals_placements_by_hand() {
    let scratch = Scratch::new();
    let chain = json!({
        "turn": { "type": "revolute", "axis": [0, 0, 1], "at": [10, 0, 0], "moves": ["lid"], "range_deg": "full", "home": 15 },
        "slide": { "type": "prismatic", "axis": [0, 2, 0], "on": "turn", "moves": ["post"], "range": [-50, 50] }
    });
    let (turned, slid) = (65.0, 12.5);
    let posed = hinged_box(&scratch, |file| {
        file["joints"] = chain.clone();
        file["poses"] = json!({ "p": { "turn": turned, "slide": slid } });
        file["rules"] = json!([]);
    });
    let (posed, _) = report(&posed, &["--report-within", "500"]);
    let by_hand = hinged_box(&scratch, |file| {
        let file = file.as_object_mut().expect("an object");
        file.retain(|key, _| !["joints", "poses", "rules"].contains(&key.as_str()));
        // A turn of 50 degrees from the drawing about (10, 0); the slide is drawn along y.
        let (sin, cos) = sin_cos_deg(50.0);
        let rotation = json!({ "axis": "z", "angle_deg": 50 });
        let about = [10.0 - 10.0 * cos, -10.0 * sin, 0.0];
        let slid = [about[0] - slid * sin, about[1] + slid * cos, 0.0];
        for (k, translation) in [(1, about), (2, slid)] {
            file["instances"][k]["placement"] = json!({ "rotation": rotation, "translation": translation });
        }
    });
    let (by_hand, _) = report(&by_hand, &["--report-within", "500"]);
    let pairs = by_hand["pairs"].as_array().expect("pairs");
    assert_eq!(pairs.len(), 3);
    for pair in pairs {
        let [a, b] = ["a", "b"].map(|k| pair[k].as_str().expect("an id"));
        let found = row(&posed, "p", a, b);
        assert_eq!((&found["status"], &found["relation"]), (&pair["status"], &pair["relation"]), "{a} {b}");
        assert_close(&found["worst"]["gap"], pair["gap"].as_f64().expect("a gap"));
    }
}

#[test]
fn run_chooses_runs_and_the_last_line_names_the_others() {
    let path = cases().join("hinged-box/assembly.json");
    let path = path.to_str().expect("UTF-8");
    for (flags, code, last) in [
        (&["--run", "as-drawn"][..], 0, "PASS: left out: open, flung"),
        (&["--run", "open"], 0, "PASS: left out: as-drawn, flung"),
        (&["--run", "as-drawn", "--run", "f*"], 1, "FAIL: 1 pair fails; left out: open"),
        (&["--run", "*"], 1, "FAIL: 1 pair fails"),
    ] {
        let ran = interfere(&[&["check", path], flags].concat());
        assert_eq!((ran.code, ran.stdout.lines().last()), (code, Some(last)), "{flags:?}");
    }
    let ran = interfere(&["check", path, "--run", "opne"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--run `opne` matches no run; did you mean `open`?"), "{}", ran.stderr);
    let (only, _) = report(&cases().join("hinged-box/assembly.json"), &["--run", "open"]);
    assert_eq!((&only["pairs"], &only["motion"]["left_out"]), (&json!([]), &json!(["as-drawn", "flung"])));
}

#[test]
fn a_sweep_of_one_joint_is_proved_or_broken() {
    let scratch = Scratch::new();
    let swept = |to: f64| {
        let path = hinged_box(&scratch, |file| {
            file["poses"] = json!({});
            file["rules"] = json!([]);
            file["sweeps"] = json!({ "travel": { "joints": { "hinge": [0, to] } } });
        });
        report(&path, &[])
    };
    // The lid lies on the case, and is 6 mm from the post when open.
    let (proved, code) = swept(90.0);
    let run = &proved["motion"]["runs"][0];
    assert_eq!((code, &run["verdict"], &run["moving"]), (0, &json!("pass"), &json!(2)));
    assert_eq!((&run["counts"]["contact"], &run["counts"]["clear"]), (&json!(1), &json!(1)));
    assert_eq!(run["cleared_by"]["aabb"], json!(1));
    // At 110 degrees, it overlaps the post by 1.265 mm.
    let (broken, code) = swept(110.0);
    assert_eq!((code, &broken["motion"]["runs"][0]["counts"]["interference"]), (1, &json!(1)));
    assert_eq!(row(&broken, "travel", "lid", "post")["status"], "interference");
}

pub fn bracket(value: &Value) -> [f64; 2] {
    [0, 1].map(|k| value[k].as_f64().expect("a number"))
}

/// True if the bracket holds the value, and is no wider than what moves a slide by a hundredth of the tolerance.
pub fn holds(value: &Value, truth: f64) -> bool {
    let [from, to] = bracket(value);
    from.min(to) - 1e-9 <= truth && truth <= from.max(to) + 1e-9 && (to - from).abs() <= 1e-4
}

#[test]
fn a_row_of_a_sweep_has_its_worst_pose_and_its_failing_part() {
    let path = cases().join("sliding-doors/assembly.json");
    let (all, code) = report(&path, &[]);
    let opening = row(&all, "opening", "right", "stop");
    assert_eq!((code, &opening["status"], &opening["certainty"]), (1, &json!("interference"), &json!("certified")));
    let worst = &opening["worst"];
    assert_eq!((&worst["at"], &worst["segment"]), (&json!({ "left": 20, "right": 20 }), &Value::Null));
    assert_close(&worst["overlap_depth"], 2.0);
    assert_close(&worst["penetration_depth"], 2.0);
    let [low, high] = bracket(&worst["gap_bracket"]);
    assert!((-2.1..=-2.0).contains(&low) && (-2.0..-1.98).contains(&high), "{low} {high}");
    // The gap is 18 - q, and the tolerance 0.01.
    let intervals = opening["intervals"].as_array().expect("intervals");
    let [only] = &intervals[..] else { panic!("{intervals:?}") };
    assert!(holds(&only["from"]["left"], 18.01) && holds(&only["from"]["right"], 18.01), "{only}");
    assert_eq!((&only["to"]["left"], &only["status"]), (&json!([20, 20]), &json!("interference")));
    assert_eq!((&only["throughout"], &only["segment"]), (&json!(true), &Value::Null));
    assert!(holds(&opening["first"]["at_bracket"]["left"], 17.9901), "{}", opening["first"]);
    assert_eq!((&opening["proved"], &opening["open"], &opening["open_count"]), (&json!(1), &json!([]), &json!(0)));
    assert!(opening["tests"].as_u64() > Some(0) && opening["cells"].as_u64() > Some(0));
    assert_close(&opening["margin"], 1e-4);
}

#[test]
fn a_row_of_a_path_names_its_segments() {
    let path = cases().join("sliding-doors/assembly.json");
    let (all, _) = report(&path, &["--run", "cycle"]);
    let cycle = row(&all, "cycle", "right", "stop");
    assert_eq!((&cycle["status"], &cycle["worst"]["segment"]), (&json!("too_close"), &json!(1)));
    assert_eq!(cycle["worst"]["at"], json!({ "left": 17.5, "right": 17.5 }));
    assert_close(&cycle["worst"]["gap"], 0.5);
    let intervals = cycle["intervals"].as_array().expect("intervals");
    let told: Vec<_> = intervals.iter().map(|i| i["segment"].clone()).collect();
    assert_eq!(json!(told), json!([1, 2]));
    assert!(holds(&intervals[0]["from"]["left"], 17.0) && holds(&intervals[0]["to"]["left"], 17.5), "{intervals:?}");
    assert!(holds(&intervals[1]["from"]["left"], 17.5) && holds(&intervals[1]["to"]["left"], 17.0), "{intervals:?}");
    let text = interfere(&["check", path.to_str().expect("UTF-8"), "--run", "cycle"]).stdout;
    assert!(text.contains("segment 1: left 17.5"), "{text}");
    assert!(text.contains("segment 1: 17 … 17.5 and 1 more"), "{text}");
}

#[test]
fn a_clear_pair_of_a_sweep_is_listed_with_its_least_gap() {
    let scratch = Scratch::new();
    let path = hinged_box(&scratch, |file| {
        file["poses"] = json!({});
        file["rules"] = json!([]);
        file["sweeps"] = json!({ "travel": { "joints": { "hinge": [0, 90] } } });
    });
    let (near, code) = report(&path, &["--report-within", "8"]);
    let clear = row(&near, "travel", "lid", "post");
    assert_eq!((code, &clear["status"], &clear["worst"]["at"]), (0, &json!("clear"), &json!({ "hinge": 90 })));
    assert_close(&clear["worst"]["gap"], 6.0);
    let [low, high] = bracket(&clear["worst"]["gap_bracket"]);
    assert!((5.93..=6.0).contains(&low) && (6.0..6.0 + 1e-9).contains(&high), "{low} {high}");
    let (bare, _) = report(&path, &[]);
    assert_eq!(bare["motion"]["rows"].as_array().map(Vec::len), Some(1));
    let (verdict, _) = report(&path, &["--report-within", "8", "--verdict-only"]);
    assert_eq!(row(&verdict, "travel", "case", "lid")["worst"], Value::Null);
}

#[test]
fn a_sweep_beyond_its_budget_is_undecided() {
    let scratch = Scratch::new();
    let path = hinged_box(&scratch, |file| {
        file["sweeps"] = json!({ "travel": { "joints": { "hinge": [0, 90] } } });
    });
    let flags = ["--run", "travel", "--sweep-cells", "1"];
    let (poor, code) = report(&path, &flags);
    let lid = row(&poor, "travel", "case", "lid");
    assert_eq!((code, &lid["status"], &lid["certainty"]), (1, &json!("undecided"), &json!("bracketed")));
    assert_eq!((&lid["open_count"], &poor["motion"]["sweep_cells"]), (&json!(1), &json!(1)));
    assert_eq!((&lid["open"][0]["joints"]["hinge"], &lid["proved"]), (&json!([0, 90]), &json!(0)));
    // The lid lies on the case: the gap is 0 at every pose, and the bounds hold it.
    let [low, high] = bracket(&lid["worst"]["gap_bracket"]);
    assert!(low < 0.0 && high >= 0.0, "{low} {high}");
    let text = interfere(&[&["check", path.to_str().expect("UTF-8")][..], &flags].concat()).stdout;
    assert!(text.contains("0 … 90"), "{text}");
}

#[test]
fn a_sweep_obeys_the_rules() {
    let scratch = Scratch::new();
    let status = |clearance: f64| {
        let path = hinged_box(&scratch, |file| {
            file["poses"] = json!({});
            file["rules"] = json!([{ "between": ["lid", "post"], "min_clearance": clearance }]);
            file["sweeps"] = json!({ "travel": { "joints": { "hinge": [0, 90] } } });
        });
        let (swept, code) = report(&path, &["--run", "travel"]);
        (code, swept["motion"]["runs"][0]["counts"]["too_close"].clone())
    };
    // The least gap of the travel, 6 mm, is that of the open lid.
    assert_eq!(status(5.9), (0, json!(0)));
    assert_eq!(status(6.1), (1, json!(1)));
}

#[test]
fn a_sweep_never_passes_without_a_proof() {
    let scratch = Scratch::new();
    let path = hinged_box(&scratch, |file| {
        file["poses"] = json!({});
        // Boxes do not clear a pair with a demand this near to its least gap, 6 mm.
        file["rules"] = json!([{ "between": ["lid", "post"], "min_clearance": 5.8 }]);
        file["joints"]["shift"] = json!({ "type": "prismatic", "axis": "x", "moves": ["post"], "range": [-1, 0] });
        file["sweeps"] = json!({ "travel": { "joints": { "hinge": [0, 90], "shift": "range" } } });
    });
    // The distance of lid and post depends on both joints: every combination is proved.
    let (swept, code) = report(&path, &[]);
    let run = &swept["motion"]["runs"][0];
    assert_eq!((code, &run["kind"], &run["verdict"]), (0, &json!("box"), &json!("pass")));
    assert_eq!(run["joints"], json!({ "hinge": [0, 90], "shift": [-1, 0] }));
    assert!(run["counts"]["undecided"].as_u64().unwrap_or(0) == 0, "{run}");
    // Without a budget nothing is.
    let poor = ["--sweep-cells", "1"];
    let (swept, code) = report(&path, &poor);
    assert_eq!((code, &swept["motion"]["runs"][0]["counts"]["undecided"]), (1, &json!(2)));
    let undecided = row(&swept, "travel", "lid", "post");
    assert_eq!((&undecided["status"], &undecided["proved"]), (&json!("undecided"), &json!(0)));
    let text = interfere(&[["check", path.to_str().expect("UTF-8")], poor].concat()).stdout;
    assert!(text.contains("sweep travel: hinge 0 to 90, shift -1 to 0; 3 pairs move"), "{text}");
    assert!(text.contains("undecided: parts of the sweep stay without a proof"), "{text}");
    // A path without motion moves no pair.
    let path = hinged_box(&scratch, |file| {
        file["rules"] = json!([]);
        file["sweeps"] = json!({ "still": { "path": [{}, { "hinge": 0 }] } });
    });
    let (still, code) = report(&path, &["--run", "as-drawn", "--run", "still"]);
    assert_eq!((code, &still["motion"]["runs"][0]["moving"]), (0, &json!(0)));
}

#[test]
fn joints_at_rest_in_a_sweep_are_checked_as_in_a_pose() {
    let scratch = Scratch::new();
    let path = hinged_box(&scratch, |file| {
        file["rules"] = json!([{ "between": ["case", "*"], "ignore": true, "reason": "away" }]);
        file["joints"]["slide"] = json!({ "type": "prismatic", "axis": "z", "moves": ["case"], "range": [-500, 0] });
        file["sweeps"] = json!({ "drop": { "joints": { "slide": "range" }, "rest": "flung" } });
    });
    let (dropped, code) = report(&path, &["--run", "drop"]);
    assert_eq!(code, 1);
    let lid = row(&dropped, "drop", "lid", "post");
    assert_eq!((&lid["status"], &lid["proved"]), (&json!("interference"), &json!(1)));
    let run = &dropped["motion"]["runs"][0];
    assert_eq!((&run["counts"]["ignored"], &run["pairs"]), (&json!(2), &json!(3)));
}

#[test]
fn every_format_has_the_rows_of_the_runs() {
    let path = cases().join("hinged-box/assembly.json");
    let path = path.to_str().expect("UTF-8");
    let of = |format: &str| interfere(&["check", path, "--quiet", "--format", format]).stdout;
    let csv = of("csv");
    let mut lines = csv.lines();
    assert!(lines.next().is_some_and(|head| head.ends_with(",member,run,worst_at,from_to,proved")), "{csv}");
    assert!(lines.any(|line| line.contains("interference,error,,lid,post") && line.ends_with(",flung,,,")), "{csv}");
    let junit = of("junit");
    assert!(junit.contains("<testsuite name=\"hinged-box: flung\" tests=\"2\" failures=\"1\""), "{junit}");
    assert!(junit.contains("<testsuites name=\"interfere\" tests=\"4\" failures=\"1\""), "{junit}");
    let sarif = parsed(&of("sarif"));
    let result = &sarif["runs"][0]["results"][0];
    assert!(
        result["message"]["text"]
            .as_str()
            .is_some_and(|text| text.starts_with("flung: lid and post overlap by 1.265 mm"))
    );
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 11);
    let markdown = of("markdown");
    assert!(markdown.contains("### pose flung") && markdown.contains("<code>post</code>"), "{markdown}");
    let github = of("github");
    assert!(github.contains("line=11,title=run flung::1 interference: lid and post overlap"), "{github}");
}

/// The hinged box with a largest gap between lid and post, which are 10 mm apart as drawn, and the post moved by some
/// mm.
fn limited(scratch: &Scratch, largest: f64, moved: f64) -> PathBuf {
    hinged_box(scratch, |file| {
        file["rules"] =
            json!([{ "between": ["lid", "post"], "max_gap": largest, "reason": "the post guides the lid" }]);
        file["instances"][2]["placement"] = json!({ "translation": [moved, 0, 0] });
        file["poses"] = json!({ "open": { "hinge": 90 } });
    })
}

#[test]
fn a_gap_above_the_largest_fails_at_every_distance() {
    for (largest, moved, status) in [
        (10.0, 0.0, "clear"),
        (9.999, 0.0, "loose"),
        (9.0, 0.0, "loose"),
        (9.0, -5000.0, "loose"),
        (20.0, 0.0, "clear"),
    ] {
        let scratch = Scratch::new();
        let path = limited(&scratch, largest, moved);
        for flags in [&[][..], &["--verdict-only"], &["--geometry", "hull"], &["--geometry", "decomposition"]] {
            let flags = [&["--run", "as-drawn", "--report-within", "30"], flags].concat();
            let (found, code) = report(&path, &flags);
            let loose = found["summary"]["counts"].get("loose");
            assert_eq!(code, u8::from(status == "loose"), "{largest} {moved} {flags:?}");
            assert_eq!(loose, (status == "loose").then_some(&json!(1)), "{largest} {moved} {flags:?}");
            let pair = found["pairs"].as_array().expect("pairs").iter().find(|p| p["b"] == "post" && p["a"] == "lid");
            if let Some(pair) = pair.filter(|pair| !pair["gap"].is_null()) {
                assert_eq!(pair["status"], status);
                assert_close(&pair["gap"], 10.0 - moved);
            }
        }
    }
}

#[test]
fn a_largest_gap_holds_in_poses_and_in_sweeps() {
    let scratch = Scratch::new();
    let path = limited(&scratch, 8.0, 0.0);
    let (posed, code) = report(&path, &["--run", "open", "--report-within", "20"]);
    // The lid is 6 mm from the post when open, and 10 mm as drawn.
    assert_eq!((code, &row(&posed, "open", "lid", "post")["status"]), (0, &json!("clear")));
    let text = interfere(&["check", path.to_str().expect("UTF-8")]).stdout;
    assert!(text.contains("0 too_close, 1 loose, 0 undecided"), "{text}");
    assert!(text.contains("rule max_gap 8 mm, the post guides the lid"), "{text}");
    for (largest, loose) in [(4000, Value::Null), (100, json!(1))] {
        let path = hinged_box(&scratch, |file| {
            file["rules"] = json!([{ "between": ["lid", "post"], "max_gap": largest }]);
            file["instances"][2]["placement"] = json!({ "translation": [-300, 0, 0] });
            file["sweeps"] = json!({ "travel": { "joints": { "hinge": "range" } } });
        });
        // The parts are hundreds of mm apart.
        let (swept, _) = report(&path, &["--run", "travel"]);
        assert_eq!(swept["motion"]["runs"][0]["counts"]["loose"], loose, "{largest}");
    }
}

#[test]
fn an_accepted_loose_pair_passes_until_it_changes() {
    let scratch = Scratch::new();
    let path = limited(&scratch, 9.0, 0.0);
    let path = path.to_str().expect("UTF-8");
    assert_eq!(interfere(&["accept", path, "--reason", "known"]).code, 0);
    assert_eq!(interfere(&["check", path, "--run", "as-drawn"]).code, 0);
    limited(&scratch, 9.0, -0.5);
    assert_eq!(interfere(&["check", path, "--run", "as-drawn"]).code, 1);
}

#[test]
fn a_value_at_its_limit_up_to_rounding_is_within() {
    let scratch = Scratch::new();
    scratch.write("p.obj", obj(&block([0.0; 3], [10.0; 3])));
    let slide = |range: f64| json!({ "type": "prismatic", "axis": "x", "moves": ["x"], "range": [0, range] });
    let instances =
        json!([{ "id": "x", "part": "p" }, { "id": "y", "part": "p", "placement": { "translation": [100, 0, 0] } }]);
    // 0.3 inch is 7.62 mm, and the product in double precision is less.
    let sub = json!({ "version": 1, "units": "inch", "parts": { "p": "p.obj" }, "instances": instances,
        "joints": { "j": slide(0.3) } });
    scratch.write("sub.json", sub.to_string());
    let root = |value: f64| {
        json!({ "version": 1, "instances": [{ "id": "m", "assembly": "sub.json" }], "poses": { "out": { "m/j": value } },
            "sweeps": { "s": { "joints": { "m/j": [0, value] } } } })
    };
    // Three times 0.1 exceeds 0.3 in double precision.
    let mut leader = slide(3.0);
    leader["moves"] = json!(["y"]);
    let mut follower = slide(0.3);
    follower["follows"] = json!({ "joint": "l", "ratio": 0.1 });
    let followed = json!({ "version": 1, "parts": { "p": "p.obj" }, "instances": instances,
        "joints": { "l": leader, "f": follower }, "sweeps": { "s": { "joints": { "l": "range" } } } });
    for (document, code) in [(root(7.62), 0), (followed, 0), (root(7.620_01), 2)] {
        scratch.write("assembly.json", document.to_string());
        let ran = interfere(&["check", scratch.path().join("assembly.json").to_str().expect("UTF-8")]);
        assert_eq!(ran.code, code, "{ran:?}");
    }
}
