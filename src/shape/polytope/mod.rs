//! Prepares a convex hull for queries.
//!
//! - `ball_lp`: largest inscribed ball.
//! - `deviation`: distance of a surface from the boundary of its hull.
//! - `simd_max_dot`: largest dot product of many points.
//! - `stored`: the form in the cache.

pub mod ball_lp;
mod deviation;
pub(crate) mod simd_max_dot;
pub(crate) mod stored;

use crate::geom::math::{greater, lesser};
use crate::geom::tolerance::HILL_CLIMB_ABOVE_VERTICES;
use crate::geom::{Aabb, Vec3, predicates};
use crate::shape::hull::{Facet, Hull};
use crate::shape::polytope::simd_max_dot::PointRows;
pub(crate) use crate::shape::polytope::stored::StoredConvex;

/// Face normals of a regular tetrahedron: every polytope stores its support values along them.
pub(crate) const TETRAHEDRON: [[f64; 3]; 4] = {
    const S: f64 = 0.577_350_269_189_625_8;
    [[S, S, S], [S, -S, -S], [-S, S, -S], [-S, -S, S]]
};

/// Hull of a part, recentred: rounding then scales with its size, whatever its distance from the part's origin.
///
/// All coordinates are in the *centred frame*: the part's frame moved by `origin` (mm).
#[derive(Debug, Clone)]
pub struct Convex {
    /// Origin of the centred frame, in the part's frame (mm).
    pub origin: Vec3,
    /// Hull vertices (mm).
    pub vertices: Vec<Vec3>,
    /// Hull triangles, counter-clockwise from outside; empty unless `rank` is 3.
    pub triangles: Vec<[u32; 3]>,
    /// Affine rank of the vertices, 3 for a solid.
    pub rank: u8,
    /// Bounding box.
    pub aabb: Aabb,
    /// Diagonal of the bounding box (mm): rounding margins scale with it.
    pub diameter: f64,
    /// Upper bound of a facet plane's distance outside its facet (mm, >= 0).
    pub slack: f64,
    /// Centre of the largest inscribed ball, or of a good one (mm).
    pub inner_center: Vec3,
    /// Certified radius of the ball around `inner_center` (mm); 0 unless `rank` is 3.
    pub inner_radius: f64,
    /// Support values along [`TETRAHEDRON`].
    pub(crate) tetrahedron: [f64; 4],
    /// Triangles too thin for a normal.
    slivers: Vec<[u32; 3]>,
    neighbor_starts: Vec<u32>,
    neighbors: Vec<u32>,
    vertex_lanes: PointRows,
    /// Normals and offsets of the facet planes.
    facet_lanes: PointRows,
}

impl Convex {
    /// Prepares a hull and its facets. Cost: linear in vertices and facets, plus one support query a facet.
    pub fn new(hull: &Hull, facets: &[Facet]) -> Self {
        Self::of(hull.clone(), facets)
    }

    /// Like [`Self::new`], without a copy of the hull.
    pub fn of(hull: Hull, facets: &[Facet]) -> Self {
        let origin = Aabb::of_points(&hull.vertices).center();
        let vertices: Vec<Vec3> = hull.vertices.into_iter().map(|v| v - origin).collect();
        let aabb = Aabb::of_points(&vertices);
        let diameter = aabb.diagonal();
        let mut covered = vec![false; hull.triangles.len()];
        for facet in facets {
            for &t in &*facet.triangles {
                covered[t as usize] = true;
            }
        }
        let slivers = hull.triangles.iter().zip(&covered).filter(|(_, c)| !**c).map(|(t, _)| *t).collect();
        let mut convex = Self {
            origin,
            vertex_lanes: PointRows::new(&vertices, &[]),
            vertices,
            triangles: hull.triangles,
            rank: hull.rank,
            aabb,
            diameter,
            slack: 0.0,
            inner_center: Vec3::zeros(),
            inner_radius: 0.0,
            tetrahedron: [0.0; 4],
            slivers,
            neighbor_starts: hull.neighbor_starts,
            neighbors: hull.neighbors,
            facet_lanes: PointRows::new(&[], &[]),
        };
        convex.support_planes(facets);
        convex.tetrahedron = TETRAHEDRON.map(|n| convex.scan(&Vec3::from(n)).1);
        if convex.rank == 3 && convex.facet_count() > 0 {
            let ball = ball_lp::inscribed(&convex);
            convex.inner_center = ball.0;
            convex.inner_radius = ball.1;
        }
        convex
    }

    /// Moves every facet's plane out to support all vertices, and records the largest such distance from its facet as
    /// slack. Every vertex lies below the facet up to rounding ([`Facet::offset`]), so a walk from the facet is enough.
    fn support_planes(&mut self, facets: &[Facet]) {
        let normals: Vec<Vec3> = facets.iter().map(|f| f.normal).collect();
        let mut offsets = Vec::with_capacity(facets.len());
        for (normal, facet) in normals.iter().zip(facets) {
            let reach = match facet.triangles.first() {
                Some(&t) => self.walk(normal, self.triangles[t as usize][0] as usize).1,
                None => self.scan(normal).1,
            };
            let mut lowest = reach;
            for &t in &*facet.triangles {
                for &v in &self.triangles[t as usize] {
                    lowest = lesser(lowest, normal.dot(&self.vertices[v as usize]));
                }
            }
            offsets.push(reach);
            self.slack = greater(self.slack, reach - lowest);
        }
        self.facet_lanes = PointRows::new(&normals, &offsets);
    }

    /// Number of facets; 0 unless `rank` is 3.
    pub fn facet_count(&self) -> usize {
        self.facet_lanes.len()
    }

    /// Outward unit normal of a facet, numbered below [`Self::facet_count`], in the centred frame.
    #[inline]
    pub fn normal(&self, facet: usize) -> Vec3 {
        self.facet_lanes.point(facet)
    }

    /// Offset of the plane of a facet, numbered as in [`Self::normal`] (mm, centred frame): every vertex satisfies
    /// `normal · v ≤ offset` up to rounding, which the pair's margin covers.
    #[inline]
    pub fn offset(&self, facet: usize) -> f64 {
        self.facet_lanes.offset(facet)
    }

    /// Normals and offsets of all facet planes, as [`Self::normal`] and [`Self::offset`].
    pub fn planes(&self) -> impl Iterator<Item = (Vec3, f64)> {
        (0..self.facet_count()).map(|facet| (self.normal(facet), self.offset(facet)))
    }

    /// Finds the vertex farthest along `d` by a scan of all vertices; returns index and dot product. Certain up to
    /// rounding.
    #[inline]
    pub fn scan(&self, d: &Vec3) -> (usize, f64) {
        self.vertex_lanes.largest(d)
    }

    /// Proposes the vertex farthest along `d` by hill climbing from `hint` along the hull's edges. On near-flat
    /// plateaus rounding may stop the walk early, so [`Self::scan`] must confirm the proposal.
    #[inline]
    pub fn climb(&self, d: &Vec3, hint: usize) -> (usize, f64) {
        if self.climb_scans() { self.scan(d) } else { self.walk(d, hint) }
    }

    /// Walks from vertex `from` along the hull's edges until no neighbour lies farther along `d`.
    fn walk(&self, d: &Vec3, from: usize) -> (usize, f64) {
        let mut at = from;
        let mut best = d.dot(&self.vertices[at]);
        loop {
            let here = at;
            let range = self.neighbor_starts[here] as usize..self.neighbor_starts[here + 1] as usize;
            for &n in &self.neighbors[range] {
                let value = d.dot(&self.vertices[n as usize]);
                if value > best {
                    best = value;
                    at = n as usize;
                }
            }
            if at == here {
                return (at, best);
            }
        }
    }

    /// True if [`Self::climb`] scans all vertices itself: its result needs no confirmation.
    #[inline]
    pub fn climb_scans(&self) -> bool {
        self.vertices.len() <= HILL_CLIMB_ABOVE_VERTICES || self.rank < 3
    }

    /// Returns the facet nearest to `x` and the depth of `x` under its plane (mm): positive inside, negative outside.
    /// For a point inside, the depth is at most [`Self::slack`] more than the distance to the surface.
    #[inline]
    pub fn depth(&self, x: &Vec3) -> (usize, f64) {
        let (facet, above) = self.facet_lanes.largest(x);
        (facet, -above)
    }

    /// True if `x` lies on the inner side of every sliver, a triangle without a plane among the facets.
    pub fn inside_slivers(&self, x: &Vec3) -> bool {
        self.slivers.iter().all(|t| {
            let [a, b, c] = t.map(|i| self.vertices[i as usize]);
            predicates::orient3d(&a, &b, &c, x) <= 0.0
        })
    }
}
