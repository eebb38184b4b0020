//! Writes GitHub workflow commands: annotations of a job and of the lines they name.
//!
//! A step shows at most ten errors, ten warnings and ten notices. The report shows the worst nine and counts the rest.

use crate::assembly::Level;
use crate::check::RunOutcome;
use crate::findings::{Entry, Groups, Judged, groups, rank};
use crate::report::location::{self, Place};
use crate::report::rows;
use crate::report::sentence::{sentence_of, verdict};
use crate::report::text::shown;
use std::io::{self, BufWriter, Write};

/// Largest number of annotated errors, and of annotated warnings.
pub const MAX_ANNOTATIONS: usize = 9;

/// Largest length of a message (characters); longer messages are cut.
const MAX_MESSAGE: usize = 2000;

/// Writes the report.
///
/// # Errors
/// Returns the writer's error.
pub fn render(judged: &Judged, out: &mut dyn Write) -> io::Result<()> {
    render_within(judged, MAX_ANNOTATIONS, out)
}

/// Writes the report with at most `most` annotated errors, and as many warnings.
///
/// # Errors
/// Returns the writer's error.
pub(crate) fn render_within(judged: &Judged, most: usize, out: &mut dyn Write) -> io::Result<()> {
    let outcome = &judged.outcome;
    let mut out = BufWriter::new(out);
    findings(judged, most, &mut out)?;
    for (run, one) in outcome.runs().iter().zip(judged.runs()) {
        of_run(run, &one, most, &mut out)?;
    }
    warnings(judged, most, &mut out)?;
    let name = format!("interfere: {} {}", if judged.fails() { "FAIL" } else { "PASS" }, outcome.name);
    command("notice", None, &name, &verdict(judged), &mut out)?;
    out.flush()
}

fn findings(judged: &Judged, most: usize, out: &mut impl Write) -> io::Result<()> {
    let o = &judged.outcome;
    let groups = Groups::new(judged);
    let entries = open_entries(judged, Level::Error, &groups);
    let (told, rest) = entries.split_at(entries.len().min(most));
    annotate("error", judged, told, out)?;
    if rest.is_empty() {
        return Ok(());
    }
    let n = rows::rows_of(rest);
    let pairs = if n == 1 { "pair fails" } else { "pairs fail" };
    let said = format!(
        "{n} more {pairs}: {} (a step shows ten annotations; --format json lists every pair)",
        rows::by_status(o, rest)
    );
    command("error", None, "interfere", &said, out)
}

/// Writes one annotation for the findings of a pose or a sweep, at its line, with the worst pair.
fn of_run(run: &RunOutcome, judged: &Judged, most: usize, out: &mut impl Write) -> io::Result<()> {
    let groups = Groups::new(judged);
    for (kind, level) in [("error", Level::Error), ("warning", Level::Warning)] {
        let entries = open_entries(judged, level, &groups);
        let Some(worst) = entries.first().filter(|_| most > 0) else { continue };
        let at = Some(&run.at).filter(|at| !at.file.is_empty());
        let at = at.map(|at| Place { file: &at.file, line: at.line.unwrap_or(1) });
        let said = format!("{}: {}", rows::by_status(&judged.outcome, &entries), sentence_of(judged, worst));
        command(kind, at, &format!("run {}", run.name), &said, out)?;
    }
    Ok(())
}

/// Findings of a severity outside the baseline, worst first.
fn open_entries<'g>(judged: &Judged, level: Level, groups: &'g Groups) -> Vec<Entry<'g>> {
    let is_open = |row: usize| judged.is_open(row) && judged.severity_of(row) == Some(level);
    rows::in_groups(&rank::ranked(judged, is_open), Some(groups))
}

fn annotate(kind: &str, judged: &Judged, entries: &[Entry<'_>], out: &mut impl Write) -> io::Result<()> {
    let o = &judged.outcome;
    for (entry, [a, b]) in entries.iter().zip(groups::names(o, entries, "")) {
        let p = &o.pairs[entry.row];
        let title = format!("{}: {a}, {b}", p.status.name());
        let at = location::of(o, p.a).or_else(|| location::of(o, p.b));
        command(kind, at, &title, &sentence_of(judged, entry), out)?;
    }
    Ok(())
}

/// Writes the findings with severity `warning`, then the warnings of the run; both share one limit.
fn warnings(judged: &Judged, most: usize, out: &mut impl Write) -> io::Result<()> {
    let o = &judged.outcome;
    let kind = if judged.strict { "error" } else { "warning" };
    let groups = Groups::new(judged);
    let entries = open_entries(judged, Level::Warning, &groups);
    let (shown, more) = entries.split_at(entries.len().min(most));
    annotate("warning", judged, shown, out)?;
    let (told, rest) = o.warnings.split_at(o.warnings.len().min(most - shown.len()));
    for w in told {
        let at = w.at.as_ref().filter(|at| !at.file.is_empty());
        let at = at.map(|at| Place { file: &at.file, line: at.line.unwrap_or(1) });
        let part = w.part.as_ref().map(|p| format!("part {p}: ")).unwrap_or_default();
        command(kind, at, w.code.name(), &format!("{part}{}", w.message), out)?;
    }
    let left = rest.len() + rows::rows_of(more);
    if left == 0 {
        return Ok(());
    }
    let warnings = if left == 1 { "warning" } else { "warnings" };
    command(kind, None, "interfere", &format!("{left} more {warnings} (--format json lists them all)"), out)
}

/// Writes one command on one line.
pub(crate) fn command(
    kind: &str,
    at: Option<Place<'_>>,
    title: &str,
    message: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    write!(out, "::{kind} ")?;
    if let Some(at) = at {
        write!(out, "file={},line={},", property(at.file), at.line)?;
    }
    writeln!(out, "title={}::{}", property(title), data(message))
}

/// Escapes the message of a command.
fn data(text: &str) -> String {
    let text = shown(text);
    let text = match text.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    };
    // `shown` has escaped the line breaks.
    text.replace('%', "%25")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
