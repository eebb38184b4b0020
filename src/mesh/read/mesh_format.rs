//! Names the formats of mesh files.

/// Source format of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeshFormat {
    /// Binary STL.
    StlBinary,
    /// ASCII STL.
    StlAscii,
    /// Wavefront OBJ.
    Obj,
    /// PLY, text or binary.
    Ply,
    /// OFF as text.
    Off,
    /// No file: triangles from a caller.
    Memory,
}

impl MeshFormat {
    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::StlBinary => "stl-binary",
            Self::StlAscii => "stl-ascii",
            Self::Obj => "obj",
            Self::Ply => "ply",
            Self::Off => "off",
            Self::Memory => "memory",
        }
    }
}
