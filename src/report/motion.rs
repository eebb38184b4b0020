//! Describes the poses and sweeps of a check in words, and writes their part of the JSON report.

use crate::check::{JointOutcome, JointTravel, MotionOutcome, Outcome, PairOutcome, RunOutcome, Status, pair_id};
use crate::findings::Judged;
use crate::geom::unit::format_number;
use crate::geom::{Bounds, LengthUnit};
use crate::report::json::MinMax;
use crate::report::json::pair::RuleOfPair;
use crate::report::number::{as_given, count, length, vector, volume};
use crate::report::text::shown;
use serde::Serialize;
use std::collections::BTreeMap;

/// Describes a run: `pose open: lid 110; 3 of 6 pairs move`.
pub(crate) fn heading(o: &Outcome, run: &RunOutcome) -> String {
    let kind = if run.is_sweep() { "sweep" } else { "pose" };
    let joints = o.motion.as_ref().map_or(&[][..], |motion| &motion.joints);
    let value = |joint: &JointOutcome, value: f64| format_number(in_units(joint, value, o.units));
    let travel = |t: &JointTravel| {
        let joint = joints.get(t.joint as usize)?;
        let (from, to) = (value(joint, t.from), value(joint, t.to));
        let name = shown(&joint.name);
        Some(if t.from == t.to { format!("{name} {from}") } else { format!("{name} {from} to {to}") })
    };
    let values: Vec<String> = run.joints.iter().filter_map(travel).collect();
    let values = if values.is_empty() { "all joints at home".to_owned() } else { values.join(", ") };
    let verb = if run.moving == 1 { "moves" } else { "move" };
    format!("{kind} {}: {values}; {} {verb}", shown(&run.name), count(run.moving, "pair"))
}

/// Counts of a run by status.
pub(crate) fn counts(run: &RunOutcome) -> String {
    let counts: Vec<_> = run.counts.named().map(|(status, n)| format!("{n} {}", status.name())).collect();
    format!("{}: {}", count(run.pairs, "pair"), counts.join(", "))
}

/// Findings of the runs, to follow those of the drawing: `; pose open: 1 interference`.
pub(crate) fn findings(o: &Outcome) -> String {
    let of_run = |run: &RunOutcome| {
        let failing = Status::ALL.into_iter().filter(|s| s.fails() && run.counts.of(*s) > 0);
        let counts: Vec<_> = failing.map(|s| format!("{} {}", run.counts.of(s), s.name())).collect();
        let kind = if run.is_sweep() { "sweep" } else { "pose" };
        (!counts.is_empty()).then(|| format!("; {kind} {}: {}", shown(&run.name), counts.join(", ")))
    };
    o.runs().iter().filter_map(of_run).collect()
}

/// Runs that the check leaves out: `; left out: open, closed`. Empty without one.
pub(crate) fn left_out(o: &Outcome) -> String {
    let names: Vec<_> = o.motion.iter().flat_map(|motion| &motion.left_out).map(|name| shown(name)).collect();
    if names.is_empty() { String::new() } else { format!("left out: {}", names.join(", ")) }
}

/// Value of a joint in the units of the report: a length of a slide, an angle in degrees otherwise.
fn in_units(joint: &JointOutcome, value: f64, units: LengthUnit) -> f64 {
    if joint.kind == "prismatic" { as_given(value, units) } else { value }
}

/// The key `motion` of the JSON report.
#[derive(Serialize)]
pub(crate) struct Motion<'a> {
    joints: Vec<Joint<'a>>,
    runs: Vec<Run<'a>>,
    rows: Vec<Row<'a>>,
    left_out: &'a [String],
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
    instances: u64,
}

#[derive(Serialize)]
struct Run<'a> {
    name: &'a str,
    kind: &'a str,
    file: &'a str,
    line: Option<u32>,
    joints: BTreeMap<&'a str, [f64; 2]>,
    pairs: u64,
    moving: u64,
    counts: BTreeMap<&'static str, u64>,
    cleared_by: BTreeMap<&'static str, u64>,
    verdict: &'static str,
    undecided_because: Option<&'a str>,
}

/// A pair of a run.
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
    /// Share of the run with a proof (0 to 1).
    proved: f64,
}

/// Measures at the worst joint values of a run.
#[derive(Serialize)]
struct Worst<'a> {
    at: BTreeMap<&'a str, f64>,
    gap: Option<f64>,
    gap_bracket: Option<Bounds>,
    overlap_depth: Option<f64>,
    penetration_depth: Option<f64>,
    separating_translation: Option<[f64; 3]>,
    closest_points: Option<[[f64; 3]; 2]>,
    deepest_point: Option<[f64; 3]>,
    normal: Option<[f64; 3]>,
    overlap_volume: Option<f64>,
    overlap_box: Option<MinMax>,
    facet_allowance: Option<f64>,
    within_facet_error: bool,
}

impl<'a> Motion<'a> {
    pub(crate) fn new(judged: &'a Judged, motion: &'a MotionOutcome) -> Self {
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
            instances: j.instances,
        };
        let rows = motion.runs.iter().flat_map(|run| run.rows.iter().zip(&run.proved).map(move |row| (run, row)));
        Self {
            joints: motion.joints.iter().map(joint).collect(),
            runs: motion.runs.iter().map(|run| Run::new(judged, motion, run)).collect(),
            rows: rows.map(|(run, row)| Row::new(judged, motion, run, row)).collect(),
            left_out: &motion.left_out,
        }
    }
}

impl<'a> Run<'a> {
    fn new(judged: &Judged, motion: &'a MotionOutcome, run: &'a RunOutcome) -> Self {
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
            joints: values.collect(),
            pairs: run.pairs,
            moving: run.moving,
            counts: run.counts.named().map(|(status, n)| (status.name(), n)).collect(),
            cleared_by: run.cleared_by.named().into_iter().chain([swept]).collect(),
            verdict: if fails { "fail" } else { "pass" },
            undecided_because: run.undecided_because.as_deref(),
        }
    }
}

impl<'a> Row<'a> {
    fn new(
        judged: &'a Judged,
        motion: &'a MotionOutcome,
        run: &'a RunOutcome,
        (p, proved): (&PairOutcome, &f64),
    ) -> Self {
        let o = &judged.outcome;
        let [a, b] = [o.id(p.a), o.id(p.b)];
        let rule = p.rule.and_then(|r| o.rules.get(r as usize));
        // A row without a measure is a pair of a sweep, or of a run without measures.
        let measured = p.gap_bracket.is_some();
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
            worst: measured.then(|| Worst::new(o, motion, run, p)),
            proved: *proved,
        }
    }
}

impl<'a> Worst<'a> {
    fn new(o: &Outcome, motion: &'a MotionOutcome, run: &RunOutcome, p: &PairOutcome) -> Self {
        let units = o.units;
        let mm = |x: Option<f64>| x.map(|mm| length(mm, units));
        let at = run.joints.iter().map(|t| {
            let joint = &motion.joints[t.joint as usize];
            (joint.name.as_str(), in_units(joint, t.from, units))
        });
        Self {
            at: at.collect(),
            gap: mm(p.gap),
            gap_bracket: p.gap_bracket.map(|b| b.map(|mm| length(mm, units))),
            overlap_depth: mm(p.overlap_depth),
            penetration_depth: mm(p.penetration_depth),
            separating_translation: p.separating_translation.map(|t| vector(&t, units)),
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
