//! Tests the facet allowance of pairs with known answers.

use crate::geom::triangle::{crosses, intersects};
use crate::geom::{Mat3, Pose, Vec3};
use crate::mesh::TriMesh;
use crate::query::depth::{InsetSurface, SolidSide};
use crate::query::facet_allowance::{FacetTable, allowance};
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::tests::{ball, random_pose};
use crate::shape::surface::winding_number::{winding, winding_moved};
use crate::shape::surface::{Inside, Surface};
use crate::testkit::poses::{about_axis, about_z};
use crate::testkit::rng::Rng;
use crate::testkit::solids::{
    block, circle, extruded, joined, moved, prism, reversed, squared_box, translated, tube_between,
};
use std::f64::consts::PI;

/// Rounding of the pairs below, all at most 100 mm large (mm).
const ROUNDING: f64 = 1e-10;

/// Returns a prism over a regular polygon, rotated by `start` sides.
fn pin(sides: usize, radius: f64, z: [f64; 2], start: f64) -> TriMesh {
    let rotation = about_z(360.0 * start / sides as f64);
    moved(&prism(sides, radius, z), &Pose { rotation, ..Pose::identity() })
}

/// Returns a block of half width `half` with a polygonal hole along z, cut into `sides` wedges (a multiple of four).
fn bored(sides: usize, radius: f64, half: f64, z: [f64; 2]) -> TriMesh {
    let outer = |z: f64| {
        let square = |v: Vec3| {
            let scale = half / v.x.abs().max(v.y.abs());
            Vec3::new(libm::round(v.x * scale * 1e6) / 1e6, libm::round(v.y * scale * 1e6) / 1e6, z)
        };
        circle(sides, half, z).into_iter().map(square).collect()
    };
    tube_between(z.map(outer), z.map(|z| circle(sides, radius, z)))
}

fn rotation(x: f64, y: f64, z: f64) -> Mat3 {
    about_axis(0, x) * about_axis(1, y) * about_axis(2, z)
}

struct Part {
    mesh: TriMesh,
    deflection: Option<f64>,
    inside: Inside,
}

impl Part {
    fn new(mesh: TriMesh) -> Self {
        Self { mesh, deflection: None, inside: Inside::Solid }
    }
}

fn at(a: &Part, b: &Part, b_in_a: &Pose, rounding: f64, most: f64) -> f64 {
    let surfaces = [a, b].map(|p| Surface::new(&p.mesh, &Vec3::zeros(), p.inside));
    let [fa, fb] = [0, 1].map(|k| FacetTable::new(&surfaces[k], &[a, b][k].mesh, 0.0, [a, b][k].deflection));
    let pairing = Pairing { a: &surfaces[0], b: &surfaces[1], b_in_a };
    allowance(&pairing, [&fa, &fb], rounding, most)
}

/// Computes the allowance of two parts, in both orders and in several poses; the answers must agree up to rounding.
fn of_parts(a: &Part, b: &Part) -> f64 {
    let expected = at(a, b, &Pose::identity(), ROUNDING, f64::INFINITY);
    for k in 0..6_u32 {
        let k = f64::from(k);
        let pose = Pose { rotation: rotation(7.0 * k, 11.0 * k, 13.0 + k), translation: Vec3::new(k, -3.1 * k, 0.3) };
        let (p, q) = (Part { mesh: moved(&a.mesh, &pose), ..*a }, Part { mesh: moved(&b.mesh, &pose), ..*b });
        let own = Part { mesh: moved(&b.mesh, &pose.inverse()), ..*b };
        for (what, f) in [
            ("swapped", at(b, a, &Pose::identity(), ROUNDING, f64::INFINITY)),
            ("both moved", at(&p, &q, &Pose::identity(), ROUNDING, f64::INFINITY)),
            ("both moved, swapped", at(&q, &p, &Pose::identity(), ROUNDING, f64::INFINITY)),
            ("placed", at(a, &own, &pose, ROUNDING, f64::INFINITY)),
            ("placed, swapped", at(&own, a, &pose.inverse(), ROUNDING, f64::INFINITY)),
        ] {
            assert!((f - expected).abs() <= 1e-9 * (expected + 1e-3), "{what}, motion {k}: {f} instead of {expected}");
        }
    }
    expected
}

fn of(a: &TriMesh, b: &TriMesh) -> f64 {
    of_parts(&Part::new(a.clone()), &Part::new(b.clone()))
}

/// Returns 1.5 sagittas of a regular polygon.
fn polygon(sides: usize, radius: f64) -> f64 {
    1.5 * radius * libm::sin(PI / sides as f64) * libm::tan(0.5 * PI / sides as f64)
}

fn is(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * (expected + 1e-3), "{found} instead of {expected}");
}

#[test]
fn nominal_pin_gets_facet_allowance_of_bore() {
    for (bore, shaft) in [(64, 50), (48, 64), (24, 100), (64, 64)] {
        let f = of(&bored(bore, 10.0, 20.0, [0.0, 20.0]), &pin(shaft, 10.0, [-5.0, 25.0], 0.3));
        is(f, polygon(bore, 10.0));
    }
}

#[test]
fn bore_of_unequal_facets_allows_one_sagitta_of_the_wide_ones() {
    let (pairs, wide, radius) = (12, 0.64, 10.0);
    let half = PI / pairs as f64;
    let at = |angle: f64, z: f64| Vec3::new(radius * libm::cos(angle), radius * libm::sin(angle), z);
    let inner = |z: f64| -> Vec<Vec3> {
        let start = |k: usize| 2.0 * half * k as f64;
        (0..pairs).flat_map(|k| [at(start(k), z), at(start(k) + 2.0 * half * wide, z)]).collect()
    };
    let z = [0.0, 20.0];
    let bore = tube_between(z.map(|z| circle(2 * pairs, 20.0, z)), z.map(inner));
    let f = of(&bore, &pin(100, radius, [-5.0, 25.0], 0.3));
    let [w, n] = [wide, 1.0 - wide].map(|share| 2.0 * radius * libm::sin(half * share));
    let sagitta = w * w * half / (4.0 * (w + n));
    assert!(sagitta > 1.5 * 0.5 * n * libm::tan(0.25 * half));
    is(f, sagitta);
    assert!(f > 0.97 * radius * (1.0 - libm::cos(half * wide)), "{f}");
}

#[test]
fn convex_pin_facets_give_no_allowance() {
    is(of(&pin(64, 10.0, [0.0, 10.0], 0.0), &pin(50, 10.0, [5.0, 15.0], 0.0)), 0.0);
    is(of(&pin(64, 10.0, [0.0, 10.0], 0.0), &block([-3.0; 3], [3.0; 3])), 0.0);
}

#[test]
fn right_angle_edges_give_no_allowance() {
    let outline = [[2.0, 2.0], [2.0, 10.0], [0.0, 10.0], [0.0, 0.0], [10.0, 0.0], [10.0, 2.0]];
    let angle = extruded(&outline, [0.0, 5.0]);
    is(of(&angle, &block([1.0, 1.0, 1.0], [4.0, 4.0, 4.0])), 0.0);
}

#[test]
fn bore_ending_on_flush_face_gives_no_bound() {
    // The bush stands on the plate. The plate's corner is pushed into the bush's wall elsewhere.
    let bush = bored(32, 5.0, 10.0, [0.0, 10.0]);
    let plate = block([-30.0, -30.0, -5.0], [30.0, 30.0, 0.0]);
    is(of(&bush, &plate), 0.0);
    let stop = block([9.9, -3.0, 0.0], [15.0, 3.0, 4.0]);
    is(of(&bush, &joined(&[plate.clone(), stop.clone()])), 0.0);
    // The plate, raised slightly into the bush, bounds the overlap, and so does the bore.
    is(of(&bush, &translated(&plate, Vec3::new(0.0, 0.0, 0.02))), polygon(32, 5.0));
    // A pin in the bore, beside the stop.
    let fitting = joined(&[plate, stop, pin(20, 5.0, [1.0, 8.0], 0.0)]);
    is(of(&bush, &fitting), polygon(32, 5.0));
}

#[test]
fn without_rounding_only_exact_ends_give_a_bound() {
    let at = |a: &TriMesh, b: &TriMesh| {
        let (a, b) = (Part::new(a.clone()), Part::new(b.clone()));
        let swapped = at(&b, &a, &Pose::identity(), 0.0, f64::INFINITY);
        assert_eq!(at(&a, &b, &Pose::identity(), 0.0, f64::INFINITY), swapped);
        swapped
    };
    let bush = bored(32, 5.0, 10.0, [0.0, 10.0]);
    assert_eq!(at(&bush, &block([-30.0, -30.0, -5.0], [30.0, 30.0, 0.0])), 0.0);
    // The bush's triangles end in the planes of the enclosing block.
    is(at(&bush, &block([-12.0, -12.0, 0.0], [12.0, 12.0, 10.0])), polygon(32, 5.0));
    is(at(&bush, &block([-10.0, -10.0, -2.0], [10.0, 10.0, 12.0])), polygon(32, 5.0));
}

#[test]
fn clear_pin_gives_no_bound() {
    let plate = bored(32, 5.0, 10.0, [0.0, 10.0]);
    let bolt = joined(&[pin(24, 4.9, [0.0, 10.0], 0.0), pin(24, 8.0, [10.0, 14.0], 0.0)]);
    is(of(&plate, &bolt), 0.0);
    // The head sinks in slightly: the edge of the bore is now at the overlap.
    is(of(&plate, &translated(&bolt, Vec3::new(0.0, 0.0, -0.02))), polygon(32, 5.0));
    // Like a head sinking in only at its rim: a block away from the bore.
    is(of(&plate, &block([7.0, 7.0, 9.9], [9.0, 9.0, 20.0])), 0.0);
}

#[test]
fn contained_part_bounds_intersection_with_all_facets() {
    let tube = bored(24, 2.0, 4.0, [-3.0, 3.0]);
    let f = polygon(24, 2.0);
    is(of(&block([-20.0; 3], [20.0; 3]), &tube), f);
    // A part in a cavity shares nothing with the surrounding solid.
    let hollow = joined(&[block([-20.0; 3], [20.0; 3]), reversed(&block([-10.0; 3], [10.0; 3]))]);
    is(of(&hollow, &tube), 0.0);
    // Facets of a cavity bound nothing if the part lies entirely in the wall.
    let round = joined(&[block([-20.0; 3], [20.0; 3]), reversed(&pin(24, 10.0, [-10.0, 10.0], 0.0))]);
    is(of(&round, &block([14.0; 3], [16.0; 3])), 0.0);
    is(of(&round, &block([-12.0, -1.0, -1.0], [-9.0, 1.0, 1.0])), polygon(24, 10.0));
}

#[test]
fn the_same_solid_twice_is_bounded_by_all_its_facets() {
    let tube = bored(24, 2.0, 4.0, [-3.0, 3.0]);
    is(of(&tube, &tube), polygon(24, 2.0));
    // Cut off in the planes of its triangles' edges.
    is(of(&tube, &block([-4.0, -4.0, -3.0], [4.0, 0.0, 3.0])), polygon(24, 2.0));
}

#[test]
fn only_facets_at_the_overlap_count() {
    // Two bores side by side, coarse and fine; a pin in one of them.
    let plate = joined(&[
        bored(64, 4.0, 10.0, [0.0, 5.0]),
        translated(&bored(16, 4.0, 10.0, [0.0, 5.0]), Vec3::new(30.0, 0.0, 0.0)),
    ]);
    let shaft = pin(40, 4.0, [-5.0, 10.0], 0.2);
    is(of(&plate, &shaft), polygon(64, 4.0));
    is(of(&plate, &translated(&shaft, Vec3::new(30.0, 0.0, 0.0))), polygon(16, 4.0));
    is(of(&plate, &joined(&[shaft.clone(), translated(&shaft, Vec3::new(30.0, 0.0, 0.0))])), polygon(16, 4.0));
}

#[test]
fn a_stated_deflection_is_the_upper_bound_of_the_estimate() {
    let plate = bored(32, 5.0, 10.0, [0.0, 10.0]);
    assert!(polygon(32, 5.0) > 1.5 * 0.02 && polygon(32, 5.0) < 1.5 * 0.2);
    let shaft = Part::new(pin(24, 5.0, [-1.0, 11.0], 0.0));
    for d in [0.0, 0.001, 0.02, 0.2] {
        let part = Part { mesh: plate.clone(), deflection: Some(d), inside: Inside::Solid };
        is(of_parts(&part, &shaft), polygon(32, 5.0).min(1.5 * d));
        // The deflection is stated for the convex shaft, so the estimate of the concave plate applies.
        let stated = Part { mesh: shaft.mesh.clone(), deflection: Some(d), inside: Inside::Solid };
        is(of_parts(&Part::new(plate.clone()), &stated), polygon(32, 5.0));
    }
}

#[test]
fn allowance_is_capped() {
    let (plate, shaft) = (Part::new(bored(16, 5.0, 10.0, [0.0, 10.0])), Part::new(pin(24, 5.0, [-1.0, 11.0], 0.0)));
    let f = polygon(16, 5.0);
    assert!(f > 0.05);
    for most in [0.0, 1e-6, 0.05] {
        assert_eq!(at(&plate, &shaft, &Pose::identity(), ROUNDING, most), most);
        assert_eq!(at(&shaft, &plate, &Pose::identity(), ROUNDING, most), most);
    }
    is(at(&plate, &shaft, &Pose::identity(), ROUNDING, 0.25), f);
}

#[test]
fn single_precision_coordinates_touch_like_exact_ones() {
    let bush = bored(32, 5.0, 10.0, [0.0, 10.0]);
    let rest = joined(&[block([-30.0, -30.0, -5.0], [30.0, 30.0, 0.0]), block([9.9, -3.0, 0.0], [15.0, 3.0, 4.0])]);
    for k in 0..40_u32 {
        let k = f64::from(k);
        let pose = Pose { rotation: rotation(k, 3.0 * k, 1.3 * k), translation: Vec3::new(0.7 * k, 20.0, -k) };
        let rounded = |m: &TriMesh| {
            let mut out = moved(m, &pose);
            out.vertices.iter_mut().for_each(|v| *v = v.map(|x| f64::from(x as f32)));
            Part::new(out)
        };
        // Quanta of both files, for coordinates of 64 to 128.
        let rounding = 2.0 * 128.0 * f64::from(f32::EPSILON);
        assert_eq!(at(&rounded(&bush), &rounded(&rest), &Pose::identity(), rounding, 1.0), 0.0, "{k}");
        assert_eq!(at(&rounded(&rest), &rounded(&bush), &Pose::identity(), rounding, 1.0), 0.0, "{k}");
    }
}

#[test]
fn open_and_empty_surfaces_answer() {
    let open = |mesh: TriMesh| Part { mesh, deflection: None, inside: Inside::Undefined };
    let mut sleeve = bored(32, 5.0, 10.0, [0.0, 10.0]);
    // The bore alone: one of four kinds of quads.
    sleeve.triangles = sleeve.triangles.chunks(8).flat_map(|c| [c[2], c[3]]).collect();
    let shaft = pin(24, 5.0, [-1.0, 11.0], 0.0);
    is(of_parts(&open(sleeve), &Part::new(shaft.clone())), polygon(32, 5.0));
    assert_eq!(of_parts(&open(TriMesh::default()), &Part::new(shaft)), 0.0);
}

/// Surface and its pose.
type Placed<'a> = (&'a Surface, Option<&'a Pose>);

/// Returns true if a triangle, moved inward by `2r`, has a piece inside the other surface, moved inward by `r`: by
/// brute force over all its triangles. `None` if the two touch without crossing.
fn bounds((own, pose): Placed, t: u32, (other, at): Placed, r: f64) -> Option<bool> {
    let to = |p: Option<&Pose>, v: &Vec3| p.map_or(*v, |p| p.point(v));
    let inward = own.normal(t) * (-2.0 * r);
    let corners = own.triangle(t).map(|v| to(pose, &v) + pose.map_or(inward, |p| p.direction(&inward)));
    let moved = InsetSurface::new(other, at, SolidSide::Inside, r, 0.0);
    let others: Vec<_> = other.triangles.iter().map(|u| u.map(|v| moved.at(v))).collect();
    if others.iter().any(|u| crosses(&corners, u)) {
        return Some(true);
    }
    if others.iter().any(|u| intersects(&corners, u)) {
        return None;
    }
    winding_moved(other, at, &corners[0], 4.0 * r, |v| moved.at(v)).map(|w| w >= 1)
}

/// Returns true if some point of a triangle supports a ball of radius `2r` with its centre deeper than `r` in the other
/// solid.
fn holds_up((own, pose): Placed, t: u32, (other, at): Placed, r: f64) -> bool {
    let to = |p: Option<&Pose>, v: &Vec3| p.map_or(*v, |p| p.point(v));
    let corners = own.triangle(t);
    (0..36).any(|k| {
        let (i, j) = (f64::from(k % 6) / 5.0, f64::from(k / 6) / 5.0);
        let x = corners[0] + (corners[1] - corners[0]) * (i * (1.0 - j)) + (corners[2] - corners[0]) * j;
        let center = to(pose, &(x - own.normal(t) * (2.0 * r)));
        let local = at.map_or(center, |p| p.inverse().point(&center));
        let near = other.nearest(&local, f64::INFINITY);
        near.is_some_and(|n| n.distance > r * (1.0 + 1e-6)) && winding(other, at, &center).is_some_and(|w| w >= 1)
    })
}

#[test]
fn search_agrees_with_all_triangles() {
    let mut rng = Rng::new(7);
    let shapes = [
        squared_box(1, |p| p),
        squared_box(3, |p| p * 0.5),
        ball(3),
        squared_box(4, |p| Vec3::new(p.x, p.y, p.z * 0.1)),
    ];
    let surfaces: Vec<Surface> = shapes.iter().map(|m| Surface::new(m, &Vec3::zeros(), Inside::Solid)).collect();
    let (mut none, mut some, mut held) = (0, 0, 0);
    for round in 0..400_usize {
        let (a, b) = (&surfaces[round % 4], &surfaces[round / 4 % 4]);
        let pose = random_pose(&mut rng);
        let r = [1e-12, 1e-3, 0.05][round % 3];
        // Most triangles have the value 0, so a single triangle often decides the answer.
        let mut values = |s: &Surface| s.triangles.iter().map(|_| (rng.unit() - 0.8).max(0.0)).collect::<Vec<_>>();
        let values = [values(a), values(b)];
        let sides: [Placed; 2] = [(a, None), (b, Some(&pose))];
        let (mut expected, mut least, mut clear) = (0.0, 0.0, true);
        for k in 0..2 {
            for (t, &value) in (0..).zip(&values[k]).filter(|v| *v.1 > 0.0) {
                match bounds(sides[k], t, sides[1 - k], r) {
                    Some(true) => expected = f64::max(expected, value),
                    Some(false) => {}
                    None => clear = false,
                }
                if holds_up(sides[k], t, sides[1 - k], r) {
                    least = f64::max(least, value);
                }
            }
        }
        let tables = [FacetTable::of_values(a, values[0].clone()), FacetTable::of_values(b, values[1].clone())];
        let pairing = Pairing { a, b, b_in_a: &pose };
        let found = allowance(&pairing, [&tables[0], &tables[1]], r, f64::INFINITY) / 1.5;
        assert!(found >= least * (1.0 - 1e-15), "round {round}: {found} but a ball rests on {least}");
        if clear {
            assert!((found - expected).abs() <= 1e-15, "round {round}: {found} instead of {expected}");
            none += i32::from(expected == 0.0);
            some += i32::from(expected > 0.0);
            held += i32::from(least > 0.0);
        }
    }
    assert!(none > 50 && some > 150 && held > 140, "{none} {some} {held}");
}
