//! Divides long edges, so that a vertex with a short offset holds back only what lies close to it.
//!
//! A face moves as far as its vertices do. A vertex at a narrow step moves by less than τ, and without division every
//! long face at it would lag behind along its whole length. Two points divide a long edge, one near each end. The
//! offset of such a point depends on the two faces at the edge alone, so nearly always both move by the full τ there.

use crate::geom::Vec3;
use crate::geom::math::lesser;
use crate::geom::triangle::Triangle;
use crate::query::depth::inset::surface::InsetSurface;
use crate::query::depth::inset::vertex_offset::known;
use crate::query::depth::inset::vertex_split::{arc, bend};
use crate::shape::surface::Surface;
use std::rc::Rc;

/// Distance of a dividing point from its end of the edge (multiples of τ): its foot lies on the face of a blunt edge.
const FROM_END: f64 = 2.0;

/// Least length of a divided edge (multiples of τ): shorter edges gain little.
const LEAST_LENGTH: f64 = 8.0;

/// Reduction of an offset (share of τ): keeps the rounding of distance tests below τ.
const SHRINK_SHARE: f64 = 1e-9;

/// Edge of two triangles, seen from the one with the lower index: the edge after its corner `k`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edge {
    first: u32,
    k: usize,
    second: u32,
}

impl Edge {
    /// Edge after corner `k` of triangle `t`. `None` unless exactly two triangles share it, in opposite directions.
    pub(crate) fn of(s: &Surface, t: u32, k: usize) -> Option<Self> {
        let other = s.neighbor_of(t, k);
        if other == u32::MAX {
            return None;
        }
        let ids = s.triangles[t as usize];
        let theirs = s.triangles[other as usize];
        let back = (0..3).find(|&j| theirs[j] == ids[(k + 1) % 3] && theirs[(j + 1) % 3] == ids[k])?;
        let mutual = s.neighbor_of(other, back) == t && other != t;
        if !mutual {
            return None;
        }
        Some(if t < other { Self { first: t, k, second: other } } else { Self { first: other, k: back, second: t } })
    }

    /// Number of the edge, unique in its surface.
    fn key(self) -> u32 {
        3 * self.first + self.k as u32
    }

    /// Vertices at the ends, in the direction of the first triangle.
    fn ends(self, s: &Surface) -> [u32; 2] {
        let ids = s.triangles[self.first as usize];
        [ids[self.k], ids[(self.k + 1) % 3]]
    }
}

/// Offset that the two faces of an edge demand, in the solid's frame (mm).
enum Demand {
    /// Positions about a reflex edge, from the first triangle to the second.
    Arc(Vec<Vec3>),
    One(Vec3),
}

/// Two points of an edge, in the direction of its first triangle.
struct Division {
    points: [Vec3; 2],
    demand: Demand,
}

/// Offset positions of the two points of a divided edge (A's frame, mm), in the direction of its first triangle. Each
/// point has one position, or several from the first triangle to the second.
pub(crate) struct EdgeCut {
    pub edge: Edge,
    pub places: [Vec<Vec3>; 2],
}

impl EdgeCut {
    /// Positions on one of the two triangles, in its own direction.
    pub(crate) fn seen_from(&self, t: u32) -> [Vec3; 2] {
        let [near, far] = &self.places;
        if t == self.edge.first { [near[0], far[0]] } else { [far[far.len() - 1], near[near.len() - 1]] }
    }
}

impl InsetSurface<'_> {
    /// Positions on the edge after corner `k` of a triangle; `None` if the edge is not divided.
    pub(crate) fn edge_cut(&self, t: u32, k: usize) -> Option<Rc<EdgeCut>> {
        if !self.divides_edges {
            return None;
        }
        let edge = Edge::of(self.surface, t, k)?;
        if !edge.ends(self.surface).iter().any(|&v| self.moves(v)) {
            return None;
        }
        known(&self.cuts, edge.key(), || self.division(edge).map(|division| Rc::new(self.cut(edge, &division))))
    }

    /// False if no edge of a triangle is long enough to be divided.
    pub(super) fn may_divide(&self, t: u32) -> bool {
        self.divides_edges && {
            let ([a, b, c], least) = (self.surface.triangle(t), LEAST_LENGTH * self.tau);
            [b - a, c - b, a - c].iter().any(|way| way.norm() >= least)
        }
    }

    fn edge_between(&self, v: u32, end: u32, around: &[u32]) -> Option<Edge> {
        let s = self.surface;
        around.iter().find_map(|&t| {
            let ids = s.triangles[t as usize];
            let k = (0..3).find(|&k| ids[k] == v && ids[(k + 1) % 3] == end)?;
            Edge::of(s, t, k)
        })
    }

    /// Intended positions of the points that divide the edges of a triangle, each with the number of the corner near it
    /// (solid's frame, mm). Leaves out those with a foot on their edge.
    pub(crate) fn edge_wishes(&self, t: u32) -> Vec<(usize, Vec3)> {
        let mut wishes = Vec::new();
        for k in 0..3 {
            let edge = if self.divides_edges { Edge::of(self.surface, t, k) } else { None };
            let Some((edge, division)) = edge.and_then(|edge| Some((edge, self.division(edge)?))) else { continue };
            let Demand::One(d) = division.demand else { continue };
            let [near, far] = if edge.first == t { [k, (k + 1) % 3] } else { [(k + 1) % 3, k] };
            wishes.extend([(near, division.points[0] + d), (far, division.points[1] + d)]);
        }
        wishes
    }

    /// Intended position of the point of a divided edge next to the vertex `v`; `None` if it has several (solid's
    /// frame, mm).
    pub(crate) fn point_near(&self, v: u32, end: u32, around: &[u32]) -> Option<Vec3> {
        let edge = self.divides_edges.then(|| self.edge_between(v, end, around)).flatten()?;
        let division = self.division(edge)?;
        let near = division.points[usize::from(edge.ends(self.surface)[0] != v)];
        match division.demand {
            Demand::Arc(_) => None,
            Demand::One(d) => Some(near + d),
        }
    }

    /// Points of an edge and their offset; `None` for a short edge, and at a dropped triangle.
    fn division(&self, edge: Edge) -> Option<Division> {
        let s = self.surface;
        let [from, to] = edge.ends(s);
        let [p, q] = [from, to].map(|v| s.vertices[v as usize]);
        let way = q - p;
        let length = way.norm();
        if length < LEAST_LENGTH * self.tau || s.is_rough(from) || s.is_rough(to) {
            return None;
        }
        let step = way * (FROM_END * self.tau / length);
        let tau = self.tau * (1.0 - SHRINK_SHARE);
        let [n, m] = [edge.first, edge.second].map(|t| s.normal_if_cheap(t));
        let reflex = bend(s, [to, from], [edge.first, edge.second]);
        let about = reflex.and_then(|angle| arc(&(n * -tau), &(m * -tau), &way, angle));
        let demand = about.map_or_else(|| Demand::One(self.between(&way, &n, &m, tau)), Demand::Arc);
        Some(Division { points: [p + step, q - step], demand })
    }

    /// Displacement of a point of an edge that moves both faces by `tau` if the edge is convex, limited in length; by
    /// `tau` itself if the edge is reflex (mm).
    fn between(&self, way: &Vec3, n: &Vec3, m: &Vec3, tau: f64) -> Vec3 {
        let mean = n + m;
        if way.dot(&n.cross(m)) < 0.0 {
            return mean.try_normalize(0.0).map_or_else(Vec3::zeros, |mean| mean * -tau);
        }
        let most = self.farthest_on_edge();
        // The miter has the length 2·τ / |n + m|.
        let length = mean.norm();
        if length <= 0.0 {
            return Vec3::zeros();
        }
        mean * (-lesser(2.0 * tau / length, most) / length)
    }

    fn cut(&self, edge: Edge, division: &Division) -> EdgeCut {
        let ends = edge.ends(self.surface);
        let places = [0, 1].map(|i| {
            let x = &division.points[i];
            match &division.demand {
                Demand::Arc(about) => about.iter().map(|d| self.placed(x, d)).collect(),
                Demand::One(d) => vec![self.placed(x, &self.limited(edge, ends[i], x, d))],
            }
        });
        EdgeCut { edge, places }
    }

    /// Scales the displacement of a point near the vertex `v` back until it is within τ of both triangles, or of the
    /// faces continuing in their planes.
    fn limited(&self, edge: Edge, v: u32, x: &Vec3, d: &Vec3) -> Vec3 {
        let mut around = Vec::with_capacity(12);
        self.surface.around_into(v, &mut around);
        let farthest = self.farthest(x, d, &[edge.first, edge.second], &around);
        if farthest > self.tau { d * (self.tau / farthest * (1.0 - SHRINK_SHARE)) } else { *d }
    }
}

/// Triangles of a face with displaced corners and displaced points on its edges. The points of edge `k` lie between
/// corner `k` and the next, in this order. Each triangle has an area on the original face.
pub(crate) fn divided_face(corners: &[Vec3; 3], cuts: &[Option<[Vec3; 2]>; 3], out: &mut Vec<Triangle>) {
    let next = |k: usize| (k + 1) % 3;
    for k in 0..3 {
        if let (Some(before), Some(after)) = (cuts[(k + 2) % 3], cuts[k]) {
            out.push([corners[k], after[0], before[1]]);
        }
    }
    match *cuts {
        [None, None, None] => out.push(*corners),
        [Some(a), Some(b), Some(c)] => {
            out.extend([[a[0], a[1], b[0]], [a[0], b[0], b[1]], [a[0], b[1], c[0]], [a[0], c[0], c[1]]]);
        }
        _ => {
            // Names the edges from the first of one divided edge, or of two.
            let k = (0..3).find(|&k| cuts[k].is_some() && cuts[(k + 2) % 3].is_none()).unwrap_or(0);
            let (p, q, r) = (corners[k], corners[next(k)], corners[next(next(k))]);
            match (cuts[k], cuts[next(k)]) {
                (Some(a), None) => out.extend([[p, a[0], r], [a[0], a[1], r], [a[1], q, r]]),
                (Some(a), Some(b)) => {
                    out.extend([[p, a[0], b[1]], [p, b[1], r], [a[0], a[1], b[0]], [a[0], b[0], b[1]]]);
                }
                (None, _) => {}
            }
        }
    }
}
