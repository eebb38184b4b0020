//! Floor 4: the check, from an assembly to an [`Outcome`].
//!
//! ```text
//! load ─► shape ─► prune: AABB ─► OBB SAT ─► hull GJK ─► confirm: hulls, pieces or triangles ─► judge
//! ```
//!
//! Every stage before the last only discards pairs that it proves to be farther apart than anything asked of them.

mod cache;
mod common;
mod convexity;
mod cover;
mod describe;
mod exact;
mod explain;
mod fix;
mod group;
mod judge;
mod load;
mod options;
mod outcome;
mod pair;
mod pieces;
mod pipeline;
mod pose_key;
mod shape;
mod shapes;
mod shard;
mod splits;
mod standing;
mod status;
mod steps;
mod stopwatch;
mod tally;
mod way_out;

pub use cache::{CacheUse, Hits};
pub use describe::PlacedWarning;
pub use explain::*;
pub use fix::{Fix, worth_mending};
pub(crate) use load::locate;
pub use options::*;
pub use outcome::*;
pub use pipeline::{check, check_shard, explain};
pub use shard::{Candidates, Shard, ShardOutcome};
pub use standing::{Accepted, BaselineOutcome, Extent, FailOn, Gone, Measure, Shared, Standing, StandingCounts};
pub use status::{Certainty, Counts, Relation, Status};
pub use steps::Step;
pub use stopwatch::Stopwatch;
