//! Floor 3: what is placed where, and what is allowed between.
//!
//! An assembly file goes through `document` and `json` (is it JSON, and where does each value stand), `raw` (are keys and values what the
//! format says), `files` (are the files it names there, and what do they say) and `resolve` (one flat list of instances);
//! all problems on the way are collected. [`rule`] then answers which rule holds between two instances.

pub mod builder;
pub(crate) mod document;
#[cfg(test)]
mod document_tests;
mod files;
mod first_rule;
mod glob;
pub(crate) mod json;
pub(crate) mod locate;
pub mod model;
mod paths;
mod placement;
mod raw;
pub mod resolve;
pub mod rule;
#[cfg(test)]
mod tests;
pub(crate) mod words;

pub use builder::AssemblyBuilder;
pub use first_rule::FirstRule;
pub(crate) use glob::{Glob, escaped};
pub use model::*;
pub use resolve::{LoadOptions, load};
pub use rule::{PairRule, RuleTable, RuleUse, Taken};
