//! Orders rows by severity, as reports show them.

use crate::assembly::RuleAction;
use crate::check::{BaselineStatus, Outcome, PairOutcome, Status};
use std::cmp::Ordering;

/// Compares two rows, worse first: open findings before all other rows, then by status, then by severity, unknown
/// severity last. Rows equal here keep the outcome's order (by id) in a stable sort.
pub fn worse_first(o: &Outcome, x: &PairOutcome, y: &PairOutcome) -> Ordering {
    place(x).cmp(&place(y)).then_with(|| match (severity(o, x), severity(o, y)) {
        (Some(x), Some(y)) => y.total_cmp(&x),
        (x, y) => y.is_some().cmp(&x.is_some()),
    })
}

/// Indices in [`Outcome::pairs`] of the selected rows, worst first.
pub fn ranked(o: &Outcome, wanted: impl Fn(&PairOutcome) -> bool) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..o.pairs.len()).filter(|k| wanted(&o.pairs[*k])).collect();
    rows.sort_by(|x, y| worse_first(o, &o.pairs[*x], &o.pairs[*y]));
    rows
}

/// Returns true for a finding not accepted by the baseline.
pub fn is_open(p: &PairOutcome) -> bool {
    p.status.fails() && !is_accepted(p)
}

fn is_accepted(p: &PairOutcome) -> bool {
    p.standing == Some(BaselineStatus::Accepted)
}

fn place(p: &PairOutcome) -> (bool, u8) {
    (!is_open(p), of_status(p.status))
}

fn of_status(status: Status) -> u8 {
    match status {
        Status::Interference => 0,
        Status::TooClose => 1,
        Status::Undecided => 2,
        Status::Allowed => 3,
        Status::Clear => 4,
        Status::Contact => 5,
        Status::Ignored => 6,
    }
}

/// Severity of a pair within its status (mm); `None` if unknown.
fn severity(o: &Outcome, p: &PairOutcome) -> Option<f64> {
    match p.status {
        Status::TooClose => match (demanded(o, p), p.gap) {
            (Some(demanded), Some(gap)) => Some(demanded - gap),
            _ => None,
        },
        Status::Undecided => p.gap_bracket.map(|b| b.to_depth()[1]),
        _ => p.overlap_depth.filter(|d| *d > 0.0).or_else(|| p.gap.map(|g| -g)),
    }
}

/// Gap required by the pair's rule (mm).
pub fn demanded(o: &Outcome, p: &PairOutcome) -> Option<f64> {
    match o.rules.get(p.rule? as usize)?.verb {
        RuleAction::MinClearance(mm) => Some(mm),
        RuleAction::AllowDepth(_) | RuleAction::Ignore => None,
    }
}
