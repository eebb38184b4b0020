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
use super::super::tri_tri::point_triangle;
use super::super::winding::crossing;
use super::moved::height;
use super::program::Row;
use super::side::Side;
use crate::geom::math::{greater, lesser};
use crate::geom::{Mat3, Vec3};

/// With more candidates than this a cell is bounded without elements.
const MAX_CANDIDATES: usize = 96;

/// With more features than this on triangles that no plane holds a cell is bounded without elements.
const MAX_FEATURES: usize = 64;

/// More combinations of a held triangle and a feature than this are not looked at: the held triangle's rows alone bound them.
const MAX_COMBINED: usize = 256;

/// With more elements than this a cell is bounded without.
const MAX_ITEMS: usize = 64;

/// The cone of normals at a reflex edge is cut into wedges no wider than this (radians): half of it costs the bound 1/cos(0.1),
/// half a per cent.
const WEDGE: f64 = 0.2;

/// Edges that bend inward by a smaller sine than this count as flat; domains are widened by as much times the reach.
const FLAT: f64 = 1e-6;

/// Sheets no farther apart than this many roundings count as one.
const SAME_SHEET: f64 = 4.0;

/// Triangles whose normals are this much against another's (cosine) may be the far side of a crack.
const OTHER_WAY: f64 = 0.5;

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
    /// No depth above this is possible: bounds that stay above it say nothing.
    pub ceiling: f64,
    /// The triangle nearest to the centre.
    pub nearest: u32,
    /// Signed depth of the centre.
    pub depth: f64,
}

/// Alternatives: the depth is bounded by the largest of the items, each of which is the minimum of its rows.
#[derive(Debug, Default)]
pub(super) struct Elements {
    rows: Vec<Row>,
    items: Vec<Item>,
    /// Bounds of every point of the cell.
    common: Vec<Row>,
    /// Planes that hold a patch: normal and offset from the centre (solid's frame), and the patch.
    planes: Vec<(Vec3, f64, u32)>,
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
    patch_of: Vec<u32>,
    stack: Vec<u32>,
    /// Planes that hold the whole patch.
    shared: Vec<Row>,
    /// Whether the patch's triangles, in its order, are held by one of those.
    held: Vec<bool>,
    /// Vertices of reflex edges between triangles that are not held, and of all their edges.
    reflex: Vec<u32>,
    corners: Vec<u32>,
    /// The patch's vertices and where they are.
    points: Vec<(u32, Vec3)>,
    /// Features that are nearest to some point of the cell, on triangles that are not held: rows, and of each feature where
    /// they end and which points it bounds.
    rows: Vec<Row>,
    features: Vec<(usize, Role)>,
}

/// Which points of the cell a feature bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Those to which it is the nearest of all, from the inside.
    Nearest,
    /// Those to which it is the nearest of the triangles that are not held.
    Among,
    /// Both.
    Both,
}

impl Elements {
    /// How many items there are.
    pub(super) fn count(&self) -> usize {
        self.items.len()
    }

    /// The largest value of an item over the cell.
    pub(super) fn height(&self, item: usize) -> f64 {
        self.items[item].highest
    }

    /// The rows of an item, in A's frame, about the cell's centre.
    pub(super) fn rows(&self, item: usize) -> &[Row] {
        let i = &self.items[item];
        &self.rows[i.first as usize..i.end as usize]
    }

    /// The rows that hold beside those of any item.
    pub(super) fn common(&self) -> &[Row] {
        &self.common
    }

    /// Fills in the elements of a region. False where there are too many candidates or the surface is not regular there: then
    /// nothing is known.
    pub(super) fn gather(&mut self, side: &Side, region: &Region) -> bool {
        self.rows.clear();
        self.items.clear();
        self.common.clear();
        self.planes.clear();
        let center = side.local(&region.center);
        let candidates = &mut self.scratch.candidates;
        candidates.clear();
        side.surface.within(&center, region.reach * (1.0 + 1e-9) + region.rounding, |t| {
            candidates.push(t);
            candidates.len() <= MAX_CANDIDATES
        });
        if candidates.len() > MAX_CANDIDATES {
            return false;
        }
        candidates.sort_unstable();
        candidates.dedup();
        // Rounding turns the normal of a sliver any way it likes, and with it what its edges are.
        let thinnest = region.rounding / FLAT;
        if candidates.iter().any(|&t| height(&side.surface.triangle(t)) < thinnest) {
            return false;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let turn = side.pose.map_or_else(Mat3::identity, |p| p.rotation);
        let mut work = Work { surface: side.surface, center, turn, region, out: self };
        let regular = work.patches(&mut scratch);
        self.scratch = scratch;
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
    /// Splits the candidates into patches and bounds each, or only the one that counts. False where an edge inside is not shared
    /// by two triangles.
    fn patches(&mut self, s: &mut Scratch) -> bool {
        s.normals.clear();
        s.normals.extend(s.candidates.iter().map(|&t| self.surface.normal_of(t)));
        if !self.label(s) {
            return false;
        }
        let only = self.enclosing_patch(s);
        for seed in 0..s.candidates.len() as u32 {
            if s.patch_of[seed as usize] != seed || only.is_some_and(|o| o != seed) {
                continue;
            }
            s.patch.clear();
            s.patch.extend((seed..s.candidates.len() as u32).filter(|&i| s.patch_of[i as usize] == seed));
            if !self.patch(s) || self.out.items.len() > MAX_ITEMS {
                return false;
            }
        }
        if only.is_none() {
            self.common_planes(s);
        }
        true
    }

    /// Gives every candidate the number of its patch, which is its first candidate.
    fn label(&self, s: &mut Scratch) -> bool {
        let n = s.candidates.len();
        s.patch_of.clear();
        s.patch_of.resize(n, u32::MAX);
        for seed in 0..n {
            if s.patch_of[seed] != u32::MAX {
                continue;
            }
            s.patch_of[seed] = seed as u32;
            s.stack.clear();
            s.stack.push(seed as u32);
            while let Some(i) = s.stack.pop() {
                let t = s.candidates[i as usize];
                let corners = self.surface.triangle(t);
                for k in 0..3 {
                    let other = self.surface.neighbor(t, k);
                    let place = s.candidates.binary_search(&other).ok().filter(|j| s.patch_of[*j] == u32::MAX);
                    // Cheap first: most neighbours are no candidates, or are known to be of the patch.
                    if (other != u32::MAX && place.is_none()) || !self.reaches(&corners[k], &corners[(k + 1) % 3]) {
                        continue;
                    }
                    let Some(j) = place else { return false };
                    s.patch_of[j] = seed as u32;
                    s.stack.push(j as u32);
                }
            }
        }
        true
    }

    /// The patch nearest to the centre, if all others are on its inner side: then nothing of the solid is on its outer side in N, and
    /// its own features bound all points of the cell.
    fn enclosing_patch(&self, s: &Scratch) -> Option<u32> {
        let nearest = s.candidates.binary_search(&self.region.nearest).ok()?;
        let patch = s.patch_of[nearest];
        // Rounding may have put a centre this close on the other side.
        if self.region.depth.abs() <= SAME_SHEET * self.region.rounding {
            return None;
        }
        // A vertex that both patches have may be the nearest point, with the other one's solid around the centre.
        let near = self.region.depth.abs() + SAME_SHEET * self.region.rounding;
        let close = |x: &Vec3, i: usize, limit: f64| {
            let corners = self.surface.triangle(s.candidates[i]);
            s.normals[i].dot(&(x - corners[0])).abs() <= limit && point_triangle(x, &corners).squared <= limit * limit
        };
        let is_other = |i: usize| s.patch_of[i] != patch;
        if (0..s.candidates.len()).any(|i| is_other(i) && close(&self.center, i, near)) {
            return None;
        }
        let mut last = patch;
        for (i, &of) in s.patch_of.iter().enumerate() {
            // Of each patch its first triangle will do.
            if of == patch || of as usize != i {
                continue;
            }
            last = of;
            let there = point_triangle(&self.center, &self.surface.triangle(s.candidates[i])).point;
            let mut crossed = false;
            for j in (0..s.candidates.len()).filter(|j| !is_other(*j)) {
                // On which side of a sheet this close it is rounding does not tell.
                if close(&there, j, SAME_SHEET * self.region.rounding) {
                    return None;
                }
                crossed ^= crossing(&self.surface.triangle(s.candidates[j]), &self.center, &there)? != 0;
            }
            if (self.region.depth > 0.0) == crossed {
                return None;
            }
        }
        (last != patch).then_some(patch)
    }

    /// Of the planes that hold a patch keeps those that hold all others, too: nothing of the solid lies beyond them in N.
    fn common_planes(&mut self, s: &Scratch) {
        if s.patch_of.iter().all(|p| *p == 0) {
            return;
        }
        let planes = std::mem::take(&mut self.out.planes);
        let mut highest = f64::INFINITY;
        for &(n, offset, patch) in &planes {
            let others = s.candidates.iter().zip(&s.patch_of).filter(|(_, p)| **p != patch);
            if others.into_iter().any(|(&t, _)| self.comes_beyond(t, &n, offset)) {
                continue;
            }
            let row = Row::bound(self.turn * -n, offset);
            let value = row.highest(&self.region.half);
            highest = lesser(highest, value);
            if row.value - (value - row.value) < self.region.ceiling {
                self.out.common.push(row);
            }
        }
        self.out.planes = planes;
        if highest <= self.region.floor {
            self.out.items.clear();
        }
        for item in &mut self.out.items {
            item.highest = lesser(item.highest, highest);
        }
    }

    /// Whether a triangle has points in the ball beyond a plane.
    fn comes_beyond(&self, t: u32, n: &Vec3, offset: f64) -> bool {
        let corners = self.surface.triangle(t);
        // What faces the plane from within rounding may be the far side of a slit.
        let slit = if self.surface.normal_of(t).dot(n) < 0.0 { 2.0 * SAME_SHEET * self.region.rounding } else { 0.0 };
        let over = corners.map(|p| n.dot(&(p - self.center)) - offset + slit);
        if over.iter().all(|o| *o <= 0.0) {
            return false;
        }
        // What is beyond, corner by corner.
        let mut beyond: Vec<Vec3> = Vec::with_capacity(4);
        for k in 0..3 {
            let (p, q) = (k, (k + 1) % 3);
            if over[p] > 0.0 {
                beyond.push(corners[p]);
            }
            if (over[p] > 0.0) != (over[q] > 0.0) {
                beyond.push(corners[p] + (corners[q] - corners[p]) * (over[p] / (over[p] - over[q])));
            }
        }
        let reach = self.region.reach * (1.0 + 1e-9) + self.region.rounding;
        (2..beyond.len())
            .any(|k| point_triangle(&self.center, &[beyond[0], beyond[k - 1], beyond[k]]).squared <= reach * reach)
    }

    /// Whether a segment comes into the ball.
    fn reaches(&self, p: &Vec3, q: &Vec3) -> bool {
        let (d, w) = (q - p, self.center - p);
        let along = lesser(greater(w.dot(&d), 0.0), d.norm_squared());
        let foot = if along > 0.0 { d * (along / d.norm_squared()) } else { Vec3::zeros() };
        (w - foot).norm() <= self.region.reach * (1.0 + 1e-9) + self.region.rounding
    }

    /// One element of all the planes that hold the patch, or more where they do not hold every triangle; false where that would
    /// be too many.
    fn patch(&mut self, s: &mut Scratch) -> bool {
        s.shared.clear();
        s.held.clear();
        s.points.clear();
        for &i in &s.patch {
            let t = s.candidates[i as usize];
            s.points.extend(self.surface.triangles[t as usize].into_iter().zip(self.surface.triangle(t)));
        }
        s.points.sort_unstable_by_key(|p| p.0);
        s.points.dedup_by_key(|p| p.0);
        let mut all = true;
        for (k, &i) in s.patch.iter().enumerate() {
            let n = s.normals[i as usize];
            let corner = self.surface.triangle(s.candidates[i as usize])[0];
            let repeated = s.patch[..k].iter().position(|&j| {
                let m = &s.normals[j as usize];
                // One number at a time: nearly all differ in the first.
                m.x == n.x && m.y == n.y && m.z == n.z && {
                    let first = self.surface.triangle(s.candidates[j as usize])[0];
                    n.dot(&(first - corner)).abs() <= self.region.rounding
                }
            });
            if let Some(j) = repeated {
                s.held.push(s.held[j]);
                continue;
            }
            let Some(offset) = self.support(s, &n, &corner) else {
                all = false;
                s.held.push(false);
                continue;
            };
            s.shared.push(Row::bound(-n, offset));
            self.out.planes.push((n, offset, s.patch_of[i as usize]));
            // Only where the plane was not moved has the triangle no reflex edge.
            s.held.push(offset - n.dot(&(corner - self.center)) <= SAME_SHEET * self.region.rounding);
        }
        if all {
            self.push(&[], &s.shared);
            true
        } else {
            self.features(s)
        }
    }

    /// How far beyond the centre a plane of normal `n` must lie to hold the patch; `None` where that is too far beyond the
    /// triangle itself, or where what lies beyond may not be void.
    fn support(&self, s: &Scratch, n: &Vec3, corner: &Vec3) -> Option<f64> {
        let own = n.dot(&(corner - self.center));
        let most = own + greater(self.region.slack, self.region.rounding);
        let (mut offset, mut at) = (own, None);
        for (v, p) in &s.points {
            let height = n.dot(&(p - self.center));
            if height > offset {
                if height > most {
                    return None;
                }
                (offset, at) = (height, Some(*v));
            }
        }
        let Some(highest) = at else { return Some(offset) };
        // Nothing fits between two sheets that rounding cannot tell apart, unless one may be the far side of a crack.
        if offset - own <= SAME_SHEET * self.region.rounding
            && !s.patch.iter().any(|&i| self.is_other_side(s, i, n, own))
        {
            return Some(offset);
        }
        // At the highest vertex the patch is a graph over the plane, void above it.
        let upward = |i: &u32| {
            let t = s.candidates[*i as usize];
            !self.surface.triangles[t as usize].contains(&highest) || s.normals[*i as usize].dot(n) > 1e-9
        };
        (self.reaches_point(highest) && s.patch.iter().all(upward)).then_some(offset)
    }

    /// Whether a triangle that faces the other way comes as high as a plane.
    fn is_other_side(&self, s: &Scratch, i: u32, n: &Vec3, height: f64) -> bool {
        let low = height - 2.0 * SAME_SHEET * self.region.rounding;
        s.normals[i as usize].dot(n) < -OTHER_WAY
            && self.surface.triangle(s.candidates[i as usize]).iter().any(|p| n.dot(&(p - self.center)) >= low)
    }

    fn reaches_point(&self, v: u32) -> bool {
        (self.surface.vertices[v as usize] - self.center).norm() <= self.region.reach
    }

    /// An element of own rows (solid's frame, about the centre) and shared ones, unless it is out of the cell or below the
    /// floor.
    fn push(&mut self, own: &[Row], shared: &[Row]) {
        let first = self.out.rows.len();
        let half = &self.region.half;
        let mut highest = f64::INFINITY;
        for row in own.iter().chain(shared) {
            let row = Row { slope: self.turn * row.slope, ..*row };
            let value = row.highest(half);
            if row.bounds_r {
                highest = lesser(highest, value);
                if highest <= self.region.floor {
                    break;
                }
                // Above the ceiling all over the cell.
                if row.value - (value - row.value) >= self.region.ceiling {
                    continue;
                }
            } else if value < 0.0 {
                highest = f64::NEG_INFINITY;
                break;
            } else if row.value - (value - row.value) >= 0.0 {
                continue;
            }
            self.out.rows.push(row);
        }
        if highest <= self.region.floor {
            self.out.rows.truncate(first);
            return;
        }
        self.out.items.push(Item { first: first as u32, end: self.out.rows.len() as u32, highest });
    }

    /// Elements of a patch that has triangles no shared plane holds: the nearest point lies on a feature of those, or on a held
    /// triangle; then some feature of those is the nearest of them, and its distance is a bound too.
    fn features(&mut self, s: &mut Scratch) -> bool {
        if !self.collect(s) {
            return false;
        }
        let held = s.held.iter().filter(|h| **h).count();
        let combine = held * s.features.len() <= MAX_COMBINED;
        let shared = std::mem::take(&mut s.shared);
        let mut start = 0;
        for (end, role) in &s.features {
            if *role != Role::Among {
                self.push(&s.rows[start..*end], &shared);
            }
            start = *end;
        }
        let mut rows = Vec::with_capacity(16);
        for index in 0..s.patch.len() {
            if self.out.items.len() > MAX_ITEMS {
                break;
            }
            if !s.held[index] {
                continue;
            }
            rows.clear();
            self.face(s, s.patch[index] as usize, &mut rows);
            if !self.meets_cell(&rows) {
                continue;
            }
            if !combine {
                self.push(&rows, &shared);
                continue;
            }
            let own = rows.len();
            let mut start = 0;
            for (end, role) in &s.features {
                if *role != Role::Nearest {
                    rows.truncate(own);
                    rows.extend_from_slice(&s.rows[start..*end]);
                    self.push(&rows, &shared);
                }
                start = *end;
            }
        }
        s.shared = shared;
        true
    }

    /// The rows of a face: height under its plane, foot inside its edges.
    fn face(&self, s: &Scratch, i: usize, rows: &mut Vec<Row>) {
        let n = s.normals[i];
        let corners = self.surface.triangle(s.candidates[i]);
        let widened = self.widened();
        rows.push(Row::bound(-n, n.dot(&(corners[0] - self.center))));
        for k in 0..3 {
            if let Some(d) = (corners[(k + 1) % 3] - corners[k]).try_normalize(0.0) {
                let inward = n.cross(&d);
                rows.push(Row::domain(inward, widened + inward.dot(&(self.center - corners[k]))));
            }
        }
    }

    fn widened(&self) -> f64 {
        self.region.rounding + self.region.reach * FLAT
    }

    /// Whether some point of the cell may be in every domain.
    fn meets_cell(&self, rows: &[Row]) -> bool {
        rows.iter().all(|r| {
            let slope = self.turn * r.slope;
            r.bounds_r || Row { slope, ..*r }.highest(&self.region.half) >= 0.0
        })
    }

    /// Keeps the rows from `start` on as a feature, if the cell has points in its domain.
    fn keep(&self, s: &mut Scratch, start: usize, role: Role) {
        if self.meets_cell(&s.rows[start..]) {
            s.features.push((s.rows.len(), role));
        } else {
            s.rows.truncate(start);
        }
    }

    /// The features of the patch's triangles that are not held, as far as the cell has points to which they are nearest; false
    /// where there are too many.
    fn collect(&mut self, s: &mut Scratch) -> bool {
        s.features.clear();
        s.rows.clear();
        s.reflex.clear();
        s.corners.clear();
        let mixed = s.held.iter().any(|h| *h);
        for index in 0..s.patch.len() {
            if s.held[index] {
                continue;
            }
            let i = s.patch[index] as usize;
            let start = s.rows.len();
            let mut rows = std::mem::take(&mut s.rows);
            self.face(s, i, &mut rows);
            s.rows = rows;
            let front = s.rows[start];
            self.keep(s, start, Role::Both);
            if mixed && s.rows.len() > start {
                // Seen from its other side.
                let again = s.rows.len();
                s.rows.extend_from_within(start + 1..);
                s.rows.push(Row::bound(-front.slope, -front.value));
                s.rows.push(Row::domain(-front.slope, self.widened() - front.value));
                self.keep(s, again, Role::Among);
            }
            self.edges(s, index, mixed);
            if s.features.len() > MAX_FEATURES {
                return false;
            }
        }
        s.reflex.sort_unstable();
        s.reflex.dedup();
        s.corners.sort_unstable();
        s.corners.dedup();
        for index in 0..s.corners.len() {
            let v = s.corners[index];
            let reflex = s.reflex.binary_search(&v).is_ok();
            let reached = self.reaches_point(v);
            if mixed || (reflex && reached) {
                self.vertex(s, v, reflex && reached);
            }
        }
        s.features.len() <= MAX_FEATURES
    }

    /// The edges of a triangle, each once.
    fn edges(&mut self, s: &mut Scratch, index: usize, mixed: bool) {
        let i = s.patch[index] as usize;
        let (t, n) = (s.candidates[i], s.normals[i]);
        let ids = self.surface.triangles[t as usize];
        let corners = self.surface.triangle(t);
        if mixed {
            s.corners.extend(ids);
        }
        for k in 0..3 {
            let (p, q) = (corners[k], corners[(k + 1) % 3]);
            let Some(d) = (q - p).try_normalize(0.0) else { continue };
            if !self.reaches(&p, &q) {
                if mixed {
                    // The nearest of the triangles without planes may be outside of N: of it no more is known than where.
                    self.beyond_edge(s, &p, &q, &d, &n.cross(&d));
                }
                continue;
            }
            s.corners.extend([ids[k], ids[(k + 1) % 3]]);
            let other = self.surface.neighbor(t, k);
            let Ok(j) = s.candidates.binary_search(&other) else {
                if mixed {
                    self.beyond_edge(s, &p, &q, &d, &n.cross(&d));
                }
                continue;
            };
            let m = s.normals[j];
            // Into the other triangle, away from the edge.
            let away = d.cross(&m);
            let sine = n.dot(&away);
            let other_held = s.patch.binary_search(&(j as u32)).is_ok_and(|x| s.held[x]);
            let once = other_held || t < other;
            let bend = Bend { p, q, d, normals: [n, m], inward: [n.cross(&d), away], sine };
            if sine > FLAT {
                s.reflex.extend([ids[k], ids[(k + 1) % 3]]);
                if once {
                    self.wedges(s, &bend);
                }
            } else if mixed && once && (other_held || sine < -FLAT) {
                // Over a flat edge the faces on both sides are nearest.
                let start = s.rows.len();
                s.rows.extend(self.ends(&p, &q, &d));
                s.rows.push(Row::domain(-bend.inward[0], self.widened() - bend.inward[0].dot(&(self.center - p))));
                if !other_held {
                    s.rows.push(Row::domain(-away, self.widened() - away.dot(&(self.center - p))));
                }
                self.keep(s, start, Role::Among);
            }
        }
    }

    /// The points beyond an edge of a triangle, between its ends.
    fn beyond_edge(&self, s: &mut Scratch, p: &Vec3, q: &Vec3, d: &Vec3, inward: &Vec3) {
        let start = s.rows.len();
        s.rows.extend(self.ends(p, q, d));
        s.rows.push(Row::domain(-inward, self.widened() - inward.dot(&(self.center - p))));
        self.keep(s, start, Role::Among);
    }

    /// Between the ends of an edge.
    fn ends(&self, p: &Vec3, q: &Vec3, d: &Vec3) -> [Row; 2] {
        [
            Row::domain(*d, self.widened() + d.dot(&(self.center - p))),
            Row::domain(-d, self.widened() - d.dot(&(self.center - q))),
        ]
    }

    /// A reflex edge: the directions in which it is nearest, in wedges.
    fn wedges(&mut self, s: &mut Scratch, e: &Bend) {
        let from = self.center - e.p;
        let [p, q] = self.ends(&e.p, &e.q, &e.d);
        let [t, u] = e.inward.map(|t| Row::domain(-t, self.widened() - t.dot(&from)));
        let domain = [p, q, t, u];
        if !self.meets_cell(&domain) {
            return;
        }
        let theta = libm::atan2(e.sine, e.normals[0].dot(&e.normals[1]));
        let wedges = libm::ceil(theta / WEDGE).max(1.0);
        let half = 0.5 * theta / wedges;
        // Perpendicular to the edge, from −n₀ towards −n₁.
        let (u, v) = (-e.normals[0], e.inward[0]);
        for w in 0..wedges as u32 {
            let angle = half * (2.0 * f64::from(w) + 1.0);
            let mean = (u * libm::cos(angle) + v * (-libm::sin(angle))) * (1.0 / libm::cos(half));
            let start = s.rows.len();
            s.rows.extend(domain);
            s.rows.push(Row::bound(mean, mean.dot(&from)));
            self.keep(s, start, Role::Both);
        }
    }

    fn vertex(&mut self, s: &mut Scratch, v: u32, reflex: bool) {
        let around = self.surface.around(v);
        let held = |t: &u32| {
            let place = s.candidates.binary_search(t).ok().and_then(|j| s.patch.binary_search(&(j as u32)).ok());
            place.is_none_or(|x| s.held[x])
        };
        let free: Vec<u32> = around.iter().copied().filter(|t| !held(t)).collect();
        if free.len() == around.len() {
            self.corner(s, v, around, true, if reflex { Role::Both } else { Role::Among });
            return;
        }
        // Of a held triangle's edges only those count that it shares with others.
        self.corner(s, v, &free, false, Role::Among);
        if reflex {
            self.corner(s, v, around, true, Role::Nearest);
        }
    }

    /// A vertex where it is the nearest point of the triangles given; `all` of those at it, and there is a plane.
    fn corner(&mut self, s: &mut Scratch, v: u32, triangles: &[u32], all: bool, role: Role) {
        let at = self.surface.vertices[v as usize];
        let from = self.center - at;
        let start = s.rows.len();
        let mut mean = Vec3::zeros();
        for &t in triangles {
            mean -= self.surface.normal_of(t);
            let ids = self.surface.triangles[t as usize];
            let k = ids.iter().position(|&i| i == v).unwrap_or(0);
            for end in [ids[(k + 1) % 3], ids[(k + 2) % 3]] {
                if let Some(d) = (self.surface.vertices[end as usize] - at).try_normalize(0.0) {
                    s.rows.push(Row::domain(-d, self.widened() - d.dot(&from)));
                }
            }
        }
        let mean = mean.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        let cosine = triangles.iter().map(|&t| -self.surface.normal_of(t).dot(&mean)).fold(1.0, f64::min);
        if all && cosine >= WIDEST_CONE {
            let slope = mean / cosine;
            s.rows.push(Row::bound(slope, slope.dot(&from)));
        } else {
            s.rows.push(self.near_vertex(&from));
        }
        self.keep(s, start, role);
    }

    /// The distance to a vertex is convex: over a box it exceeds a linear function most at a corner.
    fn near_vertex(&self, from: &Vec3) -> Row {
        let half = self.region.half;
        let Some(slope) = from.try_normalize(0.0) else { return Row::bound(Vec3::zeros(), half.norm()) };
        let mut over = f64::NEG_INFINITY;
        for corner in 0..8 {
            let sign = |k: usize| if corner >> k & 1 == 1 { half[k] } else { -half[k] };
            let y = self.turn.tr_mul(&Vec3::new(sign(0), sign(1), sign(2)));
            over = greater(over, (from + y).norm() - slope.dot(&y));
        }
        Row::bound(slope, over)
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
