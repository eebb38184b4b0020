//! Do the published JSON Schemas agree with the readers and writers? Tested with every fixture: valid files, invalid
//! files, reports.

use crate::generate::folders;
use crate::support::command::interfere;
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use interfere::WarningCode;
use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

pub fn schema(of: &str) -> Value {
    let ran = interfere(&["schema", of]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    parsed(&ran.stdout)
}

pub fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::meta::validate(schema).unwrap_or_else(|e| panic!("no schema: {e}"));
    jsonschema::draft202012::new(schema).expect("a schema")
}

#[test]
fn the_report_schema_lists_every_warning_code() {
    let schema = schema("report");
    let listed = &schema["$defs"]["warning"]["properties"]["code"]["enum"];
    let codes: Vec<&str> = WarningCode::ALL.iter().map(|code| code.name()).collect();
    assert_eq!(*listed, json!(codes));
}

pub fn assert_valid(validator: &Validator, value: &Value, what: &str) {
    let errors: Vec<String> = validator.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert_eq!(errors, Vec::<String>::new(), "{what}");
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// Collects the files of a folder and its subfolders with one of the endings.
pub fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("fixtures") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, endings, found);
        } else if path.extension().is_some_and(|e| endings.iter().any(|x| e == *x)) {
            found.push(path);
        }
    }
}

/// Every readable assembly file.
fn valid() -> Vec<(PathBuf, Value)> {
    let mut paths = Vec::new();
    for folder in ["assemblies/valid", "lint", "cases"] {
        files(&fixtures().join(folder), &["json"], &mut paths);
    }
    paths.sort();
    let read = |path: PathBuf| {
        let value = parsed(&fs::read_to_string(&path).expect("readable"));
        // Besides assemblies, cases contain expectations.
        value.get("version").is_some().then_some((path, value))
    };
    paths.into_iter().filter_map(read).collect()
}

#[test]
fn every_valid_assembly_file_validates() {
    let validator = validator(&schema("assembly"));
    let all = valid();
    assert!(all.len() > 40, "{}", all.len());
    for (path, value) in all {
        assert_valid(&validator, &value, &path.display().to_string());
    }
}

#[test]
fn invalid_assembly_files_fail_as_far_as_expressible() {
    let validator = validator(&schema("assembly"));
    let mut passed = BTreeSet::new();
    let mut failed = 0;
    for entry in fs::read_dir(fixtures().join("assemblies/invalid")).expect("fixtures") {
        let path = entry.expect("a file").path();
        let Some(value) = fs::read(&path).ok().and_then(|b| serde_json::from_slice::<Value>(&b).ok()) else { continue };
        if validator.is_valid(&value) {
            passed.insert(path.file_stem().and_then(|n| n.to_str()).expect("a name").to_owned());
        } else {
            failed += 1;
        }
    }
    let beyond = [
        "duplicate-key",
        "id-duplicate",
        "mesh-backslash",
        "mesh-missing-file",
        "part-duplicate",
        "part-text",
        "part-unknown",
        "placement-axis-zero",
        "placement-matrix-nearly-singular",
        "placement-matrix-singular",
        "placement-quaternion-zero",
        "placement-translation-beyond-range",
        "rule-glob-braces",
        "rule-glob-class",
        "sub-assembly-broken",
        "sub-assembly-cycle",
        "sub-assembly-missing",
        "tolerance-beyond-range",
        "tolerance-text-beyond-range",
        "tolerance-text-out-of-range",
    ];
    assert_eq!(passed, beyond.map(str::to_owned).into_iter().collect());
    assert!(failed > 40, "{failed}");
}

/// Calls `call` with the JSON pointer of every object below a value.
fn objects(value: &Value, pointer: &str, call: &mut impl FnMut(&str)) {
    match value {
        Value::Object(members) => {
            call(pointer);
            members
                .iter()
                .for_each(|(k, v)| objects(v, &format!("{pointer}/{}", k.replace('~', "~0").replace('/', "~1")), call));
        }
        Value::Array(items) => items.iter().enumerate().for_each(|(k, v)| objects(v, &format!("{pointer}/{k}"), call)),
        _ => {}
    }
}

#[test]
fn unknown_keys_of_an_assembly_file_fail_everywhere() {
    let validator = validator(&schema("assembly"));
    let mut tried = 0;
    for (path, value) in valid() {
        objects(&value, "", &mut |pointer| {
            // Part names are free; a list is never a part.
            let mut wrong = value.clone();
            wrong.pointer_mut(pointer).expect("an object")["misspelt"] = json!(["x"]);
            assert!(!validator.is_valid(&wrong), "{} takes any key at {pointer}", path.display());
            tried += 1;
        });
    }
    assert!(tried > 200, "{tried}");
}

/// The schema with all unnamed keys forbidden.
pub fn closed(schema: &Value) -> Value {
    let mut out = schema.clone();
    match &mut out {
        Value::Object(members) => {
            let names = members.get("properties").is_some_and(Value::is_object);
            for (_, value) in members.iter_mut() {
                *value = closed(value);
            }
            if names && !members.contains_key("additionalProperties") {
                members.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|v| *v = closed(v)),
        _ => {}
    }
    out
}

#[test]
fn every_report_matches_the_closed_schema() {
    let validator = validator(&closed(&schema("report")));
    let mut pairs = 0;
    let lint = fixtures().join("lint");
    let mut paths: Vec<PathBuf> = folders().into_iter().map(|f| f.join("assembly.json")).collect();
    paths.extend(["contradicting-rules.json", "unused-rule.json", "clean-bought-in.json"].map(|f| lint.join(f)));
    for path in paths {
        let path = path.to_str().expect("UTF-8");
        for flags in [&[][..], &["--geometry", "decomposition", "--report-within", "1"], &["--verdict-only"]] {
            let ran = interfere(&[&["check", path, "--format", "json", "--quiet"], flags].concat());
            assert!(ran.code != 2, "{ran:?}");
            let report = parsed(&ran.stdout);
            assert_valid(&validator, &report, path);
            pairs += report["pairs"].as_array().expect("pairs").len();
        }
    }
    assert!(pairs > 150, "{pairs}");
}

#[test]
fn report_with_missing_or_wrong_key_fails() {
    let validator = validator(&schema("report"));
    let path = fixtures().join("cases/pivot/assembly.json");
    let ran = interfere(&["check", path.to_str().expect("UTF-8"), "--format", "json"]);
    let report = parsed(&ran.stdout);
    assert_valid(&validator, &report, "pivot");
    assert_every_key_counts(&validator, &report, &["/parts", "/instances"]);
}

/// Asserts a constraint for each key: any key with a wrong value or missing is refused, except the named keys and
/// objects.
pub fn assert_every_key_counts(validator: &Validator, document: &Value, but: &[&str]) {
    assert_valid(validator, document, "as it was written");
    let mut tried = 0;
    objects(document, "", &mut |pointer| {
        let keys: Vec<String> =
            document.pointer(pointer).and_then(Value::as_object).expect("an object").keys().cloned().collect();
        // This object is keyed by names.
        if but.contains(&pointer) {
            return;
        }
        for key in keys {
            let mut other = document.clone();
            other.pointer_mut(pointer).expect("an object")[&key] = json!([["no", "such", "value"]]);
            assert!(!validator.is_valid(&other), "{pointer}/{key} may be anything");
            let mut without = document.clone();
            without.pointer_mut(pointer).and_then(Value::as_object_mut).expect("an object").remove(&key);
            assert!(but.contains(&key.as_str()) || !validator.is_valid(&without), "{pointer}/{key} may be missing");
            tried += 2;
        }
    });
    assert!(tried > 20, "{tried}");
}

#[test]
fn the_assembly_schema_takes_units_in_any_case_and_the_plural() {
    let validator = validator(&schema("assembly"));
    let scratch = Scratch::new();
    let assembly = |units: &str, tolerance: &str| {
        json!({ "version": 1, "units": units, "tolerance": tolerance, "parts": { "p": "p.obj" },
            "instances": [{ "id": "a", "part": "p" }] })
    };
    for (units, tolerance) in
        [("MILLIMETER", "1 Inch"), ("Feet", "0.01 Millimetres"), ("inch", "2 MILS"), ("mm", "0.1 µm")]
    {
        let document = assembly(units, tolerance);
        assert!(validator.is_valid(&document), "{units} {tolerance}");
        scratch.write("assembly.json", document.to_string());
        let ran = interfere(&["check", scratch.path().join("assembly.json").to_str().expect("UTF-8")]);
        assert!(!ran.stderr.contains("unit"), "{ran:?}");
    }
    // Short names have one case: `Mm` is a megametre.
    assert!(!validator.is_valid(&assembly("Mm", "1 mm")) && !validator.is_valid(&assembly("mm", "1 Mm")));
}
