//! Ends a run: compares with the baseline, prints warnings, writes reports and timings, returns the exit.

use crate::check::{Drawn, Outcome, RunStats, SweepProofs, Timings};
use crate::cli::baseline_flags::Gate;
use crate::cli::console::{Console, Terminal};
use crate::cli::drawing::Drawing;
use crate::cli::drawing_flags::DrawingSettings;
use crate::cli::exit::{Exit, Failure};
use crate::cli::flags::ColorChoice;
use crate::cli::open_page;
use crate::cli::picture_prefix::link_prefix;
use crate::cli::progress::Bar;
use crate::cli::report_flags::{OutputFormat, Outputs, Report};
use crate::cli::target::Target;
use crate::cli::took;
use crate::cli::work::FinishedCheck;
use crate::findings::{self, Judged, as_reported};
use crate::report::number::{count, count_of};
use crate::report::timings::{self, Total};
use crate::report::wrap::DEFAULT_WIDTH;
use crate::report::{self, PictureLinks, Style};
use cpu_time::ProcessTime;
use rayon::ThreadPool;
use std::time::Instant;

/// Settings for the end of a run.
pub(crate) struct RunEnd<'a> {
    pub outputs: &'a Outputs,
    /// Pictures; `None` for a run without meshes.
    pub drawing: Option<&'a DrawingSettings>,
    /// Threads of the run, if it draws.
    pub pool: Option<&'a ThreadPool>,
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
    /// Compares the outcome with the baseline, prints warnings, draws, writes the reports and returns the exit.
    pub(crate) fn run(&self, ran: FinishedCheck, console: &mut Console<'_>) -> Result<Exit, Failure> {
        let FinishedCheck { outcome, stats, drawn, proofs } = ran;
        let judged = self.judge(outcome, &stats, console);
        let mut spent = stats.timings;
        let drawing = self.draw(&judged, drawn, &mut spent, console)?;
        if let (Some(drawing), Some(DrawingSettings { pictures: Some(folder), .. })) = (&drawing, self.drawing) {
            folder.sweep(drawing.pictures.values())?;
        }
        let spent = self.write(&judged, drawing.as_ref(), spent, console)?;
        if let Some(proofs) = &proofs {
            self.write_proofs(proofs, &judged.outcome, console)?;
        }
        if let (Some(drawing), Some(DrawingSettings { open: true, .. })) = (&drawing, self.drawing) {
            let (path, started) = open_page::open(drawing.file(OutputFormat::Html), &judged.outcome.name)?;
            let said = if started { "the page is" } else { "no browser started: open the page" };
            let colour = console.terminal.paints(self.color, console.terminal.stderr);
            console.note(format_args!("{said} {}", path.display()), colour);
        }
        if self.verbose {
            console.on_stderr(&took::stages(&spent));
        }
        if let (Some(clocks), false) = (self.clocks, self.quiet) {
            console.on_stderr(&took::line(&count(judged.outcome.checked_pairs(), "pair"), clocks));
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

    /// Builds the scene and writes the pictures; `None` for a run that draws nothing.
    pub(crate) fn draw(
        &self,
        judged: &Judged,
        drawn: Option<Drawn>,
        spent: &mut Timings,
        console: &mut Console<'_>,
    ) -> Result<Option<Drawing>, Failure> {
        let (Some(drawn), Some(settings), Some(pool)) = (drawn, self.drawing, self.pool) else { return Ok(None) };
        let progress = Bar::with_label(console.terminal.stderr && !self.quiet, self.label);
        let assembly = Some(self.label).filter(|label| !label.is_empty());
        let judged = &*as_reported(judged);
        let drawing = pool.install(|| Drawing::new(judged, drawn, settings, assembly, spent, &progress))?;
        drop(progress);
        for note in drawing.notes.iter().filter(|_| !self.quiet) {
            let label = assembly.map(|label| format!("{label}: ")).unwrap_or_default();
            console.note(format!("{label}{note}"), console.terminal.paints(self.color, console.terminal.stderr));
        }
        Ok(Some(drawing))
    }

    /// Writes the proofs of the sweeps, and says how many rows have none.
    fn write_proofs(&self, proofs: &SweepProofs, outcome: &Outcome, console: &mut Console<'_>) -> Result<(), Failure> {
        let Some(target) = &self.outputs.proof else { return Ok(()) };
        target.write(console.stdout, |out| report::proof::render(proofs, outcome, out))?;
        if !self.quiet {
            let (written, left) = (count(proofs.proofs.len() as u64, "proof"), proofs.left_out.len() as u64);
            let left = count_of(left, "entry", "entries");
            let colour = console.terminal.paints(self.color, console.terminal.stderr);
            console.note(format_args!("the proof file has {written}, and {left} about what it leaves out"), colour);
        }
        Ok(())
    }

    /// Writes the reports, then the timings; returns the times with that of the reports.
    fn write(
        &self,
        judged: &Judged,
        drawing: Option<&Drawing>,
        mut spent: Timings,
        console: &mut Console<'_>,
    ) -> Result<Timings, Failure> {
        let before = Clocks::start();
        for report in &self.outputs.reports {
            let style = style_of(report, self.outputs, self.color, console.terminal);
            let prefix = self.drawing.and_then(|settings| link_prefix(report, settings));
            let links = match (drawing, &prefix) {
                (Some(drawing), Some(prefix)) => PictureLinks::new(&drawing.pictures, prefix),
                _ => PictureLinks::default(),
            };
            report.target.write(console.stdout, |out| match report.format {
                OutputFormat::Report(format) => report::render_with_links(judged, format, style, links, out),
                _ => out.write_all(drawing.map_or(&[], |d| d.file(report.format))),
            })?;
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
