//! Result of a reader of meshes, and its warnings.

use crate::error::WarningCode;
use crate::mesh::TriMesh;
use crate::mesh::read::mesh_format::MeshFormat;

/// A finding about a mesh, worth a warning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeshWarning {
    /// Code of the warning.
    pub code: WarningCode,
    /// Message of one line.
    pub message: String,
}

/// Result of a format's reader: corners of equal position are merged.
#[derive(Debug, Clone)]
pub(crate) struct Parsed {
    pub format: MeshFormat,
    pub solids: u32,
    pub mesh: TriMesh,
    pub warnings: Vec<MeshWarning>,
    pub single_precision: bool,
}
