//! Provides the findings that `render` draws: of one pair, of a whole check, or of a JSON report.

use crate::check::{self, Drawn, Options, Progress};
use crate::cli::baseline_flags::Gate;
use crate::cli::cache_flag::{CacheFolder, open_cache};
use crate::cli::pair_handle::{PairNames, read_report_bytes};
use crate::cli::render::RenderArgs;
use crate::cli::settings::QuestionSettings;
use crate::cli::spared::{spare, spare_files_of};
use crate::cli::target::Target;
use crate::error::{Error, Location, Warning};
use crate::findings::{Judged, as_reported, lint};
use crate::json::wording::{join_or, nearest, quoted};
use crate::motion::AS_DRAWN;

/// A judged run, with the shapes to draw.
pub(crate) struct Source {
    /// The run, with the numbers of its report; of a single pair, its row alone.
    pub(crate) judged: Judged,
    /// Judged shapes.
    pub(crate) drawn: Drawn,
    /// The row to draw, if the command line names a pair: index of the run (`None` for the drawing), and of its row.
    pub(crate) row: Option<(Option<usize>, usize)>,
    /// Warnings of the run; none for a report.
    pub(crate) warnings: Vec<Warning>,
}

impl Source {
    /// Reads the report, or checks the pair or the assembly. `output` is the file to write.
    ///
    /// # Errors
    /// Returns the errors of the assembly, of an unknown pair, of a report of other meshes, and of an output over one
    /// of these files.
    pub(crate) fn new(
        args: &RenderArgs,
        settings: &QuestionSettings,
        gate: &Gate,
        output: Option<&Target>,
        progress: &dyn Progress,
    ) -> Result<Self, Error> {
        let files = settings.files(None);
        let assembly = settings.load(&files)?;
        let output = || output.map(|target| ("--output", target));
        spare_files_of(output(), &assembly, &files)?;
        spare(output(), args.report.iter().map(|report| (report.as_path(), "the report")))?;
        if let Some(path) = &args.report {
            let (report, bytes) = read_report_bytes(path, &files)?;
            let s = &report.settings;
            let options = Options {
                geometry: Some(s.geometry),
                tolerance: Some(s.tolerance),
                facets: Some(s.facets),
                epsilon: s.epsilon,
                max_pieces: s.max_pieces,
                ..Options::default()
            };
            let inputs = check::drawn(&assembly, &options, &files, progress)?;
            let judged = report.judged(&bytes, inputs.parts, inputs.instances, inputs.motion)?;
            let row = match args.pair.as_slice() {
                [] => None,
                words => {
                    let ids = assembly.instances.iter().map(|i| i.id.as_str());
                    let pair = PairNames::new(ids, Some(&report), &assembly.path).one(words)?;
                    Some(listed(&judged, args.run.as_deref(), &pair, &report.file)?)
                }
            };
            return Ok(Self { judged, drawn: inputs.drawn, row, warnings: Vec::new() });
        }
        if args.pair.is_empty() {
            let mut options = settings.options(assembly.units)?;
            let store = open_cache(args.cache.as_deref().map(CacheFolder::named).as_ref(), &mut options);
            let (mut outcome, _, drawn) = check::check_and_draw(&assembly, &options, &files, progress)?;
            store.inspect(|store| store.sweep());
            outcome.warnings.extend(lint(&outcome));
            let judged = gate.judge(outcome, false);
            let warnings = judged.outcome.warnings.clone();
            return Ok(Self { judged: as_reported(&judged).into_owned(), drawn, row: None, warnings });
        }
        let options = settings.options_as_drawn(assembly.units)?;
        let ids = assembly.instances.iter().map(|i| i.id.as_str());
        let [a, b] = &PairNames::new(ids, None, &assembly.path).one(&args.pair)?;
        if let Some(run) = args.run.as_deref().filter(|name| *name != AS_DRAWN) {
            let (found, drawn) = check::explain_run_and_draw(&assembly, &options, [a, b], run, &files, progress)?;
            let judged = as_reported(&gate.judge(found.outcome, false)).into_owned();
            return Ok(Self { judged, drawn, row: Some((Some(0), 0)), warnings: found.explanation.warnings });
        }
        let explained = check::explain_and_draw(&assembly, &options, [a, b], &files, progress)?;
        let judged = as_reported(&gate.judge(explained.outcome, false)).into_owned();
        Ok(Self { judged, drawn: explained.drawn, row: Some((None, 0)), warnings: explained.explanation.warnings })
    }
}

/// Row of a pair in the report: of the drawing, or of the run with a name.
///
/// # Errors
/// Refuses a pair and a run that the report does not list.
fn listed(judged: &Judged, run: Option<&str>, pair: &[String; 2], file: &str) -> Result<(Option<usize>, usize), Error> {
    let o = &judged.outcome;
    let refuse = |what: String, fix: String| Error::one(Location::file(file), what, fix);
    let run = match run.filter(|name| *name != AS_DRAWN) {
        None => None,
        Some(name) => Some(o.runs().iter().position(|run| run.name == name).ok_or_else(|| {
            let known: Vec<&str> = o.runs().iter().map(|run| run.name.as_str()).collect();
            let fix = match nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean {}?", quoted(near)),
                None if known.is_empty() => "the report has no poses and sweeps".to_owned(),
                None => format!("its runs are {}", join_or(&known)),
            };
            refuse(format!("the report has no run {}", quoted(name)), fix)
        })?),
    };
    let rows = run.map_or(&o.pairs, |k| &o.runs()[k].rows);
    let fits = |x: &str, y: &str| (x, y) == (&pair[0], &pair[1]) || (y, x) == (&pair[0], &pair[1]);
    let row = rows.iter().position(|p| fits(o.id(p.a), o.id(p.b))).ok_or_else(|| {
        let of_run = run.map(|k| format!(" in {}", quoted(&o.runs()[k].name))).unwrap_or_default();
        let what = format!("the report does not list the pair `{}` and `{}`{of_run}", pair[0], pair[1]);
        refuse(what, "leave out --report to check and draw the pair".to_owned())
    })?;
    Ok((run, row))
}
