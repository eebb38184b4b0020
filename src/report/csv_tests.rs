//! Tests of the comma-separated values.

use crate::check::{Outcome, Status};
use crate::findings::Judged;
use crate::report::csv::*;
use crate::testkit::sample_outcome;

fn text(outcome: &Outcome) -> String {
    let mut out = Vec::new();
    render(&Judged::from(outcome.clone()), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Strict reader of RFC 4180.
fn read(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut chars = text.chars().peekable();
    let mut quoted = false;
    while let Some(c) = chars.next() {
        match (quoted, c) {
            (true, '"') if chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            (true, '"') => {
                quoted = false;
                assert!(matches!(chars.peek(), Some(',' | '\r')), "text after a quoted field");
            }
            (true, c) => field.push(c),
            (false, '"') => {
                assert!(field.is_empty(), "a quote inside a field");
                quoted = true;
            }
            (false, ',') => row.push(std::mem::take(&mut field)),
            (false, '\r') => {
                assert_eq!(chars.next(), Some('\n'));
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            (false, c) => {
                assert_ne!(c, '\n');
                field.push(c);
            }
        }
    }
    assert!(row.is_empty() && field.is_empty(), "the last row ends");
    rows
}

#[test]
fn the_whole_file() {
    let text = text(&sample_outcome::outcome());
    insta::assert_snapshot!(text.replace("\r\n", "\n"), @r#"
    id,status,severity,baseline,a,b,part_a,part_b,file_a,line_a,file_b,line_b,relation,certainty,geometry,gap,gap_low,gap_high,overlap_depth,penetration_depth,move_b_x,move_b_y,move_b_z,overlap_volume,at_x,at_y,at_z,facet_allowance,within_facet_error,rule,rule_file,rule_index,reason,group,group_kind,group_pairs,row,member
    04f9614d4c7d,too_close,error,,drive/bearing-1,fan,bearing,hood,sub/drive one.json,11,assembly.json,13,apart,certified,hull,1.25,1.25,1.25,0,,,,,,0.625,0,0,,false,min_clearance 2 mm,assembly.json,1,,,,,5,
    1084c5c64e76,interference,error,,drive/bearing-1,"gehäuse ""links""",bearing,hood,sub/drive one.json,11,assembly.json,12,overlap,certified,hull,-0.25,-0.25025,-0.24975,0.25,0.5,0,0,-0.5,31.2,0.5,0.5,0.5,,false,,,,,,,,2,
    ce9c7ce76b14,allowed,,,drive/bearing-1,shaft,bearing,hood,sub/drive one.json,11,assembly.json,10,overlap,certified,hull,-0.015,-0.015014999999999997,-0.014985,0.015,0.03,0.03,0,0,31.2,0.5,0.5,0.5,,false,allow_depth 0.03 mm,assembly.json,0,H7/p6 press fit,,,,7,
    3ef75dd68a74,undecided,error,,drive/bearing-1,x\u{1b}[31mred\nline\u{202e},bearing,hood,sub/drive one.json,11,assembly.json,14,,no_inside,hull,,-0.5,0.5,,,,,,,,,,,false,,,,,,,,6,
    a2a020e8007a,too_close,error,,fan,"gehäuse ""links""",hood,hood,assembly.json,13,assembly.json,12,apart,certified,hull,0.5,0.5,0.5,0,,,,,,0.25,0,0,,false,min_clearance 2 mm,assembly.json,1,,,,,4,
    f06c5be0c088,clear,,,fan,shaft,hood,hood,assembly.json,13,assembly.json,10,apart,certified,hull,4,4,4,0,,,,,,2,0,0,,false,,,,,,,,8,
    33ee1045fdf0,interference,error,,fan,x\u{1b}[31mred\nline\u{202e},hood,hood,assembly.json,13,assembly.json,14,,certified,hull,,,,,,,,,,,,,,false,,,,,,,,3,
    48006d4af234,interference,error,,"gehäuse ""links""",shaft,hood,hood,assembly.json,12,assembly.json,10,overlap,certified,hull,-9.8,-9.8098,-9.7902,9.8,19.6,11.76,15.680000000000001,0,31.2,0.5,0.5,0.5,,false,,,,,,,,1,
    755042462d51,contact,,,shaft,x\u{1b}[31mred\nline\u{202e},hood,hood,assembly.json,10,assembly.json,14,overlap,certified,hull,-0.0125,-0.0125125,-0.0124875,0.0125,0.025,0,0.025,0,31.2,0.5,0.5,0.5,0.02,true,,,,,,,,,
    "#);
}

#[test]
fn counts_are_kept() {
    let outcomes = [0, 1, 40, 30_000]
        .map(sample_outcome::findings)
        .into_iter()
        .chain([sample_outcome::outcome(), sample_outcome::hostile()]);
    for outcome in outcomes {
        let rows = read(&text(&outcome));
        let (head, rows) = rows.split_first().unwrap();
        assert!(rows.iter().all(|r| r.len() == head.len()));
        for status in Status::ALL.into_iter().filter(|s| !matches!(s, Status::Clear | Status::Ignored)) {
            let n = rows.iter().filter(|r| r[1] == status.name()).count() as u64;
            assert_eq!(n, outcome.counts.of(status), "{status:?}");
        }
    }
}

#[test]
fn hostile_names_are_text_not_formulas() {
    let outcome = sample_outcome::hostile();
    let rows = read(&text(&outcome));
    for (p, row) in outcome.pairs.iter().zip(&rows[1..]) {
        for (field, i) in [(&row[4], p.a), (&row[5], p.b)] {
            let name = crate::report::text::shown(outcome.id(i));
            let guarded = name.starts_with(['=', '+', '-', '@']);
            assert_eq!(*field, if guarded { format!("'{name}") } else { name.into_owned() });
        }
        let number = |f: &String| f.parse::<f64>().is_ok();
        assert!(row.iter().all(|f| !f.starts_with(['=', '+', '-', '@']) || number(f)), "{row:?}");
    }
    assert!(rows[1][4] == "'=1+1" && rows[2][4] == "'+cmd|' /C calc'!A0", "{rows:?}");
}
