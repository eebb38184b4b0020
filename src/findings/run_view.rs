//! Gives one view of a run, just ended or read from a report. Lengths in mm.

use crate::assembly::{FirstMatch, Level, Rule, RuleAction};
use crate::check::{AS_DRAWN, Measure, Outcome, PairOutcome, Relation, Settings, Status};
use crate::findings::severity::{CommonVolume, Severity, width_of};
use crate::geom::{Bounds, LengthUnit};
use std::collections::BTreeMap;

/// A run: its listed pairs, and the data about the others.
#[derive(Debug)]
pub struct RunView<'a> {
    /// Unit of its report.
    pub units: LengthUnit,
    /// Settings of the run.
    pub settings: &'a Settings,
    /// Listed pairs of the drawing, sorted by a, then b.
    pub rows: Vec<Row<'a>>,
    /// Poses and sweeps.
    pub motion: RunsView<'a>,
    /// Instances by full id.
    pub instances: BTreeMap<&'a str, Placed<'a>>,
    /// Rules in the order of precedence.
    pub rules: &'a [Rule],
    first: FirstMatch<'a>,
}

/// Poses and sweeps of a run of the program.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunsView<'a> {
    /// Checked poses and sweeps, in the order of the file.
    pub runs: Vec<RunRows<'a>>,
    /// Names of those left out; `as-drawn` is the drawing.
    pub left_out: Vec<&'a str>,
}

/// A checked pose or sweep with its rows.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRows<'a> {
    /// Name of the pose or sweep.
    pub name: &'a str,
    /// Hash of the joint values that it covers; `None` in older reports.
    pub definition: Option<u64>,
    /// Listed pairs, sorted by a, then b.
    pub rows: Vec<Row<'a>>,
}

impl<'a> RunRows<'a> {
    /// Listed pair of two ids, lesser id first.
    pub fn row(&self, a: &str, b: &str) -> Option<&Row<'a>> {
        listed(&self.rows, a, b)
    }
}

impl<'a> RunsView<'a> {
    /// A checked pose or sweep.
    pub fn run(&self, name: &str) -> Option<&RunRows<'a>> {
        self.runs.iter().find(|run| run.name == name)
    }

    /// True if the check leaves out the drawing, or the pose or sweep of this name.
    pub fn leaves_out(&self, name: &str) -> bool {
        self.left_out.contains(&name)
    }
}

/// A listed pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'a> {
    /// Full id of instance A, first in byte order.
    pub a: &'a str,
    /// Full id of instance B.
    pub b: &'a str,
    /// Status of the pair.
    pub status: Status,
    /// Relation of the two solids.
    pub relation: Option<Relation>,
    /// Signed gap (mm): minus the depth for an overlap.
    pub gap: Option<f64>,
    /// Length of the separating translation (mm), if there is one.
    pub penetration: Option<f64>,
    /// Numbers of a finding; `None` if unmeasured.
    pub extent: Option<Severity>,
    /// Severity of a finding in its report; `None` for a run just ended, and in older reports.
    pub level: Option<Level>,
    /// Lower bound of the gap over all joint values of a pose or sweep, with the slack granted to its limits (mm,
    /// signed); `None` for the drawing.
    pub least: Option<f64>,
    /// Length of the path over the failing parts of a sweep (mm, >= 0); `None` for other rows.
    pub travel: Option<f64>,
    /// Width of the bracket of the gap (mm, >= 0).
    pub uncertainty: f64,
}

/// An instance and its hashes; a change of the instance changes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed<'a> {
    /// Hash of its mesh.
    pub mesh: &'a str,
    /// Hash of its placement.
    pub placement: &'a str,
    /// Id of its `as_unit` sub-assembly.
    pub unit: Option<&'a str>,
}

/// Effect of the rules on a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PairRuling<'a> {
    /// Unchecked: both instances are in this `as_unit` sub-assembly.
    InUnit(&'a str),
    /// Unchecked: ignored by this rule.
    IgnoredBy(&'a Rule),
    /// Checked with the limit of this rule.
    ByRule(&'a Rule),
    /// Checked with the tolerance alone.
    ToleranceOnly,
}

/// Severity of a finding from the numbers of its row; `shared` has the volume, its slack and its facet uncertainty
/// (mm³).
pub(crate) fn extent_of(
    status: Status,
    depth: Option<f64>,
    shared: [Option<f64>; 3],
    gap: Option<f64>,
    bracket: Option<Bounds>,
) -> Option<Severity> {
    match status {
        Status::Interference => depth.map(|depth| {
            let shared = match shared {
                [Some(volume), Some(slack), Some(facets)] => Some(CommonVolume { volume, slack, facets }),
                _ => None,
            };
            Severity::Depth(depth, shared)
        }),
        Status::TooClose => gap.map(Severity::Gap),
        // The hash of the inputs tells a changed pair.
        Status::Undecided => bracket.map(Severity::Bracket),
        Status::Loose => bracket.map(Severity::Largest),
        // No finding.
        _ => None,
    }
}

/// Severity of a finding of a run.
pub(crate) fn extent_of_pair(p: &PairOutcome) -> Option<Severity> {
    let shared = [p.overlap_volume, p.overlap_volume_slack, p.overlap_volume_facets];
    // The worst pose of a sweep may change among equal ones: its volume is no measure of the sweep.
    let shared = if p.swept.is_some() { [None; 3] } else { shared };
    extent_of(p.status, p.overlap_depth, shared, p.gap, p.gap_bracket)
}

/// Row of a pair of the drawing.
fn row_of<'a>(outcome: &'a Outcome, p: &PairOutcome) -> Row<'a> {
    Row {
        a: outcome.id(p.a),
        b: outcome.id(p.b),
        status: p.status,
        relation: p.relation,
        gap: p.gap,
        penetration: p.penetration_depth,
        extent: extent_of_pair(p),
        level: None,
        least: None,
        travel: None,
        uncertainty: width_of(p.gap_bracket),
    }
}

/// Row of a pair of a pose or a sweep.
fn row_of_run<'a>(outcome: &'a Outcome, p: &PairOutcome) -> Row<'a> {
    let swept = p.swept.as_deref();
    Row {
        // The worst pose of a sweep may change among equal ones: its translation is no measure of the sweep.
        penetration: p.penetration_depth.filter(|_| swept.is_none()),
        least: least_gap(p.gap, p.gap_bracket, swept.map(|swept| swept.margin)),
        travel: swept.map(|swept| swept.failing_travel),
        ..row_of(outcome, p)
    }
}

/// Lower bound of the gap of a row (mm, signed): the gap of a pose; for a sweep, with a margin, the lower end of the
/// bracket with the slack of both limits compared.
pub(crate) fn least_gap(gap: Option<f64>, bracket: Option<Bounds>, margin: Option<f64>) -> Option<f64> {
    match margin {
        Some(margin) => bracket.map(|bracket| bracket.lower + 2.0 * margin),
        None => gap,
    }
}

/// Pair of two ids among sorted rows, lesser id first.
fn listed<'r, 'a>(rows: &'r [Row<'a>], a: &str, b: &str) -> Option<&'r Row<'a>> {
    rows.binary_search_by(|row| (row.a, row.b).cmp(&(a, b))).ok().map(|k| &rows[k])
}

/// A limit that a finding breaks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BrokenLimit {
    /// Least gap (mm); negative for an allowed depth.
    Least(f64),
    /// Largest gap (mm).
    Largest(f64),
}

impl BrokenLimit {
    /// The limit that a finding of this status breaks, for a pair with this rule.
    pub(crate) fn of(rule: Option<&Rule>, tolerance: f64, status: Status) -> Self {
        if let (Status::Loose, Some(largest)) = (status, rule.and_then(|rule| rule.max_gap)) {
            return Self::Largest(largest);
        }
        Self::Least(match rule.map(|rule| rule.verb) {
            Some(RuleAction::AllowDepth(depth)) => -depth.max(tolerance),
            Some(RuleAction::MinClearance(gap)) if status != Status::Interference => gap,
            _ => -tolerance,
        })
    }
}

impl<'a> RunView<'a> {
    /// View of a finished run.
    pub fn of_outcome(outcome: &'a Outcome) -> Self {
        let instances = outcome.instances.iter().map(|i| {
            let mesh = outcome.parts.get(i.part.0 as usize).map_or("", |p| p.hash.as_str());
            (i.id.as_str(), Placed { mesh, placement: &i.placement, unit: i.unit_id() })
        });
        let rows = outcome.pairs.iter().map(|p| row_of(outcome, p)).collect();
        let runs = outcome.runs().iter().map(|run| RunRows {
            name: &run.name,
            definition: Some(run.definition),
            rows: run.rows.iter().map(|p| row_of_run(outcome, p)).collect(),
        });
        let left_out = outcome.motion.iter().flat_map(|motion| &motion.left_out).map(String::as_str);
        let motion = RunsView { runs: runs.collect(), left_out: left_out.collect() };
        Self::new(outcome.units, &outcome.settings, (rows, motion), instances.collect(), &outcome.rules)
    }

    /// View from its parts: the rows of the drawing, sorted by a, then b, and those of the poses and sweeps.
    pub(crate) fn new(
        units: LengthUnit,
        settings: &'a Settings,
        (rows, motion): (Vec<Row<'a>>, RunsView<'a>),
        instances: BTreeMap<&'a str, Placed<'a>>,
        rules: &'a [Rule],
    ) -> Self {
        Self { units, settings, rows, motion, instances, rules, first: FirstMatch::new(rules) }
    }

    /// Rows of the drawing (`None`) and of each pose and sweep.
    pub fn all_rows(&self) -> impl Iterator<Item = (Option<&'a str>, &Row<'a>)> {
        let of_runs = self.motion.runs.iter().flat_map(|run| run.rows.iter().map(|row| (Some(run.name), row)));
        self.rows.iter().map(|row| (None, row)).chain(of_runs)
    }

    /// Listed pair of two ids in the drawing (`None`), or in a pose or sweep; lesser id first.
    pub fn row(&self, run: Option<&str>, a: &str, b: &str) -> Option<&Row<'a>> {
        match run {
            None => listed(&self.rows, a, b),
            Some(run) => self.motion.run(run)?.row(a, b),
        }
    }

    /// Effect of the rules on two instances, in either order, in the drawing (`None`), or in a pose or sweep. Cost:
    /// linear in the number of rules.
    pub fn asked(&self, run: Option<&str>, a: &str, b: &str) -> PairRuling<'a> {
        let unit = |id: &str| self.instances.get(id).and_then(|i| i.unit);
        if let Some(unit) = unit(a).filter(|u| unit(b) == Some(u)) {
            return PairRuling::InUnit(unit);
        }
        let applies = |k: usize| self.rules[k].applies_in(run.unwrap_or(AS_DRAWN));
        match self.first.of_where(a, b, applies).map(|k| &self.rules[k]) {
            Some(rule) if rule.verb == RuleAction::Ignore => PairRuling::IgnoredBy(rule),
            Some(rule) => PairRuling::ByRule(rule),
            None => PairRuling::ToleranceOnly,
        }
    }

    /// Limit that a finding of these two breaks.
    pub fn broken_limit(&self, run: Option<&str>, a: &str, b: &str, status: Status) -> BrokenLimit {
        let rule = if let PairRuling::ByRule(rule) = self.asked(run, a, b) { Some(rule) } else { None };
        BrokenLimit::of(rule, self.settings.tolerance, status)
    }

    /// Gap exceeded by every checked pair without a row (mm).
    pub(crate) fn listed_within(&self) -> f64 {
        let within = self.settings.report_within.filter(|_| self.settings.measure != Measure::None);
        within.map_or(self.settings.tolerance, |d| d.max(self.settings.tolerance))
    }
}
