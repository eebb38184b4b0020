//! Floor 1: JSON with positions, line comments and trailing commas. Every value knows its line and column, for error
//! messages; the writer has a stable layout.
//!
//! - `scanner`: reads JSON text in one pass into a `document`, a flat list of values with byte offsets
//! - `document_kind`: recognises the other documents of this program
//! - `syntax`: words syntax errors
//! - `reader`: takes typed values from a document and collects problems
//! - `position`: byte offset to line and column; path inside a document
//! - `append`: appends elements to a list of a file, and keeps its layout
//! - `length_problem`: words the faults of written lengths
//! - `wording`: quotes and spelling suggestions for messages
//! - `write`: writes JSON in a layout for line-by-line comparison
pub(crate) mod append;
#[cfg(test)]
mod append_tests;
pub(crate) mod document;
pub(crate) mod document_kind;
#[cfg(test)]
mod document_tests;
pub(crate) mod length_problem;
pub(crate) mod position;
pub(crate) mod reader;
pub(crate) mod scanner;
pub(crate) mod syntax;
#[cfg(test)]
mod syntax_tests;
pub(crate) mod wording;
pub mod write;
