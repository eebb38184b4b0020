//! Loops of assembly files: their pins and solved joints, and each error with its place and fix.

use super::*;
use crate::geom::Vec3;
use crate::motion::{JointIx, RunKind};

/// Joints of a slider-crank, with a change in the text of one.
fn slider_crank(from: &str, to: &str) -> String {
    let joints = r#"
        "crank": { "type": "revolute", "axis": "z", "at": [0, 0, 0], "moves": ["a"], "range_deg": "full" },
        "rod": { "type": "revolute", "axis": "z", "at": [30, 0, 0], "on": "crank", "moves": ["b"] },
        "piston": { "type": "prismatic", "axis": "x", "moves": ["c"] }"#;
    let changed = joints.replace(from, to);
    assert!(from.is_empty() || changed != joints, "{from}");
    format!("\"joints\": {{ {changed} }}")
}

const PIN: &str = r#"{ "pin": ["rod", "piston"], "at": [115, 0, 2], "axis": [0, 0, -3] }"#;

fn file_with(keys: &str) -> String {
    let instances = ["a", "b", "c"].map(|id| format!(r#"{{ "id": "{id}", "part": "box" }}"#)).join(", ");
    format!(r#"{{ "version": 1, "parts": {{ "box": "box.stl" }}, "instances": [{instances}], {keys} }}"#)
}

fn load(root: &str, inner: &str) -> Result<Assembly, crate::Error> {
    Memory::of(&[("/d/a.json", root), ("/d/sub.json", inner), ("/d/box.stl", "")]).load("/d/a.json")
}

fn loaded(keys: &str) -> Assembly {
    load(&file_with(keys), "{}").unwrap_or_else(|e| panic!("{e}"))
}

/// The only problem of a file, with its JSON path and fix.
fn assert_problem(keys: &str, path: &str, expected: &str) {
    let error = load(&file_with(keys), "{}").map(|_| ()).expect_err(keys);
    let [problem] = error.problems.as_slice() else { panic!("{keys}: {error}") };
    assert_eq!(problem.at.json_path.as_deref(), Some(path), "{problem}");
    assert!(problem.at.line.is_some() && problem.to_string().contains(expected), "{problem}");
}

fn looped(pins: &str) -> String {
    format!("{}, \"loops\": [{pins}]", slider_crank("", ""))
}

#[test]
fn a_loop_solves_the_joints_without_a_range() {
    let assembly = loaded(&looped(PIN));
    let mechanism = &assembly.motion.mechanism;
    let [one] = mechanism.loops() else { panic!("{:?}", mechanism.loops()) };
    assert_eq!((one.links, one.solves), ([JointIx(1), JointIx(2)], [JointIx(1), JointIx(2)]));
    assert_eq!((one.at, one.axis), (Vec3::new(115.0, 0.0, 2.0), -Vec3::z()));
    let free: Vec<JointIx> = mechanism.free().map(|(ix, _)| ix).collect();
    assert_eq!(free, [JointIx(0)]);
    // A rod of 85 on a crank of 30.
    let segments = mechanism.segments(&RunKind::Pose { set: vec![(JointIx(0), 90.0)] }).expect("closed");
    let expected = (85.0_f64 * 85.0 - 900.0).sqrt() - 115.0;
    assert!((segments[0].laws[2].value(&[]) - expected).abs() < 1e-11);
}

#[test]
fn a_sub_assembly_brings_its_loop_along_turned_and_in_its_unit() {
    let inner = file_with(&format!("\"units\": \"cm\", {}", looped(PIN)));
    let root = r#"{ "version": 1, "instances": [ { "id": "engine", "assembly": "sub.json",
        "placement": { "translation": [5, 6, 7], "rotation": { "axis": "x", "angle_deg": 90 } } } ],
        "sweeps": { "turn": { "joints": { "engine/crank": "range" } } } }"#;
    let assembly = load(root, &inner).unwrap_or_else(|e| panic!("{e}"));
    let [one] = assembly.motion.mechanism.loops() else { panic!("one loop") };
    assert!((one.at - Vec3::new(1155.0, -14.0, 7.0)).norm() < 1e-9, "{}", one.at);
    assert!((one.axis - Vec3::y()).norm() < 1e-12, "{}", one.axis);
    let mut segments = assembly.motion.mechanism.segments(&assembly.motion.runs[0].kind).expect("closed");
    let piston = &segments.remove(0).laws[2];
    assert!((piston.value(&[180.0]) + 600.0).abs() < 1e-9);
}

/// The pin, with the names of the solved joints.
fn solving(joints: &str) -> String {
    PIN.replace("\"at\"", &format!("\"solves\": {joints}, \"at\""))
}

#[test]
fn a_solved_joint_may_have_limits_that_runs_keep() {
    let limited = |to: f64| {
        let joints = slider_crank(r#""moves": ["c"]"#, r#""moves": ["c"], "range": [-40, 10]"#);
        let sweep = format!("\"sweeps\": {{ \"turn\": {{ \"joints\": {{ \"crank\": [0, {to}] }} }} }}");
        format!("{joints}, \"loops\": [{}], {sweep}", solving(r#"["piston", "rod"]"#))
    };
    let assembly = loaded(&limited(95.0));
    let mechanism = &assembly.motion.mechanism;
    assert_eq!(mechanism.loops()[0].solves, [JointIx(1), JointIx(2)]);
    assert_eq!(mechanism.joints()[2].range, Some([-40.0, 10.0]));
    assert_eq!(mechanism.free().map(|(ix, _)| ix).collect::<Vec<_>>(), [JointIx(0)]);
    assert_problem(&limited(180.0), "sweeps.turn", "drives `piston` to -60, outside its range -40 to 10");
}

#[test]
fn each_wrong_loop_is_refused_with_its_place_and_a_fix() {
    let with = |from: &str, to: &str| format!("{}, \"loops\": [{PIN}]", slider_crank(from, to));
    for (keys, path, expected) in [
        (looped("7"), "loops[0]", "expected an object with `pin`, `at` and `axis`"),
        (looped(r#"{ "pin": ["rod", "piston"], "at": [1, 0, 0] }"#), "loops[0]", "no `axis`"),
        (looped(r#"{ "pin": ["rod"], "at": [1, 0, 0], "axis": "z" }"#), "loops[0].pin", "a list of two joints"),
        (looped(&PIN.replace("\"rod\"", "\"rot\"")), "loops[0].pin[0]", "did you mean `rod`?"),
        (looped(&PIN.replace("\"piston\"", "\"rod\"")), "loops[0]", "the pin joins `rod` with itself"),
        (looped(&PIN.replace("[0, 0, -3]", "[0, 0.1, 1]")), "loops[0]", "5.7106° off that of the pin"),
        (with(r#""axis": "x""#, r#""axis": [1, 0, 0.01]"#), "loops[0]", "`piston` slides 0.5729° out of the plane"),
        (with(r#""moves": ["b"]"#, r#""moves": ["b"], "range_deg": [0, 9]"#), "loops[0]", "only one joint of the loop"),
        (with(r#", "range_deg": "full""#, ""), "loops[0]", "3 joints of the loop are without a range: `rod`, `crank`"),
        (looped(&format!("{PIN}, {PIN}")), "loops[1]", "another loop solves `rod`, too"),
        (looped(&solving(r#"["rod", "pistn"]"#)), "loops[0].solves[1]", "did you mean `piston`?"),
        (looped(&solving(r#"["rod"]"#)), "loops[0].solves", "a list of two joints"),
        (looped(&solving(r#"["rod", "rod"]"#)), "loops[0]", "`rod` is named twice"),
        (
            looped(&solving(r#"["rod", "crank"]"#)),
            "joints.piston",
            "no `range`; add \"range\": [from, to], the limits of the joint",
        ),
        (
            looped(
                &format!("{PIN}], \"poses\": {{ \"p\": {{ \"rod\": 5 }} }}, \"x\": [")
                    .replace(", \"x\": [", ", \"rules\": ["),
            ),
            "poses.p.rod",
            "`rod` closes a loop: it has no value of its own; set the joints that drive the loop",
        ),
    ] {
        assert_problem(&keys, path, expected);
    }
}

#[test]
fn a_joint_without_a_range_outside_every_loop_is_refused() {
    let more = slider_crank("", "").replace(
        "\"piston\":",
        "\"spare\": { \"type\": \"revolute\", \"axis\": \"z\", \"at\": [9, 9, 9], \"moves\": [] }, \"piston\":",
    );
    assert_problem(&format!("{more}, \"loops\": [{PIN}]"), "joints.spare", "no `range_deg`");
}

#[test]
fn a_run_beyond_the_motion_of_a_loop_is_refused_with_the_last_value() {
    // A rod shorter than the crank: dead centre at asin(20/30) = 41.81 degrees.
    let keys = looped(&PIN.replace("115", "50"));
    let sweep = |to: f64| format!("{keys}, \"sweeps\": {{ \"turn\": {{ \"joints\": {{ \"crank\": [0, {to}] }} }} }}");
    assert_problem(&sweep(90.0), "sweeps.turn", "close up to `crank` 41.81");
    assert!(load(&file_with(&sweep(41.8)), "{}").is_ok());
    assert_problem(&format!("{keys}, \"poses\": {{ \"far\": {{ \"crank\": 170 }} }}"), "poses.far", "`crank` 41.81");
}

#[test]
fn a_joint_without_parts_counts_as_moving_those_of_its_loop() {
    let with = |moves: &str| format!("{}, \"loops\": [{PIN}]", slider_crank(r#""moves": ["a"]"#, moves));
    assert_eq!(loaded(&with(r#""moves": []"#)).joints_to_sweep(), [JointIx(0)]);
    // Without the rod, only the loop leads from the piston to the crank.
    let keys = with(r#""moves": []"#).replace(r#""moves": ["b"]"#, r#""moves": []"#);
    assert_eq!(loaded(&keys).joints_to_sweep(), [JointIx(0)]);
}
