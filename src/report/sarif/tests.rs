//! Tests of the SARIF report.

use crate::check::Outcome;
use crate::report::PictureLinks;
use crate::report::conform_tests::sarif_errors;
use crate::report::sarif::*;
use crate::testkit::sample_outcome;
use serde_json::Value;
use std::collections::BTreeSet;

fn text(outcome: &Outcome) -> String {
    let mut out = Vec::new();
    render(&Judged::from(outcome.clone()), PictureLinks::default(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn parsed(outcome: &Outcome) -> Value {
    serde_json::from_str(&text(outcome)).unwrap()
}

fn results(log: &Value) -> &Vec<Value> {
    log["runs"][0]["results"].as_array().unwrap()
}

#[test]
fn the_whole_log() {
    insta::assert_snapshot!(text(&sample_outcome::outcome()), @r#"
    {
      "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
      "version": "2.1.0",
      "runs": [
        {
          "tool": {"driver": {"name": "interfere", "version": "0.1.0", "rules": [{"id": "interference", "shortDescription": {"text": "The two parts overlap by more than the tolerance, the facet allowance and the rules permit."}, "fullDescription": {"text": "The two parts overlap by more than the tolerance, the facet allowance and the rules permit."}, "help": {"text": "The two parts overlap by more than the tolerance, the facet allowance and the rules permit.\n\nCause: A part is in the wrong place, a hole is missing, or the parts fit on purpose and no rule says so. With --geometry hull, the hulls may be the cause: every part inside a hollow or U-shaped part interferes with its hull. interfere inspect PART shows a convexity well below 1 for such parts.\n\nCure: Read depth, \"move\" and \"moves into\" in the table. \"move\" is the shortest separating translation found; for convex parts no shorter one exists. \"moves into\" names the parts in the way of that translation. interfere explain ASSEMBLY A B shows the steps and the broken limit. Move a part, or add a rule with allow_depth and a reason for an intended fit."}, "defaultConfiguration": {"level": "error"}}, {"id": "too_close", "shortDescription": {"text": "The gap of the two parts is below a rule's min_clearance."}, "fullDescription": {"text": "The gap of the two parts is below a rule's min_clearance."}, "help": {"text": "The gap of the two parts is below a rule's min_clearance.\n\nCause: The parts are too near to each other, or the rule demands too much. The gap of the meshes decides alone, without a facet allowance. An overlap beyond tolerance and facet allowance is interference instead. Hulls are at most as far apart as their parts: with --geometry hull the true gap may be larger.\n\nCure: Move the parts apart along the direction shown, or correct the rule."}, "defaultConfiguration": {"level": "error"}}, {"id": "undecided", "shortDescription": {"text": "The run could not place the gap on one side of a limit, so the pair fails."}, "fullDescription": {"text": "The run could not place the gap on one side of a limit, so the pair fails."}, "help": {"text": "The run could not place the gap on one side of a limit, so the pair fails.\n\nCause: With certainty bracketed, the search budget ended while a limit lay between the bounds. With certainty no_inside, a mesh of the pair has no inside, and no ball proves a depth.\n\nCure: interfere explain shows the cause. For no_inside, close the holes of the mesh, or give the part \"geometry\": \"hull\": a hull needs no inside. For bracketed, move the limit (--tolerance, allow_depth, min_clearance) out of the bounds, and please report the pair."}, "defaultConfiguration": {"level": "error"}}, {"id": "unused-rule", "shortDescription": {"text": "A rule matches no pair."}, "fullDescription": {"text": "A rule matches no pair."}, "help": {"text": "A rule matches no pair.\n\nCause: Mostly a typing error in a glob; the message names the nearest id and the corrected rule. A glob may also name a part, though globs match the ids of instances, or be a regular expression. A min_clearance in such a rule demands nothing until the correction.\n\nCure: Correct the glob, or remove the rule. Consider --strict in CI."}, "defaultConfiguration": {"level": "warning"}}], "notifications": [{"id": "open-mesh", "shortDescription": {"text": "The surface has a boundary, or edges of more than two triangles that do not pair up, so it has no definite inside."}, "fullDescription": {"text": "The surface has a boundary, or edges of more than two triangles that do not pair up, so it has no definite inside."}, "help": {"text": "The surface has a boundary, or edges of more than two triangles that do not pair up, so it has no definite inside.\n\nCause: Triangles are missing, or surfaces meet without closing a volume. The message counts the edges after vertices are merged. Distances and crossings of the triangles remain exact; the enclosed volume is undefined. Pairs of the part have the certainty no_inside.\n\nFirst rule: the surfaces do not cross, and no vertex of either mesh is inside the other. A vertex is inside if the other surface winds around it by more than a half. Then the distance decides, as clear, contact or too_close. Two surfaces may lie on one another and face the same way, like two copies in one place. Points just behind the shared area then take the place of the vertices.\n\nSecond rule, for all other pairs: interference if a ball in both meshes proves the depth, contact if the two hulls overlap by at most the tolerance, otherwise undecided, which fails.\n\nCure: Close the holes; interfere inspect shows the counts. Hulls are unaffected: with \"geometry\": \"hull\" the verdicts of the part are certified."}, "defaultConfiguration": {"level": "warning"}}]}},
          "invocations": [
            {"executionSuccessful": true, "exitCode": 1, "toolExecutionNotifications": [{"message": {"text": "part hood: 3 open edges"}, "level": "warning", "descriptor": {"id": "open-mesh", "index": 0}}]}
          ],
          "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The working directory of the check."}}},
          "columnKind": "unicodeCodePoints",
          "results": [
            {"ruleId": "interference", "ruleIndex": 0, "level": "error", "message": {"text": "gehäuse \"links\" and shaft overlap by 9.8 mm; the common volume is 31.2 mm³; at (0.5, 0.5, 0.5) mm; moving shaft, the smaller part, by 19.6 mm along (0.60, 0.80, 0.00) separates them"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "assembly.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 12}}, "logicalLocations": [{"name": "gehäuse \"links\"", "fullyQualifiedName": "gehäuse \"links\"", "kind": "instance"}]}], "relatedLocations": [{"id": 1, "physicalLocation": {"artifactLocation": {"uri": "assembly.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 10}}, "logicalLocations": [{"name": "shaft", "fullyQualifiedName": "shaft", "kind": "instance"}], "message": {"text": "the other instance of the pair"}}], "partialFingerprints": {"interfereFinding/v1": "48006d4af234-interference", "primaryLocationLineHash": "562c6337df0065c2:1"}, "rank": 100, "properties": {"pair": "48006d4af234", "row": 1, "relation": "overlap", "overlapVolume": 31.2, "at": [0.5, 0.5, 0.5]}},
            {"ruleId": "interference", "ruleIndex": 0, "level": "error", "message": {"text": "drive/bearing-1 and gehäuse \"links\" overlap by 0.25 mm; the common volume is 31.2 mm³; at (0.5, 0.5, 0.5) mm; moving gehäuse \"links\", the smaller part, by 0.5 mm along -z separates them"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "sub/drive%20one.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 11}}, "logicalLocations": [{"name": "bearing-1", "fullyQualifiedName": "drive/bearing-1", "kind": "instance"}]}], "relatedLocations": [{"id": 1, "physicalLocation": {"artifactLocation": {"uri": "assembly.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 12}}, "logicalLocations": [{"name": "gehäuse \"links\"", "fullyQualifiedName": "gehäuse \"links\"", "kind": "instance"}], "message": {"text": "the other instance of the pair"}}], "partialFingerprints": {"interfereFinding/v1": "1084c5c64e76-interference", "primaryLocationLineHash": "002fc1cf0c2e0df4:1"}, "rank": 83.3, "properties": {"pair": "1084c5c64e76", "row": 2, "relation": "overlap", "overlapVolume": 31.2, "at": [0.5, 0.5, 0.5]}},
            {"ruleId": "interference", "ruleIndex": 0, "level": "error", "message": {"text": "fan and x\\u{{1b}}[31mred\\nline\\u{{202e}} overlap"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "assembly.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 13}}, "logicalLocations": [{"name": "fan", "fullyQualifiedName": "fan", "kind": "instance"}]}], "relatedLocations": [{"id": 1, "physicalLocation": {"artifactLocation": {"uri": "assembly.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 14}}, "logicalLocations": [{"name": "x\u001b[31mred\nline\u202e", "fullyQualifiedName": "x\u001b[31mred\nline\u202e", "kind": "instance"}], "message": {"text": "the other instance of the pair"}}], "partialFingerprints": {"interfereFinding/v1": "33ee1045fdf0-interference", "primaryLocationLineHash": "850a86a12f8403f3:1"}, "rank": 66.7, "properties": {"pair": "33ee1045fdf0", "row": 3}},
            {"ruleId": "too_close", "ruleIndex": 1, "level": "error", "message": {"text": "fan and gehäuse \"links\" are 0.5 mm apart; required: 2 mm; at (0.25, 0, 0) mm; rule: min_clearance 2 mm (assembly.json rules[1])"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "assembly.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 13}}, "logicalLocations": [{"name": "fan", "fullyQualifiedName": "fan", "kind": "instance"}]}], "relatedLocations": [{"id": 1, "physicalLocation": {"artifactLocation": {"uri": "assembly.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 12}}, "logicalLocations": [{"name": "gehäuse \"links\"", "fullyQualifiedName": "gehäuse \"links\"", "kind": "instance"}], "message": {"text": "the other instance of the pair"}}], "partialFingerprints": {"interfereFinding/v1": "a2a020e8007a-too_close", "primaryLocationLineHash": "e8dd61bef5b5760d:1"}, "rank": 50, "properties": {"pair": "a2a020e8007a", "row": 4, "relation": "apart", "at": [0.25, 0, 0]}},
            {"ruleId": "too_close", "ruleIndex": 1, "level": "error", "message": {"text": "drive/bearing-1 and fan are 1.25 mm apart; required: 2 mm; at (0.625, 0, 0) mm; rule: min_clearance 2 mm (assembly.json rules[1])"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "sub/drive%20one.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 11}}, "logicalLocations": [{"name": "bearing-1", "fullyQualifiedName": "drive/bearing-1", "kind": "instance"}]}], "relatedLocations": [{"id": 1, "physicalLocation": {"artifactLocation": {"uri": "assembly.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 13}}, "logicalLocations": [{"name": "fan", "fullyQualifiedName": "fan", "kind": "instance"}], "message": {"text": "the other instance of the pair"}}], "partialFingerprints": {"interfereFinding/v1": "04f9614d4c7d-too_close", "primaryLocationLineHash": "24ab249f2aa137db:1"}, "rank": 33.3, "properties": {"pair": "04f9614d4c7d", "row": 5, "relation": "apart", "at": [0.625, 0, 0]}},
            {"ruleId": "undecided", "ruleIndex": 2, "level": "error", "message": {"text": "drive/bearing-1 and x\\u{{1b}}[31mred\\nline\\u{{202e}} are undecided: the gap is between -0.5 and 0.5 mm"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "sub/drive%20one.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 11}}, "logicalLocations": [{"name": "bearing-1", "fullyQualifiedName": "drive/bearing-1", "kind": "instance"}]}], "relatedLocations": [{"id": 1, "physicalLocation": {"artifactLocation": {"uri": "assembly.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 14}}, "logicalLocations": [{"name": "x\u001b[31mred\nline\u202e", "fullyQualifiedName": "x\u001b[31mred\nline\u202e", "kind": "instance"}], "message": {"text": "the other instance of the pair"}}], "partialFingerprints": {"interfereFinding/v1": "3ef75dd68a74-undecided", "primaryLocationLineHash": "26c7c46f3b1649e5:1"}, "rank": 16.7, "properties": {"pair": "3ef75dd68a74", "row": 6}},
            {"ruleId": "unused-rule", "ruleIndex": 3, "level": "warning", "message": {"text": "rules[2] matches no pair"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "assembly.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 7, "startColumn": 5}}}], "partialFingerprints": {"interfereFinding/v1": "49643e086153-unused-rule", "primaryLocationLineHash": "89596e0b5c7c2f5a:1"}}
          ],
          "properties": {"assembly": "gear\u001bbox", "verdict": "fail", "pairs": 10, "counts": {"allowed": 1, "clear": 2, "contact": 1, "ignored": 0, "interference": 3, "too_close": 2, "undecided": 1}, "leftOut": 0}
        }
      ]
    }
    "#);
}

#[test]
fn the_schema_is_kept() {
    let documents = [
        sample_outcome::outcome(),
        sample_outcome::hostile(),
        sample_outcome::grouped(),
        sample_outcome::findings(0),
        sample_outcome::findings(40),
    ];
    let documents = documents.map(|o| parsed(&o));
    assert_eq!(sarif_errors(&documents.each_ref()), Vec::<String>::new());
    let many = parsed(&sample_outcome::findings(30_000));
    let mut short = many.clone();
    short["runs"][0]["results"].as_array_mut().unwrap().truncate(100);
    assert_eq!(sarif_errors(&[&short]), Vec::<String>::new());
}

#[test]
fn counts_are_kept_and_omissions_stated() {
    for n in [0, 1, 40, 30_000] {
        let outcome = sample_outcome::findings(n);
        let log = parsed(&outcome);
        let run = &log["runs"][0];
        let left = run["properties"]["leftOut"].as_u64().unwrap() as usize;
        assert_eq!(results(&log).len() + left, n);
        assert_eq!(results(&log).len(), n.min(MAX_RESULTS));
        let ids: BTreeSet<&str> = results(&log)
            .iter()
            .map(|r| r["partialFingerprints"]["primaryLocationLineHash"].as_str().unwrap())
            .collect();
        assert_eq!(ids.len(), results(&log).len(), "no two findings are taken for one");
        let told = &run["invocations"][0]["toolExecutionNotifications"];
        if left == 0 {
            assert!(told.is_null());
            continue;
        }
        let said = told[0]["message"]["text"].as_str().unwrap();
        // Each status has 10 000 pairs. An interference or a too_close pair is worse than an undecided one.
        assert!(said.starts_with("5000 results left out: 5000 undecided."), "{said}");
        for status in ["interference", "too_close"] {
            assert_eq!(results(&log).iter().filter(|r| r["ruleId"] == status).count(), 10_000);
        }
    }
}

#[test]
fn warnings_give_way_to_findings() {
    let mut outcome = sample_outcome::findings(MAX_RESULTS - 1);
    outcome.warnings = vec![sample_outcome::outcome().warnings[1].clone(); 3];
    let log = parsed(&outcome);
    assert_eq!(results(&log).iter().filter(|r| r["level"] == "warning").count(), 1);
    let said = log["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"].as_str().unwrap();
    assert!(said.starts_with("2 results left out: 2 warnings."), "{said}");
}

#[test]
fn results_are_ranked_and_fingerprints_are_stable() {
    let outcome = sample_outcome::findings(40);
    let log = parsed(&outcome);
    let ranks: Vec<f64> = results(&log).iter().map(|r| r["rank"].as_f64().unwrap()).collect();
    assert_eq!(ranks[0], 100.0);
    assert!(ranks.windows(2).all(|w| w[0] > w[1]) && ranks[39] > 0.0, "{ranks:?}");
    let mut moved = outcome.clone();
    for i in &mut moved.instances {
        i.at.as_mut().unwrap().line += 7;
    }
    let prints =
        |log: &Value| -> Vec<Value> { results(log).iter().map(|r| r["partialFingerprints"].clone()).collect() };
    assert_eq!(prints(&parsed(&moved)), prints(&log));
}

#[test]
fn hostile_names_stay_text_in_sarif() {
    let outcome = sample_outcome::hostile();
    let log = parsed(&outcome);
    for result in results(&log) {
        let text = result["message"]["text"].as_str().unwrap();
        let escaped =
            text.replace("\\\\", "").replace("\\[", "").replace("\\]", "").replace("{{", "").replace("}}", "");
        assert!(!escaped.contains("](") && !escaped.contains(['{', '}']), "{text}");
        assert!(!text.contains(crate::json::wording::is_unsafe_char), "{text}");
    }
    assert!(text(&outcome).contains(r"\\[click\\](http://evil) {{0}} \\\\"));
    let named = |r: &Value| r["locations"][0]["logicalLocations"][0]["fullyQualifiedName"].as_str().map(str::to_owned);
    let names: Vec<_> = results(&log).iter().filter_map(named).collect();
    let ids: Vec<_> = outcome.instances.iter().map(|i| i.id.clone()).collect();
    assert!(!names.is_empty() && names.iter().all(|n| ids.contains(n)), "{names:?}");
}

#[test]
fn an_assembly_without_files_has_results_without_places() {
    let mut outcome = sample_outcome::outcome();
    outcome.files.clear();
    for i in &mut outcome.instances {
        i.at = None;
    }
    let log = parsed(&outcome);
    assert!(results(&log)[0]["locations"][0]["physicalLocation"].is_null());
    assert_eq!(sarif_errors(&[&log]), Vec::<String>::new());
}
