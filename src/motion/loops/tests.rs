//! Loops against closed forms: values, ranges, bounds over cells, dead centres.

use crate::geom::{Pose, Vec3};
use crate::motion::chain::Cell;
use crate::motion::frame::Frame;
use crate::motion::joint::{Joint, JointKind};
use crate::motion::mechanism::{Follow, JointIx, Loop, Mechanism, MechanismJoint};
use crate::motion::run::{RunKind, Segment};
use crate::testkit::rng::Rng;

fn turn(x: f64, y: f64, on: Option<u32>) -> MechanismJoint {
    let joint = Joint { kind: JointKind::Revolute, axis: Vec3::z(), at: Vec3::new(x, y, 0.0) };
    MechanismJoint { joint, home: 0.0, range: None, on: on.map(JointIx), follows: None }
}

fn slide(axis: Vec3, on: Option<u32>) -> MechanismJoint {
    MechanismJoint { joint: Joint { kind: JointKind::Prismatic, axis, at: Vec3::zeros() }, ..turn(0.0, 0.0, on) }
}

fn pin(links: [u32; 2], at: [f64; 2], solves: [u32; 2]) -> Loop {
    Loop { links: links.map(JointIx), at: Vec3::new(at[0], at[1], 4.0), axis: Vec3::z(), solves: solves.map(JointIx) }
}

const CRANK: JointIx = JointIx(0);

/// Crank of length r about the origin, drawn along x; a rod of length l to a slider on the x axis.
fn slider_crank(r: f64, l: f64) -> Mechanism {
    let joints = vec![turn(0.0, 0.0, None), turn(r, 0.0, Some(0)), slide(Vec3::x(), None)];
    Mechanism::new(joints).unwrap().with_loops(vec![pin([1, 2], [r + l, 0.0], [1, 2])]).unwrap()
}

/// Pin of a four-bar drawn with its crank along x: sides 40, 100, 80 and 110.
fn four_bar_pin() -> [f64; 2] {
    // Circles about (40, 0) and (110, 0) with radii 100 and 80.
    let x = (100.0_f64 * 100.0 - 80.0 * 80.0 + 70.0 * 70.0) / 140.0;
    [40.0 + x, (10000.0 - x * x).sqrt()]
}

/// The four-bar, with a wheel that follows its rocker.
fn four_bar() -> Mechanism {
    let wheel = MechanismJoint {
        follows: Some(Follow { leader: JointIx(2), ratio: -2.0, offset: 7.0 }),
        home: 7.0,
        ..turn(150.0, 0.0, None)
    };
    let joints = vec![turn(0.0, 0.0, None), turn(40.0, 0.0, Some(0)), turn(110.0, 0.0, None), wheel];
    Mechanism::new(joints).unwrap().with_loops(vec![pin([1, 2], four_bar_pin(), [1, 2])]).unwrap()
}

fn swept(mechanism: &Mechanism, range: [f64; 2]) -> Segment {
    let run = RunKind::Box { swept: vec![(CRANK, range)], rest: Vec::new() };
    mechanism.segments(&run).unwrap().remove(0)
}

fn value(segment: &Segment, joint: u32, q: f64) -> f64 {
    segment.laws[joint as usize].value(&[q])
}

#[test]
fn a_slider_crank_keeps_its_closed_form_over_many_turns() {
    let (r, l) = (30.0, 85.0);
    let mechanism = slider_crank(r, l);
    let segment = swept(&mechanism, [-400.0, 800.0]);
    for k in 0..=240 {
        let q = -400.0 + 5.0 * f64::from(k);
        let (sin, cos) = libm::sincos(q.to_radians());
        let expected = r * cos + (l * l - r * r * sin * sin).sqrt() - (r + l);
        assert!((value(&segment, 2, q) - expected).abs() < 1e-11, "{q}");
        // The rod turns against the crank: absolute angle −asin(r·sin q/l).
        let rod = -libm::asin(r * sin / l).to_degrees() - q;
        assert!((value(&segment, 1, q) - rod).abs() < 1e-10, "{q}");
    }
    // A stroke of 2r.
    let [from, to] = segment.values_of(JointIx(2));
    assert!((from + 2.0 * r).abs() < 1e-9 && to.abs() < 1e-9, "{from} {to}");
}

#[test]
fn a_four_bar_closes_at_every_angle_and_its_followers_follow() {
    let mechanism = four_bar();
    let segment = swept(&mechanism, [0.0, 360.0]);
    let pin = Vec3::new(four_bar_pin()[0], four_bar_pin()[1], 0.0);
    for k in 0..=720 {
        let values: Vec<f64> = segment.laws.iter().map(|law| law.value(&[f64::from(k) * 0.5])).collect();
        let motions = mechanism.motions(&values);
        assert!((motions[1].point(&pin) - motions[2].point(&pin)).norm() < 1e-11, "{k}");
        assert!((values[3] - (7.0 - 2.0 * values[2])).abs() < 1e-12);
    }
    // Crank and rocker return to the drawing after a turn; the coupler has turned back once against its crank.
    let end = |joint| value(&segment, joint, 360.0);
    assert!(end(2).abs() < 1e-10 && (end(1) + 360.0).abs() < 1e-10, "{} {}", end(1), end(2));
    // Ends of the rocker's travel: crank and coupler in line, by the cosine rule.
    let rocker =
        |reach: f64| -> f64 { libm::acos((110.0 * 110.0 + 80.0 * 80.0 - reach * reach) / (2.0 * 110.0 * 80.0)) };
    let drawn = rocker(pin.norm());
    let ends = [rocker(60.0), rocker(140.0)].map(|angle| (drawn - angle).to_degrees());
    let [from, to] = segment.values_of(JointIx(2));
    let [least, most] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
    assert!((from - least).abs() < 1e-9 && (to - most).abs() < 1e-9, "{from} {to} {ends:?}");
}

#[test]
fn a_strut_and_a_yoke_keep_their_closed_forms() {
    // A lid on a hinge at the origin with a strut: tube at (0, −100), rod to a pin at (80, 0).
    let along = Vec3::new(80.0, 100.0, 0.0).normalize();
    let joints = vec![turn(0.0, 0.0, None), turn(0.0, -100.0, None), slide(along, Some(1))];
    let strut = Mechanism::new(joints).unwrap().with_loops(vec![pin([0, 2], [80.0, 0.0], [1, 2])]).unwrap();
    let segment = swept(&strut, [0.0, 110.0]);
    let drawn = (80.0_f64 * 80.0 + 100.0 * 100.0).sqrt();
    // A yoke slides along x, driven by a block in its slot along y.
    let joints = vec![turn(0.0, 0.0, None), slide(Vec3::x(), None), slide(Vec3::y(), Some(1))];
    let yoke = Mechanism::new(joints).unwrap().with_loops(vec![pin([0, 2], [25.0, 0.0], [1, 2])]).unwrap();
    let turned = swept(&yoke, [0.0, 360.0]);
    for k in 0..=110 {
        let q = f64::from(k);
        let (sin, cos) = libm::sincos(q.to_radians());
        let length = ((80.0 * cos).powi(2) + (80.0 * sin + 100.0).powi(2)).sqrt();
        assert!((value(&segment, 2, q) - (length - drawn)).abs() < 1e-11);
        let angle = libm::atan2(80.0 * sin + 100.0, 80.0 * cos) - libm::atan2(100.0, 80.0);
        assert!((value(&segment, 1, q) - angle.to_degrees()).abs() < 1e-11);
        assert!((value(&turned, 1, q) - 25.0 * (cos - 1.0)).abs() < 1e-12);
        assert!((value(&turned, 2, q) - 25.0 * sin).abs() < 1e-12);
    }
}

#[test]
fn loops_solve_one_after_another_and_refuse_a_ring_of_loops() {
    // Two four-bars in series: the rocker of the first one is the crank of the second.
    let [x, y] = four_bar_pin();
    let second = |dx: f64, on| turn(110.0 + dx, 0.0, on);
    let joints = vec![
        turn(0.0, 0.0, None),
        turn(40.0, 0.0, Some(0)),
        turn(110.0, 0.0, None),
        MechanismJoint { home: 3.0, ..turn(x, y, Some(2)) },
        second(150.0, None),
    ];
    let next = pin([3, 4], [x + 150.0, y], [3, 4]);
    let first = pin([1, 2], [x, y], [1, 2]);
    // In either order of the file.
    for loops in [vec![first, next], vec![next, first]] {
        let mechanism = Mechanism::new(joints.clone()).unwrap().with_loops(loops).unwrap();
        let segment = swept(&mechanism, [0.0, 360.0]);
        for k in 0..=72 {
            let q = f64::from(k) * 5.0;
            // A parallelogram: the last rocker turns as the first one, the coupler never.
            assert!((value(&segment, 4, q) - value(&segment, 2, q)).abs() < 1e-9);
            assert!((value(&segment, 3, q) - (3.0 - value(&segment, 2, q))).abs() < 1e-9);
        }
    }
    // Two pins between the same links: each loop waits for the joints that the other one solves.
    let ring = vec![turn(0.0, 0.0, None), turn(110.0, 0.0, None), turn(9.0, 5.0, Some(1)), turn(40.0, 0.0, Some(0))];
    let refused =
        Mechanism::new(ring).unwrap().with_loops(vec![pin([3, 2], [x, y], [3, 0]), pin([3, 2], [y, x], [2, 1])]);
    assert_eq!(refused.err(), Some(vec![0, 1]));
}

#[test]
fn a_loop_stops_at_its_dead_centre() {
    // Crank 40, rod 30: the slider is at its dead centre where the rod stands across the slide, at asin(30/40).
    let joints = vec![turn(0.0, 0.0, None), turn(40.0, 0.0, Some(0)), slide(Vec3::x(), None)];
    let short = Mechanism::new(joints).unwrap().with_loops(vec![pin([1, 2], [70.0, 0.0], [1, 2])]).unwrap();
    let limit = libm::asin(30.0_f64 / 40.0).to_degrees();
    let run = |to: f64| RunKind::Box { swept: vec![(CRANK, [0.0, to])], rest: Vec::new() };
    let stop = short.segments(&run(90.0)).expect_err("a dead centre");
    let [(joint, value)] = stop.values.as_slice() else { panic!("{stop:?}") };
    assert!(*joint == CRANK && *value < limit && *value > limit - 1e-3, "{value} {limit}");
    assert!(short.segments(&run(limit - 1e-3)).is_ok());
    // The pose is reached from the drawing, so one beyond the dead centre is refused.
    assert!(short.segments(&RunKind::Pose { set: vec![(CRANK, 170.0)] }).is_err());
    // A sweep that starts elsewhere goes on from the drawing, too.
    let later = RunKind::Box { swept: vec![(CRANK, [20.0, 40.0])], rest: Vec::new() };
    let segment = short.segments(&later).unwrap().remove(0);
    let (sin, cos) = libm::sincos(40.0_f64.to_radians());
    let expected = 40.0 * cos + (900.0 - 1600.0 * sin * sin).sqrt() - 70.0;
    assert!((segment.laws[2].value(&[40.0]) - expected).abs() < 1e-11);
}

#[test]
fn a_loop_at_rest_stays_exactly_as_drawn() {
    let mechanism = four_bar();
    let run = RunKind::Pose { set: vec![(CRANK, 0.0)] };
    let segment = mechanism.segments(&run).unwrap().remove(0);
    assert_eq!([0, 1, 2, 3].map(|j| segment.values_of(JointIx(j))), [[0.0; 2], [0.0; 2], [0.0; 2], [7.0; 2]]);
    assert!(segment.laws.iter().all(|law| !law.moves()));
}

/// No sampled pose of a cell leaves its displacement, or its first-order prediction by more than the remainder; returns
/// the largest shares of both bounds.
fn sampled(mechanism: &Mechanism, segment: &Segment, links: [Option<u32>; 2], rng: &mut Rng) -> [f64; 2] {
    let still = Pose::identity();
    let links = links.map(|link| link.map(JointIx));
    let chain = mechanism.chain_between(links[0], links[1], [&still, &still], &segment.laws);
    let mut largest = [0.0_f64; 2];
    for _ in 0..400 {
        let parts: Vec<(f64, f64)> = segment
            .ranges
            .iter()
            .map(|[from, to]| {
                let half = rng.scale(1e-4, 0.1) * (to - from);
                (from + half + (to - from - 2.0 * half) * (0.5 + 0.5 * rng.signed()), half)
            })
            .collect();
        let cell = Cell { center: parts.iter().map(|p| p.0).collect(), half: parts.iter().map(|p| p.1).collect() };
        let frame = Frame::new(&chain, &cell);
        let local = rng.in_cube() * 60.0;
        let before = frame.pose.point(&local);
        let spread = frame.spread_of_ball(&before, 0.0);
        let rounding = 4.0 * chain.rounding(&cell, 110.0);
        for _ in 0..8 {
            let share: Vec<f64> = parts.iter().map(|_| if rng.below(3) == 0 { 1.0 } else { rng.signed() }).collect();
            let q: Vec<f64> = parts.iter().zip(&share).map(|((c, h), s)| c + h * s).collect();
            let after = chain.pose(&q).point(&local);
            let predicted = frame.drifts.iter().zip(&share).fold(before, |x, (drift, s)| x + drift.of(&before) * *s);
            let (moved, rest) = ((after - before).norm(), (after - predicted).norm());
            assert!(moved <= spread.displacement + rounding, "{moved} {spread:?} {cell:?}");
            assert!(rest <= spread.remainder + rounding, "{rest} {spread:?} {cell:?}");
            largest[0] = largest[0].max(moved / (spread.displacement + rounding));
            largest[1] = largest[1].max(rest / (spread.remainder + rounding));
        }
    }
    largest
}

#[test]
fn no_sampled_pose_of_a_loop_beats_displacement_or_remainder() {
    let mut rng = Rng::new(31);
    let four_bar = four_bar();
    let turning = swept(&four_bar, [0.0, 360.0]);
    for links in [[None, Some(1)], [Some(0), Some(2)], [Some(1), Some(2)], [Some(1), Some(3)]] {
        let [moved, rest] = sampled(&four_bar, &turning, links, &mut rng);
        assert!(moved > 0.6 && rest > 0.1, "{links:?} {moved} {rest}");
    }
    // A parameter of its own moves the post that the rocker turns about.
    let pin_at = four_bar_pin();
    let joints =
        vec![turn(0.0, 0.0, None), turn(40.0, 0.0, Some(0)), turn(110.0, 0.0, Some(3)), slide(Vec3::x(), None)];
    let adjusted = Mechanism::new(joints).unwrap().with_loops(vec![pin([1, 2], pin_at, [1, 2])]).unwrap();
    let run = RunKind::Box { swept: vec![(CRANK, [-60.0, 90.0]), (JointIx(3), [-5.0, 5.0])], rest: Vec::new() };
    let both = adjusted.segments(&run).unwrap().remove(0);
    let [moved, rest] = sampled(&adjusted, &both, [Some(1), Some(2)], &mut rng);
    assert!(moved > 0.4 && rest > 0.03, "{moved} {rest}");
}
