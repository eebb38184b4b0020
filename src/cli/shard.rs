//! Runs `interfere check --shard`: checks a share of the pairs and writes a partial report.

use crate::check::{self, Progress, RunStats, Shard, ShardOutcome};
use crate::cli::cache_flag::open_cache;
use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::finish::Clocks;
use crate::cli::flags::ColorChoice;
use crate::cli::progress::{Bar, Hint};
use crate::cli::settings::CheckSettings;
use crate::cli::target::Target;
use crate::cli::threads::pool;
use crate::cli::took;
use crate::error::Error;
use crate::findings::{self, Partial};
use crate::report::table::MAX_ROWS;
use crate::report::timings;
use std::fmt::Write;
use std::mem;

/// Checks a shard and writes its partial report. A shard has no verdict: its exit is the same with and without
/// findings. The merge prints the warnings, once.
pub(crate) fn run(
    settings: &CheckSettings,
    shard: Shard,
    quiet: bool,
    color: ColorChoice,
    console: &mut Console<'_>,
) -> Result<Exit, Failure> {
    let clocks = Clocks::start();
    let terminal = console.terminal;
    let pool = pool(settings.question.threads)?;
    let hint = Hint::of_check(settings.question.measure, quiet, color, terminal, std::env::var_os("CI").as_deref());
    let progress = Bar::with_hint(terminal.stderr && !quiet, "", hint);
    let mut found = pool.install(|| check_shard(settings, shard, &progress))?;
    drop(progress);
    let RunStats { timings: mut spent, cache_warning } = mem::take(&mut found.stats);
    spent.threads = pool.current_num_threads();
    let findings = found.outcome.fails();
    let partial = Partial::new(found);
    let target = settings.outputs.one()?;
    target.write(console.stdout, |out| findings::shards::write::render(&partial, out))?;
    if let Some(target) = &settings.outputs.timings {
        target.write(console.stdout, |out| timings::render(&spent, clocks.elapsed(), out))?;
    }
    if !quiet {
        console.warnings(cache_warning.as_slice(), terminal.paints(color, terminal.stderr));
        console.note(note(shard, target, findings), terminal.paints(color, terminal.stderr));
        console.on_stderr(&took::line(&format!("shard {} of {}", shard.index, shard.of), &clocks));
    }
    Ok(Exit::Pass)
}

fn check_shard(settings: &CheckSettings, shard: Shard, progress: &dyn Progress) -> Result<ShardOutcome, Error> {
    let question = &settings.question;
    let files = question.files(settings.cache.as_ref());
    let mut assembly = question.load(&files)?;
    settings.more_sweeps.add_to(&mut assembly);
    settings.outputs.spare_files_of(&assembly, &files)?;
    let mut options = question.options(assembly.units)?;
    options.runs.clone_from(&settings.runs);
    options.sweep_cells = settings.sweep_cells;
    options.gap_width = settings.gap_width(assembly.units)?;
    options.curves = settings.curves;
    // The merge may write any format: computes the fixes for all of them.
    options.fixes = MAX_ROWS;
    // The merge compares with the baseline, but has no solids.
    options.accepted = settings.gate.translations(&question.assembly);
    let store = open_cache(settings.cache.as_ref(), &mut options);
    let found = check::check_shard(&assembly, &options, shard, &files, progress)?;
    store.inspect(|store| store.sweep());
    Ok(found)
}

/// Note to the user: exit 0 of a shard is not a verdict.
fn note(shard: Shard, target: &Target, findings: bool) -> String {
    let Shard { index, of } = shard;
    let mut text = format!("shard {index} of {of}");
    if let Target::File(path) = target {
        let _ = write!(text, " is written to {}", path.display());
    }
    let found = if findings { "it has findings" } else { "it has no findings" };
    let _ = write!(text, ": {found}; run `interfere merge` on all {of} for the verdict");
    text
}
