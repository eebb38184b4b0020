//! Tests of the annotations.

use crate::check::Outcome;
use crate::findings::Judged;
use crate::report::github::*;
use crate::testkit::sample_outcome;

fn text(outcome: &Outcome) -> String {
    let mut out = Vec::new();
    render(&Judged::from(outcome.clone()), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_whole_list() {
    insta::assert_snapshot!(text(&sample_outcome::outcome()), @r#"
    ::error file=assembly.json,line=12,title=interference%3A gehäuse "links"%2C shaft::gehäuse "links" and shaft overlap by 9.8 mm; the common volume is 31.2 mm³; at (0.5, 0.5, 0.5) mm; moving shaft, the smaller part, by 19.6 mm along (0.60, 0.80, 0.00) separates them
    ::error file=sub/drive one.json,line=11,title=interference%3A drive/bearing-1%2C gehäuse "links"::drive/bearing-1 and gehäuse "links" overlap by 0.25 mm; the common volume is 31.2 mm³; at (0.5, 0.5, 0.5) mm; moving gehäuse "links", the smaller part, by 0.5 mm along -z separates them
    ::error file=assembly.json,line=13,title=interference%3A fan%2C x\u{1b}[31mred\nline\u{202e}::fan and x\u{1b}[31mred\nline\u{202e} overlap
    ::error file=assembly.json,line=13,title=too_close%3A fan%2C gehäuse "links"::fan and gehäuse "links" are 0.5 mm apart; required: 2 mm; at (0.25, 0, 0) mm; rule: min_clearance 2 mm (assembly.json rules[1])
    ::error file=sub/drive one.json,line=11,title=too_close%3A drive/bearing-1%2C fan::drive/bearing-1 and fan are 1.25 mm apart; required: 2 mm; at (0.625, 0, 0) mm; rule: min_clearance 2 mm (assembly.json rules[1])
    ::error file=sub/drive one.json,line=11,title=undecided%3A drive/bearing-1%2C x\u{1b}[31mred\nline\u{202e}::drive/bearing-1 and x\u{1b}[31mred\nline\u{202e} are undecided: the gap is between -0.5 and 0.5 mm
    ::warning title=open-mesh::part hood: 3 open edges
    ::warning file=assembly.json,line=7,title=unused-rule::rules[2] matches no pair
    ::notice title=interfere%3A FAIL gear\u{1b}box::6 of 10 pairs fail: 3 interference, 2 too_close, 1 undecided, 1 allowed, 1 contact, 2 clear, 0 ignored
    "#);
}

#[test]
fn a_group_is_one_annotation() {
    insta::assert_snapshot!(text(&sample_outcome::grouped()), @r#"
    ::error file=assembly.json,line=86,title=interference%3A plate%2C * (as rib-4)::plate and rib-4 overlap by 5 mm; worst of 6 such pairs, plate and *
    ::error file=assembly.json,line=1,title=interference%3A bolt-*%2C hole-*::bolt-0 and hole-0 overlap by 0.5 mm; worst of 40 such pairs, bolt-* and hole-*
    ::error file=assembly.json,line=1,title=interference%3A bolt-0%2C rib-0::bolt-0 and rib-0 overlap by 0.125 mm
    ::notice title=interfere%3A FAIL gear\u{1b}box::47 of 47 pairs fail: 47 interference, 0 too_close, 0 undecided, 0 allowed, 0 contact, 0 clear, 0 ignored
    "#);
}

#[test]
fn the_worst_nine_and_a_count_of_the_rest() {
    for n in [0, 1, 9, 10, 40, 30_000] {
        let text = text(&sample_outcome::findings(n));
        let errors: Vec<_> = text.lines().filter(|l| l.starts_with("::error ")).collect();
        let told = errors.iter().filter(|l| l.contains("file=assembly.json,line=")).count();
        assert_eq!(told, n.min(MAX_ANNOTATIONS));
        let more =
            errors.iter().find_map(|l| l.strip_prefix("::error title=interfere::")?.split(' ').next()?.parse().ok());
        assert_eq!(told + more.unwrap_or(0_usize), n);
        assert_eq!(errors.len(), if n > 9 { 10 } else { n });
        assert!(
            text.ends_with(&format!(
                "{} interference, {} too_close, {} undecided, 0 allowed, 0 contact, 0 clear, 0 ignored\n",
                n.div_ceil(3),
                (n + 1) / 3,
                n / 3
            )),
            "{text}"
        );
    }
}

#[test]
fn warnings_are_limited_too() {
    let mut outcome = sample_outcome::findings(0);
    outcome.warnings = vec![sample_outcome::outcome().warnings[0].clone(); 12];
    let text = text(&outcome);
    assert_eq!(text.lines().filter(|l| l.starts_with("::warning ")).count(), 10);
    assert!(text.contains("::warning title=interfere::3 more warnings "), "{text}");
}

#[test]
fn hostile_names_stay_in_their_command() {
    let outcome = sample_outcome::hostile();
    let text = text(&outcome);
    for line in text.lines() {
        let rest = line.strip_prefix("::").unwrap();
        let (head, message) = rest.split_once("::").unwrap();
        let (kind, properties) = head.split_once(' ').unwrap();
        assert!(["error", "warning", "notice"].contains(&kind), "{line}");
        let keys: Vec<_> = properties.split(',').map(|p| p.split_once('=').unwrap().0).collect();
        assert!(keys == ["title"] || keys == ["file", "line", "title"], "{line}");
        assert!(!head.contains("::") && !message.is_empty());
        for escape in line.split('%').skip(1) {
            assert!(["25", "3A", "2C"].iter().any(|e| escape.starts_with(e)), "{line}");
        }
    }
    assert_eq!(text.lines().filter(|l| l.starts_with("::error ")).count(), 10);
    assert!(!text.chars().any(|c| c != '\n' && crate::json::wording::is_unsafe_char(c)));
    assert!(text.contains("line=1::y%250A"), "{text}");
}
