//! Screws in their nuts: polygonal helices of a square thread in a groove.

use crate::geom::Vec3;
use crate::geom::math::sin_cos_deg;
use crate::mesh::TriMesh;
use crate::motion::{ChainJoint, Joint, JointKind, Law};
use crate::query::sweep::SweepStatus;
use crate::query::sweep::truth_bodies_tests::{channel_caps, channel_outline, swept};
use crate::query::sweep::truth_cases_tests::{Case, End, TOLERANCE, Truth, clearance, fails, limits, passes};
use crate::query::sweep::truth_tests::with_drawn_sweep;

/// A square thread: radii 10 and 12, 2 mm high.
#[derive(Clone, Copy)]
pub(crate) struct Thread {
    pub lead: f64,
    /// Facets of a turn.
    pub facets: usize,
    /// Distances of the flanks along the axis, and of crest and root across it (mm).
    pub axial: f64,
    pub radial: f64,
}

const CREST: f64 = 12.0;
const INSIDE: f64 = 10.0;

impl Thread {
    fn rows(self, section: &[[f64; 2]], turns: [f64; 2]) -> Vec<Vec<Vec3>> {
        let [from, to] = turns.map(|t| (t * self.facets as f64).round() as i64);
        let row = |k: i64| {
            let turn = k as f64 / self.facets as f64;
            let (s, c) = sin_cos_deg(360.0 * turn);
            section.iter().map(|[r, z]| Vec3::new(r * c, r * s, z + self.lead * turn)).collect()
        };
        (from..=to).map(row).collect()
    }

    /// The ridge of the screw.
    pub(crate) fn screw(self, turns: [f64; 2]) -> TriMesh {
        let section = [[INSIDE, -1.0], [INSIDE, 1.0], [CREST, 1.0], [CREST, -1.0]];
        swept(&self.rows(&section, turns), &[0, 1, 2, 3], &[[0, 1, 2, 3]])
    }

    /// The groove of the nut.
    pub(crate) fn nut(self, turns: [f64; 2]) -> TriMesh {
        let (inner, outer) = (1.0 + self.axial, 2.4);
        let root = CREST + self.radial;
        let section = [
            [INSIDE + 0.3, -outer],
            [INSIDE + 0.3, -inner],
            [root, -inner],
            [root, inner],
            [INSIDE + 0.3, inner],
            [INSIDE + 0.3, outer],
            [root + 1.5, outer],
            [root + 1.5, -outer],
        ];
        // Four points of the outside, then four of the groove, both from the lower lip to the upper one.
        let of_channel = [0, 7, 6, 5, 1, 2, 3, 4].map(|k| section[k]);
        let clockwise: Vec<usize> = channel_outline().into_iter().rev().collect();
        let caps = channel_caps().map(|[p, q, r, s]| [s, r, q, p]);
        swept(&self.rows(&of_channel, turns), &clockwise, &caps)
    }

    /// Bounds of the gap of the flanks: of the steepest facet, less the deviation of facets from the helicoid.
    fn flank_gap(self) -> [f64; 2] {
        [self.axial * self.slope(INSIDE) - self.twist(), self.axial * self.slope(CREST)]
    }

    /// Share of an axial distance that the flanks have across them, at a radius.
    fn slope(self, radius: f64) -> f64 {
        radius / radius.hypot(self.lead / (2.0 * std::f64::consts::PI))
    }

    /// Distance by which the diagonals of the facets of both threads miss the helicoid (mm).
    fn twist(self) -> f64 {
        self.lead.abs() / self.facets as f64 * (CREST + self.radial - INSIDE) / (CREST + INSIDE)
    }

    /// The gap of crest and root: a corner over the middle of a facet.
    fn crest_gap(self) -> f64 {
        (CREST + self.radial) * libm::cos(std::f64::consts::PI / self.facets as f64) - CREST
    }
}

impl Thread {
    /// Ends of the first part of a run in which crest and root come closer than a distance; `None` if they always are.
    /// The run starts where corner lies over corner. A corner at an angle from the middle of a facet of the root is
    /// closer to the facet by its height over the corner at the middle.
    fn first_close_crest(self, start: f64, distance: f64) -> Option<[f64; 2]> {
        let half = 180.0 / self.facets as f64;
        let apothem = (CREST + self.radial) * sin_cos_deg(half).1;
        let within = libm::acos((apothem - distance) / CREST).to_degrees();
        (within < half).then_some([start + half - within, start + half + within])
    }
}

pub(crate) fn screwed(lead: f64) -> ChainJoint {
    let joint = Joint { kind: JointKind::Screw { lead }, axis: Vec3::z(), at: Vec3::zeros() };
    ChainJoint { joint, law: Law::linear(1.0, 0.0) }
}

/// Screws that turn in their nuts.
pub(crate) fn screws() -> Vec<Case> {
    let mut cases = Vec::new();
    for (lead, facets, axial, radial) in [
        (6.0, 24, 0.2, 1.0),
        (6.0, 48, 0.1, 0.5),
        (-6.0, 36, 0.15, 0.8),
        (6.0, 24, 0.5, 0.2),
        (6.0, 36, 0.5, 0.1),
        (-6.0, 48, 0.6, 0.3),
    ] {
        let thread = Thread { lead, facets, axial, radial };
        let [low, high] = thread.flank_gap();
        let crest = thread.crest_gap();
        let bounds = [low.min(crest), high.min(crest)];
        assert!(bounds[0] > 0.01, "{bounds:?}");
        let case = |name, range, limits, truth| Case {
            name,
            parts: [thread.nut([0.0, 1.5]), thread.screw([-1.0, 2.5])],
            joints: [vec![], vec![screwed(lead)]],
            range,
            limits,
            truth,
        };
        let clear = Truth { status: SweepStatus::Clear, gap: Some(bounds), failing: None };
        let range = [-180.0, 200.0];
        let part = thread.first_close_crest(range[0], 1.2 * bounds[1]).filter(|_| crest < low).unwrap_or(range);
        let [from, to] = part.map(End::At);
        let close = Truth { gap: Some(bounds), ..fails(SweepStatus::TooClose, None, from, to) };
        cases.push(case("screw in its nut", range, limits(), clear));
        cases.push(case("screw keeps its clearance", range, clearance(0.9 * bounds[0]), clear));
        cases.push(case("screw closer than its clearance", range, clearance(1.2 * bounds[1]), close));
    }
    for (facets, radial) in [(64, 0.05), (96, 0.05), (512, 0.05)] {
        let thread = Thread { lead: 6.0, facets, axial: 0.0, radial };
        cases.push(Case {
            name: "screw in contact with its nut",
            parts: [thread.nut([0.0, 1.5]), thread.screw([-1.0, 2.5])],
            joints: [vec![], vec![screwed(thread.lead)]],
            range: [-90.0, 180.0],
            limits: limits(),
            truth: passes(SweepStatus::Contact, None),
        });
    }
    cases
}

/// Screws whose joint has another lead than their thread. A turn moves the flanks by the difference, so they touch
/// after axial / difference turns. At each step of a facet the facets of both threads lie parallel; in between they
/// come closer by at most the twist of a facet.
pub(crate) fn screws_of_wrong_lead() -> Vec<Case> {
    let mut cases = Vec::new();
    for (lead, facets, axial, more) in [(6.0, 48, 0.1, 0.6), (-6.0, 36, 0.15, 0.9), (6.0, 24, 0.2, -1.2)] {
        let thread = Thread { lead, facets, axial, radial: 0.6 };
        let step = 360.0 / facets as f64;
        // Angle after which the joint has moved the flanks by a distance along the axis.
        let after = |moved: f64| 360.0 * moved / f64::abs(more);
        let case = |name, end, truth| Case {
            name,
            parts: [thread.nut([0.0, 1.5]), thread.screw([-1.0, 2.5])],
            joints: [vec![], vec![screwed(lead + more)]],
            range: [-2.0 * step, end],
            limits: limits(),
            truth,
        };
        let before = step * (after(axial - thread.twist() - 0.02) / step).floor();
        let left = axial - f64::abs(more) * before / 360.0;
        let gap = Some([left * thread.slope(INSIDE) - thread.twist(), left * thread.slope(CREST)]);
        let clear = Truth { status: SweepStatus::Clear, gap, failing: None };
        cases.push(case("screw of wrong lead before its jam", before, clear));
        // With parallel facets the overlap holds a ball as thick as the distance of the facets.
        let latest = after(axial + TOLERANCE / thread.slope(INSIDE)) + step;
        let first = End::Between(after(axial - thread.twist()), latest);
        let jam = fails(SweepStatus::Interference, None, first, End::At(latest + step));
        cases.push(case("screw of wrong lead jams", latest + step, jam));
    }
    cases
}

#[test]
fn ends_between_threads_of_many_facets_are_narrow() {
    // Their flanks are twisted, and they have more triangles than small parts.
    let case = &screws_of_wrong_lead()[1];
    assert!(case.parts.iter().map(|mesh| mesh.triangles.len()).sum::<usize>() > 2_000);
    with_drawn_sweep(case, |sweep| {
        let answer = sweep.decide(&mut sweep.work(), &mut None);
        assert_eq!(answer.status, SweepStatus::Interference);
        // The displacement counts from the middle of the bracket.
        let is_narrow = |end: &[f64; 2]| 2.0 * sweep.moved(end[0], end[1]) <= 0.01 * TOLERANCE;
        let ends: Vec<[f64; 2]> = answer.failing.iter().flat_map(|f| [f.from, f.to]).collect();
        assert!(!ends.is_empty() && ends.iter().all(is_narrow), "{ends:?}");
    });
}
