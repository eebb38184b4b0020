//! Gives one view of a run, just ended or read from a report. Lengths in mm.

use crate::assembly::{FirstMatch, Level, Rule, RuleAction};
use crate::check::{Measure, Outcome, PairOutcome, Relation, Settings, Status};
use crate::findings::severity::{CommonVolume, Severity};
use crate::geom::{Bounds, LengthUnit};
use std::collections::BTreeMap;

/// A run: its listed pairs, and the data about the others.
#[derive(Debug)]
pub struct RunView<'a> {
    /// Unit of its report.
    pub units: LengthUnit,
    /// Settings of the run.
    pub settings: &'a Settings,
    /// Listed pairs, sorted by a, then b.
    pub rows: Vec<Row<'a>>,
    /// Instances by full id.
    pub instances: BTreeMap<&'a str, Placed<'a>>,
    /// Rules in the order of precedence.
    pub rules: &'a [Rule],
    first: FirstMatch<'a>,
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
        Status::Undecided | Status::Loose => bracket.map(Severity::Bracket),
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

/// Smallest gap with which a finding of a pair with this rule passes (mm); negative for an allowed depth.
pub(crate) fn passing_gap(rule: Option<&Rule>, tolerance: f64, status: Status) -> f64 {
    match rule.map(|rule| rule.verb) {
        Some(RuleAction::AllowDepth(depth)) => -depth.max(tolerance),
        Some(RuleAction::MinClearance(gap)) if status != Status::Interference => gap,
        _ => -tolerance,
    }
}

impl<'a> RunView<'a> {
    /// View of a finished run.
    pub fn of_outcome(outcome: &'a Outcome) -> Self {
        let row = |p: &PairOutcome| Row {
            a: outcome.id(p.a),
            b: outcome.id(p.b),
            status: p.status,
            relation: p.relation,
            gap: p.gap,
            penetration: p.penetration_depth,
            extent: extent_of_pair(p),
            level: None,
        };
        let instances = outcome.instances.iter().map(|i| {
            let mesh = outcome.parts.get(i.part.0 as usize).map_or("", |p| p.hash.as_str());
            (i.id.as_str(), Placed { mesh, placement: &i.placement, unit: i.unit_id() })
        });
        let rows = outcome.pairs.iter().map(row).collect();
        Self::new(outcome.units, &outcome.settings, rows, instances.collect(), &outcome.rules)
    }

    /// View from its parts; `rows` sorted by a, then b.
    pub(crate) fn new(
        units: LengthUnit,
        settings: &'a Settings,
        rows: Vec<Row<'a>>,
        instances: BTreeMap<&'a str, Placed<'a>>,
        rules: &'a [Rule],
    ) -> Self {
        Self { units, settings, rows, instances, rules, first: FirstMatch::new(rules) }
    }

    /// Listed pair of two ids, lesser id first.
    pub fn row(&self, a: &str, b: &str) -> Option<&Row<'a>> {
        self.rows.binary_search_by(|row| (row.a, row.b).cmp(&(a, b))).ok().map(|k| &self.rows[k])
    }

    /// Effect of the rules on two instances, in either order. Cost: linear in the number of rules.
    pub fn asked(&self, a: &str, b: &str) -> PairRuling<'a> {
        let unit = |id: &str| self.instances.get(id).and_then(|i| i.unit);
        if let Some(unit) = unit(a).filter(|u| unit(b) == Some(u)) {
            return PairRuling::InUnit(unit);
        }
        match self.first.of(a, b).map(|k| &self.rules[k]) {
            Some(rule) if rule.verb == RuleAction::Ignore => PairRuling::IgnoredBy(rule),
            Some(rule) => PairRuling::ByRule(rule),
            None => PairRuling::ToleranceOnly,
        }
    }

    /// Smallest gap with which a finding of these two passes (mm); negative for an allowed depth.
    pub fn passing_gap(&self, a: &str, b: &str, status: Status) -> f64 {
        let rule = if let PairRuling::ByRule(rule) = self.asked(a, b) { Some(rule) } else { None };
        passing_gap(rule, self.settings.tolerance, status)
    }

    /// Gap exceeded by every checked pair without a row (mm).
    pub(crate) fn listed_within(&self) -> f64 {
        let within = self.settings.report_within.filter(|_| self.settings.measure != Measure::None);
        within.map_or(self.settings.tolerance, |d| d.max(self.settings.tolerance))
    }
}
