//! The life of a baseline, through the built program: findings are accepted, grow, shrink, are fixed, renamed, deleted,
//! hidden.

use crate::generate::cases;
use crate::support::command::{Ran, interfere_in};
use crate::support::report::{assert_sound, parsed, row};
use crate::support::scratch::Scratch;
use crate::support::solids::{block, obj};
use serde_json::Value;
use std::fs;

pub const FILE: &str = "interfere-baseline.json";

/// Writes cubes of side 10 with the given ids and lower corners, and further keys of the file.
pub fn write_cubes(scratch: &Scratch, cubes: &[(&str, [f64; 3])], more: &str) {
    scratch.write("cube.obj", obj(&block([0.0; 3], [10.0; 3])));
    scratch.write("large.obj", obj(&block([-10.0; 3], [30.0; 3])));
    let place = |(id, at): &(&str, [f64; 3])| {
        let part = if id.starts_with("large") { "large" } else { "cube" };
        format!(r#"{{ "id": "{id}", "part": "{part}", "placement": {{ "translation": {at:?} }} }}"#)
    };
    let list: Vec<String> = cubes.iter().map(place).collect();
    let used = ["cube", "large"].into_iter().filter(|p| list.iter().any(|i| i.contains(&format!(r#""part": "{p}""#))));
    let parts: Vec<String> = used.map(|p| format!(r#""{p}": {{ "mesh": "{p}.obj" }}"#)).collect();
    let parts = format!(r#""parts": {{ {} }}"#, parts.join(", "));
    let instances = list.join(",\n    ");
    scratch.write(
        "assembly.json",
        format!("{{ \"version\": 1, {parts},\n  {more}\n  \"instances\": [\n    {instances} ] }}"),
    );
}

/// Writes two cubes overlapping by `depth` along x, and a third far from both.
fn overlapping(scratch: &Scratch, depth: f64) {
    write_cubes(scratch, &[("a", [0.0; 3]), ("b", [10.0 - depth, 0.0, 0.0]), ("far", [0.0, 90.0, 0.0])], "");
}

pub fn run(scratch: &Scratch, arguments: &[&str]) -> Ran {
    interfere_in(scratch.path(), arguments)
}

pub fn accept(scratch: &Scratch, flags: &[&str]) -> Ran {
    let ran = run(scratch, &[&["accept", "assembly.json"], flags].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    ran
}

/// Runs a check; returns the exit code and the report.
pub fn check(scratch: &Scratch, flags: &[&str]) -> (i32, Value) {
    let ran = run(scratch, &[&["check", "assembly.json", "--quiet", "--format", "json"], flags].concat());
    assert!(ran.code < 2, "{ran:?}");
    let report = parsed(&ran.stdout);
    assert_sound(&report);
    (ran.code, report)
}

pub fn baseline(scratch: &Scratch) -> Value {
    parsed(&fs::read_to_string(scratch.path().join(FILE)).expect("a baseline"))
}

/// Baseline status of a pair.
pub fn standing<'a>(report: &'a Value, a: &str, b: &str) -> &'a str {
    row(report, a, b).and_then(|r| r["baseline"].as_str()).unwrap_or("none")
}

/// Status and reason of the only resolved or unverified finding.
fn gone(report: &Value) -> (String, String) {
    let gone = report["baseline"]["gone"].as_array().expect("a list");
    assert_eq!(gone.len(), 1, "{gone:?}");
    let text = |key: &str| gone[0][key].as_str().expect("a text").to_owned();
    let counts = &report["baseline"]["counts"];
    assert_eq!(counts["fixed"].as_u64().zip(counts["unverified"].as_u64()).map(|(f, u)| f + u), Some(1));
    assert_eq!(counts[text("baseline")], 1);
    (text("baseline"), text("why"))
}

#[test]
fn one_command_from_a_red_job_to_an_accepted_baseline() {
    let scratch = Scratch::new();
    overlapping(&scratch, 0.3);
    assert_eq!(run(&scratch, &["check", "assembly.json"]).code, 1);
    let blank = run(&scratch, &["accept", "assembly.json", "--reason", " "]);
    assert_eq!((blank.code, blank.stdout.as_str()), (2, ""));
    assert_eq!(blank.stderr, "error: --reason is empty; write why it is accepted, or leave it out\n");
    let accepted = accept(&scratch, &[]);
    // Accepting without a reason warns, like a rule without a reason.
    let warning =
        "warning: interfere-baseline.json: 1 finding accepted without a reason; accept again with --reason TEXT";
    assert!(accepted.stderr.starts_with(warning) && accepted.stderr.ends_with("[missing-reason]\n"), "{accepted:?}");
    let said = accepted.stdout;
    assert!(said.contains("accepted, new: a and b: interference 0.3 mm deep\n"), "{said}");
    assert!(said.ends_with("interfere-baseline.json: 1 finding newly accepted, 1 in all\n"), "{said}");
    let ran = run(&scratch, &["check", "assembly.json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(
        ran.stdout.ends_with("baseline interfere-baseline.json: 1 accepted\nPASS: 1 accepted finding\n"),
        "{ran:?}"
    );
    let (code, report) = check(&scratch, &[]);
    assert_eq!((code, standing(&report, "a", "b")), (0, "accepted"));
    assert_eq!((&report["summary"]["verdict"], &report["summary"]["fail_on"]), (&"pass".into(), &"new".into()));
    assert_eq!(report["baseline"]["file"], FILE);
    let entry = &baseline(&scratch)["accepted"][0];
    assert_eq!((&entry["a"], &entry["b"], &entry["status"]), (&"a".into(), &"b".into(), &"interference".into()));
    assert_eq!(
        (&entry["relation"], &entry["limit"], &entry["reason"]),
        (&"overlap".into(), &0.01.into(), &Value::Null)
    );
    assert_eq!(entry["depth"], row(&report, "a", "b").expect("a row")["overlap_depth"]);
}

#[test]
fn nothing_to_accept_writes_nothing() {
    let scratch = Scratch::new();
    overlapping(&scratch, -1.0);
    assert_eq!(accept(&scratch, &[]).stdout, "no pair fails, so there is no finding to accept\n");
    assert!(!scratch.path().join(FILE).exists());
}

#[test]
fn growth_beyond_tolerance_fails_and_shrinking_passes() {
    let scratch = Scratch::new();
    overlapping(&scratch, 0.3);
    accept(&scratch, &[]);
    for (depth, code, says) in
        [(0.305, 0, "accepted"), (0.31, 0, "accepted"), (0.311, 1, "worse"), (2.0, 1, "worse"), (0.1, 0, "accepted")]
    {
        overlapping(&scratch, depth);
        let (ended, report) = check(&scratch, &[]);
        assert_eq!((ended, standing(&report, "a", "b")), (code, says), "{depth}");
        assert_eq!(report["baseline"]["counts"][says], 1);
    }
    // After accepting the smaller depth, the former depth is worse.
    accept(&scratch, &[]);
    overlapping(&scratch, 0.3);
    assert_eq!(check(&scratch, &[]).0, 1);
}

#[test]
fn worse_findings_show_accepted_values() {
    let scratch = Scratch::new();
    let place = |depth: f64, gap: f64| {
        let rules = r#""rules": [ { "between": ["far", "*"], "min_clearance": 9 } ],"#;
        let far = [20.0 - depth + gap, 0.0, 0.0];
        write_cubes(&scratch, &[("a", [0.0; 3]), ("b", [10.0 - depth, 0.0, 0.0]), ("far", far)], rules);
    };
    place(0.3, 8.0);
    accept(&scratch, &[]);
    place(0.5, 7.0);
    let (_, report) = check(&scratch, &[]);
    let accepted = |a, b| row(&report, a, b).expect("a row")["accepted"].clone();
    assert_eq!(
        accepted("a", "b")["worse_in"],
        serde_json::json!(["overlap_depth", "overlap_volume", "penetration_depth"])
    );
    assert_eq!(
        (&accepted("b", "far")["gap"], &accepted("b", "far")["worse_in"]),
        (&8.into(), &serde_json::json!(["gap"]))
    );
    let said = |format: &str| run(&scratch, &["check", "assembly.json", "--format", format]).stdout;
    for format in ["table", "markdown"] {
        let said = said(format);
        assert!(said.contains("0.5 mm, 0.3 mm accepted"), "{said}");
        assert!(said.contains("7 mm, 8 mm accepted"), "{said}");
    }
    for format in ["github", "sarif", "junit"] {
        let said = said(format);
        assert!(said.contains("a and b overlap by 0.5 mm, 0.3 mm accepted; "), "{said}");
        assert!(said.contains("b and far are 7 mm apart, 8 mm accepted; "), "{said}");
    }
    // An unchanged finding shows no accepted value.
    place(0.3, 8.0);
    assert!(!said("table").contains(" mm accepted"));
}

#[test]
fn new_findings_fail_beside_accepted_ones() {
    let scratch = Scratch::new();
    overlapping(&scratch, 0.3);
    accept(&scratch, &[]);
    write_cubes(&scratch, &[("a", [0.0; 3]), ("b", [9.7, 0.0, 0.0]), ("far", [-5.0, 9.5, 0.0])], "");
    let (code, report) = check(&scratch, &[]);
    assert_eq!((code, standing(&report, "a", "b"), standing(&report, "a", "far")), (1, "accepted", "new"));
    let ran = run(&scratch, &["check", "assembly.json"]);
    assert!(ran.stdout.ends_with("FAIL: 1 pair fails, 1 accepted finding\n"), "{ran:?}");
    let lines: Vec<&str> = ran.stdout.lines().filter(|l| l.starts_with("interference ")).collect();
    assert!(lines[0].contains("new") && lines[1].contains("accepted"), "what fails stands first: {lines:?}");
    // Both flags override the baseline.
    assert_eq!(check(&scratch, &["--fail-on", "never"]).0, 0);
    accept(&scratch, &[]);
    assert_eq!(check(&scratch, &[]).0, 0);
    assert_eq!(check(&scratch, &["--fail-on", "any"]).0, 1);
    let (code, report) = check(&scratch, &["--no-baseline"]);
    assert_eq!((code, &report["baseline"], standing(&report, "a", "b")), (1, &Value::Null, "none"));
    assert_eq!(check(&scratch, &["--no-baseline", "--fail-on", "new"]).0, 1);
}

#[test]
fn another_kind_or_relation_fails() {
    let scratch = Scratch::new();
    overlapping(&scratch, 0.3);
    accept(&scratch, &[]);
    let keep_away = r#""rules": [ { "between": ["a", "b"], "min_clearance": 5 } ],"#;
    write_cubes(&scratch, &[("a", [0.0; 3]), ("b", [12.0, 0.0, 0.0])], keep_away);
    let (code, report) = check(&scratch, &[]);
    assert_eq!((code, standing(&report, "a", "b")), (1, "changed"));
    // The same depth, but fully inside.
    write_cubes(&scratch, &[("large", [0.0; 3]), ("z", [-15.0, 0.0, 0.0])], "");
    accept(&scratch, &[]);
    write_cubes(&scratch, &[("large", [0.0; 3]), ("z", [5.0, 5.0, 5.0])], "");
    let (code, report) = check(&scratch, &[]);
    assert_eq!((code, standing(&report, "large", "z")), (1, "changed"));
    assert_eq!(row(&report, "large", "z").expect("a row")["relation"], "a_contains_b");
}

#[test]
fn fixed_findings_are_reported_and_pruned() {
    let scratch = Scratch::new();
    overlapping(&scratch, 0.3);
    accept(&scratch, &[]);
    for depth in [-5.0, 0.0, 0.01] {
        overlapping(&scratch, depth);
        let (code, report) = check(&scratch, &[]);
        assert_eq!((code, gone(&report).0), (0, "fixed".to_owned()), "{depth}");
    }
    let ran = run(&scratch, &["check", "assembly.json"]);
    assert!(ran.stdout.contains("baseline interfere-baseline.json: 1 fixed\n"), "{ran:?}");
    assert!(ran.stdout.contains("`interfere accept assembly.json --prune`"), "{ran:?}");
    // `accept` keeps fixed entries, `--prune` drops them.
    accept(&scratch, &[]);
    assert_eq!(baseline(&scratch)["accepted"].as_array().map(Vec::len), Some(1));
    assert_eq!(accept(&scratch, &["--prune"]).stdout, "interfere-baseline.json: 1 entry removed, 0 left\n");
    assert_eq!(baseline(&scratch)["accepted"].as_array().map(Vec::len), Some(0));
    overlapping(&scratch, 0.3);
    assert_eq!(standing(&check(&scratch, &[]).1, "a", "b"), "new");
    // Pruning accepts nothing.
    accept(&scratch, &["--prune"]);
    assert_eq!(check(&scratch, &[]).0, 1);
}

#[test]
fn a_renamed_part_is_new_and_its_old_name_unverified() {
    let scratch = Scratch::new();
    overlapping(&scratch, 0.3);
    accept(&scratch, &[]);
    write_cubes(&scratch, &[("a", [0.0; 3]), ("b2", [9.7, 0.0, 0.0]), ("far", [0.0, 90.0, 0.0])], "");
    let (code, report) = check(&scratch, &[]);
    assert_eq!((code, standing(&report, "a", "b2")), (1, "new"));
    assert_eq!(gone(&report), ("unverified".to_owned(), "there is no instance `b`".to_owned()));
}

#[test]
fn a_deleted_part_is_unverified_and_stays_until_it_is_named() {
    let scratch = Scratch::new();
    overlapping(&scratch, 0.3);
    accept(&scratch, &[]);
    write_cubes(&scratch, &[("b", [9.7, 0.0, 0.0]), ("far", [0.0, 90.0, 0.0])], "");
    let (code, report) = check(&scratch, &[]);
    assert_eq!(code, 0);
    assert_eq!(gone(&report), ("unverified".to_owned(), "there is no instance `a`".to_owned()));
    let ran = run(&scratch, &["check", "assembly.json"]);
    assert!(ran.stdout.contains("  unverified: a and b, interference: there is no instance `a`\n"), "{ran:?}");
    accept(&scratch, &["--prune"]);
    assert_eq!(baseline(&scratch)["accepted"].as_array().map(Vec::len), Some(1));
    accept(&scratch, &["--prune", "b,a"]);
    assert_eq!(baseline(&scratch)["accepted"].as_array().map(Vec::len), Some(0));
}

#[test]
fn what_is_only_out_of_sight_is_unverified() {
    let scratch = Scratch::new();
    overlapping(&scratch, 0.3);
    accept(&scratch, &[]);
    let cubes = [("a", [0.0; 3]), ("b", [9.7, 0.0, 0.0]), ("far", [0.0, 90.0, 0.0])];
    for (rule, why) in [
        (r#""ignore": true"#, "not checked: ignored by assembly.json rules[0]"),
        (
            r#""allow_depth": 1"#,
            "allowed by assembly.json rules[0]: 0.3 mm deep, more than the 0.01 mm allowed at acceptance",
        ),
    ] {
        write_cubes(&scratch, &cubes, &format!(r#""rules": [ {{ "between": ["b", "a"], {rule} }} ],"#));
        let (code, report) = check(&scratch, &[]);
        assert_eq!((code, gone(&report)), (0, ("unverified".to_owned(), why.to_owned())));
    }
}

#[test]
fn unit_inner_pairs_are_unverified() {
    let scratch = Scratch::new();
    write_cubes(&scratch, &[("a", [0.0; 3]), ("b", [9.7, 0.0, 0.0])], "");
    fs::rename(scratch.path().join("assembly.json"), scratch.path().join("stage.json")).expect("renamed");
    let whole = |as_unit: bool| {
        let text = format!(
            r#"{{ "version": 1, "parts": {{ "cube": {{ "mesh": "cube.obj" }} }}, "instances": [
    {{ "id": "stage", "assembly": "stage.json", "as_unit": {as_unit} }},
    {{ "id": "x", "part": "cube", "placement": {{ "translation": [0, 50, 0] }} }} ] }}"#
        );
        scratch.write("assembly.json", text);
    };
    whole(false);
    accept(&scratch, &[]);
    whole(true);
    let (code, report) = check(&scratch, &[]);
    let why = "not checked: both instances are in the `as_unit` sub-assembly `stage`".to_owned();
    assert_eq!((code, gone(&report)), (0, ("unverified".to_owned(), why)));
    let units = ["stage/a", "stage/b", "x"].map(|id| report["instances"][id]["unit"].clone());
    assert_eq!(units, ["stage".into(), "stage".into(), Value::Null]);
}

#[test]
fn changed_tolerance_fixes_and_accepts_nothing() {
    let scratch = Scratch::new();
    overlapping(&scratch, 0.3);
    accept(&scratch, &[]);
    // A finer tolerance keeps the finding accepted.
    let (code, report) = check(&scratch, &["--tolerance", "0.001"]);
    assert_eq!((code, standing(&report, "a", "b")), (0, "accepted"));
    // With a coarse tolerance the pair is a contact.
    let (code, report) = check(&scratch, &["--tolerance", "0.5"]);
    let why = "contact: 0.3 mm deep, more than the 0.01 mm allowed at acceptance";
    assert_eq!((code, gone(&report)), (0, ("unverified".to_owned(), why.to_owned())));
    // An accepted finding may grow by the run's tolerance.
    overlapping(&scratch, 0.35);
    assert_eq!(check(&scratch, &["--tolerance", "0.06"]).0, 0);
    assert_eq!(check(&scratch, &["--tolerance", "0.04"]).0, 1);
}

#[test]
fn clearance_finding_gets_worse_or_fixed() {
    let scratch = Scratch::new();
    let place = |gap: f64, demanded: f64| {
        let rule = format!(r#""rules": [ {{ "between": ["b", "*"], "min_clearance": {demanded} }} ],"#);
        write_cubes(&scratch, &[("a", [0.0; 3]), ("b", [10.0 + gap, 0.0, 0.0])], &rule);
    };
    place(1.0, 2.0);
    accept(&scratch, &[]);
    assert_eq!(baseline(&scratch)["accepted"][0]["gap"], 1);
    for (gap, demanded, code, says) in
        [(0.995, 2.0, 0, "accepted"), (1.5, 2.0, 0, "accepted"), (0.98, 2.0, 1, "worse"), (0.0, 2.0, 1, "worse")]
    {
        place(gap, demanded);
        let (ended, report) = check(&scratch, &[]);
        assert_eq!((ended, standing(&report, "a", "b")), (code, says), "{gap}");
    }
    place(2.0, 2.0);
    assert_eq!(gone(&check(&scratch, &[]).1), ("fixed".to_owned(), "clear".to_owned()));
    // A smaller required clearance proves a fix only with a measured gap.
    place(1.0, 0.5);
    let unverified = "clear, but the rule requires 0.5 mm in place of 2 mm";
    assert_eq!(gone(&check(&scratch, &[]).1), ("unverified".to_owned(), unverified.to_owned()));
    let (_, why) = gone(&check(&scratch, &["--report-within", "3"]).1);
    assert_eq!(why, "clear: 1 mm apart, less than the 2 mm required at acceptance");
    place(2.5, 0.5);
    assert_eq!(gone(&check(&scratch, &["--report-within", "3"]).1).0, "fixed");
    assert_eq!(gone(&check(&scratch, &["--report-within", "2.1"]).1).0, "fixed");
}

#[test]
fn a_loose_pair_gets_worse_with_its_gap() {
    let scratch = Scratch::new();
    let place = |gap: f64| {
        let rule = r#""rules": [ { "between": ["b", "*"], "max_gap": 15 } ],"#;
        write_cubes(&scratch, &[("a", [0.0; 3]), ("b", [10.0 + gap, 0.0, 0.0])], rule);
    };
    place(20.0);
    assert!(accept(&scratch, &[]).stdout.contains("a and b: loose 20 mm apart"));
    let entry = &baseline(&scratch)["accepted"][0]["bracket"];
    assert!(entry[0].as_f64().is_some_and(|gap| (gap - 20.0).abs() < 1e-9), "{entry}");
    for (gap, code, says) in
        [(20.0, 0, "accepted"), (20.005, 0, "accepted"), (18.0, 0, "accepted"), (20.02, 1, "worse"), (23.0, 1, "worse")]
    {
        place(gap);
        let (ended, report) = check(&scratch, &[]);
        assert_eq!((ended, standing(&report, "a", "b")), (code, says), "{gap}");
    }
    place(15.0);
    assert_eq!(gone(&check(&scratch, &[]).1).0, "fixed");
    // A more generous rule, and no rule, prove nothing; a measured gap within the old limit does.
    let within = &["--report-within", "25"][..];
    for (rule, gap, flags, says) in [
        ("30", 20.0, &[][..], "unverified"),
        ("30", 20.0, within, "unverified"),
        ("30", 14.0, &[][..], "unverified"),
        ("30", 14.0, within, "fixed"),
        ("", 20.0, within, "unverified"),
    ] {
        let rules = format!(r#""rules": [ {{ "between": ["b", "*"], "max_gap": {rule} }} ],"#);
        let rules = if rule.is_empty() { "" } else { &rules };
        write_cubes(&scratch, &[("a", [0.0; 3]), ("b", [10.0 + gap, 0.0, 0.0])], rules);
        assert_eq!(gone(&check(&scratch, flags).1).0, says, "{rule} {gap}");
    }
    assert_eq!(baseline(&scratch)["accepted"][0]["limit"], 15);
}

#[test]
fn a_reason_fills_an_entry_without_one() {
    let scratch = Scratch::new();
    write_cubes(&scratch, &[("a", [0.0; 3]), ("b", [9.0, 0.0, 0.0])], "");
    let reason = || baseline(&scratch)["accepted"][0]["reason"].clone();
    for (flags, kept) in [
        (&[][..], serde_json::Value::Null),
        (&["--reason", "first"][..], "first".into()),
        (&["--reason", "second"][..], "first".into()),
    ] {
        accept(&scratch, flags);
        assert_eq!(reason(), kept, "{flags:?}");
    }
}

#[test]
fn undecided_pair_is_accepted_while_inputs_are_unchanged() {
    let scratch = Scratch::new();
    // An open sheet with a flap, and a cube through it.
    let cover = fs::read_to_string(cases().join("open-mesh/parts/cover.obj")).expect("a mesh");
    let place = |at: f64, height: f64, all: f64| {
        write_cubes(&scratch, &[("a", [all, 0.0, all]), ("b", [at + all, 20.0, 8.0 + all])], "");
        scratch.write("cover.obj", &cover);
        scratch.write("cube.obj", obj(&block([0.0; 3], [4.0, 4.0, height])));
        let path = scratch.path().join("assembly.json");
        let text = fs::read_to_string(&path).expect("an assembly");
        let text = text.replace(r#""a", "part": "cube""#, r#""a", "part": "cover""#);
        let parts = r#""parts": { "cover": { "mesh": "cover.obj" }, "#;
        fs::write(&path, text.replace(r#""parts": { "#, parts)).expect("written");
    };
    place(25.0, 4.0, 0.0);
    let (code, report) = check(&scratch, &[]);
    assert_eq!((code, &row(&report, "a", "b").expect("a row")["status"]), (1, &"undecided".into()));
    accept(&scratch, &["--reason", "scanned"]);
    assert_eq!(baseline(&scratch)["accepted"][0]["inputs"].as_str().map(str::len), Some(16));
    for (at, height, all, code, says) in [
        (25.0, 4.0, 0.0, 0, "accepted"),
        // The pair stays the same if the whole assembly moves.
        (25.0, 4.0, 64.0, 0, "accepted"),
        (25.0001, 4.0, 0.0, 1, "changed"),
        (25.0, 4.0001, 0.0, 1, "changed"),
    ] {
        place(at, height, all);
        let (ended, report) = check(&scratch, &[]);
        assert_eq!((ended, standing(&report, "a", "b")), (code, says), "{at} {height} {all}");
    }
    place(60.0, 4.0, 0.0);
    assert_eq!(gone(&check(&scratch, &[]).1).0, "fixed");
}

#[test]
fn verdict_only_accepts_nothing() {
    let scratch = Scratch::new();
    overlapping(&scratch, 0.3);
    accept(&scratch, &[]);
    let (code, report) = check(&scratch, &["--verdict-only"]);
    assert_eq!((code, standing(&report, "a", "b")), (1, "unmeasured"));
    let ran = run(&scratch, &["check", "assembly.json", "--verdict-only"]);
    assert!(ran.stdout.contains("unmeasured: run without --verdict-only and --measure"), "{ran:?}");
}

#[test]
fn depth_alone_accepts_no_interference_with_more_values() {
    let scratch = Scratch::new();
    overlapping(&scratch, 0.3);
    accept(&scratch, &[]);
    let measured = || check(&scratch, &["--measure", "depth"]);
    let (code, report) = measured();
    assert_eq!((code, standing(&report, "a", "b")), (1, "unmeasured"), "the entry has a volume and a translation");
    overlapping(&scratch, 0.5);
    let (code, report) = measured();
    assert_eq!((code, standing(&report, "a", "b")), (1, "worse"), "the depth alone proves it");
    // An entry without the two values compares by its depth.
    overlapping(&scratch, 0.3);
    let mut file = baseline(&scratch);
    let entry = file["accepted"][0].as_object_mut().expect("an entry");
    for key in ["volume", "volume_slack", "volume_facets", "translation_in_a", "translation_facets", "meshes"] {
        assert!(entry.remove(key).is_some(), "{key}");
    }
    scratch.write(FILE, file.to_string());
    let (code, report) = measured();
    assert_eq!((code, standing(&report, "a", "b")), (0, "accepted"));
}

#[test]
fn reasons_stay_and_pairs_can_be_named() {
    let scratch = Scratch::new();
    let place = |x: f64| {
        write_cubes(
            &scratch,
            &[("a", [0.0; 3]), ("b", [x, 0.0, 0.0]), ("c", [-5.0, 9.5, 0.0]), ("d,e", [-5.0, -5.0, 9.5])],
            "",
        );
    };
    place(9.7);
    assert_eq!(accept(&scratch, &["b,a", "--reason", "press fit"]).stderr, "");
    let entries = || baseline(&scratch)["accepted"].as_array().expect("a list").clone();
    assert_eq!((entries().len(), &entries()[0]["reason"]), (1, &"press fit".into()));
    assert_eq!(standing(&check(&scratch, &[]).1, "a", "c"), "new");
    // Selects one pair by its own id and one by an instance id with a comma.
    let id = row(&check(&scratch, &[]).1, "a", "c").expect("a row")["id"].as_str().expect("an id").to_owned();
    accept(&scratch, &[&id, "a,d,e", "--reason", "seat"]);
    let reasons = || entries().iter().map(|e| e["reason"].clone()).collect::<Vec<_>>();
    assert_eq!((check(&scratch, &[]).0, reasons()), (0, vec!["press fit".into(), "seat".into(), "seat".into()]));
    // A reason without a pair applies to newly accepted findings.
    place(9.0);
    let said = accept(&scratch, &["--reason", "more pressure"]).stdout;
    assert!(said.starts_with("accepted, worse: a and b: interference 1 mm deep\n"), "{said}");
    assert_eq!(reasons(), ["more pressure", "seat", "seat"]);
    place(8.0);
    accept(&scratch, &[]);
    assert_eq!(reasons(), ["more pressure", "seat", "seat"]);
    // The file is sorted, has one line per pair, and keeps its bytes if nothing changed.
    let text = || fs::read_to_string(scratch.path().join(FILE)).expect("a baseline");
    let before = text();
    accept(&scratch, &["--threads", "1"]);
    assert_eq!(text(), before);
    assert_eq!(before.lines().filter(|l| l.starts_with("    {\"a\": \"a\", \"b\": ")).count(), 3);
    let ran = run(&scratch, &["accept", "assembly.json", "a,bb", "nobody"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.starts_with("error: no finding matches `a,bb`; did you mean `a,b`?\nerror: no "), "{ran:?}");
    assert_eq!(text(), before);
}

#[test]
fn a_damaged_baseline_is_an_error_with_its_place() {
    let scratch = Scratch::new();
    overlapping(&scratch, 0.3);
    accept(&scratch, &[]);
    let path = scratch.path().join(FILE);
    let whole = fs::read_to_string(&path).expect("a baseline");
    let entry = whole.lines().nth(5).expect("an entry").trim().to_owned();
    for (from, to, says) in [
        ("\"limit\"", "\"limt\"", "accepted[0].limt: unknown key `limt`; did you mean `limit`?"),
        (
            "\"version\": 1",
            "\"version\": 2",
            "interfere-baseline.json:2:14: version: found the number 2; expected the number 1",
        ),
        ("\"interference\"", "\"contact\"", "accepted[0].status: unknown value `contact`"),
        ("\"depth\"", "\"gap\"", "`gap` of a finding with status interference; replace it by `depth`"),
        ("\"a\": \"a\"", "\"a\": \"z\"", "`a` does not come before `b` in byte order; swap `a` and `b`"),
        ("  ]", "  ", "not JSON"),
        ("\"units\": \"mm\",", "", "no `units`; add \"units\": a length unit"),
        (&entry, &format!("{entry},\n{entry}"), "the pair is accepted twice; accepted[0] has the same pair"),
    ] {
        assert!(whole.contains(from), "{from}");
        scratch.write(FILE, whole.replace(from, to));
        for command in ["check", "accept"] {
            let ran = run(&scratch, &[command, "assembly.json"]);
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
            assert!(ran.stderr.contains(says), "{says} in {}", ran.stderr);
        }
    }
}

#[test]
fn baseline_file_selection() {
    let scratch = Scratch::new();
    overlapping(&scratch, 0.3);
    let missing = run(&scratch, &["check", "assembly.json", "--baseline", "other.json"]);
    assert_eq!((missing.code, missing.stdout.as_str()), (2, ""));
    assert!(missing.stderr.contains("`interfere accept assembly.json --baseline other.json`"), "{missing:?}");
    accept(&scratch, &["--baseline", "other.json"]);
    assert!(!scratch.path().join(FILE).exists());
    assert_eq!(check(&scratch, &["--baseline", "other.json"]).0, 0);
    assert_eq!(check(&scratch, &[]).0, 1);
    // A baseline of another assembly is ignored with a warning.
    accept(&scratch, &[]);
    fs::copy(scratch.path().join("assembly.json"), scratch.path().join("second.json")).expect("copied");
    let ran = run(&scratch, &["check", "second.json"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.starts_with("warning: interfere-baseline.json: the baseline belongs to assembly.json"),
        "{ran:?}"
    );
    assert!(ran.stderr.contains("[other-baseline]"), "{ran:?}");
    let strict = run(&scratch, &["check", "second.json", "--strict"]);
    assert!(strict.code == 1 && strict.stdout.ends_with("1 warning fails with --strict\n"), "{strict:?}");
    assert_eq!(run(&scratch, &["accept", "second.json"]).code, 2);
    assert_eq!(run(&scratch, &["check", "second.json", "--baseline", FILE]).code, 0);
    let clash = run(&scratch, &["check", "assembly.json", "--baseline", FILE, "--no-baseline"]);
    assert_eq!(clash.code, 2);
    // Pruning needs a baseline.
    assert_eq!(run(&scratch, &["accept", "assembly.json", "--prune", "--baseline", "none.json"]).code, 2);
}

#[test]
fn units_and_zero_tolerance_are_lossless() {
    for unit in ["mm", "cm", "m", "inch", "ft"] {
        let scratch = Scratch::new();
        let more = format!(r#""units": "{unit}", "tolerance": 0, "#);
        for depth in [0.3, 0.7, 0.123_456_7] {
            write_cubes(&scratch, &[("a", [0.0; 3]), ("b", [10.0 - depth, 0.0, 0.0])], &more);
            accept(&scratch, &[]);
            assert_eq!(check(&scratch, &[]).0, 0, "{unit} {depth}");
        }
    }
    // Another unit in the file changes the meaning of its lengths.
    let scratch = Scratch::new();
    overlapping(&scratch, 0.3);
    accept(&scratch, &[]);
    let text = fs::read_to_string(scratch.path().join(FILE)).expect("a baseline");
    scratch.write(FILE, text.replace("\"mm\"", "\"cm\""));
    overlapping(&scratch, 2.9);
    assert_eq!(check(&scratch, &[]).0, 0);
    overlapping(&scratch, 3.1);
    assert_eq!(check(&scratch, &[]).0, 1);
}
