//! The JSON report, version 1: keys and their order as in docs/reference/report.md.
//!
//! Everything is converted while it is written; the outcome is the only copy of the pairs in memory.

pub(crate) mod pair;
#[cfg(test)]
pub(crate) mod tests;

use crate::assembly::{Facets, Level, Rule, RuleAction};
use crate::check::{self, ClearedBy, Counts, Outcome, PartOutcome, pair_id};
use crate::error::{Warning, WarningCode};
use crate::findings::{
    BaselineOutcome, BaselineStatus, Group, Groups, Judged, ResolvedFinding, RowNumbers, Severities,
};
use crate::geom::{Aabb, LengthUnit};
use crate::json::write::write_json;
use crate::report::number::{as_given, length, vector};
use serde::Serialize;
use serde::ser::{SerializeMap, SerializeStruct, Serializer};
use std::io;

pub(crate) use crate::report::json::pair::Pair;
use crate::report::motion::json::Motion;

/// Writes the report.
///
/// # Errors
/// Returns the writer's error.
pub fn render(judged: &Judged, out: &mut dyn io::Write) -> io::Result<()> {
    write_json(&Document(judged), out)
}

/// The report as a value.
pub(crate) struct Document<'a>(pub &'a Judged);

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let judged = self.0;
        let o = &judged.outcome;
        let groups = Groups::new(judged);
        let numbers = RowNumbers::new(judged, &groups);
        let mut map = serializer.serialize_struct("Report", 10)?;
        map.serialize_field("version", &1)?;
        map.serialize_field("tool", &Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") })?;
        map.serialize_field("assembly", &Assembly { name: &o.name, path: &o.path, units: o.units.name() })?;
        map.serialize_field("settings", &Settings::new(&o.settings, o.units, Some(&o.rules)))?;
        map.serialize_field("summary", &Summary::new(judged))?;
        map.serialize_field("baseline", &judged.baseline.as_ref().map(Baseline::new))?;
        map.serialize_field("pairs", &Pairs(judged, &groups, &numbers))?;
        map.serialize_field("groups", &GroupList(o, &groups, Some(&numbers)))?;
        map.serialize_field("parts", &Parts(o))?;
        map.serialize_field("instances", &Instances(o))?;
        map.serialize_field("warnings", &Warnings(&o.warnings))?;
        if let Some(motion) = &o.motion {
            let runs = judged.runs();
            let of_runs: Vec<(&Judged, Groups)> = runs.iter().map(|run| (run, Groups::new(run))).collect();
            map.serialize_field("motion", &Motion::new(judged, motion, &of_runs))?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
pub(crate) struct Assembly<'a> {
    pub name: &'a str,
    pub path: &'a str,
    pub units: &'static str,
}

#[derive(Serialize)]
pub(crate) struct Settings<'a> {
    tolerance: f64,
    geometry: &'static str,
    facets: &'static str,
    report_within: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap_width: Option<f64>,
    epsilon: Option<f64>,
    max_pieces: usize,
    measure: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<Vec<RuleAsRead<'a>>>,
}

impl<'a> Settings<'a> {
    pub(crate) fn new(settings: &check::Settings, units: LengthUnit, rules: Option<&'a [Rule]>) -> Self {
        Self {
            tolerance: as_given(settings.tolerance, units),
            geometry: settings.geometry.name(),
            facets: match settings.facets {
                Facets::Allow => "allow",
                Facets::Strict => "strict",
            },
            report_within: settings.report_within.map(|d| as_given(d, units)),
            gap_width: settings.gap_width.map(|d| as_given(d, units)),
            epsilon: settings.epsilon.map(|d| as_given(d, units)),
            max_pieces: settings.max_pieces,
            measure: settings.measure.name(),
            rules: rules.map(|rules| rules.iter().map(|rule| RuleAsRead { rule, units }).collect()),
        }
    }
}

pub(crate) struct RuleAsRead<'a> {
    pub rule: &'a Rule,
    pub units: LengthUnit,
}

impl Serialize for RuleAsRead<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("between", &self.rule.between)?;
        let verb = self.rule.verb;
        match (verb, verb.length()) {
            (RuleAction::Grade, _) => {}
            (_, Some(mm)) => map.serialize_entry(verb.key(), &as_given(mm, self.units))?,
            (_, None) => map.serialize_entry(verb.key(), &true)?,
        }
        // An action with the usual severity keeps its short form.
        if self.rule.severity != Level::Error || (verb == RuleAction::Grade && self.rule.max_gap.is_none()) {
            map.serialize_entry("severity", self.rule.severity.name())?;
        }
        if let Some(mm) = self.rule.max_gap {
            map.serialize_entry("max_gap", &as_given(mm, self.units))?;
        }
        if let Some(during) = &self.rule.during {
            map.serialize_entry("during", during)?;
        }
        map.serialize_entry("reason", &self.rule.reason)?;
        map.serialize_entry("scope", &self.rule.scope)?;
        map.serialize_entry("file", &self.rule.file)?;
        map.serialize_entry("index", &self.rule.index)?;
        map.end()
    }
}

#[derive(Serialize)]
struct Summary {
    verdict: &'static str,
    fail_on: &'static str,
    strict: bool,
    parts: usize,
    instances: usize,
    pairs: u64,
    counts: StatusCounts,
    /// Number of findings of each severity.
    findings: LevelCounts,
    /// Severities in place of those of the rules, by status.
    severity: Overrides,
    cleared_by: Stages,
}

impl Summary {
    fn new(judged: &Judged) -> Self {
        let o = &judged.outcome;
        Self {
            verdict: if judged.fails() { "fail" } else { "pass" },
            fail_on: judged.fail_on.name(),
            strict: judged.strict,
            parts: o.parts.len(),
            instances: o.instances.len(),
            pairs: o.possible_pairs,
            counts: StatusCounts(o.counts),
            findings: LevelCounts(Level::ALL.map(|level| judged.findings_of(level))),
            severity: Overrides(judged.severities),
            cleared_by: Stages(o.cleared_by),
        }
    }
}

struct StatusCounts(Counts);

impl Serialize for StatusCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.named().map(|(status, n)| (status.name(), n)))
    }
}

struct LevelCounts([u64; 2]);

impl Serialize for LevelCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(Level::ALL.into_iter().zip(self.0).map(|(level, n)| (level.name(), n)))
    }
}

struct Overrides(Severities);

impl Serialize for Overrides {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.given().map(|(status, level)| (status.name(), level.name())))
    }
}

struct Stages(ClearedBy);

impl Serialize for Stages {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.named())
    }
}

#[derive(Serialize)]
struct Baseline<'a> {
    file: &'a str,
    counts: Standings<'a>,
    gone: Vec<Gone<'a>>,
}

struct Standings<'a>(&'a BaselineOutcome);

#[derive(Serialize)]
struct Gone<'a> {
    id: String,
    a: &'a str,
    b: &'a str,
    /// Omitted for the drawing.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<&'a str>,
    status: &'static str,
    baseline: &'static str,
    why: &'a str,
}

impl<'a> Baseline<'a> {
    fn new(baseline: &'a BaselineOutcome) -> Self {
        let gone = |g: &'a ResolvedFinding| Gone {
            id: pair_id(&g.a, &g.b),
            a: &g.a,
            b: &g.b,
            run: g.run.as_deref(),
            status: g.status.name(),
            baseline: if g.fixed { "fixed" } else { "unverified" },
            why: &g.why,
        };
        Self { file: &baseline.file, counts: Standings(baseline), gone: baseline.gone.iter().map(gone).collect() }
    }
}

impl Serialize for Standings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let of_findings = BaselineStatus::ALL.into_iter().map(|s| (s.name(), self.0.counts.of(s)));
        serializer.collect_map(of_findings.chain([("fixed", self.0.fixed()), ("unverified", self.0.unverified())]))
    }
}

struct Pairs<'a>(&'a Judged, &'a Groups, &'a RowNumbers);

impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(judged, groups, numbers) = self;
        let o = &judged.outcome;
        serializer.collect_seq(o.pairs.iter().enumerate().map(|(k, pair)| {
            let rule = pair.rule.and_then(|ix| o.rules.get(ix as usize));
            let row = Pair::new([o.id(pair.a), o.id(pair.b)], o.units, rule, pair);
            row.in_run(judged, k, groups.of(k).map(|g| g.id.as_str()), numbers.of(k))
        }))
    }
}

/// Axis-aligned box, in the report's unit.
#[derive(Serialize)]
pub(crate) struct MinMax {
    min: [f64; 3],
    max: [f64; 3],
}

impl MinMax {
    pub(crate) fn new(b: &Aabb, units: LengthUnit) -> Self {
        Self { min: vector(&b.min, units), max: vector(&b.max, units) }
    }
}

/// Groups of the rows of an outcome, with the numbers of its rows, if it has any.
pub(crate) struct GroupList<'a>(pub &'a Outcome, pub &'a Groups, pub Option<&'a RowNumbers>);

#[derive(Serialize)]
struct GroupRow<'a> {
    id: &'a str,
    kind: &'static str,
    status: &'static str,
    members: usize,
    worst: String,
    culprits: Vec<&'a str>,
    pattern: [String; 2],
    row: Option<u32>,
}

impl Serialize for GroupList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let o = self.0;
        serializer.collect_seq(self.1.all.iter().map(|g: &Group| {
            let worst = &o.pairs[g.worst as usize];
            GroupRow {
                id: &g.id,
                kind: g.kind.name(),
                status: worst.status.name(),
                members: g.members.len(),
                worst: pair_id(o.id(worst.a), o.id(worst.b)),
                culprits: g.culprits.iter().map(|c| o.id(*c)).collect(),
                pattern: g.patterns(o, worst),
                row: self.2.and_then(|numbers| numbers.of(g.worst as usize)).map(|n| n.row),
            }
        }))
    }
}

struct Parts<'a>(&'a Outcome);

impl Serialize for Parts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let units = self.0.units;
        serializer.collect_map(self.0.parts.iter().map(|part| (&part.key, Part::new(part, units))))
    }
}

#[derive(Serialize)]
pub(crate) struct Part<'a> {
    mesh: &'a str,
    triangles: u64,
    closed: bool,
    facet_error: Option<f64>,
    instances: u64,
    pieces: Option<u64>,
    epsilon: Option<f64>,
    hash: &'a str,
}

impl<'a> Part<'a> {
    pub(crate) fn new(p: &'a PartOutcome, units: LengthUnit) -> Self {
        Self {
            mesh: &p.mesh,
            triangles: p.triangles,
            closed: p.closed,
            facet_error: p.facet_error.map(|mm| length(mm, units)),
            instances: p.instances,
            pieces: p.pieces,
            epsilon: p.epsilon.map(|mm| length(mm, units)),
            hash: &p.hash,
        }
    }
}

struct Instances<'a>(&'a Outcome);

#[derive(Serialize)]
struct Instance<'a> {
    part: Option<&'a str>,
    placement: &'a str,
    unit: Option<&'a str>,
}

impl Serialize for Instances<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sorted: Vec<_> = self.0.instances.iter().collect();
        sorted.sort_unstable_by(|x, y| x.id.cmp(&y.id));
        serializer.collect_map(sorted.into_iter().map(|i| {
            let part = self.0.parts.get(i.part.0 as usize).map(|p| p.key.as_str());
            (&i.id, Instance { part, placement: &i.placement, unit: i.unit_id() })
        }))
    }
}

pub(crate) struct Warnings<'a>(pub &'a [Warning]);

impl Serialize for Warnings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(WarningRow::new))
    }
}

/// Row of a warning. It omits the keys of a missing location, since null stands for a number not computed.
#[derive(Serialize)]
struct WarningRow<'a> {
    code: WarningCode,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    json_path: Option<&'a str>,
    message: &'a str,
}

impl<'a> WarningRow<'a> {
    fn new(w: &'a Warning) -> Self {
        let at = w.at.as_ref();
        Self {
            code: w.code,
            part: w.part.as_deref(),
            file: at.map(|l| l.file.as_str()).filter(|f| !f.is_empty()),
            line: at.and_then(|l| l.line),
            column: at.and_then(|l| l.column),
            byte: at.and_then(|l| l.byte),
            json_path: at.and_then(|l| l.json_path.as_deref()),
            message: &w.message,
        }
    }
}
