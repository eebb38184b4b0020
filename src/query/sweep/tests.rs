//! Sweeps of random solids on random chains against sampled poses: no pose may contradict an answer.

use crate::geom::{Bounds, Pose, Vec3};
use crate::mesh::TriMesh;
use crate::motion::{Chain, ChainJoint, Joint, JointKind, Law};
use crate::query::depth::tests::{Part, part_with};
use crate::query::sweep::hulls::are_convex;
use crate::query::sweep::inset::{WHOLE, insets_of_run};
use crate::query::sweep::still::Still;
use crate::query::sweep::{DEFAULT_TESTS, Failing, Sweep, SweepAnswer, SweepLimits, SweepStatus};
use crate::shape::surface::Inside;
use crate::testkit::rng::Rng;
use crate::testkit::solids::{block, prism, tube};

pub(crate) const TOLERANCE: f64 = 0.05;

pub(crate) fn random_solid(rng: &mut Rng) -> TriMesh {
    let size = rng.range(2.0, 6.0);
    match rng.below(4) {
        0 => block([-size, -1.0, -1.0], [size, 1.0, 1.0]),
        1 => prism(3 + rng.below(5), size, [-2.0, 2.0]),
        2 => tube(5 + rng.below(4), size + 2.0, size, [-2.0, 2.0]),
        _ => block([-size; 3], [size; 3]),
    }
}

pub(crate) fn random_chain(rng: &mut Rng) -> Chain {
    let lead = rng.signed() * 10.0;
    let joints = (0..=rng.below(2))
        .map(|_| {
            let kind = [JointKind::Revolute, JointKind::Revolute, JointKind::Prismatic, JointKind::Screw { lead }];
            let joint = Joint { kind: kind[rng.below(4)], axis: rng.direction(), at: rng.in_cube() * 6.0 };
            let rate = if joint.kind == JointKind::Prismatic { 12.0 } else { 150.0 };
            ChainJoint { joint, law: Law::linear(rng.signed() * rate, rng.signed() * rate) }
        })
        .collect();
    Chain { drawn: Pose { rotation: rng.rotation(), translation: rng.direction() * rng.range(4.0, 14.0) }, joints }
}

pub(crate) fn sweep<'a>(a: &'a Part, b: &'a Part, chain: &'a Chain, limits: SweepLimits, tests: u64) -> Sweep<'a> {
    Sweep {
        a: a.body(),
        b: b.body(),
        chain,
        range: [-1.0, 1.0],
        limits,
        quantum: 0.0,
        residual: 0.0,
        tests,
        measured: true,
        measures_clear: true,
        tells_allowed: true,
        gap_width: None,
        first_failing: false,
        confirms: None,
    }
}

/// Checks an answer against one pose.
pub(crate) fn agrees(answer: &SweepAnswer, limits: &SweepLimits, q: f64, still: &Still, chain: &Chain) {
    let slack = 0.0101 * TOLERANCE;
    let pose = chain.pose(&[q]);
    let gap = still.gap(&pose, TOLERANCE, None).gap;
    let label = format!("{q}: {gap:?} {answer:?} {chain:?}");
    let wanted = limits.min_clearance.unwrap_or(0.0).max(TOLERANCE);
    match answer.status {
        SweepStatus::Clear => assert!(gap.upper >= wanted - slack, "{label}"),
        SweepStatus::Contact | SweepStatus::TooClose => assert!(gap.upper >= -TOLERANCE - slack, "{label}"),
        SweepStatus::Allowed => panic!("no rule allows a depth: {label}"),
        SweepStatus::Interference | SweepStatus::Undecided | SweepStatus::Loose => {}
    }
    if let Some(largest) = limits.max_gap {
        agrees_from_above(answer, largest, gap, &label);
    }
    if let Some(worst) = answer.worst.filter(|_| answer.status != SweepStatus::Loose) {
        assert!(gap.upper >= worst.gap.lower - 1e-9, "{label}");
    }
    agrees_with_parts(answer, limits, q, gap, &label);
}

/// Compares the failing parts of an answer with the gap at one pose.
fn agrees_with_parts(answer: &SweepAnswer, limits: &SweepLimits, q: f64, gap: Bounds, label: &str) {
    let slack = 0.0101 * TOLERANCE;
    let within = |statuses: &[SweepStatus]| {
        let holds = |f: &Failing| statuses.contains(&f.status) && f.from[0] <= q && q <= f.to[1];
        answer.failing.iter().any(holds) || answer.open.iter().any(|o| o[0] <= q && q <= o[1])
    };
    let (depth, close, loose) = (SweepStatus::Interference, SweepStatus::TooClose, SweepStatus::Loose);
    let clearance = limits.min_clearance.unwrap_or(f64::NEG_INFINITY);
    let largest = limits.max_gap.unwrap_or(f64::INFINITY);
    let fails = [depth, close, loose].contains(&answer.status);
    // A verdict names the parts of its status alone.
    let listed = |status: SweepStatus| (answer.worst.is_some() && fails) || answer.status == status;
    assert!(!listed(depth) || within(&[depth]) || gap.upper >= -TOLERANCE - slack, "{label}");
    assert!(!listed(close) || within(&[depth, close]) || gap.upper >= clearance - slack, "{label}");
    assert!(!listed(loose) || within(&[loose]) || gap.lower <= largest + answer.slack + 1e-9, "{label}");
    for f in answer.failing.iter().filter(|f| f.throughout && q >= f.from[1] && q <= f.to[0]) {
        let breaks = match f.status {
            SweepStatus::Interference => gap.lower <= -TOLERANCE + slack,
            SweepStatus::TooClose => gap.lower <= clearance + slack && gap.upper >= -TOLERANCE - slack,
            _ => gap.upper >= largest - slack,
        };
        assert!(breaks, "{label}");
    }
}

/// Compares an answer under a largest gap with the gap at one pose.
fn agrees_from_above(answer: &SweepAnswer, largest: f64, gap: Bounds, label: &str) {
    let slack = answer.slack + 1e-9;
    match answer.status {
        SweepStatus::Clear | SweepStatus::Contact => assert!(gap.lower <= largest + slack, "{label}"),
        SweepStatus::Loose => {
            if let Some(worst) = answer.worst {
                assert!(gap.lower <= worst.gap.upper + 1e-9, "{label}");
            }
        }
        _ => {}
    }
}

#[test]
fn no_sampled_pose_contradicts_an_answer() {
    let full = std::env::var_os("INTERFERE_FULL").is_some();
    let mut rng = Rng::new(99);
    let mut gaps = Rng::new(4);
    let (mut seen, mut undecided) = ([0_usize; 7], 0);
    let rounds = if full { 3000 } else { 40 };
    for round in 0..rounds {
        let (a, b) = (random_solid(&mut rng), random_solid(&mut rng));
        let (a, b) = (part_with(&a, Inside::Solid), part_with(&b, Inside::Solid));
        let chain = random_chain(&mut rng);
        let min_clearance = (rng.below(2) == 0).then(|| rng.range(0.0, 2.0));
        let max_gap = (round % 2 == 0).then(|| gaps.range(0.2, 6.0));
        let limits = SweepLimits { tolerance: TOLERANCE, allow_depth: None, min_clearance, max_gap };
        // Failing runs are measured in some rounds only: each takes a hundred static queries.
        let measured = round % 4 == 0;
        let asked = Sweep { measured, ..sweep(&a, &b, &chain, limits, DEFAULT_TESTS / 64) };
        let answer = asked.answer();
        seen[answer.status as usize] += 1;
        undecided += usize::from(answer.status == SweepStatus::Undecided);
        let still = Still { a: a.body(), b: b.body(), margin: 1e-10, rounding: 1e-10 };
        for k in 0..if full { 100 } else { 24 } {
            let q = if k == 0 { answer.worst.map_or(0.0, |w| w.at) } else { rng.signed() };
            agrees(&answer, &limits, q, &still, &chain);
        }
    }
    assert!(undecided * 20 <= rounds, "{seen:?}");
    let of = |status: SweepStatus| seen[status as usize];
    assert!(
        of(SweepStatus::Clear) > 0
            && of(SweepStatus::Interference) > 0
            && of(SweepStatus::TooClose) > 0
            && of(SweepStatus::Loose) > 0,
        "{seen:?}"
    );
}

/// Both proofs bracket the first pose that is too deep: the hulls at single poses, and the insets.
#[test]
fn convex_solids_have_the_same_first_deep_pose_with_and_without_insets() {
    let limits = SweepLimits { tolerance: TOLERANCE, allow_depth: None, min_clearance: None, max_gap: None };
    let mut rng = Rng::new(31);
    let [mut broken, mut kept] = [0; 2];
    for round in 0..80 {
        let [a, b] = [0, 1].map(|_| {
            loop {
                let solid = part_with(&random_solid(&mut rng), Inside::Solid);
                if are_convex([solid.body(); 2], 1e-10) {
                    break solid;
                }
            }
        });
        let chain = random_chain(&mut rng);
        let asked = sweep(&a, &b, &chain, limits, DEFAULT_TESTS);
        let mut work = asked.work();
        let level = work.level_of_convex(&chain, TOLERANCE).expect("convex solids");
        let by_hulls = asked.scan(&level, &mut work, asked.range, false);
        let insets = insets_of_run(&asked, &work.still, TOLERANCE, WHOLE).expect("solids");
        let level = work.level_of_insets(&insets, &chain, TOLERANCE);
        let by_insets = asked.scan(&level, &mut work, asked.range, false);
        match (by_hulls.first, by_insets.first) {
            (Some(x), Some(y)) => {
                broken += 1;
                assert!(x[0] <= y[1] && y[0] <= x[1], "{round}: {x:?} {y:?}");
            }
            (x, y) => {
                kept += 1;
                assert!(x.is_none() && y.is_none(), "{round}: {x:?} {y:?}");
                assert!(by_hulls.is_complete() && by_insets.is_complete(), "{round}: {by_hulls:?} {by_insets:?}");
            }
        }
    }
    assert!(broken > 20 && kept > 10, "{broken} {kept}");
}

#[test]
fn a_run_out_of_budget_is_undecided_and_says_where() {
    let a = part_with(&block([0.0; 3], [10.0; 3]), Inside::Solid);
    let b = part_with(&block([0.0; 3], [10.0; 3]), Inside::Solid);
    let joint = Joint { kind: JointKind::Revolute, axis: Vec3::z(), at: Vec3::zeros() };
    let chain = Chain {
        drawn: Pose { translation: Vec3::x() * 14.2, ..Pose::identity() },
        joints: vec![ChainJoint { joint, law: Law::linear(180.0, 0.0) }],
    };
    let limits = SweepLimits { tolerance: 0.01, allow_depth: None, min_clearance: None, max_gap: None };
    let decided = sweep(&a, &b, &chain, limits, DEFAULT_TESTS).answer();
    let answer = sweep(&a, &b, &chain, limits, 0).answer();
    assert_eq!(decided.status, SweepStatus::Clear);
    assert_eq!(answer.status, SweepStatus::Undecided);
    assert!(answer.proved < 1.0 && !answer.open.is_empty());
}

#[test]
fn a_part_without_triangles_or_without_an_inside_is_never_in_contact() {
    let solid = part_with(&block([0.0; 3], [10.0; 3]), Inside::Solid);
    let mut open_mesh = block([0.0; 3], [10.0; 3]);
    open_mesh.triangles.pop();
    let open = part_with(&open_mesh, Inside::Undefined);
    let joint = Joint { kind: JointKind::Prismatic, axis: Vec3::y(), at: Vec3::zeros() };
    let chain = |x: f64| Chain {
        drawn: Pose { translation: Vec3::x() * x, ..Pose::identity() },
        joints: vec![ChainJoint { joint, law: Law::linear(3.0, 0.0) }],
    };
    let limits = SweepLimits { tolerance: 0.01, allow_depth: None, min_clearance: None, max_gap: None };
    let (touching, apart) = (chain(10.0), chain(10.5));
    let answer = sweep(&solid, &open, &touching, limits, DEFAULT_TESTS).answer();
    assert!(answer.status == SweepStatus::Undecided && answer.no_inside, "{answer:?}");
    let answer = sweep(&solid, &open, &apart, limits, DEFAULT_TESTS).answer();
    assert!(answer.status == SweepStatus::Clear && answer.no_inside, "{answer:?}");
    let mut flat_mesh = block([0.0; 3], [10.0; 3]);
    flat_mesh.triangles.clear();
    let flat = part_with(&flat_mesh, Inside::Undefined);
    let answer = sweep(&solid, &flat, &apart, limits, DEFAULT_TESTS).answer();
    assert_eq!(answer.status, SweepStatus::Undecided);
}

#[test]
fn a_run_of_a_single_pose_is_a_static_check() {
    let a = part_with(&block([0.0; 3], [10.0; 3]), Inside::Solid);
    let b = part_with(&block([0.0; 3], [10.0; 3]), Inside::Solid);
    let joint = Joint { kind: JointKind::Prismatic, axis: Vec3::x(), at: Vec3::zeros() };
    let chain = Chain { drawn: Pose::identity(), joints: vec![ChainJoint { joint, law: Law::linear(1.0, 0.0) }] };
    let limits = SweepLimits { tolerance: 0.01, allow_depth: None, min_clearance: None, max_gap: None };
    let at = |q: f64| Sweep { range: [q, q], ..sweep(&a, &b, &chain, limits, DEFAULT_TESTS) }.answer().status;
    assert_eq!(at(9.0), SweepStatus::Interference);
    assert_eq!(at(10.0), SweepStatus::Contact);
    assert_eq!(at(11.0), SweepStatus::Clear);
    // A range from its end to its start holds no pose, and no proof.
    let turned = Sweep { range: [12.0, 11.0], ..sweep(&a, &b, &chain, limits, DEFAULT_TESTS) }.answer();
    assert_eq!(turned.status, SweepStatus::Undecided);
}
