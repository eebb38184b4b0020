//! Values of joints: poses from the states of an SRDF, followers, and what has no effect.

use crate::error::Error;
use crate::import::urdf::tests::{BOX, import_with, joint, link, placed, robot};
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

#[test]
fn a_follower_keeps_its_leader() {
    let text = |leader: &str| {
        let turn = |limits: &str| format!("<axis xyz='0 0 1'/><limit {limits}/>");
        let mimic = format!("{}<mimic joint='j' multiplier='2' offset='0.5'/>", turn("lower='-3' upper='3'"));
        robot(&[
            ["a", "b", "c", "d"].map(|n| link(n, BOX)).concat(),
            joint("j", "revolute", ["a", "b"], &turn(leader)),
            joint("k", "revolute", ["a", "c"], &mimic),
            joint("f", "fixed", ["a", "d"], ""),
        ])
    };
    let with = |leader: &str, joints: &[(&str, f64)]| {
        let joints = joints.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        import_with(&text(leader), &[], &ImportOptions { joints, ..ImportOptions::default() })
    };
    let moves = "lower='-1' upper='1'";
    // Its own value is accepted as far as it says the same.
    for joints in [vec![], vec![("j", 0.25)], vec![("j", 0.25), ("k", 1.0)], vec![("k", 0.5)]] {
        let imported = with(moves, &joints).unwrap();
        let follower = imported.joints.iter().find(|j| j.name == "k").expect("a follower");
        assert_eq!(follower.follows.as_ref().map(|f| f.joint.as_str()), Some("j"), "{joints:?}");
    }
    for (joints, what) in [
        (vec![("k", 0.75)], "--joint k=0.75: this joint follows `j`, to 0.5; set `j` instead"),
        (vec![("k", 0.5), ("j", 0.25)], "--joint k=0.5: this joint follows `j`, to 1; set `j` instead"),
        (vec![("f", 1.0)], "--joint f=1: this joint has no value; name a joint that turns or slides"),
    ] {
        let said = with(moves, &joints).expect_err("refused").to_string();
        assert!(said.contains(what), "{said}");
    }
    // A follower of a leader that cannot move stays at its place.
    let imported = with("lower='0' upper='0'", &[]).unwrap();
    let left: Vec<String> = imported.left_out.iter().map(crate::import::LeftOut::counted).collect();
    assert!(imported.joints.is_empty(), "{:?}", imported.joints);
    assert_eq!(left, ["1 follower of joints at rest"]);
    assert!((placed(&imported, "c").linear[(1, 0)] - libm::sin(0.5)).abs() < 1e-12);
}
