//! Sweeps with answers in closed form, each as drawn, turned, far from the origin, and with the parts exchanged.

use crate::geom::math::UNIT_ROUNDOFF;
use crate::geom::{Pose, Vec3};
use crate::mesh::TriMesh;
use crate::motion::{Chain, ChainJoint, Joint, JointKind};
use crate::query::depth::tests::{Part, part_with};
use crate::query::sweep::truth_cases_tests::{Case, End, TOLERANCE, bars, blades, chains, doors, hinges, pins, slides};
use crate::query::sweep::truth_loose_tests::{lifted, plates, shoes, sliders};
use crate::query::sweep::{DEFAULT_TESTS, Sweep, SweepAnswer};
use crate::shape::surface::Inside;
use crate::testkit::poses::{about_z, oblique};
use crate::testkit::solids::moved;

/// Position of the assembly of a case.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    AsDrawn,
    Turned,
    Far,
}

/// Runs a case at a place, with the parts exchanged or not.
fn run(case: &Case, place: Place, exchanged: bool) -> SweepAnswer {
    let at = match place {
        Place::AsDrawn => Pose::identity(),
        Place::Turned => Pose { rotation: oblique(), translation: Vec3::new(3.0, -70.0, 11.0) },
        Place::Far => Pose { rotation: about_z(31.0), translation: Vec3::new(1e6, -1e6, 1e6) },
    };
    // A turned part has turned vertices; a far one a far placement.
    let parts: Vec<(Part, Pose)> = case
        .parts
        .iter()
        .map(|mesh| {
            let (mesh, place) = match place {
                Place::Far => (mesh.clone(), at),
                Place::AsDrawn | Place::Turned => (moved(mesh, &at), Pose::identity()),
            };
            let part = part_with(&mesh, Inside::Solid);
            let drawn = Pose { translation: place.point(&part.convex.origin), ..place };
            (part, drawn)
        })
        .collect();
    let joints = case.joints.each_ref().map(|side| {
        let placed = |j: &ChainJoint| {
            let joint = Joint { axis: at.direction(&j.joint.axis), at: at.point(&j.joint.at), ..j.joint };
            ChainJoint { joint, law: j.law.clone() }
        };
        side.iter().map(placed).collect::<Vec<_>>()
    });
    let (first, second) = if exchanged { (1, 0) } else { (0, 1) };
    let chain = Chain::new(&parts[first].1, &parts[second].1, &joints[first], &joints[second]);
    let residual = if place == Place::Far { 64.0 * UNIT_ROUNDOFF * 2e6 } else { 0.0 };
    Sweep {
        a: parts[first].0.body(),
        b: parts[second].0.body(),
        chain: &chain,
        range: case.range,
        limits: case.limits,
        quantum: 1e-12,
        residual,
        tests: DEFAULT_TESTS,
        measured: true,
        measures_clear: true,
        first_failing: false,
    }
    .answer()
}

/// Checks one end of a failing part: it holds the true value, and is as narrow as promised.
fn check_end(label: &str, found: [f64; 2], truth: End, speed: f64) {
    let slack = 1e-9 * (1.0 + found[0].abs());
    match truth {
        End::At(x) => assert!(found[0] - slack <= x && x <= found[1] + slack, "{label}: {x} in {found:?}"),
        End::Between(low, high) => {
            assert!(low - slack <= found[0] && found[1] <= high + slack, "{label}: {found:?} in {low} to {high}");
        }
    }
    let moves = (found[1] - found[0]) * speed;
    assert!(moves <= 0.01 * TOLERANCE * 1.01, "{label}: {found:?} moves {moves} mm");
}

/// Upper bound of the speed of B relative to A (mm for a unit of the parameter).
fn speed(case: &Case) -> f64 {
    let of = |mesh: &TriMesh, j: &ChainJoint| {
        let rate = j.law.rate(0).abs();
        match j.joint.kind {
            JointKind::Prismatic => rate,
            _ => rate.to_radians() * mesh.vertices.iter().map(|v| (v - j.joint.at).xy().norm()).fold(0.0, f64::max),
        }
    };
    case.joints[1].iter().map(|j| of(&case.parts[1], j)).sum()
}

fn check(cases: &[Case], most_tests: u64) {
    for case in cases {
        for place in [Place::AsDrawn, Place::Turned, Place::Far] {
            for exchanged in [false, true] {
                let answer = run(case, place, exchanged);
                if std::env::var_os("INTERFERE_SHOW").is_some() {
                    let (gap, failing) = (answer.worst.map(|w| w.gap), &answer.failing);
                    println!(
                        "{}, {place:?}, {exchanged}: {:?} {gap:?} {failing:?} {}",
                        case.name, answer.status, answer.tests
                    );
                }
                let label = format!("{} {place:?} exchanged {exchanged}: {answer:?}", case.name);
                assert_eq!(answer.status, case.truth.status, "{label}");
                assert!(answer.tests <= most_tests, "{label}");
                if case.truth.failing.is_none() {
                    assert!(answer.failing.is_empty() && answer.proved == 1.0 && answer.open.is_empty(), "{label}");
                }
                if let Some(gap) = case.truth.gap {
                    let worst = answer.worst.expect("a measured run has a worst pose").gap;
                    assert!(worst.lower <= gap + 1e-7 && gap <= worst.upper + 1e-7, "{gap} {label}");
                    let wide = if gap > 0.0 { 0.01 * gap.max(10.0 * TOLERANCE) } else { (-0.05 * gap).max(TOLERANCE) };
                    assert!(worst.width() <= wide * 1.01 + 1e-6, "{wide} {label}");
                }
                if let Some([from, to]) = case.truth.failing {
                    let found = answer.failing.first().expect("a failing run has a failing part");
                    check_end(&label, found.from, from, speed(case));
                    check_end(&label, found.to, to, speed(case));
                }
            }
        }
    }
}

#[test]
fn bars_before_walls() {
    check(&bars(), 200_000);
}

#[test]
fn blades_past_fins() {
    check(&blades(), 200_000);
}

#[test]
fn doors_in_frames() {
    check(&doors(), 200_000);
}

#[test]
fn leaves_of_hinges() {
    check(&hinges(), 200_000);
}

#[test]
fn pins_in_bores() {
    check(&pins(), 2_000_000);
}

#[test]
fn slides_and_pistons() {
    check(&slides(), 2_000_000);
}

#[test]
fn chains_of_joints() {
    check(&chains(), 400_000);
}

#[test]
fn gaps_of_sliders_and_shoes() {
    check(&sliders(), 200_000);
    check(&shoes(), 200_000);
}

#[test]
fn gaps_of_hinges_and_plates() {
    check(&lifted(), 200_000);
    check(&plates(), 200_000);
}
