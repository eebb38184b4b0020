//! Cams, orbits, rolling polygons, arms, scissors: solids over polygons on several joints, with answers that follow
//! from the polygons.

use crate::motion::ChainJoint;
use crate::query::sweep::SweepLimits;
use crate::query::sweep::truth_bodies_tests::{Plate, gap_at, plane_case};
use crate::query::sweep::truth_cases_tests::{Case, clearance, limits, slide, turn};
use crate::query::sweep::truth_plane_tests::{Outline, least, rectangle, regular};
use crate::testkit::solids::circle;

const ORIGIN: [f64; 3] = [0.0; 3];

/// Cases of one pair with a positive least gap: without a rule, with a clearance met with equality, one missed by a
/// tenth of the tolerance, and one missed by far.
fn around(name: &'static str, plates: &[Plate; 2], joints: &[Vec<ChainJoint>; 2], range: [f64; 2]) -> Vec<Case> {
    let gap = least(range, |q| gap_at(plates, joints, q)).0;
    assert!(gap > 0.0, "{name}: {gap}");
    let case = |limits| plane_case(name, plates, joints.clone(), range, limits);
    [limits(), clearance(gap), clearance(gap + 0.001), clearance(1.5 * gap)].map(case).into()
}

/// A polygonal cam with an eccentricity below a flat follower.
pub(crate) fn cams() -> Vec<Case> {
    let mut cases = Vec::new();
    for (n, e) in [(5, 3.0), (12, 3.0), (48, 7.0), (24, 1.0), (7, 5.0)] {
        let cam = regular(n, 20.0, [e, 0.0], 0.0);
        let farthest = cam.iter().map(|p| p[0].hypot(p[1])).fold(0.0, f64::max);
        let pair = |h: f64| {
            let follower = rectangle([-60.0, 60.0], [h, h + 9.0]);
            [Plate::convex(follower, 8.0), Plate::convex(cam.clone(), 5.0)]
        };
        let joints = [vec![], vec![turn(ORIGIN, 1.0)]];
        let play = 0.7;
        let formula = least([0.0, 360.0], |q| gap_at(&pair(farthest + play), &joints, q)).0;
        assert!((formula - play).abs() < 1e-9, "h − R − e at the top: {formula}");
        cases.extend(around("cam below its follower", &pair(farthest + play), &joints, [0.0, 360.0]));
        cases.push(plane_case("cam touches its follower", &pair(farthest), joints.clone(), [0.0, 360.0], limits()));
        cases.push(plane_case("cam too large", &pair(farthest - 0.3), joints, [10.0, 350.0], limits()));
    }
    cases
}

/// A box on an orbit: it never turns, so its distances are those of shifted boxes.
pub(crate) fn orbits() -> Vec<Case> {
    let mut cases = Vec::new();
    let walls: [fn(f64) -> Outline; 4] = [
        |play| rectangle([55.0 + play, 70.0], [-20.0, 20.0]),
        |play| rectangle([-30.0, 80.0], [55.0 + play, 90.0]),
        |play| rectangle([-29.0 + play, 29.0 - play], [-3.0, 3.0]),
        |play| rectangle([51.0 + play, 60.0], [41.0, 60.0]),
    ];
    for (k, wall) in walls.iter().enumerate() {
        for range in [[-180.0, 180.0], [-90.0, 400.0]] {
            let joints = [vec![], vec![turn([50.0, 0.0, 0.0], -1.0), turn(ORIGIN, 1.0)]];
            let pair = |play: f64| {
                let plate = rectangle([45.0, 55.0], [-5.0, 5.0]);
                [Plate::convex(wall(play), 9.0), Plate::convex(plate, 5.0)]
            };
            cases.extend(around("orbiting box", &pair(1.0), &joints, range));
            if k < 2 {
                cases.push(plane_case("orbiting box touches at one pose", &pair(0.0), joints.clone(), range, limits()));
                cases.push(plane_case("orbiting box meets a wall", &pair(-0.4), joints, range, limits()));
            }
        }
    }
    cases
}

/// A polygon that rolls on a plane: its turn and its slide are coupled.
pub(crate) fn rolling() -> Vec<Case> {
    let mut cases = Vec::new();
    for n in [3, 4, 6, 9] {
        let radius = 50.0_f64.sqrt();
        let pair = |lift: f64| {
            let plane = rectangle([-90.0, 90.0], [-9.0, -lift]);
            [Plate::convex(plane, 9.0), Plate::convex(regular(n, radius, [0.0, radius], 0.0), 4.0)]
        };
        let joints = [vec![], vec![turn([0.0, radius, 0.0], -1.0), slide([1.0, 0.0, 0.0], radius.to_radians())]];
        let range = [-200.0, 200.0];
        cases.push(plane_case("polygon rolls on its corners", &pair(0.0), joints.clone(), range, limits()));
        cases.extend(around("polygon rolls above a plane", &pair(0.25), &joints, range));
        cases.push(plane_case("polygon rolls too low", &pair(-0.05), joints, range, limits()));
    }
    cases
}

/// An arm of two links of 40 mm before a wall; the elbow turns `ratio` times as fast as the shoulder.
pub(crate) fn arms() -> Vec<Case> {
    let mut cases = Vec::new();
    for (ratio, length, range) in [
        (-2.0, 40.0, [-60.0, 60.0]),
        (-1.5, 55.0, [-80.0, 70.0]),
        (2.0, 40.0, [-90.0, 40.0]),
        (-3.0, 25.0, [-100.0, 100.0]),
        (0.5, 70.0, [-20.0, 90.0]),
    ] {
        let link = rectangle([40.0, 40.0 + length], [-2.0, 2.0]);
        let joints = [vec![], vec![turn([40.0, 0.0, 0.0], ratio), turn(ORIGIN, 1.0)]];
        let pair = |w: f64| {
            let wall = rectangle([w, w + 10.0], [-250.0, 250.0]);
            [Plate::convex(wall, 9.0), Plate::convex(link.clone(), 2.0)]
        };
        let reach = 300.0 - least(range, |q| gap_at(&pair(300.0), &joints, q)).0;
        cases.extend(around("arm of two links before a wall", &pair(reach + 5.0), &joints, range));
        cases.push(plane_case("arm of two links touches a wall", &pair(reach), joints.clone(), range, limits()));
        cases.push(plane_case("arm of two links enters a wall", &pair(reach - 0.6), joints, range, limits()));
    }
    cases
}

/// Two bars of a pair of scissors, each on its own joint: they meet at 2·atan(h/start) from each other, on both sides.
pub(crate) fn scissors() -> Vec<Case> {
    let mut cases = Vec::new();
    for (h, start, rates) in [(2.0, 20.0, [1.0, -1.0]), (3.0, 8.0, [0.5, -0.5]), (1.0, 30.0, [2.0, 1.0])] {
        let bar = || Plate::convex(rectangle([start, start + 50.0], [-h, h]), 4.0);
        let joints = |open: f64| {
            let mut sides = rates.map(|rate| vec![turn(ORIGIN, rate)]);
            sides[0][0].law.offset = open;
            sides
        };
        // The angle between the bars is open + (rates[0] − rates[1])·q.
        let speed = rates[0] - rates[1];
        let contact = 2.0 * libm::atan(h / start).to_degrees();
        let run = |name, from: f64, to: f64, rule: Option<f64>| {
            let limits = SweepLimits { min_clearance: rule, ..limits() };
            plane_case(name, &[bar(), bar()], joints(from), [0.0, (to - from) / speed], limits)
        };
        let gap_after = |angle: f64| 2.0 * start.hypot(h) * libm::sin((0.5 * angle).to_radians());
        cases.push(run("scissors open", contact + 3.0, 180.0, None));
        cases.push(run("scissors open from contact", contact, 120.0, None));
        cases.push(run("scissors open within each other", contact - 1.5, 90.0, None));
        cases.push(run("scissors open and close on the other side", contact + 2.0, 358.0 - contact, None));
        cases.push(run("scissors close until they touch", 120.0, 360.0 - contact, None));
        cases.push(run("scissors close too far", 120.0, 361.0 - contact, None));
        cases.push(run("scissors keep a clearance", contact + 3.0, 200.0, Some(gap_after(3.0))));
        cases.push(run("scissors open from too close", contact + 1.0, 200.0, Some(gap_after(3.0))));
    }
    cases
}

/// Parts that ride on the same turn keep their distance.
pub(crate) fn riders() -> Vec<Case> {
    let mut cases = Vec::new();
    for (gap, at, range) in [(0.5, [90.0, 7.0, 0.0], [0.0, 30.0]), (0.2, [5.0, 0.0, 0.0], [-20.0, 40.0])] {
        let pair = [
            Plate::convex(rectangle([0.0, 10.0], [0.0, 10.0]), 5.0),
            Plate::convex(rectangle([10.0 + gap, 20.0], [0.0, 10.0]), 5.0),
        ];
        let joints = [vec![turn(at, 1.0)], vec![turn(at, 1.0)]];
        for limit in [limits(), clearance(gap), clearance(gap + 0.01)] {
            cases.push(plane_case("parts that ride on the same turn", &pair, joints.clone(), range, limit));
        }
    }
    cases
}

/// Wheels of `n` blades past a fin: the overlap comes back with the period of a sampling in `n` steps.
pub(crate) fn wheels() -> Vec<Case> {
    let mut cases = Vec::new();
    for (n, phase) in [(2, 33.3), (6, 17.17), (12, 9.991), (24, 4.3)] {
        for to in [103.9, 110.0] {
            let blade = rectangle([60.0, to], [-0.05, 0.05]);
            let all: Vec<Outline> = circle(n, 1.0, 0.0)
                .iter()
                .map(|d| blade.iter().map(|p| [d.x * p[0] - d.y * p[1], d.y * p[0] + d.x * p[1]]).collect())
                .collect();
            let (s, c) = crate::geom::math::sin_cos_deg(phase);
            let fin = rectangle([104.0, 114.0], [-0.05, 0.05]);
            let fin: Outline = fin.iter().map(|p| [c * p[0] - s * p[1], s * p[0] + c * p[1]]).collect();
            let pair = [Plate::convex(fin, 3.0), Plate::several(all, 5.0)];
            let joints = [vec![], vec![turn(ORIGIN, 1.0)]];
            // One step of the sampling about the first overlap.
            let step = 360.0 / n as f64;
            let range = [phase - 0.5 * step, phase + 0.4 * step];
            cases.extend(trapped(&pair, &joints, range, [phase, to]));
        }
    }
    cases
}

/// The truth of the part of a run about an angle, for the whole run.
fn trapped(pair: &[Plate; 2], joints: &[Vec<ChainJoint>; 2], range: [f64; 2], [phase, to]: [f64; 2]) -> Vec<Case> {
    let name = if to > 104.0 { "wheel of blades through a fin" } else { "wheel of blades past a fin" };
    let near = plane_case(name, pair, joints.clone(), [phase - 0.2, phase + 0.2], limits());
    let whole = Case { range: [range[0], range[0] + 720.0], ..near.clone() };
    vec![Case { range, ..near }, whole]
}
