//! Floor 3: the assembly: placed instances and rules.
//!
//! - `file`: one assembly file as written, and the tree of its sub-assemblies
//! - `resolve`: expands the files to one flat list of instances, [`load`]
//! - `model`: the resolved [`Assembly`]
//! - `motion`: joints and runs, [`Motion`]
//! - `builder`, `builder_motion`: an assembly in memory, without files, and its joints and runs
//! - `rules`: the rule for two instances, [`RuleTable`]
//!
//! Reading collects the problems of all files before it fails; `crate::json` gives every value its position.

pub mod builder;
pub mod builder_motion;
pub(crate) mod file;
pub mod model;
pub mod motion;
pub mod resolve;
pub mod rules;
#[cfg(test)]
pub(crate) mod tests;

pub use crate::assembly::builder::AssemblyBuilder;
pub use crate::assembly::builder_motion::{NewJoint, NewPin};
pub use crate::assembly::model::*;
pub use crate::assembly::motion::{Motion, NamedJoint, NamedRun};
pub use crate::assembly::resolve::{LoadOptions, load};
pub use crate::assembly::rules::coverage::{Overlap, RuleCoverage};
pub use crate::assembly::rules::first_match::FirstMatch;
pub(crate) use crate::assembly::rules::glob::{Glob, escaped};
pub use crate::assembly::rules::table::{PairRule, RuleTable};
