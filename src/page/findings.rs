//! Converts findings to lines of the page's JSON.

use crate::assembly::Level;
use crate::check::{PairOutcome, Progress, Stage, pair_id};
use crate::findings::{BaselineStatus, Entry, Groups, Judged, RowNumbers, Severity};
use crate::geom::Vec3;
use crate::page::motion::RunOfLine;
use crate::page::{MAX_LISTED, MAX_VIEWS, Options};
use crate::report::caption::caption;
use crate::report::number::{length, length_text, volume};
use crate::report::rows;
use crate::report::sentence::sentence_of;
use crate::report::text::shown;
use crate::scene::{Overlaps, Scene, SceneFinding, View, choose};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;

/// Width over height of a panel, as in the pictures of [`crate::picture::draw`].
const RATIO: f64 = 640.0 / 562.0;

/// Largest number of segments of a crossing line: 100 kB of text.
const MAX_SEGMENTS: usize = 2_000;

/// A finding, or a group with its worst pair. Points and vectors in mm, root frame.
#[derive(Debug, Serialize)]
pub(crate) struct Line {
    /// Pair's id.
    id: String,
    /// Number of the line in the table.
    row: Option<u32>,
    status: &'static str,
    severity: Option<&'static str>,
    /// Standing in the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<&'static str>,
    /// Indices of the two instances.
    pair: [u32; 2],
    /// Ids of the two instances without the common beginning of all ids.
    names: [String; 2],
    /// Other pairs of the group.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    members: Vec<Member>,
    sentence: String,
    /// Lines below the names: numbers, proposed move or reason, rule.
    lines: Vec<String>,
    /// Labelled texts of the report.
    facts: Vec<(&'static str, String)>,
    /// Depth, volume and gap in the assembly's unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    volume: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<f64>,
    focus: Focus,
    /// Proposed move.
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Move>,
    /// Required gap (mm).
    #[serde(skip_serializing_if = "Option::is_none")]
    demanded: Option<f64>,
    /// Segments in which the surfaces cross, for a pair without a common solid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    crossing: Vec<[[f64; 3]; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    views: Option<Views>,
    /// Pose or sweep; absent for the drawing.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunOfLine>,
}

impl Line {
    /// The line as one of a pose or sweep: with its own id, without a number.
    pub(crate) fn of_run(self, run: RunOfLine, lines: Vec<String>, place: &str) -> Self {
        let id = format!("{}-{}", self.id, &blake3::hash(run.name().as_bytes()).to_hex()[..12]);
        let sentence = format!("{place}: {}", self.sentence);
        Self { id, row: None, sentence, lines, run: Some(run), ..self }
    }
}

#[derive(Debug, Serialize)]
struct Member {
    id: String,
    pair: [u32; 2],
}

#[derive(Debug, Serialize)]
struct Focus {
    point: [f64; 3],
    #[serde(skip_serializing_if = "Option::is_none")]
    thin: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    apart: Option<[[f64; 3]; 2]>,
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    overlap: Option<[[f64; 3]; 2]>,
}

#[derive(Debug, Serialize)]
struct Move {
    /// 0 if A moves, 1 if B moves.
    side: u8,
    by: [f64; 3],
}

#[derive(Debug, Serialize)]
struct Views {
    overlap: ViewRow,
    section: ViewRow,
    #[serde(rename = "where")]
    whole: ViewRow,
}

#[derive(Debug, Serialize)]
struct ViewRow {
    right: [f64; 3],
    up: [f64; 3],
    into: [f64; 3],
    centre: [f64; 3],
    size: [f64; 2],
}

impl ViewRow {
    fn new(view: &View) -> Self {
        let size = view.size.map(short);
        let [right, up, into] = [view.right, view.up, view.into].map(|v| direction(&v));
        Self { right, up, into, centre: point(&view.centre), size }
    }
}

/// Rounds a length to 10⁻⁷ mm; −0 becomes 0.
pub(crate) fn short(mm: f64) -> f64 {
    let rounded = libm::round(mm * 1e7) / 1e7;
    // Beyond 10⁹ mm the product may overflow the digits.
    if rounded.is_finite() { rounded + 0.0 } else { mm }
}

pub(crate) fn point(p: &Vec3) -> [f64; 3] {
    [p.x, p.y, p.z].map(short)
}

/// Rounds the coordinates of a unit vector to 10⁻¹².
pub(crate) fn direction(v: &Vec3) -> [f64; 3] {
    [v.x, v.y, v.z].map(|x| libm::round(x * 1e12) / 1e12 + 0.0)
}

/// Lines of the worst [`MAX_LISTED`] findings, with views for the worst [`MAX_VIEWS`].
pub(crate) fn lines(
    scene: &Scene,
    judged: &Judged,
    findings: &[SceneFinding],
    options: &Options,
    progress: &dyn Progress,
) -> Vec<Line> {
    let o = &judged.outcome;
    let listed = &findings[..findings.len().min(MAX_LISTED)];
    let groups = Groups::new(judged);
    let numbers = RowNumbers::new(judged, &groups);
    let entries: Vec<Entry<'_>> = listed.iter().map(|f| Entry { row: f.row, group: groups.of(f.row) }).collect();
    let prefix = rows::common_prefix(o, &entries);
    let cells = rows::cells(judged, &entries, &numbers, prefix);
    let crossings = crossings(scene, listed);
    progress.begin(Stage::Page, listed.len() as u64);
    let line = |k: usize| {
        progress.advance(1);
        let (f, entry, cells) = (&listed[k], &entries[k], &cells[k]);
        let p = &o.pairs[f.row];
        let views = (k < MAX_VIEWS).then(|| {
            let views = choose(scene, f.pair, &f.focus, f.demanded, options.up, RATIO);
            let [overlap, section, whole] = [views.space, views.section, views.whole].map(|v| ViewRow::new(&v));
            Views { overlap, section, whole }
        });
        let members = entry.group.map_or_else(Vec::new, |g| {
            let others = g.members.iter().map(|m| &o.pairs[*m as usize]);
            let member = |p: &PairOutcome| Member { id: pair_id(o.id(p.a), o.id(p.b)), pair: [p.a.0, p.b.0] };
            others.map(member).collect()
        });
        let of = |heading: &str| {
            let column = rows::HEADINGS.iter().position(|h| *h == heading);
            column.map_or_else(String::new, |k| cells[k].clone())
        };
        let depth = p.overlap_depth.filter(|d| *d > 0.0);
        Line {
            id: pair_id(o.id(p.a), o.id(p.b)),
            row: numbers.of(f.row).map(|n| n.row),
            status: p.status.name(),
            severity: judged.severity_of(f.row).map(Level::name),
            baseline: judged.status_of(f.row).map(BaselineStatus::name),
            pair: [p.a.0, p.b.0],
            names: [p.a, p.b].map(|i| shown(o.id(i).strip_prefix(prefix).unwrap_or(o.id(i))).into_owned()),
            members,
            sentence: sentence_of(judged, entry),
            lines: caption(judged, f.row, f.rows, f.pair.map(|i| scene.shape_of(i).solid)),
            facts: facts(judged, entry, &of),
            depth: depth.map(|mm| length(mm, o.units)),
            volume: p.overlap_volume.filter(|v| *v > 0.0).map(|v| volume(v, o.units)),
            gap: p.gap.filter(|g| *g >= 0.0).map(|g| length(g, o.units)),
            focus: Focus {
                point: point(&f.focus.point),
                thin: f.focus.thin.map(|t| direction(&t)),
                depth: f.focus.depth.map(short),
                apart: f.focus.apart.map(|ends| ends.map(|p| point(&p))),
                overlap: f.focus.overlap.map(|b| [point(&b.min), point(&b.max)]),
            },
            moves: f.way_out.map(|(i, by)| Move { side: u8::from(i == p.b), by: point(&by) }),
            demanded: f.demanded.map(short),
            crossing: crossings.get(&k).cloned().unwrap_or_default(),
            views,
            run: None,
        }
    };
    (0..listed.len()).into_par_iter().map(line).collect()
}

/// Crossing lines of the findings with a mesh without an inside: no red shows their place.
fn crossings(scene: &Scene, listed: &[SceneFinding]) -> BTreeMap<usize, Vec<[[f64; 3]; 2]>> {
    let open = |f: &SceneFinding| f.pair.iter().any(|i| !scene.shape_of(*i).solid);
    let rows: Vec<usize> = (0..listed.len()).filter(|k| open(&listed[*k])).collect();
    let found: Vec<SceneFinding> = rows.iter().map(|k| listed[*k].clone()).collect();
    let overlaps = Overlaps::new(scene, &found);
    let line = |k: usize| overlaps.crossing(k).iter().take(MAX_SEGMENTS).map(|s| s.each_ref().map(point)).collect();
    rows.iter().enumerate().map(|(n, k)| (*k, line(n))).collect()
}

/// Labelled texts about a line, in the words of the table.
fn facts(judged: &Judged, entry: &Entry<'_>, of: &dyn Fn(&str) -> String) -> Vec<(&'static str, String)> {
    let mut facts = vec![("depth", of("depth")), ("gap", of("gap")), ("volume", of("volume"))];
    facts.push(("baseline", standing(judged, entry.row).unwrap_or_default()));
    facts.push(("relation", of("relation")));
    facts.push(("at", of("at")));
    facts.push(("moves into", of("moves into")));
    if let Some(group) = entry.group {
        facts.push(("group", format!("worst of {} such pairs", group.members.len())));
    }
    facts.retain(|(_, text)| !text.is_empty());
    facts
}

/// Standing in the baseline, with the accepted and the present length: `worse: was 0.12 mm, is 0.2 mm`.
fn standing(judged: &Judged, row: usize) -> Option<String> {
    let o = &judged.outcome;
    let p = &o.pairs[row];
    let name = judged.status_of(row)?.name();
    let text = |mm: f64| length_text(mm, o.units);
    if let Some([now, before]) = rows::paths(judged, row) {
        return Some(format!("{name}: failed over {before}, fails over {now}"));
    }
    let change = match judged.accepted(row).and_then(|a| a.extent) {
        Some(Severity::Depth(before, _)) => p.overlap_depth.map(|now| (before, now)),
        Some(Severity::Gap(before)) => p.gap.map(|now| (before, now)),
        Some(Severity::Largest(before)) => p.gap_bracket.map(|now| (before.lower, now.lower)),
        _ => None,
    };
    Some(match change {
        Some((before, now)) => format!("{name}: was {}, is {}", text(before), text(now)),
        None => name.to_owned(),
    })
}
