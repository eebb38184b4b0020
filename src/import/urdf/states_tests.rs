//! Poses of a robot from the states of its SRDF: names, values, and what has no effect.

use crate::error::Error;
use crate::import::urdf::tests::{BOX, import_with, joint, link, robot};
use crate::import::{ImportOptions, Imported};
use std::collections::BTreeMap;

/// Imports a robot of two sliding joints with an SRDF of its name.
fn with_states(names: [&str; 2], srdf: &str) -> Result<Imported, Error> {
    let slide = "<axis xyz='1 0 0'/><limit lower='-5' upper='5'/>";
    let [j, k] = names;
    let content = [
        link("a", BOX),
        link("b", BOX),
        link("c", BOX),
        joint(j, "prismatic", ["a", "b"], slide),
        joint(k, "prismatic", ["a", "c"], slide),
    ];
    let srdf = format!("<robot name='r'>{srdf}</robot>");
    let path = "/repo/arm_description/urdf/arm.srdf";
    import_with(&robot(&content), &[(path, &srdf)], &ImportOptions::default())
}

#[test]
fn states_of_a_robot_keep_their_joints_and_values() {
    let state = |name: &str, group: &str, values: &[(&str, &str)]| {
        let joints: Vec<String> = values.iter().map(|(j, v)| format!("<joint name='{j}' value='{v}'/>")).collect();
        format!("<group_state name='{name}' group='{group}'>{}</group_state>", joints.concat())
    };
    let poses = |imported: &Imported| -> Vec<String> {
        let values = |values: &BTreeMap<String, f64>| format!("{values:?}");
        imported.poses.iter().map(|p| format!("{} {}", p.name, values(&p.values))).collect()
    };
    // Names that become equal stay apart.
    let found = with_states(["j 1", "j_1"], &state("h", "g", &[("j 1", "4"), ("j_1", "-4")])).unwrap();
    assert_eq!(poses(&found), [r#"h {"j_1": 4000.0, "j_1-2": -4000.0}"#]);
    // States of one name with another value are two poses; those of other joints are one.
    let differing = state("home", "arm", &[("j", "1")]) + &state("home", "all", &[("j", "0"), ("k", "2")]);
    let found = with_states(["j", "k"], &differing).unwrap();
    assert_eq!(poses(&found), [r#"home {"j": 1000.0}"#, r#"home-all {"j": 0.0, "k": 2000.0}"#]);
    let joined = state("home", "arm", &[("j", "1")]) + &state("home", "hand", &[("k", "2")]);
    assert_eq!(poses(&with_states(["j", "k"], &joined).unwrap()), [r#"home {"j": 1000.0, "k": 2000.0}"#]);
    // What has no effect is told.
    let values = [("j", "1"), ("gone", "1"), ("k", "1 0 0"), ("root_joint", "0 0 1 0 0 0 1")];
    let found = with_states(["j", "k"], &state("h", "g", &values)).unwrap();
    let left: Vec<String> = found.left_out.iter().map(|l| format!("{} {:?}", l.counted(), l.places)).collect();
    assert_eq!(left, [r#"1 value of joints of several axes ["h: k"]"#, r#"1 value of missing joints ["h: gone"]"#]);
    let wrong = with_states(["j", "k"], &state("h", "g", &[("j", "-4.5m")])).expect_err("no number").to_string();
    assert!(wrong.contains("arm.srdf:1") && wrong.contains("value"), "{wrong}");
    let cut = with_states(["j", "k"], "<group_state").expect_err("cut off").to_string();
    assert!(cut.contains("arm.srdf") && cut.contains("not valid XML"), "{cut}");
    let never = with_states(["j", "k"], "<disable_collisions link1='b' link2='c' reason='Never '/>").unwrap();
    assert!(!never.rules.iter().any(|r| r.reason.contains("SRDF")), "{:?}", never.rules);
}

#[test]
fn a_slide_without_limits_moves_with_its_leader_and_frozen_values_are_told() {
    let text = |second: &str| {
        let slide = "<axis xyz='1 0 0'/>";
        robot(&[
            link("a", BOX),
            link("b", BOX),
            link("c", BOX),
            joint("j", "prismatic", ["a", "b"], &format!("{slide}<limit lower='-5' upper='5'/>")),
            joint("k", "prismatic", ["a", "c"], &format!("{slide}{second}")),
        ])
    };
    let states = "<robot name='r'><group_state name='h' group='g'><joint name='j' value='1'/><joint name='k' value='2'/>\
                  </group_state></robot>";
    let others = [("/repo/arm_description/urdf/arm.srdf", states)];
    let found = |second: &str| import_with(&text(second), &others, &ImportOptions::default()).unwrap();
    let left = |imported: &Imported| -> Vec<String> {
        imported.left_out.iter().map(crate::import::LeftOut::counted).collect()
    };
    let follower = found("<mimic joint='j' multiplier='2'/>");
    let follows = follower.joints.iter().find(|j| j.name == "k").and_then(|j| j.follows.clone()).expect("a follower");
    assert_eq!((follows.joint.as_str(), follows.ratio, left(&follower)), ("j", 2.0, Vec::new()));
    // The value of the state is that of another ratio.
    assert_eq!(left(&found("<mimic joint='j' multiplier='-2'/>")), ["1 value of fixed and following joints"]);
    assert_eq!(left(&found("")), ["1 sliding joint without limits", "1 value of fixed and following joints"]);
}
