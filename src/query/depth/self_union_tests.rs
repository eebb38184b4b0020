//! Parts with overlapping shells (self-union), paired with other parts.

use crate::geom::tolerance::roundoff_mm;
use crate::geom::{Mat3, Pose, Vec3};
use crate::mesh::TriMesh;
use crate::query::depth::tests::{Part, part_with, placed};
use crate::query::depth::*;
use crate::shape::self_union::SelfUnion;
use crate::shape::surface::Inside;
use crate::testkit::poses::oblique;
use crate::testkit::rng::Rng;
use crate::testkit::solids::{block, joined, moved, prism, translated, tube};

/// Bounds of the depth (mm), `[-d, -d]` at a distance d.
fn bracket(a: &Part, b: &Part) -> [f64; 2] {
    let pose = placed(a, b);
    let margin = roundoff_mm(a.convex.diameter, b.convex.diameter, pose.translation.norm());
    let ask = OverlapQuery { margin, rounding: margin, reach: 0.5, deep: None };
    match classify(a.body(), b.body(), &pose, &ask).relation {
        PairRelation::Beyond(d) => [f64::NEG_INFINITY, -d],
        PairRelation::Apart(apart) => [-apart.distance; 2],
        PairRelation::Meets(mut m) => {
            m.decide_threshold(0.01);
            m.refine_to(&Precision::new(0.01, 0.001));
            m.gap_bounds().to_depth()
        }
    }
}

/// Both orders, in two orientations: every bracket contains the depth and is narrow.
fn assert_depth(name: &str, a: &TriMesh, b: &TriMesh, known: f64) {
    for rotation in [Mat3::identity(), oblique()] {
        let pose = Pose { rotation, translation: Vec3::new(5.0, -3.0, 8.0) };
        let [p, q] = [a, b].map(|m| part_with(&moved(m, &pose), Inside::Solid));
        for t in [bracket(&p, &q), bracket(&q, &p)] {
            assert!(t[0] <= known + 1e-11 && known <= t[1] + 1e-11, "{name} {t:?} {known}");
            assert!(t[1] - t[0] <= (0.01 * known.abs()).max(0.001), "{name} {t:?} {known}");
        }
    }
}

/// A slab of two blocks, each with a wall inside the other, height 10.
fn slab() -> TriMesh {
    joined(&[block([0.0; 3], [20.0, 30.0, 10.0]), block([14.0, 2.0, 0.0], [40.0, 28.0, 10.0])])
}

#[test]
fn the_union_of_overlapping_shells_counts() {
    let on = |z: f64| block([10.0, 10.0, z], [24.0, 20.0, z + 8.0]);
    assert_depth("flush across the seams", &slab(), &on(10.0), 0.0);
    assert_depth("within the tolerance", &slab(), &on(9.994), 0.006);
    assert_depth("above", &slab(), &on(10.2), -0.2);
    assert_depth("5 deep across the seams", &slab(), &on(5.0), 5.0);
    assert_depth(
        "a pin through both walls",
        &slab(),
        &moved(&prism(24, 1.0, [-5.0, 50.0]), &Pose { rotation: upright(), translation: Vec3::new(0.0, 15.0, 5.0) }),
        2.0 * libm::cos(std::f64::consts::PI / 24.0),
    );
    assert_depth("a block over a seam", &slab(), &block([7.0, 6.0, 2.0], [16.0, 12.0, 8.0]), 6.0);
    // Both walls are disjoint from the block's surface.
    assert_depth("a block around the wall between", &slab(), &block([12.0, 4.0, 2.0], [22.0, 12.0, 8.0]), 6.0);
}

/// Rotates z to x.
fn upright() -> Mat3 {
    Mat3::new(0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0)
}

#[test]
fn every_search_reports_its_use_of_a_self_union() {
    let [p, q] = [slab(), block([10.0, 10.0, 5.0], [24.0, 20.0, 13.0])].map(|m| part_with(&m, Inside::Solid));
    let pose = placed(&p, &q);
    let margin = roundoff_mm(p.convex.diameter, q.convex.diameter, pose.translation.norm());
    let ask = OverlapQuery { margin, rounding: margin, reach: 0.5, deep: None };
    // The second search finds the self-union of the first one.
    for _ in 0..2 {
        let Classified { relation, used_self_union } = classify(p.body(), q.body(), &pose, &ask);
        let PairRelation::Meets(mut m) = relation else { panic!("they overlap") };
        assert!(!used_self_union && m.used_self_unions() == [false; 2]);
        m.refine_to(&Precision::new(0.01, 0.001));
        assert_eq!(m.used_self_unions(), [true, false]);
    }
    let open = part_with(&block([10.0, 10.0, 5.0], [24.0, 20.0, 13.0]), Inside::Undefined);
    for _ in 0..2 {
        assert!(classify(p.body(), open.body(), &placed(&p, &open), &ask).used_self_union);
    }
}

#[test]
fn flush_shells_are_one_solid() {
    let slab = joined(&[block([0.0; 3], [20.0, 30.0, 10.0]), block([20.0, 0.0, 0.0], [40.0, 30.0, 10.0])]);
    let on = |z: f64| block([10.0, 10.0, z], [24.0, 20.0, z + 8.0]);
    assert_depth("flush across the seam", &slab, &on(10.0), 0.0);
    // Unrotated: rotation may leave a rounding slit between the shells.
    let [p, q] = [&slab, &on(5.0)].map(|m| part_with(m, Inside::Solid));
    let t = bracket(&p, &q);
    assert!(t[0] > 4.95 && t[1] < 5.05, "{t:?}");
}

#[test]
fn shells_inside_the_solid_and_cavities() {
    // A screw modelled inside its block, and a cavity elsewhere.
    let cavity = {
        let mut m = block([30.0, 10.0, 4.0], [36.0, 20.0, 8.0]);
        m.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        m
    };
    let screw = translated(&prism(16, 2.0, [1.0, 9.0]), Vec3::new(8.0, 8.0, 0.0));
    let part = joined(&[block([0.0; 3], [40.0, 30.0, 10.0]), screw, cavity]);
    assert_eq!(part_with(&part, Inside::Solid).surface.overlaps(), SelfUnion::Resolved);
    assert_depth("over the screw", &part, &block([4.0, 4.0, 10.0], [12.0, 12.0, 15.0]), 0.0);
    assert_depth("into the screw", &part, &block([4.0, 4.0, 7.0], [12.0, 12.0, 15.0]), 3.0);
    assert_depth("in the cavity", &part, &block([31.0, 11.0, 5.0], [35.0, 19.0, 7.8]), -0.2);
    assert_depth("in the cavity, flush", &part, &block([31.0, 11.0, 5.0], [35.0, 19.0, 8.0]), 0.0);
    assert_depth("in the screw", &part, &block([7.0, 7.0, 2.0], [9.0, 9.0, 6.0]), 2.0);
}

#[test]
fn a_nut_on_its_bolt_in_one_mesh() {
    // Many coincident curved walls: bolt and nut become one body.
    let n = 32;
    let one = joined(&[prism(n, 5.0, [0.0, 30.0]), tube(n, 10.0, 5.0, [10.0, 18.0])]);
    let s = part_with(&one, Inside::Solid).surface;
    assert_eq!(s.overlaps(), SelfUnion::Resolved);
    let washer = tube(48, 12.0, 5.5, [18.0, 20.0]);
    assert_depth("a washer on it", &one, &washer, 0.0);
    assert_depth("a block into both", &one, &block([-4.0, -4.0, 12.0], [20.0, 4.0, 16.0]), 4.0);
}

#[test]
fn unresolved_self_union_is_labelled_and_balls_count() {
    // A pile of copies: more intersecting triangles than self-union resolves.
    let n = 220;
    let copies: Vec<TriMesh> =
        (0..n).map(|k| translated(&prism(96, 10.0, [0.0, 10.0]), Vec3::x() * (0.01 * f64::from(k)))).collect();
    let part = part_with(&joined(&copies), Inside::Solid);
    assert!(matches!(part.surface.overlaps(), SelfUnion::Unresolved(_)));
    let depth = |b: &TriMesh| bracket(&part, &part_with(b, Inside::Solid));
    let t = depth(&block([-2.0, -2.0, 10.5], [4.0, 2.0, 15.0]));
    assert!((t[0] + 0.5).abs() < 1e-9, "apart {t:?}");
    let t = depth(&block([-2.0, -2.0, 9.995], [4.0, 2.0, 15.0]));
    assert!(t[0] < 0.0051 && (0.0049..0.0051).contains(&t[1]), "the hulls bound it {t:?}");
    let t = depth(&block([-2.0, -2.0, 5.0], [4.0, 2.0, 15.0]));
    assert!(t[0] > 0.01 && t[1] > 3.9, "{t:?}");
}

/// Search of a verdict: a ball thicker than `deep` (mm) would end it.
fn verdict<'a>(a: &'a Part, b: &'a Part, pose: &'a Pose, threshold: f64) -> Option<Box<OverlapSearch<'a>>> {
    let margin = roundoff_mm(a.convex.diameter, b.convex.diameter, pose.translation.norm());
    let ask = OverlapQuery { margin, rounding: margin, reach: 0.5, deep: Some(threshold) };
    match classify(a.body(), b.body(), pose, &ask).relation {
        PairRelation::Beyond(_) | PairRelation::Apart(_) => None,
        PairRelation::Meets(mut m) => {
            m.decide_threshold(threshold);
            Some(m)
        }
    }
}

#[test]
fn a_verdict_far_from_the_inner_walls_needs_no_self_union() {
    let used = |b: &TriMesh, away: &TriMesh| {
        // A second shell on the other side, so that the hulls overlap deeply.
        let [p, q] = [slab(), joined(&[b.clone(), away.clone()])].map(|m| part_with(&m, Inside::Solid));
        [[&p, &q], [&q, &p]].map(|[a, b]| {
            let pose = placed(a, b);
            let m = verdict(a, b, &pose, 0.01).expect("they meet");
            let [least, most] = m.gap_bounds().to_depth();
            assert!(least <= 0.006 + 1e-9 && (0.006 - 1e-9..=0.01).contains(&most), "{least} {most}");
            m.used_self_unions().contains(&true)
        })
    };
    // The walls at x = 14 and x = 20 cross the faces at z = 0 and z = 10, not those at the ends.
    let end = [block([39.994, 10.0, 2.0], [50.0, 20.0, 8.0]), block([-20.0, 0.0, 0.0], [-10.0, 30.0, 10.0])];
    assert_eq!(used(&end[0], &end[1]), [false; 2], "at the end");
    let above = [block([10.0, 10.0, 9.994], [24.0, 20.0, 18.0]), block([0.0, 0.0, -20.0], [40.0, 30.0, -10.0])];
    assert_eq!(used(&above[0], &above[1]), [true; 2], "across the walls");
}

/// A block near the origin with sides from `size[0]` to `size[1]` (mm), on a grid: faces of two blocks often lie in one
/// plane.
fn random_block(rng: &mut Rng, size: [f64; 2]) -> TriMesh {
    let low = Vec3::from_fn(|_, _| (rng.unit() * 8.0).round() * 0.5);
    let high = low + Vec3::from_fn(|_, _| size[0] + (rng.unit() * 8.0).round() / 8.0 * (size[1] - size[0]));
    block(low.into(), high.into())
}

/// Narrowed search of a meeting pair, of the surfaces as given where possible, or after self-unions.
fn measured<'a>(a: &'a Part, b: &'a Part, pose: &'a Pose, unites: bool) -> Option<Box<OverlapSearch<'a>>> {
    let margin = roundoff_mm(a.convex.diameter, b.convex.diameter, pose.translation.norm());
    let ask = OverlapQuery { margin, rounding: margin, reach: 0.5, deep: None };
    let PairRelation::Meets(mut m) = classify(a.body(), b.body(), pose, &ask).relation else { return None };
    if unites {
        m.only_boundaries_reach = Some([false; 2]);
    }
    m.decide_threshold(0.01);
    m.refine_to(&Precision::new(0.01, 0.001));
    Some(m)
}

#[test]
fn measures_away_from_the_inner_walls_need_no_self_union() {
    let p = part_with(&slab(), Inside::Solid);
    let used = |b: &TriMesh, known: f64| {
        let q = part_with(b, Inside::Solid);
        [[&p, &q], [&q, &p]].map(|[a, b]| {
            let pose = placed(a, b);
            let m = measured(a, b, &pose, false).expect("they meet");
            let [least, most] = m.gap_bounds().to_depth();
            assert!(least <= known + 1e-9 && known <= most + 1e-9 && most - least <= 0.01 * known, "{least} {most}");
            m.used_self_unions().contains(&true)
        })
    };
    // The walls at x = 14 and x = 20 cross the faces at z = 0 and z = 10, not those at the ends.
    assert_eq!(used(&block([37.0, 10.0, 2.0], [50.0, 20.0, 8.0]), 3.0), [false; 2], "at the end");
    assert_eq!(used(&block([10.0, 10.0, 8.0], [24.0, 20.0, 18.0]), 2.0), [true; 2], "across the walls");
    assert_eq!(used(&block([12.0, 4.0, 2.0], [22.0, 12.0, 8.0]), 6.0), [true; 2], "around the wall between");
}

#[test]
fn measures_of_surfaces_as_given_are_those_of_the_united_shells() {
    let mut rng = Rng::new(43);
    let mut random = |size: [f64; 2]| random_block(&mut rng, size);
    // Pairs with one surface as given, and with both.
    let mut as_given = [0; 2];
    for trial in 0..400 {
        let part = joined(&[random([1.0, 4.0]), random([1.0, 4.0]), random([0.25, 2.0])]);
        let other =
            if trial % 2 == 0 { random([0.125, 3.0]) } else { joined(&[random([0.5, 3.0]), random([0.5, 3.0])]) };
        let rotation = if trial % 3 == 0 { oblique() } else { Mat3::identity() };
        let turned = Pose { rotation, translation: Vec3::new(5.0, -3.0, 8.0) };
        let [p, q] = [part, other].map(|m| part_with(&moved(&m, &turned), Inside::Solid));
        let pose = placed(&p, &q);
        let Some(m) = measured(&p, &q, &pose, false) else { continue };
        let given = m.holds_as_given();
        if given == [false; 2] {
            continue;
        }
        as_given[usize::from(given == [true; 2])] += 1;
        let united = measured(&p, &q, &pose, true).expect("they meet");
        assert_eq!([united.used_self_unions(), m.used_self_unions()], [[true; 2], given.map(|given| !given)]);
        let ([low, high], [least, most]) = (m.gap_bounds().to_depth(), united.gap_bounds().to_depth());
        assert!(low <= most + 1e-9 && least <= high + 1e-9, "{trial}: {low} {high}, {least} {most}");
        assert!(high - low <= (0.01 * low).max(0.001) + 1e-9, "{trial}: {low} {high}");
        assert_eq!(m.containment(), united.containment(), "{trial}");
    }
    assert!(as_given.iter().all(|n| *n > 20), "{as_given:?}");
}

#[test]
fn a_plate_in_a_seam_is_found_by_a_verdict() {
    // The shells overlap by less than the threshold, so their insets leave a gap for the inset of the plate.
    let part = joined(&[block([0.0; 3], [20.015, 30.0, 10.0]), block([20.0, 0.0, 0.0], [40.0, 30.0, 10.0])]);
    let plate = block([19.9, 5.0, 2.0], [20.1, 25.0, 8.0]);
    for rotation in [Mat3::identity(), oblique()] {
        let turned = Pose { rotation, translation: Vec3::new(5.0, -3.0, 8.0) };
        let [p, q] = [&part, &plate].map(|m| part_with(&moved(m, &turned), Inside::Solid));
        for [a, b] in [[&p, &q], [&q, &p]] {
            let pose = placed(a, b);
            let [least, most] = verdict(a, b, &pose, 0.15).expect("they meet").gap_bounds().to_depth();
            assert!(least > 0.15 && most >= 0.2 - 1e-9, "{least} {most}");
        }
    }
}

#[test]
fn a_verdict_contradicts_no_bracket_of_the_united_shells() {
    let mut rng = Rng::new(41);
    let mut random = |size: [f64; 2]| random_block(&mut rng, size);
    let mut as_given = 0;
    for trial in 0..400 {
        let part = joined(&[random([1.0, 4.0]), random([1.0, 4.0]), random([0.25, 2.0])]);
        let [p, q] = [part, random([0.125, 3.0])].map(|m| part_with(&m, Inside::Solid));
        let threshold = [0.01, 0.13, 0.6][trial % 3];
        let pose = placed(&p, &q);
        let Some(m) = verdict(&p, &q, &pose, threshold) else { continue };
        let [least, most] = bracket(&p, &q);
        let [low, high] = m.gap_bounds().to_depth();
        assert!(low <= most + 1e-9 && least <= high + 1e-9, "{trial}: {low} {high}, {least} {most}");
        as_given += usize::from(high <= threshold && m.used_self_unions() == [false; 2]);
    }
    assert!(as_given > 20, "{as_given}");
}
