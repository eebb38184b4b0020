//! A run as a gate looks at it, whether it ended just now or is read from a report. Lengths in mm.

use crate::assembly::{FirstMatch, Rule, RuleAction};
use crate::check::{CommonVolume, Outcome, PairOutcome, Relation, Settings, Severity, Status};
use crate::geom::LengthUnit;
use std::collections::BTreeMap;

/// A run: its listed pairs and what is known of the others.
#[derive(Debug)]
pub struct RunView<'a> {
    /// Unit of its report.
    pub units: LengthUnit,
    /// The options it ran with.
    pub settings: &'a Settings,
    /// Sorted by a, then b.
    pub rows: Vec<Row<'a>>,
    /// By full id.
    pub instances: BTreeMap<&'a str, Placed<'a>>,
    /// In the order in which they are tried.
    pub rules: &'a [Rule],
    first: FirstMatch<'a>,
}

/// A listed pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'a> {
    /// Full id of the instance whose id comes first in byte order.
    pub a: &'a str,
    /// Of the other one.
    pub b: &'a str,
    /// Where the pair ended.
    pub status: Status,
    /// How the solids lie to each other.
    pub relation: Option<Relation>,
    /// Minus the depth where they overlap.
    pub gap: Option<f64>,
    /// Of a finding; `None` where it was not measured.
    pub extent: Option<Severity>,
}

/// An instance and what tells whether it changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed<'a> {
    /// Hash of its mesh.
    pub mesh: &'a str,
    /// Hash of where it stands.
    pub placement: &'a str,
    /// Id of the `as_unit` sub-assembly it lies in.
    pub unit: Option<&'a str>,
}

/// What the rules make of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PairRuling<'a> {
    /// Not looked at: both lie in this `as_unit` sub-assembly.
    InUnit(&'a str),
    /// Not looked at: by this rule.
    IgnoredBy(&'a Rule),
    /// Held against this rule.
    ByRule(&'a Rule),
    /// Held against the tolerance alone.
    ToleranceOnly,
}

/// The extent of a finding, from the numbers of its row; of `shared` the volume, its slack, and what facets make of it.
pub(crate) fn extent_of(
    status: Status,
    depth: Option<f64>,
    shared: [Option<f64>; 3],
    gap: Option<f64>,
    bracket: Option<[f64; 2]>,
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
        Status::Undecided => bracket.map(Severity::Bracket),
        Status::Allowed | Status::Contact | Status::Clear | Status::Ignored => None,
    }
}

/// The extent of a finding of a run.
pub(crate) fn extent_of_pair(p: &PairOutcome) -> Option<Severity> {
    let shared = [p.overlap_volume, p.overlap_volume_slack, p.overlap_volume_facets];
    extent_of(p.status, p.overlap_depth, shared, p.gap, p.gap_bracket)
}

impl<'a> RunView<'a> {
    /// A run that just ended.
    pub fn of_outcome(outcome: &'a Outcome) -> Self {
        let row = |p: &PairOutcome| Row {
            a: outcome.id(p.a),
            b: outcome.id(p.b),
            status: p.status,
            relation: p.relation,
            gap: p.gap,
            extent: extent_of_pair(p),
        };
        let instances = outcome.instances.iter().map(|i| {
            let mesh = outcome.parts.get(i.part.0 as usize).map_or("", |p| p.hash.as_str());
            (i.id.as_str(), Placed { mesh, placement: &i.placement, unit: i.unit_id() })
        });
        let rows = outcome.pairs.iter().map(row).collect();
        Self::new(outcome.units, &outcome.settings, rows, instances.collect(), &outcome.rules)
    }

    /// A run from its pieces; `rows` sorted by a, then b.
    pub(crate) fn new(
        units: LengthUnit,
        settings: &'a Settings,
        rows: Vec<Row<'a>>,
        instances: BTreeMap<&'a str, Placed<'a>>,
        rules: &'a [Rule],
    ) -> Self {
        Self { units, settings, rows, instances, rules, first: FirstMatch::new(rules) }
    }

    /// The listed pair of two ids, the lesser first.
    pub fn row(&self, a: &str, b: &str) -> Option<&Row<'a>> {
        self.rows.binary_search_by(|row| (row.a, row.b).cmp(&(a, b))).ok().map(|k| &self.rows[k])
    }

    /// What the rules make of two instances of the run, in either order. Takes time in the number of rules.
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

    /// The gap that a finding of these two has to reach to pass; negative for a depth that is allowed.
    pub fn passing_gap(&self, a: &str, b: &str, status: Status) -> f64 {
        let tolerance = self.settings.tolerance;
        match self.asked(a, b) {
            PairRuling::ByRule(Rule { verb: RuleAction::AllowDepth(depth), .. }) => -depth.max(tolerance),
            PairRuling::ByRule(Rule { verb: RuleAction::MinClearance(gap), .. }) if status != Status::Interference => {
                *gap
            }
            _ => -tolerance,
        }
    }

    /// A pair that was held against its limits and is not listed has a gap of more than this.
    pub(crate) fn listed_within(&self) -> f64 {
        let within = self.settings.report_within.filter(|_| !self.settings.verdict_only);
        within.map_or(self.settings.tolerance, |d| d.max(self.settings.tolerance))
    }
}
