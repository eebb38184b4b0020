//! What a caller may choose.

use crate::assembly::{Facets, Geometry};
use crate::check::cache::store::Cache;

/// Without a choice pieces reach no farther beyond a part than this part of the diagonal of its own box.
pub const EPSILON_OF_DIAGONAL: f64 = 0.02;

/// Without a choice a part is covered by no more pieces than this: some dozens make a bracket or a housing to 2 %, and what pairs
/// of pieces cost grows with the square.
pub const DEFAULT_MAX_PIECES: usize = 64;

/// The choices of a run. Lengths in mm.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// What a part's solid is taken to be, unless the part says otherwise.
    pub geometry: Geometry,
    /// In place of the file's tolerance, mm.
    pub tolerance: Option<f64>,
    /// In place of the file's choice.
    pub facets: Option<Facets>,
    /// Clear pairs with a gap of at most this are listed, mm; `None` lists none.
    pub report_within: Option<f64>,
    /// How far the pieces of a decomposed part may reach beyond it, mm; `None` for [`EPSILON_OF_DIAGONAL`].
    pub epsilon: Option<f64>,
    /// No part is covered by more pieces than this, at least 1; where that is not enough, they reach farther.
    pub max_pieces: usize,
    /// Decide the statuses and stop there: no bracket is refined beyond its threshold, no measure is taken.
    pub verdict_only: bool,
    /// Of so many interferences, the deepest ones, and of as many that are not alike, is looked up what mending them does to others;
    /// see [`Fix`](super::Fix).
    pub fixes: usize,
    /// Where results are kept for the next run and found of the last one. Nothing of the outcome depends on it but
    /// [`Timings`](super::Timings) and [`Outcome::not_kept`](super::Outcome::not_kept).
    pub cache: Option<Cache>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            geometry: Geometry::Exact,
            tolerance: None,
            facets: None,
            report_within: None,
            epsilon: None,
            max_pieces: DEFAULT_MAX_PIECES,
            verdict_only: false,
            fixes: 0,
            cache: None,
        }
    }
}

/// Told of the progress of a run; called from several threads.
pub trait Progress: Sync {
    /// A stage begins that will take `total` steps.
    fn begin(&self, stage: Stage, total: u64);
    /// `steps` more are done.
    fn advance(&self, steps: u64);
}

/// A [`Progress`] that listens to nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn begin(&self, _: Stage, _: u64) {}
    fn advance(&self, _: u64) {}
}

/// The stages of a run, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Reading and joining meshes, and how far their facets are off.
    Load,
    /// Hulls, boxes and trees.
    Shape,
    /// Candidate pairs from boxes.
    Broad,
    /// Everything per pair after that.
    Narrow,
    /// Rows, sorting, rendering, writing.
    Report,
}
