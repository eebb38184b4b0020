//! Bounds of boxes and triangles against sampled poses.

use crate::geom::triangle::{closest, intersects};
use crate::geom::{Pose, Vec3};
use crate::motion::{Cell, Chain, ChainJoint, Frame, Joint, JointKind, Law};
use crate::query::sweep::body::{Body, MovingPair};
use crate::testkit::rng::Rng;

/// A chain of one to three joints on one to three parameters.
pub(crate) fn random_chain(rng: &mut Rng) -> Chain {
    let parameters = 1 + rng.below(3);
    let common = (rng.below(3) == 0).then(|| rng.direction());
    let joints = (0..=rng.below(3))
        .map(|_| {
            let kind = [JointKind::Revolute, JointKind::Prismatic, JointKind::Screw { lead: rng.signed() * 9.0 }];
            let joint = Joint {
                kind: kind[rng.below(3)],
                axis: common.unwrap_or_else(|| rng.direction()),
                at: rng.in_cube() * 20.0,
            };
            let rates = (0..parameters).map(|_| rng.signed() * 30.0).collect();
            ChainJoint { joint, law: Law::of_rates(rates, rng.signed() * 90.0) }
        })
        .collect();
    Chain { drawn: rng.pose(20.0), joints }
}

/// A box with perpendicular arms, and points of it.
fn random_box(rng: &mut Rng) -> (Body, Vec<Vec3>) {
    let (pose, half) = (rng.pose(20.0), rng.in_unit_cube() * rng.scale(0.1, 10.0));
    let arms = [0, 1, 2].map(|k| pose.rotation.column(k) * half[k]);
    let points = (0..6).map(|_| {
        let s = rng.in_cube().map(|x| if x.abs() > 0.5 { x.signum() } else { x });
        pose.translation + arms[0] * s.x + arms[1] * s.y + arms[2] * s.z
    });
    (Body::Box { center: pose.translation, arms, skew: 0.0 }, points.collect())
}

fn random_triangle(rng: &mut Rng) -> [Vec3; 3] {
    let (at, size) = (rng.in_cube() * 20.0, rng.scale(0.1, 10.0));
    [0, 1, 2].map(|_| at + rng.in_cube() * size)
}

#[test]
fn no_pose_of_a_cell_beats_the_bounds_of_boxes_and_triangles() {
    let full = std::env::var_os("INTERFERE_FULL").is_some();
    let mut rng = Rng::new(31);
    let (mut sharpest, mut separated) = (0.0_f64, 0);
    for _ in 0..if full { 2_000_000 } else { 3000 } {
        let chain = random_chain(&mut rng);
        let parameters = chain.parameters();
        let center: Vec<f64> = (0..parameters).map(|_| rng.signed()).collect();
        let half: Vec<f64> = (0..parameters).map(|_| rng.scale(1e-3, 1.0) / parameters as f64).collect();
        let frame = Frame::new(&chain, &Cell { center: center.clone(), half: half.clone() });
        let (box_a, points_a) = random_box(&mut rng);
        let (box_b, points_b) = random_box(&mut rng);
        let (s, t) = (random_triangle(&mut rng), random_triangle(&mut rng));
        let bound = |a: &Body, b: &Body| MovingPair::new(a, b, &frame).distance_bound(f64::INFINITY, None);
        let boxes = bound(&box_a, &box_b);
        let triangles = bound(&Body::Triangle(s), &Body::Triangle(t));
        let mixed = bound(&box_a, &Body::Triangle(t));
        separated += usize::from(triangles > 0.0);
        for _ in 0..6 {
            let mut step = || if rng.below(2) == 0 { rng.signed() } else { 1.0 };
            let q: Vec<f64> = center.iter().zip(&half).map(|(c, h)| c + h * step()).collect();
            let pose = chain.pose(&q);
            let placed = t.map(|x| pose.point(&x));
            for (x, y) in points_a.iter().zip(&points_b) {
                assert!((pose.point(y) - x).norm() >= boxes - 1e-10);
                assert!(placed.iter().all(|y| (y - x).norm() >= mixed - 1e-10));
            }
            let d = if intersects(&s, &placed) { 0.0 } else { closest(&s, &placed).squared.sqrt() };
            assert!(d >= triangles - 1e-10, "{d} {triangles}");
            sharpest = sharpest.max(triangles / d);
        }
    }
    assert!(sharpest > 0.98 && separated > 500, "{sharpest} {separated}");
}

#[test]
fn a_face_that_slides_along_another_keeps_its_distance() {
    let joint = Joint { kind: JointKind::Prismatic, axis: Vec3::x(), at: Vec3::zeros() };
    let chain = Chain { drawn: Pose::identity(), joints: vec![ChainJoint { joint, law: Law::linear(1.0, 0.0) }] };
    let frame = Frame::new(&chain, &Cell::between(-1000.0, 1000.0));
    let lower = Body::Triangle([Vec3::zeros(), Vec3::x(), Vec3::y()]);
    let upper = Body::Triangle([Vec3::new(0.0, 0.0, 0.25), Vec3::new(1.0, 0.0, 0.25), Vec3::new(0.0, 1.0, 0.25)]);
    let bound = MovingPair::new(&lower, &upper, &frame).distance_bound(f64::INFINITY, None);
    assert!((bound - 0.25).abs() < 1e-15);
}

#[test]
fn a_face_that_turns_above_another_keeps_its_distance() {
    // Two parallel axes across both faces; the upper face is not quite parallel to the lower one.
    let turn = |at: Vec3, rate: f64| ChainJoint {
        joint: Joint { kind: JointKind::Revolute, axis: Vec3::z(), at },
        law: Law::linear(rate, 0.0),
    };
    let chain = Chain { drawn: Pose::identity(), joints: vec![turn(Vec3::zeros(), 20.0), turn(Vec3::x() * 9.0, -7.0)] };
    let frame = Frame::new(&chain, &Cell::between(-1.0, 1.0));
    let lower = Body::Triangle([Vec3::zeros(), Vec3::x(), Vec3::y()]);
    let upper = [1.0e-6, 1.01e-6, 1.0e-6].map(|z| Vec3::z() * z);
    let upper = Body::Triangle([upper[0], upper[1] + Vec3::x(), upper[2] + Vec3::y()]);
    let pair = MovingPair::new(&lower, &upper, &frame);
    assert!((pair.distance_bound(0.9e-6, None) - 1e-6).abs() < 2e-8);
    assert!(pair.with_full_remainder().distance_bound(0.9e-6, None) <= 0.0);
}
