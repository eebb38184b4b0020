//! Pairs with known answers.

use crate::geom::tolerance::roundoff_mm;
use crate::geom::{Mat3, Pose, Vec3};
use crate::mesh::TriMesh;
use crate::query::depth::*;
use crate::shape::hull;
use crate::shape::polytope::Convex;
use crate::shape::surface::{Inside, Surface};
use crate::testkit::poses::oblique;
use crate::testkit::rng::Rng;
use crate::testkit::solids::{block, extruded, moved, prism, tube};

pub(crate) struct Part {
    pub convex: Convex,
    pub surface: Surface,
}

impl Part {
    pub(crate) fn body(&self) -> SolidRef<'_> {
        SolidRef { convex: &self.convex, has_inner_hull: false, surface: &self.surface, is_hull: false }
    }
}

fn part(mesh: &TriMesh) -> Part {
    part_with(mesh, Inside::Solid)
}

pub(crate) fn part_with(mesh: &TriMesh, inside: Inside) -> Part {
    let hull = hull::convex_hull(&mesh.vertices);
    let facets = hull::facets(&hull);
    let convex = Convex::new(&hull, &facets);
    let surface = Surface::new(mesh, &convex.origin, inside);
    Part { convex, surface }
}

pub(crate) fn quad(t: &mut Vec<[u32; 3]>, a: u32, b: u32, c: u32, d: u32) {
    t.push([a, b, c]);
    t.push([a, c, d]);
}

/// Pose of B in A's frame for meshes in common coordinates.
pub(crate) fn placed(a: &Part, b: &Part) -> Pose {
    Pose { rotation: Mat3::identity(), translation: b.convex.origin - a.convex.origin }
}

fn bracket(a: &TriMesh, b: &TriMesh, rotate: bool) -> ([f64; 2], Vec<Event>) {
    let r = Pose { rotation: if rotate { oblique() } else { Mat3::identity() }, ..Pose::identity() };
    let (a, b) = (part(&moved(a, &r)), part(&moved(b, &r)));
    let pose = placed(&a, &b);
    let margin = roundoff_mm(a.convex.diameter, b.convex.diameter, pose.translation.norm());
    let question = OverlapQuery { margin, rounding: margin, reach: 0.01, deep: None };
    let found = classify(a.body(), b.body(), &pose, &question).relation;
    match found {
        PairRelation::Beyond(d) => ([-f64::INFINITY, -d], vec![]),
        PairRelation::Apart(apart) => ([-apart.distance; 2], vec![]),
        PairRelation::Meets(mut m) => {
            m.decide_threshold(0.01);
            m.refine_to(&Precision::new(0.01, 0.001));
            (m.gap_bounds().to_depth(), m.events().to_vec())
        }
    }
}

/// Name, the two parts, and the overlap depth (minus the distance of separate parts).
type Case = (&'static str, TriMesh, TriMesh, f64);

fn cases() -> Vec<Case> {
    let apothem = |n: f64| libm::cos(std::f64::consts::PI / n);
    let tubed = |n| tube(n, 20.0, 10.0, [0.0, 20.0]);
    vec![
        ("flush boxes", block([0.0; 3], [10.0; 3]), block([10.0, 2.0, 3.0], [20.0, 8.0, 9.0]), 0.0),
        ("overlap", block([0.0; 3], [10.0; 3]), block([9.98, 2.0, 3.0], [20.0, 8.0, 9.0]), 0.02),
        ("within tolerance", block([0.0; 3], [10.0; 3]), block([9.994, 2.0, 3.0], [20.0, 8.0, 9.0]), 0.006),
        ("inside", block([0.0; 3], [10.0; 3]), block([2.0; 3], [5.0; 3]), 3.0),
        ("same box", block([0.0; 3], [10.0; 3]), block([0.0; 3], [10.0; 3]), 10.0),
        ("bars", block([-50.0, -2.0, -2.0], [50.0, 2.0, 2.0]), block([-2.0, -50.0, 1.0], [2.0, 50.0, 5.0]), 1.0),
        (
            "aligned bars",
            block([-50.0, -2.0, -2.0], [50.0, 2.0, 2.0]),
            block([20.0, -2.0, -2.0], [90.0, 2.0, 2.0]),
            4.0,
        ),
        ("sheets", block([0.0; 3], [100.0, 100.0, 0.05]), block([10.0, 10.0, 0.05], [120.0, 90.0, 0.1]), 0.0),
        ("pressed sheets", block([0.0; 3], [100.0, 100.0, 0.05]), block([10.0, 10.0, 0.03], [120.0, 90.0, 0.1]), 0.02),
        ("pin with play", tubed(64), prism(64, 9.995, [-5.0, 25.0]), -0.005 * apothem(64.0)),
        ("pin that fits", tubed(64), prism(64, 10.0, [-5.0, 25.0]), 0.0),
        // Deepest in the corners: under two faces of the pin, over an edge of the bore.
        ("pressed pin", tubed(24), prism(24, 10.03, [-5.0, 25.0]), 0.06 * apothem(24.0) / (1.0 + apothem(24.0))),
        // A corner of the pin over the middle of a facet of the bore.
        ("pin of more facets", tubed(24), prism(48, 10.0, [-5.0, 25.0]), {
            20.0 * (1.0 - apothem(24.0)) * apothem(48.0) / (1.0 + apothem(48.0))
        }),
        ("pierce", block([-30.0; 3], [100.0, 100.0, 5.0]), prism(24, 0.5, [-50.0, 30.0]), apothem(24.0)),
    ]
}

#[test]
fn bracket_contains_depth_and_is_narrow() {
    for (name, a, b, known) in cases() {
        for rotate in [false, true] {
            let (t, events) = bracket(&a, &b, rotate);
            assert!(t[0] <= known + 1e-11 && known <= t[1] + 1e-11, "{name} {rotate} {t:?} {known} {events:?}");
            assert!(t[1] - t[0] <= (0.01 * known.abs()).max(0.001), "{name} {rotate} {t:?} {known} {events:?}");
        }
    }
}

#[test]
fn deep_thresholds_are_decided_by_cells_before_insets() {
    // The wall of the tube limits the depth: 10 mm, a sixth of the diameters. The hulls overlap by 16 mm.
    let (a, b) = (part(&tube(64, 20.0, 10.0, [0.0, 20.0])), part(&block([-30.0, -8.0, 2.0], [30.0, 8.0, 18.0])));
    let pose = placed(&a, &b);
    let margin = roundoff_mm(a.convex.diameter, b.convex.diameter, pose.translation.norm());
    let question = OverlapQuery { margin, rounding: margin, reach: 0.01, deep: None };
    for (threshold, exceeds) in [(9.0, true), (11.0, false)] {
        let PairRelation::Meets(mut m) = classify(a.body(), b.body(), &pose, &question).relation else { panic!() };
        m.decide_threshold(threshold);
        let [least, most] = m.gap_bounds().to_depth();
        assert!(if exceeds { least > threshold } else { most <= threshold + 2.0 * margin }, "{least} {most}");
        assert!(m.events().iter().any(|e| matches!(e, Event::BranchAndBound(..))), "{:?}", m.events());
        assert!(!m.events().iter().any(|e| matches!(e, Event::Inset(..))), "{:?}", m.events());
    }
    // The hulls decide this one: no surface is tested for shells that overlap.
    let PairRelation::Meets(mut m) = classify(a.body(), b.body(), &pose, &question).relation else { panic!() };
    m.decide_threshold(17.0);
    assert!(m.gap_bounds().to_depth()[1] <= 17.0 && m.solid.is_none(), "{:?}", m.events());
}

fn solid(rng: &mut Rng) -> TriMesh {
    let size = rng.range(1.0, 2.0);
    let sides = 3 + rng.below(12);
    match rng.below(4) {
        0 => block([-size, -1.0, -0.5], [size, 1.0, 0.5]),
        1 => prism(sides, size, [-0.6, 0.9]),
        2 => tube(sides, size, 0.7 * size, [-0.5, 0.8]),
        _ => angle(size),
    }
}

/// An L of two arms.
fn angle(size: f64) -> TriMesh {
    // From the inner corner on.
    let outline = [[0.5, 0.4], [0.5, 1.5], [0.0, 1.5], [0.0, 0.0], [2.0, 0.0], [2.0, 0.4]];
    extruded(&outline.map(|p| p.map(|x| x * size)), [-0.5 * size, 0.7 * size])
}

/// Lesser depth of a point in both parts, by brute force over every triangle.
fn depth_of(parts: [(&Part, Option<&Pose>); 2], x: &Vec3) -> f64 {
    let one = |(part, pose): (&Part, Option<&Pose>)| {
        let s = &part.surface;
        let local = pose.map_or(*x, |p| p.rotation.tr_mul(&(x - p.translation)));
        let distance = (0..s.triangles.len() as u32)
            .map(|t| crate::geom::triangle::point_triangle(&local, &s.triangle(t)).squared.sqrt())
            .fold(f64::INFINITY, f64::min);
        if crate::shape::surface::winding_number::winding(s, None, &local).is_some_and(|w| w >= 1) {
            distance
        } else {
            -distance
        }
    };
    one(parts[0]).min(one(parts[1]))
}

#[test]
fn searches_stay_below_upper_bound() {
    let rounds: u64 = std::env::var("ROUNDS").map_or(150, |r| r.parse().unwrap());
    let (mut thick, mut thin, mut open) = (0, 0, 0);
    for round in 0..rounds {
        let mut rng = Rng::new(round);
        let (a, b) = (part(&solid(&mut rng)), part(&solid(&mut rng)));
        let pose = Pose { rotation: rng.rotation(), translation: rng.in_cube() * rng.range(0.2, 2.7) };
        let margin = roundoff_mm(a.convex.diameter, b.convex.diameter, pose.translation.norm());
        let PairRelation::Meets(mut m) =
            classify(body(&a), body(&b), &pose, &OverlapQuery { margin, rounding: margin, reach: 0.01, deep: None })
                .relation
        else {
            continue;
        };
        m.refine_to(&Precision::new(0.01, 0.001));
        let [lower, upper] = m.gap_bounds().to_depth();
        // Allows for the rounding of this comparison.
        open += i32::from(upper - lower > (0.01 * lower).max(0.001) * (1.0 + 1e-9));
        let parts = [(&a, None), (&b, Some(&pose))];
        for _ in 0..12 {
            // From the best of some points, with ever smaller steps.
            let mut best = (f64::NEG_INFINITY, Vec3::zeros());
            for _ in 0..40 {
                let x = rng.in_cube() * 2.0;
                best = [best, (depth_of(parts, &x), x)].into_iter().max_by(|p, q| p.0.total_cmp(&q.0)).unwrap();
            }
            let mut step = 0.3;
            while step > 1e-5 {
                let x = best.1 + rng.in_cube() * step;
                let d = depth_of(parts, &x);
                if d > best.0 { best = (d, x) } else { step *= 0.9 }
            }
            assert!(2.0 * best.0 <= upper + 2.0 * margin, "round {round}: {} above {upper}", 2.0 * best.0);
        }
        if lower > 0.01 { thick += 1 } else { thin += 1 }
    }
    println!("{thick} {thin} {open}");
    assert!(thick > 40 * rounds as i32 / 150 && open == 0, "{thick} {thin} {open}");
}

fn body(p: &Part) -> SolidRef<'_> {
    SolidRef { convex: &p.convex, has_inner_hull: false, surface: &p.surface, is_hull: false }
}
