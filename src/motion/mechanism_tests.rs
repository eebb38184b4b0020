//! Closed forms of small mechanisms.

use super::loops::solution::Form;
use super::mechanism::*;
use super::{Joint, JointKind, Law, RunKind};
use crate::geom::math::{Vec3, sin_cos_deg};
use crate::geom::pose::Pose;

/// Rounding of points some hundred millimetres from the origin (mm).
const ROUNDING: f64 = 1e-12;

fn turn(at: [f64; 3], on: Option<u32>) -> MechanismJoint {
    let joint = Joint { kind: JointKind::Revolute, axis: Vec3::z(), at: Vec3::from(at) };
    MechanismJoint { joint, home: 0.0, range: None, on: on.map(JointIx), follows: None }
}

fn slide(on: Option<u32>) -> MechanismJoint {
    let joint = Joint { kind: JointKind::Prismatic, axis: Vec3::x(), at: Vec3::zeros() };
    MechanismJoint { joint, ..turn([0.0; 3], on) }
}

fn following(leader: u32, ratio: f64, offset: f64, joint: MechanismJoint) -> MechanismJoint {
    MechanismJoint { follows: Some(Follow { leader: JointIx(leader), ratio, offset }), ..joint }
}

fn mechanism(joints: Vec<MechanismJoint>) -> Mechanism {
    Mechanism::new(joints).expect("no cycle")
}

fn assert_near(a: Vec3, b: Vec3) {
    assert!((a - b).norm() < ROUNDING, "{a} {b}");
}

#[test]
fn tip_of_a_two_link_arm() {
    // The elbow comes first in the list: the order of the file is free.
    let arm = mechanism(vec![turn([40.0, 0.0, 0.0], Some(1)), turn([0.0; 3], None)]);
    for (shoulder, elbow) in [(0.0, 0.0), (30.0, -75.0), (90.0, 180.0), (-200.0, 33.0)] {
        let values = arm.values(&[(JointIx(1), shoulder), (JointIx(0), elbow)]);
        let tip = arm.motions(&values)[0].point(&Vec3::new(70.0, 0.0, 5.0));
        let (s1, c1) = sin_cos_deg(shoulder);
        let (s2, c2) = sin_cos_deg(shoulder + elbow);
        assert_near(tip, Vec3::new(40.0 * c1 + 30.0 * c2, 40.0 * s1 + 30.0 * s2, 5.0));
    }
}

#[test]
fn stages_of_a_drawer_share_the_travel() {
    // Each stage slides half as far beyond the stage below it.
    let drawer = mechanism(vec![
        following(1, 0.5, 0.0, slide(Some(1))),
        following(2, 0.5, 0.0, slide(Some(2))),
        MechanismJoint { home: 10.0, ..slide(None) },
    ]);
    let values = drawer.values(&[(JointIx(2), 110.0)]);
    assert_eq!(values, [27.5, 55.0, 110.0]);
    let travel = drawer.motions(&values).iter().map(|m| m.translation.x).collect::<Vec<_>>();
    assert_eq!(travel, [100.0 + 55.0 + 27.5, 100.0 + 55.0, 100.0]);
}

#[test]
fn an_orbiting_box_never_turns() {
    // A crank of 25 mm; the box turns back about the crank's end.
    let orbit = mechanism(vec![turn([0.0; 3], None), following(0, -1.0, 0.0, turn([25.0, 0.0, 0.0], Some(0)))]);
    for angle in [0.0, 45.0, 90.0, 300.0] {
        let motion = orbit.motions(&orbit.values(&[(JointIx(0), angle)]))[1];
        let (s, c) = sin_cos_deg(angle);
        let corner = Vec3::new(31.0, 4.0, -2.0);
        assert_near(motion.point(&corner) - corner, Vec3::new(25.0 * (c - 1.0), 25.0 * s, 0.0));
    }
}

#[test]
fn offsets_and_home_values_count_from_the_drawing() {
    let gears = mechanism(vec![
        MechanismJoint { home: 5.0, ..turn([0.0; 3], None) },
        following(0, -1.5, 6.0, turn([50.0, 0.0, 0.0], None)),
    ]);
    assert_eq!(gears.values(&[]), [5.0, -1.5]);
    assert_eq!(gears.motions(&gears.values(&[]))[0], Pose::identity());
    assert_eq!(gears.values(&[(JointIx(0), 20.0)]), [20.0, -24.0]);
}

/// Arm of three turns with a slide beside it, and a fixed joint at the end.
fn tree() -> Mechanism {
    let fixed = Joint { kind: JointKind::Fixed, axis: Vec3::z(), at: Vec3::zeros() };
    mechanism(vec![
        turn([0.0; 3], None),
        MechanismJoint { home: 12.0, ..turn([20.0, 1.0, 0.0], Some(0)) },
        turn([35.0, -4.0, 0.0], Some(1)),
        slide(Some(0)),
        MechanismJoint { joint: fixed, ..turn([0.0; 3], Some(3)) },
        turn([0.0, 9.0, 0.0], None),
    ])
}

/// Laws of all joints of a mechanism without loops.
fn laws(tree: &Mechanism, driven: &[(JointIx, Form)]) -> Vec<Law> {
    tree.forms(driven).into_iter().map(|form| Law::of_rates(form.rates, form.offset)).collect()
}

#[test]
fn chain_gives_the_relative_motion_of_any_two_parts() {
    let tree = tree();
    let form = |rates: [f64; 2], offset| Form { rates: rates.to_vec(), offset, terms: Vec::new() };
    let driven = [(0, [10.0, 0.0], 3.0), (1, [0.0, 80.0], 12.0), (2, [-40.0, 5.0], 7.0), (3, [6.0, 0.0], -1.0)];
    let driven = driven.map(|(j, rates, offset)| (JointIx(j), form(rates, offset)));
    let laws = laws(&tree, &driven);
    let parts: Vec<Option<JointIx>> = std::iter::once(None).chain((0..6).map(|j| Some(JointIx(j)))).collect();
    let (still, elsewhere) = (Pose::identity(), Pose { translation: Vec3::new(3.0, -8.0, 40.0), ..Pose::identity() });
    for t in [[0.0, 0.0], [1.0, 0.5], [0.25, 1.0]] {
        let values: Vec<f64> = laws.iter().map(|l| l.value(&t)).collect();
        let motions = tree.motions(&values);
        let of = |part: Option<JointIx>| part.map_or(Pose::identity(), |j| motions[j.0 as usize]);
        for &a in &parts {
            for &b in &parts {
                let drawn = [&still, &elsewhere];
                let chain = tree.chain_between(a, b, drawn, &laws).pose(&t);
                let expected = of(a).after(drawn[0]).relative(&of(b).after(drawn[1]));
                for corner in [Vec3::new(40.0, 3.0, 1.0), Vec3::new(-7.0, 60.0, -2.0)] {
                    assert_near(chain.point(&corner), expected.point(&corner));
                }
            }
        }
    }
}

#[test]
fn shared_carriers_cancel_and_fixed_joints_vanish() {
    let tree = tree();
    let laws = laws(&tree, &[]);
    let still = Pose::identity();
    for (a, b, between) in [
        (None, None, 0),
        (Some(2), Some(2), 0),
        (Some(3), Some(4), 0),
        (Some(0), Some(2), 2),
        (Some(2), Some(4), 3),
        (Some(2), Some(5), 4),
        (None, Some(1), 2),
    ] {
        let (a, b) = (a.map(JointIx), b.map(JointIx));
        assert_eq!(tree.chain_between(a, b, [&still; 2], &laws).joints.len(), between, "{a:?} {b:?}");
        assert_eq!(tree.is_static(a, b), between == 0, "{a:?} {b:?}");
    }
}

#[test]
fn cycles_are_found_once_each() {
    let next = [Some(1), Some(2), Some(1), None, Some(4), Some(3)];
    assert_eq!(sources_first(&next), Err(vec![vec![1, 2], vec![4]]));
    assert_eq!(sources_first(&[Some(2), None, Some(1)]), Ok(vec![1, 2, 0]));
    assert_eq!(Mechanism::new(vec![turn([0.0; 3], Some(0))]), Err(vec![0]));
}

#[test]
fn segments_cover_the_values_of_a_run() {
    let wheels =
        mechanism(vec![turn([0.0; 3], None), following(0, -1.5, 6.0, turn([50.0, 0.0, 0.0], None)), slide(None)]);
    let [wheel, pinion, slider] = [0, 1, 2].map(JointIx);
    let pose = wheels.segments(&RunKind::Pose { set: vec![(wheel, 20.0)] }).unwrap();
    assert_eq!((pose.len(), pose[0].values_of(pinion), pose[0].ranges.len()), (1, [-24.0; 2], 0));

    let swept = vec![(slider, [-1.0, 4.0]), (wheel, [0.0, 90.0])];
    let all = wheels.segments(&RunKind::Box { swept, rest: Vec::new() }).unwrap();
    assert_eq!((all.len(), &all[0].ranges), (1, &vec![[-1.0, 4.0], [0.0, 90.0]]));
    assert_eq!([wheel, pinion, slider].map(|j| all[0].values_of(j)), [[0.0, 90.0], [-129.0, 6.0], [-1.0, 4.0]]);
    assert_eq!(all[0].laws[0].value(&[3.0, 45.0]), 45.0);

    let configurations = vec![vec![(wheel, 10.0)], vec![(wheel, 30.0), (slider, 2.0)], Vec::new()];
    let path = wheels.segments(&RunKind::Path { configurations }).unwrap();
    assert_eq!(path.len(), 2);
    assert_eq!([wheel, pinion, slider].map(|j| path[0].values_of(j)), [[10.0, 30.0], [-39.0, -9.0], [0.0, 2.0]]);
    assert_eq!(path[1].laws.iter().map(|law| law.value(&[0.5])).collect::<Vec<_>>(), [15.0, -16.5, 1.0]);
}

#[test]
fn followers_narrow_the_range_of_their_leader() {
    let limited = |range: [f64; 2], joint: MechanismJoint| MechanismJoint { range: Some(range), ..joint };
    let leader = JointIx(0);
    // The follower is at twice the leader, plus 1.
    let slides = mechanism(vec![
        limited([-8.0, 8.0], slide(None)),
        limited([-5.0, 11.0], following(0, 2.0, 1.0, slide(None))),
        limited([-30.0, 6.0], following(1, -1.0, 0.0, slide(None))),
    ]);
    assert_eq!(slides.limits(leader), [-3.0, 5.0]);
    assert_eq!(slides.examined_range(leader, [0.0, 1.0]), [-3.0, 5.0]);
    let free = mechanism(vec![turn([0.0; 3], None)]);
    assert_eq!(free.limits(leader), [f64::NEG_INFINITY, f64::INFINITY]);
    assert_eq!(free.examined_range(leader, [0.0, 360.0]), [0.0, 360.0]);
    // Limits of a follower stand for those of its leader, as far as these turn by less than asked.
    for (range, expected) in [([-20.0, 40.0], [-10.0, 20.0]), ([-20.0, 4000.0], [-10.0, 360.0])] {
        let wheel = mechanism(vec![turn([0.0; 3], None), limited(range, following(0, 2.0, 0.0, turn([0.0; 3], None)))]);
        assert_eq!(wheel.examined_range(leader, [-20.0, 360.0]), expected);
    }
    // An offset that the drawing breaks keeps the home.
    let off = mechanism(vec![turn([0.0; 3], None), limited([0.0, 5.0], following(0, 1.0, -3.0, turn([0.0; 3], None)))]);
    assert_eq!(off.limits(leader), [0.0, 8.0]);
}
