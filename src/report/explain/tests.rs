//! Tests of explanations.

use crate::assembly::InstanceIx;
use crate::check::{ExplainedInstance, Explanation, Fix, PairLimits, PairOutcome, Status};
use crate::geom::{Bounds, Vec3};
use crate::report::explain::*;
use crate::testkit::sample_outcome;
use serde_json::Value;

/// A pair that ends in interference after every kind of step.
pub(crate) fn explanation() -> Explanation {
    let outcome = sample_outcome::outcome();
    let side = |id: &str, part: usize, convex: bool| ExplainedInstance {
        id: id.to_owned(),
        part: outcome.parts[part].clone(),
        geometry: crate::assembly::Geometry::Exact,
        solid: part == 0,
        convex,
    };
    Explanation {
        fix: None,
        moves_into: Vec::new(),
        name: outcome.name.clone(),
        path: outcome.path.clone(),
        units: outcome.units,
        settings: outcome.settings.clone(),
        sides: [side("drive/bearing-1", 0, true), side("x\u{1b}[31mred", 1, false)],
        in_one_unit: false,
        rule: Some(outcome.rules[0].clone()),
        asked: Some(PairLimits { tolerance: 0.02, reach: 5.0, margin: 1e-12 }),
        steps: vec![
            Step::Aabb { distance: 0.0, cleared: false },
            Step::Obb { distance: Some(-1.0), cleared: false },
            Step::Hull { gap: Bounds::exact(0.0), cleared: false },
            Step::HullDepth { most: 8.0 },
            Step::Surfaces { distance: 0.0 },
            Step::Ball { depth: -1.0 },
            Step::Shrink { depth: 0.02, shown: false },
            Step::Confined { depth: 0.02, boxes: 3 },
            Step::Cells { cells: 229, gap: Bounds::from_depth(0.0345, 0.0346) },
            Step::Facets { allowance: 0.01, cap: 0.25, of_b: Some(true), granted: true },
        ],
        pair: PairOutcome {
            overlap_depth: Some(0.0345),
            gap: Some(-0.0345),
            gap_bracket: Some(Bounds::from_depth(0.0345, 0.0346)),
            facet_allowance: Some(0.01),
            rule: Some(0),
            ..sample_outcome::bare_pair(InstanceIx(1), InstanceIx(4), Status::Interference)
        },
        warnings: outcome.warnings[..1].to_vec(),
    }
}

fn rendered(e: &Explanation, format: Format) -> String {
    let mut out = Vec::new();
    render(e, format, false, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn why_of(change: impl FnOnce(&mut Explanation)) -> String {
    let mut e = explanation();
    change(&mut e);
    let text = rendered(&e, Format::Table);
    text.lines().last().unwrap().to_owned()
}

#[test]
fn the_whole_text() {
    insta::assert_snapshot!(rendered(&explanation(), Format::Table), @r#"
    drive/bearing-1 and x\u{1b}[31mred in gear\u{1b}box (assembly.json)

            a  drive/bearing-1: part bearing (parts/bearing.stl), 1200 triangles, convex, its facets off by up to 0.004 mm; taken as its triangles
            b  x\u{1b}[31mred: part hood (parts/hood.stl), 1200 triangles, without a definite inside; taken as its triangles
         rule  allow_depth 0.03 mm, H7/p6 press fit (assembly.json rules[0])
        asked  tolerance 0.02 mm, raised from 0.01 mm by the rounding of its coordinates; nothing of a pair more than 5 mm apart; rounding 1e-12 mm
         aabb  the boxes along the axes meet: kept
          obb  no axis separates the oriented boxes: kept
         hull  the hulls meet: kept
        exact  the hulls overlap by at most 8 mm, so the parts do, too
        exact  the surfaces meet
        exact  the middle of that is not in both parts
        exact  both surfaces moved inward by half of 0.02 mm still meet: no bound
        exact  they meet in 3 boxes: outside, no deeper than 0.02 mm
        exact  branch and bound, 229 cells: the overlap is 0.0345 to 0.0346 mm deep
       facets  the concave facets of b at the overlap explain 0.01 mm, at most 0.25 mm for parts of this size: granted

    interference: the overlap of 0.0345 mm is deeper than the tolerance of 0.02 mm and the 0.01 mm that the facets explain, and than the 0.03 mm that the rule allows
    "#);
}

#[test]
fn the_whole_document() {
    let text = rendered(&explanation(), Format::Json);
    // The row is that of a report, whose own test holds it.
    let (head, row) = text.split_once("  \"pair\": {\n").unwrap();
    let tail = row.split_once("\n  },\n").unwrap().1;
    insta::assert_snapshot!(format!("{head}{tail}"), @r#"
    {
      "version": 1,
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
        "verdict_only": false
      },
      "a": {
        "id": "drive/bearing-1",
        "part": "bearing",
        "geometry": "exact",
        "solid": true,
        "convex": true,
        "mesh": "parts/bearing.stl",
        "triangles": 1200,
        "closed": true,
        "facet_error": 0.004,
        "instances": 1,
        "pieces": null,
        "epsilon": null,
        "hash": "9b1d6c0e"
      },
      "b": {
        "id": "x\u001b[31mred",
        "part": "hood",
        "geometry": "exact",
        "solid": false,
        "convex": false,
        "mesh": "parts/hood.stl",
        "triangles": 1200,
        "closed": false,
        "facet_error": null,
        "instances": 4,
        "pieces": null,
        "epsilon": null,
        "hash": "9b1d6c0e"
      },
      "in_one_unit": false,
      "rule": {
        "between": [
          "shaft",
          "drive/bearing-*"
        ],
        "allow_depth": 0.03,
        "reason": "H7/p6 press fit",
        "scope": "",
        "file": "assembly.json",
        "index": 0
      },
      "asked": {
        "tolerance": 0.02,
        "reach": 5,
        "margin": 1e-12
      },
      "steps": [
        {"stage": "aabb", "distance": 0, "cleared": false},
        {"stage": "obb", "distance_at_least": -1, "cleared": false},
        {"stage": "hull", "gap_bracket": [0, 0], "cleared": false},
        {"stage": "exact", "by": "hulls", "depth_bracket": [0, 8]},
        {"stage": "exact", "by": "surfaces", "distance": 0},
        {"stage": "exact", "by": "ball", "depth_at_least": 0},
        {"stage": "exact", "by": "shrink", "depth_at_most": 0.02, "shown": false},
        {"stage": "exact", "by": "boxes", "depth_at_most": 0.02, "outside_boxes": 3},
        {"stage": "exact", "by": "cells", "depth_bracket": [0.0345, 0.0346], "cells": 229},
        {"stage": "facets", "facet_allowance": 0.01, "of": "b", "cap": 0.25, "granted": true}
      ],
      "cleared_by": null,
      "why": "the overlap of 0.0345 mm is deeper than the tolerance of 0.02 mm and the 0.01 mm that the facets explain, and than the 0.03 mm that the rule allows",
      "fix": null,
      "warnings": [
        {"code": "open-mesh", "part": "hood", "message": "3 open edges"}
      ]
    }
    "#);
}

#[test]
fn every_status_has_its_sentence() {
    let is = |status, gap: Option<f64>| {
        move |e: &mut Explanation| {
            e.rule = None;
            e.pair.status = status;
            e.pair.gap = gap;
            e.pair.overlap_depth = gap.map(|g| (-g).max(0.0));
            e.pair.facet_allowance = None;
        }
    };
    let with_rule = |rule: usize, status, gap| {
        move |e: &mut Explanation| {
            is(status, gap)(e);
            e.rule = Some(sample_outcome::outcome().rules[rule].clone());
        }
    };
    for (sentence, expected) in [
        (why_of(is(Status::Clear, Some(1.5))), "clear: the gap of 1.5 mm is more than the tolerance of 0.02 mm"),
        (
            why_of(|e| {
                is(Status::Clear, None)(e);
                e.steps.truncate(2);
            }),
            "clear: the oriented boxes show that the parts are farther apart than anything asked of them",
        ),
        (why_of(is(Status::Contact, Some(0.0))), "contact: the overlap is no deeper than the tolerance of 0.02 mm"),
        (
            why_of(is(Status::Contact, Some(0.01))),
            "contact: the gap of 0.01 mm is no more than the tolerance of 0.02 mm",
        ),
        (
            why_of(|e| {
                is(Status::Contact, Some(-0.025))(e);
                (e.pair.within_facet_error, e.pair.facet_allowance) = (true, Some(0.01));
            }),
            "contact: the overlap of 0.025 mm is deeper than the tolerance of 0.02 mm, but no deeper than that and the 0.01 mm that the facets explain",
        ),
        (
            why_of(with_rule(0, Status::Allowed, Some(-0.025))),
            "allowed: the overlap of 0.025 mm is deeper than the tolerance of 0.02 mm, and the rule allows 0.03 mm",
        ),
        (why_of(with_rule(1, Status::TooClose, Some(0.5))), "clearance: the gap is 0.5 mm, and the rule demands 2 mm"),
        (
            why_of(with_rule(1, Status::TooClose, Some(-0.01))),
            "clearance: they touch or overlap, and the rule demands 2 mm",
        ),
        (
            why_of(is(Status::Undecided, Some(-0.0345))),
            "undecided: its gap, between -0.0346 and -0.0345 mm, could not be told from a limit within the budget",
        ),
        (why_of(with_rule(2, Status::Ignored, None)), "ignored: the rule says so"),
        (
            why_of(|e| {
                is(Status::Ignored, None)(e);
                e.in_one_unit = true;
            }),
            "ignored: pairs inside a unit are not this assembly's business",
        ),
    ] {
        assert_eq!(sentence, expected);
    }
}

#[test]
fn names_cannot_steer_the_terminal_and_colour_is_asked_for() {
    let text = rendered(&explanation(), Format::Table);
    assert!(!text.chars().any(|c| c != '\n' && crate::json::wording::is_unsafe_char(c)));
    let mut out = Vec::new();
    render(&explanation(), Format::Table, true, &mut out).unwrap();
    assert!(String::from_utf8(out).unwrap().contains("\x1b[1;31minterference\x1b[0m: "));
}

#[test]
fn the_row_is_that_of_a_report() {
    let json: Value = serde_json::from_str(&rendered(&explanation(), Format::Json)).unwrap();
    let keys = |v: &Value| v.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut out = Vec::new();
    crate::report::json::render(&sample_outcome::outcome().into(), &mut out).unwrap();
    let mut report: Value = serde_json::from_slice(&out).unwrap();
    // What it is grouped with is known of whole reports alone.
    report["pairs"][0].as_object_mut().unwrap().remove("group").expect("a key");
    assert_eq!(keys(&json["pair"]), keys(&report["pairs"][0]));
}

#[test]
fn how_to_mend_a_pair_is_said_with_what_that_does_to_others() {
    let told = |into: Option<&[&str]>| {
        let mut e = explanation();
        e.moves_into = into.unwrap_or_default().iter().map(|id| (*id).to_owned()).collect();
        e.fix = Some(Fix {
            pair: [InstanceIx(1), InstanceIx(4)],
            translation: Vec3::new(0.0, 0.0, 0.21),
            moves_into: into.map(|ids| ids.iter().map(|_| InstanceIx(3)).collect()),
        });
        let json: Value = serde_json::from_str(&rendered(&e, Format::Json)).unwrap();
        assert_eq!(json["fix"]["translation"], serde_json::json!([0, 0, 0.21]));
        assert_eq!(json["fix"]["moves_into"], serde_json::json!(into));
        rendered(&e, Format::Table).lines().last().unwrap().to_owned()
    };
    let move_b = "fix: move `x\\u{1b}[31mred` by 0.21 mm along +z; ";
    assert_eq!(told(Some(&[])), format!("{move_b}no other pair gets worse"));
    assert_eq!(told(Some(&["fan"])), format!("{move_b}that moves it into `fan`"));
    assert_eq!(told(Some(&["a", "b", "c", "d", "e"])), format!("{move_b}that moves it into `a`, `b`, `c` and 2 more"));
    let unknown = "whether that moves it into something else was not checked: too many parts are near";
    assert_eq!(told(None), format!("{move_b}{unknown}"));
}
