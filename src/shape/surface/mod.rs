//! Prepares the triangles of a part for exact queries.
//!
//! - `adjacency`, `boundary`: neighbours of a triangle; open edges.
//! - `bvh_build`, `bvh_entry`, `bvh_fit`, `bvh_node`, `bvh_obb_f32`, `bvh_span`: the tree of oriented boxes and its
//!   distance bounds.
//! - `inward`: the mean inward direction of each vertex.
//! - `kept_results`: results of queries for later ones.
//! - `nearest`: the closest point, and triangles within a radius.
//! - `winding_number`, `generalized_winding`: inside or outside, for closed and for open surfaces.
//! - `placed`: a surface with a pose.
//! - `resolution`: the result of the self-union, stored with its surface.

pub(crate) mod adjacency;
pub(crate) mod boundary;
pub(crate) mod bvh_build;
#[cfg(test)]
mod bvh_build_tests;
pub(crate) mod bvh_entry;
pub(crate) mod bvh_fit;
pub(crate) mod bvh_node;
pub(crate) mod bvh_obb_f32;
pub(crate) mod bvh_span;
pub mod generalized_winding;
mod inward;
pub(crate) mod kept_results;
pub(crate) mod nearest;
pub(crate) mod placed;
pub(crate) mod resolution;
pub(crate) mod vertex_clearance;
pub mod winding_number;

use crate::geom::math::{greater, lesser};
use crate::geom::predicates::{accurate_normal, collinear};
use crate::geom::{Aabb, Vec3};
use crate::mesh::TriMesh;
use crate::parallel;
use crate::shape::polytope::Convex;
use crate::shape::self_union::bounding::BoundingTriangles;
use crate::shape::surface::adjacency::Adjacency;
use crate::shape::surface::kept_results::KeptResults;
use crate::shape::surface::vertex_clearance::VertexClearances;
use std::borrow::Cow;
use std::sync::OnceLock;

pub(crate) use crate::shape::surface::boundary::BoundaryEdge;
pub(crate) use crate::shape::surface::bvh_build::Tree;
pub(crate) use crate::shape::surface::bvh_node::{Below, Node, SKEW};
pub(crate) use crate::shape::surface::bvh_obb_f32::{Motion, PlacedObb};
pub use crate::shape::surface::nearest::Nearest;
pub use crate::shape::surface::resolution::SelfUnion;
pub(crate) use crate::shape::surface::resolution::{Resolution, SelfIntersections};

/// Largest number of triangles for which a query at a few vertices sorts all edges.
const SORT_AT_ONCE: usize = 50_000;

/// Largest number of triangles for which the list of all normals is cheap.
const LISTED_UP_TO: usize = 20_000;

/// Ability of a surface to separate inside from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inside {
    /// Closed, balanced, and enclosing a volume: the winding number defines the inside.
    Solid,
    /// Open, not orientable, or enclosing nothing.
    Undefined,
}

/// Triangles of a part in its centred frame (mm), without those of no area (exactly collinear corners).
#[derive(Debug)]
pub struct Surface {
    /// Vertices of the mesh, less the origin (mm). Some may be unused.
    pub vertices: Vec<Vec3>,
    /// Corners of each triangle, counter-clockwise seen from outside, in the order of the tree's leaves.
    pub triangles: Vec<[u32; 3]>,
    /// Index of each triangle in the mesh.
    pub source: Vec<u32>,
    /// One vertex of every shell, a set of triangles connected by shared vertices, in increasing order.
    pub shells: Vec<u32>,
    /// Triangles without area.
    flat: Vec<[u32; 3]>,
    /// Vertices of the triangles without area, in increasing order.
    rough: Vec<u32>,
    /// `Solid` if winding numbers are meaningful.
    pub inside: Inside,
    /// Box of the triangles (mm); empty without triangles.
    pub bounds: Aabb,
    tree: Tree,
    adjacency: OnceLock<Adjacency>,
    normals: OnceLock<Vec<Vec3>>,
    inward: OnceLock<Vec<[f32; 3]>>,
    miter: OnceLock<f64>,
    rim: OnceLock<Vec<BoundaryEdge>>,
    pub(crate) intersections: OnceLock<SelfIntersections>,
    pub(crate) resolved: OnceLock<Resolution>,
    /// Triangles known to bound the solid, and known not to.
    pub(crate) bounding: OnceLock<BoundingTriangles>,
    volume: OnceLock<f64>,
    deviation: OnceLock<Option<f64>>,
    clearances: OnceLock<VertexClearances>,
    /// Results of queries for queries of other pairs.
    pub(crate) kept: KeptResults,
}

/// Triangles outside `kept` (increasing indices).
fn others(triangles: &[[u32; 3]], kept: &[u32]) -> Vec<[u32; 3]> {
    if kept.len() == triangles.len() {
        return Vec::new();
    }
    let mut kept = kept.iter().copied().peekable();
    (0_u32..).zip(triangles).filter(|(t, _)| kept.next_if_eq(t).is_none()).map(|(_, corners)| *corners).collect()
}

/// Points about an origin.
fn centred(points: &[Vec3], origin: &Vec3) -> Vec<Vec3> {
    parallel::list(parallel::threads(), points.len(), Vec3::zeros(), |k| points[k] - origin)
}

impl Surface {
    /// Prepares the triangles of a mesh; subtracts `origin` from every vertex. O(n log n).
    pub fn new(mesh: &TriMesh, origin: &Vec3, inside: Inside) -> Self {
        Self::of(centred(&mesh.vertices, origin), &mesh.triangles, inside)
    }

    /// Like [`Self::new`], and faster, for a mesh of one shell that uses all its vertices.
    pub(crate) fn of_one_shell(mesh: &TriMesh, origin: &Vec3, inside: Inside) -> Self {
        Self::prepared(centred(&mesh.vertices, origin), &mesh.triangles, inside, true)
    }

    /// Prepares triangles over vertices in the centred frame.
    pub(crate) fn of(vertices: Vec<Vec3>, all: &[[u32; 3]], inside: Inside) -> Self {
        Self::prepared(vertices, all, inside, false)
    }

    /// Prepares triangles over vertices in the centred frame. `one_shell` states that they form one shell, and that
    /// every vertex is used.
    fn prepared(vertices: Vec<Vec3>, all: &[[u32; 3]], inside: Inside, one_shell: bool) -> Self {
        let threads = parallel::threads();
        let has_area = |t: &u32| {
            let [a, b, c] = all[*t as usize].map(|v| vertices[v as usize]);
            !collinear(&a, &b, &c)
        };
        let shares = parallel::map_ranges(threads, all.len(), parallel::LEAST_SHARE, |range| {
            let mut found = Vec::with_capacity(range.len());
            found.extend((range.start as u32..range.end as u32).filter(has_area));
            found
        });
        let mut source = parallel::joined_lists(shares);
        let flat = others(all, &source);
        let mut rough: Vec<u32> = flat.iter().flatten().copied().collect();
        rough.sort_unstable();
        rough.dedup();
        let tree = Tree::new(&vertices, all, &mut source, threads);
        let triangles = parallel::list(threads, source.len(), [0; 3], |k| all[source[k] as usize]);
        let (shells, bounds) = if one_shell && flat.is_empty() && !triangles.is_empty() {
            let shares = parallel::map_ranges(threads, vertices.len(), parallel::LEAST_SHARE, |range| {
                Aabb::of_points(&vertices[range])
            });
            (vec![0], shares.iter().fold(Aabb::EMPTY, |all, part| all.union(part)))
        } else {
            let used = triangles.iter().flatten().map(|&v| &vertices[v as usize]);
            (crate::shape::surface::adjacency::shells(&triangles, vertices.len()), Aabb::of_points(used))
        };
        Self {
            vertices,
            triangles,
            source,
            shells,
            flat,
            rough,
            inside,
            bounds,
            tree,
            adjacency: OnceLock::new(),
            normals: OnceLock::new(),
            inward: OnceLock::new(),
            miter: OnceLock::new(),
            rim: OnceLock::new(),
            intersections: OnceLock::new(),
            resolved: OnceLock::new(),
            bounding: OnceLock::new(),
            volume: OnceLock::new(),
            deviation: OnceLock::new(),
            clearances: OnceLock::new(),
            kept: KeptResults::default(),
        }
    }

    /// Marks the surface as the boundary of its solid, and replaces the source of each triangle by `source`.
    pub(crate) fn into_self_union(mut self, source: impl Fn(u32) -> u32) -> Self {
        self.source.iter_mut().for_each(|t| *t = source(*t));
        self.into_boundary()
    }

    /// Marks the surface as the boundary of its solid.
    pub(crate) fn into_boundary(mut self) -> Self {
        self.resolved = OnceLock::from(Resolution::Clean);
        self
    }

    /// Corners of all triangles, those without area last: together they are closed if the mesh is.
    pub(crate) fn all_triangles(&self) -> impl Iterator<Item = &[u32; 3]> {
        self.triangles.iter().chain(&self.flat)
    }

    /// True if every edge is used equally often in both directions, triangles without area included.
    pub(crate) fn is_closed(&self) -> bool {
        crate::shape::surface::boundary::boundary_edges(self.all_triangles()).is_empty()
    }

    /// True if a triangle without area was left out at this vertex.
    pub fn is_rough(&self, v: u32) -> bool {
        self.rough.binary_search(&v).is_ok()
    }

    /// Corners of a triangle (mm).
    #[inline]
    pub fn triangle(&self, t: u32) -> [Vec3; 3] {
        let [a, b, c] = self.triangles[t as usize];
        [self.vertices[a as usize], self.vertices[b as usize], self.vertices[c as usize]]
    }

    /// Volume enclosed by a closed surface (mm³). The first call sums it up, O(n).
    pub fn volume(&self) -> f64 {
        *self.volume.get_or_init(|| {
            let middle = self.bounds.center();
            let six = |[a, b, c]: [Vec3; 3]| (a - middle).dot(&(b - a).cross(&(c - a)));
            (0..self.triangles.len() as u32).map(|t| six(self.triangle(t))).sum::<f64>() / 6.0
        })
    }

    /// Upper bound of the distance between a closed surface and the boundary of its hull (mm, up to rounding); `None`
    /// if the surface is not known to cover the hull once. `hull` is the hull of this surface, in the same frame. The
    /// first call is O(n log n).
    pub(crate) fn deviation_from(&self, hull: &Convex) -> Option<f64> {
        *self.deviation.get_or_init(|| {
            let count = self.triangles.len();
            hull.deviation(self.volume(), count, (0..count as u32).map(|t| self.triangle(t)))
        })
    }

    /// Unit outward normal of a triangle, accurate to a few roundings even for slivers.
    pub fn normal(&self, t: u32) -> Vec3 {
        let [a, b, c] = self.triangle(t);
        let n = accurate_normal(&a, &b, &c);
        // The square of a sliver's normal may underflow; scaling by its largest entry prevents this.
        let n = n / n.amax();
        n / n.norm()
    }

    /// Normal of a triangle, like [`Self::normal`]: from the list if it exists or the surface is small, else computed
    /// anew. For repeated calls on some triangles.
    pub fn normal_if_cheap(&self, t: u32) -> Vec3 {
        if self.triangles.len() <= LISTED_UP_TO || self.normals.get().is_some() {
            self.cached_normal(t)
        } else {
            self.normal(t)
        }
    }

    /// Normal of a triangle, like [`Self::normal`], from the list of all normals. For repeated calls on many triangles.
    /// The first call makes the list, O(n).
    pub fn cached_normal(&self, t: u32) -> Vec3 {
        self.normals.get_or_init(|| (0..self.triangles.len() as u32).map(|t| self.normal(t)).collect())[t as usize]
    }

    /// Largest miter length: the distance of a vertex along [`Self::inward`] at which every plane at the vertex has
    /// moved by at least 1, at most `most`. Returns `most` for large surfaces, too costly to examine. The first call is
    /// O(n).
    pub(crate) fn miter(&self, most: f64) -> f64 {
        if self.triangles.len() > LISTED_UP_TO {
            return most;
        }
        let least = self.miter.get_or_init(|| {
            let inward = self.inward();
            let cosines = (0..).zip(&self.triangles).flat_map(|(t, ids)| {
                let n = self.cached_normal(t);
                let directions = ids.iter().map(move |&v| &inward[v as usize]).filter(|d| **d != [0.0; 3]);
                directions.map(move |d| -n.dot(&Vec3::from(d.map(f64::from))))
            });
            cosines.fold(1.0, lesser)
        });
        1.0 / greater(*least, 1.0 / most)
    }

    /// Neighbour across edge `k` (from corner `k` to corner `k + 1`); `u32::MAX` unless exactly two triangles share the
    /// edge in opposite directions. The first call sorts all edges, O(n log n). On a large surface each call searches
    /// the triangles around a vertex.
    pub fn neighbor(&self, t: u32, k: usize) -> u32 {
        self.adjacency().neighbor(&self.triangles, t, k)
    }

    /// Triangles around a vertex, in increasing order. The first call sorts all edges, O(n log n).
    pub fn triangles_around(&self, v: u32) -> &[u32] {
        self.adjacency().around(v)
    }

    /// Boundary edges, not used equally often in both directions: the surface ends or flips its orientation there. The
    /// first call sorts all edges, O(n log n).
    pub(crate) fn boundary_edges(&self) -> &[BoundaryEdge] {
        self.rim.get_or_init(|| crate::shape::surface::boundary::boundary_edges(&self.triangles))
    }

    /// Tree over the triangles.
    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Writes the triangles around a vertex to the caller's list, in increasing order. On a large surface with unsorted
    /// edges, it searches the tree instead of sorting them.
    pub fn around_into(&self, v: u32, out: &mut Vec<u32>) {
        out.clear();
        if self.triangles.len() <= SORT_AT_ONCE || self.adjacency.get().is_some() {
            out.extend_from_slice(self.triangles_around(v));
            return;
        }
        self.within(&self.vertices[v as usize], 0.0, |t| {
            if self.triangles[t as usize].contains(&v) {
                out.push(t);
            }
            true
        });
        out.sort_unstable();
        out.dedup();
    }

    /// Same result as [`Self::neighbor`]. On a large surface with unsorted edges, it searches the tree instead of
    /// sorting them.
    pub fn neighbor_of(&self, t: u32, k: usize) -> u32 {
        if self.triangles.len() <= SORT_AT_ONCE || self.adjacency.get().is_some() {
            return self.neighbor(t, k);
        }
        let ids = self.triangles[t as usize];
        let (from, to) = (ids[k], ids[(k + 1) % 3]);
        let mut around = Vec::new();
        self.around_into(from, &mut around);
        crate::shape::surface::adjacency::across(&self.triangles, &around, t, from, to).unwrap_or(u32::MAX)
    }

    /// Adjacency for one pass over the surface. A large surface makes it for the caller alone: it would add to the peak of
    /// memory, and few queries need it again. O(n) unless it is kept.
    pub(crate) fn adjacency_for_a_pass(&self) -> Cow<'_, Adjacency> {
        if self.triangles.len() <= adjacency::LISTED_UP_TO || self.adjacency.get().is_some() {
            return Cow::Borrowed(self.adjacency());
        }
        Cow::Owned(Adjacency::of(&self.triangles, self.vertices.len()))
    }

    fn adjacency(&self) -> &Adjacency {
        self.adjacency.get_or_init(|| Adjacency::of(&self.triangles, self.vertices.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron() -> TriMesh {
        TriMesh {
            vertices: vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z(), Vec3::new(0.5, 0.0, 0.0)],
            // The last triangle has no area.
            triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 4, 1]],
        }
    }

    #[test]
    fn degenerate_triangles_are_dropped_and_neighbours_kept() {
        let s = Surface::new(&tetrahedron(), &Vec3::new(0.0, 0.0, 0.5), Inside::Solid);
        assert_eq!(s.triangles.len(), 4);
        assert_eq!(s.shells, [0]);
        for t in 0..4_u32 {
            assert_ne!(s.source[t as usize], 4);
            for k in 0..3 {
                let (from, to) = (s.triangles[t as usize][k], s.triangles[t as usize][(k + 1) % 3]);
                let other = s.triangles[s.neighbor(t, k) as usize];
                assert!((0..3).any(|j| other[j] == to && other[(j + 1) % 3] == from));
            }
        }
        assert_eq!(s.triangles_around(0).len(), 3);
        assert!(s.triangles_around(4).is_empty());
        let slanted = (0..4).find(|&t| s.source[t as usize] == 2).unwrap();
        assert!((s.normal(slanted) - Vec3::repeat(1.0 / 3.0_f64.sqrt())).norm() < 1e-15);
        assert_eq!(s.bounds.min, Vec3::new(0.0, 0.0, -0.5));
    }

    #[test]
    fn one_shell_is_prepared_like_any_mesh() {
        let mut mesh = tetrahedron();
        for _ in 0..2 {
            let [general, one] = [Surface::new, Surface::of_one_shell].map(|new| new(&mesh, &Vec3::x(), Inside::Solid));
            assert_eq!((general.shells, general.bounds, general.triangles), (one.shells, one.bounds, one.triangles));
            mesh.triangles.pop();
            mesh.vertices.pop();
        }
    }

    #[test]
    fn a_surface_without_triangles_answers() {
        let s = Surface::new(&TriMesh::default(), &Vec3::zeros(), Inside::Undefined);
        assert!(s.shells.is_empty() && s.nearest(&Vec3::zeros(), f64::INFINITY).is_none());
        s.within(&Vec3::zeros(), 1.0, |_| panic!("there is none"));
    }
}
