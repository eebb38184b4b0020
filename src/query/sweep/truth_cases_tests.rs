//! Sweeps with answers in closed form.

use crate::geom::math::sin_cos_deg;
use crate::geom::{Pose, Vec3};
use crate::mesh::TriMesh;
use crate::motion::{ChainJoint, Joint, JointKind, Law};
use crate::query::sweep::{SweepLimits, SweepStatus};
use crate::testkit::poses::about_z;
use crate::testkit::solids::{block, circle, moved, prism, tube_between};

pub(crate) const TOLERANCE: f64 = 0.01;

/// True value of one end of the first failing part.
#[derive(Debug, Clone, Copy)]
pub(crate) enum End {
    /// The rule is broken from or until here.
    At(f64),
    /// The bracket of the end lies between these values.
    Between(f64, f64),
    /// The end lies between these values, which static checks bracket: its own bracket has a value in common with them.
    Bracketed(f64, f64),
}

/// True answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Truth {
    pub status: SweepStatus,
    /// Bounds of the least gap of the run (mm, signed), equal for a closed form; of the largest one for `Loose`.
    pub gap: Option<[f64; 2]>,
    /// First failing part.
    pub failing: Option<[End; 2]>,
}

#[derive(Debug, Clone)]
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

pub(crate) fn clearance(c: f64) -> SweepLimits {
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
    Truth { status, gap: gap.map(|g| [g; 2]), failing: None }
}

pub(crate) fn fails(status: SweepStatus, gap: Option<f64>, from: End, to: End) -> Truth {
    Truth { status, gap: gap.map(|g| [g; 2]), failing: Some([from, to]) }
}

/// The first value between `low` and `high` with f > 0, for a monotone f.
pub(crate) fn root(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(middle) > 0.0 { high = middle } else { low = middle }
    }
    high
}

/// A bar from its hinge to `length`, of a width, below a wall at `w`.
#[derive(Clone, Copy)]
struct Bar {
    length: f64,
    half: f64,
    w: f64,
}

impl Bar {
    /// Distance of the tip from the hinge, and its angle above the middle of the bar (degrees).
    fn tip(self) -> (f64, f64) {
        (self.length.hypot(self.half), libm::atan(self.half / self.length).to_degrees())
    }

    fn gap(self, angle: f64) -> f64 {
        let (r, alpha) = self.tip();
        self.w - r * sin_cos_deg(angle + alpha).0
    }

    fn angle_at(self, gap: f64) -> f64 {
        let (r, alpha) = self.tip();
        libm::asin((self.w - gap) / r).to_degrees() - alpha
    }

    /// Depth of the tip behind the wall: the incircle of a right triangle.
    fn depth(self, angle: f64) -> f64 {
        let (s, c) = sin_cos_deg(angle);
        -self.gap(angle) * (s + c - 1.0) / (s * c)
    }

    fn case(self, name: &'static str, w: f64, range: [f64; 2], limits: SweepLimits, truth: Truth) -> Case {
        let Self { length, half, .. } = self;
        let parts = [
            block([-3.0 * length, w, -30.0], [3.0 * length, w + 60.0, 30.0]),
            block([0.0, -half, -20.0], [length, half, 20.0]),
        ];
        Case { name, parts, joints: [vec![], vec![turn([0.0; 3], 1.0)]], range, limits, truth }
    }

    /// Three runs. `ends` are their last angles: one stays clear, one comes close, one enters the wall.
    fn cases(self, ends: [f64; 3]) -> Vec<Case> {
        let Self { w, .. } = self;
        let (r, alpha) = self.tip();
        let [clear, close, inside] = ends;
        let near = 1.0 / 60.0 * w;
        let touch = self.angle_at(0.0);
        let off = libm::asin((r - 0.001) / r).to_degrees();
        let enters = fails(
            SweepStatus::Interference,
            Some(-self.depth(inside)),
            End::At(root(touch, inside, |a| self.depth(a) - TOLERANCE)),
            End::At(inside),
        );
        let closes = fails(SweepStatus::TooClose, Some(self.gap(close)), End::At(self.angle_at(near)), End::At(close));
        // The other corner follows, on its own.
        let grazes = fails(SweepStatus::TooClose, Some(0.5), End::At(off - alpha), End::At(180.0 - off - alpha));
        let whole = [0.0, 180.0];
        vec![
            self.case(
                "bar before the wall",
                w,
                [0.0, clear],
                limits(),
                passes(SweepStatus::Clear, Some(self.gap(clear))),
            ),
            self.case("bar too close to the wall", w, [0.0, close], clearance(near), closes),
            self.case("bar into the wall", w, [0.0, inside], limits(), enters),
            self.case(
                "tip grazes with its clearance",
                r + 0.5,
                whole,
                clearance(0.5),
                passes(SweepStatus::Clear, Some(0.5)),
            ),
            self.case("tip misses its clearance by a tenth of the tolerance", r + 0.5, whole, clearance(0.501), grazes),
        ]
    }
}

pub(crate) fn bars() -> Vec<Case> {
    let first = Bar { length: 100.0, half: 5.0, w: 60.0 };
    let others = [(100.0, 5.0, 85.0), (60.0, 2.0, 31.0), (200.0, 12.0, 90.0), (30.0, 6.0, 17.0), (100.0, 1.0, 40.0)];
    let more = others.into_iter().flat_map(|(length, half, w)| {
        let bar = Bar { length, half, w };
        bar.cases([bar.angle_at(0.13 * w), bar.angle_at(0.001 * w), bar.angle_at(-0.4 * half)])
    });
    first.cases([0.5_f64.to_degrees(), 33.9, 36.0]).into_iter().chain(more).collect()
}

/// A blade that turns past a fin, both `t` thick. Every step of a few hundredths of a degree can miss the overlap.
pub(crate) fn blades() -> Vec<Case> {
    let table = [(0.1, 342.765_432_1), (0.02, 123.456_789), (0.4, 211.1), (0.1, 180.0), (1.5, 77.7)];
    table.into_iter().flat_map(|(t, at)| blades_at(t, at)).collect()
}

fn blades_at(t: f64, at: f64) -> Vec<Case> {
    let h = 0.5 * t;
    let fin = |from: f64| {
        let drawn = block([from, -h, -3.0], [from + 10.0, h, 3.0]);
        moved(&drawn, &Pose { rotation: about_z(at), ..Pose::identity() })
    };
    let blade = |to: f64| block([5.0, -h, -5.0], [to, h, 5.0]);
    let half = 2.0 * libm::atan(h / 104.0).to_degrees();
    let case = |name, to, limits, truth| Case {
        name,
        parts: [fin(104.0), blade(to)],
        joints: [vec![], vec![turn([0.0; 3], 1.0)]],
        range: [0.0, 360.0],
        limits,
        truth,
    };
    let gap = 104.0 - 103.9_f64.hypot(h);
    let through = fails(
        SweepStatus::Interference,
        Some(-t),
        End::Between(at - half, at - 0.3 * half),
        End::Between(at + 0.3 * half, at + half),
    );
    vec![
        case("blade past a fin", 103.9, limits(), passes(SweepStatus::Clear, Some(gap))),
        case("blade past a fin with its clearance", 103.9, clearance(gap), passes(SweepStatus::Clear, Some(gap))),
        case("blade through a fin", 110.0, limits(), through),
    ]
}

/// A door of width `w` and thickness `t` in a frame with a play of `c`.
pub(crate) fn doors() -> Vec<Case> {
    let table = [(80.0, 4.0, 0.2), (80.0, 4.0, 0.5), (60.0, 6.0, 0.4), (90.0, 1.0, 0.2), (30.0, 3.0, 0.35)];
    table.into_iter().flat_map(|(w, t, c)| doors_of(w, t, c)).collect()
}

fn doors_of(w: f64, t: f64, c: f64) -> Vec<Case> {
    let (r, beta) = (w.hypot(t), libm::atan(t / w).to_degrees());
    let least = w + c - r;
    let case = |name, limits, truth| Case {
        name,
        parts: [block([w + c, -60.0, -40.0], [w + 10.0, 60.0, 40.0]), block([0.0, 0.0, -30.0], [w, t, 30.0])],
        joints: [vec![], vec![turn([0.0; 3], -1.0)]],
        range: [-30.0, 90.0],
        limits,
        truth,
    };
    // A clearance between the least gap and the gap of the closed door.
    let wanted = if (w, t, c) == (80.0, 4.0, 0.2) { 0.15 } else { 0.5 * (least + c) };
    let off = libm::acos((w + c - wanted) / r).to_degrees();
    let too_close = fails(SweepStatus::TooClose, Some(least), End::At(beta - off), End::At(beta + off));
    vec![
        case("door in its frame", clearance(0.5 * least), passes(SweepStatus::Clear, Some(least))),
        case("door that just keeps its clearance", clearance(least), passes(SweepStatus::Clear, Some(least))),
        case("door too close to its frame", clearance(wanted), too_close),
    ]
}

/// A plate that folds onto another one about the line between them.
pub(crate) fn hinges() -> Vec<Case> {
    let table = [(2.0, 30.0, 3.0), (1.0, 20.0, 5.0), (6.0, 40.0, 2.0), (0.5, 60.0, 1.5)];
    table.into_iter().flat_map(|(start, length, t)| leaves(start, length, t)).collect()
}

/// Leaves of thickness `t` from `start` on.
fn leaves(start: f64, length: f64, t: f64) -> Vec<Case> {
    let end = start + length;
    let case = |name, rate, range, limits, truth| Case {
        name,
        parts: [block([start, 0.0, -10.0], [end, t, 10.0]), block([-end, 0.0, -10.0], [-start, t, 10.0])],
        joints: [vec![], vec![turn([0.0; 3], rate)]],
        range,
        limits,
        truth,
    };
    // The leaf moves down its own thickness, so the faces at y = 0 meet at 180 degrees. Beyond, the outer edge of one
    // leaf enters the other leaf: a right triangle.
    let depth = |over: f64| {
        let (s, c) = sin_cos_deg(over);
        let p = end * s;
        p * (s + c - 1.0) / (s * c)
    };
    let enters = root(180.0, 181.0, |a| if a > 180.0 { depth(a - 180.0) - TOLERANCE } else { -1.0 });
    let stop = fails(SweepStatus::Interference, None, End::Between(enters - 0.02, enters + 0.02), End::At(180.5));
    // Folded upwards, the inner edges of the other faces meet at 2·atan(t/start) from each other. Both faces are mirror
    // images, so their gap is twice the distance of an edge from the plane in the middle.
    let (r, half) = (start.hypot(t), libm::atan(t / start).to_degrees());
    let before = 180.0 - 2.0 * half - 4.0;
    let gap = 2.0 * r * sin_cos_deg(2.0).0;
    let near = 180.0 - 2.0 * half - 2.0 * libm::asin(0.25 * gap / r).to_degrees();
    let touch = 180.0 - 2.0 * half;
    let too_close = fails(SweepStatus::TooClose, None, End::At(180.0 - 2.0 * half - 4.0), End::At(touch - 0.5));
    vec![
        case("leaves fold until they touch", 1.0, [0.0, 180.0], limits(), passes(SweepStatus::Contact, None)),
        case("leaves start in touch and part", -1.0, [-180.0, 0.0], limits(), passes(SweepStatus::Contact, None)),
        case("leaves fold beyond their stop", 1.0, [0.0, 180.5], limits(), stop),
        case("leaves fold up and stay apart", -1.0, [0.0, before], limits(), passes(SweepStatus::Clear, Some(gap))),
        case("leaves fold up until their edges meet", -1.0, [0.0, touch], limits(), passes(SweepStatus::Contact, None)),
        case("leaves fold up too far for their clearance", -1.0, [0.0, touch - 0.5], clearance(gap), too_close),
        case(
            "leaves fold up as far as their clearance",
            -1.0,
            [0.0, near],
            clearance(0.5 * gap),
            passes(SweepStatus::Clear, Some(0.5 * gap)),
        ),
    ]
}

/// A bore of `m` facets with a radius of 5.
pub(crate) fn bore(m: usize) -> TriMesh {
    let rows = |r: f64| [circle(m, r, -10.0), circle(m, r, 10.0)];
    tube_between(rows(9.0), rows(5.0))
}

fn pin_case(name: &'static str, [n, m]: [usize; 2], pin: f64, turns: f64, truth: Truth) -> Case {
    Case {
        name,
        parts: [bore(m), prism(n, pin, [-14.0, 14.0])],
        joints: [vec![], vec![turn([0.0; 3], 1.0)]],
        range: if turns > 0.0 { [0.0, 360.0 * turns] } else { [360.0 * turns, 0.0] },
        limits: limits(),
        truth,
    }
}

/// A polygonal pin of radius 5 and more in a polygonal bore of radius 5.
pub(crate) fn pins() -> Vec<Case> {
    let contact =
        |n, m| pin_case("pin in a bore of its nominal radius", [n, m], 5.0, 1.0, passes(SweepStatus::Contact, None));
    let apothem = |m: usize| 5.0 * libm::cos(std::f64::consts::PI / m as f64);
    let thin =
        |name, n, m, pin, turns| pin_case(name, [n, m], pin, turns, passes(SweepStatus::Clear, Some(apothem(m) - pin)));
    let throughout = fails(SweepStatus::Interference, None, End::At(0.0), End::At(3.6));
    let mut cases = vec![
        contact(64, 50),
        thin("thin pin in a bore", 12, 12, 4.7, 1.0),
        thin("thin pin for a thousand turns", 12, 12, 4.7, 1e3),
        pin_case("thick pin in a bore", [64, 50], 5.02, 0.01, throughout),
        contact(16, 50),
        contact(128, 64),
        contact(512, 360),
        thin("thin pin for a hundred thousand turns", 12, 12, 4.7, 1e5),
    ];
    for (n, m, pin) in [(3, 6, 4.0), (5, 7, 4.3), (48, 9, 4.5), (16, 32, 4.95), (6, 12, 4.8), (24, 24, 4.9)] {
        cases.push(thin("thin pin in a bore", n, m, pin, 1.0));
        cases.push(thin("thin pin for a thousand turns", n, m, pin, -1e3));
    }
    cases
}
