//! Upper bounds of the gap over random cells of one to three parameters against sampled poses.

use crate::geom::Pose;
use crate::mesh::TriMesh;
use crate::motion::{Chain, ChainJoint, Joint, JointKind, Law};
use crate::query::depth::tests::{Part, part_with};
use crate::query::sweep::regions::Regions;
use crate::query::sweep::still::Still;
use crate::query::sweep::widest::OverCell;
use crate::query::sweep::work::balls;
use crate::shape::surface::Inside;
use crate::testkit::rng::Rng;
use crate::testkit::solids::{block, prism, tube};

fn random_solid(rng: &mut Rng) -> TriMesh {
    match rng.below(3) {
        0 => block([-4.0, -1.0, -0.5], [4.0, 1.0, 0.5]),
        1 => prism(3 + rng.below(4), rng.range(0.5, 3.0), [-1.0, 2.0]),
        _ => tube(4, 8.0, 6.0, [-3.0, 3.0]),
    }
}

/// Turns, slides and screws on `parameters` parameters.
fn random_chain(rng: &mut Rng, parameters: usize) -> Chain {
    let joints = (0..=rng.below(3)).map(|_| {
        let kind = [JointKind::Revolute, JointKind::Prismatic, JointKind::Screw { lead: rng.signed() * 9.0 }];
        let joint = Joint { kind: kind[rng.below(3)], axis: rng.direction(), at: rng.in_cube() * 6.0 };
        let rates = (0..parameters).map(|_| rng.signed() * 30.0).collect();
        ChainJoint { joint, law: Law::of_rates(rates, rng.signed() * 90.0) }
    });
    let joints = joints.collect();
    Chain { drawn: Pose { rotation: rng.rotation(), translation: rng.in_cube() * 8.0 }, joints }
}

#[test]
fn no_pose_of_a_cell_has_a_gap_above_its_bound() {
    let full = std::env::var_os("INTERFERE_FULL").is_some();
    let mut rng = Rng::new(77);
    let mut parts: Vec<Part> = (0..12).map(|_| part_with(&random_solid(&mut rng), Inside::Solid)).collect();
    // A solid that holds others.
    parts.push(part_with(&block([-14.0; 3], [14.0; 3]), Inside::Solid));
    let (mut sharpest, mut nested) = (0.0_f64, 0);
    for _ in 0..if full { 1_000_000 } else { 600 } {
        let [a, b] = [&parts[rng.below(parts.len())], &parts[rng.below(parts.len())]];
        let parameters = 1 + rng.below(3);
        let chain = random_chain(&mut rng, parameters);
        let ends: Vec<[f64; 2]> = (0..parameters)
            .map(|_| {
                let (center, half) = (rng.signed(), rng.scale(1e-3, 1.0) / parameters as f64);
                [center - half, center + half]
            })
            .collect();
        let still = Still { a: a.body(), b: b.body(), margin: 1e-10, rounding: 1e-10 };
        let regions = Regions::new(&chain, &ends, balls([a.body(), b.body()]));
        // A limit of 0 asks for nested solids, too.
        let over = OverCell::new(&still, &regions.get(0).frame, regions.get(0).displacement, 0.0);
        for _ in 0..4 {
            let end = |r: &[f64; 2], rng: &mut Rng| [r[0], r[1], rng.range(r[0], r[1])][rng.below(3)];
            let q: Vec<f64> = ends.iter().map(|r| end(r, &mut rng)).collect();
            let pose = chain.pose(&q);
            let Some((distance, _)) = still.distance(&pose, f64::INFINITY) else { continue };
            // Solids one in the other have a gap below 0, and surfaces apart.
            let inside = distance > 1e-9 && still.nested(&pose);
            nested += usize::from(inside);
            let gap = if inside { still.gap(&pose, f64::INFINITY, None).gap.lower } else { distance };
            assert!(gap <= over.most + 1e-9, "{gap} {} {ends:?} {chain:?}", over.most);
            if distance > 0.1 && !inside {
                sharpest = sharpest.max(gap / over.most);
            }
        }
    }
    assert!(sharpest > 0.98 && nested > 0, "{sharpest} {nested}");
}
