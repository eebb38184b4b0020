//! Does a sweep of a loop keep its closed form: in the report, in `range` and `never`, turned, moved and in another
//! unit?

use crate::generate::cases;
use crate::motion::{assert_close, bracket, changed, holds, report, row};
use crate::support::command::interfere;
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use interfere::internals::motion::RunKind;
use interfere::{Affine, Assembly, LengthUnit, LoadOptions, NewJoint, NewPin, Options, TriMesh, Vec3};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Crank angle from the top at which the piston is 1 mm from the head.
fn too_close_from() -> f64 {
    let x: f64 = 114.5;
    libm::acos((x * x + 900.0 - 85.0 * 85.0) / (60.0 * x)).to_degrees()
}

fn slider_crank() -> PathBuf {
    cases().join("slider-crank/assembly.json")
}

fn assert_piston(found: &Value, top: f64) {
    let piston = row(found, "turn", "head", "piston");
    assert_eq!(
        (&piston["status"], &piston["certainty"], &piston["proved"]),
        (&json!("too_close"), &json!("certified"), &json!(1))
    );
    let [low, high] = bracket(&piston["worst"]["gap_bracket"]);
    assert!(low <= 0.5 && 0.5 <= high + 1e-6 && high - low < 0.006, "{low} {high}");
    let parts = piston["intervals"].as_array().expect("intervals");
    let [part] = parts.as_slice() else { panic!("{parts:?}") };
    assert!(holds(&part["from"]["crank"], top - too_close_from()), "{part}");
    assert!(holds(&part["to"]["crank"], top + too_close_from()), "{part}");
    // The solved joints are listed with the crank: the piston pin lies at 114.5 there, at −55 … 115 over the sweep.
    assert!(holds(&part["from"]["piston"], 114.5 - 55.0), "{part}");
}

#[test]
fn a_piston_comes_too_close_at_the_top_of_its_stroke() {
    let (found, code) = report(&slider_crank(), &[]);
    assert_eq!(code, 1);
    assert_piston(&found, 360.0);
    let runs = found["motion"]["runs"].as_array().expect("runs");
    let [top, turn, down] = runs.as_slice() else { panic!("{runs:?}") };
    assert_eq!([&top["verdict"], &turn["verdict"], &down["verdict"]], ["pass", "fail", "pass"]);
    let stroke = bracket(&turn["joints"]["piston"]);
    assert!(stroke[0].abs() < 1e-9 && (stroke[1] - 60.0).abs() < 1e-9, "{stroke:?}");
    // A pose of the crank brings the piston along.
    let joints = found["motion"]["joints"].as_array().expect("joints");
    let solved: Vec<_> = joints.iter().map(|j| (j["name"].as_str().unwrap(), j["solved"].as_bool().unwrap())).collect();
    assert_eq!(solved, [("crank", false), ("rod", true), ("piston", true)]);
    assert_close(&top["joints"]["piston"][0], 60.0);
}

#[test]
fn the_answer_is_the_same_turned_and_moved_and_in_any_order() {
    let scratch = Scratch::new();
    let sub = changed(&scratch, "slider-crank", |_| ());
    let inner = scratch.path().join("engine.json");
    std::fs::rename(&sub, &inner).expect("renamed");
    let file = json!({
        "version": 1,
        "instances": [{ "id": "engine", "assembly": "engine.json",
            "placement": { "rotation": { "axis": [1, 2, 3], "angle_deg": 77 }, "translation": [4e4, -3e4, 2e4] } }],
        "sweeps": { "turn": { "joints": { "engine/crank": "range" } } },
        "rules": [{ "between": ["engine/piston", "engine/head"], "min_clearance": 1 }]
    });
    std::fs::write(&sub, file.to_string()).expect("written");
    let (found, _) = report(&sub, &["--run", "turn"]);
    let piston = row(&found, "turn", "engine/head", "engine/piston");
    let part = &piston["intervals"][0];
    assert!(holds(&part["from"]["engine/crank"], 360.0 - too_close_from()), "{part}");
    let [low, high] = bracket(&piston["worst"]["gap_bracket"]);
    assert!(low <= 0.5 && 0.5 <= high + 1e-6 && high - low < 0.006, "{low} {high}");
}

#[test]
fn threads_and_cache_leave_the_report_as_it_is() {
    let scratch = Scratch::new();
    let cache = scratch.path().join("cache");
    let path = slider_crank();
    let run = |flags: &[&str]| {
        let ran = interfere(&[&["check", path.to_str().unwrap(), "--quiet", "--format", "json"], flags].concat());
        assert_eq!(ran.code, 1, "{ran:?}");
        ran.stdout
    };
    let alone = run(&["--no-cache", "--threads", "1"]);
    let cached = ["--cache", cache.to_str().unwrap()];
    assert!(alone == run(&["--no-cache", "--threads", "7"]) && alone == run(&cached) && alone == run(&cached));
}

#[test]
fn range_and_never_answer_loops() {
    let path = slider_crank();
    let path = path.to_str().expect("UTF-8");
    let ran = interfere(&["range", path, "--format", "json"]);
    let found = parsed(&ran.stdout);
    let joints = found["joints"].as_array().expect("joints");
    assert_eq!(joints.len(), 1, "{found}");
    // No pair stops the crank within a turn to either side.
    for (side, limit) in [("down", -180), ("up", 540)] {
        assert_eq!(joints[0][side], json!({ "limit": limit, "free": limit, "stop": null }), "{found}");
    }
    let ran = interfere(&["never", path, "--format", "json"]);
    let found = parsed(&ran.stdout);
    let pairs = found["pairs"].as_array().expect("pairs");
    let head = pairs.iter().find(|p| p["a"] == "head" && p["b"] == "piston").expect("a pair");
    assert_eq!(head["verdict"], "never", "{head}");
    let refused = interfere(&["range", path, "rod"]);
    assert!(refused.code == 2 && refused.stderr.contains("it closes a loop"), "{refused:?}");
}

#[test]
fn a_rod_shorter_than_its_crank_ends_the_range_at_the_dead_centre() {
    let scratch = Scratch::new();
    let path = changed(&scratch, "slider-crank", |file| {
        // Pins at −30 and −9: a rod of 21.
        file["loops"][0]["at"] = json!([-9, 0, 0]);
        for key in ["poses", "sweeps", "rules"] {
            file.as_object_mut().unwrap().remove(key);
        }
    });
    let ran = interfere(&["range", path.to_str().unwrap(), "crank", "--format", "json"]);
    let found = parsed(&ran.stdout);
    let dead = libm::asin(21.0_f64 / 30.0).to_degrees();
    for (side, sign) in [("down", -1.0), ("up", 1.0)] {
        let limit = found["joints"][0][side]["limit"].as_f64().expect("a limit");
        let way = (limit - 180.0) * sign;
        assert!(way <= dead && way > dead - 1e-3, "{way} {dead} {found}");
    }
    // Its full turn holds poses that no motion of the loop reaches.
    let ran = interfere(&["never", path.to_str().unwrap()]);
    assert!(ran.code == 2 && ran.stderr.contains("assembly.json: drives a loop too far"), "{ran:?}");
}

/// The slider-crank with other keys, without runs and rules.
fn without_runs(scratch: &Scratch, change: impl Fn(&mut Value)) -> PathBuf {
    changed(scratch, "slider-crank", |file| {
        for key in ["poses", "sweeps", "rules"] {
            file.as_object_mut().expect("an object").remove(key);
        }
        change(file);
    })
}

#[test]
fn a_joint_without_parts_that_drives_a_loop_is_told_without_a_sweep() {
    let scratch = Scratch::new();
    let codes = |sweeps: Value| -> Vec<(String, String)> {
        let path = without_runs(&scratch, |file| {
            file["joints"]["crank"]["moves"] = json!([]);
            file["sweeps"] = sweeps.clone();
        });
        let (found, _) = report(&path, &["--run", "as-drawn"]);
        let warnings = found["warnings"].as_array().expect("warnings").iter();
        let text = |w: &Value, key: &str| w[key].as_str().expect("a text").to_owned();
        warnings.map(|w| (text(w, "code"), text(w, "message"))).filter(|w| w.0 == "unswept-joint").collect()
    };
    let told = codes(json!({}));
    let [(_, message)] = told.as_slice() else { panic!("{told:?}") };
    assert!(message.starts_with("no sweep moves the joint `crank`: "), "{message}");
    assert_eq!(codes(json!({ "turn": { "joints": { "crank": "range" } } })), []);
}

#[test]
fn a_run_that_drives_a_solved_joint_out_of_its_range_is_refused() {
    let scratch = Scratch::new();
    let limited = |ends: [f64; 2], sweep: Value| {
        let path = without_runs(&scratch, |file| {
            file["joints"]["piston"]["range"] = json!(ends);
            file["joints"]["head"] = json!({ "type": "prismatic", "axis": "x", "moves": ["head"], "range": [0, 5] });
            file["loops"][0]["solves"] = json!(["piston", "rod"]);
            file["sweeps"] = json!({ "turn": { "joints": sweep } });
        });
        interfere(&["check", path.to_str().expect("UTF-8"), "--run", "as-drawn", "--quiet"])
    };
    let (turn, both) = (json!({ "crank": "range" }), json!({ "crank": "range", "head": "range" }));
    let part = json!({ "crank": [60, 300] });
    // The stroke is 60 mm, from 0 as drawn.
    for sweep in [&turn, &both] {
        for ends in [[0.0, 60.0], [-1.0, 60.5]] {
            assert_eq!(limited(ends, sweep.clone()).code, 0, "{ends:?} {sweep}");
        }
        let refused = limited([0.0, 50.0], sweep.clone());
        assert!(refused.code == 2 && refused.stderr.contains("sweeps.turn: drives `piston` to "), "{refused:?}");
        assert!(refused.stderr.contains("outside its range 0 to 50"), "{refused:?}");
    }
    assert!(limited([0.0, 50.0], turn).stderr.contains("drives `piston` to 60"));
    assert_eq!(limited([0.0, 50.0], part).code, 0);
}

#[test]
fn range_ends_where_a_solved_joint_does() {
    let scratch = Scratch::new();
    let path = without_runs(&scratch, |file| {
        file["joints"]["piston"]["range"] = json!([0, 50]);
        file["loops"][0]["solves"] = json!(["rod", "piston"]);
    });
    let ran = interfere(&["range", path.to_str().expect("UTF-8"), "crank", "--format", "json"]);
    let found = parsed(&ran.stdout);
    // The piston pin at 105: the crank angle from the top.
    let x: f64 = 105.0;
    let top = libm::acos((x * x + 900.0 - 85.0 * 85.0) / (60.0 * x)).to_degrees();
    for (side, expected) in [("down", top), ("up", 360.0 - top)] {
        let limit = found["joints"][0][side]["limit"].as_f64().expect("a limit");
        assert!((limit - expected).abs() < 1e-5, "{side}: {limit} {expected}");
        assert_eq!(found["joints"][0][side]["stop"], Value::Null, "{found}");
    }
}

/// Triangles of a case's part.
fn mesh(part: &str) -> TriMesh {
    let text = std::fs::read_to_string(cases().join(format!("slider-crank/parts/{part}.obj"))).expect("a mesh");
    let mut mesh = TriMesh::default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let kind = words.next();
        let words: Vec<&str> = words.map(|word| word.split('/').next().expect("a word")).collect();
        match kind {
            Some("v") => mesh.vertices.push(Vec3::from([0, 1, 2].map(|k| words[k].parse::<f64>().expect("a number")))),
            Some("f") => mesh.triangles.push([0, 1, 2].map(|k| words[k].parse::<u32>().expect("an index") - 1)),
            _ => {}
        }
    }
    mesh
}

#[test]
fn a_built_slider_crank_equals_the_one_of_the_file() {
    let mut builder = Assembly::builder("slider-crank", LengthUnit::Mm);
    for part in ["crank", "rod", "piston", "head"] {
        builder = builder.part(part, mesh(part)).instance(part, part, Affine::identity());
    }
    let crank = NewJoint::revolute(Vec3::z(), Vec3::zeros()).moves("crank").home(180.0);
    let built = builder
        .joint("crank", crank)
        .joint("rod", NewJoint::revolute(Vec3::z(), Vec3::x() * -30.0).on("crank").moves("rod"))
        .joint("piston", NewJoint::prismatic(Vec3::x()).moves("piston"))
        .pin(NewPin::new(["rod", "piston"], Vec3::x() * 55.0, Vec3::z(), ["piston", "rod"]))
        .pose("top", [("crank", 360.0)])
        .sweep("turn", [("crank", [0.0, 360.0])])
        .sweep("down", [("crank", [60.0, 300.0])])
        .build()
        .unwrap_or_else(|e| panic!("{e}"));
    let mut loaded = interfere::load(slider_crank(), &LoadOptions::default()).expect("a case");
    loaded.rules.clear();
    assert_eq!(built.motion.mechanism, loaded.motion.mechanism);
    let kinds = |a: &Assembly| a.motion.runs.iter().map(|run| (run.name.clone(), run.kind.clone())).collect::<Vec<_>>();
    let of_file: Vec<(String, RunKind)> = kinds(&loaded);
    let close = |x: &[f64; 2], y: &[f64; 2]| (x[0] - y[0]).abs() + (x[1] - y[1]).abs() < 1e-12;
    for ((name, kind), (expected, of_file)) in kinds(&built).iter().zip(&of_file) {
        assert_eq!(name, expected);
        match (kind, of_file) {
            (RunKind::Box { swept, .. }, RunKind::Box { swept: other, .. }) => {
                assert!(swept.len() == 1 && other.len() == 1 && close(&swept[0].1, &other[0].1) || name == "turn");
            }
            _ => assert_eq!(kind, of_file),
        }
    }
    let run = |assembly: &Assembly, name: &str| {
        let options = Options { runs: vec![name.to_owned()], report_within: Some(5.0), ..Options::default() };
        let outcome = interfere::check(assembly, &options).unwrap_or_else(|e| panic!("{e}"));
        let motion = outcome.motion.expect("joints");
        let [one] = motion.runs.as_slice() else { panic!("{:?}", motion.runs) };
        (motion.joints.clone(), one.counts, one.joints.clone(), one.rows.clone())
    };
    for name in ["top", "down"] {
        let (of_builder, of_file) = (run(&built, name), run(&loaded, name));
        assert!(!of_file.3.is_empty(), "{name}");
        assert_eq!(of_builder, of_file, "{name}");
    }
}

#[test]
fn a_builder_refuses_wrong_pins() {
    let build = |pin: NewPin, value: (&str, f64)| {
        let mut builder = Assembly::builder("b", LengthUnit::Mm);
        for part in ["crank", "rod", "piston", "head"] {
            builder = builder.part(part, mesh(part)).instance(part, part, Affine::identity());
        }
        let built = builder
            .joint("crank", NewJoint::revolute(Vec3::z(), Vec3::zeros()).moves("crank").home(180.0))
            .joint("rod", NewJoint::revolute(Vec3::z(), Vec3::x() * -30.0).on("crank").moves("rod"))
            .joint("piston", NewJoint::prismatic(Vec3::x()).moves("piston").range(0.0, 50.0))
            .pin(pin)
            .pose("p", [value])
            .build();
        built.map(|_| ()).expect_err("a problem").to_string()
    };
    let pin = |at: f64, axis: Vec3, solves: [&str; 2]| NewPin::new(["rod", "piston"], Vec3::x() * at, axis, solves);
    let both = ["rod", "piston"];
    for (pin, value, expected) in [
        (pin(55.0, Vec3::z(), ["rod", "rod"]), ("crank", 90.0), "`rod` is named twice"),
        (pin(55.0, Vec3::z(), ["rod", "pistn"]), ("crank", 90.0), "did you mean `piston`?"),
        (pin(55.0, Vec3::zeros(), both), ("crank", 90.0), "the pin has no place or no direction"),
        (pin(55.0, Vec3::y(), both), ("crank", 90.0), "off that of the pin"),
        (pin(55.0, Vec3::z(), both), ("piston", 9.0), "`piston` closes a loop: it has no value of its own"),
        (pin(55.0, Vec3::z(), both), ("crank", 360.0), "drives `piston` to 60, outside its range 0 to 50"),
        (pin(-9.0, Vec3::z(), both), ("crank", 270.0), "drives a loop too far"),
    ] {
        let error = build(pin, value);
        assert!(error.contains(expected), "{expected}: {error}");
    }
}
