//! Writes GitHub workflow commands: annotations of a job and of the lines they name.
//!
//! A step shows at most ten errors, ten warnings and ten notices. The report shows the worst nine and counts the rest.

use crate::assembly::Level;
use crate::check::RunOutcome;
use crate::findings::{Entry, Groups, Judged, groups, rank};
use crate::report::location::{self, Place};
use crate::report::number::{count, count_of};
use crate::report::rows;
use crate::report::sentence::{sentence_of, verdict};
use crate::report::text::shown;
use std::io::{self, BufWriter, Write};

/// Largest number of annotated errors, and of annotated warnings.
pub const MAX_ANNOTATIONS: usize = 9;

/// Largest length of a message (characters); longer messages are cut.
const MAX_MESSAGE: usize = 2000;

/// Annotations that a step still shows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// Number of errors.
    pub errors: usize,
    /// Number of warnings.
    pub warnings: usize,
}

impl Room {
    /// Room of a step, without the annotation of each kind for the count of the others.
    pub(crate) const STEP: Self = Self { errors: MAX_ANNOTATIONS, warnings: MAX_ANNOTATIONS };

    /// Separates an equal share for the first of some assemblies, rounded up.
    pub(crate) fn share(&mut self, assemblies: usize) -> Self {
        let share = |left: &mut usize| {
            let share = left.div_ceil(assemblies.max(1));
            *left -= share;
            share
        };
        Self { errors: share(&mut self.errors), warnings: share(&mut self.warnings) }
    }

    /// Takes back the rest of a share.
    pub(crate) fn give_back(&mut self, share: Self) {
        self.errors += share.errors;
        self.warnings += share.warnings;
    }

    /// Takes up to `wanted` annotations of a level; returns their number.
    pub(crate) fn take(&mut self, level: Level, wanted: usize) -> usize {
        let left = match level {
            Level::Error => &mut self.errors,
            Level::Warning => &mut self.warnings,
        };
        let taken = wanted.min(*left);
        *left -= taken;
        taken
    }
}

/// Number of findings and warnings without an annotation.
#[derive(Debug, Default)]
pub(crate) struct Unlisted {
    /// Failing pairs of the drawing.
    pub pairs: usize,
    /// Failing poses and sweeps.
    pub runs: usize,
    /// Assemblies without a verdict.
    pub assemblies: usize,
    /// Warnings of the run that fail.
    pub failing_warnings: usize,
    /// Findings with severity `warning`, and other warnings of the run.
    pub warnings: usize,
}

/// Writes the report.
///
/// # Errors
/// Returns the writer's error.
pub fn render(judged: &Judged, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    let (mut room, mut unlisted) = (Room::STEP, Unlisted::default());
    annotations(judged, &mut room, &mut unlisted, &mut out)?;
    unlisted.render(&mut out)?;
    notice(judged, &mut out)?;
    out.flush()
}

/// Writes the verdict of an assembly.
pub(crate) fn notice(judged: &Judged, out: &mut impl Write) -> io::Result<()> {
    let name = format!("interfere: {} {}", if judged.fails() { "FAIL" } else { "PASS" }, judged.outcome.name);
    command("notice", None, &name, &verdict(judged), out)
}

/// Writes the annotations of an assembly as far as there is room, and counts the others.
pub(crate) fn annotations(
    judged: &Judged,
    room: &mut Room,
    unlisted: &mut Unlisted,
    out: &mut impl Write,
) -> io::Result<()> {
    findings(judged, room, unlisted, out)?;
    for (run, one) in judged.outcome.runs().iter().zip(judged.runs()) {
        of_run(run, &one, room, unlisted, out)?;
    }
    warnings(judged, room, unlisted, out)
}

impl Unlisted {
    /// Writes the counts of the findings without an annotation, one line for errors and one for warnings.
    pub(crate) fn render(&self, out: &mut impl Write) -> io::Result<()> {
        let failing = [
            (self.pairs, "more pair fails", "more pairs fail"),
            (self.runs, "more pose or sweep fails", "more poses and sweeps fail"),
            (self.assemblies, "more assembly without a verdict", "more assemblies without a verdict"),
            (self.failing_warnings, "more warning fails", "more warnings fail"),
        ];
        let failing = failing.iter().filter(|(n, ..)| *n > 0).map(|(n, one, many)| count_of(*n as u64, one, many));
        let failing: Vec<String> = failing.collect();
        if !failing.is_empty() {
            let text = format!("{} (a step shows ten annotations; --format json lists every pair)", failing.join(", "));
            command("error", None, "interfere", &text, out)?;
        }
        if self.warnings > 0 {
            let text = format!("{} (--format json lists them all)", count(self.warnings as u64, "more warning"));
            command("warning", None, "interfere", &text, out)?;
        }
        Ok(())
    }
}

fn findings(judged: &Judged, room: &mut Room, unlisted: &mut Unlisted, out: &mut impl Write) -> io::Result<()> {
    let groups = Groups::new(judged);
    let entries = open_entries(judged, Level::Error, &groups);
    let (listed, rest) = entries.split_at(room.take(Level::Error, entries.len()));
    unlisted.pairs += rows::rows_of(rest);
    annotate("error", judged, listed, out)
}

/// Writes one annotation for the findings of a pose or a sweep, at its line, with the worst pair.
fn of_run(
    run: &RunOutcome,
    judged: &Judged,
    room: &mut Room,
    unlisted: &mut Unlisted,
    out: &mut impl Write,
) -> io::Result<()> {
    let groups = Groups::new(judged);
    for (kind, level) in [("error", Level::Error), ("warning", Level::Warning)] {
        let entries = open_entries(judged, level, &groups);
        let Some(worst) = entries.first() else { continue };
        if room.take(level, 1) == 0 {
            match level {
                Level::Error => unlisted.runs += 1,
                Level::Warning => unlisted.warnings += rows::rows_of(&entries),
            }
            continue;
        }
        let at = Some(&run.at).filter(|at| !at.file.is_empty());
        let at = at.map(|at| Place { file: &at.file, line: at.line.unwrap_or(1) });
        let text = format!("{}: {}", rows::by_status(&judged.outcome, &entries), sentence_of(judged, worst));
        command(kind, at, &format!("run {}", run.name), &text, out)?;
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
fn warnings(judged: &Judged, room: &mut Room, unlisted: &mut Unlisted, out: &mut impl Write) -> io::Result<()> {
    let o = &judged.outcome;
    let (kind, level) = if judged.strict { ("error", Level::Error) } else { ("warning", Level::Warning) };
    let groups = Groups::new(judged);
    let entries = open_entries(judged, Level::Warning, &groups);
    let (shown, rest) = entries.split_at(room.take(Level::Warning, entries.len()));
    annotate("warning", judged, shown, out)?;
    let (listed, others) = o.warnings.split_at(room.take(level, o.warnings.len()));
    for w in listed {
        let at = w.at.as_ref().filter(|at| !at.file.is_empty());
        let at = at.map(|at| Place { file: &at.file, line: at.line.unwrap_or(1) });
        let part = w.part.as_ref().map(|p| format!("part {p}: ")).unwrap_or_default();
        command(kind, at, w.code.name(), &format!("{part}{}", w.message), out)?;
    }
    unlisted.warnings += rows::rows_of(rest);
    match level {
        Level::Error => unlisted.failing_warnings += others.len(),
        Level::Warning => unlisted.warnings += others.len(),
    }
    Ok(())
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
