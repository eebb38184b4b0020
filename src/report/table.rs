//! The report for people: what fails, worst first, then what a rule allows; contacts are only counted.

use super::number::{as_given, count, direction, length_text, plain};
use super::text::{Paint, painted, shown};
use crate::assembly::{Geometry, Rule, Verb};
use crate::check::{Fix, Gone, Outcome, PairOutcome, Standing, Status};
use crate::geom::{LengthUnit, Vec3};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use std::io::{self, Write};

/// At most this many pairs are listed; more is what people stop reading. The JSON lists them all.
pub const MAX_ROWS: usize = 50;

/// At most this many accepted findings that are gone are listed.
const MAX_GONE: usize = 10;

/// Writes the report.
///
/// # Errors
/// As the writer says.
pub fn render(outcome: &Outcome, colour: bool, out: &mut dyn Write) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    head(outcome, &mut out)?;
    let ranked = ranked(outcome);
    let (listed, rest) = ranked.split_at(ranked.len().min(MAX_ROWS));
    if !listed.is_empty() {
        writeln!(out)?;
        rows(outcome, listed, colour, &mut out)?;
    }
    if !rest.is_empty() {
        writeln!(out, "and {} more: {} (--format json lists them)", rest.len(), by_status(rest))?;
    }
    writeln!(out)?;
    foot(outcome, colour, &mut out)?;
    out.flush()
}

/// What was checked and how.
fn head(o: &Outcome, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "{} ({}): {}, {}, {}",
        shown(&o.name),
        shown(&o.path),
        count(o.parts.len() as u64, "part"),
        count(o.instances.len() as u64, "instance"),
        count(o.possible_pairs, "pair"),
    )?;
    let meaning = match o.settings.geometry {
        Geometry::Hull => "parts are taken as their convex hulls; concavities count as solid".to_owned(),
        Geometry::Decomposition => {
            let reach = o.parts.iter().filter_map(|p| p.epsilon).fold(0.0, f64::max);
            format!("parts are taken as convex pieces that reach up to {} beyond them", length_text(reach, o.units))
        }
        Geometry::Exact => "the triangles themselves decide".to_owned(),
    };
    writeln!(out, "geometry: {}: {meaning}", o.settings.geometry.name())?;
    let tolerance = plain(as_given(o.settings.tolerance, o.units));
    writeln!(out, "tolerance: {tolerance} {}: overlap no deeper than this is contact", o.units.name())
}

/// The pairs worth a row, worst first; among equals the outcome's order, by id.
fn ranked(o: &Outcome) -> Vec<&PairOutcome> {
    let mut pairs: Vec<_> = o.pairs.iter().filter(|p| group(p.status).is_some()).collect();
    pairs.sort_by(|x, y| {
        place(x).cmp(&place(y)).then_with(|| match (severity(o, x), severity(o, y)) {
            (Some(x), Some(y)) => y.total_cmp(&x),
            (x, y) => y.is_some().cmp(&x.is_some()),
        })
    });
    pairs
}

/// Place of a pair in the list: what is accepted comes after all other findings.
fn place(p: &PairOutcome) -> (bool, Option<u8>) {
    (!p.status.fails() || p.standing == Some(Standing::Accepted), group(p.status))
}

/// Place of a status in the list; `None` where its pairs are only counted.
fn group(status: Status) -> Option<u8> {
    match status {
        Status::Interference => Some(0),
        Status::Clearance => Some(1),
        Status::Undecided => Some(2),
        Status::Allowed => Some(3),
        // In the outcome only where `--report-within` asked for them.
        Status::Clear => Some(4),
        Status::Contact | Status::Ignored => None,
    }
}

/// How bad a pair is among those of its status, mm; `None` where that is not known.
fn severity(o: &Outcome, p: &PairOutcome) -> Option<f64> {
    match p.status {
        Status::Clearance => match (demanded(o, p), p.gap) {
            (Some(demanded), Some(gap)) => Some(demanded - gap),
            _ => None,
        },
        Status::Undecided => p.gap_bracket.map(|[lo, _]| -lo),
        _ => p.overlap_depth.filter(|d| *d > 0.0).or_else(|| p.gap.map(|g| -g)),
    }
}

/// The clearance that the pair's rule demands, mm.
fn demanded(o: &Outcome, p: &PairOutcome) -> Option<f64> {
    match o.rules.get(p.rule? as usize)?.verb {
        Verb::MinClearance(mm) => Some(mm),
        Verb::AllowDepth(_) | Verb::Ignore => None,
    }
}

fn by_status(pairs: &[&PairOutcome]) -> String {
    let counts = Status::ALL.into_iter().filter_map(|s| {
        let n = pairs.iter().filter(|p| p.status == s).count();
        (n > 0).then(|| format!("{n} {}", s.name()))
    });
    counts.collect::<Vec<_>>().join(", ")
}

const HEADINGS: [&str; 10] =
    ["status", "baseline", "a", "b", "depth", "gap", "move b by", "along", "moves b into", "rule"];

/// Names of one cell, at most.
const MAX_NAMES: usize = 3;

fn rows(o: &Outcome, pairs: &[&PairOutcome], colour: bool, out: &mut impl Write) -> io::Result<()> {
    let cells: Vec<_> = pairs.iter().map(|p| row(o, p)).collect();
    // A column that says nothing is left out; the three that name the pair always say something.
    let used: Vec<_> = (0..HEADINGS.len()).filter(|k| cells.iter().any(|row| !row[*k].is_empty())).collect();
    let headings: Vec<_> = used.iter().map(|k| HEADINGS[*k]).collect();
    let numbers: Vec<_> =
        (0..used.len()).filter(|k| matches!(HEADINGS[used[*k]], "depth" | "gap" | "move b by")).collect();
    let mut table = grid(&headings, &numbers);
    for row in &cells {
        table.add_row(used.iter().map(|k| row[*k].as_str()));
    }
    for (line, text) in table.lines().enumerate() {
        let text = text.trim_end();
        let Some(pair) = line.checked_sub(1).and_then(|k| pairs.get(k)) else {
            writeln!(out, "{}", painted(text, Paint::Bold, colour))?;
            continue;
        };
        // Painted after the layout: the table counts columns, not escape sequences.
        let name = pair.status.name();
        let paint = match pair.standing {
            Some(Standing::Accepted) => Paint::Warn,
            _ if pair.status.fails() => Paint::Bad,
            _ => Paint::Good,
        };
        writeln!(out, "{}{}", painted(name, paint, colour), text.strip_prefix(name).unwrap_or(text))?;
    }
    Ok(())
}

/// An empty table without lines: a row of headings, two blanks between columns, `numbers` aligned to the right. Rows are
/// never wrapped, so that a line is a row for `grep`.
pub(super) fn grid(headings: &[&str], numbers: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(headings.iter().copied());
    for (k, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if numbers.contains(&k) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn row(o: &Outcome, p: &PairOutcome) -> [String; 10] {
    let text = |mm: Option<f64>| mm.map(|mm| length_text(mm, o.units)).unwrap_or_default();
    let gap = match (p.status, p.gap_bracket) {
        (Status::Undecided, Some([lo, hi])) => {
            format!("{} to {}", plain(super::number::length(lo, o.units)), length_text(hi, o.units))
        }
        _ => text(p.gap.filter(|g| *g >= 0.0)),
    };
    let along = p.separating_translation.and_then(|t| unit(&t)).or(p.normal);
    [
        p.status.name().to_owned(),
        p.standing.map(Standing::name).unwrap_or_default().to_owned(),
        shown(o.id(p.a)).into_owned(),
        shown(o.id(p.b)).into_owned(),
        text(p.overlap_depth.filter(|d| *d > 0.0)),
        gap,
        text(p.penetration_depth),
        along.map(|v| direction(&v)).unwrap_or_default(),
        o.fix_of(p).map(|fix| moves_into(o, fix)).unwrap_or_default(),
        rule(o, p),
    ]
}

/// Which other pairs a fix makes worse.
fn moves_into(o: &Outcome, fix: &Fix) -> String {
    let Some(into) = &fix.moves_into else { return "not checked".to_owned() };
    let names: Vec<_> = into.iter().map(|c| shown(o.id(*c)).into_owned()).collect();
    some_of(&names)
}

/// The first names, and how many more there are.
pub(super) fn some_of(names: &[String]) -> String {
    let listed = names[..names.len().min(MAX_NAMES)].join(", ");
    match names.len() - names.len().min(MAX_NAMES) {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}

fn unit(v: &Vec3) -> Option<Vec3> {
    let norm = v.norm();
    (norm > 0.0 && norm.is_finite()).then(|| v / norm)
}

fn rule(o: &Outcome, p: &PairOutcome) -> String {
    p.rule.and_then(|ix| o.rules.get(ix as usize)).map(|rule| rule_text(rule, o.units)).unwrap_or_default()
}

/// What a rule says, why, and where it stands.
pub(super) fn rule_text(rule: &Rule, units: LengthUnit) -> String {
    let given = |mm| format!("{} {}", plain(as_given(mm, units)), units.name());
    let verb = match rule.verb {
        Verb::Ignore => "ignore".to_owned(),
        Verb::AllowDepth(mm) => format!("allow_depth {}", given(mm)),
        Verb::MinClearance(mm) => format!("min_clearance {}", given(mm)),
    };
    let reason = rule.reason.as_deref().map(|r| format!(", {}", shown(r))).unwrap_or_default();
    format!("{verb}{reason} ({} rules[{}])", shown(&rule.file), rule.index)
}

/// How many contacts are contacts by their facets alone, and how deep they are.
fn by_facets(o: &Outcome) -> Option<String> {
    let granted: Vec<_> = o.pairs.iter().filter(|p| p.status == Status::Contact && p.within_facet_error).collect();
    let deepest = granted.iter().filter_map(|p| p.overlap_depth).fold(0.0, f64::max);
    let (overlap, their, them) =
        if granted.len() == 1 { ("overlaps", "its", "it") } else { ("overlap", "their", "them") };
    let depth = match granted.len() {
        0 => return None,
        // A verdict alone has no depths.
        _ if deepest <= 0.0 => String::new(),
        1 => format!(" by {},", length_text(deepest, o.units)),
        _ => format!(" by up to {},", length_text(deepest, o.units)),
    };
    Some(format!(
        "{} {overlap}{depth} more than the tolerance, but no more than the facets of {their} meshes explain; --facets strict makes \
         {them} interference",
        count(granted.len() as u64, "contact"),
    ))
}

/// Counts, funnel and verdict.
fn foot(o: &Outcome, colour: bool, out: &mut impl Write) -> io::Result<()> {
    if let Some(line) = by_facets(o) {
        writeln!(out, "{line}")?;
    }
    let counts: Vec<_> = Status::ALL.into_iter().map(|s| format!("{} {}", o.counts.of(s), s.name())).collect();
    writeln!(out, "{}: {}", count(o.possible_pairs, "pair"), counts.join(", "))?;
    let by = &o.cleared_by;
    let stages = [("aabb", by.aabb), ("obb", by.obb), ("hull", by.hull), ("pieces", by.pieces), ("exact", by.exact)];
    let stages: Vec<_> = stages
        .into_iter()
        // The stages of geometries that did not run have nothing to say.
        .filter(|(name, n)| *n > 0 || matches!(*name, "aabb" | "obb" | "hull"))
        .map(|(name, n)| format!("{n} by {name}"))
        .collect();
    writeln!(out, "cleared: {}", stages.join(", "))?;
    if !o.warnings.is_empty() {
        writeln!(out, "{}", painted(&count(o.warnings.len() as u64, "warning"), Paint::Warn, colour))?;
    }
    against_baseline(o, out)?;
    verdict(o, colour, out)
}

/// What the baseline makes of the findings, and what is to be done about it.
fn against_baseline(o: &Outcome, out: &mut impl Write) -> io::Result<()> {
    let Some(baseline) = &o.baseline else { return Ok(()) };
    let of_findings = Standing::ALL.into_iter().map(|s| (baseline.counts.of(s), s.name()));
    let counts = of_findings.chain([(baseline.fixed(), "fixed"), (baseline.unproved(), "unproved")]);
    let counts: Vec<_> = counts.filter(|(n, _)| *n > 0).map(|(n, name)| format!("{n} {name}")).collect();
    let counts = if counts.is_empty() { "nothing accepted".to_owned() } else { counts.join(", ") };
    writeln!(out, "baseline {}: {counts}", shown(&baseline.file))?;
    if baseline.counts.unmeasured > 0 {
        writeln!(out, "  unmeasured: leave out --verdict-only, so that depths can be compared with the accepted ones")?;
    }
    let line = |g: &Gone| format!("{} and {}, {}: {}", shown(&g.a), shown(&g.b), g.status.name(), shown(&g.why));
    let unproved: Vec<_> = baseline.gone.iter().filter(|g| !g.fixed).collect();
    for gone in unproved.iter().take(MAX_GONE) {
        writeln!(out, "  unproved: {}", line(gone))?;
    }
    if unproved.len() > MAX_GONE {
        writeln!(out, "  and {} more unproved (--format json lists them)", unproved.len() - MAX_GONE)?;
    }
    if baseline.fixed() > 0 {
        writeln!(out, "  fixed: `interfere accept {} --prune` takes them out of the baseline", shown(&o.path))?;
    }
    Ok(())
}

/// The last line.
fn verdict(o: &Outcome, colour: bool, out: &mut impl Write) -> io::Result<()> {
    let accepted = o.baseline.as_ref().map_or(0, |b| b.counts.accepted);
    let note = |text: String| if text.is_empty() { text } else { format!(": {text}") };
    let failing = o.failing();
    if failing > 0 {
        let verb = if failing == 1 { "fails" } else { "fail" };
        let others = match o.findings() - failing {
            0 => String::new(),
            n => format!(", {}", count(n, "accepted finding")),
        };
        return writeln!(out, "{}: {} {verb}{others}", painted("FAIL", Paint::Bad, colour), count(failing, "pair"));
    }
    let passing = match o.findings() {
        0 => String::new(),
        n if n == accepted => count(n, "accepted finding"),
        n => format!("{}, none of which fails with --fail-on {}", count(n, "finding"), o.fail_on.name()),
    };
    writeln!(out, "{}{}", painted("PASS", Paint::Good, colour), note(passing))
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
