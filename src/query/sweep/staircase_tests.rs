//! Staircases of sweeps with known answers, against static checks of many poses.

use crate::query::sweep::truth_cases_tests::{Case, TOLERANCE, bars, blades, doors, hinges};
use crate::query::sweep::truth_chains_tests::{arms, orbits};
use crate::query::sweep::truth_slides_tests::{cubes, feet, inner, pistons};
use crate::query::sweep::truth_tests::with_drawn_sweep;
use crate::query::sweep::{Step, Sweep};

/// Parts of each run.
const PARTS: usize = 12;

/// Poses of each part.
const POSES: usize = 9;

/// Rounds of the search for the least gap of a part.
const ROUNDS: usize = 16;

/// Some cases of each family.
fn some_cases() -> Vec<Case> {
    let families: [fn() -> Vec<Case>; 10] = [bars, blades, doors, hinges, arms, orbits, cubes, feet, inner, pistons];
    families.iter().flat_map(|cases| cases().into_iter().step_by(7).take(3)).collect()
}

/// Bounds of the gap at poses of a part, both ends and the middle included (mm, signed).
fn sampled<'s>(sweep: &'s Sweep<'_>, [from, to]: [f64; 2]) -> impl Iterator<Item = (f64, [f64; 2])> + 's {
    let work = sweep.work();
    (0..POSES).map(move |k| {
        let q = from + (to - from) * (k as f64 / (POSES - 1) as f64);
        let gap = work.still.gap(&sweep.chain.pose(&[q]), TOLERANCE, None).gap;
        (q, [gap.lower, gap.upper])
    })
}

/// Least gap of some poses of a part (mm, signed): samples, then closer ones about the least.
fn least_sampled(sweep: &Sweep, step: &Step) -> f64 {
    let (mut ends, mut least) = ([step.from, step.to], f64::INFINITY);
    for _ in 0..ROUNDS {
        let samples = sampled(sweep, ends).map(|(q, [lower, _])| (q, lower));
        let Some((at, lower)) = samples.min_by(|(_, x), (_, y)| x.total_cmp(y)) else { continue };
        least = least.min(lower);
        let next = (ends[1] - ends[0]) / (POSES - 1) as f64;
        ends = [(at - next).max(step.from), (at + next).min(step.to)];
    }
    least
}

#[test]
fn no_sampled_pose_lies_below_its_step_of_a_staircase() {
    let mut overlaps = 0;
    for case in some_cases() {
        with_drawn_sweep(&case, |sweep| {
            for step in sweep.staircase(PARTS) {
                let label = format!("{} {step:?}", case.name);
                for (q, [lower, upper]) in sampled(sweep, [step.from, step.to]) {
                    assert!(upper >= step.gap.lower - 1e-9, "{label}: {q} {lower} {upper}");
                }
                let least = least_sampled(sweep, &step);
                assert!(least <= step.gap.upper + 1e-6, "{label}: {least}");
                overlaps += usize::from(step.gap.upper < -TOLERANCE);
            }
        });
    }
    assert!(overlaps > 20, "{overlaps} steps overlap");
}

#[test]
fn the_parts_of_a_staircase_cover_the_run_in_order() {
    let case = &bars()[0];
    let steps = with_drawn_sweep(case, |sweep| sweep.staircase(PARTS));
    assert_eq!((steps.len(), steps[0].from, steps[PARTS - 1].to), (PARTS, case.range[0], case.range[1]));
    assert!(steps.windows(2).all(|two| two[0].to == two[1].from && two[0].from < two[0].to));
}

/// Largest width of the bounds of steps that stay apart, as a share of the gap or of the tolerance; share of the other
/// steps with a lower bound no deeper than the tolerance or 1.5 times the depth in their part.
#[test]
fn the_steps_of_a_staircase_are_narrow() {
    let (mut apart, mut near, mut close) = (0, 0, 0);
    for case in some_cases() {
        with_drawn_sweep(&case, |sweep| {
            for step in sweep.staircase(PARTS) {
                if step.gap.lower > 0.0 {
                    let wide = (0.05 * step.gap.upper).max(TOLERANCE);
                    assert!(step.gap.width() <= 1.01 * wide, "{} {step:?}", case.name);
                    apart += 1;
                    continue;
                }
                near += 1;
                let deepest = sampled(sweep, [step.from, step.to]).map(|(_, [lower, _])| -lower).fold(0.0, f64::max);
                let most = 1.5 * deepest + 1.5 * sweep.limits.deepest() + 2.0 * TOLERANCE;
                close += usize::from(-step.gap.lower <= most);
            }
        });
    }
    assert!(apart > 100 && 4 * close > 3 * near, "{apart} apart; {close} of {near} others are close");
}

#[test]
fn a_spent_budget_leaves_true_bounds() {
    let case = &blades()[0];
    with_drawn_sweep(case, |sweep| {
        let (full, poor) = (sweep.staircase(PARTS), Sweep { tests: 40_000, ..*sweep }.staircase(PARTS));
        let none = Sweep { tests: 10, ..*sweep }.staircase(PARTS);
        assert!(none.iter().all(|step| step.gap.lower <= 0.0 && step.gap.upper == f64::INFINITY), "{none:?}");
        for (full, poor) in full.iter().chain(&full).zip(poor.iter().chain(&none)) {
            let overlap = poor.gap.lower <= full.gap.upper && full.gap.lower <= poor.gap.upper;
            assert!(overlap, "{full:?} {poor:?}");
        }
    });
}
