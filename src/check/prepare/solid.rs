//! Prepares the triangles of a shape for exact queries.

use crate::assembly::Geometry;
use crate::check::prepare::shape::Shape;
use crate::geom::Vec3;
use crate::mesh::TriMesh;
use crate::query::depth::SolidRef;
use crate::query::facet_allowance::FacetTable;
use crate::shape::self_union::SelfUnion;
use crate::shape::surface::{Inside, Surface};
use std::sync::OnceLock;

/// Triangles of a shape, prepared for exact queries.
#[derive(Debug)]
pub(crate) struct PreparedTriangles {
    pub(crate) surface: Surface,
    /// Facet tables of the boundary of the solid and of the surface as given, computed on first use.
    facets: [OnceLock<FacetTable>; 2],
}

impl PreparedTriangles {
    /// Prepares the triangles of the part, or those of its pieces or its hull for these geometries.
    pub(crate) fn new(shape: &Shape) -> Self {
        let inside = if shape.is_solid() { Inside::Solid } else { Inside::Undefined };
        let surface = if let Some(pieces) = shape.pieces() {
            pieces.surface()
        } else if shape.geometry == Geometry::Hull {
            // A convex hull's coordinates are already centred.
            Surface::new(&hull_mesh(shape), &Vec3::zeros(), inside)
        } else if shape.has_one_shell() {
            Surface::of_one_shell(&shape.mesh(), &shape.inner().origin, inside)
        } else {
            Surface::new(&shape.mesh(), &shape.inner().origin, inside)
        };
        // A convex solid has one shell without crossings: no search needs to confirm that.
        let surface = if shape.is_hull && shape.pieces().is_none() { surface.into_boundary() } else { surface };
        Self { surface, facets: [OnceLock::new(), OnceLock::new()] }
    }

    /// Self-union result; `None` if no pair needed it.
    pub(crate) fn overlaps(&self) -> Option<SelfUnion> {
        self.surface.known_overlaps()
    }

    /// Facet table of the boundary of the solid, or of the surface as given; one table if they are equal.
    pub(crate) fn facets(&self, shape: &Shape, as_given: bool) -> &FacetTable {
        let as_given = as_given && !self.surface.is_known_boundary();
        self.facets[usize::from(as_given)].get_or_init(|| {
            if shape.geometry == Geometry::Hull || shape.pieces().is_some() {
                return FacetTable::default();
            }
            let surface = if as_given { &self.surface } else { self.surface.solid() };
            FacetTable::new(surface, &shape.mesh(), shape.quantum, shape.deflection())
        })
    }
}

/// Hulls that a query of triangles starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hulls {
    /// Hulls of all vertices.
    Whole,
    /// Inner hulls in place of deferred ones.
    Inner,
}

/// Bodies of both parts of a pair. Prepares their triangles in parallel if neither is prepared.
pub(crate) fn bodies<'a>(first: &'a Shape, second: &'a Shape, hulls: Hulls) -> [SolidRef<'a>; 2] {
    if !first.is_prepared() && !second.is_prepared() {
        rayon::join(|| first.exact(), || second.exact());
    }
    [first, second].map(|shape| body_with(shape, hulls))
}

pub(crate) fn body(shape: &Shape) -> SolidRef<'_> {
    body_with(shape, Hulls::Whole)
}

fn body_with(shape: &Shape, hulls: Hulls) -> SolidRef<'_> {
    let has_inner_hull = hulls == Hulls::Inner && shape.defers_hull();
    let convex = if has_inner_hull { shape.inner() } else { shape.convex() };
    SolidRef { convex, has_inner_hull, surface: &shape.exact().surface, is_hull: shape.is_hull }
}

/// Mesh of the hull in its centred frame; a flat hull is a polygon.
pub(crate) fn hull_mesh(shape: &Shape) -> TriMesh {
    let convex = shape.convex();
    let vertices = convex.vertices.clone();
    let triangles = if convex.rank == 2 {
        (2..vertices.len() as u32).map(|k| [0, k - 1, k]).collect()
    } else {
        convex.triangles.clone()
    };
    TriMesh { vertices, triangles }
}
