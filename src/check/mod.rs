//! Floor 4: the check, from an assembly to an [`Outcome`].
//!
//! ```text
//! load ─► shape ─► prune: AABB ─► OBB SAT ─► hull GJK ─► confirm: hulls, pieces or triangles ─► judge
//! ```
//!
//! Every stage before the last only discards pairs that it proves to be farther apart than anything asked of them.

pub mod cache;
pub(crate) mod options;
pub(crate) mod outcome;
pub mod pairs;
pub mod prepare;
pub(crate) mod run;
pub(crate) mod stages;
pub(crate) mod stopwatch;

pub use crate::check::cache::{CacheUse, Hits};
pub use crate::check::options::*;
pub use crate::check::outcome::explain::*;
pub use crate::check::outcome::fix::{Fix, fixable_rows};
pub use crate::check::outcome::standing::{
    Accepted, BaselineCounts, BaselineOutcome, BaselineStatus, CommonVolume, FailOn, Metric, ResolvedFinding, Severity,
};
pub use crate::check::outcome::status::{Certainty, Counts, Relation, Status};
pub use crate::check::outcome::warnings::PlacedWarning;
pub use crate::check::outcome::*;
pub use crate::check::pairs::shard::{Candidates, Shard, ShardOutcome};
pub(crate) use crate::check::prepare::load::locate;
pub use crate::check::run::{check, check_shard, explain};
pub use crate::check::stages::trace::Step;
pub use crate::check::stopwatch::Stopwatch;
