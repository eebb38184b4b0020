//! The program from outside: exit codes, streams, flags, files.

use crate::generate::cases;
use crate::support::command::{Ran, command, finish, interfere, interfere_in, without_time};
use crate::support::report::{assert_sound, parsed};
use crate::support::scratch::Scratch;
use crate::support::solids::{block, obj, stl};
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::process::Stdio;

fn case(name: &str) -> String {
    cases().join(name).join("assembly.json").to_str().expect("UTF-8").to_owned()
}

fn check(name: &str, flags: &[&str]) -> Ran {
    let path = case(name);
    interfere(&[&["check", path.as_str()], flags].concat())
}

/// Asserts exit code 2, empty stdout, only errors on stderr, and no panic.
fn assert_refused(ran: &Ran) {
    assert_eq!(ran.code, 2, "{ran:?}");
    assert_eq!(ran.stdout, "", "{ran:?}");
    assert!(!ran.stderr.is_empty() && !ran.stderr.contains("panicked"), "{ran:?}");
}

/// Error lines of a refused run; asserts the prefix `error:` of each.
fn errors(ran: &Ran) -> Vec<&str> {
    assert_refused(ran);
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert!(lines.iter().all(|l| l.starts_with("error: ")), "{ran:?}");
    lines
}

/// Writes two cubes of side 10 mm with a gap of 2 mm, and the given rules.
fn two_cubes(scratch: &Scratch, rules: &str) {
    scratch.write("cube.obj", obj(&block([0.0; 3], [10.0; 3])));
    scratch.write(
        "assembly.json",
        format!(
            r#"{{ "version": 1, "parts": {{ "cube": {{ "mesh": "cube.obj" }} }},
  "instances": [
    {{ "id": "one", "part": "cube" }},
    {{ "id": "two", "part": "cube", "placement": {{ "translation": [12, 0, 0] }} }} ],
  "rules": [{rules}] }}"#
        ),
    );
}

#[test]
fn the_exit_code_is_the_verdict() {
    for (name, code) in [("flush-boxes", 0), ("press-fit", 0), ("overlap-0.2", 1), ("fan-clearance", 1)] {
        let ran = check(name, &[]);
        assert_eq!(ran.code, code, "{ran:?}");
        assert!(!ran.stdout.is_empty());
        assert_eq!(ran.stderr, "");
    }
}

#[test]
fn invalid_usage_exits_2_with_empty_stdout() {
    let path = case("flush-boxes");
    let path = path.as_str();
    for arguments in [
        &[][..],
        &["check"],
        &["chek", path],
        &["check", path, "--frobnicate"],
        &["check", path, "--tolerance", "-1"],
        &["check", path, "--tolerance", "NaN"],
        &["check", path, "--tolerance", "inf"],
        &["check", path, "--report-within", "a"],
        &["check", path, "--threads", "0"],
        &["check", path, "--geometry", "spheres"],
        &["check", path, "--format", "xml"],
        &["check", path, "--epsilon", "-1"],
        &["check", path, "--max-pieces", "0"],
        &["decompose", path],
        &["check", path, "--facets", "loose"],
        &["explain", path],
        &["explain", path, "here/a"],
        &["inspect"],
    ] {
        assert_refused(&interfere(arguments));
    }
}

#[test]
fn help_and_version_exit_0_on_stdout() {
    for flag in ["--help", "--version"] {
        let ran = interfere(&[flag]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{flag}");
        assert!(ran.stdout.contains("interfere"));
    }
    assert!(interfere(&["--version"]).stdout.contains(env!("CARGO_PKG_VERSION")));
    assert!(interfere(&["check", "--help"]).stdout.contains("Exit codes:"));
}

#[test]
fn missing_and_invalid_assemblies_are_refused_by_name() {
    let scratch = Scratch::new();
    scratch.write("text.json", "not JSON");
    scratch.write("empty.json", "");
    for (file, says) in [("missing.json", "missing.json"), ("text.json", "text.json:1:"), ("empty.json", "empty.json")]
    {
        let ran = interfere_in(scratch.path(), &["check", file]);
        assert!(errors(&ran)[0].contains(says), "{ran:?}");
    }
    assert_refused(&interfere_in(scratch.path(), &["check", "."]));
}

#[test]
fn at_most_twenty_errors_are_printed_and_the_rest_counted() {
    let scratch = Scratch::new();
    let keys = (0..33).map(|k| format!("\"misspelt-{k}\": 1")).collect::<Vec<_>>().join(", ");
    scratch.write("assembly.json", format!("{{ {keys}, \"version\": 1, \"instances\": [{{ \"id\": \"a\" }}] }}"));
    let ran = interfere_in(scratch.path(), &["check", "assembly.json"]);
    let lines = errors(&ran);
    assert_eq!(lines.len(), 21, "{ran:?}");
    assert!(lines[20].starts_with("error: and ") && lines[20].ends_with(" more errors"), "{}", lines[20]);
}

#[test]
fn empty_assembly_is_an_error() {
    let scratch = Scratch::new();
    two_cubes(&scratch, r#"{ "between": ["*", "*"], "ignore": true }"#);
    let ran = interfere_in(scratch.path(), &["check", "assembly.json"]);
    assert!(errors(&ran)[0].contains("no pair to check: the rules ignore the only pair"), "{ran:?}");
    scratch.write(
        "single.json",
        r#"{ "version": 1, "parts": { "c": { "mesh": "cube.obj" } }, "instances": [ { "id": "c", "part": "c" } ] }"#,
    );
    let ran = interfere_in(scratch.path(), &["check", "single.json"]);
    assert!(errors(&ran)[0].contains("no pair to check: 1 instance"), "{ran:?}");
}

#[test]
fn unused_rule_warns_and_strict_makes_it_fail() {
    let scratch = Scratch::new();
    two_cubes(&scratch, r#"{ "between": ["one", "tow"], "min_clearance": 5 }"#);
    let ran = interfere_in(scratch.path(), &["check", "assembly.json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let line = ran.stderr.trim_end();
    assert!(line.starts_with("warning: assembly.json:5:") && !line.contains('\n'), "{line}");
    for part in ["`one`", "`tow`", "matches no pair", "`two`", "[unused-rule]"] {
        assert!(line.contains(part), "{part} in {line}");
    }
    let quiet = interfere_in(scratch.path(), &["check", "assembly.json", "--quiet"]);
    assert_eq!((quiet.code, quiet.stderr.as_str(), &quiet.stdout), (0, "", &ran.stdout));
    let strict = interfere_in(scratch.path(), &["check", "assembly.json", "--strict"]);
    assert!(strict.code == 1 && strict.stdout.ends_with("FAIL: 1 warning fails with --strict\n"), "{strict:?}");
    assert!(strict.stderr.starts_with("error: ") && strict.stderr.contains("[unused-rule]"), "{strict:?}");
    // `--quiet` keeps errors.
    assert_eq!(interfere_in(scratch.path(), &["check", "assembly.json", "--strict", "--quiet"]).stderr, strict.stderr);
    // Without a warning, `--strict` changes nothing.
    let clean = check("overlap-0.2", &["--strict"]);
    assert_eq!((clean.code, clean.stdout), (1, check("overlap-0.2", &[]).stdout));
}

#[test]
fn open_mesh_warns_and_is_decided_by_its_surface() {
    let scratch = Scratch::new();
    two_cubes(&scratch, "");
    // A cube with two triangles missing: a hole of four edges.
    let mut open = block([0.0; 3], [10.0; 3]);
    open.triangles.truncate(10);
    scratch.write("cube.obj", obj(&open));
    let ran = interfere_in(scratch.path(), &["check", "assembly.json", "--format", "json", "--report-within", "5"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let edges =
        ran.stderr.strip_prefix("warning: part cube: ").and_then(|l| l.strip_suffix(" open edges [open-mesh]\n"));
    assert!(edges.is_some_and(|n| n.parse::<u32>().is_ok()), "{ran:?}");
    let report = parsed(&ran.stdout);
    assert_eq!(report["warnings"][0]["code"], "open-mesh");
    assert_eq!(report["warnings"][0]["part"], "cube");
    assert_eq!(report["parts"]["cube"]["closed"], false);
    assert_eq!(report["pairs"][0]["certainty"], "no_inside");
    let hull = ["check", "assembly.json", "--format", "json", "--report-within", "5", "--geometry", "hull"];
    assert_eq!(parsed(&interfere_in(scratch.path(), &hull).stdout)["pairs"][0]["certainty"], "certified");
}

#[test]
fn gap_equal_to_list_limit_is_listed() {
    let scratch = Scratch::new();
    scratch.write("cube.obj", obj(&block([0.0; 3], [10.0; 3])));
    for unit in ["mm", "cm", "m", "inch", "ft"] {
        scratch.write(
            "assembly.json",
            format!(
                r#"{{ "version": 1, "units": "{unit}", "parts": {{ "cube": {{ "mesh": "cube.obj" }} }},
  "instances": [
    {{ "id": "one", "part": "cube" }},
    {{ "id": "two", "part": "cube", "placement": {{ "translation": [10.5, 0, 0] }} }} ] }}"#
            ),
        );
        for (within, listed) in [("0.5", 1), ("0.4999999", 0)] {
            let flags = ["check", "assembly.json", "--format", "json", "--report-within", within];
            let report = parsed(&interfere_in(scratch.path(), &flags).stdout);
            assert_eq!(report["pairs"].as_array().map(Vec::len), Some(listed), "{unit} {within}");
        }
    }
}

#[test]
fn report_file_is_complete_or_absent() {
    let scratch = Scratch::new();
    two_cubes(&scratch, "");
    let to_stdout = interfere_in(scratch.path(), &["check", "assembly.json", "--format", "json"]);
    let ran = interfere_in(scratch.path(), &["check", "assembly.json", "--format", "json", "--output", "r.json"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert_eq!(fs::read_to_string(scratch.path().join("r.json")).unwrap(), to_stdout.stdout);
    let dash = interfere_in(scratch.path(), &["check", "assembly.json", "--format", "json", "--output", "-"]);
    assert_eq!(dash.stdout, to_stdout.stdout);
    for place in ["no/such/folder/r.json", "."] {
        let ran = interfere_in(scratch.path(), &["check", "assembly.json", "--output", place]);
        assert!(errors(&ran)[0].contains("--output"), "{ran:?}");
    }
    // The input file stays unchanged.
    let before = fs::read(scratch.path().join("assembly.json")).unwrap();
    assert_refused(&interfere_in(scratch.path(), &["check", "assembly.json", "--output", "assembly.json"]));
    assert_eq!(fs::read(scratch.path().join("assembly.json")).unwrap(), before);
    let mut left: Vec<_> = fs::read_dir(scratch.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, [".git", "assembly.json", "cube.obj", "r.json"], "no leftovers");
}

#[cfg(target_os = "linux")]
#[test]
fn unwritable_report_exits_2() {
    let path = case("flush-boxes");
    let ran = interfere(&["check", path.as_str(), "--output", "/dev/full"]);
    assert!(errors(&ran)[0].contains("/dev/full: cannot write"), "{ran:?}");
    // An undelivered report has no verdict, even on stdout.
    let mut to_full = command(&["check", path.as_str()]);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let done = to_full.stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8(done.stderr).unwrap().contains("cannot write"));
}

#[cfg(unix)]
#[test]
fn closed_output_pipe_is_not_a_failure() {
    let path = case("many-copies");
    for format in ["json", "table"] {
        let mut child = command(&["check", path.as_str(), "--format", format])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Closes the pipe before the report is written.
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{said}");
        assert_eq!(without_time(&said).0, "");
    }
}

#[test]
fn timings_have_their_keys_and_stay_out_of_the_report() {
    let scratch = Scratch::new();
    two_cubes(&scratch, "");
    let ran = interfere_in(
        scratch.path(),
        &["check", "assembly.json", "--format", "json", "--timings", "t.json", "--threads", "3"],
    );
    let plain = interfere_in(scratch.path(), &["check", "assembly.json", "--format", "json"]);
    assert_eq!(ran.stdout, plain.stdout);
    let t = parsed(&fs::read_to_string(scratch.path().join("t.json")).unwrap());
    let keys = |v: &Value| v.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&t), ["cpu_s", "pairs", "threads", "version", "wall_s"]);
    for clock in ["wall_s", "cpu_s"] {
        assert_eq!(keys(&t[clock]), ["broad", "draw", "load", "narrow", "report", "runs", "scene", "shape", "total"]);
        assert!(t[clock].as_object().unwrap().values().all(|s| s.as_f64() >= Some(0.0)), "{t}");
    }
    assert_eq!(keys(&t["pairs"]), ["aabb", "confirmed", "distinct", "hull", "obb", "possible"]);
    assert_eq!((&t["version"], &t["threads"], &t["pairs"]["possible"]), (&1.into(), &3.into(), &1.into()));
    let to_stdout = interfere_in(scratch.path(), &["check", "assembly.json", "--output", "r.json", "--timings", "-"]);
    assert_eq!(keys(&parsed(&to_stdout.stdout)), keys(&t));
}

#[test]
fn verdict_only_has_equal_counts_without_numbers() {
    let mut findings = 0;
    for folder in crate::generate::folders() {
        let name = folder.file_name().and_then(|n| n.to_str()).expect("a name");
        let full = check(name, &["--format", "json"]);
        let fast = check(name, &["--format", "json", "--verdict-only"]);
        assert_eq!(full.code, fast.code);
        let (full, fast) = (parsed(&full.stdout), parsed(&fast.stdout));
        assert_sound(&fast);
        assert_eq!(full["summary"]["counts"], fast["summary"]["counts"], "{name}");
        let (rows, nulls) = (full["pairs"].as_array().unwrap(), fast["pairs"].as_array().unwrap());
        assert_eq!(rows.len(), nulls.len());
        for (row, null) in rows.iter().zip(nulls) {
            findings += 1;
            for key in ["id", "a", "b", "status", "geometry", "rule"] {
                assert_eq!(row[key], null[key], "{name}");
            }
            for key in [
                "gap",
                "gap_bracket",
                "overlap_depth",
                "penetration_depth",
                "separating_translation",
                "closest_points",
                "normal",
            ] {
                assert!(null.as_object().unwrap().contains_key(key), "`{key}` is null, not left out");
                assert_eq!(null[key], Value::Null, "{name}: {key}");
            }
        }
    }
    assert!(findings > 50);
}

#[test]
fn depth_alone_has_the_bounds_of_a_full_run_and_no_translation_volume_and_box() {
    let mut overlaps = 0;
    for name in ["pivot", "fan-clearance", "press-fit-too-deep", "thin-pierce", "pin-inside-block"] {
        let full = parsed(&check(name, &["--format", "json"]).stdout);
        let part = parsed(&check(name, &["--format", "json", "--measure", "depth"]).stdout);
        assert_eq!(part["settings"]["measure"], "depth");
        assert_eq!(full["summary"]["counts"], part["summary"]["counts"], "{name}");
        for (row, short) in full["pairs"].as_array().unwrap().iter().zip(part["pairs"].as_array().unwrap()) {
            overlaps += usize::from(row["penetration_depth"].is_number());
            for key in ["id", "status", "relation", "certainty", "gap", "gap_bracket", "overlap_depth", "deepest_point"]
            {
                assert_eq!(row[key], short[key], "{name}: {key}");
            }
            for key in ["penetration_depth", "separating_translation", "mover", "overlap_volume", "overlap_box"] {
                assert_eq!(short[key], Value::Null, "{name}: {key}");
            }
        }
    }
    assert!(overlaps > 3, "{overlaps}");
}

#[test]
fn verdict_only_is_measure_none() {
    let flags = |more: &[&str]| check("pivot", &[&["--format", "json"], more].concat());
    let none = flags(&["--measure", "none"]);
    assert_eq!(none.stdout, flags(&["--verdict-only"]).stdout);
    assert_eq!(none.stdout, flags(&["--verdict-only", "--measure", "none"]).stdout);
    for other in ["all", "depth"] {
        let ran = flags(&["--verdict-only", "--measure", other]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert!(ran.stderr.contains("--verdict-only is --measure none"), "{ran:?}");
    }
}

#[test]
fn clear_pairs_within_requested_distance_are_listed() {
    let scratch = Scratch::new();
    two_cubes(&scratch, "");
    let listed = |flags: &[&str]| {
        let ran = interfere_in(scratch.path(), &[&["check", "assembly.json", "--format", "json"], flags].concat());
        parsed(&ran.stdout)
    };
    assert_eq!(listed(&[])["pairs"], Value::Array(Vec::new()));
    assert_eq!(listed(&["--report-within", "1.99"])["pairs"], Value::Array(Vec::new()));
    // The gap is 2, so it is listed at both distances.
    for within in ["2", "2.5"] {
        let report = listed(&["--report-within", within]);
        let row = &report["pairs"][0];
        assert_eq!((&row["status"], &row["relation"], &row["gap"]), (&"clear".into(), &"apart".into(), &2.into()));
        assert_eq!(report["summary"]["counts"]["clear"], 1);
        assert_eq!(report["settings"]["report_within"].as_f64(), within.parse().ok());
    }
}

#[test]
fn command_line_tolerance_overrides_the_file() {
    assert_eq!(check("overlap-0.2", &["--tolerance", "0.3"]).code, 0);
    assert_eq!(check("overlap-equal-to-tolerance", &["--tolerance", "0.06"]).code, 0);
    assert_eq!(check("thin-part", &["--tolerance", "0.001", "--quiet"]).code, 1);
    // The tolerance is in the assembly's units: 3 inches exceed the 2.54 mm of the overlap, and the 5 cm of clearance
    // stay violated.
    assert_eq!(check("nested-gearbox", &["--tolerance", "3"]).code, 1);
}

#[test]
fn command_line_facets_override_the_file() {
    let counts = |path: &str, flags: &[&str]| {
        let ran = interfere(&[&["check", path, "--format", "json"], flags].concat());
        let report = parsed(&ran.stdout);
        (report["settings"]["facets"].clone(), report["summary"]["counts"]["interference"].as_u64())
    };
    let plain = case("facet-contact");
    assert_eq!(counts(&plain, &[]), ("allow".into(), Some(1)));
    assert_eq!(counts(&plain, &["--facets", "strict"]), ("strict".into(), Some(2)));
    // The same with the key in the file.
    let scratch = Scratch::new();
    for part in ["pin", "hub"] {
        let mesh = fs::read(cases().join(format!("facet-contact/parts/{part}.obj"))).unwrap();
        scratch.write(&format!("parts/{part}.obj"), mesh);
    }
    let text =
        fs::read_to_string(&plain).unwrap().replace("\"version\": 1,", "\"version\": 1, \"facets\": \"strict\",");
    let strict = scratch.write("assembly.json", text);
    let strict = strict.to_str().expect("UTF-8");
    assert_eq!(counts(strict, &[]), ("strict".into(), Some(2)));
    assert_eq!(counts(strict, &["--facets", "allow"]), ("allow".into(), Some(1)));
    // The table has a sentence about it.
    let mut wide = command(&["check", plain.as_str()]);
    wide.env("COLUMNS", "200");
    let table = finish(wide).stdout;
    let begin = "1 contact exceeds the tolerance only by tessellation error (0.04";
    let end = " mm deep); --facets strict reports it as interference";
    assert!(table.lines().any(|l| l.starts_with(begin) && l.ends_with(end)), "{table}");
    assert!(!interfere(&["check", strict]).stdout.contains("tessellation error"));
}

#[test]
fn part_geometry_overrides_the_run() {
    let scratch = Scratch::new();
    two_cubes(&scratch, "");
    let text = fs::read_to_string(scratch.path().join("assembly.json")).unwrap();
    for geometry in ["exact", "decomposition", "hull"] {
        let part = format!("\"mesh\": \"cube.obj\", \"geometry\": \"{geometry}\"");
        scratch.write("assembly.json", text.replace("\"mesh\": \"cube.obj\"", &part));
        for run in ["exact", "decomposition", "hull"] {
            let line = ["check", "assembly.json", "--geometry", run, "--format", "json", "--report-within", "1e3"];
            let ran = interfere_in(scratch.path(), &line);
            assert_eq!(ran.code, 0, "{ran:?}");
            let report = crate::support::report::parsed(&ran.stdout);
            assert_eq!(report["pairs"][0]["geometry"], geometry, "{ran:?}");
            assert_eq!(report["settings"]["geometry"], run);
            let pieces = &report["parts"]["cube"]["pieces"];
            assert_eq!(pieces.as_u64(), (geometry == "decomposition").then_some(1), "{ran:?}");
        }
    }
}

#[test]
fn explain_agrees_with_the_report() {
    let mut seen = std::collections::BTreeSet::new();
    for folder in crate::generate::folders() {
        let path = folder.join("assembly.json");
        let path = path.to_str().expect("UTF-8");
        let report = parsed(&interfere(&["check", path, "--format", "json", "--report-within", "1", "--quiet"]).stdout);
        for row in report["pairs"].as_array().unwrap().iter().take(8) {
            let [a, b] = ["a", "b"].map(|k| row[k].as_str().expect("an id"));
            let flags = ["--format", "json", "--report-within", "1", "--quiet"];
            // In either order, on any number of threads.
            let ran = interfere(&[&["explain", path, b, a, "--threads", "2"], &flags[..]].concat());
            let other = interfere(&[&["explain", path, a, b, "--threads", "1"], &flags[..]].concat());
            assert_eq!(ran.stdout, other.stdout);
            let explanation = parsed(&ran.stdout);
            // Groups and rows exist in whole reports only.
            let mut row = row.clone();
            for key in ["group", "row", "member"] {
                row.as_object_mut().unwrap().remove(key).expect("a key");
            }
            assert_eq!(explanation["pair"], row, "{path}");
            assert!(explanation["why"].as_str().is_some_and(|w| !w.is_empty()));
            let fails = ["interference", "too_close", "undecided"].contains(&row["status"].as_str().unwrap());
            assert_eq!(ran.code, i32::from(fails));
            seen.insert(row["status"].as_str().unwrap().to_owned());
            let text = interfere(&["explain", path, a, b, "--quiet"]);
            assert!(text.stdout.contains(a) && text.stdout.lines().count() > 6, "{}", text.stdout);
        }
    }
    assert_eq!(
        seen.iter().map(String::as_str).collect::<Vec<_>>(),
        ["allowed", "clear", "contact", "interference", "too_close", "undecided"]
    );
}

#[test]
fn explain_shows_stages_up_to_the_pairs_exit() {
    let explain = |name: &str, a: &str, b: &str| {
        let path = case(name);
        let ran = interfere(&["explain", path.as_str(), a, b, "--format", "json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        parsed(&ran.stdout)
    };
    let stages = |e: &Value| -> Vec<String> {
        e["steps"].as_array().unwrap().iter().map(|s| s["stage"].as_str().unwrap().to_owned()).collect()
    };
    let far = explain("many-copies", "cube-00", "cube-55");
    assert_eq!((stages(&far), &far["cleared_by"]), (vec!["aabb".to_owned()], &"aabb".into()));
    let hole = explain("bolt-in-hole", "bolt", "plate");
    assert_eq!(
        (stages(&hole), &hole["cleared_by"]),
        (["aabb", "obb", "hull", "exact"].map(str::to_owned).into(), &"exact".into())
    );
    let ignored = explain("ignored-cable", "cable-1", "housing");
    assert_eq!((stages(&ignored), &ignored["asked"]), (Vec::new(), &Value::Null));
    assert_eq!((&ignored["rule"]["index"], &ignored["pair"]["status"]), (&0.into(), &"ignored".into()));
    let unit = explain("ignored-cable", "motor/rotor", "motor/stator");
    assert_eq!((&unit["in_one_unit"], &unit["rule"]), (&true.into(), &Value::Null));
}

#[test]
fn explain_names_the_nearest_id() {
    let path = case("many-copies");
    let ran = interfere(&["explain", path.as_str(), "cube-0", "cubes-99"]);
    let lines = errors(&ran);
    assert_eq!(lines.len(), 2, "{ran:?}");
    assert!(lines[0].ends_with("no instance has the id `cube-0`; did you mean `cube-00`?"), "{ran:?}");
    assert!(lines[1].ends_with("no instance has the id `cubes-99`; did you mean `cube-99`?"), "{ran:?}");
    let ran = interfere(&["explain", path.as_str(), "cube-00", "wheel"]);
    assert!(errors(&ran)[0].contains("no instance has the id `wheel`; its ids are `cube-00`, `cube-01`, "), "{ran:?}");
    assert!(errors(&interfere(&["explain", path.as_str(), "cube-00", "cube-00"]))[0].contains("is one instance"));
}

#[test]
fn pipes_and_no_color_disable_escape_codes() {
    let path = case("overlap-0.2");
    let run = |flags: &[&str], environment: &[(&str, &str)]| {
        let mut run = command(&[&["check", path.as_str()], flags].concat());
        run.envs(environment.iter().copied());
        finish(run)
    };
    let plain = run(&[], &[]);
    assert!(!plain.stdout.contains('\u{1b}') && plain.stderr.is_empty(), "{plain:?}");
    let forced = run(&[], &[("CLICOLOR_FORCE", "1")]);
    assert!(forced.stdout.contains('\u{1b}'), "colour can be forced");
    for (flags, environment) in [
        (&[][..], &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")][..]),
        (&["--color", "never"], &[("CLICOLOR_FORCE", "1")]),
    ] {
        assert_eq!(run(flags, environment).stdout, plain.stdout);
    }
    assert!(run(&["--color", "always"], &[("NO_COLOR", "1")]).stdout.contains('\u{1b}'));
    // JSON has no colour, even with `--color always`.
    let json = run(&["--format", "json", "--color", "always"], &[]);
    assert!(!json.stdout.contains('\u{1b}'));
}

#[test]
fn meshes_outside_the_tree_need_permission() {
    let outside = Scratch::new();
    let mesh = outside.write("cube.obj", obj(&block([0.0; 3], [10.0; 3])));
    let inside = Scratch::new();
    two_cubes(&inside, "");
    let text = fs::read_to_string(inside.path().join("assembly.json")).unwrap();
    inside.write("assembly.json", text.replace("cube.obj", mesh.to_str().unwrap()));
    let ran = interfere_in(inside.path(), &["check", "assembly.json"]);
    let lines = errors(&ran);
    assert!(lines[0].contains("assembly.json:1:") && lines[0].contains("--allow-outside"), "{ran:?}");
    assert_eq!(interfere_in(inside.path(), &["check", "assembly.json", "--allow-outside"]).code, 0);
    // A link may not lead outside either.
    #[cfg(unix)]
    {
        two_cubes(&inside, "");
        fs::remove_file(inside.path().join("cube.obj")).unwrap();
        std::os::unix::fs::symlink(&mesh, inside.path().join("cube.obj")).unwrap();
        assert!(errors(&interfere_in(inside.path(), &["check", "assembly.json"]))[0].contains("--allow-outside"));
    }
}

#[test]
fn invalid_mesh_files_give_one_error_line_each() {
    let whole = stl(&block([0.0; 3], [10.0; 3]));
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
    let scratch = Scratch::new();
    two_cubes(&scratch, "");
    for (bytes, says) in [
        (pointer.as_bytes(), "git lfs pull"),
        (&whole[..whole.len() - 30], "cube.obj"),
        (b"", "cube.obj"),
        (b"v 0 0 0\nv 1 0 0\nv nan 1 0\nf 1 2 3\n", "cube.obj:3"),
        (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "cube.obj:4"),
    ] {
        scratch.write("cube.obj", bytes);
        let ran = interfere_in(scratch.path(), &["check", "assembly.json"]);
        let lines = errors(&ran);
        assert!(lines.len() == 1 && lines[0].contains(says), "{ran:?}");
        let ran = interfere_in(scratch.path(), &["inspect", "cube.obj"]);
        assert!(errors(&ran)[0].contains(says), "{ran:?}");
    }
}

#[test]
fn meshes_are_recognised_by_content() {
    let scratch = Scratch::new();
    two_cubes(&scratch, "");
    let as_obj = interfere_in(scratch.path(), &["check", "assembly.json", "--report-within", "3"]);
    scratch.write("cube.obj", stl(&block([0.0; 3], [10.0; 3])));
    let as_stl = interfere_in(scratch.path(), &["check", "assembly.json", "--report-within", "3"]);
    assert_eq!((as_obj.code, as_obj.stdout), (as_stl.code, as_stl.stdout));
}

#[test]
fn inspect_describes_meshes_and_continues_after_errors() {
    let scratch = Scratch::new();
    scratch.write("cube.stl", stl(&block([0.0; 3], [10.0; 3])));
    scratch.write("broken.stl", "nothing");
    let ran = interfere_in(scratch.path(), &["inspect", "cube.stl", "--format", "json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let mesh = &parsed(&ran.stdout)["meshes"][0];
    for (key, value) in [
        ("format", Value::from("stl-binary")),
        ("triangles", 12.into()),
        ("vertices", 8.into()),
        ("closed", true.into()),
    ] {
        assert_eq!(mesh[key], value);
    }
    assert_eq!((mesh["area"].as_f64(), mesh["convexity"].as_f64()), (Some(600.0), Some(1.0)));
    // A sum of twelve terms with a rounding step: a test of the reader's last digit.
    let volume = mesh["volume"].as_f64().expect("a volume");
    assert!((volume - 1000.0).abs() <= 2.0 * f64::EPSILON * 1000.0, "{volume}");
    let both = interfere_in(scratch.path(), &["inspect", "broken.stl", "cube.stl", "--format", "json"]);
    assert_eq!(both.code, 2);
    assert_eq!(parsed(&both.stdout)["meshes"].as_array().map(Vec::len), Some(1));
    assert!(both.stderr.starts_with("error: broken.stl"), "{}", both.stderr);
}

#[test]
fn lengths_in_warnings_are_written_as_everywhere() {
    let scratch = Scratch::new();
    let flat = "v 0 0 0\nv 10 0 0\nv 0 10 0\nf 1 2 3\nf 1 3 2\n";
    scratch.write("flat.obj", flat);
    scratch
        .write("foil.obj", crate::support::solids::obj(&crate::support::solids::block([0.0; 3], [10.0, 10.0, 0.0075])));
    let assembly = r#"{ "version": 1, "parts": { "flat": { "mesh": "flat.obj" }, "foil": { "mesh": "foil.obj" } },
  "instances": [ { "id": "flat", "part": "flat" }, { "id": "foil", "part": "foil", "placement": { "translation": [0, 0, 5] } } ] }"#;
    scratch.write("assembly.json", assembly);
    let ran = interfere_in(scratch.path(), &["check", "assembly.json"]);
    for thick in ["0 mm", "0.0075 mm"] {
        assert!(ran.stderr.contains(&format!("thinner ({thick}) than the tolerance")), "{ran:?}");
    }
}
