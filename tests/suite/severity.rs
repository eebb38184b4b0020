//! Do severities of rules and of `--severity` decide what fails, in every report? Through the built program.

use crate::baseline::write_cubes;
use crate::support::command::{Ran, interfere_in};
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use serde_json::Value;

/// Three cubes: `a` and `b` overlap by 1 mm, `b` and `c` are 0.5 mm apart.
fn row_of_cubes(rules: &str) -> Scratch {
    let scratch = Scratch::new();
    write_cubes(&scratch, &[("a", [0.0; 3]), ("b", [9.0, 0.0, 0.0]), ("c", [19.5, 0.0, 0.0])], rules);
    scratch
}

const CLEARANCE: &str = r#"{ "between": ["b", "c"], "min_clearance": 2 }"#;

fn check(scratch: &Scratch, flags: &[&str]) -> Ran {
    let ran = interfere_in(scratch.path(), &[&["check", "assembly.json"], flags].concat());
    assert!(ran.code < 2, "{ran:?}");
    ran
}

/// Exit code and severities of all pairs, from the JSON report.
fn severities(scratch: &Scratch, flags: &[&str]) -> (i32, Vec<String>) {
    let ran = check(scratch, &[&["--format", "json"], flags].concat());
    let pairs = parsed(&ran.stdout)["pairs"].as_array().expect("pairs").clone();
    let text = |p: &Value| format!("{}{} {} {}", p["a"], p["b"], p["status"], p["severity"]).replace('"', "");
    (ran.code, pairs.iter().map(text).collect())
}

#[test]
fn a_rule_with_a_severity_alone_makes_an_interference_a_warning() {
    let graded = r#"{ "between": ["a", "*"], "severity": "warning", "reason": "a rough model" }"#;
    let scratch = row_of_cubes(&format!(r#""rules": [ {graded} ],"#));
    assert_eq!(severities(&scratch, &[]), (0, vec!["ab interference warning".to_owned()]));
    let ran = check(&scratch, &[]);
    assert!(ran.stdout.contains("interference (warning)"), "{ran:?}");
    assert!(ran.stdout.ends_with("PASS: 1 finding with severity warning\n"), "{ran:?}");
    assert!(ran.stderr.is_empty(), "{ran:?}");
    // The flag precedes the rule.
    let (code, pairs) = severities(&scratch, &["--severity", "interference=error"]);
    assert_eq!((code, pairs), (1, vec!["ab interference error".to_owned()]));
}

#[test]
fn an_action_keeps_its_limit_under_a_severity() {
    let rule = CLEARANCE.replace("2 }", r#"2, "severity": "warning", "reason": "wanted" }"#);
    let scratch = row_of_cubes(&format!(r#""rules": [ {rule} ],"#));
    let (code, pairs) = severities(&scratch, &[]);
    assert_eq!((code, pairs), (1, vec!["ab interference error".to_owned(), "bc too_close warning".to_owned()]));
    let ran = check(&scratch, &[]);
    assert!(ran.stdout.ends_with("FAIL: 1 pair fails, 1 finding with severity warning\n"), "{ran:?}");
    let table: Vec<&str> = ran.stdout.lines().filter(|l| l.starts_with(['i', 't']) && l.contains("  ")).collect();
    assert!(table[0].starts_with("interference ") && table[1].starts_with("too_close (warning)"), "{table:?}");
}

#[test]
fn flags_set_the_severity_of_a_status() {
    let scratch = row_of_cubes(&format!(r#""rules": [ {CLEARANCE} ],"#));
    let flag = |value: &'static str| ["--severity", value];
    assert_eq!(severities(&scratch, &[]).0, 1);
    assert_eq!(severities(&scratch, &flag("too_close=warning")).0, 1);
    let both = [flag("too_close=warning"), flag("interference=warning")].concat();
    let (code, pairs) = severities(&scratch, &both);
    assert_eq!((code, pairs), (0, vec!["ab interference warning".to_owned(), "bc too_close warning".to_owned()]));
    let report = parsed(&check(&scratch, &[&["--format", "json"], &both[..]].concat()).stdout);
    assert_eq!(report["summary"]["findings"], serde_json::json!({"error": 0, "warning": 2}));
    assert_eq!(report["summary"]["severity"], serde_json::json!({"interference": "warning", "too_close": "warning"}));
    for (value, why) in [
        ("clear=warning", "the status is one of interference, too_close, loose, undecided"),
        ("undecided=note", "the severity is `error` or `warning`"),
        ("undecided", "write STATUS=SEVERITY"),
    ] {
        let ran = interfere_in(scratch.path(), &["check", "assembly.json", "--severity", value]);
        assert!(ran.code == 2 && ran.stderr.contains(why), "{ran:?}");
    }
}

#[test]
fn every_format_marks_a_warning() {
    let scratch = row_of_cubes(&format!(r#""rules": [ {CLEARANCE} ],"#));
    let shown = |format| check(&scratch, &["--format", format, "--severity", "too_close=warning"]).stdout;
    let sarif = parsed(&shown("sarif"));
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let levels: Vec<(&str, &str)> = results
        .iter()
        .map(|r| (r["ruleId"].as_str().expect("a rule"), r["level"].as_str().expect("a level")))
        .collect();
    assert_eq!(levels, [("interference", "error"), ("too_close", "warning")]);
    let github = shown("github");
    assert!(github.lines().any(|l| l.starts_with("::error ") && l.contains("title=interference")), "{github}");
    assert!(github.lines().any(|l| l.starts_with("::warning ") && l.contains("title=too_close")), "{github}");
    let junit = shown("junit");
    assert!(junit.contains(r#"failures="1" errors="0" skipped="1""#), "{junit}");
    assert!(junit.contains(r#"<skipped type="too_close" message="warning: b and c are 0.5 mm apart"#), "{junit}");
    let markdown = shown("markdown");
    assert!(
        markdown.contains("too_close (warning)") && markdown.contains("1 finding with severity warning"),
        "{markdown}"
    );
    assert!(shown("csv").contains(",too_close,warning,"), "{}", shown("csv"));
}

#[test]
fn explain_and_diff_pass_a_warning() {
    let rule = CLEARANCE.replace("2 }", r#"2, "severity": "warning", "reason": "wanted" }"#);
    let scratch = row_of_cubes(&format!(r#""rules": [ {rule} ],"#));
    let explain = |a, b| interfere_in(scratch.path(), &["explain", "assembly.json", a, b]);
    let ran = explain("b", "c");
    assert!(ran.code == 0 && ran.stdout.contains("\ntoo_close (warning): "), "{ran:?}");
    assert_eq!(explain("a", "b").code, 1);
    // A new warning is no new failure.
    check(&scratch, &["--format", "json", "-o", "new.json"]);
    write_cubes(
        &scratch,
        &[("a", [0.0; 3]), ("b", [9.0, 0.0, 0.0]), ("c", [29.5, 0.0, 0.0])],
        &format!(r#""rules": [ {rule} ],"#),
    );
    check(&scratch, &["--format", "json", "-o", "old.json"]);
    let diff = |old, new| interfere_in(scratch.path(), &["diff", old, new]);
    let ran = diff("old.json", "new.json");
    assert!(ran.code == 0 && ran.stdout.contains("too_close (warning) 0.5 mm apart"), "{ran:?}");
}

#[test]
fn shards_and_baselines_know_severities() {
    let graded = r#"{ "between": ["a", "*"], "severity": "warning", "reason": "a rough model" }"#;
    let scratch = row_of_cubes(&format!(r#""rules": [ {graded}, {CLEARANCE} ],"#));
    let ran = |arguments: &[&str]| interfere_in(scratch.path(), arguments);
    for shard in ["1/2", "2/2"] {
        assert_eq!(ran(&["check", "assembly.json", "--shard", shard, "-o", &shard.replace('/', "-")]).code, 0);
    }
    assert_eq!(ran(&["merge", "1-2", "2-2"]).code, 1);
    assert_eq!(ran(&["merge", "1-2", "2-2", "--severity", "too_close=warning"]).code, 0);
    let whole = ran(&["check", "assembly.json", "--format", "json"]);
    assert_eq!(whole.stdout, ran(&["merge", "1-2", "2-2", "--format", "json"]).stdout);
    // The baseline accepts warnings as it accepts errors.
    assert_eq!(ran(&["accept", "assembly.json", "--reason", "known"]).code, 0);
    let after = ran(&["check", "assembly.json"]);
    assert!(after.code == 0 && after.stdout.ends_with("PASS: 2 accepted findings\n"), "{after:?}");
}
