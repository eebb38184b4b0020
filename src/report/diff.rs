//! Writes the comparison of `interfere diff`.

use crate::assembly::Level;
use crate::check::{AS_DRAWN, Relation, Status, pair_id};
use crate::findings::diff::Compared;
use crate::findings::run_view::Row;
use crate::findings::{Change, Diff, Metric, Report, Severity};
use crate::geom::unit::format_number;
use crate::geom::{Bounds, LengthUnit};
use crate::json::write::write_json;
use crate::report::number::{count, length, volume, volume_text};
use crate::report::table::{MAX_NAME, MAX_ROWS, grid};
use crate::report::text::{Paint, painted, shown, within};
use serde::Serialize;
use std::io::{self, Write};

/// Headings of the changes; the column of the runs is omitted without a change in one.
pub(super) const HEADINGS: [&str; 7] = ["change", "a", "b", RUN, "was", "is", "also changed"];

/// Heading of the poses and sweeps.
pub(super) const RUN: &str = "run";

/// Pose or sweep of a change.
pub(super) fn run_of(change: &Compared<'_>) -> String {
    shown(change.run.unwrap_or(AS_DRAWN)).into_owned()
}

/// Writes the comparison for people: failing changes first.
///
/// # Errors
/// Returns the writer's error.
pub fn render_table(diff: &Diff<'_>, colour: bool, out: &mut dyn Write) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    for (word, report) in [("old", diff.old), ("new", diff.new)] {
        let findings = findings_of(report);
        let instances = count(report.instances() as u64, "instance");
        let (file, name) = (shown(&report.file), shown(&report.name));
        writeln!(out, "{word}: {file} ({name}): {instances}, {}", count(findings, "finding"))?;
    }
    let tolerances = [diff.old, diff.new].map(|r| r.units.format_length(r.settings.tolerance));
    if diff.old.settings.tolerance != diff.new.settings.tolerance {
        writeln!(out, "tolerance: {} in the old report, {} in the new", tolerances[0], tolerances[1])?;
    }
    rows(diff, colour, &mut out)?;
    let counts: Vec<_> = Change::ALL.into_iter().map(|c| format!("{} {}", diff.count(c), c.name())).collect();
    writeln!(out, "\n{}", counts.join(", "))?;
    if diff.fails() {
        let failing = diff.pairs.iter().filter(|p| p.fails()).count() as u64;
        let (are, what) = (if failing == 1 { "is" } else { "are" }, "new, worse or not comparable");
        writeln!(out, "{}: {} {are} {what}", painted("FAIL", Paint::Bad, colour), count(failing, "finding"))?;
    } else {
        writeln!(out, "{}: {}", painted("PASS", Paint::Good, colour), passing(diff))?;
    }
    out.flush()
}

/// Reason of a comparison that passes.
pub(super) fn passing(diff: &Diff<'_>) -> &'static str {
    if diff.pairs.iter().any(|p| p.change.fails()) {
        "new and worse findings have the severity `warning`"
    } else {
        "no finding is new or worse"
    }
}

/// Number of findings of a report, in the drawing and in each pose and sweep.
pub(super) fn findings_of(report: &Report) -> u64 {
    report.view().all_rows().filter(|(_, row)| row.status.fails()).count() as u64
}

fn rows(diff: &Diff<'_>, colour: bool, out: &mut impl Write) -> io::Result<()> {
    let mut pairs: Vec<_> = diff.pairs.iter().filter(|p| p.change != Change::Same).collect();
    pairs.sort_by_key(|p| p.change);
    if pairs.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let of_runs = diff.names_runs();
    let headings: Vec<&str> = HEADINGS.into_iter().filter(|h| of_runs || *h != RUN).collect();
    let mut table = grid(&headings, &[]);
    let listed = &pairs[..pairs.len().min(MAX_ROWS)];
    for p in listed {
        let [a, b] = p.ids.map(|id| within(&shown(id), MAX_NAME).into_owned());
        let by = shown_metrics(p);
        let is = match &p.note {
            Some(note) => shown(note).into_owned(),
            None => p.new.as_ref().map(|r| state(r, by, diff.new.units)).unwrap_or_default(),
        };
        let causes: Vec<_> = p.causes.iter().map(|c| c.text()).collect();
        let run = of_runs.then(|| run_of(p));
        let cells = [p.change.name().to_owned(), a, b].into_iter().chain(run).chain([
            p.old.as_ref().map(|r| state(r, by, diff.old.units)).unwrap_or_default(),
            is,
            causes.join(", "),
        ]);
        table.add_row(cells);
    }
    for (line, text) in table.lines().enumerate() {
        let text = text.trim_end();
        let Some(pair) = line.checked_sub(1).and_then(|k| listed.get(k)) else {
            writeln!(out, "{}", painted(text, Paint::Bold, colour))?;
            continue;
        };
        let name = pair.change.name();
        let paint = match pair.change {
            _ if pair.fails() => Paint::Bad,
            c if c.fails() || c == Change::Unverified => Paint::Warn,
            _ => Paint::Good,
        };
        writeln!(out, "{}{}", painted(name, paint, colour), text.strip_prefix(name).unwrap_or(text))?;
    }
    if pairs.len() > listed.len() {
        writeln!(out, "and {} more (--format json lists them)", pairs.len() - listed.len())?;
    }
    Ok(())
}

/// Volume, separating translation and failing travel, each true if the change names it.
pub(super) fn shown_metrics(change: &Compared<'_>) -> [bool; 3] {
    [Metric::Volume, Metric::Penetration, Metric::Travel].map(|m| change.measures.contains(&m))
}

/// Status, depth or gap, and relation of a pair; if asked, also its common volume, its separating translation and its
/// failing travel.
pub(super) fn state(row: &Row<'_>, [by_volume, by_translation, by_travel]: [bool; 3], units: LengthUnit) -> String {
    let number = match row.extent {
        Some(Severity::Depth(depth, Some(shared))) if by_volume => {
            format!(" {} deep, common volume {}", units.format_length(depth), volume_text(shared.volume, units))
        }
        Some(Severity::Depth(depth, _)) => format!(" {} deep", units.format_length(depth)),
        Some(Severity::Gap(gap)) => format!(" {} apart", units.format_length(gap)),
        Some(Severity::Largest(gap)) => format!(" {} apart", units.format_length(gap.lower)),
        Some(Severity::Bracket(Bounds { lower: low, upper: high })) => {
            format!(" {} to {}", format_number(length(low, units)), units.format_length(high))
        }
        None => String::new(),
    };
    let translation = row.penetration.filter(|_| by_translation);
    let translation = translation.map(|mm| format!(", separated by {}", units.format_length(mm))).unwrap_or_default();
    let travel = row.travel.filter(|_| by_travel);
    let travel = travel.map(|mm| format!(", fails over {}", units.format_length(mm))).unwrap_or_default();
    let relation = match row.relation {
        Some(Relation::AContainsB) => ", b in a",
        Some(Relation::BContainsA) => ", a in b",
        Some(Relation::Coincident) => ", coincident",
        _ => "",
    };
    let level = if row.level == Some(Level::Warning) { " (warning)" } else { "" };
    format!("{}{level}{number}{translation}{travel}{relation}", row.status.name())
}

/// Writes the comparison as JSON.
///
/// # Errors
/// Returns the writer's error.
pub fn render_json(diff: &Diff<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_json(&Document::new(diff), out)
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    old: Side<'a>,
    new: Side<'a>,
    summary: Summary,
    pairs: Vec<Pair<'a>>,
}

#[derive(Serialize)]
struct Side<'a> {
    file: &'a str,
    name: &'a str,
    units: &'static str,
    tolerance: f64,
}

#[derive(Serialize)]
struct Summary {
    verdict: &'static str,
    new: usize,
    worse: usize,
    unmeasured: usize,
    unverified: usize,
    better: usize,
    fixed: usize,
    same: usize,
}

#[derive(Serialize)]
struct Pair<'a> {
    id: String,
    a: &'a str,
    b: &'a str,
    /// Omitted for the drawing.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<&'a str>,
    change: &'static str,
    measures: Vec<&'static str>,
    causes: Vec<&'static str>,
    note: Option<&'a str>,
    old: Option<State>,
    new: Option<State>,
}

#[derive(Serialize)]
struct State {
    status: &'static str,
    relation: Option<&'static str>,
    gap: Option<f64>,
    gap_bracket: Option<Bounds>,
    penetration_depth: Option<f64>,
    overlap_volume: Option<f64>,
    /// Omitted for other rows than those of a sweep.
    #[serde(skip_serializing_if = "Option::is_none")]
    failing_travel: Option<f64>,
}

impl State {
    fn new(row: &Row<'_>, units: LengthUnit) -> Self {
        let shared = match row.extent {
            Some(Severity::Depth(_, shared)) => shared,
            _ => None,
        };
        let bracket = match row.extent {
            Some(Severity::Bracket(bracket)) if row.status == Status::Undecided => Some(bracket),
            _ => None,
        };
        Self {
            status: row.status.name(),
            relation: row.relation.map(Relation::name),
            gap: row.gap.map(|mm| length(mm, units)),
            gap_bracket: bracket.map(|b| b.map(|mm| length(mm, units))),
            penetration_depth: row.penetration.map(|mm| length(mm, units)),
            overlap_volume: shared.map(|s| volume(s.volume, units)),
            failing_travel: row.travel.map(|mm| length(mm, units)),
        }
    }
}

impl<'a> Document<'a> {
    fn new(diff: &'a Diff<'a>) -> Self {
        let side = |r: &'a Report| Side {
            file: &r.file,
            name: &r.name,
            units: r.units.name(),
            tolerance: length(r.settings.tolerance, r.units),
        };
        let pairs = diff.pairs.iter().filter(|p| p.change != Change::Same).map(|p| Pair {
            id: pair_id(p.ids[0], p.ids[1]),
            a: p.ids[0],
            b: p.ids[1],
            run: p.run,
            change: p.change.name(),
            measures: p.measures.iter().map(|m| m.name()).collect(),
            causes: p.causes.iter().map(|c| c.name()).collect(),
            note: p.note.as_deref(),
            old: p.old.as_ref().map(|r| State::new(r, diff.old.units)),
            new: p.new.as_ref().map(|r| State::new(r, diff.new.units)),
        });
        Self {
            version: 1,
            old: side(diff.old),
            new: side(diff.new),
            summary: Summary {
                verdict: if diff.fails() { "fail" } else { "pass" },
                new: diff.count(Change::New),
                worse: diff.count(Change::Worse),
                unmeasured: diff.count(Change::Unmeasured),
                unverified: diff.count(Change::Unverified),
                better: diff.count(Change::Better),
                fixed: diff.count(Change::Fixed),
                same: diff.count(Change::Same),
            },
            pairs: pairs.collect(),
        }
    }
}
