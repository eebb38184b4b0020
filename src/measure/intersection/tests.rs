use crate::geom::Pose;
use crate::measure::intersection::{crossing_candidates, *};
use crate::mesh::{Known, Pieces, TriMesh, union};
use crate::query::depth::inner_triangles::only_boundaries_reach;
use crate::shape::surface::winding_number::winding;
use crate::shape::surface::{Inside, Surface};
use crate::testkit::poses::at;
use crate::testkit::rng::Rng;
use crate::testkit::solids::{block, cubes, joined, reversed, ring, translated};

pub(crate) fn surface(mesh: &TriMesh) -> Surface {
    Surface::new(mesh, &Vec3::zeros(), Inside::Solid)
}

pub(crate) fn swap(pose: &Pose) -> Pose {
    pose.inverse()
}

fn united(mesh: &TriMesh) -> Option<Pieces> {
    union(mesh, &Known::nothing(mesh.triangles.len()))
}

/// Computes volume and box, with the rounding of parts of a few millimetres.
pub(crate) fn common_of(a: &Surface, b: &Surface, pose: &Pose, depth: f64) -> Option<Intersection> {
    let turns = [Mat3::identity()];
    let known = IntersectionInput {
        margin: 1e-13,
        rounding: 1e-12,
        witness: b.bounds.center() + pose.translation,
        depth,
        deepest: f64::INFINITY,
        turns: &turns,
        as_given: [a, b].map(|s| !s.is_known_boundary()),
    };
    intersection(&Pairing { a, b, b_in_a: pose }, &known)
}

#[track_caller]
pub(crate) fn near(got: f64, wanted: f64, relative: f64) {
    assert!((got - wanted).abs() <= relative * wanted.abs(), "{got} is not {wanted}");
}

#[track_caller]
pub(crate) fn is_box(common: &Intersection, min: [f64; 3], max: [f64; 3]) {
    let [got] = common.boxes[..] else { panic!("one box") };
    let off = (got.min - Vec3::from(min)).amax().max((got.max - Vec3::from(max)).amax());
    assert!(off < 1e-11, "{got:?}");
}

#[test]
fn block_intersection_is_a_block_in_any_pose() {
    let a = block([0.0; 3], [4.0, 3.0, 2.0]);
    let b = block([0.0; 3], [2.0; 3]);
    for offset in [0.0, 1e5] {
        let (a, b) = (translated(&a, Vec3::repeat(offset)), translated(&b, Vec3::repeat(offset)));
        let (a, b) = (surface(&a), surface(&b));
        let found = common_of(&a, &b, &at(3.0, 1.5, -0.5), 0.9).unwrap();
        near(found.volume, 1.0 * 1.5 * 1.5, 1e-10);
        let found = common_of(&b, &a, &at(-3.0, -1.5, 0.5), 0.9).unwrap();
        near(found.volume, 1.0 * 1.5 * 1.5, 1e-10);
    }
}

#[test]
fn flush_faces_belong_to_neither_volume_nor_box() {
    // A plate and a foot with a step: the foot rests on the plate, the step goes through it.
    let plate = surface(&block([0.0; 3], [20.0, 20.0, 2.0]));
    let step = united(&joined(&[
        translated(&block([0.0; 3], [10.0, 4.0, 1.0]), Vec3::new(5.0, 5.0, 2.0)),
        translated(&block([0.0; 3], [2.0; 3]), Vec3::new(6.0, 6.0, 1.0)),
    ]));
    let step = surface(&step.unwrap().mesh);
    for (a, b) in [(&plate, &step), (&step, &plate)] {
        let found = common_of(a, b, &at(0.0, 0.0, 0.0), 0.9).unwrap();
        near(found.volume, 4.0, 1e-12);
        is_box(&found, [6.0, 6.0, 1.0], [8.0, 8.0, 2.0]);
    }
}

#[test]
fn touching_solids_have_no_volume_but_a_location() {
    let (a, b) = (surface(&block([0.0; 3], [4.0, 4.0, 1.0])), surface(&block([0.0; 3], [2.0; 3])));
    for (z, side) in [(1.0, 1.0), (-2.0, 0.0)] {
        let found = common_of(&a, &b, &at(1.0, 3.0, z), 0.0).unwrap();
        assert_eq!(found.volume, 0.0);
        is_box(&found, [1.0, 3.0, side], [3.0, 4.0, side]);
    }
    let corner = common_of(&a, &b, &at(4.0, 4.0, 1.0), 0.0).unwrap();
    assert_eq!(corner.volume, 0.0);
}

#[test]
fn a_solid_shares_itself_with_itself() {
    for mesh in [
        block([0.0; 3], [1.0, 2.0, 3.0]),
        cubes(&mut Rng::new(5)),
        ring(&[[3.0, 0.0], [5.0, 0.0], [5.0, 1.5], [3.0, 1.0]], 17),
    ] {
        let s = surface(&mesh);
        let found = common_of(&s, &s, &at(0.0, 0.0, 0.0), 0.1).unwrap();
        near(found.volume, s.volume(), 1e-12);
        is_box(&found, s.bounds.min.into(), s.bounds.max.into());
    }
}

#[test]
fn enclosed_part_is_common_but_not_in_cavity() {
    let hollow =
        joined(&[block([0.0; 3], [9.0; 3]), reversed(&translated(&block([0.0; 3], [3.0; 3]), Vec3::repeat(3.0)))]);
    let (hollow, small) = (surface(&hollow), surface(&block([0.0; 3], [1.0; 3])));
    let within = common_of(&hollow, &small, &at(1.0, 1.0, 1.0), 0.9).unwrap();
    near(within.volume, 1.0, 1e-12);
    is_box(&within, [1.0; 3], [2.0; 3]);
    assert_eq!(common_of(&hollow, &small, &at(4.0, 4.0, 4.0), 0.0).unwrap().volume, 0.0);
    near(common_of(&hollow, &small, &at(2.5, 4.0, 4.0), 0.4).unwrap().volume, 0.5, 1e-12);
    // A block filling the cavity and extending beyond it.
    let large = surface(&block([0.0; 3], [5.0; 3]));
    for (a, b, pose) in [(&hollow, &large, at(2.0, 2.0, 2.0)), (&large, &hollow, at(-2.0, -2.0, -2.0))] {
        near(common_of(a, b, &pose, 0.9).unwrap().volume, 125.0 - 27.0, 1e-12);
    }
}

#[test]
fn cells_of_one_grid_are_counted() {
    // Every face of one solid lies in a plane of faces of the other, and edges and corners touch.
    let mut rng = Rng::new(11);
    let (mut some, mut none) = (0, 0);
    for _ in 0..60 {
        let (a, b) = (surface(&cubes(&mut rng)), surface(&cubes(&mut rng)));
        if !(a.is_closed() && b.is_closed()) {
            continue;
        }
        let step = Vec3::from_fn(|_, _| rng.below(5) as f64 - 2.0);
        let pose = at(step.x, step.y, step.z);
        let inside = |s: &Surface, x: &Vec3| winding(s, None, x) == Some(1);
        let mut cells = 0;
        let (low, high) = (a.bounds.min, a.bounds.max);
        for i in low.x as i32..high.x as i32 {
            for j in low.y as i32..high.y as i32 {
                for k in low.z as i32..high.z as i32 {
                    let x = Vec3::new(f64::from(i), f64::from(j), f64::from(k)) + Vec3::new(0.47, 0.52, 0.49);
                    cells += i32::from(inside(&a, &x) && inside(&b, &(x - step)));
                }
            }
        }
        let wanted = f64::from(cells);
        *(if cells > 0 { &mut some } else { &mut none }) += 1;
        for (found, which) in [(common_of(&a, &b, &pose, 0.0), "a, b"), (common_of(&b, &a, &swap(&pose), 0.0), "b, a")]
        {
            let volume = found.unwrap_or_else(|| panic!("{which}")).volume;
            assert!((volume - wanted).abs() <= 1e-12 * wanted, "{which}: {volume} is not {wanted}");
        }
    }
    assert!(some >= 20 && none >= 3, "{some} {none}");
}

#[test]
fn concave_pairs_agree_with_their_union() {
    let mut rng = Rng::new(3);
    let (mut some, mut none) = (0, 0);
    for _ in 0..40 {
        let (a, b) = (cubes(&mut rng), cubes(&mut rng));
        let turn = rng.rotation();
        let middle = |m: &TriMesh| Aabb::of_points(&m.vertices).center();
        let pose = Pose { rotation: turn, translation: middle(&a) - turn * middle(&b) + rng.in_cube() };
        let placed = TriMesh { vertices: b.vertices.iter().map(|v| pose.point(v)).collect(), ..b.clone() };
        let (sa, sb) = (surface(&a), surface(&b));
        if !(sa.is_closed() && sb.is_closed()) {
            continue;
        }
        let Some(one) = united(&joined(&[a, placed])) else { continue };
        let wanted = sa.volume() + sb.volume() - surface(&one.mesh).volume();
        let found = common_of(&sa, &sb, &pose, 0.0).unwrap().volume;
        let back = common_of(&sb, &sa, &swap(&pose), 0.0).unwrap().volume;
        assert!((found - wanted).abs() <= 1e-9 && (found - back).abs() <= 1e-10, "{found} {back} {wanted}");
        *(if wanted > 1e-6 { &mut some } else { &mut none }) += 1;
    }
    assert!(some >= 15, "{some} {none}");
}

#[test]
fn impossible_volume_is_none() {
    let (a, b) = (surface(&block([0.0; 3], [1.0; 3])), surface(&block([0.0; 3], [1.0; 3])));
    // The common solid is too thin for a ball of that depth.
    assert!(common_of(&a, &b, &at(0.5, 0.0, 0.0), 1.0).is_none());
    // A surface with a hole bounds nothing.
    let mut open = block([0.0; 3], [1.0; 3]);
    open.triangles.pop();
    let found = common_of(&a, &surface(&open), &at(0.5, 0.3, 0.2), 0.9);
    assert!(found.is_none(), "{found:?}");
}

#[test]
fn candidates_are_complete_for_nearby_poses() {
    // Cubes of one grid with coincident faces, and rotated cubes; B moves by a distance within `way`.
    let mut rng = Rng::new(29);
    let mut found = 0;
    for round in 0..60 {
        let (a, b) = (surface(&cubes(&mut rng)), surface(&cubes(&mut rng)));
        let rotation = if round % 3 == 0 { rng.rotation() } else { Mat3::identity() };
        let way = [1e-11, 1e-3][round % 2];
        let pose = Pose { rotation, ..at(1.0, -1.0, 0.0) };
        let near = crossing_candidates::CrossingCandidates::new(&Pairing { a: &a, b: &b, b_in_a: &pose }, way, None);
        let known = IntersectionInput {
            margin: 1e-13,
            rounding: 1e-12,
            witness: Vec3::repeat(2.0),
            depth: 0.0,
            deepest: f64::INFINITY,
            turns: &[],
            as_given: [true; 2],
        };
        for _ in 0..4 {
            let moved = Pose { translation: pose.translation + rng.in_cube() * (0.5 * way), ..pose };
            let there = Pairing { a: &a, b: &b, b_in_a: &moved };
            let points = |near: &crossing_candidates::CrossingCandidates| {
                let mut points = boundary(&there, &known, near, Solid::B).map(|b| b.points).unwrap_or_default();
                points.sort_unstable_by(|p, q| p.iter().partial_cmp(q.iter()).unwrap());
                points
            };
            let anew = points(&crossing_candidates::CrossingCandidates::new(&there, 0.0, None));
            assert_eq!(points(&near), anew, "{round}");
            found += usize::from(!anew.is_empty());
        }
    }
    assert!(found > 100, "{found}");
}

#[test]
fn shells_that_overlap_away_from_the_other_solid_need_no_self_union() {
    let mut rng = Rng::new(47);
    let mut random = |size: [f64; 2]| {
        let low = Vec3::from_fn(|_, _| rng.unit() * 4.0);
        let high = low + Vec3::from_fn(|_, _| size[0] + rng.unit() * (size[1] - size[0]));
        block(low.into(), high.into())
    };
    let mut compared = 0;
    for trial in 0..900 {
        let [a, b] =
            [joined(&[random([1.0, 4.0]), random([1.0, 4.0])]), joined(&[random([0.5, 3.0]), random([0.5, 3.0])])]
                .map(|m| surface(&m));
        let pose = at(0.25, -0.5, 0.125);
        let p = Pairing { a: &a, b: &b, b_in_a: &pose };
        if !(a.has_self_intersections() && only_boundaries_reach(&p, 1e-9).0 == [true; 2]) {
            continue;
        }
        let of = |a: &Surface, b: &Surface| common_of(a, b, &pose, 0.0).unwrap();
        let [given, united] = [of(&a, &b), of(a.solid(), b.solid())];
        near(given.volume, united.volume, 1e-9);
        near(given.area, united.area, 1e-9);
        if united.volume > 0.0 {
            compared += 1;
            is_box(&given, united.boxes[0].min.into(), united.boxes[0].max.into());
        }
        assert!(given.volume > 0.0 || united.volume == 0.0, "{trial}");
    }
    assert!(compared > 30, "{compared}");
}
