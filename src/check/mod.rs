//! Checks the pairs of an assembly: from an `Assembly` to an [`Outcome`]. Floor 5.
//!
//! ```text
//! load ─► shape ─► prune: AABB ─► OBB SAT ─► hull GJK ─► confirm: hulls, pieces or triangles ─► judge
//! ```
//!
//! The pruning stages clear pairs proved farther apart than all their limits. In a verdict-only run they also settle
//! deep overlaps of convex pairs.
//!
//! - `options`: choices of the caller
//! - `run`: order of the steps
//! - `explain`: one pair, as drawn or in a run
//! - `prepare`: meshes, shapes, convex pieces, placements
//! - `pairs`: candidate pairs, unique pairs, shards
//! - `stages`: one unique pair, from its boxes to its status
//! - `outcome`: rows, counts, warnings, fixes, explanations
//! - `motion`: poses and sweeps
//! - `cache`: results of earlier runs
//! - `stats`: time of the run, pairs after each stage, use of the cache
//! - `stopwatch`: wall and CPU time of each step

pub mod cache;
pub(crate) mod drawn;
pub(crate) mod explain;
pub(crate) mod motion;
pub(crate) mod options;
pub(crate) mod outcome;
pub mod pairs;
pub mod prepare;
pub(crate) mod run;
pub(crate) mod stages;
pub(crate) mod stats;
pub(crate) mod stopwatch;

pub use crate::check::cache::{CacheUse, Hits};
pub use crate::check::drawn::{Drawn, DrawnInputs, DrawnLoop, DrawnShape, Kinematics, drawn};
pub use crate::check::explain::{
    ExplainedPair, ExplainedRun, explain, explain_and_draw, explain_run, explain_run_and_draw,
};
pub use crate::check::motion::never::{Meeting, MeetingVerdict, Meetings, meetings};
pub use crate::check::motion::outcome::{
    CurvePart, FailingPart, JointOutcome, JointSpan, JointTravel, MotionOutcome, RunOutcome, SweptPair,
};
pub use crate::check::motion::proof_shapes::ProofShape;
pub use crate::check::motion::proofs::{LeftOut, PairProof, ProofJoint, SweepProofs, sweep_proofs};
pub use crate::check::motion::range::{JointRange, JointRanges, JointSide, Stop, joint_ranges};
pub use crate::check::options::*;
pub use crate::check::outcome::explain::*;
pub use crate::check::outcome::fix::{Fix, Mover, MoverReason, Side, fixable_rows};
pub use crate::check::outcome::status::{Certainty, Counts, Relation, Status};
pub use crate::check::outcome::warnings::PlacedWarning;
pub use crate::check::outcome::*;
pub use crate::check::pairs::shard::{Candidates, Shard, ShardOutcome};
pub(crate) use crate::check::prepare::load::locate;
pub use crate::check::run::{check, check_and_draw, check_shard, check_with_stats};
pub use crate::check::stages::trace::{ClearedBy, Step};
pub use crate::check::stats::{PairFunnel, RunStats, StageSeconds, Timings};
pub use crate::check::stopwatch::Stopwatch;
pub use crate::motion::AS_DRAWN;
pub use crate::query::sweep::{ProofClaim, ProofStep};
