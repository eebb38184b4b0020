//! Facets: what a mesh makes of curved surfaces, and how far that is off (docs: concept.md, Facets).

pub(crate) mod outlines;
#[cfg(test)]
pub(crate) mod tests;

use crate::geom::math::{greater, lesser};
use crate::geom::predicates::orient3d;
use crate::geom::union_find::UnionFind;
use crate::mesh::TriMesh;
use crate::mesh::facets::outlines::Outlines;
use crate::mesh::measure::{cross, difference, dot};
use crate::mesh::topology::HalfEdges;

/// Facets that meet at a smaller angle than this (radians) count as one: rounding of coordinates alone tilts them more.
pub const LEAST_ANGLE: f64 = 1e-4;

/// Facets that meet at this angle (radians) or more are meant to be an edge: a polygon, a chamfer.
pub const LARGEST_ANGLE: f64 = 0.65;

/// How far a chord of length `width` lies from the arc it stands for, where neighbouring chords meet at the angle `theta`
/// (radians): `width / 2 · tan(theta / 4)`.
pub fn sagitta(width: f64, theta: f64) -> f64 {
    0.5 * width * libm::tan(0.25 * theta)
}

/// An edge between two facets whose angle says that they approximate one curved surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FacetEdge {
    /// Its ends.
    pub vertices: [u32; 2],
    /// The triangles on its two sides.
    pub triangles: [u32; 2],
    /// Between the triangles' normals, radians; within ([`LEAST_ANGLE`], [`LARGEST_ANGLE`]).
    pub theta: f64,
    /// Whether the surface is hollow there, as in a bore; by exact predicate.
    pub concave: bool,
    /// The smaller of the two facets' widths: how far a facet reaches from the edge's line, in the mesh's unit.
    pub width: f64,
}

impl FacetEdge {
    /// How far the surface that was meant may lie from these facets, in the mesh's unit.
    pub fn sagitta(&self) -> f64 {
        sagitta(self.width, self.theta)
    }
}

/// The facets of a mesh: maximal sets of triangles connected over edges at which they are coplanar.
#[derive(Debug, Clone)]
pub struct Facets {
    /// The facet of each triangle.
    pub facet: Vec<u32>,
    /// How many there are.
    pub count: u32,
    /// The edges between facets of one curved surface, in order of their smaller end.
    pub edges: Vec<FacetEdge>,
}

/// The largest sagittas of a mesh, in its unit; 0 where no facets approximate a curved surface.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FacetErrors {
    /// At any edge.
    pub largest: f64,
    /// At a concave one.
    pub concave: f64,
}

/// The largest sagitta of a mesh, concave or convex, in its unit; `rounding` as in [`Facets::of`].
pub fn facet_error(mesh: &TriMesh, rounding: f64) -> f64 {
    facet_errors_over(mesh, &HalfEdges::of(&mesh.triangles, mesh.vertices.len()), rounding).largest
}

/// The largest sagittas of a mesh whose half-edges are known.
pub(crate) fn facet_errors_over(mesh: &TriMesh, half_edges: &HalfEdges, rounding: f64) -> FacetErrors {
    let surface = FacetSurface::of(mesh, half_edges, rounding);
    let mut errors = FacetErrors::default();
    for pair in surface.pairs().filter(|p| p.fold() == Fold::Bend) {
        if let Some(s) = surface.sagitta_above(&pair, errors.largest) {
            errors.largest = s;
            if is_concave(mesh, &pair) {
                errors.concave = s;
            }
        } else if errors.concave < errors.largest
            && is_concave(mesh, &pair)
            && let Some(s) = surface.sagitta_above(&pair, errors.concave)
        {
            errors.concave = s;
        }
    }
    errors
}

/// What concave edges say of the facets of a mesh.
#[derive(Debug, Clone)]
pub struct ConcaveFacets {
    /// The facet of each triangle.
    pub facet: Vec<u32>,
    /// Of each facet: the largest sagitta at a concave edge, in the mesh's unit; 0 where it has none.
    pub sagitta: Vec<f64>,
}

impl ConcaveFacets {
    /// Of a mesh whose indices are valid; facets, edges and `rounding` as in [`Facets::of`]. O(n log n).
    pub fn of(mesh: &TriMesh, rounding: f64) -> Self {
        let half_edges = HalfEdges::of(&mesh.triangles, mesh.vertices.len());
        let surface = FacetSurface::of(mesh, &half_edges, rounding);
        let mut sagitta = vec![0.0; surface.count as usize];
        for pair in surface.pairs().filter(|p| p.fold() == Fold::Bend) {
            if !is_concave(mesh, &pair) {
                continue;
            }
            let [a, b] = pair.triangles.map(|t| surface.facet[t as usize] as usize);
            if let Some(s) = surface.sagitta_above(&pair, lesser(sagitta[a], sagitta[b])) {
                sagitta[a] = greater(sagitta[a], s);
                sagitta[b] = greater(sagitta[b], s);
            }
        }
        Self { facet: surface.facet, sagitta }
    }
}

impl Facets {
    /// The facets of a mesh whose indices are valid. Only edges of exactly two triangles, one each way, connect or
    /// separate facets; triangles without area belong to no other's facet. Coordinates are off by up to `rounding` (in the
    /// mesh's unit; 0 where they are as they were meant): an angle that this may have made is none, so that a sliver in a
    /// plane face is no facet.
    pub fn of(mesh: &TriMesh, rounding: f64) -> Self {
        let half_edges = HalfEdges::of(&mesh.triangles, mesh.vertices.len());
        let surface = FacetSurface::of(mesh, &half_edges, rounding);
        let bends = surface.pairs().filter(|p| p.fold() == Fold::Bend);
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

/// Two triangles on either side of an edge, one each way, that meet at less than 90°.
struct TrianglePair {
    /// Of the edge, the smaller first.
    ends: [u32; 2],
    triangles: [u32; 2],
    /// Of the angle between the normals.
    sine_squared: f64,
    cosine: f64,
    /// Rounding of the coordinates may make an angle whose tangent is this.
    noise: f64,
}

/// What the angle between two triangles makes of them.
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
    /// Radians, from 0 to π/2.
    fn angle(&self) -> f64 {
        libm::atan2(self.sine_squared.sqrt(), self.cosine)
    }

    fn fold(&self) -> Fold {
        let is_below = |angle: f64, tangent: f64| {
            let (here, limit) = (self.sine_squared, (tangent * self.cosine) * (tangent * self.cosine));
            // Far from the limit, relative to the rounding of all this, squares of tangents will do.
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

/// The tangents of [`LEAST_ANGLE`] and [`LARGEST_ANGLE`], to eight digits: who is near to them asks for the angle.
const LEAST_TANGENT: f64 = 1e-4;
const LARGEST_TANGENT: f64 = 0.760_204_4;

/// A mesh with what is asked of its edges.
struct FacetSurface<'m> {
    mesh: &'m TriMesh,
    half_edges: &'m HalfEdges,
    /// Of coordinates.
    rounding: f64,
    /// Of each triangle, of length 1; zero where it has none.
    normals: Vec<[f64; 3]>,
    /// Of each triangle: its facet.
    facet: Vec<u32>,
    /// How many there are.
    count: u32,
    outlines: Outlines,
}

impl<'m> FacetSurface<'m> {
    fn of(mesh: &'m TriMesh, half_edges: &'m HalfEdges, rounding: f64) -> Self {
        let normals = mesh.triangles.iter().map(|t| normal(mesh, t)).collect();
        let outlines = Outlines::default();
        let mut surface = Self { mesh, half_edges, rounding, normals, facet: Vec::new(), count: 0, outlines };
        let mut sets = UnionFind::new(mesh.triangles.len());
        for pair in surface.pairs().filter(|p| p.fold() == Fold::Flat) {
            sets.union(pair.triangles[0], pair.triangles[1], false);
        }
        (surface.facet, surface.count) = sets.label();
        if (surface.count as usize) < mesh.triangles.len() {
            surface.outlines = Outlines::of(mesh, &surface.facet, surface.count, &surface.normals);
        }
        surface
    }

    /// In order of their edges.
    fn pairs(&self) -> impl Iterator<Item = TrianglePair> {
        self.half_edges.edges().filter_map(|e| {
            let [a, b] = e.uses else { return None };
            if a.reversed() == b.reversed() {
                return None;
            }
            let triangles = [a.face(), b.face()];
            let [na, nb] = triangles.map(|t| &self.normals[t as usize]);
            let cosine = dot(na, nb);
            // Cheap first: angles from 90° up, and triangles without a normal.
            (cosine > 0.0).then(|| TrianglePair {
                ends: [e.lo, e.hi],
                triangles,
                sine_squared: squared(&cross(na, nb)),
                cosine,
                noise: if self.rounding > 0.0 { self.noise(triangles) } else { 0.0 },
            })
        })
    }

    /// The tangent of the angle that two triangles in one plane may make: each is tilted by as much as a corner is off, over its
    /// least height.
    fn noise(&self, triangles: [u32; 2]) -> f64 {
        let of = |t: u32| {
            let [a, b, c] = self.mesh.triangles[t as usize].map(|i| &self.mesh.vertices[i as usize]);
            let [u, v, w] = [difference(b, a), difference(c, b), difference(a, c)];
            let longest = greater(squared(&u), greater(squared(&v), squared(&w)));
            (longest / squared(&cross(&u, &v))).sqrt()
        };
        self.rounding * (of(triangles[0]) + of(triangles[1]))
    }

    /// The smaller of the two facets' widths.
    fn width(&self, pair: &TrianglePair) -> f64 {
        lesser(self.reach(pair, 0), self.reach(pair, 1))
    }

    /// The sagitta at an edge if it is above `floor`; cheaper than all of it where it is not.
    fn sagitta_above(&self, pair: &TrianglePair, floor: f64) -> Option<f64> {
        // The tangent is convex and 0 at 0: that of a quarter of an angle is at most a quarter of its tangent. The factor
        // covers the rounding of both sides.
        let sine = pair.sine_squared.sqrt();
        let may_be_above = |width: f64| 0.125 * width * sine > 0.999_999 * floor * pair.cosine;
        let first = self.reach(pair, 0);
        if !may_be_above(first) {
            return None;
        }
        let width = lesser(first, self.reach(pair, 1));
        may_be_above(width).then(|| sagitta(width, pair.angle())).filter(|&s| s > floor)
    }

    /// How far the facet on one side of an edge reaches from its line.
    fn reach(&self, pair: &TrianglePair, side: usize) -> f64 {
        let [p, q] = pair.ends.map(|i| &self.mesh.vertices[i as usize]);
        let (t, along) = (pair.triangles[side], &difference(q, p));
        let across = unit(&cross(&self.normals[t as usize], along));
        let reach = |i: u32| dot(&across, &difference(&self.mesh.vertices[i as usize], p));
        // The edge may run either way along the triangle: its third corner tells the side.
        let triangle = self.mesh.triangles[t as usize];
        let own = triangle.iter().map(|&i| reach(i)).fold(0.0, |m: f64, x| if x.abs() > m.abs() { x } else { m });
        let side = if own < 0.0 { -1.0 } else { 1.0 };
        let outline = self.outlines.of_facet(self.facet[t as usize]);
        outline.iter().map(|&i| side * reach(i)).fold(own.abs(), greater)
    }
}

/// The unit normal of a triangle; zero where it has none.
fn normal(mesh: &TriMesh, t: &[u32; 3]) -> [f64; 3] {
    let [a, b, c] = t.map(|i| &mesh.vertices[i as usize]);
    unit(&cross(&difference(b, a), &difference(c, a)))
}

/// Scaled to length 1; zero where it has none.
fn unit(v: &[f64; 3]) -> [f64; 3] {
    let length = squared(v).sqrt();
    if length > 0.0 { v.map(|x| x / length) } else { [0.0; 3] }
}

fn squared(v: &[f64; 3]) -> f64 {
    dot(v, v)
}

/// Whether the second triangle rises above the plane of the first. Two of its corners lie in it.
fn is_concave(mesh: &TriMesh, pair: &TrianglePair) -> bool {
    let [first, second] = pair.triangles.map(|t| mesh.triangles[t as usize]);
    let [p, q, r] = first.map(|i| &mesh.vertices[i as usize]);
    let mut apex = second.iter().filter(|i| !pair.ends.contains(i));
    apex.any(|&i| orient3d(p, q, r, &mesh.vertices[i as usize]) > 0.0)
}
