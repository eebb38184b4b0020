//! Defines the statistics of a run: time, pairs after each stage, use of the cache. No report contains them.

use crate::check::CacheUse;
use crate::error::Warning;

/// Seconds of one clock in each stage.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StageSeconds {
    /// Reading and repairing.
    pub load: f64,
    /// Hulls, boxes and trees.
    pub shape: f64,
    /// Candidate pairs.
    pub broad: f64,
    /// All later stages of each pair.
    pub narrow: f64,
    /// Poses and sweeps.
    pub runs: f64,
    /// Boxes and places of the findings, for pictures.
    pub scene: f64,
    /// Drawing and writing pictures.
    pub draw: f64,
    /// Sorting, rendering, writing.
    pub report: f64,
}

/// Number of pairs left after each stage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PairFunnel {
    /// Pairs without the ignored ones.
    pub possible: u64,
    /// Left by the axis-aligned boxes.
    pub aabb: u64,
    /// Left by the oriented boxes.
    pub obb: u64,
    /// Left by the hulls.
    pub hull: u64,
    /// Pairs with another status than clear.
    pub confirmed: u64,
    /// Unique pairs (shape, shape, relative pose, rule) among the candidates.
    pub distinct: u64,
}

/// Time of a run by stage.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Timings {
    /// Number of threads in the pool.
    pub threads: usize,
    /// Elapsed time.
    pub wall: StageSeconds,
    /// CPU time of the process, all threads.
    pub cpu: StageSeconds,
    /// Pairs after each stage.
    pub pairs: PairFunnel,
    /// Use of the cache, if the run had one.
    pub cache: Option<CacheUse>,
}

/// Statistics of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunStats {
    /// Time of the run.
    pub timings: Timings,
    /// Warning with the reason if the cache was not written.
    pub cache_warning: Option<Warning>,
}
