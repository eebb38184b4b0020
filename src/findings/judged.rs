//! Judges an outcome: grades its findings, compares them with a baseline and decides the gate.

use crate::assembly::{Level, Rule};
use crate::check::{MotionOutcome, Outcome, PairOutcome, RunOutcome, Status};
use crate::findings::baseline::status::{Accepted, BaselineOutcome, BaselineStatus, Comparison, FailOn};

/// Severities by status, in place of those of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Severities([Option<Level>; Status::ALL.len()]);

impl Severities {
    /// Sets the severity of a status.
    pub fn set(&mut self, status: Status, level: Level) {
        if let Some(k) = Status::ALL.into_iter().position(|s| s == status) {
            self.0[k] = Some(level);
        }
    }

    /// Statuses with a severity here, in the order of the report's counts.
    pub fn given(self) -> impl Iterator<Item = (Status, Level)> {
        Status::ALL.into_iter().zip(self.0).filter_map(|(status, level)| Some((status, level?)))
    }

    /// Severity of a pair with this status and first matching rule; `None` for a pair without a finding.
    pub fn of(self, status: Status, rule: Option<&Rule>) -> Option<Level> {
        let here = self.given().find(|(s, _)| *s == status).map(|(_, level)| level);
        status.fails().then(|| here.or(rule.map(|r| r.severity)).unwrap_or_default())
    }
}

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
    /// Severities in place of those of the rules.
    pub severities: Severities,
}

impl From<Outcome> for Judged {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, baseline: None, fail_on: FailOn::default(), strict: false, severities: Severities::default() }
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

    /// Number of pairs that fail the gate, in the drawing and in each run.
    pub fn failing(&self) -> u64 {
        let of_runs = match self.fail_on {
            FailOn::Never => 0,
            FailOn::New => self.run_findings_of(Level::Error, true),
            FailOn::Any => self.run_findings_of(Level::Error, false),
        };
        self.failing_as_drawn() + of_runs
    }

    /// Number of pairs of the drawing that fail the gate.
    fn failing_as_drawn(&self) -> u64 {
        let is_asked = |row: &usize| match self.fail_on {
            FailOn::Never => false,
            FailOn::New => self.is_open(*row),
            FailOn::Any => true,
        };
        let rows = 0..self.outcome.pairs.len();
        rows.filter(|row| self.severity_of(*row) == Some(Level::Error)).filter(is_asked).count() as u64
    }

    /// Severity of the finding of a row; `None` for a pair without a finding.
    pub fn severity_of(&self, row: usize) -> Option<Level> {
        self.severity_of_pair(&self.outcome.pairs[row])
    }

    /// Severity of the finding of a pair of the drawing or of a run; `None` for a pair without a finding. For a sweep
    /// the gravest one: parts of a lesser status may be errors.
    pub fn severity_of_pair(&self, pair: &PairOutcome) -> Option<Level> {
        let rule = pair.rule.and_then(|r| self.outcome.rules.get(r as usize));
        let parts = pair.swept.iter().flat_map(|swept| swept.failing.iter().flatten()).map(|part| part.status);
        let levels = std::iter::once(pair.status).chain(parts).filter_map(|status| self.severities.of(status, rule));
        // Errors come before warnings.
        levels.min()
    }

    /// Number of findings of a severity, in the drawing and in each run.
    pub fn findings_of(&self, level: Level) -> u64 {
        let drawn = (0..self.outcome.pairs.len()).filter(|row| self.severity_of(*row) == Some(level)).count() as u64;
        drawn + self.run_findings_of(level, false)
    }

    /// Number of findings of a severity in the poses and sweeps; with `open`, of those outside the baseline.
    fn run_findings_of(&self, level: Level, open: bool) -> u64 {
        let of_run = |(k, run): (usize, &RunOutcome)| {
            let counts = |(row, pair): &(usize, &PairOutcome)| {
                self.severity_of_pair(pair) == Some(level)
                    && !(open && self.status_in_run(k, *row) == Some(BaselineStatus::Accepted))
            };
            run.rows.iter().enumerate().filter(counts).count() as u64
        };
        self.outcome.runs().iter().enumerate().map(of_run).sum()
    }

    /// Baseline status of a row of a run, both by index; `None` without a baseline, and for a pair without a finding.
    pub fn status_in_run(&self, run: usize, row: usize) -> Option<BaselineStatus> {
        let comparison = self.baseline.as_ref()?.runs.get(run)?.get(row)?.as_ref();
        comparison.map(|comparison| comparison.status)
    }

    /// Poses and sweeps as outcomes of their own, with this gate and the comparison of their rows with the baseline.
    pub fn runs(&self) -> Vec<Self> {
        self.outcome.runs().iter().enumerate().map(|(k, run)| self.of_run(k, run)).collect()
    }

    fn of_run(&self, k: usize, run: &RunOutcome) -> Self {
        let o = &self.outcome;
        let outcome = Outcome {
            name: format!("{}: {}", o.name, run.name),
            path: o.path.clone(),
            files: o.files.clone(),
            units: o.units,
            strict: o.strict,
            alike_by_group: o.alike_by_group,
            settings: o.settings.clone(),
            possible_pairs: run.pairs,
            counts: run.counts,
            cleared_by: run.cleared_by,
            pairs: run.rows.clone(),
            fixes: Vec::new(),
            parts: o.parts.clone(),
            instances: o.instances.clone(),
            rules: o.rules.clone(),
            rule_uses: Vec::new(),
            warnings: Vec::new(),
            motion: o.motion.as_ref().map(MotionOutcome::joints_alone),
        };
        let baseline = self.baseline.as_ref().map(|all| BaselineOutcome {
            file: all.file.clone(),
            comparisons: all.runs.get(k).cloned().unwrap_or_default(),
            ..BaselineOutcome::default()
        });
        Self { outcome, baseline, fail_on: self.fail_on, strict: self.strict, severities: self.severities }
    }

    /// Number of findings with severity `warning` outside the baseline.
    pub fn open_warnings(&self) -> u64 {
        let is_warning = |row: &usize| self.severity_of(*row) == Some(Level::Warning) && self.is_open(*row);
        let drawn = (0..self.outcome.pairs.len()).filter(is_warning).count() as u64;
        drawn + self.run_findings_of(Level::Warning, true)
    }

    /// Number of findings: pairs with a failing status, in the drawing and in each run.
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
    fn a_warning_passes_and_an_override_precedes_the_rule() {
        let mut judged = Judged::from(sample_outcome::outcome());
        let close: Vec<usize> =
            (0..judged.outcome.pairs.len()).filter(|k| judged.outcome.pairs[*k].status == Status::TooClose).collect();
        judged.outcome.rules[1].severity = Level::Warning;
        assert_eq!((judged.failing(), judged.findings_of(Level::Warning), close.len()), (4, 2, 2));
        assert!(close.iter().all(|k| judged.severity_of(*k) == Some(Level::Warning)));
        judged.severities.set(Status::TooClose, Level::Error);
        assert_eq!((judged.failing(), judged.findings_of(Level::Warning)), (6, 0));
        judged.severities.set(Status::Interference, Level::Warning);
        assert_eq!((judged.failing(), judged.findings_of(Level::Warning), judged.findings()), (3, 3, 6));
        for level in [Status::TooClose, Status::Undecided] {
            judged.severities.set(level, Level::Warning);
        }
        assert!(!judged.fails());
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
