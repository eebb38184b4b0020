//! The report as Markdown, for a job's summary or a comment on a pull request: it fits into either, whatever was found.

use crate::check::{Outcome, Status};
use crate::findings::{Entry, Groups, Judged};
use crate::report::number::count;
use crate::report::rows::{self, HEADINGS};
use crate::report::sentence::{clipped, verdict};
use crate::report::table::against;
use crate::report::text::shown;
use std::fmt::Write as _;
use std::io::{self, Write};

/// A comment holds 65 536 characters, a job's summary 1 MiB; bytes are no fewer than characters. Some room is left for what
/// others put around it.
pub const MAX_BYTES: usize = 60_000;

/// At most this many lines are listed.
pub const MAX_ROWS: usize = 50;

/// Writes the report.
///
/// # Errors
/// As the writer says.
pub fn render(judged: &Judged, out: &mut dyn Write) -> io::Result<()> {
    let o = &judged.outcome;
    let mut text = String::new();
    head(judged, &mut text);
    changes(judged, &mut text);
    let tail = funnel(o) + &warnings(o);
    // Of limited size itself: few lines of short names.
    findings(judged, MAX_BYTES - tail.len(), &mut text);
    text.push_str(&tail);
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writing to a String cannot fail.
macro_rules! line {
    ($out:expr, $($format:tt)*) => { { let _ = writeln!($out, $($format)*); } };
}

fn head(judged: &Judged, out: &mut String) {
    let o = &judged.outcome;
    let word = if judged.fails() { "FAIL" } else { "PASS" };
    line!(out, "## interfere: {word}: {}\n", code(&o.name));
    line!(out, "{}\n", verdict(judged));
    line!(
        out,
        "{}, {}, geometry {}",
        count(o.parts.len() as u64, "part"),
        count(o.instances.len() as u64, "instance"),
        o.settings.geometry.name()
    );
}

/// What changed since the findings were accepted, where it is known what was accepted.
fn changes(judged: &Judged, out: &mut String) {
    let Some(baseline) = &judged.baseline else { return };
    line!(out, "\nAgainst {}: {}", code(&baseline.file), against(baseline));
}

fn findings(judged: &Judged, budget: usize, out: &mut String) {
    let groups = Groups::new(judged);
    let entries = rows::entries(judged, Some(&groups));
    if entries.is_empty() {
        return;
    }
    let likely = &entries[..entries.len().min(MAX_ROWS)];
    let cells: Vec<_> = likely.iter().map(|e| rows::cells(judged, e)).collect();
    let used = rows::used(&cells);
    line!(out, "\n| {} |", used.iter().map(|k| HEADINGS[*k]).collect::<Vec<_>>().join(" | "));
    let rule = |k: &usize| if rows::is_number(*k) { " ---: |" } else { " --- |" };
    line!(out, "|{}", used.iter().map(rule).collect::<String>());
    let mut told = 0;
    for row in &cells {
        let line = used.iter().map(|k| cell(*k, &row[*k])).collect::<Vec<_>>().join(" | ");
        // Some bytes for the sentences below.
        if out.len() + line.len() + 600 > budget {
            break;
        }
        line!(out, "| {line} |");
        told += 1;
    }
    after(&judged.outcome, &entries, told, out);
}

/// What the list leaves out, and what its rows stand for.
fn after(o: &Outcome, entries: &[Entry<'_>], told: usize, out: &mut String) {
    let (listed, rest) = entries.split_at(told);
    if !rest.is_empty() {
        line!(out, "\nand {} more: {}", rows::rows_of(rest), rows::by_status(o, rest));
    }
    if listed.iter().any(|e| e.group.is_some()) {
        line!(out, "\nGrouped rows show their worst pair.");
    }
}

/// What users wrote as code, the rest as text.
fn cell(column: usize, text: &str) -> String {
    match HEADINGS[column] {
        _ if text.is_empty() => String::new(),
        "status" => format!("**{text}**"),
        "a" | "b" | "moves b into" | "rule" => code(text),
        _ => inert(text),
    }
}

/// Which stage cleared how many pairs.
fn funnel(o: &Outcome) -> String {
    let mut out = String::new();
    line!(out, "\n<details><summary>Pairs by status and stage</summary>\n");
    line!(out, "| pairs | |\n| ---: | --- |");
    line!(out, "| {} | in all |", o.possible_pairs);
    line!(out, "| {} | ignored |", o.counts.ignored);
    let by = &o.cleared_by;
    for (name, n) in [("aabb", by.aabb), ("obb", by.obb), ("hull", by.hull), ("pieces", by.pieces), ("exact", by.exact)]
    {
        if n > 0 {
            line!(out, "| {n} | cleared by {name} |");
        }
    }
    for status in Status::ALL.into_iter().filter(|s| !matches!(s, Status::Clear | Status::Ignored)) {
        if o.counts.of(status) > 0 {
            line!(out, "| {} | {} |", o.counts.of(status), status.name());
        }
    }
    line!(out, "\n</details>");
    out
}

/// The first warnings, and how many more there are.
fn warnings(o: &Outcome) -> String {
    const LISTED: usize = 10;
    let mut out = String::new();
    if o.warnings.is_empty() {
        return out;
    }
    line!(out, "\n<details><summary>{}</summary>\n", count(o.warnings.len() as u64, "warning"));
    for w in &o.warnings[..o.warnings.len().min(LISTED)] {
        line!(out, "- {}", code(&w.to_string()));
    }
    if o.warnings.len() > LISTED {
        line!(out, "- and {} more", o.warnings.len() - LISTED);
    }
    line!(out, "\n</details>");
    out
}

/// What a user wrote, shown as it is: no mark, no link, nobody who is told of it; mentions are not looked for in code.
fn code(name: &str) -> String {
    format!("<code>{}</code>", inert(&clipped(&shown(name))))
}

/// A text that means nothing but itself: all that Markdown or HTML could take for a mark is a character reference, which
/// they never do. Links are also made of `www.` and of `:` after a scheme.
fn inert(text: &str) -> String {
    let link = text.to_ascii_lowercase().contains("www.");
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '.' if !link => out.push(c),
            ' ' | '-' | '/' | ',' | '(' | ')' | '+' => out.push(c),
            c if c.is_ascii_punctuation() => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}
