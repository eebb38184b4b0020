//! Properties of any two hulls, tested through the whole check: swapping the hulls, moving both, changing the unit; no
//! stage clears a pair within the search radius; touching is contact; the reported vector separates. `INTERFERE_FULL=1`
//! tests twenty times as many.

use crate::support::brute::Solid;
use crate::support::crowd::{Compared, Crowd, MARGIN, Truth};
use crate::support::solids::{between, block, hull_of, prism};
use crate::support::two::{Mix, Two, about_z, placed, radius};
use crate::support::{Rng, times};
use interfere::internals::check::{PairOutcome, Relation, Status};
use interfere::internals::geom::math::UNIT_ROUNDOFF;
use interfere::internals::geom::{Affine, LengthUnit, Pose, Vec3};
use interfere::internals::mesh::TriMesh;

fn solid(rng: &mut Rng, size: f64) -> TriMesh {
    loop {
        if let Some(mesh) = hull_of(&rng.cloud(size)) {
            return mesh;
        }
    }
}

/// A box or a prism of integer sizes: touching faces, edges and corners, many ties.
fn regular(rng: &mut Rng, size: f64) -> TriMesh {
    let mut whole = |n: usize| size * (1 + rng.below(n)) as f64 / 4.0;
    let (x, y, z) = (whole(4), whole(4), whole(4));
    if rng.below(3) > 0 { block([-x, -y, -z], [x, y, z]) } else { prism(3 + rng.below(6), x, [-z, z]) }
}

/// Regular solids on a grid, turned by a quarter, by almost nothing, or not at all.
fn regular_two(rng: &mut Rng) -> Two {
    let size = rng.scale(1e-3, 1e4);
    let a = regular(rng, size);
    let mut two = Two::new(a, regular(rng, size));
    let at = Vec3::new(rng.below(9) as f64 - 4.0, rng.below(9) as f64 - 4.0, rng.below(9) as f64 - 4.0) * (size / 4.0);
    let turn = match rng.below(3) {
        0 => 0.0,
        1 => 90.0,
        _ => rng.scale(1e-13, 1.0),
    };
    two.placements[1] = placed(about_z(turn), at);
    two.tolerance = 1e-6 * two.size();
    two.report_within = Some(100.0 * two.size());
    two
}

/// Two random hulls of sizes from 1e-3 to 1e4, centre to centre `spread` times their radii apart; one pair in four is
/// regular.
fn random_two(rng: &mut Rng, spread: [f64; 2]) -> Two {
    if rng.below(4) == 0 {
        return regular_two(rng);
    }
    let size = rng.scale(1e-3, 1e4);
    let (a, other) = (solid(rng, size), rng.scale(0.2, 5.0) * size);
    let mut two = Two::new(a, solid(rng, other.clamp(1e-3, 1e4)));
    let reach = rng.range(spread[0], spread[1]) * two.size();
    two.placements = [placed(rng.rotation(), Vec3::zeros()), placed(rng.rotation(), rng.direction() * reach)];
    two.tolerance = 1e-6 * two.size();
    // All pairs are listed.
    two.report_within = Some(100.0 * two.size());
    two
}

/// A rigid motion with a translation of 1e-2 to 1e6 mm.
fn motion(rng: &mut Rng) -> Pose {
    let offset = rng.scale(1e-2, 1e6);
    Pose { rotation: rng.rotation(), translation: rng.direction() * offset }
}

/// Largest change of the parts' distance by rounding their placements (mm): each coordinate takes three products and
/// three sums of numbers of that size.
fn placing(two: &Two) -> f64 {
    let far = two.placements.iter().map(|p| p.translation.norm()).fold(0.0, f64::max);
    16.0 * UNIT_ROUNDOFF * (far + two.size())
}

/// Relation with containment as overlap: rounding decides containment of inner flush faces.
fn coarse(row: &PairOutcome) -> Option<Relation> {
    match row.relation {
        Some(Relation::AContainsB | Relation::BContainsA) => Some(Relation::Overlap),
        other => other,
    }
}

/// Width of a row's bracket: rounding, except for hulls with almost parallel nearest faces.
fn width(row: &PairOutcome) -> f64 {
    row.gap_bracket.expect("a bracket").width()
}

/// True if relation and status are beyond the reach of rounding.
fn far_from_thresholds(two: &Two, row: &PairOutcome, error: f64) -> bool {
    let gap = row.gap.expect("a gap");
    [0.0, two.tolerance, -two.tolerance].iter().all(|t| (gap - t).abs() > 10.0 * error)
}

#[test]
fn swapping_a_and_b_changes_only_signs() {
    let mut rng = Rng::new(30);
    let mut mix = Mix::default();
    for k in 0..times(1500) {
        let two = random_two(&mut rng, [0.1, 0.9]);
        let row = two.row();
        let row_of_swapped = Two { ids: ["b", "a"], ..two.clone() }.row();
        mix.count(&row);
        assert_eq!(
            (row.status, row.gap, row.gap_bracket),
            (row_of_swapped.status, row_of_swapped.gap, row_of_swapped.gap_bracket),
            "pair {k}"
        );
        assert_eq!(row.relation, row_of_swapped.relation.map(Relation::swapped));
        assert_eq!(row.penetration_depth, row_of_swapped.penetration_depth);
        assert_eq!(row.separating_translation, row_of_swapped.separating_translation.map(|t| -t));
        assert_eq!(row.normal, row_of_swapped.normal.map(|n| -n));
        assert_eq!(row.closest_points, row_of_swapped.closest_points.map(|[a, b]| [b, a]));
    }
    mix.assert_both(times(1500) / 5);
}

#[test]
fn a_common_rigid_motion_changes_nothing_beyond_rounding() {
    let mut rng = Rng::new(31);
    let (mut mix, mut sure) = (Mix::default(), 0);
    for k in 0..times(1500) {
        let two = random_two(&mut rng, [0.1, 0.9]);
        let moved = two.moved(&motion(&mut rng));
        let (here, there) = (two.row(), moved.row());
        let error = 2.0 * placing(&moved) + 1e-12 * two.size() + width(&here) + width(&there);
        assert!(width(&here) <= 1e-8 * two.size(), "pair {k}: {here:?}");
        let near = |x: Option<f64>, y: Option<f64>, within: f64| match (x, y) {
            (Some(x), Some(y)) => (x - y).abs() <= within,
            // If rounding decides between overlap and none, the depth is of the size of rounding.
            (Some(x), None) | (None, Some(x)) => x.abs() <= within,
            (None, None) => true,
        };
        assert!(near(here.gap, there.gap, error), "pair {k}: {:?} and {:?}, within {error:e}", here.gap, there.gap);
        // The depth is a bracket of relative width 1e-9 (docs/explanation/numerics.md).
        let depth_error = error + 1e-9 * two.size();
        assert!(near(here.penetration_depth, there.penetration_depth, depth_error), "pair {k}");
        if far_from_thresholds(&two, &here, error) {
            assert_eq!((here.status, coarse(&here)), (there.status, coarse(&there)), "pair {k}");
            sure += 1;
        }
        mix.count(&here);
    }
    mix.assert_both(times(1500) / 5);
    assert!(sure * 2 > times(1500), "{sure} pairs were far from their thresholds");
}

#[test]
fn the_unit_of_the_files_changes_nothing_beyond_rounding() {
    let mut rng = Rng::new(32);
    let mut mix = Mix::default();
    for k in 0..times(1000) {
        let two = random_two(&mut rng, [0.1, 0.9]);
        let units = LengthUnit::ALL[1 + k % 4];
        let in_units =
            |m: &TriMesh| TriMesh { vertices: m.vertices.iter().map(|v| v / units.mm()).collect(), ..m.clone() };
        let other = Two { meshes: [in_units(&two.meshes[0]), in_units(&two.meshes[1])], units, ..two.clone() };
        let (here, there) = (two.row(), other.row());
        let error = 1e-12 * two.size() + width(&here) + width(&there);
        let (x, y) = (here.gap.unwrap(), there.gap.unwrap());
        assert!((x - y).abs() <= error, "pair {k}: {x} and {y}");
        if far_from_thresholds(&two, &here, error) {
            assert_eq!((here.status, coarse(&here)), (there.status, coarse(&there)), "pair {k}");
        }
        mix.count(&here);
    }
    mix.assert_both(times(1000) / 5);
}

#[test]
fn no_stage_clears_a_pair_within_search_radius() {
    let mut rng = Rng::new(33);
    let mut seen = Compared::default();
    let (mut by_boxes, mut by_obb, mut by_hull) = (0, 0, 0);
    for _ in 0..times(60) {
        let center = if rng.below(2) == 0 { Vec3::zeros() } else { rng.direction() * 1e6 };
        let hulls = [10.0, 4.0, 15.0, 1.0].map(|size| solid(&mut rng, size));
        let crowd = Crowd::new(&mut rng, hulls, center);
        let reach = rng.scale(0.1, 10.0);
        let checked = crowd.check(reach);
        by_boxes += checked.listed.cleared_by.aabb;
        by_obb += checked.listed.cleared_by.obb;
        by_hull += checked.gated.cleared_by.hull;
        let solids = crowd.map(Solid::new);
        let truth = |[i, j]: [usize; 2]| solids[i].distance(&solids[j], MARGIN).map_or(Truth::Meet, Truth::Apart);
        seen.compare(&checked, reach, |pair, _| truth(pair));
    }
    let Compared { meeting, within, beyond } = seen;
    assert!(meeting > times(100) && within > times(100) && beyond > times(1000), "{meeting} {within} {beyond}");
    assert!(by_boxes > 500 && by_obb > 50 && by_hull > 50, "every stage cleared some: {by_boxes} {by_obb} {by_hull}");
}

/// A ridge along x at z = 0 above a flat base.
fn roof(size: f64) -> TriMesh {
    let end = |x: f64| [[x, -1.0, -1.0], [x, 1.0, -1.0], [x, 0.0, 0.0]].map(|p| Vec3::from(p) * size);
    between(&end(-2.0), &end(2.0))
}

/// Two solids touching in the plane z = 0, in closed form, and the kind of contact.
fn touching(rng: &mut Rng, kind: usize, size: f64) -> (&'static str, Two) {
    let other = size * rng.scale(0.1, 10.0);
    // Half of them are turned by almost nothing: nearly parallel axes.
    let deg = if rng.below(2) == 0 { rng.range(0.0, 360.0) } else { rng.scale(1e-13, 1.0) };
    let turn = about_z(deg);
    let aside = |by: f64, rng: &mut Rng| Vec3::new(rng.range(-by, by), rng.range(-by, by), 0.0);
    let below = block([-size, -size, -size * rng.scale(1e-3, 1.0)], [size, size, 0.0]);
    match kind % 4 {
        0 => {
            let mut two = Two::new(below, block([-other, -other, 0.0], [other, other, other]));
            two.placements[1] = placed(turn, aside(0.6 * (size + other), rng));
            ("face to face", two)
        }
        1 => {
            let mut two = Two::new(prism(5, size, [-size, 0.0]), prism(7, other, [0.0, other]));
            two.placements[1] = placed(turn, aside(0.4 * (size + other), rng));
            ("face to face", two)
        }
        2 => {
            // Ridge up and ridge down, crossed at an angle separating them elsewhere.
            let mut two = Two::new(roof(size), roof(other));
            let over = Affine {
                linear: about_z(if deg > 1.0 { 20.0 + deg * 140.0 / 360.0 } else { 90.0 + deg }),
                ..Affine::identity()
            };
            let down = Affine {
                linear: interfere::internals::geom::Mat3::from_diagonal(&Vec3::new(1.0, -1.0, -1.0)),
                ..Affine::identity()
            };
            two.placements[1] = over.after(&down);
            ("edge to edge", two)
        }
        _ => {
            // The lowest corner of a turned cloud on the plate.
            let tip = solid(rng, other);
            let rotation = rng.rotation();
            let lowest = |v: &&Vec3, w: &&Vec3| (rotation * **v).z.total_cmp(&(rotation * **w).z);
            let corner = rotation * tip.vertices.iter().min_by(lowest).expect("vertices");
            let mut two = Two::new(below, tip);
            two.placements[1] = placed(rotation, aside(0.9 * size, rng) - corner);
            ("corner on face", two)
        }
    }
}

#[test]
fn touching_hulls_are_contact_at_any_rotation_size_and_distance() {
    let mut rng = Rng::new(34);
    let mut kinds = std::collections::BTreeMap::new();
    for k in 0..times(5000) {
        let size = rng.scale(1e-3, 1e4);
        let (kind, two) = touching(&mut rng, k, size);
        let mut two = two.moved(&motion(&mut rng));
        // With the placements' rounding as tolerance, no stage proves the pair clear.
        two.tolerance = placing(&two);
        let held = two.check();
        assert_eq!(held.counts.clear, 0, "{kind} of size {size}: {:?}", held.cleared_by);
        // Some tolerance above the pair's rounding margin (32 round-offs of two diameters and their distance) gives a
        // decision.
        two.tolerance += 1e-12 * two.size();
        let row = two.row();
        assert_eq!(row.status, Status::Contact, "{kind} of size {size}: {row:?}");
        assert!(row.gap.unwrap().abs() <= two.tolerance, "{kind} of size {size}: {row:?}");
        *kinds.entry(kind).or_insert(0) += 1;
    }
    assert_eq!(kinds.len(), 3, "{kinds:?}");
    assert!(kinds.values().all(|n| *n >= times(1200)), "{kinds:?}");
}

#[test]
fn slightly_turned_flush_boxes_are_never_cleared() {
    // Between a tenth and a few degrees the cross axes of the boxes are short and magnify rounding.
    let mut rng = Rng::new(37);
    for k in 0..times(3000) {
        let (size, other) = (rng.scale(1.0, 100.0), rng.scale(1.0, 100.0));
        let thin = [rng.scale(0.01, 1.0) * size, rng.scale(0.01, 1.0) * other];
        let mut two = Two::new(
            block([-size, -size, -thin[0]], [size, size, 0.0]),
            block([-other, -other, 0.0], [other, other, thin[1]]),
        );
        let aside = Vec3::new(rng.range(-0.5, 0.5), rng.range(-0.5, 0.5), 0.0) * (size + other);
        two.placements[1] = placed(about_z(rng.scale(0.05, 3.0)), aside);
        // Turned in place: rounding stays below the pair's margin at a tolerance of zero.
        let two = two.moved(&Pose { rotation: rng.rotation(), translation: Vec3::zeros() });
        let outcome = two.check();
        assert_eq!(outcome.counts.clear, 0, "pair {k} touches: {:?}, {two:?}", outcome.cleared_by);
    }
}

#[test]
fn hulls_moved_together_along_their_closest_points_are_contact() {
    let mut rng = Rng::new(35);
    let mut met = 0;
    for k in 0..times(2000) {
        let mut two = random_two(&mut rng, [0.4, 1.2]);
        let row = two.row();
        let Some([p, q]) = row.closest_points.filter(|_| row.gap > Some(1e-9 * two.size())) else { continue };
        two = two.with_second_moved(p - q).moved(&motion(&mut rng));
        two.tolerance = 2.0 * placing(&two) + 1e-12 * two.size() + width(&row);
        let row = two.row();
        assert_eq!(row.status, Status::Contact, "pair {k}: {row:?}");
        met += 1;
    }
    assert!(met > times(700), "{met}");
}

#[test]
fn reported_translation_separates_and_0_999_does_not() {
    let mut rng = Rng::new(36);
    let (mut overlapping, mut contained) = (0, 0);
    for k in 0..times(2000) {
        let mut two = random_two(&mut rng, [0.0, 0.6]);
        if k % 4 == 0 {
            two = two.moved(&motion(&mut rng));
        }
        let row = two.row();
        let Some(t) = row.separating_translation.filter(|t| t.norm() > 1e-3 * radius(&two.meshes[0])) else { continue };
        overlapping += 1;
        contained += usize::from(matches!(row.relation, Some(Relation::AContainsB | Relation::BContainsA)));
        assert!((t.norm() - row.penetration_depth.unwrap()).abs() <= 1e-12 * two.size());
        two.tolerance = 2.0 * placing(&two) + 1e-9 * two.size();
        let after = two.with_second_moved(t).row();
        assert!(matches!(after.status, Status::Contact | Status::Clear), "pair {k}: {row:?} leaves {after:?}");
        // With the placements' rounding as tolerance, the rest of the overlap shows.
        two.tolerance = placing(&two);
        let before = two.with_second_moved(t * 0.999).row();
        assert!(
            before.gap < Some(0.0) && before.relation == Some(Relation::Overlap),
            "pair {k}: {row:?}, then {before:?}"
        );
    }
    assert!(overlapping > times(700) && contained > times(20), "{overlapping} overlapping, {contained} contained");
}

#[test]
fn slanted_hull_has_a_separating_translation() {
    // Along each axis of its own frame, the extreme corners are the same two.
    for slant in [3.0, 30.0, 1e4] {
        let mut bar = block([-0.5; 3], [0.5; 3]);
        bar.vertices.iter_mut().for_each(|v| *v += Vec3::repeat(slant) * v.sum());
        let two = Two::new(bar.clone(), bar);
        let row = two.row();
        assert_eq!(row.relation, Some(Relation::Coincident));
        let (depth, by) = (row.penetration_depth.expect("a depth"), row.separating_translation.expect("a translation"));
        assert!(depth > 0.0 && depth >= row.overlap_depth.unwrap() * (1.0 - 1e-9), "{depth}");
        let apart = two.with_second_moved(by * 1.001).check();
        assert_eq!((apart.counts.clear, apart.counts.interference), (1, 0), "{by:?}");
        assert_eq!(two.with_second_moved(by * 0.99).check().counts.interference, 1);
    }
}
