//! A run held against what was accepted.

use crate::check::{Accepted, BaselineOutcome, BaselineStatus, Metric, Outcome, PairOutcome, ResolvedFinding, Status};
use crate::findings::baseline::{Baseline, Entry, meshes_of};
use crate::findings::resolved;
use crate::findings::run_view::{RunView, extent_of_pair};
use crate::findings::severity::{Slack, in_mm, is_same_bracket, worse_in};
use crate::geom::LengthUnit;

/// Says of every finding of a run how it compares with a baseline, and of every accepted one that is gone whether it is mended. `file`
/// is the baseline's name in reports. What the gate fails on is another matter: [`Outcome::fail_on`].
///
/// An accepted finding stands while it is of the same kind and relation, and no worse than it was by more than the run's
/// tolerance. Cost: a binary search for each finding.
pub fn compare(baseline: &Baseline, file: String, outcome: &mut Outcome) {
    let mut found = vec![false; baseline.accepted.len()];
    let mut result = BaselineOutcome { file, ..BaselineOutcome::default() };
    let length = outcome.settings.tolerance;
    let stands: Vec<Option<(BaselineStatus, Option<Accepted>)>> = outcome
        .pairs
        .iter()
        .map(|pair| {
            if !pair.status.fails() {
                return None;
            }
            let key = (outcome.id(pair.a), outcome.id(pair.b));
            let (standing, accepted) = match baseline.accepted.binary_search_by(|e| e.key().cmp(&key)) {
                Ok(k) => {
                    found[k] = true;
                    let entry = &baseline.accepted[k];
                    let same_meshes = entry.meshes.is_some_and(|meshes| meshes == meshes_of(outcome, pair));
                    let (standing, accepted) =
                        compare_entry(entry, baseline.units, pair, Slack { length, same_meshes });
                    (standing, Some(accepted))
                }
                Err(_) => (BaselineStatus::New, None),
            };
            *result.counts.of_mut(standing) += 1;
            Some((standing, accepted))
        })
        .collect();
    let gone = baseline.accepted.iter().zip(&found).filter(|(_, found)| !**found).map(|(entry, _)| entry);
    let mut gone = gone.peekable();
    if gone.peek().is_some() {
        let view = RunView::of_outcome(outcome);
        result.gone = gone.map(|entry| resolve_entry(entry, baseline.units, &view)).collect();
    }
    for (pair, stands) in outcome.pairs.iter_mut().zip(stands) {
        (pair.standing, pair.accepted) = stands.map_or((None, None), |(standing, accepted)| (Some(standing), accepted));
    }
    outcome.baseline = Some(result);
}

fn resolve_entry(entry: &Entry, units: LengthUnit, now: &RunView<'_>) -> ResolvedFinding {
    let verdict = resolved::judge(now, &entry.a, &entry.b, entry.least_gap() * units.mm());
    let (a, b) = (entry.a.clone(), entry.b.clone());
    ResolvedFinding { a, b, status: entry.status, fixed: verdict.fixed, why: verdict.why }
}

/// How a finding compares with what was accepted of its pair, in `units`.
fn compare_entry(entry: &Entry, units: LengthUnit, now: &PairOutcome, slack: Slack) -> (BaselineStatus, Accepted) {
    let extent = entry.extent.map(|e| in_mm(e, units));
    let accepted = |worse_in: Vec<Metric>| Accepted { extent, worse_in };
    let without_measure = |standing: BaselineStatus| (standing, accepted(Vec::new()));
    let same_inputs = entry.inputs.is_none() || entry.inputs == now.inputs;
    if entry.status != now.status || !same_inputs {
        return without_measure(BaselineStatus::Changed);
    }
    match (extent, extent_of_pair(now)) {
        (Some(_), None) => without_measure(BaselineStatus::Unmeasured),
        // Nothing but its inputs is known of it, and they are the same.
        (None, None) => without_measure(BaselineStatus::Accepted),
        (None, Some(_)) => without_measure(BaselineStatus::Changed),
        // How near two parts are says all of a clearance.
        (Some(_), Some(_)) if entry.status != Status::TooClose && entry.relation != now.relation => {
            without_measure(BaselineStatus::Changed)
        }
        (Some(before), Some(extent)) => match worse_in(extent, before, slack) {
            _ if entry.inputs.is_some() && !is_same_bracket(extent, before, slack.length) => {
                without_measure(BaselineStatus::Changed)
            }
            Some(worse) if worse.is_empty() => without_measure(BaselineStatus::Accepted),
            Some(worse) => (BaselineStatus::Worse, accepted(worse)),
            None => without_measure(BaselineStatus::Changed),
        },
    }
}
