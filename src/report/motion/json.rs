//! Writes the poses and sweeps of a check as JSON: docs/reference/report.md.

use crate::check::{
    CurvePart, ExplainedRun, FailingPart, JointOutcome, JointSpan, JointTravel, MotionOutcome, Mover, PairOutcome,
    RunOutcome, pair_id,
};
use crate::findings::{BaselineStatus, Groups, Judged};
use crate::geom::{Bounds, LengthUnit};
use crate::report::json::pair::{Accepted, GroupOfPair, RuleOfPair};
use crate::report::json::{GroupList, MinMax};
use crate::report::motion::in_units;
use crate::report::number::{as_given, length, vector, volume};
use serde::Serialize;
use std::collections::BTreeMap;

/// The key `motion` of the JSON report.
#[derive(Serialize)]
pub(crate) struct Motion<'a> {
    joints: Vec<Joint<'a>>,
    runs: Vec<Run<'a>>,
    rows: Vec<Row<'a>>,
    left_out: &'a [String],
    sweep_cells: u64,
}

#[derive(Serialize)]
struct Joint<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    axis: [f64; 3],
    at: [f64; 3],
    lead: Option<f64>,
    home: f64,
    range: Option<[f64; 2]>,
    on: Option<&'a str>,
    follows: Option<&'a str>,
    solved: bool,
    instances: u64,
}

#[derive(Serialize)]
struct Run<'a> {
    name: &'a str,
    kind: &'a str,
    file: &'a str,
    line: Option<u32>,
    /// Hash of its joint values.
    definition: String,
    joints: BTreeMap<&'a str, [f64; 2]>,
    pairs: u64,
    moving: u64,
    counts: BTreeMap<&'static str, u64>,
    cleared_by: BTreeMap<&'static str, u64>,
    margin: f64,
    verdict: &'static str,
    undecided_because: Option<&'a str>,
    groups: GroupList<'a>,
}

/// A pair of a run; `null` for the values of a sweep in a pose.
#[derive(Serialize)]
struct Row<'a> {
    id: String,
    a: &'a str,
    b: &'a str,
    run: &'a str,
    status: &'static str,
    severity: Option<&'static str>,
    relation: Option<&'static str>,
    certainty: &'static str,
    rule: Option<RuleOfPair<'a>>,
    worst: Option<Worst<'a>>,
    first: Option<First<'a>>,
    intervals: Option<Vec<Interval<'a>>>,
    /// Share of the run with a proof (0 to 1).
    proved: f64,
    open: Vec<Cell<'a>>,
    open_count: u64,
    tests: Option<u64>,
    cells: Option<u64>,
    margin: Option<f64>,
    failing_travel: Option<f64>,
    /// Omitted unless the check was asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    curve: Option<Curve<'a>>,
    baseline: Option<&'static str>,
    accepted: Option<Accepted>,
    /// Id of its group; omitted from a row outside a report.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<GroupOfPair<'a>>,
}

/// A pair explained in a run.
#[derive(Serialize)]
pub(crate) struct RunOfPair<'a> {
    name: &'a str,
    kind: &'a str,
    file: &'a str,
    line: Option<u32>,
    joints: Values<'a>,
    /// Joints between the two instances, nearest B first.
    between: Vec<&'a str>,
    displacement: f64,
    by_swept_balls: bool,
    /// Joint values of the steps.
    at: BTreeMap<&'a str, f64>,
    row: Row<'a>,
}

impl<'a> RunOfPair<'a> {
    pub(crate) fn new(
        judged: &'a Judged,
        motion: &'a MotionOutcome,
        run: &'a RunOutcome,
        row: &'a PairOutcome,
        e: &ExplainedRun,
    ) -> Self {
        let spans = Spans::new(judged, motion, run);
        Self {
            name: &run.name,
            kind: &run.kind,
            file: &run.at.file,
            line: run.at.line,
            joints: spans.values(&run.joints),
            between: e.between.iter().map(|j| motion.joints[*j as usize].name.as_str()).collect(),
            displacement: length(e.displacement, judged.outcome.units),
            by_swept_balls: e.by_balls,
            at: spans.values(&e.at).into_iter().map(|(name, [value, _])| (name, value)).collect(),
            row: Row::new(judged, motion, run, row),
        }
    }
}

/// Values of joints, each with a start and an end.
type Values<'a> = BTreeMap<&'a str, [f64; 2]>;

/// Bracket of the first pose within the limits.
#[derive(Serialize)]
struct First<'a> {
    segment: Option<u32>,
    at_bracket: Values<'a>,
}

/// A part of a sweep that breaks a limit; each end is a bracket.
#[derive(Serialize)]
struct Interval<'a> {
    status: &'static str,
    segment: Option<u32>,
    from: Values<'a>,
    to: Values<'a>,
    throughout: bool,
}

/// Staircase of a row; `null` in a pose, and for a motion of several joint values.
#[derive(Serialize)]
struct Curve<'a>(Option<Vec<Step<'a>>>);

/// A part of a sweep with bounds of its least gap; `null` without a bound.
#[derive(Serialize)]
struct Step<'a> {
    segment: Option<u32>,
    from: BTreeMap<&'a str, f64>,
    to: BTreeMap<&'a str, f64>,
    gap_bracket: [Option<f64>; 2],
}

/// A part of a sweep without a proof.
#[derive(Serialize)]
struct Cell<'a> {
    segment: Option<u32>,
    joints: Values<'a>,
}

/// Measures at the worst joint values of a run.
#[derive(Serialize)]
struct Worst<'a> {
    segment: Option<u32>,
    at: BTreeMap<&'a str, f64>,
    gap: Option<f64>,
    gap_bracket: Option<Bounds>,
    overlap_depth: Option<f64>,
    penetration_depth: Option<f64>,
    separating_translation: Option<[f64; 3]>,
    mover: Option<Mover>,
    closest_points: Option<[[f64; 3]; 2]>,
    deepest_point: Option<[f64; 3]>,
    normal: Option<[f64; 3]>,
    overlap_volume: Option<f64>,
    overlap_box: Option<MinMax>,
    facet_allowance: Option<f64>,
    within_facet_error: bool,
}

impl<'a> Motion<'a> {
    /// `of_runs` are the runs as outcomes of their own, each with its groups.
    pub(crate) fn new(judged: &'a Judged, motion: &'a MotionOutcome, of_runs: &'a [(&'a Judged, Groups)]) -> Self {
        let o = &judged.outcome;
        let joint = |j: &'a JointOutcome| Joint {
            name: &j.name,
            kind: &j.kind,
            axis: j.axis.into(),
            at: vector(&j.at, o.units),
            lead: j.lead.map(|lead| as_given(lead, o.units)),
            home: in_units(j, j.home, o.units),
            range: j.range.map(|ends| ends.map(|value| in_units(j, value, o.units))),
            on: j.on.map(|on| motion.joints[on as usize].name.as_str()),
            follows: j.follows.map(|f| motion.joints[f as usize].name.as_str()),
            solved: j.solved,
            instances: j.instances,
        };
        let rows = motion.runs.iter().zip(of_runs).flat_map(|(run, (one, groups))| {
            run.rows.iter().enumerate().map(move |(row, pair)| Row {
                baseline: one.status_of(row).map(BaselineStatus::name),
                accepted: one.accepted(row).map(|accepted| Accepted::new(accepted, one.outcome.units)),
                group: Some(GroupOfPair(groups.of(row).map(|group| group.id.as_str()))),
                ..Row::new(judged, motion, run, pair)
            })
        });
        Self {
            joints: motion.joints.iter().map(joint).collect(),
            runs: motion.runs.iter().zip(of_runs).map(|(run, one)| Run::new(motion, run, one)).collect(),
            rows: rows.collect(),
            left_out: &motion.left_out,
            sweep_cells: motion.sweep_cells,
        }
    }
}

impl<'a> Run<'a> {
    fn new(motion: &'a MotionOutcome, run: &'a RunOutcome, (judged, groups): &'a (&'a Judged, Groups)) -> Self {
        let units = judged.outcome.units;
        let values = run.joints.iter().map(|t| {
            let joint = &motion.joints[t.joint as usize];
            (joint.name.as_str(), [t.from, t.to].map(|value| in_units(joint, value, units)))
        });
        let fails = run.rows.iter().any(|pair| judged.severity_of_pair(pair) == Some(crate::assembly::Level::Error));
        let swept = ("swept_balls", run.cleared_by_swept_balls);
        Self {
            name: &run.name,
            kind: &run.kind,
            file: &run.at.file,
            line: run.at.line,
            definition: format!("{:016x}", run.definition),
            joints: values.collect(),
            pairs: run.pairs,
            moving: run.moving,
            counts: run.counts.named().map(|(status, n)| (status.name(), n)).collect(),
            cleared_by: run.cleared_by.named().into_iter().chain([swept]).collect(),
            margin: length(run.margin, units),
            verdict: if fails { "fail" } else { "pass" },
            undecided_because: run.undecided_because.as_deref(),
            groups: GroupList(&judged.outcome, groups, None),
        }
    }
}

impl<'a> Row<'a> {
    fn new(judged: &'a Judged, motion: &'a MotionOutcome, run: &'a RunOutcome, p: &'a PairOutcome) -> Self {
        let o = &judged.outcome;
        let [a, b] = [o.id(p.a), o.id(p.b)];
        let rule = p.rule.and_then(|r| o.rules.get(r as usize));
        let spans = Spans::new(judged, motion, run);
        let swept = p.swept.as_deref();
        Self {
            id: pair_id(a, b),
            a,
            b,
            run: &run.name,
            status: p.status.name(),
            severity: judged.severity_of_pair(p).map(crate::assembly::Level::name),
            relation: p.relation.map(crate::check::Relation::name),
            certainty: p.certainty.name(),
            rule: rule.map(RuleOfPair::new),
            // A row without bounds is of a run without measures, or of a pair that the stages clear.
            worst: p.gap_bracket.is_some().then(|| Worst::new(&spans, run, p)),
            first: swept
                .and_then(|s| s.first.as_ref())
                .map(|first| First { segment: spans.segment(first), at_bracket: spans.values(&first.joints) }),
            intervals: swept.and_then(|s| s.failing.as_ref()).map(|f| f.iter().map(|f| spans.interval(f)).collect()),
            proved: swept.map_or(1.0, |s| s.proved),
            open: swept.iter().flat_map(|s| &s.open).map(|span| spans.cell(span)).collect(),
            open_count: swept.map_or(0, |s| s.open_count),
            tests: swept.map(|s| s.tests),
            cells: swept.map(|s| s.cells),
            margin: swept.map(|s| length(s.margin, o.units)),
            failing_travel: swept.map(|s| length(s.failing_travel, o.units)),
            curve: motion.lists_curves.then(|| {
                let steps = swept.and_then(|s| s.curve.as_ref());
                Curve(steps.map(|steps| steps.iter().map(|part| spans.step(part)).collect()))
            }),
            baseline: None,
            accepted: None,
            group: None,
        }
    }
}

/// Writes the joint values of a run.
struct Spans<'a> {
    joints: &'a [JointOutcome],
    units: LengthUnit,
    is_path: bool,
}

impl<'a> Spans<'a> {
    fn new(judged: &Judged, motion: &'a MotionOutcome, run: &RunOutcome) -> Self {
        Self { joints: &motion.joints, units: judged.outcome.units, is_path: run.kind == "path" }
    }

    /// Number of the segment, from 1; `None` for a sweep of joints.
    fn segment(&self, span: &JointSpan) -> Option<u32> {
        self.is_path.then_some(span.segment + 1)
    }

    fn values(&self, joints: &[JointTravel]) -> Values<'a> {
        let value = |t: &JointTravel| {
            let joint = &self.joints[t.joint as usize];
            (joint.name.as_str(), [t.from, t.to].map(|value| in_units(joint, value, self.units)))
        };
        joints.iter().map(value).collect()
    }

    fn cell(&self, span: &JointSpan) -> Cell<'a> {
        Cell { segment: self.segment(span), joints: self.values(&span.joints) }
    }

    fn step(&self, part: &CurvePart) -> Step<'a> {
        let values = self.values(&part.span.joints);
        let end = |k: usize| values.iter().map(|(name, ends)| (*name, ends[k])).collect();
        let gap_bracket = [part.lower, part.upper].map(|bound| bound.map(|mm| length(mm, self.units)));
        Step { segment: self.segment(&part.span), from: end(0), to: end(1), gap_bracket }
    }

    fn interval(&self, part: &FailingPart) -> Interval<'a> {
        Interval {
            status: part.status.name(),
            segment: self.segment(&part.from),
            from: self.values(&part.from.joints),
            to: self.values(&part.to.joints),
            throughout: part.throughout,
        }
    }
}

impl<'a> Worst<'a> {
    fn new(spans: &Spans<'a>, run: &RunOutcome, p: &PairOutcome) -> Self {
        let units = spans.units;
        let mm = |x: Option<f64>| x.map(|mm| length(mm, units));
        let span = p.swept.as_ref().and_then(|s| s.worst.as_ref());
        let at = spans.values(span.map_or(&run.joints, |span| &span.joints));
        Self {
            segment: span.and_then(|span| spans.segment(span)),
            at: at.into_iter().map(|(name, [value, _])| (name, value)).collect(),
            gap: mm(p.gap),
            gap_bracket: p.gap_bracket.map(|b| b.map(|mm| length(mm, units))),
            overlap_depth: mm(p.overlap_depth),
            penetration_depth: mm(p.penetration_depth),
            separating_translation: p.separating_translation.map(|t| vector(&t, units)),
            mover: p.mover,
            closest_points: p.closest_points.map(|points| points.map(|point| vector(&point, units))),
            deepest_point: p.deepest_point.map(|point| vector(&point, units)),
            normal: p.normal.map(Into::into),
            overlap_volume: p.overlap_volume.map(|v| volume(v, units)),
            overlap_box: p.overlap_box.map(|b| MinMax::new(&b, units)),
            facet_allowance: mm(p.facet_allowance),
            within_facet_error: p.within_facet_error,
        }
    }
}
