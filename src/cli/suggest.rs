//! Runs `interfere suggest`: proposes rules for probably intended overlaps.

use crate::check::Measure;
use crate::cli::flags::{ColorChoice, Question, REPORT};
use clap::Args as ClapArgs;
use std::io;
use std::path::{Path, PathBuf};

use crate::cli::baseline_flags::slashes;
use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::flags::TextChoice;
use crate::cli::progress::Bar;
use crate::cli::settings::QuestionSettings;
use crate::cli::target::Target;
use crate::cli::threads::pool;
use crate::error::{Error, Location};
use crate::findings::Suggestions;
use crate::import::folder::IMPORT;
use crate::io::{FsLoader, Loader};
use crate::json::append::append_to_list;
use crate::report::suggest::{render_json, render_text};
use crate::{check, findings};

/// Checks the assembly and proposes rules for its findings.
///
/// # Errors
/// Returns the errors of the check, and of a failed write.
pub fn run(args: SuggestArgs, quiet: bool, color: ColorChoice, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let terminal = console.terminal;
    let question = QuestionSettings::new(args.assembly, &args.question, Measure::All);
    let progress = Bar::new(terminal.stderr && !quiet);
    let found = pool(question.threads)?.install(|| -> Result<_, Error> {
        let files = question.files(None);
        let assembly = question.load(&files)?;
        let outcome = check::check(&assembly, &question.options_as_drawn(assembly.units)?, &files, &progress)?;
        Ok((findings::suggest(&assembly, &outcome), outcome))
    });
    drop(progress);
    let (suggestions, outcome) = found?;
    if !quiet {
        console.warnings(&outcome.warnings, terminal.paints(color, terminal.stderr));
    }
    let written = args.write && !suggestions.rules.is_empty();
    if written {
        write_rules(&question.assembly, &suggestions)?;
    }
    Target::Stdout.write(console.stdout, |out| match args.format {
        TextChoice::Text => render_text(&suggestions, &outcome, written, out),
        TextChoice::Json => render_json(&suggestions, &outcome, out),
    })?;
    Ok(Exit::Pass)
}

/// Appends the proposed rules to those of the assembly file, and keeps the layout of the file.
fn write_rules(assembly: &Path, suggestions: &Suggestions) -> Result<(), Failure> {
    let shown = slashes(assembly);
    let fail = |what: String, fix: &str| Error::one(Location::file(&shown), what, fix);
    if assembly.with_file_name(IMPORT).is_file() {
        let fix = format!("`interfere init {shown} -o cell.json` writes a file above it; run suggest on that file");
        return Err(fail("an import wrote the file, and the next one would drop the rules".to_owned(), &fix).into());
    }
    let bytes = FsLoader.read(assembly).map_err(|e| fail(format!("cannot read the file: {e}"), "check the path"))?;
    let rules: Vec<String> = suggestions.rules.iter().map(|p| p.rule.as_line()).collect();
    let fix =
        format!("`interfere init {shown} -o cell.json` writes an assembly file above it; run suggest on that file");
    let text = append_to_list(&bytes, "rules", &rules)
        .ok_or_else(|| fail("the file has no place for rules".to_owned(), &fix))?;
    Target::File(assembly.to_owned()).write(&mut io::sink(), |out| out.write_all(&text))
}

const END: &str = "\
Exit codes:
  0  the rules are printed, and with --write also in the file, even if there are none to propose
  2  nothing printed or written: usage, unreadable or invalid input, output not written

Examples:
  interfere suggest a.json                 print rules for overlaps that look intended
  interfere suggest a.json --write         append the rules to the file
  interfere suggest a.json --format json   print the rules for programs";

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

    /// Append the proposed rules to the assembly file.
    ///
    /// The rules follow those of the file; the rest of the file keeps its bytes. Each reason begins with REVIEW:
    /// replace it by the true one, or delete the rule.
    #[arg(long, help_heading = REPORT)]
    pub write: bool,

    /// `text` for people, `json` for programs [default: text].
    #[arg(long, value_enum, default_value = "text", help_heading = REPORT)]
    #[arg(hide_possible_values = true, hide_default_value = true)]
    pub format: TextChoice,
}
