//! The triangles of a part, ready for exact queries.

pub(crate) mod adjacency;
pub(crate) mod boundary;
pub(crate) mod bvh_build;
#[cfg(test)]
mod bvh_build_tests;
pub(crate) mod bvh_fit;
pub(crate) mod bvh_node;
pub(crate) mod bvh_obb_f32;
pub mod generalized_winding;
pub(crate) mod nearest;
pub(crate) mod placed;
pub mod winding_number;

use crate::geom::math::{greater, lesser};
use crate::geom::predicates::{accurate_normal, collinear};
use crate::geom::{Aabb, Vec3};
use crate::mesh::TriMesh;
use crate::shape::self_union::{Resolution, SelfUnion, asked, resolve};
use crate::shape::surface::adjacency::Adjacency;
use std::sync::OnceLock;

pub(crate) use crate::shape::surface::boundary::BoundaryEdge;
pub(crate) use crate::shape::surface::bvh_build::Tree;
pub(crate) use crate::shape::surface::bvh_node::{Below, Node, SKEW};
pub(crate) use crate::shape::surface::bvh_obb_f32::{Motion, PlacedObb};
pub use crate::shape::surface::nearest::Nearest;

/// Of larger surfaces than this (triangles) the edges are not sorted for the sake of some vertices.
const SORT_AT_ONCE: usize = 50_000;

/// Normals of all triangles of a surface that has no more than this cost little.
const LISTED_UP_TO: usize = 20_000;

/// Whether a surface tells inside from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inside {
    /// Closed, balanced, and encloses a volume: the winding number says what is inside.
    Solid,
    /// Open, not orientable, or enclosing nothing.
    Undefined,
}

/// Triangles of a part in its centred frame (mm). Those without area (exactly collinear corners) are left out.
#[derive(Debug)]
pub struct Surface {
    /// Of the mesh, less the origin. Some may be in no triangle.
    pub vertices: Vec<Vec3>,
    /// Corners, counter-clockwise seen from outside, in the order of the tree's leaves.
    pub triangles: Vec<[u32; 3]>,
    /// Of each triangle, its index in the mesh.
    pub source: Vec<u32>,
    /// A vertex of every set of triangles that hang together by vertices, in increasing order.
    pub shells: Vec<u32>,
    /// The triangles without area.
    flat: Vec<[u32; 3]>,
    /// Their vertices, in increasing order.
    rough: Vec<u32>,
    /// Whether winding numbers mean anything.
    pub inside: Inside,
    /// Box of the triangles; empty where there is none.
    pub bounds: Aabb,
    tree: Tree,
    adjacency: OnceLock<Adjacency>,
    normals: OnceLock<Vec<Vec3>>,
    inward: OnceLock<Vec<Vec3>>,
    miter: OnceLock<f64>,
    rim: OnceLock<Vec<BoundaryEdge>>,
    resolved: OnceLock<Resolution>,
    volume: OnceLock<f64>,
}

/// The triangles that are not among `kept` (increasing indices).
fn others(triangles: &[[u32; 3]], kept: &[u32]) -> Vec<[u32; 3]> {
    let mut kept = kept.iter().copied().peekable();
    (0_u32..).zip(triangles).filter(|(t, _)| kept.next_if_eq(t).is_none()).map(|(_, corners)| *corners).collect()
}

impl Surface {
    /// Takes the triangles of a mesh, `origin` subtracted from every vertex. O(n log n).
    pub fn new(mesh: &TriMesh, origin: &Vec3, inside: Inside) -> Self {
        Self::of(mesh.vertices.iter().map(|v| v - origin).collect(), &mesh.triangles, inside)
    }

    /// Over vertices in the centred frame.
    pub(crate) fn of(vertices: Vec<Vec3>, all: &[[u32; 3]], inside: Inside) -> Self {
        let mut source: Vec<u32> = (0..all.len() as u32)
            .filter(|&t| {
                let [a, b, c] = all[t as usize].map(|v| vertices[v as usize]);
                !collinear(&a, &b, &c)
            })
            .collect();
        let flat = others(all, &source);
        let mut rough: Vec<u32> = flat.iter().flatten().copied().collect();
        rough.sort_unstable();
        rough.dedup();
        let tree = Tree::new(&vertices, all, &mut source);
        let triangles: Vec<[u32; 3]> = source.iter().map(|&t| all[t as usize]).collect();
        let shells = crate::shape::surface::adjacency::shells(&triangles, vertices.len());
        let bounds = Aabb::of_points(triangles.iter().flatten().map(|&v| &vertices[v as usize]));
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
            resolved: OnceLock::new(),
            volume: OnceLock::new(),
        }
    }

    /// The boundary of the solid: the surface itself, or what is left of it where shells overlap and that could be resolved.
    /// The first call looks for triangles that meet, about as long as it took to build the tree, and resolves what it finds.
    pub fn solid(&self) -> &Self {
        match self.resolved() {
            Resolution::Into { surface, .. } => surface,
            Resolution::Clean | Resolution::Failed(_) => self,
        }
    }

    /// Whether parts of the surface lie inside the solid. The first call costs what [`Self::solid`] does.
    pub fn overlaps(&self) -> SelfUnion {
        self.resolved().kind()
    }

    /// What [`Self::overlaps`] says, if anything has asked before.
    pub fn known_overlaps(&self) -> Option<SelfUnion> {
        self.resolved.get().map(Resolution::kind)
    }

    fn resolved(&self) -> &Resolution {
        asked::note(self);
        self.resolved.get_or_init(|| if self.inside == Inside::Solid { resolve(self) } else { Resolution::Clean })
    }

    /// Takes note that the surface is the boundary of its solid, and that its triangles are pieces of these.
    pub(crate) fn as_self_union(mut self, source: impl Fn(u32) -> u32) -> Self {
        self.source.iter_mut().for_each(|t| *t = source(*t));
        self.resolved = OnceLock::from(Resolution::Clean);
        self
    }

    /// Corners of all triangles, those without area last: together they close where the mesh does.
    pub(crate) fn all_triangles(&self) -> impl Iterator<Item = &[u32; 3]> {
        self.triangles.iter().chain(&self.flat)
    }

    /// Whether every edge is used as often one way as the other, triangles without area included.
    pub(crate) fn is_closed(&self) -> bool {
        crate::shape::surface::boundary::boundary_edges(self.all_triangles()).is_empty()
    }

    /// Whether a triangle without area was left out at this vertex.
    pub fn is_rough(&self, v: u32) -> bool {
        self.rough.binary_search(&v).is_ok()
    }

    /// The corners of a triangle (mm).
    #[inline]
    pub fn triangle(&self, t: u32) -> [Vec3; 3] {
        self.triangles[t as usize].map(|v| self.vertices[v as usize])
    }

    /// What the triangles enclose (mm³), of a closed surface; the first call sums it up. O(n).
    pub fn volume(&self) -> f64 {
        *self.volume.get_or_init(|| {
            let middle = self.bounds.center();
            let six = |[a, b, c]: [Vec3; 3]| (a - middle).dot(&(b - a).cross(&(c - a)));
            (0..self.triangles.len() as u32).map(|t| six(self.triangle(t))).sum::<f64>() / 6.0
        })
    }

    /// Unit outward normal of a triangle, right to a few roundings also for slivers.
    pub fn normal(&self, t: u32) -> Vec3 {
        let [a, b, c] = self.triangle(t);
        let n = accurate_normal(&a, &b, &c);
        // A sliver of a far-off part may underflow when squared; scaled by its largest entry it does not.
        let n = n / n.amax();
        n / n.norm()
    }

    /// The same, from the list where there is one or the surface is small: for who asks for some again and again.
    pub fn normal_if_cheap(&self, t: u32) -> Vec3 {
        if self.triangles.len() <= LISTED_UP_TO || self.normals.get().is_some() {
            self.cached_normal(t)
        } else {
            self.normal(t)
        }
    }

    /// The same, from a list that the first call makes: for who asks for many again and again. O(n).
    pub fn cached_normal(&self, t: u32) -> Vec3 {
        self.normals.get_or_init(|| (0..self.triangles.len() as u32).map(|t| self.normal(t)).collect())[t as usize]
    }

    /// Of each vertex a direction that leads inward from all triangles at it, where their normals, weighted by their angles, agree on
    /// one: a unit vector, or zero at vertices of triangles without area. The first call is O(n).
    pub(crate) fn inward(&self) -> &[Vec3] {
        self.inward.get_or_init(|| {
            let mut sum = vec![Vec3::zeros(); self.vertices.len()];
            for (t, ids) in (0..).zip(&self.triangles) {
                let (corners, normal) = (self.triangle(t), self.normal_if_cheap(t));
                for k in 0..3 {
                    let (e, f) = (corners[(k + 1) % 3] - corners[k], corners[(k + 2) % 3] - corners[k]);
                    sum[ids[k] as usize] -= normal * libm::atan2(e.cross(&f).norm(), e.dot(&f));
                }
            }
            self.rough.iter().for_each(|&v| sum[v as usize] = Vec3::zeros());
            sum.into_iter().map(|d| d.try_normalize(0.0).unwrap_or_else(Vec3::zeros)).collect()
        })
    }

    /// How far the farthest vertex goes along [`Self::inward`] while no plane at it goes by less than 1: `most` where that is more, or
    /// where the surface is so large that asking all of it costs much. The first call is O(n).
    pub(crate) fn miter(&self, most: f64) -> f64 {
        if self.triangles.len() > LISTED_UP_TO {
            return most;
        }
        let least = self.miter.get_or_init(|| {
            let inward = self.inward();
            let cosines = (0..).zip(&self.triangles).flat_map(|(t, ids)| {
                let n = self.cached_normal(t);
                ids.iter().map(move |&v| &inward[v as usize]).filter(|d| **d != Vec3::zeros()).map(move |d| -n.dot(d))
            });
            cosines.fold(1.0, lesser)
        });
        1.0 / greater(*least, 1.0 / most)
    }

    /// The triangle on the other side of edge `k` (from corner `k` to corner `k + 1`), `u32::MAX` where the edge is not one
    /// of exactly two triangles, one each way. The first call sorts all edges, O(n log n).
    pub fn neighbor(&self, t: u32, k: usize) -> u32 {
        self.adjacency().across[t as usize][k]
    }

    /// The triangles around a vertex, in increasing order. The first call sorts all edges, O(n log n).
    pub fn triangles_around(&self, v: u32) -> &[u32] {
        self.adjacency().around(v)
    }

    /// The edges that triangles do not use as often one way as the other: where a surface ends or turns over. The first call
    /// sorts all edges, O(n log n).
    pub(crate) fn boundary_edges(&self) -> &[BoundaryEdge] {
        self.rim.get_or_init(|| crate::shape::surface::boundary::boundary_edges(&self.triangles))
    }

    /// The tree over the triangles.
    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The triangles around a vertex, in increasing order, into a list of the caller's. Of large surfaces whose edges were not
    /// sorted yet the tree is asked.
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

    /// As [`Self::neighbor`]. Of large surfaces whose edges were not sorted yet the tree is asked.
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
            // The last has no area.
            triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 4, 1]],
        }
    }

    #[test]
    fn triangles_without_area_are_left_out_and_the_rest_keep_their_neighbours() {
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
    fn a_surface_without_triangles_answers() {
        let s = Surface::new(&TriMesh::default(), &Vec3::zeros(), Inside::Undefined);
        assert!(s.shells.is_empty() && s.nearest(&Vec3::zeros(), f64::INFINITY).is_none());
        s.within(&Vec3::zeros(), 1.0, |_| panic!("there is none"));
    }
}
