//! The baseline: findings that were accepted, each as bad as it was then. Where one gets worse, or another appears, the gate fails.

pub(crate) mod accept;
pub(crate) mod compare;
pub(crate) mod pair_selector;
pub(crate) mod read;
#[cfg(test)]
pub(crate) mod tests;
pub mod write;

pub use crate::findings::baseline::accept::{Acceptance, NewlyAccepted, accept, prune};
pub use crate::findings::baseline::compare::compare;
pub use crate::findings::baseline::pair_selector::select_pairs;
pub use crate::findings::baseline::read::read;

use crate::check::{Outcome, PairOutcome, Relation, Severity, Status};
use crate::geom::LengthUnit;

/// The name of the file beside the assembly.
pub const FILE_NAME: &str = "interfere-baseline.json";

/// What was accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct Baseline {
    /// What the file says of its schema, for editors.
    pub schema: Option<String>,
    /// Name of the assembly file that it belongs to.
    pub assembly: String,
    /// Unit of its lengths; volumes are in its cube.
    pub units: LengthUnit,
    /// Sorted by a, then b; no pair twice.
    pub accepted: Vec<Entry>,
}

/// An accepted finding. Lengths in the baseline's unit, as they are written, so that nothing is rounded by reading and writing.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Full id of the instance whose id comes first in byte order.
    pub a: String,
    /// Of the other one.
    pub b: String,
    /// `Interference`, `Clearance` or `Undecided`.
    pub status: Status,
    /// How the solids lay to each other.
    pub relation: Option<Relation>,
    /// How bad it was; `None` where no number was known, then `inputs` is.
    pub extent: Option<Severity>,
    /// The limit that it broke, in the terms of `extent`: a depth of an interference, a gap of the others.
    pub limit: f64,
    /// Of an interference with a volume: a hash of both meshes.
    pub meshes: Option<u64>,
    /// Of an undecided pair, and of one without a number: the hash of both solids and how they lay to each other.
    pub inputs: Option<u64>,
    /// Why that is fine.
    pub reason: Option<String>,
}

/// A hash of the meshes of a pair, which tells whether either has changed; the same wherever they stand.
fn meshes_of(outcome: &Outcome, pair: &PairOutcome) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for instance in [pair.a, pair.b] {
        let part = outcome.instances.get(instance.0 as usize).and_then(|i| outcome.parts.get(i.part.0 as usize));
        // Of fixed length where there is one.
        hasher.update(part.map_or("", |p| p.hash.as_str()).as_bytes()).update(b" ");
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_be_bytes(first)
}

impl Entry {
    /// The two ids, by which entries are sorted.
    pub(crate) fn key(&self) -> (&str, &str) {
        (&self.a, &self.b)
    }

    /// The gap (in the baseline's unit) that it has to reach to be mended.
    fn least_gap(&self) -> f64 {
        if self.status == Status::Interference { -self.limit } else { self.limit }
    }
}
