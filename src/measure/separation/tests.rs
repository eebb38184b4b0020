//! Tests the components of the search; `tests/suite/separation.rs` tests the search itself.

use crate::geom::triangle::{Triangle, intersects};
use crate::geom::{Mat3, Pose, Vec3};
use crate::measure::separation::blocked_interval::{EVERYWHERE, Line, blocked_interval};
use crate::measure::separation::directions::Directions;
use crate::measure::separation::inset_pair::InsetPair;
use crate::measure::separation::line_search::KnownBlockers;
use crate::measure::separation::min_norm::{Plane, min_norm_point};
use crate::measure::separation::ray_exit::exit;
use crate::measure::separation::search::Search;
use crate::shape::surface::{Inside, Surface};
use crate::testkit::rng::Rng;
use crate::testkit::solids::{block, circle, prism, translated, tube_between};

fn triangle(rng: &mut Rng) -> Triangle {
    [(); 3].map(|()| rng.in_cube())
}

#[test]
fn wall_blocks_line_until_floor_is_left() {
    let floor = [Vec3::new(-9.0, -9.0, 0.0), Vec3::new(9.0, -9.0, 0.0), Vec3::new(0.0, 9.0, 0.0)];
    let wall = [Vec3::new(-1.0, 0.0, -0.5), Vec3::new(1.0, 0.0, -0.5), Vec3::new(0.0, 0.0, 3.0)];
    let up = blocked_interval(&floor, &wall, &Line::new(&Vec3::z(), 1e-12), EVERYWHERE).unwrap();
    assert!((up.from + 3.0).abs() < 1e-12 && (up.to - 0.5).abs() < 1e-12 && (up.normal - Vec3::z()).norm() < 1e-12);
    // Across its own plane, from the near side of the floor to its far corner.
    let aside = blocked_interval(&floor, &wall, &Line::new(&Vec3::y(), 1e-12), EVERYWHERE).unwrap();
    assert!((aside.from + 9.0).abs() < 1e-12 && (aside.to - 9.0).abs() < 1e-12, "{aside:?}");
    assert!(
        blocked_interval(&floor, &wall.map(|p| p + Vec3::x() * 20.0), &Line::new(&Vec3::z(), 1e-12), EVERYWHERE)
            .is_none()
    );
}

#[test]
fn triangles_in_one_plane_block_lines_in_it() {
    let a = [Vec3::zeros(), Vec3::new(4.0, 0.0, 0.0), Vec3::new(0.0, 4.0, 0.0)];
    let found = blocked_interval(&a, &a, &Line::new(&Vec3::x(), 1e-12), EVERYWHERE).unwrap();
    assert!((found.from + 4.0).abs() < 1e-12 && (found.to - 4.0).abs() < 1e-12, "{found:?}");
}

#[test]
fn blocked_interval_is_where_triangles_meet() {
    let rng = &mut Rng::new(5);
    let (mut inside, mut beyond) = (0, 0);
    for _ in 0..4000 {
        let (a, b, d) = (triangle(rng), triangle(rng), rng.in_cube().normalize());
        let found = blocked_interval(&a, &b, &Line::new(&d, 1e-13), EVERYWHERE);
        for _ in 0..8 {
            let t = 2.0 * rng.signed();
            let expected = intersects(&a, &b.map(|p| p + d * t));
            // Rounding decides near an end of the interval.
            if found.is_some_and(|f| (t - f.from).abs() < 1e-9 || (t - f.to).abs() < 1e-9) {
                continue;
            }
            assert_eq!(found.is_some_and(|f| f.from < t && t < f.to), expected, "{a:?} {b:?} {d:?} {t}");
            inside += u32::from(expected);
            beyond += u32::from(!expected);
        }
        if let Some(f) = found {
            let past = |t: f64| intersects(&a, &b.map(|p| p + d * t + f.normal * 1e-6));
            assert!(f.normal.dot(&d) >= 0.0 && !past(f.to));
        }
    }
    assert!(inside > 1000 && beyond > 1000, "{inside} {beyond}");
}

#[test]
fn min_norm_point_needs_at_most_three_planes() {
    let plane = |x: f64, y: f64, z: f64, least: f64| Plane { normal: Vec3::new(x, y, z).normalize(), least };
    let found = |planes: &[Plane]| min_norm_point(planes, 1e-12);
    let close = |x: Option<Vec3>, y: Vec3| (x.unwrap() - y).norm() < 1e-9;
    assert!(close(found(&[plane(0.0, 0.0, 2.0, 0.3)]), Vec3::new(0.0, 0.0, 0.3)));
    let corner = [plane(1.0, 0.0, 0.0, 3.0), plane(0.0, 1.0, 0.0, 4.0), plane(0.0, 0.0, 1.0, 12.0)];
    assert!(close(found(&corner[..2]), Vec3::new(3.0, 4.0, 0.0)));
    assert!(close(found(&corner), Vec3::new(3.0, 4.0, 12.0)));
    // The first half-space implies the second.
    assert!(close(found(&[plane(0.0, 0.0, 1.0, 2.0), plane(0.0, 1.0, 1.0, 1.0)]), Vec3::new(0.0, 0.0, 2.0)));
    assert!(found(&[plane(0.0, 0.0, 1.0, 2.0), plane(0.0, 0.0, -1.0, 1.0)]).is_none());
    assert_eq!(found(&[]), Some(Vec3::zeros()));
    // Many planes through one point, like those of a thread's flanks.
    let around: Vec<Plane> = (0..32)
        .map(|k| f64::from(k) * 0.2)
        .map(|t| Plane { normal: Vec3::new(libm::cos(t), libm::sin(t), -1.0).normalize(), least: 0.5f64.sqrt() })
        .collect();
    assert!(close(found(&around), Vec3::new(0.0, 0.0, -1.0)));
}

#[test]
fn ray_exits_box_through_face_ahead() {
    let s = Surface::new(&block([0.0; 3], [1.0; 3]), &Vec3::zeros(), Inside::Solid);
    let way = |x: [f64; 3], d: [f64; 3]| exit(&s, &Vec3::from(x), &Vec3::from(d).normalize(), 10.0);
    assert!((way([0.3, 0.4, 0.25], [0.0, 0.0, 1.0]) - 0.75).abs() < 1e-12);
    assert!((way([0.3, 0.4, 0.25], [-1.0, 0.0, 0.0]) - 0.3).abs() < 1e-12);
    // A ray from outside exits on the far side; a ray missing the box, or ending before it, returns the limit.
    assert!((way([0.3, 0.4, -2.0], [0.0, 0.0, 1.0]) - 3.0).abs() < 1e-12);
    assert!((way([3.0, 0.4, -2.0], [0.0, 0.0, 1.0]) - 10.0).abs() < 1e-12);
    assert!((way([0.3, 0.4, -20.0], [0.0, 0.0, 1.0]) - 10.0).abs() < 1e-12);
}

#[test]
fn contact_pairs_intersect_where_they_were_found_and_not_where_parts_are_apart() {
    let [a, b] = [[0.0; 3], [0.4, 0.3, 0.2]]
        .map(|low| Surface::new(&block(low, low.map(|x| x + 1.0)), &Vec3::zeros(), Inside::Solid));
    let pose = Pose::identity();
    let slim = InsetPair::new(&a, &b, &pose, 1e-9);
    let rng = &mut Rng::new(7);
    let (mut found, mut elsewhere) = (0, 0);
    for _ in 0..200 {
        let (by, other) = (rng.in_cube() * 0.5, rng.in_cube() * 0.5);
        let known = slim.met(&by, 32);
        found += known.len();
        assert!(known.iter().all(|c| c.intersects(&by) && !c.faces.is_empty()), "{by:?}");
        assert!(!known.iter().any(|c| c.intersects(&(by + Vec3::x() * 4.0))), "{by:?}");
        // If a known pair meets at the other place, so do the surfaces.
        let meets = known.iter().any(|c| c.intersects(&other));
        elsewhere += u32::from(meets);
        assert!(!meets || !slim.is_free(&other), "{other:?}");
    }
    assert!(found > 1000 && elsewhere > 20, "{found} {elsewhere}");
}

#[test]
fn tilts_turn_a_translation_towards_the_nearest_rim() {
    // A pin in a bore of a disc, far from its middle: the nearest rim lies at 0.4 radians.
    let (disc, bore, thick, off) = (20.0, 3.0, 3.02, 13.0);
    let place = Vec3::new(libm::cos(0.4), libm::sin(0.4), 0.0) * off;
    let ends = [-15.0, 15.0];
    let inner = ends.map(|z| circle(24, bore, z).into_iter().map(|p| p + place).collect());
    let plate = tube_between(ends.map(|z| circle(24, disc, z)), inner);
    let pin = translated(&prism(24, thick, [-20.0, 20.0]), place);
    let [a, b] = [plate, pin].map(|mesh| Surface::new(&mesh, &Vec3::zeros(), Inside::Solid));
    let pose = Pose::identity();
    for angle in [1.0, -0.3] {
        let far = Vec3::new(libm::cos(angle), libm::sin(angle), 0.0) * 45.0;
        let mut search = Search {
            slim: InsetPair::new(&a, &b, &pose, 1e-6),
            blockers: KnownBlockers::new(Vec::new(), Vec::new(), 400),
            directions: Directions::default(),
            tried: 0,
            best: far,
            least: 0.02,
            hair: 4e-6,
            slack: 1e-7,
        };
        assert!(search.slim.is_free(&far));
        search.tilt(&Mat3::identity());
        let (found, shortest) = (search.best, disc - off + thick);
        assert!(search.slim.is_free(&found));
        assert!(found.norm() < 1.02 * shortest && found.norm() > 0.97 * shortest, "{angle} {found:?}");
    }
}
