//! Properties of any two solids with hollows, tested through the whole check; the counterpart of `properties.rs` for
//! hulls. `INTERFERE_FULL=1` tests twenty times as many.

use crate::support::brute::Soup;
use crate::support::crowd::{Compared, Crowd, Truth};
use crate::support::solids::{extruded, finer, hull_of, tube};
use crate::support::two::{Mix, Two, placed};
use crate::support::{Rng, times};
use interfere::internals::assembly::Geometry;
use interfere::internals::check::{Certainty, PairOutcome, Relation, Status};
use interfere::internals::geom::{Bounds, Pose, Vec3};
use interfere::internals::mesh::TriMesh;

/// An L, a U or a tube of about the given size.
fn hollow(rng: &mut Rng, size: f64) -> TriMesh {
    let (leg, high) = (size * rng.range(0.15, 0.4), size * rng.range(0.2, 1.0));
    let prism = |outline: &[[f64; 2]]| extruded(outline, [-0.5 * high, 0.5 * high]);
    match rng.below(3) {
        0 => prism(&[[0.0, 0.0], [size, 0.0], [size, leg], [leg, leg], [leg, size], [0.0, size]]),
        // An arrow: the first corner also sees the notch, so fans from it are valid.
        1 => prism(&[[0.0, 0.0], [size, -leg], [0.4 * size, 0.5 * leg], [size, 2.0 * leg]]),
        _ => tube(5 + rng.below(6), size, size * rng.range(0.4, 0.9), [-0.5 * high, 0.5 * high]),
    }
}

fn random_two(rng: &mut Rng) -> Two {
    let size = rng.scale(1e-1, 1e3);
    let (a, other) = (hollow(rng, size), size * rng.scale(0.3, 3.0));
    let mut two = Two::new(a, hollow(rng, other));
    let reach = rng.range(0.0, 1.2) * two.size();
    two.placements = [placed(rng.rotation(), Vec3::zeros()), placed(rng.rotation(), rng.direction() * reach)];
    two.tolerance = 1e-3 * two.size();
    two.report_within = Some(100.0 * two.size());
    two
}

fn motion(rng: &mut Rng, size: f64) -> Pose {
    Pose { rotation: rng.rotation(), translation: rng.direction() * size * rng.scale(1e-2, 1e3) }
}

/// True if two brackets overlap, allowing for the error of moving the parts (mm).
fn intersect(x: &PairOutcome, y: &PairOutcome, error: f64) -> bool {
    let (x, y) = (x.gap_bracket.expect("a bracket"), y.gap_bracket.expect("a bracket"));
    x.lower <= y.upper + error && y.lower <= x.upper + error
}

#[test]
fn swapping_a_and_b_changes_only_signs() {
    let mut rng = Rng::new(40);
    let mut mix = Mix::default();
    for k in 0..times(60) {
        let two = random_two(&mut rng);
        let row = two.row();
        let other = Two { ids: ["b", "a"], ..two.clone() }.row();
        mix.count(&row);
        assert_eq!((row.status, row.certainty, row.geometry), (other.status, other.certainty, Geometry::Exact));
        assert_eq!(
            (row.gap, row.gap_bracket, row.facet_allowance),
            (other.gap, other.gap_bracket, other.facet_allowance)
        );
        assert_eq!(row.relation, other.relation.map(Relation::swapped), "pair {k}");
        assert_eq!(row.normal, other.normal.map(|n| -n));
        assert_eq!(row.closest_points, other.closest_points.map(|[a, b]| [b, a]));
    }
    mix.assert_both(times(60) / 5);
}

#[test]
fn rigid_motion_and_subdivision_keep_brackets_consistent() {
    let mut rng = Rng::new(41);
    let (mut mix, mut sure) = (Mix::default(), 0);
    for k in 0..times(20) {
        let two = random_two(&mut rng);
        let here = two.row();
        let moved = two.moved(&motion(&mut rng, two.size()));
        let cut = Two { meshes: [finer(&two.meshes[0]), two.meshes[1].clone()], ..two.clone() };
        for other in [moved, cut] {
            let there = other.row();
            let error = 1e-11 * two.size();
            assert!(intersect(&here, &there, error), "pair {k}: {here:?} {there:?}");
            let thresholds = [two.tolerance, -two.tolerance];
            let decided = |row: &PairOutcome| {
                let Bounds { lower: low, upper: high } = row.gap_bracket.expect("a bracket");
                thresholds.iter().all(|t| *t < low - error || *t > high + error)
            };
            // Facet estimates use the triangles as given: subdivision keeps them, rounding may bend them.
            if decided(&here) && decided(&there) && !here.within_facet_error && !there.within_facet_error {
                assert_eq!(here.status, there.status, "pair {k}");
                sure += 1;
            }
        }
        mix.count(&here);
    }
    mix.assert_both(times(20) / 5);
    assert!(sure > times(20), "{sure}");
}

#[test]
fn brackets_are_narrow_and_verdict_only_agrees() {
    let mut rng = Rng::new(42);
    let (mut mix, mut interfering) = (Mix::default(), 0);
    for k in 0..times(60) {
        let two = random_two(&mut rng);
        let row = two.row();
        mix.count(&row);
        let Bounds { lower: low, upper: high } = row.gap_bracket.expect("a bracket");
        let gap = row.gap.expect("closed");
        assert_eq!(row.certainty, Certainty::Certified, "pair {k}: {row:?}");
        assert!(high - low <= (0.01 * gap.abs()).max(0.1 * two.tolerance), "pair {k}: {row:?}");
        assert!(low <= gap && gap <= high);
        let verdict = two.verdict();
        assert_eq!(verdict.counts.of(row.status), 1, "pair {k}: {row:?} {:?}", verdict.counts);
        interfering += usize::from(row.status == Status::Interference);
    }
    mix.assert_both(times(60) / 5);
    assert!(interfering > times(60) / 5, "{interfering}");
}

#[test]
fn hulls_and_triangles_agree_for_convex_solids() {
    let mut rng = Rng::new(43);
    let (mut mix, mut by_triangles) = (Mix::default(), 0);
    for k in 0..times(60) {
        let size = rng.scale(1e-1, 1e3);
        let (Some(a), Some(b)) = (hull_of(&rng.cloud(size)), hull_of(&rng.cloud(size))) else { continue };
        let mut two = Two::new(a, b);
        let reach = rng.range(0.0, 0.9) * two.size();
        two.placements[1] = placed(rng.rotation(), rng.direction() * reach);
        two.tolerance = 1e-3 * two.size();
        two.report_within = Some(100.0 * two.size());
        let by_hulls = two.row();
        // Subdivided faces are bent by rounding: no longer convex to exact signs.
        let cut = Two { meshes: [finer(&two.meshes[0]), finer(&two.meshes[1])], ..two.clone() };
        let row = cut.row();
        assert!(intersect(&by_hulls, &row, 1e-12 * two.size()), "pair {k}: {by_hulls:?} {row:?}");
        if let (Some(exact), Some(found)) = (by_hulls.penetration_depth, row.penetration_depth) {
            assert!(found >= exact - 1e-12 * two.size(), "pair {k}: {found} separates, the shortest is {exact}");
            // A searched translation is longer by rounding.
            by_triangles += usize::from(found > exact + 1e-14 * two.size());
        }
        mix.count(&row);
        if by_hulls.gap < Some(-2.0 * two.tolerance) || by_hulls.gap > Some(2.0 * two.tolerance) {
            assert_eq!(by_hulls.status, row.status, "pair {k}");
        }
    }
    mix.assert_both(times(60) / 5);
    assert!(by_triangles > times(60) / 10, "{by_triangles} went to the triangles");
}

#[test]
fn no_stage_clears_a_pair_within_search_radius() {
    let mut rng = Rng::new(44);
    let mut seen = Compared::default();
    let mut cleared = [0; 4];
    for _ in 0..times(8) {
        let center = if rng.below(2) == 0 { Vec3::zeros() } else { rng.direction() * 1e5 };
        let meshes = [10.0, 4.0, 15.0, 2.0].map(|size| hollow(&mut rng, size));
        let crowd = Crowd::new(&mut rng, meshes, center);
        let reach = rng.scale(0.1, 5.0);
        let checked = crowd.check(reach);
        let by = &checked.gated.cleared_by;
        for (sum, count) in cleared.iter_mut().zip([by.aabb, by.obb, by.hull, by.exact]) {
            *sum += count;
        }
        let soups = crowd.map(Soup::new);
        seen.compare(&checked, reach, |[i, j], row| {
            let nested = row.is_some_and(|r| {
                matches!(r.relation, Some(Relation::AContainsB | Relation::BContainsA | Relation::Coincident))
            });
            match soups[i].distance(&soups[j]) {
                0.0 => Truth::Meet,
                _ if nested => Truth::Nested,
                distance => Truth::Apart(distance),
            }
        });
    }
    let Compared { meeting, within, beyond } = seen;
    assert!(meeting > times(20) && within > times(20) && beyond > times(500), "{meeting} {within} {beyond}");
    assert!(cleared.iter().all(|n| *n > times(2) as u64), "every stage cleared some: {cleared:?}");
}
