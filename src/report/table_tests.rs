//! Tests of the report for people.

use crate::check::{Counts, Outcome, PairOutcome, Status};
use crate::findings::Judged;
use crate::geom::Vec3;
use crate::report::Style;
use crate::report::table::*;
use crate::report::wrap::{MIN_WIDTH, columns};
use crate::testkit::sample_outcome;

fn rendered(judged: &Judged, style: Style) -> String {
    let mut out = Vec::new();
    render(judged, style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn text(outcome: &Outcome, colour: bool) -> String {
    rendered(&Judged::from(outcome.clone()), Style { colour, ..Style::default() })
}

fn expanded(outcome: &Outcome) -> String {
    rendered(&Judged::from(outcome.clone()), Style { expand: true, ..Style::default() })
}

fn with_pairs(pairs: Vec<PairOutcome>) -> Outcome {
    let mut counts = Counts::default();
    for p in &pairs {
        *counts.of_mut(p.status) += 1;
    }
    Outcome { possible_pairs: pairs.len() as u64, counts, pairs, ..sample_outcome::outcome() }
}

#[test]
fn the_whole_table() {
    insta::assert_snapshot!(text(&sample_outcome::outcome(), false), @r#"
    gear\u{1b}box (assembly.json): 2 parts, 5 instances, 10 pairs
    geometry: hull: convex hulls replace the parts; concavities count as solid
    tolerance: 0.01 mm: overlap no deeper than this is contact

    status        #   a                b                                depth    volume             gap
    interference  #1  gehäuse "links"  shaft                           9.8 mm  31.2 mm³
                      at (0.5, 0.5, 0.5) mm; move b by 19.6 mm along (0.60, 0.80, 0.00); id 48006d4af234
    interference  #2  drive/bearing-1  gehäuse "links"                0.25 mm  31.2 mm³
                      at (0.5, 0.5, 0.5) mm; move b by 0.5 mm along -z; id 1084c5c64e76
    interference  #3  fan              x\u{1b}[31mred\nline\u{202e}
                      id 33ee1045fdf0
    too_close     #4  fan              gehäuse "links"                                           0.5 mm
                      at (0.25, 0, 0) mm; along +x; rule min_clearance 2 mm (assembly.json rules[1]);
                      id a2a020e8007a
    too_close     #5  drive/bearing-1  fan                                                      1.25 mm
                      at (0.625, 0, 0) mm; along +x; rule min_clearance 2 mm (assembly.json rules[1]);
                      id 04f9614d4c7d
    undecided     #6  drive/bearing-1  x\u{1b}[31mred\nline\u{202e}                      -0.5 to 0.5 mm
                      id 3ef75dd68a74
    allowed       #7  drive/bearing-1  shaft                         0.015 mm  31.2 mm³
                      at (0.5, 0.5, 0.5) mm; move b by 0.03 mm along +x;
                      rule allow_depth 0.03 mm, H7/p6 press fit (assembly.json rules[0]);
                      id ce9c7ce76b14
    clear         #8  fan              shaft                                                       4 mm
                      at (2, 0, 0) mm; along +x; id f06c5be0c088

    1 contact exceeds the tolerance only by tessellation error (0.0125 mm deep); --facets strict reports
      it as interference
    10 pairs: 3 interference, 2 too_close, 1 undecided, 1 allowed, 1 contact, 2 clear, 0 ignored
    cleared: 1 by aabb, 0 by obb, 1 by hull
    2 warnings
    FAIL: 6 pairs fail
    "#);
}

#[test]
fn colour_paints_statuses_and_the_verdict() {
    let text = text(&sample_outcome::outcome(), true);
    assert!(text.contains("\x1b[1;31minterference\x1b[0m  "));
    assert!(text.contains("\x1b[1;32mallowed\x1b[0m"));
    assert!(text.contains("\n\x1b[1;31mFAIL\x1b[0m: "));
}

#[test]
fn names_are_escaped_in_the_terminal() {
    let text = text(&sample_outcome::outcome(), false);
    assert!(!text.chars().any(|c| c != '\n' && crate::json::wording::is_unsafe_char(c)));
}

#[test]
fn a_pass_of_contacts_is_short() {
    let pairs = sample_outcome::outcome().pairs.into_iter().filter(|p| p.status == Status::Contact).collect();
    let outcome = Outcome { warnings: Vec::new(), ..with_pairs(pairs) };
    insta::assert_snapshot!(text(&outcome, false), @r#"
    gear\u{1b}box (assembly.json): 2 parts, 5 instances, 1 pair
    geometry: hull: convex hulls replace the parts; concavities count as solid
    tolerance: 0.01 mm: overlap no deeper than this is contact

    1 contact exceeds the tolerance only by tessellation error (0.0125 mm deep); --facets strict reports
      it as interference
    1 pair: 0 interference, 0 too_close, 0 undecided, 0 allowed, 1 contact, 0 clear, 0 ignored
    cleared: 1 by aabb, 0 by obb, 1 by hull
    PASS
    "#);
}

#[test]
fn rows_are_capped_and_the_rest_is_counted() {
    let template = sample_outcome::outcome().pairs[1].clone();
    assert_eq!(template.status, Status::Interference);
    let apart = |k: usize| PairOutcome { alike: k as u64, ..template.clone() };
    let mut pairs: Vec<_> = (0..MAX_ROWS - 1).map(apart).collect();
    pairs.extend(sample_outcome::outcome().pairs.into_iter().filter(|p| p.status != Status::Interference));
    let outcome = with_pairs(pairs);
    let text = expanded(&outcome);
    assert_eq!(text.lines().filter(|l| l.starts_with("interference ")).count(), MAX_ROWS - 1);
    assert_eq!(text.lines().filter(|l| l.starts_with("too_close ")).count(), 1);
    assert!(
        text.contains("and 4 more: 1 too_close, 1 undecided, 1 allowed, 1 clear (--limit 0 lists them)\n"),
        "{text}"
    );
    let all = rendered(&Judged::from(outcome), Style { expand: true, limit: 0, ..Style::default() });
    assert_eq!(all.lines().filter(|l| l.contains("  #")).count(), 1 + MAX_ROWS + 4);
    assert!(!all.contains(" more: "), "{all}");
}

#[test]
fn one_failing_pair_fails_in_the_singular() {
    let outcome = with_pairs(vec![sample_outcome::outcome().pairs[1].clone()]);
    assert!(text(&outcome, false).ends_with("\nFAIL: 1 pair fails\n"));
}

#[test]
fn column_lists_collisions_of_a_moved_part() {
    let mut outcome = sample_outcome::outcome();
    let fix = |k: usize, into: Option<Vec<u32>>| crate::check::Fix {
        pair: [outcome.pairs[k].a, outcome.pairs[k].b],
        translation: Vec3::zeros(),
        moves_into: into.map(|i| i.into_iter().map(crate::assembly::InstanceIx).collect()),
    };
    let known = fix(1, Some(vec![0, 3]));
    let unknown = fix(7, None);
    outcome.fixes = vec![known, unknown];
    let text = text(&outcome, false);
    assert!(text.contains("move b by 0.5 mm along -z; moves into shaft, fan;\n"), "{text}");
    assert!(text.contains(" mm along (0.60, 0.80, 0.00);\n                  move not checked;"), "{text}");
}

#[test]
fn long_names_are_shortened_only_in_the_table() {
    let mut o = sample_outcome::outcome();
    let long = format!("frame/{}/bolt-7", "x".repeat(500));
    o.instances[0].id.clone_from(&long);
    let table = text(&o, false);
    // The name takes a line of its own, after four blanks.
    let short = format!("    frame/{}…{}/bolt-7\n", "x".repeat(41), "x".repeat(41));
    assert_eq!(short.chars().count(), 101);
    assert!(table.contains(&short) && !table.contains(&long), "{table}");
    let mut json = Vec::new();
    crate::report::json::render(&o.into(), &mut json).unwrap();
    assert!(String::from_utf8(json).unwrap().contains(&long));
}

#[test]
fn a_baseline_is_a_column_and_a_sentence() {
    use crate::findings::{BaselineCounts, BaselineOutcome, BaselineStatus, Comparison, FailOn, ResolvedFinding};
    let outcome = sample_outcome::outcome();
    let mut statuses = [BaselineStatus::Accepted, BaselineStatus::Worse, BaselineStatus::New].into_iter().cycle();
    let mut counts = BaselineCounts::default();
    let mut compare = || {
        let status = statuses.next()?;
        *counts.of_mut(status) += 1;
        Some(Comparison { status, accepted: None })
    };
    let comparisons = outcome.pairs.iter().map(|p| if p.status.fails() { compare() } else { None }).collect();
    let gone = |b: &str, fixed| ResolvedFinding {
        run: None,
        a: "fan".to_owned(),
        b: b.to_owned(),
        status: Status::TooClose,
        fixed,
        why: "clear\n".to_owned(),
    };
    let gone = (0..12).map(|k| gone(&format!("x{k}"), k == 0)).collect();
    let baseline = Some(BaselineOutcome { file: "b.json".to_owned(), comparisons, runs: Vec::new(), counts, gone });
    let judged = Judged { baseline, fail_on: FailOn::New, ..Judged::from(outcome) };
    let shown = rendered(&judged, Style::default());
    let column: Vec<&str> = shown
        .lines()
        .skip_while(|l| !l.starts_with("status"))
        .filter(|l| !l.starts_with(' '))
        .take(9)
        .map(|l| l.split_whitespace().nth(1).unwrap())
        .collect();
    // By status, open findings before accepted ones; then rows without a finding or a baseline status.
    assert_eq!(column[..7], ["baseline", "new", "worse", "worse", "new", "accepted", "accepted"], "{shown}");
    assert!(shown.contains("\nbaseline b.json: 2 new, 2 worse, 2 accepted, 1 fixed, 11 unverified\n"), "{shown}");
    assert_eq!(shown.lines().filter(|l| l.starts_with("  unverified: fan and x")).count(), MAX_GONE);
    assert!(shown.contains("  unverified: fan and x1, too_close: clear\\n\n"), "{shown}");
    assert!(shown.contains("\n  and 1 more unverified (--format json lists them)\n"), "{shown}");
    assert!(shown.ends_with("\n  fixed: `interfere accept assembly.json --prune` removes them from the baseline\nFAIL: 4 pairs fail, 2 accepted findings\n"), "{shown}");
    let never = Judged { fail_on: FailOn::Never, ..judged };
    assert!(rendered(&never, Style::default()).ends_with("PASS: 6 findings; none fails with --fail-on never\n"));
}

#[test]
fn group_row_shows_the_worst_members_numbers() {
    let outcome = sample_outcome::grouped();
    insta::assert_snapshot!(text(&outcome, false), @r#"
    gear\u{1b}box (assembly.json): 2 parts, 86 instances, 47 pairs
    geometry: hull: convex hulls replace the parts; concavities count as solid
    tolerance: 0.01 mm: overlap no deeper than this is contact

    status        #   a       b             pairs     depth  id
    interference  #1  plate   * (as rib-4)      6      5 mm  083c5b91c549
    interference  #2  bolt-*  hole-*           40    0.5 mm  ddeb69db861a
    interference  #3  bolt-0  rib-0                0.125 mm  e4f3d07d2c61
    grouped rows show their worst pair; use --expand to list every pair

    47 pairs: 47 interference, 0 too_close, 0 undecided, 0 allowed, 0 contact, 0 clear, 0 ignored
    cleared: 0 by aabb, 0 by obb, 0 by hull
    FAIL: 47 pairs fail
    "#);
    let all = expanded(&outcome);
    assert_eq!(all.lines().filter(|l| l.starts_with("interference ")).count(), outcome.pairs.len());
    assert!(!all.contains("several pairs"), "{all}");
}

#[test]
fn rows_without_computed_fix_are_marked() {
    let mut outcome = sample_outcome::outcome();
    let row = &outcome.pairs[7];
    outcome.fixes =
        vec![crate::check::Fix { pair: [row.a, row.b], translation: Vec3::zeros(), moves_into: Some(Vec::new()) }];
    let text = text(&outcome, false);
    assert!(text.contains("move b by 0.5 mm along -z; move not checked;"), "{text}");
    assert_eq!(text.matches("not checked").count(), 1, "{text}");
}

#[test]
fn counts_are_kept() {
    for n in [0, 1, 40, 30_000] {
        let outcome = sample_outcome::findings(n);
        let text = text(&outcome, false);
        let rows = text.lines().filter(|l| l.contains("  part-")).count();
        let more = text.lines().find_map(|l| l.strip_prefix("and ")?.split(' ').next()?.parse::<usize>().ok());
        assert_eq!(rows + more.unwrap_or(0), n);
        assert_eq!(rows, n.min(MAX_ROWS));
        let said = format!("{} interference, {} too_close, {} undecided", n.div_ceil(3), (n + 1) / 3, n / 3);
        assert!(text.contains(&said), "{said}");
    }
}

#[test]
fn hostile_names_stay_in_their_rows() {
    let outcome = sample_outcome::hostile();
    let text = expanded(&outcome);
    assert_eq!(text.lines().filter(|l| l.contains("allow_depth")).count(), outcome.pairs.len());
    assert!(!text.chars().any(|c| c != '\n' && crate::json::wording::is_unsafe_char(c)));
}

#[test]
fn no_line_is_wider_than_the_table() {
    let long = |mut o: Outcome| {
        o.path = format!("/models/{}/assembly.json", "long/".repeat(60));
        for (k, i) in o.instances.iter_mut().enumerate() {
            i.id = format!("Fusion.Enclosure.{}{}", "Case_".repeat(k % 40), i.id);
        }
        o
    };
    let outcomes =
        [sample_outcome::outcome(), sample_outcome::hostile(), sample_outcome::grouped(), sample_outcome::findings(60)];
    for outcome in outcomes.clone().into_iter().chain(outcomes.map(long)) {
        for (width, expand) in [(0, false), (60, true), (80, false), (100, true), (160, false)] {
            let text = rendered(&Judged::from(outcome.clone()), Style { expand, width, ..Style::default() });
            let wide = text.lines().find(|l| columns(l) > width.max(MIN_WIDTH));
            assert_eq!(wide, None, "{width}\n{text}");
            // Colours change no layout.
            let painted =
                rendered(&Judged::from(outcome.clone()), Style { colour: true, expand, width, ..Style::default() });
            let codes = ["\x1b[1;31m", "\x1b[1;32m", "\x1b[1;33m", "\x1b[1m", "\x1b[0m"];
            assert_eq!(codes.iter().fold(painted, |t, code| t.replace(code, "")), text);
        }
    }
}

#[test]
fn common_prefix_is_said_once() {
    let mut o = sample_outcome::grouped();
    for i in &mut o.instances {
        i.id = format!("Gripper.{}", i.id);
    }
    insta::assert_snapshot!(text(&o, false).lines().skip(4).take(8).collect::<Vec<_>>().join("\n"), @r#"
    ids begin with `Gripper.`
    status        #   a       b             pairs     depth  id
    interference  #1  plate   * (as rib-4)      6      5 mm  d667b32c9c1b
    interference  #2  bolt-*  hole-*           40    0.5 mm  fb395e5c5f02
    interference  #3  bolt-0  rib-0                0.125 mm  abc535d8ce48
    grouped rows show their worst pair; use --expand to list every pair

    47 pairs: 47 interference, 0 too_close, 0 undecided, 0 allowed, 0 contact, 0 clear, 0 ignored
    "#);
}

#[test]
fn names_fold_before_they_are_shortened() {
    let mut o = sample_outcome::outcome();
    o.instances[0].id = format!("shaft-{}", "x".repeat(50));
    o.instances[2].id = format!("case-{}", "y".repeat(70));
    let judged = Judged::from(o);
    let at = |width| {
        let text = rendered(&judged, Style { width, ..Style::default() });
        text.lines().skip(4).take(4).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!([at(80), at(100), at(160)].join("\n\n"), @r#"
    status        #   a                b             depth    volume             gap
    interference  #1                                9.8 mm  31.2 mm³
        case-yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
        shaft-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx

    status        #   a                b                                 depth    volume             gap
    interference  #1  case-yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
                      shaft-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                                                                        9.8 mm  31.2 mm³

    status        #   a                b                                                                               depth    volume             gap
    interference  #1  case-yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy                     9.8 mm  31.2 mm³
                      shaft-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                      at (0.5, 0.5, 0.5) mm; move b by 19.6 mm along (0.60, 0.80, 0.00); id d671e18c5700
    "#);
}
