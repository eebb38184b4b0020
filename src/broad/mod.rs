//! Floor 3: which pairs of boxes meet, without looking at every pair.

pub mod tree;

pub use tree::{BoxTree, Task};
