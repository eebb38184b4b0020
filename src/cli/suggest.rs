//! `interfere suggest`: rules for the overlaps that look as if they were meant.

use super::args::{ColorChoice, SuggestArgs, TextChoice};
use super::console::Console;
use super::exit::{Exit, Failure};
use super::output::Target;
use super::progress::Bar;
use super::run::pool;
use super::settings::QuestionSettings;
use crate::check;
use crate::error::Error;
use crate::gate;
use crate::load::FsLoader;
use crate::report::suggest::{render_json, render_text};

/// Checks the assembly and proposes rules for what it found.
///
/// # Errors
/// Where nothing was decided, as by `check`, and where the proposals cannot be written.
pub fn run(args: SuggestArgs, quiet: bool, color: ColorChoice, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let terminal = console.terminal;
    let question = QuestionSettings::new(args.assembly, &args.question, false);
    let progress = Bar::new(terminal.stderr && !quiet);
    let found = pool(question.threads)?.install(|| -> Result<_, Error> {
        let assembly = question.load(&FsLoader)?;
        let outcome = check::check(&assembly, &question.options(assembly.units)?, &FsLoader, &progress)?;
        Ok((gate::suggest(&assembly, &outcome), outcome))
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
