//! Gear pairs and a rack with involute teeth, as polygons: the flanks keep half the normal backlash.

use crate::geom::math::sin_cos_deg;
use crate::geom::{Pose, Vec3};
use crate::mesh::TriMesh;
use crate::motion::{Cell, ChainJoint};
use crate::query::sweep::SweepStatus;
use crate::query::sweep::truth_bodies_tests::swept;
use crate::query::sweep::truth_cases_tests::{
    Case, End, TOLERANCE, Truth, clearance, fails, largest, limits, passes, slide, turn,
};
use crate::query::sweep::truth_tests::with_drawn_sweep;
use crate::query::sweep::work::Work;
use crate::testkit::poses::about_z;
use crate::testkit::solids::{moved, tube_between};
use std::f64::consts::PI;

const MODULE: f64 = 2.0;
/// Pressure angle (degrees).
const PRESSURE: f64 = 20.0;

/// The involute of an angle (radians): tan α − α.
fn involute(alpha: f64) -> f64 {
    libm::tan(alpha) - alpha
}

/// A gear of `teeth` teeth, a tooth on the x axis; its teeth are thinner by half the backlash.
#[derive(Clone, Copy)]
struct Gear {
    teeth: usize,
    backlash: f64,
    /// Chords of a flank.
    steps: usize,
}

impl Gear {
    fn pitch(self) -> f64 {
        0.5 * MODULE * self.teeth as f64
    }

    fn base(self) -> f64 {
        self.pitch() * sin_cos_deg(PRESSURE).1
    }

    /// Half the angle of a tooth at a radius of at least the base circle (radians).
    fn half_angle(self, radius: f64) -> f64 {
        let at_pitch = (0.25 * PI * MODULE - 0.25 * self.backlash) / self.pitch();
        let alpha = libm::acos((self.base() / radius).min(1.0));
        at_pitch + involute(PRESSURE.to_radians()) - involute(alpha)
    }

    /// Radius and angle (radians) of the corners of half a tooth, from its root to its tip.
    fn flank(self) -> Vec<(f64, f64)> {
        let (root, tip) = (self.pitch() - 1.25 * MODULE, self.pitch() + MODULE);
        let start = self.base().max(root);
        let foot = (root < start - 1e-9).then(|| (root, self.half_angle(start) + 1e-3));
        // Equal steps of the radius of curvature.
        let curvature = [start, tip].map(|r| (r * r - self.base() * self.base()).max(0.0).sqrt());
        let at = |k: usize| {
            let share = k as f64 / self.steps as f64;
            self.base().hypot(curvature[0] + (curvature[1] - curvature[0]) * share)
        };
        foot.into_iter().chain((0..=self.steps).map(|k| (at(k), self.half_angle(at(k))))).collect()
    }

    /// Largest distance of a chord of a flank from its involute (mm), beyond the chord at the base circle.
    fn sagitta(self) -> f64 {
        let of = |w: &[(f64, f64)]| {
            let [(r, a), (s, b)] = [w[0], w[1]];
            let squared = r * r + s * s - 2.0 * r * s * libm::cos(b - a);
            squared / (8.0 * (r * r - self.base() * self.base()).sqrt())
        };
        self.flank().windows(2).filter(|w| w[0].0 > self.base() + 1e-3).map(of).fold(0.0, f64::max)
    }

    /// The prism of the gear with a bore, turned by an angle (degrees).
    fn mesh(self, turned: f64) -> TriMesh {
        let flank = self.flank();
        let tooth = |k: usize| {
            let middle = 2.0 * PI * k as f64 / self.teeth as f64;
            let rising = flank.iter().map(move |(r, a)| (*r, middle - a));
            let falling = flank.iter().rev().map(move |(r, a)| (*r, middle + a));
            rising.chain(falling).collect::<Vec<_>>()
        };
        let outline: Vec<(f64, f64)> = (0..self.teeth).flat_map(tooth).collect();
        let bore = 0.6 * self.pitch();
        let row = |z: f64, radius: Option<f64>| -> Vec<Vec3> {
            let at = |(r, a): &(f64, f64)| {
                let r = radius.unwrap_or(*r);
                Vec3::new(r * libm::cos(*a), r * libm::sin(*a), z)
            };
            outline.iter().map(at).collect()
        };
        let outer = [-4.0, 4.0].map(|z| row(z, None));
        let inner = [-4.0, 4.0].map(|z| row(z, Some(bore)));
        moved(&tube_between(outer, inner), &Pose { rotation: about_z(turned), ..Pose::identity() })
    }

    /// The gear with one vertex of a flank `high` mm outside its place, at about the pitch circle of the tooth on the x
    /// axis, on the side of negative y.
    fn with_defect(self, high: f64) -> TriMesh {
        let mut mesh = self.mesh(0.0);
        let off = |(r, _): &(f64, f64)| (r - self.pitch()).abs();
        let flank = self.flank();
        let nearest = (0..flank.len()).min_by(|i, j| off(&flank[*i]).total_cmp(&off(&flank[*j]))).expect("a flank");
        mesh.vertices[nearest].y -= high / sin_cos_deg(PRESSURE).1;
        mesh
    }
}

/// Gear pairs with one vertex of a flank 0.02 mm in the flank of the other gear, while its tooth passes the line of
/// the centres. Poses of the static check give the ends of that part.
pub(crate) fn defects() -> Vec<Case> {
    let mut cases = Vec::new();
    for (teeth, steps) in [([20, 30], 12), ([24, 24], 10), ([18, 45], 12)] {
        let pair = Pair::new(teeth, steps, 0.0);
        let at = pair.gears[0].half_angle(pair.gears[0].pitch()).to_degrees();
        let parts = |high: f64| [pair.gears[0].with_defect(high), pair.meshes()[1].clone()];
        let case = |name, high, truth| Case {
            name,
            parts: parts(high),
            joints: pair.joints(),
            range: [at - 12.0, at + 12.0],
            limits: limits(),
            truth,
        };
        let [low, high] = pair.bounds();
        let clear = Truth { status: SweepStatus::Clear, gap: Some([0.2 * low, high]), failing: None };
        cases.push(case("gear with a vertex half the gap too high", 0.5 * low, clear));
        let unknown = fails(SweepStatus::Interference, None, End::At(at), End::At(at));
        let too_high = case("gear with a vertex 0.02 mm in its mate", high + 0.02, unknown);
        let [from, to] = [-1.0, 1.0].map(|side| static_end(&too_high, at, side));
        cases.push(Case { truth: fails(SweepStatus::Interference, None, from, to), ..too_high });
    }
    cases
}

/// The end of the failing part around `inside`, towards smaller (-1) or larger (1) values: between a pose that the
/// static check calls kept and one that it calls broken.
fn static_end(case: &Case, inside: f64, side: f64) -> End {
    /// Steps of half a degree up to here, then halvings.
    const STEPS: [u32; 2] = [12, 16];
    with_drawn_sweep(case, |sweep| {
        let run = Cell::between(case.range[0], case.range[1]);
        let lost = [sweep.quantum, sweep.residual];
        let work = Work::new([sweep.a, sweep.b], sweep.chain, &run, &sweep.limits, lost, sweep.tests);
        let depth = |q: f64| work.still.gap(&sweep.chain.pose(&[q]), TOLERANCE, None).gap.to_depth();
        let is_broken = |q: f64| depth(q)[0] > TOLERANCE;
        let is_kept = |q: f64| depth(q)[1] < TOLERANCE;
        assert!(is_broken(inside), "the middle is broken");
        let steps = (1..=STEPS[0]).map(|k| inside + side * 0.5 * f64::from(k));
        let outside = steps.into_iter().find(|q| is_kept(*q)).expect("the part ends within the run");
        // Between both ends, the static check may leave poses undecided.
        let last = |holds: &dyn Fn(f64) -> bool, yes: f64, no: f64| {
            (0..STEPS[1]).fold([yes, no], |[yes, no], _| {
                let middle = 0.5 * (yes + no);
                if holds(middle) { [middle, no] } else { [yes, middle] }
            })[0]
        };
        let (broken, kept) = (last(&is_broken, inside, outside), last(&is_kept, outside, inside));
        End::Bracketed(kept.min(broken), kept.max(broken))
    })
}

/// Two gears at a distance of their axes.
struct Pair {
    gears: [Gear; 2],
    /// Distance beyond that of the pitch circles (mm).
    apart: f64,
}

impl Pair {
    fn new(teeth: [usize; 2], steps: usize, apart: f64) -> Self {
        Self { gears: teeth.map(|teeth| Gear { teeth, backlash: 0.1, steps }), apart }
    }

    fn distance(&self) -> f64 {
        self.gears[0].pitch() + self.gears[1].pitch() + self.apart
    }

    /// Half of the normal backlash of two involutes at this distance: the gap of the flanks (mm).
    fn flank_gap(&self) -> f64 {
        let [first, second] = self.gears;
        let alpha = libm::acos((first.base() + second.base()) / self.distance());
        // Radii and thicknesses on the operating pitch circles.
        let radii = self.gears.map(|g| g.base() / libm::cos(alpha));
        let thick: f64 = (0..2).map(|i| 2.0 * radii[i] * self.gears[i].half_angle(radii[i])).sum();
        let circular = 2.0 * PI * radii[0] / first.teeth as f64 - thick;
        assert!((radii[0] + radii[1] - self.distance()).abs() < 1e-9, "operating pitch circles touch");
        0.5 * circular * libm::cos(alpha)
    }

    /// Bounds of the least gap of the polygons: their chords lie within the involutes.
    fn bounds(&self) -> [f64; 2] {
        let sagitta: f64 = self.gears.iter().map(|g| g.sagitta()).sum();
        [self.flank_gap(), self.flank_gap() + sagitta]
    }

    fn joints(&self) -> [Vec<ChainJoint>; 2] {
        let ratio = self.gears[0].teeth as f64 / self.gears[1].teeth as f64;
        [vec![turn([0.0; 3], 1.0)], vec![turn([self.distance(), 0.0, 0.0], -ratio)]]
    }

    /// A tooth of the first gear in a space of the second one.
    fn meshes(&self) -> [TriMesh; 2] {
        let [a, b] = self.gears;
        let half_step = 180.0 / b.teeth as f64;
        let second =
            moved(&b.mesh(180.0 + half_step), &Pose { translation: Vec3::x() * self.distance(), ..Pose::identity() });
        [a.mesh(0.0), second]
    }
}

fn within([low, high]: [f64; 2], status: SweepStatus) -> Truth {
    Truth { status, gap: Some([low, high]), failing: None }
}

/// A pair in mesh over one pitch and a half, as designed, pulled apart and pushed together.
pub(crate) fn gears() -> Vec<Case> {
    let mut cases = Vec::new();
    for (teeth, steps, apart) in [
        ([20, 30], 12, 0.0),
        ([20, 30], 12, 0.3),
        ([24, 24], 10, 0.0),
        ([18, 45], 12, 0.1),
        ([20, 30], 12, -0.05),
        ([30, 20], 12, -0.1),
    ] {
        let pair = Pair::new(teeth, steps, apart);
        let [low, high] = pair.bounds();
        let step = 360.0 / teeth[0] as f64;
        let case = |name, limits, truth| Case {
            name,
            parts: pair.meshes(),
            joints: pair.joints(),
            range: [-0.7 * step, 0.8 * step],
            limits,
            truth,
        };
        let ends = [End::At(-0.7 * step), End::At(0.8 * step)];
        let clear = if low > 0.01 { SweepStatus::Clear } else { SweepStatus::Contact };
        let gap = within([low, high], SweepStatus::Clear);
        let passing = if clear == SweepStatus::Clear { gap } else { passes(SweepStatus::Contact, None) };
        cases.push(case("gear pair", limits(), passing));
        if clear == SweepStatus::Clear {
            cases.push(case("gear pair with a clearance", clearance(0.9 * low), passing));
            cases.push(case("gear pair that may have its gap", largest(high + 0.001), within([0.0, 1.0], clear)));
            let loose = Truth { gap: Some([low, high]), ..fails(SweepStatus::Loose, None, ends[0], ends[1]) };
            cases.push(case("gear pair pulled apart", largest(0.8 * low), loose));
            let close = Truth { gap: Some([low, high]), ..fails(SweepStatus::TooClose, None, ends[0], ends[1]) };
            cases.push(case("gear pair closer than its clearance", clearance(1.5 * high), close));
        }
    }
    // The backlash is gone at a displacement of −j/(2·tan α); beyond it both flanks overlap.
    for apart in [-0.25, -0.4] {
        let pair = Pair::new([20, 30], 12, apart);
        assert!(pair.bounds()[1] < -0.01, "{:?}", pair.bounds());
        cases.push(Case {
            name: "gear pair jams",
            parts: pair.meshes(),
            joints: pair.joints(),
            range: [-3.0, 3.0],
            limits: limits(),
            truth: fails(SweepStatus::Interference, None, End::At(-3.0), End::At(3.0)),
        });
    }
    cases
}

/// A rack: straight flanks at the pressure angle.
pub(crate) fn racks() -> Vec<Case> {
    let mut cases = Vec::new();
    for (teeth, steps, lift) in [(20, 12, 0.0), (32, 12, 0.1), (24, 10, -0.05)] {
        let gear = Gear { teeth, backlash: 0.1, steps };
        let tangent = libm::tan(PRESSURE.to_radians());
        // The line of the pitch is at x = pitch + lift; teeth point towards the gear, spaces are at multiples of the
        // step.
        let step = PI * MODULE;
        let half = 0.25 * step - 0.25 * gear.backlash;
        let line = gear.pitch() + lift;
        let mut inner = Vec::new();
        for k in -4_i32..4 {
            let middle = (f64::from(k) + 0.5) * step;
            let corner = |x: f64, sign: f64| [line + x, middle + sign * (half + x * tangent)];
            inner.extend([
                corner(1.25 * MODULE, -1.0),
                corner(-MODULE, -1.0),
                corner(-MODULE, 1.0),
                corner(1.25 * MODULE, 1.0),
            ]);
        }
        let outer: Vec<[f64; 2]> = inner.iter().map(|p| [line + 9.0, p[1]]).collect();
        let n = inner.len();
        let row = |z: f64| inner.iter().chain(&outer).map(|p| Vec3::new(p[0], p[1], z)).collect::<Vec<_>>();
        let outline: Vec<usize> = (n..2 * n).chain((0..n).rev()).collect();
        let caps: Vec<[usize; 4]> = (0..n - 1).map(|k| [k, n + k, n + k + 1, k + 1]).collect();
        let rack = swept(&[row(-4.0), row(4.0)], &outline, &caps);
        // The lift moves each flank by lift·sin α along its normal.
        let gap = (0.5 * gear.backlash) * sin_cos_deg(PRESSURE).1 + lift * sin_cos_deg(PRESSURE).0;
        let bounds = [gap, gap + gear.sagitta()];
        let joints = [vec![slide([0.0, 1.0, 0.0], gear.pitch().to_radians())], vec![turn([0.0; 3], 1.0)]];
        let range = [-0.6, 0.9].map(|share| share * 360.0 / teeth as f64);
        let case = |name, limits, truth| Case {
            name,
            parts: [rack.clone(), gear.mesh(0.0)],
            joints: joints.clone(),
            range,
            limits,
            truth,
        };
        let [low, high] = bounds;
        let clear = within(bounds, SweepStatus::Clear);
        cases.push(case("rack", limits(), clear));
        cases.push(case("rack with a clearance", clearance(0.9 * low), clear));
        let ends = range.map(End::At);
        let close = Truth { gap: Some(bounds), ..fails(SweepStatus::TooClose, None, ends[0], ends[1]) };
        cases.push(case("rack closer than its clearance", clearance(1.5 * high), close));
    }
    cases
}
