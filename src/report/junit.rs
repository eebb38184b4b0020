//! The report as `JUnit` XML, for CI systems that show tests: a suite for the assembly, a case for each listed pair. No times: the
//! same input gives the same bytes.

use crate::check::{Outcome, PairOutcome, Status};
use crate::findings::rank;
use crate::report::sentence::sentence;
use crate::report::xml::escaped;
use std::io::{self, BufWriter, Write};

/// How a pair's case ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Failure,
    Error,
    Skipped,
    Passed,
}

fn end(p: &PairOutcome) -> End {
    match p.status {
        Status::Interference | Status::TooClose if rank::is_open(p) => End::Failure,
        Status::Undecided if rank::is_open(p) => End::Error,
        // Allowed, or a finding that does not count.
        Status::Interference | Status::TooClose | Status::Undecided | Status::Allowed | Status::Ignored => End::Skipped,
        Status::Contact | Status::Clear => End::Passed,
    }
}

/// Writes the report.
///
/// # Errors
/// As the writer says.
pub fn render(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let o = outcome;
    let n = |wanted: End| o.pairs.iter().filter(|p| end(p) == wanted).count();
    let name = escaped(&o.name);
    let totals = format!("tests=\"{}\" failures=\"{}\" errors=\"{}\"", o.pairs.len(), n(End::Failure), n(End::Error));
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"interfere\" {totals}>")?;
    writeln!(out, "  <testsuite name=\"{name}\" {totals} skipped=\"{}\">", n(End::Skipped))?;
    properties(o, &mut out)?;
    for p in &o.pairs {
        case(o, p, &name, &mut out)?;
    }
    writeln!(out, "  </testsuite>\n</testsuites>")?;
    out.flush()
}

/// What has no case: what was checked, how, and how many pairs ended in each status, those that are not listed among them.
fn properties(o: &Outcome, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "    <properties>")?;
    let mut property = |name: &str, value: &str| {
        writeln!(out, "      <property name=\"{}\" value=\"{}\"/>", escaped(name), escaped(value))
    };
    property("assembly", &o.path)?;
    property("geometry", o.settings.geometry.name())?;
    property("verdict", if o.fails() { "fail" } else { "pass" })?;
    property("pairs", &o.possible_pairs.to_string())?;
    for status in Status::ALL {
        property(status.name(), &o.counts.of(status).to_string())?;
    }
    property("warnings", &o.warnings.len().to_string())?;
    writeln!(out, "    </properties>")
}

fn case(o: &Outcome, p: &PairOutcome, suite: &str, out: &mut impl Write) -> io::Result<()> {
    let [a, b] = [p.a, p.b].map(|i| escaped(o.id(i)));
    let head = format!("    <testcase name=\"{a} x {b}\" classname=\"{suite}\"");
    let status = p.status.name();
    let element = match end(p) {
        End::Passed => return writeln!(out, "{head}/>"),
        End::Failure => "failure",
        End::Error => "error",
        End::Skipped => {
            return writeln!(
                out,
                "{head}>\n      <skipped type=\"{status}\" message=\"{}\"/>\n    </testcase>",
                escaped(&why_skipped(o, p))
            );
        }
    };
    let said = sentence(o, p);
    writeln!(out, "{head}>\n      <{element} type=\"{status}\" message=\"{}\"/>\n    </testcase>", escaped(&said))
}

/// The reason that the rule gives, else what was found.
fn why_skipped(o: &Outcome, p: &PairOutcome) -> String {
    let reason = p.rule.and_then(|r| o.rules.get(r as usize)).and_then(|r| r.reason.as_deref());
    match reason {
        Some(reason) => format!("{reason}: {}", sentence(o, p)),
        None => sentence(o, p),
    }
}
