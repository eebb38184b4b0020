//! Tests of explanations.

use crate::assembly::InstanceIx;
use crate::check::{ExplainedInstance, Explanation, Fix, PairLimits, PairOutcome, Status, Step};
use crate::geom::{Bounds, Vec3};
use crate::report::explain::*;
use crate::testkit::sample_outcome;
use serde_json::Value;

/// Pair with every kind of step and interference at the end.
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
            Step::Inset { depth: 0.02, shown: false },
            Step::RemainingBoxes { depth: 0.02, boxes: 3 },
            Step::Lumps { depth: 0.0346, lumps: 2 },
            Step::BranchAndBound { cells: 229, gap: Bounds::from_depth(0.0345, 0.0346) },
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

            a  drive/bearing-1: part bearing (parts/bearing.stl), 1200 triangles, convex, facet error up to 0.004 mm; geometry exact
            b  x\u{1b}[31mred: part hood (parts/hood.stl), 1200 triangles, no definite inside; geometry exact
         rule  allow_depth 0.03 mm, H7/p6 press fit (assembly.json rules[0])
       limits  tolerance 0.02 mm, raised from 0.01 mm to cover the rounding of the coordinates; pairs more than 5 mm apart are clear; rounding 1e-12 mm
         aabb  the boxes along the axes meet: kept
          obb  no axis separates the oriented boxes: kept
         hull  the hulls meet: kept
        exact  the hulls overlap by at most 8 mm: depth ≤ 8 mm
        exact  the surfaces meet
        exact  the centre of the hull overlap is outside one part
        exact  inset by 0.01 mm each, the surfaces still intersect: depth may exceed 0.02 mm
        exact  the insets intersect in 3 boxes: outside, depth ≤ 0.02 mm
        exact  the common solid has 2 separate lumps: the largest ball in a hull shows depth ≤ 0.0346 mm
        exact  branch and bound, 229 cells: the overlap is 0.0345 to 0.0346 mm deep
       facets  facet allowance: 0.01 mm (facets of b; cap 0.25 mm), granted

    interference: the overlap of 0.0345 mm is deeper than the tolerance of 0.02 mm plus the facet allowance of 0.01 mm, and deeper than the 0.03 mm that the rule allows
    "#);
}

#[test]
fn the_whole_document() {
    let text = rendered(&explanation(), Format::Json);
    // The test of the report covers the row.
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
        "measure": "all"
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
        {"stage": "exact", "by": "inset", "depth_at_most": 0.02, "shown": false},
        {"stage": "exact", "by": "remaining_boxes", "depth_at_most": 0.02, "outside_boxes": 3},
        {"stage": "exact", "by": "lumps", "depth_at_most": 0.0346, "lumps": 2},
        {"stage": "exact", "by": "branch_and_bound", "depth_bracket": [0.0345, 0.0346], "cells": 229},
        {"stage": "facets", "facet_allowance": 0.01, "of": "b", "cap": 0.25, "granted": true}
      ],
      "cleared_by": null,
      "why": "the overlap of 0.0345 mm is deeper than the tolerance of 0.02 mm plus the facet allowance of 0.01 mm, and deeper than the 0.03 mm that the rule allows",
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
        (why_of(is(Status::Clear, Some(1.5))), "clear: the gap of 1.5 mm exceeds the tolerance of 0.02 mm"),
        (
            why_of(|e| {
                is(Status::Clear, None)(e);
                e.steps.truncate(2);
            }),
            "clear: the oriented boxes show that the gap exceeds every limit of the pair",
        ),
        (why_of(is(Status::Contact, Some(0.0))), "contact: the overlap is at most the tolerance of 0.02 mm"),
        (why_of(is(Status::Contact, Some(0.01))), "contact: the gap of 0.01 mm is at most the tolerance of 0.02 mm"),
        (
            why_of(|e| {
                is(Status::Contact, Some(-0.025))(e);
                (e.pair.within_facet_error, e.pair.facet_allowance) = (true, Some(0.01));
            }),
            "contact: the overlap of 0.025 mm is deeper than the tolerance of 0.02 mm, but at most the tolerance plus the facet allowance of 0.01 mm",
        ),
        (
            why_of(with_rule(0, Status::Allowed, Some(-0.025))),
            "allowed: the overlap of 0.025 mm is deeper than the tolerance of 0.02 mm, and the rule allows 0.03 mm",
        ),
        (why_of(with_rule(1, Status::TooClose, Some(0.5))), "too_close: the gap is 0.5 mm, and the rule requires 2 mm"),
        (
            why_of(with_rule(1, Status::TooClose, Some(-0.01))),
            "too_close: the parts touch or overlap, and the rule requires 2 mm",
        ),
        (
            why_of(is(Status::Undecided, Some(-0.0345))),
            "undecided: the search budget ended before the gap (between -0.0346 and -0.0345 mm) could be placed on one side of a limit",
        ),
        (why_of(with_rule(2, Status::Ignored, None)), "ignored: the rule ignores the pair"),
        (
            why_of(|e| {
                is(Status::Ignored, None)(e);
                e.in_one_unit = true;
            }),
            "ignored: both instances are in one `as_unit` sub-assembly, whose inner pairs are not checked",
        ),
    ] {
        assert_eq!(sentence, expected);
    }
}

#[test]
fn names_are_escaped_and_colour_is_opt_in() {
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
    // Only a whole report has groups and rows.
    for key in ["group", "row", "member"] {
        report["pairs"][0].as_object_mut().unwrap().remove(key).expect("a key");
    }
    assert_eq!(keys(&json["pair"]), keys(&report["pairs"][0]));
}

#[test]
fn fix_is_explained_with_its_side_effects() {
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
    let move_b = "fix: moving `x\\u{1b}[31mred` by 0.21 mm along +z separates them; ";
    assert_eq!(told(Some(&[])), format!("{move_b}no other pair gets measurably worse"));
    assert_eq!(told(Some(&["fan"])), format!("{move_b}the move causes a new or worse failure with `fan`"));
    assert_eq!(
        told(Some(&["a", "b", "c", "d", "e"])),
        format!("{move_b}the move causes a new or worse failure with `a`, `b`, `c` and 2 more")
    );
    let unknown = "too many parts are near: the effect on other pairs was not checked";
    assert_eq!(told(None), format!("{move_b}{unknown}"));
}
