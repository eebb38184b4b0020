//! Runs of several turns: the answer of the first turn, repeated, against sampled poses and against the whole run.

use crate::geom::{Pose, Vec3};
use crate::motion::{Chain, ChainJoint, Joint, JointKind, Law};
use crate::query::depth::tests::{Part, part_with};
use crate::query::sweep::still::Still;
use crate::query::sweep::tests::{TOLERANCE, agrees, random_solid, sweep};
use crate::query::sweep::{DEFAULT_TESTS, Failing, Sweep, SweepAnswer, SweepLimits, SweepStatus};
use crate::shape::surface::Inside;
use crate::testkit::rng::Rng;
use crate::testkit::solids::block;

const LIMITS: SweepLimits = SweepLimits { tolerance: TOLERANCE, allow_depth: None, min_clearance: None, max_gap: None };

/// Turn about the z axis through the origin, by `rate` degrees for a unit of the parameter.
fn turn(rate: f64, b: Vec3) -> Chain {
    let joint = Joint { kind: JointKind::Revolute, axis: Vec3::z(), at: Vec3::zeros() };
    Chain {
        drawn: Pose { translation: b, ..Pose::identity() },
        joints: vec![ChainJoint { joint, law: Law::linear(rate, 0.0) }],
    }
}

fn by_turns(whole: &Sweep) -> Option<SweepAnswer> {
    let turn = whole.first_turn().expect("more than one turn");
    turn.answer().repeated(&turn, whole)
}

fn arm() -> [Part; 2] {
    // A bar from the axis out, and a post in its way.
    [([8.0, -1.0, -1.0], [10.0, 1.0, 1.0]), ([-1.0, -1.0, -1.0], [9.0, 1.0, 1.0])]
        .map(|(min, max)| part_with(&block(min, max), Inside::Solid))
}

#[test]
fn parts_repeat_after_each_turn_and_end_with_the_run() {
    let [post, bar] = arm();
    let runs = [(1.0, [-500.0, 640.0]), (-1.0, [-500.0, 360.5]), (3.0, [20.0, 400.0]), (1.0, [0.0, 725.0])];
    let close = SweepLimits { min_clearance: Some(0.5), max_gap: Some(6.8), ..LIMITS };
    for ((rate, range), limits) in runs.into_iter().flat_map(|run| [LIMITS, close].map(|limits| (run, limits))) {
        // Both parts in their own frames, about their centres.
        let mut chain = turn(rate, bar.convex.origin - post.convex.origin);
        chain.joints[0].joint.at = -post.convex.origin;
        let whole = Sweep { range, ..sweep(&post, &bar, &chain, limits, DEFAULT_TESTS) };
        let (repeated, direct) = (by_turns(&whole).expect("an answer"), whole.answer());
        assert_eq!(repeated.status, SweepStatus::Interference);
        assert!(repeated.failing.len() > 1, "{repeated:?}");
        assert_eq!(repeated.failing.len(), direct.failing.len(), "{repeated:?} {direct:?}");
        let ends = |f: &Failing| [f.from, f.to].concat();
        for (x, y) in repeated.failing.iter().zip(&direct.failing) {
            let differ = ends(x).iter().zip(ends(y)).any(|(p, q)| (p - q).abs() > 2e-3);
            assert!(!differ && x.status == y.status && x.throughout && y.throughout, "{x:?} {y:?}");
        }
        let statuses = [SweepStatus::Interference, SweepStatus::TooClose, SweepStatus::Loose];
        let count = statuses.iter().filter(|s| repeated.failing.iter().any(|f| f.status == **s)).count();
        assert_eq!(count, if limits == close { 3 } else { 1 }, "{repeated:?}");
        assert_eq!(repeated.proved, 1.0);
        // Cells of one turn are finer than those of all turns.
        assert!(repeated.worst.is_some() && repeated.wide_ends <= direct.wide_ends);
    }
}

#[test]
fn open_parts_repeat_and_a_share_of_nothing_stays() {
    let [post, bar] = arm();
    let chain = turn(1.0, Vec3::zeros());
    let whole = Sweep { range: [0.0, 900.0], ..sweep(&post, &bar, &chain, LIMITS, 1) };
    let turn = whole.first_turn().expect("more than one turn");
    let of = |proved: f64| {
        let answer = SweepAnswer { proved, ..turn.bare(SweepStatus::Undecided, vec![[90.0, 270.0]]) };
        answer.repeated(&turn, &whole).expect("an answer")
    };
    assert_eq!(of(0.5).open, [[90.0, 270.0], [450.0, 630.0], [810.0, 900.0]]);
    assert!((of(0.5).proved - 0.5).abs() < 1e-12 && of(0.0).proved == 0.0);
}

#[test]
fn runs_without_a_repeating_pose_have_no_first_turn() {
    let [post, bar] = arm();
    let of = |chain: &Chain, range| Sweep { range, ..sweep(&post, &bar, chain, LIMITS, 1) }.first_turn().is_some();
    let once = turn(1.0, Vec3::zeros());
    assert!(of(&once, [0.0, 361.0]) && !of(&once, [0.0, 360.0]));
    let mut screw = once.clone();
    screw.joints[0].joint.kind = JointKind::Screw { lead: 2.0 };
    let mut slide = once.clone();
    slide.joints[0].joint.kind = JointKind::Prismatic;
    let mut two = once.clone();
    two.joints.push(two.joints[0].clone());
    assert!(![screw, slide, two].iter().any(|chain| of(chain, [0.0, 1000.0])));
}

#[test]
fn no_sampled_pose_contradicts_repeated_answers() {
    let mut rng = Rng::new(12);
    let mut seen = [0; 7];
    for round in 0..40 {
        let [a, b] = [0, 1].map(|_| part_with(&random_solid(&mut rng), Inside::Solid));
        let joint = Joint { kind: JointKind::Revolute, axis: rng.direction(), at: rng.in_cube() * 6.0 };
        let rate = rng.range(250.0, 900.0) * if round % 2 == 0 { 1.0 } else { -1.0 };
        let drawn = Pose { rotation: rng.rotation(), translation: rng.direction() * rng.range(4.0, 14.0) };
        let chain = Chain { drawn, joints: vec![ChainJoint { joint, law: Law::linear(rate, rng.signed() * 90.0) }] };
        let limits = SweepLimits { min_clearance: (round % 3 == 0).then_some(1.0), ..LIMITS };
        let measured = round % 4 != 3;
        let range = [rng.signed(), 3.6 + rng.signed()];
        let whole = Sweep { range, measured, ..sweep(&a, &b, &chain, limits, DEFAULT_TESTS / 16) };
        let Some(answer) = by_turns(&whole) else { continue };
        seen[answer.status as usize] += 1;
        let still = Still { a: a.body(), b: b.body(), margin: 1e-10, rounding: 1e-10 };
        for _ in 0..48 {
            agrees(&answer, &limits, range[0] + (range[1] - range[0]) * rng.unit(), &still, &chain);
        }
        assert!(answer.failing.iter().all(|f| f.from[0] >= range[0] && f.to[1] <= range[1]), "{answer:?}");
    }
    let of = |status: SweepStatus| seen[status as usize];
    assert!(of(SweepStatus::Interference) >= 8 && of(SweepStatus::Clear) >= 4, "{seen:?}");
}
