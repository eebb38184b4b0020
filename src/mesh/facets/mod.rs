//! Facets: the flat pieces of a mesh that approximate curved surfaces, and the error (sagitta) of the approximation
//! (docs/explanation/gap.md).
//!
//! Triangles coplanar over their common edges form a facet. An angle between [`LEAST_ANGLE`] and [`LARGEST_ANGLE`]
//! means two facets of one curved surface; a larger one means an edge by design. Width and angle of two such facets
//! give the sagitta.
//!
//! - `edge_source`: half-edges of a mesh, all at once or in turns.
//! - `errors`: the largest sagittas of a mesh.
//! - `outlines`: corners of the facets, for their widths.
//! - `unequal`: facets that are wider than their neighbours.

pub(crate) mod edge_source;
pub(crate) mod errors;
pub(crate) mod outlines;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod unequal;

use crate::geom::math::{greater, lesser};
use crate::geom::predicates::orient3d;
use crate::geom::union_find::UnionFind;
use crate::mesh::TriMesh;
use crate::mesh::facets::edge_source::EdgeSource;
use crate::mesh::facets::outlines::Outlines;
use crate::mesh::facets::unequal::{StripEdge, wide_sagittas};
use crate::mesh::measure::{cross, difference, dot};
use crate::mesh::topology::{Edge, HalfEdges};
use crate::parallel;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Largest angle inside one facet (radians): rounding of coordinates alone can tilt triangles this much.
pub const LEAST_ANGLE: f64 = 1e-4;

/// Least angle of an edge by design, of a polygon or a chamfer (radians).
pub const LARGEST_ANGLE: f64 = 0.65;

/// Largest distance between a chord of length `width` and its arc, for neighbouring chords at the angle `theta`
/// (radians): `width / 2 · tan(theta / 4)`.
pub fn sagitta(width: f64, theta: f64) -> f64 {
    0.5 * width * libm::tan(0.25 * theta)
}

/// An edge between two facets of one curved surface, according to its angle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FacetEdge {
    /// Ends of the edge.
    pub vertices: [u32; 2],
    /// Triangles on the two sides.
    pub triangles: [u32; 2],
    /// Angle between the triangles' normals (radians), within ([`LEAST_ANGLE`], [`LARGEST_ANGLE`]).
    pub theta: f64,
    /// True if the surface is hollow at this edge, like a bore; by exact predicate.
    pub concave: bool,
    /// Width of the narrower of the two facets, across the edge (mesh unit).
    pub width: f64,
}

impl FacetEdge {
    /// Estimated distance between these facets and the intended surface (mesh unit).
    pub fn sagitta(&self) -> f64 {
        sagitta(self.width, self.theta)
    }
}

/// The facets of a mesh: maximal sets of triangles connected over coplanar edges.
#[derive(Debug, Clone)]
pub struct Facets {
    /// Facet of each triangle.
    pub facet: Vec<u32>,
    /// Number of facets.
    pub count: u32,
    /// Edges between facets of one curved surface, in order of their smaller end.
    pub edges: Vec<FacetEdge>,
}

/// Facets of a mesh with their sagittas at concave edges.
#[derive(Debug, Clone)]
pub struct ConcaveFacets {
    /// Facet of each triangle.
    pub facet: Vec<u32>,
    /// Largest sagitta of each facet at a concave edge (mesh unit, >= 0); 0 without such an edge.
    pub sagitta: Vec<f64>,
    /// Largest sagitta of each facet at an edge to a narrower facet of the same cylinder (mesh unit, >= 0); 0 without
    /// such an edge. Empty if no facets of several triangles meet at a concave edge.
    pub wide: Vec<f64>,
}

impl ConcaveFacets {
    /// Computes the facets of a mesh with valid indices, on up to `threads` threads; facets, edges and `rounding` as in
    /// [`Facets::of`]. O(n log n).
    pub fn of(mesh: &TriMesh, rounding: f64, threads: usize) -> Self {
        Self::with_lists(mesh, rounding, threads, mesh.triangles.len() <= LISTED_UP_TO)
    }

    /// The same, with lists of all half-edges and planes or without: slower, in less memory.
    fn with_lists(mesh: &TriMesh, rounding: f64, threads: usize, keeps_lists: bool) -> Self {
        let half_edges = keeps_lists.then(|| HalfEdges::in_parallel(&mesh.triangles, mesh.vertices.len(), threads));
        let edges = half_edges.as_ref().map_or(EdgeSource::InTurns, EdgeSource::Whole);
        let mut surface = FacetSurface::without_facets(mesh, rounding);
        if keeps_lists {
            surface.keep_planes(threads);
        }
        surface.find_facets(edges, threads);
        // Bits of the sagittas: numbers >= 0 order like their bits, so the threads need no lock.
        let largest: Vec<AtomicU64> = (0..surface.count).map(|_| AtomicU64::new(0)).collect();
        let strips = edges.map_ranges(mesh, threads, |half_edges, ends| {
            let mut strips = Vec::new();
            for pair in surface.pairs_of(half_edges, ends).filter(|p| p.fold() == Fold::Bend && is_concave(mesh, p)) {
                let facets = pair.triangles.map(|t| surface.facet[t as usize]);
                let known = facets.map(|f| &largest[f as usize]);
                let [a, b] = known.map(|s| f64::from_bits(s.load(Ordering::Relaxed)));
                if let Some(s) = surface.sagitta_above(&pair, lesser(a, b)) {
                    for k in known {
                        k.fetch_max(s.to_bits(), Ordering::Relaxed);
                    }
                }
                // A facet of one triangle belongs to no cylinder.
                if facets.iter().all(|f| !surface.outlines.of_facet(*f).is_empty()) {
                    let widths = [0, 1].map(|side| surface.reach(&pair, side));
                    strips.push(StripEdge { facets, widths, theta: pair.angle() });
                }
            }
            strips
        });
        let (facet, count) = (surface.facet, surface.count);
        let wide = wide_sagittas(&strips.concat(), count);
        let sagitta = largest.into_iter().map(|s| f64::from_bits(s.into_inner())).collect();
        Self { facet, sagitta, wide }
    }
}

impl Facets {
    /// Computes the facets of a mesh with valid indices. Only edges of exactly two triangles, one in each direction,
    /// connect or separate facets. A triangle without area is a facet of its own. Coordinates are off by up to
    /// `rounding` (mesh unit, 0 for exact ones). Angles explained by this rounding count as flat, so a sliver in a
    /// plane face belongs to the face.
    pub fn of(mesh: &TriMesh, rounding: f64) -> Self {
        let half_edges = HalfEdges::of(&mesh.triangles, mesh.vertices.len());
        let mut surface = FacetSurface::without_facets(mesh, rounding);
        surface.keep_planes(1);
        surface.find_facets(EdgeSource::Whole(&half_edges), 1);
        let bends = surface.pairs_of(&half_edges, 0..mesh.vertices.len()).filter(|p| p.fold() == Fold::Bend);
        let edges = bends.map(|p| FacetEdge {
            vertices: p.ends,
            triangles: p.triangles,
            theta: p.angle(),
            concave: is_concave(mesh, &p),
            width: surface.width(&p),
        });
        Self { edges: edges.collect(), facet: surface.facet, count: surface.count }
    }
}

/// Two triangles at an edge, one in each direction, at an angle below 90°.
struct TrianglePair {
    /// Ends of the edge, the smaller first.
    ends: [u32; 2],
    triangles: [u32; 2],
    /// Squared sine of the angle between the normals.
    sine_squared: f64,
    cosine: f64,
    /// Tangent of the largest angle explained by rounding of the coordinates.
    noise: f64,
}

/// Meaning of the angle between two triangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fold {
    /// One facet.
    Flat,
    /// Two facets of one curved surface.
    Bend,
    /// An edge by design.
    Sharp,
}

impl TrianglePair {
    /// Angle between the normals (radians, 0 to π/2).
    fn angle(&self) -> f64 {
        libm::atan2(self.sine_squared.sqrt(), self.cosine)
    }

    fn fold(&self) -> Fold {
        let is_below = |angle: f64, tangent: f64| {
            let (here, limit) = (self.sine_squared, (tangent * self.cosine) * (tangent * self.cosine));
            // Far from the limit, relative to all rounding, a comparison of squared tangents is enough.
            if (here - limit).abs() > 1e-6 * limit { here < limit } else { self.angle() < angle }
        };
        if is_below(LEAST_ANGLE.next_up(), LEAST_TANGENT)
            || self.sine_squared <= (self.noise * self.cosine) * (self.noise * self.cosine)
        {
            Fold::Flat
        } else if is_below(LARGEST_ANGLE, LARGEST_TANGENT) {
            Fold::Bend
        } else {
            Fold::Sharp
        }
    }
}

/// Tangents of [`LEAST_ANGLE`] and [`LARGEST_ANGLE`], to eight digits; near them the angle decides.
const LEAST_TANGENT: f64 = 1e-4;
const LARGEST_TANGENT: f64 = 0.760_204_4;

/// Largest number of triangles for lists of all half-edges and planes. Those of a larger mesh take more memory than the
/// mesh, so [`ConcaveFacets::of`] builds the half-edges in turns, and each edge computes its two planes again.
const LISTED_UP_TO: usize = 200_000;

/// Plane of a triangle.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Plane {
    /// Unit normal; zero without area.
    pub normal: [f64; 3],
    /// Tangent of the angle by which rounding may tilt the triangle: the rounding of a corner over the least height.
    tilt: f32,
}

impl Plane {
    /// Plane of a triangle whose corners are off by up to `rounding`.
    fn of(mesh: &TriMesh, t: usize, rounding: f64) -> Self {
        let [a, b, c] = mesh.triangles[t].map(|i| &mesh.vertices[i as usize]);
        let sides = [difference(b, a), difference(c, a), difference(c, b)];
        let normal = cross(&sides[0], &sides[1]);
        let longest = sides.iter().map(squared).fold(0.0, greater);
        let tilt = if rounding > 0.0 { rounding * (longest / squared(&normal)).sqrt() } else { 0.0 };
        Self { normal: unit(&normal), tilt: tilt as f32 }
    }
}

/// A mesh with its facets, prepared for queries at edges.
struct FacetSurface<'m> {
    mesh: &'m TriMesh,
    /// Error of the coordinates (mesh unit).
    rounding: f64,
    /// Plane of each triangle; empty if a query computes the planes that it needs.
    planes: Vec<Plane>,
    /// Facet of each triangle.
    facet: Vec<u32>,
    /// Number of facets.
    count: u32,
    outlines: Outlines,
}

impl<'m> FacetSurface<'m> {
    /// Prepares a mesh whose triangles are all facets of their own, so far.
    fn without_facets(mesh: &'m TriMesh, rounding: f64) -> Self {
        let (planes, facet, outlines) = (Vec::new(), Vec::new(), Outlines::default());
        Self { mesh, rounding, planes, facet, count: 0, outlines }
    }

    /// Computes the planes of all triangles, for faster queries.
    fn keep_planes(&mut self, threads: usize) {
        let plane = |t| Plane::of(self.mesh, t, self.rounding);
        self.planes = parallel::list(threads, self.mesh.triangles.len(), Plane::default(), plane);
    }

    /// Plane of a triangle.
    #[inline]
    fn plane(&self, t: u32) -> Plane {
        let t = t as usize;
        self.planes.get(t).copied().unwrap_or_else(|| Plane::of(self.mesh, t, self.rounding))
    }

    /// Finds the facets, on up to `threads` threads.
    fn find_facets(&mut self, edges: EdgeSource<'_>, threads: usize) {
        let flat = edges.map_ranges(self.mesh, threads, |half_edges, ends| {
            let flat = self.pairs_of(half_edges, ends).filter(|p| p.fold() == Fold::Flat);
            flat.map(|p| p.triangles).collect::<Vec<_>>()
        });
        self.join_facets(&flat, threads);
    }

    /// Joins the triangles of flat edges to facets, on up to `threads` threads.
    fn join_facets(&mut self, flat: &[Vec<[u32; 2]>], threads: usize) {
        let count = self.mesh.triangles.len();
        if flat.iter().all(Vec::is_empty) {
            (self.facet, self.count) = ((0..count as u32).collect(), count as u32);
            return;
        }
        let mut sets = UnionFind::new(count);
        flat.iter().flatten().for_each(|&[a, b]| _ = sets.union(a, b, false));
        (self.facet, self.count) = sets.label();
        if (self.count as usize) < count {
            self.outlines = Outlines::of(self.mesh, &self.facet, self.count, threads, |t| self.plane(t));
        }
    }

    /// Pairs of triangles at the edges with their smaller end in a range of vertices, in order of their edges.
    fn pairs_of(&self, half_edges: &HalfEdges, smaller_ends: Range<usize>) -> impl Iterator<Item = TrianglePair> {
        half_edges.edges_of(smaller_ends).filter_map(|e| self.pair(&e))
    }

    /// The two triangles at an edge; `None` unless there are two, in opposite directions and at an angle below 90°.
    #[inline]
    fn pair(&self, e: &Edge<'_>) -> Option<TrianglePair> {
        let [a, b] = e.uses else { return None };
        if a.reversed() == b.reversed() {
            return None;
        }
        let triangles = [a.face(), b.face()];
        let [a, b] = triangles.map(|t| self.plane(t));
        let cosine = dot(&a.normal, &b.normal);
        // Cheap rejection of angles from 90° up and of triangles without a normal.
        (cosine > 0.0).then(|| TrianglePair {
            ends: [e.lo, e.hi],
            triangles,
            sine_squared: squared(&cross(&a.normal, &b.normal)),
            cosine,
            noise: f64::from(a.tilt) + f64::from(b.tilt),
        })
    }

    /// Vertices of the facet of a triangle; empty for a facet of one triangle.
    fn outline(&self, t: u32) -> &[u32] {
        self.facet.get(t as usize).map_or(&[], |&f| self.outlines.of_facet(f))
    }

    /// Width of the narrower facet.
    fn width(&self, pair: &TrianglePair) -> f64 {
        lesser(self.reach(pair, 0), self.reach(pair, 1))
    }

    /// Computes the sagitta at an edge if it exceeds `floor`; cheaper if not.
    fn sagitta_above(&self, pair: &TrianglePair, floor: f64) -> Option<f64> {
        // The tangent is convex and 0 at 0: the tangent of a quarter of an angle is at most a quarter of the angle's
        // tangent. The factor covers the rounding of both sides.
        let sine = pair.sine_squared.sqrt();
        let may_be_above = |width: f64| 0.125 * width * sine > 0.999_999 * floor * pair.cosine;
        let first = self.reach(pair, 0);
        if !may_be_above(first) {
            return None;
        }
        let width = lesser(first, self.reach(pair, 1));
        may_be_above(width).then(|| sagitta(width, pair.angle())).filter(|&s| s > floor)
    }

    /// Extent of the facet on one side of an edge, across the edge's line (mesh unit).
    fn reach(&self, pair: &TrianglePair, side: usize) -> f64 {
        let [p, q] = pair.ends.map(|i| &self.mesh.vertices[i as usize]);
        let (t, along) = (pair.triangles[side], &difference(q, p));
        let across = unit(&cross(&self.plane(t).normal, along));
        let reach = |i: u32| dot(&across, &difference(&self.mesh.vertices[i as usize], p));
        // The edge may run either way along the triangle; its third corner gives the side.
        let apex = self.mesh.triangles[t as usize].into_iter().find(|i| !pair.ends.contains(i));
        let own = apex.map_or(0.0, reach);
        let side = if own < 0.0 { -1.0 } else { 1.0 };
        self.outline(t).iter().map(|&i| side * reach(i)).fold(own.abs(), greater)
    }
}

/// Scales a vector to length 1; zero stays zero.
fn unit(v: &[f64; 3]) -> [f64; 3] {
    let length = squared(v).sqrt();
    if length > 0.0 { v.map(|x| x / length) } else { [0.0; 3] }
}

fn squared(v: &[f64; 3]) -> f64 {
    dot(v, v)
}

/// True if the second triangle rises above the plane of the first. The other two of its corners lie in this plane.
fn is_concave(mesh: &TriMesh, pair: &TrianglePair) -> bool {
    let [first, second] = pair.triangles.map(|t| mesh.triangles[t as usize]);
    let [p, q, r] = first.map(|i| &mesh.vertices[i as usize]);
    let mut apex = second.iter().filter(|i| !pair.ends.contains(i));
    apex.any(|&i| orient3d(p, q, r, &mesh.vertices[i as usize]) > 0.0)
}
