//! Certificates of sweeps with a known answer, checked step by step and against sampled poses.

use crate::geom::triangle::{closest, intersects};
use crate::geom::{Pose, Vec3};
use crate::query::sweep::certificate::{Certificate, ProofClaim, ProofStep};
use crate::query::sweep::inset::boundary;
use crate::query::sweep::truth_cases_tests::{Case, bars, blades, doors, hinges, pins};
use crate::query::sweep::truth_chains_tests::{arms, cams, orbits};
use crate::query::sweep::truth_slides_tests::{cubes, dovetails, feet, inner, pistons};
use crate::query::sweep::truth_tests::with_drawn_sweep;
use crate::query::sweep::{BoxSweep, Sweep, SweepStatus};
use crate::shape::surface::Surface;
use crate::testkit::rng::Rng;
use std::ops::Range;

/// Box of a sweep of one parameter.
fn boxed<'a>(sweep: &Sweep<'a>, ranges: &'a [[f64; 2]]) -> BoxSweep<'a> {
    let Sweep { a, b, chain, limits, quantum, residual, tests, .. } = *sweep;
    BoxSweep { a, b, chain, ranges, limits, quantum, residual, tests }
}

/// Part of a walk: triangles of A, triangles of B, values of the parameter.
#[derive(Debug, Clone)]
struct Part {
    a: Range<u32>,
    b: Range<u32>,
    cell: [f64; 2],
}

/// Follows the steps of a certificate of one parameter; returns its leaves, or `None` if the steps do not cover the
/// run.
fn leaves(found: &Certificate, [a, b]: [&Surface; 2], range: [f64; 2]) -> Option<Vec<(Part, ProofStep)>> {
    let all = |s: &Surface| 0..s.triangles.len() as u32;
    let mut stack = vec![Part { a: all(a), b: all(b), cell: range }];
    let mut out = Vec::new();
    for step in &found.steps {
        let part = stack.pop()?;
        let (mut first, mut second) = (part.clone(), part.clone());
        match *step {
            ProofStep::CutA(at) => {
                (first.a.end, second.a.start) = (at, at);
                (part.a.start < at && at < part.a.end).then_some(())?;
            }
            ProofStep::CutB(at) => {
                (first.b.end, second.b.start) = (at, at);
                (part.b.start < at && at < part.b.end).then_some(())?;
            }
            ProofStep::CutParameter(0, at) => {
                (first.cell[1], second.cell[0]) = (at, at);
                (part.cell[0] < at && at < part.cell[1]).then_some(())?;
            }
            ProofStep::CutParameter(..) => return None,
            ProofStep::Plane(_) | ProofStep::Orbits => {
                out.push((part, *step));
                continue;
            }
        }
        stack.extend([second, first]);
    }
    stack.is_empty().then_some(out)
}

fn corners(surface: &Surface, triangles: &Range<u32>) -> Vec<Vec3> {
    triangles.clone().flat_map(|t| surface.triangle(t)).collect()
}

/// Checks a leaf at sampled values, with the exact distances of its triangles. Returns the least distance.
fn check(sweep: &Sweep, surfaces: [&Surface; 2], (part, step): &(Part, ProofStep), least: f64, rng: &mut Rng) -> f64 {
    let [from, to] = part.cell;
    let middle = sweep.chain.pose(&[from + 0.5 * (to - from)]);
    let (of_a, of_b) = (corners(surfaces[0], &part.a), corners(surfaces[1], &part.b));
    let mut found = f64::INFINITY;
    for k in 0..5 {
        let q = [from, to, from + (to - from) * rng.unit()][k.min(2)];
        let pose = sweep.chain.pose(&[q]);
        if let ProofStep::Plane(plane) = step {
            // The points of A, seen from B at the middle of the cell.
            let back = Pose { rotation: middle.rotation * pose.rotation.transpose(), ..Pose::identity() };
            let seen = |x: &Vec3| back.direction(&(x - pose.translation)) + middle.translation;
            let n = plane.direction;
            let (high, low) = if plane.moves_b {
                (of_a.iter().map(|x| n.dot(x)).fold(f64::NEG_INFINITY, f64::max), &pose)
            } else {
                (of_a.iter().map(|x| n.dot(&seen(x))).fold(f64::NEG_INFINITY, f64::max), &middle)
            };
            let low = of_b.iter().map(|y| n.dot(&low.point(y))).fold(f64::INFINITY, f64::min);
            assert!((n.norm() - 1.0).abs() < 1e-12 && low - high > least, "{part:?} {step:?}: {low} {high} {least}");
        }
        for _ in 0..4 {
            let pick = |triangles: &Range<u32>, rng: &mut Rng| triangles.start + rng.below(triangles.len()) as u32;
            let s = surfaces[0].triangle(pick(&part.a, rng));
            let t = surfaces[1].triangle(pick(&part.b, rng)).map(|y| pose.point(&y));
            let distance = if intersects(&s, &t) { 0.0 } else { closest(&s, &t).squared.sqrt() };
            assert!(distance > least, "{part:?} {step:?}: {distance} {least}");
            found = found.min(distance);
        }
    }
    found
}

/// Checks all certificates of a case; returns the numbers of their planes, orbits and insets.
fn check_case(case: &Case, rng: &mut Rng) -> [usize; 3] {
    with_drawn_sweep(case, |sweep| {
        let ranges = [sweep.range];
        let found = boxed(sweep, &ranges).certificates(case.truth.status);
        let found = found.unwrap_or_else(|why| panic!("{}: {why:?}", case.name));
        let mut counts = [0; 3];
        for one in &found {
            let raw = [sweep.a.surface, sweep.b.surface];
            let (surfaces, least) = match (one.claim, &one.insets) {
                (ProofClaim::Apart(least), None) => (raw, least),
                (ProofClaim::Shallow(depth), Some([a, b])) => {
                    counts[2] += 1;
                    let original = raw.map(|s| boundary(s).expect("a solid"));
                    let pairs = [a, b].into_iter().zip(original);
                    pairs.for_each(|(inset, original)| assert_within(inset, original, 0.5 * depth));
                    ([a, b], 0.0)
                }
                other => panic!("{}: {other:?}", case.name),
            };
            let all = leaves(one, surfaces, sweep.range).unwrap_or_else(|| panic!("{}: not covered", case.name));
            for leaf in &all {
                check(sweep, surfaces, leaf, least, rng);
                counts[usize::from(leaf.1 == ProofStep::Orbits)] += 1;
            }
        }
        counts
    })
}

/// Asserts that each moved corner stays within `tau` (mm) of its triangle.
fn assert_within(inset: &Surface, original: &Surface, tau: f64) {
    assert_eq!(inset.vertices.len(), original.vertices.len());
    let mut triangles = [inset, original].map(|s| s.triangles.clone());
    for list in &mut triangles {
        list.sort_unstable();
    }
    assert_eq!(triangles[0], triangles[1]);
    for t in 0..original.triangles.len() as u32 {
        for v in original.triangles[t as usize] {
            let moved = inset.vertices[v as usize];
            let foot = crate::geom::triangle::point_triangle(&moved, &original.triangle(t));
            assert!(foot.squared.sqrt() <= tau, "{} {tau}", foot.squared.sqrt());
        }
    }
}

#[test]
fn certificates_cover_the_run_and_hold_at_sampled_poses() {
    let families: [fn() -> Vec<Case>; 13] =
        [bars, blades, doors, hinges, arms, orbits, cubes, feet, inner, pistons, pins, cams, dovetails];
    let mut rng = Rng::new(44);
    let (mut passing, mut counts) = (0, [0; 3]);
    let mut open = Vec::new();
    for case in families.into_iter().flat_map(|family| family().into_iter().step_by(7)) {
        let passes = [SweepStatus::Clear, SweepStatus::Contact, SweepStatus::Allowed].contains(&case.truth.status);
        if !passes || case.limits.max_gap.is_some() {
            continue;
        }
        passing += 1;
        let found = with_drawn_sweep(&case, |sweep| boxed(sweep, &[sweep.range]).certificates(case.truth.status).err());
        if let Some(why) = found {
            open.push((case.name, case.truth.status, why));
            continue;
        }
        let of_case = check_case(&case, &mut rng);
        counts.iter_mut().zip(of_case).for_each(|(sum, n)| *sum += n);
    }
    assert!(passing > 25 && 10 * open.len() <= passing, "{passing} {open:?}");
    assert!(counts.iter().all(|n| *n > 10), "{counts:?}");
}
