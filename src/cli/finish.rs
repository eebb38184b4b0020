//! Ends a run: compares with the baseline, prints warnings, writes reports and timings, returns the exit.

use crate::check::{Outcome, RunStats, Timings};
use crate::cli::baseline_flags::Gate;
use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::flags::ColorChoice;
use crate::cli::report_flags::Outputs;
use crate::cli::target::Target;
use crate::findings::{self, Judged};
use crate::report::timings::{self, Total};
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
    pub color: ColorChoice,
}

impl RunEnd<'_> {
    /// Compares the outcome with the baseline, prints warnings, writes the reports and returns the exit.
    pub(crate) fn run(
        &self,
        mut outcome: Outcome,
        stats: &RunStats,
        console: &mut Console<'_>,
    ) -> Result<Exit, Failure> {
        outcome.warnings.extend(findings::lint(&outcome));
        let judged = self.gate.judge(outcome);
        let strict = self.strict.unwrap_or(judged.outcome.strict);
        if strict && !judged.outcome.warnings.is_empty() {
            return Err(Failure::Strict(judged.outcome.warnings));
        }
        if !self.quiet {
            let colour = console.terminal.paints(self.color, console.terminal.stderr);
            console.warnings(&judged.outcome.warnings, colour);
            console.warnings(stats.cache_warning.as_slice(), colour);
        }
        self.write(&judged, stats.timings, console)?;
        Ok(Exit::of_judged(&judged))
    }

    /// Writes the reports, then the timings with the time for the reports.
    fn write(&self, judged: &Judged, mut spent: Timings, console: &mut Console<'_>) -> Result<(), Failure> {
        let before = Clocks::start();
        for report in &self.outputs.reports {
            let to_terminal = console.terminal.stdout && report.target == Target::Stdout;
            let colour = console.terminal.paints(self.color, to_terminal);
            let style = Style { colour, expand: self.outputs.expand };
            report.target.write(console.stdout, |out| report::render(judged, report.format, style, out))?;
        }
        let (Some(target), Some(clocks)) = (&self.outputs.timings, self.clocks) else { return Ok(()) };
        let report = before.elapsed();
        spent.wall.report += report.wall;
        spent.cpu.report += report.cpu.unwrap_or(0.0);
        target.write(console.stdout, |out| timings::render(&spent, clocks.elapsed(), out))
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
