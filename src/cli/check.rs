//! From arguments to an exit: load, check, render, write.

use crate::check::cache::store::{Cache, FsStore};
use crate::check::{self, Explanation, Options, Outcome, Progress, Stage, Stopwatch, Timings};
use crate::cli::args::{Args, ColorChoice, Command};
use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::finish::{Clocks, Ending};
use crate::cli::progress::Bar;
use crate::cli::settings::{CheckSettings, ExplainSettings};
use crate::cli::target::Target;
use crate::cli::{accept, decompose, diff, init, inspect, merge, schema, shard, suggest};
use crate::error::Error;
use crate::io::{FsLoader, Loader};
use crate::report;
use crate::report::inspect::MeshReport;
use clap::{Parser, ValueEnum};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

/// Runs the command: `arguments` begin with the program's name.
pub fn run(arguments: impl IntoIterator<Item = OsString>, console: &mut Console<'_>) -> Exit {
    let work = Work {
        check: &|settings, progress| run_check(settings, &FsLoader, progress),
        explain: &|settings, progress| run_explain(settings, &FsLoader, progress),
        examine: &inspect::examine,
    };
    run_with(arguments, &work, console)
}

/// Loads and checks an assembly, on the thread pool it is called in.
fn run_check(settings: &CheckSettings, loader: &dyn Loader, progress: &dyn Progress) -> Result<Outcome, Error> {
    let mut watch = Stopwatch::start();
    let mut reading = Timings::default();
    let question = &settings.question;
    let assembly = question.load(loader)?;
    settings.outputs.spare_files_of(&assembly)?;
    watch.stop(Stage::Load, &mut reading);
    let mut options = question.options(assembly.units)?;
    if settings.outputs.shows_fixes() {
        options.fixes = report::table::MAX_ROWS;
    }
    let store = keep_in(settings, &mut options);
    let mut outcome = check::check(&assembly, &options, loader, progress)?;
    store.inspect(|store| store.sweep());
    outcome.timings.wall.load += reading.wall.load;
    outcome.timings.cpu.load += reading.cpu.load;
    Ok(outcome)
}

/// Has a run keep its results where `--cache` says; the store is to be swept after it.
pub(crate) fn keep_in(settings: &CheckSettings, options: &mut Options) -> Option<Arc<FsStore>> {
    let store = settings.cache.as_ref().map(|folder| Arc::new(FsStore::new(folder)));
    options.cache = store.clone().map(|store| Cache::new(store));
    store
}

/// Loads an assembly and explains one pair of it, on the thread pool it is called in.
fn run_explain(settings: &ExplainSettings, loader: &dyn Loader, progress: &dyn Progress) -> Result<Explanation, Error> {
    let question = &settings.question;
    let assembly = question.load(loader)?;
    let [a, b] = &settings.ids;
    check::explain(&assembly, &question.options(assembly.units)?, [a, b], loader, progress)
}

/// What the commands do, apart from how they are called.
pub(crate) struct Work<'a> {
    pub(crate) check: &'a (dyn Fn(&CheckSettings, &dyn Progress) -> Result<Outcome, Error> + Sync),
    pub(crate) explain: &'a (dyn Fn(&ExplainSettings, &dyn Progress) -> Result<Explanation, Error> + Sync),
    pub(crate) examine: &'a dyn Fn(&Path) -> Result<MeshReport, Error>,
}

pub(crate) fn run_with(
    arguments: impl IntoIterator<Item = OsString>,
    work: &Work<'_>,
    console: &mut Console<'_>,
) -> Exit {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let args = match Args::try_parse_from(&arguments) {
        Ok(args) => args,
        Err(error) => return broke_off(&error.into(), color_of(&arguments), console),
    };
    let Args { command, quiet, color } = args;
    let result = match command {
        Command::Check(args) => CheckSettings::new(args)
            .map_err(Failure::from)
            .and_then(|settings| Check { settings, quiet, color }.run(work, console)),
        Command::Accept(args) => accept::run(&args, quiet, color, console),
        Command::Diff(args) => {
            let colour = console.terminal.paints(color, console.terminal.stdout);
            diff::run(args, colour, console)
        }
        Command::Merge(args) => merge::run(args, quiet, color, console),
        Command::Explain(args) => explain(&ExplainSettings::new(args), work, quiet, color, console),
        Command::Inspect(args) => {
            let terminal = console.terminal;
            let colours = (terminal.paints(color, terminal.stdout), terminal.paints(color, terminal.stderr));
            inspect::run(&args, work.examine, console, colours)
        }
        Command::Decompose(args) => {
            let colour = console.terminal.paints(color, console.terminal.stderr);
            decompose::run(&args, quiet, colour, console)
        }
        Command::Init(args) => init::run(&args, console),
        Command::Suggest(args) => suggest::run(args, quiet, color, console),
        Command::Schema(args) => schema::schema(&args, console),
        Command::Completions(args) => schema::completions(args.shell, console),
        Command::Man(args) => schema::man(&args, console),
    };
    result.unwrap_or_else(|failure| broke_off(&failure, color, console))
}

/// One run of `explain`.
fn explain(
    settings: &ExplainSettings,
    work: &Work<'_>,
    quiet: bool,
    color: ColorChoice,
    console: &mut Console<'_>,
) -> Result<Exit, Failure> {
    let terminal = console.terminal;
    let progress = Bar::new(terminal.stderr && !quiet);
    let explanation = pool(settings.question.threads)?.install(|| (work.explain)(settings, &progress))?;
    drop(progress);
    if !quiet {
        console.warnings(&explanation.warnings, terminal.paints(color, terminal.stderr));
    }
    let colour = terminal.paints(color, terminal.stdout);
    Target::Stdout.write(console.stdout, |out| report::explain::render(&explanation, settings.format, colour, out))?;
    Ok(if explanation.pair.status.fails() { Exit::Fail } else { Exit::Pass })
}

/// Threads of a run; 0 for one per core.
pub(crate) fn pool(threads: usize) -> Result<rayon::ThreadPool, Failure> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| Failure::Threads(e.to_string()))
}

/// `--color` of arguments that could not be parsed, as far as it can be made out.
fn color_of(arguments: &[OsString]) -> ColorChoice {
    let value = |i: usize| match arguments[i].to_str()?.strip_prefix("--color")? {
        "" => arguments.get(i + 1)?.to_str(),
        rest => rest.strip_prefix('='),
    };
    let flags = arguments.iter().take_while(|a| *a != "--").count();
    (0..flags).rev().find_map(value).and_then(|v| ColorChoice::from_str(v, false).ok()).unwrap_or(ColorChoice::Auto)
}

/// One run of `check`.
struct Check {
    settings: CheckSettings,
    quiet: bool,
    color: ColorChoice,
}

impl Check {
    fn run(&self, work: &Work<'_>, console: &mut Console<'_>) -> Result<Exit, Failure> {
        if let Some(shard) = self.settings.shard {
            return shard::run(&self.settings, shard, self.quiet, self.color, console);
        }
        let clocks = Clocks::start();
        let terminal = console.terminal;
        // Before the check, which may take long: the baseline may be damaged.
        let gate = self.settings.gate.read(&self.settings.question.assembly)?;
        let pool = pool(self.settings.question.threads)?;
        let progress = Bar::new(terminal.stderr && !self.quiet);
        let mut outcome = pool.install(|| (work.check)(&self.settings, &progress))?;
        drop(progress);
        outcome.timings.threads = pool.current_num_threads();
        let s = &self.settings;
        let ending = Ending {
            outputs: &s.outputs,
            gate: &gate,
            clocks: Some(&clocks),
            strict: s.strict,
            quiet: self.quiet,
            color: self.color,
        };
        ending.run(outcome, console)
    }
}

/// Says why, on stderr; help and version go to stdout.
fn broke_off(failure: &Failure, color: ColorChoice, console: &mut Console<'_>) -> Exit {
    let terminal = console.terminal;
    let colour = terminal.paints(color, terminal.stderr);
    match failure {
        Failure::Arguments(error) => {
            let text = error.render();
            let text = |colour: bool| if colour { text.ansi().to_string() } else { text.to_string() };
            if error.use_stderr() {
                console.on_stderr(&text(colour));
            } else {
                // Nobody is left to tell where stdout is closed.
                let _ = console.stdout.write_all(text(terminal.paints(color, terminal.stdout)).as_bytes());
                let _ = console.stdout.flush();
            }
        }
        Failure::Input(error) => console.errors(error, colour),
        Failure::Strict(warnings) => console.strict(warnings, colour),
        Failure::Threads(why) => console.error(format_args!("cannot start the threads: {why}"), colour),
        Failure::Output { file, source } => console.error(format_args!("{file}: cannot write: {source}"), colour),
    }
    Exit::of_failure(failure)
}
