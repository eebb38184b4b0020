//! Sums up the part of one surface of a pair inside the other solid.

use crate::geom::triangle::Triangle;
use crate::geom::union_find::UnionFind;
use crate::geom::{Mat3, Vec3};
use crate::measure::intersection::crossing_candidates::Triangles;
use crate::measure::intersection::perturbed_signs::{Crossing, Solid, crossing_sign};
use crate::shape::surface::Surface;
use crate::shape::surface::placed::PlacedSurface;
use crate::shape::surface::winding_number::winding_by;

/// Point of a crossing of an edge of one surface and a triangle of the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct End {
    pub crossing: Crossing,
    /// Position relative to the pair's local origin (mm).
    pub at: Vec3,
}

/// Segment in which two triangles cross, directed as on A's triangle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment {
    /// Triangle of A and triangle of B.
    pub triangles: [u32; 2],
    pub ends: [End; 2],
}

/// One surface of the pair, with access to the other. All points are in A's frame, B's as rounded by the pose.
#[derive(Clone, Copy)]
pub(crate) struct InsidePart<'a> {
    pub own: PlacedSurface<'a>,
    pub other: PlacedSurface<'a>,
    pub solid: Solid,
    /// Solid perturbed to break ties.
    pub moved: Solid,
    /// Local origin of the points (A's frame, mm).
    pub origin: Vec3,
    /// Triangles of this surface, without those certainly outside the other solid.
    pub near: &'a Triangles,
    /// True if shells of the other surface may overlap away from this one.
    pub may_overlap: bool,
}

/// Sums over the boundary of the common solid.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BoundarySums {
    /// Six times the volume (mm³).
    pub six: f64,
    /// Upper bound of twice the area (mm²).
    pub twice_area: f64,
    /// Surface that the sums now add to: 0 for A, 1 for B. A mesh of the common solid counts as A's.
    pub side: usize,
    /// Twice the area of each surface's part (mm²): the parts of one triangle are in one plane, so their area vectors
    /// add up.
    pub twice_areas: [f64; 2],
    /// Twice the area vector of each surface's part (mm²).
    pub twice_vectors: [Vec3; 2],
    /// Twice the integral of n·nᵀ over each surface's part, n its unit normal (mm²).
    pub twice_moments: [Mat3; 2],
}

/// Contradiction: some sign is wrong, or a surface is not closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Inconsistent;

impl<'a> InsidePart<'a> {
    pub(crate) fn surface(&self) -> &'a Surface {
        self.own.surface
    }

    /// Computes a vertex relative to the local origin (mm).
    #[inline]
    fn near(&self, v: u32) -> Vec3 {
        self.own.vertex(v) - self.origin
    }

    /// Computes the winding number of the other solid around a vertex.
    fn winding(&self, v: u32) -> i32 {
        let PlacedSurface { surface, pose } = self.other;
        winding_by(surface, pose, &self.own.vertex(v), |t, from, to| {
            crossing_sign(&self.other.corners(t), self.solid.other() != self.moved, from, to)
        })
    }

    /// Adds the part of this surface inside the other solid. Calls `visit` once for each inside vertex.
    pub(crate) fn add_inside(
        &self,
        segments: &[Segment],
        sums: &mut BoundarySums,
        visit: &mut impl FnMut(u32, Vec3),
    ) -> Result<(), Inconsistent> {
        let cuts = cuts_of(segments, self.solid);
        let mut inside = InsideCache::new(self, &self.near.single, &cuts, segments)?;
        let mut seen = vec![false; self.surface().vertices.len()];
        let mut see = |v: u32, at: &Vec3| {
            if !std::mem::replace(&mut seen[v as usize], true) {
                visit(v, *at);
            }
        };
        for range in &self.near.free {
            if inside.is_inside(self, self.surface().triangles[range.start as usize][0])? {
                for ids in &self.surface().triangles[range.start as usize..range.end as usize] {
                    let corners = ids.map(|v| self.near(v));
                    sums.add(&corners);
                    ids.iter().zip(&corners).for_each(|(v, at)| see(*v, at));
                }
            }
        }
        let mut rest = &cuts[..];
        for &t in &self.near.single {
            let ids = self.surface().triangles[t as usize];
            let own = take(&mut rest, t);
            if own.is_empty() {
                if inside.is_inside(self, ids[0])? {
                    let corners = ids.map(|v| self.near(v));
                    sums.add(&corners);
                    ids.iter().zip(&corners).for_each(|(v, at)| see(*v, at));
                }
                continue;
            }
            let mut corners = [None; 3];
            for k in 0..3 {
                if inside.is_inside(self, ids[k])? {
                    let at = self.near(ids[k]);
                    corners[k] = Some(at);
                    see(ids[k], &at);
                }
            }
            self.add_cut(&corners, own, segments, sums);
        }
        Ok(())
    }

    /// Adds the part of a triangle inside the other solid; `corners` are its inside corners.
    fn add_cut(&self, corners: &[Option<Vec3>; 3], own: &[(u32, u32)], segments: &[Segment], sums: &mut BoundarySums) {
        // Apex for the areas: a point of the triangle near the common solid, since a farther one would cost digits.
        let apex = segments[own[0].1 as usize].ends[0].at;
        let mut twice = Vec3::zeros();
        let mut gross = 0.0;
        let mut add = |p: &Vec3, q: &Vec3| {
            let area = p.cross(q);
            gross += area.norm();
            twice += area;
        };
        // For each edge: the ends of its inside parts minus their beginnings, relative to the first of them.
        let mut along = [(None, Vec3::zeros()); 3];
        for (_, k) in own {
            let [mut from, mut to] = segments[*k as usize].ends;
            if self.solid == Solid::B {
                (from, to) = (to, from);
            }
            let (p, q) = (from.at - apex, to.at - apex);
            add(&p, &q);
            for (end, at) in [(from, p), (to, q)] {
                if end.crossing.of == self.solid {
                    let (first, sum) = &mut along[end.crossing.edge];
                    first.get_or_insert(at);
                    *sum += if end.crossing.enters { -at } else { at };
                }
            }
        }
        for k in 0..3 {
            let (first, mut sum) = along[k];
            let (u, v) = (corners[k].map(|p| p - apex), corners[(k + 1) % 3].map(|p| p - apex));
            match (first, u, v) {
                (None, Some(u), Some(v)) => add(&u, &v),
                (None, ..) => {}
                (Some(first), u, v) => {
                    sum += v.unwrap_or_default();
                    sum -= u.unwrap_or_default();
                    add(&first, &sum);
                }
            }
        }
        sums.six += apex.dot(&twice);
        sums.twice_area += gross;
        sums.add_vector(&twice);
    }
}

impl BoundarySums {
    #[inline]
    pub(crate) fn add(&mut self, [a, b, c]: &Triangle) {
        let n = (b - a).cross(&(c - a));
        self.six += a.dot(&n);
        self.twice_area += n.norm();
        self.add_vector(&n);
    }

    #[inline]
    fn add_vector(&mut self, twice: &Vec3) {
        let area = twice.norm();
        self.twice_areas[self.side] += area;
        self.twice_vectors[self.side] += twice;
        if area > 0.0 {
            self.twice_moments[self.side] += twice * twice.transpose() / area;
        }
    }

    /// Area of the surface of the common solid (mm²).
    pub(crate) fn area(&self) -> f64 {
        0.5 * (self.twice_areas[0] + self.twice_areas[1])
    }

    /// Share in which the surfaces face one direction and its opposite only (0 to 1): 1 for a flat contact and for a
    /// pin through a plate without a hole, 0 for a ring. `None` if a part is missing.
    ///
    /// A ring has no area vector, and the normals of both its surfaces have two equal moments ½. A flat part has one
    /// moment 1. Four times the sum of the principal minors of n·nᵀ, averaged over a part, is 1 for the first and 0 for
    /// the second.
    pub(crate) fn one_sidedness(&self) -> Option<f64> {
        let [a, b] = self.twice_areas;
        if !(a > 0.0 && b > 0.0) {
            return None;
        }
        // The two vectors are opposite up to rounding.
        let vector = self.twice_vectors[usize::from(b < a)].norm() / a.min(b);
        let flat = [0, 1].map(|k| {
            let m = self.twice_moments[k] / self.twice_areas[k];
            let minor = |i: usize, j: usize| m[(i, i)] * m[(j, j)] - m[(i, j)] * m[(j, i)];
            1.0 - 4.0 * (minor(0, 1) + minor(0, 2) + minor(1, 2))
        });
        Some(flat.into_iter().fold(vector, f64::max).clamp(0.0, 1.0))
    }
}

/// Lists the segments on the triangles of one solid: triangle and segment, in increasing order.
pub(crate) fn cuts_of(segments: &[Segment], solid: Solid) -> Vec<(u32, u32)> {
    let mut cuts: Vec<(u32, u32)> = (0..).zip(segments).map(|(k, s)| (s.triangles[solid as usize], k)).collect();
    cuts.sort_unstable();
    cuts
}

/// Splits off the entries of the next triangle.
pub(crate) fn take<'c>(rest: &mut &'c [(u32, u32)], t: u32) -> &'c [(u32, u32)] {
    let count = rest.iter().take_while(|c| c.0 == t).count();
    let (own, others) = rest.split_at(count);
    *rest = others;
    own
}

/// Inside tests of a surface's vertices against the other solid. Vertices connected by an uncrossed edge share the
/// answer, crossed edges determine it.
struct InsideCache {
    sets: UnionFind,
    /// Answer at the root of each set.
    known: Vec<Option<bool>>,
}

impl InsideCache {
    fn new(half: &InsidePart, near: &[u32], cuts: &[(u32, u32)], segments: &[Segment]) -> Result<Self, Inconsistent> {
        let vertices = half.surface().vertices.len();
        let mut sets = UnionFind::new(vertices);
        let mut seeds: Vec<(u32, bool)> = Vec::new();
        let mut rest = cuts;
        for &t in near {
            let ids = half.surface().triangles[t as usize];
            let own = take(&mut rest, t);
            if own.is_empty() {
                sets.union(ids[0], ids[1], false);
                sets.union(ids[1], ids[2], false);
                continue;
            }
            // Entering minus leaving crossings of each edge.
            let mut balance = [0; 3];
            for (_, k) in own {
                for end in &segments[*k as usize].ends {
                    if end.crossing.of == half.solid {
                        balance[end.crossing.edge] += if end.crossing.enters { 1 } else { -1 };
                    }
                }
            }
            for (k, balance) in balance.into_iter().enumerate() {
                let (u, v) = (ids[k], ids[(k + 1) % 3]);
                match balance {
                    0 => _ = sets.union(u, v, false),
                    1 => seeds.extend([(u, false), (v, true)]),
                    -1 => seeds.extend([(u, true), (v, false)]),
                    _ => return Err(Inconsistent),
                }
            }
        }
        if !rest.is_empty() {
            return Err(Inconsistent);
        }
        let mut known = vec![None; vertices];
        for (v, inside) in seeds {
            let root = sets.find(v).0 as usize;
            if *known[root].get_or_insert(inside) != inside {
                return Err(Inconsistent);
            }
        }
        Ok(Self { sets, known })
    }

    /// Returns true if a vertex is inside the other solid.
    #[inline]
    fn is_inside(&mut self, half: &InsidePart, v: u32) -> Result<bool, Inconsistent> {
        let root = self.sets.find(v).0 as usize;
        if let Some(inside) = self.known[root] {
            return Ok(inside);
        }
        let inside = match half.winding(v) {
            0 => false,
            1 => true,
            2.. if half.may_overlap => true,
            _ => return Err(Inconsistent),
        };
        self.known[root] = Some(inside);
        Ok(inside)
    }
}
