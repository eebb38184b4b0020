use crate::geom::predicates::collinear;
use crate::geom::triangle::intersect::{segment_meets, segments_meet, sides};
use crate::geom::triangle::*;
use crate::testkit::rng::Rng;

/// Draws a triangle: integer coordinates from 0 to `grid` (excluded), or points of the unit cube.
fn triangle(rng: &mut Rng, grid: Option<usize>) -> Triangle {
    [(); 3].map(|()| match grid {
        Some(n) => Vec3::from_fn(|_, _| rng.below(n) as f64),
        None => rng.in_unit_cube(),
    })
}

/// True if an edge of one triangle meets the other triangle.
fn meet_by_edges(a: &Triangle, b: &Triangle) -> bool {
    let flat = |t: &Triangle| collinear(&t[0], &t[1], &t[2]);
    let against = |a: &Triangle, b: &Triangle| {
        if flat(a) {
            edges(a).any(|e| edges(b).any(|f| segments_meet(e, f)))
        } else {
            edges(b).any(|e| segment_meets(a, e))
        }
    };
    against(a, b) || against(b, a)
}

#[test]
fn triangles_intersect_if_an_edge_meets_the_other() {
    let mut rng = Rng::new(3);
    let (mut met, mut coplanar, mut degenerate) = (0, 0, 0);
    for grid in [Some(2), Some(3), Some(4), Some(7), None] {
        for _ in 0..60_000 {
            let (mut a, b) = (triangle(&mut rng, grid), triangle(&mut rng, grid));
            if rng.below(4) == 0 {
                // Moves the triangle into one plane, often that of the other.
                for v in &mut a {
                    v.z = 1.0;
                }
            }
            let expected = meet_by_edges(&a, &b);
            assert_eq!(intersects(&a, &b), expected, "{a:?} {b:?}");
            assert_eq!(intersects(&b, &a), expected, "{b:?} {a:?}");
            met += u32::from(expected);
            coplanar += u32::from(sides(&a, &b) == [0.0; 3]);
            degenerate += u32::from(collinear(&a[0], &a[1], &a[2]));
        }
    }
    assert!(met > 10_000 && coplanar > 1000 && degenerate > 1000, "{met} {coplanar} {degenerate}");
}

#[test]
fn crossing_triangles_still_meet_after_small_inset() {
    let mut rng = Rng::new(5);
    let (mut crossed, mut touched) = (0, 0);
    for n in [3, 4, 5, 7] {
        for _ in 0..40_000 {
            let (a, b) = (triangle(&mut rng, Some(n)), triangle(&mut rng, Some(n)));
            if collinear(&a[0], &a[1], &a[2]) || collinear(&b[0], &b[1], &b[2]) {
                continue;
            }
            // Insets a triangle by a factor of 2⁻³⁰; exact on integers times three. The crossings of small grid
            // triangles are longer than the inset.
            let drawn_in = |t: &Triangle| {
                let middle = t[0] + t[1] + t[2];
                t.map(|v| v * 3.0 + (middle - v * 3.0) * 2.0_f64.powi(-30))
            };
            let flat = sides(&a, &b) == [0.0; 3];
            let expected = !flat && intersects(&drawn_in(&a), &drawn_in(&b));
            assert_eq!(crosses(&a, &b), expected, "{a:?} {b:?}");
            assert_eq!(crosses(&b, &a), expected, "{b:?} {a:?}");
            crossed += u32::from(expected);
            touched += u32::from(!expected && intersects(&a, &b));
        }
    }
    assert!(crossed > 10_000 && touched > 10_000, "{crossed} {touched}");
}

#[test]
fn one_ulp_decides_triangle_contact() {
    let a = [Vec3::zeros(), Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];
    let above = |z: f64| [Vec3::new(0.2, 0.2, z), Vec3::new(0.3, 0.2, 1.0), Vec3::new(0.2, 0.3, 1.0)];
    assert!(intersects(&a, &above(0.0)));
    assert!(intersects(&a, &above(-1e-300)));
    assert!(!intersects(&a, &above(1e-300)));
}

#[test]
fn closest_points_are_the_closest() {
    let mut rng = Rng::new(11);
    let mut tested = 0;
    for round in 0..3000 {
        let mut a = triangle(&mut rng, None);
        let b = triangle(&mut rng, None);
        if round % 3 == 0 {
            // A sliver.
            a[2] = a[0] + (a[1] - a[0]) * 0.4 + Vec3::new(1e-9, -1e-9, 3e-9);
        }
        if intersects(&a, &b) {
            continue;
        }
        tested += 1;
        let c = closest(&a, &b);
        let d = c.squared.sqrt();
        assert!(((c.points[0] - c.points[1]).norm() - d).abs() < 1e-14, "{a:?} {b:?}");
        assert!(point_triangle(&c.points[0], &a).squared < 1e-28);
        assert!(point_triangle(&c.points[1], &b).squared < 1e-28);
        // Both triangles lie beyond parallel planes through the two points, perpendicular to their difference: no two
        // points are closer.
        let way = (c.points[1] - c.points[0]) / d;
        let reach = a.iter().map(|v| way.dot(&(v - c.points[0]))).fold(f64::MIN, f64::max);
        let back = b.iter().map(|v| way.dot(&(v - c.points[1]))).fold(f64::MAX, f64::min);
        assert!(reach < 1e-13 / d && back > -1e-13 / d, "{a:?} {b:?} {reach:e} {back:e} {d:e}");
    }
    assert!(tested > 1000);
}
