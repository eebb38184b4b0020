//! Tests of the JSON report.

use crate::check::Status;
use crate::report::json::*;
use crate::testkit::sample_outcome;
use serde_json::Value;

fn text(outcome: &Outcome) -> String {
    let mut out = Vec::new();
    render(&Judged::from(outcome.clone()), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_whole_document() {
    insta::assert_snapshot!(text(&sample_outcome::outcome()), @r#"
    {
      "version": 1,
      "tool": {
        "name": "interfere",
        "version": "0.1.0"
      },
      "assembly": {
        "name": "gear\u001bbox",
        "path": "assembly.json",
        "units": "mm"
      },
      "settings": {
        "tolerance": 0.01,
        "geometry": "hull",
        "facets": "allow",
        "report_within": 5,
        "epsilon": null,
        "max_pieces": 64,
        "measure": "all",
        "rules": [
          {"between": ["shaft", "drive/bearing-*"], "allow_depth": 0.03, "reason": "H7/p6 press fit", "scope": "", "file": "assembly.json", "index": 0},
          {"between": ["fan", "*"], "min_clearance": 2, "reason": null, "scope": "", "file": "assembly.json", "index": 1},
          {"between": ["*", "cable-*"], "ignore": true, "reason": "flexible \u0007 part", "scope": "", "file": "assembly.json", "index": 2}
        ]
      },
      "summary": {
        "verdict": "fail",
        "fail_on": "any",
        "strict": false,
        "parts": 2,
        "instances": 5,
        "pairs": 10,
        "counts": {"interference": 3, "too_close": 2, "undecided": 1, "allowed": 1, "contact": 1, "clear": 2, "ignored": 0},
        "findings": {"error": 6, "warning": 0},
        "severity": {},
        "cleared_by": {"aabb": 1, "obb": 0, "hull": 1, "pieces": 0, "exact": 0}
      },
      "baseline": null,
      "pairs": [
        {"id": "04f9614d4c7d", "a": "drive/bearing-1", "b": "fan", "status": "too_close", "severity": "error", "relation": "apart", "certainty": "certified", "geometry": "hull", "gap": 1.25, "gap_bracket": [1.25, 1.25], "overlap_depth": 0, "penetration_depth": null, "separating_translation": null, "mover": null, "closest_points": {"a": [0, 0, 0], "b": [1.25, 0, 0]}, "deepest_point": null, "normal": [1, 0, 0], "overlap_volume": null, "overlap_volume_slack": null, "overlap_volume_facets": null, "overlap_box": null, "at": [0.625, 0, 0], "facet_allowance": null, "within_facet_error": false, "rule": {"file": "assembly.json", "index": 1, "reason": null}, "baseline": null, "accepted": null, "group": null, "row": 5, "member": null},
        {"id": "1084c5c64e76", "a": "drive/bearing-1", "b": "gehäuse \"links\"", "status": "interference", "severity": "error", "relation": "overlap", "certainty": "certified", "geometry": "hull", "gap": -0.25, "gap_bracket": [-0.25025, -0.24975], "overlap_depth": 0.25, "penetration_depth": 0.5, "separating_translation": [0, 0, -0.5], "mover": {"moves": "b", "why": "smaller"}, "closest_points": {"a": [1, 2, 3.25], "b": [1, 0, 3]}, "deepest_point": [1, 1, 3.125], "normal": [0, 0, -1], "overlap_volume": 31.2, "overlap_volume_slack": 0.4, "overlap_volume_facets": 1.5, "overlap_box": {"min": [0, 0, 0], "max": [1, 1, 1]}, "at": [0.5, 0.5, 0.5], "facet_allowance": null, "within_facet_error": false, "rule": null, "baseline": null, "accepted": null, "group": null, "row": 2, "member": null},
        {"id": "ce9c7ce76b14", "a": "drive/bearing-1", "b": "shaft", "status": "allowed", "severity": null, "relation": "overlap", "certainty": "certified", "geometry": "hull", "gap": -0.015, "gap_bracket": [-0.015014999999999997, -0.014985], "overlap_depth": 0.015, "penetration_depth": 0.03, "separating_translation": [0.03, 0, 0], "mover": {"moves": "b", "why": "smaller"}, "closest_points": {"a": [1, 2, 3.25], "b": [1, 0, 3]}, "deepest_point": [1, 1, 3.125], "normal": [1, 0, 0], "overlap_volume": 31.2, "overlap_volume_slack": 0.4, "overlap_volume_facets": 1.5, "overlap_box": {"min": [0, 0, 0], "max": [1, 1, 1]}, "at": [0.5, 0.5, 0.5], "facet_allowance": null, "within_facet_error": false, "rule": {"file": "assembly.json", "index": 0, "reason": "H7/p6 press fit"}, "baseline": null, "accepted": null, "group": null, "row": 7, "member": null},
        {"id": "3ef75dd68a74", "a": "drive/bearing-1", "b": "x\u001b[31mred\nline\u202e", "status": "undecided", "severity": "error", "relation": null, "certainty": "no_inside", "geometry": "hull", "gap": null, "gap_bracket": [-0.5, 0.5], "overlap_depth": null, "penetration_depth": null, "separating_translation": null, "mover": null, "closest_points": null, "deepest_point": null, "normal": null, "overlap_volume": null, "overlap_volume_slack": null, "overlap_volume_facets": null, "overlap_box": null, "at": null, "facet_allowance": null, "within_facet_error": false, "rule": null, "baseline": null, "accepted": null, "group": null, "row": 6, "member": null},
        {"id": "a2a020e8007a", "a": "fan", "b": "gehäuse \"links\"", "status": "too_close", "severity": "error", "relation": "apart", "certainty": "certified", "geometry": "hull", "gap": 0.5, "gap_bracket": [0.5, 0.5], "overlap_depth": 0, "penetration_depth": null, "separating_translation": null, "mover": null, "closest_points": {"a": [0, 0, 0], "b": [0.5, 0, 0]}, "deepest_point": null, "normal": [1, 0, 0], "overlap_volume": null, "overlap_volume_slack": null, "overlap_volume_facets": null, "overlap_box": null, "at": [0.25, 0, 0], "facet_allowance": null, "within_facet_error": false, "rule": {"file": "assembly.json", "index": 1, "reason": null}, "baseline": null, "accepted": null, "group": null, "row": 4, "member": null},
        {"id": "f06c5be0c088", "a": "fan", "b": "shaft", "status": "clear", "severity": null, "relation": "apart", "certainty": "certified", "geometry": "hull", "gap": 4, "gap_bracket": [4, 4], "overlap_depth": 0, "penetration_depth": null, "separating_translation": null, "mover": null, "closest_points": {"a": [0, 0, 0], "b": [4, 0, 0]}, "deepest_point": null, "normal": [1, 0, 0], "overlap_volume": null, "overlap_volume_slack": null, "overlap_volume_facets": null, "overlap_box": null, "at": [2, 0, 0], "facet_allowance": null, "within_facet_error": false, "rule": null, "baseline": null, "accepted": null, "group": null, "row": 8, "member": null},
        {"id": "33ee1045fdf0", "a": "fan", "b": "x\u001b[31mred\nline\u202e", "status": "interference", "severity": "error", "relation": null, "certainty": "certified", "geometry": "hull", "gap": null, "gap_bracket": null, "overlap_depth": null, "penetration_depth": null, "separating_translation": null, "mover": null, "closest_points": null, "deepest_point": null, "normal": null, "overlap_volume": null, "overlap_volume_slack": null, "overlap_volume_facets": null, "overlap_box": null, "at": null, "facet_allowance": null, "within_facet_error": false, "rule": null, "baseline": null, "accepted": null, "group": null, "row": 3, "member": null},
        {"id": "48006d4af234", "a": "gehäuse \"links\"", "b": "shaft", "status": "interference", "severity": "error", "relation": "overlap", "certainty": "certified", "geometry": "hull", "gap": -9.8, "gap_bracket": [-9.8098, -9.7902], "overlap_depth": 9.8, "penetration_depth": 19.6, "separating_translation": [11.76, 15.680000000000001, 0], "mover": {"moves": "b", "why": "smaller"}, "closest_points": {"a": [1, 2, 3.25], "b": [1, 0, 3]}, "deepest_point": [1, 1, 3.125], "normal": [0.6, 0.8, 0], "overlap_volume": 31.2, "overlap_volume_slack": 0.4, "overlap_volume_facets": 1.5, "overlap_box": {"min": [0, 0, 0], "max": [1, 1, 1]}, "at": [0.5, 0.5, 0.5], "facet_allowance": null, "within_facet_error": false, "rule": null, "baseline": null, "accepted": null, "group": null, "row": 1, "member": null},
        {"id": "755042462d51", "a": "shaft", "b": "x\u001b[31mred\nline\u202e", "status": "contact", "severity": null, "relation": "overlap", "certainty": "certified", "geometry": "hull", "gap": -0.0125, "gap_bracket": [-0.0125125, -0.0124875], "overlap_depth": 0.0125, "penetration_depth": 0.025, "separating_translation": [0, 0.025, 0], "mover": {"moves": "b", "why": "smaller"}, "closest_points": {"a": [1, 2, 3.25], "b": [1, 0, 3]}, "deepest_point": [1, 1, 3.125], "normal": [0, 1, 0], "overlap_volume": 31.2, "overlap_volume_slack": 0.4, "overlap_volume_facets": 1.5, "overlap_box": {"min": [0, 0, 0], "max": [1, 1, 1]}, "at": [0.5, 0.5, 0.5], "facet_allowance": 0.02, "within_facet_error": true, "rule": null, "baseline": null, "accepted": null, "group": null, "row": null, "member": null}
      ],
      "groups": [],
      "parts": {
        "bearing": {"mesh": "parts/bearing.stl", "triangles": 1200, "closed": true, "facet_error": 0.004, "instances": 1, "pieces": null, "epsilon": null, "hash": "9b1d6c0e"},
        "hood": {"mesh": "parts/hood.stl", "triangles": 1200, "closed": false, "facet_error": null, "instances": 4, "pieces": null, "epsilon": null, "hash": "9b1d6c0e"}
      },
      "instances": {
        "drive/bearing-1": {"part": "bearing", "placement": "77ac20f1", "unit": null},
        "fan": {"part": "hood", "placement": "77ac20f3", "unit": null},
        "gehäuse \"links\"": {"part": "hood", "placement": "77ac20f2", "unit": null},
        "shaft": {"part": "hood", "placement": "77ac20f0", "unit": null},
        "x\u001b[31mred\nline\u202e": {"part": "hood", "placement": "77ac20f4", "unit": null}
      },
      "warnings": [
        {"code": "open-mesh", "part": "hood", "message": "3 open edges"},
        {"code": "unused-rule", "file": "assembly.json", "line": 7, "column": 5, "message": "rules[2] matches no pair"}
      ]
    }
    "#);
}

#[test]
fn counts_add_up_and_names_survive() {
    let outcome = sample_outcome::outcome();
    let json: Value = serde_json::from_str(&text(&outcome)).unwrap();
    let sum = |v: &Value| v.as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum::<u64>();
    let summary = &json["summary"];
    assert_eq!(sum(&summary["counts"]), summary["pairs"].as_u64().unwrap());
    assert_eq!(sum(&summary["cleared_by"]), summary["counts"]["clear"].as_u64().unwrap());
    for status in Status::ALL.into_iter().filter(|s| !matches!(s, Status::Clear | Status::Ignored)) {
        let listed = json["pairs"].as_array().unwrap().iter().filter(|p| p["status"] == status.name()).count();
        assert_eq!(listed as u64, summary["counts"][status.name()].as_u64().unwrap_or(0), "{status:?}");
    }
    for id in sample_outcome::IDS {
        assert!(json["instances"][id]["part"].is_string(), "{id}");
    }
    let ids: Vec<_> = json["pairs"].as_array().unwrap().iter().map(|p| p["id"].as_str().unwrap().len()).collect();
    assert!(ids.iter().all(|n| *n == 12));
}

#[test]
fn instances_are_in_byte_order() {
    let text = text(&sample_outcome::outcome());
    let at: Vec<_> = ["drive/bearing-1\":", "fan\": {", "gehäuse \\\"links\\\"\": {", "shaft\": {"]
        .iter()
        .map(|key| text.find(key).expect(key))
        .collect();
    assert!(at.is_sorted());
}

#[test]
fn lengths_and_volumes_are_in_the_report_s_unit() {
    let outcome = Outcome { units: LengthUnit::Inch, ..sample_outcome::outcome() };
    let json: Value = serde_json::from_str(&text(&outcome)).unwrap();
    let pair = json["pairs"].as_array().unwrap().iter().find(|p| p["overlap_depth"] == 9.8 / 25.4).unwrap();
    assert_eq!(pair["overlap_volume"], 31.2 / (25.4 * 25.4 * 25.4));
    assert_eq!(pair["overlap_box"]["max"][2], 1.0 / 25.4);
    assert_eq!(pair["normal"][0], 0.6, "a unit vector has no unit");
    assert_eq!(json["parts"]["bearing"]["facet_error"], 0.004 / 25.4);
    let tolerance = json["settings"]["tolerance"].as_f64().unwrap();
    assert!((tolerance * 25.4 - 0.01).abs() < 1e-15, "{tolerance}");
}

#[test]
fn pass_is_stated() {
    let mut outcome = sample_outcome::outcome();
    outcome.pairs.retain(|p| !p.status.fails());
    outcome.counts = Counts { allowed: 1, contact: 1, clear: 8, ..Counts::default() };
    let json: Value = serde_json::from_str(&text(&outcome)).unwrap();
    assert_eq!(json["summary"]["verdict"], "pass");
}

#[test]
fn a_line_per_pair() {
    let text = text(&sample_outcome::outcome());
    assert_eq!(text.lines().filter(|l| l.starts_with("    {\"id\": ")).count(), sample_outcome::outcome().pairs.len());
}
