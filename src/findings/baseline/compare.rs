//! Compares a run with a baseline.

use crate::check::{Measure, Outcome, PairOutcome, Status};
use crate::findings::baseline::status::{Accepted, BaselineOutcome, BaselineStatus, Comparison, ResolvedFinding};
use crate::findings::baseline::{Baseline, Entry, meshes_of};
use crate::findings::resolved;
use crate::findings::run_view::{RunView, extent_of_pair};
use crate::findings::severity::{
    Metric, Penetration, Severity, Slack, exceeds, in_mm, is_farther_in, is_same_bracket, worse_in,
};
use crate::geom::{LengthUnit, Vec3};

/// Compares every finding of a run with a baseline, and judges every accepted finding missing in the run. `file` is the
/// baseline's name in reports.
///
/// An accepted finding stays accepted with the same kind and relation, as long as it is no worse by more than the run's
/// tolerance. Cost: a binary search for each finding.
pub fn compare(baseline: &Baseline, file: String, outcome: &Outcome) -> BaselineOutcome {
    let mut found = vec![false; baseline.accepted.len()];
    let mut result = BaselineOutcome { file, ..BaselineOutcome::default() };
    let mut counts = result.counts;
    let mut rows = |run: Option<&str>, rows: &[PairOutcome]| -> Vec<Option<Comparison>> {
        let mut of_row = |pair: &PairOutcome| {
            let comparison = compare_row(baseline, outcome, run, pair, &mut found)?;
            *counts.of_mut(comparison.status) += 1;
            Some(comparison)
        };
        rows.iter().map(&mut of_row).collect()
    };
    result.comparisons = rows(None, &outcome.pairs);
    result.runs = outcome.runs().iter().map(|run| rows(Some(&run.name), &run.rows)).collect();
    result.counts = counts;
    let gone = baseline.accepted.iter().zip(&found).filter(|(_, found)| !**found).map(|(entry, _)| entry);
    let mut gone = gone.peekable();
    if gone.peek().is_some() {
        let view = RunView::of_outcome(outcome);
        result.gone = gone.map(|entry| resolve_entry(entry, baseline.units, &view)).collect();
    }
    result
}

/// Compares a row of the drawing or of a run; marks its entry as found. `None` for a row without a finding.
fn compare_row(
    baseline: &Baseline,
    outcome: &Outcome,
    run: Option<&str>,
    pair: &PairOutcome,
    found: &mut [bool],
) -> Option<Comparison> {
    if !pair.status.fails() {
        return None;
    }
    let key = (outcome.id(pair.a), outcome.id(pair.b), run);
    let Ok(k) = baseline.accepted.binary_search_by(|e| e.key().cmp(&key)) else {
        return Some(Comparison { status: BaselineStatus::New, accepted: None });
    };
    found[k] = true;
    let entry = &baseline.accepted[k];
    let same_meshes = entry.meshes.is_some_and(|meshes| meshes == meshes_of(outcome, pair));
    let uncertainty = entry.uncertainty.unwrap_or(0.0) * baseline.units.mm();
    let slack = Slack::against(uncertainty, pair.swept.is_some(), same_meshes, outcome.settings.tolerance);
    let still = compare_entry(entry, baseline.units, pair, slack);
    let comparison = with_travel(still, entry.travel.map(|travel| travel * baseline.units.mm()), pair, slack);
    let is_whole = outcome.settings.measure == Measure::All;
    Some(if is_whole { comparison } else { with_gaps(comparison, entry, pair) })
}

/// Comparison of a row of a sweep: worse as well if its failing travel has grown beyond `before` (mm) by more than the
/// slack.
fn with_travel(comparison: Comparison, before: Option<f64>, now: &PairOutcome, slack: Slack) -> Comparison {
    let both = before.zip(now.swept.as_ref());
    let grown = both.is_some_and(|(before, now)| exceeds(now.failing_travel, before + slack.length));
    let accepted = comparison.accepted.map(|accepted| Accepted { travel: before, ..accepted });
    match (comparison.status, accepted) {
        (BaselineStatus::Accepted | BaselineStatus::Worse, Some(mut accepted)) if grown => {
            accepted.worse_in.push(Metric::Travel);
            Comparison { status: BaselineStatus::Worse, accepted: Some(accepted) }
        }
        (status, accepted) => Comparison { status, accepted },
    }
}

fn resolve_entry(entry: &Entry, units: LengthUnit, now: &RunView<'_>) -> ResolvedFinding {
    let broken = entry.broken_limit(units);
    let verdict = resolved::judge(now, [&entry.a, &entry.b], entry.run.as_deref(), entry.motion, broken);
    let (a, b, run) = (entry.a.clone(), entry.b.clone(), entry.run.clone());
    ResolvedFinding { a, b, run, status: entry.status, fixed: verdict.fixed, why: verdict.why }
}

/// Compares a finding with its entry (in `units`).
fn compare_entry(entry: &Entry, units: LengthUnit, now: &PairOutcome, slack: Slack) -> Comparison {
    let extent = entry.extent.map(|e| in_mm(e, units));
    let penetration = penetration_of(entry, units, now);
    let penetration_depth = penetration.map(|p| p.before);
    let comparison = |status: BaselineStatus, worse_in: Vec<Metric>| Comparison {
        status,
        accepted: Some(Accepted { extent, penetration_depth, travel: None, worse_in }),
    };
    let without_measure = |status: BaselineStatus| comparison(status, Vec::new());
    // The gap of a loose pair tells more than the inputs.
    let by_gap = entry.status == Status::Loose && extent.is_some() && extent_of_pair(now).is_some();
    let inputs = entry.inputs.filter(|_| !by_gap);
    let same_inputs = inputs.is_none() || inputs == now.inputs;
    if entry.status != now.status || !same_inputs {
        return without_measure(BaselineStatus::Changed);
    }
    match (extent, extent_of_pair(now)) {
        (Some(_), None) => without_measure(BaselineStatus::Unmeasured),
        // Only the inputs are known, and they are equal.
        (None, None) => without_measure(BaselineStatus::Accepted),
        (None, Some(_)) => without_measure(BaselineStatus::Changed),
        // For a clearance, the relation adds nothing to the gap.
        (Some(_), Some(_)) if entry.status != Status::TooClose && entry.relation != now.relation => {
            without_measure(BaselineStatus::Changed)
        }
        (Some(before), Some(extent)) => match worse_in(extent, before, slack).map(|worse| {
            let farther = penetration.filter(|p| is_farther_in(*p, slack)).map(|_| Metric::Penetration);
            worse.into_iter().chain(farther).collect::<Vec<_>>()
        }) {
            _ if inputs.is_some() && !is_same_bracket(extent, before, slack.length) => {
                without_measure(BaselineStatus::Changed)
            }
            Some(worse) if worse.is_empty() => without_measure(BaselineStatus::Accepted),
            Some(worse) => comparison(BaselineStatus::Worse, worse),
            None => without_measure(BaselineStatus::Changed),
        },
    }
}

/// Comparison of a run that does not measure every value: a finding accepted by the others is unmeasured if its entry
/// has a volume or a translation, and the run has none.
fn with_gaps(comparison: Comparison, entry: &Entry, now: &PairOutcome) -> Comparison {
    let volume = matches!(entry.extent, Some(Severity::Depth(_, Some(_)))) && now.overlap_volume.is_none();
    let translation = entry.translation.is_some() && now.penetration_depth.is_none();
    let status = match comparison.status {
        BaselineStatus::Accepted if volume || translation => BaselineStatus::Unmeasured,
        status => status,
    };
    Comparison { status, ..comparison }
}

/// Separating translations of a finding: that of its entry (in `units`) and the present one; `None` if either lacks
/// one.
fn penetration_of(entry: &Entry, units: LengthUnit, now: &PairOutcome) -> Option<Penetration> {
    let before = entry.translation?.scaled(|x| x * units.mm());
    let vector = Vec3::from(before.vector);
    // The run may have measured another translation: that of another baseline.
    let remaining = now.remaining.filter(|r| r.translation == vector);
    Some(Penetration {
        now: now.penetration_depth?,
        before: vector.norm(),
        facets: before.facets + now.translation_facets?,
        remaining: remaining.map(|r| r.depth.unwrap_or(f64::INFINITY)),
    })
}
