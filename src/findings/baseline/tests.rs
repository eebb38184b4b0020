//! Tests reading, writing and comparing baselines.

use crate::check::{BaselineStatus, Outcome};
use crate::findings::baseline::*;
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

fn standings(outcome: &Outcome) -> Vec<BaselineStatus> {
    outcome.pairs.iter().filter_map(|p| p.standing).collect()
}

#[test]
fn what_is_written_is_read_without_loss_and_covers_its_run() {
    for units in LengthUnit::ALL {
        let mut outcome = outcome(units);
        let accepted = accept(None, &outcome, None, Some("so \"be\" it\n"), "a.json");
        assert_eq!((accepted.baseline.accepted.len(), accepted.taken.len()), (6, 6));
        assert!(accepted.baseline.accepted.is_sorted_by(|x, y| x.key() < y.key()));
        let again = read("b.json", written(&accepted.baseline)).unwrap();
        assert_eq!(again, accepted.baseline);
        compare(&again, "b.json".to_owned(), &mut outcome);
        assert_eq!(standings(&outcome), [BaselineStatus::Accepted; 6], "{units:?}");
        outcome.fail_on = crate::check::FailOn::New;
        assert!(!outcome.fails());
        let twice = accept(Some(&again), &outcome, None, Some("another"), "a.json");
        assert_eq!((written(&twice.baseline), twice.taken.len()), (written(&again), 0));
    }
}

#[test]
fn another_unit_means_the_same_lengths() {
    let old = accept(None, &outcome(LengthUnit::Inch), None, None, "a.json").baseline;
    let mut now = outcome(LengthUnit::Mm);
    compare(&old, String::new(), &mut now);
    assert_eq!(standings(&now), [BaselineStatus::Accepted; 6]);
    let only = std::collections::BTreeSet::from([1]);
    let new = accept(Some(&old), &now, Some(&only), None, "a.json").baseline;
    assert_eq!((new.units, new.accepted.len()), (LengthUnit::Mm, 6));
    let mut again = outcome(LengthUnit::Mm);
    compare(&new, String::new(), &mut again);
    assert_eq!(standings(&again), [BaselineStatus::Accepted; 6]);
}

#[test]
fn a_pair_without_a_number_stands_by_its_inputs() {
    let baseline = accept(None, &outcome(LengthUnit::Mm), None, None, "a.json").baseline;
    let mut now = outcome(LengthUnit::Mm);
    now.pairs.iter_mut().for_each(|p| p.inputs = p.inputs.map(|_| 8));
    compare(&baseline, String::new(), &mut now);
    let changed = now.pairs.iter().filter(|p| p.standing == Some(BaselineStatus::Changed)).count();
    assert_eq!((changed, now.baseline.map(|b| b.counts.accepted)), (2, Some(4)));
}

#[test]
fn every_torn_baseline_is_refused_or_read() {
    let baseline = accept(None, &outcome(LengthUnit::Mm), None, Some("é"), "a.json").baseline;
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
