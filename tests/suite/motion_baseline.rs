//! Does a baseline accept findings of poses and sweeps, until they get worse?

use crate::motion::{changed, hinged_box, report};
use crate::support::command::interfere;
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The doors with the stop moved along x.
fn moved(scratch: &Scratch, by: f64) -> PathBuf {
    changed(scratch, "sliding-doors", |file| file["instances"][2]["placement"] = json!({ "translation": [by, 0, 0] }))
}

fn accepted(path: &Path, flags: &[&str]) -> Value {
    let ran = interfere(&[&["accept", path.to_str().expect("UTF-8"), "--reason", "known"], flags].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    parsed(&fs::read_to_string(path.with_file_name("interfere-baseline.json")).expect("a baseline"))
}

/// Run and baseline status of each failing row of the runs.
fn told(report: &Value) -> Value {
    let rows = report["motion"]["rows"].as_array().expect("rows");
    rows.iter().filter(|r| !r["baseline"].is_null()).map(|r| json!([r["run"], r["baseline"]])).collect()
}

#[test]
fn findings_of_runs_are_accepted_until_they_get_worse() {
    let scratch = Scratch::new();
    let path = moved(&scratch, 0.0);
    let baseline = accepted(&path, &[]);
    let entries = baseline["accepted"].as_array().expect("entries");
    let runs: Vec<_> = entries.iter().map(|e| (&e["a"], &e["b"], &e["run"], &e["status"])).collect();
    let expected = json!([["right", "stop", "cycle", "too_close"], ["right", "stop", "opening", "interference"]]);
    assert_eq!(json!(runs), expected);
    let (same, code) = report(&path, &[]);
    assert_eq!((code, told(&same)), (0, json!([["cycle", "accepted"], ["opening", "accepted"]])));
    assert_eq!((&same["baseline"]["counts"]["accepted"], &same["summary"]["verdict"]), (&json!(2), &json!("pass")));
    // The leaf reaches less deep, and keeps more distance.
    moved(&scratch, 0.4);
    assert_eq!(report(&path, &[]).1, 0);
    // The leaf is 2 mm thick: the depth stays, but the leaf enters the stop earlier.
    moved(&scratch, -0.4);
    let (worse, code) = report(&path, &[]);
    assert_eq!((code, told(&worse)), (1, json!([["cycle", "worse"], ["opening", "worse"]])));
    let (any, code) = report(&moved(&scratch, 0.0), &["--fail-on", "any"]);
    assert_eq!((code, any["baseline"]["counts"]["accepted"].clone()), (1, json!(2)));
}

#[test]
fn missing_findings_of_runs_are_fixed_or_unverified() {
    let scratch = Scratch::new();
    let path = moved(&scratch, 0.0);
    accepted(&path, &[]);
    let gone = |report: &Value| -> Value {
        let gone = report["baseline"]["gone"].as_array().expect("gone");
        gone.iter().map(|g| json!([g["run"], g["baseline"], g["why"]])).collect()
    };
    let (left_out, code) = report(&path, &["--run", "as-drawn", "--run", "opening"]);
    assert_eq!((code, gone(&left_out)), (0, json!([["cycle", "unverified", "not checked: --run leaves out `cycle`"]])));
    changed(&scratch, "sliding-doors", |file| {
        file["sweeps"] = json!({ "opening": { "joints": { "left": [0, 10] } } });
        file["rules"] = json!([]);
    });
    let other = json!([
        ["cycle", "unverified", "there is no run `cycle`"],
        ["opening", "unverified", "`opening` covers other joint values now"]
    ]);
    assert_eq!(gone(&report(&path, &[]).0), other);
    moved(&scratch, 5.0);
    assert_eq!(gone(&report(&path, &[]).0), json!([["cycle", "fixed", "clear"], ["opening", "fixed", "clear"]]));
    let ran = interfere(&["accept", path.to_str().expect("UTF-8"), "--prune"]);
    assert!(ran.code == 0 && ran.stdout.contains("2 entries removed, 0 left"), "{ran:?}");
}

#[test]
fn a_named_pair_is_accepted_in_every_run() {
    let scratch = Scratch::new();
    let path = moved(&scratch, 0.0);
    let ran = interfere(&["accept", path.to_str().expect("UTF-8"), "stop", "right"]);
    assert!(ran.stdout.contains("accepted, new: right and stop in opening: interference 2 mm deep"), "{ran:?}");
    assert_eq!(report(&path, &[]).1, 0);
    let csv = interfere(&["check", path.to_str().expect("UTF-8"), "--quiet", "--format", "csv"]).stdout;
    assert!(csv.lines().any(|line| line.contains("interference,error,accepted,right,stop")), "{csv}");
}

#[test]
fn a_path_with_other_values_between_equal_extremes_is_another_run() {
    let scratch = Scratch::new();
    let path = hinged_box(&scratch, |file| {
        file["sweeps"] = json!({ "walk": { "path": [{ "hinge": 0 }, { "hinge": 110 }, { "hinge": 20 }] } });
        file["rules"] = json!([]);
    });
    let baseline = accepted(&path, &[]);
    let of_walk = |baseline: &Value| -> Vec<Value> {
        let entries = baseline["accepted"].as_array().expect("entries").iter();
        entries.filter(|e| e["run"] == "walk").map(|e| e["motion"].clone()).collect()
    };
    assert!(!of_walk(&baseline).is_empty(), "{baseline:#}");
    let why = |middle: Value| -> Vec<Value> {
        hinged_box(&scratch, |file| {
            file["sweeps"] = json!({ "walk": { "path": middle } });
            file["rules"] = json!([{ "between": ["*", "*"], "allow_depth": 100 }]);
        });
        let (report, _) = report(&path, &[]);
        let gone = report["baseline"]["gone"].as_array().expect("gone").iter();
        gone.filter(|g| g["run"] == "walk").map(|g| g["why"].clone()).collect()
    };
    let other = "`walk` covers other joint values now";
    for path in [json!([{ "hinge": 20 }, { "hinge": 110 }, { "hinge": 0 }]), json!([{ "hinge": 0 }, { "hinge": 110 }])]
    {
        let why = why(path);
        assert!(!why.is_empty() && why.iter().all(|w| w == other), "{why:?}");
    }
    let same = why(json!([{ "hinge": 0 }, { "hinge": 110 }, { "hinge": 20 }]));
    assert!(!same.is_empty() && same.iter().all(|w| w != other), "{same:?}");
}
