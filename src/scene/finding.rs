//! Lists the findings of a run, ready to draw: one for each line of the report.

use crate::assembly::InstanceIx;
use crate::check::{Outcome, Status};
use crate::findings::rank::{demanded, ranked};
use crate::findings::{Entry, Groups, Judged};
use crate::geom::Vec3;
use crate::scene::solids::crossing_of;
use crate::scene::{Focus, Scene};
use rayon::prelude::*;

/// A pair to draw. Lengths in mm, root frame.
#[derive(Debug, Clone)]
pub struct SceneFinding {
    /// Index in [`Outcome::pairs`]; of a group, its worst row.
    pub row: usize,
    /// Number of rows in the line: 1, or the members of the group.
    pub rows: usize,
    /// The two instances.
    pub pair: [InstanceIx; 2],
    /// Place of the pair.
    pub focus: Focus,
    /// Instance that moves in a proposal, and its translation.
    pub way_out: Option<(InstanceIx, Vec3)>,
    /// Gap required by a rule.
    pub demanded: Option<f64>,
}

impl SceneFinding {
    /// Finding of a row, which may be a contact or a clear pair.
    pub fn of_row(scene: &Scene, outcome: &Outcome, row: usize) -> Self {
        let p = &outcome.pairs[row];
        let pair = [p.a, p.b];
        let known = Focus::new(p, &scene.bounds_of(pair));
        let focus = match p.status {
            // A ball at an open mesh proves no depth: the picture shows the line in which the surfaces cross.
            Status::Undecided if known.apart.is_none() => {
                Focus::of_crossing(&crossing_of(scene, pair)).unwrap_or(Focus { depth: None, ..known })
            }
            _ => known,
        };
        Self { row, rows: 1, pair, focus, way_out: p.separating_move(), demanded: demanded(outcome, p) }
    }
}

/// A finding of a pose or sweep.
#[derive(Debug, Clone)]
pub struct RunFinding {
    /// Index of the run in [`Outcome::runs`].
    pub run: usize,
    /// Values of all joints at its worst pose (degrees, or mm for slides).
    pub values: Vec<f64>,
    /// The finding at these values; its row is that of the run.
    pub finding: SceneFinding,
}

impl RunFinding {
    /// Finding of a row of a pose or sweep at its worst pose; `one` is that pose or sweep alone, `run` its index. The
    /// row may be a contact or a clear pair.
    pub fn of_row(scene: &Scene, judged: &Judged, one: &Judged, run: usize, row: usize) -> Self {
        let worst = one.outcome.pairs[row].swept.as_ref().and_then(|swept| swept.worst.as_ref());
        let joints = &judged.outcome.runs()[run].joints;
        let values = scene.kinematics.values(worst.map_or(joints, |span| &span.joints));
        let finding = SceneFinding::of_row(&scene.at(&values), &one.outcome, row);
        Self { run, values, finding }
    }
}

/// Findings of the poses and sweeps, in the order of the runs, each worst first. `runs` are those of [`Judged::runs`];
/// `scene` is the scene as drawn.
pub fn run_findings(scene: &Scene, judged: &Judged, runs: &[Judged]) -> Vec<RunFinding> {
    let of_run = |(run, one): (usize, &Judged)| -> Vec<RunFinding> {
        let place = |(row, rows): (usize, usize)| {
            let mut found = RunFinding::of_row(scene, judged, one, run, row);
            found.finding.rows = rows;
            found
        };
        failing_lines(one).into_par_iter().map(place).collect()
    };
    runs.iter().enumerate().flat_map(of_run).collect()
}

/// Findings of a run, accepted ones too, worst first; a group is one line with its worst row.
pub fn findings(scene: &Scene, judged: &Judged) -> Vec<SceneFinding> {
    let line = |(row, rows): (usize, usize)| SceneFinding { rows, ..SceneFinding::of_row(scene, &judged.outcome, row) };
    failing_lines(judged).into_par_iter().map(line).collect()
}

/// Worst row of each line with findings, and the number of its rows; worst first.
fn failing_lines(judged: &Judged) -> Vec<(usize, usize)> {
    let groups = Groups::new(judged);
    let failing = ranked(judged, |row| judged.outcome.pairs[row].status.fails());
    let line = |entry: Entry<'_>| (entry.group.map_or(entry.row, |g| g.worst as usize), entry.rows());
    groups.entries(&failing).into_iter().map(line).collect()
}
