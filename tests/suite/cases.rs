//! Does the check give the closed-form answers of `fixtures/cases`? The tests discover the cases.
//!
//! A case is a folder with `assembly.json`, its meshes, `why.md`, and one or more `expected*.json`, each a run and its
//! answer; see `fixtures/README.md`.

use crate::generate::folders;
use crate::support::command::interfere;
use crate::support::report::{assert_sound, json_of, length, number, parsed, row, vector};
use crate::support::scratch::Scratch;
use interfere::internals::assembly::{self, Assembly, Facets, Geometry, LoadOptions};
use interfere::internals::check::{NoProgress, Options, Outcome, check};
use interfere::internals::io::FsLoader;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Run of a case and its answer. Lengths in the assembly's units.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    /// Value of `--geometry`.
    geometry: String,
    /// Value of `--facets`, if given.
    facets: Option<String>,
    /// Value of `--tolerance`, if given.
    tolerance: Option<f64>,
    /// Value of `--report-within`, if given.
    report_within: Option<f64>,
    exit: i32,
    /// Counts by status; omitted ones are zero.
    counts: BTreeMap<String, u64>,
    /// Largest deviation of a number from the expected one.
    within: f64,
    /// Codes of all warnings, in order.
    #[serde(default)]
    warnings: Vec<String>,
    /// Number of unique pairs, in cases about them.
    distinct: Option<u64>,
    /// Every listed pair.
    pairs: Option<Vec<Pair>>,
    /// Expectation for each listed pair, in place of `pairs`.
    each: Option<Row>,
}

#[derive(Deserialize)]
struct Pair {
    a: String,
    b: String,
    #[serde(flatten)]
    row: Row,
}

/// Expectation for a row; omitted keys are free.
#[derive(Deserialize)]
struct Row {
    status: String,
    relation: Option<String>,
    certainty: Option<String>,
    /// Geometry of the pair; by default the run's.
    geometry: Option<String>,
    gap: Option<f64>,
    penetration_depth: Option<f64>,
    /// Direction of the separating translation (unit vector).
    direction: Option<[f64; 3]>,
    normal: Option<[f64; 3]>,
    facet_allowance: Option<f64>,
    within_facet_error: Option<bool>,
    rule: Option<Rule>,
}

#[derive(Deserialize)]
struct Rule {
    file: String,
    index: u64,
}

const PAIR_KEYS: [&str; 13] = [
    "a",
    "b",
    "status",
    "relation",
    "certainty",
    "geometry",
    "gap",
    "penetration_depth",
    "direction",
    "normal",
    "facet_allowance",
    "within_facet_error",
    "rule",
];

fn runs(folder: &Path) -> Vec<(PathBuf, Expected)> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a case")
        .map(|e| e.expect("a file").path())
        .filter(|p| p.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.starts_with("expected")))
        .collect();
    files.sort();
    files.into_iter().map(|file| (file.clone(), read(&file))).collect()
}

fn read(file: &Path) -> Expected {
    let text = fs::read_to_string(file).expect("readable");
    let broken = |e: serde_json::Error| -> ! { panic!("{}: {e}", file.display()) };
    // A flattened struct takes any key, so a misspelt key would silently expect nothing.
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|e| broken(e));
    for pair in value["pairs"].as_array().into_iter().flatten().chain(value.get("each")) {
        for key in pair.as_object().expect("a row").keys() {
            assert!(PAIR_KEYS.contains(&key.as_str()), "{}: unknown key `{key}`", file.display());
        }
    }
    serde_json::from_str(&text).unwrap_or_else(|e| broken(e))
}

fn load(folder: &Path) -> Assembly {
    let path = folder.join("assembly.json");
    assembly::load(&path, &FsLoader, &LoadOptions::default()).unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
}

fn run_library(assembly: &Assembly, expected: &Expected) -> Outcome {
    let mm = |x: f64| x * assembly.units.mm();
    let options = Options {
        geometry: match expected.geometry.as_str() {
            "exact" => Some(Geometry::Exact),
            "decomposition" => Some(Geometry::Decomposition),
            "hull" => Some(Geometry::Hull),
            other => panic!("no geometry is called {other}"),
        },
        facets: expected.facets.as_ref().map(|f| if f == "strict" { Facets::Strict } else { Facets::Allow }),
        tolerance: expected.tolerance.map(mm),
        report_within: expected.report_within.map(mm),
        ..Options::default()
    };
    check(assembly, &options, &FsLoader, &NoProgress).unwrap_or_else(|e| panic!("{e}"))
}

/// Report printed by the program, and its exit code.
fn run_program(folder: &Path, expected: &Expected, timings: Option<&Path>) -> (String, i32) {
    let path = folder.join("assembly.json").to_str().expect("UTF-8").to_owned();
    let mut arguments = vec!["check".to_owned(), path, "--format".to_owned(), "json".to_owned()];
    let mut flag = |name: &str, value: String| arguments.extend([name.to_owned(), value]);
    flag("--geometry", expected.geometry.clone());
    if let Some(facets) = &expected.facets {
        flag("--facets", facets.clone());
    }
    if let Some(t) = expected.tolerance {
        flag("--tolerance", t.to_string());
    }
    if let Some(d) = expected.report_within {
        flag("--report-within", d.to_string());
    }
    if let Some(file) = timings {
        flag("--timings", file.to_str().expect("UTF-8").to_owned());
    }
    let ran = interfere(&arguments);
    assert!(ran.code != 2, "{}: {}", folder.display(), ran.stderr);
    (ran.stdout, ran.code)
}

fn close(found: &Value, expected: f64, within: f64) -> bool {
    number(found).is_some_and(|x| (x - expected).abs() <= within)
}

impl Row {
    fn compare(&self, found: &Value, within: f64) {
        assert_eq!(found["status"], self.status, "{found}");
        if let Some(relation) = &self.relation {
            assert_eq!(found["relation"], *relation, "{found}");
        }
        for (key, wanted) in [("certainty", &self.certainty), ("geometry", &self.geometry)] {
            assert!(wanted.as_ref().is_none_or(|w| found[key] == *w), "{key} is {wanted:?}: {found}");
        }
        if let Some(gap) = self.gap {
            // Truth and reported value both lie in the bracket.
            let [low, high] = [0, 1].map(|k| found["gap_bracket"][k].as_f64().expect("a bracket"));
            assert!(low - within <= gap && gap <= high + within, "the gap is {gap}: {found}");
            let within = within + high - low;
            assert!(close(&found["gap"], gap, within), "the gap is {gap}: {found}");
            assert!(close(&found["overlap_depth"], (-gap).max(0.0), within), "{found}");
        }
        if let Some(allowance) = self.facet_allowance {
            assert!(close(&found["facet_allowance"], allowance, within), "facets allow for {allowance}: {found}");
        }
        if let Some(flag) = self.within_facet_error {
            assert_eq!(found["within_facet_error"], flag, "{found}");
        }
        if let Some(depth) = self.penetration_depth {
            assert!(close(&found["penetration_depth"], depth, within), "{depth} separates them: {found}");
        }
        if let Some(direction) = self.direction {
            let t = vector(&found["separating_translation"]).unwrap_or_else(|| panic!("no translation: {found}"));
            let off = (0..3).map(|k| (t[k] - direction[k] * length(t)).abs()).fold(0.0, f64::max);
            assert!(off <= within, "B leaves along {direction:?}: {found}");
        }
        if let Some(normal) = self.normal {
            let n = vector(&found["normal"]).unwrap_or_else(|| panic!("no normal: {found}"));
            assert!((0..3).all(|k| (n[k] - normal[k]).abs() <= 1e-9), "the normal is {normal:?}: {found}");
        }
        if let Some(rule) = &self.rule {
            assert_eq!(
                (&found["rule"]["file"], &found["rule"]["index"]),
                (&rule.file.as_str().into(), &rule.index.into())
            );
        }
    }
}

fn compare(report: &Value, expected: &Expected) {
    assert_eq!(report["settings"]["geometry"], expected.geometry);
    let counts = report["summary"]["counts"].as_object().expect("counts");
    assert!(expected.counts.keys().all(|s| counts.contains_key(s)), "a status of that name");
    for (status, found) in counts {
        let wanted = expected.counts.get(status).copied().unwrap_or(0);
        assert_eq!(found.as_u64(), Some(wanted), "{status}: {}\n{:#}", report["summary"], report["pairs"]);
    }
    let codes: Vec<_> =
        report["warnings"].as_array().expect("warnings").iter().map(|w| w["code"].as_str().expect("a code")).collect();
    assert_eq!(codes, expected.warnings, "{}", report["warnings"]);
    let listed = report["pairs"].as_array().expect("rows");
    match (&expected.pairs, &expected.each) {
        (Some(pairs), None) => {
            let found: Vec<_> =
                listed.iter().map(|r| (r["a"].as_str().unwrap_or(""), r["b"].as_str().unwrap_or(""))).collect();
            let wanted: Vec<_> = pairs.iter().map(|p| (p.a.as_str(), p.b.as_str())).collect();
            assert_eq!(found, wanted, "the listed pairs");
            for pair in pairs {
                pair.row.compare(row(report, &pair.a, &pair.b).expect("listed"), expected.within);
            }
        }
        (None, Some(each)) => {
            assert!(!listed.is_empty());
            for found in listed {
                each.compare(found, expected.within);
            }
        }
        _ => panic!("either `pairs` or `each`"),
    }
}

#[test]
fn every_case_has_its_reason_and_an_answer() {
    let folders = folders();
    assert!(folders.len() >= 15, "{folders:?}");
    for folder in folders {
        let why = fs::read_to_string(folder.join("why.md")).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        assert!(why.len() > 100, "{}: say why", folder.display());
        assert!(!runs(&folder).is_empty(), "{} has no expected.json", folder.display());
    }
}

#[test]
fn every_case_has_its_known_answer() {
    let scratch = Scratch::new();
    let timings = scratch.path().join("timings.json");
    let (mut passing, mut failing) = (0, 0);
    for folder in folders() {
        for (file, expected) in runs(&folder) {
            println!("{}", file.display());
            let (text, code) = run_program(&folder, &expected, expected.distinct.map(|_| timings.as_path()));
            let report = parsed(&text);
            assert_sound(&report);
            compare(&report, &expected);
            assert_eq!(code, expected.exit);
            let outcome = run_library(&load(&folder), &expected);
            assert_eq!(json_of(&outcome), text, "the library and the program say the same");
            assert_eq!(i32::from(outcome.fails()), expected.exit);
            if let Some(distinct) = expected.distinct {
                let timings = parsed(&fs::read_to_string(&timings).unwrap());
                assert_eq!(timings["pairs"]["distinct"], distinct);
            }
            *if code == 0 { &mut passing } else { &mut failing } += 1;
        }
    }
    assert!(passing >= 5 && failing >= 5, "cases that pass and that fail: {passing}, {failing}");
}

#[test]
fn instances_moved_far_apart_have_no_findings() {
    let mut lost = 0;
    for folder in folders() {
        let mut assembly = load(&folder);
        let (file, expected) = runs(&folder).remove(0);
        let before = run_library(&assembly, &expected);
        for (k, instance) in assembly.instances.iter_mut().enumerate() {
            // Farther than any part of any case, including coordinates around a million.
            instance.placement.translation.x = 1e8 * (k + 1) as f64;
        }
        let after = run_library(&assembly, &expected);
        assert_eq!(after.counts.clear, after.possible_pairs - before.counts.ignored, "{}", file.display());
        assert_eq!(after.counts.ignored, before.counts.ignored);
        assert!(after.pairs.is_empty() && !after.fails());
        lost += before.pairs.len();
    }
    assert!(lost > 50, "the cases held findings: {lost}");
}
