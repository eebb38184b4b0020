//! `interfere merge`: the shards of a run into its report, as if it had been one.

use crate::cli::args::{ColorChoice, MergeArgs};
use crate::cli::console::Console;
use crate::cli::decompose::slashes;
use crate::cli::exit::{Exit, Failure};
use crate::cli::finish::Ending;
use crate::cli::report_flags::Outputs;
use crate::error::{Error, Location};
use crate::findings::{self, Partial};
use crate::report::table::MAX_ROWS;
use std::fs;
use std::path::{Path, PathBuf};

/// Reads, joins and ends as a check does.
pub(crate) fn run(
    args: MergeArgs,
    quiet: bool,
    color: ColorChoice,
    console: &mut Console<'_>,
) -> Result<Exit, Failure> {
    let outputs = Outputs::new(args.outputs, None)?;
    let inputs: Vec<&Path> = args.partials.iter().map(PathBuf::as_path).collect();
    let what: Vec<(&Path, &str)> = inputs.iter().map(|path| (*path, "a partial report")).collect();
    outputs.check(&what)?;
    let outcome = findings::merge(read_all(&inputs)?, MAX_ROWS)?;
    let assembly = Path::new(&outcome.path);
    outputs.spare([(assembly, "the assembly"), (&args.gate.place(assembly), "the baseline")])?;
    let gate = args.gate.read(assembly)?;
    Ending { outputs: &outputs, gate: &gate, clocks: None, strict: args.strict, quiet, color }.run(outcome, console)
}

/// Every file that is no partial report, at once.
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
    let bytes = fs::read(path).map_err(|e| {
        Error::one(Location::file(&shown), format!("cannot read: {e}"), "check the path and its permissions")
    })?;
    let text = String::from_utf8(bytes).map_err(|e| {
        let at = Location { byte: Some(e.utf8_error().valid_up_to() as u64), ..Location::file(&shown) };
        Error::one(at, "not UTF-8", "run the shard again, or fetch the file again")
    })?;
    let partial = Partial::read(&shown, &text)?;
    Ok((shown, partial))
}
