//! Floor 3: which pairs of boxes meet, without looking at every pair.

pub(crate) mod radix_sort;
pub mod tree;

pub use crate::broad::radix_sort::sorted_pairs;
pub use crate::broad::tree::{BoxTree, JoinTask};
