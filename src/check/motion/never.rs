//! Finds the pairs that never meet, over all values of all joints.

use crate::assembly::{Assembly, InstanceIx, NamedRun, PairRule, RuleTable};
use crate::check::motion::RunChecker;
use crate::check::motion::outcome::{JointTravel, MotionOutcome};
use crate::check::motion::plan::RunPlan;
use crate::check::motion::segment::{SegmentAnswer, still_at};
use crate::check::motion::sweep::{Effort, SweepAnswer, SweepQuery, sweep_pair};
use crate::check::motion::swept::Sweeps;
use crate::check::pairs::candidates::{Candidate, candidates, neighbours};
use crate::check::pairs::shard::SweptShare;
use crate::check::prepare::load::load_meshes;
use crate::check::prepare::shapes;
use crate::check::run::{max_distance, resolve_settings};
use crate::check::stages::answers::Checker;
use crate::check::stages::trace::Trace;
use crate::check::{Curves, Measure, Options, PairOutcome, Progress, Settings, Stage, Status};
use crate::error::{Error, Location};
use crate::geom::LengthUnit;
use crate::io::Loader;
use crate::motion::{AS_DRAWN, RunKind};
use rayon::prelude::*;

/// Values of a joint without limits, to each side of the drawing: one turn in all (degrees).
const HALF_TURN: f64 = 180.0;

/// Number of configurations tried for a pair without a proof, besides those of the proof.
const CONFIGURATIONS: u32 = 1024;

/// Pairs over all values of all joints.
#[derive(Debug, Clone, PartialEq)]
pub struct Meetings {
    /// Name of the assembly.
    pub name: String,
    /// Path of the assembly as given.
    pub path: String,
    /// Unit of the report.
    pub units: LengthUnit,
    /// Settings of the check.
    pub settings: Settings,
    /// The joints of the assembly.
    pub motion: MotionOutcome,
    /// Values of each joint that moves.
    pub joints: Vec<JointTravel>,
    /// Full ids of the instances.
    pub ids: Vec<String>,
    /// Pairs by ids, without the ignored ones.
    pub pairs: Vec<Meeting>,
    /// Number of ignored pairs.
    pub ignored: u64,
}

/// Result of a pair over all values of all joints.
#[derive(Debug, Clone, PartialEq)]
pub struct Meeting {
    /// Instances, lesser id first.
    pub pair: [InstanceIx; 2],
    /// Whether they meet.
    pub verdict: MeetingVerdict,
    /// Lower bound of the gap over all values (mm), for a pair that never meets; `None` for more than every limit.
    pub clearance: Option<f64>,
    /// Joint values of a configuration in which they meet; empty otherwise, and for a pair that no joint moves.
    pub at: Vec<JointTravel>,
}

/// Verdict over all values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeetingVerdict {
    /// The gap exceeds the tolerance at all values.
    Never,
    /// No overlap is deeper than the tolerance at any value; somewhere, the gap may be within it.
    Touches,
    /// An overlap is deeper than the tolerance.
    Meets,
    /// Neither is shown.
    Undecided,
}

impl MeetingVerdict {
    /// Every verdict, in the order of reports.
    pub const ALL: [Self; 4] = [Self::Meets, Self::Undecided, Self::Touches, Self::Never];

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Touches => "touches",
            Self::Meets => "meets",
            Self::Undecided => "undecided",
        }
    }

    fn of(status: Status) -> Self {
        match status {
            Status::Clear => Self::Never,
            Status::Contact | Status::Allowed => Self::Touches,
            Status::Interference => Self::Meets,
            _ => Self::Undecided,
        }
    }
}

/// Finds for each pair whether it meets at any values of the joints, within their limits; a joint without limits makes
/// a turn. Rules count only where they ignore a pair.
///
/// # Errors
/// Returns the errors of [`check()`](crate::check::check()), and refuses an assembly without a joint that moves.
pub fn meetings(
    assembly: &Assembly,
    options: &Options,
    loader: &dyn Loader,
    progress: &dyn Progress,
) -> Result<Meetings, Error> {
    let settings = resolve_settings(assembly, options)?;
    // Lists every clear pair, so that its least gap is measured.
    let settings = Settings { report_within: settings.report_within.or(Some(0.0)), ..settings };
    let run = whole_box(assembly);
    let RunKind::Box { swept: joints, .. } = &run.kind else { return Err(without_joints(assembly)) };
    if joints.is_empty() {
        return Err(without_joints(assembly));
    }
    let meshes = load_meshes(assembly, loader, None, Measure::None, progress)?;
    let shapes = shapes::build(assembly, &meshes, &settings, None, progress)?;
    let rules = RuleTable::of_drawing(assembly);
    let plan = RunPlan::of(assembly, &run)?;
    let kept = candidates(&shapes, max_distance(&settings, &rules, &shapes), &rules);
    let near = neighbours(&shapes, &kept, settings.tolerance);
    let checker = Checker { assembly, settings: &settings, shapes: &shapes, cache: None, neighbours: &near };
    let run_checker = RunChecker {
        assembly,
        settings: &settings,
        shapes: &shapes,
        cache: None,
        drawn_rules: &rules,
        sweep_cells: options.sweep_cells,
        curves: Curves::None,
        shard: None,
    };
    let rank = checker.ranks();
    let share = SweptShare::all(assembly, &shapes);
    let sweeps = plan.sweeps(&run_checker, &checker, &rules, (&rank, share), Effort::All);
    let (pairs, ignored) = sweeps.meetings(&kept, progress);
    Ok(Meetings {
        name: assembly.name.clone(),
        path: assembly.path.clone(),
        units: assembly.units,
        motion: MotionOutcome::of(assembly),
        ids: assembly.instances.iter().map(|i| i.id.clone()).collect(),
        joints: plan.joints.clone(),
        pairs,
        ignored,
        settings: settings.clone(),
    })
}

fn without_joints(assembly: &Assembly) -> Error {
    let what = "the assembly has no joint with a value of its own";
    Error::one(Location::file(&assembly.path), what, "add `joints`")
}

/// Every combination of the values of all joints within their limits and those of their followers.
fn whole_box(assembly: &Assembly) -> NamedRun {
    let mechanism = &assembly.motion.mechanism;
    let turn = |home: f64| [home - HALF_TURN, home + HALF_TURN];
    let own = mechanism.free().map(|(ix, joint)| (ix, mechanism.examined_range(ix, turn(joint.home))));
    let kind = RunKind::Box { swept: own.collect(), rest: Vec::new() };
    NamedRun { name: AS_DRAWN.to_owned(), at: Location::file(&assembly.path), kind }
}

/// Meeting of a pair that no joint moves; `row` is `None` for a pair with boxes apart.
fn at_rest([a, b]: [u32; 2], row: Option<&PairOutcome>, rank: &[u32]) -> Meeting {
    let pair = if rank[b as usize] < rank[a as usize] { [b, a] } else { [a, b] };
    let status = row.map_or(Status::Clear, |row| row.status);
    let clearance = row.and_then(|row| row.gap_bracket).map(|gap| gap.lower).filter(|_| status == Status::Clear);
    Meeting { pair: pair.map(InstanceIx), verdict: MeetingVerdict::of(status), clearance, at: Vec::new() }
}

impl Sweeps<'_> {
    /// All pairs by ids, and the number of ignored ones; `kept` are the pairs that are close as drawn.
    fn meetings(&self, kept: &[Candidate], progress: &dyn Progress) -> (Vec<Meeting>, u64) {
        let n = self.run.assembly.instances.len() as u32;
        let all: Vec<[u32; 2]> = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b])).collect();
        progress.begin(Stage::Narrow, all.len() as u64);
        let answer = |&[a, b]: &[u32; 2]| {
            progress.advance(1);
            if matches!(self.rules.of(InstanceIx(a), InstanceIx(b)), PairRule::Ignored { .. }) {
                return None;
            }
            if self.swept.differ(a, b) {
                return Some(self.meeting([a, b]));
            }
            let candidate = Candidate { a, b, rule: None };
            let is_near = kept.binary_search_by_key(&(a, b), |c| (c.a, c.b)).is_ok();
            let row = is_near.then(|| self.checker.row(&candidate, self.rank, &mut Trace::default()));
            Some(at_rest([a, b], row.as_ref(), self.rank))
        };
        let found: Vec<Option<Meeting>> = all.par_iter().map(answer).collect();
        let ignored = found.iter().filter(|m| m.is_none()).count() as u64;
        let mut pairs: Vec<Meeting> = found.into_iter().flatten().collect();
        pairs.sort_by_key(|m| m.pair.map(|i| self.rank[i.0 as usize]));
        (pairs, ignored)
    }

    /// Computes the result of a pair over the run.
    fn meeting(&self, pair: [u32; 2]) -> Meeting {
        let query = self.query(pair, None);
        let answer = sweep_pair(&query);
        let mut verdict = MeetingVerdict::of(answer.status);
        let shown = |s: &SegmentAnswer| s.worst.as_ref().map(|(q, _)| q.clone()).filter(|_| s.status == answer.status);
        let mut q = answer.segments.iter().find_map(shown);
        if verdict == MeetingVerdict::Undecided {
            q = sampled(&query);
            verdict = if q.is_some() { MeetingVerdict::Meets } else { verdict };
        }
        let clearance = (verdict == MeetingVerdict::Never).then(|| least_gap(&answer)).flatten();
        let at = q.filter(|_| verdict == MeetingVerdict::Meets).map_or_else(Vec::new, |q| self.values(&q));
        let [a, b] = pair;
        let pair = if self.rank[b as usize] < self.rank[a as usize] { [b, a] } else { [a, b] };
        Meeting { pair: pair.map(InstanceIx), verdict, clearance, at }
    }

    /// Values of the joints away from home at parameters of the first segment.
    fn values(&self, q: &[f64]) -> Vec<JointTravel> {
        let Some(segment) = self.segments.first() else { return Vec::new() };
        let value = |t: &JointTravel| {
            let value = segment.laws[t.joint as usize].value(q);
            JointTravel { joint: t.joint, from: value, to: value }
        };
        self.joints.iter().map(value).collect()
    }
}

/// Lower bound of the gap over the run (mm); `None` for a pair that the balls around its parts clear.
fn least_gap(answer: &SweepAnswer) -> Option<f64> {
    answer.segments.iter().map(|s| s.least).reduce(f64::min)
}

/// Parameters in which the pair interferes, among a fixed sequence of configurations; `None` without any.
///
/// The sequence is the additive recurrence of the generalised golden ratio (M. Roberts, "The Unreasonable Effectiveness
/// of Quasirandom Sequences", 2018): deterministic, and evenly spread in every number of parameters.
fn sampled(query: &SweepQuery<'_>) -> Option<Vec<f64>> {
    let (chain, segment) = query.segments.first()?;
    let n = segment.ranges.len() as i32;
    let mut ratio = 2.0_f64;
    for _ in 0..64 {
        ratio = libm::pow(1.0 + ratio, 1.0 / f64::from(n + 1));
    }
    let at = |k: u32| -> Vec<f64> {
        let share = |d: i32| {
            let x = 0.5 + f64::from(k) * libm::pow(ratio, f64::from(-d));
            x - libm::floor(x)
        };
        (1..=n).zip(&segment.ranges).map(|(d, [from, to])| from + (to - from) * share(d)).collect()
    };
    (0..CONFIGURATIONS)
        .map(at)
        .find(|q| still_at(query, &query.limits, chain, q, Measure::None).status == Status::Interference)
}
