//! Orders rows by severity, as reports show them.

use crate::assembly::Level;
use crate::check::{Outcome, PairOutcome, Status};
use crate::findings::judged::Judged;
use std::cmp::Ordering;

/// Compares two rows, worse first: open errors, open warnings, all other rows; then by status, then by depth or gap,
/// unknown ones last. Rows equal here keep the outcome's order (by id) in a stable sort.
pub fn worse_first(judged: &Judged, x: usize, y: usize) -> Ordering {
    let o = &judged.outcome;
    let severity = |row: usize| severity(o, &o.pairs[row]);
    place(judged, x).cmp(&place(judged, y)).then_with(|| match (severity(x), severity(y)) {
        (Some(x), Some(y)) => y.total_cmp(&x),
        (x, y) => y.is_some().cmp(&x.is_some()),
    })
}

/// Indices in [`Outcome::pairs`] of the selected rows, worst first.
pub fn ranked(judged: &Judged, wanted: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..judged.outcome.pairs.len()).filter(|row| wanted(*row)).collect();
    rows.sort_by(|x, y| worse_first(judged, *x, *y));
    rows
}

/// Indices in [`Outcome::pairs`] of the rows in reports for people, worst first: all but contacts, which these reports
/// only count.
pub fn reported(judged: &Judged) -> Vec<usize> {
    ranked(judged, |row| !matches!(judged.outcome.pairs[row].status, Status::Contact | Status::Ignored))
}

fn place(judged: &Judged, row: usize) -> (u8, u8) {
    let group = match judged.severity_of(row) {
        Some(Level::Error) if judged.is_open(row) => 0,
        Some(Level::Warning) if judged.is_open(row) => 1,
        _ => 2,
    };
    (group, judged.outcome.pairs[row].status.rank())
}

/// Severity of a pair within its status (mm); `None` if unknown.
fn severity(o: &Outcome, p: &PairOutcome) -> Option<f64> {
    match p.status {
        Status::TooClose => match (demanded(o, p), p.gap) {
            (Some(demanded), Some(gap)) => Some(demanded - gap),
            _ => None,
        },
        Status::Loose => largest_gap(o, p).zip(p.gap).map(|(largest, gap)| gap - largest),
        Status::Undecided => p.gap_bracket.map(|b| b.to_depth()[1]),
        _ => p.overlap_depth.filter(|d| *d > 0.0).or_else(|| p.gap.map(|g| -g)),
    }
}

/// Largest gap allowed by the pair's rule (mm).
pub fn largest_gap(o: &Outcome, p: &PairOutcome) -> Option<f64> {
    o.rules.get(p.rule? as usize)?.max_gap
}

/// Gap required by the pair's rule (mm).
pub fn demanded(o: &Outcome, p: &PairOutcome) -> Option<f64> {
    o.rules.get(p.rule? as usize)?.verb.min_clearance()
}
