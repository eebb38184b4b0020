//! Gap of two solids over a whole run of one parameter or several, with no samples in between.
//!
//! A sweep is one branch and bound over (node of A) × (node of B) × (interval of the run): the run is split only where
//! two small pieces of surface come near each other. docs/explanation/motion.md has the claims and their proofs.
//!
//! - `body`: boxes and triangles over one interval, and lower bounds of their distance
//! - `hulls`: two convex solids over one interval
//! - `tree`, `cells`: the nodes of a surface, and the intervals of a run
//! - `orbits`: triangles that a single turn or screw keeps apart
//! - `prove`: surfaces never within a distance, or the first violation
//! - `hull_run`: the same for two convex solids
//! - `hull_step`, `convex_run`: the status of a run by the hulls alone, without triangles
//! - `worst`: bracket of the least distance
//! - `inset`: surfaces moved inward, for proofs about the depth
//! - `reach`: vertices that come near the other surface
//! - `still`: one pose, judged as in a static check
//! - `judge`: the poses at which surfaces of a level come too close
//! - `level`: the proof that the gap never falls below a level
//! - `depth`, `depth_parts`: bracket of the largest depth; upper bounds over parts of a run
//! - `intervals`: the parts of a run below a gap
//! - `run`, `decide`: the status of a run
//! - `scan`: scans of a run for depths and gaps
//! - `broken_poses`: poses that break the limits, found before a proof
//! - `turns`: runs of more than one turn
//! - `widest`: largest gap
//! - `above`: the parts of a run above a gap
//! - `parts`: parts that break lesser limits than the status names
//! - `staircase`: bounds of the gap over equal parts of a run
//! - `explained`: facets that explain an overlap
//! - `deep_points`: their points in the other part
//! - `regions`, `boxes`, `box_run`: cells, proofs and the status for several parameters
//! - `work`: margins and budget
//! - `certificate`: proofs in steps that another program can check

mod above;
pub(crate) mod body;
#[cfg(test)]
pub(crate) mod body_tests;
pub(crate) mod box_run;
#[cfg(test)]
mod box_tests;
pub(crate) mod boxes;
mod broken_poses;
pub(crate) mod cells;
pub(crate) mod certificate;
#[cfg(test)]
mod certificate_tests;
pub(crate) mod convex_run;
pub(crate) mod decide;
mod deep_points;
pub(crate) mod depth;
mod depth_parts;
pub(crate) mod explained;
mod hull_run;
mod hull_step;
pub(crate) mod hulls;
pub(crate) mod inset;
pub(crate) mod intervals;
mod judge;
pub(crate) mod lasting;
mod level;
pub(crate) mod orbits;
mod parts;
pub(crate) mod prove;
pub(crate) mod reach;
pub(crate) mod regions;
pub(crate) mod run;
mod scan;
pub(crate) mod staircase;
#[cfg(test)]
mod staircase_tests;
pub(crate) mod still;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod tree;
#[cfg(test)]
mod truth_bodies_tests;
#[cfg(test)]
mod truth_cases_tests;
#[cfg(test)]
mod truth_chains_tests;
#[cfg(test)]
mod truth_defects_tests;
#[cfg(test)]
mod truth_families_tests;
#[cfg(test)]
mod truth_gears_tests;
#[cfg(test)]
mod truth_loose_tests;
#[cfg(test)]
mod truth_paths_tests;
#[cfg(test)]
mod truth_plane_tests;
#[cfg(test)]
mod truth_screws_tests;
#[cfg(test)]
mod truth_slides_tests;
#[cfg(test)]
mod truth_tests;
mod turns;
#[cfg(test)]
mod turns_tests;
pub(crate) mod widest;
#[cfg(test)]
mod widest_tests;
pub(crate) mod work;
pub(crate) mod worst;

pub use box_run::{BoxAnswer, BoxSweep, WorstConfiguration};
pub(crate) use certificate::{Certificate, Unproved};
pub use certificate::{ProofClaim, ProofStep, SeparatingPlane};
pub use explained::{ConcaveSurfaces, Explained, ExplainedPart};
pub(crate) use inset::boundary as solid_boundary;
pub use run::{DEFAULT_TESTS, Failing, Sweep, SweepAnswer, SweepLimits, SweepStatus, Worst};
pub use staircase::Step;
