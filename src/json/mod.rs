//! Floor 1: strict JSON with positions. Reads a text into values that know their line and column; writes values in a stable layout.
pub(crate) mod document;
#[cfg(test)]
mod document_tests;
pub(crate) mod position;
pub(crate) mod reader;
pub(crate) mod scanner;
pub(crate) mod wording;
pub mod write;
