//! Stores all facts of a mesh, without its triangles.

use crate::check::cache::{Key, KeyHasher};
use crate::check::prepare::load::{PartMesh, Source};
use crate::error::{Warning, WarningCode};
use crate::geom::{Aabb, LengthUnit};
use crate::mesh::TriMesh;
use serde::{Deserialize, Serialize};

/// Facts of a mesh as read; lengths in mm.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredPart {
    hash: [u8; 32],
    bounds: [[f64; 3]; 2],
    triangles: u64,
    closed: bool,
    enclosed: Option<f64>,
    shells: u32,
    rounding: f64,
    facet_error: Option<f64>,
    concave_error: f64,
    /// Code and message of each warning.
    warnings: Vec<(WarningCode, String)>,
}

/// Key of a mesh and its unit: from the bytes of a file, or from the numbers of a mesh in memory.
pub(crate) fn part_key(source: &Source, units: LengthUnit) -> Key {
    let keyed = KeyHasher::new("part").bytes(units.name().as_bytes());
    match source {
        Source::File(bytes) => keyed.bytes(blake3::hash(bytes).as_bytes()).key(),
        Source::Memory(mesh) => {
            let keyed = keyed.count(mesh.vertices.len() as u64).count(mesh.triangles.len() as u64);
            let keyed = mesh.vertices.iter().fold(keyed, KeyHasher::numbers);
            mesh.triangles.iter().flatten().fold(keyed, |keyed, &i| keyed.count(u64::from(i))).key()
        }
    }
}

impl StoredPart {
    pub(crate) fn of(part: &PartMesh) -> Self {
        Self {
            hash: *part.hash.as_bytes(),
            bounds: [part.bounds.min.into(), part.bounds.max.into()],
            triangles: part.triangles,
            closed: part.closed,
            enclosed: part.enclosed,
            shells: part.shells,
            rounding: part.rounding,
            facet_error: part.facet_error,
            concave_error: part.concave_error,
            warnings: part.warnings.iter().map(|w| (w.code, w.message.clone())).collect(),
        }
    }

    /// Decodes the part, without its triangles.
    pub(crate) fn restored(self) -> PartMesh {
        PartMesh {
            hash: self.hash.into(),
            mesh: TriMesh::default().into(),
            bounds: Aabb { min: self.bounds[0].into(), max: self.bounds[1].into() },
            triangles: self.triangles,
            closed: self.closed,
            enclosed: self.enclosed,
            shells: self.shells,
            rounding: self.rounding,
            facet_error: self.facet_error,
            concave_error: self.concave_error,
            warnings: self.warnings.into_iter().map(|(code, message)| Warning::new(code, message)).collect(),
        }
    }
}
