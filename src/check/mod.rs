//! Floor 4: the check, from an assembly to an [`Outcome`].
//!
//! ```text
//! load ─► shape ─► prune: AABB ─► OBB SAT ─► hull GJK ─► measure ─► judge
//! ```
//!
//! Every stage before the measure only discards pairs that it proves to be farther apart than anything asked of them.

mod describe;
mod group;
mod judge;
mod load;
mod options;
mod outcome;
mod pair;
mod pipeline;
mod pose_key;
mod shape;
mod splits;
mod stopwatch;
mod tally;

pub(crate) use load::locate;
pub use options::*;
pub use outcome::*;
pub use pipeline::check;
pub use stopwatch::Stopwatch;
