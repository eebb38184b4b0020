//! Finds the candidate pairs among many boxes without testing every pair.
//!
//! - `tree`: the box tree and its self-join
//! - `radix_sort`: linear-time sorting of keys and of pairs

pub(crate) mod radix_sort;
pub mod tree;

pub use crate::broad::radix_sort::sorted_pairs;
pub use crate::broad::tree::{BoxTree, JoinTask};
