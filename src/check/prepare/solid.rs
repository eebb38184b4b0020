//! Triangles of a shape made ready for exact queries.

use crate::assembly::Geometry;
use crate::check::prepare::shape::Shape;
use crate::geom::Vec3;
use crate::mesh::TriMesh;
use crate::query::depth::SolidRef;
use crate::query::facet_allowance::FacetTable;
use crate::shape::self_union::SelfUnion;
use crate::shape::surface::{Inside, Surface};
use std::sync::OnceLock;

/// A shape's triangles made ready for exact queries.
#[derive(Debug)]
pub(crate) struct PreparedTriangles {
    pub(crate) surface: Surface,
    /// What its facets are taken to stand for; made when first asked for.
    facets: OnceLock<FacetTable>,
}

impl PreparedTriangles {
    /// Of a shape; of its pieces or its hull's triangles, where these are the solid by choice.
    pub(crate) fn new(shape: &Shape) -> Self {
        let inside = if shape.is_solid() { Inside::Solid } else { Inside::Undefined };
        let surface = if let Some(pieces) = shape.pieces() {
            pieces.surface()
        } else if shape.geometry == Geometry::Hull {
            // A convex hull's coordinates are centred already.
            Surface::new(&hull_mesh(shape), &Vec3::zeros(), inside)
        } else {
            Surface::new(&shape.mesh(), &shape.convex.origin, inside)
        };
        Self { surface, facets: OnceLock::new() }
    }

    /// What is known of shells that overlap; nothing where no pair had to know.
    pub(crate) fn overlaps(&self) -> Option<SelfUnion> {
        self.surface.known_overlaps()
    }

    /// The triangles as they are.
    pub(crate) fn surface(&self) -> &Surface {
        &self.surface
    }

    pub(crate) fn facets(&self, shape: &Shape) -> &FacetTable {
        self.facets.get_or_init(|| {
            if shape.geometry == Geometry::Hull || shape.pieces().is_some() {
                FacetTable::default()
            } else {
                FacetTable::new(self.surface.solid(), &shape.mesh(), shape.quantum, shape.deflection())
            }
        })
    }
}

pub(crate) fn body(shape: &Shape) -> SolidRef<'_> {
    SolidRef { convex: &shape.convex, surface: &shape.exact().surface }
}

/// The hull as a mesh, in its centred frame; a flat one as the polygon it is.
fn hull_mesh(shape: &Shape) -> TriMesh {
    let vertices = shape.convex.vertices.clone();
    let triangles = if shape.convex.rank == 2 {
        (2..vertices.len() as u32).map(|k| [0, k - 1, k]).collect()
    } else {
        shape.convex.triangles.clone()
    };
    TriMesh { vertices, triangles }
}
