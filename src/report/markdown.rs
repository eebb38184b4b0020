//! Writes the report as Markdown of limited size, for a job summary or a comment on a pull request.

use crate::check::{Outcome, Status};
use crate::findings::{Entry, Groups, Judged, RowNumbers};
use crate::report::PictureLinks;
use crate::report::motion;
use crate::report::number::count;
use crate::report::rows::{self, HEADINGS};
use crate::report::sentence::{clipped, sentence, verdict};
use crate::report::table::against;
use crate::report::text::shown;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Size limit of the report (bytes). A comment takes 65 536 characters, a job summary 1 MiB, and a character has at
/// least one byte. The rest is room for surrounding text.
pub const MAX_BYTES: usize = 60_000;

/// Appends a line. Writing to a String cannot fail.
macro_rules! line {
    ($out:expr, $($format:tt)*) => { { let _ = writeln!($out, $($format)*); } };
}
pub(super) use line;

/// Note in place of the runs beyond the size limit.
const RUN_NOTE: &str = "\nThe other poses and sweeps are in the other formats.\n";

/// Largest number of listed rows.
pub const MAX_ROWS: usize = 50;

/// Writes the report.
///
/// # Errors
/// Returns the writer's error.
pub fn render(judged: &Judged, links: PictureLinks<'_>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(page(judged, links, MAX_BYTES).as_bytes())?;
    out.flush()
}

/// Builds the page of one assembly, of at most `budget` bytes beside its head and its tail of few lines.
pub(crate) fn page(judged: &Judged, links: PictureLinks<'_>, budget: usize) -> String {
    let o = &judged.outcome;
    let mut text = String::new();
    head(judged, &mut text);
    changes(judged, &mut text);
    let tail = funnel(o) + &warnings(o);
    // The tail is small: few lines of short names.
    let budget = budget.saturating_sub(tail.len());
    let numbers = RowNumbers::new(judged, &Groups::new(judged));
    findings(judged, &numbers, links, budget, &mut text);
    for (k, (run, one)) in o.runs().iter().zip(judged.runs()).enumerate() {
        let head = format!("\n### {}\n\n{}\n", inert(&motion::heading(o, run)), inert(&motion::counts(run)));
        if text.len() + head.len() + RUN_NOTE.len() > budget {
            text.push_str(RUN_NOTE);
            break;
        }
        text.push_str(&head);
        if let Some(why) = &run.undecided_because {
            line!(&mut text, "\nundecided: {}", inert(why));
        }
        // A number names a pair of the drawing.
        findings(&one, &RowNumbers::default(), links.of_run(k), budget, &mut text);
    }
    text.push_str(&tail);
    text
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

/// Writes the changes since the baseline, if the run has one.
fn changes(judged: &Judged, out: &mut String) {
    let Some(baseline) = &judged.baseline else { return };
    line!(out, "\nAgainst {}: {}", code(&baseline.file), against(baseline));
}

fn findings(judged: &Judged, numbers: &RowNumbers, links: PictureLinks<'_>, budget: usize, out: &mut String) {
    let groups = Groups::new(judged);
    let entries = rows::entries(judged, Some(&groups));
    if entries.is_empty() {
        return;
    }
    let likely = &entries[..entries.len().min(MAX_ROWS)];
    let cells = rows::cells(judged, likely, numbers, "");
    let used = rows::used(&cells);
    line!(out, "\n| {} |", used.iter().map(|k| HEADINGS[*k]).collect::<Vec<_>>().join(" | "));
    let rule = |k: &usize| if rows::is_number(*k) { " ---: |" } else { " --- |" };
    line!(out, "|{}", used.iter().map(rule).collect::<String>());
    let mut told = 0;
    for row in &cells {
        let line = used.iter().map(|k| cell(*k, &row[*k])).collect::<Vec<_>>().join(" | ");
        // 600 bytes stay free for the sentences below.
        if out.len() + line.len() + 600 > budget {
            break;
        }
        line!(out, "| {line} |");
        told += 1;
    }
    after(&judged.outcome, &entries, told, out);
    pictures(judged, &entries, numbers, links, budget, out);
}

/// Appends the pictures of the listed lines, as many as the budget allows. A group has the picture of its worst pair.
fn pictures(
    judged: &Judged,
    entries: &[Entry<'_>],
    numbers: &RowNumbers,
    links: PictureLinks<'_>,
    budget: usize,
    out: &mut String,
) {
    let o = &judged.outcome;
    let drawn = entries.iter().filter_map(|e| {
        let row = e.group.map_or(e.row, |g| g.worst as usize);
        Some((row, links.of(row)?))
    });
    let mut images = drawn.map(|(row, link)| {
        let p = &o.pairs[row];
        let number = numbers.of(row).map(|n| format!("#{} ", n.row)).unwrap_or_default();
        let said = format!("{}: {}", p.status.name(), clipped(&shown(&sentence(judged, row))));
        let [a, b] = [p.a, p.b].map(|i| code(o.id(i)));
        format!("\n{number}{a} and {b}\n\n![{}]({link})\n", inert(&said))
    });
    let head = "\n### Pictures\n";
    let Some(first) = images.next().filter(|image| out.len() + head.len() + image.len() <= budget) else { return };
    out.push_str(head);
    out.push_str(&first);
    for image in images {
        if out.len() + image.len() > budget {
            break;
        }
        out.push_str(&image);
    }
}

/// Writes the number of omitted rows, and a note about grouped rows.
fn after(o: &Outcome, entries: &[Entry<'_>], told: usize, out: &mut String) {
    let (listed, rest) = entries.split_at(told);
    if !rest.is_empty() {
        line!(out, "\nand {} more: {}", rows::rows_of(rest), rows::by_status(o, rest));
    }
    if listed.iter().any(|e| e.group.is_some()) {
        line!(out, "\nGrouped rows show their worst pair.");
    }
}

/// Formats a cell: user text as code, other text as text.
fn cell(column: usize, text: &str) -> String {
    match HEADINGS[column] {
        _ if text.is_empty() => String::new(),
        "status" => format!("**{text}**"),
        "a" | "b" | "moves into" | "rule" | "id" => code(text),
        _ => inert(text),
    }
}

/// Table of the pairs by stage and status.
fn funnel(o: &Outcome) -> String {
    let mut out = String::new();
    line!(out, "\n<details><summary>Pairs by status and stage</summary>\n");
    line!(out, "| pairs | |\n| ---: | --- |");
    line!(out, "| {} | in all |", o.possible_pairs);
    line!(out, "| {} | ignored |", o.counts.ignored);
    for (name, n) in o.cleared_by.named() {
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

/// The first warnings, and the number of the others.
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

/// User text as code, shown literally: without marks, links or mentions.
pub(crate) fn code(name: &str) -> String {
    format!("<code>{}</code>", inert(&clipped(&shown(name))))
}

/// Escapes a text: each character with a meaning in Markdown or HTML becomes a character reference, and so loses its
/// meaning. Links also arise from `www.`, and from `:` after a scheme.
pub(crate) fn inert(text: &str) -> String {
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
