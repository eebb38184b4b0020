//! Decides the status of a run of two solids by their hulls alone: their triangles need no preparation.
//!
//! Solids stay apart while their hulls do. The hulls of convex solids also show an interference.
//!
//! Steps of `hull_step` lead from the start of the run to its first contact. Each bound is exact to first order along
//! the direction between the closest points, so the steps towards a contact converge quadratically: half a dozen of
//! them reach it. A common ball behind the contact shows an interference. docs/explanation/motion.md, claims 4 and 8.

use crate::geom::math::{greater, lesser};
use crate::motion::{Cell, Chain, Frame};
use crate::query::convex::common_ball_lp::{Goal, overlap};
use crate::query::convex::gjk::HullPair;
use crate::query::sweep::broken_poses::{behind, spread_poses};
use crate::query::sweep::hulls::MovingHulls;
use crate::query::sweep::prove::Budget;
use crate::query::sweep::run::{Failing, SweepAnswer, SweepLimits, SweepStatus};
use crate::query::sweep::work::Margins;
use crate::shape::polytope::Convex;

/// Largest number of steps of convex solids, and of others; a run that needs more is left to the search over the
/// triangles.
const MAX_STEPS: [u64; 2] = [64, 16];

/// Largest growth of a step from one to the next, for several joints: their bounds are better on shorter ways.
const GROWTH: f64 = 4.0;

/// Way behind the predicted end of a gap, as a share of the floor of the run.
const BEYOND: f64 = 0.25;

/// Two solids on a run of one parameter.
pub(crate) struct ConvexRun<'a> {
    /// Hulls of both solids, in their centred frames.
    pub hulls: [&'a Convex; 2],
    /// Largest distance of a solid's surface from the boundary of its hull (mm, >= 0), if an interference of the hulls
    /// counts; `None` if the hulls can only show that the solids stay apart.
    pub deviation: Option<f64>,
    /// Motion of the second frame in the first one, on one parameter.
    pub chain: &'a Chain,
    /// First and last value of the parameter, in increasing order.
    pub range: [f64; 2],
    /// Limits of the pair.
    pub limits: SweepLimits,
    /// Loss of the placements (mm, >= 0).
    pub residual: f64,
    /// Budget in tests of the two hulls.
    pub tests: u64,
}

/// Result of the steps along a run.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Reached {
    /// The hulls stay apart up to the end.
    End,
    /// Bracket of the first contact.
    Contact([f64; 2]),
    /// Neither is shown.
    Unknown,
}

impl ConvexRun<'_> {
    /// The answer of a run that stays clear or, for convex solids, has an interference; otherwise the number of tests
    /// used. Cost: up to `MAX_STEPS` tests of the hulls.
    pub(crate) fn answer(&self) -> Result<SweepAnswer, u64> {
        let Self { hulls, chain, range: [from, to], limits, .. } = self;
        let is_simple = chain.parameters() <= 1 && chain.joints.iter().all(|j| j.law.solved.is_none());
        if !is_simple || limits.max_gap.is_some() || !(from <= to && from.is_finite() && to.is_finite()) {
            return Err(0);
        }
        let (margins, is_convex) = self.margins();
        let distance = greater(limits.tolerance, limits.min_clearance.unwrap_or(0.0)) - margins.slack;
        if distance <= 4.0 * margins.margin {
            return Err(0);
        }
        let most = MAX_STEPS[usize::from(!is_convex)].min(self.tests);
        let (moving, mut budget) = (MovingHulls::new(*hulls), Budget::new(most));
        // With a clearance, the parts of lesser statuses count, too.
        let finds_overlaps = is_convex && from < to && limits.min_clearance.is_none();
        let (status, first) = match self.first_contact(&moving, distance, &margins, &mut budget) {
            Reached::End => (SweepStatus::Clear, None),
            Reached::Contact(first) if finds_overlaps => (SweepStatus::Interference, Some(first)),
            Reached::Contact(_) | Reached::Unknown => return Err(budget.used),
        };
        let mut failing = Vec::new();
        if let Some([_, contact]) = first {
            let Some(at) = self.overlap(&moving, contact, &margins) else { return Err(budget.used) };
            failing.push(Failing { status, from: [*from, at], to: [at, *to], throughout: false });
        }
        Ok(SweepAnswer {
            status,
            proved: 1.0,
            open: failing.iter().map(|f| [f.from[1], f.to[0]]).collect(),
            worst: None,
            approach: first,
            failing,
            wide_ends: false,
            tests: budget.used,
            frames: budget.used as usize,
            no_inside: false,
            slack: margins.slack,
            unconfirmed: None,
        })
    }

    /// Margins of the run, and true if both solids are convex up to the rounding margin.
    fn margins(&self) -> (Margins, bool) {
        let [a, b] = self.hulls;
        let cell = Cell::between(self.range[0], self.range[1]);
        let ball = (b.aabb.center(), 0.5 * b.diameter);
        let of = |residual| Margins::of([a, b], ball, self.chain, &cell, &self.limits, residual);
        let margins = of(self.residual);
        match self.deviation {
            Some(by) if 0.0 < by && by <= margins.margin => (of(self.residual + 2.0 * by), true),
            by => (margins, by == Some(0.0)),
        }
    }

    /// Steps to the first pose with hulls within `distance` (mm, above the margin).
    fn first_contact(&self, hulls: &MovingHulls, distance: f64, margins: &Margins, budget: &mut Budget) -> Reached {
        let Margins { margin, floor, .. } = *margins;
        let levels = [distance + margin, distance - 3.0 * margin];
        let [mut kept, end] = self.range;
        let (mut longest, mut direction) = (end - kept, None);
        while budget.take(1) {
            let way = lesser(end - kept, longest);
            let step = hulls.step(&self.frame(kept, way), levels, margin, direction);
            if budget.used == 1 && step.distance + margin < distance {
                return Reached::Contact([kept; 2]);
            }
            direction = Some(step.axis);
            if self.chain.joints.len() > 1 {
                longest = GROWTH * way * step.kept;
            }
            if step.kept >= 1.0 {
                kept += way;
                if kept >= end {
                    return Reached::End;
                }
                continue;
            }
            let next = kept + step.kept * way;
            if step.crossed < 1.0 && (step.crossed - step.kept) * step.displacement <= floor {
                let beyond = step.crossed + (step.crossed - step.kept) + BEYOND * floor / step.displacement;
                let at = lesser(kept + beyond * way, end);
                if budget.take(1)
                    && hulls.step(&self.frame(at, 0.0), levels, margin, direction).distance + margin <= distance
                {
                    return Reached::Contact([next, at]);
                }
            }
            if step.kept * step.displacement < BEYOND * floor {
                return Reached::Unknown;
            }
            kept = next;
        }
        Reached::Unknown
    }

    /// The chain at a value of the parameter, with the motion up to `way` farther.
    fn frame(&self, at: f64, way: f64) -> Frame {
        let half = if way > 0.0 { way.next_up() } else { 0.0 };
        Frame::new(self.chain, &Cell { center: vec![at], half: vec![half] })
    }

    /// A pose behind the first contact that overlaps deeper than all limits, by the largest common ball of the hulls.
    fn overlap(&self, hulls: &MovingHulls, contact: f64, margins: &Margins) -> Option<f64> {
        let deepest = self.limits.deepest();
        let rest = self.range[1] - contact;
        let moved = hulls.displacement(&self.frame(contact, rest));
        let poses = behind(deepest / moved).map(|share| contact + share * rest);
        let mut poses = poses.chain(spread_poses(self.range).into_iter().filter(|q| *q >= contact));
        let enough = deepest + margins.margin;
        let goal = Goal { above: enough, at_most: enough };
        let [a, b] = self.hulls;
        let deeper = |q: &f64| {
            let pose = self.chain.pose(&[*q]);
            overlap(&HullPair { a, b, b_in_a: &pose }, None, goal).lower > enough
        };
        poses.find(deeper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::sweep::Sweep;
    use crate::query::sweep::truth_cases_tests::Case;
    use crate::query::sweep::truth_families_tests::families;
    use crate::query::sweep::truth_tests::with_drawn_sweep;

    /// The cases with small parts of the families that take few tests.
    fn small_cases() -> impl Iterator<Item = Case> {
        let small = |case: &Case| case.parts.iter().all(|part| part.triangles.len() <= 100);
        let cheap = families().into_iter().filter(|family| family.most_tests <= 400_000);
        cheap.flat_map(|family| (family.cases)()).filter(small)
    }

    /// The run of the hulls of a sweep.
    fn convex_run<'s>(sweep: &'s Sweep) -> ConvexRun<'s> {
        let [of_a, of_b] = [sweep.a, sweep.b].map(|solid| solid.surface.deviation_from(solid.convex));
        ConvexRun {
            hulls: [sweep.a.convex, sweep.b.convex],
            deviation: of_a.zip(of_b).map(|(a, b)| greater(a, b)),
            chain: sweep.chain,
            range: sweep.range,
            limits: sweep.limits,
            residual: sweep.residual,
            tests: sweep.tests,
        }
    }

    #[test]
    fn hulls_alone_find_the_first_contacts_of_the_families() {
        let mut found = [0; 2];
        for case in small_cases() {
            with_drawn_sweep(&case, |sweep| {
                let Ok(answer) = convex_run(sweep).answer() else { return };
                assert_eq!(answer.status, case.truth.status, "{}", case.name);
                assert!(answer.tests <= MAX_STEPS[0] && answer.proved == 1.0);
                let Some([kept, contact]) = answer.approach else {
                    found[0] += 1;
                    return;
                };
                found[1] += 1;
                // The search over the triangles brackets the same pose.
                let plain = Sweep { measured: false, ..*sweep }.answer();
                let [from, to] = plain.approach.expect("a first contact");
                let between = sweep.moved(lesser(kept, from), greater(contact, to));
                assert!(between <= 4.0 * sweep.work().floor, "{}: {answer:?} {plain:?}", case.name);
                let [failing] = answer.failing.as_slice() else { panic!("one failing part") };
                let pose = sweep.chain.pose(&[failing.to[0]]);
                let gap = sweep.work().still.gap(&pose, sweep.limits.deepest(), None).gap;
                assert!(gap.upper < -sweep.limits.deepest(), "{} {gap:?}", case.name);
            });
        }
        assert!(found[0] > 5 && found[1] > 20, "{found:?}");
    }

    #[test]
    fn a_run_beyond_the_hulls_is_left_to_the_triangles() {
        let mut left = 0;
        for case in small_cases().take(40) {
            with_drawn_sweep(&case, |sweep| {
                let run = || convex_run(sweep);
                let limits = SweepLimits { max_gap: Some(1.0), ..sweep.limits };
                assert_eq!(ConvexRun { limits, ..run() }.answer().err(), Some(0));
                assert!(ConvexRun { tests: 0, ..run() }.answer().is_err());
                // A solid with a dent may miss what its hull meets.
                let of_dented = ConvexRun { deviation: Some(1e-3), ..run() }.answer();
                let of_other = ConvexRun { deviation: None, ..run() }.answer();
                for answer in [of_dented, of_other] {
                    assert!(answer.is_err() || answer.is_ok_and(|answer| answer.status == SweepStatus::Clear));
                }
                left += usize::from(run().answer().is_ok_and(|answer| answer.status != SweepStatus::Clear));
            });
        }
        assert!(left > 3, "{left}");
    }
}
