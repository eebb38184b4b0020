//! Runs `interfere suggest`: proposes rules for probably intended overlaps.

use crate::cli::flags::{ColorChoice, Question, REPORT};
use clap::Args as ClapArgs;
use std::path::PathBuf;

use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::flags::TextChoice;
use crate::cli::progress::Bar;
use crate::cli::settings::QuestionSettings;
use crate::cli::target::Target;
use crate::cli::threads::pool;
use crate::error::Error;
use crate::io::FsLoader;
use crate::report::suggest::{render_json, render_text};
use crate::{check, findings};

/// Checks the assembly and proposes rules for its findings.
///
/// # Errors
/// Returns the errors of the check, and of a failed write.
pub fn run(args: SuggestArgs, quiet: bool, color: ColorChoice, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let terminal = console.terminal;
    let question = QuestionSettings::new(args.assembly, &args.question, false);
    let progress = Bar::new(terminal.stderr && !quiet);
    let found = pool(question.threads)?.install(|| -> Result<_, Error> {
        let assembly = question.load(&FsLoader)?;
        let outcome = check::check(&assembly, &question.options(assembly.units)?, &FsLoader, &progress)?;
        Ok((findings::suggest(&assembly, &outcome), outcome))
    });
    drop(progress);
    let (suggestions, outcome) = found?;
    if !quiet {
        console.warnings(&outcome.warnings, terminal.paints(color, terminal.stderr));
    }
    Target::Stdout.write(console.stdout, |out| match args.format {
        TextChoice::Text => render_text(&suggestions, &outcome, out),
        TextChoice::Json => render_json(&suggestions, &outcome, out),
    })?;
    Ok(Exit::Pass)
}

const END: &str = "\
Exit codes:
  0  the proposals are printed
  2  no proposals: usage, unreadable or invalid input, output not written

Examples:
  interfere suggest a.json                 print rules for overlaps that look intended
  interfere suggest a.json --format json   the same for programs";

/// The flags of `suggest`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = END)]
pub struct SuggestArgs {
    /// The assembly file (JSON), or its folder.
    #[arg(value_name = "ASSEMBLY")]
    pub assembly: PathBuf,

    /// Settings of the pair queries.
    #[command(flatten)]
    pub question: Question,

    /// `text` for people, `json` for programs [default: text].
    #[arg(long, value_enum, default_value = "text", help_heading = REPORT)]
    #[arg(hide_possible_values = true, hide_default_value = true)]
    pub format: TextChoice,
}
