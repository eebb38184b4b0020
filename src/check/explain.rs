//! Explains one pair: as drawn, or in a run.

use crate::assembly::{Assembly, InstanceIx, NamedRun, PairRule, RuleTable};
use crate::check::drawn::{Drawn, drawn_shapes};
use crate::check::motion::RunChecker;
use crate::check::motion::outcome::{JointTravel, MotionOutcome, RunOutcome};
use crate::check::outcome::explain::{Explanation, PairFound, find_pair};
use crate::check::outcome::flag_warnings::flag_warnings;
use crate::check::outcome::part_rows::{describe_instances, describe_parts};
use crate::check::pairs::candidates::{candidates, instance_boxes, neighbours};
use crate::check::prepare::load::{PartMesh, load_meshes};
use crate::check::prepare::shapes::{self, Shapes};
use crate::check::run::{empty_outcome, max_distance, resolve_settings};
use crate::check::stages::answers::Checker;
use crate::check::{Curves, Measure, Options, Outcome, Progress, Settings, Stage};
use crate::error::{Error, Location};
use crate::geom::{Aabb, Affine};
use crate::io::Loader;
use crate::json::wording::{join_or, nearest, quoted};
use std::sync::Arc;

/// Traces one pair through the stages and returns its row, equal to the row of a whole run with these options; `ids` in
/// either order.
///
/// Reads all meshes, builds all shapes and finds all candidates as [`check()`](crate::check::check()) does, then
/// answers this pair only.
///
/// # Errors
/// Returns the errors of [`check()`](crate::check::check()), except for an assembly whose pairs are all ignored. Also
/// refuses unknown ids and one id given twice.
pub fn explain(
    assembly: &Assembly,
    options: &Options,
    ids: [&str; 2],
    loader: &dyn Loader,
    progress: &dyn Progress,
) -> Result<Explanation, Error> {
    explained(assembly, options, ids, loader, progress).map(|(explanation, ..)| explanation)
}

/// An explained pair with an outcome and the judged shapes, for a picture.
#[derive(Debug)]
pub struct ExplainedPair {
    /// The explanation.
    pub explanation: Explanation,
    /// Outcome with the row of the pair alone; its counts are 0.
    pub outcome: Outcome,
    /// Judged shapes of the assembly.
    pub drawn: Drawn,
}

/// Explains a pair as [`explain()`] does; also returns its row as an outcome, and the judged shapes for a picture.
///
/// # Errors
/// Returns the errors of [`explain()`].
pub fn explain_and_draw(
    assembly: &Assembly,
    options: &Options,
    ids: [&str; 2],
    loader: &dyn Loader,
    progress: &dyn Progress,
) -> Result<ExplainedPair, Error> {
    let (explanation, outcome, shapes) = explained(assembly, options, ids, loader, progress)?;
    Ok(ExplainedPair { explanation, outcome, drawn: drawn_shapes(assembly, &shapes) })
}

/// A pair explained in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedRun {
    /// Trace at the joint values `at`.
    pub explanation: Explanation,
    /// Outcome with the run, and with the row of the pair alone; its counts are 0.
    pub outcome: Outcome,
    /// Joints between the two instances, nearest the second one first; indices in [`MotionOutcome::joints`].
    pub between: Vec<u32>,
    /// Largest distance of a point of the second instance from its place in the middle of a segment, seen from the
    /// first one (mm, >= 0); 0 for a pose.
    pub displacement: f64,
    /// True if the balls around the parts clear the pair.
    pub by_balls: bool,
    /// Joints away from home at the trace: the worst pose known, or the start of the run.
    pub at: Vec<JointTravel>,
}

/// Explains a pair in a pose or a sweep; `ids` in either order.
///
/// # Errors
/// Returns the errors of [`explain()`]. Also refuses an unknown run, and the drawing: [`explain()`] explains it.
pub fn explain_run(
    assembly: &Assembly,
    options: &Options,
    ids: [&str; 2],
    run: &str,
    loader: &dyn Loader,
    progress: &dyn Progress,
) -> Result<ExplainedRun, Error> {
    explain_run_and_draw(assembly, options, ids, run, loader, progress).map(|(explained, _)| explained)
}

/// Explains a pair as [`explain_run()`] does; also returns the judged shapes for pictures, as drawn.
///
/// # Errors
/// Returns the errors of [`explain_run()`].
pub fn explain_run_and_draw(
    assembly: &Assembly,
    options: &Options,
    ids: [&str; 2],
    run: &str,
    loader: &dyn Loader,
    progress: &dyn Progress,
) -> Result<(ExplainedRun, Drawn), Error> {
    let named = find_run(assembly, run)?;
    let prepared = Prepared::new(assembly, options, ids, loader, progress)?;
    let Prepared { settings, pair, meshes, shapes } = &prepared;
    progress.begin(Stage::Narrow, 1);
    let drawn_rules = RuleTable::of_drawing(assembly);
    let checker = RunChecker {
        assembly,
        settings,
        shapes,
        cache: None,
        drawn_rules: &drawn_rules,
        sweep_cells: options.sweep_cells,
        curves: Curves::None,
        shard: None,
    };
    let found = checker.pair(named, *pair)?;
    let rules = RuleTable::of_run(assembly, run);
    let placed = Shapes { placed: found.placed, ..shapes.clone() };
    let mut explanation = explanation_of(assembly, settings, *pair, &rules, meshes, &placed, progress);
    explanation.warnings.extend(flag_warnings(assembly, options));
    let row = found.row.unwrap_or_else(|| explanation.pair.clone());
    let outcome = RunOutcome { rows: vec![row], ..found.outcome };
    let motion = MotionOutcome { runs: vec![outcome], lists_curves: true, ..MotionOutcome::of(assembly) };
    let explained = ExplainedRun {
        outcome: Outcome { motion: Some(motion), ..prepared.outcome(assembly) },
        between: found.between,
        displacement: found.displacement,
        by_balls: found.by_balls,
        at: found.at,
        explanation,
    };
    Ok((explained, drawn_shapes(assembly, &prepared.shapes)))
}

/// Finds a pose or a sweep by its name.
fn find_run<'a>(assembly: &'a Assembly, name: &str) -> Result<&'a NamedRun, Error> {
    let runs = &assembly.motion.runs;
    runs.iter().find(|run| run.name == name).ok_or_else(|| {
        let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
        let near = nearest(name, names.iter().copied()).map(|near| format!("did you mean {}?", quoted(near)));
        let fix = near.unwrap_or_else(|| {
            if names.is_empty() {
                "the assembly has no poses and no sweeps".to_owned()
            } else {
                format!("known runs: {}", join_or(&[&[crate::motion::AS_DRAWN], names.as_slice()].concat()))
            }
        });
        Error::one(Location::file(&assembly.path), format!("no run has the name {}", quoted(name)), fix)
    })
}

/// Inputs of an explanation.
struct Prepared {
    settings: Settings,
    pair: [InstanceIx; 2],
    meshes: Vec<Arc<PartMesh>>,
    shapes: Shapes,
}

impl Prepared {
    fn new(
        assembly: &Assembly,
        options: &Options,
        ids: [&str; 2],
        loader: &dyn Loader,
        progress: &dyn Progress,
    ) -> Result<Self, Error> {
        let settings = resolve_settings(assembly, options)?;
        let pair = find_pair(assembly, ids)?;
        let meshes = load_meshes(assembly, loader, None, Measure::All, progress)?;
        let instances = pair.map(|i| &assembly.instances[i.0 as usize]);
        let parts = instances.map(|i| &*meshes[i.part.0 as usize]);
        let placed = |k: usize| {
            let Affine { linear, translation } = &instances[k].placement;
            Aabb::of_points(&parts[k].bounds.corners().map(|x| linear * x + translation))
        };
        // Most pairs with boxes that meet need their triangles.
        let prepared: &[&PartMesh] = if placed(0).meets(&placed(1)) { &parts } else { &[] };
        let shapes = shapes::build_with_triangles(assembly, &meshes, prepared, &settings, None, progress)?;
        Ok(Self { settings, pair, meshes, shapes })
    }

    /// Outcome without rows.
    fn outcome(&self, assembly: &Assembly) -> Outcome {
        let n = assembly.instances.len() as u64;
        Outcome {
            parts: describe_parts(assembly, &self.meshes, &self.shapes),
            instances: describe_instances(assembly),
            ..empty_outcome(assembly, self.settings.clone(), n * n.saturating_sub(1) / 2)
        }
    }
}

/// Explains a pair as drawn; also returns its row as an outcome, and the shapes.
fn explained(
    assembly: &Assembly,
    options: &Options,
    ids: [&str; 2],
    loader: &dyn Loader,
    progress: &dyn Progress,
) -> Result<(Explanation, Outcome, Shapes), Error> {
    let prepared = Prepared::new(assembly, options, ids, loader, progress)?;
    let Prepared { settings, pair, meshes, shapes } = &prepared;
    let rules = RuleTable::of_drawing(assembly);
    let mut explanation = explanation_of(assembly, settings, *pair, &rules, meshes, shapes, progress);
    explanation.warnings.extend(flag_warnings(assembly, options));
    let outcome = Outcome { pairs: vec![explanation.pair.clone()], ..prepared.outcome(assembly) };
    Ok((explanation, outcome, prepared.shapes))
}

/// Traces a pair where `shapes` places it.
fn explanation_of(
    assembly: &Assembly,
    settings: &Settings,
    [a, b]: [InstanceIx; 2],
    rules: &RuleTable,
    meshes: &[Arc<PartMesh>],
    shapes: &Shapes,
    progress: &dyn Progress,
) -> Explanation {
    progress.begin(Stage::Broad, 1);
    let reach = max_distance(settings, rules, shapes);
    let candidates = candidates(shapes, reach, rules);
    let found = match rules.of(a, b) {
        PairRule::Ignored { rule } => PairFound::Ignored { rule },
        PairRule::Rule(_) | PairRule::None => {
            let boxes = instance_boxes(shapes, 0.0);
            let distance = boxes[a.0 as usize].distance(&boxes[b.0 as usize]);
            let (first, second) = (a.0.min(b.0), a.0.max(b.0));
            let place = candidates.binary_search_by_key(&(first, second), |c| (c.a, c.b));
            PairFound::Checked { distance, candidate: place.ok().map(|k| candidates[k]) }
        }
    };
    progress.begin(Stage::Narrow, 1);
    let near = neighbours(shapes, &candidates, settings.tolerance);
    let run = Checker { assembly, settings, shapes, cache: None, neighbours: &near };
    run.explanation([a, b], &found, rules, meshes, reach)
}
