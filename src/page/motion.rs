//! Converts joints, and findings of poses and sweeps, to the page's JSON.

use crate::assembly::InstanceIx;
use crate::check::{
    CurvePart, DrawnLoop, FailingPart, JointSpan, JointTravel, NoProgress, Outcome, PairOutcome, RunOutcome, SweptPair,
};
use crate::findings::Judged;
use crate::geom::Pose;
use crate::page::findings::{Line, direction, lines, point, short};
use crate::page::{MAX_VIEWS, Options};
use crate::report::caption::{run_caption, run_place};
use crate::report::motion::curve::worst as worst_part;
use crate::report::motion::span::end_of;
use crate::scene::{RunFinding, Scene};
use rayon::prelude::*;
use serde::Serialize;

/// A joint in the root frame, as drawn. Values are degrees, or mm for a slide.
#[derive(Serialize)]
pub(crate) struct Joint<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    axis: [f64; 3],
    at: [f64; 3],
    /// Travel for one turn (mm, signed); 0 unless it is a screw.
    lead: f64,
    home: f64,
    range: Option<[f64; 2]>,
    /// Index of the joint that it stands on.
    on: Option<u32>,
    follows: Option<Follows>,
}

/// A loop: both links keep the pin's axis in common. Two joints take the values that close it.
#[derive(Serialize)]
pub(crate) struct ClosedLoop {
    links: [u32; 2],
    at: [f64; 3],
    axis: [f64; 3],
    solves: [u32; 2],
}

/// Value of a follower: ratio · (value of the joint) + offset.
#[derive(Serialize)]
struct Follows {
    joint: u32,
    ratio: f64,
    offset: f64,
}

/// Pose or sweep of a finding.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct RunOfLine {
    name: String,
    kind: String,
    /// Run and joint values in words.
    place: String,
    /// Values of all joints at the worst pose.
    values: Vec<f64>,
    /// Values of all joints at a pose that keeps the limits, to play from.
    #[serde(skip_serializing_if = "Option::is_none")]
    safe: Option<Vec<f64>>,
    /// Staircase of the gap over the sweep.
    #[serde(skip_serializing_if = "Option::is_none")]
    curve: Option<Curve>,
    /// Three rows of the map of each instance of the pair at these values.
    placed: [[[f64; 4]; 3]; 2],
}

/// Staircase of the gap (mm, signed), one entry for each part of the sweep; the parts are equally long.
#[derive(Debug, Clone, Serialize)]
struct Curve {
    /// Joint values at the start of the sweep and at its end, in words.
    from: String,
    to: String,
    /// Bounds of the least gap of each part; `null` without a bound.
    gaps: Vec<[Option<f64>; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    worst: Option<WorstPart>,
}

/// Part with the least upper bound of the gap.
#[derive(Debug, Clone, Serialize)]
struct WorstPart {
    part: usize,
    /// Joint values at its start and at its end, in words.
    from: String,
    to: String,
}

impl Curve {
    fn of(o: &Outcome, swept: &SweptPair) -> Option<Self> {
        let parts = swept.curve.as_deref()?;
        let start = |part: &CurvePart| end_of(o, swept, &part.span, |t| t.from);
        let end = |part: &CurvePart| end_of(o, swept, &part.span, |t| t.to);
        let worst = |part: usize| WorstPart { part, from: start(&parts[part]), to: end(&parts[part]) };
        Some(Self {
            from: start(parts.first()?),
            to: end(parts.last()?),
            gaps: parts.iter().map(|part| [part.lower, part.upper].map(|mm| mm.map(short))).collect(),
            worst: worst_part(parts).map(worst),
        })
    }
}

impl RunOfLine {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// Joints of the assembly, for its sliders.
pub(crate) fn joints<'a>(scene: &Scene, judged: &'a Judged) -> Vec<Joint<'a>> {
    let joints = judged.outcome.motion.iter().flat_map(|motion| &motion.joints).zip(0..);
    let joint = |(j, k): (&'a crate::check::JointOutcome, u32)| Joint {
        name: &j.name,
        kind: &j.kind,
        axis: direction(&j.axis),
        at: point(&j.at),
        lead: j.lead.unwrap_or(0.0),
        home: j.home,
        range: j.range,
        on: j.on,
        follows: j.follows.zip(scene.kinematics.follow(k)).map(|(joint, [ratio, offset])| Follows {
            joint,
            ratio,
            offset,
        }),
    };
    joints.map(joint).collect()
}

/// Loops of the assembly, in the order of their solution.
pub(crate) fn loops(scene: &Scene) -> Vec<ClosedLoop> {
    let closed = |one: DrawnLoop| ClosedLoop {
        links: one.links,
        at: point(&one.at),
        axis: direction(&one.axis),
        solves: one.solves,
    };
    scene.kinematics.loops().into_iter().map(closed).collect()
}

/// Three rows of a pose.
pub(crate) fn placement(pose: &Pose) -> [[f64; 4]; 3] {
    [0, 1, 2].map(|r| {
        let [x, y, z] = direction(&pose.rotation.row(r).transpose());
        [x, y, z, point(&pose.translation)[r]]
    })
}

/// Lines of the findings of poses and sweeps, each at its worst pose; the first [`MAX_VIEWS`] have their staircase.
/// `runs` are those of [`Judged::runs`].
pub(crate) fn run_lines(
    scene: &Scene,
    judged: &Judged,
    runs: &[Judged],
    findings: &[RunFinding],
    options: &Options,
) -> Vec<Line> {
    let line = |(k, found): (usize, &RunFinding)| {
        let (at, one, finding) = (scene.at(&found.values), &runs[found.run], &found.finding);
        let run = &judged.outcome.runs()[found.run];
        let solid = finding.pair.map(|i| at.shape_of(i).solid);
        let place = run_place(judged, one, found.run, finding.row);
        let p = &one.outcome.pairs[finding.row];
        let of_run = RunOfLine {
            name: run.name.clone(),
            kind: run.kind.clone(),
            values: found.values.clone(),
            safe: safe_pose(run, p).map(|set| scene.kinematics.values(&set)),
            curve: p.swept.as_ref().filter(|_| k < MAX_VIEWS).and_then(|swept| Curve::of(&judged.outcome, swept)),
            placed: finding.pair.map(|i: InstanceIx| placement(&at.instances[i.0 as usize].pose)),
            place: place.clone(),
        };
        let lines = lines(&at, one, std::slice::from_ref(finding), options, &NoProgress);
        let caption = run_caption(judged, one, found.run, (finding.row, finding.rows), solid);
        lines.into_iter().map(move |line| line.of_run(of_run.clone(), caption.clone(), &place)).collect::<Vec<_>>()
    };
    findings.par_iter().enumerate().flat_map_iter(line).collect()
}

/// Joint values of a pose of a sweep that keeps the limits; `None` without one at an end of a failing part.
fn safe_pose(run: &RunOutcome, p: &PairOutcome) -> Option<Vec<JointTravel>> {
    let swept = p.swept.as_deref()?;
    let worst = swept.worst.as_ref()?;
    let part = swept.failing.as_ref()?.iter().find(|part| holds(part, worst))?;
    let at = |joints: &[JointTravel], end: fn(&JointTravel) -> f64| -> Vec<JointTravel> {
        joints.iter().map(|t| JointTravel { joint: t.joint, from: end(t), to: end(t) }).collect()
    };
    let moves = |span: &JointSpan| span.joints.iter().any(|t| t.from != t.to);
    let mut set = at(&worst.joints, |t| t.from);
    let parts = || swept.failing.iter().flatten();
    // A part may end where one of another status begins.
    let (mut first, mut last) = (part, part);
    for _ in parts() {
        first = parts().find(|other| other.to == first.from).unwrap_or(first);
        last = parts().find(|other| other.from == last.to).unwrap_or(last);
    }
    // The outer side of a bracket keeps the limits; at an end of the run, a bracket has no outer side.
    let safe = match (moves(&first.from), moves(&last.to)) {
        (true, _) => at(&first.from.joints, |t| t.from),
        (false, true) => at(&last.to.joints, |t| t.to),
        (false, false) => return None,
    };
    // Before its first failing part, a sweep of one joint keeps the limits from its start on.
    let from_start = run.kind == "box" && moves(&first.from) && parts().next() == Some(first);
    for own in &mut set {
        let start = run.joints.iter().find(|t| t.joint == own.joint);
        if let Some(t) = safe.iter().find(|t| t.joint == own.joint) {
            let begin = start.filter(|_| from_start).map(|s| if t.from > own.from { s.to } else { s.from });
            own.from = begin.unwrap_or(t.from);
        }
    }
    Some(set)
}

/// True if a failing part holds a pose of the same segment.
fn holds(part: &FailingPart, pose: &JointSpan) -> bool {
    let within = |t: &JointTravel| {
        let of = |span: &JointSpan| span.joints.iter().find(|s| s.joint == t.joint).map(|s| [s.from, s.to]);
        let ends = of(&part.from).zip(of(&part.to));
        ends.is_none_or(|([a, b], [c, d])| a.min(b).min(c.min(d)) <= t.from && t.from <= a.max(b).max(c.max(d)))
    };
    part.from.segment == pose.segment && pose.joints.iter().all(within)
}
