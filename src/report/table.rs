//! Writes the report for people: findings, worst first, then allowed pairs; contacts are only counted.

use crate::assembly::{Geometry, Level};
use crate::check::{Outcome, Status};
use crate::findings::{BaselineOutcome, BaselineStatus, Entry, Groups, Judged, ResolvedFinding, RowNumbers};
use crate::geom::unit::format_number;
use crate::report::Style;
use crate::report::motion;
use crate::report::number::{as_given, count, length_text};
use crate::report::rows;
use crate::report::table_layout::Layout;
use crate::report::text::{Paint, painted, shown};
use crate::report::wrap::{MIN_WIDTH, wrapped};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use std::io::{self, Write};

/// Default of the largest number of listed rows; people stop reading beyond it. The JSON report lists all.
pub const MAX_ROWS: usize = 50;

/// Largest length of a name in a column of other tables (characters).
pub(crate) const MAX_NAME: usize = 60;

/// Note below a table or page with groups.
pub(crate) const GROUPED: &str = "grouped rows show their worst pair; use --expand to list every pair";

/// Largest number of listed unverified entries.
pub(crate) const MAX_GONE: usize = 10;

/// Note below a table with several equal culprits in a row.
const EQUAL: &str = "NAME (N) stands for N equal parts with the same failures";

/// Writes the report.
///
/// # Errors
/// Returns the writer's error.
pub fn render(judged: &Judged, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let outcome = &judged.outcome;
    let mut out = Page { out: io::BufWriter::new(out), width: style.width.max(MIN_WIDTH), colour: style.colour };
    head(outcome, &mut out)?;
    let numbers = RowNumbers::new(judged, &Groups::new(judged));
    listing(judged, &numbers, style, &mut out)?;
    if !judged.outcome.is_without_drawing() {
        out.text("")?;
        tally(judged, &mut out)?;
    }
    runs(judged, style, &mut out)?;
    foot(judged, &mut out)?;
    out.out.flush()
}

/// Writes a block for each pose and sweep.
fn runs(judged: &Judged, style: Style, out: &mut Page<impl Write>) -> io::Result<()> {
    let outcomes = judged.runs();
    for (run, one) in judged.outcome.runs().iter().zip(&outcomes) {
        out.text("")?;
        out.text(&motion::heading(&judged.outcome, run))?;
        // A number names a pair of the drawing.
        listing(one, &RowNumbers::default(), style, out)?;
        if !one.outcome.pairs.is_empty() {
            out.text("")?;
        }
        if let Some(why) = &run.undecided_because {
            out.text(&format!("undecided: {why}"))?;
        }
        tally(one, out)?;
        if run.cleared_by_swept_balls > 0 {
            out.text(&format!("  and {} by swept balls", run.cleared_by_swept_balls))?;
        }
    }
    if outcomes.is_empty() { Ok(()) } else { out.text("") }
}

/// Writes the rows, the number of unlisted ones, and the notes about them.
fn listing(judged: &Judged, numbers: &RowNumbers, style: Style, out: &mut Page<impl Write>) -> io::Result<()> {
    let outcome = &judged.outcome;
    let groups = Groups::new(judged);
    let entries = rows::entries(judged, (!style.expand).then_some(&groups));
    let limit = if style.limit == 0 { entries.len() } else { style.limit };
    let (listed, rest) = entries.split_at(entries.len().min(limit));
    if !listed.is_empty() {
        lines(judged, listed, numbers, out)?;
    }
    if !rest.is_empty() {
        let (n, by_status) = (rows::rows_of(rest), rows::by_status(outcome, rest));
        out.text(&format!("and {n} more: {by_status} (--limit 0 lists them)"))?;
    }
    if listed.iter().any(|e| e.group.is_some()) {
        out.text(GROUPED)?;
    }
    if listed.iter().any(|e| e.group.is_some_and(|g| g.culprits.len() > 1)) {
        out.text(EQUAL)?;
    }
    Ok(())
}

/// Page of a limited width.
struct Page<W> {
    out: W,
    /// Width of the longest line (columns).
    width: usize,
    colour: bool,
}

impl<W: Write> Page<W> {
    /// Writes a paragraph.
    fn text(&mut self, text: &str) -> io::Result<()> {
        // Two more than the indentation of a paragraph in a list.
        let hang = text.len() - text.trim_start_matches(' ').len() + 2;
        wrapped(text, hang, self.width).iter().try_for_each(|line| writeln!(self.out, "{line}"))
    }

    /// Writes a paragraph that begins with a painted word.
    fn word(&mut self, word: &str, paint: Paint, rest: &str) -> io::Result<()> {
        // Paints after the layout: the width counts columns, not escape sequences.
        for (k, line) in wrapped(&format!("{word}{rest}"), 2, self.width).iter().enumerate() {
            match line.strip_prefix(word).filter(|_| k == 0) {
                Some(rest) => writeln!(self.out, "{}{rest}", painted(word, paint, self.colour))?,
                None => writeln!(self.out, "{line}")?,
            }
        }
        Ok(())
    }
}

/// Writes the size of the assembly and the settings.
fn head(o: &Outcome, out: &mut Page<impl Write>) -> io::Result<()> {
    let pairs = if o.is_without_drawing() { String::new() } else { format!(", {}", count(o.possible_pairs, "pair")) };
    out.text(&format!(
        "{} ({}): {}, {}{pairs}",
        shown(&o.name),
        shown(&o.path),
        count(o.parts.len() as u64, "part"),
        count(o.instances.len() as u64, "instance"),
    ))?;
    let meaning = match o.settings.geometry {
        Geometry::Hull => "convex hulls replace the parts; concavities count as solid".to_owned(),
        Geometry::Decomposition => {
            let reach = o.parts.iter().filter_map(|p| p.epsilon).fold(0.0, f64::max);
            format!("convex pieces replace each part and overshoot it by up to {}", length_text(reach, o.units))
        }
        Geometry::Exact => "the triangles themselves decide".to_owned(),
    };
    out.text(&format!("geometry: {}: {meaning}", o.settings.geometry.name()))?;
    let tolerance = format_number(as_given(o.settings.tolerance, o.units));
    out.text(&format!("tolerance: {tolerance} {}: overlap no deeper than this is contact", o.units.name()))
}

fn lines(judged: &Judged, entries: &[Entry<'_>], numbers: &RowNumbers, out: &mut Page<impl Write>) -> io::Result<()> {
    let prefix = rows::common_prefix(&judged.outcome, entries);
    let cells = rows::cells(judged, entries, numbers, prefix);
    let layout = Layout::new(&cells, out.width);
    out.text("")?;
    if !prefix.is_empty() {
        out.text(&format!("ids begin with `{}`", shown(prefix)))?;
    }
    writeln!(out.out, "{}", painted(&layout.heading(), Paint::Bold, out.colour))?;
    for (entry, row) in entries.iter().zip(&cells) {
        let status = judged.outcome.pairs[entry.row].status;
        let name = status.name();
        let paint = match judged.status_of(entry.row) {
            Some(BaselineStatus::Accepted) => Paint::Warn,
            _ if judged.severity_of(entry.row) == Some(Level::Warning) => Paint::Warn,
            _ if status.fails() => Paint::Bad,
            _ => Paint::Good,
        };
        for (k, line) in layout.lines(row).iter().enumerate() {
            match line.strip_prefix(name).filter(|_| k == 0) {
                Some(rest) => writeln!(out.out, "{}{rest}", painted(name, paint, out.colour))?,
                None => writeln!(out.out, "{line}")?,
            }
        }
    }
    Ok(())
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
        // A run with `--measure none` has no depths.
        _ if deepest <= 0.0 => String::new(),
        1 => format!(" ({} deep)", length_text(deepest, o.units)),
        _ => format!(" (up to {} deep)", length_text(deepest, o.units)),
    };
    Some(format!(
        "{} {exceed} the tolerance only by tessellation error{depth}; --facets strict reports {them} as interference",
        count(granted.len() as u64, "contact"),
    ))
}

/// Writes the counts and the stages.
fn tally(judged: &Judged, out: &mut Page<impl Write>) -> io::Result<()> {
    let o = &judged.outcome;
    if let Some(line) = by_facets(o) {
        out.text(&line)?;
    }
    let counts: Vec<_> = o.counts.named().map(|(status, n)| format!("{n} {}", status.name())).collect();
    out.text(&format!("{}: {}", count(o.possible_pairs, "pair"), counts.join(", ")))?;
    let stages: Vec<_> = o
        .cleared_by
        .named()
        .into_iter()
        // Omits the pieces and exact stages if they cleared no pair.
        .filter(|(name, n)| *n > 0 || matches!(*name, "aabb" | "obb" | "hull"))
        .map(|(name, n)| format!("{n} by {name}"))
        .collect();
    out.text(&format!("cleared: {}", stages.join(", ")))
}

/// Writes the number of warnings, the comparison with the baseline and the verdict.
fn foot(judged: &Judged, out: &mut Page<impl Write>) -> io::Result<()> {
    let o = &judged.outcome;
    if !o.warnings.is_empty() {
        out.word(&count(o.warnings.len() as u64, "warning"), Paint::Warn, "")?;
    }
    against_baseline(judged, out)?;
    verdict(judged, out)
}

/// Writes the comparison with the baseline, and the next steps.
fn against_baseline(judged: &Judged, out: &mut Page<impl Write>) -> io::Result<()> {
    let Some(baseline) = &judged.baseline else { return Ok(()) };
    out.text(&format!("baseline {}: {}", shown(&baseline.file), against(baseline)))?;
    if baseline.counts.unmeasured > 0 {
        out.text(
            "  unmeasured: run without --verdict-only and --measure to compare all values with the accepted ones",
        )?;
    }
    let line = |g: &ResolvedFinding| {
        let run = g.run.as_ref().map(|run| format!(" in {}", shown(run))).unwrap_or_default();
        format!("{} and {}{run}, {}: {}", shown(&g.a), shown(&g.b), g.status.name(), shown(&g.why))
    };
    let unverified: Vec<_> = baseline.gone.iter().filter(|g| !g.fixed).collect();
    for gone in unverified.iter().take(MAX_GONE) {
        out.text(&format!("  unverified: {}", line(gone)))?;
    }
    if unverified.len() > MAX_GONE {
        out.text(&format!("  and {} more unverified (--format json lists them)", unverified.len() - MAX_GONE))?;
    }
    if baseline.fixed() > 0 {
        let path = shown(&judged.outcome.path);
        out.text(&format!("  fixed: `interfere accept {path} --prune` removes them from the baseline"))?;
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

/// Describes the failure of a gate: `3 pairs fail, 1 accepted finding`.
pub(crate) fn failure(judged: &Judged) -> String {
    let fails = |n: u64, what: &str| format!("{} {}", count(n, what), if n == 1 { "fails" } else { "fail" });
    let mut said = Vec::new();
    let failing = judged.failing();
    if failing > 0 {
        said.push(fails(failing, "pair"));
        let (others, warnings) = (judged.findings() - failing, judged.open_warnings());
        said.extend((others > warnings).then(|| count(others - warnings, "accepted finding")));
        said.extend((warnings > 0).then(|| format!("{} with severity warning", count(warnings, "finding"))));
    }
    let warnings = judged.strict_warnings();
    said.extend((warnings > 0).then(|| format!("{} with --strict", fails(warnings, "warning"))));
    said.join(", ")
}

/// Number of findings with severity `warning`, to follow other counts; empty for none.
fn with_warnings(n: u64) -> String {
    if n == 0 { String::new() } else { format!(", {} with severity warning", count(n, "finding")) }
}

/// Describes the findings of a gate that passes: `2 accepted findings`; empty without findings.
pub(crate) fn passing(judged: &Judged) -> String {
    let accepted = judged.baseline.as_ref().map_or(0, |b| b.counts.accepted);
    let warnings = judged.open_warnings();
    match judged.findings() {
        0 => String::new(),
        n if n == warnings => with_warnings(n).trim_start_matches(", ").to_owned(),
        n if n == accepted + warnings => count(accepted, "accepted finding") + &with_warnings(warnings),
        n => format!("{}; none fails with --fail-on {}", count(n, "finding"), judged.fail_on.name()),
    }
}

/// Joins the texts after a verdict; empty without any.
fn noted(said: [String; 2]) -> String {
    let said: Vec<String> = said.into_iter().filter(|said| !said.is_empty()).collect();
    if said.is_empty() { String::new() } else { format!(": {}", said.join("; ")) }
}

/// Writes the verdict, the last line.
fn verdict(judged: &Judged, out: &mut Page<impl Write>) -> io::Result<()> {
    if judged.fails() {
        return out.word("FAIL", Paint::Bad, &noted([failure(judged), motion::left_out(&judged.outcome)]));
    }
    let note = noted([passing(judged), motion::left_out(&judged.outcome)]);
    out.word("PASS", Paint::Good, &note)
}
