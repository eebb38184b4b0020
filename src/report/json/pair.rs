//! Writes the row of a pair.

use crate::assembly::{Level, Rule};
use crate::check::{self, Mover, PairOutcome, pair_id};
use crate::findings::{self, BaselineStatus, Judged, RowNumber, Severities, Severity};
use crate::geom::{Bounds, LengthUnit};
use crate::report::json::MinMax;
use crate::report::number::{length, vector, volume};
use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Pair<'a> {
    id: String,
    a: &'a str,
    b: &'a str,
    status: &'static str,
    severity: Option<&'static str>,
    relation: Option<&'static str>,
    certainty: &'static str,
    geometry: &'static str,
    gap: Option<f64>,
    gap_bracket: Option<Bounds>,
    overlap_depth: Option<f64>,
    penetration_depth: Option<f64>,
    separating_translation: Option<[f64; 3]>,
    mover: Option<Mover>,
    closest_points: Option<ClosestPoints>,
    deepest_point: Option<[f64; 3]>,
    normal: Option<[f64; 3]>,
    overlap_volume: Option<f64>,
    overlap_volume_slack: Option<f64>,
    overlap_volume_facets: Option<f64>,
    overlap_box: Option<MinMax>,
    at: Option<[f64; 3]>,
    facet_allowance: Option<f64>,
    within_facet_error: bool,
    rule: Option<RuleOfPair<'a>>,
    baseline: Option<&'static str>,
    accepted: Option<Accepted>,
    /// Omitted from a row outside a report: its group is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<GroupOfPair<'a>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    number: Option<NumberOfPair>,
}

/// Id of a row's group; `null` without a group.
#[derive(Serialize)]
pub(crate) struct GroupOfPair<'a>(pub Option<&'a str>);

/// Row of the table with groups, and position in its group; `null` without one.
#[derive(Serialize)]
struct NumberOfPair {
    row: Option<u32>,
    member: Option<u32>,
}

impl<'a> Pair<'a> {
    pub(crate) fn new([a, b]: [&'a str; 2], units: LengthUnit, rule: Option<&'a Rule>, p: &PairOutcome) -> Self {
        let in_units = |mm: Option<f64>| mm.map(|mm| length(mm, units));
        Self {
            id: pair_id(a, b),
            a,
            b,
            status: p.status.name(),
            severity: Severities::default().of(p.status, rule).map(Level::name),
            relation: p.relation.map(check::Relation::name),
            certainty: p.certainty.name(),
            geometry: p.geometry.name(),
            gap: in_units(p.gap),
            gap_bracket: p.gap_bracket.map(|b| b.map(|mm| length(mm, units))),
            overlap_depth: in_units(p.overlap_depth),
            penetration_depth: in_units(p.penetration_depth),
            separating_translation: p.separating_translation.map(|t| vector(&t, units)),
            mover: p.mover,
            closest_points: p.closest_points.map(|[a, b]| ClosestPoints { a: vector(&a, units), b: vector(&b, units) }),
            deepest_point: p.deepest_point.map(|v| vector(&v, units)),
            normal: p.normal.map(Into::into),
            overlap_volume: p.overlap_volume.map(|v| volume(v, units)),
            overlap_volume_slack: p.overlap_volume_slack.map(|v| volume(v, units)),
            overlap_volume_facets: p.overlap_volume_facets.map(|v| volume(v, units)),
            overlap_box: p.overlap_box.map(|b| MinMax::new(&b, units)),
            at: p.at().map(|at| vector(&at, units)),
            facet_allowance: in_units(p.facet_allowance),
            within_facet_error: p.within_facet_error,
            rule: rule.map(RuleOfPair::new),
            baseline: None,
            accepted: None,
            group: None,
            number: None,
        }
    }

    /// Adds the data of the run about its row: severity, comparison with the baseline, id of the group, number of the
    /// row.
    pub(crate) fn in_run(self, judged: &Judged, row: usize, group: Option<&'a str>, number: Option<RowNumber>) -> Self {
        Self {
            severity: judged.severity_of(row).map(Level::name),
            baseline: judged.status_of(row).map(BaselineStatus::name),
            accepted: judged.accepted(row).map(|a| Accepted::new(a, judged.outcome.units)),
            group: Some(GroupOfPair(group)),
            number: Some(NumberOfPair { row: number.map(|n| n.row), member: number.and_then(|n| n.member) }),
            ..self
        }
    }
}

/// Severity of a finding at its acceptance.
#[derive(Serialize)]
pub(crate) struct Accepted {
    overlap_depth: Option<f64>,
    penetration_depth: Option<f64>,
    overlap_volume: Option<f64>,
    gap: Option<f64>,
    gap_bracket: Option<Bounds>,
    /// Omitted from a pair outside of a sweep.
    #[serde(skip_serializing_if = "Option::is_none")]
    failing_travel: Option<f64>,
    worse_in: Vec<&'static str>,
}

impl Accepted {
    pub(crate) fn new(accepted: &findings::Accepted, units: LengthUnit) -> Self {
        let worse_in = accepted.worse_in.iter().map(|m| m.name()).collect();
        let penetration_depth = accepted.penetration_depth.map(|mm| length(mm, units));
        let none = Self {
            overlap_depth: None,
            penetration_depth,
            overlap_volume: None,
            gap: None,
            gap_bracket: None,
            failing_travel: accepted.travel.map(|mm| length(mm, units)),
            worse_in,
        };
        match accepted.extent {
            None => none,
            Some(Severity::Depth(depth, shared)) => {
                let overlap_volume = shared.map(|s| volume(s.volume, units));
                Self { overlap_depth: Some(length(depth, units)), overlap_volume, ..none }
            }
            Some(Severity::Gap(gap)) => Self { gap: Some(length(gap, units)), ..none },
            Some(Severity::Bracket(b) | Severity::Largest(b)) => {
                Self { gap_bracket: Some(b.map(|mm| length(mm, units))), ..none }
            }
        }
    }
}

#[derive(Serialize)]
struct ClosestPoints {
    a: [f64; 3],
    b: [f64; 3],
}

#[derive(Serialize)]
pub(crate) struct RuleOfPair<'a> {
    file: &'a str,
    index: u32,
    reason: Option<&'a str>,
}

impl<'a> RuleOfPair<'a> {
    pub(crate) fn new(rule: &'a Rule) -> Self {
        Self { file: &rule.file, index: rule.index, reason: rule.reason.as_deref() }
    }
}
