//! Lengths with a unit, in flags and in assembly files: the same bytes as the converted numbers.

use crate::support::command::{Ran, interfere_in};
use crate::support::scratch::Scratch;
use crate::support::solids::{block, obj};

/// Three cubes of one inch in a row: an overlap of 0.0003 inch, then a gap of 0.05 inch.
fn row(top: &str, rule: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("cube.obj", obj(&block([0.0; 3], [1.0; 3])));
    let text = format!(
        r#"{{ "version": 1, "units": "inch", {top} "parts": {{ "cube": {{ "mesh": "cube.obj" }} }},
  "instances": [
    {{ "id": "a", "part": "cube" }},
    {{ "id": "b", "part": "cube", "placement": {{ "translation": [0.9997, 0, 0] }} }},
    {{ "id": "c", "part": "cube", "placement": {{ "translation": [2.0497, 0, 0] }} }} ],
  "rules": [{rule}] }}"#
    );
    scratch.write("assembly.json", text);
    scratch
}

fn run(scratch: &Scratch, line: &str) -> Ran {
    let ran = interfere_in(scratch.path(), &line.split_whitespace().collect::<Vec<_>>());
    assert!(ran.code < 2, "{line}: {ran:?}");
    ran
}

#[test]
fn a_flag_with_a_unit_equals_the_converted_number() {
    let inches = (0.01_f64 / 25.4).to_string();
    assert_eq!(inches.parse::<f64>().unwrap() * 25.4, 0.01);
    for command in [
        "check assembly.json --format json",
        "check assembly.json",
        "explain assembly.json a b --format json",
        "suggest assembly.json --format json",
        "accept assembly.json",
    ] {
        for (with_unit, number) in [
            ("--tolerance 0.01mm", format!("--tolerance {inches}")),
            ("--tolerance 0.1thou", "--tolerance 0.0001".to_owned()),
            ("--tolerance 0.00254mm", "--tolerance 0.0001".to_owned()),
            ("--report-within 1.27mm", "--report-within 0.05".to_owned()),
            ("--geometry decomposition --epsilon 254um", "--geometry decomposition --epsilon 0.01".to_owned()),
        ] {
            let [one, two] = [with_unit, &number].map(|flags| run(&row("", ""), &format!("{command} {flags}")));
            assert_eq!((one.code, one.stdout), (two.code, two.stdout), "{command} {with_unit}");
        }
    }
}

#[test]
fn a_unit_of_a_flag_decides() {
    let scratch = row("", "");
    let check = |flags: &str| run(&scratch, &format!("check assembly.json --format json {flags}"));
    // The overlap is 0.3 thou, 0.00762 mm: below 0.01 mm, above 0.1 thou.
    assert_eq!([check("--tolerance 0.01mm").code, check("--tolerance 0.1thou").code], [0, 1]);
    assert_eq!(check("--tolerance 0.01mm").stdout, check("").stdout);
    assert_ne!(check("--report-within 2mm").stdout, check("--report-within 1mm").stdout);
}

#[test]
fn a_length_with_a_unit_in_a_file_equals_the_number() {
    let numbers = row(r#""tolerance": 0.0001,"#, r#"{ "between": ["b", "c"], "min_clearance": 0.06 }"#);
    let texts = row(r#""tolerance": "2.54 um","#, r#"{ "between": ["b", "c"], "min_clearance": "60thou" }"#);
    for command in ["check assembly.json --format json", "check assembly.json", "explain assembly.json b c"] {
        let [one, two] = [&numbers, &texts].map(|scratch| run(scratch, command));
        assert_eq!((one.code, one.stdout, one.stderr), (two.code, two.stdout, two.stderr), "{command}");
    }
}
