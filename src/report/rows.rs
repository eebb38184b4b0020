//! Selects the rows of a report for people, and fills their cells.

use crate::assembly::{Level, Rule, RuleAction};
use crate::check::{Fix, Outcome, PairOutcome, Relation, Side, Status, pair_id};
use crate::findings::{
    Accepted, BaselineStatus, Entry, Groups, Judged, Metric, RowNumber, RowNumbers, Severity, groups, rank,
};
use crate::geom::unit::format_number;
use crate::geom::{Bounds, LengthUnit, Vec3};
use crate::report::motion::span;
use crate::report::number::{as_given, direction, length, length_text, move_text, point_text, volume_text};
use crate::report::text::shown;

/// Headings of all columns; [`used`] selects the columns with text.
pub(crate) const HEADINGS: [&str; 19] = [
    "status",
    "baseline",
    "#",
    "a",
    "b",
    "pairs",
    "depth",
    "volume",
    "gap",
    "worst at",
    "from … to",
    "proved",
    "at",
    "move",
    "along",
    "relation",
    "moves into",
    "rule",
    "id",
];

/// Texts of a row, one for each of [`HEADINGS`]; empty without a value.
pub(crate) type Cells = [String; HEADINGS.len()];

/// Returns true for a column of numbers.
pub(crate) fn is_number(column: usize) -> bool {
    matches!(HEADINGS[column], "pairs" | "depth" | "volume" | "gap" | "move")
}

/// Text for an unknown effect of a move.
pub(crate) const UNKNOWN: &str = "not checked";

/// Largest number of names in a cell.
const MAX_NAMES: usize = 3;

/// Rows of the report, worst first; with `groups`, one for each group.
pub(crate) fn entries<'g>(judged: &Judged, groups: Option<&'g Groups>) -> Vec<Entry<'g>> {
    in_groups(&rank::reported(judged), groups)
}

/// One entry for each of these rows; with `groups`, one for each group.
pub(crate) fn in_groups<'g>(rows: &[usize], groups: Option<&'g Groups>) -> Vec<Entry<'g>> {
    match groups {
        Some(groups) => groups.entries(rows),
        None => rows.iter().map(|row| Entry { row: *row, group: None }).collect(),
    }
}

/// Number of pairs in these entries.
pub(crate) fn rows_of(entries: &[Entry<'_>]) -> usize {
    entries.iter().map(Entry::rows).sum()
}

/// Counts the rows of each status behind these lines: `2 interference, 1 too_close`.
pub(crate) fn by_status(o: &Outcome, entries: &[Entry<'_>]) -> String {
    let counts = Status::ALL.into_iter().filter_map(|s| {
        let n: usize = entries.iter().filter(|e| o.pairs[e.row].status == s).map(Entry::rows).sum();
        (n > 0).then(|| format!("{n} {}", s.name()))
    });
    counts.collect::<Vec<_>>().join(", ")
}

/// Columns with text in any row.
pub(crate) fn used(cells: &[Cells]) -> Vec<usize> {
    (0..HEADINGS.len()).filter(|k| cells.iter().any(|row| !row[*k].is_empty())).collect()
}

/// Shortest common prefix of ids that reports say once (bytes): a shorter one saves no room.
const MIN_PREFIX: usize = 4;

/// Common prefix of all ids in these entries, up to the last separator in it; empty if it is short.
pub(crate) fn common_prefix<'o>(o: &'o Outcome, entries: &[Entry<'_>]) -> &'o str {
    let rows = entries.iter().flat_map(|e| match e.group {
        Some(group) => group.members.iter().map(|m| *m as usize).collect(),
        None => vec![e.row],
    });
    let ids = rows.flat_map(|row| {
        let p = &o.pairs[row];
        let into = o.fix_of(p).and_then(|fix| fix.moves_into.as_deref()).unwrap_or_default();
        [p.a, p.b].into_iter().chain(into.iter().copied())
    });
    let mut prefix: Option<&str> = None;
    for id in ids.map(|i| o.id(i)) {
        let before = prefix.unwrap_or(id);
        let common = before.char_indices().zip(id.chars()).find(|((_, x), y)| x != y);
        let end = common.map_or(before.len().min(id.len()), |((at, _), _)| at);
        prefix = Some(&before[..end]);
    }
    let prefix = prefix.unwrap_or_default();
    // The name itself remains: the last character is no separator of the prefix.
    let end = prefix.rfind(['/', '.', ':']).map_or(0, |at| at + 1);
    if end < MIN_PREFIX { "" } else { &prefix[..end] }
}

/// Cells of these entries, with names without the common `prefix`; a group shows the numbers of its worst row.
pub(crate) fn cells(judged: &Judged, entries: &[Entry<'_>], numbers: &RowNumbers, prefix: &str) -> Vec<Cells> {
    let names = groups::names(&judged.outcome, entries, prefix);
    let row = |(entry, names)| cells_of(judged, entry, &names, numbers, prefix);
    entries.iter().zip(names).map(row).collect()
}

fn cells_of(judged: &Judged, entry: &Entry<'_>, names: &[String; 2], numbers: &RowNumbers, prefix: &str) -> Cells {
    let o = &judged.outcome;
    let p = &o.pairs[entry.row];
    let text = |mm: Option<f64>| mm.map(|mm| length_text(mm, o.units)).unwrap_or_default();
    let along = p.separating_move().and_then(|(_, t)| unit(&t)).or(p.normal);
    let [a, b] = [0, 1].map(|side| shown(&names[side]).into_owned());
    [
        status_text(judged, entry.row),
        baseline_status(judged, entry.row),
        handle(entry, numbers),
        a,
        b,
        entry.group.map(|g| g.members.len().to_string()).unwrap_or_default(),
        text(p.overlap_depth.filter(|d| *d > 0.0)) + &accepted(judged, entry.row, Metric::Depth),
        volume(o, p),
        gap(judged, entry.row),
        span::worst_at(o, p),
        span::parts(o, p),
        span::proved(p),
        p.at().map(|at| point_text(&at, o.units)).unwrap_or_default(),
        moving(o, p) + &accepted(judged, entry.row, Metric::Penetration),
        along.map(|v| direction(&v)).unwrap_or_default(),
        p.relation.and_then(relation).unwrap_or_default().to_owned(),
        moves_into(o, p, prefix),
        p.rule.and_then(|ix| o.rules.get(ix as usize)).map(|rule| rule_text(rule, o.units)).unwrap_or_default(),
        pair_id(o.id(p.a), o.id(p.b)),
    ]
}

/// Handle of an entry: the row's number, with the member's for one pair of a group.
pub(crate) fn handle(entry: &Entry<'_>, numbers: &RowNumbers) -> String {
    let number = numbers.of(entry.row);
    let of_entry = number.map(|n| if entry.group.is_some() { RowNumber { member: None, ..n } } else { n });
    of_entry.map(|n| n.to_string()).unwrap_or_default()
}

/// Volume of the intersection, if it has one.
pub(crate) fn volume(o: &Outcome, p: &PairOutcome) -> String {
    p.overlap_volume.filter(|v| *v > 0.0).map(|v| volume_text(v, o.units)).unwrap_or_default()
}

/// Text of a relation that a depth does not show: one part within the other, or both in one place.
pub(crate) fn relation(relation: Relation) -> Option<&'static str> {
    match relation {
        Relation::AContainsB => Some("b inside a"),
        Relation::BContainsA => Some("a inside b"),
        Relation::Coincident => Some("coincident"),
        Relation::Apart | Relation::Touch | Relation::Overlap => None,
    }
}

/// Status of a row, marked for a finding with severity `warning`.
fn status_text(judged: &Judged, row: usize) -> String {
    let name = judged.outcome.pairs[row].status.name();
    if judged.severity_of(row) == Some(Level::Warning) { format!("{name} (warning)") } else { name.to_owned() }
}

/// Baseline status of a row; with the volumes, or the failing paths of a sweep, if these make it worse.
fn baseline_status(judged: &Judged, row: usize) -> String {
    let name = judged.status_of(row).map(BaselineStatus::name).unwrap_or_default();
    let volumes = volumes(judged, row).map(|[now, before]| format!("volume {now}, {before} accepted"));
    let paths = paths(judged, row).map(|[now, before]| format!("fails over {now}, {before} accepted"));
    let grown: Vec<String> = volumes.into_iter().chain(paths).collect();
    if grown.is_empty() { name.to_owned() } else { format!("{name}: {}", grown.join("; ")) }
}

/// Lengths of the path over the failing parts of a sweep, now and accepted, if it has grown.
pub(crate) fn paths(judged: &Judged, row: usize) -> Option<[String; 2]> {
    let o = &judged.outcome;
    let accepted = judged.accepted(row).filter(|a| a.worse_in.contains(&Metric::Travel))?;
    let now = o.pairs[row].swept.as_ref()?.failing_travel;
    Some([now, accepted.travel?].map(|mm| length_text(mm, o.units)))
}

/// Accepted depth, gap or translation, to follow the present one: `, 0.3 mm accepted`. Empty unless the pair is worse
/// in `measure`.
pub(crate) fn accepted(judged: &Judged, row: usize, measure: Metric) -> String {
    let accepted = judged.accepted(row).filter(|a| a.worse_in.contains(&measure));
    if let (Metric::Penetration, Some(before)) = (measure, accepted.and_then(|a| a.penetration_depth)) {
        // In brackets: the direction of the move follows.
        return format!(" ({} accepted)", length_text(before, judged.outcome.units));
    }
    let before = match (measure, accepted.and_then(|a| a.extent)) {
        (Metric::Depth, Some(Severity::Depth(before, _))) | (Metric::Gap, Some(Severity::Gap(before))) => before,
        (Metric::Bracket, Some(Severity::Largest(before))) => before.lower,
        _ => return String::new(),
    };
    format!(", {} accepted", length_text(before, judged.outcome.units))
}

/// Common volume of a pair and its accepted volume, if it has grown.
pub(crate) fn volumes(judged: &Judged, row: usize) -> Option<[String; 2]> {
    let o = &judged.outcome;
    let accepted = judged.accepted(row).filter(|a| a.worse_in.contains(&Metric::Volume))?;
    let Accepted { extent: Some(Severity::Depth(_, Some(before))), .. } = accepted else { return None };
    Some([o.pairs[row].overlap_volume?, before.volume].map(|v| volume_text(v, o.units)))
}

/// Gap of separate parts, or the bounds of an undecided pair.
fn gap(judged: &Judged, row: usize) -> String {
    let o = &judged.outcome;
    let p = &o.pairs[row];
    if let (Status::Undecided, Some(Bounds { lower: lo, upper: hi })) = (p.status, p.gap_bracket) {
        return format!("{} to {}", format_number(length(lo, o.units)), length_text(hi, o.units));
    }
    let gap = p.gap.filter(|g| *g >= 0.0).map(|g| length_text(g, o.units)).unwrap_or_default();
    gap + &accepted(judged, row, Metric::Gap) + &accepted(judged, row, Metric::Bracket)
}

/// Moving column and length of its translation: `b by 0.4 mm`.
fn moving(o: &Outcome, p: &PairOutcome) -> String {
    let side = match p.mover.map(|m| m.moves) {
        Some(Side::A) => "a by ",
        Some(Side::B) => "b by ",
        None => "",
    };
    p.penetration_depth.map(|mm| format!("{side}{}", move_text(mm, o.units))).unwrap_or_default()
}

/// Instances with new or worse failures after the fix.
fn moves_into(o: &Outcome, p: &PairOutcome, prefix: &str) -> String {
    match o.fix_of(p) {
        Some(Fix { moves_into: Some(into), .. }) => {
            let short = |id: &str| shown(id.strip_prefix(prefix).unwrap_or(id)).into_owned();
            let names: Vec<_> = into.iter().map(|c| short(o.id(*c))).collect();
            some_of(&names)
        }
        Some(_) => UNKNOWN.to_owned(),
        // Beyond the number of computed fixes, if the run computed any.
        None if !o.fixes.is_empty() && p.status == Status::Interference && p.separating_translation.is_some() => {
            UNKNOWN.to_owned()
        }
        None => String::new(),
    }
}

/// The first names, and the number of the others.
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

/// Text of a rule: action, reason and location.
pub(crate) fn rule_text(rule: &Rule, units: LengthUnit) -> String {
    let reason = rule.reason.as_deref().map(|r| format!(", {}", shown(r))).unwrap_or_default();
    format!("{}{reason} ({} rules[{}])", verb_text(rule, units), shown(&rule.file), rule.index)
}

/// Text of a rule's action.
pub(crate) fn verb_text(rule: &Rule, units: LengthUnit) -> String {
    let given = |mm| format!("{} {}", format_number(as_given(mm, units)), units.name());
    let key = rule.verb.key();
    let max_gap = rule.max_gap.map(|mm| format!("max_gap {}", given(mm)));
    let action = match (rule.verb, rule.verb.length()) {
        (RuleAction::Grade, _) => match &max_gap {
            Some(max_gap) => return max_gap.clone(),
            None => format!("{key} {}", rule.severity.name()),
        },
        (_, Some(mm)) => format!("{key} {}", given(mm)),
        (_, None) => key.to_owned(),
    };
    max_gap.map_or(action.clone(), |max_gap| format!("{action}, {max_gap}"))
}
