//! Floor 3: which pairs of boxes meet, without looking at every pair.

mod order;
pub mod tree;

pub use order::sorted_pairs;
pub use tree::{BoxTree, Task};
