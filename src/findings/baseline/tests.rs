//! Tests reading, writing and comparing baselines.

use crate::check::Outcome;
use crate::findings::baseline::*;
use crate::findings::{BaselineStatus, FailOn, Judged};
use crate::geom::LengthUnit;
use crate::testkit::sample_outcome;

/// The sample outcome, with an inputs hash for findings without numbers, as in a run.
fn outcome(units: LengthUnit) -> Outcome {
    let mut outcome = Outcome { units, ..sample_outcome::outcome() };
    for pair in outcome.pairs.iter_mut().filter(|p| p.status.fails()) {
        pair.inputs = (pair.gap.is_none()).then_some(7);
    }
    outcome
}

fn written(baseline: &Baseline) -> Vec<u8> {
    let mut out = Vec::new();
    crate::findings::baseline::write::render(baseline, &mut out).unwrap();
    out
}

/// Outcome, compared with a baseline.
fn judged(outcome: Outcome, baseline: &Baseline) -> Judged {
    let baseline = Some(compare(baseline, "b.json".to_owned(), &outcome));
    Judged { baseline, fail_on: FailOn::New, ..Judged::from(outcome) }
}

fn accepted_all(units: LengthUnit, reason: Option<&str>) -> Acceptance {
    accept(None, &outcome(units).into(), None, reason, "a.json")
}

fn statuses(judged: &Judged) -> Vec<BaselineStatus> {
    (0..judged.outcome.pairs.len()).filter_map(|row| judged.status_of(row)).collect()
}

#[test]
fn baseline_roundtrip_is_lossless_and_covers_its_run() {
    for units in LengthUnit::ALL {
        let accepted = accepted_all(units, Some("so \"be\" it\n"));
        assert_eq!((accepted.baseline.accepted.len(), accepted.taken.len()), (6, 6));
        assert!(accepted.baseline.accepted.is_sorted_by(|x, y| x.key() < y.key()));
        let again = read("b.json", written(&accepted.baseline)).unwrap();
        assert_eq!(again, accepted.baseline);
        let judged = judged(outcome(units), &again);
        assert_eq!(statuses(&judged), [BaselineStatus::Accepted; 6], "{units:?}");
        assert!(!judged.fails());
        let twice = accept(Some(&again), &judged, None, Some("another"), "a.json");
        assert_eq!((written(&twice.baseline), twice.taken.len()), (written(&again), 0));
    }
}

#[test]
fn another_unit_means_the_same_lengths() {
    let old = accepted_all(LengthUnit::Inch, None).baseline;
    let now = judged(outcome(LengthUnit::Mm), &old);
    assert_eq!(statuses(&now), [BaselineStatus::Accepted; 6]);
    let only = std::collections::BTreeSet::from([1]);
    let new = accept(Some(&old), &now, Some(&only), None, "a.json").baseline;
    assert_eq!((new.units, new.accepted.len()), (LengthUnit::Mm, 6));
    let again = judged(outcome(LengthUnit::Mm), &new);
    assert_eq!(statuses(&again), [BaselineStatus::Accepted; 6]);
}

#[test]
fn unmeasured_pair_is_accepted_by_its_inputs() {
    let baseline = accepted_all(LengthUnit::Mm, None).baseline;
    let mut now = outcome(LengthUnit::Mm);
    now.pairs.iter_mut().for_each(|p| p.inputs = p.inputs.map(|_| 8));
    let now = judged(now, &baseline);
    let changed = statuses(&now).into_iter().filter(|s| *s == BaselineStatus::Changed).count();
    assert_eq!((changed, now.baseline.map(|b| b.counts.accepted)), (2, Some(4)));
}

#[test]
fn truncated_baselines_are_refused_or_read() {
    let baseline = accepted_all(LengthUnit::Mm, Some("é")).baseline;
    let whole = written(&baseline);
    let mut refused = 0;
    for at in 0..whole.len() {
        let mut cut = whole.clone();
        cut.remove(at);
        for bytes in [whole[..at].to_vec(), cut] {
            match read("b.json", bytes) {
                Ok(_) => {}
                Err(e) => {
                    refused += 1;
                    assert!(e.problems.iter().all(|p| p.at.file == "b.json" && !p.what.is_empty()), "{e}");
                }
            }
        }
    }
    assert!(refused > whole.len(), "{refused}");
}
