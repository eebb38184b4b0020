//! The lines of a report for people: which rows are worth one, and what stands in it.

use crate::assembly::{Rule, RuleAction};
use crate::check::{Fix, Outcome, PairOutcome, Status};
use crate::findings::{Accepted, BaselineStatus, Entry, Groups, Judged, Metric, Severity, rank};
use crate::geom::unit::format_number;
use crate::geom::{Bounds, LengthUnit, Vec3};
use crate::report::number::{as_given, direction, length, length_text, volume_text};
use crate::report::text::shown;

/// The columns; [`used`] says which of them say something.
pub(crate) const HEADINGS: [&str; 11] =
    ["status", "baseline", "a", "b", "pairs", "depth", "gap", "move b by", "along", "moves b into", "rule"];

/// Whether a column is of numbers.
pub(crate) fn is_number(column: usize) -> bool {
    matches!(HEADINGS[column], "pairs" | "depth" | "gap" | "move b by")
}

/// Names of one cell, at most.
const MAX_NAMES: usize = 3;

/// The rows worth a line, worst first; `groups` for a line a group.
pub(crate) fn entries<'g>(judged: &Judged, groups: Option<&'g Groups>) -> Vec<Entry<'g>> {
    // Contacts are only counted; clear pairs are in the outcome only where `--report-within` asked for them.
    let status = |row: usize| judged.outcome.pairs[row].status;
    let rows = rank::ranked(judged, |row| !matches!(status(row), Status::Contact | Status::Ignored));
    in_groups(&rows, groups)
}

/// A line for each of these rows; `groups` for a line a group.
pub(crate) fn in_groups<'g>(rows: &[usize], groups: Option<&'g Groups>) -> Vec<Entry<'g>> {
    match groups {
        Some(groups) => groups.entries(rows),
        None => rows.iter().map(|row| Entry { row: *row, group: None }).collect(),
    }
}

/// How many rows these lines stand for.
pub(crate) fn rows_of(entries: &[Entry<'_>]) -> usize {
    entries.iter().map(Entry::rows).sum()
}

/// How many rows of each status these lines stand for: `2 interference, 1 too_close`.
pub(crate) fn by_status(o: &Outcome, entries: &[Entry<'_>]) -> String {
    let counts = Status::ALL.into_iter().filter_map(|s| {
        let n: usize = entries.iter().filter(|e| o.pairs[e.row].status == s).map(Entry::rows).sum();
        (n > 0).then(|| format!("{n} {}", s.name()))
    });
    counts.collect::<Vec<_>>().join(", ")
}

/// The columns that say something in any of the lines.
pub(crate) fn used(cells: &[[String; HEADINGS.len()]]) -> Vec<usize> {
    (0..HEADINGS.len()).filter(|k| cells.iter().any(|row| !row[*k].is_empty())).collect()
}

/// What stands in a line; numbers of its row, the worst of a group.
pub(crate) fn cells(judged: &Judged, entry: &Entry<'_>) -> [String; HEADINGS.len()] {
    let o = &judged.outcome;
    let p = &o.pairs[entry.row];
    let text = |mm: Option<f64>| mm.map(|mm| length_text(mm, o.units)).unwrap_or_default();
    let along = p.separating_translation.and_then(|t| unit(&t)).or(p.normal);
    let [a, b] = entry.names(o).map(|name| shown(&name).into_owned());
    [
        p.status.name().to_owned(),
        baseline_status(judged, entry.row),
        a,
        b,
        entry.group.map(|g| g.members.len().to_string()).unwrap_or_default(),
        text(p.overlap_depth.filter(|d| *d > 0.0)) + &accepted(judged, entry.row, Metric::Depth),
        gap(judged, entry.row),
        text(p.penetration_depth),
        along.map(|v| direction(&v)).unwrap_or_default(),
        moves_into(o, p),
        p.rule.and_then(|ix| o.rules.get(ix as usize)).map(|rule| rule_text(rule, o.units)).unwrap_or_default(),
    ]
}

/// How a row compares with the baseline; with the volumes where these are why it is worse.
fn baseline_status(judged: &Judged, row: usize) -> String {
    let name = judged.status_of(row).map(BaselineStatus::name).unwrap_or_default();
    match volumes(judged, row) {
        Some([now, before]) => format!("{name}: volume {now}, {before} accepted"),
        None => name.to_owned(),
    }
}

/// What a depth or a gap was accepted as, to be put behind the one it is: `, 0.3 mm accepted`; nothing where it is no worse.
pub(crate) fn accepted(judged: &Judged, row: usize, measure: Metric) -> String {
    let accepted = judged.accepted(row).filter(|a| a.worse_in.contains(&measure));
    match (measure, accepted.and_then(|a| a.extent)) {
        (Metric::Depth, Some(Severity::Depth(before, _))) | (Metric::Gap, Some(Severity::Gap(before))) => {
            format!(", {} accepted", length_text(before, judged.outcome.units))
        }
        _ => String::new(),
    }
}

/// The volume that a pair shares and the one that was accepted, where it has grown.
pub(crate) fn volumes(judged: &Judged, row: usize) -> Option<[String; 2]> {
    let o = &judged.outcome;
    let accepted = judged.accepted(row).filter(|a| a.worse_in.contains(&Metric::Volume))?;
    let Accepted { extent: Some(Severity::Depth(_, Some(before))), .. } = accepted else { return None };
    Some([o.pairs[row].overlap_volume?, before.volume].map(|v| volume_text(v, o.units)))
}

/// The gap of parts that are apart; of an undecided pair its bounds.
fn gap(judged: &Judged, row: usize) -> String {
    let o = &judged.outcome;
    let p = &o.pairs[row];
    if let (Status::Undecided, Some(Bounds { lower: lo, upper: hi })) = (p.status, p.gap_bracket) {
        return format!("{} to {}", format_number(length(lo, o.units)), length_text(hi, o.units));
    }
    let gap = p.gap.filter(|g| *g >= 0.0).map(|g| length_text(g, o.units)).unwrap_or_default();
    gap + &accepted(judged, row, Metric::Gap)
}

/// Which other pairs a fix makes worse.
fn moves_into(o: &Outcome, p: &PairOutcome) -> String {
    const UNKNOWN: &str = "not checked";
    match o.fix_of(p) {
        Some(Fix { moves_into: Some(into), .. }) => {
            let names: Vec<_> = into.iter().map(|c| shown(o.id(*c)).into_owned()).collect();
            some_of(&names)
        }
        Some(_) => UNKNOWN.to_owned(),
        // Beyond those for which it was asked, if it was.
        None if !o.fixes.is_empty() && p.status == Status::Interference && p.separating_translation.is_some() => {
            UNKNOWN.to_owned()
        }
        None => String::new(),
    }
}

/// The first names, and how many more there are.
pub(crate) fn some_of(names: &[String]) -> String {
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

/// What a rule says, why, and where it stands.
pub(crate) fn rule_text(rule: &Rule, units: LengthUnit) -> String {
    let reason = rule.reason.as_deref().map(|r| format!(", {}", shown(r))).unwrap_or_default();
    format!("{}{reason} ({} rules[{}])", verb_text(rule, units), shown(&rule.file), rule.index)
}

/// What a rule says.
pub(crate) fn verb_text(rule: &Rule, units: LengthUnit) -> String {
    let given = |mm| format!("{} {}", format_number(as_given(mm, units)), units.name());
    match rule.verb {
        RuleAction::Ignore => "ignore".to_owned(),
        RuleAction::AllowDepth(mm) => format!("allow_depth {}", given(mm)),
        RuleAction::MinClearance(mm) => format!("min_clearance {}", given(mm)),
    }
}
