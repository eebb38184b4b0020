//! Runs `interfere merge`: combines the shards of a run into the report of the whole run.

use crate::check::RunStats;
use crate::cli::baseline_flags::GateArgs;
use crate::cli::check::strict;
use crate::cli::console::Console;
use crate::cli::decompose::slashes;
use crate::cli::drawing_flags::refuse_without_scene;
use crate::cli::exit::{Exit, Failure};
use crate::cli::finish::RunEnd;
use crate::cli::flags::{ColorChoice, GATE};
use crate::cli::report_flags::{OutputArgs, Outputs};
use crate::cli::work::FinishedCheck;
use crate::error::{Error, Location};
use crate::findings::{self, Partial};
use crate::io::{FsLoader, Loader};
use crate::report::table::MAX_ROWS;
use clap::Args as ClapArgs;
use std::path::{Path, PathBuf};

/// Reads and merges the partial reports, then ends as `check` does.
pub(crate) fn run(
    args: MergeArgs,
    quiet: bool,
    color: ColorChoice,
    console: &mut Console<'_>,
) -> Result<Exit, Failure> {
    let outputs = Outputs::new(args.outputs, None, None)?;
    if let Some(format) = outputs.scene_output() {
        let what = format!("--format {}", format.name());
        return Err(refuse_without_scene(&what, "`merge` reads partial reports alone").into());
    }
    let inputs: Vec<&Path> = args.partials.iter().map(PathBuf::as_path).collect();
    let what: Vec<(&Path, &str)> = inputs.iter().map(|path| (*path, "a partial report")).collect();
    outputs.check(&what)?;
    let outcome = findings::merge(read_all(&inputs)?, MAX_ROWS)?;
    let assembly = Path::new(&outcome.path);
    outputs.spare([(assembly, "the assembly"), (&args.gate.place(assembly), "the baseline")])?;
    let folder = assembly.parent().unwrap_or(Path::new(""));
    let meshes: Vec<PathBuf> = outcome.parts.iter().map(|part| folder.join(&part.mesh)).collect();
    outputs.spare(meshes.iter().map(|mesh| (mesh.as_path(), "a mesh of the assembly")))?;
    let gate = args.gate.read(assembly)?;
    let end = RunEnd {
        outputs: &outputs,
        drawing: None,
        gate: &gate,
        clocks: None,
        pool: None,
        strict: strict(args.strict, args.no_strict),
        quiet,
        verbose: false,
        color,
        label: "",
    };
    end.run(FinishedCheck { outcome, stats: RunStats::default(), drawn: None, proofs: None }, console)
}

/// Reads the partial reports; the error lists every invalid file.
fn read_all(paths: &[&Path]) -> Result<Vec<(String, Partial)>, Error> {
    let mut partials = Vec::with_capacity(paths.len());
    let mut problems = Vec::new();
    for path in paths {
        match read(path) {
            Ok(read) => partials.push(read),
            Err(error) => problems.extend(error.problems),
        }
    }
    if problems.is_empty() { Ok(partials) } else { Err(Error { problems }) }
}

fn read(path: &Path) -> Result<(String, Partial), Error> {
    let shown = slashes(path);
    let bytes = FsLoader.read(path).map_err(|e| {
        Error::one(Location::file(&shown), format!("cannot read: {e}"), "check the path and its permissions")
    })?;
    let text = String::from_utf8(bytes).map_err(|e| {
        let at = Location { byte: Some(e.utf8_error().valid_up_to() as u64), ..Location::file(&shown) };
        Error::one(at, "not UTF-8", "run the shard again, or copy the file again")
    })?;
    let partial = Partial::read(&shown, &text)?;
    Ok((shown, partial))
}

const EXIT_CODES_OF_MERGE: &str = "\
Exit codes:
  0  every pair was decided and none fails
  1  a pair fails: interference, too_close, loose or undecided
  2  nothing was decided: usage, a file that is no partial report, shards that are missing, given twice or of different runs, \
output not written

Examples:
  interfere merge shard-*.json                           print the report of the whole run
  interfere merge shard-*.json --format json -o report.json";

/// The flags of `merge`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = EXIT_CODES_OF_MERGE)]
pub struct MergeArgs {
    /// The partial reports of all shards of one run, in any order.
    #[arg(value_name = "PARTIAL.json", required = true)]
    pub partials: Vec<PathBuf>,

    /// Report outputs.
    #[command(flatten)]
    pub outputs: OutputArgs,

    /// Conditions of failure.
    #[command(flatten)]
    pub gate: GateArgs,

    /// Let warnings fail the run, too: exit 1.
    ///
    /// Prints each warning as an error. The run writes its reports as without the flag.
    #[arg(long, help_heading = GATE)]
    pub strict: bool,

    /// Let warnings pass, even if the file is strict.
    #[arg(long, conflicts_with = "strict", help_heading = GATE)]
    pub no_strict: bool,
}
