//! Invariants of every report.

use interfere::internals::check::{Outcome, Status, pair_id};
use interfere::internals::findings::Judged;
use interfere::report::{Format, Style, render};
use serde_json::Value;
use std::collections::BTreeSet;

/// JSON report of an outcome.
pub fn json_of(outcome: &Outcome) -> String {
    let mut bytes = Vec::new();
    render(&Judged::from(outcome.clone()), Format::Json, Style::default(), &mut bytes).expect("memory takes all");
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

pub fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("the report is no JSON: {e}\n{text}"))
}

pub fn number(value: &Value) -> Option<f64> {
    value.as_f64()
}

pub fn vector(value: &Value) -> Option<[f64; 3]> {
    let list = value.as_array()?;
    Some([list[0].as_f64()?, list[1].as_f64()?, list[2].as_f64()?])
}

pub fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("`{key}` is no text in {value}"))
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no count"))
}

fn sum(object: &Value) -> u64 {
    object.as_object().expect("counts by name").values().map(count).sum()
}

/// Row of a report by its two ids.
pub fn row<'a>(report: &'a Value, a: &str, b: &str) -> Option<&'a Value> {
    report["pairs"].as_array().expect("rows").iter().find(|p| p["a"] == a && p["b"] == b)
}

/// Asserts consistent counts, order, ids and numbers.
pub fn assert_sound(report: &Value) {
    assert_eq!(report["version"], 1);
    let summary = &report["summary"];
    let counts = &summary["counts"];
    let n = count(&summary["instances"]);
    assert_eq!(count(&summary["pairs"]), n * (n - 1) / 2, "{n} instances make n(n-1)/2 pairs");
    assert_eq!(sum(counts), count(&summary["pairs"]), "every pair ends in one status: {counts}");
    assert_eq!(sum(&summary["cleared_by"]), count(&counts["clear"]), "every clear pair was cleared by one stage");
    assert_eq!(report["instances"].as_object().map(|m| m.len() as u64), Some(n));
    // A status without a pair may be left out.
    let of = |s: &Status| counts.get(s.name()).map_or(0, count);
    let runs = report["motion"]["runs"].as_array();
    let run_fails = runs.is_some_and(|runs| runs.iter().any(|run| run["verdict"] == "fail"));
    let fails = run_fails || Status::ALL.iter().any(|s| s.fails() && of(s) > 0);
    assert_eq!(text(summary, "verdict"), if fails && !is_excused(report) { "fail" } else { "pass" });

    let rows = report["pairs"].as_array().expect("rows");
    for status in Status::ALL {
        let listed = rows.iter().filter(|r| r["status"] == status.name()).count() as u64;
        let counted = of(&status);
        match status {
            Status::Clear => assert!(listed <= counted),
            Status::Ignored => assert_eq!(listed, 0, "ignored pairs are not listed"),
            _ => assert_eq!(listed, counted, "all {} pairs are listed", status.name()),
        }
    }
    let keys: Vec<(&str, &str)> = rows.iter().map(|r| (text(r, "a"), text(r, "b"))).collect();
    assert!(keys.is_sorted() && keys.iter().all(|(a, b)| a < b), "rows are sorted by id, the lesser first: {keys:?}");
    assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len(), "no pair is listed twice");
    for row in rows {
        assert_eq!(text(row, "id"), pair_id(text(row, "a"), text(row, "b")));
        if report["settings"]["measure"] == "all" {
            assert_row(row, report["settings"]["geometry"] == "hull");
        }
    }
}

/// True if findings do not fail: all are accepted, or `--fail-on never` applies. Also asserts the counts of the
/// baseline.
fn is_excused(report: &Value) -> bool {
    let of_runs = report["motion"]["rows"].as_array();
    let rows = report["pairs"].as_array().expect("rows").iter().chain(of_runs.into_iter().flatten());
    let baseline = &report["baseline"];
    let mut failing = 0;
    for standing in ["new", "worse", "changed", "unmeasured", "accepted"] {
        let listed = rows.clone().filter(|r| r["baseline"] == standing).count() as u64;
        assert_eq!(listed, baseline["counts"][standing].as_u64().unwrap_or(0), "{standing}: {baseline}");
        failing += if standing == "accepted" { 0 } else { listed };
    }
    match text(&report["summary"], "fail_on") {
        "never" => true,
        "new" => !baseline.is_null() && failing == 0,
        _ => false,
    }
}

fn assert_row(row: &Value, of_hulls: bool) {
    let (low, high) = (row["gap_bracket"][0].as_f64(), row["gap_bracket"][1].as_f64());
    let Some(gap) = number(&row["gap"]) else {
        assert!(row["certainty"] == "no_inside" && low <= high && low.is_some(), "no gap: {row}");
        assert!(row["relation"].is_null() && row["overlap_depth"].is_null(), "{row}");
        return;
    };
    assert!(low <= Some(gap) && Some(gap) <= high, "the gap lies in its bracket: {row}");
    let depth = number(&row["overlap_depth"]).expect("a depth");
    assert_eq!(depth, (-gap).max(0.0), "the depth is the gap below zero: {row}");
    let translation = vector(&row["separating_translation"]);
    let penetration = number(&row["penetration_depth"]);
    // Numbers of one row come from one computation and differ by its rounding.
    let alike = |x: f64, y: f64| (x - y).abs() <= 1e-9 * (x.abs() + y.abs()) + high.unwrap_or(gap) - low.unwrap_or(gap);
    assert_eq!(penetration.is_some(), translation.is_some(), "{row}");
    assert!(penetration.is_some() || gap >= 0.0 || !of_hulls, "hulls that overlap have a penetration depth: {row}");
    if let (Some(p), Some(t)) = (penetration, translation) {
        assert!(alike(p, length(t)), "the penetration depth is the translation's length: {row}");
        assert!(p >= depth || alike(p, depth), "no translation shorter than the depth separates: {row}");
    }
    if let (Some(a), Some(b)) = (vector(&row["closest_points"]["a"]), vector(&row["closest_points"]["b"]))
        && gap > 0.0
    {
        let reach = a.iter().chain(&b).fold(0.0_f64, |m, x| m.max(x.abs()));
        let between = length([b[0] - a[0], b[1] - a[1], b[2] - a[2]]);
        assert!(
            (between - gap).abs() <= 1e-9 * gap + 1e-15 * reach.max(1.0),
            "the closest points are {between} apart: {row}"
        );
    }
    if let Some(n) = vector(&row["normal"]) {
        assert!((length(n) - 1.0).abs() < 1e-12, "the normal is a unit vector: {row}");
    }
}
