use crate::geom::{Bounds, Pose, Vec3};
use crate::query::pieces::{PieceDistance, PiecePair, ThickestOverlap};
use crate::shape::decompose::Decomposition;
use crate::shape::decompose::piece_set::{Cover, Pieces};
use crate::shape::decompose::verify::covers;
use crate::shape::hull::{Hull, convex_hull};
use crate::shape::surface::{Inside, Surface};
use crate::testkit::poses::{about_z, at};
use crate::testkit::rng::Rng;
use crate::testkit::solids::block;

/// Returns a box as a hull.
pub(crate) fn hull_block(min: [f64; 3], max: [f64; 3]) -> Hull {
    convex_hull(&block(min, max).vertices)
}

/// Returns the two arms of a bracket, 10 long and 1 thick, overlapping by `by` beyond the corner.
fn bracket(by: f64) -> Vec<Hull> {
    vec![hull_block([0.0; 3], [10.0, 1.0, 2.0]), hull_block([0.0, 1.0 - by, 0.0], [1.0, 10.0, 2.0])]
}

fn turned() -> Pose {
    Pose { rotation: about_z(180.0), translation: Vec3::new(8.0, 8.0, 0.0) }
}

const MARGIN: f64 = 1e-12;

#[test]
fn interlocked_brackets_have_gap_of_their_arms() {
    let pieces = Pieces::new(&bracket(0.5));
    // The second bracket, rotated by 180°: its arms lie at 7 to 8, 6 from the first one's inner walls, and end at −2.
    let pose = turned();
    let pair = PiecePair { a: Cover::Pieces(&pieces), b: Cover::Pieces(&pieces), b_in_a: &pose };
    // The arm along x at y 7…8 runs from x −2 to 8 and crosses the first bracket's arm at x 0…1.
    assert!(matches!(pair.distance(100.0, MARGIN), PieceDistance::Meet { .. }));
    let pose = at(1.25, 1.5, 0.0);
    let pair = PiecePair { a: Cover::Pieces(&pieces), b: Cover::Pieces(&pieces), b_in_a: &pose };
    let PieceDistance::Apart { bounds: Bounds { lower: low, upper: high }, points } = pair.distance(100.0, MARGIN)
    else {
        panic!("apart")
    };
    assert!((low - 0.25).abs() < 1e-12 && (high - 0.25).abs() < 1e-12, "{low} {high}");
    assert!(((points[1] - points[0]).norm() - 0.25).abs() < 1e-12);
    let PieceDistance::Beyond(least) = pair.distance(0.2, MARGIN) else { panic!("beyond") };
    assert!(least > 0.2 && least <= 0.25 + 1e-12, "{least}");
}

#[test]
fn part_in_hollow_is_clear_of_pieces_only() {
    let pieces = Pieces::new(&bracket(0.5));
    let block = hull_block([1.5, 1.25, 0.0], [3.0, 3.0, 2.0]);
    let convex = Pieces::new(std::slice::from_ref(&block)).all.remove(0);
    let pose = Pose { translation: convex.origin, ..Pose::identity() };
    let pair = PiecePair { a: Cover::Pieces(&pieces), b: Cover::Whole(&convex), b_in_a: &pose };
    let PieceDistance::Apart { bounds, .. } = pair.distance(1.0, MARGIN) else { panic!("apart") };
    assert!((bounds.lower - 0.25).abs() < 1e-12 && (bounds.upper - 0.25).abs() < 1e-12, "{bounds:?}");
    assert_eq!(pair.thickest_overlap(f64::INFINITY), ThickestOverlap { bounds: Bounds::exact(0.0), ball: None });
    let (points, back) =
        (convex_hull(&bracket(0.5).iter().flat_map(|h| h.vertices.clone()).collect::<Vec<_>>()), pose.inverse());
    let hull = Pieces::new(&[points]).all.remove(0);
    let moved = Pose { translation: back.translation + hull.origin, ..back };
    let pair = PiecePair { a: Cover::Whole(&convex), b: Cover::Whole(&hull), b_in_a: &moved };
    assert!(matches!(pair.distance(1.0, MARGIN), PieceDistance::Meet { .. }));
}

#[test]
fn the_thickest_common_piece_is_found_among_all() {
    let pieces = Pieces::new(&bracket(0.5));
    // Overlap 0.3 with one arm, 0.125 with the other.
    let block = hull_block([0.7, 0.875, 0.0], [9.0, 9.0, 2.0]);
    let convex = Pieces::new(&[block]).all.remove(0);
    let pose = Pose { translation: convex.origin, ..Pose::identity() };
    let pair = PiecePair { a: Cover::Pieces(&pieces), b: Cover::Whole(&convex), b_in_a: &pose };
    let found = pair.thickest_overlap(f64::INFINITY);
    let [low, high] = found.bounds.to_depth();
    assert!(low <= 0.3 + MARGIN && high >= 0.3 - MARGIN && high - low < 1e-9, "{low} {high}");
    let ball = found.ball.expect("they overlap");
    assert!((ball.center.x - 0.85).abs() < 1e-9, "{ball:?}");
    for p in ball.points {
        assert!(((p - ball.center).norm() - 0.15).abs() < 1e-9, "{ball:?}");
    }
    // The search stops at the first depth above the limit.
    assert!(pair.thickest_overlap(0.1).bounds.to_depth()[0] > 0.1);
}

#[test]
fn piece_tree_agrees_with_all_pieces() {
    let mut rng = Rng::new(7);
    for round in 0..40 {
        let mut set = |n: usize| -> Vec<Hull> {
            (0..n)
                .map(|_| {
                    let corner = rng.in_unit_cube() * 10.0;
                    let size = rng.in_unit_cube() + Vec3::repeat(0.1);
                    hull_block(corner.into(), (corner + size).into())
                })
                .collect()
        };
        let (a, b) = (set(23), set(17));
        let (pa, pb) = (Pieces::new(&a), Pieces::new(&b));
        let pose = at(if round % 2 == 0 { 3.0 } else { 13.0 }, 0.5, -0.25);
        let pair = PiecePair { a: Cover::Pieces(&pa), b: Cover::Pieces(&pb), b_in_a: &pose };
        // Axis-aligned boxes: gap and depth follow from their intervals.
        let bounds = |h: &Hull| crate::geom::Aabb::of_points(&h.vertices);
        let (mut nearest, mut thickest) = (f64::INFINITY, 0.0_f64);
        for (x, y) in a.iter().flat_map(|x| b.iter().map(move |y| (x, y))) {
            let (x, y) = (bounds(x), bounds(y));
            let y = crate::geom::Aabb { min: y.min + pose.translation, max: y.max + pose.translation };
            nearest = nearest.min(x.distance(&y));
            let common = x.intersection(&y);
            thickest = thickest.max((common.max - common.min).min());
        }
        match pair.distance(f64::INFINITY, MARGIN) {
            PieceDistance::Apart { bounds: Bounds { lower: low, upper: high }, .. } => {
                assert!(low <= nearest + 1e-9 && high >= nearest - 1e-9 && high - low < 1e-6, "{low} {high} {nearest}");
            }
            PieceDistance::Meet { .. } => assert!(nearest <= 1e-9),
            PieceDistance::Beyond(_) => panic!("there is no limit"),
        }
        let [low, high] = pair.thickest_overlap(f64::INFINITY).bounds.to_depth();
        assert!(low <= thickest + 1e-9 && high >= thickest - 1e-9 && high - low < 1e-6, "{low} {high} {thickest}");
    }
}

/// Returns a bracket as a mesh: the outline of its two arms, extruded.
fn solid_bracket() -> Surface {
    let outline = [[0.0, 0.0], [10.0, 0.0], [10.0, 1.0], [1.0, 1.0], [1.0, 10.0], [0.0, 10.0]];
    let vertices: Vec<Vec3> = [0.0, 2.0].iter().flat_map(|z| outline.map(|[x, y]| Vec3::new(x, y, *z))).collect();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 5], [3, 4, 5]] {
        triangles.extend([[a, c, b], [a + 6, b + 6, c + 6]]);
    }
    for k in 0..6 {
        let n = (k + 1) % 6;
        triangles.extend([[k, n, n + 6], [k, n + 6, k + 6]]);
    }
    Surface::of(vertices, &triangles, Inside::Solid)
}

fn is_covered(pieces: Vec<Hull>) -> bool {
    covers(&solid_bracket(), &Decomposition { pieces, epsilon: 0.0 })
}

#[test]
fn cover_test_distinguishes_complete_covers() {
    assert!(is_covered(bracket(0.5)));
    // Touching faces cover: an overlap is not required.
    assert!(is_covered(bracket(0.0)));
    assert!(is_covered(vec![hull_block([-1.0; 3], [11.0; 3])]));
    // A slit between the two pieces, and an arm too short at its end.
    assert!(!is_covered(bracket(-1e-6)));
    assert!(!is_covered(vec![hull_block([0.0; 3], [10.0, 1.0, 2.0]), hull_block([0.0; 3], [1.0, 10.0 - 1e-6, 2.0])]));
    assert!(!is_covered(vec![hull_block([0.0; 3], [10.0, 1.0, 2.0])]));
    assert!(!is_covered(Vec::new()));
}

#[test]
fn missing_thin_slice_is_detected() {
    let slice = |k: u32| {
        let (low, high) = (f64::from(k) / 7.0, f64::from(k + 1) / 7.0);
        vec![
            hull_block([low * 10.0, 0.0, 0.0], [high * 10.0, 1.0, 2.0]),
            hull_block([0.0, low * 10.0, 0.0], [1.0, high * 10.0, 2.0]),
        ]
    };
    let all: Vec<Hull> = (0..7).flat_map(slice).collect();
    assert!(is_covered(all.clone()));
    for k in 2..14 {
        let mut some = all.clone();
        some.remove(k);
        assert!(!is_covered(some), "without slice {k}");
    }
}

#[test]
fn a_covered_skin_around_a_hollow_is_not_enough() {
    // Six plates covering the surface of a cube, but not its centre.
    let cube = hull_block([0.0; 3], [4.0; 3]);
    let surface = Surface::of(cube.vertices.clone(), &cube.triangles, Inside::Solid);
    let plates = |t: f64| -> Vec<Hull> {
        (0..6)
            .map(|k| {
                let (mut min, mut max) = ([0.0; 3], [4.0; 3]);
                if k < 3 {
                    max[k] = t;
                } else {
                    min[k - 3] = 4.0 - t;
                }
                hull_block(min, max)
            })
            .collect()
    };
    let covered = |pieces| covers(&surface, &Decomposition { pieces, epsilon: 0.0 });
    assert!(!covered(plates(1.0)) && !covered(plates(2.0 - 1e-6)));
    assert!(covered(plates(2.0)));
    let mut filled = plates(1.0);
    filled.push(hull_block([1.0; 3], [3.0; 3]));
    assert!(covered(filled));
}

#[test]
fn the_surface_of_all_pieces_winds_around_each() {
    let surface = Pieces::new(&bracket(0.5)).surface();
    assert_eq!((surface.shells.len(), surface.triangles.len()), (2, 24));
    let winding = |x, y| crate::shape::surface::winding_number::winding(&surface, None, &Vec3::new(x, y, 1.1));
    assert_eq!([winding(5.1, 0.3), winding(0.3, 5.1), winding(5.1, 5.2)], [Some(1), Some(1), Some(0)]);
    assert_eq!(winding(0.4, 0.7), Some(2));
}
