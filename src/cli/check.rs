//! Runs `interfere check`: loads, checks, renders, writes.

use crate::check::{self, Outcome, Progress, RunStats, Shard, Stage, Stopwatch, Timings};
use crate::cli::baseline_flags::GateArgs;
use crate::cli::cache_flag::open_cache;
use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::finish::{Clocks, RunEnd};
use crate::cli::flags::{ColorChoice, Question, shard};
use crate::cli::progress::Bar;
use crate::cli::report_flags::{OutputArgs, Outputs};
use crate::cli::settings::{CheckSettings, QuestionSettings};
use crate::cli::shard;
use crate::cli::threads::pool;
use crate::cli::work::Work;
use crate::error::Error;
use crate::io::Loader;
use crate::report;
use clap::Args as ClapArgs;
use std::path::PathBuf;

/// Loads and checks an assembly on the current thread pool.
pub(crate) fn run_check(
    settings: &CheckSettings,
    loader: &dyn Loader,
    progress: &dyn Progress,
) -> Result<(Outcome, RunStats), Error> {
    let mut watch = Stopwatch::start();
    let mut reading = Timings::default();
    let question = &settings.question;
    let assembly = question.load(loader)?;
    settings.outputs.spare_files_of(&assembly)?;
    watch.stop(Stage::Load, &mut reading);
    let mut options = question.options(assembly.units)?;
    if settings.outputs.shows_fixes() {
        options.fixes = report::table::MAX_ROWS;
    }
    let store = open_cache(settings, &mut options);
    let (outcome, mut stats) = check::check_with_stats(&assembly, &options, loader, progress)?;
    store.inspect(|store| store.sweep());
    stats.timings.wall.load += reading.wall.load;
    stats.timings.cpu.load += reading.cpu.load;
    Ok((outcome, stats))
}

impl CheckSettings {
    /// Combines the flags.
    ///
    /// # Errors
    /// Refuses two outputs with the same target, an output over an input, and an unwritable output, before a long run.
    pub fn new(args: CheckArgs) -> Result<Self, Error> {
        let outputs = Outputs::new(args.outputs, args.timings)?;
        let baseline = args.gate.place(&args.assembly);
        outputs.check(&[(&args.assembly, "the assembly"), (&baseline, "the baseline")])?;
        Ok(Self {
            question: QuestionSettings::new(args.assembly, &args.question, args.verdict_only),
            outputs,
            gate: args.gate,
            strict: strict(args.strict, args.no_strict),
            cache: args.cache,
            shard: args.shard,
        })
    }
}

/// Value of `--strict` and `--no-strict`; `None` without either.
pub(crate) fn strict(strict: bool, no_strict: bool) -> Option<bool> {
    (strict || no_strict).then_some(strict)
}

/// One run of `check`.
pub(crate) struct Check {
    pub(crate) settings: CheckSettings,
    pub(crate) quiet: bool,
    pub(crate) color: ColorChoice,
}

impl Check {
    pub(crate) fn run(&self, work: &Work<'_>, console: &mut Console<'_>) -> Result<Exit, Failure> {
        if let Some(shard) = self.settings.shard {
            return shard::run(&self.settings, shard, self.quiet, self.color, console);
        }
        let clocks = Clocks::start();
        let terminal = console.terminal;
        // Before the check, since it may take long: a damaged baseline ends the run at once.
        let gate = self.settings.gate.read(&self.settings.question.assembly)?;
        let pool = pool(self.settings.question.threads)?;
        let progress = Bar::new(terminal.stderr && !self.quiet);
        let (outcome, mut stats) = pool.install(|| (work.check)(&self.settings, &progress))?;
        drop(progress);
        stats.timings.threads = pool.current_num_threads();
        let s = &self.settings;
        let ending = RunEnd {
            outputs: &s.outputs,
            gate: &gate,
            clocks: Some(&clocks),
            strict: s.strict,
            quiet: self.quiet,
            color: self.color,
        };
        ending.run(outcome, &stats, console)
    }
}

const EXIT_CODES_OF_CHECK: &str = "\
Exit codes:
  0  every pair was decided and none fails; with --shard: the partial report is written, which is no verdict
  1  a pair fails: interference, too_close or undecided; never with --shard
  2  no verdict: usage, unreadable or invalid input, no pair to check, output not written";

/// The flags of `check`.
#[derive(Debug, ClapArgs)]
#[command(after_help = EXIT_CODES_OF_CHECK)]
pub struct CheckArgs {
    /// The assembly file (JSON).
    #[arg(value_name = "ASSEMBLY.json")]
    pub assembly: PathBuf,

    /// Settings of the pair queries.
    #[command(flatten)]
    pub question: Question,

    /// Report outputs.
    #[command(flatten)]
    pub outputs: OutputArgs,

    /// Conditions of failure.
    #[command(flatten)]
    pub gate: GateArgs,

    /// Decide the status of each pair without measuring; depths and translations stay empty.
    #[arg(long)]
    pub verdict_only: bool,

    /// Treat warnings as errors: exit 2, no report.
    #[arg(long)]
    pub strict: bool,

    /// Do not treat warnings as errors, even if the file says so.
    #[arg(long, conflicts_with = "strict")]
    pub no_strict: bool,

    /// Reuse results of earlier runs from this folder, and check only the changes. The report is the same with and without the
    /// cache. The run creates the folder if needed; you may delete it at any time.
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,

    /// Write the times of the stages to this file (JSON).
    #[arg(long, value_name = "FILE")]
    pub timings: Option<PathBuf>,

    /// Check only the I-th of N shares of the pairs and write a partial report to --output; `interfere merge` combines all N into
    /// the report and the verdict.
    #[arg(long, value_name = "I/N", value_parser = shard, requires = "output", conflicts_with_all = ["format", "expand", "strict", "no_strict", "baseline", "no_baseline", "fail_on", "severity"])]
    pub shard: Option<Shard>,
}
