//! Checks the poses and sweeps of an assembly after its drawing.
//!
//! - `bodies`: the pairs that a run moves
//! - `plan`: the segments of a run, and the instances that it moves
//! - `place`: instances at joint values
//! - `coverage`: warnings about joints without a sweep, and about sweeps within others
//! - `sweep`, `segment`: one pair over a sweep, over one segment
//! - `curve`: staircases of the gap
//! - `facets`: overlaps that facets explain
//! - `swept_boxes`: boxes around the instances over a run
//! - `swept`: rows of the pairs of a sweep
//! - `one_pair`: one pair of a run, for `explain`
//! - `motion_key`: the motion of a pair, for baselines
//! - `never`: pairs that never meet, over all values of all joints
//! - `range`: how far a joint can move from the drawing
//! - `proofs`, `proof_shapes`: proofs of passing pairs, for another program to check
//! - `outcome`: rows and counts of the runs
//!
//! A pair that a run leaves as drawn, under the same rule, keeps its answer from the drawing. A pair that a sweep moves
//! once, but not on the way, is checked at the start of the sweep as in a pose.

pub(crate) mod bodies;
pub(crate) mod coverage;
pub(crate) mod curve;
pub(crate) mod facets;
pub(crate) mod motion_key;
pub(crate) mod never;
pub(crate) mod one_pair;
pub(crate) mod outcome;
pub(crate) mod place;
pub(crate) mod plan;
pub(crate) mod proof_shapes;
pub(crate) mod proofs;
pub(crate) mod range;
pub(crate) mod segment;
pub(crate) mod several;
pub(crate) mod sweep;
pub(crate) mod swept;
pub(crate) mod swept_boxes;
#[cfg(test)]
mod swept_boxes_tests;

use crate::assembly::{Assembly, InstanceIx, NamedRun, PairRule, RuleTable};
use crate::check::cache::PairCache;
use crate::check::motion::bodies::{Bodies, Travel};
use crate::check::motion::outcome::{JointTravel, RunOutcome, least_reason};
use crate::check::motion::plan::RunPlan;
use crate::check::motion::sweep::{Effort, SweepAnswer};
use crate::check::outcome::counts::{Pruned, RunCounts};
use crate::check::pairs::candidates::{Candidate, candidates, neighbours};
use crate::check::pairs::distinct::unique_pairs;
use crate::check::pairs::shard::{Candidates, Shard, SweptShare};
use crate::check::prepare::shapes::Shapes;
use crate::check::run::max_distance;
use crate::check::stages::answers::Checker;
use crate::check::{Curves, PairOutcome, Progress, Settings, Status, Stopwatch, Timings};
use crate::error::Error;
use crate::geom::math::greater;
use crate::motion::JointIx;

/// Inputs of the check of runs, those of the drawing.
pub(crate) struct RunChecker<'a> {
    pub assembly: &'a Assembly,
    pub settings: &'a Settings,
    pub shapes: &'a Shapes,
    pub cache: Option<&'a PairCache<'a>>,
    /// Rules of the drawing.
    pub drawn_rules: &'a RuleTable,
    /// Largest number of tests for each pair of a sweep.
    pub sweep_cells: u64,
    /// Rows of sweeps with a staircase of the gap.
    pub curves: Curves,
    /// Checked share of the pairs; `None` for all.
    pub shard: Option<Shard>,
}

impl RunChecker<'_> {
    /// Checks one run; also returns its candidates.
    ///
    /// # Errors
    /// Refuses joint values that move a part beyond the largest coordinate.
    pub(crate) fn check(
        &self,
        run: &NamedRun,
        watch: &mut Stopwatch,
        timings: &mut Timings,
        progress: &dyn Progress,
    ) -> Result<(RunOutcome, Candidates), Error> {
        let plan = RunPlan::of(self.assembly, run)?;
        let (moved, swept) = (Bodies::of(self.assembly, &plan.travel.displaced), &plan.swept);
        let rules = RuleTable::of_run(self.assembly, &run.name);
        let placed = place::at(self.assembly, self.shapes, &plan.travel.start, run)?;
        let shapes = Shapes { placed, ..self.shapes.clone() };
        let reach = max_distance(self.settings, &rules, &shapes);
        let mut kept = candidates(&shapes, reach, &rules);
        let near = neighbours(&shapes, &kept, self.settings.tolerance);
        kept.retain(|c| self.is_asked(c, &moved, swept));
        let checker = Checker {
            assembly: self.assembly,
            settings: self.settings,
            shapes: &shapes,
            cache: self.cache,
            neighbours: &near,
        };
        let of_moved = kept.iter().filter(|c| moved.differ(c.a, c.b)).count() as u64;
        let groups = unique_pairs(self.assembly, &shapes, &kept);
        let (groups, candidates) = groups.share_of(&shapes, self.shard);
        let answers = checker.answer_groups(&groups, watch, timings, progress);
        // Pairs of one swept body keep their relative pose; those of one moved body keep it as drawn.
        let at_rest = swept.pairs() - moved.pairs();
        let ignored = swept.ignored(&rules) - moved.ignored(&rules);
        // The first shard counts the pairs that no shard answers.
        let counts_all = self.shard.is_none_or(|shard| shard.index == 1);
        let unseen = Pruned { ignored, by_boxes: at_rest - ignored - of_moved };
        let unseen = if counts_all { unseen } else { Pruned::default() };
        let tally = RunCounts::of(unseen, &groups, &answers);
        let rows = checker.outcomes(&groups, &answers);
        let all = Bodies::whole(self.assembly.instances.len());
        let mut outcome = RunOutcome {
            pairs: all.pairs() - moved.pairs() + (kept.len() as u64 - of_moved),
            moving: all.pairs() - moved.pairs(),
            counts: tally.counts,
            cleared_by: tally.cleared_by,
            rows,
            ..RunOutcome::of(run, plan.definition, plan.joints.clone())
        };
        outcome.counts.ignored += if counts_all { all.ignored(&rules) - swept.ignored(&rules) } else { 0 };
        let rank = checker.ranks();
        let share = SweptShare::of(self.shard, self.assembly, self.shapes, plan.definition);
        let sweeps = plan.sweeps(self, &checker, &rules, (&rank, share), Effort::of(self.settings.measure));
        let close = sweeps.close();
        let candidates = if close.is_empty() { candidates } else { candidates.and(&sweeps.share.describe(&close)) };
        let asked = close.len() as u64 + all.ignored(&rules) - swept.ignored(&rules);
        let by_boxes = if counts_all { all.pairs() - swept.pairs() - asked } else { 0 };
        outcome.counts.clear += by_boxes;
        outcome.cleared_by.aabb += by_boxes;
        for (row, answer) in sweeps.answers(&close, progress) {
            outcome.count(&row, &answer);
            if sweeps.is_listed(&row) {
                outcome.rows.push(row);
            }
        }
        outcome.rows.sort_by_key(|row| sweeps.rank_of(row));
        Ok((outcome, candidates))
    }

    /// True for a pair that the run checks at its start: at rest there, and displaced or under another rule than as
    /// drawn.
    fn is_asked(&self, c: &Candidate, moved: &Bodies, swept: &Bodies) -> bool {
        let same_rule = || match self.drawn_rules.of(InstanceIx(c.a), InstanceIx(c.b)) {
            PairRule::Ignored { .. } => false,
            PairRule::Rule(rule) => c.rule == Some(rule),
            PairRule::None => c.rule.is_none(),
        };
        !swept.differ(c.a, c.b) && (moved.differ(c.a, c.b) || !same_rule())
    }
}

impl RunOutcome {
    /// A run without pairs.
    pub(crate) fn of(run: &NamedRun, definition: u64, joints: Vec<JointTravel>) -> Self {
        Self {
            name: run.name.clone(),
            kind: run.kind.name().to_owned(),
            at: run.at.clone(),
            definition,
            joints,
            ..Self::default()
        }
    }

    /// Counts a pair of a sweep.
    fn count(&mut self, row: &PairOutcome, answer: &SweepAnswer) {
        *self.counts.of_mut(row.status) += 1;
        self.margin = greater(self.margin, answer.slack());
        let why = answer.why.map(str::to_owned);
        self.undecided_because = least_reason([self.undecided_because.take(), why]);
        if row.status == Status::Clear {
            *(if answer.by_balls { &mut self.cleared_by_swept_balls } else { &mut self.cleared_by.exact }) += 1;
        }
    }
}

impl Travel {
    /// Joints away from home.
    pub(crate) fn joints(&self, mechanism: &crate::motion::Mechanism) -> Vec<JointTravel> {
        let joints = (0..mechanism.joints().len() as u32).map(JointIx);
        let away = joints.filter(|j| self.displaced[j.0 as usize]);
        away.map(|j| JointTravel { joint: j.0, from: self.from[j.0 as usize], to: self.to[j.0 as usize] }).collect()
    }
}
