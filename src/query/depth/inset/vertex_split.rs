//! Splits a vertex at reflex edges, where the inset faces move apart and a single position would hold them back.
//!
//! Each sector of triangles between two reflex edges gets its own position. Strips close the inset surface along the
//! edges, in small angular steps, and a cap closes it at the vertex. A single reflex edge may end at a vertex, for
//! example at the rim of a pocket. Then a flat edge on the other side of the vertex is split too; its strip stays in
//! the plane of the faces beside it. [`super::convex_split`] chooses the split edges of a convex vertex.

use crate::geom::Vec3;
use crate::geom::math::{greater, lesser};
use crate::geom::triangle::{Triangle, point_triangle};
use crate::query::depth::inset::coplanar_extent::{Plane, taller};
use crate::shape::surface::Surface;

/// Least sine of the inward bend at a split edge: at smaller bends a single position costs less than half a per cent.
const LEAST_SINE: f64 = 0.1;

/// Largest angular step of a strip about an edge (radians): half a step costs 1 − cos(0.1).
const MAX_STRIP_STEP: f64 = 0.2;

/// Largest absolute cosine between the normal of a face with the flat split edge and the normals of the two faces at
/// the reflex edge.
const OTHER_FACE_COSINE: f64 = 0.75;

/// Largest deficit of the normals' cosine below 1 for triangles of one face, in the choice of the flat edge.
const COPLANAR_COSINE_DEFICIT: f64 = 1e-9;

/// Largest distance of strips and cap from their features (multiples of τ). Up to it the split is scaled back to τ;
/// beyond it the vertex stays unsplit.
const MAX_SCALE_BACK: f64 = 1.02;

/// Triangles around a vertex, counter-clockwise seen from outside, in sectors between split edges.
#[derive(Clone)]
pub(crate) struct Sectors {
    /// Each triangle with its sector.
    pub around: Vec<(u32, usize)>,
    /// Split edges in the order of `around`.
    edges: Vec<SplitEdge>,
    pub count: usize,
}

/// Split edge between two sectors.
#[derive(Clone, Copy)]
struct SplitEdge {
    /// Index in `around` of the triangle before the edge.
    after: usize,
    /// Vertex at the other end.
    end: u32,
    kind: EdgeKind,
}

/// Kind of a split edge.
#[derive(Clone, Copy)]
enum EdgeKind {
    /// Reflex, with the inward bend of the surface (radians).
    Reflex(f64),
    /// Flat, paired with a single reflex edge.
    Flat,
    /// Convex. Both positions lie behind the face of this triangle beside the edge.
    Convex(u32),
}

/// Closed fan of triangles around a vertex, counter-clockwise seen from outside.
pub(crate) struct Ring {
    pub triangles: Vec<u32>,
    /// Other end of the edge after each triangle.
    pub ends: Vec<u32>,
}

impl Ring {
    /// Orders the triangles around a vertex. `None` unless they form one closed fan.
    pub(crate) fn of(s: &Surface, v: u32, around: &[u32]) -> Option<Self> {
        let first = *around.first()?;
        let mut ring = Self { triangles: Vec::with_capacity(around.len()), ends: Vec::with_capacity(around.len()) };
        let mut t = first;
        loop {
            ring.triangles.push(t);
            let k = (s.triangles[t as usize].iter().position(|&i| i == v)? + 2) % 3;
            let next = s.neighbor_of(t, k);
            if next == u32::MAX || ring.triangles.len() > around.len() {
                return None;
            }
            ring.ends.push(s.triangles[t as usize][k]);
            t = next;
            if t == first {
                break;
            }
        }
        (ring.triangles.len() == around.len()).then_some(ring)
    }

    pub(crate) fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Triangle `i`, counted around the vertex.
    pub(crate) fn triangle(&self, i: usize) -> u32 {
        self.triangles[i % self.len()]
    }

    /// Inward bend at the edge after triangle `i` (radians), as by [`bend`].
    pub(crate) fn bend(&self, s: &Surface, v: u32, i: usize) -> Option<f64> {
        bend(s, [v, self.ends[i]], [self.triangle(i), self.triangle(i + 1)])
    }
}

impl Sectors {
    /// Divides the triangles around a vertex. `None` unless they form one closed fan with at least two split edges.
    /// `flat` is the distance up to which a triangle counts as part of a plane (mm).
    pub(crate) fn of(s: &Surface, v: u32, around: &[u32], flat: f64) -> Option<Self> {
        let ring = Ring::of(s, v, around)?;
        let reflex = (0..ring.len()).filter_map(|after| {
            let angle = ring.bend(s, v, after)?;
            Some(SplitEdge { after, end: ring.ends[after], kind: EdgeKind::Reflex(angle) })
        });
        let mut edges: Vec<SplitEdge> = reflex.collect();
        if let [only] = edges[..] {
            edges.push(flat_edge(s, v, &ring, only.after, flat)?);
            edges.sort_unstable_by_key(|e| e.after);
        }
        (edges.len() >= 2).then(|| Self::between(&ring, edges))
    }

    /// Divides the triangles around a convex vertex at two edges, each given by the triangle before it and by the one
    /// beside it whose face both positions lie behind.
    pub(crate) fn of_convex(ring: &Ring, edges: [(usize, u32); 2]) -> Self {
        let edge =
            |(after, shared): (usize, u32)| SplitEdge { after, end: ring.ends[after], kind: EdgeKind::Convex(shared) };
        Self::between(ring, edges.map(edge).to_vec())
    }

    fn between(ring: &Ring, edges: Vec<SplitEdge>) -> Self {
        let count = edges.len();
        // The first sector continues after the last edge.
        let sector = |i: usize| edges.iter().filter(|e| e.after < i).count() % count;
        let around = ring.triangles.iter().enumerate().map(|(i, &t)| (t, sector(i))).collect();
        Self { around, edges, count }
    }

    /// The flat split edge, if there is one: the triangles on either side and the vertex at the other end.
    pub(crate) fn flat_edge(&self) -> Option<([u32; 2], u32)> {
        let e = self.edges.iter().find(|e| matches!(e.kind, EdgeKind::Flat))?;
        Some((self.sides(e).map(|(t, _)| t), e.end))
    }

    /// The triangles before and after an edge, each with its sector.
    fn sides(&self, e: &SplitEdge) -> [(u32, usize); 2] {
        [self.around[e.after], self.around[(e.after + 1) % self.around.len()]]
    }

    /// Triangles of a sector, and those beyond its convex split edges whose faces its position lies behind.
    pub(crate) fn faces(&self, sector: usize) -> Vec<u32> {
        let own = self.around.iter().filter(|r| r.1 == sector).map(|r| r.0);
        own.chain(self.shared().filter(|s| s.1 == sector).map(|s| s.0)).collect()
    }

    /// Triangles beside convex split edges, each with the sector beyond the edge whose position lies behind its face.
    fn shared(&self) -> impl Iterator<Item = (u32, usize)> {
        self.edges.iter().filter_map(|e| {
            let EdgeKind::Convex(shared) = e.kind else { return None };
            let [before, after] = self.sides(e);
            Some((shared, if before.0 == shared { after.1 } else { before.1 }))
        })
    }

    /// Triangle whose face both positions at the edge to `end` lie behind, if this edge is a convex split edge.
    pub(crate) fn shared_at(&self, end: u32) -> Option<u32> {
        self.edges.iter().find_map(|e| match e.kind {
            EdgeKind::Convex(shared) if e.end == end => Some(shared),
            _ => None,
        })
    }

    /// True if the split edges are convex.
    pub(crate) fn are_convex(&self) -> bool {
        self.edges.iter().all(|e| matches!(e.kind, EdgeKind::Convex(_)))
    }

    pub(crate) fn sector(&self, t: u32) -> usize {
        self.around.iter().find(|r| r.0 == t).map_or(0, |r| r.1)
    }
}

/// Chooses a flat edge for a single reflex edge, given by the triangle `reflex` before it in the ring. The two
/// triangles at the flat edge are coplanar up to `flat` (mm) and lie in neither face of the reflex edge. The most
/// inward such edge is taken.
fn flat_edge(s: &Surface, v: u32, ring: &Ring, reflex: usize, flat: f64) -> Option<SplitEdge> {
    let normal = |i: usize| s.normal_if_cheap(ring.triangle(i));
    let sides = [normal(reflex), normal(reflex + 1)];
    let inward = -(sides[0] + sides[1]);
    let at = s.vertices[v as usize];
    let mut best = (f64::NEG_INFINITY, None);
    for (after, &end) in ring.ends.iter().enumerate() {
        let Some(own) = coplanar(s, [ring.triangle(after), ring.triangle(after + 1)], flat) else { continue };
        let n = s.normal_if_cheap(own);
        if sides.iter().any(|m| m.dot(&n).abs() > OTHER_FACE_COSINE) {
            continue;
        }
        let Some(way) = (s.vertices[end as usize] - at).try_normalize(0.0) else { continue };
        let deep = way.dot(&inward);
        if deep > best.0 {
            best = (deep, Some(SplitEdge { after, end, kind: EdgeKind::Flat }));
        }
    }
    best.1
}

/// The taller of two triangles that lie in one plane and face the same way, by their normals or up to a distance of
/// `flat` (mm). `None` for others. The coordinates of a file are rounded, which tilts slivers.
pub(crate) fn coplanar(s: &Surface, [t, next]: [u32; 2], flat: f64) -> Option<u32> {
    let own = taller(s, [t, next]);
    let other = if own == t { next } else { t };
    let cosine = s.normal_if_cheap(own).dot(&s.normal_if_cheap(other));
    let plane = Plane::of(s, own);
    let is_near = || s.triangle(other).iter().all(|p| plane.height(p).abs() <= flat);
    (cosine >= 1.0 - COPLANAR_COSINE_DEFICIT || (cosine > 0.0 && is_near())).then_some(own)
}

/// Inward bend of the surface at the edge of two triangles (radians); `None` for convex and nearly flat edges. The
/// result is the same from both ends.
pub(crate) fn bend(s: &Surface, [v, end]: [u32; 2], [t, next]: [u32; 2]) -> Option<f64> {
    let d = (s.vertices[end as usize] - s.vertices[v as usize]).try_normalize(0.0)?;
    let (n, m) = (s.normal_if_cheap(t), s.normal_if_cheap(next));
    let (sine, cosine) = (d.dot(&n.cross(&m)), n.dot(&m));
    (sine > LEAST_SINE || (sine > 0.0 && cosine < 0.0)).then(|| libm::atan2(sine, cosine))
}

/// Offset positions of a vertex in each sector and on the strips in between (solid's frame, mm).
pub(crate) struct VertexSplit {
    pub sectors: Sectors,
    /// Position of each sector.
    pub places: Vec<Vec3>,
    /// Positions along the strip of each split edge, counter-clockwise.
    strips: Vec<Vec<Vec3>>,
    /// Largest distance of the cap and the reflex strips from the features they belong to (multiples of τ, at most
    /// [`MAX_SCALE_BACK`]).
    pub farthest: f64,
}

impl VertexSplit {
    /// Builds strips and cap between given positions. `None` if these move too far.
    pub(crate) fn new(s: &Surface, v: u32, sectors: Sectors, places: Vec<Vec3>, tau: f64) -> Option<Self> {
        let at = s.vertices[v as usize];
        let mut strips = Vec::with_capacity(sectors.count);
        let mut farthest: f64 = 0.0;
        for e in &sectors.edges {
            let [from, to] = sectors.sides(e).map(|(_, sector)| places[sector]);
            let EdgeKind::Reflex(angle) = e.kind else {
                strips.push(vec![from, to]);
                continue;
            };
            let way = s.vertices[e.end as usize] - at;
            let strip = arc(&from, &to, &way, angle)?;
            farthest = strip.iter().map(|d| off_segment(d, &way)).fold(farthest, greater);
            strips.push(strip);
        }
        let mut split = Self { sectors, places, strips, farthest };
        let reflex = split.sectors.edges.iter().filter(|e| matches!(e.kind, EdgeKind::Reflex(_)));
        let ways: Vec<Vec3> = reflex.map(|e| s.vertices[e.end as usize] - at).collect();
        let all = |cap: &[Vec3; 3], off: &dyn Fn(&Vec3) -> f64| cap.iter().map(off).fold(0.0, greater);
        for cap in split.cap() {
            let mut off = all(&cap, &|d| d.norm());
            for way in &ways {
                off = lesser(off, all(&cap, &|d| off_segment(d, way)));
            }
            if off > tau {
                for &(t, _) in &split.sectors.around {
                    if off <= split.farthest {
                        break;
                    }
                    off = lesser(off, farthest_corner(&cap.map(|d| at + d), &s.triangle(t), off));
                }
            }
            split.farthest = greater(split.farthest, off);
        }
        split.farthest /= tau;
        (split.farthest <= MAX_SCALE_BACK).then_some(split)
    }

    /// The same split with mapped positions.
    pub(crate) fn mapped(&self, place: impl Fn(&Vec3) -> Vec3) -> Self {
        let all = |list: &[Vec3]| list.iter().map(&place).collect();
        Self {
            sectors: self.sectors.clone(),
            places: all(&self.places),
            strips: self.strips.iter().map(|s| all(s)).collect(),
            farthest: self.farthest,
        }
    }

    /// Positions along the strip of the edge to `end`, counter-clockwise; `None` if this edge is not split.
    pub(crate) fn strip(&self, end: u32) -> Option<&[Vec3]> {
        let e = self.sectors.edges.iter().position(|e| e.end == end)?;
        Some(&self.strips[e])
    }

    /// Positions behind the face of a triangle: that of its own sector, and others that share the face.
    pub(crate) fn behind(&self, t: u32) -> impl Iterator<Item = Vec3> {
        let shared = self.sectors.shared().filter(move |s| s.0 == t).map(|s| s.1);
        std::iter::once(self.sectors.sector(t)).chain(shared).map(|sector| self.places[sector])
    }

    /// Triangles over all positions around the vertex, facing outward.
    pub(crate) fn cap(&self) -> Vec<[Vec3; 3]> {
        // The next strip begins at the end of this one.
        let ring: Vec<Vec3> = self.strips.iter().flat_map(|s| s[..s.len() - 1].iter().copied()).collect();
        (2..ring.len()).map(|k| [ring[0], ring[k - 1], ring[k]]).collect()
    }
}

/// Arc between two positions about an edge leaving the vertex by `way`, in steps of at most [`MAX_STRIP_STEP`] of
/// `angle`.
pub(crate) fn arc(from: &Vec3, to: &Vec3, way: &Vec3, angle: f64) -> Option<Vec<Vec3>> {
    let axis = way.try_normalize(0.0)?;
    let along = [from.dot(&axis), to.dot(&axis)];
    let (p, q) = (from - axis * along[0], to - axis * along[1]);
    let (u, v) = (p.try_normalize(0.0)?, q.try_normalize(0.0)?);
    let turn = libm::atan2(u.cross(&v).norm(), u.dot(&v));
    let steps = libm::ceil(angle / MAX_STRIP_STEP).max(1.0);
    let mut out = Vec::with_capacity(steps as usize + 1);
    out.push(*from);
    for k in 1..steps as u32 {
        let share = f64::from(k) / steps;
        let (a, b) = (libm::sin((1.0 - share) * turn), libm::sin(share * turn));
        let around = (u * a + v * b).try_normalize(0.0)?;
        let radius = p.norm() * (1.0 - share) + q.norm() * share;
        out.push(around * radius + axis * (along[0] * (1.0 - share) + along[1] * share));
    }
    out.push(*to);
    Some(out)
}

/// Largest distance of three points from a triangle, or any number of at least `limit` if it is at least `limit` (mm).
fn farthest_corner(points: &[Vec3; 3], triangle: &Triangle, limit: f64) -> f64 {
    let mut farthest = 0.0;
    for x in points {
        farthest = greater(farthest, point_triangle(x, triangle).squared.sqrt());
        if farthest >= limit {
            break;
        }
    }
    farthest
}

/// Distance of a point from the segment between the origin and `way`.
fn off_segment(d: &Vec3, way: &Vec3) -> f64 {
    let share = lesser(greater(d.dot(way) / way.norm_squared(), 0.0), 1.0);
    (d - way * share).norm()
}
