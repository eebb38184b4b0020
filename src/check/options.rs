//! Options of a run, its progress and its stages.

use crate::assembly::{Facets, Geometry};
use crate::check::cache::store::Cache;
use crate::geom::Vec3;
use crate::query::sweep::DEFAULT_TESTS;
use serde::{Deserialize, Serialize};

/// Default overshoot of the pieces of a part, as a share of the diagonal of the part's box.
pub const EPSILON_OF_DIAGONAL: f64 = 0.02;

/// Default limit of the pieces of a part. Some dozens approximate a bracket or a housing to 2 %; the cost of a pair
/// grows with their square.
pub const DEFAULT_MAX_PIECES: usize = 64;

/// Default budget of a pair of a sweep in tests: seconds for one thread.
pub const DEFAULT_SWEEP_CELLS: u64 = DEFAULT_TESTS;

/// Options of a run. Lengths in mm.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Geometry of every part without a choice of its own, in place of the file's.
    pub geometry: Option<Geometry>,
    /// Tolerance in place of the file's (mm, >= 0).
    pub tolerance: Option<f64>,
    /// Facet policy in place of the file's.
    pub facets: Option<Facets>,
    /// Largest gap of a listed clear pair, in place of the file's (mm, >= 0); without both, no clear pair is listed.
    pub report_within: Option<f64>,
    /// Overshoot of the pieces of a decomposed part, in place of the file's (mm, >= 0); without both, it is
    /// [`EPSILON_OF_DIAGONAL`].
    pub epsilon: Option<f64>,
    /// Largest number of pieces of a part (>= 1). If they are too few for `epsilon`, the overshoot grows.
    pub max_pieces: usize,
    /// Values beyond the statuses.
    pub measure: Measure,
    /// Globs over the names of the runs to check, `as-drawn` for the drawing; empty for all runs.
    pub runs: Vec<String>,
    /// Largest number of tests of two nodes or triangles for each pair of a sweep (>= 1).
    pub sweep_cells: u64,
    /// Largest width of the bracket of a least or largest gap over a sweep (mm, > 0); without it, the usual width.
    pub gap_width: Option<f64>,
    /// Rows of sweeps with a staircase of the gap.
    pub curves: Curves,
    /// Number of deepest interferences, and of distinct kinds among them, for which the run computes a
    /// [`Fix`](super::Fix).
    pub fixes: usize,
    /// Accepted separating translations, sorted by a, then b. Where the present one is longer, the run measures the
    /// [`RemainingOverlap`](super::RemainingOverlap) after the accepted one.
    pub accepted: Vec<AcceptedTranslation>,
    /// Results of earlier runs. The cache changes only [`RunStats`](super::RunStats).
    pub cache: Option<Cache>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            geometry: None,
            tolerance: None,
            facets: None,
            report_within: None,
            epsilon: None,
            max_pieces: DEFAULT_MAX_PIECES,
            measure: Measure::All,
            runs: Vec::new(),
            sweep_cells: DEFAULT_SWEEP_CELLS,
            gap_width: None,
            curves: Curves::None,
            fixes: 0,
            accepted: Vec::new(),
            cache: None,
        }
    }
}

/// Values that a run measures beyond the statuses. Statuses and counts are the same for all three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Gaps, depths, separating translations, and the volume and box of the common solid.
    #[default]
    All,
    /// Gaps and depths with their bounds.
    Depth,
    /// No measure: a bracket ends at its threshold.
    None,
}

impl Measure {
    /// Every value, the most first.
    pub const ALL: [Self; 3] = [Self::All, Self::Depth, Self::None];

    /// Name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Depth => "depth",
            Self::None => "none",
        }
    }
}

/// Rows of sweeps of one parameter with a staircase of the gap. Statuses and all other values are the same for all
/// three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Curves {
    /// No row.
    #[default]
    None,
    /// Rows with a failing status.
    Failing,
    /// All listed rows.
    Listed,
}

/// Separating translation of an accepted finding.
#[derive(Debug, Clone, PartialEq)]
pub struct AcceptedTranslation {
    /// Full id of instance A, first in byte order.
    pub a: String,
    /// Full id of instance B.
    pub b: String,
    /// Translation of B out of A (mm, A's frame).
    pub translation: Vec3,
}

/// Receives the progress of a run, from several threads.
pub trait Progress: Sync {
    /// Begins a stage of `total` steps.
    fn begin(&self, stage: Stage, total: u64);
    /// Adds `steps` finished steps.
    fn advance(&self, steps: u64);
    /// Returns true if the progress follows each unique pair of [`Stage::Narrow`].
    fn follows_pairs(&self) -> bool {
        false
    }
    /// Begins a unique pair on a worker (from 0, below the number of threads); `ids` are full ids of two instances that
    /// form it. A run calls it only if [`Progress::follows_pairs`].
    fn begin_pair(&self, worker: usize, ids: [&str; 2]) {
        let _ = (worker, ids);
    }
    /// Ends the pair of a worker.
    fn end_pair(&self, worker: usize) {
        let _ = worker;
    }
}

/// A [`Progress`] without effect.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn begin(&self, _: Stage, _: u64) {}
    fn advance(&self, _: u64) {}
}

/// Stages of a run, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Reading and repairing meshes, facet errors.
    Load,
    /// Hulls, boxes, pieces and trees.
    Shape,
    /// Candidate pairs from boxes.
    Broad,
    /// All later stages of each pair.
    Narrow,
    /// Poses and sweeps.
    Runs,
    /// Boxes and places of the findings, for pictures.
    Scene,
    /// Drawing and writing pictures.
    Draw,
    /// Views, meshes and pictures of the page.
    Page,
    /// Rows, sorting, rendering, writing.
    Report,
}

/// Settings of a run: every option with an influence on the result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Tolerance (mm, >= 0).
    pub tolerance: f64,
    /// Geometry of parts without a choice of their own.
    pub geometry: Geometry,
    /// Facet policy: grants or refuses facet allowances.
    pub facets: Facets,
    /// Largest gap of a listed clear pair (mm, >= 0).
    pub report_within: Option<f64>,
    /// Largest width of the bracket of a least or largest gap over a sweep (mm, > 0); `None` for the usual width.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap_width: Option<f64>,
    /// Overshoot of the pieces of decomposed parts (mm, >= 0); `None` for a share of each part's size.
    pub epsilon: Option<f64>,
    /// Largest number of pieces of a part.
    pub max_pieces: usize,
    /// Values beyond the statuses.
    pub measure: Measure,
}
