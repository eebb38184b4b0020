//! Writes the parts of the page that need no scripts: table, pictures, warnings.

use crate::findings::{Entry, Groups, Judged, RowNumbers};
use crate::page::{Found, MAX_PICTURES, MAX_ROWS, Options};
use crate::picture::{self, Format};
use crate::report::caption::run_place;
use crate::report::motion;
use crate::report::number::count;
use crate::report::rows::{self, HEADINGS, is_number};
use crate::report::sentence::{sentence, sentence_of};
use crate::report::xml;
use crate::scene::{RunFinding, Scene, SceneFinding};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rayon::prelude::*;
use std::fmt::Write as _;

/// Size of a picture in the page (pixels).
const PICTURE: [usize; 2] = [960, 480];

/// Text for an element or an attribute in quotes; control and direction characters are spelt out.
pub(crate) fn escaped(text: &str) -> String {
    xml::escaped(text).replace('\'', "&#39;")
}

/// Entries of findings, in their order.
fn entries<'g>(findings: &[SceneFinding], groups: &'g Groups) -> Vec<Entry<'g>> {
    findings.iter().map(|f| Entry { row: f.row, group: groups.of(f.row) }).collect()
}

/// Table of the worst findings of the drawing, and one of each pose and sweep with findings.
pub(crate) fn tables(judged: &Judged, found: &Found<'_>) -> String {
    let numbers = RowNumbers::new(judged, &Groups::new(judged));
    let mut out = table(judged, &numbers, found.findings);
    for (k, run) in judged.outcome.runs().iter().enumerate() {
        let of_run = found.run_findings.iter().filter(|f| f.run == k).map(|f| f.finding.clone());
        let findings: Vec<SceneFinding> = of_run.collect();
        if !findings.is_empty() {
            let heading = escaped(&motion::heading(&judged.outcome, run));
            // Writing to a String cannot fail.
            let _ = write!(out, "<h2>{heading}</h2>\n{}", table(&found.runs[k], &RowNumbers::default(), &findings));
        }
    }
    out
}

/// Table of the worst findings. Rows of a run have no numbers.
fn table(judged: &Judged, numbers: &RowNumbers, findings: &[SceneFinding]) -> String {
    let groups = Groups::new(judged);
    let all = entries(findings, &groups);
    if all.is_empty() {
        let drawn = if judged.outcome.runs().is_empty() { "" } else { " as drawn" };
        return format!("<p>No pair fails{drawn}.</p>\n");
    }
    let (listed, rest) = all.split_at(all.len().min(MAX_ROWS));
    let prefix = rows::common_prefix(&judged.outcome, listed);
    let cells = rows::cells(judged, listed, numbers, prefix);
    let columns = rows::used(&cells);
    let mut out = String::from("<table>\n");
    if !prefix.is_empty() {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "<caption>Ids begin with {}</caption>", escaped(prefix));
    }
    let class = |k: usize| if is_number(k) { " class=\"number\"" } else { "" };
    let head = columns.iter().map(|k| format!("<th scope=\"col\"{}>{}</th>", class(*k), HEADINGS[*k]));
    let head = head.collect::<Vec<_>>().concat();
    let _ = writeln!(out, "<thead><tr>{head}</tr></thead>\n<tbody>");
    for row in &cells {
        let cell = |k: &usize| format!("<td{}>{}</td>", class(*k), escaped(&row[*k]));
        let _ = writeln!(out, "<tr>{}</tr>", columns.iter().map(cell).collect::<Vec<_>>().concat());
    }
    out.push_str("</tbody>\n</table>\n");
    if !rest.is_empty() {
        let n = count(rest.len() as u64, "more line");
        let _ = writeln!(out, "<p>and {n}: {}</p>", escaped(&rows::by_status(&judged.outcome, rest)));
    }
    out
}

/// Pictures of the worst findings: those of the drawing, then those of the poses and sweeps.
pub(crate) fn pictures(scene: &Scene, judged: &Judged, found: &Found<'_>, options: &Options) -> String {
    let groups = Groups::new(judged);
    let most = options.pictures.min(MAX_PICTURES);
    let drawn = &found.findings[..found.findings.len().min(most)];
    let of_runs = &found.run_findings[..found.run_findings.len().min(most - drawn.len())];
    let all = entries(drawn, &groups);
    let format = Format { width: PICTURE[0], height: PICTURE[1], up: options.up };
    let one = |(f, entry): (&SceneFinding, &Entry<'_>)| {
        figure(&sentence_of(judged, entry), &picture::of_finding(scene, judged, f, &format))
    };
    let of_run = |f: &RunFinding| {
        let one = &found.runs[f.run];
        let place = run_place(judged, one, f.run, f.finding.row);
        let said = format!("{place}: {}", sentence(one, f.finding.row));
        figure(&said, &picture::of_run_finding(scene, judged, one, f, &format))
    };
    let mut pictures: Vec<String> = drawn.par_iter().zip(&all).map(one).collect();
    pictures.extend(of_runs.par_iter().map(of_run).collect::<Vec<_>>());
    let mut out = pictures.concat();
    let rest = found.findings.len() + found.run_findings.len() - pictures.len();
    if rest > 0 && !pictures.is_empty() {
        let _ = writeln!(out, "<p>{} without a picture in this page.</p>", count(rest as u64, "more line"));
    }
    out
}

/// A picture below its sentence.
fn figure(said: &str, png: &[u8]) -> String {
    let (said, [width, height]) = (escaped(said), PICTURE);
    format!(
        "<details open><summary>{said}</summary>\n<img alt=\"{said}\" width=\"{width}\" height=\"{height}\" \
         src=\"data:image/png;base64,{}\"></details>\n",
        STANDARD.encode(png)
    )
}

/// List of the warnings; empty without one.
pub(crate) fn warnings(judged: &Judged) -> String {
    let warnings = &judged.outcome.warnings;
    if warnings.is_empty() {
        return String::new();
    }
    let items = warnings.iter().map(|w| format!("<li>{}</li>\n", escaped(&w.to_string())));
    let items = items.collect::<Vec<_>>().concat();
    format!("<h2>Warnings</h2>\n<ul>\n{items}</ul>\n")
}
