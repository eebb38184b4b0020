//! Writes the comparison of `interfere diff` as Markdown of limited size, for a comment on a pull request.

use crate::findings::diff::Compared;
use crate::findings::{Change, Diff};
use crate::report::diff::{HEADINGS, RUN, findings_of, passing, run_of, shown_metrics, state};
use crate::report::markdown::{MAX_BYTES, MAX_ROWS, code, inert, line};
use crate::report::number::count;
use crate::report::text::shown;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Space for the last sentence (bytes).
const TAIL: usize = 200;

/// Writes the comparison: the verdict, the failing changes, then the other changes in a folded list.
///
/// # Errors
/// Returns the writer's error.
pub fn render(diff: &Diff<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut text = String::new();
    head(diff, &mut text);
    let mut pairs: Vec<_> = diff.pairs.iter().filter(|p| p.change != Change::Same).collect();
    pairs.sort_by_key(|p| p.change);
    let (failing, others): (Vec<_>, Vec<_>) = pairs.into_iter().partition(|p| p.fails());
    table(diff, &failing, &mut text);
    if !others.is_empty() {
        line!(text, "\n<details><summary>{}</summary>", count(others.len() as u64, "other change"));
        table(diff, &others, &mut text);
        line!(text, "\n</details>");
    }
    out.write_all(text.as_bytes())?;
    out.flush()
}

fn head(diff: &Diff<'_>, out: &mut String) {
    let failing = diff.pairs.iter().filter(|p| p.fails()).count() as u64;
    line!(out, "## interfere: changes of {}\n", code(&diff.new.name));
    if failing == 0 {
        line!(out, "**PASS**: {}.\n", passing(diff));
    } else {
        let are = if failing == 1 { "is" } else { "are" };
        line!(out, "**FAIL**: {} {are} new, worse or not comparable.\n", count(failing, "finding"));
    }
    let changed = Change::ALL.into_iter().filter(|c| diff.count(*c) > 0);
    let counts: Vec<_> = changed.map(|c| format!("{} {}", diff.count(c), c.name())).collect();
    let before = findings_of(diff.old);
    line!(
        out,
        "{} before, {} now{}{}",
        count(before, "finding"),
        findings_of(diff.new),
        if counts.is_empty() { "" } else { ": " },
        counts.join(", ")
    );
    let [old, new] = [diff.old, diff.new].map(|r| r.units.format_length(r.settings.tolerance));
    if diff.old.settings.tolerance != diff.new.settings.tolerance {
        line!(out, "\nTolerance: {} before, {} now", inert(&old), inert(&new));
    }
}

/// Writes as many rows as the size limit permits, and the number of the others.
fn table(diff: &Diff<'_>, pairs: &[&Compared<'_>], out: &mut String) {
    if pairs.is_empty() {
        return;
    }
    let headings: Vec<&str> = HEADINGS.into_iter().filter(|h| diff.names_runs() || *h != RUN).collect();
    line!(out, "\n| {} |\n|{}", headings.join(" | "), " --- |".repeat(headings.len()));
    let mut listed = 0;
    for pair in &pairs[..pairs.len().min(MAX_ROWS)] {
        let row = row(diff, pair);
        if out.len() + row.len() + TAIL > MAX_BYTES {
            break;
        }
        line!(out, "{row}");
        listed += 1;
    }
    if listed < pairs.len() {
        line!(out, "\nand {} more", pairs.len() - listed);
    }
}

fn row(diff: &Diff<'_>, pair: &Compared<'_>) -> String {
    let by = shown_metrics(pair);
    let was = pair.old.as_ref().map(|r| state(r, by, diff.old.units)).unwrap_or_default();
    let is = match &pair.note {
        Some(note) => code(note),
        None => pair.new.as_ref().map(|r| inert(&state(r, by, diff.new.units))).unwrap_or_default(),
    };
    let causes: Vec<_> = pair.causes.iter().map(|c| c.text()).collect();
    let [a, b] = pair.ids.map(|id| code(&shown(id)));
    let run = if diff.names_runs() { format!(" {} |", code(&run_of(pair))) } else { String::new() };
    let (change, was, causes) = (pair.change.name(), inert(&was), inert(&causes.join(", ")));
    format!("| **{change}** | {a} | {b} |{run} {was} | {is} | {causes} |")
}
