//! Pegs in blind holes, the pin of a Geneva wheel, touches at chosen poses, and runs of extreme lengths.

use crate::geom::math::sin_cos_deg;
use crate::motion::{ChainJoint, Law};
use crate::query::sweep::truth_bodies_tests::{Plate, gap_at, plane_case};
use crate::query::sweep::truth_cases_tests::{Case, bore, clearance, limits, passes, slide, turn};
use crate::query::sweep::truth_plane_tests::{Outline, least, rectangle, regular, shifted, turned};
use crate::query::sweep::{SweepLimits, SweepStatus};
use crate::testkit::solids::{block, prism};

const ORIGIN: [f64; 3] = [0.0; 3];
const Y: [f64; 3] = [0.0, 1.0, 0.0];

/// A hole of width 10 and a depth from y = 0 downward.
fn hole(width: f64, depth: f64) -> Plate {
    let (half, d) = (0.5 * width, depth);
    let outer = [[-40.0, 0.0], [-40.0, -d - 30.0], [40.0, -d - 30.0], [40.0, 0.0]];
    Plate::channel(outer, [[-half, 0.0], [-half, -d], [half, -d], [half, 0.0]], 12.0)
}

/// A peg of width `d` and length `l` with the middle of its lower end at the origin, tilted by an angle (degrees).
fn peg(d: f64, l: f64, tilt: f64) -> Outline {
    turned(&rectangle([-0.5 * d, 0.5 * d], [0.0, l]), tilt, [0.0; 2])
}

fn with_offset(mut joint: ChainJoint, offset: f64) -> ChainJoint {
    joint.law.offset = offset;
    joint
}

/// Pegs that enter a blind hole: the width of a tilted one is d·cos φ + l·sin φ.
pub(crate) fn pegs() -> Vec<Case> {
    let mut cases = Vec::new();
    let depth = 20.0;
    for (d, l, tilt) in [(8.0, 15.0, 0.0), (8.0, 15.0, 5.0), (9.5, 15.0, 1.5), (5.0, 12.0, 20.0), (7.0, 18.0, 8.0)] {
        let (s, c) = sin_cos_deg(tilt);
        let width = d * c + l * s;
        let drawn = peg(d, l, tilt);
        let low = drawn.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
        let ends = [f64::min, f64::max].map(|best| drawn.iter().map(|p| p[0]).fold(drawn[0][0], best));
        // Centred on the hole; its lowest corner starts 6 mm above the mouth.
        let drawn = shifted(&drawn, [-0.5 * (ends[0] + ends[1]), 6.0 - low]);
        let joints = [vec![], vec![slide(Y, -1.0)]];
        let pair = |hole_width: f64| [hole(hole_width, depth), Plate::convex(drawn.clone(), 4.0)];
        let case =
            |name, hole_width: f64, range, limits| plane_case(name, &pair(hole_width), joints.clone(), range, limits);
        let wide = width + 1.0;
        let bottom = 6.0 + depth;
        cases.push(case("peg in a blind hole", wide, [0.0, bottom - 2.0], limits()));
        cases.push(case("peg keeps its clearance", wide, [0.0, bottom - 2.0], clearance(0.5)));
        cases.push(case("peg too close to the hole", wide, [0.0, bottom - 2.0], clearance(0.503)));
        cases.push(case("peg reaches the bottom", wide, [0.0, bottom], limits()));
        cases.push(case("peg through the bottom", wide, [0.0, bottom + 0.3], limits()));
        // The widest part of a straight peg enters at once; a tilted one jams only with its upper corner.
        cases.push(case("peg too wide for its hole", width - 0.2, [0.0, 6.0 + l + 1.0], limits()));
    }
    cases
}

/// Two segments of a path: a peg turns upright above the hole, then enters it. They share the corner of the path.
pub(crate) fn paths() -> Vec<Case> {
    let mut cases = Vec::new();
    for (d, l, tilt, play) in [(8.0, 15.0, 30.0, 0.4), (6.0, 20.0, -50.0, 0.1), (9.0, 9.0, 44.0, 0.02)] {
        let upright = |height: f64| shifted(&peg(d, l, 0.0), [0.0, height]);
        let pair = |height: f64| [hole(d + 2.0 * play, 25.0), Plate::convex(upright(height), 4.0)];
        // First segment: the tilt vanishes while the peg comes down from 12 mm above its place.
        let height = 4.0;
        let down = |name, height: f64, limits| {
            let about = [0.0, height, 0.0];
            let lowered = with_offset(slide(Y, -12.0), 12.0);
            let joints = [vec![], vec![with_offset(turn(about, -tilt), tilt), lowered]];
            plane_case(name, &pair(height), joints, [0.0, 1.0], limits)
        };
        cases.push(down("peg turns upright above a hole", height, limits()));
        cases.push(down("peg turns upright until the corner of its path", 0.0, clearance(0.0)));
        let inward = |name, from: f64, to: f64, limits| {
            plane_case(name, &pair(from), [vec![], vec![slide(Y, to - from)]], [0.0, 1.0], limits)
        };
        cases.push(inward("upright peg enters its hole", height, -20.0, limits()));
        cases.push(inward("upright peg enters from the corner of its path", 0.0, -20.0, clearance(play)));
        cases.push(inward("upright peg closer than its clearance", height, -20.0, clearance(play + 0.004)));
        cases.push(inward("upright peg reaches the bottom", height, -25.0, limits()));
    }
    cases
}

/// The entry of a Geneva wheel of `n` slots: the crank of radius a·sin(π/n) moves its pin along the slot.
pub(crate) fn geneva() -> Vec<Case> {
    let mut cases = Vec::new();
    for (n, sides) in [(4.0, 12), (5.0, 16), (6.0, 12), (8.0, 24)] {
        let crank = 40.0 * libm::sin(std::f64::consts::PI / n);
        let pin = regular(sides, 2.0, [0.0; 2], 90.0);
        // The mouth of the slot is at the pin's place at the entry; the slot runs along −x.
        let wheel = |play: f64| {
            let s = 2.0 + play;
            let lower = rectangle([-30.0, 0.0], [-s - 5.0, -s]);
            let upper = rectangle([-30.0, 0.0], [s, s + 5.0]);
            Plate::several(vec![lower, upper], 6.0)
        };
        let joints = [vec![], vec![turn([0.0, -crank, 0.0], 1.0)]];
        let pair = |play: f64| [wheel(play), Plate::convex(pin.clone(), 4.0)];
        for play in [0.3, 0.1] {
            let gap = least([-70.0, 0.0], |q| gap_at(&pair(play), &joints, q)).0;
            let case = |name, range, limits| plane_case(name, &pair(play), joints.clone(), range, limits);
            cases.push(case("Geneva pin before its slot", [-70.0, 0.0], limits()));
            cases.push(case("Geneva pin keeps its entry gap", [-70.0, 0.0], clearance(gap)));
            cases.push(case("Geneva pin without its entry gap", [-70.0, 0.0], clearance(gap + 0.002)));
            cases.push(case("Geneva wheel that stands still jams", [-70.0, 35.0], limits()));
        }
    }
    cases
}

/// A cube on an orbit that touches a wall at one pose: at an end, at an edge of a cell, at the corner of a path.
pub(crate) fn touches() -> Vec<Case> {
    let mut cases = Vec::new();
    let cube = || Plate::convex(rectangle([15.0, 25.0], [-5.0, 5.0]), 5.0);
    let joints = || [vec![], vec![turn([20.0, 0.0, 0.0], -1.0), turn(ORIGIN, 1.0)]];
    for (name, range) in [
        ("touch in the middle of the run", [-64.0, 64.0]),
        ("touch at an edge of a cell", [-32.0, 96.0]),
        ("touch at an odd place", [-31.7, 50.3]),
        ("touch at the start", [0.0, 60.0]),
        ("touch at the end", [-77.0, 0.0]),
        ("touch twice", [-10.0, 361.0]),
    ] {
        for play in [0.0, 0.3, -0.02, -0.5] {
            let wall = Plate::convex(rectangle([25.0 + play, 40.0], [-30.0, 30.0]), 5.0);
            cases.push(plane_case(name, &[wall, cube()], joints(), range, limits()));
        }
    }
    for end in [3.0, 17.0] {
        let wall = Plate::convex(rectangle([24.0, 40.0], [-30.0, 30.0]), 5.0);
        let pair = [wall, cube()];
        cases.push(plane_case("overlap at the start, then free", &pair, joints(), [-2.0, end * 8.0], limits()));
        cases.push(plane_case("free, then overlap at the end", &pair, joints(), [-end * 8.0, 1.0], limits()));
    }
    cases
}

/// Runs of many turns and of tiny angles.
pub(crate) fn ranges() -> Vec<Case> {
    let mut cases = Vec::new();
    let apothem = |m: usize| 5.0 * libm::cos(std::f64::consts::PI / m as f64);
    for (n, m, pin) in [(3, 5, 3.9), (12, 12, 4.7), (17, 31, 4.9)] {
        for range in [[0.0, 3.6e7], [-3.6e7, 1.0], [1e7, 1.001e7]] {
            cases.push(Case {
                name: "pin for 1e5 turns",
                parts: [bore(m), prism(n, pin, [-14.0, 14.0])],
                joints: [vec![], vec![turn(ORIGIN, 1.0)]],
                range,
                limits: limits(),
                truth: passes(SweepStatus::Clear, Some(apothem(m) - pin)),
            });
        }
    }
    for angle in [0.0, 17.0, 33.96, 60.0, 89.0] {
        let bar = rectangle([0.0, 100.0], [-5.0, 5.0]);
        let law = Law::linear(1.0, angle);
        let joints = || [vec![], vec![ChainJoint { law: law.clone(), ..turn(ORIGIN, 1.0) }]];
        let highest = turned(&bar, angle, [0.0; 2]).iter().map(|p| p[1]).fold(0.0, f64::max);
        let pair = |gap: f64| {
            let wall = rectangle([-300.0, 300.0], [highest + gap, highest + gap + 60.0]);
            [Plate::convex(wall, 30.0), Plate::convex(bar.clone(), 20.0)]
        };
        let tiny = [-0.5e-7, 0.5e-7];
        let case = |name, gap: f64, limits: SweepLimits| plane_case(name, &pair(gap), joints(), tiny, limits);
        cases.push(case("bar that turns by 1e-7 degrees", 0.5, limits()));
        cases.push(case("bar too close for 1e-7 degrees", 0.5, clearance(0.7)));
        cases.push(case("bar in a wall for 1e-7 degrees", -0.5, limits()));
    }
    cases.push(Case {
        name: "slide of a thousand kilometres",
        parts: [block([-10.0, -10.0, -5.0], [10.0, 10.0, 0.0]), block([-5.0, -5.0, 0.25], [5.0, 5.0, 4.0])],
        joints: [vec![], vec![slide([1.0, 0.0, 0.0], 1.0)]],
        range: [-1e9, 1e9],
        limits: limits(),
        truth: passes(SweepStatus::Clear, Some(0.25)),
    });
    cases
}
