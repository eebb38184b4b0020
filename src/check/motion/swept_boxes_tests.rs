//! Pairs of swept boxes against the list of all pairs at sampled poses of random mechanisms.

use crate::assembly::{Assembly, NewJoint, RuleTable};
use crate::check::motion::plan::RunPlan;
use crate::check::motion::swept_boxes::{BoxesOnDemand, SweptBoxes};
use crate::check::prepare::load::load_meshes;
use crate::check::prepare::shapes;
use crate::check::prepare::solid::body;
use crate::check::run::resolve_settings;
use crate::check::{Measure, NoProgress, Options};
use crate::geom::{Affine, LengthUnit, Pose};
use crate::io::FsLoader;

use crate::query::sweep::still::Still;
use crate::testkit::rng::Rng;
use crate::testkit::solids::{block, prism};
use std::collections::BTreeSet;

const PARTS: usize = 9;

/// An assembly of random parts on random joints, three of them on others or behind others, with a sweep of one joint,
/// of several, and a path.
fn random_assembly(rng: &mut Rng) -> Assembly {
    let mut builder = Assembly::builder("random", LengthUnit::Mm)
        .part("bar", block([-9.0, -1.0, -1.0], [9.0, 1.0, 1.0]))
        .part("disc", prism(7, 5.0, [-1.0, 1.0]));
    for k in 0..PARTS {
        let placement = Affine { linear: rng.rotation(), translation: rng.in_cube() * 30.0 };
        builder = builder.instance(format!("i{k}"), ["bar", "disc"][rng.below(2)], placement);
    }
    for k in 0..5 {
        let (axis, at) = (rng.direction(), rng.in_cube() * 20.0);
        let joint = match rng.below(3) {
            0 => NewJoint::prismatic(axis).range(-40.0, 40.0),
            1 => NewJoint::screw(axis, at, rng.range(-9.0, 9.0)).range(-400.0, 400.0),
            _ => NewJoint::revolute(axis, at).range(-400.0, 400.0),
        };
        let joint = joint.moves(format!("i{k}"));
        let joint = if k > 0 && rng.below(2) == 0 { joint.on(format!("j{}", k - 1)) } else { joint };
        // The last joint follows the first one.
        let joint = if k == 4 { joint.range(-1e4, 1e4).follows("j0", rng.signed(), 0.0) } else { joint };
        builder = builder.joint(format!("j{k}"), joint);
    }
    let end = |rng: &mut Rng| rng.range(0.5, 39.0);
    let name = |k: usize| ["j0", "j1", "j2", "j3"][k];
    let (a, b, c) = (end(rng), end(rng), end(rng));
    builder
        .sweep("one", [(name(0), [-a, b])])
        .sweep("wide", [(name(1), [-40.0, 40.0])])
        .sweep("several", [(name(0), [-a, c]), (name(2), [-b, 0.0]), (name(3), [0.0, c])])
        .path("path", [vec![(name(0), 0.0)], vec![(name(0), a), (name(1), b)], vec![(name(3), -c)]])
        .build()
        .expect("a valid assembly")
}

#[test]
fn no_pair_that_meets_at_a_sampled_pose_is_missing() {
    let full = std::env::var_os("INTERFERE_FULL").is_some();
    let (rounds, poses) = if full { (200, 400) } else { (4, 40) };
    let mut rng = Rng::new(21);
    let (mut met, mut left_out) = (0, 0);
    for _ in 0..rounds {
        let assembly = random_assembly(&mut rng);
        let settings = resolve_settings(&assembly, &Options::default()).expect("settings");
        let meshes = load_meshes(&assembly, &FsLoader, None, Measure::None, &NoProgress).expect("meshes");
        let shapes = shapes::build(&assembly, &meshes, &settings, None, &NoProgress).expect("shapes");
        for run in &assembly.motion.runs {
            let plan = RunPlan::of(&assembly, run).unwrap();
            let reach = rng.range(0.0, 3.0);
            let boxes = SweptBoxes::of(&assembly, &shapes, &plan.segments, 0.5 * reach);
            let rules = RuleTable::of_run(&assembly, &run.name);
            let close: Vec<(u32, u32)> = boxes.candidates(&rules).iter().map(|c| (c.a, c.b)).collect();
            let on_demand = BoxesOnDemand::of(&assembly, &shapes, &plan.segments, 0.5 * reach).candidates(&rules);
            assert_eq!(on_demand.iter().map(|c| (c.a, c.b)).collect::<Vec<_>>(), close, "{}", run.name);
            let close: BTreeSet<(u32, u32)> = close.into_iter().collect();
            left_out += PARTS * (PARTS - 1) / 2 - close.len();
            for _ in 0..poses {
                let segment = &plan.segments[rng.below(plan.segments.len())];
                let end = |r: &[f64; 2], rng: &mut Rng| [r[0], r[1], rng.range(r[0], r[1])][rng.below(3)];
                let q: Vec<f64> = segment.ranges.iter().map(|r| end(r, &mut rng)).collect();
                let values: Vec<f64> = segment.laws.iter().map(|law| law.value(&q)).collect();
                let motions = assembly.motion.mechanism.motions(&values);
                let at = |k: usize| {
                    let placed = &shapes.placed[k];
                    let shape = &shapes.all[placed.shape as usize];
                    let motion = assembly.instances[k].joint.map_or(Pose::identity(), |j| motions[j.0 as usize]);
                    let drawn = Pose { translation: placed.pose.point(&shape.inner().origin), ..placed.pose };
                    (shape, motion.after(&drawn))
                };
                for (a, b) in (0..PARTS).flat_map(|a| (a + 1..PARTS).map(move |b| (a, b))) {
                    let ((first, of_a), (second, of_b)) = (at(a), at(b));
                    let still = Still { a: body(first), b: body(second), margin: 1e-9, rounding: 1e-9 };
                    let gap = still.gap_within(&of_a.relative(&of_b), 0.0, reach + 1.0).gap;
                    if gap.upper < reach {
                        met += 1;
                        assert!(close.contains(&(a as u32, b as u32)), "{} {q:?} {a} {b}: {gap:?}", run.name);
                    }
                }
            }
        }
    }
    assert!(met > 0 && left_out > 0, "{met} {left_out}");
}
