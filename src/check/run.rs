//! The run: parts to shapes, boxes to candidate pairs, distinct pairs to answers, answers to the outcome.

use crate::assembly::{Assembly, PairRule, RuleTable};
use crate::check::cache::{PairCache, Session};
use crate::check::outcome::counts::{Pruned, RunCounts};
use crate::check::outcome::explain::{Explanation, PairFound, find_pair};
use crate::check::outcome::part_rows::{describe_instances, describe_parts};
use crate::check::outcome::warnings::{PlacedWarning, collect_warnings};
use crate::check::pairs::candidates::{candidates, instance_boxes};
use crate::check::pairs::distinct::UniquePairs;
use crate::check::pairs::shard::{Candidates, Shard, ShardOutcome};
use crate::check::prepare::load::load_meshes;
use crate::check::prepare::shape::Shape;
use crate::check::prepare::shapes::{self, Shapes};
use crate::check::stages::answers::Checker;
use crate::check::{ClearedBy, Counts, FailOn, Options, Outcome, Progress, Settings, Stage, Stopwatch, Timings};
use crate::error::{Error, Location, Problem};
use crate::io::Loader;

/// Checks every pair of an assembly's instances; see the crate's page for an example. Runs on the ambient rayon pool; the
/// outcome does not depend on its size, on the order of instances, or on which of several equal pairs was computed.
///
/// # Errors
/// Meshes that cannot be read, placements that cannot be inverted, options out of range, and an assembly in which no pair is left to check: all of them at once.
pub fn check(
    assembly: &Assembly,
    options: &Options,
    loader: &dyn Loader,
    progress: &dyn Progress,
) -> Result<Outcome, Error> {
    let found = run(assembly, options, None, loader, progress)?;
    Ok(Outcome { warnings: found.warnings.into_iter().map(|w| w.warning).collect(), ..found.outcome })
}

/// Checks the pairs of one shard. Every shard reads all meshes, builds all hulls (and covers all parts that are taken as pieces) and
/// finds all candidate pairs; triangles are prepared for its own pairs alone, and only these are answered.
///
/// # Errors
/// As [`check()`], whatever the shard, and for one that [is none](Shard::is_valid).
pub fn check_shard(
    assembly: &Assembly,
    options: &Options,
    shard: Shard,
    loader: &dyn Loader,
    progress: &dyn Progress,
) -> Result<ShardOutcome, Error> {
    if !shard.is_valid() {
        let Shard { index, of } = shard;
        let what = format!("there is no shard {index} of {of}");
        return Err(Error::one(
            Location::default(),
            what,
            format!("shards are 1/N to N/N, N at most {}", Shard::MAX_COUNT),
        ));
    }
    let found = run(assembly, options, Some(shard), loader, progress)?;
    Ok(ShardOutcome { shard, candidates: found.candidates, warnings: found.warnings, outcome: found.outcome })
}

/// A whole run, or a shard of it.
struct RunResult {
    /// Of a whole run without their hash.
    candidates: Candidates,
    warnings: Vec<PlacedWarning>,
    /// Without warnings.
    outcome: Outcome,
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
    let rules = RuleTable::new(assembly);
    let pairs_all = count_pairs(assembly, &rules)?;
    let session = options.cache.as_ref().map(|cache| Session::new(cache.store()));
    let meshes = load_meshes(assembly, loader, session.as_ref(), options.verdict_only, progress)?;
    watch.stop(Stage::Load, &mut timings);

    let shapes = shapes::build(assembly, &meshes, &settings, session.as_ref(), progress)?;
    let parts = describe_parts(assembly, &meshes, &shapes);
    watch.stop(Stage::Shape, &mut timings);

    progress.begin(Stage::Broad, 1);
    let reach = max_distance(&settings, &rules, &shapes);
    let candidates = candidates(&shapes, reach, &rules);
    watch.stop(Stage::Broad, &mut timings);

    let cache = session.as_ref().map(|session| PairCache::new(session, &shapes, &settings));
    let run = Checker { assembly, settings: &settings, shapes: &shapes, cache: cache.as_ref() };
    let (groups, unseen, candidates) = select_shard(run.unique_pairs(&candidates), &shapes, pairs_all, shard);
    let answers = run.answer_groups(&groups, &mut watch, &mut timings, progress);
    let tally = RunCounts::of(unseen, &groups, &answers);
    watch.stop(Stage::Narrow, &mut timings);

    let pairs = run.outcomes(&groups, &answers);
    // Before fixes are looked for: what these ask of shapes is not what the run is about.
    let warnings = collect_warnings(assembly, &meshes, &shapes, &settings);
    let fixes = run.fixes(&pairs, &rules, reach, options.fixes);
    cache.into_iter().for_each(PairCache::write);

    let instances = describe_instances(assembly);
    watch.stop(Stage::Report, &mut timings);
    timings.pairs = tally.funnel;
    timings.cache = session.as_ref().map(Session::used);
    let outcome = Outcome {
        counts: tally.counts,
        cleared_by: tally.cleared_by,
        pairs,
        fixes,
        parts,
        instances,
        rule_uses: rules.uses(assembly),
        timings,
        not_kept: session.as_ref().and_then(Session::not_kept),
        ..empty_outcome(assembly, settings, pairs_all[0])
    };
    Ok(RunResult { candidates, warnings, outcome })
}

/// An outcome in which nothing is found yet.
fn empty_outcome(assembly: &Assembly, settings: Settings, possible_pairs: u64) -> Outcome {
    Outcome {
        name: assembly.name.clone(),
        path: assembly.path.clone(),
        files: assembly.files.clone(),
        units: assembly.units,
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
        baseline: None,
        fail_on: FailOn::Any,
        timings: Timings::default(),
        not_kept: None,
    }
}

/// What a shard answers, or a whole run, and what it counts beside that. Pairs that are never enumerated are counted by the first.
fn select_shard(
    groups: UniquePairs,
    shapes: &Shapes,
    [possible, ignored]: [u64; 2],
    shard: Option<Shard>,
) -> (UniquePairs, Pruned, Candidates) {
    let all = Candidates { count: groups.candidates.len() as u64, hash: String::new() };
    let unseen = Pruned { ignored, by_boxes: possible - ignored - all.count };
    let Some(shard) = shard else { return (groups, unseen, all) };
    let (groups, candidates) = groups.of_shard(shapes, shard);
    (groups, if shard.index == 1 { unseen } else { Pruned::default() }, candidates)
}

/// The way of one pair through the stages, and the row that a whole run with these options has for it; `ids` in either order.
///
/// Reads, shapes and finds candidates as [`check()`] does; what is left out is the other pairs.
///
/// # Errors
/// As [`check()`], but for an assembly in which everything is ignored; and ids that no instance has, or one id twice.
pub fn explain(
    assembly: &Assembly,
    options: &Options,
    ids: [&str; 2],
    loader: &dyn Loader,
    progress: &dyn Progress,
) -> Result<Explanation, Error> {
    let settings = resolve_settings(assembly, options)?;
    let pair = find_pair(assembly, ids)?;
    let rules = RuleTable::new(assembly);
    let meshes = load_meshes(assembly, loader, None, false, progress)?;
    let shapes = shapes::build(assembly, &meshes, &settings, None, progress)?;
    progress.begin(Stage::Broad, 1);
    let reach = max_distance(&settings, &rules, &shapes);
    let [a, b] = pair;
    let found = match rules.of(a, b) {
        PairRule::Ignored { rule } => PairFound::Ignored { rule },
        PairRule::Rule(_) | PairRule::None => {
            let boxes = instance_boxes(&shapes, 0.0);
            let distance = boxes[a.0 as usize].distance(&boxes[b.0 as usize]);
            let (first, second) = (a.0.min(b.0), a.0.max(b.0));
            let candidates = candidates(&shapes, reach, &rules);
            let place = candidates.binary_search_by_key(&(first, second), |c| (c.a, c.b));
            PairFound::Checked { distance, candidate: place.ok().map(|k| candidates[k]) }
        }
    };
    progress.begin(Stage::Narrow, 1);
    let run = Checker { assembly, settings: &settings, shapes: &shapes, cache: None };
    Ok(run.explanation(pair, &found, &rules, &meshes, reach))
}

/// How many pairs of instances there are, and how many of them are ignored: not all.
fn count_pairs(assembly: &Assembly, rules: &RuleTable) -> Result<[u64; 2], Error> {
    let n = assembly.instances.len() as u64;
    let possible = n * n.saturating_sub(1) / 2;
    let ignored = rules.ignored_pairs();
    if possible == ignored { Err(nothing_to_check(assembly, possible)) } else { Ok([possible, ignored]) }
}

fn nothing_to_check(assembly: &Assembly, possible: u64) -> Error {
    let at = Location::file(&assembly.path);
    if possible == 0 {
        let n = assembly.instances.len();
        Error::one(
            at,
            format!("nothing to check: {n} instance{}", if n == 1 { "" } else { "s" }),
            "an assembly needs at least two instances",
        )
    } else {
        Error::one(
            at,
            format!("nothing to check: all {possible} pairs are ignored"),
            "a gate that checks nothing never fails; narrow the `ignore` rules or `as_unit`",
        )
    }
}

/// Options and file into one, refusing what cannot be.
fn resolve_settings(assembly: &Assembly, options: &Options) -> Result<Settings, Error> {
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
    if options.max_pieces == 0 {
        problems.push(Problem::new(Location::default(), "--max-pieces is 0", "a part takes at least one piece"));
    }
    if !problems.is_empty() {
        return Err(Error { problems });
    }
    Ok(Settings {
        tolerance: options.tolerance.unwrap_or(assembly.tolerance),
        geometry: options.geometry,
        facets: options.facets.unwrap_or(assembly.facets),
        report_within: options.report_within,
        epsilon: options.epsilon,
        max_pieces: options.max_pieces,
        verdict_only: options.verdict_only,
    })
}

/// The largest distance at which any pair of the run may matter (mm).
fn max_distance(settings: &Settings, rules: &RuleTable, shapes: &Shapes) -> f64 {
    let floor = shapes.all.iter().map(Shape::tolerance_floor).fold(0.0, f64::max);
    settings.tolerance.max(floor).max(settings.report_within.unwrap_or(0.0)).max(rules.max_clearance())
}
