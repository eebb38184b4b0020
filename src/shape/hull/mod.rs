//! Convex hulls (floor 2).
//!
//! - `convex_hull`: which points are extreme?
//! - `violations`, `encloses`: is a hull sound, and does it contain the points?
//! - `facets`: which planes bound the hull?
//! - `measure`: how large is the hull?
//! - `fit_obb`: which oriented box contains the hull?

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
pub use crate::shape::hull::obb_fit::{Tried, fit_obb};

/// Exact convex hull of a point set.
///
/// Vertices are a subset of the input, bit for bit. Every other input point lies inside or on the hull by exact
/// predicate.
#[derive(Debug, Clone, PartialEq)]
pub struct Hull {
    /// Extreme points, in input order (rank 2: around the boundary). A solid may also keep some points exactly in one
    /// of its edges or faces.
    pub vertices: Vec<Vec3>,
    /// Triangles, counter-clockwise seen from outside: a closed surface of Euler characteristic 2 if `rank` is 3, else
    /// empty.
    pub triangles: Vec<[u32; 3]>,
    /// Affine rank of the points: 0 at most one point, 1 a segment, 2 a flat polygon (vertices counter-clockwise around
    /// its boundary), 3 a solid.
    pub rank: u8,
    /// Row starts of the neighbour lists along hull edges: the neighbours of vertex `i` are
    /// `neighbors[neighbor_starts[i]..neighbor_starts[i + 1]]`.
    pub neighbor_starts: Vec<u32>,
    /// Neighbours of all vertices; see `neighbor_starts`.
    pub neighbors: Vec<u32>,
    /// Opposite of each half-edge; half-edge `3 t + k` runs from corner `k` of triangle `t` to the next one. Empty
    /// unless `rank` is 3.
    pub(crate) twins: Vec<u32>,
}
