//! Pairs of so many triangles that their searches run on all threads.

use crate::geom::tolerance::roundoff_mm;
use crate::geom::{Pose, Vec3};
use crate::query::depth::inner_triangles::reaching_triangles;
use crate::query::depth::inset::certificate::InsetResult;
use crate::query::depth::inset_bounds::Effort;
use crate::query::depth::tests::{Part, part_with, placed};
use crate::query::depth::*;
use crate::query::triangles::pairing::Pairing;
use crate::shape::surface::Inside;
use crate::testkit::poses::oblique;
use crate::testkit::solids::{moved, squared_box, translated};

/// Number of squares along each side: a pair has 25 000 triangles.
const SQUARES: u32 = 46;

/// A part about the origin with its vertices mapped by `shape`, and its copy moved by `by` (mm), both turned.
fn pair(shape: impl Fn(Vec3) -> Vec3, by: Vec3) -> [Part; 2] {
    let mesh = squared_box(SQUARES, shape);
    let turn = Pose { rotation: oblique(), ..Pose::identity() };
    [mesh.clone(), translated(&mesh, by)].map(|m| part_with(&moved(&m, &turn), Inside::Solid))
}

fn bumpy(p: Vec3) -> Vec3 {
    p.normalize() * (10.0 + 0.2 * libm::sin(3.0 * p.x) * libm::cos(2.0 * p.y))
}

/// Calls `test` with the search of a pair that meets.
fn with_search(parts: &[Part; 2], test: impl FnOnce(&mut OverlapSearch)) {
    let [a, b] = parts;
    let pose = placed(a, b);
    let margin = roundoff_mm(a.convex.diameter, b.convex.diameter, pose.translation.norm());
    let ask = OverlapQuery { margin, rounding: margin, reach: 0.01, deep: None };
    let PairRelation::Meets(mut search) = classify(a.body(), b.body(), &pose, &ask).relation else {
        panic!("they overlap")
    };
    assert!(search.is_large());
    test(&mut search);
}

#[test]
fn insets_along_mean_normals_bound_a_smooth_pair() {
    let ball = |p: Vec3| p.normalize() * 10.0;
    let depth = 0.05;
    with_search(&pair(ball, Vec3::new(20.0 - depth, 0.0, 0.0)), |search| {
        assert_eq!(search.inset_by_mean_normals(1.01 * depth), InsetResult::Apart);
        let InsetResult::Meet(x) = search.inset_by_mean_normals(0.5 * depth) else { panic!("the insets meet") };
        let middle = oblique() * Vec3::new(0.5 * (20.0 - depth), 0.0, 0.0) - search.bodies[0].convex.origin;
        assert!((x - middle).norm() < 1.5, "{x} {middle}");
        search.refine_to(&Precision::new(0.01, 0.001));
        let [low, high] = search.gap_bounds().to_depth();
        // The facets lie less than 0.005 mm below each ball.
        assert!(low <= depth && depth - 0.01 <= high && high - low <= 0.001, "{low} {high}");
    });
}

#[test]
fn other_insets_bound_a_pair_with_sharp_edges() {
    // Both blocks have the same edges around the contact, where faces move by less along the mean normals.
    let depth = 0.05;
    with_search(&pair(|p| p, Vec3::new(4.0 - depth, 0.0, 0.0)), |search| {
        assert!(matches!(search.inset_by_mean_normals(1.05 * depth), InsetResult::Meet(_)));
        // Faces of several triangles move as one with much effort alone.
        for (care, is_apart) in [(Effort::Little, false), (Effort::Much, true)] {
            search.shrink(1.05 * depth, care);
            let tested = search.events().iter().rev().find(|event| matches!(event, Event::Inset(..)));
            assert_eq!(tested, Some(&Event::Inset(1.05 * depth, is_apart)), "{care:?} {:?}", search.events());
        }
        search.refine_to(&Precision::new(0.01, 0.001));
        let [low, high] = search.gap_bounds().to_depth();
        assert!(low <= depth + 1e-11 && depth <= high + 1e-11 && high - low <= 0.001, "{low} {high}");
    });
}

#[test]
fn the_triangles_that_reach_the_other_solid_are_the_same_on_each_number_of_threads() {
    let parts = pair(bumpy, Vec3::new(17.0, 2.0, 1.0));
    let [a, b] = parts.each_ref().map(|part| &part.surface);
    let pose = placed(&parts[0], &parts[1]);
    let p = Pairing { a, b, b_in_a: &pose };
    assert!(p.is_large());
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| reaching_triangles(&p, 1e-9).0)
    };
    let reaching = on(1);
    assert_eq!(reaching, on(3));
    let sides = p.sides();
    for (k, marks) in reaching.iter().enumerate() {
        let (own, other) = (sides[k], sides[1 - k]);
        let mut counts = [0, 0];
        for (t, ids) in own.surface.triangles.iter().enumerate() {
            let corners = ids.map(|v| own.vertex(v));
            let longest = (0..3).map(|i| (corners[i] - corners[(i + 1) % 3]).norm()).fold(0.0, f64::max);
            let inside = corners.iter().any(|x| other.may_contain(x));
            let is_near = other.nearest(&corners[0], longest + 1e-9).is_some();
            assert!(!inside || marks[t], "{k} {t} lies inside");
            assert!(inside || is_near || !marks[t], "{k} {t} lies outside");
            counts[usize::from(marks[t])] += 1;
        }
        assert!(counts.iter().all(|count| *count > 200), "{counts:?}");
    }
}
