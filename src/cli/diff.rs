//! Runs `interfere diff`: lists the changes from one report to another.

use crate::cli::baseline_flags::slashes;
use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::flags::REPORT;
use crate::cli::pair_handle::read_report;
use crate::cli::target::Target;
use crate::error::{Error, Location};
use crate::findings;
use crate::io::FsLoader;
use crate::report;
use clap::{Args as ClapArgs, ValueEnum};
use std::path::PathBuf;

const EXIT_CODES: &str = "\
Exit codes:
  0  nothing is new and nothing is worse
  1  a finding is new, worse, or was not measured in one of the reports
  2  no comparison: usage, a file that is not a report, output not written

Examples:
  interfere diff main.json branch.json                   list what changed
  interfere diff main.json branch.json --format json     the same for programs";

/// The flags of `diff`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = EXIT_CODES)]
pub struct DiffArgs {
    /// The older report, written by `interfere check --format json`.
    #[arg(value_name = "OLD.json")]
    pub old: PathBuf,

    /// The newer report.
    #[arg(value_name = "NEW.json")]
    pub new: PathBuf,

    /// table, json, or markdown for a pull request [default: table].
    #[arg(long, value_enum, default_value = "table", help_heading = REPORT)]
    #[arg(hide_possible_values = true, hide_default_value = true)]
    pub format: DiffFormat,

    /// Write the comparison to this file instead of stdout; `-` is stdout.
    #[arg(long, short, value_name = "FILE", help_heading = REPORT)]
    pub output: Option<PathBuf>,
}

/// Values of `--format` of `diff`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// For people: failing changes first
    Table,
    /// For programs: every change
    Json,
    /// For a comment on a pull request: changes of both kinds, failing ones first
    Markdown,
}

/// Compares two reports; `colour` colours the table.
///
/// # Errors
/// Refuses a file other than a report; returns the error of a failed write.
pub fn run(args: DiffArgs, colour: bool, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let (old, new) = match (read_report(&args.old, &FsLoader), read_report(&args.new, &FsLoader)) {
        (Ok(old), Ok(new)) => (old, new),
        (old, new) => {
            let problems = [old, new].into_iter().filter_map(Result::err).flat_map(|e| e.problems).collect();
            return Err(Error { problems }.into());
        }
    };
    let target = args.output.map_or(Target::Stdout, Target::of_argument);
    if [args.old, args.new].into_iter().any(|input| Target::File(input).is_same(&target)) {
        let what = "--output would replace an input report";
        let at = if let Target::File(path) = &target { slashes(path) } else { String::new() };
        return Err(Error::one(Location::file(at), what, "name another file").into());
    }
    let diff = findings::diff(&old, &new);
    let colour = colour && target == Target::Stdout;
    target.write(console.stdout, |out| match args.format {
        DiffFormat::Table => report::diff::render_table(&diff, colour, out),
        DiffFormat::Json => report::diff::render_json(&diff, out),
        DiffFormat::Markdown => report::diff_markdown::render(&diff, out),
    })?;
    Ok(if diff.fails() { Exit::Fail } else { Exit::Pass })
}
