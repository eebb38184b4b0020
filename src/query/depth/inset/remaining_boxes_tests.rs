//! Checks the remaining boxes against points deep in both solids.

use crate::geom::{Aabb, Pose, Vec3};
use crate::mesh::TriMesh;
use crate::query::depth::inset::certificate::InsetSurfaces;
use crate::query::depth::inset::remaining_boxes::remaining_boxes;
use crate::query::depth::search::tests::solid;
use crate::query::depth::search::{BranchAndBound, Target};
use crate::query::depth::{Precision, SolidSide};
use crate::query::triangles::pairing::Pairing;
use crate::shape::surface::placed::PlacedSurface;
use crate::shape::surface::{Inside, Surface};
use crate::testkit::rng::Rng;
use crate::testkit::solids::{block, joined, ring, translated};

/// Boxes around all points deeper than `tau` in both solids.
fn boxes_of(pairing: Pairing, tau: f64, rounding: f64, margin: f64, divides: bool) -> Option<Vec<Aabb>> {
    remaining_boxes(&InsetSurfaces::new(pairing, SolidSide::Inside, tau, rounding, divides), margin)
}

/// Two random solids, a random pose of the second one, and the rounding of their coordinates.
pub(super) fn two_solids(rng: &mut Rng, round: usize) -> ([Surface; 2], Pose, f64) {
    let solids = [solid(rng, round), solid(rng, round / 2)];
    let rotation = rng.rotation();
    let rounding = if round.is_multiple_of(3) || (round / 2).is_multiple_of(3) { 1e-6 } else { 1e-13 };
    (solids, Pose { rotation, translation: rng.in_cube() }, rounding)
}

/// Random walks towards greater depth: points in both solids, with their depths.
pub(super) fn deep_points(depth: &mut BranchAndBound, rng: &mut Rng) -> Vec<(Vec3, f64)> {
    let mut points = Vec::new();
    let mut look = |x: &Vec3| depth.evaluate(x).map_or(f64::NEG_INFINITY, |at| at[0].1.min(at[1].1));
    for _ in 0..40 {
        let mut place = rng.in_cube() * 2.5;
        let mut deepest = look(&place);
        for k in 0..60 {
            let x = place + rng.in_cube() * libm::exp2(-f64::from(k) / 10.0);
            let f = look(&x);
            if f > 0.0 {
                points.push((x, f));
            }
            if f > deepest {
                (deepest, place) = (f, x);
            }
        }
    }
    points
}

#[test]
fn every_deep_point_is_in_a_box() {
    let mut rng = Rng::new(17);
    let (mut asked, mut told, mut several, mut outside) = (0, 0, 0, 0);
    for round in 0..120 {
        let ([a, b], b_in_a, rounding) = two_solids(&mut rng, round);
        let sides = [PlacedSurface { surface: &a, pose: None }, PlacedSurface { surface: &b, pose: Some(&b_in_a) }];
        let all = Aabb { min: Vec3::repeat(-4.0), max: Vec3::repeat(4.0) };
        let mut depth = BranchAndBound::new(sides, &all, [f64::NEG_INFINITY, f64::INFINITY], rounding);
        let points = deep_points(&mut depth, &mut rng);
        let deepest = points.iter().map(|p| p.1).fold(0.0, f64::max);
        let pairing = Pairing { a: &a, b: &b, b_in_a: &b_in_a };
        for share in [0.1, 0.3, 0.5, 0.7, 0.9, 1.001] {
            let tau = share * deepest;
            let Some(boxes) = boxes_of(pairing, tau, rounding, 1e-12, round % 2 == 0) else { continue };
            told += 1;
            several += i32::from(boxes.len() > 1);
            // Intersecting boxes must be merged, so that one box contains a whole component.
            let meet = |(k, b): (usize, &Aabb)| boxes[..k].iter().any(|other| other.meets(b));
            assert!(!boxes.iter().enumerate().any(meet), "round {round}: {boxes:?}");
            for (x, f) in &points {
                let held = boxes.iter().any(|b| b.meets(&Aabb { min: *x, max: *x }));
                if *f > tau * (1.0 + 1e-9) {
                    assert!(held, "round {round}: {f} deep at {x:?}, tau {tau}, {boxes:?}");
                    asked += 1;
                } else {
                    outside += i32::from(!held);
                }
            }
        }
    }
    assert!(asked > 100_000 && told > 500 && several > 3 && outside > 5_000, "{asked} {told} {several} {outside}");
}

#[test]
fn search_in_boxes_has_the_bounds_of_the_whole_search() {
    let mut rng = Rng::new(29);
    let target = Target { above: f64::INFINITY, at_most: f64::NEG_INFINITY, width: Some(Precision::new(0.01, 0.001)) };
    let (mut compared, mut cells) = (0, [0, 0]);
    for round in 0..80 {
        let ([a, b], b_in_a, rounding) = two_solids(&mut rng, round);
        let sides = [PlacedSurface { surface: &a, pose: None }, PlacedSurface { surface: &b, pose: Some(&b_in_a) }];
        let all = Aabb { min: Vec3::repeat(-4.0), max: Vec3::repeat(4.0) };
        let search = || BranchAndBound::new(sides, &all, [f64::NEG_INFINITY, f64::INFINITY], rounding);
        let mut whole = search();
        if !whole.refine(&target, 20_000) || whole.lower() <= 0.02 {
            continue;
        }
        let tau = 0.95 * whole.lower();
        let pairing = Pairing { a: &a, b: &b, b_in_a: &b_in_a };
        let Some(boxes) = boxes_of(pairing, tau, rounding, 1e-12, round % 2 == 0) else { continue };
        let mut confined = search();
        if round.is_multiple_of(4) {
            // Cells of a search under way are cut, too.
            confined.refine(&target, 40);
        }
        confined.confine(&boxes, tau);
        assert!(confined.refine(&target, 20_000), "round {round}: {} cells", confined.cells);
        let of = |search: &BranchAndBound| [search.lower(), search.upper()];
        let ([low, high], [least, most]) = (of(&confined), of(&whole));
        assert!(high >= least - 1e-9 && low <= most + 1e-9, "round {round}: {low} to {high}, {least} to {most}");
        compared += 1;
        cells = [cells[0] + confined.cells, cells[1] + whole.cells];
    }
    assert!(compared > 40 && cells[0] < cells[1], "{compared} {cells:?}");
}

#[test]
fn enclosed_parts_without_crossing_are_included() {
    // A long bar through a wall and, elsewhere, a cube within another: the inset surfaces cross only at the bar.
    let at = |mesh: TriMesh, x: f64, y: f64, z: f64| translated(&mesh, Vec3::new(x, y, z));
    let a = joined(&[
        at(block([0.0; 3], [1.0, 9.0, 9.0]), -0.5, -4.5, -4.5),
        at(block([0.0; 3], [6.0; 3]), 17.0, -3.0, -3.0),
    ]);
    let b = joined(&[
        at(block([0.0; 3], [9.0, 1.0, 1.0]), -4.5, -0.5, -0.5),
        at(block([0.0; 3], [4.0; 3]), 18.0, -2.0, -2.0),
    ]);
    let [a, b] = [a, b].map(|mesh| Surface::new(&mesh, &Vec3::zeros(), Inside::Solid));
    let b_in_a = Pose::identity();
    for pairing in [Pairing { a: &a, b: &b, b_in_a: &b_in_a }, Pairing { a: &b, b: &a, b_in_a: &b_in_a }] {
        // The bar has a depth of half a unit, the cube of two units.
        for tau in [0.4, 0.6] {
            assert_eq!(boxes_of(pairing, tau, 1e-13, 1e-13, tau > 0.5), None);
        }
    }
}

#[test]
fn peg_is_covered_up_to_its_tip() {
    // Only the triangles between z = -2 and z = 2 cross the plate's upper face.
    let plate = translated(&block([0.0; 3], [8.0; 3]), Vec3::new(-4.0, -4.0, -8.0));
    let wall = [[0.1, 6.0], [0.1, 2.0], [0.1, -2.0], [0.1, -4.0], [0.1, -6.0]];
    let outer = wall.map(|[_, z]| [0.5, -z]);
    let peg = ring(&[wall, outer].concat(), 12);
    let [a, b] = [plate, peg].map(|mesh| Surface::new(&mesh, &Vec3::zeros(), Inside::Solid));
    let b_in_a = Pose::identity();
    for pairing in [Pairing { a: &a, b: &b, b_in_a: &b_in_a }, Pairing { a: &b, b: &a, b_in_a: &b_in_a }] {
        let boxes = boxes_of(pairing, 0.15, 1e-13, 1e-13, true).expect("few triangles cross");
        let tip = Vec3::new(0.3, 0.0, -5.7);
        assert!(boxes.iter().any(|b| b.meets(&Aabb { min: tip, max: tip })), "{boxes:?}");
    }
}

#[test]
fn boxes_leave_out_the_parts_of_long_triangles_outside_the_other_solid() {
    // The faces of the plate are two triangles each, far longer than the tip in them.
    let plate = block([-50.0, -50.0, -1.0], [50.0, 50.0, 0.0]);
    let tip = block([3.0, 4.0, -0.5], [5.0, 6.0, 8.0]);
    let [a, b] = [plate, tip].map(|mesh| Surface::new(&mesh, &Vec3::zeros(), Inside::Solid));
    let b_in_a = Pose::identity();
    for pairing in [Pairing { a: &a, b: &b, b_in_a: &b_in_a }, Pairing { a: &b, b: &a, b_in_a: &b_in_a }] {
        for divides in [false, true] {
            let boxes = boxes_of(pairing, 0.2, 1e-13, 1e-13, divides).expect("few triangles cross");
            let around = Aabb { min: Vec3::new(3.0, 4.0, -1.0), max: Vec3::new(5.0, 6.0, 0.0) };
            assert!(
                !boxes.is_empty() && boxes.iter().all(|b| around.contains(&b.min) && around.contains(&b.max)),
                "{boxes:?}"
            );
        }
    }
}
