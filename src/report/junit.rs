//! Writes the report as `JUnit` XML for CI systems: a suite for the assembly, a case for each listed pair. Times are
//! omitted, so that the same input gives the same bytes.

use crate::assembly::Level;
use crate::check::Status;
use crate::error::Error;
use crate::findings::Judged;
use crate::report::PictureLinks;
use crate::report::sentence::sentence;
use crate::report::xml::escaped;
use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

/// Result of a pair's case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Failure,
    Error,
    Skipped,
    Passed,
}

fn end(judged: &Judged, row: usize) -> End {
    match judged.outcome.pairs[row].status {
        _ if judged.severity_of(row) == Some(Level::Warning) => End::Skipped,
        Status::Undecided if judged.is_open(row) => End::Error,
        status if status.fails() && judged.is_open(row) => End::Failure,
        Status::Contact | Status::Clear => End::Passed,
        // Allowed, ignored, an accepted finding, or a warning.
        _ => End::Skipped,
    }
}

/// Writes the report.
///
/// # Errors
/// Returns the writer's error.
pub fn render(judged: &Judged, links: PictureLinks<'_>, out: &mut dyn Write) -> io::Result<()> {
    let runs = judged.runs();
    let of_runs = runs.iter().enumerate().map(|(k, run)| Suite::Judged(run, links.of_run(k)));
    let suites: Vec<_> = std::iter::once(Suite::Judged(judged, links)).chain(of_runs).collect();
    document(&suites, out)
}

/// A suite of the report.
pub(crate) enum Suite<'a> {
    /// A checked assembly, with its pictures.
    Judged(&'a Judged, PictureLinks<'a>),
    /// An assembly without a verdict, by its path.
    Failed(&'a str, &'a Error),
}

impl Suite<'_> {
    /// Name of the assembly; its path without a verdict.
    fn name(&self) -> &str {
        match self {
            Self::Judged(judged, _) => &judged.outcome.name,
            Self::Failed(path, _) => path,
        }
    }

    /// Number of cases, failures, errors and skipped cases.
    fn counts(&self) -> [usize; 4] {
        let Self::Judged(judged, _) = self else { return [1, 0, 1, 0] };
        let rows = judged.outcome.pairs.len();
        let n = |wanted: End| (0..rows).filter(|row| end(judged, *row) == wanted).count();
        let strict = usize::from(judged.strict_warnings() > 0);
        [rows + strict, n(End::Failure) + strict, n(End::Error), n(End::Skipped)]
    }
}

/// Writes a document of several suites.
///
/// # Errors
/// Returns the writer's error.
pub(crate) fn document(suites: &[Suite<'_>], out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let totals = |[tests, failures, errors, _]: [usize; 4]| {
        format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"")
    };
    let all = suites.iter().map(Suite::counts).fold([0; 4], |sum, one| std::array::from_fn(|k| sum[k] + one[k]));
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"interfere\" {}>", totals(all))?;
    for suite in suites {
        let counts = suite.counts();
        let name = suite_name(suite, suites);
        let name = escaped(&name);
        writeln!(out, "  <testsuite name=\"{name}\" {} skipped=\"{}\">", totals(counts), counts[3])?;
        match suite {
            Suite::Judged(judged, links) => cases(judged, *links, &name, &mut out)?,
            Suite::Failed(_, error) => failed(error, &name, &mut out)?,
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")?;
    out.flush()
}

/// Name of a suite among others. Assemblies of one name are told apart by their paths.
fn suite_name<'a>(suite: &'a Suite<'_>, among: &[Suite<'_>]) -> Cow<'a, str> {
    let Suite::Judged(judged, _) = suite else { return suite.name().into() };
    let alike = among.iter().filter(|other| other.name() == suite.name()).count();
    if alike > 1 { format!("{} ({})", judged.outcome.name, judged.outcome.path).into() } else { suite.name().into() }
}

/// Writes the properties and the cases of a suite.
fn cases(judged: &Judged, links: PictureLinks<'_>, name: &str, out: &mut impl Write) -> io::Result<()> {
    properties(judged, out)?;
    for row in 0..judged.outcome.pairs.len() {
        case(judged, links, row, name, out)?;
    }
    if judged.strict_warnings() == 0 {
        return Ok(());
    }
    let said: Vec<_> = judged.outcome.warnings.iter().map(ToString::to_string).collect();
    write_case(out, "warnings", name, "failure", "strict", &said.join("\n"))
}

/// Writes the one case of an assembly without a verdict.
fn failed(error: &Error, name: &str, out: &mut impl Write) -> io::Result<()> {
    write_case(out, "verdict", name, "error", "no_verdict", &error.to_string())
}

fn write_case(
    out: &mut impl Write,
    case: &str,
    suite: &str,
    element: &str,
    kind: &str,
    message: &str,
) -> io::Result<()> {
    let head = format!("    <testcase name=\"{case}\" classname=\"{suite}\"");
    let message = escaped(message);
    writeln!(out, "{head}>\n      <{element} type=\"{kind}\" message=\"{message}\"/>\n    </testcase>")
}

/// Writes the properties of the run: settings, verdict, and the number of pairs of each status, including unlisted
/// pairs.
fn properties(judged: &Judged, out: &mut impl Write) -> io::Result<()> {
    let o = &judged.outcome;
    writeln!(out, "    <properties>")?;
    let mut property = |name: &str, value: &str| {
        writeln!(out, "      <property name=\"{}\" value=\"{}\"/>", escaped(name), escaped(value))
    };
    property("assembly", &o.path)?;
    property("geometry", o.settings.geometry.name())?;
    property("verdict", if judged.fails() { "fail" } else { "pass" })?;
    property("pairs", &o.possible_pairs.to_string())?;
    for (status, n) in o.counts.named() {
        property(status.name(), &n.to_string())?;
    }
    property("warnings", &o.warnings.len().to_string())?;
    writeln!(out, "    </properties>")
}

fn case(judged: &Judged, links: PictureLinks<'_>, row: usize, suite: &str, out: &mut impl Write) -> io::Result<()> {
    let o = &judged.outcome;
    let p = &o.pairs[row];
    let [a, b] = [p.a, p.b].map(|i| escaped(o.id(i)));
    let head = format!("    <testcase name=\"{a} x {b}\" classname=\"{suite}\"");
    let (element, said) = match end(judged, row) {
        End::Passed => return writeln!(out, "{head}/>"),
        End::Failure => ("failure", sentence(judged, row)),
        End::Error => ("error", sentence(judged, row)),
        End::Skipped => ("skipped", why_skipped(judged, row)),
    };
    writeln!(out, "{head}>\n      <{element} type=\"{}\" message=\"{}\"/>", p.status.name(), escaped(&said))?;
    if let Some(path) = links.of(row) {
        // GitLab and Jenkins show a file named in this form beside the case.
        writeln!(out, "      <system-out>[[ATTACHMENT|{}]]</system-out>", escaped(&path))?;
    }
    writeln!(out, "    </testcase>")
}

/// The mark of a warning or the reason of the rule, if any, then the sentence of the pair.
fn why_skipped(judged: &Judged, row: usize) -> String {
    let o = &judged.outcome;
    if judged.severity_of(row) == Some(Level::Warning) {
        return format!("warning: {}", sentence(judged, row));
    }
    let reason = o.pairs[row].rule.and_then(|r| o.rules.get(r as usize)).and_then(|r| r.reason.as_deref());
    match reason {
        Some(reason) => format!("{reason}: {}", sentence(judged, row)),
        None => sentence(judged, row),
    }
}
