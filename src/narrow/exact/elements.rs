//! Upper bounds of the depth in one solid over a cell, from the triangles that can be nearest.
//!
//! For the points `x` of a cell, the depth `s(x)` in the solid is the distance to the nearest surface point. Every such point lies
//! within the cell's reach of its centre, in the convex ball N; the triangles that meet N fall into connected patches. Two
//! kinds of bound hold for all `x` of the cell whose nearest point is on a given patch:
//!
//! - *Patch bound.* A half-space that holds the patch, with void on its far side, holds every ball of the solid inside N that
//!   touches the patch: the ball cannot cross the patch, and what lies beyond the half-space within N is connected and does
//!   not meet the patch. So `s(x) ≤ offset − n·x`. One element with all such planes bounds a convex patch.
//! - *Feature bound.* The nearest point is on a face, then `s(x)` is the height under its plane and the foot lies in the
//!   triangle; or on a reflex edge or a vertex with reflex edges, then the direction to it lies in the cone of the adjacent
//!   normals, and with half angle β around their mean m, `s(x) ≤ m·(x − p)/cos β`. A ball inside cannot touch a convex edge.
//!
//! The depth is then at most the largest element's bound. docs/numerics.md has the proofs.

use super::super::surface::Surface;
use super::program::Row;
use super::side::Side;
use crate::geom::math::{greater, lesser};
use crate::geom::{Mat3, Vec3};

/// With more candidates than this a cell is bounded without elements.
const MAX_CANDIDATES: usize = 64;

/// The cone of normals at a reflex edge is cut into wedges no wider than this (radians): half of it costs the bound 1/cos(0.1),
/// half a per cent.
const WEDGE: f64 = 0.2;

/// Edges that bend inward by a smaller sine than this count as flat; domains are widened by as much times the reach.
const FLAT: f64 = 1e-6;

/// Vertices whose normals spread wider than this (cosine of the half angle) get no plane.
const WIDEST_CONE: f64 = 0.5;

/// A cell and what is known of it; A's frame.
#[derive(Clone, Copy)]
pub(super) struct Region {
    pub center: Vec3,
    pub half: Vec3,
    /// Every nearest surface point of the cell's points lies within this of the centre.
    pub reach: f64,
    /// Planes may be moved outward by this much and still serve as the patch's (mm).
    pub slack: f64,
    /// Rounding: coordinates are not better than this (mm).
    pub rounding: f64,
    /// Elements that stay below this are of no interest.
    pub floor: f64,
}

/// Alternatives: the depth is bounded by the largest of the items, each of which is the minimum of its rows.
#[derive(Debug, Default)]
pub(super) struct Elements {
    rows: Vec<Row>,
    items: Vec<Item>,
    scratch: Scratch,
}

#[derive(Debug, Clone, Copy)]
struct Item {
    first: u32,
    end: u32,
    /// Largest value any of its bounds leaves over the cell.
    highest: f64,
}

#[derive(Debug, Default)]
struct Scratch {
    candidates: Vec<u32>,
    patch: Vec<u32>,
    normals: Vec<Vec3>,
    shared: Vec<Row>,
    reflex: Vec<u32>,
}

impl Elements {
    /// The largest value of each item over the cell, highest first.
    pub(super) fn heights(&self) -> impl Iterator<Item = f64> {
        self.items.iter().map(|i| i.highest)
    }

    /// The rows of an item, in A's frame, about the cell's centre.
    pub(super) fn rows(&self, item: usize) -> &[Row] {
        let i = &self.items[item];
        &self.rows[i.first as usize..i.end as usize]
    }

    /// Fills in the elements of a region. False where there are too many candidates or the surface is not regular there: then
    /// nothing is known.
    pub(super) fn gather(&mut self, side: &Side, region: &Region) -> bool {
        self.rows.clear();
        self.items.clear();
        let center = side.local(&region.center);
        let candidates = &mut self.scratch.candidates;
        candidates.clear();
        side.surface.within(&center, region.reach, |t| {
            candidates.push(t);
            candidates.len() <= MAX_CANDIDATES
        });
        if candidates.len() > MAX_CANDIDATES {
            return false;
        }
        candidates.sort_unstable();
        candidates.dedup();
        let mut scratch = std::mem::take(&mut self.scratch);
        let turn = side.pose.map_or_else(Mat3::identity, |p| p.rotation);
        let mut work = Work { surface: side.surface, center, turn, region, out: self };
        let regular = work.patches(&mut scratch);
        self.scratch = scratch;
        self.items.sort_by(|x, y| y.highest.total_cmp(&x.highest));
        regular
    }
}

struct Work<'w> {
    surface: &'w Surface,
    /// In the solid's frame.
    center: Vec3,
    turn: Mat3,
    region: &'w Region,
    out: &'w mut Elements,
}

impl Work<'_> {
    /// Splits the candidates into patches, one after the other. False where an edge inside is not shared by two triangles.
    fn patches(&mut self, s: &mut Scratch) -> bool {
        s.normals.clear();
        s.normals.extend(s.candidates.iter().map(|&t| self.surface.normal(t)));
        let n = s.candidates.len();
        let mut patch_of = [u8::MAX; MAX_CANDIDATES];
        let mut stack: Vec<u32> = Vec::with_capacity(n);
        let mut count = 0;
        for seed in 0..n {
            if patch_of[seed] != u8::MAX {
                continue;
            }
            patch_of[seed] = count;
            s.patch.clear();
            stack.push(seed as u32);
            while let Some(i) = stack.pop() {
                s.patch.push(i);
                let t = s.candidates[i as usize];
                let corners = self.surface.triangle(t);
                for k in 0..3 {
                    if !self.reaches(&corners[k], &corners[(k + 1) % 3]) {
                        continue;
                    }
                    let other = self.surface.neighbor(t, k);
                    if other == u32::MAX {
                        return false;
                    }
                    if let Ok(j) = s.candidates.binary_search(&other)
                        && patch_of[j] == u8::MAX
                    {
                        patch_of[j] = count;
                        stack.push(j as u32);
                    }
                }
            }
            s.patch.sort_unstable();
            self.patch(s);
            count += 1;
        }
        true
    }

    /// Whether a segment comes into the ball.
    fn reaches(&self, p: &Vec3, q: &Vec3) -> bool {
        let (d, w) = (q - p, self.center - p);
        let along = lesser(greater(w.dot(&d), 0.0), d.norm_squared());
        let foot = if along > 0.0 { d * (along / d.norm_squared()) } else { Vec3::zeros() };
        (w - foot).norm() <= self.region.reach * (1.0 + 1e-9) + self.region.rounding
    }

    /// One element of all the planes that hold the patch, or one for each feature.
    fn patch(&mut self, s: &mut Scratch) {
        s.shared.clear();
        let mut convex = true;
        for (k, &i) in s.patch.iter().enumerate() {
            let n = s.normals[i as usize];
            let corner = self.surface.triangle(s.candidates[i as usize])[0];
            let repeated = s.patch[..k].iter().any(|&j| {
                let first = self.surface.triangle(s.candidates[j as usize])[0];
                s.normals[j as usize] == n && n.dot(&(first - corner)).abs() <= self.region.rounding
            });
            if repeated {
                continue;
            }
            match self.support(s, &n, &corner) {
                Some(offset) if offset - n.dot(&(corner - self.center)) <= self.region.slack => {
                    s.shared.push(Row::bound(-n, offset));
                }
                _ => convex = false,
            }
        }
        if convex {
            self.push(&[], &s.shared);
        } else {
            self.features(s);
        }
    }

    /// How far beyond the centre a plane of normal `n` must lie to hold the patch; `None` where what lies beyond it may not
    /// be void.
    fn support(&self, s: &Scratch, n: &Vec3, corner: &Vec3) -> Option<f64> {
        let own = n.dot(&(corner - self.center));
        let (mut offset, mut at) = (own, None);
        for &i in &s.patch {
            let t = s.candidates[i as usize];
            for (v, p) in self.surface.triangles[t as usize].iter().zip(self.surface.triangle(t)) {
                let height = n.dot(&(p - self.center));
                if height > offset {
                    (offset, at) = (height, Some(*v));
                }
            }
        }
        let Some(highest) = at else { return Some(offset) };
        // Nothing fits between two sheets that rounding cannot tell apart.
        if offset - own <= 4.0 * self.region.rounding {
            return Some(offset);
        }
        // At the highest vertex the patch is a graph over the plane, void above it.
        let upward = |i: &u32| {
            let t = s.candidates[*i as usize];
            !self.surface.triangles[t as usize].contains(&highest) || s.normals[*i as usize].dot(n) > 1e-9
        };
        (self.reaches_point(highest) && s.patch.iter().all(upward)).then_some(offset)
    }

    fn reaches_point(&self, v: u32) -> bool {
        (self.surface.vertices[v as usize] - self.center).norm() <= self.region.reach
    }

    /// An element of own rows (solid's frame, about the centre) and shared ones, unless it is out of the cell or below the
    /// floor.
    fn push(&mut self, own: &[Row], shared: &[Row]) {
        let first = self.out.rows.len();
        let mut highest = f64::INFINITY;
        for row in own.iter().chain(shared) {
            let row = Row { slope: self.turn * row.slope, ..*row };
            let value = row.highest(&self.region.half);
            if row.bounds_r {
                highest = lesser(highest, value);
            } else if value < 0.0 {
                highest = f64::NEG_INFINITY;
            }
            self.out.rows.push(row);
        }
        if highest <= self.region.floor {
            self.out.rows.truncate(first);
            return;
        }
        self.out.items.push(Item { first: first as u32, end: self.out.rows.len() as u32, highest });
    }

    /// An element for each face, reflex edge and vertex with reflex edges.
    fn features(&mut self, s: &mut Scratch) {
        let shared = std::mem::take(&mut s.shared);
        s.reflex.clear();
        let widened = self.region.rounding + self.region.reach * FLAT;
        for index in 0..s.patch.len() {
            let i = s.patch[index] as usize;
            let t = s.candidates[i];
            let n = s.normals[i];
            let ids = self.surface.triangles[t as usize];
            let corners = self.surface.triangle(t);
            let mut rows = [Row::bound(-n, n.dot(&(corners[0] - self.center))); 4];
            for k in 0..3 {
                let (p, q) = (corners[k], corners[(k + 1) % 3]);
                let Some(d) = (q - p).try_normalize(0.0) else { continue };
                let inward = n.cross(&d);
                rows[k + 1] = Row::domain(inward, widened + inward.dot(&(self.center - p)));
                let other = self.surface.neighbor(t, k);
                let Ok(j) = s.candidates.binary_search(&other) else { continue };
                let m = s.normals[j];
                // Into the other triangle, away from the edge.
                let away = d.cross(&m);
                let bend = n.dot(&away);
                if bend > FLAT && self.reaches(&p, &q) {
                    s.reflex.extend([ids[k], ids[(k + 1) % 3]]);
                    if t < other {
                        self.edge(&Bend { p, q, d, normals: [n, m], inward: [inward, away], sine: bend }, &shared);
                    }
                }
            }
            self.push(&rows, &shared);
        }
        s.reflex.sort_unstable();
        s.reflex.dedup();
        for index in 0..s.reflex.len() {
            let v = s.reflex[index];
            if self.reaches_point(v) {
                self.vertex(s, v, &shared);
            }
        }
        s.shared = shared;
    }

    fn edge(&mut self, e: &Bend, shared: &[Row]) {
        let widened = self.region.rounding + self.region.reach * FLAT;
        let (from_p, from_q) = (self.center - e.p, self.center - e.q);
        let mut rows = [Row::domain(e.d, widened + e.d.dot(&from_p)); 5];
        rows[1] = Row::domain(-e.d, widened - e.d.dot(&from_q));
        rows[2] = Row::domain(-e.inward[0], widened - e.inward[0].dot(&from_p));
        rows[3] = Row::domain(-e.inward[1], widened - e.inward[1].dot(&from_p));
        let theta = libm::atan2(e.sine, e.normals[0].dot(&e.normals[1]));
        let wedges = libm::ceil(theta / WEDGE).max(1.0);
        let half = 0.5 * theta / wedges;
        // Perpendicular to the edge, from −n₀ towards −n₁.
        let (u, v) = (-e.normals[0], e.inward[0]);
        for w in 0..wedges as u32 {
            let angle = half * (2.0 * f64::from(w) + 1.0);
            let mean = (u * libm::cos(angle) + v * (-libm::sin(angle))) * (1.0 / libm::cos(half));
            rows[4] = Row::bound(mean, mean.dot(&from_p));
            self.push(&rows, shared);
        }
    }

    fn vertex(&mut self, s: &Scratch, v: u32, shared: &[Row]) {
        let at = self.surface.vertices[v as usize];
        let from = self.center - at;
        let widened = self.region.rounding + self.region.reach * FLAT;
        let mut rows = Vec::with_capacity(shared.len() + 8);
        let mut mean = Vec3::zeros();
        let around = self.surface.around(v);
        for &t in around {
            mean -= self.surface.normal(t);
            let ids = self.surface.triangles[t as usize];
            let k = ids.iter().position(|&i| i == v).unwrap_or(0);
            for end in [ids[(k + 1) % 3], ids[(k + 2) % 3]] {
                if let Some(d) = (self.surface.vertices[end as usize] - at).try_normalize(0.0) {
                    rows.push(Row::domain(-d, widened - d.dot(&from)));
                }
            }
        }
        let known = around.iter().all(|t| s.candidates.binary_search(t).is_ok());
        let mean = mean.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        let cosine = around.iter().map(|&t| -self.surface.normal(t).dot(&mean)).fold(1.0, f64::min);
        if known && cosine >= WIDEST_CONE {
            let slope = mean / cosine;
            rows.push(Row::bound(slope, slope.dot(&from)));
        } else if let Some(slope) = from.try_normalize(0.0) {
            // The distance to the vertex is convex: over a box it exceeds a linear function most at a corner.
            let half = self.region.half;
            let mut over = f64::NEG_INFINITY;
            for corner in 0..8 {
                let sign = |k: usize| if corner >> k & 1 == 1 { half[k] } else { -half[k] };
                let y = self.turn.tr_mul(&Vec3::new(sign(0), sign(1), sign(2)));
                over = greater(over, (from + y).norm() - slope.dot(&y));
            }
            rows.push(Row::bound(slope, over));
        } else {
            rows.push(Row::bound(Vec3::zeros(), self.region.half.norm()));
        }
        self.push(&rows, shared);
    }
}

/// A reflex edge: ends, direction, the two normals, and in each face the direction away from the edge.
struct Bend {
    p: Vec3,
    q: Vec3,
    d: Vec3,
    normals: [Vec3; 2],
    inward: [Vec3; 2],
    sine: f64,
}
