//! A convex hull made ready for queries.

pub mod ball_lp;
pub(crate) mod simd_max_dot;
pub(crate) mod stored;

use crate::geom::math::{greater, lesser};
use crate::geom::tolerance::HILL_CLIMB_ABOVE_VERTICES;
use crate::geom::{Aabb, Vec3, predicates};
use crate::shape::hull::{Facet, Hull};
use crate::shape::polytope::simd_max_dot::PointRows;
pub(crate) use crate::shape::polytope::stored::StoredConvex;

/// The directions of a regular tetrahedron's faces, along which every hull keeps its support values.
pub(crate) const TETRAHEDRON: [[f64; 3]; 4] = {
    const S: f64 = 0.577_350_269_189_625_8;
    [[S, S, S], [S, -S, -S], [-S, S, -S], [-S, -S, S]]
};

/// The hull of a part, recentred so that rounding scales with its size and not with its distance from the part's origin.
///
/// All coordinates are in the *centred frame*: the part's frame moved by `origin`.
#[derive(Debug, Clone)]
pub struct Convex {
    /// The centred frame's origin in the part's frame (mm).
    pub origin: Vec3,
    /// Hull vertices (mm).
    pub vertices: Vec<Vec3>,
    /// Hull triangles, counter-clockwise from outside; empty unless `rank` is 3.
    pub triangles: Vec<[u32; 3]>,
    /// Affine rank of the vertices, 3 for a solid.
    pub rank: u8,
    /// Bounding box.
    pub aabb: Aabb,
    /// Diagonal of the bounding box: the size that rounding margins scale with.
    pub diameter: f64,
    /// Outward unit normals of the facets; empty unless `rank` is 3.
    pub normals: Vec<Vec3>,
    /// Offsets: every vertex satisfies `normal · v ≤ offset` as computed; its rounding is in the pair's margin.
    pub offsets: Vec<f64>,
    /// How far a facet's plane may lie outside of the facet, at most (mm).
    pub slack: f64,
    /// Centre of the largest ball inside (or a good one), and its radius, which is certified; 0 unless `rank` is 3.
    pub inner_center: Vec3,
    /// See `inner_center`.
    pub inner_radius: f64,
    /// Support values along [`TETRAHEDRON`].
    pub(crate) tetrahedron: [f64; 4],
    /// Triangles too thin to have a normal.
    slivers: Vec<[u32; 3]>,
    neighbor_starts: Vec<u32>,
    neighbors: Vec<u32>,
    vertex_lanes: PointRows,
    facet_lanes: PointRows,
}

impl Convex {
    /// Makes a hull and its facets ready. Cost: linear in vertices and facets, but for one support query a facet.
    pub fn new(hull: &Hull, facets: &[Facet]) -> Self {
        let origin = Aabb::of_points(&hull.vertices).center();
        let vertices: Vec<Vec3> = hull.vertices.iter().map(|v| v - origin).collect();
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
            triangles: hull.triangles.clone(),
            rank: hull.rank,
            aabb,
            diameter,
            normals: facets.iter().map(|f| f.normal).collect(),
            offsets: Vec::new(),
            slack: 0.0,
            inner_center: Vec3::zeros(),
            inner_radius: 0.0,
            tetrahedron: [0.0; 4],
            slivers,
            neighbor_starts: hull.neighbor_starts.clone(),
            neighbors: hull.neighbors.clone(),
            facet_lanes: PointRows::new(&[], &[]),
        };
        convex.support_planes(hull, facets);
        convex.tetrahedron = TETRAHEDRON.map(|n| convex.scan(&Vec3::from(n)).1);
        if convex.rank == 3 && !convex.normals.is_empty() {
            let ball = ball_lp::inscribed(&convex);
            convex.inner_center = ball.0;
            convex.inner_radius = ball.1;
        }
        convex
    }

    /// Puts every facet's plane where it supports all vertices, and notes how far that is from the facet itself.
    fn support_planes(&mut self, hull: &Hull, facets: &[Facet]) {
        let mut hint = 0;
        for (normal, facet) in self.normals.iter().zip(facets) {
            let first = facet.triangles.first().map_or(0, |&t| hull.triangles[t as usize][0] as usize);
            hint = self.climb(normal, if facet.triangles.is_empty() { hint } else { first }).0;
            let reach = normal.dot(&self.vertices[hint]);
            let mut lowest = reach;
            for &t in &*facet.triangles {
                for &v in &hull.triangles[t as usize] {
                    lowest = lesser(lowest, normal.dot(&self.vertices[v as usize]));
                }
            }
            self.offsets.push(reach);
            self.slack = greater(self.slack, reach - lowest);
        }
        self.facet_lanes = PointRows::new(&self.normals, &self.offsets);
    }

    /// The vertex farthest along `d`, by a scan of all: index and dot product. Certain up to rounding.
    #[inline]
    pub fn scan(&self, d: &Vec3) -> (usize, f64) {
        self.vertex_lanes.largest(d)
    }

    /// The vertex farthest along `d`, by climbing from `hint` along the hull's edges; on near-flat plateaus rounding may
    /// stop it early, so what it says is a proposal that [`Self::scan`] confirms.
    #[inline]
    pub fn climb(&self, d: &Vec3, hint: usize) -> (usize, f64) {
        if self.climb_scans() {
            return self.scan(d);
        }
        let mut at = hint;
        let mut best = d.dot(&self.vertices[at]);
        loop {
            let from = at;
            let range = self.neighbor_starts[from] as usize..self.neighbor_starts[from + 1] as usize;
            for &n in &self.neighbors[range] {
                let value = d.dot(&self.vertices[n as usize]);
                if value > best {
                    best = value;
                    at = n as usize;
                }
            }
            if at == from {
                return (at, best);
            }
        }
    }

    /// Whether [`Self::climb`] scans anyway, so that there is nothing to confirm.
    #[inline]
    pub fn climb_scans(&self) -> bool {
        self.vertices.len() <= HILL_CLIMB_ABOVE_VERTICES || self.rank < 3
    }

    /// How deep `x` lies under the nearest facet plane, and which: positive inside, negative outside. At most
    /// [`Self::slack`] more than the distance to the surface for a point inside.
    #[inline]
    pub fn depth(&self, x: &Vec3) -> (usize, f64) {
        let (facet, above) = self.facet_lanes.largest(x);
        (facet, -above)
    }

    /// Whether `x` lies on the inner side of every triangle that is too thin to have a plane among the facets.
    pub fn inside_slivers(&self, x: &Vec3) -> bool {
        self.slivers.iter().all(|t| {
            let [a, b, c] = t.map(|i| self.vertices[i as usize]);
            predicates::orient3d(&a, &b, &c, x) <= 0.0
        })
    }
}
