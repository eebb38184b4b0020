//! Ends a run: compares with the baseline, prints warnings, writes reports and timings, returns the exit.

use crate::check::{Outcome, RunStats, Timings};
use crate::cli::baseline_flags::Gate;
use crate::cli::console::{Console, Terminal};
use crate::cli::exit::{Exit, Failure};
use crate::cli::flags::ColorChoice;
use crate::cli::report_flags::{Outputs, Report};
use crate::cli::target::Target;
use crate::cli::took;
use crate::findings::{self, Judged};
use crate::report::number::count;
use crate::report::timings::{self, Total};
use crate::report::wrap::DEFAULT_WIDTH;
use crate::report::{self, Style};
use cpu_time::ProcessTime;
use std::time::Instant;

/// Settings for the end of a run.
pub(crate) struct RunEnd<'a> {
    pub outputs: &'a Outputs,
    /// Baseline and condition of failure.
    pub gate: &'a Gate,
    /// Clocks since the start of the run, if it has timings.
    pub clocks: Option<&'a Clocks>,
    /// True if warnings are errors, false if not; `None` leaves it to the file.
    pub strict: Option<bool>,
    pub quiet: bool,
    /// True if stages go to stderr.
    pub verbose: bool,
    pub color: ColorChoice,
    /// Name of the assembly in a run over several; else empty.
    pub label: &'a str,
}

/// Style of a report: colour and width of the terminal that shows it.
pub(crate) fn style_of(report: &Report, outputs: &Outputs, color: ColorChoice, terminal: Terminal) -> Style {
    let printed = report.target == Target::Stdout;
    let colour = terminal.paints(color, terminal.stdout && printed);
    let width = terminal.columns.filter(|_| printed).unwrap_or(DEFAULT_WIDTH);
    Style { colour, expand: outputs.expand, limit: outputs.limit, width }
}

impl RunEnd<'_> {
    /// Compares the outcome with the baseline, prints warnings, writes the reports and returns the exit.
    pub(crate) fn run(&self, outcome: Outcome, stats: &RunStats, console: &mut Console<'_>) -> Result<Exit, Failure> {
        let judged = self.judge(outcome, stats, console);
        let spent = self.write(&judged, stats.timings, console)?;
        if self.verbose {
            console.on_stderr(&took::stages(&spent));
        }
        if let (Some(clocks), false) = (self.clocks, self.quiet) {
            console.on_stderr(&took::line(&count(judged.outcome.possible_pairs, "pair"), clocks));
        }
        Ok(Exit::of_judged(&judged))
    }

    /// Compares the outcome with the baseline and prints the warnings; under `--strict` as errors.
    pub(crate) fn judge(&self, mut outcome: Outcome, stats: &RunStats, console: &mut Console<'_>) -> Judged {
        outcome.warnings.extend(findings::lint(&outcome));
        let strict = self.strict.unwrap_or(outcome.strict);
        let judged = self.gate.judge(outcome, strict);
        let colour = console.terminal.paints(self.color, console.terminal.stderr);
        let warnings = &judged.outcome.warnings;
        if !self.label.is_empty() && !warnings.is_empty() && (strict || !self.quiet) {
            console.note(format_args!("{}: {}", self.label, count(warnings.len() as u64, "warning")), colour);
        }
        if strict {
            console.strict(warnings, colour);
        } else if !self.quiet {
            console.warnings(warnings, colour);
        }
        if !self.quiet {
            console.warnings(stats.cache_warning.as_slice(), colour);
        }
        judged
    }

    /// Writes the reports, then the timings; returns the times with that of the reports.
    fn write(&self, judged: &Judged, mut spent: Timings, console: &mut Console<'_>) -> Result<Timings, Failure> {
        let before = Clocks::start();
        for report in &self.outputs.reports {
            let style = style_of(report, self.outputs, self.color, console.terminal);
            report.target.write(console.stdout, |out| report::render(judged, report.format, style, out))?;
        }
        let report = before.elapsed();
        spent.wall.report += report.wall;
        spent.cpu.report += report.cpu.unwrap_or(0.0);
        if let (Some(target), Some(clocks)) = (&self.outputs.timings, self.clocks) {
            target.write(console.stdout, |out| timings::render(&spent, clocks.elapsed(), out))?;
        }
        Ok(spent)
    }
}

/// Elapsed and CPU time since a common start.
pub(crate) struct Clocks {
    wall: Instant,
    cpu: Option<ProcessTime>,
}

impl Clocks {
    pub(crate) fn start() -> Self {
        Self { wall: Instant::now(), cpu: ProcessTime::try_now().ok() }
    }

    pub(crate) fn elapsed(&self) -> Total {
        let cpu = self.cpu.and_then(|start| start.try_elapsed().ok());
        Total { wall: self.wall.elapsed().as_secs_f64(), cpu: cpu.map(|d| d.as_secs_f64()) }
    }
}
