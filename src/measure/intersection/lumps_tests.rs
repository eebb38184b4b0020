use crate::geom::tolerance::roundoff_mm;
use crate::geom::{Aabb, Pose, Vec3};
use crate::measure::intersection::tests::surface;
use crate::measure::intersection::{Crossings, IntersectionInput};
use crate::mesh::TriMesh;
use crate::query::depth::tests::{part_with, placed};
use crate::query::depth::{Event, OverlapQuery, OverlapSearch, PairRelation, Precision, classify};
use crate::query::triangles::pairing::Pairing;
use crate::shape::surface::{Inside, Surface};
use crate::testkit::poses::{at, oblique};
use crate::testkit::rng::Rng;
use crate::testkit::solids::{block, cubes, extruded, joined, moved, prism, refined, ring, translated, tube};

fn known(p: &Pairing) -> IntersectionInput<'static> {
    IntersectionInput {
        margin: 1e-13,
        rounding: 1e-12,
        witness: p.b_in_a.translation,
        depth: 0.0,
        deepest: f64::INFINITY,
        turns: &[],
        as_given: [p.a, p.b].map(|s| !s.is_known_boundary()),
    }
}

fn lumps(a: &Surface, b: &Surface, pose: &Pose) -> Vec<Vec<Vec3>> {
    let p = Pairing { a, b, b_in_a: pose };
    Crossings::of(&p, &known(&p)).expect("crossings").lumps(&p, 1e-13)
}

/// Boxes of the lumps, sorted by their lower corners, without their rounding.
fn boxes(a: &Surface, b: &Surface, pose: &Pose) -> Vec<[[f64; 3]; 2]> {
    let mut boxes: Vec<[[f64; 3]; 2]> = lumps(a, b, pose)
        .iter()
        .map(|corners| {
            let Aabb { min, max } = Aabb::of_points(corners);
            [min, max].map(|corner| corner.map(|x| (x * 1e9).round() / 1e9).into())
        })
        .collect();
    boxes.sort_by(|p, q| p[0].partial_cmp(&q[0]).expect("numbers"));
    boxes
}

#[test]
fn each_post_in_a_plate_is_a_lump() {
    let plate = surface(&block([0.0; 3], [40.0, 10.0, 2.0]));
    let post = |x: f64| translated(&block([0.0; 3], [1.0, 1.0, 5.0]), Vec3::new(x, 4.0, 0.0));
    let posts = surface(&joined(&[post(3.0), post(20.0), post(30.0)]));
    // Through the plate, then in one of its faces: three outlines within one triangle.
    for (z, range) in [(-1.0, [0.0, 2.0]), (1.5, [1.5, 2.0])] {
        let wanted = [3.0, 20.0, 30.0].map(|x| [[x, 4.0, range[0]], [x + 1.0, 5.0, range[1]]]);
        assert_eq!(boxes(&plate, &posts, &at(0.0, 0.0, z)), wanted);
        assert_eq!(boxes(&posts, &plate, &at(0.0, 0.0, -z)).len(), 3);
    }
}

#[test]
fn a_face_with_a_hole_joins_both_outlines() {
    // Only the two ring-shaped faces join the inner wall of the tube and the outer one.
    let (plate, tube) =
        (surface(&block([-40.0, -30.0, 0.0], [50.0, 30.0, 2.0])), surface(&tube(16, 3.0, 2.0, [-4.0, 6.0])));
    for (a, b) in [(&plate, &tube), (&tube, &plate)] {
        let found = lumps(a, b, &Pose::identity());
        assert_eq!((found.len(), found[0].len() >= 64), (1, true));
    }
}

#[test]
fn each_wall_on_one_edge_of_a_rod_is_a_lump() {
    // One edge of the rod runs through three walls.
    let rod = surface(&block([-20.0, 0.0, 0.0], [20.0, 1.0, 1.0]));
    let comb = extruded(
        &[
            [0.0, 0.0],
            [9.0, 0.0],
            [9.0, 5.0],
            [8.0, 5.0],
            [8.0, 1.0],
            [5.0, 1.0],
            [5.0, 5.0],
            [4.0, 5.0],
            [4.0, 1.0],
            [1.0, 1.0],
            [1.0, 5.0],
            [0.0, 5.0],
        ],
        [0.0, 9.0],
    );
    let comb = surface(&comb);
    let found = boxes(&rod, &comb, &at(-3.0, -3.5, -4.0));
    assert_eq!(found, [-3.0, 1.0, 5.0].map(|x| [[x, 0.0, 0.0], [x + 1.0, 1.0, 1.0]]));
}

/// Halves a triangle at each upright edge of a mesh; a triangle without area closes the gap to the other side.
fn with_gaps(mesh: &TriMesh) -> TriMesh {
    let mut out = mesh.clone();
    let mut done: Vec<[u32; 2]> = Vec::new();
    for t in 0..mesh.triangles.len() {
        let ids = out.triangles[t];
        for k in 0..3 {
            let [from, to, tip] = [0, 1, 2].map(|i| ids[(k + i) % 3]);
            let [p, q] = [from, to].map(|v| out.vertices[v as usize]);
            if p.xy() == q.xy() && !done.iter().any(|edge| edge.contains(&from) || edge.contains(&to)) {
                let middle = out.vertices.len() as u32;
                out.vertices.push((p + q) * 0.5);
                out.triangles[t] = [from, middle, tip];
                out.triangles.extend([[middle, to, tip], [from, to, middle]]);
                done.push([from, to]);
                break;
            }
        }
    }
    assert_eq!(done.len(), 4);
    out
}

#[test]
fn triangles_without_area_divide_no_lump() {
    let plate = surface(&block([0.0; 3], [8.0, 8.0, 1.0]));
    let post = surface(&with_gaps(&block([0.0; 3], [1.0, 1.0, 3.0])));
    assert!(post.is_closed() && post.triangles.len() == 16);
    let pose = at(2.0, 5.5, -1.25);
    assert_eq!(boxes(&plate, &post, &pose), [[[2.0, 5.5, 0.0], [3.0, 6.5, 1.0]]]);
    assert_eq!(boxes(&post, &plate, &pose.inverse()), [[[0.0, 0.0, 1.25], [1.0, 1.0, 2.25]]]);
}

/// Meeting solids at several poses: on one grid, so that faces coincide, and askew.
fn meetings(mut check: impl FnMut(&mut Rng, OverlapSearch, &[Vec<Vec3>])) -> usize {
    let mut rng = Rng::new(29);
    let mut count = 0;
    for round in 0..160 {
        let profile = [[3.0, 0.0], [5.0, 0.0], [5.0, 1.5], [3.0, 1.0]];
        let mesh = |rng: &mut Rng, which: usize| match which {
            0 => cubes(rng),
            1 => ring(&profile, 9),
            2 => translated(&prism(7, 2.0, [0.0, 4.0]), Vec3::new(1.0, 1.0, -1.0)),
            _ => block([0.0; 3], [3.0, 2.0, 4.0]),
        };
        let (a, b) = (mesh(&mut rng, round % 2), mesh(&mut rng, round / 2 % 4));
        let a = if round % 5 == 0 { refined(&a, &mut rng, 12) } else { a };
        let step = Vec3::from_fn(|_, _| rng.below(5) as f64 - 2.0);
        let turn = if round % 3 == 0 { Pose::identity() } else { Pose { rotation: oblique(), ..Pose::identity() } };
        let b = translated(&moved(&b, &turn), if round % 3 == 2 { step + rng.in_cube() } else { step });
        let (a, b) = (part_with(&a, Inside::Solid), part_with(&b, Inside::Solid));
        if !(a.surface.is_closed() && b.surface.is_closed()) {
            continue;
        }
        let pose = placed(&a, &b);
        let margin = roundoff_mm(a.convex.diameter, b.convex.diameter, pose.translation.norm());
        let ask = OverlapQuery { margin, rounding: margin, reach: 0.01, deep: None };
        let PairRelation::Meets(mut meeting) = classify(a.body(), b.body(), &pose, &ask).relation else { continue };
        meeting.resolve();
        let p = meeting.pairing();
        if meeting.is_solid()
            && let Some(found) = Crossings::of(&p, &known(&p))
        {
            let lumps = found.lumps(&p, margin);
            check(&mut rng, *meeting, &lumps);
            count += 1;
        }
    }
    count
}

/// Random points inside both solids, each with the radius of the largest common ball around it.
fn balls(rng: &mut Rng, meeting: &mut OverlapSearch) -> Vec<(Vec3, f64)> {
    let Aabb { min, max } = meeting.region;
    let half = (max - min) * 0.5;
    let points = (0..300).map(|_| (min + max) * 0.5 + rng.in_cube().component_mul(&half));
    let balls = points.filter_map(|x| {
        let at = meeting.depth.evaluate(&x)?;
        Some((x, at[0].1.min(at[1].1)))
    });
    balls.filter(|ball| ball.1 > 0.0).collect()
}

#[test]
fn each_common_ball_lies_in_one_lump() {
    let mut tested = 0;
    let count = meetings(|rng, mut meeting, lumps| {
        let boxes: Vec<Aabb> = lumps.iter().map(|corners| Aabb::of_points(corners).inflated(1e-9)).collect();
        for (x, radius) in balls(rng, &mut meeting) {
            let ball = Aabb { min: x, max: x }.inflated(radius);
            assert!(boxes.iter().any(|b| b.intersection(&ball) == ball), "a ball of {radius} at {x:?}");
            tested += 1;
        }
    });
    assert!(count >= 60 && tested >= 1000, "{count} pairs, {tested} balls");
}

#[test]
fn hulls_of_lumps_bound_the_depth() {
    let width = Precision::new(0.01, 1e-4);
    let mut decided = 0;
    let count = meetings(|_, mut meeting, lumps| {
        let mut known = meeting_again(&meeting);
        known.refine_to(&width);
        let [least, most] = known.gap_bounds().to_depth();
        meeting.bound_by_lumps(lumps, &width);
        let Some(Event::LumpBound(upper, _)) = meeting.events().last() else { panic!("a bound") };
        let [lower, bound] = meeting.gap_bounds().to_depth();
        assert!(*upper >= least - 1e-9 && bound >= least - 1e-9, "{upper}, {bound} below {least}");
        assert!(lower <= most + 1e-9, "{lower} above {most}");
        decided += usize::from(meeting.is_narrow(&width));
        // The search goes on in the boxes of the lumps, with the same result.
        meeting.refine_to(&width);
        let [lower, upper] = meeting.gap_bounds().to_depth();
        assert!(lower <= most + 1e-9 && upper >= least - 1e-9, "[{lower}, {upper}] beside [{least}, {most}]");
        assert!(upper - lower <= 0.011 * lower.max(0.0) + 2e-4, "[{lower}, {upper}]");
    });
    assert!(count >= 60 && decided >= 20, "{count} pairs, {decided} decided");
}

/// The same pair before any step.
fn meeting_again<'a>(meeting: &OverlapSearch<'a>) -> OverlapSearch<'a> {
    let [a, b] = meeting.bodies;
    let PairRelation::Meets(again) = classify(a, b, meeting.b_in_a, &meeting.ask).relation else {
        panic!("the pair meets")
    };
    *again
}
