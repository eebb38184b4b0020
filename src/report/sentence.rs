//! Describes a pair's row in a sentence.

use crate::check::{MoverReason, Outcome, PairOutcome, Relation, Status};
use crate::findings::{Entry, Group, Judged, Metric, rank};
use crate::geom::Bounds;
use crate::geom::unit::{format_number, format_number_to};
use crate::report::motion::{self, span};
use crate::report::number::{as_given, count, direction, length, move_text, point_text};
use crate::report::rows::{accepted, rule_text, volume, volumes};
use crate::report::text::shown;
use std::borrow::Cow;
use std::fmt::Write as _;

/// Largest length of a name in limited room (characters).
const MAX_NAME: usize = 120;

/// Describes a row in one line, without a full stop.
pub(crate) fn sentence(judged: &Judged, row: usize) -> String {
    let o = &judged.outcome;
    let p = &o.pairs[row];
    let [a, b] = [p.a, p.b].map(|i| shown(o.id(i)));
    let names = format!("{a} and {b}");
    let demanded = rank::demanded(o, p).filter(|_| p.status == Status::TooClose);
    let largest = rank::largest_gap(o, p).filter(|_| p.status == Status::Loose);
    // A gap and the limit that it breaks are shown as different numbers.
    let compared: Vec<f64> = [p.gap, demanded, largest].into_iter().flatten().collect();
    let digits = o.units.digits_to_tell(&compared);
    let text = |mm: f64| o.units.format_length_to(mm, digits);
    let given = |mm: f64| format!("{} {}", format_number_to(as_given(mm, o.units), digits), o.units.name());
    let depth = p.overlap_depth.filter(|d| *d > 0.0);
    let mut said = match p.status {
        Status::Interference | Status::Allowed => match depth {
            Some(depth) => format!("{names} overlap by {}{}", text(depth), accepted(judged, row, Metric::Depth)),
            None => format!("{names} overlap"),
        },
        Status::TooClose => match p.gap {
            Some(gap) if gap >= 0.0 => format!("{names} are {} apart{}", text(gap), accepted(judged, row, Metric::Gap)),
            _ => format!("{names} are too close"),
        },
        Status::Loose => match p.gap {
            Some(gap) => format!("{names} are {} apart", text(gap)),
            None => format!("{names} are too far apart"),
        },
        Status::Undecided => match p.gap_bracket {
            Some(Bounds { lower: lo, upper: hi }) => {
                let (lo, hi) = (format_number(length(lo, o.units)), text(hi));
                format!("{names} are undecided: the gap is between {lo} and {hi}")
            }
            None => format!("{names} are undecided"),
        },
        Status::Contact => format!("{names} touch"),
        Status::Clear => match p.gap {
            Some(gap) => format!("{names} are {} apart", text(gap)),
            None => format!("{names} are apart"),
        },
        Status::Ignored => format!("the check skips {names}"),
    };
    said += &span::clause(o, p);
    if let Some([now, before]) = volumes(judged, row) {
        // Writing to a String cannot fail.
        let _ = write!(said, "; the common volume is {now}, accepted: {before}");
    }
    if let Some(demanded) = demanded {
        let _ = write!(said, "; required: {}", given(demanded));
    }
    if let Some(largest) = largest {
        let _ = write!(said, "; allowed: {}", given(largest));
    }
    said += &place(judged, row);
    if p.status == Status::Interference
        && let Some(moving) = moving(o, p)
    {
        let _ = write!(said, "; {moving}{}", accepted(judged, row, Metric::Penetration));
    }
    if let Some(rule) = p.rule.and_then(|r| o.rules.get(r as usize)) {
        let _ = write!(said, "; rule: {}", rule_text(rule, o.units));
    }
    said
}

/// Describes the proposal for a row: `moving bolt, the smaller part, by 2 mm along +z separates them`.
pub(crate) fn moving(o: &Outcome, p: &PairOutcome) -> Option<String> {
    let (moved, translation) = p.separating_move()?;
    let by = p.penetration_depth.filter(|by| *by > 0.0)?;
    let [a, b] = [p.a, p.b].map(|i| shown(o.id(i)));
    let (name, other) = if moved == p.a { (a, b) } else { (b, a) };
    Some(moving_text(&name, &other, p.mover?.why, &move_text(by, o.units), &direction(&(translation / by))))
}

/// Describes a proposal, from its names and its numbers.
pub(crate) fn moving_text(name: &str, other: &str, why: MoverReason, by: &str, along: &str) -> String {
    match why {
        MoverReason::Smaller => format!("moving {name}, the smaller part, by {by} along {along} separates them"),
        MoverReason::Equal => format!("moving {name} by {by} along {along} separates them"),
        MoverReason::FewerNeighbours => {
            format!("moving {name} by {by} along {along} separates them ({other} has most parts around it)")
        }
    }
}

/// Describes volume, relation and position of an overlap, and the position of a too small gap.
fn place(judged: &Judged, row: usize) -> String {
    let o = &judged.outcome;
    let p = &o.pairs[row];
    let mut said = String::new();
    if !matches!(
        p.status,
        Status::Interference | Status::Allowed | Status::TooClose | Status::Loose | Status::Undecided
    ) {
        return said;
    }
    let volume = volume(o, p);
    if !volume.is_empty() && volumes(judged, row).is_none() {
        // Writing to a String cannot fail.
        let _ = write!(said, "; the common volume is {volume}");
    }
    said += &relation(o, p);
    if let Some(at) = p.at() {
        let _ = write!(said, "; at {}", point_text(&at, o.units));
    }
    said
}

/// Describes a relation that a depth does not show.
pub(crate) fn relation(o: &Outcome, p: &PairOutcome) -> String {
    let [a, b] = [p.a, p.b].map(|i| shown(o.id(i)));
    match p.relation {
        Some(Relation::AContainsB) => format!("; {b} is inside {a}"),
        Some(Relation::BContainsA) => format!("; {a} is inside {b}"),
        Some(Relation::Coincident) => "; both are in the same place".to_owned(),
        _ => String::new(),
    }
}

/// Describes an entry of a grouped report: the sentence of its row, and the size of its group.
pub(crate) fn sentence_of(judged: &Judged, entry: &Entry<'_>) -> String {
    let said = sentence(judged, entry.row);
    let Some(group) = entry.group else { return said };
    format!("{said}; worst of {}", group_text(&judged.outcome, group, entry))
}

fn group_text(o: &Outcome, group: &Group, entry: &Entry<'_>) -> String {
    let [a, b] = entry.names(o);
    format!("{}, {} and {}", count(group.members.len() as u64, "such pair"), clipped(&shown(&a)), clipped(&shown(&b)))
}

/// Cuts a very long name.
pub(crate) fn clipped(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(MAX_NAME) {
        Some((end, _)) => Cow::Owned(format!("{}…", &name[..end])),
        None => Cow::Borrowed(name),
    }
}

/// Verdict in one line: `6 of 10 pairs fail: 3 interference, …`.
pub(crate) fn verdict(judged: &Judged) -> String {
    let o = &judged.outcome;
    let failing = judged.failing();
    let counts: Vec<_> = o.counts.named().map(|(status, n)| format!("{n} {}", status.name())).collect();
    let verb = if failing == 1 { "fails" } else { "fail" };
    let strict = match judged.strict_warnings() {
        0 => String::new(),
        1 => "; 1 warning fails with --strict".to_owned(),
        n => format!("; {n} warnings fail with --strict"),
    };
    let warnings = match judged.open_warnings() {
        0 => String::new(),
        n => format!("; {} with severity warning", count(n, "finding")),
    };
    let runs = motion::findings(o);
    let left_out = motion::left_out(o);
    let left_out = if left_out.is_empty() { left_out } else { format!("; {left_out}") };
    let pairs = count(o.checked_pairs(), "pair");
    format!("{failing} of {pairs} {verb}: {}{runs}{warnings}{strict}{left_out}", counts.join(", "))
}
