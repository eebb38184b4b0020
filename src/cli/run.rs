//! Entry of the program: parses the arguments, runs the command, ends with an exit code.

use crate::cli::args::{Args, Command};
use crate::cli::check::{self, run_check};
use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::explain::{explain, run_explain};
use crate::cli::flags::ColorChoice;
use crate::cli::settings::ExplainSettings;
use crate::cli::work::Work;
use crate::cli::{
    accept, decompose, diff, import, init, inspect, merge, never, range, render, rule, schema, suggest, usage,
};
use clap::{CommandFactory, Parser, ValueEnum};
use std::ffi::OsString;

/// Runs a command line; the first of `arguments` is the program's name.
pub fn run(arguments: impl IntoIterator<Item = OsString>, console: &mut Console<'_>) -> Exit {
    let work = Work {
        check: &|settings, progress| run_check(settings, progress),
        explain: &|settings, progress| run_explain(settings, progress),
        examine: &inspect::examine,
    };
    run_with(arguments, &work, console)
}

pub(crate) fn run_with(
    arguments: impl IntoIterator<Item = OsString>,
    work: &Work<'_>,
    console: &mut Console<'_>,
) -> Exit {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let args = match Args::try_parse_from(&arguments) {
        Ok(args) => args,
        Err(error) => return report_failure(&usage::advised(error, &arguments), color_of(&arguments), console),
    };
    let Args { command, quiet, color, .. } = args;
    let result = match command {
        Command::Check(args) => check::run(args, quiet, color, work, console),
        Command::Accept(args) => accept::run(&args, quiet, color, console),
        Command::Diff(args) => {
            let colour = console.terminal.paints(color, console.terminal.stdout);
            diff::run(args, colour, console)
        }
        Command::Merge(args) => merge::run(args, quiet, color, console),
        Command::Explain(args) => explain(&ExplainSettings::new(args), work, quiet, color, console),
        Command::Never(args) => never::run(args, quiet, console),
        Command::Range(args) => range::run(args, quiet, console),
        Command::Render(args) => render::run(&args, quiet, color, console),
        Command::Inspect(args) => {
            let terminal = console.terminal;
            let colours = (terminal.paints(color, terminal.stdout), terminal.paints(color, terminal.stderr));
            inspect::run(&args, work.examine, console, colours)
        }
        Command::Decompose(args) => {
            let colour = console.terminal.paints(color, console.terminal.stderr);
            decompose::run(&args, quiet, colour, console)
        }
        Command::Import(args) => import::run(&args, quiet, color, console),
        Command::Init(args) => init::run(&args, quiet, color, console),
        Command::Suggest(args) => suggest::run(args, quiet, color, console),
        Command::Rule(args) => rule::run(&args, console),
        Command::Schema(args) => schema::schema(&args, console),
        Command::Completions(args) => schema::completions(args.shell, Args::command(), console),
        Command::Man(args) => schema::man(&args, Args::command(), console),
    };
    result.unwrap_or_else(|failure| report_failure(&failure, color, console))
}

/// Value of the last `--color` among arguments with a usage error; `auto` if it is missing or invalid.
fn color_of(arguments: &[OsString]) -> ColorChoice {
    let value = |i: usize| match arguments[i].to_str()?.strip_prefix("--color")? {
        "" => arguments.get(i + 1)?.to_str(),
        rest => rest.strip_prefix('='),
    };
    let flags = arguments.iter().take_while(|a| *a != "--").count();
    (0..flags).rev().find_map(value).and_then(|v| ColorChoice::from_str(v, false).ok()).unwrap_or(ColorChoice::Auto)
}

/// Prints the failure on stderr; help and version go to stdout.
fn report_failure(failure: &Failure, color: ColorChoice, console: &mut Console<'_>) -> Exit {
    let terminal = console.terminal;
    let colour = terminal.paints(color, terminal.stderr);
    match failure {
        Failure::Arguments(error) => {
            let text = error.render();
            let text = |colour: bool| if colour { text.ansi().to_string() } else { text.to_string() };
            if error.use_stderr() {
                console.on_stderr(&text(colour));
            } else {
                // Ignores a closed stdout.
                let _ = console.stdout.write_all(text(terminal.paints(color, terminal.stdout)).as_bytes());
                let _ = console.stdout.flush();
            }
        }
        Failure::Input(error) => console.errors(error, colour),
        Failure::Threads(why) => console.error(format_args!("cannot start the threads: {why}"), colour),
        Failure::Output { file, source } => console.error(format_args!("{file}: cannot write: {source}"), colour),
    }
    Exit::of_failure(failure)
}
