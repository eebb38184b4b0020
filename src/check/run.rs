//! Runs a check: parts to shapes, boxes to candidate pairs, unique pairs to answers, answers to the outcome.

use crate::assembly::motion::chosen::ChosenRuns;
use crate::assembly::{Assembly, Geometry, RuleTable};
use crate::check::cache::{PairCache, Session};
use crate::check::drawn::{Drawn, drawn_shapes};
use crate::check::motion::RunChecker;
use crate::check::motion::coverage::coverage_warnings;
use crate::check::motion::outcome::MotionOutcome;
use crate::check::outcome::counts::{Pruned, RunCounts};
use crate::check::outcome::flag_warnings::flag_warnings;
use crate::check::outcome::part_rows::{describe_instances, describe_parts};
use crate::check::outcome::warnings::{PlacedWarning, collect_warnings};
use crate::check::pairs::candidates::{candidates, neighbours};
use crate::check::pairs::distinct::{UniquePairs, unique_pairs};
use crate::check::pairs::shard::{Candidates, Shard, ShardOutcome};
use crate::check::prepare::load::load_meshes;
use crate::check::prepare::shape::Shape;
use crate::check::prepare::shapes::{self, Shapes};
use crate::check::stages::answers::Checker;
use crate::check::{
    ClearedBy, Counts, Curves, Options, Outcome, Progress, RunStats, Settings, Stage, Stopwatch, Timings,
};
use crate::error::{Error, Location, Problem};
use crate::io::Loader;

/// Checks every pair of an assembly's instances; the crate's page has an example. Runs on the ambient rayon pool. The
/// outcome depends neither on the number of threads nor on the order of the instances.
///
/// # Errors
/// Refuses options out of range, an assembly without a pair to check, unreadable meshes, and placements that are
/// singular or too far out. The first of these kinds with a problem returns all its problems.
pub fn check(
    assembly: &Assembly,
    options: &Options,
    loader: &dyn Loader,
    progress: &dyn Progress,
) -> Result<Outcome, Error> {
    check_with_stats(assembly, options, loader, progress).map(|(outcome, _)| outcome)
}

/// Checks as [`check()`] does; also returns the statistics of the run.
///
/// # Errors
/// Returns the errors of [`check()`].
pub fn check_with_stats(
    assembly: &Assembly,
    options: &Options,
    loader: &dyn Loader,
    progress: &dyn Progress,
) -> Result<(Outcome, RunStats), Error> {
    run(assembly, options, None, loader, progress).map(|found| found.whole().0)
}

/// Checks as [`check_with_stats()`] does; also returns the judged shapes for pictures, without reading a mesh again.
///
/// # Errors
/// Returns the errors of [`check()`].
pub fn check_and_draw(
    assembly: &Assembly,
    options: &Options,
    loader: &dyn Loader,
    progress: &dyn Progress,
) -> Result<(Outcome, RunStats, Drawn), Error> {
    let ((outcome, stats), shapes) = run(assembly, options, None, loader, progress)?.whole();
    Ok((outcome, stats, drawn_shapes(assembly, &shapes)))
}

/// Checks the pairs of one shard. Every shard reads all meshes, builds all shapes and finds all candidate pairs; it
/// prepares triangles and computes answers for its own pairs only.
///
/// # Errors
/// Returns the errors of [`check()`], equal for all shards, and refuses an [invalid](Shard::is_valid) shard.
pub fn check_shard(
    assembly: &Assembly,
    options: &Options,
    shard: Shard,
    loader: &dyn Loader,
    progress: &dyn Progress,
) -> Result<ShardOutcome, Error> {
    if !shard.is_valid() {
        let Shard { index, of } = shard;
        let what = format!("shard {index} of {of} does not exist");
        return Err(Error::one(
            Location::default(),
            what,
            format!("shards are 1/N to N/N, N at most {}", Shard::MAX_COUNT),
        ));
    }
    let found = run(assembly, options, Some(shard), loader, progress)?;
    let RunResult { candidates, warnings, outcome, stats, .. } = found;
    Ok(ShardOutcome { shard, candidates, warnings, outcome, stats })
}

/// Result of a whole run or of one shard.
struct RunResult {
    /// Candidate pairs; the hash is empty for a whole run.
    candidates: Candidates,
    warnings: Vec<PlacedWarning>,
    /// Outcome without warnings.
    outcome: Outcome,
    stats: RunStats,
    shapes: Shapes,
}

impl RunResult {
    /// Outcome and statistics of a whole run, and its shapes.
    fn whole(self) -> ((Outcome, RunStats), Shapes) {
        let warnings = self.warnings.into_iter().map(|w| w.warning).collect();
        ((Outcome { warnings, ..self.outcome }, self.stats), self.shapes)
    }
}

fn run(
    assembly: &Assembly,
    options: &Options,
    shard: Option<Shard>,
    loader: &dyn Loader,
    progress: &dyn Progress,
) -> Result<RunResult, Error> {
    let mut timings = Timings { threads: rayon::current_num_threads(), ..Timings::default() };
    let mut watch = Stopwatch::start();
    let settings = resolve_settings(assembly, options)?;
    let chosen = assembly.motion.choose(&options.runs)?;
    let rules = RuleTable::of_drawing(assembly);
    let pairs_all = count_pairs(assembly, &chosen, &rules)?;
    let session = options.cache.as_ref().map(|cache| Session::new(cache.store()));
    let meshes = load_meshes(assembly, loader, session.as_ref(), options.measure, progress)?;
    watch.stop(Stage::Load, &mut timings);

    let shapes = shapes::build(assembly, &meshes, &settings, session.as_ref(), progress)?;
    let parts = describe_parts(assembly, &meshes, &shapes);
    watch.stop(Stage::Shape, &mut timings);

    progress.begin(Stage::Broad, 1);
    let reach = max_distance(&settings, &rules, &shapes);
    let candidates = if chosen.drawing { candidates(&shapes, reach, &rules) } else { Vec::new() };
    watch.stop(Stage::Broad, &mut timings);

    let cache = session.as_ref().map(|session| PairCache::new(session, &shapes, &settings));
    let near = neighbours(&shapes, &candidates, settings.tolerance);
    let run = Checker { assembly, settings: &settings, shapes: &shapes, cache: cache.as_ref(), neighbours: &near };
    let (groups, unseen, mut candidates) =
        select_shard(unique_pairs(run.assembly, run.shapes, &candidates), &shapes, pairs_all, shard);
    let answers = run.answer_groups(&groups, &mut watch, &mut timings, progress);
    let tally = RunCounts::of(unseen, &groups, &answers);
    watch.stop(Stage::Narrow, &mut timings);

    let mut pairs = run.outcomes(&groups, &answers);
    let sweep_cells = options.sweep_cells;
    let lists_curves = options.curves == Curves::Listed;
    let mut motion =
        MotionOutcome { left_out: chosen.left_out, sweep_cells, lists_curves, ..MotionOutcome::of(assembly) };
    let checker = RunChecker {
        assembly,
        settings: &settings,
        shapes: &shapes,
        cache: cache.as_ref(),
        drawn_rules: &rules,
        sweep_cells,
        curves: options.curves,
        shard,
    };
    watch.stop(Stage::Report, &mut timings);
    for named in &chosen.runs {
        let (found, of_run) = checker.check(named, &mut watch, &mut timings, progress)?;
        motion.runs.push(found);
        candidates = candidates.and(&of_run);
        watch.stop(Stage::Runs, &mut timings);
    }
    // Collect warnings before the next two steps: their queries must not add any.
    let mut warnings = collect_warnings(assembly, &meshes, &shapes, &settings);
    let of_flags = (0..).zip(flag_warnings(assembly, options).into_iter().chain(coverage_warnings(assembly)));
    warnings.extend(of_flags.map(|(k, warning)| PlacedWarning { place: [4, 0, k], warning }));
    run.measure_remaining(&mut pairs, &options.accepted);
    let fixes = run.fixes(&pairs, &rules, reach, options.fixes);
    cache.into_iter().for_each(PairCache::write);

    let instances = describe_instances(assembly);
    watch.stop(Stage::Report, &mut timings);
    timings.pairs = tally.funnel;
    timings.cache = session.as_ref().map(Session::used);
    // The table of the drawing lacks the rules of other runs.
    let is_limited = assembly.rules.iter().any(|rule| rule.during.is_some());
    let outcome = Outcome {
        counts: tally.counts,
        cleared_by: tally.cleared_by,
        pairs,
        fixes,
        parts,
        instances,
        rule_uses: if is_limited { RuleTable::new(assembly).uses(assembly) } else { rules.uses(assembly) },
        motion: (!motion.is_empty()).then_some(motion),
        ..empty_outcome(assembly, settings, pairs_all[0])
    };
    let stats = RunStats { timings, cache_warning: session.as_ref().and_then(Session::cache_warning) };
    Ok(RunResult { candidates, warnings, outcome, stats, shapes })
}

/// Builds an outcome without results.
pub(crate) fn empty_outcome(assembly: &Assembly, settings: Settings, possible_pairs: u64) -> Outcome {
    Outcome {
        name: assembly.name.clone(),
        path: assembly.path.clone(),
        files: assembly.files.clone(),
        units: assembly.units,
        strict: assembly.settings.strict,
        alike_by_group: false,
        settings,
        possible_pairs,
        counts: Counts::default(),
        cleared_by: ClearedBy::default(),
        pairs: Vec::new(),
        fixes: Vec::new(),
        parts: Vec::new(),
        instances: Vec::new(),
        rules: assembly.rules.clone(),
        rule_uses: Vec::new(),
        warnings: Vec::new(),
        motion: None,
    }
}

/// Selects the groups of a shard, or all of a whole run. Shard 1 and a whole run also count the pairs outside the
/// candidates.
fn select_shard(
    groups: UniquePairs,
    shapes: &Shapes,
    [possible, ignored]: [u64; 2],
    shard: Option<Shard>,
) -> (UniquePairs, Pruned, Candidates) {
    let unseen = Pruned { ignored, by_boxes: possible - ignored - groups.candidates.len() as u64 };
    let (groups, candidates) = groups.share_of(shapes, shard);
    let counts_all = shard.is_none_or(|shard| shard.index == 1);
    (groups, if counts_all { unseen } else { Pruned::default() }, candidates)
}

/// Counts all pairs of instances in the drawing and the ignored ones; none if the drawing is left out. `rules` are
/// those of the drawing.
///
/// # Errors
/// Refuses a run without a pair to check: in the drawing, and in each pose and sweep.
fn count_pairs(assembly: &Assembly, chosen: &ChosenRuns, rules: &RuleTable) -> Result<[u64; 2], Error> {
    let n = assembly.instances.len() as u64;
    let possible = n * n.saturating_sub(1) / 2;
    let in_drawing = if chosen.drawing { [possible, rules.ignored_pairs()] } else { [0; 2] };
    let checks = |name: &str| possible > RuleTable::of_run(assembly, name).ignored_pairs();
    if in_drawing[0] > in_drawing[1] || chosen.runs.iter().any(|run| checks(&run.name)) {
        return Ok(in_drawing);
    }
    Err(nothing_to_check(assembly, possible))
}

fn nothing_to_check(assembly: &Assembly, possible: u64) -> Error {
    let at = Location::file(&assembly.path);
    if possible == 0 {
        let n = assembly.instances.len();
        Error::one(
            at,
            format!("no pair to check: {n} instance{}", if n == 1 { "" } else { "s" }),
            "an assembly needs at least two instances",
        )
    } else {
        Error::one(
            at,
            format!(
                "no pair to check: the rules ignore {}",
                if possible == 1 { "the only pair".to_owned() } else { format!("all {possible} pairs") }
            ),
            "narrow the `ignore` rules or `as_unit`: a gate without pairs never fails",
        )
    }
}

/// Merges options and file into settings.
///
/// # Errors
/// Refuses options out of range.
pub(crate) fn resolve_settings(assembly: &Assembly, options: &Options) -> Result<Settings, Error> {
    let mut problems = Vec::new();
    for (name, value) in
        [("tolerance", options.tolerance), ("report-within", options.report_within), ("epsilon", options.epsilon)]
    {
        if let Some(v) = value.filter(|v| !(v.is_finite() && *v >= 0.0)) {
            problems.push(Problem::new(
                Location::default(),
                format!("--{name} is {v}"),
                "give a finite length of at least 0",
            ));
        }
    }
    if let Some(v) = options.gap_width.filter(|v| !(v.is_finite() && *v > 0.0)) {
        problems.push(Problem::new(Location::default(), format!("--gap-width is {v}"), "give a finite length above 0"));
    }
    if options.max_pieces == 0 {
        problems.push(Problem::new(Location::default(), "--max-pieces is 0", "give at least one"));
    }
    if !problems.is_empty() {
        return Err(Error { problems });
    }
    Ok(Settings {
        tolerance: options.tolerance.unwrap_or(assembly.tolerance),
        geometry: options.geometry.or(assembly.settings.geometry).unwrap_or(Geometry::Exact),
        facets: options.facets.unwrap_or(assembly.facets),
        report_within: options.report_within.or(assembly.settings.report_within),
        gap_width: options.gap_width,
        epsilon: options.epsilon.or(assembly.settings.epsilon),
        max_pieces: options.max_pieces,
        measure: options.measure,
    })
}

/// Largest distance of a pair with an effect on the outcome (mm).
pub(crate) fn max_distance(settings: &Settings, rules: &RuleTable, shapes: &Shapes) -> f64 {
    let floor = shapes.all.iter().map(Shape::tolerance_floor).fold(0.0, f64::max);
    settings.tolerance.max(floor).max(settings.report_within.unwrap_or(0.0)).max(rules.max_clearance())
}
