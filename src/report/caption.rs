//! Writes the lines below the ids of a picture.

use crate::assembly::Level;
use crate::check::{Certainty, PairOutcome, Status};
use crate::findings::{BaselineStatus, Judged, Metric, rank};
use crate::geom::Bounds;
use crate::geom::unit::format_number;
use crate::report::motion;
use crate::report::number::{as_given, count, length, length_text};
use crate::report::rows::{accepted, rule_text, volume, volumes};
use crate::report::sentence::{moving, relation};
use crate::report::text::shown;

/// Lines of the picture of a row: status and numbers, the proposed move or the reason of an undecided pair, the rule.
///
/// `rows` is the number of pairs in the line of the table. `solid` tells whether a and b have a definite inside.
pub fn caption(judged: &Judged, row: usize, rows: usize, solid: [bool; 2]) -> Vec<String> {
    let o = &judged.outcome;
    let p = &o.pairs[row];
    let mut first = format!("{}: {}{}", p.status.name(), numbers(judged, row), relation(o, p));
    let mut notes: Vec<String> = Vec::new();
    notes.extend(judged.status_of(row).map(|status| match status {
        BaselineStatus::Accepted => "accepted in the baseline".to_owned(),
        status => format!("{} since the baseline", status.name()),
    }));
    notes.extend((judged.severity_of(row) == Some(Level::Warning)).then(|| "severity warning".to_owned()));
    notes.extend((rows > 1).then(|| format!("worst of {}", count(rows as u64, "such pair"))));
    for note in notes {
        first += "; ";
        first += &note;
    }
    let second = match p.status {
        Status::Undecided => Some(reason(judged, p, solid)),
        Status::Interference => {
            moving(o, p).map(|said| format!("{said}{}", accepted(judged, row, Metric::Penetration)))
        }
        _ => None,
    };
    let third = p.rule.and_then(|r| o.rules.get(r as usize)).map(|r| format!("rule: {}", rule_text(r, o.units)));
    std::iter::once(first).chain(second).chain(third).collect()
}

/// Lines of the picture of a row of a pose or sweep: the run and the joint values, then those of [`caption`]. `one` is
/// the run as an outcome of its own; `rows` the row and the number of pairs in its line.
pub fn run_caption(
    judged: &Judged,
    one: &Judged,
    run: usize,
    (row, rows): (usize, usize),
    solid: [bool; 2],
) -> Vec<String> {
    let place = run_place(judged, one, run, row);
    let mut lines = caption(one, row, rows, solid);
    if let Some(first) = lines.first_mut() {
        *first = format!("{place}: {first}");
    }
    lines
}

/// Run and joint values of a row: `sweep opening at left 20, right 20`, or `pose open: lid 110`.
pub(crate) fn run_place(judged: &Judged, one: &Judged, run: usize, row: usize) -> String {
    let Some(outcome) = judged.outcome.runs().get(run) else { return String::new() };
    let at = motion::span::worst_at(&one.outcome, &one.outcome.pairs[row]);
    if outcome.is_sweep() && !at.is_empty() {
        return format!("sweep {} at {at}", shown(&outcome.name));
    }
    motion::values(&judged.outcome, outcome)
}

/// Depth and volume of an overlap, or gap and required gap.
fn numbers(judged: &Judged, row: usize) -> String {
    let o = &judged.outcome;
    let p = &o.pairs[row];
    let text = |mm: f64| length_text(mm, o.units);
    let depth = p.overlap_depth.filter(|d| *d > 0.0);
    let overlap = |depth: f64| {
        let volume = match volumes(judged, row) {
            Some([now, before]) => format!("; the common volume is {now}, accepted: {before}"),
            None if volume(o, p).is_empty() => String::new(),
            None => format!("; the common volume is {}", volume(o, p)),
        };
        format!("the parts overlap by {}{}{volume}", text(depth), accepted(judged, row, Metric::Depth))
    };
    match p.status {
        Status::Interference | Status::Allowed => depth.map_or("the parts overlap".to_owned(), overlap),
        Status::TooClose => {
            let gap = p.gap.filter(|g| *g >= 0.0);
            let gap = gap.map_or("the parts touch or overlap".to_owned(), |g| {
                format!("the gap is {}{}", text(g), accepted(judged, row, Metric::Gap))
            });
            let demanded = rank::demanded(o, p).map(|d| format_number(as_given(d, o.units)));
            demanded.map_or(gap.clone(), |d| format!("{gap}; required: {d} {}", o.units.name()))
        }
        Status::Loose => {
            let gap = p.gap.map_or("the gap is too large".to_owned(), |g| format!("the gap is {}", text(g)));
            let largest = rank::largest_gap(o, p).map(|d| format_number(as_given(d, o.units)));
            largest.map_or(gap.clone(), |d| format!("{gap}; allowed: {d} {}", o.units.name()))
        }
        Status::Undecided if p.certainty == Certainty::NoInside => {
            let most = p.gap_bracket.map(|b| -b.lower).filter(|d| d.is_finite() && *d > 0.0);
            let most = most.map(|d| format!("; an overlap would be at most {} deep", text(d)));
            format!("the surfaces cross, which proves no overlap{}", most.unwrap_or_default())
        }
        Status::Undecided => match p.gap_bracket {
            Some(Bounds { lower, upper }) if lower.is_finite() && upper.is_finite() => {
                format!("the gap is between {} and {}", format_number(length(lower, o.units)), text(upper))
            }
            _ => "the check proves neither an overlap nor a gap".to_owned(),
        },
        Status::Contact => match (depth, p.gap) {
            (Some(depth), _) => format!("the parts overlap by {}, within the tolerance", text(depth)),
            (None, Some(gap)) if gap > 0.0 => format!("the gap is {}, within the tolerance", text(gap)),
            _ => "the parts touch".to_owned(),
        },
        Status::Clear => p.gap.map_or("the parts are apart".to_owned(), |gap| format!("the gap is {}", text(gap))),
        Status::Ignored => "the check skips the pair".to_owned(),
    }
}

/// Reason of an undecided pair.
fn reason(judged: &Judged, p: &PairOutcome, solid: [bool; 2]) -> String {
    let id = |k: usize| shown(judged.outcome.id([p.a, p.b][k])).into_owned();
    let open: Vec<String> = (0..2).filter(|k| !solid[*k]).map(id).collect();
    match &open[..] {
        [] if p.certainty != Certainty::NoInside => {
            "why: the search budget ended before a limit of the pair was decided".to_owned()
        }
        [] => "why: a mesh has no definite inside; `interfere rule open-mesh` has the cure".to_owned(),
        [one] => {
            format!("why: the mesh of {one} is open, so it has no inside; `interfere rule open-mesh` has the cure")
        }
        _ => "why: both meshes are open, so they have no inside; `interfere rule open-mesh` has the cure".to_owned(),
    }
}
