//! Does the rule lint find each fault, and faults only? The check must warn of `fixtures/lint/CODE.json` (with a suffix
//! if there are several) with this one code, and of `clean-*.json` with none.

use crate::support::command::interfere;
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/lint")
}

fn fixtures() -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        fs::read_dir(folder()).expect("fixtures").map(|e| e.expect("a file").path()).filter(|p| p.is_file()).collect();
    all.sort();
    all
}

fn name(path: &Path) -> &str {
    path.file_stem().and_then(|n| n.to_str()).expect("a name")
}

/// Warnings of the report.
fn warnings(path: &Path, flags: &[&str]) -> Vec<Value> {
    let ran = interfere(&[&["check", path.to_str().expect("UTF-8"), "--format", "json"], flags].concat());
    assert!(ran.code != 2, "{ran:?}");
    parsed(&ran.stdout)["warnings"].as_array().expect("warnings").clone()
}

const CODES: [&str; 7] = [
    "unused-rule",
    "shadowed-rule",
    "contradicting-rules",
    "missing-reason",
    "allowance-below-tolerance",
    "unneeded-allowance",
    "allowance-too-large",
];

/// Warning code in a fixture's name.
fn code(path: &Path) -> Option<&'static str> {
    CODES.into_iter().find(|c| name(path).starts_with(c))
}

#[test]
fn lint_finds_exactly_the_faults() {
    let mut found = BTreeSet::new();
    for path in fixtures() {
        let warnings = warnings(&path, &[]);
        let codes: Vec<&str> = warnings.iter().map(|w| w["code"].as_str().expect("a code")).collect();
        let Some(code) = code(&path) else {
            assert!(name(&path).starts_with("clean-"), "{}", path.display());
            assert_eq!(codes, Vec::<&str>::new(), "{}: {warnings:?}", path.display());
            continue;
        };
        assert_eq!(codes, [code], "{}: {warnings:?}", path.display());
        found.insert(code);
        // The location is the rule's.
        let text = fs::read_to_string(&path).expect("readable");
        let line = text.lines().nth(warnings[0]["line"].as_u64().expect("a line") as usize - 1).expect("a line");
        assert!(line.trim_start().starts_with("{ \"between\""), "{}: {line}", path.display());
        let strict = interfere(&["check", path.to_str().expect("UTF-8"), "--strict"]);
        assert!(strict.code == 1 && strict.stdout.contains("with --strict\n"), "{}: {strict:?}", path.display());
        assert!(strict.stderr.contains(&format!("[{code}]")), "{strict:?}");
    }
    assert_eq!(found, BTreeSet::from(CODES));
}

/// Rules proposed in a message.
fn lines(message: &str) -> Vec<Value> {
    let begins = message.match_indices("{ \"between\"").map(|(at, _)| at);
    let rule = |at: usize| {
        let mut rest = serde_json::Deserializer::from_str(&message[at..]).into_iter::<Value>();
        rest.next().expect("a rule").expect("JSON")
    };
    begins.map(rule).collect()
}

#[test]
fn following_the_warning_removes_it() {
    let mut written = 0;
    for path in fixtures() {
        let Some(code) = code(&path) else { continue };
        let warning = warnings(&path, &[]).remove(0);
        let message = warning["message"].as_str().expect("a message");
        let place = warning["json_path"].as_str().expect("a place");
        let index: usize = place.trim_start_matches("rules[").trim_end_matches(']').parse().expect("an index");
        let mut ways: Vec<Vec<Value>> = Vec::new();
        let file = parsed(&fs::read_to_string(&path).expect("readable"));
        let rules = file["rules"].as_array().expect("rules").clone();
        let lines = lines(message);
        let without = || rules.iter().enumerate().filter(|(k, _)| *k != index).map(|(_, r)| r.clone());
        match code {
            "shadowed-rule" | "contradicting-rules" => {
                assert_eq!(lines[0], rules[index]);
                // Two rules for the same pairs: one of them has to go.
                if name(&path) != "contradicting-rules-dead-demand" {
                    ways.push(lines[..1].iter().cloned().chain(without()).collect());
                }
                if message.contains("remove") {
                    ways.push(without().collect());
                }
                ways.extend(lines.get(1).map(|keep| [vec![keep.clone()], rules.clone()].concat()));
            }
            "allowance-below-tolerance" | "unneeded-allowance" => ways.push(without().collect()),
            _ => {
                let mut replaced = rules.clone();
                replaced[index] = lines[0].clone();
                ways.push(replaced);
            }
        }
        for rules in ways {
            let scratch = Scratch::new();
            let mut file = file.clone();
            file["rules"] = Value::Array(rules);
            file["parts"]["box"]["mesh"] = "box.obj".into();
            scratch.write("box.obj", fs::read(folder().join("../meshes/sound/box.obj")).expect("the box"));
            let at = scratch.write("assembly.json", file.to_string());
            let left = warnings(&at, &[]);
            assert!(left.iter().all(|w| w["code"] != code), "{}: {left:?}", path.display());
            written += 1;
        }
    }
    assert!(written >= 10, "{written}");
}

#[test]
fn unmeasured_parts_give_no_warnings() {
    let too_large = folder().join("allowance-too-large.json");
    for flags in [&["--verdict-only"][..], &["--geometry", "hull"], &["--geometry", "decomposition"]] {
        assert_eq!(warnings(&too_large, flags), Vec::<Value>::new(), "{flags:?}");
    }
    // A gap between the hulls proves a gap between the parts.
    let unneeded = folder().join("unneeded-allowance.json");
    assert_eq!(warnings(&unneeded, &["--verdict-only"]), Vec::<Value>::new());
    assert_eq!(warnings(&unneeded, &["--geometry", "hull"])[0]["code"], "unneeded-allowance");
    // A fault in the text needs no measurement.
    for name in ["shadowed-rule", "contradicting-rules", "missing-reason", "allowance-below-tolerance"] {
        assert_eq!(warnings(&folder().join(format!("{name}.json")), &["--verdict-only"])[0]["code"], name);
    }
}

#[test]
fn runs_left_out_decide_about_no_rule() {
    // A rule is unneeded if all of its own runs are checked.
    let unneeded = folder().join("unneeded-allowance-during.json");
    assert_eq!(warnings(&unneeded, &["--run", "as-drawn"]), Vec::<Value>::new());
    assert_eq!(warnings(&unneeded, &["--run", "opening"])[0]["code"], "unneeded-allowance");
    let too_large = folder().join("allowance-too-large-during.json");
    assert_eq!(warnings(&too_large, &["--run", "as-drawn"]), Vec::<Value>::new());
    // A fault in the text belongs to all runs.
    for name in ["shadowed-rule", "contradicting-rules", "missing-reason", "allowance-below-tolerance"] {
        let path = folder().join(format!("{name}-during.json"));
        assert_eq!(warnings(&path, &["--run", "as-drawn"])[0]["code"], name);
    }
    // Each of the rules for the same pairs decides in a run.
    for name in ["exception", "demand", "protects"] {
        let path = folder().join(format!("clean-during-{name}.json"));
        assert_eq!(warnings(&path, &["--run", "as-drawn"]), Vec::<Value>::new(), "{name}");
    }
    // A rule for the sweep of all joints is needed there alone.
    let of_sweep = folder().join("missing-reason-during-all-joints.json");
    let codes: Vec<Value> = warnings(&of_sweep, &["--sweep-all"]).iter().map(|w| w["code"].clone()).collect();
    assert!(codes.contains(&"missing-reason".into()) && !codes.contains(&"unneeded-allowance".into()), "{codes:?}");
}

/// Writes `below.json`: two boxes that overlap by 0.02 mm, and further members of the file.
fn write_below(scratch: &Scratch, members: &str) {
    scratch.write("box.obj", fs::read(folder().join("../meshes/sound/box.obj")).expect("the box"));
    let instances = r#"[ { "id": "a", "part": "box" },
    { "id": "b", "part": "box", "placement": { "translation": [0.98, 0, 0] } } ]"#;
    let parts = r#"{ "box": { "mesh": "box.obj" } }"#;
    let text = format!("{{ \"version\": 1, \"parts\": {parts}, \"instances\": {instances},\n{members} }}");
    scratch.write("below.json", text);
}

#[test]
fn rules_for_the_runs_of_a_sub_assembly_give_no_warning_outside() {
    let scratch = Scratch::new();
    write_below(
        &scratch,
        r#""joints": { "slide": { "type": "prismatic", "axis": "x", "moves": ["b"], "range": [-1, 1] } },
  "poses": { "pressed": { "slide": -0.1 } },
  "rules": [ { "between": ["a", "b"], "allow_depth": 0.03, "during": ["as-drawn"], "reason": "seat" },
             { "between": ["a", "b"], "allow_depth": 0.2, "reason": "pressed in" } ]"#,
    );
    let file = r#"{ "version": 1, "instances": [ { "id": "u", "assembly": "below.json" } ],
  "sweeps": { "opening": { "joints": { "u/slide": [0, 1] } } } }"#;
    let path = scratch.write("assembly.json", file);
    assert_eq!(warnings(&path, &[]), Vec::<Value>::new());
}

#[test]
fn rule_in_reused_file_warns_once() {
    let scratch = Scratch::new();
    write_below(&scratch, r#""rules": [ { "between": ["a", "b"], "allow_depth": 0.03 } ]"#);
    let use_of = |k: i32| {
        format!(r#"{{ "id": "u{k}", "assembly": "below.json", "placement": {{ "translation": [0, {k}, 9] }} }}"#)
    };
    let instances: Vec<String> = (0..5).map(|k| use_of(3 * k)).collect();
    let file = format!(r#"{{ "version": 1, "instances": [ {} ] }}"#, instances.join(", "));
    let found = warnings(&scratch.write("assembly.json", file), &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&found[0]["code"], &found[0]["line"]), (&"missing-reason".into(), &3.into()));
    assert!(found[0]["file"].as_str().expect("a file").ends_with("below.json"));
}
