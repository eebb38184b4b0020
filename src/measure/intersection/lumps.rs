//! Lists the corners of each lump of the common solid.
//!
//! The corners are the vertices of each surface inside the other solid, and the crossings of edges and faces. Two
//! corners belong to one lump if an edge of the common solid joins them: a segment in which two faces cross, or a part
//! of an edge inside the other solid. A face with a hole joins the corners of all its outlines. So each connected
//! boundary has all its corners in one list. Several boundaries may share a list. *The hull of the corners contains the
//! lump* (docs/explanation/numerics.md).

use crate::geom::Vec3;
use crate::geom::math::{UNIT_ROUNDOFF, greater, lesser};
use crate::geom::union_find::UnionFind;
use crate::measure::intersection::Crossings;
use crate::measure::intersection::inside_part::{Segment, cuts_of, take};
use crate::measure::intersection::perturbed_signs::Solid;
use crate::query::triangles::pairing::Pairing;
use crate::shape::surface::placed::PlacedSurface;
use std::ops::Range;

/// Bound of the rounding error in the height of a point over a triangle's plane, relative to the product of its lengths.
const HEIGHT_ERROR: f64 = 32.0 * UNIT_ROUNDOFF;

/// Least area of an outline inside a triangle that is certain not to be a hole (share of the magnitudes of its terms).
const CERTAIN_AREA: f64 = 1e-6;

/// Number of a vertex outside the other solid.
const OUTSIDE: u32 = u32::MAX;

impl Crossings {
    /// Lists the corners of each lump of the common solid (A's frame, mm). Where an edge crosses a face at a small
    /// angle, rounding moves the crossing along the edge: both ends of its range stand for it, or one if they are at
    /// most `margin` (mm) apart. Cost: O(n log n) for the corners, O(n) for the triangles near the other surface.
    pub(crate) fn lumps(&self, p: &Pairing, margin: f64) -> Vec<Vec<Vec3>> {
        let segments = self.segments.all();
        let mut corners = Corners::new(p, self, &segments);
        for solid in [Solid::A, Solid::B] {
            corners.join_edges(solid, self);
            corners.join_holes(solid, &segments);
            corners.join_dropped(solid);
        }
        corners.lumps(margin)
    }
}

/// Crossing of an edge, as one number for quick comparisons: the solid of the edge, its ends in increasing order, and the
/// triangle of the other solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CrossingKey(u128);

impl CrossingKey {
    fn new(solid: Solid, ends: [u32; 2], triangle: u32) -> Self {
        Self(EdgeKey::new(solid, ends).0 << 32 | u128::from(triangle))
    }

    fn edge(self) -> EdgeKey {
        EdgeKey(self.0 >> 32)
    }

    fn triangle(self) -> u32 {
        self.0 as u32
    }
}

/// Edge of a solid: the solid, and its ends in increasing order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct EdgeKey(u128);

impl EdgeKey {
    fn new(solid: Solid, [u, v]: [u32; 2]) -> Self {
        let (u, v) = (u.min(v), u.max(v));
        Self((solid as u128) << 64 | u128::from(u) << 32 | u128::from(v))
    }

    /// True for an edge of B.
    fn is_of_b(self) -> bool {
        self.0 >> 64 != 0
    }

    fn ends(self) -> [u32; 2] {
        [(self.0 >> 32) as u32, self.0 as u32]
    }
}

/// Corners of the common solid: first the inside vertices of A, then those of B, then the crossings.
struct Corners<'a> {
    sides: [PlacedSurface<'a>; 2],
    /// Inside vertices of each surface.
    inside: [Vec<u32>; 2],
    /// Number of each vertex as a corner; [`OUTSIDE`] outside.
    numbers: [Vec<u32>; 2],
    /// Distinct crossings in increasing order, so those of one edge are adjacent. Each has both ends of its range.
    crossings: Vec<(CrossingKey, [Vec3; 2])>,
    /// True for each crossing that enters the other solid, on the way from the smaller end of the edge.
    enters: Vec<bool>,
    /// Ends of each segment, by their numbers.
    ends: Vec<[u32; 2]>,
    /// Segments on each triangle of each surface: triangle and segment, in increasing order.
    cuts: [Vec<(u32, u32)>; 2],
    sets: UnionFind,
}

impl<'a> Corners<'a> {
    fn new(p: &Pairing<'a>, found: &Crossings, segments: &[Segment]) -> Self {
        let sides = p.sides();
        let inside = found.boundary.inside.clone();
        let mut numbers = sides.map(|side| vec![OUTSIDE; side.surface.vertices.len()]);
        let vertices = [0, 1].map(|k| inside[k].iter().map(move |&v| (k, v)));
        for (number, (k, v)) in (0..).zip(vertices.into_iter().flatten()) {
            numbers[k][v as usize] = number;
        }
        // Each end of a segment with its key, and true if it enters on the way from the smaller end of the edge.
        let mut found_ends: Vec<(CrossingKey, bool, u32)> = Vec::with_capacity(2 * segments.len());
        for (place, (s, end)) in (0..).zip(segments.iter().flat_map(|s| s.ends.iter().map(move |end| (s, end)))) {
            let of = end.crossing.of;
            let [u, v] = edge(&sides[of as usize], s.triangles[of as usize], end.crossing.edge);
            let key = CrossingKey::new(of, [u, v], s.triangles[of.other() as usize]);
            found_ends.push((key, end.crossing.enters == (u < v), place));
        }
        found_ends.sort_unstable();
        let first = (inside[0].len() + inside[1].len()) as u32;
        let mut keys: Vec<(CrossingKey, bool)> = Vec::with_capacity(found_ends.len());
        let mut ends = vec![[0; 2]; segments.len()];
        for (key, enters, place) in found_ends {
            if keys.last().is_none_or(|last| last.0 != key) {
                keys.push((key, enters));
            }
            ends[place as usize / 2][place as usize % 2] = first + keys.len() as u32 - 1;
        }
        let mut sets = UnionFind::new(first as usize + keys.len());
        for [from, to] in &ends {
            sets.union(*from, *to, false);
        }
        let cuts = [Solid::A, Solid::B].map(|solid| cuts_of(segments, solid));
        let enters = keys.iter().map(|k| k.1).collect();
        let crossings = keys.iter().map(|(key, _)| (*key, range(&sides, *key))).collect();
        Self { sides, inside, numbers, crossings, enters, ends, cuts, sets }
    }

    /// Number of an inside vertex; `None` outside.
    fn vertex(&self, solid: Solid, v: u32) -> Option<u32> {
        Some(self.numbers[solid as usize][v as usize]).filter(|number| *number != OUTSIDE)
    }

    /// Number of the first crossing.
    fn first(&self) -> u32 {
        (self.inside[0].len() + self.inside[1].len()) as u32
    }

    /// Joins corners along the edges of a surface.
    fn join_edges(&mut self, solid: Solid, found: &Crossings) {
        let triangles = &self.sides[solid as usize].surface.triangles;
        let near = found.near.of(solid);
        let cuts = std::mem::take(&mut self.cuts[solid as usize]);
        let mut rest = &cuts[..];
        for &t in &near.single {
            let is_cut = !take(&mut rest, t).is_empty();
            let ids = triangles[t as usize];
            for k in 0..3 {
                let (u, v) = (ids[k], ids[(k + 1) % 3]);
                if let Some((a, b)) = self.vertex(solid, u).zip(self.vertex(solid, v))
                    && (!is_cut || self.crossed(solid, [u, v]).is_empty())
                {
                    self.sets.union(a, b, false);
                }
            }
        }
        self.cuts[solid as usize] = cuts;
        for t in near.free.iter().flat_map(Clone::clone) {
            let [a, b, c] = triangles[t as usize].map(|v| self.vertex(solid, v));
            if let (Some(a), Some(b), Some(c)) = (a, b, c) {
                self.sets.union(a, b, false);
                self.sets.union(b, c, false);
            }
        }
        let is_of_b = solid == Solid::B;
        let mut at = if is_of_b { self.crossings.partition_point(|c| !c.0.edge().is_of_b()) } else { 0 };
        while let Some(edge) = self.crossings.get(at).map(|c| c.0.edge()).filter(|edge| edge.is_of_b() == is_of_b) {
            let from = at;
            at += self.crossings[at..].iter().take_while(|c| c.0.edge() == edge).count();
            self.join_crossed(solid, edge.ends(), from..at);
        }
    }

    /// Places of the crossings of an edge.
    fn crossed(&self, solid: Solid, edge: [u32; 2]) -> Range<usize> {
        let key = EdgeKey::new(solid, edge);
        let from = self.crossings.partition_point(|c| c.0.edge() < key);
        from..from + self.crossings[from..].iter().take_while(|c| c.0.edge() == key).count()
    }

    /// Joins the corners of each part of an edge inside the other solid. Joins all of them if the order of its
    /// crossings is uncertain.
    fn join_crossed(&mut self, solid: Solid, [u, v]: [u32; 2], crossings: Range<usize>) {
        let side = &self.sides[solid as usize];
        let (from, way) = (side.vertex(u), side.vertex(v) - side.vertex(u));
        let along = |x: &Vec3| (x - from).dot(&way);
        let mut order: Vec<(f64, f64, usize)> = crossings
            .map(|i| {
                let [p, q] = self.crossings[i].1.each_ref().map(along);
                (lesser(p, q), greater(p, q), i)
            })
            .collect();
        order.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.2.cmp(&q.2)));
        let offset = self.first();
        let number = |i: usize| offset + i as u32;
        let (start, end) = (self.vertex(solid, u), self.vertex(solid, v));
        let mut joined = Vec::with_capacity(order.len());
        let mut open = start;
        let mut certain = order.windows(2).all(|w| w[0].1 < w[1].0);
        for (_, _, i) in &order {
            if self.enters[*i] {
                certain &= open.replace(number(*i)).is_none();
            } else if let Some(from) = open.take() {
                joined.push((from, number(*i)));
            } else {
                certain = false;
            }
        }
        certain &= open.is_some() == end.is_some();
        joined.extend(open.zip(end));
        if !certain {
            let all: Vec<u32> = start.into_iter().chain(end).chain(order.iter().map(|o| number(o.2))).collect();
            joined = all.windows(2).map(|w| (w[0], w[1])).collect();
        }
        for (a, b) in joined {
            self.sets.union(a, b, false);
        }
    }

    /// Joins all corners on triangles without area. They have no segments, so the outlines end there.
    fn join_dropped(&mut self, solid: Solid) {
        let s = self.sides[solid as usize].surface;
        let offset = self.first();
        let mut first = None;
        for ids in s.all_triangles().skip(s.triangles.len()) {
            for k in 0..3 {
                let (u, v) = (ids[k], ids[(k + 1) % 3]);
                let crossings = self.crossed(solid, [u, v]).map(|i| offset + i as u32);
                for n in self.vertex(solid, u).into_iter().chain(crossings) {
                    self.sets.union(*first.get_or_insert(n), n, false);
                }
            }
        }
    }

    /// Joins the outlines of each face with a hole. Any outline inside a triangle may be a hole, unless its area shows
    /// that it is not.
    fn join_holes(&mut self, solid: Solid, segments: &[Segment]) {
        let cuts = std::mem::take(&mut self.cuts[solid as usize]);
        for of_one in cuts.chunk_by(|x, y| x.0 == y.0) {
            let t = of_one[0].0;
            let holes = self.holes(solid, t, of_one, segments);
            if holes.is_empty() {
                continue;
            }
            let ids = self.sides[solid as usize].surface.triangles[t as usize];
            let vertices = ids.into_iter().filter_map(|v| self.vertex(solid, v));
            let all: Vec<u32> = vertices.chain(of_one.iter().flat_map(|c| self.ends[c.1 as usize])).collect();
            for other in all {
                self.sets.union(holes[0], other, false);
            }
        }
        self.cuts[solid as usize] = cuts;
    }

    /// One corner of each outline inside a triangle that may be a hole: it runs clockwise, seen from outside.
    fn holes(&self, solid: Solid, t: u32, cuts: &[(u32, u32)], segments: &[Segment]) -> Vec<u32> {
        let meets_edge = |s: &Segment| s.ends.iter().any(|end| end.crossing.of == solid);
        // An outline that meets an edge is no hole.
        if cuts.iter().all(|c| meets_edge(&segments[c.1 as usize])) {
            return Vec::new();
        }
        let mut numbers: Vec<u32> = cuts.iter().flat_map(|c| self.ends[c.1 as usize]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let place = |n: u32| numbers.partition_point(|m| *m < n) as u32;
        let mut outlines = UnionFind::new(numbers.len());
        for (_, i) in cuts {
            let [from, to] = self.ends[*i as usize];
            outlines.union(place(from), place(to), false);
        }
        let (of_outline, count) = outlines.label();
        let side = &self.sides[solid as usize];
        let normal = side.turned(&side.surface.normal(t)) * if solid == Solid::A { 1.0 } else { -1.0 };
        // Twice the area of each outline, and a bound of its error. The area is infinite if the outline meets an edge.
        let mut areas = vec![(0.0, 0.0); count as usize];
        let apex = segments[cuts[0].1 as usize].ends[0].at;
        for (_, i) in cuts {
            let (s, numbers) = (&segments[*i as usize], self.ends[*i as usize]);
            let (area, error) = &mut areas[of_outline[place(numbers[0]) as usize] as usize];
            if meets_edge(s) {
                *area = f64::INFINITY;
            }
            let [p, q] = s.ends.map(|end| end.at - apex);
            let twice = p.cross(&q);
            let range = numbers.map(|n| self.range(n)).iter().sum::<f64>();
            *area += twice.dot(&normal);
            *error += CERTAIN_AREA * twice.norm() + range * (p.norm() + q.norm() + range);
        }
        let is_hole = |k: u32| areas[k as usize].0 <= areas[k as usize].1;
        let mut first = vec![None; count as usize];
        for (n, k) in numbers.iter().zip(&of_outline) {
            if is_hole(*k) {
                first[*k as usize].get_or_insert(*n);
            }
        }
        first.into_iter().flatten().collect()
    }

    /// Length of the range of a crossing (mm).
    fn range(&self, number: u32) -> f64 {
        let [x, y] = self.crossings[(number - self.first()) as usize].1;
        (y - x).norm()
    }

    /// Positions of the corners of each lump; ranges of at most `margin` (mm) count as points.
    fn lumps(mut self, margin: f64) -> Vec<Vec<Vec3>> {
        let (lump, count) = self.sets.label();
        let mut lumps = vec![Vec::new(); count as usize];
        let vertices = [0, 1].map(|k| self.inside[k].iter().map(move |&v| (k, v)));
        let positions = vertices.into_iter().flatten().map(|(k, v)| [self.sides[k].vertex(v); 2]);
        for (lump, [x, y]) in lump.iter().zip(positions.chain(self.crossings.iter().map(|c| c.1))) {
            lumps[*lump as usize].push(x);
            if (y - x).norm() > margin {
                lumps[*lump as usize].push(y);
            }
        }
        lumps
    }
}

/// Ends of edge `k` of a triangle.
fn edge(side: &PlacedSurface, t: u32, k: usize) -> [u32; 2] {
    let ids = side.surface.triangles[t as usize];
    [ids[k], ids[(k + 1) % 3]]
}

/// Ends of the range of a crossing: the part of the edge that contains it despite rounding (A's frame, mm).
fn range(sides: &[PlacedSurface; 2], key: CrossingKey) -> [Vec3; 2] {
    let own = usize::from(key.edge().is_of_b());
    let [p, q] = key.edge().ends().map(|v| sides[own].vertex(v));
    let [a, b, c] = sides[1 - own].corners(key.triangle());
    let (e, f) = (b - a, c - a);
    let n = e.cross(&f);
    let [s, r] = [p, q].map(|x| n.dot(&(x - a)).abs());
    let error = HEIGHT_ERROR * e.norm() * f.norm() * greater((p - a).norm(), (q - a).norm());
    // The heights have opposite signs. Each share of the edge has a rounding error, too.
    let total = greater(s + r - 2.0 * error, f64::MIN_POSITIVE);
    let (share, wide) = (s / greater(s + r, f64::MIN_POSITIVE), 2.0 * error / total);
    let at = |share: f64| p + (q - p) * lesser(greater(share, 0.0), 1.0);
    [at(share - wide), at(share + wide)]
}
