//! Rebuilds a judged run from its JSON report, for pictures: every number that a drawing shows.

use crate::assembly::{Geometry, InstanceIx, Level, Rule};
use crate::check::{
    Certainty, ClearedBy, Counts, InstanceOutcome, MotionOutcome, Mover, Outcome, PairOutcome, PartOutcome, Relation,
    Status,
};
use crate::error::{Error, Location, Problem, Warning, WarningCode};
use crate::findings::baseline::status::{
    Accepted, BaselineCounts, BaselineOutcome, BaselineStatus, Comparison, FailOn, ResolvedFinding,
};
use crate::findings::groups::number_of_id;
use crate::findings::judged::{Judged, Severities};
use crate::findings::report_reader::Report;
use crate::findings::report_runs::{RawRuns, RowComparisons};
use crate::findings::severity::{CommonVolume, Metric, Severity};
use crate::geom::{Aabb, Bounds, LengthUnit, Vec3};
use crate::json::reader::decode;
use serde::Deserialize;
use std::collections::BTreeMap;

const FIX: &str = "write it again with `interfere check ASSEMBLY --format json`";

/// Largest number of listed differences between a report and an assembly.
const MAX_LISTED: usize = 5;

#[derive(Deserialize)]
struct RawRun {
    assembly: RawAssembly,
    summary: RawSummary,
    baseline: Option<RawBaseline>,
    pairs: Vec<RawPair>,
    groups: Vec<RawGroup>,
    warnings: Vec<RawWarning>,
    /// Absent without joints and runs.
    #[serde(default)]
    motion: Option<RawRuns>,
}

#[derive(Deserialize)]
struct RawAssembly {
    path: String,
}

#[derive(Deserialize)]
struct RawSummary {
    fail_on: String,
    #[serde(default)]
    strict: bool,
    pairs: u64,
    counts: Counts,
    #[serde(default)]
    severity: BTreeMap<String, String>,
    cleared_by: ClearedBy,
}

#[derive(Deserialize)]
struct RawBaseline {
    file: String,
    gone: Vec<RawGone>,
}

#[derive(Deserialize)]
struct RawGone {
    a: String,
    b: String,
    #[serde(default)]
    run: Option<String>,
    status: String,
    baseline: String,
    why: String,
}

#[derive(Deserialize)]
pub(crate) struct RawGroup {
    id: String,
    kind: String,
}

#[derive(Deserialize)]
struct RawWarning {
    code: String,
    part: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    byte: Option<u64>,
    json_path: Option<String>,
    message: String,
}

#[derive(Deserialize)]
pub(crate) struct RawPair {
    pub a: String,
    pub b: String,
    pub status: String,
    pub relation: Option<String>,
    pub certainty: String,
    pub geometry: String,
    pub gap: Option<f64>,
    pub gap_bracket: Option<Bounds>,
    pub overlap_depth: Option<f64>,
    pub penetration_depth: Option<f64>,
    pub separating_translation: Option<[f64; 3]>,
    pub mover: Option<Mover>,
    pub closest_points: Option<RawPoints>,
    pub deepest_point: Option<[f64; 3]>,
    pub normal: Option<[f64; 3]>,
    pub overlap_volume: Option<f64>,
    pub overlap_volume_slack: Option<f64>,
    pub overlap_volume_facets: Option<f64>,
    pub overlap_box: Option<RawBox>,
    pub facet_allowance: Option<f64>,
    #[serde(default)]
    pub within_facet_error: bool,
    pub rule: Option<RawRule>,
    pub baseline: Option<String>,
    pub accepted: Option<RawAccepted>,
    pub group: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct RawPoints {
    pub a: [f64; 3],
    pub b: [f64; 3],
}

#[derive(Clone, Deserialize)]
pub(crate) struct RawBox {
    min: [f64; 3],
    max: [f64; 3],
}

#[derive(Clone, Deserialize)]
pub(crate) struct RawRule {
    file: String,
    index: u32,
}

#[derive(Clone, Deserialize)]
pub(crate) struct RawAccepted {
    overlap_depth: Option<f64>,
    penetration_depth: Option<f64>,
    overlap_volume: Option<f64>,
    gap: Option<f64>,
    gap_bracket: Option<Bounds>,
    #[serde(default)]
    failing_travel: Option<f64>,
    #[serde(default)]
    worse_in: Vec<String>,
}

impl Report {
    /// Rebuilds the judged run. `parts`, `instances` and `joints` are those of the assembly as it is now, in its order.
    ///
    /// Files, fixes and the use of rules stay empty, and so does every number that a report lacks.
    ///
    /// # Errors
    /// Refuses an assembly with other meshes, placements or joints than the report, and a report of an older release.
    pub fn judged(
        &self,
        bytes: &[u8],
        parts: Vec<PartOutcome>,
        instances: Vec<InstanceOutcome>,
        joints: MotionOutcome,
    ) -> Result<Judged, Error> {
        self.agree(&parts, &instances)?;
        let refuse = |what: String| Error::one(Location::file(&self.file), what, FIX);
        let text = decode(&self.file, bytes.to_vec()).map_err(|p| Error::from(*p))?;
        let raw: RawRun = serde_json::from_str(&text).map_err(|e| refuse(format!("not a complete report: {e}")))?;
        let places = (0..).zip(&instances).map(|(k, i)| (i.id.as_str(), InstanceIx(k))).collect();
        let reader = Reader { units: self.units, places: &places, rules: &self.rules, groups: &raw.groups };
        let rows: Vec<(PairOutcome, Option<Comparison>)> =
            raw.pairs.iter().zip(0..).map(|(p, k)| reader.row(p, k)).collect::<Result<_, _>>().map_err(refuse)?;
        let (pairs, comparisons) = rows.into_iter().unzip();
        let motion = raw.motion.map(|runs| runs.settled(&reader, joints, self.settings.geometry));
        let (motion, of_runs) = motion.transpose().map_err(|what| refuse_motion(&self.file, what))?.unzip();
        let mut severities = Severities::default();
        for (status, level) in &raw.summary.severity {
            if let (Ok(status), Some(level)) = (status_of(status), Level::from_name(level)) {
                severities.set(status, level);
            }
        }
        let fail_on = [FailOn::New, FailOn::Any, FailOn::Never].into_iter().find(|f| f.name() == raw.summary.fail_on);
        let outcome = Outcome {
            name: self.name.clone(),
            path: raw.assembly.path,
            files: Vec::new(),
            units: self.units,
            strict: raw.summary.strict,
            alike_by_group: true,
            settings: self.settings.clone(),
            possible_pairs: raw.summary.pairs,
            counts: raw.summary.counts,
            cleared_by: raw.summary.cleared_by,
            pairs,
            fixes: Vec::new(),
            parts,
            instances,
            rules: self.rules.clone(),
            rule_uses: Vec::new(),
            warnings: raw.warnings.into_iter().filter_map(RawWarning::settled).collect(),
            motion,
        };
        Ok(Judged {
            outcome,
            baseline: raw.baseline.map(|b| b.settled(comparisons, of_runs.unwrap_or_default())),
            fail_on: fail_on.unwrap_or_default(),
            strict: raw.summary.strict,
            severities,
        })
    }

    /// Refuses meshes and placements that differ from those of the report.
    fn agree(&self, parts: &[PartOutcome], instances: &[InstanceOutcome]) -> Result<(), Error> {
        let mut wrong: Vec<String> = Vec::new();
        for i in instances {
            let part = &parts[i.part.0 as usize];
            match self.hashes_of(&i.id) {
                None => wrong.push(format!("the report has no instance `{}`", i.id)),
                Some((mesh, _)) if mesh != part.hash => {
                    wrong.push(format!("the mesh of part `{}` changed after the report", part.key));
                }
                Some((_, placement)) if placement != i.placement => {
                    wrong.push(format!("the placement of `{}` changed after the report", i.id));
                }
                Some(_) => {}
            }
        }
        if self.instances() > instances.len() {
            wrong.push(format!("the report has {} instances, the assembly has {}", self.instances(), instances.len()));
        }
        wrong.dedup();
        if wrong.is_empty() {
            return Ok(());
        }
        let problem = |what: String| Problem::new(Location::file(&self.file), what, "check the assembly again");
        Err(Error { problems: wrong.into_iter().take(MAX_LISTED).map(problem).collect() })
    }
}

/// Refuses runs of other joints.
fn refuse_motion(file: &str, what: String) -> Error {
    Error::one(Location::file(file), what, "check the assembly again")
}

/// Converts rows. Messages are about the first unknown name.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    units: LengthUnit,
    places: &'a BTreeMap<&'a str, InstanceIx>,
    rules: &'a [Rule],
    groups: &'a [RawGroup],
}

impl Reader<'_> {
    /// The same, with the groups of a run.
    pub(crate) fn with_groups<'b>(&'b self, groups: &'b [RawGroup]) -> Reader<'b> {
        Reader { groups, ..*self }
    }

    pub(crate) fn mm(&self, x: f64) -> f64 {
        x * self.units.mm()
    }

    pub(crate) fn point(&self, p: [f64; 3]) -> Vec3 {
        Vec3::from(p.map(|x| self.mm(x)))
    }

    pub(crate) fn row(&self, p: &RawPair, k: u64) -> Result<(PairOutcome, Option<Comparison>), String> {
        let place = |id: &String| {
            self.places.get(id.as_str()).copied().ok_or_else(|| format!("the instance `{id}` of a pair is missing"))
        };
        let geometries = [Geometry::Exact, Geometry::Decomposition, Geometry::Hull];
        let certainties = [Certainty::Certified, Certainty::Bracketed, Certainty::NoInside];
        let named = |what: &str, name: &str| format!("unknown {what} `{name}`");
        let geometry = geometries.into_iter().find(|g| g.name() == p.geometry);
        let geometry = geometry.ok_or_else(|| named("geometry", &p.geometry))?;
        let certainty = certainties.into_iter().find(|c| c.name() == p.certainty);
        let relation = match &p.relation {
            Some(name) => {
                let known = Relation::ALL.into_iter().find(|r| r.name() == name);
                Some(known.ok_or_else(|| named("relation", name))?)
            }
            None => None,
        };
        let rule = p.rule.as_ref().and_then(|r| {
            self.rules.iter().position(|known| known.index == r.index && known.file == r.file).map(|k| k as u32)
        });
        let volume = |v: Option<f64>| v.map(|v| v * self.units.mm3());
        let length = |x: Option<f64>| x.map(|x| self.mm(x));
        let row = PairOutcome {
            relation,
            certainty: certainty.ok_or_else(|| named("certainty", &p.certainty))?,
            gap: length(p.gap),
            gap_bracket: p.gap_bracket.map(|b| b.map(|x| self.mm(x))),
            overlap_depth: length(p.overlap_depth),
            penetration_depth: length(p.penetration_depth),
            separating_translation: p.separating_translation.map(|t| self.point(t)),
            mover: p.mover,
            closest_points: p.closest_points.as_ref().map(|c| [self.point(c.a), self.point(c.b)]),
            deepest_point: p.deepest_point.map(|v| self.point(v)),
            normal: p.normal.map(Vec3::from),
            overlap_volume: volume(p.overlap_volume),
            overlap_volume_slack: volume(p.overlap_volume_slack),
            overlap_volume_facets: volume(p.overlap_volume_facets),
            overlap_box: p.overlap_box.as_ref().map(|b| Aabb { min: self.point(b.min), max: self.point(b.max) }),
            facet_allowance: length(p.facet_allowance),
            within_facet_error: p.within_facet_error,
            rule,
            alike: self.alike(p, k),
            ..PairOutcome::bare([place(&p.a)?, place(&p.b)?], status_of(&p.status)?, geometry)
        };
        Ok((row, self.comparison(p)))
    }

    /// Fingerprint with the groups of the report: one for each group of alike pairs, one for each other row.
    fn alike(&self, p: &RawPair, k: u64) -> u64 {
        let group = p.group.as_ref().filter(|id| self.groups.iter().any(|g| g.id == **id && g.kind == "alike"));
        group.and_then(|id| number_of_id(id)).unwrap_or(k | 1 << 63)
    }

    fn comparison(&self, p: &RawPair) -> Option<Comparison> {
        let name = p.baseline.as_ref()?;
        let status = BaselineStatus::ALL.into_iter().find(|s| s.name() == name)?;
        Some(Comparison { status, accepted: p.accepted.as_ref().map(|a| self.accepted(a, &p.status)) })
    }

    fn accepted(&self, a: &RawAccepted, status: &str) -> Accepted {
        let metrics =
            [Metric::Depth, Metric::Volume, Metric::Penetration, Metric::Gap, Metric::Bracket, Metric::Travel];
        let volume = a.overlap_volume.map(|v| v * self.units.mm3());
        let shared = volume.map(|volume| CommonVolume { volume, slack: 0.0, facets: 0.0 });
        let depth = a.overlap_depth.map(|d| Severity::Depth(self.mm(d), shared));
        let gap = || a.gap.map(|g| Severity::Gap(self.mm(g)));
        let of_bracket = if status == Status::Loose.name() { Severity::Largest } else { Severity::Bracket };
        let bracket = || a.gap_bracket.map(|b| of_bracket(b.map(|x| self.mm(x))));
        Accepted {
            extent: depth.or_else(gap).or_else(bracket),
            penetration_depth: a.penetration_depth.map(|d| self.mm(d)),
            travel: a.failing_travel.map(|d| self.mm(d)),
            worse_in: metrics.into_iter().filter(|m| a.worse_in.iter().any(|name| name == m.name())).collect(),
        }
    }
}

pub(crate) fn status_of(name: &str) -> Result<Status, String> {
    Status::ALL.into_iter().find(|s| s.name() == name).ok_or_else(|| format!("unknown status `{name}`"))
}

impl RawBaseline {
    fn settled(self, comparisons: RowComparisons, runs: Vec<RowComparisons>) -> BaselineOutcome {
        let mut counts = BaselineCounts::default();
        comparisons.iter().chain(runs.iter().flatten()).flatten().for_each(|c| *counts.of_mut(c.status) += 1);
        let gone = self.gone.into_iter().filter_map(|g| {
            let status = status_of(&g.status).ok()?;
            Some(ResolvedFinding { a: g.a, b: g.b, run: g.run, status, fixed: g.baseline == "fixed", why: g.why })
        });
        BaselineOutcome { file: self.file, comparisons, runs, counts, gone: gone.collect() }
    }
}

impl RawWarning {
    /// The warning; `None` for a code of another release.
    fn settled(self) -> Option<Warning> {
        let Self { code, part, file, line, column, byte, json_path, message } = self;
        let at = file.map(|file| Location { file, line, column, byte, json_path });
        Some(Warning { part, at, ..Warning::new(WarningCode::from_name(&code)?, message) })
    }
}
