//! Errors of the readers of meshes.

use std::fmt;

/// Largest accepted number of triangles: indices of half-edges stay below 2³².
pub(crate) const MAX_TRIANGLES: usize = 1 << 29;

/// Error for bytes of no valid mesh, with its position. The caller adds the file's name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MeshError {
    /// Line of a text file, from 1.
    pub line: Option<u32>,
    /// Column in characters, from 1.
    pub column: Option<u32>,
    /// Byte offset in a binary file, from 0.
    pub byte: Option<u64>,
    /// Problem: one line, lower case, no full stop.
    pub what: String,
    /// Fix, in the same form; empty if unknown.
    pub fix: String,
}

impl MeshError {
    /// Makes an error without a position.
    pub(crate) fn new(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { what: what.into(), fix: fix.into(), ..Self::default() }
    }

    pub(crate) fn too_many() -> Self {
        Self::new(format!("more than {MAX_TRIANGLES} triangles"), "split or simplify the mesh")
    }
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column, self.byte) {
            (Some(line), Some(column), _) => write!(f, "{line}:{column}: ")?,
            (Some(line), None, _) => write!(f, "{line}: ")?,
            (None, _, Some(byte)) => write!(f, "byte {byte}: ")?,
            (None, _, None) => {}
        }
        write!(f, "{}", self.what)?;
        if self.fix.is_empty() { Ok(()) } else { write!(f, "; {}", self.fix) }
    }
}

impl std::error::Error for MeshError {}
