//! Rules of an assembly: which rule applies to a pair, and what each rule is there for.
pub(crate) mod coverage;
pub(crate) mod first_match;
pub(crate) mod glob;
pub mod table;
