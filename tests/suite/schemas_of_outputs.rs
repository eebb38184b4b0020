//! Do the commands' outputs match their JSON Schemas? All schemas except those of assembly file and report, for every
//! case.

use crate::driven;
use crate::generate::folders;
use crate::schema::{assert_every_key_counts, assert_valid, closed, files, schema, validator};
use crate::support::command::interfere;
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use jsonschema::Validator;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// The assembly file of every case.
fn assemblies() -> Vec<PathBuf> {
    let all: Vec<PathBuf> = folders().into_iter().map(|f| f.join("assembly.json")).collect();
    assert!(all.len() > 20, "{}", all.len());
    all
}

/// Output of a command with exit code 0 or 1.
fn printed(arguments: &[&str]) -> Value {
    let ran = interfere(arguments);
    assert!(ran.code < 2, "{ran:?}");
    parsed(&ran.stdout)
}

fn written(path: &Path) -> Value {
    parsed(&fs::read_to_string(path).expect("a file"))
}

/// Validator of the closed schema: it refuses keys missing from the schema.
fn strict(of: &str) -> Validator {
    validator(&closed(&schema(of)))
}

#[test]
fn a_partial_report_has_the_keys_of_its_schema() {
    let validator = validator(&schema("partial"));
    let scratch = Scratch::new();
    let file = scratch.path().join("part.json");
    let mut pairs = 0;
    for path in assemblies() {
        for flags in [&["--shard", "1/1"][..], &["--shard", "2/2", "--geometry", "hull", "--report-within", "1"]] {
            let ran = interfere(&[&["check", text(&path), "--quiet", "-o", text(&file)], flags].concat());
            assert_eq!(ran.code, 0, "{ran:?}");
            let partial = written(&file);
            assert_valid(&validator, &partial, text(&path));
            pairs += partial["outcome"]["pairs"].as_array().map_or(0, Vec::len);
        }
    }
    assert!(pairs > 60, "{pairs}");
    let pivot = folders().into_iter().find(|f| f.ends_with("pivot")).expect("a case").join("assembly.json");
    interfere(&["check", text(&pivot), "--quiet", "-o", text(&file), "--shard", "1/1"]);
    assert_every_key_counts(&validator, &written(&file), &[]);
}

#[test]
fn a_baseline_has_the_keys_of_its_schema() {
    let validator = validator(&schema("baseline"));
    let scratch = Scratch::new();
    let file = scratch.path().join("baseline.json");
    let mut entries = 0;
    for path in assemblies() {
        for flags in [&[][..], &["--geometry", "hull"], &["--reason", "so it is"]] {
            let _ = fs::remove_file(&file);
            let ran = interfere(&[&["accept", text(&path), "--baseline", text(&file)], flags].concat());
            assert_eq!(ran.code, 0, "{ran:?}");
            if file.exists() {
                let baseline = written(&file);
                assert_valid(&validator, &baseline, text(&path));
                entries += baseline["accepted"].as_array().map_or(0, Vec::len);
            }
        }
    }
    assert!(entries > 40, "{entries}");
    driven::driven(&scratch, 2.5, driven::PLAIN);
    let assembly = scratch.path().join("assembly.json");
    let _ = fs::remove_file(&file);
    assert_eq!(interfere(&["accept", text(&assembly), "--baseline", text(&file)]).code, 0);
    let whole = written(&file);
    // Relation and reason are optional.
    assert_every_key_counts(&validator, &whole, &["relation", "reason"]);
    let mut tried = 0;
    for (key, value) in [("gap", json!(1)), ("bracket", json!([1, 2])), ("depht", json!(1))] {
        let mut wrong = whole.clone();
        wrong["accepted"][0][key] = value;
        assert!(!validator.is_valid(&wrong), "{key}");
        // The reader refuses the same documents as the schema.
        scratch.write("baseline.json", wrong.to_string());
        assert_eq!(interfere(&["check", text(&assembly), "--baseline", text(&file)]).code, 2, "{key}");
        tried += 1;
    }
    assert_eq!(tried, 3);
}

#[test]
fn a_baseline_may_name_its_schema_and_keeps_it() {
    let scratch = Scratch::new();
    driven::driven(&scratch, 2.5, driven::PLAIN);
    let run = |command: &str| interfere(&[command, text(&scratch.path().join("assembly.json"))]);
    assert_eq!(run("accept").code, 0);
    let file = scratch.path().join(crate::baseline::FILE);
    let mut baseline = written(&file);
    baseline["$schema"] = json!("../docs/schema/baseline.json");
    scratch.write(crate::baseline::FILE, baseline.to_string());
    assert_valid(&validator(&schema("baseline")), &baseline, "with a schema");
    assert_eq!(run("check").code, 0);
    assert_eq!(run("accept").code, 0);
    assert_eq!(written(&file), baseline);
    let first = fs::read_to_string(&file).expect("a baseline");
    assert!(first.starts_with("{\n  \"$schema\": \"../docs/schema/baseline.json\",\n"), "{first}");
    baseline["$schema"] = json!(1);
    scratch.write(crate::baseline::FILE, baseline.to_string());
    let ran = run("check");
    assert!(ran.code == 2 && ran.stderr.contains("$schema"), "{ran:?}");
}

#[test]
fn a_comparison_has_the_keys_of_its_schema() {
    let validator = strict("diff");
    let scratch = Scratch::new();
    let mut reports: Vec<PathBuf> = Vec::new();
    for (k, path) in assemblies().into_iter().enumerate() {
        let file = scratch.path().join(format!("{k}.json"));
        let flags: &[&str] = if k % 5 == 0 { &["--verdict-only"] } else { &[] };
        let ran = interfere(&[&["check", text(&path), "--format", "json", "-o", text(&file)], flags].concat());
        assert!(ran.code < 2, "{ran:?}");
        reports.push(file);
    }
    for (k, depth) in [2.5, 10.0, 1.0].into_iter().enumerate() {
        driven::driven(&scratch, depth, driven::PLAIN);
        let file = scratch.path().join(format!("driven-{k}.json"));
        let assembly = scratch.path().join("assembly.json");
        interfere(&["check", text(&assembly), "--format", "json", "-o", text(&file)]);
        reports.push(file);
    }
    let mut pairs = 0;
    let mut last = Value::Null;
    for two in reports.windows(2) {
        last = printed(&["diff", text(&two[0]), text(&two[1]), "--format", "json"]);
        assert_valid(&validator, &last, text(&two[0]));
        pairs += last["pairs"].as_array().map_or(0, Vec::len);
    }
    assert!(pairs > 40, "{pairs}");
    assert_every_key_counts(&validator, &last, &[]);
}

#[test]
fn an_explanation_has_the_keys_of_its_schema() {
    let validator = strict("explain");
    let mut stages = std::collections::BTreeSet::new();
    let mut last = Value::Null;
    for path in assemblies() {
        let report = printed(&["check", text(&path), "--format", "json", "--quiet"]);
        let ids: Vec<&String> = report["instances"].as_object().expect("instances").keys().take(3).collect();
        let whole = [&[][..], &["--geometry", "decomposition"], &["--geometry", "hull"]];
        let pairs = [[0, 1], [0, 2], [1, 2]].into_iter().filter(|p| p[1] < ids.len());
        // The first pair in each geometry, the others in one.
        let asked =
            pairs.enumerate().flat_map(|(k, p)| whole[..if k == 0 { 3 } else { 1 }].iter().map(move |f| (p, *f)));
        for (pair, flags) in asked {
            let [a, b] = pair.map(|k| ids[k].as_str());
            let explained = printed(&[&["explain", text(&path), a, b, "--format", "json"], flags].concat());
            assert_valid(&validator, &explained, &format!("{} {a} {b} {flags:?}", path.display()));
            for step in explained["steps"].as_array().expect("steps") {
                stages.insert(format!("{} {}", step["stage"], step["by"]));
            }
            if explained["fix"].is_object() && flags.is_empty() {
                last = explained;
            }
        }
    }
    assert!(stages.len() > 9, "{stages:?}");
    // Steps and warning locations come in several kinds with different keys.
    last["steps"] = json!([]);
    last["warnings"] = json!([]);
    assert_every_key_counts(&validator, &last, &["ignore", "allow_depth", "min_clearance", "steps"]);
}

#[test]
fn proposals_have_the_keys_of_their_schema() {
    let validator = strict("suggest");
    let (mut rules, mut left) = (Value::Null, Value::Null);
    for path in assemblies() {
        let suggested = printed(&["suggest", text(&path), "--format", "json", "--facets", "strict"]);
        assert_valid(&validator, &suggested, text(&path));
        for (key, kept) in [("rules", &mut rules), ("left_out", &mut left)] {
            if suggested[key].as_array().is_some_and(|l| !l.is_empty()) {
                *kept = suggested.clone();
            }
        }
    }
    assert_every_key_counts(&validator, &rules, &[]);
    assert_every_key_counts(&validator, &left, &[]);
}

#[test]
fn an_inspection_has_the_keys_of_its_schema() {
    let validator = strict("inspect");
    let mut meshes = Vec::new();
    for folder in folders() {
        files(&folder, &["obj", "stl"], &mut meshes);
    }
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/meshes"), &["obj", "stl"], &mut meshes);
    let mut last = Value::Null;
    for mesh in &meshes {
        let ran = interfere(&["inspect", text(mesh), "--format", "json"]);
        // Some fixtures are invalid meshes.
        if ran.code == 0 {
            last = parsed(&ran.stdout);
            assert_valid(&validator, &last, text(mesh));
        }
    }
    assert!(meshes.len() > 50, "{}", meshes.len());
    assert_every_key_counts(&validator, &last, &[]);
}

#[test]
fn a_decomposition_has_the_keys_of_its_schema() {
    let validator = strict("decompose");
    let scratch = Scratch::new();
    let mut meshes = Vec::new();
    for folder in folders() {
        files(&folder, &["obj"], &mut meshes);
    }
    let mut last = Value::Null;
    for (k, mesh) in meshes.iter().step_by(6).enumerate() {
        // A folder may not hold more pieces from an earlier run.
        let to = scratch.path().join(if k % 2 == 0 { "pieces.obj".to_owned() } else { format!("pieces-{k}") });
        let flags: &[&str] = if k % 3 == 0 { &["--hull"] } else { &["--max-pieces", "2"] };
        let arguments = ["decompose", text(mesh), "-o", text(&to), "--format", "json"];
        last = printed(&[&arguments, flags].concat());
        assert_valid(&validator, &last, text(mesh));
    }
    assert_every_key_counts(&validator, &last, &[]);
}
