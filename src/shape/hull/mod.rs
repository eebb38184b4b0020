//! Floor 2: convex hulls. Which points are extreme (`convex_hull`), is a hull sound (`violations`, `encloses`), what planes
//! bound it (`facets`), how large is it (`measure`), which oriented box holds it (`fit_obb`).

pub(crate) mod build;
pub(crate) mod calipers;
pub(crate) mod check;
pub(crate) mod facets;
pub(crate) mod half_edge;
pub(crate) mod measure;
pub(crate) mod obb_fit;
pub(crate) mod order;
pub(crate) mod prefilter;
pub(crate) mod quickhull;
pub(crate) mod seed;

use crate::geom::Vec3;

pub use crate::shape::hull::build::{convex_hull, hull_within};
pub use crate::shape::hull::check::{encloses, violations};
pub use crate::shape::hull::facets::{Facet, TriangleList, facets};
pub use crate::shape::hull::measure::{Measure, measure};
pub use crate::shape::hull::obb_fit::fit_obb;

/// The exact convex hull of a point set.
///
/// Vertices are a subset of the input, bit for bit; every other input point lies inside or on it by exact predicate.
#[derive(Debug, Clone, PartialEq)]
pub struct Hull {
    /// The extreme points, in input order (rank 2: around the boundary); a solid may also keep some points that lie exactly
    /// in one of its edges or faces.
    pub vertices: Vec<Vec3>,
    /// Counter-clockwise seen from outside; a closed surface of Euler characteristic 2 when `rank` is 3, else empty.
    pub triangles: Vec<[u32; 3]>,
    /// Affine rank of the points: 0 one point, 1 a segment, 2 a flat polygon (vertices counter-clockwise about its
    /// boundary), 3 a solid.
    pub rank: u8,
    /// Neighbour lists of the vertices along hull edges in compressed rows: those of vertex `i` are
    /// `neighbors[neighbor_starts[i]..neighbor_starts[i + 1]]`.
    pub neighbor_starts: Vec<u32>,
    /// See `neighbor_starts`.
    pub neighbors: Vec<u32>,
}
