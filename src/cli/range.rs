//! Runs `interfere range`: how far joints can move from the drawing.

use crate::check::{self, DEFAULT_SWEEP_CELLS, Measure, Options};
use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::flags::{PERFORMANCE, Question, REPORT, TextChoice, sweep_cells};
use crate::cli::progress::Bar;
use crate::cli::settings::QuestionSettings;
use crate::cli::target::Target;
use crate::cli::threads::pool;
use crate::error::Error;
use crate::report;
use clap::Args as ClapArgs;
use std::path::PathBuf;

/// Measures the ranges and prints them.
///
/// # Errors
/// Returns the errors of the check, and of a failed write.
pub(crate) fn run(args: RangeArgs, quiet: bool, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let question = QuestionSettings::new(args.assembly, &args.question, Measure::None);
    let progress = Bar::new(console.terminal.stderr && !quiet);
    let found = pool(question.threads)?.install(|| -> Result<_, Error> {
        let files = question.files(None);
        let assembly = question.load(&files)?;
        let options = Options { sweep_cells: args.sweep_cells, ..question.options(assembly.units)? };
        check::joint_ranges(&assembly, &options, &args.joints, &files, &progress)
    });
    drop(progress);
    let found = found?;
    Target::Stdout.write(console.stdout, |out| report::range::render(&found, args.format.format(), out))?;
    Ok(Exit::Pass)
}

const END: &str = "\
Exit codes:
  0  the ranges are printed
  2  nothing printed: usage, unreadable or invalid input, an unknown joint

Examples:
  interfere range a.json                    every joint with a value of its own
  interfere range a.json hinge latch        these joints
  interfere range a.json --format json      every digit, for programs";

/// The flags of `range`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = END)]
pub struct RangeArgs {
    /// The assembly file (JSON), or its folder.
    #[arg(value_name = "ASSEMBLY")]
    pub assembly: PathBuf,

    /// Names of joints [default: every joint with a value of its own].
    #[arg(value_name = "JOINT")]
    pub joints: Vec<String>,

    /// Settings of the pair queries.
    #[command(flatten)]
    pub question: Question,

    /// Tests for each pair and direction, at most [default: 16000000].
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SWEEP_CELLS, value_parser = sweep_cells)]
    #[arg(hide_default_value = true, help_heading = PERFORMANCE)]
    pub sweep_cells: u64,

    /// `text` for people, `json` for programs [default: text].
    #[arg(long, value_enum, default_value = "text", help_heading = REPORT)]
    #[arg(hide_possible_values = true, hide_default_value = true)]
    pub format: TextChoice,
}
