//! Measures how far each joint can move from the drawing.

use crate::assembly::{Assembly, InstanceIx, NamedRun, RuleTable};
use crate::check::motion::RunChecker;
use crate::check::motion::outcome::MotionOutcome;
use crate::check::motion::plan::RunPlan;
use crate::check::motion::segment::SegmentAnswer;
use crate::check::motion::sweep::{Effort, SweepAnswer};
use crate::check::pairs::shard::SweptShare;
use crate::check::prepare::load::load_meshes;
use crate::check::prepare::shapes;
use crate::check::run::resolve_settings;
use crate::check::stages::answers::Checker;
use crate::check::{Curves, Measure, NoProgress, Options, Progress, Settings, Stage, Status};
use crate::error::{Error, Location, Problem};
use crate::geom::LengthUnit;
use crate::geom::math::{greater, lesser};
use crate::io::Loader;
use crate::json::wording::{join_or, nearest, quoted};
use crate::motion::{AS_DRAWN, JointIx, JointKind, Mechanism, RunKind, Segment};

/// Range examined for a turn or screw without limits, to each side: one turn (degrees). Slides have limits.
const FULL_TURN: f64 = 360.0;

/// Halvings of the way to the limit of a solved joint: a billionth of it remains.
const LIMIT_HALVINGS: u32 = 30;

/// Ranges of some joints from the drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct JointRanges {
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
    /// Full ids of the instances.
    pub ids: Vec<String>,
    /// Results in the order of the request.
    pub ranges: Vec<JointRange>,
}

/// Range of a joint from the drawing. Values in degrees, or mm for a slide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointRange {
    /// Index in [`MotionOutcome::joints`].
    pub joint: u32,
    /// Towards smaller values, and towards larger ones.
    pub sides: [JointSide; 2],
}

/// One direction of a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointSide {
    /// Last value examined: the limit of the joint, or of one that follows it or closes its loop, or the last one with
    /// a proof that its loops close; one turn for a turn or screw without limits.
    pub limit: f64,
    /// Farthest value to which every pair keeps its limits, proved from the drawing on.
    pub free: f64,
    /// The pair that ends the range; `None` if the limit does.
    pub stop: Option<Stop>,
}

impl JointSide {
    /// True if the joint, drawn at `home` (degrees), was examined over a whole turn.
    pub(crate) fn is_turn(&self, home: f64) -> bool {
        (self.limit - home).abs() >= FULL_TURN
    }
}

/// A pair that ends a range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// Instances, lesser id first.
    pub pair: [InstanceIx; 2],
    /// Failing status beyond the range; `Undecided` without a proof.
    pub status: Status,
    /// Bracket of the first failing value, nearer the drawing first.
    pub bracket: [f64; 2],
}

/// Measures how far joints can move from the drawing, one at a time, with all others at home; `names` are full names of
/// joints, empty for all that do not follow another one.
///
/// # Errors
/// Returns the errors of [`check()`](crate::check::check()), and refuses unknown joints, fixed ones, followers, and
/// joints that close a loop.
pub fn joint_ranges(
    assembly: &Assembly,
    options: &Options,
    names: &[String],
    loader: &dyn Loader,
    progress: &dyn Progress,
) -> Result<JointRanges, Error> {
    let settings = resolve_settings(assembly, options)?;
    let joints = find_joints(assembly, names)?;
    let meshes = load_meshes(assembly, loader, None, Measure::None, progress)?;
    let shapes = shapes::build(assembly, &meshes, &settings, None, progress)?;
    let rules = RuleTable::of_drawing(assembly);
    let sweep_cells = options.sweep_cells;
    let checker = RunChecker {
        assembly,
        settings: &settings,
        shapes: &shapes,
        cache: None,
        drawn_rules: &rules,
        sweep_cells,
        curves: Curves::None,
        shard: None,
    };
    progress.begin(Stage::Narrow, 2 * joints.len() as u64);
    let mut ranges = Vec::with_capacity(joints.len());
    for joint in joints {
        let side = |towards: f64| {
            let found = checker.side(joint, towards, &rules);
            progress.advance(1);
            found
        };
        ranges.push(JointRange { joint: joint.0, sides: [side(-1.0), side(1.0)] });
    }
    let ids = assembly.instances.iter().map(|i| i.id.clone()).collect();
    Ok(JointRanges {
        name: assembly.name.clone(),
        path: assembly.path.clone(),
        units: assembly.units,
        motion: MotionOutcome::of(assembly),
        ids,
        ranges,
        settings,
    })
}

/// Finds joints with a value of their own.
fn find_joints(assembly: &Assembly, names: &[String]) -> Result<Vec<JointIx>, Error> {
    let all = assembly.motion.mechanism.joints();
    let own = |k: &usize| assembly.motion.mechanism.is_free(JointIx(*k as u32));
    let known: Vec<&str> = assembly.motion.joints.iter().map(|j| j.name.as_str()).collect();
    let at = || Location::file(&assembly.path);
    let mut problems = Vec::new();
    let mut found = Vec::new();
    for name in names {
        match known.iter().position(|known| known == name) {
            Some(k) if own(&k) => found.push(JointIx(k as u32)),
            Some(k) => {
                let leader = all[k]
                    .follows
                    .map(|f| format!("name the joint that it follows, {}", quoted(known[f.leader.0 as usize])));
                let what = format!("the joint {} has no value of its own", quoted(name));
                let other = if all[k].joint.kind == JointKind::Fixed {
                    "a fixed joint never moves"
                } else {
                    "it closes a loop: name a joint that drives the loop"
                };
                problems.push(Problem::new(at(), what, leader.unwrap_or_else(|| other.to_owned())));
            }
            None => {
                let near = nearest(name, known.iter().copied()).map(|near| format!("did you mean {}?", quoted(near)));
                let fix = near.unwrap_or_else(|| {
                    let own: Vec<&str> = (0..all.len()).filter(own).map(|k| known[k]).collect();
                    if own.is_empty() {
                        "the assembly has no joint with a value of its own".to_owned()
                    } else {
                        format!("joints with a value of their own: {}", join_or(&own))
                    }
                });
                problems.push(Problem::new(at(), format!("no joint has the name {}", quoted(name)), fix));
            }
        }
    }
    if names.is_empty() {
        found = (0..all.len()).filter(own).map(|k| JointIx(k as u32)).collect();
        if found.is_empty() {
            problems.push(Problem::new(at(), "the assembly has no joint with a value of its own", "add `joints`"));
        }
    }
    if problems.is_empty() { Ok(found) } else { Err(Error { problems }) }
}

/// Last value of a joint towards smaller (-1) or larger (1) values, by its limits and those of its followers.
fn limit(mechanism: &Mechanism, joint: JointIx, towards: f64) -> f64 {
    let own = &mechanism.joints()[joint.0 as usize];
    let [low, high] = mechanism.limits(joint);
    // A joint with limits of its own may turn by more than once.
    let way = if own.range.is_none() { FULL_TURN } else { f64::INFINITY };
    if towards < 0.0 { greater(low, own.home - way) } else { lesser(high, own.home + way) }
}

/// Last value on the way from `home` to `limit` up to which all solved joints keep their limits; `path` is the way to a
/// value.
fn within_solved_limits(mechanism: &Mechanism, limit: f64, home: f64, path: impl Fn(f64) -> RunKind) -> f64 {
    let solved = (0..).map(JointIx).zip(mechanism.joints()).filter(|(ix, _)| mechanism.is_solved(*ix));
    let limited: Vec<_> = solved.filter_map(|(ix, own)| Some((ix, own.range?))).collect();
    let keeps = |value: f64| {
        let outside = |s: &Segment| limited.iter().any(|(ix, range)| s.solved_outside(*ix, *range).is_some());
        mechanism.segments(&path(value)).is_ok_and(|segments| !segments.iter().any(outside))
    };
    if limited.is_empty() || keeps(limit) {
        return limit;
    }
    let (mut kept, mut broken) = (home, limit);
    for _ in 0..LIMIT_HALVINGS {
        let middle = kept + 0.5 * (broken - kept);
        *(if keeps(middle) { &mut kept } else { &mut broken }) = middle;
    }
    kept
}

impl RunChecker<'_> {
    /// Measures one direction of a joint.
    fn side(&self, joint: JointIx, towards: f64, rules: &RuleTable) -> JointSide {
        let mechanism = &self.assembly.motion.mechanism;
        let home = mechanism.joints()[joint.0 as usize].home;
        let limit = limit(mechanism, joint, towards);
        if limit == home {
            return JointSide { limit, free: limit, stop: None };
        }
        let path = |limit: f64| NamedRun {
            name: AS_DRAWN.to_owned(),
            at: Location::default(),
            kind: RunKind::Path { configurations: vec![vec![(joint, home)], vec![(joint, limit)]] },
        };
        // A loop may end the way of the joint.
        let mut limit = limit;
        let plan = loop {
            let run = path(limit);
            match mechanism.segments(&run.kind) {
                Ok(segments) => break RunPlan::with(self.assembly, &run, segments),
                Err(stop) => {
                    let proved = stop.values.iter().find(|(j, _)| *j == joint).map_or(home, |(_, value)| *value);
                    if proved == home || proved == limit {
                        return JointSide { limit: home, free: home, stop: None };
                    }
                    limit = proved;
                }
            }
        };
        let kept = within_solved_limits(mechanism, limit, home, |value| path(value).kind);
        if kept == home {
            return JointSide { limit: home, free: home, stop: None };
        }
        let plan = if kept == limit { plan } else { RunPlan::of(self.assembly, &path(kept)).unwrap_or(plan) };
        let limit = kept;
        let neighbours = vec![0; self.assembly.instances.len()];
        let Self { assembly, settings, shapes, cache, .. } = *self;
        let checker = Checker { assembly, settings, shapes, cache, neighbours: &neighbours };
        let rank = checker.ranks();
        let share = SweptShare::all(assembly, shapes);
        let sweeps = plan.sweeps(self, &checker, rules, (&rank, share), Effort::First);
        let value = |share: f64| home + (limit - home) * share;
        let mut first: Option<([f64; 2], Stop)> = None;
        for (row, answer) in sweeps.answers(&sweeps.close(), &NoProgress) {
            let Some((bracket, status)) = first_failure(&answer) else { continue };
            if first.as_ref().is_none_or(|(before, _)| bracket[0] < before[0]) {
                first = Some((bracket, Stop { pair: [row.a, row.b], status, bracket: bracket.map(value) }));
            }
        }
        let free = first.map_or(limit, |(bracket, _)| value(bracket[0]));
        JointSide { limit, free, stop: first.map(|(_, stop)| stop) }
    }
}

/// Bracket of the first failing share of a path of one segment, and the status there.
fn first_failure(answer: &SweepAnswer) -> Option<([f64; 2], Status)> {
    if !answer.status.fails() {
        return None;
    }
    let whole = [0.0, 1.0];
    let of_segment = |s: &SegmentAnswer| {
        let failing = s.failing.iter().flatten().map(|f| ([f.from[0][0], f.from[1][0]], f.status));
        let open = s.open.iter().map(|span| ([span[0][0], span[1][0]], Status::Undecided));
        failing.chain(open).min_by(|(x, _), (y, _)| x[0].total_cmp(&y[0]))
    };
    Some(answer.segments.first().and_then(of_segment).unwrap_or((whole, answer.status)))
}
