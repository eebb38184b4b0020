//! Does the check of a robot sweep its joints through their limits? Arms and grippers with answers in closed form, in
//! URDF, MJCF and SDF; warnings about joints without a sweep.

use crate::motion::{changed, report, row};
use crate::support::command::interfere;
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use interfere::internals::geom::math::sin_cos_deg;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// Tolerance of the check (mm).
const TOLERANCE: f64 = 0.01;
/// Half of the width of the links (mm).
const HALF_WIDTH: f64 = 5.0;
/// Length of the upper and of the lower link (mm).
const LENGTHS: [f64; 2] = [100.0, 60.0];

/// An arm of two links along x that turn about z, in a plane. A wall stands at y = `wall` (mm).
fn arm_urdf(wall: f64) -> String {
    let [upper, lower] = LENGTHS.map(|l| l / 1000.0);
    let width = 2.0 * HALF_WIDTH / 1000.0;
    let link = |name: &str, length: f64| {
        format!(
            r#"<link name="{name}"><collision><origin xyz="{} 0 0"/><geometry><box size="{length} {width} {width}"/></geometry></collision></link>"#,
            0.5 * length
        )
    };
    format!(
        r#"<robot name="arm"><link name="base"/><link name="wall"><collision><origin xyz="0 {} 0"/>
          <geometry><box size="1 0.02 0.1"/></geometry></collision></link>{}{}
        <joint name="stand" type="fixed"><parent link="base"/><child link="wall"/></joint>
        <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
          <limit lower="0" upper="1.2" effort="1" velocity="1"/></joint>
        <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="{upper} 0 0"/>
          <axis xyz="0 0 1"/><limit lower="-1.2" upper="1.2" effort="1" velocity="1"/></joint></robot>"#,
        wall / 1000.0 + 0.01,
        link("upper", upper),
        link("lower", lower)
    )
}

/// Angle at which the far corner of a bar about the origin reaches a wall (degrees).
fn contact_angle(length: f64, wall: f64) -> f64 {
    (libm::asin(wall / length.hypot(HALF_WIDTH)) - libm::atan(HALF_WIDTH / length)).to_degrees()
}

/// Angle at which the corner of a bar about the origin is `TOLERANCE` deep in a wall (degrees): the ball in the
/// triangle between both has this diameter.
fn failing_angle(length: f64, wall: f64) -> f64 {
    let depth = |degrees: f64| {
        let (sin, cos) = sin_cos_deg(degrees);
        let below = length * sin + HALF_WIDTH * cos - wall;
        below * (1.0 / sin + 1.0 / cos - 1.0 / (sin * cos))
    };
    let (mut low, mut high) = (contact_angle(length, wall), contact_angle(length, wall + 0.1));
    assert!(depth(low) < TOLERANCE && depth(high) > TOLERANCE);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if depth(middle) < TOLERANCE { low = middle } else { high = middle }
    }
    low
}

/// Bracket of a joint value; of the joint with the least name, if several move.
fn bracket(of: &Value) -> [f64; 2] {
    let joints = of.as_object().expect("values of joints");
    joints.values().map(|ends| serde_json::from_value(ends.clone()).expect("two ends")).next().expect("a joint")
}

/// Start of the only failing interval of a row, as a bracket.
fn failing_from(row: &Value) -> [f64; 2] {
    assert_eq!(row["status"], "interference", "{row}");
    let intervals = row["intervals"].as_array().expect("intervals");
    assert_eq!(intervals.len(), 1, "{row}");
    bracket(&intervals[0]["from"])
}

fn assert_holds([low, high]: [f64; 2], truth: f64, width: f64) {
    assert!(low <= truth && truth <= high && high - low <= width, "{truth} in [{low}, {high}]");
}

fn names_of_runs(report: &Value) -> Vec<&str> {
    report["motion"]["runs"].as_array().expect("runs").iter().map(|r| r["name"].as_str().expect("a name")).collect()
}

/// Codes of the warnings, except for links without geometry.
fn codes(report: &Value) -> Vec<&str> {
    let all = report["warnings"].as_array().expect("warnings").iter().map(|w| w["code"].as_str().expect("a code"));
    all.filter(|code| *code != "left-out").collect()
}

fn write(scratch: &Scratch, name: &str, text: &str) -> PathBuf {
    scratch.write(name, text);
    scratch.path().join(name)
}

#[test]
fn each_joint_of_a_robot_is_swept_alone() {
    let scratch = Scratch::new();
    let (report, code) = report(&write(&scratch, "arm.urdf", &arm_urdf(50.0)), &[]);
    assert_eq!((code, names_of_runs(&report), codes(&report)), (1, vec!["elbow", "shoulder"], vec![]));
    let [upper, lower] = LENGTHS;
    // The brackets are as narrow as a motion of the farthest point by a hundredth of the tolerance.
    let width = |reach: f64| (0.01 * TOLERANCE / reach).to_degrees() * 2.0;
    for (run, link, length) in
        [("shoulder", "upper", upper), ("shoulder", "lower", upper + lower), ("elbow", "lower", lower)]
    {
        let failing = failing_from(row(&report, run, link, "wall"));
        assert_holds(failing, failing_angle(length, 50.0), width(length));
        // A proof of a gap of the tolerance grants a hundredth of it.
        let first = bracket(&row(&report, run, link, "wall")["first"]["at_bracket"]);
        assert_holds(first, contact_angle(length, 50.0 - 0.99 * TOLERANCE), width(length));
    }
}

#[test]
fn all_joints_at_once_are_proved_or_refuted() {
    let scratch = Scratch::new();
    let [upper, lower] = LENGTHS;
    // The farthest corner is as far from the shoulder as the upper link and the diagonal of the lower one.
    let reach = upper + lower.hypot(HALF_WIDTH);
    for (wall, status, count, code) in [(reach + 1.0, "clear", 2, 0), (reach - 1.0, "interference", 1, 1)] {
        let arm = write(&scratch, "arm.urdf", &arm_urdf(wall).replace("upper=\"1.2\"", "upper=\"1.7\""));
        let (report, exit) = report(&arm, &["--sweep-all", "--run", "all-joints", "--report-within", "2"]);
        let run = &report["motion"]["runs"][0];
        assert_eq!((exit, &run["kind"], &run["counts"][status]), (code, &json!("box"), &json!(count)), "{run}");
        assert_eq!((&run["counts"]["undecided"], &run["counts"]["ignored"]), (&json!(0), &json!(1)), "{run}");
        assert_eq!(report["motion"]["left_out"], json!(["as-drawn", "elbow", "shoulder"]));
    }
    let still = write(&scratch, "still.urdf", &arm_urdf(50.0).replace("revolute", "fixed"));
    let ran = interfere(&["check", &still.display().to_string(), "--sweep-all"]);
    assert!(ran.stderr.contains("--sweep-all has no effect"), "{ran:?}");
}

/// Two jaws that close by equal ways, 50 mm apart; the right one mimics the left one.
const GRIPPER: &str = r#"<robot name="gripper"><link name="palm"/>
  <link name="left"><collision><origin xyz="-0.03 0 0"/><geometry><box size="0.01 0.02 0.04"/></geometry></collision></link>
  <link name="right"><collision><origin xyz="0.03 0 0"/><geometry><box size="0.01 0.02 0.04"/></geometry></collision></link>
  <joint name="close" type="prismatic"><parent link="palm"/><child link="left"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.03" effort="1" velocity="1"/></joint>
  <joint name="other" type="prismatic"><parent link="palm"/><child link="right"/><axis xyz="-1 0 0"/>
    <limit lower="0" upper="0.06" effort="1" velocity="1"/><mimic joint="close" multiplier="1.5"/></joint></robot>"#;

#[test]
fn a_joint_that_mimics_moves_with_its_leader() {
    let scratch = Scratch::new();
    let (report, code) = report(&write(&scratch, "gripper.urdf", GRIPPER), &["--no-baseline"]);
    assert_eq!((code, names_of_runs(&report), codes(&report)), (1, vec!["close"], vec![]));
    // The jaws meet where 1 + 1.5 times the travel is 50 mm.
    let found = row(&report, "close", "left", "right");
    assert_holds(bracket(&found["first"]["at_bracket"]), (50.0 - 0.99 * TOLERANCE) / 2.5, 1e-4);
    assert_holds(failing_from(found), (50.0 + TOLERANCE) / 2.5, 1e-4);
}

const ARM_MJCF: &str = r#"<mujoco model="arm"><compiler angle="radian"/><worldbody>
  <geom name="wall" type="box" pos="0 0.06 0" size="0.5 0.01 0.05"/>
  <body name="upper"><joint name="shoulder" axis="0 0 1" range="0 1.2" limited="true"/>
    <geom type="box" pos="0.05 0 0" size="0.05 0.005 0.005"/></body></worldbody></mujoco>"#;

const ARM_SDF: &str = r#"<sdf version="1.9"><model name="arm"><link name="wall">
    <collision name="c"><pose>0 0.06 0 0 0 0</pose><geometry><box><size>1 0.02 0.1</size></box></geometry></collision></link>
  <link name="upper">
    <collision name="c"><pose>0.05 0 0 0 0 0</pose><geometry><box><size>0.1 0.01 0.01</size></box></geometry></collision></link>
  <link name="hub"/>
  <joint name="mount" type="fixed"><parent>wall</parent><child>hub</child></joint>
  <joint name="swivel" type="revolute"><parent>hub</parent><child>arm</child>
    <axis><xyz>0 1 0</xyz><limit><lower>0</lower><upper>0.01</upper></limit></axis></joint>
  <link name="arm"/>
  <joint name="shoulder" type="revolute"><parent>arm</parent><child>upper</child>
    <axis><xyz>0 0 1</xyz><limit><lower>0</lower><upper>1.2</upper></limit></axis></joint></model></sdf>"#;

#[test]
fn joints_of_mjcf_and_sdf_are_swept_too() {
    let scratch = Scratch::new();
    let (mjcf, code) = report(&write(&scratch, "arm.xml", ARM_MJCF), &[]);
    assert_eq!((code, names_of_runs(&mjcf), codes(&mjcf)), (1, vec!["shoulder"], vec![]));
    let all = mjcf["motion"]["rows"].as_array().expect("rows");
    assert_eq!(all.len(), 1, "{all:?}");
    assert_holds(failing_from(&all[0]), failing_angle(LENGTHS[0], 50.0), 1e-3);
    let imported = scratch.path().join("sdf").display().to_string();
    let ran = interfere(&["import", &write(&scratch, "arm.sdf", ARM_SDF).display().to_string(), "-o", &imported]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let file = parsed(&fs::read_to_string(scratch.path().join("sdf/assembly.json")).expect("a file"));
    assert_eq!(
        file["sweeps"],
        json!({ "shoulder": { "joints": { "shoulder": "range" } }, "swivel": { "joints": { "swivel": "range" } } })
    );
    assert_eq!(file["joints"]["shoulder"]["on"], "swivel");
}

#[test]
fn joints_without_a_part_or_with_the_name_of_a_pose_keep_the_file_valid() {
    let scratch = Scratch::new();
    let ghost = r#"<link name="ghost"/><joint name="free" type="continuous"><parent link="lower"/><child link="ghost"/></joint></robot>"#;
    let arm = write(&scratch, "arm.urdf", &arm_urdf(500.0).replace("</robot>", ghost));
    scratch.write(
        "arm.srdf",
        r#"<robot name="arm"><group_state name="elbow" group="g"><joint name="elbow" value="1"/></group_state></robot>"#,
    );
    let (report, code) = report(&arm, &[]);
    assert_eq!((code, names_of_runs(&report)), (0, vec!["elbow", "elbow-range", "shoulder"]));
    assert_eq!(codes(&report), Vec::<&str>::new());
}

#[test]
fn init_proposes_a_sweep_for_each_joint() {
    let scratch = Scratch::new();
    let arm = write(&scratch, "arm.urdf", &arm_urdf(500.0)).display().to_string();
    let ran = interfere(&["init", &arm]);
    assert!(ran.code == 0 && ran.stdout.starts_with("1 instance, 2 sweeps: "), "{ran:?}");
    let file = scratch.path().join("assembly.json");
    let text = fs::read_to_string(&file).expect("a file");
    let written = parsed(&text);
    assert_eq!(written["instances"], json!([{ "id": "arm", "assembly": "arm.urdf" }]));
    assert_eq!(written["sweeps"]["elbow"]["joints"], json!({ "arm/elbow": "range" }));
    assert_eq!(text.matches("REVIEW:").count(), 2);
    let (report, code) = report(&file, &[]);
    assert_eq!((code, names_of_runs(&report), codes(&report)), (0, vec!["elbow", "shoulder"], vec![]));
    let again = interfere(&["init", &arm]);
    assert!(again.code == 2 && again.stderr.contains("is there already"), "{again:?}");
    let still = write(&scratch, "still.urdf", &arm_urdf(50.0).replace("revolute", "fixed"));
    let ran = interfere(&["init", &still.display().to_string(), "-o", "-"]);
    assert!(ran.code == 0 && !ran.stdout.contains("sweeps"), "{ran:?}");
}

/// Warnings of the sliding doors with other sweeps, as codes and the text of the first.
fn warnings_with(sweeps: &Value, rules: &Value) -> (Vec<String>, String) {
    let scratch = Scratch::new();
    let file = changed(&scratch, "sliding-doors", |file| {
        file["sweeps"] = sweeps.clone();
        file["rules"] = rules.clone();
    });
    let report = report(&file, &["--run", "as-drawn"]).0;
    let codes = codes(&report).into_iter().map(str::to_owned).collect();
    (codes, report["warnings"][0]["message"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn joints_without_a_sweep_are_told() {
    let (codes, text) = warnings_with(&json!({}), &json!([]));
    assert_eq!(codes, ["unswept-joint"]);
    assert!(text.starts_with("no sweep moves the joint `left`: "), "{text}");
    // The advice can be pasted.
    let (_, advice) = text.split_once("add to `sweeps`: ").expect("an advice");
    let advised: Value = serde_json::from_str(&format!("{{{advice}}}")).expect("an entry of `sweeps`");
    assert_eq!(warnings_with(&advised, &json!([])).0, Vec::<String>::new(), "{advice}");
    assert_eq!(warnings_with(&json!({ "a": { "joints": { "left": [0, 1] } } }), &json!([])).0, Vec::<String>::new());
}

#[test]
fn sweeps_within_others_are_told() {
    let box_of = |to: f64| json!({ "joints": { "left": [0, to] } });
    let path = |ends: [f64; 2]| json!({ "path": ends.map(|x| json!({ "left": x })) });
    let none = Vec::<String>::new();
    for (sweeps, expected) in [
        (json!({ "long": box_of(9.0), "short": box_of(8.0) }), "the sweep `short` lies within `long`"),
        (json!({ "short": box_of(8.0), "long": box_of(9.0) }), "the sweep `short` lies within `long`"),
        (json!({ "one": box_of(8.0), "two": box_of(8.0) }), "the sweep `two` lies within `one`"),
        (json!({ "there": path([0.0, 5.0]), "back": path([5.0, 0.0]) }), "the sweep `there` lies within `back`"),
        (json!({ "long": box_of(9.0), "way": path([2.0, 5.0]) }), "the sweep `way` lies within `long`"),
    ] {
        let (codes, text) = warnings_with(&sweeps, &json!([]));
        assert_eq!(codes, ["sweep-repeats"], "{sweeps}");
        assert!(text.starts_with(expected), "{text}");
    }
    // The sweep of all joints comes from a flag: there is nothing to remove.
    let scratch = Scratch::new();
    let file = changed(&scratch, "sliding-doors", |file| {
        file["sweeps"] = json!({ "whole": { "joints": { "left": "range" } } });
        file["rules"] = json!([]);
    });
    assert_eq!(codes(&report(&file, &["--sweep-all"]).0), Vec::<&str>::new());
    assert_eq!(warnings_with(&json!({ "way": path([2.0, 5.0]), "on": path([5.0, 9.0]) }), &json!([])).0, none);
    // Under a rule of its own, the smaller sweep answers another question.
    let rule = json!([{ "between": ["left", "right"], "min_clearance": 0.1, "during": ["short"], "reason": "r" }]);
    assert_eq!(warnings_with(&json!({ "long": box_of(9.0), "short": box_of(8.0) }), &rule).0, none);
}
