//! Do formats, commands and runs agree about one verdict?

use crate::baseline::{FILE, run, write_cubes};
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use crate::support::solids::{block, joined, obj, reversed};
use crate::support::two::Two;
use interfere::Status;
use interfere::internals::geom::{Pose, Vec3};
use interfere::internals::mesh::TriMesh;
use interfere::testkit::poses::oblique;
use interfere::testkit::solids::squared_box;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Two cubes that overlap by `depth` (mm) along x, with `more` keys of the file.
fn two_cubes(scratch: &Scratch, depth: f64, more: &str) {
    write_cubes(scratch, &[("a", [0.0; 3]), ("b", [10.0 - depth, 0.0, 0.0])], more);
}

fn write_report(scratch: &Scratch, name: &str) {
    assert!(run(scratch, &["check", "assembly.json", "--format", "json", "-o", name]).code < 2);
}

/// A slide that moves a cube through a post, with keys of the file.
fn slide(scratch: &Scratch, more: &Value) {
    scratch.write("cube.obj", obj(&block([0.0; 3], [10.0; 3])));
    scratch.write("post.obj", obj(&block([30.0, 0.0, 0.0], [32.0, 10.0, 10.0])));
    let mut file = json!({
        "version": 1,
        "parts": { "cube": "cube.obj", "post": "post.obj" },
        "instances": [{ "id": "cube", "part": "cube" }, { "id": "post", "part": "post" }],
        "joints": { "x": { "type": "prismatic", "axis": [1, 0, 0], "range": [0, 40], "moves": ["cube"] } },
        "sweeps": { "along": { "joints": { "x": "range" } } },
        "poses": { "inside": { "x": 22 } }
    });
    for (key, value) in more.as_object().expect("an object") {
        file[key] = value.clone();
    }
    scratch.write("assembly.json", file.to_string());
}

#[test]
fn a_comparison_grades_by_severity_in_every_format() {
    let scratch = Scratch::new();
    let rule = |severity: &str| {
        format!(r#""rules": [ {{ "between": ["a", "b"], "severity": "{severity}", "reason": "known" }} ],"#)
    };
    two_cubes(&scratch, 1.0, &rule("warning"));
    write_report(&scratch, "old.json");
    two_cubes(&scratch, 2.0, &rule("warning"));
    write_report(&scratch, "deeper.json");
    two_cubes(&scratch, 1.0, &rule("error"));
    write_report(&scratch, "graver.json");
    for (new, verdict, code) in [("deeper.json", "PASS", 0), ("graver.json", "FAIL", 1)] {
        for format in ["table", "markdown"] {
            let ran = run(&scratch, &["diff", "old.json", new, "--format", format]);
            assert!(ran.code == code && ran.stdout.contains(verdict), "{new} {format}: {ran:?}");
        }
        let found = parsed(&run(&scratch, &["diff", "old.json", new, "--format", "json"]).stdout);
        assert_eq!((&found["pairs"][0]["change"], found["summary"]["worse"].as_u64()), (&json!("worse"), Some(1)));
    }
}

#[test]
fn a_depth_within_the_bracket_of_another_mesh_is_accepted() {
    let scratch = Scratch::new();
    two_cubes(&scratch, 1.0, "");
    let entry = |more: &str| {
        format!(
            "{{ \"version\": 1, \"assembly\": \"assembly.json\", \"units\": \"mm\", \"accepted\": [ {{ \"a\": \"a\", \"b\": \"b\", \
             \"status\": \"interference\", \"relation\": \"overlap\", \"depth\": 0.985, \"limit\": 0.01{more} }} ] }}"
        )
    };
    for (more, status, code) in [("", "worse", 1), (", \"uncertainty\": 0.01", "accepted", 0)] {
        scratch.write(FILE, entry(more));
        let ran = run(&scratch, &["check", "assembly.json", "--format", "json"]);
        assert!(ran.code < 2, "{ran:?}");
        let found = parsed(&ran.stdout);
        assert_eq!((&found["pairs"][0]["baseline"], ran.code), (&json!(status), code), "{more}: {}", ran.stderr);
    }
    scratch.write(FILE, entry(", \"uncertainty\": -1"));
    let ran = run(&scratch, &["check", "assembly.json"]);
    assert!(ran.code == 2 && ran.stderr.contains("uncertainty: a length below 0"), "{ran:?}");
}

#[test]
fn a_step_shows_ten_errors_at_most() {
    let scratch = Scratch::new();
    let poses: BTreeMap<String, Value> =
        (0..20).map(|k| (format!("p{k}"), json!({ "x": 22.0 + 0.1 * f64::from(k) }))).collect();
    slide(&scratch, &json!({ "poses": poses }));
    let ran = run(&scratch, &["check", "assembly.json", "--format", "github"]);
    let errors: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("::error")).collect();
    assert_eq!(errors.len(), 10, "{}", ran.stdout);
    assert!(errors[9].contains("12 more poses and sweeps fail (a step shows ten annotations"), "{}", errors[9]);
    for k in 0..40 {
        scratch.write(
            &format!("many/{k:02}.json"),
            std::fs::read_to_string(scratch.path().join("assembly.json"))
                .expect("read")
                .replace("\"cube.obj\"", "\"../cube.obj\"")
                .replace("\"post.obj\"", "\"../post.obj\""),
        );
    }
    let ran =
        run(&scratch, &["check", "many/*.json", "--run", "p1", "--format", "github", "--format", "markdown=page.md"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let count = |kind: &str| ran.stdout.lines().filter(|line| line.starts_with(kind)).count();
    assert_eq!((count("::error"), count("::notice")), (10, 1), "{}", ran.stdout);
    assert!(ran.stdout.contains("31 more poses and sweeps fail"), "{}", ran.stdout);
    let page = std::fs::read_to_string(scratch.path().join("page.md")).expect("read");
    assert!(page.len() <= 60_000 && page.contains("many/39.json"), "{} bytes", page.len());
}

#[test]
fn failing_warnings_share_the_errors_of_a_step() {
    let scratch = Scratch::new();
    let rules: Vec<Value> =
        (0..12).map(|k| json!({ "between": [format!("none{k}"), "post"], "allow_depth": 1, "reason": "x" })).collect();
    slide(&scratch, &json!({ "rules": rules }));
    let ran = run(&scratch, &["check", "assembly.json", "--strict", "--format", "github"]);
    let errors: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("::error")).collect();
    assert!(errors.len() == 10 && !ran.stdout.contains("::warning"), "{}", ran.stdout);
    assert!(errors[9].contains("5 more warnings fail"), "{}", errors[9]);
}

#[test]
fn a_page_of_an_assembly_has_the_verdict_of_its_check() {
    let scratch = Scratch::new();
    slide(&scratch, &json!({}));
    assert_eq!(run(&scratch, &["check", "assembly.json"]).code, 1);
    assert_eq!(run(&scratch, &["render", "assembly.json", "-o", "page.html"]).code, 0);
    let page = std::fs::read_to_string(scratch.path().join("page.html")).expect("read");
    assert!(page.contains("\"verdict\":\"fail\"") && page.contains("\"along\""));
}

#[test]
fn rules_of_one_run_leave_the_pairs_of_another() {
    let scratch = Scratch::new();
    let ignored =
        |during: &str| json!({ "rules": [{ "between": ["cube", "post"], "ignore": true, "during": [during] }] });
    slide(&scratch, &ignored("as-drawn"));
    let ran = run(&scratch, &["check", "assembly.json"]);
    assert!(ran.code == 1 && ran.stdout.contains("along"), "{ran:?}");
    slide(&scratch, &ignored("along"));
    let ran = run(&scratch, &["check", "assembly.json", "--run", "along"]);
    assert!(ran.code == 2 && ran.stderr.contains("no pair to check: the rules ignore the only pair"), "{ran:?}");
}

#[test]
fn a_rule_for_a_run_that_was_left_out_is_no_unneeded_one() {
    let scratch = Scratch::new();
    let rule = json!({ "between": ["cube", "post"], "allow_depth": 3, "reason": "a bolt" });
    slide(&scratch, &json!({ "rules": [rule] }));
    for flags in [&["--strict"][..], &["--strict", "--run", "as-drawn"]] {
        let ran = run(&scratch, &[&["check", "assembly.json"], flags].concat());
        assert_eq!(ran.code, 0, "{flags:?}: {ran:?}");
    }
}

#[test]
fn no_rule_is_proposed_behind_one_that_decides_the_pair() {
    let scratch = Scratch::new();
    for key in [r#""severity": "warning", "reason": "known""#, r#""max_gap": 5"#] {
        two_cubes(&scratch, 0.1, &format!(r#""rules": [ {{ "between": ["a", "b"], {key} }} ],"#));
        let found = parsed(&run(&scratch, &["suggest", "assembly.json", "--format", "json"]).stdout);
        assert_eq!(found["rules"], json!([]), "{key}");
        let why = found["left_out"].to_string();
        assert!(why.contains("add `allow_depth` to that rule"), "{key}: {why}");
    }
    // The same pair without a rule has a proposal.
    two_cubes(&scratch, 0.1, "");
    let found = parsed(&run(&scratch, &["suggest", "assembly.json", "--format", "json"]).stdout);
    assert_eq!(found["rules"].as_array().map(Vec::len), Some(1), "{found}");
}

#[test]
fn groups_of_one_culprit_have_different_ids() {
    let scratch = Scratch::new();
    let at = |k: u8| [-8.0 + 13.0 * f64::from(k % 3), -8.0 + 13.0 * f64::from(k / 3), 29.0];
    let cubes: Vec<(String, [f64; 3])> = (0..6).map(|k| (format!("c{k}"), at(k))).collect();
    let rules: Vec<String> = (0..3)
        .map(|k| format!(r#"{{ "between": ["large", "c{k}"], "severity": "warning", "reason": "known" }}"#))
        .collect();
    let mut all: Vec<(&str, [f64; 3])> = vec![("large", [0.0; 3])];
    all.extend(cubes.iter().map(|(id, at)| (id.as_str(), *at)));
    write_cubes(&scratch, &all, &format!("\"rules\": [ {} ],", rules.join(", ")));
    let found = parsed(&run(&scratch, &["check", "assembly.json", "--format", "json"]).stdout);
    let groups = found["groups"].as_array().expect("groups");
    assert_eq!(groups.len(), 2, "{groups:?}");
    for group in groups {
        let own = found["pairs"].as_array().expect("pairs").iter().filter(|pair| pair["group"] == group["id"]).count();
        assert_eq!(group["members"].as_u64(), Some(own as u64), "{groups:?}");
    }
}

#[test]
fn the_worst_pose_of_a_part_that_comes_too_close_breaks_the_limit() {
    let scratch = Scratch::new();
    // A corner on a circle of √2·10 mm about the origin passes the plate: the least gap lies within a bracket of 1 %.
    scratch.write("cube.obj", obj(&block([-10.0, -10.0, 0.0], [10.0, 10.0, 5.0])));
    scratch.write("plate.obj", obj(&block([20.0, -50.0, 0.0], [22.0, 50.0, 5.0])));
    let least = 20.0 - 200.0_f64.sqrt();
    for beyond in [0.001, 0.003, 0.01, 0.03] {
        let required = least + beyond;
        scratch.write(
            "assembly.json",
            json!({
                "version": 1,
                "parts": { "cube": "cube.obj", "plate": "plate.obj" },
                "instances": [{ "id": "cube", "part": "cube" }, { "id": "plate", "part": "plate" }],
                "joints": { "turn": { "type": "revolute", "axis": [0, 0, 1], "at": [0, 0, 0], "range_deg": [0, 83], "moves": ["cube"] } },
                "sweeps": { "round": { "joints": { "turn": "range" } } },
                "rules": [{ "between": ["cube", "plate"], "min_clearance": required }]
            })
            .to_string(),
        );
        let ran = run(&scratch, &["check", "assembly.json", "--format", "json"]);
        assert_eq!(ran.code, 1, "{ran:?}");
        let found = parsed(&ran.stdout);
        let row = &found["motion"]["rows"][0];
        assert_eq!(row["status"], "too_close", "{beyond}: {row}");
        let upper = row["worst"]["gap_bracket"][1].as_f64().expect("a bracket");
        assert!(upper < required && upper >= least - 1e-6, "{beyond}: {row}");
        let at = row["worst"]["at"]["turn"].as_f64().expect("a value");
        let within = row["intervals"].as_array().expect("intervals").iter().any(|part| {
            let end = |key: &str, k: usize| part[key]["turn"][k].as_f64().expect("a value");
            end("from", 0) <= at && at <= end("to", 1)
        });
        assert!(within, "{beyond}: {row}");
    }
}

#[test]
fn verdicts_on_parts_that_defer_their_hulls_are_those_of_the_full_answer() {
    // More than 50 000 triangles: their hulls are deferred.
    let ball = squared_box(66, |p| {
        let p = p.normalize();
        p * (10.0 + 0.3 * libm::sin(9.0 * p.x + 4.0) * libm::sin(7.0 * p.y) * libm::sin(8.0 * p.z))
    });
    let scaled = |by: f64| TriMesh { vertices: ball.vertices.iter().map(|v| v * by).collect(), ..ball.clone() };
    let shell = joined(&[scaled(1.3), reversed(&scaled(1.01))]);
    let peg = block([-0.5, -0.5, -9.0], [0.5, 0.5, 20.0]);
    let cases = [
        ("ball in its shell", &ball, &shell, Vec3::zeros(), Status::Clear),
        ("ball pressed into its shell", &ball, &shell, Vec3::new(0.3, 0.0, 0.0), Status::Interference),
        ("balls", &ball, &ball, Vec3::new(11.0, 4.0, 3.0), Status::Interference),
        ("balls in each other", &ball, &ball, Vec3::new(0.3, 0.2, 0.1), Status::Interference),
        ("balls whose boxes meet", &ball, &ball, Vec3::new(15.0, 15.0, 3.0), Status::Clear),
        ("peg in a ball", &peg, &ball, Vec3::zeros(), Status::Interference),
        ("peg through the wall of a shell", &peg, &shell, Vec3::zeros(), Status::Interference),
        ("peg beside a shell", &peg, &shell, Vec3::new(14.0, 0.0, 0.0), Status::Clear),
    ];
    for (name, a, b, by, status) in cases {
        let mut two = Two { tolerance: 0.01, ..Two::new(a.clone(), b.clone()) }.with_second_moved(by);
        for turned in [false, true] {
            if turned {
                two = two.moved(&Pose { rotation: oblique(), translation: Vec3::new(3.0, -2.0, 1.0) });
            }
            let (verdict, full) = (two.verdict(), two.check());
            assert_eq!(verdict.counts, full.counts, "{name}, turned {turned}");
            assert_eq!(verdict.cleared_by, full.cleared_by, "{name}, turned {turned}");
            assert_eq!(verdict.pairs.first().map_or(Status::Clear, |row| row.status), status, "{name}");
        }
    }
}
