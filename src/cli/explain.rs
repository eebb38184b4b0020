//! Runs `interfere explain`: the stages of one pair.

use crate::assembly::Level;
use crate::check::{self, DEFAULT_SWEEP_CELLS, Explanation, Measure, Options, PairOutcome, Progress};
use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::flags::{ColorChoice, INPUT, MoreSweeps, PERFORMANCE, Question, REPORT, TextChoice, sweep_cells};
use crate::cli::pair_handle::PairArgs;
use crate::cli::progress::Bar;
use crate::cli::settings::{ExplainSettings, QuestionSettings};
use crate::cli::target::Target;
use crate::cli::threads::pool;
use crate::cli::work::Work;
use crate::error::Error;
use crate::findings::Severities;
use crate::motion::AS_DRAWN;
use crate::report;
use clap::Args as ClapArgs;
use std::path::PathBuf;

/// Loads an assembly and explains one of its pairs on the current thread pool.
pub(crate) fn run_explain(settings: &ExplainSettings, progress: &dyn Progress) -> Result<Explanation, Error> {
    let question = &settings.question;
    let loader = &question.files(None);
    let assembly = question.load(loader)?;
    let [a, b] = &settings.pair.ids(&assembly, loader)?;
    check::explain(&assembly, &question.options(assembly.units)?, [a, b], loader, progress)
}

impl ExplainSettings {
    /// Combines the flags.
    pub fn new(args: ExplainArgs) -> Self {
        Self {
            question: QuestionSettings::new(args.assembly, &args.question, Measure::All),
            pair: args.pair,
            run: args.run.filter(|run| run != AS_DRAWN),
            more_sweeps: args.more_sweeps,
            sweep_cells: args.sweep_cells,
            format: args.format.format(),
        }
    }
}

/// Runs `explain`.
pub(crate) fn explain(
    settings: &ExplainSettings,
    work: &Work<'_>,
    quiet: bool,
    color: ColorChoice,
    console: &mut Console<'_>,
) -> Result<Exit, Failure> {
    if let Some(run) = &settings.run {
        return explain_in_run(settings, run, quiet, color, console);
    }
    let terminal = console.terminal;
    let progress = Bar::new(terminal.stderr && !quiet);
    let explanation = pool(settings.question.threads)?.install(|| (work.explain)(settings, &progress))?;
    drop(progress);
    if !quiet {
        console.warnings(&explanation.warnings, terminal.paints(color, terminal.stderr));
    }
    let colour = terminal.paints(color, terminal.stdout);
    Target::Stdout.write(console.stdout, |out| report::explain::render(&explanation, settings.format, colour, out))?;
    Ok(if explanation.severity() == Some(Level::Error) { Exit::Fail } else { Exit::Pass })
}

/// Explains the pair in a pose or a sweep.
fn explain_in_run(
    settings: &ExplainSettings,
    run: &str,
    quiet: bool,
    color: ColorChoice,
    console: &mut Console<'_>,
) -> Result<Exit, Failure> {
    let terminal = console.terminal;
    let progress = Bar::new(terminal.stderr && !quiet);
    let question = &settings.question;
    let found = pool(question.threads)?.install(|| -> Result<_, Error> {
        let loader = &question.files(None);
        let mut assembly = question.load(loader)?;
        settings.more_sweeps.add_to(&mut assembly);
        let [a, b] = &settings.pair.ids(&assembly, loader)?;
        let options = Options { sweep_cells: settings.sweep_cells, ..question.options(assembly.units)? };
        check::explain_run(&assembly, &options, [a, b], run, loader, &progress)
    });
    drop(progress);
    let found = found?;
    if !quiet {
        console.warnings(&found.explanation.warnings, terminal.paints(color, terminal.stderr));
    }
    let colour = terminal.paints(color, terminal.stdout);
    Target::Stdout.write(console.stdout, |out| report::explain::render_run(&found, settings.format, colour, out))?;
    let rows = found.outcome.runs().iter().flat_map(|run| &run.rows);
    let level = |row: &PairOutcome| Severities::default().of(row.status, found.outcome.rule_of(row));
    Ok(if rows.map(level).any(|level| level == Some(Level::Error)) { Exit::Fail } else { Exit::Pass })
}

const EXIT_CODES_OF_EXPLAIN: &str = "\
Exit codes:
  0  the pair does not fail, or its rule makes it a warning
  1  the pair fails: interference, too_close, loose or undecided
  2  no verdict: usage, unreadable or invalid input, an unknown id

Examples:
  interfere explain a.json bolt plate                    print the stages of a pair
  interfere explain a.json lid post --run travel         explain them over a sweep, and at its worst pose
  interfere explain designs/gripper jaw/1 jaw/2 --format json";

/// The flags of `explain`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = EXIT_CODES_OF_EXPLAIN)]
pub struct ExplainArgs {
    /// The assembly file (JSON), or its folder.
    #[arg(value_name = "ASSEMBLY")]
    pub assembly: PathBuf,

    /// The pair.
    #[command(flatten)]
    pub pair: PairArgs,

    /// Settings of the pair queries.
    #[command(flatten)]
    pub question: Question,

    /// Explain the pair in this pose or sweep; `as-drawn` is the drawing.
    #[arg(long, value_name = "NAME", help_heading = INPUT)]
    pub run: Option<String>,

    /// Sweeps beyond those of the file.
    #[command(flatten)]
    pub more_sweeps: MoreSweeps,

    /// Tests for the pair over a sweep, at most [default: 16000000].
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SWEEP_CELLS, value_parser = sweep_cells)]
    #[arg(hide_default_value = true, help_heading = PERFORMANCE)]
    pub sweep_cells: u64,

    /// `text` for people, `json` for programs [default: text].
    #[arg(long, value_enum, default_value = "text", help_heading = REPORT)]
    #[arg(hide_possible_values = true, hide_default_value = true)]
    pub format: TextChoice,
}
