//! Tests of the SARIF report.

use crate::check::Outcome;
use crate::report::conform_tests::sarif_errors;
use crate::report::sarif::*;
use crate::testkit::sample_outcome;
use serde_json::Value;
use std::collections::BTreeSet;

fn text(outcome: &Outcome) -> String {
    let mut out = Vec::new();
    render(&Judged::from(outcome.clone()), &mut out).unwrap();
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
          "tool": {"driver": {"name": "interfere", "version": "0.1.0", "rules": [{"id": "interference", "shortDescription": {"text": "The two parts share more space than the tolerance, their facets and the rules explain."}, "fullDescription": {"text": "The two parts share more space than the tolerance, their facets and the rules explain."}, "help": {"text": "The two parts share more space than the tolerance, their facets and the rules explain.\n\nWhat to do: look at depth, at \"move b by\", the shortest way out that was found (for convex parts the shortest there is), and at \"moves b into\": the parts with which B would fail there. interfere explain ASSEMBLY A B says what was found and by which limit it fails. If the pair is meant to fit like this, add a rule with allow_depth, and give the reason. If not, move a part. With --geometry hull, or where a part asks for it, ask first whether the hulls are to blame: anything inside a hollow or U-shaped part is reported although it fits; interfere inspect PART shows a convexity well below 1 for such parts."}, "defaultConfiguration": {"level": "error"}}, {"id": "clearance", "shortDescription": {"text": "The parts do not overlap, but they are closer than a rule's min_clearance."}, "fullDescription": {"text": "The parts do not overlap, but they are closer than a rule's min_clearance."}, "help": {"text": "The parts do not overlap, but they are closer than a rule's min_clearance. Decided on the meshes' gap alone; facets are not allowed for.\n\nWhat to do: move them apart along the direction shown, or correct the rule. Hulls are at most as far apart as the parts themselves, so with --geometry hull the true gap may be larger."}, "defaultConfiguration": {"level": "error"}}, {"id": "undecided", "shortDescription": {"text": "Either the depth could be bracketed but not to the side of a limit (certainty bracketed), or a surface of the pair has no inside and nothing shows how deep it goes (certainty surface)."}, "fullDescription": {"text": "Either the depth could be bracketed but not to the side of a limit (certainty bracketed), or a surface of the pair has no inside and nothing shows how deep it goes (certainty surface)."}, "help": {"text": "Either the depth could be bracketed but not to the side of a limit (certainty bracketed), or a surface of the pair has no inside and nothing shows how deep it goes (certainty surface). It fails, because \"could not tell\" must not pass.\n\nWhat to do: interfere explain shows which. Of a surface: close its holes, or give the part \"geometry\": \"hull\", which needs none. Of a bracket: move the limit (--tolerance, allow_depth, min_clearance) out of it, and please report the pair."}, "defaultConfiguration": {"level": "error"}}, {"id": "unused-rule", "shortDescription": {"text": "A rule matches no pair, mostly a typing error in a glob; the nearest id is named, and the rule with it."}, "fullDescription": {"text": "A rule matches no pair, mostly a typing error in a glob; the nearest id is named, and the rule with it."}, "help": {"text": "A rule matches no pair, mostly a typing error in a glob; the nearest id is named, and the rule with it. A rule that was meant to demand a clearance demands nothing until it is corrected. Consider --strict in CI."}, "defaultConfiguration": {"level": "warning"}}], "notifications": [{"id": "open-mesh", "shortDescription": {"text": "The surface has a boundary (edges of one triangle only) or edges at which more than two triangles meet that do not pair up, so it has no definite inside."}, "fullDescription": {"text": "The surface has a boundary (edges of one triangle only) or edges at which more than two triangles meet that do not pair up, so it has no definite inside."}, "help": {"text": "The surface has a boundary (edges of one triangle only) or edges at which more than two triangles meet that do not pair up, so it has no definite inside. The message counts the edges, after joining vertices. What the triangles of such a part say, they say exactly; what they enclose is not defined. Its pairs have the certainty surface:\n\n- nothing crosses, and no vertex of either lies inside the other (a surface winding around it by more than a half): decided by   distance, as clear, contact or clearance. Where the surfaces lie on one another facing the same way, as two copies in one place   do, every vertex of one is on the other and tells nothing; then it is asked of points just behind the shared area; - else interference where a ball in both shows the depth, contact where the two hulls overlap by no more than the tolerance,   and otherwise undecided, which fails.\n\nClose the holes; interfere inspect shows the counts. Hulls are not affected: with \"geometry\": \"hull\" the part's verdicts are certified."}, "defaultConfiguration": {"level": "warning"}}]}},
          "invocations": [
            {"executionSuccessful": true, "exitCode": 1, "toolExecutionNotifications": [{"message": {"text": "part hood: 3 open edges"}, "level": "warning", "descriptor": {"id": "open-mesh", "index": 0}}]}
          ],
          "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The folder in which the check was run."}}},
          "columnKind": "unicodeCodePoints",
          "results": [
            {"ruleId": "interference", "ruleIndex": 0, "level": "error", "message": {"text": "gehäuse \"links\" and shaft overlap by 9.8 mm; moving shaft by 19.6 mm along (0.60, 0.80, 0.00) parts them"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "assembly.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 12}}, "logicalLocations": [{"name": "gehäuse \"links\"", "fullyQualifiedName": "gehäuse \"links\"", "kind": "instance"}]}], "relatedLocations": [{"id": 1, "physicalLocation": {"artifactLocation": {"uri": "assembly.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 10}}, "logicalLocations": [{"name": "shaft", "fullyQualifiedName": "shaft", "kind": "instance"}], "message": {"text": "the other one of the pair"}}], "partialFingerprints": {"interfereFinding/v1": "48006d4af234-interference", "primaryLocationLineHash": "562c6337df0065c2:1"}, "rank": 100, "properties": {"pair": "48006d4af234"}},
            {"ruleId": "interference", "ruleIndex": 0, "level": "error", "message": {"text": "drive/bearing-1 and gehäuse \"links\" overlap by 0.25 mm; moving gehäuse \"links\" by 0.5 mm along -z parts them"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "sub/drive%20one.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 11}}, "logicalLocations": [{"name": "bearing-1", "fullyQualifiedName": "drive/bearing-1", "kind": "instance"}]}], "relatedLocations": [{"id": 1, "physicalLocation": {"artifactLocation": {"uri": "assembly.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 12}}, "logicalLocations": [{"name": "gehäuse \"links\"", "fullyQualifiedName": "gehäuse \"links\"", "kind": "instance"}], "message": {"text": "the other one of the pair"}}], "partialFingerprints": {"interfereFinding/v1": "1084c5c64e76-interference", "primaryLocationLineHash": "002fc1cf0c2e0df4:1"}, "rank": 83.3, "properties": {"pair": "1084c5c64e76"}},
            {"ruleId": "interference", "ruleIndex": 0, "level": "error", "message": {"text": "fan and x\\u{{1b}}[31mred\\nline\\u{{202e}} overlap"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "assembly.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 13}}, "logicalLocations": [{"name": "fan", "fullyQualifiedName": "fan", "kind": "instance"}]}], "relatedLocations": [{"id": 1, "physicalLocation": {"artifactLocation": {"uri": "assembly.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 14}}, "logicalLocations": [{"name": "x\u001b[31mred\nline\u202e", "fullyQualifiedName": "x\u001b[31mred\nline\u202e", "kind": "instance"}], "message": {"text": "the other one of the pair"}}], "partialFingerprints": {"interfereFinding/v1": "33ee1045fdf0-interference", "primaryLocationLineHash": "850a86a12f8403f3:1"}, "rank": 66.7, "properties": {"pair": "33ee1045fdf0"}},
            {"ruleId": "clearance", "ruleIndex": 1, "level": "error", "message": {"text": "fan and gehäuse \"links\" are 0.5 mm apart; 2 mm are demanded; rule: min_clearance 2 mm (assembly.json rules[1])"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "assembly.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 13}}, "logicalLocations": [{"name": "fan", "fullyQualifiedName": "fan", "kind": "instance"}]}], "relatedLocations": [{"id": 1, "physicalLocation": {"artifactLocation": {"uri": "assembly.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 12}}, "logicalLocations": [{"name": "gehäuse \"links\"", "fullyQualifiedName": "gehäuse \"links\"", "kind": "instance"}], "message": {"text": "the other one of the pair"}}], "partialFingerprints": {"interfereFinding/v1": "a2a020e8007a-clearance", "primaryLocationLineHash": "3f62358830cd2384:1"}, "rank": 50, "properties": {"pair": "a2a020e8007a"}},
            {"ruleId": "clearance", "ruleIndex": 1, "level": "error", "message": {"text": "drive/bearing-1 and fan are 1.25 mm apart; 2 mm are demanded; rule: min_clearance 2 mm (assembly.json rules[1])"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "sub/drive%20one.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 11}}, "logicalLocations": [{"name": "bearing-1", "fullyQualifiedName": "drive/bearing-1", "kind": "instance"}]}], "relatedLocations": [{"id": 1, "physicalLocation": {"artifactLocation": {"uri": "assembly.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 13}}, "logicalLocations": [{"name": "fan", "fullyQualifiedName": "fan", "kind": "instance"}], "message": {"text": "the other one of the pair"}}], "partialFingerprints": {"interfereFinding/v1": "04f9614d4c7d-clearance", "primaryLocationLineHash": "5dfc3b07093d29ef:1"}, "rank": 33.3, "properties": {"pair": "04f9614d4c7d"}},
            {"ruleId": "undecided", "ruleIndex": 2, "level": "error", "message": {"text": "drive/bearing-1 and x\\u{{1b}}[31mred\\nline\\u{{202e}} could not be decided: the gap is somewhere between -0.5 and 0.5 mm"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "sub/drive%20one.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 11}}, "logicalLocations": [{"name": "bearing-1", "fullyQualifiedName": "drive/bearing-1", "kind": "instance"}]}], "relatedLocations": [{"id": 1, "physicalLocation": {"artifactLocation": {"uri": "assembly.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 14}}, "logicalLocations": [{"name": "x\u001b[31mred\nline\u202e", "fullyQualifiedName": "x\u001b[31mred\nline\u202e", "kind": "instance"}], "message": {"text": "the other one of the pair"}}], "partialFingerprints": {"interfereFinding/v1": "3ef75dd68a74-undecided", "primaryLocationLineHash": "26c7c46f3b1649e5:1"}, "rank": 16.7, "properties": {"pair": "3ef75dd68a74"}},
            {"ruleId": "unused-rule", "ruleIndex": 3, "level": "warning", "message": {"text": "rules[2] matches no pair"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "assembly.json", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 7, "startColumn": 5}}}], "partialFingerprints": {"interfereFinding/v1": "49643e086153-unused-rule", "primaryLocationLineHash": "89596e0b5c7c2f5a:1"}}
          ],
          "properties": {"assembly": "gear\u001bbox", "verdict": "fail", "pairs": 10, "counts": {"allowed": 1, "clear": 2, "clearance": 2, "contact": 1, "ignored": 0, "interference": 3, "undecided": 1}, "leftOut": 0}
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
fn counts_in_are_counts_out_and_what_is_left_out_is_said() {
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
        // 10 000 of each status: all interferences and clearances are worse than undecided pairs.
        assert!(said.starts_with("5000 results left out: 5000 undecided."), "{said}");
        for status in ["interference", "clearance"] {
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
fn results_are_ranked_and_fingerprints_heed_neither_place_nor_order() {
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
fn hostile_names_are_neither_links_nor_placeholders_and_survive() {
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
