//! Does `check --proof` write proofs that hold, name what it leaves out, and change nothing else?

use crate::generate::cases;
use crate::schema::{assert_every_key_counts, closed, schema, validator};
use crate::support::command::interfere;
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use crate::support::skipped;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Writes the proof of a case; returns its file.
fn proof_of(scratch: &Scratch, case: &str, flags: &[&str]) -> PathBuf {
    let (assembly, file) = (cases().join(case).join("assembly.json"), scratch.path().join(format!("{case}.json")));
    let [assembly, target] = [&assembly, &file].map(|path| path.to_str().expect("UTF-8"));
    let ran = interfere(&[&["check", assembly, "--quiet", "--proof", target], flags].concat());
    assert!(ran.code < 2, "{ran:?}");
    file
}

fn read(file: &Path) -> Value {
    parsed(&fs::read_to_string(file).expect("a proof"))
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("no list `{key}`"))
}

/// Run, segment and pair of each proof.
fn proved(file: &Value) -> Vec<(&str, u64, &str, &str)> {
    let all = list(file, "proofs").iter().map(|row| {
        let [run, a, b] = ["run", "a", "b"].map(|key| row[key].as_str().expect("a text"));
        (run, row["segment"].as_u64().expect("an index"), a, b)
    });
    all.collect()
}

/// Output of the program that checks proofs; `None` where the system has no Python.
fn replayed(file: &Path) -> Option<(i32, String)> {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/measure/replay_proof.py");
    let mut command = Command::new("python3");
    let Ok(ran) = command.args([&program, file]).env("PYTHONDONTWRITEBYTECODE", "1").output() else {
        skipped("no python3");
        return None;
    };
    let text = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
    Some((ran.status.code().expect("an exit code"), text))
}

#[test]
fn sliding_doors_have_a_proof_for_each_passing_pair_and_segment() {
    let scratch = Scratch::new();
    let file = proof_of(&scratch, "sliding-doors", &[]);
    let found = read(&file);
    let expected = [
        ("opening", 0, "left", "right"),
        ("opening", 0, "left", "stop"),
        ("cycle", 0, "left", "right"),
        ("cycle", 1, "left", "right"),
        ("cycle", 0, "left", "stop"),
        ("cycle", 1, "left", "stop"),
    ];
    assert_eq!(proved(&found), expected);
    let left: Vec<_> = list(&found, "left_out").iter().filter(|row| !row["a"].is_null()).collect();
    let named: Vec<_> = left.iter().map(|row| [&row["run"], &row["a"], &row["b"], &row["status"]]).collect();
    assert_eq!(
        named,
        [["opening", "right", "stop", "interference"], ["cycle", "right", "stop", "too_close"]],
        "{left:?}"
    );
    // The doors touch: surfaces moved inward show the depth. Door and stop never touch.
    let proofs = list(&found, "proofs");
    assert_eq!([&proofs[0]["depth"], &proofs[0]["distance"]], [&json!(0.01), &json!(0)]);
    assert_eq!(proofs[1]["depth"], Value::Null);
    assert!((proofs[1]["distance"].as_f64().expect("a distance") - 0.0099).abs() < 1e-9);
    if let Some((code, text)) = replayed(&file) {
        assert!(code == 0 && text.contains("6 proofs, 0 refused"), "{text}");
    }
}

#[test]
fn the_proof_has_the_keys_of_its_schema() {
    let scratch = Scratch::new();
    let validator = validator(&closed(&schema("proof")));
    assert_every_key_counts(&validator, &read(&proof_of(&scratch, "sliding-doors", &[])), &[]);
    for case in ["hinged-box", "slider-crank"] {
        let found = read(&proof_of(&scratch, case, &["--sweep-all"]));
        crate::schema::assert_valid(&validator, &found, case);
        assert!(!list(&found, "proofs").is_empty(), "{case}");
    }
}

#[test]
fn threads_and_the_cache_leave_the_proof_as_it_is() {
    let scratch = Scratch::new();
    let cache = scratch.path().join("cache");
    let bytes = |flags: &[&str]| {
        let file = proof_of(&scratch, "hinged-box", &[&["--sweep-all"], flags].concat());
        fs::read(file).expect("a proof")
    };
    let alone = bytes(&["--threads", "1"]);
    let cached = ["--cache", cache.to_str().expect("UTF-8")];
    assert!(alone == bytes(&["--threads", "7"]) && alone == bytes(&cached) && alone == bytes(&cached));
    assert!(alone == bytes(&["--verdict-only"]));
}

#[test]
fn a_proof_leaves_the_report_as_it_is() {
    let scratch = Scratch::new();
    let path = cases().join("sliding-doors/assembly.json");
    let [path, file] = [path, scratch.path().join("proof.json")].map(|p| p.to_str().expect("UTF-8").to_owned());
    let plain = interfere(&["check", &path, "--format", "json"]);
    let with = interfere(&["check", &path, "--format", "json", "--proof", &file]);
    assert_eq!((plain.code, &plain.stdout), (with.code, &with.stdout));
    assert!(with.stderr.contains("note: the proof file has 6 proofs, and 4 entries about what it leaves out"));
}

#[test]
fn pairs_that_loops_move_are_named() {
    let scratch = Scratch::new();
    let found = read(&proof_of(&scratch, "slider-crank", &[]));
    assert_eq!(proved(&found), [("turn", 0, "crank", "head"), ("down", 0, "crank", "head")]);
    let looped = |row: &&Value| row["reason"].as_str().is_some_and(|reason| reason.contains("a joint of a loop"));
    let looped: Vec<_> = list(&found, "left_out").iter().filter(looped).collect();
    assert_eq!(looped.len(), 9, "{looped:?}");
    // Every pair of every run has a proof or a reason.
    for run in ["turn", "down"] {
        let rows = |key: &str| list(&found, key).iter().filter(|row| row["run"] == run).count();
        assert_eq!(rows("proofs") + rows("left_out"), 6, "{run}");
    }
}

/// A change of a proof, and its name.
type Change<'c> = (&'c str, &'c dyn Fn(&mut Value));

#[test]
fn the_replaying_program_refuses_what_does_not_hold() {
    let scratch = Scratch::new();
    let hinge = proof_of(&scratch, "hinged-box", &["--sweep-all"]);
    let whole = read(&hinge);
    let Some((code, text)) = replayed(&hinge) else { return };
    assert_eq!(code, 0, "{text}");
    let steps = list(&whole["proofs"][0], "steps").to_vec();
    let find = |kind: &str| steps.iter().position(|step| step[0] == kind).unwrap_or_else(|| panic!("no step {kind}"));
    let (plane, cut) = (find("plane"), find("q"));
    let opposite: Vec<f64> =
        steps[plane][2].as_array().expect("a direction").iter().map(|x| -x.as_f64().expect("a number")).collect();
    let changes: [Change; 8] = [
        ("a turned plane", &|p| p["proofs"][0]["steps"][plane][2] = json!(opposite)),
        ("a step less", &|p| drop(p["proofs"][0]["steps"].as_array_mut().expect("steps").pop())),
        ("a step more", &|p| p["proofs"][0]["steps"].as_array_mut().expect("steps").push(json!(["orbit"]))),
        ("a cut outside", &|p| p["proofs"][0]["steps"][cut][2] = json!(1e6)),
        ("orbits that meet", &|p| p["proofs"][0]["steps"] = json!([["orbit"]])),
        ("a wider range", &|p| p["proofs"][0]["ranges"][0][1] = json!(300)),
        ("a smaller depth", &|p| p["proofs"][0]["depth"] = json!(0.001)),
        ("a longer direction", &|p| {
            for step in p["proofs"][0]["steps"].as_array_mut().expect("steps") {
                if let Some(n) = step.get_mut(2).and_then(Value::as_array_mut) {
                    for x in n {
                        *x = json!(x.as_f64().expect("a number") * 1.01);
                    }
                }
            }
        }),
    ];
    for (what, change) in changes {
        let mut other = whole.clone();
        change(&mut other);
        assert_ne!(other, whole, "{what}");
        let file = scratch.write("tampered.json", other.to_string());
        let (code, text) = replayed(&file).expect("python3 ran before");
        assert!(code == 1 && text.contains("refused: all-joints"), "{what}: {text}");
    }
    let (code, _) = replayed(&cases().join("hinged-box/assembly.json")).expect("python3 ran before");
    assert!(code != 0);
}

#[test]
fn proofs_are_for_one_whole_assembly() {
    let scratch = Scratch::new();
    let file = scratch.path().join("proof.json");
    let [doors, hinge] = ["sliding-doors", "hinged-box"].map(|case| cases().join(case).display().to_string());
    let file = file.to_str().expect("UTF-8");
    let several = interfere(&["check", &doors, &hinge, "--proof", file]);
    assert!(several.code == 2 && several.stderr.contains("--proof is for one assembly"), "{several:?}");
    let part = scratch.path().join("part.json");
    let shard = interfere(&["check", &doors, "--shard", "1/2", "-o", part.to_str().expect("UTF-8"), "--proof", file]);
    assert!(shard.code == 2 && shard.stderr.contains("--proof"), "{shard:?}");
    let same = interfere(&["check", &doors, "--format", &format!("json={file}"), "--proof", file]);
    assert!(same.code == 2 && same.stderr.contains("--format and --proof write to this place"), "{same:?}");
}
