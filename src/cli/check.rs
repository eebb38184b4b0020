//! Runs `interfere check`: loads, checks, renders, writes.

use crate::check::{self, Curves, Measure, Progress, Stage, Stopwatch, Timings};
use crate::cli::assembly_files::{AssemblyFiles, assembly_files};
use crate::cli::baseline_flags::Gate;
use crate::cli::cache_flag::{CacheEnvironment, open_cache};
use crate::cli::check_args::CheckArgs;
use crate::cli::console::Console;
use crate::cli::drawing_flags::{DrawingSettings, refuse_without_scene};
use crate::cli::exit::{Exit, Failure};
use crate::cli::finish::{Clocks, RunEnd};
use crate::cli::flags::{ColorChoice, MeasureChoice};
use crate::cli::open_page;
use crate::cli::progress::{Bar, Hint};
use crate::cli::report_flags::{OutputFormat, Outputs};
use crate::cli::settings::{CheckSettings, QuestionSettings, in_mm};
use crate::cli::several;
use crate::cli::shard;
use crate::cli::threads::pool;
use crate::cli::took;
use crate::cli::work::{FinishedCheck, Work};
use crate::error::{Error, Location};
use crate::findings::Judged;
use crate::geom::LengthUnit;
use crate::report::{self, PictureFiles};
use rayon::ThreadPool;
use std::path::PathBuf;

/// Loads and checks an assembly on the current thread pool.
pub(crate) fn run_check(settings: &CheckSettings, progress: &dyn Progress) -> Result<FinishedCheck, Error> {
    let files = settings.question.files(settings.cache.as_ref());
    let mut watch = Stopwatch::start();
    let mut reading = Timings::default();
    let question = &settings.question;
    let mut assembly = question.load(&files)?;
    settings.more_sweeps.add_to(&mut assembly);
    settings.outputs.spare_files_of(&assembly, &files)?;
    watch.stop(Stage::Load, &mut reading);
    let mut options = question.options(assembly.units)?;
    if settings.outputs.shows_fixes() {
        options.fixes = report::table::MAX_ROWS;
    }
    options.runs.clone_from(&settings.runs);
    options.sweep_cells = settings.sweep_cells;
    options.gap_width = settings.gap_width(assembly.units)?;
    options.curves = settings.curves;
    options.accepted = settings.gate.translations(&question.assembly);
    let store = open_cache(settings.cache.as_ref(), &mut options);
    let (outcome, mut stats, drawn) = if settings.draws() {
        let (outcome, stats, drawn) = check::check_and_draw(&assembly, &options, &files, progress)?;
        (outcome, stats, Some(drawn))
    } else {
        let (outcome, stats) = check::check_with_stats(&assembly, &options, &files, progress)?;
        (outcome, stats, None)
    };
    store.inspect(|store| store.sweep());
    let proofs = settings.outputs.proof.as_ref();
    let proofs = proofs.map(|_| check::sweep_proofs(&assembly, &options, &outcome, &files, progress)).transpose()?;
    stats.timings.wall.load += reading.wall.load;
    stats.timings.cpu.load += reading.cpu.load;
    Ok(FinishedCheck { outcome, stats, drawn, proofs })
}

impl CheckSettings {
    /// Combines the flags for each assembly of the command line.
    ///
    /// # Errors
    /// Refuses two outputs with the same target, an output over an input, and an unwritable output, before a long run.
    /// Refuses flags for one assembly with several.
    pub(crate) fn of_all(args: CheckArgs, environment: &CacheEnvironment) -> Result<Vec<Self>, Error> {
        let AssemblyFiles { files, several } = assembly_files(&args.assemblies)?;
        if several {
            refuse_flags_for_one(&args)?;
        }
        let measure = measure(&args)?;
        let outputs = Outputs::new(args.outputs, args.timings, args.proof)?;
        let drawing = DrawingSettings::new(&args.pictures, outputs.scene_outputs())?;
        for file in outputs.files() {
            drawing.pictures.as_ref().map_or(Ok(()), |folder| folder.spare(file))?;
        }
        refuse_scene(&outputs, &drawing, args.shard.is_some(), measure, several)?;
        refuse_unmeasured_curves(args.curves, measure)?;
        let baselines: Vec<PathBuf> = files.iter().map(|file| args.gate.place(file)).collect();
        let assemblies = files.iter().map(|file| (file.as_path(), "the assembly"));
        let inputs: Vec<_> = assemblies.chain(baselines.iter().map(|file| (file.as_path(), "the baseline"))).collect();
        outputs.check(&inputs)?;
        let settings = |file| Self {
            question: QuestionSettings::new(file, &args.question, measure),
            outputs: outputs.clone(),
            drawing: drawing.clone(),
            gate: args.gate.clone(),
            strict: strict(args.strict, args.no_strict),
            cache: environment.folder(args.cache.as_deref(), args.no_cache, measure),
            runs: args.runs.clone(),
            more_sweeps: args.more_sweeps,
            sweep_cells: args.sweep_cells,
            gap_width: args.gap_width.clone(),
            curves: curves(args.curves, &drawing),
            shard: args.shard,
            several,
        };
        Ok(files.into_iter().map(settings).collect())
    }

    /// Largest width of the bracket of a least gap over a sweep (mm), in an assembly of these units.
    ///
    /// # Errors
    /// Refuses a length beyond the largest number in mm.
    pub(crate) fn gap_width(&self, units: LengthUnit) -> Result<Option<f64>, Error> {
        in_mm("--gap-width", self.gap_width.as_ref(), units)
    }

    /// Refuses outputs over a file or mesh of the assembly, before any of several runs. An assembly that cannot be
    /// loaded has its errors from its own run.
    ///
    /// # Errors
    /// Returns the first problem.
    pub(crate) fn spare_inputs(&self) -> Result<(), Error> {
        if !self.outputs.files().any(std::path::Path::exists) {
            return Ok(());
        }
        let files = self.question.files(self.cache.as_ref());
        self.question.load(&files).map_or(Ok(()), |assembly| self.outputs.spare_files_of(&assembly, &files))
    }

    /// Returns true if the run draws: pictures, or an output that shows the scene.
    pub(crate) fn draws(&self) -> bool {
        self.drawing.pictures.is_some() || !self.drawing.outputs.is_empty()
    }
}

/// Value of `--measure` and its alias `--verdict-only`.
fn measure(args: &CheckArgs) -> Result<Measure, Error> {
    match args.measure {
        Some(choice) if args.verdict_only && choice != MeasureChoice::None => Err(Error::one(
            Location::default(),
            "--verdict-only is --measure none, and --measure has another value",
            "remove one of them",
        )),
        Some(MeasureChoice::All) => Ok(Measure::All),
        Some(MeasureChoice::Depth) => Ok(Measure::Depth),
        None if !args.verdict_only => Ok(Measure::All),
        Some(MeasureChoice::None) | None => Ok(Measure::None),
    }
}

/// Rows of sweeps with a staircase of the gap. The page shows those of its findings.
fn curves(asked: bool, drawing: &DrawingSettings) -> Curves {
    if asked {
        Curves::Listed
    } else if drawing.outputs.contains(&OutputFormat::Html) {
        Curves::Failing
    } else {
        Curves::None
    }
}

/// Refuses curves in a run without measures.
fn refuse_unmeasured_curves(curves: bool, measure: Measure) -> Result<(), Error> {
    if !curves || measure != Measure::None {
        return Ok(());
    }
    let fix = "remove --measure none and --verdict-only: such a run measures no gap";
    Err(Error::one(Location::default(), "--curves and --verdict-only exclude each other", fix))
}

/// Refuses pictures and outputs with a scene in a run that cannot draw them.
fn refuse_scene(
    outputs: &Outputs,
    drawing: &DrawingSettings,
    shard: bool,
    measure: Measure,
    several: bool,
) -> Result<(), Error> {
    let format = outputs.scene_output().map(|format| format!("--format {}", format.name()));
    let format = format.or(drawing.open.then(|| "--open".to_owned()));
    let pictures = drawing.pictures.as_ref().map(|_| "--pictures".to_owned());
    let Some(what) = format.clone().or(pictures) else { return Ok(()) };
    if shard {
        return Err(refuse_without_scene(&what, "a shard knows a share of the findings"));
    }
    if measure == Measure::None {
        let fix = "remove --measure none and --verdict-only: such a run measures no place to draw";
        let what = format!("{what} and --verdict-only exclude each other");
        return Err(Error::one(Location::default(), what, fix));
    }
    match format {
        Some(what) if several => {
            Err(Error::one(Location::default(), format!("{what} is for one assembly"), "check one assembly"))
        }
        _ => Ok(()),
    }
}

/// Refuses the flags with a file or a share of one assembly.
fn refuse_flags_for_one(args: &CheckArgs) -> Result<(), Error> {
    let given = [
        (args.gate.baseline.is_some(), "--baseline", "keep each baseline beside its assembly"),
        (args.timings.is_some(), "--timings", "check one assembly"),
        (args.proof.is_some(), "--proof", "check one assembly"),
        (args.shard.is_some(), "--shard", "check one assembly"),
    ];
    match given.into_iter().find(|(is_given, ..)| *is_given) {
        Some((_, flag, fix)) => Err(Error::one(Location::default(), format!("{flag} is for one assembly"), fix)),
        None => Ok(()),
    }
}

/// Runs `check` on one assembly or several.
///
/// # Errors
/// Returns the errors of the flags and, for one assembly, of its check.
pub(crate) fn run(
    args: CheckArgs,
    quiet: bool,
    color: ColorChoice,
    work: &Work<'_>,
    console: &mut Console<'_>,
) -> Result<Exit, Failure> {
    let verbose = args.verbose && !quiet;
    let settings = CheckSettings::of_all(args, &CacheEnvironment::detect(console.terminal))?;
    let mut checks: Vec<Check> =
        settings.into_iter().map(|settings| Check { settings, quiet, verbose, color }).collect();
    if let Some(check) = checks.first() {
        check.settings.outputs.spare_terminal(console.terminal.stdout)?;
        if check.settings.drawing.open {
            open_page::refuse_unseen(console.terminal, std::env::var_os("CI").as_deref())?;
        }
    }
    match checks.pop() {
        Some(check) if checks.is_empty() && !check.settings.several => check.run(work, console),
        last => {
            checks.extend(last);
            several::run(&checks, work, console)
        }
    }
}

/// Value of `--strict` and `--no-strict`; `None` without either.
pub(crate) fn strict(strict: bool, no_strict: bool) -> Option<bool> {
    (strict || no_strict).then_some(strict)
}

/// One run of `check`.
pub(crate) struct Check {
    pub(crate) settings: CheckSettings,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    pub(crate) color: ColorChoice,
}

impl Check {
    fn run(&self, work: &Work<'_>, console: &mut Console<'_>) -> Result<Exit, Failure> {
        if let Some(shard) = self.settings.shard {
            return shard::run(&self.settings, shard, self.quiet, self.color, console);
        }
        let clocks = Clocks::start();
        let (ran, gate, pool) = self.outcome(work, console, "")?;
        let end = RunEnd { clocks: Some(&clocks), pool: Some(&pool), ..self.end(&gate) };
        end.run(ran, console)
    }

    /// Checks and judges the assembly, prints its warnings below `label`, the name of the assembly, and draws its
    /// pictures.
    pub(crate) fn judge(
        &self,
        label: &str,
        work: &Work<'_>,
        console: &mut Console<'_>,
    ) -> Result<(Judged, PictureFiles), Failure> {
        let (ran, gate, pool) = self.outcome(work, console, label)?;
        let end = RunEnd { label, pool: Some(&pool), ..self.end(&gate) };
        let judged = end.judge(ran.outcome, &ran.stats, console);
        let mut spent = ran.stats.timings;
        let drawing = end.draw(&judged, ran.drawn, &mut spent, console)?;
        if self.verbose {
            console.on_stderr(&took::stages(&spent));
        }
        Ok((judged, drawing.map(|d| d.pictures).unwrap_or_default()))
    }

    fn outcome(
        &self,
        work: &Work<'_>,
        console: &Console<'_>,
        label: &str,
    ) -> Result<(FinishedCheck, Gate, ThreadPool), Failure> {
        // Before the check, since it may take long: a damaged baseline ends the run at once.
        let gate = self.settings.gate.read(&self.settings.question.assembly)?;
        let pool = pool(self.settings.question.threads)?;
        let ci = std::env::var_os("CI");
        let measure = self.settings.question.measure;
        let hint = Hint::of_check(measure, self.quiet, self.color, console.terminal, ci.as_deref());
        let progress = Bar::with_hint(console.terminal.stderr && !self.quiet, label, hint);
        let mut ran = pool.install(|| (work.check)(&self.settings, &progress))?;
        drop(progress);
        ran.stats.timings.threads = pool.current_num_threads();
        Ok((ran, gate, pool))
    }

    fn end<'a>(&'a self, gate: &'a Gate) -> RunEnd<'a> {
        let s = &self.settings;
        RunEnd {
            outputs: &s.outputs,
            drawing: Some(&s.drawing),
            gate,
            clocks: None,
            pool: None,
            strict: s.strict,
            quiet: self.quiet,
            verbose: self.verbose,
            color: self.color,
            label: "",
        }
    }
}
