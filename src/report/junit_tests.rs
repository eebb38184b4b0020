//! Tests of the `JUnit` report.

use crate::check::Outcome;
use crate::findings::Judged;
use crate::report::PictureLinks;
use crate::report::conform_tests::junit_errors;
use crate::report::junit::*;
use crate::testkit::sample_outcome;
use roxmltree::Document;

fn text(outcome: &Outcome) -> String {
    let mut out = Vec::new();
    render(&Judged::from(outcome.clone()), PictureLinks::default(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_whole_document() {
    insta::assert_snapshot!(text(&sample_outcome::outcome()), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="interfere" tests="9" failures="5" errors="1">
      <testsuite name="gear\u{1b}box" tests="9" failures="5" errors="1" skipped="1">
        <properties>
          <property name="assembly" value="assembly.json"/>
          <property name="geometry" value="hull"/>
          <property name="verdict" value="fail"/>
          <property name="pairs" value="10"/>
          <property name="interference" value="3"/>
          <property name="too_close" value="2"/>
          <property name="undecided" value="1"/>
          <property name="allowed" value="1"/>
          <property name="contact" value="1"/>
          <property name="clear" value="2"/>
          <property name="ignored" value="0"/>
          <property name="warnings" value="2"/>
        </properties>
        <testcase name="drive/bearing-1 x fan" classname="gear\u{1b}box">
          <failure type="too_close" message="drive/bearing-1 and fan are 1.25 mm apart; required: 2 mm; at (0.625, 0, 0) mm; rule: min_clearance 2 mm (assembly.json rules[1])"/>
        </testcase>
        <testcase name="drive/bearing-1 x gehäuse &quot;links&quot;" classname="gear\u{1b}box">
          <failure type="interference" message="drive/bearing-1 and gehäuse &quot;links&quot; overlap by 0.25 mm; the common volume is 31.2 mm³; at (0.5, 0.5, 0.5) mm; moving gehäuse &quot;links&quot;, the smaller part, by 0.5 mm along -z separates them"/>
        </testcase>
        <testcase name="drive/bearing-1 x shaft" classname="gear\u{1b}box">
          <skipped type="allowed" message="H7/p6 press fit: drive/bearing-1 and shaft overlap by 0.015 mm; the common volume is 31.2 mm³; at (0.5, 0.5, 0.5) mm; rule: allow_depth 0.03 mm, H7/p6 press fit (assembly.json rules[0])"/>
        </testcase>
        <testcase name="drive/bearing-1 x x\u{1b}[31mred\nline\u{202e}" classname="gear\u{1b}box">
          <error type="undecided" message="drive/bearing-1 and x\u{1b}[31mred\nline\u{202e} are undecided: the gap is between -0.5 and 0.5 mm"/>
        </testcase>
        <testcase name="fan x gehäuse &quot;links&quot;" classname="gear\u{1b}box">
          <failure type="too_close" message="fan and gehäuse &quot;links&quot; are 0.5 mm apart; required: 2 mm; at (0.25, 0, 0) mm; rule: min_clearance 2 mm (assembly.json rules[1])"/>
        </testcase>
        <testcase name="fan x shaft" classname="gear\u{1b}box"/>
        <testcase name="fan x x\u{1b}[31mred\nline\u{202e}" classname="gear\u{1b}box">
          <failure type="interference" message="fan and x\u{1b}[31mred\nline\u{202e} overlap"/>
        </testcase>
        <testcase name="gehäuse &quot;links&quot; x shaft" classname="gear\u{1b}box">
          <failure type="interference" message="gehäuse &quot;links&quot; and shaft overlap by 9.8 mm; the common volume is 31.2 mm³; at (0.5, 0.5, 0.5) mm; moving shaft, the smaller part, by 19.6 mm along (0.60, 0.80, 0.00) separates them"/>
        </testcase>
        <testcase name="shaft x x\u{1b}[31mred\nline\u{202e}" classname="gear\u{1b}box"/>
      </testsuite>
    </testsuites>
    "#);
}

#[test]
fn the_schema_is_kept() {
    for outcome in [
        sample_outcome::outcome(),
        sample_outcome::hostile(),
        sample_outcome::grouped(),
        sample_outcome::findings(0),
        sample_outcome::findings(30_000),
    ] {
        assert_eq!(junit_errors(&text(&outcome)), Vec::<String>::new());
    }
}

#[test]
fn counts_are_kept() {
    let outcomes = [0, 1, 40, 30_000]
        .map(sample_outcome::findings)
        .into_iter()
        .chain([sample_outcome::outcome(), sample_outcome::hostile()]);
    for outcome in outcomes {
        let text = text(&outcome);
        let document = Document::parse(&text).unwrap();
        let suite = document.descendants().find(|n| n.has_tag_name("testsuite")).unwrap();
        let said = |name: &str| suite.attribute(name).unwrap().parse::<u64>().unwrap();
        let found = |name: &str| document.descendants().filter(|n| n.has_tag_name(name)).count() as u64;
        let c = &outcome.counts;
        assert_eq!((said("tests"), found("testcase")), (outcome.pairs.len() as u64, outcome.pairs.len() as u64));
        assert_eq!((said("failures"), found("failure")), (c.interference + c.too_close, c.interference + c.too_close));
        assert_eq!((said("errors"), found("error")), (c.undecided, c.undecided));
        assert_eq!((said("skipped"), found("skipped")), (c.allowed, c.allowed));
        for (status, n) in c.named() {
            let property = document.descendants().find(|n| n.attribute("name") == Some(status.name())).unwrap();
            assert_eq!(property.attribute("value"), Some(n.to_string().as_str()));
        }
    }
}

#[test]
fn hostile_names_are_texts() {
    let outcome = sample_outcome::hostile();
    let text = text(&outcome);
    let document = Document::parse(&text).unwrap();
    let names: Vec<_> =
        document.descendants().filter(|n| n.has_tag_name("testcase")).map(|n| n.attribute("name").unwrap()).collect();
    for (p, name) in outcome.pairs.iter().zip(names) {
        let expected = [p.a, p.b].map(|i| crate::report::text::shown(outcome.id(i)).into_owned()).join(" x ");
        assert_eq!(name, expected.replace('\u{fffe}', "\\u{fffe}").replace('\u{ffff}', "\\u{ffff}"));
    }
    assert!(!text.contains("<script>"));
}
