//! Writes the parts of the page that need no scripts: table, pictures, warnings.

use crate::findings::{Entry, Groups, Judged, RowNumbers};
use crate::page::{MAX_PICTURES, MAX_ROWS, Options};
use crate::picture::{self, Format};
use crate::report::number::count;
use crate::report::rows::{self, HEADINGS, is_number};
use crate::report::sentence::sentence_of;
use crate::report::xml;
use crate::scene::{Scene, SceneFinding};
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

/// Table of the worst findings.
pub(crate) fn table(judged: &Judged, findings: &[SceneFinding]) -> String {
    let groups = Groups::new(judged);
    let numbers = RowNumbers::new(judged, &groups);
    let all = entries(findings, &groups);
    if all.is_empty() {
        return "<p>No pair fails.</p>\n".to_owned();
    }
    let (listed, rest) = all.split_at(all.len().min(MAX_ROWS));
    let prefix = rows::common_prefix(&judged.outcome, listed);
    let cells = rows::cells(judged, listed, &numbers, prefix);
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

/// Pictures of the worst findings.
pub(crate) fn pictures(scene: &Scene, judged: &Judged, findings: &[SceneFinding], options: &Options) -> String {
    let groups = Groups::new(judged);
    let drawn = &findings[..findings.len().min(options.pictures.min(MAX_PICTURES))];
    let all = entries(drawn, &groups);
    let format = Format { width: PICTURE[0], height: PICTURE[1], up: options.up };
    let one = |(f, entry): (&SceneFinding, &Entry<'_>)| {
        let said = sentence_of(judged, entry);
        let png = picture::of_finding(scene, judged, f, &format);
        let (said, [width, height]) = (escaped(&said), PICTURE);
        format!(
            "<details open><summary>{said}</summary>\n<img alt=\"{said}\" width=\"{width}\" height=\"{height}\" \
             src=\"data:image/png;base64,{}\"></details>\n",
            STANDARD.encode(png)
        )
    };
    let pictures: Vec<String> = drawn.par_iter().zip(&all).map(one).collect();
    let mut out = pictures.concat();
    if findings.len() > drawn.len() && !drawn.is_empty() {
        let n = count((findings.len() - drawn.len()) as u64, "more line");
        let _ = writeln!(out, "<p>{n} without a picture in this page.</p>");
    }
    out
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
