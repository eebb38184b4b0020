//! Bounds of single boxes, checked against the depths of points in them.

use crate::geom::{Aabb, Mat3, Pose, Vec3};
use crate::mesh::TriMesh;
use crate::query::depth::Precision;
use crate::query::depth::search::cell_bound::part_above;
use crate::query::depth::search::cell_lp::Row;
use crate::query::depth::search::evaluator::Evaluator;
use crate::query::depth::search::{BranchAndBound, Cell, NewCell, Target};
use crate::shape::surface::placed::PlacedSurface;
use crate::shape::surface::{Inside, Surface};
use crate::testkit::rng::Rng;
use crate::testkit::solids::{block, cubes, refined, ring};

/// Random cubes or a thin ring with a shoulder, randomly triangulated, some rounded to single precision.
pub(crate) fn solid(rng: &mut Rng, round: usize) -> Surface {
    let thin = 0.2 + 0.15 * rng.signed();
    let shoulder = [[1.5, 0.0], [3.0, 0.0], [3.0, thin], [1.5 + thin, thin], [1.5 + thin, 2.0], [1.5, 2.0]];
    let mesh = if round.is_multiple_of(2) { cubes(rng) } else { ring(&shoulder, 6 + rng.below(12)) };
    let mesh = refined(&mesh, rng, round % 30);
    let shear = Mat3::from_fn(|i, j| f64::from(u8::from(i == j)) + 0.2 * rng.signed());
    let vertices = mesh.vertices.iter().map(|v| {
        let p = shear * (v - Vec3::repeat(1.5));
        if round.is_multiple_of(3) { p.map(|x| f64::from(x as f32)) } else { p }
    });
    let mesh = TriMesh { vertices: vertices.collect(), triangles: mesh.triangles };
    Surface::new(&mesh, &Vec3::zeros(), Inside::Solid)
}

#[test]
fn box_bound_covers_every_point() {
    let mut rng = Rng::new(5);
    let (mut boxes, mut sharp) = (0, 0);
    for round in 0..240 {
        let (a, b) = (solid(&mut rng, round), solid(&mut rng, round / 2));
        let rotation = rng.rotation();
        let pose = Pose { rotation, translation: rng.in_cube() };
        let sides = [PlacedSurface { surface: &a, pose: None }, PlacedSurface { surface: &b, pose: Some(&pose) }];
        let all = Aabb { min: Vec3::repeat(-4.0), max: Vec3::repeat(4.0) };
        let rounding = if round.is_multiple_of(3) || (round / 2).is_multiple_of(3) { 1e-6 } else { 1e-13 };
        let mut depth = BranchAndBound::new(sides, &all, [f64::NEG_INFINITY, f64::INFINITY], rounding);
        for _ in 0..60 {
            // Box around a point near a surface, on either side.
            let t = rng.below(a.triangles.len()) as u32;
            let [p, q, r] = a.triangle(t);
            let center =
                (p + q * (1.5 + 0.5 * rng.signed()) + r * (1.5 + 0.5 * rng.signed())) / 4.0 + rng.in_cube() * 0.2;
            let size = libm::exp2(-3.0 + 2.0 * rng.signed());
            let half = rng.in_cube().map(|x| size * (0.2 + x.abs()));
            let Some(at) = depth.evaluate(&center) else { continue };
            let loose = at[0].1.min(at[1].1) + half.norm();
            // The bound must hold above every level >= 0. It says nothing about points outside.
            let (own, share) = (at[0].1.min(at[1].1), rng.unit());
            let level = (own + (loose - own) * share * share * share).max(0.0);
            let target = Target { above: f64::INFINITY, at_most: level, width: None };
            depth.evaluator.best = None;
            let cell = NewCell { upper: loose, order: 0, center, half, known: None };
            let mut bounder = depth.bounder();
            let kept = bounder.all_bounded(&[cell], &target);
            let bound = kept.iter().map(|cell| cell.upper).fold(f64::NEG_INFINITY, f64::max);
            let enough = target.level(bounder.evaluator.lower());
            // A point counts with the cells around it: one cut off a cell must not be deeper than the level.
            let limit_at = |x: &Vec3| {
                let has =
                    |c: &&Cell| (x - c.center).iter().zip(c.half.iter()).all(|(d, h)| d.abs() <= h * (1.0 + 1e-9));
                kept.iter().filter(has).map(|c| c.upper).fold(enough, f64::max) + 1e-9
            };
            sharp += i32::from(bound < 0.7 * loose);
            boxes += 1;
            // At random, then around the deepest point so far.
            let (mut deepest, mut place) = (own, Vec3::zeros());
            for k in 0..80 {
                let reach = if k < 30 { 1.0 } else { libm::exp2(-f64::from(k - 30) / 6.0) };
                let y = if k < 30 { rng.in_cube() } else { place + rng.in_cube() * reach };
                let y = y.map(|c| c.clamp(-1.0, 1.0));
                let x = center + y.component_mul(&half);
                let Some(there) = depth.evaluate(&x) else { continue };
                let f = there[0].1.min(there[1].1);
                if f > deepest {
                    (deepest, place) = (f, y);
                }
                let limit = limit_at(&x);
                assert!(f <= limit, "round {round}: {f} at {x:?}, bound {bound} of {center:?} {half:?}, level {level}");
            }
            depth.evaluator.best = None;
        }
    }
    assert!(boxes > 10_000 && sharp > 1_000, "{boxes} {sharp}");
}

#[test]
fn part_of_a_cell_has_every_point_above_the_level() {
    let mut rng = Rng::new(11);
    let (mut parts, mut above, mut below) = (0, 0, 0);
    for round in 0..2000 {
        let half = rng.in_cube().map(|x| 0.1 + x.abs());
        let mut row = || Row::bound(rng.in_cube(), rng.signed());
        let cuts: Vec<Row> = (0..=round % 3).map(|_| row()).collect();
        let level = 0.8 * rng.signed();
        let Some((shift, part)) = part_above(&cuts, &half, level) else { continue };
        parts += 1;
        for _ in 0..100 {
            let y = rng.in_cube().component_mul(&half);
            let is_held = (y - shift).iter().zip(part.iter()).all(|(d, h)| d.abs() <= *h);
            if cuts.iter().all(|cut| cut.value + cut.slope.dot(&y) > level) {
                assert!(is_held, "round {round}: {y:?} of {half:?} outside of {part:?} about {shift:?}");
                above += 1;
            } else {
                below += i32::from(!is_held);
            }
        }
        // The part lies in the cell.
        assert!((0..3).all(|k| shift[k].abs() + part[k] <= half[k] * (1.0 + 1e-8)), "round {round}");
    }
    assert!(parts > 200 && above > 500 && below > 5_000, "{parts} {above} {below}");
}

#[test]
fn searches_of_parts_keep_every_deep_point() {
    let mut rng = Rng::new(23);
    let (mut divided, mut deep, mut open) = (0, 0, 0);
    for round in 0..60 {
        let (a, b) = (solid(&mut rng, round), solid(&mut rng, round / 2));
        let pose = Pose { rotation: rng.rotation(), translation: rng.in_cube() * 0.5 };
        let sides = [PlacedSurface { surface: &a, pose: None }, PlacedSurface { surface: &b, pose: Some(&pose) }];
        let all = Aabb { min: Vec3::repeat(-3.0), max: Vec3::repeat(3.0) };
        let mut depth = BranchAndBound::new(sides, &all, [f64::NEG_INFINITY, f64::INFINITY], 1e-6);
        // A few times as many boxes each time, so the bounds of parts follow from those of larger boxes.
        for budget in [8, 32, 128, 512] {
            let target = Target { above: f64::INFINITY, at_most: 0.0, width: None };
            depth.refine(&target, budget);
            let (cells, upper) = (depth.cells, depth.upper());
            let best = depth.evaluator.best;
            divided += i32::from(cells > 8);
            for k in 0..200 {
                // Half of the points lie around the best ball.
                let near = best.filter(|_| k % 2 == 0).map(|ball| ball.center + rng.in_cube() * 0.2);
                let x = near.unwrap_or_else(|| rng.in_cube() * 3.0);
                let Some(there) = depth.evaluate(&x) else { continue };
                let f = there[0].1.min(there[1].1);
                deep += i32::from(f > 0.0);
                open += i32::from(f > 0.0 && upper > f);
                assert!(f <= upper + 1e-9, "round {round}: {f} at {x:?} beyond {upper} after {cells} cells");
            }
            // The search must not profit from the points of the test.
            depth.evaluator.best = best;
        }
    }
    assert!(divided > 100 && deep > 2_000 && open > 1_000, "{divided} {deep} {open}");
}

#[test]
fn ascents_in_two_blocks_reach_the_deepest_point() {
    let mut rng = Rng::new(23);
    let mut ascents = 0;
    for round in 0..300 {
        // The depth is concave, with ridges where two faces are equally near.
        let mut surface = || {
            let size = rng.in_cube().map(|x| 0.5 + x.abs());
            Surface::new(&block([-size.x, -size.y, -size.z], [size.x, size.y, size.z]), &Vec3::zeros(), Inside::Solid)
        };
        let (a, b) = (surface(), surface());
        let pose = Pose { rotation: rng.rotation(), translation: rng.in_cube() };
        let sides = [PlacedSurface { surface: &a, pose: None }, PlacedSurface { surface: &b, pose: Some(&pose) }];
        let all = Aabb { min: Vec3::repeat(-2.0), max: Vec3::repeat(2.0) };
        let mut depth = BranchAndBound::new(sides, &all, [f64::NEG_INFINITY, f64::INFINITY], 1e-13);
        let width = Some(Precision::new(1e-3, 1e-3));
        let target = Target { above: f64::INFINITY, at_most: f64::NEG_INFINITY, width };
        assert!(depth.refine(&target, 100_000), "round {round}");
        for _ in 0..10 {
            let start = rng.in_cube() * 1.5;
            let mut evaluator = Evaluator::new(sides, f64::NEG_INFINITY, 1e-13);
            let Some(at) = evaluator.evaluate(&start) else { continue };
            let radius = at[0].1.min(at[1].1);
            if radius <= 0.01 {
                continue;
            }
            evaluator.ascend(&start, 4.0 * radius, f64::INFINITY);
            let share = evaluator.lower() / depth.upper();
            ascents += 1;
            assert!(share > 0.99 && share <= 1.0 + 1e-9, "round {round}: {share}");
        }
    }
    assert!(ascents > 200, "{ascents}");
}
