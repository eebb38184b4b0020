//! A run held against what was accepted.

use super::super::gone;
use super::super::view::{View, extent_of_pair};
use super::{Baseline, Entry};
use crate::check::{BaselineOutcome, Gone, Outcome, PairOutcome, Standing, Status};

/// Says of every finding of a run how it compares with a baseline, and of every accepted one that is gone whether it is mended. `file`
/// is the baseline's name in reports. What the gate fails on is another matter: [`Outcome::fail_on`].
///
/// An accepted finding stands while it is of the same kind and relation, and no worse than it was by more than the run's
/// tolerance. Cost: a binary search for each finding.
pub fn hold(baseline: &Baseline, file: String, outcome: &mut Outcome) {
    let mut found = vec![false; baseline.accepted.len()];
    let mut result = BaselineOutcome { file, ..BaselineOutcome::default() };
    let unit = baseline.units.mm();
    let slack = outcome.settings.tolerance;
    let standings: Vec<Option<Standing>> = outcome
        .pairs
        .iter()
        .map(|pair| {
            if !pair.status.fails() {
                return None;
            }
            let key = (outcome.id(pair.a), outcome.id(pair.b));
            let standing = match baseline.accepted.binary_search_by(|e| e.key().cmp(&key)) {
                Ok(k) => {
                    found[k] = true;
                    standing(&baseline.accepted[k], unit, pair, slack)
                }
                Err(_) => Standing::New,
            };
            *result.counts.of_mut(standing) += 1;
            Some(standing)
        })
        .collect();
    let gone = baseline.accepted.iter().zip(&found).filter(|(_, found)| !**found).map(|(entry, _)| entry);
    let mut gone = gone.peekable();
    if gone.peek().is_some() {
        let view = View::of_outcome(outcome);
        result.gone = gone.map(|entry| judged(entry, unit, &view)).collect();
    }
    outcome.pairs.iter_mut().zip(standings).for_each(|(pair, standing)| pair.standing = standing);
    outcome.baseline = Some(result);
}

fn judged(entry: &Entry, unit: f64, now: &View<'_>) -> Gone {
    let verdict = gone::judge(now, &entry.a, &entry.b, entry.least_gap() * unit);
    let (a, b) = (entry.a.clone(), entry.b.clone());
    Gone { a, b, status: entry.status, fixed: verdict.fixed, why: verdict.why }
}

/// How a finding compares with what was accepted of its pair; `unit` is that of the entry in mm, `slack` is in mm.
fn standing(entry: &Entry, unit: f64, now: &PairOutcome, slack: f64) -> Standing {
    let same_inputs = entry.inputs.is_none() || entry.inputs == now.inputs;
    if entry.status != now.status || !same_inputs {
        return Standing::Changed;
    }
    match (entry.extent.map(|e| e.map(|x| x * unit)), extent_of_pair(now)) {
        (Some(_), None) => Standing::Unmeasured,
        // Nothing but its inputs is known of it, and they are the same.
        (None, None) => Standing::Accepted,
        (None, Some(_)) => Standing::Changed,
        // How near two parts are says all of a clearance.
        (Some(_), Some(_)) if entry.status != Status::Clearance && entry.relation != now.relation => Standing::Changed,
        (Some(before), Some(extent)) => match extent.is_worse(before, slack) {
            _ if entry.inputs.is_some() && !extent.is_same_bracket(before, slack) => Standing::Changed,
            Some(false) => Standing::Accepted,
            Some(true) => Standing::Worse,
            None => Standing::Changed,
        },
    }
}
