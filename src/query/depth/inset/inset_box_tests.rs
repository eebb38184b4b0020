//! Checks insets within boxes against points deep in both solids.

use crate::geom::{Aabb, Pose, Vec3};
use crate::query::depth::SolidSide;
use crate::query::depth::inset::certificate::{InsetResult, InsetSurfaces};
use crate::query::depth::inset::remaining_boxes::remaining_boxes;
use crate::query::depth::inset::remaining_boxes_tests::{deep_points, two_solids};
use crate::query::depth::search::BranchAndBound;
use crate::query::triangles::pairing::Pairing;
use crate::shape::surface::placed::PlacedSurface;
use crate::shape::surface::{Inside, Surface};
use crate::testkit::rng::Rng;
use crate::testkit::solids::{block, joined};

const MARGIN: f64 = 1e-12;

fn surface(parts: &[crate::mesh::TriMesh]) -> Surface {
    Surface::new(&joined(parts), &Vec3::zeros(), Inside::Solid)
}

#[test]
fn no_deep_point_of_a_box_is_missed() {
    let mut rng = Rng::new(41);
    let (mut apart, mut denied, mut alone, mut told, mut held_points) = (0, 0, 0, 0, 0);
    for round in 0..120 {
        let ([a, b], b_in_a, rounding) = two_solids(&mut rng, round);
        let sides = [PlacedSurface { surface: &a, pose: None }, PlacedSurface { surface: &b, pose: Some(&b_in_a) }];
        let all = Aabb { min: Vec3::repeat(-4.0), max: Vec3::repeat(4.0) };
        let mut depth = BranchAndBound::new(sides, &all, [f64::NEG_INFINITY, f64::INFINITY], rounding);
        let points = deep_points(&mut depth, &mut rng);
        let deepest = points.iter().map(|p| p.1).fold(0.0, f64::max);
        let pairing = Pairing { a: &a, b: &b, b_in_a: &b_in_a };
        for share in [0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95] {
            let tau = share * deepest;
            // A box around a random point in both solids, of random size.
            let Some((middle, _)) = points.get(rng.below(points.len().max(1))) else { continue };
            let half = (rng.in_cube() * 0.5).abs() + Vec3::repeat(tau);
            let bounds = Aabb { min: middle - half, max: middle + half };
            let divides = round % 2 == 0;
            let insets = InsetSurfaces::within(pairing, tau, [rounding, MARGIN], divides, &[bounds]);
            let tested = bounds.inflated(-tau);
            let deep = || points.iter().filter(|(x, f)| tested.contains(x) && *f > tau * (1.0 + 1e-9));
            match insets.certify() {
                InsetResult::Apart => {
                    apart += 1;
                    let missed = deep().next();
                    assert!(missed.is_none(), "round {round}: {missed:?} in {tested:?}, tau {tau}");
                    let whole = InsetSurfaces::new(pairing, SolidSide::Inside, tau, rounding, divides).certify();
                    alone += i32::from(whole != InsetResult::Apart);
                }
                InsetResult::Meet(_) | InsetResult::Nested => denied += 1,
            }
            let Some(boxes) = remaining_boxes(&insets, MARGIN) else { continue };
            told += 1;
            for (x, f) in deep() {
                let held = boxes.iter().any(|b| b.inflated(1e-9).contains(x));
                assert!(held, "round {round}: {f} deep at {x:?}, tau {tau}, {tested:?}, {boxes:?}");
                held_points += 1;
            }
        }
    }
    assert!(
        apart > 30 && denied > 200 && alone > 30 && told > 200 && held_points > 20_000,
        "{apart} {denied} {alone} {told} {held_points}"
    );
}

#[test]
fn a_shallow_place_is_certified_beside_a_deep_one() {
    // Two pegs in one plate: one by 0.4, the other by 2.
    let plate = surface(&[block([-20.0, -20.0, -5.0], [20.0, 20.0, 0.0])]);
    let pegs = surface(&[block([-11.0, -1.0, -0.4], [-9.0, 1.0, 8.0]), block([9.0, -1.0, -2.0], [11.0, 1.0, 8.0])]);
    let b_in_a = Pose::identity();
    let shallow = Aabb { min: Vec3::new(-11.0, -1.0, -0.4), max: Vec3::new(-9.0, 1.0, 0.0) };
    let deep = Aabb { min: Vec3::new(9.0, -1.0, -2.0), max: Vec3::new(11.0, 1.0, 0.0) };
    for pairing in [Pairing { a: &plate, b: &pegs, b_in_a: &b_in_a }, Pairing { a: &pegs, b: &plate, b_in_a: &b_in_a }]
    {
        for divides in [false, true] {
            let certify = |tau: f64, boxes: &[Aabb]| {
                InsetSurfaces::within(pairing, tau, [1e-13, MARGIN], divides, boxes).certify()
            };
            assert_eq!(certify(0.21, &[shallow]), InsetResult::Apart);
            assert!(matches!(certify(0.19, &[shallow]), InsetResult::Meet(_)));
            assert!(matches!(certify(0.21, &[shallow, deep]), InsetResult::Meet(_)));
            let whole = InsetSurfaces::new(pairing, SolidSide::Inside, 0.21, 1e-13, divides);
            assert!(matches!(whole.certify(), InsetResult::Meet(_)));
        }
    }
}

#[test]
fn a_box_with_a_part_in_both_solids_is_not_certified() {
    // The small cube lies in the large one: the inset surfaces do not cross.
    let large = surface(&[block([-5.0; 3], [5.0; 3])]);
    let small = surface(&[block([-2.0; 3], [2.0; 3])]);
    let b_in_a = Pose::identity();
    let around = Aabb { min: Vec3::repeat(-2.5), max: Vec3::repeat(2.5) };
    let corner = Aabb { min: Vec3::repeat(0.0), max: Vec3::repeat(2.5) };
    let within = Aabb { min: Vec3::repeat(-1.6), max: Vec3::repeat(1.6) };
    for pairing in
        [Pairing { a: &large, b: &small, b_in_a: &b_in_a }, Pairing { a: &small, b: &large, b_in_a: &b_in_a }]
    {
        for bounds in [around, corner, within] {
            let insets = InsetSurfaces::within(pairing, 0.3, [1e-13, MARGIN], false, &[bounds]);
            assert_ne!(insets.certify(), InsetResult::Apart, "{bounds:?}");
            let tested = bounds.inflated(-0.3);
            let boxes = remaining_boxes(&insets, MARGIN).expect("no crossings");
            // All points of the small cube deeper than 0.3 that the box tests.
            let deep = tested.intersection(&Aabb { min: Vec3::repeat(-1.7), max: Vec3::repeat(1.7) });
            assert!(boxes.iter().any(|b| b.contains(&deep.min) && b.contains(&deep.max)), "{boxes:?}");
        }
    }
}

#[test]
fn a_box_thinner_than_the_inset_needs_no_test() {
    let cube = surface(&[block([-5.0; 3], [5.0; 3])]);
    let b_in_a = Pose::identity();
    let pairing = Pairing { a: &cube, b: &cube, b_in_a: &b_in_a };
    let thin = Aabb { min: Vec3::new(-1.0, -1.0, -0.1), max: Vec3::new(1.0, 1.0, 0.1) };
    assert_eq!(InsetSurfaces::within(pairing, 0.14, [1e-13, MARGIN], false, &[thin]).certify(), InsetResult::Apart);
    assert_ne!(InsetSurfaces::within(pairing, 0.09, [1e-13, MARGIN], false, &[thin]).certify(), InsetResult::Apart);
}
