//! Stores the pieces of a part for queries.

use crate::geom::{Aabb, Vec3};
use crate::mesh::TriMesh;
use crate::shape::decompose::piece_tree::{Below, Node, as_obb, build};
use crate::shape::hull::{self, Hull};
use crate::shape::polytope::Convex;
use crate::shape::surface::{Inside, Surface};

/// Convex pieces in the part's centred frame; their union contains a solid.
#[derive(Debug)]
pub struct Pieces {
    /// Pieces, each in its own centred frame; its `origin` is the position of that frame in the part's centred frame
    /// (mm).
    pub all: Vec<Convex>,
    /// Nodes of the tree over the pieces, the root last.
    pub(crate) nodes: Vec<Node>,
    /// Surfaces of all pieces, one after another.
    pub(crate) mesh: TriMesh,
}

impl Pieces {
    /// Prepares hulls of rank 3 in the part's centred frame. O(n log n) for all their triangles.
    pub fn new(hulls: &[Hull]) -> Self {
        let all: Vec<Convex> = hulls.iter().map(|h| Convex::new(h, &hull::facets(h))).collect();
        let boxes: Vec<Aabb> = hulls.iter().map(|h| Aabb::of_points(&h.vertices)).collect();
        let mut mesh = TriMesh::default();
        for hull in hulls {
            let first = mesh.vertices.len() as u32;
            mesh.vertices.extend_from_slice(&hull.vertices);
            mesh.triangles.extend(hull.triangles.iter().map(|t| t.map(|v| v + first)));
        }
        Self { all, nodes: build(&boxes), mesh }
    }

    /// Surfaces of all pieces as one: overlapping closed shells. Its solid is the union of the pieces.
    pub fn surface(&self) -> Surface {
        Surface::new(&self.mesh, &Vec3::zeros(), Inside::Solid)
    }
}

/// Convex cover of a solid.
#[derive(Debug, Clone, Copy)]
pub enum Cover<'a> {
    /// Hull of the solid, in the part's centred frame.
    Whole(&'a Convex),
    /// Convex pieces.
    Pieces(&'a Pieces),
}

impl<'a> Cover<'a> {
    /// Returns a piece and the position of its centred frame in the part's (mm).
    pub(crate) fn piece(&self, i: u32) -> (&'a Convex, Vec3) {
        match self {
            Self::Whole(convex) => (convex, Vec3::zeros()),
            Self::Pieces(p) => {
                let piece = &p.all[i as usize];
                (piece, piece.origin)
            }
        }
    }

    pub(crate) fn root(&self) -> Option<u32> {
        match self {
            Self::Whole(_) => Some(0),
            Self::Pieces(p) => (p.nodes.len() as u32).checked_sub(1),
        }
    }

    pub(crate) fn node(&self, i: u32) -> Node {
        match self {
            Self::Whole(convex) => Node { bounds: as_obb(&convex.aabb), below: Below::Piece(0) },
            Self::Pieces(p) => p.nodes[i as usize],
        }
    }
}
