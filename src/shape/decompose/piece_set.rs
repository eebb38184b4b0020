//! The pieces of a part.

use crate::geom::{Aabb, Vec3};
use crate::mesh::TriMesh;
use crate::shape::decompose::piece_tree::{Below, Node, as_obb, build};
use crate::shape::hull::{self, Hull};
use crate::shape::polytope::Convex;
use crate::shape::surface::{Inside, Surface};

/// Convex pieces whose union holds a solid, in the part's centred frame.
#[derive(Debug)]
pub struct Pieces {
    /// Each in a centred frame of its own, whose origin says where that lies in the part's.
    pub all: Vec<Convex>,
    /// Root last.
    pub(crate) nodes: Vec<Node>,
    /// The surfaces of all, one after another.
    pub(crate) mesh: TriMesh,
}

impl Pieces {
    /// Of hulls of rank 3 in the part's centred frame. O(n log n) for all their triangles.
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

    /// The surfaces of all pieces as one: closed shells that overlap, whose solid is what any of them encloses.
    pub fn surface(&self) -> Surface {
        Surface::new(&self.mesh, &Vec3::zeros(), Inside::Solid)
    }
}

/// What covers a solid.
#[derive(Debug, Clone, Copy)]
pub enum Cover<'a> {
    /// Its hull, in the part's centred frame.
    Whole(&'a Convex),
    /// Pieces.
    Pieces(&'a Pieces),
}

impl<'a> Cover<'a> {
    /// A piece, and where its centred frame lies in the part's.
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
