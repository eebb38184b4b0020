//! Finds the largest sagittas of a mesh, in one pass over the edges where no facet has several triangles.

use crate::geom::math::greater;
use crate::mesh::TriMesh;
use crate::mesh::facets::{FacetSurface, Fold, TrianglePair, is_concave};
use crate::mesh::topology::HalfEdges;
use crate::parallel;

/// The largest sagittas of a mesh (mesh unit, >= 0); 0 without curved surfaces.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FacetErrors {
    /// Largest over all edges.
    pub largest: f64,
    /// Largest over the concave edges.
    pub concave: f64,
}

/// Computes the largest sagitta of a mesh, concave or convex (mesh unit, >= 0); `rounding` as in
/// [`Facets::of`](crate::mesh::Facets::of).
pub fn facet_error(mesh: &TriMesh, rounding: f64) -> f64 {
    facet_errors_over(mesh, &HalfEdges::of(&mesh.triangles, mesh.vertices.len()), rounding, 1).largest
}

/// Computes the largest sagittas of a mesh, given its half-edges, on up to `threads` threads.
pub(crate) fn facet_errors_over(mesh: &TriMesh, half_edges: &HalfEdges, rounding: f64, threads: usize) -> FacetErrors {
    let mut surface = FacetSurface::without_facets(mesh, half_edges, rounding, threads);
    let ends = half_edges.vertex_count();
    // The widths of single triangles are lower bounds, and exact where no facet has two triangles.
    let of_triangles = parallel::map_ranges(threads, ends, parallel::LEAST_SHARE, |ends| {
        let (mut flat, mut errors) = (Vec::new(), FacetErrors::default());
        for pair in surface.pairs_of(ends) {
            match pair.fold() {
                Fold::Flat => flat.push(pair.triangles),
                Fold::Bend => surface.add_error(&pair, &mut errors),
                Fold::Sharp => {}
            }
        }
        (flat, errors)
    });
    let (flat, errors): (Vec<_>, Vec<_>) = of_triangles.into_iter().unzip();
    let errors = largest_errors(errors);
    if flat.iter().all(Vec::is_empty) {
        return errors;
    }
    surface.join_facets(&flat);
    largest_errors(parallel::map_ranges(threads, ends, parallel::LEAST_SHARE, |ends| {
        let mut errors = errors;
        let wide = surface.pairs_of(ends).filter(|p| surface.is_wide(p) && p.fold() == Fold::Bend);
        wide.for_each(|pair| surface.add_error(&pair, &mut errors));
        errors
    }))
}

/// Largest of several errors.
fn largest_errors(of: Vec<FacetErrors>) -> FacetErrors {
    of.into_iter().fold(FacetErrors::default(), |a, b| FacetErrors {
        largest: greater(a.largest, b.largest),
        concave: greater(a.concave, b.concave),
    })
}

impl FacetSurface<'_> {
    /// True if one of two triangles belongs to a facet of several.
    fn is_wide(&self, pair: &TrianglePair) -> bool {
        pair.triangles.iter().any(|&t| !self.outline(t).is_empty())
    }

    /// Raises the errors to the sagitta at an edge.
    fn add_error(&self, pair: &TrianglePair, errors: &mut FacetErrors) {
        if let Some(s) = self.sagitta_above(pair, errors.largest) {
            errors.largest = s;
            if is_concave(self.mesh, pair) {
                errors.concave = s;
            }
        } else if errors.concave < errors.largest
            && is_concave(self.mesh, pair)
            && let Some(s) = self.sagitta_above(pair, errors.concave)
        {
            errors.concave = s;
        }
    }
}
