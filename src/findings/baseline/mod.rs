//! Defines the baseline: accepted findings with their severity. The gate fails if one gets worse or a new finding
//! appears.
//!
//! - `read`, `write`: the file format
//! - `accept`: from findings to entries
//! - `status`: baseline statuses, their counts, findings that fail the gate
//! - `compare`: from a run and a baseline to baseline statuses
//! - `pair_selector`: pairs named by the user

pub(crate) mod accept;
pub(crate) mod compare;
pub(crate) mod pair_selector;
pub(crate) mod read;
pub(crate) mod status;
#[cfg(test)]
pub(crate) mod tests;
pub mod write;

pub use crate::findings::baseline::accept::{Acceptance, NewlyAccepted, accept, prune};
pub use crate::findings::baseline::compare::compare;
pub use crate::findings::baseline::pair_selector::select_pairs;
pub use crate::findings::baseline::read::read;

use crate::check::{AcceptedTranslation, Outcome, PairOutcome, Relation, Status};
use crate::findings::run_view::BrokenLimit;
use crate::findings::severity::Severity;
use crate::geom::LengthUnit;

/// Default name of the file, beside the assembly.
pub const FILE_NAME: &str = "interfere-baseline.json";

/// A baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct Baseline {
    /// Schema named in the file, for editors.
    pub schema: Option<String>,
    /// Name of its assembly file.
    pub assembly: String,
    /// Unit of its lengths; volumes are in its cube.
    pub units: LengthUnit,
    /// Accepted findings, sorted by a, then b, then run; each pair at most once in a run.
    pub accepted: Vec<Entry>,
}

/// An accepted finding. Lengths in the baseline's unit as written, to avoid rounding by reading and writing.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Full id of instance A, first in byte order.
    pub a: String,
    /// Full id of instance B.
    pub b: String,
    /// `Interference`, `TooClose`, `Loose` or `Undecided`.
    pub status: Status,
    /// Relation of the solids.
    pub relation: Option<Relation>,
    /// Accepted severity; `None` without a number, then `inputs` is set.
    pub extent: Option<Severity>,
    /// Accepted separating translation of an interference, if it has one.
    pub translation: Option<EntryTranslation>,
    /// Broken limit: a depth for an interference, the largest gap for a loose pair, otherwise the least gap.
    pub limit: f64,
    /// Hash of both meshes, for an interference with a volume or a translation.
    pub meshes: Option<u64>,
    /// Hash of both solids and their relative pose, for an undecided pair and a pair without a number.
    pub inputs: Option<u64>,
    /// Pose or sweep of the finding; `None` for the drawing.
    pub run: Option<String>,
    /// Length of the path of B over the failing parts of a sweep.
    pub travel: Option<f64>,
    /// Width of the bracket of the depth or gap (>= 0); `None` for an exact one, and for other findings.
    pub uncertainty: Option<f64>,
    /// Hash of the joint values of the run.
    pub motion: Option<u64>,
    /// Reason of the acceptance.
    pub reason: Option<String>,
}

/// Separating translation of an accepted finding. Lengths in the baseline's unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EntryTranslation {
    /// Translation of B out of A (A's frame).
    pub vector: [f64; 3],
    /// Uncertainty, see [`PairOutcome::translation_facets`](crate::check::PairOutcome::translation_facets).
    pub facets: f64,
}

impl EntryTranslation {
    /// Converts the lengths to another unit.
    #[must_use]
    pub(crate) fn scaled(self, length: impl Fn(f64) -> f64) -> Self {
        Self { vector: self.vector.map(&length), facets: length(self.facets) }
    }
}

impl Baseline {
    /// Lists the accepted separating translations (mm), sorted by a, then b.
    pub fn translations(&self) -> Vec<AcceptedTranslation> {
        let of_entry = |e: &Entry| {
            let translation = e.translation?.vector.map(|x| x * self.units.mm()).into();
            Some(AcceptedTranslation { a: e.a.clone(), b: e.b.clone(), translation })
        };
        self.accepted.iter().filter(|e| e.run.is_none()).filter_map(of_entry).collect()
    }
}

/// Hash of the joint values that a run covers; `None` for an unknown run.
pub(crate) fn motion_of(outcome: &Outcome, run: &str) -> Option<u64> {
    outcome.runs().iter().find(|known| known.name == run).map(|known| known.definition)
}

/// Hash of a pair's meshes, independent of their placements; it changes with either mesh.
fn meshes_of(outcome: &Outcome, pair: &PairOutcome) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for instance in [pair.a, pair.b] {
        let part = outcome.instances.get(instance.0 as usize).and_then(|i| outcome.parts.get(i.part.0 as usize));
        // A hash has a fixed length.
        hasher.update(part.map_or("", |p| p.hash.as_str()).as_bytes()).update(b" ");
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_be_bytes(first)
}

impl Entry {
    /// Both ids and the run, the sort key.
    pub(crate) fn key(&self) -> (&str, &str, Option<&str>) {
        (&self.a, &self.b, self.run.as_deref())
    }

    /// The broken limit, with lengths in mm.
    fn broken_limit(&self, units: LengthUnit) -> BrokenLimit {
        let limit = self.limit * units.mm();
        match self.status {
            Status::Interference => BrokenLimit::Least(-limit),
            Status::Loose => BrokenLimit::Largest(limit),
            _ => BrokenLimit::Least(limit),
        }
    }
}
