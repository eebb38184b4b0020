//! Contacts by design with one vertex too high: tables, pins and screws.

use crate::geom::Vec3;
use crate::query::sweep::SweepStatus;
use crate::query::sweep::truth_bodies_tests::{Plate, plane_case};
use crate::query::sweep::truth_cases_tests::{Case, End, fails, limits, slide, turn};
use crate::query::sweep::truth_plane_tests::{Outline, rectangle, regular};
use crate::query::sweep::truth_screws_tests::{Thread, screwed};
use crate::testkit::solids::{circle, extruded, tube_between};

/// A table with a ridge of some height and half width at x = 20, along z.
fn ridged(half: f64, height: f64) -> Plate {
    let ridge = vec![[20.0 - half, 0.0], [20.0 + half, 0.0], [20.0, height]];
    // The first corner sees all others, also the foot of a steep ridge.
    let outline = [
        [20.0, -5.0],
        [100.0, -5.0],
        [100.0, 0.0],
        [20.0 + half, 0.0],
        [20.0, height],
        [20.0 - half, 0.0],
        [-100.0, 0.0],
        [-100.0, -5.0],
    ];
    let table = rectangle([-100.0, 100.0], [-5.0, 0.0]);
    Plate { pieces: vec![table, ridge], mesh: extruded(&outline, [-20.0, 20.0]) }
}

/// A flush foot over a ridge: within the tolerance, and beyond.
pub(crate) fn ridges() -> Vec<Case> {
    let mut cases = Vec::new();
    for (half, height) in [(5.0, 0.02), (1.0, 0.02), (15.0, 0.05), (0.5, 0.03), (5.0, 0.007), (0.1, 0.015)] {
        for foot in [4.0, 12.0] {
            let pair = [ridged(half, height), Plate::convex(rectangle([-foot, foot], [0.0, 8.0]), 4.0)];
            let joints = [vec![], vec![slide([1.0, 0.0, 0.0], 1.0)]];
            let name = if height > 0.01 { "slide over a ridge that is too high" } else { "slide over a low ridge" };
            cases.push(plane_case(name, &pair, joints, [-60.0, 70.0], limits()));
        }
    }
    cases
}

/// A bore of `m` facets with a radius of 5, as its facets.
fn faceted(m: usize) -> Plate {
    let [inner, outer] = [5.0, 9.0].map(|r| regular(m, r, [0.0; 2], 0.0));
    let facet = |k: usize| {
        let j = (k + 1) % m;
        vec![outer[k], outer[j], inner[j], inner[k]]
    };
    let rows = |r: f64| [circle(m, r, -10.0), circle(m, r, 10.0)];
    Plate { pieces: (0..m).map(facet).collect(), mesh: tube_between(rows(9.0), rows(5.0)) }
}

/// A pin whose corners touch the facets of its bore, with one corner too far out: it meets each facet in its middle.
pub(crate) fn pins_with_a_defect() -> Vec<Case> {
    let mut cases = Vec::new();
    for (n, m, high) in [(64, 16, 0.02), (32, 12, 0.02), (48, 10, 0.05), (24, 16, 0.004), (16, 9, 0.03)] {
        let apothem = 5.0 * libm::cos(std::f64::consts::PI / m as f64);
        let mut pin: Outline = regular(n, apothem, [0.0; 2], 0.0);
        pin[0][0] += high;
        let pair = [faceted(m), Plate::convex(pin, 14.0)];
        let joints = [vec![], vec![turn([0.0; 3], 1.0)]];
        let step = 360.0 / m as f64;
        let name =
            if high > 0.01 { "pin with a corner 0.02 mm too high" } else { "pin with a corner a little too high" };
        // Two facets, from a corner of the bore to another one.
        cases.push(plane_case(name, &pair, joints, [3.0 * step, 5.0 * step], limits()));
    }
    cases
}

/// A screw with one vertex in the flank of the nut, from where this vertex enters the nut.
pub(crate) fn screws_with_a_defect() -> Vec<Case> {
    let mut cases = Vec::new();
    for (facets, early) in [(24, 0.25), (36, 0.5), (48, 0.25)] {
        let thread = Thread { lead: 6.0, facets, axial: 0.1, radial: 0.6 };
        let mut screw = thread.screw([-1.0, 2.5]);
        // The rows start at one turn before the nut; the third corner of a row is on the upper flank, at the crest.
        let row = ((1.0 - early) * facets as f64).round() as usize;
        let vertex = 4 * row + 2;
        screw.vertices[vertex] += Vec3::z() * 0.16;
        let facet = 360.0 / facets as f64;
        let enters = 360.0 * early;
        cases.push(Case {
            name: "screw with a vertex in the flank of its nut",
            parts: [thread.nut([0.0, 1.5]), screw],
            joints: [vec![], vec![screwed(thread.lead)]],
            range: [0.0, enters + 60.0],
            limits: limits(),
            truth: fails(
                SweepStatus::Interference,
                None,
                End::Between(enters - 1.5 * facet, enters + 1.5 * facet),
                End::At(enters + 60.0),
            ),
        });
    }
    cases
}
