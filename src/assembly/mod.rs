//! Floor 3: what is placed where, and what is allowed between.
//!
//! An assembly file goes through `document` and `json` (is it JSON, and where does each value stand), `raw` (are keys and values what the
//! format says), `files` (are the files it names there, and what do they say) and `resolve` (one flat list of instances);
//! all problems on the way are collected. [`rule`] then answers which rule holds between two instances.

pub mod builder;
pub(crate) mod file;
pub mod model;
pub mod resolve;
pub mod rules;
#[cfg(test)]
pub(crate) mod tests;

pub use crate::assembly::builder::AssemblyBuilder;
pub use crate::assembly::model::*;
pub use crate::assembly::resolve::{LoadOptions, load};
pub use crate::assembly::rules::coverage::{Overlap, RuleCoverage};
pub use crate::assembly::rules::first_match::FirstMatch;
pub(crate) use crate::assembly::rules::glob::{Glob, escaped};
pub use crate::assembly::rules::table::{PairRule, RuleTable};
