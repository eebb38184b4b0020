//! The intersection of a pair in the finished report: its volume, and its box along the root axes.

use crate::support::Rng;
use crate::support::report::{json_of, number, parsed, row, vector};
use crate::support::solids::{block, joined, translated};
use crate::support::two::{Two, about_z, placed};
use interfere::internals::geom::{Mat3, Pose, Vec3};

/// Volume and box of the row (mm).
fn reported(two: &Two) -> (f64, [Vec3; 2]) {
    let report = parsed(&json_of(&two.check()));
    let row = row(&report, "a", "b").expect("the pair is listed");
    let corner = |name: &str| Vec3::from(vector(&row["overlap_box"][name]).expect("a corner"));
    (number(&row["overlap_volume"]).expect("a volume"), [corner("min"), corner("max")])
}

#[track_caller]
fn assert_common(two: &Two, volume: f64, corners: &[Vec3]) {
    let (found, [min, max]) = reported(two);
    assert!((found - volume).abs() <= 1e-9 * volume, "{found} is not {volume}");
    let low = corners.iter().copied().reduce(|p, q| p.inf(&q)).expect("corners");
    let high = corners.iter().copied().reduce(|p, q| p.sup(&q)).expect("corners");
    let off = (min - low).amax().max((max - high).amax());
    assert!(off <= 1e-9, "{min} {max} is not {low} {high}: {off}");
}

fn corners(min: [f64; 3], max: [f64; 3]) -> Vec<Vec3> {
    let side = |i: usize, k: usize| if i >> k & 1 == 0 { min[k] } else { max[k] };
    (0..8).map(|i| Vec3::new(side(i, 0), side(i, 1), side(i, 2))).collect()
}

#[test]
fn turned_boxes_share_a_block() {
    let mut rng = Rng::new(5);
    // The upper half of the first box; the second box comes in two heights.
    for high in [2.0, 1.25] {
        let mut two = Two::new(block([0.0; 3], [2.0; 3]), block([0.0; 3], [2.0, 2.0, high]));
        two.placements[1].translation = Vec3::new(1.0, 0.5, 2.0 - 0.5 * high);
        let shared = ([1.0, 0.5, 2.0 - 0.5 * high], [2.0, 2.0, 2.0]);
        let volume = 1.5 * 0.5 * high;
        assert_common(&two, volume, &corners(shared.0, shared.1));
        for _ in 0..6 {
            let root = Pose { rotation: rng.rotation(), translation: rng.in_ball() * 100.0 };
            let at: Vec<Vec3> = corners(shared.0, shared.1).iter().map(|p| root.point(p)).collect();
            assert_common(&two.moved(&root), volume, &at);
        }
    }
}

#[test]
fn boxes_turned_by_45_degrees_share_an_octagon() {
    let mut rng = Rng::new(6);
    let mut two = Two::new(block([-1.0, -1.0, 0.0], [1.0, 1.0, 3.0]), block([-1.0, -1.0, 0.0], [1.0, 1.0, 3.0]));
    two.placements[1] = placed(about_z(45.0), Vec3::z());
    let side = 2.0_f64.sqrt() - 1.0;
    let octagon = [[1.0, side], [side, 1.0], [-side, 1.0], [-1.0, side]];
    let outline = octagon.iter().flat_map(|[x, y]| [[*x, *y], [-x, -y]]);
    let at: Vec<Vec3> = outline.flat_map(|[x, y]| [Vec3::new(x, y, 1.0), Vec3::new(x, y, 3.0)]).collect();
    let volume = 2.0 * 8.0 * side;
    assert_common(&two, volume, &at);
    for _ in 0..6 {
        let root = Pose { rotation: rng.rotation(), translation: rng.in_ball() * 100.0 };
        assert_common(&two.moved(&root), volume, &at.iter().map(|p| root.point(p)).collect::<Vec<_>>());
    }
}

#[test]
fn unresolved_shells_have_exact_volume_or_none() {
    // A pile of more nested blocks than the self-union can resolve, and two overlapping blocks far from it.
    let pile = (0..60).map(|k| translated(&block([0.0; 3], [9.0; 3]), Vec3::repeat(0.01 * f64::from(k))));
    let two = [50.0, 52.0].map(|x| block([x, 0.0, 0.0], [x + 4.0, 4.0, 4.0]));
    let part = joined(&pile.chain(two).collect::<Vec<_>>());
    let mut two = Two::new(part, block([0.0; 3], [10.0, 1.0, 1.0]));
    two.placements[1] = placed(Mat3::identity(), Vec3::new(51.0, 1.0, 1.0));
    assert_common(&two, 5.0, &corners([51.0, 1.0, 1.0], [56.0, 2.0, 2.0]));
    two.placements[1].translation = Vec3::new(5.0, 4.0, 4.0);
    let row = two.row();
    assert!(row.overlap_volume.is_none() && row.overlap_box.is_none(), "{row:?}");
}
