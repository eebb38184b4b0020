//! Joints, poses and sweeps of assembly files: their values, and each error with its line, path and fix.

use super::*;
use crate::motion::{Joint, JointIx, JointKind, RunKind};

/// An assembly with a case, a lid and a hook, and more keys.
fn assembly_with(keys: &str) -> String {
    let part = r#""parts": { "box": "box.stl" }"#;
    let instances = ["case", "lid", "hook"].map(|id| format!(r#"{{ "id": "{id}", "part": "box" }}"#)).join(", ");
    format!("{{ \"version\": 1, {part}, \"instances\": [{instances}],\n{keys} }}")
}

fn memory(root: &str, inner: &str) -> Memory {
    Memory::of(&[("/d/a.json", root), ("/d/sub.json", inner), ("/d/box.stl", "")])
}

fn loaded(keys: &str) -> Assembly {
    memory(&assembly_with(keys), "{}").load("/d/a.json").unwrap_or_else(|e| panic!("{e}"))
}

/// Problems of a file, each as "line:column: path: text; fix".
fn problems(keys: &str) -> Vec<String> {
    let error = memory(&assembly_with(keys), "{}").load("/d/a.json").map(|_| ()).expect_err(keys);
    assert!(error.problems.iter().all(|p| !p.fix.is_empty() && p.at.line.is_some() && p.at.json_path.is_some()));
    error.problems.iter().map(ToString::to_string).collect()
}

fn assert_problem(keys: &str, expected: &str) {
    let all = problems(keys);
    assert!(all.len() == 1 && all[0].contains(expected), "{keys}: {all:#?}");
}

fn joints_of(assembly: &Assembly) -> Vec<Option<JointIx>> {
    assembly.instances.iter().map(|instance| instance.joint).collect()
}

const LID: &str =
    r#""lid": { "type": "revolute", "axis": "y", "at": [0, 0, 20], "moves": ["lid", "hook"], "range_deg": [0, 110] }"#;

/// The lid and another joint.
fn with_lid(joint: &str) -> String {
    format!("\"joints\": {{ {LID},\n{joint} }}")
}

#[test]
fn joints_poses_and_sweeps_are_read() {
    let assembly = loaded(
        r#""units": "inch", "joints": {
            "tray": { "type": "prismatic", "axis": [2, 0, 0], "on": "hinge", "moves": ["hook"], "range": [-1, 6], "home": 1 },
            "hinge": { "type": "revolute", "axis": "-y", "at": [0, 0, 2], "moves": ["lid"], "range_deg": "full" },
            "nut": { "type": "screw", "axis": "z", "at": [1, 0, 0], "lead": -0.1, "moves": [],
                     "follows": { "joint": "tray", "ratio": 36, "offset": 5 } },
            "base": { "type": "fixed", "moves": [] } },
          "poses": { "open": { "hinge": 90, "tray": 2 }, "closed": {} },
          "sweeps": { "turn": { "joints": { "hinge": "range", "tray": [0, 1] }, "rest": "open" },
                      "way": { "path": ["open", { "hinge": -5 }, "closed"], "rest": "open" } },
          "rules": [ { "between": ["lid", "hook"], "max_gap": 0.5, "during": ["o*", "as-drawn"] } ]"#,
    );
    let motion = &assembly.motion;
    let names: Vec<&str> = motion.joints.iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["tray", "hinge", "nut", "base"]);
    assert_eq!(joints_of(&assembly), [None, Some(JointIx(1)), Some(JointIx(0))]);
    let joints = motion.mechanism.joints();
    assert_eq!((joints[0].on, joints[0].home, joints[0].range), (Some(JointIx(1)), 25.4, Some([-25.4, 6.0 * 25.4])));
    assert_eq!(joints[0].joint.axis, Vec3::x());
    assert_eq!(joints[1].joint, Joint { kind: JointKind::Revolute, axis: -Vec3::y(), at: Vec3::new(0.0, 0.0, 50.8) });
    assert_eq!(joints[2].joint.kind, JointKind::Screw { lead: -0.1 * 25.4 });
    // One inch of the tray is 36 degrees and 5 more.
    let values = motion.mechanism.values(&[(JointIx(0), 2.0 * 25.4)]);
    assert!((values[2] - 77.0).abs() < 1e-12, "{values:?}");
    let runs: Vec<(&str, &RunKind)> = motion.runs.iter().map(|r| (r.name.as_str(), &r.kind)).collect();
    let (tray, hinge) = (JointIx(0), JointIx(1));
    let way = [vec![(hinge, 90.0), (tray, 50.8)], vec![(tray, 50.8), (hinge, -5.0)], vec![(hinge, 90.0), (tray, 50.8)]];
    assert_eq!(
        runs,
        [
            ("open", &RunKind::Pose { set: vec![(hinge, 90.0), (tray, 50.8)] }),
            ("closed", &RunKind::Pose { set: Vec::new() }),
            ("turn", &RunKind::Box { swept: vec![(hinge, [0.0, 360.0]), (tray, [0.0, 25.4])], rest: Vec::new() }),
            ("way", &RunKind::Path { configurations: way.to_vec() }),
        ]
    );
    let rule = &assembly.rules[0];
    assert_eq!((rule.max_gap, rule.verb), (Some(12.7), RuleAction::Grade));
    assert_eq!(rule.as_line(), r#"{ "between": ["lid", "hook"], "max_gap": 0.5, "during": ["o*", "as-drawn"] }"#);
}

#[test]
fn a_rule_applies_in_the_runs_of_its_globs() {
    let assembly = loaded(&format!(
        "{}, {}",
        with_lid(r#""base": { "type": "fixed", "moves": [] }"#),
        r#""poses": { "open": {}, "half-open": {} }, "rules": [
            { "between": ["lid", "case"], "ignore": true, "reason": "r", "during": ["*open"] },
            { "between": ["lid", "*"], "min_clearance": 1, "during": ["as-drawn", "half-open"] }]"#
    ));
    assert_eq!(assembly.warnings, []);
    let [case, lid, hook] = [0, 1, 2].map(InstanceIx);
    for (run, of_case, of_hook) in [
        ("as-drawn", PairRule::Rule(1), PairRule::Rule(1)),
        ("open", PairRule::Ignored { rule: Some(0) }, PairRule::None),
        ("half-open", PairRule::Ignored { rule: Some(0) }, PairRule::Rule(1)),
    ] {
        let table = RuleTable::of_run(&assembly, run);
        assert_eq!([table.of(case, lid), table.of(hook, lid)], [of_case, of_hook], "{run}");
    }
}

#[test]
fn an_assembly_without_joints_has_no_motion() {
    let assembly = loaded(r#""rules": []"#);
    assert!(assembly.motion.joints.is_empty() && assembly.motion.runs.is_empty());
    assert_eq!(joints_of(&assembly), [None; 3]);
}

#[test]
fn each_error_of_a_joint_names_its_fix() {
    for (joint, expected) in [
        (
            r#""a": { "type": "prismatic", "axis": "x", "on": "lod", "moves": [], "range": [0, 1] }"#,
            "a.json:3:48: joints.a.on: unknown joint `lod`; did you mean `lid`?",
        ),
        (
            r#""a": { "type": "prismatic", "axis": [0, 0, 0], "moves": [], "range": [0, 1] }"#,
            "joints.a.axis: an axis of length zero",
        ),
        (
            r#""a": { "type": "prismatic", "axis": "x", "moves": ["hok"], "range": [0, 1] }"#,
            "joints.a.moves[0]: `hok` matches no instance; did you mean `hook`?",
        ),
        (
            r#""a": { "type": "prismatic", "axis": "x", "moves": ["case", "hook"], "range": [0, 1] }"#,
            "joints.a.moves[1]: two joints move `hook`: `lid` and `a`; remove it from one of them",
        ),
        (
            r#""a": { "type": "prismatic", "axis": "x", "on": "a", "moves": [], "range": [0, 1] }"#,
            "joints.a.on: cycle of `on`: a → a; let one of them stand on the ground",
        ),
        (
            r#""a": { "type": "prismatic", "axis": "x", "moves": [], "follows": { "joint": "b", "ratio": 1 } },
               "b": { "type": "prismatic", "axis": "x", "moves": [], "follows": { "joint": "a", "ratio": 2 } }"#,
            "joints.a.follows.joint: cycle of `follows`: a → b → a; let one of them lead",
        ),
        (
            r#""a": { "type": "prismatic", "axis": "x", "moves": [], "range": [2, 5] }"#,
            "joints.a: home is 0, outside the range 2 to 5; give `home`",
        ),
        (
            r#""a": { "type": "prismatic", "axis": "x", "moves": [], "range": [2, 5], "home": 6 }"#,
            "joints.a.home: home is 6, outside the range 2 to 5",
        ),
        (
            r#""a": { "type": "prismatic", "axis": "x", "moves": [], "range": [2, 2] }"#,
            "joints.a.range: an empty range; give the lesser value first",
        ),
        (
            r#""a": { "type": "revolute", "axis": "x", "at": [0, 0, 0], "moves": [], "range": [0, 5] }"#,
            "joints.a.range: `range` of a revolute joint; write `range_deg`",
        ),
        (
            r#""a": { "type": "prismatic", "axis": "x", "moves": [], "range_deg": [0, 5] }"#,
            "joints.a.range_deg: `range_deg` of a prismatic joint; write `range`",
        ),
        (
            r#""a": { "type": "screw", "axis": "x", "at": [0, 0, 0], "moves": [], "range_deg": [0, 5] }"#,
            "joints.a: a screw without `lead`; add \"lead\"",
        ),
        (
            r#""a": { "type": "screw", "axis": "x", "at": [0, 0, 0], "lead": 1, "moves": [], "range_deg": "full" }"#,
            "joints.a.range_deg: a joint that slides has no full turn",
        ),
        (
            r#""a": { "type": "revolute", "axis": "x", "moves": [], "range_deg": "full" }"#,
            "joints.a: no `at`; add \"at\"",
        ),
        (
            r#""a": { "type": "prismatic", "axis": "x", "moves": [] }"#,
            "joints.a: no `range`; add \"range\": [from, to]",
        ),
        (r#""a": { "type": "prismatic", "axis": "x", "range": [0, 1] }"#, "joints.a: no `moves`; add \"moves\""),
        (
            r#""a": { "type": "hinge", "axis": "x", "moves": [] }"#,
            "joints.a.type: unknown value `hinge`; expected `revolute`, `prismatic`, `screw` or `fixed`",
        ),
        (r#""": { "type": "fixed", "moves": [] }"#, "an empty name of a joint; name the joint"),
        (r#""a/b": { "type": "fixed", "moves": [] }"#, "`/` in the name `a/b`"),
        (r#""a": { "type": "fixed", "moves": [], "home": 0 }"#, "joints.a.home: `home` of a fixed joint; remove it"),
        (
            r#""b": { "type": "fixed", "moves": [] },
               "a": { "type": "prismatic", "axis": "x", "moves": [], "follows": { "joint": "b", "ratio": 1 } }"#,
            "joints.a.follows.joint: `b` is a fixed joint: it leads no other one",
        ),
    ] {
        assert_problem(&with_lid(joint), expected);
    }
}

#[test]
fn each_error_of_a_run_names_its_fix() {
    let gear = r#""gear": { "type": "revolute", "axis": "z", "at": [0, 0, 0], "moves": ["case"], "range_deg": [-90, 90],
                            "follows": { "joint": "lid", "ratio": -1, "offset": 5 } }"#;
    for (keys, expected) in [
        (r#""poses": { "open": { "lod": 1 } }"#, "poses.open.lod: unknown joint `lod`; did you mean `lid`?"),
        (
            r#""poses": { "open": { "lid": 110.5 } }"#,
            "poses.open.lid: 110.5 is outside the range of `lid`, 0 to 110; give a value within the range",
        ),
        (
            r#""poses": { "open": { "gear": 0 } }"#,
            "poses.open.gear: `gear` follows `lid`: it has no value of its own; set `lid`",
        ),
        (
            r#""poses": { "open": { "lid": 100 } }"#,
            "poses.open: drives `gear` to -95, outside its range -90 to 90; change the values of `lid`",
        ),
        (r#""poses": { "as-drawn": {} }"#, "poses.as-drawn: a pose with the name `as-drawn`; rename it"),
        (r#""poses": { "": {} }"#, "an empty name of a pose"),
        (r#""sweeps": { "a/b": { "joints": { "lid": [0, 9] } } }"#, "`/` in the name `a/b`"),
        (
            r#""sweeps": { "s": { "path": ["open"] } }, "poses": { "open": {} }"#,
            "sweeps.s.path: 1 configuration in a path",
        ),
        (
            r#""sweeps": { "s": { "path": ["opn", {}] } }, "poses": { "open": {} }"#,
            "sweeps.s.path[0]: unknown pose `opn`; did you mean `open`?",
        ),
        (
            r#""sweeps": { "s": { "joints": { "lid": [0, 9] }, "rest": "x" } }"#,
            "sweeps.s.rest: unknown pose `x`; this file",
        ),
        (r#""sweeps": { "s": { "joints": { "lid": [5, 5] } } }"#, "sweeps.s.joints.lid: an empty range"),
        (r#""sweeps": { "s": { "joints": {} } }"#, "sweeps.s.joints: a sweep without a joint"),
        (r#""sweeps": { "s": {} }"#, "sweeps.s: neither `joints` nor `path`"),
        (r#""sweeps": { "s": { "joints": { "lid": [0, 200] } } }"#, "200 is outside the range of `lid`"),
        (r#""sweeps": { "s": { "joints": { "lid": "range" } } }"#, "sweeps.s: drives `gear` to -105"),
        (
            r#""poses": { "s": {} }, "sweeps": { "s": { "joints": { "lid": [0, 9] } } }"#,
            "sweeps.s: `s` is also the name of a pose",
        ),
        (
            r#""poses": { "open": {} }, "rules": [{ "between": ["lid", "case"], "min_clearance": 1, "during": ["opne"] }]"#,
            "rules[0].during[0]: `opne` matches no run; did you mean `open`?",
        ),
        (
            r#""rules": [{ "between": ["lid", "case"], "min_clearance": 1, "during": [] }]"#,
            "rules[0].during: a rule for no run",
        ),
        (
            r#""rules": [{ "between": ["lid", "case"], "ignore": true, "max_gap": 1, "reason": "r" }]"#,
            "rules[0].ignore: both `ignore` and `max_gap`",
        ),
        (
            r#""rules": [{ "between": ["lid", "case"], "min_gap": 1, "max_gap": 5 }]"#,
            "rules[0].min_gap: unknown key `min_gap`; did you mean `min_clearance`?",
        ),
        (
            r#""rules": [{ "between": ["lid", "case"], "min_clearance": 1, "max_gap": 0.5 }]"#,
            "rules[0].max_gap: a `max_gap` below `min_clearance`",
        ),
    ] {
        assert_problem(&format!("{},\n{keys}", with_lid(gear)), expected);
    }
}

#[test]
fn all_problems_come_at_once() {
    let all = problems(&format!(
        "{},\n{}",
        with_lid(r#""a": { "type": "prismatic", "axis": [0, 0, 0], "moves": [], "range": [3, 1] }"#),
        r#""poses": { "open": { "lid": 200, "a": 1, "b": 2 } }, "rules": [{ "between": ["lid", "hook"] }]"#
    ));
    let paths = ["joints.a.axis", "joints.a.range", "poses.open.lid", "poses.open.b", "rules[0]"];
    assert_eq!(all.len(), paths.len(), "{all:#?}");
    assert!(all.iter().zip(paths).all(|(problem, path)| problem.contains(&format!(" {path}: "))), "{all:#?}");
}

/// A sub-assembly with an arm on a slide, and a post at rest.
const DRIVE: &str = r#"{ "version": 1, "units": "cm", "parts": { "box": "box.stl" },
    "instances": [{ "id": "arm", "part": "box" }, { "id": "post", "part": "box" }],
    "joints": { "slide": { "type": "prismatic", "axis": "x", "moves": [], "range": [0, 5] },
                "turn": { "type": "screw", "axis": "z", "at": [1, 0, 0], "lead": 0.2, "on": "slide", "moves": ["arm"],
                          "range_deg": [0, 90] } },
    "poses": { "own": { "turn": 90 } } }"#;

fn with_drive(placement: &str, keys: &str) -> Memory {
    let instances =
        format!(r#"[{{ "id": "lid", "part": "box" }}, {{ "id": "drive", "assembly": "sub.json"{placement} }}]"#);
    let root = format!(r#"{{ "version": 1, "parts": {{ "box": "box.stl" }}, "instances": {instances}, {keys} }}"#);
    memory(&root, DRIVE)
}

#[test]
fn a_sub_assembly_brings_its_joints_along() {
    let placement = r#", "placement": { "translation": [0, 0, 7], "rotation": { "axis": "z", "angle_deg": 90 } }"#;
    let keys = r#""joints": { "lift": { "type": "prismatic", "axis": "z", "moves": ["drive/*"], "range": [0, 9] } },
                  "poses": { "up": { "lift": 9, "drive/slide": 50, "drive/turn": 90 } }"#;
    let assembly = with_drive(placement, keys).load("/d/a.json").unwrap_or_else(|e| panic!("{e}"));
    let motion = &assembly.motion;
    let names: Vec<&str> = motion.joints.iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["lift", "drive/slide", "drive/turn"]);
    // The arm keeps its own joint, whose slide stands on the lift; the post stands on the lift itself.
    assert_eq!(joints_of(&assembly), [None, Some(JointIx(2)), Some(JointIx(0))]);
    let joints = motion.mechanism.joints();
    assert_eq!([joints[0].on, joints[1].on, joints[2].on], [None, Some(JointIx(0)), Some(JointIx(1))]);
    assert_eq!(joints[1].joint.axis, Vec3::y());
    let turn = Joint { kind: JointKind::Screw { lead: 2.0 }, axis: Vec3::z(), at: Vec3::new(0.0, 10.0, 7.0) };
    assert_eq!(joints[2].joint, turn);
    // Poses of a sub-assembly stay its own.
    let runs: Vec<&str> = motion.runs.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(runs, ["up"]);
}

#[test]
fn a_mirrored_sub_assembly_turns_the_other_way() {
    let placement = r#", "placement": { "matrix": [[-1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]] }"#;
    let assembly = with_drive(placement, "\"rules\": []").load("/d/a.json").unwrap_or_else(|e| panic!("{e}"));
    let mirror = |p: Vec3| Vec3::new(-p.x, p.y, p.z);
    let motion = &assembly.motion.mechanism;
    let moved = motion.motions(&motion.values(&[(JointIx(0), 30.0), (JointIx(1), 90.0)]))[1];
    // The inner file alone moves by 30 mm along x, then by a quarter turn about (10, 0) and a quarter of the lead.
    for p in [Vec3::new(4.0, 3.0, 2.0), Vec3::new(-8.0, 1.0, 0.0)] {
        let own = Vec3::new(40.0 - p.y, p.x - 10.0, p.z + 0.5);
        assert!((moved.point(&mirror(p)) - mirror(own)).norm() < 1e-12);
    }
}

#[test]
fn a_sub_assembly_with_joints_is_rigid_and_whole() {
    let lift = |moves: &str| {
        format!(
            r#""joints": {{ "lift": {{ "type": "prismatic", "axis": "z", "moves": [{moves}], "range": [0, 9] }} }}"#
        )
    };
    let error = with_drive("", &lift(r#""drive""#)).error("/d/a.json");
    assert!(error.contains("`drive` matches no instance; drive is a sub-assembly: write `drive/*`"), "{error}");
    let scaled = r#", "placement": { "matrix": [[2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0]] }"#;
    let error = with_drive(scaled, "\"rules\": []").error("/d/a.json");
    assert!(
        error.contains("instances[1].assembly: a scaled or sheared placement of a sub-assembly with joints"),
        "{error}"
    );
    let two = r#""joints": { "p": { "type": "prismatic", "axis": "z", "moves": ["drive/arm"], "range": [0, 9] },
                             "q": { "type": "prismatic", "axis": "z", "moves": ["drive/arm"], "range": [0, 9] } }"#;
    let error = with_drive("", two).error("/d/a.json");
    assert!(error.contains("joints.q.moves[0]: two joints move `drive/arm`: `p` and `q`"), "{error}");
}
