//! Sweeps with answers in closed form.

use crate::geom::math::sin_cos_deg;
use crate::geom::{Pose, Vec3};
use crate::mesh::TriMesh;
use crate::motion::{ChainJoint, Joint, JointKind, Law};
use crate::query::sweep::{SweepLimits, SweepStatus};
use crate::testkit::poses::about_z;
use crate::testkit::solids::{block, cells, circle, moved, prism, tube_between};

pub(crate) const TOLERANCE: f64 = 0.01;

/// True value of one end of the first failing part.
#[derive(Debug, Clone, Copy)]
pub(crate) enum End {
    /// The rule is broken from or until here.
    At(f64),
    /// The end lies between these values.
    Between(f64, f64),
}

/// True answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Truth {
    pub status: SweepStatus,
    /// Least gap of the run (mm, signed), if it has a closed form; the largest one for `Loose`.
    pub gap: Option<f64>,
    /// First failing part.
    pub failing: Option<[End; 2]>,
}

pub(crate) struct Case {
    pub name: &'static str,
    pub parts: [TriMesh; 2],
    /// Joints of each part, nearest the part first.
    pub joints: [Vec<ChainJoint>; 2],
    pub range: [f64; 2],
    pub limits: SweepLimits,
    pub truth: Truth,
}

pub(crate) fn limits() -> SweepLimits {
    SweepLimits { tolerance: TOLERANCE, allow_depth: None, min_clearance: None, max_gap: None }
}

/// Limits with a largest gap (mm).
pub(crate) fn largest(gap: f64) -> SweepLimits {
    SweepLimits { max_gap: Some(gap), ..limits() }
}

fn clearance(c: f64) -> SweepLimits {
    SweepLimits { min_clearance: Some(c), ..limits() }
}

pub(crate) fn turn(at: [f64; 3], rate: f64) -> ChainJoint {
    ChainJoint {
        joint: Joint { kind: JointKind::Revolute, axis: Vec3::z(), at: Vec3::from(at) },
        law: Law::linear(rate, 0.0),
    }
}

pub(crate) fn slide(axis: [f64; 3], rate: f64) -> ChainJoint {
    ChainJoint {
        joint: Joint { kind: JointKind::Prismatic, axis: Vec3::from(axis), at: Vec3::zeros() },
        law: Law::linear(rate, 0.0),
    }
}

pub(crate) fn passes(status: SweepStatus, gap: Option<f64>) -> Truth {
    Truth { status, gap, failing: None }
}

pub(crate) fn fails(status: SweepStatus, gap: Option<f64>, from: End, to: End) -> Truth {
    Truth { status, gap, failing: Some([from, to]) }
}

/// The first value between `low` and `high` with f > 0, for a monotone f.
fn root(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(middle) > 0.0 { high = middle } else { low = middle }
    }
    high
}

/// A bar of length 100 and width 10 on a hinge, below a wall at `w`.
fn bar_and_wall(w: f64) -> [TriMesh; 2] {
    [block([-300.0, w, -30.0], [300.0, w + 60.0, 30.0]), block([0.0, -5.0, -20.0], [100.0, 5.0, 20.0])]
}

/// Depth of the corner of a bar behind a wall at an angle (degrees): the incircle of a right triangle.
fn depth_behind_wall(w: f64, angle: f64) -> f64 {
    let (r, alpha) = ((100.0_f64 * 100.0 + 25.0).sqrt(), libm::atan(0.05).to_degrees());
    let p = r * sin_cos_deg(angle + alpha).0 - w;
    let (s, c) = sin_cos_deg(angle);
    p * (s + c - 1.0) / (s * c)
}

pub(crate) fn bars() -> Vec<Case> {
    let (r, alpha) = ((100.0_f64 * 100.0 + 25.0).sqrt(), libm::atan(0.05).to_degrees());
    let at_gap = |w: f64, c: f64| libm::asin((w - c) / r).to_degrees() - alpha;
    let case = |name, w, range, limits, truth| Case {
        name,
        parts: bar_and_wall(w),
        joints: [vec![], vec![turn([0.0; 3], 1.0)]],
        range,
        limits,
        truth,
    };
    let end = 0.5_f64.to_degrees();
    let tip = |angle: f64| 60.0 - r * sin_cos_deg(angle + alpha).0;
    vec![
        case("bar before the wall", 60.0, [0.0, end], limits(), passes(SweepStatus::Clear, Some(tip(end)))),
        case(
            "bar too close to the wall",
            60.0,
            [0.0, 33.9],
            clearance(1.0),
            fails(SweepStatus::TooClose, Some(tip(33.9)), End::At(at_gap(60.0, 1.0)), End::At(33.9)),
        ),
        case(
            "bar into the wall",
            60.0,
            [0.0, 36.0],
            limits(),
            fails(
                SweepStatus::Interference,
                Some(-depth_behind_wall(60.0, 36.0)),
                End::At(root(33.95, 36.0, |a| depth_behind_wall(60.0, a) - TOLERANCE)),
                End::At(36.0),
            ),
        ),
        case(
            "tip grazes with its clearance",
            r + 0.5,
            [0.0, 180.0],
            clearance(0.5),
            passes(SweepStatus::Clear, Some(0.5)),
        ),
        case(
            "tip misses its clearance by a tenth of the tolerance",
            r + 0.5,
            [0.0, 180.0],
            clearance(0.501),
            fails(
                SweepStatus::TooClose,
                Some(0.5),
                End::At(libm::asin((r - 0.001) / r).to_degrees() - alpha),
                // The other corner follows, on its own.
                End::At(180.0 - libm::asin((r - 0.001) / r).to_degrees() - alpha),
            ),
        ),
    ]
}

/// A blade that turns past a fin, both 0.1 thick. Every step of 0.12 degrees and more can miss the overlap.
pub(crate) fn blades() -> Vec<Case> {
    let at = 342.765_432_1;
    let fin = |from: f64| {
        let drawn = block([from, -0.05, -3.0], [from + 10.0, 0.05, 3.0]);
        moved(&drawn, &Pose { rotation: about_z(at), ..Pose::identity() })
    };
    let blade = |to: f64| block([5.0, -0.05, -5.0], [to, 0.05, 5.0]);
    let half = 2.0 * libm::atan(0.05 / 104.0).to_degrees();
    let case = |name, to, truth| Case {
        name,
        parts: [fin(104.0), blade(to)],
        joints: [vec![], vec![turn([0.0; 3], 1.0)]],
        range: [0.0, 360.0],
        limits: limits(),
        truth,
    };
    let reach = (103.9_f64 * 103.9 + 0.0025).sqrt();
    vec![
        case("blade past a fin", 103.9, passes(SweepStatus::Clear, Some(104.0 - reach))),
        case(
            "blade through a fin",
            110.0,
            fails(
                SweepStatus::Interference,
                Some(-0.1),
                End::Between(at - half, at - 0.5 * half),
                End::Between(at + 0.5 * half, at + half),
            ),
        ),
    ]
}

pub(crate) fn doors() -> Vec<Case> {
    let (w, t, c) = (80.0_f64, 4.0_f64, 0.2);
    let (r, beta) = ((w * w + t * t).sqrt(), libm::atan(t / w).to_degrees());
    let case = |name, limits, truth| Case {
        name,
        parts: [block([w + c, -60.0, -40.0], [w + 10.0, 60.0, 40.0]), block([0.0, 0.0, -30.0], [w, t, 30.0])],
        joints: [vec![], vec![turn([0.0; 3], -1.0)]],
        range: [-30.0, 90.0],
        limits,
        truth,
    };
    let off = libm::acos((w + c - 0.15) / r).to_degrees();
    vec![
        case("door in its frame", clearance(0.05), passes(SweepStatus::Clear, Some(w + c - r))),
        case(
            "door too close to its frame",
            clearance(0.15),
            fails(SweepStatus::TooClose, Some(w + c - r), End::At(beta - off), End::At(beta + off)),
        ),
    ]
}

/// A plate that folds onto another one about the line between them.
pub(crate) fn hinges() -> Vec<Case> {
    let case = |name, rate, range, truth| Case {
        name,
        parts: [block([2.0, 0.0, -10.0], [32.0, 3.0, 10.0]), block([-32.0, 0.0, -10.0], [-2.0, 3.0, 10.0])],
        joints: [vec![], vec![turn([0.0; 3], rate)]],
        range,
        limits: limits(),
        truth,
    };
    // Beyond 180 degrees the outer edge of one leaf enters the other leaf: a right triangle again.
    let depth = |over: f64| {
        let (s, c) = sin_cos_deg(over);
        let p = 32.0 * s;
        p * (s + c - 1.0) / (s * c)
    };
    let start = root(180.0, 181.0, |a| if a > 180.0 { depth(a - 180.0) - TOLERANCE } else { -1.0 });
    vec![
        case("leaves fold until they touch", 1.0, [0.0, 180.0], passes(SweepStatus::Contact, None)),
        case("leaves start in touch and part", -1.0, [-180.0, 0.0], passes(SweepStatus::Contact, None)),
        case(
            "leaves fold beyond their stop",
            1.0,
            [0.0, 180.5],
            fails(SweepStatus::Interference, None, End::Between(start - 0.02, start + 0.02), End::At(180.5)),
        ),
    ]
}

/// A polygonal pin of radius 5 and more in a polygonal bore of radius 5.
pub(crate) fn pins() -> Vec<Case> {
    let bore = |n: usize| {
        let rows = |r: f64| [circle(n, r, -10.0), circle(n, r, 10.0)];
        tube_between(rows(9.0), rows(5.0))
    };
    let case = |name, n, pin: f64, m, turns: f64, truth| Case {
        name,
        parts: [bore(m), prism(n, pin, [-14.0, 14.0])],
        joints: [vec![], vec![turn([0.0; 3], 1.0)]],
        range: [0.0, 360.0 * turns],
        limits: limits(),
        truth,
    };
    let apothem = |m: f64| 5.0 * libm::cos(std::f64::consts::PI / m);
    vec![
        case("pin in a bore of its nominal radius", 64, 5.0, 50, 1.0, passes(SweepStatus::Contact, None)),
        case("thin pin in a bore", 12, 4.7, 12, 1.0, passes(SweepStatus::Clear, Some(apothem(12.0) - 4.7))),
        case("thin pin for a thousand turns", 12, 4.7, 12, 1e3, passes(SweepStatus::Clear, Some(apothem(12.0) - 4.7))),
        case(
            "thick pin in a bore",
            64,
            5.02,
            50,
            0.01,
            fails(SweepStatus::Interference, None, End::At(0.0), End::At(3.6)),
        ),
    ]
}

/// Slides: pistons, flush faces, parts that leave each other.
pub(crate) fn slides() -> Vec<Case> {
    let square = |half: f64| {
        let corners = |z: f64| {
            [[half, -half], [half, half], [-half, half], [-half, -half]].map(|p| Vec3::new(p[0], p[1], z)).to_vec()
        };
        [corners(-30.0), corners(30.0)]
    };
    let bore = || tube_between(square(12.0), square(5.0));
    let along = |axis| [vec![], vec![slide(axis, 1.0)]];
    let (z, x) = ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]);
    let table = || block([-100.0, -20.0, -5.0], [100.0, 20.0, 0.0]);
    let foot = |press: f64| block([-4.0, -4.0, -press], [4.0, 4.0, 8.0]);
    let cube = |at: f64| block([at, 0.0, 0.0], [at + 10.0, 10.0, 10.0]);
    vec![
        Case {
            name: "piston in a square bore",
            parts: [bore(), block([-4.9, -4.9, -6.0], [4.9, 4.9, 6.0])],
            joints: along(z),
            range: [-20.0, 20.0],
            limits: clearance(0.1),
            truth: passes(SweepStatus::Clear, Some(0.1)),
        },
        Case {
            name: "flush slide",
            parts: [table(), foot(0.0)],
            joints: along(x),
            range: [-60.0, 80.0],
            limits: limits(),
            truth: passes(SweepStatus::Contact, None),
        },
        Case {
            name: "slide pressed within the tolerance",
            parts: [table(), foot(0.006)],
            joints: along(x),
            range: [-60.0, 80.0],
            limits: limits(),
            truth: passes(SweepStatus::Contact, None),
        },
        Case {
            name: "slide pressed beyond the tolerance",
            parts: [table(), foot(0.02)],
            joints: along(x),
            range: [-60.0, 80.0],
            limits: limits(),
            truth: fails(SweepStatus::Interference, Some(-0.02), End::At(-60.0), End::At(80.0)),
        },
        Case {
            name: "slide pressed as far as a rule allows",
            parts: [table(), foot(0.02)],
            joints: along(x),
            range: [-60.0, 80.0],
            limits: SweepLimits { allow_depth: Some(0.03), ..limits() },
            truth: passes(SweepStatus::Allowed, None),
        },
        Case {
            name: "cubes leave each other",
            parts: [cube(0.0), cube(6.0)],
            joints: along(x),
            range: [0.0, 20.0],
            limits: limits(),
            truth: fails(SweepStatus::Interference, Some(-4.0), End::At(0.0), End::At(4.0 - TOLERANCE)),
        },
        Case {
            name: "cube reaches another at the end",
            parts: [cube(0.0), cube(30.0)],
            joints: along([-1.0, 0.0, 0.0]),
            range: [0.0, 20.0],
            limits: limits(),
            truth: passes(SweepStatus::Contact, None),
        },
        Case {
            name: "part wholly inside while it moves",
            parts: [block([-20.0; 3], [20.0; 3]), block([-1.0; 3], [1.0; 3])],
            joints: along(x),
            range: [-10.0, 10.0],
            limits: limits(),
            truth: fails(SweepStatus::Interference, Some(-2.0), End::At(-10.0), End::At(10.0)),
        },
        Case {
            name: "part in a cavity",
            parts: [
                cells([&[-20.0, -10.0, 10.0, 20.0], &[-9.0, -3.0, 3.0, 9.0], &[-9.0, -3.0, 3.0, 9.0]], |c| c != [1; 3]),
                block([-1.0; 3], [1.0; 3]),
            ],
            joints: along(x),
            range: [-8.0, 8.0],
            limits: limits(),
            truth: passes(SweepStatus::Clear, Some(1.0)),
        },
        Case {
            name: "overlap for a millionth of the run",
            parts: [block([0.0; 3], [0.5; 3]), block([0.0; 3], [1.0; 3])],
            joints: along(x),
            range: [-333_333.0, 666_666.0],
            limits: limits(),
            truth: fails(SweepStatus::Interference, Some(-0.5), End::At(-1.0 + TOLERANCE), End::At(0.5 - TOLERANCE)),
        },
    ]
}

/// Two joints and more.
pub(crate) fn chains() -> Vec<Case> {
    let radius = 5.0 * 2.0_f64.sqrt();
    let arm = |t: f64| {
        let far = [[80.0, -2.0], [80.0, 2.0]].map(|[x, y]| {
            let (s1, c1) = sin_cos_deg(t);
            let (s2, c2) = sin_cos_deg(-2.0 * t + t);
            let _ = s1;
            40.0 * c1 + (x - 40.0) * c2 - y * s2
        });
        far[0].max(far[1])
    };
    let farthest = (0..=60_000).map(|k| arm(-60.0 + 0.002 * f64::from(k))).fold(0.0, f64::max);
    vec![
        Case {
            name: "orbiting box",
            parts: [block([56.0, -20.0, -9.0], [70.0, 20.0, 9.0]), block([45.0, -5.0, -5.0], [55.0, 5.0, 5.0])],
            joints: [vec![], vec![turn([50.0, 0.0, 0.0], -1.0), turn([0.0; 3], 1.0)]],
            range: [-180.0, 180.0],
            limits: limits(),
            truth: passes(SweepStatus::Clear, Some(1.0)),
        },
        Case {
            name: "parts that ride on the same turn",
            parts: [block([0.0; 3], [10.0; 3]), block([10.5, 0.0, 0.0], [20.0, 10.0, 10.0])],
            joints: [vec![turn([90.0, 7.0, 0.0], 1.0)], vec![turn([90.0, 7.0, 0.0], 1.0)]],
            range: [0.0, 30.0],
            limits: limits(),
            truth: passes(SweepStatus::Clear, Some(0.5)),
        },
        Case {
            name: "arm of two links before a wall",
            parts: [block([85.0, -90.0, -9.0], [95.0, 90.0, 9.0]), block([40.0, -2.0, -2.0], [80.0, 2.0, 2.0])],
            joints: [vec![], vec![turn([40.0, 0.0, 0.0], -2.0), turn([0.0; 3], 1.0)]],
            range: [-60.0, 60.0],
            limits: limits(),
            truth: passes(SweepStatus::Clear, Some(85.0 - farthest)),
        },
        Case {
            name: "square rolls on its corners",
            parts: [
                block([-90.0, -9.0, -9.0], [90.0, 0.0, 9.0]),
                moved(&prism(4, radius, [-4.0, 4.0]), &Pose { translation: Vec3::y() * radius, ..Pose::identity() }),
            ],
            joints: [
                vec![],
                vec![turn([0.0, radius, 0.0], -1.0), slide([1.0, 0.0, 0.0], radius * 1.0_f64.to_radians())],
            ],
            range: [-200.0, 200.0],
            limits: limits(),
            truth: passes(SweepStatus::Contact, None),
        },
    ]
}
