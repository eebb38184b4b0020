//! Converts pieces to and from their form in the cache.

use crate::geom::{Aabb, Vec3};
use crate::mesh::TriMesh;
use crate::shape::decompose::piece_set::Pieces;
use crate::shape::decompose::piece_tree::build;
use crate::shape::polytope::{Convex, StoredConvex};
use serde::{Deserialize, Serialize};

/// Pieces and their surfaces; the tree over them is rebuilt quickly.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredPieces {
    all: Vec<StoredConvex>,
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl Pieces {
    pub(crate) fn to_stored(&self) -> StoredPieces {
        StoredPieces {
            all: self.all.iter().map(Convex::to_stored).collect(),
            vertices: self.mesh.vertices.iter().map(|&v| v.into()).collect(),
            triangles: self.mesh.triangles.clone(),
        }
    }

    /// Restores the stored bits exactly; `None` unless the data have one surface for each piece.
    pub(crate) fn from_stored(s: StoredPieces) -> Option<Self> {
        let all: Vec<Convex> = s.all.into_iter().map(Convex::from_stored).collect::<Option<_>>()?;
        let vertices: Vec<Vec3> = s.vertices.into_iter().map(Vec3::from).collect();
        let mut rest = &vertices[..];
        let mut boxes = Vec::with_capacity(all.len());
        for piece in &all {
            let (own, others) = rest.split_at_checked(piece.vertices.len())?;
            boxes.push(Aabb::of_points(own));
            rest = others;
        }
        let within = s.triangles.iter().flatten().all(|&i| (i as usize) < vertices.len());
        (rest.is_empty() && within && !all.is_empty()).then(|| Self {
            nodes: build(&boxes),
            all,
            mesh: TriMesh { vertices, triangles: s.triangles },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::hull::convex_hull;

    #[test]
    fn stored_value_reads_back_unchanged() {
        let cube = |at: f64| -> Vec<Vec3> {
            (0..8_u32).map(|i| Vec3::new(at + f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))).collect()
        };
        let pieces = Pieces::new(&[0.0, 0.9, 5.0].map(|x| convex_hull(&cube(x))));
        let bytes = postcard::to_allocvec(&pieces.to_stored()).unwrap();
        let back = Pieces::from_stored(postcard::from_bytes(&bytes).unwrap()).unwrap();
        assert_eq!(format!("{back:?}"), format!("{pieces:?}"));
        let mut short = pieces.to_stored();
        short.vertices.pop();
        assert!(Pieces::from_stored(short).is_none());
    }
}
