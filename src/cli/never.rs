//! Runs `interfere never`: which pairs never meet, over all values of all joints.

use crate::check::{self, DEFAULT_SWEEP_CELLS, Measure, Options};
use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::flags::{PERFORMANCE, Question, REPORT, TextChoice, sweep_cells};
use crate::cli::progress::Bar;
use crate::cli::settings::QuestionSettings;
use crate::cli::spared::{check_places, spare_files_of};
use crate::cli::target::Target;
use crate::cli::threads::pool;
use crate::error::Error;
use crate::import::ImportedLink;
use crate::report;
use crate::report::never::SrdfLink;
use clap::Args as ClapArgs;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Finds the pairs and prints them.
///
/// # Errors
/// Returns the errors of the check, and of a failed write.
pub(crate) fn run(args: NeverArgs, quiet: bool, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let question = QuestionSettings::new(args.assembly, &args.question, Measure::Depth);
    let srdf = args.srdf.map(Target::File);
    let outputs = || srdf.iter().map(|target| ("--srdf", target));
    check_places(outputs())?;
    let progress = Bar::new(console.terminal.stderr && !quiet);
    let found = pool(question.threads)?.install(|| -> Result<_, Error> {
        let files = question.files(None);
        let assembly = question.load(&files)?;
        // An earlier run wrote this one, and it changes no assembly.
        let is_own = |path: &Path| fs::read_to_string(path).is_ok_and(|text| report::never::is_own_srdf(&text));
        let others = outputs().filter(|(_, target)| !matches!(target, Target::File(path) if is_own(path)));
        spare_files_of(others, &assembly, &files)?;
        let options = Options { sweep_cells: args.sweep_cells, ..question.options(assembly.units)? };
        let found = check::meetings(&assembly, &options, &files, &progress)?;
        Ok((found, files.links_of(&question.assembly)))
    });
    drop(progress);
    let (found, links) = found?;
    let links: Vec<SrdfLink> = links.iter().map(srdf_link).collect();
    if let Some(target) = &srdf {
        target.write(&mut io::sink(), |out| report::never::render_srdf(&found, &links, out))?;
    }
    Target::Stdout.write(console.stdout, |out| report::never::render(&found, args.format.format(), out))?;
    Ok(Exit::Pass)
}

fn srdf_link(link: &ImportedLink) -> SrdfLink<'_> {
    SrdfLink { name: &link.name, instances: &link.instances, is_complete: link.is_complete }
}

const END: &str = "\
Exit codes:
  0  the pairs are printed
  2  nothing printed: usage, unreadable or invalid input, no joint, output not written

Examples:
  interfere never arm.urdf                       which links never meet
  interfere never design --srdf never.srdf       write the proved pairs for a motion planner
  interfere never a.json --format json           every digit, for programs";

/// The flags of `never`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = END)]
pub struct NeverArgs {
    /// The assembly file (JSON), or its folder.
    #[arg(value_name = "ASSEMBLY")]
    pub assembly: PathBuf,

    /// Settings of the pair queries.
    #[command(flatten)]
    pub question: Question,

    /// Write the proved pairs of links to this file as SRDF.
    #[arg(long, value_name = "FILE", help_heading = REPORT)]
    pub srdf: Option<PathBuf>,

    /// Tests for each pair, at most [default: 16000000].
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SWEEP_CELLS, value_parser = sweep_cells)]
    #[arg(hide_default_value = true, help_heading = PERFORMANCE)]
    pub sweep_cells: u64,

    /// `text` for people, `json` for programs [default: text].
    #[arg(long, value_enum, default_value = "text", help_heading = REPORT)]
    #[arg(hide_possible_values = true, hide_default_value = true)]
    pub format: TextChoice,
}
