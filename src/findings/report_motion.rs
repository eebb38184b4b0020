//! Reads the poses and sweeps of a JSON report.

use crate::assembly::Level;
use crate::check::{Relation, Status};
use crate::findings::report_reader::{Listed, status_and_relation};
use crate::findings::run_view::{RunRows, RunsView, least_gap};
use crate::geom::{Bounds, LengthUnit};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Poses and sweeps of a report. Lengths in mm.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ReportMotion {
    runs: Vec<ReportRun>,
    left_out: Vec<String>,
    /// Joints by name, as written.
    pub(crate) joints: BTreeMap<String, serde_json::Value>,
}

#[derive(Debug, Clone, PartialEq)]
struct ReportRun {
    name: String,
    definition: Option<u64>,
    rows: Vec<Listed>,
}

impl ReportMotion {
    /// Name of a run with a finding, if any has one.
    pub(crate) fn failing_run(&self) -> Option<&str> {
        let fails = |run: &&ReportRun| run.rows.iter().any(|row| row.status.fails());
        self.runs.iter().find(fails).map(|run| run.name.as_str())
    }

    /// View of the poses and sweeps.
    pub(crate) fn view(&self) -> RunsView<'_> {
        let runs = self.runs.iter().map(|run| RunRows {
            name: &run.name,
            definition: run.definition,
            rows: run.rows.iter().map(Listed::row).collect(),
        });
        RunsView { runs: runs.collect(), left_out: self.left_out.iter().map(String::as_str).collect() }
    }
}

#[derive(Deserialize)]
#[serde(expecting = "an object: joints, poses and sweeps")]
pub(crate) struct RawMotion {
    joints: Vec<BTreeMap<String, serde_json::Value>>,
    runs: Vec<RawRun>,
    rows: Vec<RawRow>,
    left_out: Vec<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object: a pose or a sweep")]
struct RawRun {
    name: String,
    /// Older reports lack this key.
    definition: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object: a pair of a pose or a sweep")]
struct RawRow {
    a: String,
    b: String,
    run: String,
    status: String,
    severity: Option<String>,
    relation: Option<String>,
    worst: Option<RawWorst>,
    margin: Option<f64>,
    failing_travel: Option<f64>,
}

/// Measures of a row.
#[derive(Deserialize, Default)]
#[serde(expecting = "an object: measures")]
struct RawWorst {
    gap: Option<f64>,
    gap_bracket: Option<Bounds>,
    overlap_depth: Option<f64>,
    penetration_depth: Option<f64>,
}

impl RawMotion {
    /// Resolves names and converts lengths to mm.
    ///
    /// # Errors
    /// Returns a message about the first unknown name.
    pub(crate) fn settled(self, units: LengthUnit) -> Result<ReportMotion, String> {
        let mut rows: BTreeMap<String, Vec<Listed>> = BTreeMap::new();
        for row in self.rows {
            let run = row.run.clone();
            rows.entry(run).or_default().push(row.settled(units)?);
        }
        let run = |raw: RawRun| {
            let mut rows = rows.remove(&raw.name).unwrap_or_default();
            rows.sort_by(|x, y| (&x.a, &x.b).cmp(&(&y.a, &y.b)));
            let definition = raw.definition.and_then(|hash| u64::from_str_radix(&hash, 16).ok());
            ReportRun { name: raw.name, definition, rows }
        };
        let name = |joint: BTreeMap<String, serde_json::Value>| {
            let name = joint.get("name").and_then(|name| name.as_str()).unwrap_or_default().to_owned();
            (name, joint.into_iter().collect())
        };
        Ok(ReportMotion {
            runs: self.runs.into_iter().map(run).collect(),
            left_out: self.left_out,
            joints: self.joints.into_iter().map(name).collect(),
        })
    }
}

impl RawRow {
    fn settled(self, units: LengthUnit) -> Result<Listed, String> {
        let (status, relation): (Status, Option<Relation>) =
            status_and_relation(&self.status, self.relation.as_deref())?;
        let mm = |x: f64| x * units.mm();
        let worst = self.worst.unwrap_or_default();
        let (gap, bracket) = (worst.gap.map(mm), worst.gap_bracket.map(|b| b.map(mm)));
        Ok(Listed {
            a: self.a,
            b: self.b,
            status,
            relation,
            gap,
            depth: worst.overlap_depth.map(mm),
            penetration: worst.penetration_depth.filter(|_| self.margin.is_none()).map(mm),
            // A report has no uncertainty for the volumes of a pose.
            shared: [None; 3],
            bracket,
            number: None,
            severity: self.severity.as_deref().and_then(Level::from_name),
            least: least_gap(gap, bracket, self.margin.map(mm)),
            travel: self.failing_travel.map(mm),
        })
    }
}
