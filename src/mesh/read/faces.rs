//! Collects the faces of a file and cuts its polygons into triangles: the shared second half of the readers of indexed
//! meshes.

use crate::error::WarningCode;
use crate::geom::Vec3;
use crate::mesh::TriMesh;
use crate::mesh::read::mesh_error::{MAX_TRIANGLES, MeshError};
use crate::mesh::read::parsed::MeshWarning;
use crate::mesh::read::triangulate::EarClipper;
use crate::mesh::repair::merge_vertices::VertexMerger;

/// A face of more than three corners.
#[derive(Debug)]
struct Polygon {
    /// Index of its first corner.
    start: usize,
    length: usize,
    /// Byte offset of the face in the file.
    at: usize,
}

/// Faces of a file, in file order.
#[derive(Debug, Default)]
pub(crate) struct Faces {
    /// Corners of all faces, one face after the other; triangles except for the `polygons`.
    corners: Vec<u32>,
    polygons: Vec<Polygon>,
    /// Index of the first corner of the current face.
    first: usize,
}

impl Faces {
    /// Appends a corner to the current face.
    #[inline]
    pub(crate) fn corner(&mut self, vertex: u32) {
        self.corners.push(vertex);
    }

    /// Ends the current face, which begins at a byte of the file.
    ///
    /// # Errors
    /// Refuses a face of fewer than three corners, and too many triangles.
    #[inline]
    pub(crate) fn end_face(&mut self, at: usize) -> Result<(), MeshError> {
        let length = self.corners.len() - self.first;
        if length < 3 {
            let what = format!("a face with {length} corners");
            return Err(MeshError::new(what, "give it at least 3 or remove it"));
        }
        if length > 3 {
            self.polygons.push(Polygon { start: self.first, length, at });
        }
        self.first = self.corners.len();
        if self.corners.len() > 3 * MAX_TRIANGLES {
            return Err(MeshError::too_many());
        }
        Ok(())
    }

    /// Returns all faces as triangles of used vertices, merged by position, in file order. Every corner names one of
    /// `points`. `error_at` builds the error of a face from its byte offset.
    ///
    /// # Errors
    /// Refuses a polygon that is too intricate to cut, and too many triangles.
    pub(crate) fn into_mesh(
        self,
        points: &[Vec3],
        warnings: &mut Vec<MeshWarning>,
        error_at: impl Fn(usize, String) -> MeshError,
    ) -> Result<TriMesh, MeshError> {
        let of_polygons: usize = self.polygons.iter().map(|p| p.length).sum();
        let count = (self.corners.len() - of_polygons) / 3 + of_polygons - 2 * self.polygons.len();
        if count > MAX_TRIANGLES {
            return Err(MeshError::too_many());
        }
        let mut triangles = Vec::with_capacity(count);
        let mut cutter = EarClipper::default();
        let mut crooked = 0u64;
        let mut at = 0;
        for polygon in &self.polygons {
            triangles.extend(self.corners[at..polygon.start].chunks_exact(3).map(|c| [c[0], c[1], c[2]]));
            at = polygon.start + polygon.length;
            let corners = &self.corners[polygon.start..at];
            let Ok(simple) = cutter.cut(points, corners, &mut triangles) else {
                return Err(error_at(
                    polygon.at,
                    format!("a face of {} corners is too complex to triangulate", corners.len()),
                ));
            };
            crooked += u64::from(!simple);
        }
        triangles.extend(self.corners[at..].chunks_exact(3).map(|c| [c[0], c[1], c[2]]));
        if crooked > 0 {
            let message = format!("{crooked} faces are bent or cross themselves; their triangles may overlap");
            warnings.push(MeshWarning { code: WarningCode::CrookedFaces, message });
        }
        Ok(joined(points, triangles))
    }
}

/// Merges the used vertices by position.
fn joined(points: &[Vec3], mut triangles: Vec<[u32; 3]>) -> TriMesh {
    const NONE: u32 = u32::MAX;
    let mut place = vec![NONE; points.len()];
    let mut used = Vec::with_capacity(points.len().min(3 * triangles.len()));
    for corner in triangles.as_flattened_mut() {
        let known = &mut place[*corner as usize];
        if *known == NONE {
            *known = used.len() as u32;
            used.push(points[*corner as usize]);
        }
        *corner = *known;
    }
    let mut joiner = VertexMerger::with_expected(used.len());
    let mut numbers = Vec::with_capacity(used.len());
    joiner.add_all(&used, &mut numbers);
    let vertices = joiner.into_vertices();
    if vertices.len() < used.len() {
        for corner in triangles.as_flattened_mut() {
            *corner = numbers[*corner as usize];
        }
    }
    TriMesh { vertices, triangles }
}
