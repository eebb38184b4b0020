//! Runs `interfere accept`: adds the present findings to the baseline, or drops the fixed entries.

use crate::check::{self, AcceptedTranslation, DEFAULT_SWEEP_CELLS, Measure, Options, Outcome};
use crate::cli::assembly_files::assembly_file;
use crate::cli::baseline_flags::{Place, slashes};
use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::flags::{ColorChoice, GATE, INPUT, MoreSweeps, PERFORMANCE, Question, sweep_cells};
use crate::cli::pair_handle::{PairNames, read_report};
use crate::cli::progress::Bar;
use crate::cli::settings::QuestionSettings;
use crate::cli::target::Target;
use crate::cli::threads::pool;
use crate::error::{Error, Location, Warning, WarningCode};
use crate::findings::baseline::{self, Acceptance, Entry};
use crate::findings::{self, Baseline, Judged};
use crate::io::FsLoader;
use crate::report;
use clap::Args as ClapArgs;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

const EXIT_CODES: &str = "\
Exit codes:
  0  the baseline says what it should
  2  no file written: usage, unreadable or invalid input, a pair without a finding, output not written

Examples:
  interfere accept a.json --reason 'loose since March'    accept every finding
  interfere accept a.json bolt,plate                     accept one pair
  interfere accept a.json --prune                        remove the fixed entries";

/// The flags of `accept`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = EXIT_CODES)]
pub struct AcceptArgs {
    /// The assembly file (JSON), or its folder.
    #[arg(value_name = "ASSEMBLY")]
    pub assembly: PathBuf,

    /// Pairs to accept: A B, A,B, an id or '#3' [default: all].
    ///
    /// Accepts only these pairs: each the full ids of its two instances as A B or A,B, its id in the reports, or a row
    /// '#3' in --report with all its pairs. Without a pair, accepts every finding.
    #[arg(value_name = "PAIR")]
    pub pairs: Vec<String>,

    /// JSON report of `check` for rows like '#3'.
    #[arg(long, value_name = "FILE.json", help_heading = INPUT)]
    pub report: Option<PathBuf>,

    /// Reason stored with each newly accepted or named pair.
    #[arg(long, value_name = "TEXT", conflicts_with = "prune", help_heading = GATE)]
    pub reason: Option<String>,

    /// Remove the fixed entries and the named pairs; accept no finding.
    #[arg(long, help_heading = GATE)]
    pub prune: bool,

    /// The baseline to write [default: beside the assembly].
    ///
    /// Its default name is interfere-baseline.json.
    #[arg(long, value_name = "FILE", help_heading = GATE)]
    pub baseline: Option<PathBuf>,

    /// Settings of the pair queries.
    #[command(flatten)]
    pub question: Question,

    /// Sweeps beyond those of the file.
    #[command(flatten)]
    pub more_sweeps: MoreSweeps,

    /// Tests for each pair of a sweep, at most [default: 16000000].
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SWEEP_CELLS, value_parser = sweep_cells)]
    #[arg(hide_default_value = true, hide_short_help = true, help_heading = PERFORMANCE)]
    pub sweep_cells: u64,
}

/// Checks the assembly and writes its baseline.
///
/// # Errors
/// Returns the errors of the check. Refuses a damaged baseline, the baseline of another assembly, a named pair without
/// a finding, and an unwritable file.
pub fn run(args: &AcceptArgs, quiet: bool, color: ColorChoice, console: &mut Console<'_>) -> Result<Exit, Failure> {
    if args.reason.as_deref().is_some_and(|reason| is_blank(Some(reason))) {
        return Err(
            Error::one(Location::default(), "--reason is empty", "write why it is accepted, or leave it out").into()
        );
    }
    let file = assembly_file(args.assembly.clone());
    let place = Place::new(args.baseline.as_deref(), &file);
    if let Some((what, _)) = Target::obstacle(&place.path) {
        return Err(Error::one(Location::file(&place.shown), what, "name another file with --baseline").into());
    }
    let old = place.read()?;
    if let Some(other) = old.as_ref().filter(|b| place.is_of_another(b)) {
        let what = format!("the file is the baseline of {}", other.assembly);
        return Err(Error::one(Location::file(&place.shown), what, "name another file with --baseline").into());
    }
    let accepted = old.as_ref().map(Baseline::translations).unwrap_or_default();
    let outcome = check(args, accepted, quiet, console)?;
    if !quiet {
        let colour = console.terminal.paints(color, console.terminal.stderr);
        console.warnings(&outcome.warnings, colour);
    }
    let compared = old.as_ref().map(|old| baseline::compare(old, place.shown.clone(), &outcome));
    let judged = Judged { baseline: compared, ..Judged::from(outcome) };
    let (written, text, unexplained) = if args.prune {
        let (written, text) = prune(args, &place, old.as_ref(), &judged)?;
        (written, text, 0)
    } else {
        accept(args, &place, old.as_ref(), &judged)?
    };
    if unexplained > 0 && !quiet {
        let colour = console.terminal.paints(color, console.terminal.stderr);
        console.warnings(&[without_reason(&place.shown, unexplained)], colour);
    }
    if let Some(baseline) = written {
        Target::File(place.path).write(console.stdout, |out| findings::baseline::write::render(&baseline, out))?;
    }
    Target::Stdout.write(console.stdout, |out| out.write_all(text.as_bytes()))?;
    Ok(Exit::Pass)
}

fn check(
    args: &AcceptArgs,
    accepted: Vec<AcceptedTranslation>,
    quiet: bool,
    console: &Console<'_>,
) -> Result<Outcome, Failure> {
    let question = QuestionSettings::new(args.assembly.clone(), &args.question, Measure::All);
    let progress = Bar::new(console.terminal.stderr && !quiet);
    let outcome = pool(question.threads)?.install(|| {
        let files = question.files(None);
        let mut assembly = question.load(&files)?;
        args.more_sweeps.add_to(&mut assembly);
        let options = Options { accepted, sweep_cells: args.sweep_cells, ..question.options(assembly.units)? };
        check::check(&assembly, &options, &files, &progress)
    })?;
    Ok(outcome)
}

/// Baseline to write, if any, and the text for stdout.
type Written = (Option<Baseline>, String);

/// Warning about findings accepted without a reason, as about a rule without one.
fn without_reason(file: &str, count: u64) -> Warning {
    let findings = report::number::count(count, "finding");
    let message =
        format!("{findings} accepted without a reason; accept again with --reason TEXT, or write it into the file");
    Warning { at: Some(Location::file(file)), ..Warning::new(WarningCode::MissingReason, message) }
}

/// Accepts; also returns the number of newly accepted findings without a reason.
fn accept(
    args: &AcceptArgs,
    place: &Place,
    old: Option<&Baseline>,
    judged: &Judged,
) -> Result<(Option<Baseline>, String, u64), Error> {
    let only = if args.pairs.is_empty() { None } else { Some(named_findings(args, &judged.outcome)?) };
    let Acceptance { baseline, taken } =
        baseline::accept(old, judged, only.as_ref(), args.reason.as_deref(), &place.assembly);
    if old.is_none() && baseline.accepted.is_empty() {
        return Ok((None, "no pair fails, so there is no finding to accept\n".to_owned(), 0));
    }
    let text = report::baseline::accepted_text(&place.shown, &slashes(&args.assembly), &baseline, &taken, judged);
    let unexplained = taken.iter().filter(|t| is_blank(baseline.accepted[t.entry].reason.as_deref())).count() as u64;
    Ok((Some(baseline), text, unexplained))
}

fn is_blank(reason: Option<&str>) -> bool {
    reason.is_none_or(|r| r.trim().is_empty())
}

/// Indices of the findings named in `args`, among [`Outcome::pairs`] and then the rows of the runs. A name selects the
/// findings of its pair in the drawing and in all runs.
fn named_findings(args: &AcceptArgs, outcome: &Outcome) -> Result<BTreeSet<usize>, Error> {
    let rows = outcome.pairs.iter().chain(outcome.runs().iter().flat_map(|run| &run.rows)).enumerate();
    let mut places: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (k, row) in rows.filter(|(_, row)| row.status.fails()) {
        places.entry((outcome.id(row.a), outcome.id(row.b))).or_default().push(k);
    }
    let pairs: Vec<_> = places.keys().copied().collect();
    let instead = format!(
        "name a failing pair as A,B; `interfere explain {} A B` shows the status of a pair",
        slashes(&args.assembly)
    );
    let names = names(args, outcome.instances.iter().map(|i| i.id.as_str()))?;
    let picked = baseline::select_pairs(&names, &pairs, "finding", &instead)?;
    Ok(picked.into_iter().flat_map(|k| places[&pairs[k]].iter().copied()).collect())
}

/// Names of the pairs in `args`, for instances with these ids.
fn names<'a>(args: &AcceptArgs, ids: impl Iterator<Item = &'a str>) -> Result<Vec<String>, Error> {
    let report = args.report.as_deref().map(|path| read_report(path, &FsLoader)).transpose()?;
    let (assembly, ids): (_, Vec<&str>) = (slashes(&args.assembly), ids.collect());
    PairNames::new(ids, report.as_ref(), &assembly).all(&args.pairs)
}

fn prune(args: &AcceptArgs, place: &Place, old: Option<&Baseline>, judged: &Judged) -> Result<Written, Error> {
    let Some(old) = old else {
        return Err(Error::one(Location::file(&place.shown), "there is no baseline to prune", ""));
    };
    let mut pairs: Vec<_> = old.accepted.iter().map(|e| (e.a.as_str(), e.b.as_str())).collect();
    pairs.dedup();
    // An accepted pair may have lost its instances.
    let ids = judged.outcome.instances.iter().map(|i| i.id.as_str());
    let names = names(args, ids.chain(pairs.iter().flat_map(|(a, b)| [*a, *b])))?;
    let picked = baseline::select_pairs(&names, &pairs, "accepted pair", "name both ids as A,B")?;
    let picked: BTreeSet<(&str, &str)> = picked.into_iter().map(|k| pairs[k]).collect();
    let is_named = |e: &Entry| picked.contains(&(e.a.as_str(), e.b.as_str()));
    let named = (0..old.accepted.len()).filter(|k| is_named(&old.accepted[*k])).collect();
    let (baseline, dropped) = baseline::prune(old, judged, &named);
    let entries = |n: usize| report::number::count_of(n as u64, "entry", "entries");
    let text = format!("{}: {} removed, {} left\n", place.shown, entries(dropped), baseline.accepted.len());
    Ok((Some(baseline), text))
}
