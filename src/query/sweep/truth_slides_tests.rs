//! Slides with answers in closed form: pistons, dovetails, drawers, parts that leave each other.

use crate::geom::Vec3;
use crate::geom::math::sin_cos_deg;
use crate::motion::ChainJoint;
use crate::query::sweep::truth_bodies_tests::{Plate, swept};
use crate::query::sweep::truth_cases_tests::{Case, End, TOLERANCE, clearance, fails, limits, passes, slide, turn};
use crate::query::sweep::truth_tests::with_drawn_sweep;
use crate::query::sweep::{SweepLimits, SweepStatus};
use crate::testkit::solids::{block, cells, tube_between};

fn along(axis: [f64; 3]) -> [Vec<ChainJoint>; 2] {
    [vec![], vec![slide(axis, 1.0)]]
}

const X: [f64; 3] = [1.0, 0.0, 0.0];
const Z: [f64; 3] = [0.0, 0.0, 1.0];

/// A square piston with a play in a square bore of 10 mm.
pub(crate) fn pistons() -> Vec<Case> {
    let square = |half: f64| {
        let corners = |z: f64| {
            [[half, -half], [half, half], [-half, half], [-half, -half]].map(|p| Vec3::new(p[0], p[1], z)).to_vec()
        };
        [corners(-30.0), corners(30.0)]
    };
    let bore = || tube_between(square(12.0), square(5.0));
    let case = |name, play: f64, length: f64, limits, truth| Case {
        name,
        parts: [bore(), block([play - 5.0, play - 5.0, -length], [5.0 - play, 5.0 - play, length])],
        joints: along(Z),
        range: [-20.0, 20.0],
        limits,
        truth,
    };
    let of = |(play, length): (f64, f64)| {
        let throughout = fails(SweepStatus::TooClose, Some(play), End::At(-20.0), End::At(20.0));
        [
            case("piston in a square bore", play, length, clearance(play), passes(SweepStatus::Clear, Some(play))),
            case("piston without a rule", play, length, limits(), passes(SweepStatus::Clear, Some(play))),
            case("piston with too little play", play, length, clearance(play + 0.003), throughout),
        ]
    };
    let mut cases: Vec<Case> = [(0.1, 6.0), (0.02, 6.0), (0.4, 25.0), (1.0, 1.0)].into_iter().flat_map(of).collect();
    cases.push(case("piston without play", 0.0, 6.0, limits(), passes(SweepStatus::Contact, None)));
    cases
}

/// A foot on a table, pressed into it.
pub(crate) fn feet() -> Vec<Case> {
    let case = |name, [half, press]: [f64; 2], limits, truth| Case {
        name,
        parts: [block([-100.0, -20.0, -5.0], [100.0, 20.0, 0.0]), block([-half, -4.0, -press], [half, 4.0, 8.0])],
        joints: along(X),
        range: [-60.0, 80.0],
        limits,
        truth,
    };
    let allowed = |depth: f64| SweepLimits { allow_depth: Some(depth), ..limits() };
    let pressed = |press: f64| fails(SweepStatus::Interference, Some(-press), End::At(-60.0), End::At(80.0));
    let mut cases = Vec::new();
    for half in [4.0, 15.0, 1.0] {
        cases.push(case("flush slide", [half, 0.0], limits(), passes(SweepStatus::Contact, None)));
        for press in [0.006, 0.001, 0.0097] {
            let passes = passes(SweepStatus::Contact, None);
            cases.push(case("slide pressed within the tolerance", [half, press], limits(), passes));
            let close = fails(SweepStatus::TooClose, Some(-press), End::At(-60.0), End::At(80.0));
            cases.push(case("slide pressed where a clearance is due", [half, press], clearance(0.5), close));
        }
        for press in [0.02, 0.011, 0.3] {
            cases.push(case("slide pressed beyond the tolerance", [half, press], limits(), pressed(press)));
            let over = allowed(1.5 * press);
            let passes = passes(SweepStatus::Allowed, None);
            cases.push(case("slide pressed as far as a rule allows", [half, press], over, passes));
        }
        cases.push(case("slide pressed farther than a rule allows", [half, 0.05], allowed(0.03), pressed(0.05)));
    }
    cases
}

/// Cubes that leave and reach each other.
pub(crate) fn cubes() -> Vec<Case> {
    let cube = |at: f64, side: f64| block([at, 0.0, 0.0], [at + side, side, side]);
    let case = |name, side: f64, at, axis, range, truth| Case {
        name,
        parts: [cube(0.0, side), cube(at, side)],
        joints: along(axis),
        range,
        limits: limits(),
        truth,
    };
    let back = [-1.0, 0.0, 0.0];
    let mut cases = Vec::new();
    for (side, overlap) in [(10.0, 4.0), (10.0, 0.7), (33.0, 12.0), (1.0, 0.3)] {
        let leaves = fails(SweepStatus::Interference, Some(-overlap), End::At(0.0), End::At(overlap - TOLERANCE));
        let enters = fails(SweepStatus::Interference, Some(-overlap), End::At(5.0 + TOLERANCE), End::At(5.0 + overlap));
        cases.push(case("cubes leave each other", side, side - overlap, X, [0.0, 20.0], leaves));
        cases.push(case("cube enters another", side, side + 5.0, back, [0.0, 5.0 + overlap], enters));
        for (name, start, end) in
            [("cube reaches another at the end", 20.0, 20.0), ("cube leaves another from the start", 0.0, -20.0)]
        {
            let range = if end > 0.0 { [0.0, end] } else { [end, 0.0] };
            cases.push(case(name, side, side + start, back, range, passes(SweepStatus::Contact, None)));
        }
        let short = passes(SweepStatus::Clear, Some(0.5 * overlap));
        cases.push(case("cube stops before another", side, side + 20.0, back, [0.0, 20.0 - 0.5 * overlap], short));
    }
    cases.push(Case {
        name: "overlap for a millionth of the run",
        parts: [block([0.0; 3], [0.5; 3]), block([0.0; 3], [1.0; 3])],
        joints: along(X),
        range: [-333_333.0, 666_666.0],
        limits: limits(),
        truth: fails(SweepStatus::Interference, Some(-0.5), End::At(-1.0 + TOLERANCE), End::At(0.5 - TOLERANCE)),
    });
    cases
}

/// Parts wholly inside a solid, and parts in a cavity.
pub(crate) fn inner() -> Vec<Case> {
    let cavity = || {
        let sides: [&[f64]; 3] =
            [&[-20.0, -10.0, 10.0, 20.0], &[-19.0, -13.0, 13.0, 19.0], &[-19.0, -13.0, 13.0, 19.0]];
        cells(sides, |c| c != [1; 3])
    };
    let mut cases = Vec::new();
    for half in [1.0, 0.2, 2.5] {
        let pearl = || block([-half; 3], [half; 3]);
        let solid = || block([-20.0; 3], [20.0; 3]);
        // Beside its axis, the pearl's farthest corner counts.
        let farthest = 2.0 + (2.0 + half).hypot(half);
        for (joint, range, reach) in [
            (slide(X, 1.0), [-6.0, 6.0], 6.0 + half),
            (turn([2.0, 0.0, 0.0], 1.0), [0.0, 360.0], farthest),
            (turn([0.0; 3], 1.0), [-500.0, 500.0], half * 2.0_f64.sqrt()),
        ] {
            let case = |name, first, truth| Case {
                name,
                parts: [first, pearl()],
                joints: [vec![], vec![joint.clone()]],
                range,
                limits: limits(),
                truth,
            };
            let [from, to] = range.map(End::At);
            let depth = fails(SweepStatus::Interference, Some(-2.0 * half), from, to);
            cases.push(case("part wholly inside while it moves", solid(), depth));
            cases.push(case("part in a cavity", cavity(), passes(SweepStatus::Clear, Some(10.0 - reach))));
        }
    }
    cases
}

/// A dovetail: a tongue in a groove with flanks at an angle to the direction of the lift.
pub(crate) fn dovetails() -> Vec<Case> {
    let of = |name, slope: f64, lift: f64, limits, truth| {
        let (s, c) = sin_cos_deg(slope);
        let narrower = 6.0 * s / c;
        // The groove is narrower at its mouth.
        let outer = [[-30.0, 0.0], [-30.0, -20.0], [30.0, -20.0], [30.0, 0.0]];
        let inner = [[-10.0, 0.0], [-10.0 - narrower, -6.0], [10.0 + narrower, -6.0], [10.0, 0.0]];
        let groove = Plate::channel(outer, inner, 40.0).mesh;
        let tongue = [[-10.0 - narrower, -6.0], [10.0 + narrower, -6.0], [10.0, 0.0], [-10.0, 0.0]];
        let row = |z: f64| tongue.iter().map(|p| Vec3::new(p[0], p[1] + lift, z)).collect::<Vec<_>>();
        let tongue = swept(&[row(-12.0), row(15.0)], &[0, 1, 2, 3], &[[0, 1, 2, 3]]);
        Case { name, parts: [groove, tongue], joints: along(Z), range: [-60.0, 45.0], limits, truth }
    };
    let mut cases = Vec::new();
    for slope in [15.0, 30.0, 40.0, 45.0] {
        let s = sin_cos_deg(slope).0;
        cases.push(of("dovetail", slope, 0.0, limits(), passes(SweepStatus::Contact, None)));
        cases.push(of(
            "dovetail pressed within the tolerance",
            slope,
            0.01,
            limits(),
            passes(SweepStatus::Contact, None),
        ));
        // The tongue reaches the groove at −55.
        let within = fails(SweepStatus::Interference, Some(-0.05 * s), End::At(-55.0 + TOLERANCE), End::At(45.0));
        cases.push(of("dovetail pressed beyond the tolerance", slope, 0.05, limits(), within));
    }
    cases
}

/// A drawer of three stages: the middle one moves half as far as the inner one.
pub(crate) fn drawers() -> Vec<Case> {
    let half = || slide(X, 0.5);
    let whole = || slide(X, 1.0);
    // A lug of 10 mm before a stop at `play`: the stage moves by a share of the drawer's travel.
    let case = |name, joints: [Vec<ChainJoint>; 2], play: f64, end: f64, limits, truth| Case {
        name,
        parts: [block([play, -20.0, -5.0], [play + 10.0, 20.0, 30.0]), block([-10.0, -6.0, 0.0], [0.0, 6.0, 20.0])],
        joints,
        range: [0.0, end],
        limits,
        truth,
    };
    let mut cases = Vec::new();
    for play in [120.0, 77.3, 250.0] {
        for (share, joints) in [
            (0.5, [vec![], vec![half()]]),
            (0.5, [vec![half()], vec![whole()]]),
            (1.0, [vec![], vec![half(), half()]]),
            (0.5, [vec![half()], vec![half(), half()]]),
        ] {
            let stop = play / share;
            let gap = |q: f64| play - share * q;
            let clear = passes(SweepStatus::Clear, Some(gap(stop - 9.0)));
            let depth = share * 6.0;
            let enters =
                fails(SweepStatus::Interference, Some(-depth), End::At(stop + TOLERANCE / share), End::At(stop + 6.0));
            let close = fails(SweepStatus::TooClose, Some(gap(stop - 3.0)), End::At(stop - 8.0), End::At(stop - 3.0));
            let of = |name, end, limits, truth| case(name, joints.clone(), play, end, limits, truth);
            cases.push(of("stage before its stop", stop - 9.0, limits(), clear));
            cases.push(of("stage at its stop", stop, limits(), passes(SweepStatus::Contact, None)));
            cases.push(of("stage beyond its stop", stop + 6.0, limits(), enters));
            cases.push(of("stage too close to its stop", stop - 3.0, clearance(gap(stop - 8.0)), close));
        }
    }
    cases
}

/// At its end, the sharp reflex edge of a groove meets a flat face, and the vertex there must split.
#[test]
fn a_sharp_dovetail_pressed_within_the_tolerance_is_proved() {
    let pressed: Vec<Case> =
        dovetails().into_iter().filter(|case| case.name == "dovetail pressed within the tolerance").collect();
    assert_eq!(pressed.len(), 4);
    for (k, case) in pressed.iter().enumerate() {
        with_drawn_sweep(case, |sweep| {
            let answer = sweep.answer();
            assert_eq!(answer.status, SweepStatus::Contact, "{k}");
            assert!(answer.tests < 10_000, "{k}: {}", answer.tests);
        });
    }
}
