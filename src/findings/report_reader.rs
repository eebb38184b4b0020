//! Reads a JSON report of `interfere check`. Skips unknown keys, since later releases may add some.

use crate::assembly::{Facets, Geometry, Level, Rule, RuleAction};
use crate::check::{Measure, Relation, Settings, Status, pair_id};
use crate::error::{Error, Location};
use crate::findings::report_motion::{RawMotion, ReportMotion};
use crate::findings::row_numbers::RowNumber;
use crate::findings::run_view::{Placed, Row, RunView, extent_of};
use crate::findings::severity::width_of;
use crate::geom::{Bounds, LengthUnit};
use crate::json::document_kind::DocumentKind;
use crate::json::reader::decode;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// Content of a report. Lengths in mm.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Report file as named for the user.
    pub file: String,
    /// Version of the writing program.
    pub program: String,
    /// Name of the assembly.
    pub name: String,
    /// Path of the assembly as given to `check`.
    pub path: String,
    /// Unit of the lengths in the file.
    pub units: LengthUnit,
    /// Settings of the run.
    pub settings: Settings,
    /// Rules in the order of precedence.
    pub rules: Vec<Rule>,
    pub(crate) motion: ReportMotion,
    pairs: Vec<Listed>,
    instances: BTreeMap<String, Instance>,
}

/// A listed pair of the drawing, or of a pose or sweep.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Listed {
    pub a: String,
    pub b: String,
    pub status: Status,
    pub relation: Option<Relation>,
    pub gap: Option<f64>,
    pub depth: Option<f64>,
    pub penetration: Option<f64>,
    /// Common volume, its slack and its facet uncertainty (mm³).
    pub shared: [Option<f64>; 3],
    pub bracket: Option<Bounds>,
    pub number: Option<RowNumber>,
    pub severity: Option<Level>,
    /// As [`Row::least`].
    pub least: Option<f64>,
    /// As [`Row::travel`].
    pub travel: Option<f64>,
}

#[derive(Debug, Clone, PartialEq)]
struct Instance {
    mesh: String,
    placement: String,
    unit: Option<String>,
}

impl Report {
    /// Reads a report; `file` is its name in messages.
    ///
    /// # Errors
    /// Refuses text without valid JSON, and JSON without a report of a known version.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self, Error> {
        let text = decode(file, bytes.to_vec()).map_err(|p| Error::from(*p))?;
        let head: RawHead = serde_json::from_str(&text).map_err(|e| no_report(file, &text, &e))?;
        if head.version != 1 {
            let what = format!("this release does not know version {} of the report", head.version);
            return Err(Error::one(Location::file(file), what, "write it again with this release"));
        }
        let raw: RawReport = serde_json::from_str(&text).map_err(|e| no_report(file, &text, &e))?;
        raw.settled(file).map_err(|what| Error::one(Location::file(file), what, FIX))
    }

    /// View of the run.
    pub fn view(&self) -> RunView<'_> {
        let instances = self
            .instances
            .iter()
            .map(|(id, i)| (id.as_str(), Placed { mesh: &i.mesh, placement: &i.placement, unit: i.unit.as_deref() }));
        let rows = self.pairs.iter().map(Listed::row).collect();
        RunView::new(self.units, &self.settings, (rows, self.motion.view()), instances.collect(), &self.rules)
    }

    /// Ids of the pairs of a row, worst first; empty for an unknown row. A number without a member names all of them.
    pub fn pairs_of_row(&self, wanted: RowNumber) -> Vec<[&str; 2]> {
        let fits = |n: &RowNumber| n.row == wanted.row && (wanted.member.is_none() || n.member == wanted.member);
        let numbered = self.pairs.iter().filter_map(|p| Some((p.number.filter(fits)?, [p.a.as_str(), p.b.as_str()])));
        let mut found: Vec<_> = numbered.collect();
        found.sort_unstable();
        found.into_iter().map(|(_, pair)| pair).collect()
    }

    /// Number of rows of its table.
    pub fn rows(&self) -> u32 {
        self.pairs.iter().filter_map(|p| p.number).map(|n| n.row).max().unwrap_or(0)
    }

    /// Ids of the pair with an id.
    pub fn pair_of_id(&self, id: &str) -> Option<[&str; 2]> {
        self.pairs.iter().map(|p| [p.a.as_str(), p.b.as_str()]).find(|[a, b]| pair_id(a, b) == id)
    }

    /// Hashes of mesh and placement of an instance; `None` for an unknown one.
    pub fn hashes_of(&self, id: &str) -> Option<(&str, &str)> {
        let instance = self.instances.get(id)?;
        Some((&instance.mesh, &instance.placement))
    }

    /// Ids of the instances.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.instances.keys().map(String::as_str)
    }

    /// Number of instances.
    pub fn instances(&self) -> usize {
        self.instances.len()
    }
}

impl Listed {
    pub(crate) fn row(&self) -> Row<'_> {
        Row {
            a: &self.a,
            b: &self.b,
            status: self.status,
            relation: self.relation,
            gap: self.gap,
            penetration: self.penetration,
            extent: extent_of(self.status, self.depth, self.shared, self.gap, self.bracket),
            level: self.severity,
            least: self.least,
            travel: self.travel,
            uncertainty: width_of(self.bracket),
        }
    }
}

const FIX: &str = "write one with `interfere check ASSEMBLY --format json`";

#[expect(clippy::zero_sized_map_values, reason = "only the keys are looked at, and serde reads a map")]
fn no_report(file: &str, text: &str, e: &serde_json::Error) -> Error {
    let keys: BTreeMap<String, IgnoredAny> = serde_json::from_str(text).unwrap_or_default();
    let kind = DocumentKind::of(|key| keys.contains_key(key));
    // A damaged report may lack some keys.
    let is_report = keys.contains_key("tool") && kind != Some(DocumentKind::PartialReport);
    if let Some(kind) = kind.filter(|_| !is_report) {
        let what = format!("expected a JSON report from `interfere check`, found {}", kind.name());
        return Error::one(Location::file(file), what, FIX);
    }
    let at = Location {
        line: u32::try_from(e.line()).ok().filter(|l| *l > 0),
        column: u32::try_from(e.column()).ok().filter(|c| *c > 0 && e.line() > 0),
        ..Location::file(file)
    };
    let said = e.to_string();
    let said = said.split(" at line ").next().unwrap_or("").to_owned();
    Error::one(at, format!("not a JSON report from `interfere check`: {said}"), FIX)
}

#[derive(Deserialize)]
#[serde(expecting = "an object: a report")]
struct RawHead {
    version: u64,
}

#[derive(Deserialize)]
#[serde(expecting = "an object: a report")]
struct RawReport {
    tool: RawTool,
    assembly: RawAssembly,
    settings: RawSettings,
    pairs: Vec<RawPair>,
    parts: BTreeMap<String, RawPart>,
    instances: BTreeMap<String, RawInstance>,
    /// Missing for an assembly without joints.
    motion: Option<RawMotion>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object: the program")]
struct RawTool {
    version: String,
}

#[derive(Deserialize)]
#[serde(expecting = "an object: the assembly")]
struct RawAssembly {
    name: String,
    path: String,
    units: String,
}

#[derive(Deserialize)]
#[serde(expecting = "an object: the options")]
struct RawSettings {
    tolerance: f64,
    geometry: String,
    facets: String,
    report_within: Option<f64>,
    #[serde(default)]
    gap_width: Option<f64>,
    epsilon: Option<f64>,
    max_pieces: usize,
    /// `all`, `depth` or `none`; older reports have `verdict_only` in its place.
    measure: Option<String>,
    #[serde(default)]
    verdict_only: bool,
    rules: Vec<RawRule>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object: a rule")]
struct RawRule {
    between: [String; 2],
    reason: Option<String>,
    #[serde(default)]
    scope: String,
    file: String,
    index: u32,
    #[serde(flatten)]
    action: BTreeMap<String, serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object: a pair")]
struct RawPair {
    a: String,
    b: String,
    status: String,
    relation: Option<String>,
    gap: Option<f64>,
    gap_bracket: Option<Bounds>,
    overlap_depth: Option<f64>,
    penetration_depth: Option<f64>,
    overlap_volume: Option<f64>,
    /// Older reports lack this key and the next one.
    overlap_volume_slack: Option<f64>,
    overlap_volume_facets: Option<f64>,
    row: Option<u32>,
    member: Option<u32>,
    /// Older reports lack this key, too.
    severity: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object: a part")]
struct RawPart {
    hash: String,
}

#[derive(Deserialize)]
#[serde(expecting = "an object: an instance")]
struct RawInstance {
    part: Option<String>,
    placement: String,
    unit: Option<String>,
}

impl RawReport {
    /// Resolves names and converts lengths to mm.
    ///
    /// # Errors
    /// Returns a message about the first unknown name.
    fn settled(self, file: &str) -> Result<Report, String> {
        let units = LengthUnit::from_name(&self.assembly.units).ok_or_else(|| unknown("unit", &self.assembly.units))?;
        let mm = |x: f64| x * units.mm();
        let s = self.settings;
        let geometries = [Geometry::Exact, Geometry::Decomposition, Geometry::Hull];
        let settings = Settings {
            tolerance: mm(s.tolerance),
            geometry: geometries
                .into_iter()
                .find(|g| g.name() == s.geometry)
                .ok_or_else(|| unknown("geometry", &s.geometry))?,
            facets: match s.facets.as_str() {
                "allow" => Facets::Allow,
                "strict" => Facets::Strict,
                other => return Err(unknown("value of `facets`", other)),
            },
            report_within: s.report_within.map(mm),
            gap_width: s.gap_width.map(mm),
            epsilon: s.epsilon.map(mm),
            max_pieces: s.max_pieces,
            measure: match s.measure.as_deref() {
                None if s.verdict_only => Measure::None,
                None => Measure::All,
                Some(name) => Measure::ALL
                    .into_iter()
                    .find(|m| m.name() == name)
                    .ok_or_else(|| unknown("value of `measure`", name))?,
            },
        };
        let mut pairs = self.pairs.into_iter().map(|p| p.settled(units)).collect::<Result<Vec<_>, _>>()?;
        pairs.sort_by(|x, y| (&x.a, &x.b).cmp(&(&y.a, &y.b)));
        let parts = self.parts;
        let instances = self.instances.into_iter().map(|(id, i)| {
            let mesh = i.part.and_then(|p| parts.get(&p)).map(|p| p.hash.clone()).unwrap_or_default();
            (id, Instance { mesh, placement: i.placement, unit: i.unit })
        });
        Ok(Report {
            file: file.to_owned(),
            program: self.tool.version,
            name: self.assembly.name,
            path: self.assembly.path,
            units,
            settings,
            rules: s.rules.into_iter().map(|r| r.settled(units, mm)).collect(),
            motion: self.motion.map(|motion| motion.settled(units)).transpose()?.unwrap_or_default(),
            pairs,
            instances: instances.collect(),
        })
    }
}

impl RawRule {
    fn settled(self, units: LengthUnit, mm: impl Fn(f64) -> f64) -> Rule {
        let given = RuleAction::KEYS.into_iter().find_map(|key| Some((key, self.action.get(key)?)));
        // Older reports have no severities.
        let severity = self.action.get("severity").and_then(|name| Level::from_name(name.as_str()?));
        let max_gap = self.action.get("max_gap").and_then(serde_json::Value::as_f64).map(&mm);
        let during = self.action.get("during").and_then(|v| serde_json::from_value(v.clone()).ok());
        let verb = match given {
            Some((key, value)) => RuleAction::of_key(key, value.as_f64().map(mm)),
            None if severity.is_some() || max_gap.is_some() => RuleAction::Grade,
            None => RuleAction::Ignore,
        };
        Rule {
            between: self.between,
            units,
            verb,
            severity: severity.unwrap_or_default(),
            reason: self.reason,
            max_gap,
            during,
            scope: self.scope,
            at: Location::file(&self.file),
            file: self.file,
            index: self.index,
        }
    }
}

/// Message about an unknown name.
fn unknown(what: &str, name: &str) -> String {
    format!("not a JSON report from `interfere check`: unknown {what} `{name}`")
}

/// Status and relation of a pair by their names.
///
/// # Errors
/// Returns a message about an unknown name.
pub(crate) fn status_and_relation(status: &str, relation: Option<&str>) -> Result<(Status, Option<Relation>), String> {
    let known = Status::ALL.into_iter().find(|s| s.name() == status).ok_or_else(|| unknown("status", status))?;
    let relation = relation.map(|name| {
        let known = Relation::ALL.into_iter().find(|r| r.name() == name);
        known.ok_or_else(|| unknown("relation", name))
    });
    Ok((known, relation.transpose()?))
}

impl RawPair {
    fn settled(self, units: LengthUnit) -> Result<Listed, String> {
        let mm = |x: f64| x * units.mm();
        let (status, relation) = status_and_relation(&self.status, self.relation.as_deref())?;
        Ok(Listed {
            status,
            a: self.a,
            b: self.b,
            relation,
            gap: self.gap.map(mm),
            depth: self.overlap_depth.map(mm),
            penetration: self.penetration_depth.map(mm),
            shared: [self.overlap_volume, self.overlap_volume_slack, self.overlap_volume_facets]
                .map(|v| v.map(|v| v * units.mm3())),
            bracket: self.gap_bracket.map(|b| b.map(mm)),
            number: self.row.map(|row| RowNumber { row, member: self.member }),
            severity: self.severity.as_deref().and_then(Level::from_name),
            least: None,
            travel: None,
        })
    }
}
