//! Finds the largest sagittas of a mesh, in one pass over the edges where no facet has several triangles.

use crate::geom::math::greater;
use crate::mesh::TriMesh;
use crate::mesh::facets::{FacetSurface, Fold, TrianglePair, is_concave, squared};
use crate::mesh::measure::{cross, difference, dot};
use crate::mesh::topology::{Edge, HalfEdges};
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
    errors_over(mesh, half_edges, rounding, threads, false)
}

/// Computes the largest sagitta at a concave edge of a mesh, like [`facet_errors_over`] and in less time.
pub(crate) fn concave_error_over(mesh: &TriMesh, half_edges: &HalfEdges, rounding: f64, threads: usize) -> f64 {
    errors_over(mesh, half_edges, rounding, threads, true).concave
}

/// Computes the largest sagittas, or only the one at concave edges.
fn errors_over(
    mesh: &TriMesh,
    half_edges: &HalfEdges,
    rounding: f64,
    threads: usize,
    only_concave: bool,
) -> FacetErrors {
    let add = |surface: &FacetSurface<'_>, pair: &TrianglePair, errors: &mut FacetErrors| {
        if only_concave { surface.add_concave_error(pair, errors) } else { surface.add_error(pair, errors) }
    };
    let mut surface = FacetSurface::without_facets(mesh, rounding);
    surface.keep_planes(threads);
    let ends = half_edges.vertex_count();
    // The widths of single triangles are lower bounds, and exact where no facet has two triangles.
    let of_triangles = parallel::map_ranges(threads, ends, parallel::LEAST_SHARE, |ends| {
        let (mut flat, mut errors) = (Vec::new(), FacetErrors::default());
        surface.pairs_of(half_edges, ends).for_each(|pair| match pair.fold() {
            Fold::Flat => flat.push(pair.triangles),
            Fold::Bend => add(&surface, &pair, &mut errors),
            Fold::Sharp => {}
        });
        (flat, errors)
    });
    let (flat, errors): (Vec<_>, Vec<_>) = of_triangles.into_iter().unzip();
    let errors = largest_errors(errors);
    if flat.iter().all(Vec::is_empty) {
        return errors;
    }
    surface.join_facets(&flat, threads);
    largest_errors(parallel::map_ranges(threads, ends, parallel::LEAST_SHARE, |ends| {
        let mut errors = errors;
        let wide = half_edges.edges_of(ends).filter(|e| surface.is_wide(e)).filter_map(|e| surface.pair(&e));
        wide.filter(|p| p.fold() == Fold::Bend).for_each(|pair| add(&surface, &pair, &mut errors));
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
    /// True if a triangle at the edge belongs to a facet of several.
    fn is_wide(&self, edge: &Edge<'_>) -> bool {
        edge.uses.iter().any(|u| !self.outline(u.face()).is_empty())
    }

    /// Raises the errors to the sagitta at an edge.
    fn add_error(&self, pair: &TrianglePair, errors: &mut FacetErrors) {
        let bound = self.squared_bound(pair);
        if let Some(s) = self.sagitta_within(pair, bound, errors.largest) {
            errors.largest = s;
            if is_concave(self.mesh, pair) {
                errors.concave = s;
            }
        } else if errors.concave < errors.largest {
            self.raise_concave(pair, bound, errors);
        }
    }

    /// Raises the error at concave edges to the sagitta at an edge.
    fn add_concave_error(&self, pair: &TrianglePair, errors: &mut FacetErrors) {
        // A convex mesh has the error 0 already, and no sagitta is smaller.
        let bound = if errors.concave > 0.0 { self.squared_bound(pair) } else { f64::INFINITY };
        self.raise_concave(pair, bound, errors);
    }

    /// Raises the error at concave edges to the sagitta at an edge, given its [`Self::squared_bound`].
    fn raise_concave(&self, pair: &TrianglePair, bound: f64, errors: &mut FacetErrors) {
        let floor = errors.concave;
        if is_below(bound, floor) || !is_concave(self.mesh, pair) {
            return;
        }
        errors.concave = self.sagitta_above(pair, floor).unwrap_or(floor);
    }

    /// Computes the sagitta at an edge if it exceeds `floor`, given its [`Self::squared_bound`].
    fn sagitta_within(&self, pair: &TrianglePair, bound: f64, floor: f64) -> Option<f64> {
        if is_below(bound, floor) { None } else { self.sagitta_above(pair, floor) }
    }

    /// Upper bound of the squared sagitta at an edge, from the height of the first triangle over the edge; infinite
    /// for a facet of several triangles. Costs no root.
    fn squared_bound(&self, pair: &TrianglePair) -> f64 {
        let t = pair.triangles[0];
        let apex = self.mesh.triangles[t as usize].into_iter().find(|i| !pair.ends.contains(i));
        let (Some(apex), true) = (apex, self.outline(t).is_empty()) else { return f64::INFINITY };
        let [p, q, r] = [pair.ends[0], pair.ends[1], apex].map(|i| &self.mesh.vertices[i as usize]);
        let (along, to_apex) = (difference(q, p), difference(r, p));
        let height = dot(&cross(&self.plane(t).normal, &along), &to_apex);
        // The tangent is convex and 0 at 0: the tangent of a quarter of an angle is at most a quarter of the angle's
        // tangent. The factor is 1/64 and an allowance for rounding.
        let factor = 0.015_625 * 1.001;
        factor * (height * height) * pair.sine_squared / (squared(&along) * (pair.cosine * pair.cosine))
    }
}

/// True if a quantity with this bound of its square is below `floor`. Numbers too small for a square are not.
fn is_below(bound: f64, floor: f64) -> bool {
    bound < floor * floor
}
