//! Rebuilds the poses and sweeps of a JSON report, for pictures: every number that a drawing shows.

use crate::assembly::Geometry;
use crate::check::{
    ClearedBy, Counts, CurvePart, FailingPart, JointOutcome, JointSpan, JointTravel, MotionOutcome, Mover, PairOutcome,
    RunOutcome, SweptPair,
};
use crate::error::Location;
use crate::findings::baseline::status::Comparison;
use crate::findings::report_run::{RawAccepted, RawBox, RawGroup, RawPair, RawPoints, RawRule, Reader, status_of};
use crate::geom::Bounds;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Largest difference of a joint's position between a report and an assembly, as a share of its size: rounding of
/// units.
const SAME_PLACE: f64 = 1e-9;

/// Rows of a run, each with its comparison with the baseline.
pub(crate) type RowComparisons = Vec<Option<Comparison>>;

#[derive(Deserialize)]
pub(crate) struct RawRuns {
    joints: Vec<RawJoint>,
    runs: Vec<RawOneRun>,
    rows: Vec<RawRow>,
    left_out: Vec<String>,
    sweep_cells: u64,
}

#[derive(Deserialize)]
struct RawJoint {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    axis: [f64; 3],
    at: [f64; 3],
    lead: Option<f64>,
    home: f64,
}

#[derive(Deserialize)]
struct RawOneRun {
    name: String,
    kind: String,
    file: String,
    line: Option<u32>,
    #[serde(default)]
    definition: String,
    joints: Ends,
    pairs: u64,
    moving: u64,
    counts: Counts,
    cleared_by: BTreeMap<String, u64>,
    margin: f64,
    undecided_because: Option<String>,
    groups: Vec<RawGroup>,
}

/// Values of joints by name, each with a start and an end.
type Ends = BTreeMap<String, [f64; 2]>;

#[derive(Deserialize)]
struct RawRow {
    a: String,
    b: String,
    run: String,
    status: String,
    relation: Option<String>,
    certainty: String,
    rule: Option<RawRule>,
    worst: Option<RawWorst>,
    first: Option<RawFirst>,
    intervals: Option<Vec<RawInterval>>,
    proved: f64,
    open: Vec<RawCell>,
    open_count: u64,
    tests: Option<u64>,
    cells: Option<u64>,
    margin: Option<f64>,
    failing_travel: Option<f64>,
    #[serde(default)]
    curve: Option<Vec<RawStep>>,
    baseline: Option<String>,
    #[serde(default)]
    accepted: Option<RawAccepted>,
    group: Option<String>,
}

#[derive(Deserialize)]
struct RawFirst {
    segment: Option<u32>,
    at_bracket: Ends,
}

#[derive(Deserialize)]
struct RawInterval {
    status: String,
    segment: Option<u32>,
    from: Ends,
    to: Ends,
    throughout: bool,
}

#[derive(Deserialize)]
struct RawCell {
    segment: Option<u32>,
    joints: Ends,
}

#[derive(Deserialize)]
struct RawStep {
    segment: Option<u32>,
    from: BTreeMap<String, f64>,
    to: BTreeMap<String, f64>,
    gap_bracket: [Option<f64>; 2],
}

#[derive(Deserialize)]
struct RawWorst {
    segment: Option<u32>,
    at: BTreeMap<String, f64>,
    gap: Option<f64>,
    gap_bracket: Option<Bounds>,
    overlap_depth: Option<f64>,
    penetration_depth: Option<f64>,
    separating_translation: Option<[f64; 3]>,
    /// Older reports lack this key.
    #[serde(default)]
    mover: Option<Mover>,
    closest_points: Option<[[f64; 3]; 2]>,
    deepest_point: Option<[f64; 3]>,
    normal: Option<[f64; 3]>,
    overlap_volume: Option<f64>,
    overlap_box: Option<RawBox>,
    facet_allowance: Option<f64>,
    within_facet_error: bool,
}

impl RawRuns {
    /// Rebuilds the runs and the comparisons of their rows. `now` has the joints of the assembly; `geometry` is that of
    /// the report's settings.
    ///
    /// # Errors
    /// Returns a message about joints other than those of the report, or about an unknown name.
    pub(crate) fn settled(
        self,
        reader: &Reader<'_>,
        now: MotionOutcome,
        geometry: Geometry,
    ) -> Result<(MotionOutcome, Vec<RowComparisons>), String> {
        let names: Vec<&str> = self.joints.iter().map(|j| j.name.as_str()).collect();
        if names != now.joints.iter().map(|j| j.name.as_str()).collect::<Vec<_>>() {
            return Err("the assembly has other joints than the report".to_owned());
        }
        let mut joints = self.joints.iter().zip(&now.joints);
        if let Some((joint, _)) = joints.find(|(then, now)| !then.is_same(now, reader)) {
            return Err(format!("the joint `{}` changed after the report", joint.name));
        }
        let by_name = now.joints.iter().zip(0..).map(|(j, k)| (j.name.as_str(), (k, j))).collect();
        let values = Values { reader, by_name };
        let (mut runs, mut comparisons) = (Vec::new(), Vec::new());
        let mut lists_curves = false;
        for run in &self.runs {
            let reader = reader.with_groups(&run.groups);
            let of_run = self.rows.iter().filter(|row| row.run == run.name);
            // A report has the numbers of the segments in its rows, but not their count.
            let segments = of_run.clone().flat_map(RawRow::segments).max().unwrap_or(1);
            let (mut rows, mut of_rows) = (Vec::new(), Vec::new());
            for (row, k) in of_run.zip(0..) {
                let (pair, comparison) = reader.row(&row.pair(geometry), k)?;
                lists_curves |= row.curve.is_some();
                // A pair at rest has no tests: it is judged once.
                let is_swept = run.kind != "pose" && row.tests.is_some();
                let swept = is_swept.then(|| row.swept(&values, segments).map(Box::new)).transpose()?;
                rows.push(PairOutcome { swept, ..pair });
                of_rows.push(comparison);
            }
            runs.push(run.settled(&values, rows)?);
            comparisons.push(of_rows);
        }
        let (left_out, sweep_cells) = (self.left_out, self.sweep_cells);
        drop(values);
        Ok((MotionOutcome { runs, left_out, sweep_cells, lists_curves, ..now }, comparisons))
    }
}

impl RawJoint {
    /// True for the joint of the assembly, to rounding.
    fn is_same(&self, now: &JointOutcome, reader: &Reader<'_>) -> bool {
        let size = now.at.norm() + 1.0;
        let close = |x: f64, y: f64, size: f64| (x - y).abs() <= SAME_PLACE * size;
        let home = if self.kind == "prismatic" { reader.mm(self.home) } else { self.home };
        let lead = self.lead.map(|lead| reader.mm(lead));
        self.kind == now.kind
            && close(home, now.home, now.home.abs() + 1.0)
            && self.axis.iter().zip(now.axis.iter()).all(|(x, y)| close(*x, *y, 1.0))
            && (reader.point(self.at) - now.at).norm() <= SAME_PLACE * size
            && lead.zip(now.lead).map_or(lead == now.lead, |(x, y)| close(x, y, y.abs() + 1.0))
    }
}

impl RawOneRun {
    fn settled(&self, values: &Values<'_>, rows: Vec<PairOutcome>) -> Result<RunOutcome, String> {
        let by = |stage: &str| self.cleared_by.get(stage).copied().unwrap_or(0);
        Ok(RunOutcome {
            name: self.name.clone(),
            kind: self.kind.clone(),
            at: Location { file: self.file.clone(), line: self.line, ..Location::default() },
            definition: u64::from_str_radix(&self.definition, 16).unwrap_or(0),
            joints: values.of(&self.joints)?,
            pairs: self.pairs,
            moving: self.moving,
            counts: self.counts,
            cleared_by: ClearedBy {
                aabb: by("aabb"),
                obb: by("obb"),
                hull: by("hull"),
                pieces: by("pieces"),
                exact: by("exact"),
            },
            cleared_by_swept_balls: by("swept_balls"),
            rows,
            margin: values.reader.mm(self.margin),
            undecided_because: self.undecided_because.clone(),
        })
    }
}

/// Joint values by name to those by index, in mm for slides.
struct Values<'a> {
    reader: &'a Reader<'a>,
    by_name: BTreeMap<&'a str, (u32, &'a JointOutcome)>,
}

impl Values<'_> {
    fn of(&self, named: &Ends) -> Result<Vec<JointTravel>, String> {
        let travel = |(name, ends): (&String, &[f64; 2])| {
            let (joint, own) = *self.by_name.get(name.as_str()).ok_or_else(|| format!("unknown joint `{name}`"))?;
            let [from, to] = ends.map(|value| if own.kind == "prismatic" { self.reader.mm(value) } else { value });
            Ok(JointTravel { joint, from, to })
        };
        let mut all: Vec<JointTravel> = named.iter().map(travel).collect::<Result<_, String>>()?;
        all.sort_by_key(|t| t.joint);
        Ok(all)
    }

    /// A span; a report numbers the segments of a path from 1.
    fn span(&self, segment: Option<u32>, named: &Ends) -> Result<JointSpan, String> {
        Ok(JointSpan { segment: segment.map_or(0, |k| k.saturating_sub(1)), joints: self.of(named)? })
    }

    fn point(&self, segment: Option<u32>, named: &BTreeMap<String, f64>) -> Result<JointSpan, String> {
        self.span(segment, &named.iter().map(|(name, value)| (name.clone(), [*value; 2])).collect())
    }
}

impl RawRow {
    /// The row as a pair of the drawing, with the measures at its worst joint values.
    fn pair(&self, geometry: Geometry) -> RawPair {
        let w = self.worst.as_ref();
        RawPair {
            a: self.a.clone(),
            b: self.b.clone(),
            status: self.status.clone(),
            relation: self.relation.clone(),
            certainty: self.certainty.clone(),
            geometry: geometry.name().to_owned(),
            gap: w.and_then(|w| w.gap),
            gap_bracket: w.and_then(|w| w.gap_bracket),
            overlap_depth: w.and_then(|w| w.overlap_depth),
            penetration_depth: w.and_then(|w| w.penetration_depth),
            separating_translation: w.and_then(|w| w.separating_translation),
            mover: w.and_then(|w| w.mover),
            closest_points: w.and_then(|w| w.closest_points).map(|[a, b]| RawPoints { a, b }),
            deepest_point: w.and_then(|w| w.deepest_point),
            normal: w.and_then(|w| w.normal),
            overlap_volume: w.and_then(|w| w.overlap_volume),
            overlap_volume_slack: None,
            overlap_volume_facets: None,
            overlap_box: w.and_then(|w| w.overlap_box.clone()),
            facet_allowance: w.and_then(|w| w.facet_allowance),
            within_facet_error: w.is_some_and(|w| w.within_facet_error),
            rule: self.rule.clone(),
            baseline: self.baseline.clone(),
            accepted: self.accepted.clone(),
            group: self.group.clone(),
        }
    }

    /// Numbers of the segments that the row names, from 1.
    fn segments(&self) -> impl Iterator<Item = u32> {
        let parts = self.intervals.iter().flatten().map(|part| part.segment);
        parts.chain(self.worst.iter().map(|w| w.segment)).chain(self.open.iter().map(|cell| cell.segment)).flatten()
    }

    fn swept(&self, values: &Values<'_>, segments: u32) -> Result<SweptPair, String> {
        let mm = |x: Option<f64>| values.reader.mm(x.unwrap_or(0.0));
        let failing = |part: &RawInterval| -> Result<FailingPart, String> {
            Ok(FailingPart {
                status: status_of(&part.status)?,
                from: values.span(part.segment, &part.from)?,
                to: values.span(part.segment, &part.to)?,
                throughout: part.throughout,
            })
        };
        let failing = self.intervals.as_ref().map(|parts| parts.iter().map(failing).collect()).transpose()?;
        let curve = self.curve.as_ref().map(|steps| steps.iter().map(|step| step.settled(values)).collect());
        let first = self.first.as_ref().map(|first| values.span(first.segment, &first.at_bracket)).transpose()?;
        let worst = self.worst.as_ref().map(|w| values.point(w.segment, &w.at)).transpose()?;
        Ok(SweptPair {
            proved: self.proved,
            worst,
            first,
            failing,
            open: self.open.iter().map(|cell| values.span(cell.segment, &cell.joints)).collect::<Result<_, _>>()?,
            open_count: self.open_count,
            tests: self.tests.unwrap_or(0),
            cells: self.cells.unwrap_or(0),
            margin: mm(self.margin),
            segments,
            failing_travel: mm(self.failing_travel),
            curve: curve.transpose()?,
        })
    }
}

impl RawStep {
    fn settled(&self, values: &Values<'_>) -> Result<CurvePart, String> {
        let end = |name: &String, from: f64| self.to.get(name).copied().unwrap_or(from);
        let ends: Ends = self.from.iter().map(|(name, from)| (name.clone(), [*from, end(name, *from)])).collect();
        let [lower, upper] = self.gap_bracket.map(|bound| bound.map(|x| values.reader.mm(x)));
        Ok(CurvePart { span: values.span(self.segment, &ends)?, lower, upper })
    }
}
