//! Boxes of several parameters with answers in closed form, and random ones against sampled poses.

use crate::geom::{Pose, Vec3};
use crate::motion::{Chain, ChainJoint, Joint, JointKind, Law};
use crate::query::depth::tests::{Part, part_with};
use crate::query::sweep::still::Still;
use crate::query::sweep::{BoxAnswer, BoxSweep, SweepLimits, SweepStatus};
use crate::shape::surface::Inside;
use crate::testkit::rng::Rng;
use crate::testkit::solids::{block, prism};

const TOLERANCE: f64 = 0.01;

/// A joint that is parameter `p` of `n`.
fn joint(kind: JointKind, axis: Vec3, at: Vec3, [p, n]: [usize; 2]) -> ChainJoint {
    let rates = (0..n).map(|k| if k == p { 1.0 } else { 0.0 }).collect();
    ChainJoint { joint: Joint { kind, axis, at }, law: Law::of_rates(rates, 0.0) }
}

fn sweep<'a>([a, b]: [&'a Part; 2], chain: &'a Chain, ranges: &'a [[f64; 2]], limits: SweepLimits) -> BoxSweep<'a> {
    BoxSweep { a: a.body(), b: b.body(), chain, ranges, limits, quantum: 1e-12, residual: 0.0, tests: 4_000_000 }
}

fn answer(parts: [&Part; 2], joints: &[ChainJoint], ranges: &[[f64; 2]], clearance: Option<f64>) -> BoxAnswer {
    let limits = SweepLimits { tolerance: TOLERANCE, allow_depth: None, min_clearance: clearance, max_gap: None };
    answer_within(parts, [&[], joints], ranges, limits)
}

/// The answer for joints of both parts.
fn answer_within(parts: [&Part; 2], joints: [&[ChainJoint]; 2], ranges: &[[f64; 2]], limits: SweepLimits) -> BoxAnswer {
    let drawn = parts.map(|p| Pose { translation: p.convex.origin, ..Pose::identity() });
    let chain = Chain::new(&drawn[0], &drawn[1], joints[0], joints[1]);
    sweep(parts, &chain, ranges, limits).answer()
}

/// A block that leaves a corner in two directions by 3 and 4 mm: the largest gap is 5 mm, in one combination alone.
#[test]
fn a_block_leaves_a_corner_in_two_directions() {
    let corner = part_with(&block([-10.0, -10.0, -5.0], [0.0, 0.0, 5.0]), Inside::Solid);
    let foot = part_with(&block([0.0, 0.0, -5.0], [10.0, 10.0, 5.0]), Inside::Solid);
    let slide = |axis: Vec3, p: usize| joint(JointKind::Prismatic, axis, Vec3::zeros(), [p, 2]);
    let joints = [slide(Vec3::x(), 0), slide(Vec3::y(), 1)];
    let ranges = [[0.0, 3.0], [-2.0, 4.0]];
    for (largest, status) in [
        (5.0, SweepStatus::Contact),
        (6.0, SweepStatus::Contact),
        (4.999, SweepStatus::Loose),
        (0.0, SweepStatus::Loose),
    ] {
        let max_gap = Some(largest);
        let limits = SweepLimits { tolerance: TOLERANCE, allow_depth: None, min_clearance: None, max_gap };
        let none: &[ChainJoint] = &[];
        for (parts, joints) in [([&corner, &foot], [none, &joints]), ([&foot, &corner], [&joints, none])] {
            let found = answer_within(parts, joints, &ranges, limits);
            assert_eq!((found.status, found.proved), (status, 1.0), "{found:?}");
            if status == SweepStatus::Loose {
                let worst = found.worst.unwrap();
                assert!((worst.gap.lower - 5.0).abs() < 1e-9 && worst.at == [3.0, 4.0], "{worst:?}");
            }
        }
    }
}

/// A two-link arm before a wall: over the box of both joints it reaches the sum of both links.
#[test]
fn an_arm_of_two_links_reaches_the_sum_of_both() {
    let link = part_with(&block([40.0, -2.0, -2.0], [80.0, 2.0, 2.0]), Inside::Solid);
    let turn = |at: f64, p: usize| joint(JointKind::Revolute, Vec3::z(), Vec3::x() * at, [p, 2]);
    let joints = [turn(40.0, 1), turn(0.0, 0)];
    // The corner of the link is at most this far from the shoulder.
    let reach = 40.0 + (40.0_f64 * 40.0 + 4.0).sqrt();
    let ranges = [[-70.0, 70.0], [-90.0, 90.0]];
    for (wall, status) in [
        (reach + 0.5, SweepStatus::Clear),
        (reach + 0.05, SweepStatus::Clear),
        (reach - 0.5, SweepStatus::Interference),
        (30.0, SweepStatus::Interference),
    ] {
        let wall = part_with(&block([wall, -200.0, -9.0], [wall + 30.0, 200.0, 9.0]), Inside::Solid);
        let found = answer([&wall, &link], &joints, &ranges, None);
        assert_eq!(found.status, status, "{found:?}");
        assert!(found.proved == 1.0 && found.open.is_empty(), "{found:?}");
        if status == SweepStatus::Interference {
            let worst = found.worst.unwrap();
            assert!(worst.gap.upper < -TOLERANCE && worst.at.len() == 2, "{worst:?}");
        }
    }
    let wall = part_with(&block([reach + 0.5, -200.0, -9.0], [reach + 30.0, 200.0, 9.0]), Inside::Solid);
    assert_eq!(answer([&wall, &link], &joints, &ranges, Some(0.4)).status, SweepStatus::Clear);
    let close = answer([&wall, &link], &joints, &ranges, Some(20.0));
    assert_eq!(close.status, SweepStatus::TooClose, "{close:?}");
    assert!(close.worst.unwrap().gap.upper < 20.0);
}

/// A foot that slides on a table in both directions: contact at every combination.
#[test]
fn a_foot_slides_on_a_table_in_two_directions() {
    let table = part_with(&block([-50.0, -50.0, -5.0], [50.0, 50.0, 0.0]), Inside::Solid);
    let slide = |axis: Vec3, p: usize| joint(JointKind::Prismatic, axis, Vec3::zeros(), [p, 2]);
    let joints = [slide(Vec3::x(), 0), slide(Vec3::y(), 1)];
    let ranges = [[-30.0, 40.0], [-20.0, 60.0]];
    for (press, status) in
        [(0.0, SweepStatus::Contact), (0.006, SweepStatus::Contact), (0.02, SweepStatus::Interference)]
    {
        let foot = part_with(&block([-4.0, -4.0, -press], [4.0, 4.0, 8.0]), Inside::Solid);
        let found = answer([&table, &foot], &joints, &ranges, None);
        assert_eq!((found.status, found.proved), (status, 1.0), "{found:?}");
    }
    // A part that lies inside the table all the time.
    let pearl = part_with(&block([-1.0, -1.0, -3.0], [1.0, 1.0, -2.0]), Inside::Solid);
    let found = answer([&table, &pearl], &joints, &[[-30.0, 30.0]; 2], None);
    assert_eq!(found.status, SweepStatus::Interference, "{found:?}");
}

#[test]
fn a_box_without_budget_is_undecided_and_says_where() {
    let a = part_with(&block([0.0; 3], [10.0; 3]), Inside::Solid);
    let b = part_with(&block([10.2, 0.0, 0.0], [20.0, 10.0, 10.0]), Inside::Solid);
    let joints = [0, 1].map(|p| joint(JointKind::Prismatic, [Vec3::y(), Vec3::z()][p], Vec3::zeros(), [p, 2]));
    let drawn = [&a, &b].map(|p| Pose { translation: p.convex.origin, ..Pose::identity() });
    let chain = Chain::new(&drawn[0], &drawn[1], &[], &joints);
    let limits = SweepLimits { tolerance: TOLERANCE, allow_depth: None, min_clearance: None, max_gap: None };
    let ranges = [[-3.0, 3.0]; 2];
    let ask = sweep([&a, &b], &chain, &ranges, limits);
    assert_eq!(ask.answer().status, SweepStatus::Clear);
    let poor = BoxSweep { tests: 0, ..ask }.answer();
    assert!(poor.status == SweepStatus::Undecided && poor.proved < 1.0 && !poor.open.is_empty(), "{poor:?}");
    let empty = BoxSweep { ranges: &[[1.0, 0.0], [0.0, 1.0]], ..ask }.answer();
    assert_eq!(empty.status, SweepStatus::Undecided);
}

#[test]
fn no_sampled_configuration_contradicts_a_box() {
    let full = std::env::var_os("INTERFERE_FULL").is_some();
    let mut rng = Rng::new(5);
    let mut seen = [0_usize; 7];
    for _ in 0..if full { 1000 } else { 12 } {
        let n = 2 + rng.below(2);
        let solid = |rng: &mut Rng| match rng.below(2) {
            0 => block([-5.0, -1.0, -1.0], [5.0, 1.0, 1.0]),
            _ => prism(3 + rng.below(4), 4.0, [-2.0, 2.0]),
        };
        let (a, b) = (part_with(&solid(&mut rng), Inside::Solid), part_with(&solid(&mut rng), Inside::Solid));
        let joints = (0..n)
            .map(|p| {
                let kind = [JointKind::Revolute, JointKind::Prismatic, JointKind::Screw { lead: 9.0 }][rng.below(3)];
                joint(kind, rng.direction(), rng.in_cube() * 6.0, [p, n])
            })
            .collect();
        let translation = rng.direction() * rng.range(6.0, 16.0);
        let chain = Chain { drawn: Pose { rotation: rng.rotation(), translation }, joints };
        let ranges: Vec<[f64; 2]> = (0..n).map(|_| [-rng.scale(0.5, 8.0), rng.scale(0.5, 8.0)]).collect();
        let max_gap = (rng.below(2) == 0).then(|| rng.range(2.0, 20.0));
        let limits = SweepLimits { tolerance: 0.05, allow_depth: None, min_clearance: None, max_gap };
        let found = BoxSweep { tests: 200_000, ..sweep([&a, &b], &chain, &ranges, limits) }.answer();
        seen[found.status as usize] += 1;
        let still = Still { a: a.body(), b: b.body(), margin: 1e-10, rounding: 1e-10 };
        for _ in 0..if full { 300 } else { 30 } {
            let end =
                |r: &[f64; 2], rng: &mut Rng| if rng.below(3) == 0 { r[rng.below(2)] } else { rng.range(r[0], r[1]) };
            let q: Vec<f64> = ranges.iter().map(|r| end(r, &mut rng)).collect();
            let gap = still.gap(&chain.pose(&q), 0.05, None).gap;
            match found.status {
                SweepStatus::Clear => assert!(gap.upper >= 0.05 - found.slack - 1e-9, "{q:?} {gap:?} {found:?}"),
                SweepStatus::Contact => assert!(gap.upper >= -0.05 - found.slack - 1e-9, "{q:?} {gap:?} {found:?}"),
                SweepStatus::Loose => {
                    let worst = found.worst.as_ref().expect("a loose box has a worst configuration");
                    let at_worst = still.gap(&chain.pose(&worst.at), 0.05, None).gap;
                    assert!(at_worst.upper > max_gap.unwrap(), "{q:?} {at_worst:?} {found:?}");
                }
                _ => {}
            }
            let passes = matches!(found.status, SweepStatus::Clear | SweepStatus::Contact);
            if let Some(largest) = max_gap.filter(|_| passes) {
                assert!(gap.lower <= largest + found.slack + 1e-9, "{q:?} {gap:?} {found:?}");
            }
        }
    }
    println!("boxes by status: {seen:?}");
    assert!(seen[SweepStatus::Clear as usize] > 0 && seen[SweepStatus::Interference as usize] > 0, "{seen:?}");
}
