//! Accepts the findings of a run into a baseline, and prunes a baseline.

use crate::check::{Outcome, PairOutcome, Status};
use crate::findings::baseline::status::BaselineStatus;
use crate::findings::baseline::{Baseline, Entry, EntryTranslation, meshes_of, motion_of};
use crate::findings::judged::Judged;
use crate::findings::run_view::{BrokenLimit, RunView, extent_of_pair};
use crate::findings::severity::{Severity, exceeds, in_units, width_of};
use std::collections::{BTreeMap, BTreeSet};

/// Result of accepting findings.
#[derive(Debug, Clone, PartialEq)]
pub struct Acceptance {
    /// Baseline to write.
    pub baseline: Baseline,
    /// Findings not covered before, sorted.
    pub taken: Vec<NewlyAccepted>,
}

/// A newly accepted finding.
#[derive(Debug, Clone, PartialEq)]
pub struct NewlyAccepted {
    /// Index of its entry in the baseline.
    pub entry: usize,
    /// Baseline status before.
    pub was: BaselineStatus,
}

/// Accepts findings of a run: the indices `only`, or all. They count [`Outcome::pairs`], then the rows of the
/// runs. The run must have been compared with
/// `old`.
///
/// An existing entry keeps its reason. A new `reason` fills an empty one, and replaces that of a pair not covered by
/// the old baseline, or selected by `only`. Entries of pairs without a finding stay. `assembly` is the name of the
/// assembly file.
pub fn accept(
    old: Option<&Baseline>,
    judged: &Judged,
    only: Option<&BTreeSet<usize>>,
    reason: Option<&str>,
    assembly: &str,
) -> Acceptance {
    let outcome = &judged.outcome;
    let units = outcome.units;
    let mut entries: BTreeMap<(String, String, Option<String>), Entry> = BTreeMap::new();
    for entry in old.iter().flat_map(|b| &b.accepted) {
        let of_old = old.map_or(units, |b| b.units);
        let mut entry = entry.clone();
        if of_old != units {
            let length = |x: f64| units.as_given(x * of_old.mm());
            let volume = |v: f64| v * of_old.mm3() / units.mm3();
            entry.extent = entry.extent.map(|e| e.scaled(length, volume));
            entry.translation = entry.translation.map(|t| t.scaled(length));
            entry.travel = entry.travel.map(length);
            entry.uncertainty = entry.uncertainty.map(length);
            entry.limit = length(entry.limit);
        }
        entries.insert((entry.a.clone(), entry.b.clone(), entry.run.clone()), entry);
    }
    let view = RunView::of_outcome(outcome);
    let mut newly: BTreeMap<(&str, &str, Option<&str>), BaselineStatus> = BTreeMap::new();
    let chosen = |k: &usize| only.is_none_or(|only| only.contains(k));
    for (run, pair, was) in all_rows(judged).into_iter().enumerate().filter(|(k, _)| chosen(k)).map(|(_, row)| row) {
        if !pair.status.fails() {
            continue;
        }
        let was = was.unwrap_or(BaselineStatus::New);
        let (a, b) = (outcome.id(pair.a), outcome.id(pair.b));
        let key = (a.to_owned(), b.to_owned(), run.map(str::to_owned));
        let before = entries.get(&key).and_then(|e| e.reason.clone());
        let given = reason.filter(|_| was.fails() || only.is_some() || before.is_none()).map(str::to_owned);
        entries.insert(key, Entry { reason: given.or(before), ..entry_of(&view, outcome, pair, run) });
        if was.fails() {
            newly.insert((a, b, run), was);
        }
    }
    let accepted: Vec<Entry> = entries.into_values().collect();
    let taken = accepted.iter().enumerate();
    let taken =
        taken.filter_map(|(entry, e)| newly.get(&e.key()).map(|was| NewlyAccepted { entry, was: *was })).collect();
    Acceptance {
        baseline: Baseline {
            schema: old.and_then(|b| b.schema.clone()),
            assembly: assembly.to_owned(),
            units,
            accepted,
        },
        taken,
    }
}

/// Removes the entries fixed in the run and those at the indices `named`; also returns the number of removed entries.
pub fn prune(old: &Baseline, judged: &Judged, named: &BTreeSet<usize>) -> (Baseline, usize) {
    let gone = judged.baseline.iter().flat_map(|b| &b.gone);
    let fixed: BTreeSet<(&str, &str, Option<&str>)> =
        gone.filter(|g| g.fixed).map(|g| (g.a.as_str(), g.b.as_str(), g.run.as_deref())).collect();
    let stays = |(k, e): &(usize, &Entry)| !fixed.contains(&e.key()) && !named.contains(k);
    let accepted: Vec<Entry> = old.accepted.iter().enumerate().filter(stays).map(|(_, entry)| entry.clone()).collect();
    let dropped = old.accepted.len() - accepted.len();
    (Baseline { accepted, ..old.clone() }, dropped)
}

/// Rows of the drawing, then those of the runs: the run, the pair, its baseline status.
fn all_rows(judged: &Judged) -> Vec<(Option<&str>, &PairOutcome, Option<BaselineStatus>)> {
    let outcome = &judged.outcome;
    let drawn = outcome.pairs.iter().enumerate().map(|(row, pair)| (None, pair, judged.status_of(row)));
    let mut rows: Vec<_> = drawn.collect();
    for (k, run) in outcome.runs().iter().enumerate() {
        let of_row = |(row, pair)| (Some(run.name.as_str()), pair, judged.status_in_run(k, row));
        rows.extend(run.rows.iter().enumerate().map(of_row));
    }
    rows
}

/// Entry of a finding, without a reason.
fn entry_of(view: &RunView<'_>, outcome: &Outcome, pair: &PairOutcome, run: Option<&str>) -> Entry {
    let (a, b) = (outcome.id(pair.a), outcome.id(pair.b));
    let broken = match run {
        None => view.broken_limit(None, a, b, pair.status),
        Some(_) => BrokenLimit::of(outcome.rule_of(pair), outcome.settings.tolerance, pair.status),
    };
    let limit = match broken {
        BrokenLimit::Least(gap) if pair.status == Status::Interference => -gap,
        BrokenLimit::Least(gap) | BrokenLimit::Largest(gap) => gap,
    };
    let units = outcome.units;
    let extent = extent_of_pair(pair);
    let has_volume = matches!(extent, Some(Severity::Depth(_, Some(_))));
    let is_overlap = matches!(extent, Some(Severity::Depth(..)));
    let is_still = pair.swept.is_none();
    let translation = pair.translation_in_a.zip(pair.translation_facets).filter(|_| is_overlap && is_still);
    let translation =
        translation.map(|(t, facets)| EntryTranslation { vector: t.into(), facets }.scaled(|mm| mm / units.mm()));
    Entry {
        a: a.to_owned(),
        b: b.to_owned(),
        status: pair.status,
        relation: pair.relation,
        extent: extent.map(|e| in_units(e, units)),
        translation,
        limit: units.as_given(limit),
        meshes: (has_volume || translation.is_some()).then(|| meshes_of(outcome, pair)),
        inputs: pair.inputs,
        run: run.map(str::to_owned),
        travel: pair.swept.as_ref().map(|swept| swept.failing_travel / units.mm()),
        uncertainty: uncertainty_of(pair).map(|width| width / units.mm()),
        motion: run.and_then(|run| motion_of(outcome, run)),
        reason: None,
    }
}

/// Width of the bracket of a depth or gap (mm, > 0); `None` for an exact one, and for other findings.
fn uncertainty_of(pair: &PairOutcome) -> Option<f64> {
    let has_number = matches!(extent_of_pair(pair), Some(Severity::Depth(..) | Severity::Gap(_)));
    Some(width_of(pair.gap_bracket)).filter(|width| has_number && exceeds(*width, 0.0))
}
