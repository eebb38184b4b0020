//! Checks one pair in a run, for `explain`.

use crate::assembly::{InstanceIx, NamedRun, PairRule, RuleTable};
use crate::check::PairOutcome;
use crate::check::motion::RunChecker;
use crate::check::motion::curve::staircase;
use crate::check::motion::outcome::{JointTravel, RunOutcome};
use crate::check::motion::place;
use crate::check::motion::plan::RunPlan;
use crate::check::motion::sweep::{Effort, SweepQuery, radius, sweep_pair};
use crate::check::pairs::candidates::{candidates, neighbours};
use crate::check::pairs::shard::SweptShare;
use crate::check::prepare::shapes::{PlacedInstance, Shapes};
use crate::check::run::max_distance;
use crate::check::stages::answers::Checker;
use crate::error::Error;
use crate::geom::math::greater;
use crate::motion::{Cell, Chain, Frame, Segment};

/// A pair in a run.
pub(crate) struct PairInRun {
    /// Row over the sweep; `None` for a pair that the run leaves in one relative pose.
    pub row: Option<PairOutcome>,
    /// The run, without rows and counts.
    pub outcome: RunOutcome,
    /// Joints between the two instances, nearest the second one first.
    pub between: Vec<u32>,
    /// Largest distance of a point of the second instance from its place in the middle of a segment, seen from the
    /// first one (mm, >= 0).
    pub displacement: f64,
    /// True if the balls around the parts clear the pair.
    pub by_balls: bool,
    /// Joints away from home at the worst pose known, or at the start of the run.
    pub at: Vec<JointTravel>,
    /// The instances at these joint values.
    pub placed: Vec<PlacedInstance>,
}

impl RunChecker<'_> {
    /// Checks one pair of a run; `pair` in the order of the row.
    ///
    /// # Errors
    /// Refuses joint values that move a part beyond the largest coordinate.
    pub(crate) fn pair(&self, run: &NamedRun, pair: [InstanceIx; 2]) -> Result<PairInRun, Error> {
        let mechanism = &self.assembly.motion.mechanism;
        let plan = RunPlan::of(self.assembly, run)?;
        let rules = RuleTable::of_run(self.assembly, &run.name);
        let Self { assembly, settings, shapes, cache, .. } = *self;
        let start = Shapes { placed: place::at(assembly, shapes, &plan.travel.start, run)?, ..shapes.clone() };
        let near = candidates(&start, max_distance(settings, &rules, &start), &rules);
        let neighbours = neighbours(&start, &near, settings.tolerance);
        let checker = Checker { assembly, settings, shapes, cache, neighbours: &neighbours };
        let rank = checker.ranks();
        let share = SweptShare::all(assembly, shapes);
        let sweeps = plan.sweeps(self, &checker, &rules, (&rank, share), Effort::All);
        let [a, b] = pair.map(|i| i.0);
        let rule = match rules.of(pair[0], pair[1]) {
            PairRule::Ignored { .. } => None,
            PairRule::Rule(rule) => Some(Some(rule)),
            PairRule::None => Some(None),
        };
        let mut values = plan.travel.start.clone();
        let (mut row, mut displacement, mut by_balls) = (None, 0.0, false);
        if let Some(rule) = rule.filter(|_| plan.swept.differ(a, b)) {
            let pair = sweeps.by_id([a, b]);
            let query = sweeps.query(pair, rule);
            displacement = largest_displacement(&query);
            let mut answer = sweep_pair(&query);
            answer.curve = staircase(&query, &answer);
            by_balls = answer.by_balls;
            if let Some((_, worst, _)) = sweeps.worst(&answer) {
                values = worst;
            }
            row = Some(sweeps.row(pair, rule, &query, &answer));
        }
        let mut outcome = RunOutcome::of(run, plan.definition, plan.joints.clone());
        outcome.margin = row.as_ref().and_then(|row| row.swept.as_ref()).map_or(0.0, |swept| swept.margin);
        let [of_a, of_b] = pair.map(|i| assembly.instances[i.0 as usize].joint);
        let at = |t: &JointTravel| JointTravel {
            joint: t.joint,
            from: values[t.joint as usize],
            to: values[t.joint as usize],
        };
        Ok(PairInRun {
            row,
            outcome,
            between: mechanism.joints_between(of_a, of_b).into_iter().map(|j| j.0).collect(),
            displacement,
            by_balls,
            at: plan.joints.iter().map(at).collect(),
            placed: place::at(assembly, shapes, &values, run)?,
        })
    }
}

/// Largest distance of a point of the second shape from its place in the middle of a segment, seen from the first one
/// (mm, >= 0).
fn largest_displacement(query: &SweepQuery<'_>) -> f64 {
    let of_segment = |(chain, segment): &(Chain, &Segment)| {
        let frame = Frame::new(chain, &Cell::around(&segment.ranges));
        frame.spread_of_ball(&frame.pose.translation, radius(query.second)).displacement
    };
    query.segments.iter().map(of_segment).fold(0.0, greater)
}
