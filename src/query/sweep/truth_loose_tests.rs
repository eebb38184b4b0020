//! Sweeps under a largest gap with answers in closed form.

use crate::geom::math::sin_cos_deg;
use crate::query::sweep::truth_cases_tests::{Case, End, Truth, fails, largest, passes, slide, turn};
use crate::query::sweep::{SweepLimits, SweepStatus};
use crate::testkit::solids::{block, prism};

/// A run with a gap above the largest one, first between two values.
fn loose(gap: f64, from: f64, to: f64) -> Truth {
    fails(SweepStatus::Loose, Some(gap), End::At(from), End::At(to))
}

/// A block that leaves its stop by q: the gap is q.
pub(crate) fn sliders() -> Vec<Case> {
    let case = |name, range, limits, truth| Case {
        name,
        parts: [block([-10.0, -5.0, -5.0], [0.0, 5.0, 5.0]), block([0.0, -4.0, -4.0], [8.0, 4.0, 4.0])],
        joints: [vec![], vec![slide([1.0, 0.0, 0.0], 1.0)]],
        range,
        limits,
        truth,
    };
    let pressed = fails(SweepStatus::Interference, Some(-5.0), End::At(-5.0), End::At(-1.0));
    let between = SweepLimits { min_clearance: Some(1.0), ..largest(3.0) };
    vec![
        case("slider leaves its stop", [0.0, 5.0], largest(2.0), loose(5.0, 2.0, 5.0)),
        case("slider pressed into its stop", [-5.0, -1.0], largest(9.0), pressed),
        case("slider within the largest gap", [0.0, 5.0], largest(5.0), passes(SweepStatus::Contact, None)),
        case("slider too far away throughout", [3.0, 7.0], largest(1.0), loose(7.0, 3.0, 7.0)),
        case("slider between two limits", [1.0, 3.0], between, passes(SweepStatus::Clear, Some(1.0))),
    ]
}

/// A block that slides on a table at a distance of 0.05, and beyond its edge at 50.
pub(crate) fn shoes() -> Vec<Case> {
    let case = |name, range, limits, truth| Case {
        name,
        parts: [block([-50.0, -20.0, -5.0], [50.0, 20.0, 0.0]), block([0.0, -4.0, 0.05], [8.0, 4.0, 8.0])],
        joints: [vec![], vec![slide([1.0, 0.0, 0.0], 1.0)]],
        range,
        limits,
        truth,
    };
    // Beyond the edge the gap is that of the edges.
    let edge = 50.0 + (0.08_f64 * 0.08 - 0.05 * 0.05).sqrt();
    let farthest = (3.0_f64 * 3.0 + 0.05 * 0.05).sqrt();
    vec![
        case("shoe keeps its largest gap", [-40.0, 40.0], largest(0.05), passes(SweepStatus::Clear, Some(0.05))),
        case("shoe leaves its table", [-40.0, 53.0], largest(0.08), loose(farthest, edge, 53.0)),
        case("shoe lifted throughout", [-40.0, 40.0], largest(0.03), loose(0.05, -40.0, 40.0)),
    ]
}

/// A bar on a hinge that lies on a block from 20 to 30: at an angle its corner is 2·20·sin(angle/2) away.
pub(crate) fn lifted() -> Vec<Case> {
    let gap = |angle: f64| 40.0 * sin_cos_deg(0.5 * angle).0;
    let parts = || [block([20.0, -5.0, -5.0], [30.0, 0.0, 5.0]), block([20.0, 0.0, -4.0], [30.0, 2.0, 4.0])];
    let axis = || vec![turn([0.0; 3], 1.0)];
    let case =
        |name, range, limits, truth| Case { name, parts: parts(), joints: [vec![], axis()], range, limits, truth };
    let at = 2.0 * libm::asin(3.0 / 40.0).to_degrees();
    vec![
        case("hinge lifts a bar", [0.0, 20.0], largest(3.0), loose(gap(20.0), at, 20.0)),
        case("hinge lifts a bar as far as allowed", [0.0, at], largest(3.0), passes(SweepStatus::Contact, None)),
        Case {
            name: "hinge carries both",
            parts: parts(),
            joints: [axis(), axis()],
            range: [0.0, 30.0],
            limits: largest(0.0),
            truth: passes(SweepStatus::Contact, None),
        },
    ]
}

/// A square plate that turns before a wall: the gap is 20 − R·cos(φ), φ the angle of the nearest corner to the wall.
pub(crate) fn plates() -> Vec<Case> {
    let radius = 12.0;
    let case = |name, range, limits, truth| Case {
        name,
        parts: [block([20.0, -40.0, -5.0], [30.0, 40.0, 5.0]), prism(4, radius, [-4.0, 4.0])],
        joints: [vec![], vec![turn([0.0; 3], 1.0)]],
        range,
        limits,
        truth,
    };
    let flat = 20.0 - radius * sin_cos_deg(45.0).1;
    let at = |gap: f64| libm::acos((20.0 - gap) / radius).to_degrees();
    vec![
        case("plate turns away", [0.0, 90.0], largest(10.0), loose(flat, at(10.0), 90.0 - at(10.0))),
        case("plate turns away as far as allowed", [0.0, 90.0], largest(flat), passes(SweepStatus::Clear, Some(8.0))),
        case(
            "plate turns away by a tenth of the tolerance too far",
            [0.0, 90.0],
            largest(flat - 0.001),
            loose(flat, at(flat - 0.001), 90.0 - at(flat - 0.001)),
        ),
    ]
}
