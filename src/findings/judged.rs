//! Judges an outcome: compares its findings with a baseline and decides the gate.

use crate::check::Outcome;
use crate::findings::baseline::status::{Accepted, BaselineOutcome, BaselineStatus, Comparison, FailOn};

/// An outcome with its baseline and its gate: the input of every report. A row is an index in [`Outcome::pairs`].
///
/// `Judged::from(outcome)` has no baseline; every finding fails it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Results of the check.
    pub outcome: Outcome,
    /// Comparison with the baseline; `None` without a baseline.
    pub baseline: Option<BaselineOutcome>,
    /// Findings that fail the gate.
    pub fail_on: FailOn,
    /// True if warnings fail the gate, too.
    pub strict: bool,
}

impl From<Outcome> for Judged {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, baseline: None, fail_on: FailOn::default(), strict: false }
    }
}

impl Judged {
    /// Returns true if the gate fails.
    pub fn fails(&self) -> bool {
        self.failing() > 0 || self.strict_warnings() > 0
    }

    /// Number of warnings that fail the gate; 0 unless `strict`.
    pub fn strict_warnings(&self) -> u64 {
        if self.strict { self.outcome.warnings.len() as u64 } else { 0 }
    }

    /// Number of pairs that fail the gate.
    pub fn failing(&self) -> u64 {
        match (self.fail_on, &self.baseline) {
            (FailOn::Never, _) => 0,
            (FailOn::New, Some(baseline)) => baseline.counts.failing(),
            (FailOn::New, None) | (FailOn::Any, _) => self.findings(),
        }
    }

    /// Number of findings: pairs with a failing status.
    pub fn findings(&self) -> u64 {
        self.outcome.findings()
    }

    /// Returns true for a finding not accepted by the baseline.
    pub fn is_open(&self, row: usize) -> bool {
        self.outcome.pairs[row].status.fails() && self.status_of(row) != Some(BaselineStatus::Accepted)
    }

    /// Baseline status of a row; `None` without a baseline, and for a pair without a finding.
    pub fn status_of(&self, row: usize) -> Option<BaselineStatus> {
        self.comparison(row).map(|comparison| comparison.status)
    }

    /// Accepted finding of a row; `None` without a baseline, and for a pair missing in it.
    pub fn accepted(&self, row: usize) -> Option<&Accepted> {
        self.comparison(row)?.accepted.as_ref()
    }

    fn comparison(&self, row: usize) -> Option<&Comparison> {
        self.baseline.as_ref()?.comparisons.get(row)?.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::baseline::{accept, compare};
    use crate::testkit::sample_outcome;

    #[test]
    fn the_gate_counts_the_findings_that_it_fails_on() {
        let plain = Judged::from(sample_outcome::outcome());
        assert_eq!((plain.fail_on, plain.failing(), plain.status_of(0)), (FailOn::Any, 6, None));
        let baseline = accept(None, &plain, Some(&[0].into()), None, "a.json").baseline;
        let compared = compare(&baseline, "b.json".to_owned(), &plain.outcome);
        let judged = |fail_on| Judged { baseline: Some(compared.clone()), fail_on, ..plain.clone() };
        let failing = [FailOn::New, FailOn::Any, FailOn::Never].map(|fail_on| judged(fail_on).failing());
        assert_eq!(failing, [5, 6, 0]);
        // Warnings fail on their own, and only with `strict`.
        assert!(!plain.outcome.warnings.is_empty() && !judged(FailOn::Never).fails());
        assert!(Judged { strict: true, ..judged(FailOn::Never) }.fails());
        // Without a baseline, every finding is new.
        assert_eq!(Judged { fail_on: FailOn::New, ..plain.clone() }.failing(), 6);
    }

    #[test]
    fn a_row_has_its_own_baseline_status() {
        let plain = Judged::from(sample_outcome::outcome());
        let baseline = accept(None, &plain, Some(&[0].into()), None, "a.json").baseline;
        let compared = compare(&baseline, "b.json".to_owned(), &plain.outcome);
        let judged = Judged { baseline: Some(compared), ..plain.clone() };
        for (row, pair) in plain.outcome.pairs.iter().enumerate() {
            let status = if row == 0 { BaselineStatus::Accepted } else { BaselineStatus::New };
            assert_eq!(judged.status_of(row), pair.status.fails().then_some(status), "{row}");
            assert_eq!(judged.accepted(row).is_some(), row == 0, "{row}");
            assert_eq!(judged.is_open(row), pair.status.fails() && row != 0, "{row}");
            assert_eq!(plain.is_open(row), pair.status.fails(), "{row}");
        }
    }
}
