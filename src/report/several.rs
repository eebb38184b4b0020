//! Writes the report of several assemblies, in each format; an assembly without a verdict has its problems in place of
//! a report.

use crate::assembly::Level;
use crate::error::{Error, Problem};
use crate::findings::Judged;
use crate::json::write::write_lines;
use crate::report::github::{Room, Unlisted};
use crate::report::json::Document;
use crate::report::junit::Suite;
use crate::report::markdown::{self, MAX_BYTES, code, inert};
use crate::report::number::{count, count_of};
use crate::report::sarif::collector;
use crate::report::table::{failure, passing};
use crate::report::text::{Paint, painted, shown};
use crate::report::{Format, PictureFiles, PictureLinks, Style, csv, github, junit, sarif, table};
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};
use std::io::{self, Write};

/// Least number of bytes of one assembly in a Markdown report.
const LEAST_BYTES: usize = 2000;

/// Number of assemblies from which they have no notices of their own: a step shows ten.
const MAX_NOTICES: usize = 10;

/// Text before the file name of each picture; `None` for a report without links.
pub type LinkPrefix<'a> = Option<&'a str>;

/// One assembly of a run over several.
#[derive(Debug)]
pub struct Checked {
    /// Path of the assembly file as given, with `/`.
    pub path: String,
    /// Result of its check; the problems of an assembly without a verdict.
    pub result: Result<Judged, Error>,
    /// Pictures of its findings.
    pub pictures: PictureFiles,
}

impl Checked {
    /// Word for the result: `pass`, `fail` or `error`.
    pub fn verdict(&self) -> &'static str {
        match &self.result {
            Ok(judged) if judged.fails() => "fail",
            Ok(_) => "pass",
            Err(_) => "error",
        }
    }

    /// Links to its pictures.
    fn links<'a>(&'a self, prefix: LinkPrefix<'a>) -> PictureLinks<'a> {
        prefix.map_or_else(PictureLinks::default, |prefix| PictureLinks::new(&self.pictures, prefix))
    }

    /// Reason of the result in one line; empty for a pass without findings.
    fn why(&self) -> String {
        match &self.result {
            Ok(judged) if judged.fails() => failure(judged),
            Ok(judged) => passing(judged),
            Err(error) => {
                let first = error.problems.first().map(ToString::to_string).unwrap_or_default();
                match error.problems.len().saturating_sub(1) {
                    0 => first,
                    more => format!("{first} (and {})", count(more as u64, "more problem")),
                }
            }
        }
    }
}

/// Writes the report of several assemblies.
///
/// # Errors
/// Returns the writer's error.
pub fn render(
    all: &[Checked],
    format: Format,
    style: Style,
    links: LinkPrefix<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Table => tables(all, style, out),
        Format::Json => write_lines(&Several(all), 2, out),
        Format::Sarif => sarif::write_log(all.iter().map(|one| run_of(one, links)).collect(), out),
        Format::Junit => {
            let runs: Vec<Vec<Judged>> =
                all.iter().map(|one| one.result.as_ref().map_or_else(|_| Vec::new(), Judged::runs)).collect();
            let suites = all.iter().zip(&runs).flat_map(move |(one, runs)| {
                let own = one.links(links);
                let of_runs = runs.iter().enumerate().map(move |(k, run)| Suite::Judged(run, own.of_run(k)));
                std::iter::once(suite_of(one, links)).chain(of_runs)
            });
            junit::document(&suites.collect::<Vec<_>>(), out)
        }
        Format::Github => annotations(all, out),
        Format::Markdown => pages(all, links, out),
        Format::Csv => {
            let judged = all.iter().filter_map(|one| Some((one.path.as_str(), one.result.as_ref().ok()?)));
            csv::render_several(judged, out)
        }
    }
}

/// Counts the assemblies of each verdict: `3 assemblies: 1 pass, 1 fail, 1 error`.
fn totals(all: &[Checked]) -> String {
    let counts = ["pass", "fail", "error"].map(|verdict| {
        let n = all.iter().filter(|one| one.verdict() == verdict).count();
        (n > 0).then(|| format!("{n} {verdict}"))
    });
    let counts: Vec<_> = counts.into_iter().flatten().collect();
    let assemblies = if all.len() == 1 { "assembly" } else { "assemblies" };
    format!("{} {assemblies}: {}", all.len(), counts.join(", "))
}

/// Writes the summary: a line for each assembly, then the totals.
///
/// # Errors
/// Returns the writer's error.
pub fn summary(all: &[Checked], colour: bool, out: &mut dyn Write) -> io::Result<()> {
    for one in all {
        let (word, paint) = match one.verdict() {
            "pass" => ("PASS ", Paint::Good),
            "fail" => ("FAIL ", Paint::Bad),
            _ => ("ERROR", Paint::Bad),
        };
        let why = one.why();
        let colon = if why.is_empty() { "" } else { ": " };
        writeln!(out, "{}  {}{colon}{}", painted(word, paint, colour), shown(&one.path), shown(&why))?;
    }
    writeln!(out, "{}", totals(all))
}

fn tables(all: &[Checked], style: Style, out: &mut dyn Write) -> io::Result<()> {
    for one in all {
        match &one.result {
            Ok(judged) => table::render(judged, style, out)?,
            Err(error) => {
                writeln!(out, "{}: no verdict", shown(&one.path))?;
                error.problems.iter().try_for_each(|p| writeln!(out, "  {}", shown(&p.to_string())))?;
            }
        }
        writeln!(out)?;
    }
    summary(all, style.colour, out)?;
    out.flush()
}

/// Writes the verdicts, then a page for each assembly, as many as fit into [`MAX_BYTES`].
fn pages(all: &[Checked], links: LinkPrefix<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut text = format!("## interfere: {}\n\n| verdict | assembly | |\n| --- | --- | --- |\n", totals(all));
    let more = |n: usize| format!("\n{} not shown here\n", count_of(n as u64, "more assembly", "more assemblies"));
    for (k, one) in all.iter().enumerate() {
        let row = format!("| **{}** | {} | {} |\n", one.verdict(), code(&one.path), inert(&shown(&one.why())));
        if text.len() + row.len() > MAX_BYTES / 2 {
            text += &more(all.len() - k);
            break;
        }
        text += &row;
    }
    let budget = (MAX_BYTES / all.len().max(1)).max(LEAST_BYTES);
    let judged: Vec<_> = all.iter().filter_map(|one| Some((one.result.as_ref().ok()?, one.links(links)))).collect();
    for (k, (one, links)) in judged.iter().enumerate() {
        let page = format!("\n{}", markdown::page(one, *links, budget));
        let note = more(judged.len() - k);
        if text.len() + page.len() + note.len() > MAX_BYTES {
            text += &note;
            break;
        }
        text += &page;
    }
    out.write_all(text.as_bytes())?;
    out.flush()
}

fn annotations(all: &[Checked], mut out: &mut dyn Write) -> io::Result<()> {
    let (mut room, mut unlisted) = (Room::STEP, Unlisted::default());
    // Assemblies without a verdict come first; the others share what remains of a step.
    for (one, error) in all.iter().filter_map(|one| Some((one, one.result.as_ref().err()?))) {
        if room.take(Level::Error, 1) > 0 {
            annotate(one, error, &mut out)?;
        } else {
            unlisted.assemblies += 1;
        }
    }
    let judged: Vec<&Judged> = all.iter().filter_map(|one| one.result.as_ref().ok()).collect();
    for (k, one) in judged.iter().enumerate() {
        let mut own = room.share(judged.len() - k);
        github::annotations(one, &mut own, &mut unlisted, &mut out)?;
        room.give_back(own);
        if judged.len() < MAX_NOTICES {
            github::notice(one, &mut out)?;
        }
    }
    unlisted.render(&mut out)?;
    github::command("notice", None, "interfere", &totals(all), &mut out)?;
    out.flush()
}

/// Writes an annotation for an assembly without a verdict, at its first problem.
fn annotate(one: &Checked, error: &Error, mut out: &mut dyn Write) -> io::Result<()> {
    use crate::report::location::Place;
    let at = error.problems.first().map(|p| &p.at).filter(|at| !at.file.is_empty());
    let file = at.map_or(one.path.as_str(), |at| &at.file);
    let at = Place { file, line: at.and_then(|at| at.line).unwrap_or(1) };
    github::command("error", Some(at), &format!("interfere: no verdict: {}", one.path), &one.why(), &mut out)
}

fn run_of(one: &Checked, links: LinkPrefix<'_>) -> sarif::model::Run {
    let run = match &one.result {
        Ok(judged) => collector::run(judged, one.links(links)),
        Err(error) => collector::failed_run(error),
    };
    collector::named(&one.path, run)
}

fn suite_of<'a>(one: &'a Checked, links: LinkPrefix<'a>) -> Suite<'a> {
    match &one.result {
        Ok(judged) => Suite::Judged(judged, one.links(links)),
        Err(error) => Suite::Failed(&one.path, error),
    }
}

/// The JSON report of several assemblies.
struct Several<'a>(&'a [Checked]);

impl Serialize for Several<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let verdicts: Vec<_> = self.0.iter().map(Checked::verdict).collect();
        let worst = ["error", "fail"].into_iter().find(|v| verdicts.contains(v)).unwrap_or("pass");
        let mut map = serializer.serialize_struct("Several", 3)?;
        map.serialize_field("version", &1)?;
        map.serialize_field("verdict", worst)?;
        map.serialize_field("assemblies", &List(self.0))?;
        map.end()
    }
}

struct List<'a>(&'a [Checked]);

impl Serialize for List<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|one| Row {
            path: &one.path,
            verdict: one.verdict(),
            problems: one.result.as_ref().err().map(|e| e.problems.iter().map(ProblemRow::new).collect()),
            report: one.result.as_ref().ok().map(Document),
        }))
    }
}

#[derive(Serialize)]
struct Row<'a> {
    path: &'a str,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    problems: Option<Vec<ProblemRow<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<Document<'a>>,
}

/// A problem; keys of a missing location are omitted, as for warnings.
#[derive(Serialize)]
struct ProblemRow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    json_path: Option<&'a str>,
    message: String,
}

impl<'a> ProblemRow<'a> {
    fn new(problem: &'a Problem) -> Self {
        let at = &problem.at;
        let fix = if problem.fix.is_empty() { String::new() } else { format!("; {}", problem.fix) };
        Self {
            file: Some(at.file.as_str()).filter(|f| !f.is_empty()),
            line: at.line,
            column: at.column,
            json_path: at.json_path.as_deref(),
            message: format!("{}{fix}", problem.what),
        }
    }
}
