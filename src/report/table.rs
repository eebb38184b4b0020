//! Writes the report for people: findings, worst first, then allowed pairs; contacts are only counted.

use crate::assembly::{Geometry, Level};
use crate::check::{Outcome, Status};
use crate::findings::{BaselineOutcome, BaselineStatus, Entry, Groups, Judged, ResolvedFinding};
use crate::geom::unit::format_number;
use crate::report::Style;
use crate::report::number::{as_given, count, length_text};
use crate::report::rows::{self, HEADINGS};
use crate::report::text::{Paint, painted, shown, within};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use std::borrow::Cow;
use std::io::{self, Write};

/// Largest number of listed rows; people stop reading beyond it. The JSON report lists all.
pub const MAX_ROWS: usize = 50;

/// Largest length of a name in a column (characters); the lines below the table show whole names.
pub(crate) const MAX_NAME: usize = 60;

/// Note below a table or page with groups.
pub(crate) const GROUPED: &str = "grouped rows show their worst pair; use --expand to list every pair";

/// Largest number of listed unverified entries.
pub(crate) const MAX_GONE: usize = 10;

/// Writes the report.
///
/// # Errors
/// Returns the writer's error.
pub fn render(judged: &Judged, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let outcome = &judged.outcome;
    let mut out = io::BufWriter::new(out);
    head(outcome, &mut out)?;
    let groups = (!style.expand).then(|| Groups::new(judged));
    let entries = rows::entries(judged, groups.as_ref());
    let (listed, rest) = entries.split_at(entries.len().min(MAX_ROWS));
    if !listed.is_empty() {
        writeln!(out)?;
        lines(judged, listed, style.colour, &mut out)?;
    }
    if !rest.is_empty() {
        let (n, by_status) = (rows::rows_of(rest), rows::by_status(outcome, rest));
        writeln!(out, "and {n} more: {by_status} (--format json lists them)")?;
    }
    if listed.iter().any(|e| e.group.is_some()) {
        writeln!(out, "{GROUPED}")?;
    }
    writeln!(out)?;
    foot(judged, style.colour, &mut out)?;
    out.flush()
}

/// Writes the size of the assembly and the settings.
fn head(o: &Outcome, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "{} ({}): {}, {}, {}",
        shown(&o.name),
        shown(&o.path),
        count(o.parts.len() as u64, "part"),
        count(o.instances.len() as u64, "instance"),
        count(o.possible_pairs, "pair"),
    )?;
    let meaning = match o.settings.geometry {
        Geometry::Hull => "convex hulls replace the parts; concavities count as solid".to_owned(),
        Geometry::Decomposition => {
            let reach = o.parts.iter().filter_map(|p| p.epsilon).fold(0.0, f64::max);
            format!("convex pieces replace each part and overshoot it by up to {}", length_text(reach, o.units))
        }
        Geometry::Exact => "the triangles themselves decide".to_owned(),
    };
    writeln!(out, "geometry: {}: {meaning}", o.settings.geometry.name())?;
    let tolerance = format_number(as_given(o.settings.tolerance, o.units));
    writeln!(out, "tolerance: {tolerance} {}: overlap no deeper than this is contact", o.units.name())
}

fn lines(judged: &Judged, entries: &[Entry<'_>], colour: bool, out: &mut impl Write) -> io::Result<()> {
    let cells: Vec<_> = entries.iter().map(|e| rows::cells(judged, e)).collect();
    // Omits empty columns; the three columns of the pair always have text.
    let used = rows::used(&cells);
    let headings: Vec<_> = used.iter().map(|k| HEADINGS[*k]).collect();
    let numbers: Vec<_> = (0..used.len()).filter(|k| rows::is_number(used[*k])).collect();
    let mut table = grid(&headings, &numbers);
    for row in &cells {
        table.add_row(used.iter().map(|k| fitted(*k, &row[*k])));
    }
    for (line, text) in table.lines().enumerate() {
        let text = text.trim_end();
        let Some(entry) = line.checked_sub(1).and_then(|k| entries.get(k)) else {
            writeln!(out, "{}", painted(text, Paint::Bold, colour))?;
            continue;
        };
        // Colours the text after the layout: the table counts columns, not escape sequences.
        let status = judged.outcome.pairs[entry.row].status;
        let name = status.name();
        let paint = match judged.status_of(entry.row) {
            Some(BaselineStatus::Accepted) => Paint::Warn,
            _ if judged.severity_of(entry.row) == Some(Level::Warning) => Paint::Warn,
            _ if status.fails() => Paint::Bad,
            _ => Paint::Good,
        };
        writeln!(out, "{}{}", painted(name, paint, colour), text.strip_prefix(name).unwrap_or(text))?;
    }
    Ok(())
}

/// Shortens a cell: one long name would push all other columns out of sight.
fn fitted(column: usize, text: &str) -> Cow<'_, str> {
    match HEADINGS[column] {
        "a" | "b" => within(text, MAX_NAME),
        "moves b into" => within(text, 2 * MAX_NAME),
        _ => Cow::Borrowed(text),
    }
}

/// Empty table without lines: a row of headings, two blanks between columns, `numbers` aligned to the right. One line
/// is one row, for `grep`.
pub(crate) fn grid(headings: &[&str], numbers: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(headings.iter().copied());
    for (k, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if numbers.contains(&k) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Describes the contacts due to their facets alone: number and largest depth.
fn by_facets(o: &Outcome) -> Option<String> {
    let granted: Vec<_> = o.pairs.iter().filter(|p| p.status == Status::Contact && p.within_facet_error).collect();
    let deepest = granted.iter().filter_map(|p| p.overlap_depth).fold(0.0, f64::max);
    let (exceed, them) = if granted.len() == 1 { ("exceeds", "it") } else { ("exceed", "them") };
    let depth = match granted.len() {
        0 => return None,
        // A run with `--verdict-only` has no depths.
        _ if deepest <= 0.0 => String::new(),
        1 => format!(" ({} deep)", length_text(deepest, o.units)),
        _ => format!(" (up to {} deep)", length_text(deepest, o.units)),
    };
    Some(format!(
        "{} {exceed} the tolerance only by tessellation error{depth}; --facets strict reports {them} as interference",
        count(granted.len() as u64, "contact"),
    ))
}

/// Writes the counts, the stages and the verdict.
fn foot(judged: &Judged, colour: bool, out: &mut impl Write) -> io::Result<()> {
    let o = &judged.outcome;
    if let Some(line) = by_facets(o) {
        writeln!(out, "{line}")?;
    }
    let counts: Vec<_> = Status::ALL.into_iter().map(|s| format!("{} {}", o.counts.of(s), s.name())).collect();
    writeln!(out, "{}: {}", count(o.possible_pairs, "pair"), counts.join(", "))?;
    let stages: Vec<_> = o
        .cleared_by
        .named()
        .into_iter()
        // Omits the pieces and exact stages if they cleared no pair.
        .filter(|(name, n)| *n > 0 || matches!(*name, "aabb" | "obb" | "hull"))
        .map(|(name, n)| format!("{n} by {name}"))
        .collect();
    writeln!(out, "cleared: {}", stages.join(", "))?;
    if !o.warnings.is_empty() {
        writeln!(out, "{}", painted(&count(o.warnings.len() as u64, "warning"), Paint::Warn, colour))?;
    }
    against_baseline(judged, out)?;
    verdict(judged, colour, out)
}

/// Writes the comparison with the baseline, and the next steps.
fn against_baseline(judged: &Judged, out: &mut impl Write) -> io::Result<()> {
    let Some(baseline) = &judged.baseline else { return Ok(()) };
    writeln!(out, "baseline {}: {}", shown(&baseline.file), against(baseline))?;
    if baseline.counts.unmeasured > 0 {
        writeln!(out, "  unmeasured: run without --verdict-only to compare the depths with the accepted ones")?;
    }
    let line =
        |g: &ResolvedFinding| format!("{} and {}, {}: {}", shown(&g.a), shown(&g.b), g.status.name(), shown(&g.why));
    let unverified: Vec<_> = baseline.gone.iter().filter(|g| !g.fixed).collect();
    for gone in unverified.iter().take(MAX_GONE) {
        writeln!(out, "  unverified: {}", line(gone))?;
    }
    if unverified.len() > MAX_GONE {
        writeln!(out, "  and {} more unverified (--format json lists them)", unverified.len() - MAX_GONE)?;
    }
    if baseline.fixed() > 0 {
        writeln!(
            out,
            "  fixed: `interfere accept {} --prune` removes them from the baseline",
            shown(&judged.outcome.path)
        )?;
    }
    Ok(())
}

/// Number of findings of each baseline status.
pub(crate) fn against(baseline: &BaselineOutcome) -> String {
    let of_findings = BaselineStatus::ALL.into_iter().map(|s| (baseline.counts.of(s), s.name()));
    let counts = of_findings.chain([(baseline.fixed(), "fixed"), (baseline.unverified(), "unverified")]);
    let counts: Vec<_> = counts.filter(|(n, _)| *n > 0).map(|(n, name)| format!("{n} {name}")).collect();
    if counts.is_empty() { "no accepted finding".to_owned() } else { counts.join(", ") }
}

/// Number of findings with severity `warning`, to follow other counts; empty for none.
fn with_warnings(n: u64) -> String {
    if n == 0 { String::new() } else { format!(", {} with severity warning", count(n, "finding")) }
}

/// Writes the verdict, the last line.
fn verdict(judged: &Judged, colour: bool, out: &mut impl Write) -> io::Result<()> {
    let accepted = judged.baseline.as_ref().map_or(0, |b| b.counts.accepted);
    let note = |text: String| if text.is_empty() { text } else { format!(": {text}") };
    let failing = judged.failing();
    if failing > 0 {
        let verb = if failing == 1 { "fails" } else { "fail" };
        let warnings = judged.open_warnings();
        let others = match judged.findings() - failing - warnings {
            0 => String::new(),
            n => format!(", {}", count(n, "accepted finding")),
        };
        let others = others + &with_warnings(warnings);
        return writeln!(out, "{}: {} {verb}{others}", painted("FAIL", Paint::Bad, colour), count(failing, "pair"));
    }
    let warnings = judged.open_warnings();
    let passing = match judged.findings() {
        0 => String::new(),
        n if n == warnings => with_warnings(n).trim_start_matches(", ").to_owned(),
        n if n == accepted + warnings => count(accepted, "accepted finding") + &with_warnings(warnings),
        n => format!("{}; none fails with --fail-on {}", count(n, "finding"), judged.fail_on.name()),
    };
    writeln!(out, "{}{}", painted("PASS", Paint::Good, colour), note(passing))
}
