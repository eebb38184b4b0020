//! Does `interfere diff` compare the findings of poses and sweeps, and do these have groups?

use crate::motion::{changed, hinged_box, report, row};
use crate::support::command::interfere_in;
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use serde_json::{Value, json};

/// Checks the doors with a change, and keeps the report under `name`.
fn keep(scratch: &Scratch, name: &str, flags: &[&str], change: impl Fn(&mut Value)) {
    changed(scratch, "sliding-doors", change);
    let command = ["check", "assembly.json", "--quiet", "--format", "json", "-o", name];
    let ran = interfere_in(scratch.path(), &[&command, flags].concat());
    assert!(ran.code < 2, "{ran:?}");
}

/// Exit code of the comparison, and a field of each change behind its pair and run.
fn compared(scratch: &Scratch, field: &str) -> (i32, Value) {
    let ran = interfere_in(scratch.path(), &["diff", "old.json", "new.json", "--format", "json"]);
    assert!(ran.code < 2, "{ran:?}");
    let json = parsed(&ran.stdout);
    let pairs = json["pairs"].as_array().expect("pairs").iter();
    let told = pairs.map(|p| json!([p["a"], p["b"], p["run"], p["change"], p[field]]));
    (ran.code, told.collect())
}

/// Moves the stop along x.
fn at(x: f64) -> impl Fn(&mut Value) {
    move |file| file["instances"][2]["placement"] = json!({ "translation": [x, 0, 0] })
}

#[test]
fn findings_of_runs_are_compared_within_their_run() {
    let scratch = Scratch::new();
    keep(&scratch, "old.json", &[], at(0.0));
    keep(&scratch, "new.json", &[], at(0.0));
    assert_eq!(compared(&scratch, "measures"), (0, json!([])));
    // The leaf is 2 mm thick: the depth stays, but the leaf enters the stop earlier.
    keep(&scratch, "new.json", &[], at(-0.4));
    let worse = json!([
        ["right", "stop", "cycle", "worse", ["gap", "failing_travel"]],
        ["right", "stop", "opening", "worse", ["failing_travel"]]
    ]);
    assert_eq!(compared(&scratch, "measures"), (1, worse));
    let ran = interfere_in(scratch.path(), &["diff", "old.json", "new.json"]);
    let lines: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("worse")).collect();
    assert!(lines[0].contains("cycle") && lines[1].contains("opening"), "{}", ran.stdout);
    assert!(lines[1].matches("fails over").count() == 2 && lines[1].contains("placement of b"), "{}", lines[1]);
    let markdown = interfere_in(scratch.path(), &["diff", "old.json", "new.json", "--format", "markdown"]).stdout;
    assert!(markdown.contains("| change | a | b | run | was |"), "{markdown}");
    let row = "| **worse** | <code>right</code> | <code>stop</code> | <code>opening</code> |";
    assert!(markdown.contains(row), "{markdown}");
    keep(&scratch, "new.json", &[], at(5.0));
    let fixed = json!([["right", "stop", "cycle", "fixed", "clear"], ["right", "stop", "opening", "fixed", "clear"]]);
    assert_eq!(compared(&scratch, "note"), (0, fixed));
}

#[test]
fn other_runs_and_runs_left_out_are_unverified_with_their_cause() {
    let scratch = Scratch::new();
    keep(&scratch, "old.json", &[], at(0.0));
    keep(&scratch, "new.json", &["--run", "as-drawn"], at(0.0));
    let left_out = json!([
        ["right", "stop", "cycle", "unverified", "not checked: --run leaves out `cycle`"],
        ["right", "stop", "opening", "unverified", "not checked: --run leaves out `opening`"]
    ]);
    assert_eq!(compared(&scratch, "note"), (0, left_out));
    keep(&scratch, "new.json", &[], |file| {
        file["sweeps"]["opening"] = json!({ "joints": { "left": [0, 10] } });
        file["sweeps"].as_object_mut().expect("sweeps").remove("cycle");
        file["rules"] = json!([]);
    });
    let other = json!([
        ["right", "stop", "cycle", "unverified", "there is no run `cycle`"],
        ["right", "stop", "opening", "unverified", "`opening` covers other joint values now"]
    ]);
    assert_eq!(compared(&scratch, "note"), (0, other));
    // Backwards, the new findings of both runs are those of the old report.
    std::fs::rename(scratch.path().join("old.json"), scratch.path().join("kept.json")).expect("renamed");
    std::fs::rename(scratch.path().join("new.json"), scratch.path().join("old.json")).expect("renamed");
    std::fs::rename(scratch.path().join("kept.json"), scratch.path().join("new.json")).expect("renamed");
    let new = json!([["right", "stop", "cycle", "new", ["rule", "run"]], ["right", "stop", "opening", "new", ["run"]]]);
    assert_eq!(compared(&scratch, "causes"), (1, new));
    keep(&scratch, "old.json", &[], at(0.0));
    keep(&scratch, "new.json", &[], |file| {
        at(0.0)(file);
        file["joints"]["right"]["follows"]["ratio"] = json!(1.25);
    });
    let (code, causes) = compared(&scratch, "causes");
    assert_eq!((code, &causes[0][4], &causes[1][4]), (1, &json!(["run"]), &json!(["run"])));
}

#[test]
fn equal_hinges_are_one_group_of_a_sweep() {
    let scratch = Scratch::new();
    let path = hinged_box(&scratch, |file| {
        let shifts = [[0.0, 0.0, 0.0], [0.0, 500.0, 0.0], [1000.1, 0.7, -30.3]];
        let (mut instances, mut joints, mut sweep) = (Vec::new(), serde_json::Map::new(), serde_json::Map::new());
        for (k, shift) in shifts.iter().enumerate() {
            for part in ["case", "lid", "post"] {
                let id = format!("{part}-{k}");
                instances.push(json!({ "id": id, "part": part, "placement": { "translation": shift } }));
            }
            let mut hinge = file["joints"]["hinge"].clone();
            hinge["at"] = json!([shift[0], shift[1], shift[2] + 20.0]);
            hinge["moves"] = json!([format!("lid-{k}")]);
            if k > 0 {
                hinge["follows"] = json!({ "joint": "hinge-0", "ratio": 1 });
            }
            joints.insert(format!("hinge-{k}"), hinge);
        }
        sweep.insert("hinge-0".to_owned(), json!("range"));
        file["instances"] = json!(instances);
        file["joints"] = json!(joints);
        file["poses"] = json!({});
        file["sweeps"] = json!({ "all": { "joints": sweep } });
        file["rules"] = json!([]);
    });
    let (all, code) = report(&path, &[]);
    let run = &all["motion"]["runs"][0];
    let groups = run["groups"].as_array().expect("groups");
    let told: Vec<_> = groups.iter().map(|g| json!([g["kind"], g["status"], g["members"], g["pattern"]])).collect();
    assert_eq!((code, json!(told)), (1, json!([["alike", "interference", 3, ["lid-*", "post-*"]]])));
    let of_row = |k: usize| row(&all, "all", &format!("lid-{k}"), &format!("post-{k}"))["group"].clone();
    assert!((0..3).all(|k| of_row(k) == groups[0]["id"]), "{all:#}");
    let arguments = ["check", "assembly.json", "--quiet", "--format", "csv"];
    let csv = interfere_in(scratch.path(), &arguments).stdout;
    let id = groups[0]["id"].as_str().expect("an id");
    assert_eq!(csv.lines().filter(|line| line.contains(&format!(",{id},alike,3,"))).count(), 3, "{csv}");
}
