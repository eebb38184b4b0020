//! Do the warnings about probable mistakes appear for each mistake, and for no correct assembly? Through the built
//! program.

use crate::generate::folders;
use crate::support::command::{Ran, interfere, interfere_in};
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use crate::support::solids::{block, obj};
use serde_json::Value;
use std::fs;
use std::path::Path;

const CODES: [&str; 4] = ["non-rigid-placement", "unit-suspect", "not-placed", "flag-without-effect"];

/// Warnings with one of the codes, as `code: message`.
fn mistakes(ran: &Ran) -> Vec<String> {
    assert!(ran.code < 2, "{ran:?}");
    let report = parsed(&ran.stdout);
    let warnings = report["warnings"].as_array().expect("warnings");
    let text = |w: &Value| format!("{}: {}", w["code"], w["message"]).replace('"', "");
    warnings.iter().map(text).filter(|w| CODES.iter().any(|code| w.starts_with(code))).collect()
}

/// Writes an assembly and returns its mistakes.
fn checked(scratch: &Scratch, assembly: &str, flags: &[&str]) -> Vec<String> {
    scratch.write("cube.obj", obj(&block([0.0; 3], [10.0; 3])));
    scratch.write("assembly.json", assembly);
    let arguments = [&["check", "assembly.json", "--format", "json", "--quiet"], flags].concat();
    mistakes(&interfere_in(scratch.path(), &arguments))
}

/// An assembly of cubes with these placements.
fn cubes(placements: &[&str]) -> String {
    let instance = |(k, placement): (usize, &&str)| format!(r#"{{ "id": "i{k}", "part": "cube"{placement} }}"#);
    let list: Vec<String> = placements.iter().enumerate().map(instance).collect();
    format!(r#"{{ "version": 1, "parts": {{ "cube": "cube.obj" }}, "instances": [ {} ] }}"#, list.join(", "))
}

fn matrix(linear: [[f64; 3]; 3]) -> String {
    let rows: Vec<String> = linear.iter().map(|[a, b, c]| format!("[{a}, {b}, {c}, 50]")).collect();
    format!(r#", "placement": {{ "matrix": [{}] }}"#, rows.join(", "))
}

#[test]
fn a_scaled_or_sheared_part_is_named_once() {
    let scratch = Scratch::new();
    let warned = |linear: [[f64; 3]; 3]| checked(&scratch, &cubes(&["", &matrix(linear)]), &[]);
    assert_eq!(
        warned([[25.4, 0.0, 0.0], [0.0, 25.4, 0.0], [0.0, 0.0, 25.4]]),
        [
            "non-rigid-placement: the placement of `i1` scales the part by 25.4; set `units` of the part if its mesh is in \
             another unit; export the part in its true size, and give a rotation and a translation"
        ]
    );
    let said = warned([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]);
    assert!(said.len() == 1 && said[0].contains("scales the part by 1, 1 and 2 along its axes"), "{said:?}");
    let said = warned([[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    assert!(said.len() == 1 && said[0].contains("shears the part"), "{said:?}");
    let scale = matrix([[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]]);
    let said = checked(&scratch, &cubes(&["", &scale, &scale]), &["--fail-on", "never"]);
    assert!(said.len() == 1 && said[0].contains("`i1` and 1 more scales the part by 2"), "{said:?}");
    // A mirror image and a rotation rounded to four digits are no scale.
    for linear in [
        [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.8660, -0.5, 0.0], [0.5, 0.8660, 0.0], [0.0, 0.0, 1.0]],
    ] {
        assert_eq!(warned(linear), Vec::<String>::new(), "{linear:?}");
    }
}

#[test]
fn instances_without_a_placement_are_named_if_they_lie_over_each_other() {
    let scratch = Scratch::new();
    let said = checked(&scratch, &cubes(&["", "", ""]), &["--fail-on", "never"]);
    assert_eq!(
        said,
        [
            "not-placed: all 3 instances have the same placement, and a part lies twice in one place; give each instance its \
             `placement`"
        ]
    );
    // Three parts through each other, then a plate with two screws in it and side by side.
    let sizes: [([f64; 3], [f64; 3], bool); 2] =
        [([2.0, 2.0, 2.0], [4.0, 12.0, 12.0], true), ([-9.0, 2.0, 2.0], [-7.0, 4.0, 4.0], false)];
    for (low, high, is_pile) in sizes {
        scratch.write("bar.obj", obj(&block(low, high)));
        scratch.write("rod.obj", obj(&block([1.0, 3.0, -5.0], [8.0, 5.0, 15.0])));
        let assembly = r#"{ "version": 1, "parts": { "bar": "bar.obj", "cube": "cube.obj", "rod": "rod.obj" },
            "instances": [ { "id": "a", "part": "bar" }, { "id": "b", "part": "cube" }, { "id": "c", "part": "rod" } ] }"#;
        let said = checked(&scratch, assembly, &["--fail-on", "never"]);
        assert_eq!(!said.is_empty(), is_pile, "{said:?}");
        assert!(said.iter().all(|s| s.contains("and 3 of 3 pairs overlap")), "{said:?}");
    }
}

/// A row of four touching plates of 100 mm, and a bracket of `size` mm about its own centre in a slot between them.
fn machine(scratch: &Scratch, size: f64, units: &str) -> Vec<String> {
    let half = 0.5 * size;
    scratch.write("bracket.obj", obj(&block([-half; 3], [half; 3])));
    scratch.write("plate.obj", obj(&block([0.0; 3], [100.0, 100.0, 20.0])));
    let plate = |k: i32| {
        format!(r#"{{ "id": "p{k}", "part": "plate-{k}", "placement": {{ "translation": [{}, 0, 0] }} }}"#, 100 * k)
    };
    let plates: Vec<String> = (0..4).map(plate).collect();
    let parts: Vec<String> = (0..4).map(|k| format!(r#""plate-{k}": "plate.obj""#)).collect();
    let assembly = format!(
        r#"{{ "version": 1, "parts": {{ {}, "bracket": {{ "mesh": "bracket.obj", "units": "{units}" }} }},
            "instances": [ {}, {{ "id": "b", "part": "bracket", "placement": {{ "translation": [150, 50, 60] }} }} ] }}"#,
        parts.join(", "),
        plates.join(", ")
    );
    checked(scratch, &assembly, &["--fail-on", "never"])
}

#[test]
fn a_part_in_another_unit_than_its_neighbours_is_suspect() {
    let scratch = Scratch::new();
    // A bracket of 80 mm stands on the plates. Its mesh in inches, centimetres or metres is read as millimetres.
    for (size, ratio) in [(80.0 / 25.4, "25.4"), (8.0, "10"), (0.08, "1000")] {
        let said = machine(&scratch, size, "mm");
        let expected = format!(
            "unit-suspect: the part touches no other one, and fits its neighbours if it is {ratio} times larger; check its \
             `units`, now mm"
        );
        assert_eq!(said, [expected]);
    }
    // In its true unit it touches the plates. A small part for itself is no suspect without a reason.
    assert_eq!(machine(&scratch, 80.0 / 25.4, "inch"), Vec::<String>::new());
    assert_eq!(machine(&scratch, 30.0, "mm"), Vec::<String>::new());
    assert_eq!(machine(&scratch, 4.0, "um"), Vec::<String>::new());
}

#[test]
fn a_flag_without_an_effect_is_named() {
    let scratch = Scratch::new();
    let apart = r#", "placement": { "translation": [0, 0, 50] }"#;
    let assembly = cubes(&["", apart]);
    let said = |flags: &[&str]| checked(&scratch, &assembly, flags);
    let no_pieces = "no part is taken as convex pieces; remove it, or add --geometry decomposition";
    for (flags, flag, why) in [
        (&["--epsilon", "0.1"][..], "--epsilon", no_pieces),
        (&["--max-pieces", "7"], "--max-pieces", no_pieces),
        (&["--facets", "strict", "--geometry", "hull"], "--facets", "convex hulls have no concave facets; remove it"),
        (
            &["--report-within", "1", "--verdict-only"],
            "--report-within",
            "--measure none (--verdict-only) measures no gaps; remove one of them",
        ),
    ] {
        assert_eq!(said(flags), [format!("flag-without-effect: {flag} has no effect: {why}")]);
    }
    for flags in
        [&["--epsilon", "0.1", "--geometry", "decomposition"][..], &["--facets", "strict"], &["--geometry", "hull"]]
    {
        assert_eq!(said(flags), Vec::<String>::new(), "{flags:?}");
    }
    let own = assembly.replace(r#""cube.obj""#, r#"{ "mesh": "cube.obj", "geometry": "hull" }"#);
    let said = checked(&scratch, &own, &["--geometry", "exact"]);
    assert_eq!(
        said,
        ["flag-without-effect: --geometry has no effect: each placed part has a `geometry` of its own; remove it"]
    );
    // Settings of the file give no warning: a flag may select the geometry of one run.
    let keys = assembly.replace(r#""version": 1,"#, r#""version": 1, "epsilon": 0.1,"#);
    assert_eq!(checked(&scratch, &keys, &[]), Vec::<String>::new());
}

#[test]
fn settings_of_the_file_apply_and_flags_take_precedence() {
    let scratch = Scratch::new();
    let near = r#", "placement": { "translation": [0, 0, 10.5] }"#;
    let keys = r#""version": 1, "geometry": "hull", "epsilon": 0.5, "report_within": 1, "strict": true,"#;
    let assembly = cubes(&["", near]).replace(r#""version": 1,"#, keys);
    scratch.write("cube.obj", obj(&block([0.0; 3], [10.0; 3])));
    scratch.write("assembly.json", &assembly);
    let settings = |flags: &[&str]| {
        let ran = interfere_in(scratch.path(), &[&["check", "assembly.json", "--format", "json"], flags].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        let report = parsed(&ran.stdout);
        let s = &report["settings"];
        (
            format!("{} {} {}", s["geometry"], s["epsilon"], s["report_within"]).replace('"', ""),
            report["pairs"].as_array().map(Vec::len),
        )
    };
    assert_eq!(settings(&[]), ("hull 0.5 1".to_owned(), Some(1)));
    let flags = ["--geometry", "decomposition", "--epsilon", "0.25", "--report-within", "0.1"];
    assert_eq!(settings(&flags), ("decomposition 0.25 0.1".to_owned(), Some(0)));
    let explained = interfere_in(scratch.path(), &["explain", "assembly.json", "i0", "i1", "--format", "json"]);
    let s = &parsed(&explained.stdout)["settings"];
    assert_eq!((&s["geometry"], &s["report_within"]), (&"hull".into(), &1.into()));
    // A warning fails under `strict`, and passes with --no-strict.
    scratch.write("assembly.json", assembly.replace(r#""parts": {"#, r#""parts": { "spare": "cube.obj","#));
    let code = |flags: &[&str]| interfere_in(scratch.path(), &[&["check", "assembly.json"], flags].concat()).code;
    assert!(code(&[]) != 0 && code(&["--strict"]) != 0 && code(&["--no-strict"]) == 0);
}

#[test]
fn a_correct_assembly_has_no_probable_mistake() {
    for folder in folders() {
        let path = folder.join("assembly.json");
        let text = fs::read_to_string(&path).expect("readable");
        let ran = interfere(&["check", path.to_str().expect("UTF-8"), "--format", "json", "--quiet", "--verdict-only"]);
        let said = mistakes(&ran);
        // The fixture scales and shears on purpose.
        let scales = folder.ends_with("mirrored-and-scaled");
        assert_eq!(!said.is_empty(), scales, "{}: {said:?} {text}", Path::new(&path).display());
    }
}
