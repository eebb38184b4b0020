//! Does `interfere diff` compare two reports correctly? Through the built program.

use crate::baseline::write_cubes;
use crate::support::command::{Ran, interfere_in};
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use crate::support::solids::{block, obj};
use serde_json::Value;
use std::fs;

/// Checks the folder's assembly and keeps the report under `name`.
fn report(scratch: &Scratch, name: &str, flags: &[&str]) {
    let ran =
        interfere_in(scratch.path(), &[&["check", "assembly.json", "--format", "json", "-o", name], flags].concat());
    assert!(ran.code < 2, "{ran:?}");
}

fn diff(scratch: &Scratch, flags: &[&str]) -> Ran {
    interfere_in(scratch.path(), &[&["diff", "old.json", "new.json"], flags].concat())
}

/// Exit code and JSON of a comparison.
fn compared(scratch: &Scratch) -> (i32, Value) {
    let ran = diff(scratch, &["--format", "json"]);
    assert!(ran.code < 2 && ran.stderr.is_empty(), "{ran:?}");
    let json = parsed(&ran.stdout);
    assert_eq!(json["summary"]["verdict"], if ran.code == 1 { "fail" } else { "pass" });
    (ran.code, json)
}

/// Status and causes of the only changed pair.
fn only(json: &Value) -> (String, Vec<String>) {
    let pairs = json["pairs"].as_array().expect("a list");
    assert_eq!(pairs.len(), 1, "{pairs:?}");
    let change = pairs[0]["change"].as_str().expect("a change").to_owned();
    assert_eq!(json["summary"][&change], 1);
    let causes = pairs[0]["causes"].as_array().expect("a list");
    (change, causes.iter().map(|c| c.as_str().expect("a text").to_owned()).collect())
}

const RULES: &str = r#""rules": [ { "between": ["b", "far"], "min_clearance": 20 } ],"#;

/// Writes two cubes overlapping by `depth`, and a third at `gap` from the second.
fn place(scratch: &Scratch, depth: f64, gap: f64, rules: &str) {
    let b = 10.0 - depth;
    write_cubes(scratch, &[("a", [0.0; 3]), ("b", [b, 0.0, 0.0]), ("far", [b + 10.0 + gap, 0.0, 0.0])], rules);
}

#[test]
fn a_loose_pair_is_worse_farther_apart() {
    let scratch = Scratch::new();
    let rule = r#""rules": [ { "between": ["far", "b"], "max_gap": 15 } ],"#;
    for (before, now, change, code) in [(20.0, 23.0, "worse", 1), (20.0, 18.0, "better", 0), (16.0, -1.0, "worse", 1)] {
        place(&scratch, 0.0, before, rule);
        report(&scratch, "old.json", &[]);
        place(&scratch, 0.0, now, rule);
        report(&scratch, "new.json", &[]);
        let (ended, json) = compared(&scratch);
        assert_eq!((ended, only(&json).0.as_str()), (code, change), "{before} {now}");
    }
}

#[test]
fn a_worse_warning_passes_and_is_named() {
    let scratch = Scratch::new();
    let rules = r#""rules": [ { "between": ["a", "b"], "severity": "warning", "reason": "a rough model" } ],"#;
    for (name, depth) in [("old.json", 0.3), ("new.json", 0.6)] {
        place(&scratch, depth, 5.0, rules);
        report(&scratch, name, &[]);
    }
    for (flags, last) in [
        (&[][..], "\nPASS: new and worse findings have the severity `warning`\n"),
        (&["--format", "markdown"], "\n**PASS**: new and worse findings have the severity `warning`.\n"),
    ] {
        let ran = diff(&scratch, flags);
        assert!(ran.code == 0 && ran.stdout.contains(last) && ran.stdout.contains("1 worse"), "{ran:?}");
    }
}

#[test]
fn the_same_report_twice_has_nothing_new() {
    let scratch = Scratch::new();
    place(&scratch, 0.3, 5.0, RULES);
    report(&scratch, "old.json", &[]);
    report(&scratch, "new.json", &[]);
    let (code, json) = compared(&scratch);
    assert_eq!((code, &json["summary"]["same"], json["pairs"].as_array().map(Vec::len)), (0, &2.into(), Some(0)));
    let ran = diff(&scratch, &[]);
    assert!(ran.stdout.ends_with("0 fixed, 2 same\nPASS: no finding is new or worse\n"), "{ran:?}");
}

#[test]
fn deeper_or_nearer_is_worse_and_reverse_is_better() {
    for (was, is, change) in [
        ([0.3, 5.0], [0.5, 5.0], "worse"),
        ([0.5, 5.0], [0.3, 5.0], "better"),
        ([0.3, 5.0], [0.3, 4.0], "worse"),
        ([0.3, 4.0], [0.3, 5.0], "better"),
    ] {
        let scratch = Scratch::new();
        place(&scratch, was[0], was[1], RULES);
        report(&scratch, "old.json", &[]);
        place(&scratch, is[0], is[1], RULES);
        report(&scratch, "new.json", &[]);
        let (code, json) = compared(&scratch);
        let (found, causes) = only(&json);
        assert_eq!((code, found.as_str()), (i32::from(change == "worse"), change));
        let moved = if was[0] == is[0] { &["placement_b"][..] } else { &["placement_b"] };
        assert_eq!(causes, moved);
    }
}

#[test]
fn what_appears_is_new_and_what_is_gone_is_fixed_or_unverified() {
    let scratch = Scratch::new();
    place(&scratch, -1.0, 50.0, RULES);
    report(&scratch, "old.json", &[]);
    place(&scratch, 0.3, 50.0, RULES);
    report(&scratch, "new.json", &[]);
    let (code, json) = compared(&scratch);
    assert_eq!((code, only(&json).0), (1, "new".to_owned()));
    assert_eq!((&json["pairs"][0]["old"], &json["pairs"][0]["new"]["status"]), (&Value::Null, &"interference".into()));

    fs::rename(scratch.path().join("new.json"), scratch.path().join("old.json")).expect("renamed");
    place(&scratch, -1.0, 50.0, RULES);
    report(&scratch, "new.json", &[]);
    let (code, json) = compared(&scratch);
    assert_eq!((code, only(&json)), (0, ("fixed".to_owned(), vec!["placement_b".to_owned()])));
    assert_eq!(json["pairs"][0]["note"], "clear");

    place(&scratch, 0.3, 50.0, r#""rules": [ { "between": ["a", "*"], "ignore": true } ],"#);
    report(&scratch, "new.json", &[]);
    let (code, json) = compared(&scratch);
    assert_eq!((code, only(&json)), (0, ("unverified".to_owned(), vec!["rule".to_owned()])));
    assert_eq!(json["pairs"][0]["note"], "not checked: ignored by assembly.json rules[0]");

    write_cubes(&scratch, &[("b", [9.7, 0.0, 0.0]), ("far", [90.0, 0.0, 0.0])], "");
    report(&scratch, "new.json", &[]);
    let (code, json) = compared(&scratch);
    assert_eq!((code, only(&json)), (0, ("unverified".to_owned(), vec!["instance_a".to_owned()])));
    let table = diff(&scratch, &[]).stdout;
    assert!(table.contains("there is no instance `a`") && table.contains("a is in one report only"), "{table}");
}

#[test]
fn diff_distinguishes_causes_of_change() {
    let scratch = Scratch::new();
    place(&scratch, 0.3, 50.0, "");
    report(&scratch, "old.json", &[]);
    // Another mesh.
    scratch.write("cube.obj", obj(&block([0.0; 3], [10.5, 10.0, 10.0])));
    report(&scratch, "new.json", &[]);
    assert_eq!(only(&compared(&scratch).1), ("worse".to_owned(), vec!["mesh_a".to_owned(), "mesh_b".to_owned()]));
    // Another tolerance: contact, at the same depth.
    place(&scratch, 0.3, 50.0, "");
    report(&scratch, "new.json", &["--tolerance", "0.4"]);
    assert_eq!(only(&compared(&scratch).1), ("unverified".to_owned(), vec!["tolerance".to_owned()]));
    // Cubes equal their hulls, and unchanged pairs have no causes.
    report(&scratch, "new.json", &["--geometry", "hull"]);
    assert_eq!(compared(&scratch).1["pairs"].as_array().map(Vec::len), Some(0));
    // An unmeasured pair may be worse.
    report(&scratch, "new.json", &["--verdict-only"]);
    let (code, json) = compared(&scratch);
    assert_eq!((code, only(&json).0.as_str()), (1, "unmeasured"));
    report(&scratch, "new.json", &["--measure", "depth"]);
    let (code, json) = compared(&scratch);
    assert_eq!((code, only(&json).0.as_str()), (1, "unmeasured"), "the volume may have grown");
    report(&scratch, "old.json", &["--measure", "depth"]);
    let (code, json) = compared(&scratch);
    assert_eq!((code, json["pairs"].as_array().map(Vec::len)), (0, Some(0)), "equal in all that both measure");
}

#[test]
fn markdown_lists_failing_changes_first_and_folds_the_others() {
    let scratch = Scratch::new();
    place(&scratch, 0.3, 5.0, RULES);
    report(&scratch, "old.json", &[]);
    place(&scratch, 0.5, 50.0, RULES);
    report(&scratch, "new.json", &[]);
    let ran = diff(&scratch, &["--format", "markdown"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    insta::assert_snapshot!(ran.stdout, @r"
    ## interfere: changes of <code>assembly</code>

    **FAIL**: 1 finding is new, worse or not comparable.

    2 findings before, 1 now: 1 worse, 1 fixed

    | change | a | b | was | is | also changed |
    | --- | --- | --- | --- | --- | --- |
    | **worse** | <code>a</code> | <code>b</code> | interference 0.3 mm deep, common volume 30 mm³, separated by 0.3 mm | interference 0.5 mm deep, common volume 50 mm³, separated by 0.5 mm | placement of b |

    <details><summary>1 other change</summary>

    | change | a | b | was | is | also changed |
    | --- | --- | --- | --- | --- | --- |
    | **fixed** | <code>b</code> | <code>far</code> | too&#95;close 5 mm apart | <code>clear</code> | placement of a, placement of b |

    </details>
    ");
    let ran = interfere_in(scratch.path(), &["diff", "new.json", "new.json", "--format", "markdown", "-o", "same.md"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{ran:?}");
    let same = fs::read_to_string(scratch.path().join("same.md")).expect("a page");
    assert!(same.contains("**PASS**") && same.ends_with("1 finding before, 1 now: 1 same\n"), "{same}");
    assert!(!same.contains('|') && !same.contains("<details>"), "{same}");
}

#[test]
fn markdown_fits_into_a_comment() {
    let scratch = Scratch::new();
    write_cubes(&scratch, &[("a", [0.0; 3]), ("far", [50.0; 3])], "");
    report(&scratch, "old.json", &[]);
    // Each character of these ids takes five bytes or more.
    let ids: Vec<String> = (0..12).map(|k| format!("{}{k}", "~|".repeat(59))).collect();
    let cubes: Vec<(&str, [f64; 3])> = ids.iter().map(|id| (id.as_str(), [0.0; 3])).collect();
    write_cubes(&scratch, &cubes, "");
    report(&scratch, "new.json", &[]);
    let ran = diff(&scratch, &["--format", "markdown"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let rows = ran.stdout.lines().filter(|l| l.starts_with("| **new**")).count();
    assert!((20..50).contains(&rows) && ran.stdout.len() <= 60_000, "{rows} rows, {} bytes", ran.stdout.len());
    assert!(ran.stdout.ends_with(&format!("\nand {} more\n", 66 - rows)), "{}", ran.stdout);
}

#[test]
fn units_make_no_difference() {
    let scratch = Scratch::new();
    place(&scratch, 0.3, 50.0, "");
    report(&scratch, "old.json", &[]);
    let text = fs::read_to_string(scratch.path().join("assembly.json")).expect("an assembly");
    let mm = text.replace("\"mesh\"", "\"units\": \"mm\", \"mesh\"");
    // The same lengths in centimetres; the third cube stays far.
    let cm = mm.replace("[9.7,", "[0.97,").replace("[69.7,", "[6.97,");
    scratch.write("assembly.json", cm.replace("\"version\": 1,", "\"version\": 1, \"units\": \"cm\","));
    report(&scratch, "new.json", &["--tolerance", "0.001"]);
    let (code, json) = compared(&scratch);
    assert_eq!((code, &json["summary"]["same"], &json["new"]["units"]), (0, &1.into(), &"cm".into()));
}

#[test]
fn a_comparison_replaces_none_of_its_reports() {
    let scratch = Scratch::new();
    place(&scratch, 0.3, 50.0, "");
    report(&scratch, "old.json", &[]);
    report(&scratch, "new.json", &[]);
    let before = fs::read(scratch.path().join("new.json")).expect("a report");
    let ran = diff(&scratch, &["-o", "new.json"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    assert!(ran.stderr.contains("new.json: --output would replace an input report"), "{ran:?}");
    assert_eq!(fs::read(scratch.path().join("new.json")).expect("a report"), before);
}

#[test]
fn invalid_report_is_refused_with_location() {
    let scratch = Scratch::new();
    place(&scratch, 0.3, 50.0, "");
    report(&scratch, "new.json", &[]);
    let report_text = fs::read_to_string(scratch.path().join("new.json")).expect("a report");
    for (text, says) in [
        ("{", "old.json:1:1: not a JSON report from `interfere check`: EOF"),
        ("\"x\"", "not a JSON report from `interfere check`: invalid type: string \"x\", expected an object: a report"),
        (
            &report_text.replace("\"assembly\": {", "\"assembly\": 1, \"other\": {"),
            "not a JSON report from `interfere check`: invalid type: integer `1`, expected an object: the assembly",
        ),
        ("{\"version\": 1}", "old.json:1:14: not a JSON report from `interfere check`: missing field"),
        (
            &report_text.replace("\"version\": 1,", "\"version\": 2,"),
            "old.json: this release does not know version 2 of the report",
        ),
        (&report_text.replace("\"interference\", \"sev", "\"melted\", \"sev"), "unknown status `melted`"),
    ] {
        scratch.write("old.json", text);
        let ran = diff(&scratch, &[]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.contains(says), "{says} in {}", ran.stderr);
    }
    let baseline = interfere_in(scratch.path(), &["accept", "assembly.json"]);
    assert_eq!(baseline.code, 0, "{baseline:?}");
    let write = |arguments: &[&str]| scratch.write("written", interfere_in(scratch.path(), arguments).stdout);
    for (arguments, file, what) in [
        (&["--version"][..], "interfere-baseline.json", "a baseline"),
        (&["--version"], "assembly.json", "an assembly file"),
        (
            &["check", "assembly.json", "--shard", "1/2", "-o", "part.json"],
            "part.json",
            "a partial report of one shard",
        ),
        (&["check", "assembly.json", "--format", "sarif"], "written", "a SARIF log"),
        (&["diff", "new.json", "new.json", "--format", "json"], "written", "a comparison of two reports"),
        (&["explain", "assembly.json", "a", "b", "--format", "json"], "written", "an explanation of one pair"),
        (&["suggest", "assembly.json", "--format", "json"], "written", "a list of proposed rules"),
        (&["inspect", "cube.obj", "--format", "json"], "written", "an inspection of mesh files"),
    ] {
        write(arguments);
        let ran = interfere_in(scratch.path(), &["diff", file, "new.json"]);
        assert_eq!(ran.code, 2, "{ran:?}");
        let says = format!(
            "{file}: expected a JSON report from `interfere check`, found {what}; write one with `interfere check ASSEMBLY --format json`"
        );
        assert!(ran.stderr.contains(&says), "{says} in {}", ran.stderr);
    }
    // PowerShell may write a mark first, or UTF-16.
    scratch.write("old.json", format!("\u{feff}{report_text}"));
    assert_eq!(diff(&scratch, &[]).code, 0);
    let wide: Vec<u8> = [0xff, 0xfe].into_iter().chain(report_text.bytes().flat_map(|b| [b, 0])).collect();
    fs::write(scratch.path().join("old.json"), wide).expect("written");
    let says = "not UTF-8, probably UTF-16; save the file as UTF-8";
    assert!(diff(&scratch, &[]).stderr.contains(says), "{says}");
    // A report is neither an assembly nor a baseline.
    for (arguments, says) in [
        (&["check", "new.json"][..], "a report of `interfere check`, not an assembly file"),
        (&["check", "assembly.json", "--baseline", "new.json"], "a report of `interfere check`, not a baseline"),
        (&["check", "interfere-baseline.json"], "a baseline, not an assembly file"),
    ] {
        let ran = interfere_in(scratch.path(), arguments);
        assert!(ran.code == 2 && ran.stderr.contains(says) && ran.stderr.lines().count() == 1, "{ran:?}");
    }
    fs::remove_file(scratch.path().join("old.json")).expect("removed");
    assert_eq!(diff(&scratch, &[]).code, 2);
    // The reader ignores keys of later releases.
    scratch.write("old.json", report_text.replace("\"units\": \"mm\"", "\"units\": \"mm\", \"colour\": {\"x\": [1]}"));
    assert_eq!(compared(&scratch).0, 0);
}
