//! Finds the shortest translation separating two overlapping convex hulls.
//!
//! An expanding polytope (van den Bergen, "Proximity Queries and Penetration Depth Computation on 3D Game Objects",
//! 2001) with exact predicates. The polytope is the exact convex hull of the support points found so far, extended by
//! incremental insertion with exact visibility, so its state is always consistent and the search cannot stall. The
//! support value of any direction bounds the depth from above. The distance from the origin to the polytope's surface
//! bounds it from below. The answer is this interval.

use crate::geom::Vec3;
use crate::geom::math::{self, UNIT_ROUNDOFF};
use crate::geom::predicates::{FilteredPlane, collinear, orient3d};
use crate::query::convex::gjk::HullPair;
use crate::query::convex::simplex::{MinkowskiPoint, Simplex, closest_on_triangle};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Cap on expanded faces; two nearly concentric round hulls of hundreds of vertices need thousands.
const MAX_EXPANSIONS: usize = 100_000;

/// Twice a triangle's area over its longest edge squared, at and above this value the plane distance loses at most
/// three digits.
const FAT_SHARE: f64 = 1e-3;

/// Penetration depth: the true depth lies in `[lower, upper]`, up to the pair's rounding margin (mm).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Penetration {
    /// Distance from the origin to the surface of the inner polytope (mm, >= 0).
    pub lower: f64,
    /// Support value along `axis` (mm, >= 0): translating B by `upper · axis` separates the hulls.
    pub upper: f64,
    /// Unit direction of the separating translation (A's frame).
    pub axis: Vec3,
}

/// Buffers reused from pair to pair; the caller passes one per worker.
#[derive(Debug, Default)]
pub struct EpaScratch {
    points: Vec<MinkowskiPoint>,
    faces: Vec<Face>,
    free: Vec<u32>,
    heap: BinaryHeap<(Reverse<Key>, Reverse<u32>, u32)>,
    /// Bound of the difference of two points of A ⊖ B in each coordinate (mm).
    extent: Vec3,
    /// True if the polytope is known to contain the origin.
    origin_inside: bool,
    visible: Vec<u32>,
    horizon: Vec<(u32, u32, u32)>,
}

/// Up to four affinely independent points, tested by exact signs.
#[derive(Default)]
struct Corners {
    points: [MinkowskiPoint; 4],
    len: usize,
}

impl Corners {
    fn offer(&mut self, p: MinkowskiPoint) {
        let [a, b, c, _] = &self.points;
        let grows = match self.len {
            0 => true,
            1 => p.w != a.w,
            2 => !collinear(&a.w, &b.w, &p.w),
            3 => orient3d(&a.w, &b.w, &c.w, &p.w) != 0.0,
            _ => false,
        };
        if grows {
            self.points[self.len] = p;
            self.len += 1;
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Face {
    v: [u32; 3],
    /// Face across the edge from `v[i]` to `v[i + 1]`.
    adjacent: [u32; 3],
    /// Unit outward normal; zero for a triangle too thin to define one.
    normal: Vec3,
    plane: FilteredPlane,
    /// Counts the uses of the face's slot, to recognise heap entries of removed faces.
    life: u32,
    alive: bool,
    seen: bool,
}

/// Distance as a heap key, in total order; distances are never NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Key(f64);
impl Eq for Key {}
impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Key {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Brackets the shortest translation of B separating the hulls, of which at least one is solid. `seed` is the final
/// simplex of GJK, `margin` the pair's rounding margin (mm). Returns `None` if the Minkowski difference of the hulls is
/// flat.
///
/// Usually costs twenty to a hundred support queries, each followed by the insertion of one point.
pub fn penetration(q: &HullPair, seed: &Simplex, margin: f64, scratch: &mut EpaScratch) -> Option<Penetration> {
    search(q, seed, margin, f64::INFINITY, scratch)
}

/// Like [`penetration`], only for translations up to `limit` (mm): returns `None` if every separating translation is
/// longer.
pub fn penetration_below(
    q: &HullPair,
    seed: &Simplex,
    margin: f64,
    limit: f64,
    scratch: &mut EpaScratch,
) -> Option<Penetration> {
    search(q, seed, margin, limit, scratch)
}

fn search(q: &HullPair, seed: &Simplex, margin: f64, limit: f64, scratch: &mut EpaScratch) -> Option<Penetration> {
    scratch.clear();
    scratch.start(q, seed)?;
    let mut best = Penetration { lower: 0.0, upper: f64::INFINITY, axis: Vec3::zeros() };
    // Smallest distance of a face with no support point beyond it.
    let mut settled = f64::INFINITY;
    // Climbing only proposes support values. A scan confirms the value of the answer.
    let mut confirm_all = false;
    for _ in 0..MAX_EXPANSIONS {
        let Some((key, face)) = scratch.nearest() else { break };
        scratch.origin_inside |= key >= 0.0;
        best.lower = math::lesser(key, settled);
        if best.lower > limit {
            return None;
        }
        if best.upper - best.lower <= 0.25 * margin {
            if q.support_scans() {
                break;
            }
            let true_value = best.axis.dot(&q.scan(&best.axis).w);
            if true_value - best.upper <= 0.25 * margin {
                best.upper = math::greater(best.upper, true_value);
                break;
            }
            // The climb had stalled: reset the upper bound and use scans only.
            confirm_all = true;
            best.upper = f64::INFINITY;
        }
        let Some(w) = scratch.beyond(q, face, &mut best, confirm_all) else {
            settled = math::lesser(settled, key);
            continue;
        };
        if !scratch.insert(face, w) {
            // Unreachable with exact predicates. A broken polytope gives no lower bound.
            best.lower = 0.0;
            break;
        }
    }
    if best.axis == Vec3::zeros() {
        return None;
    }
    // The answer separates the hulls, whatever ended the loop: a scan confirms its support value.
    if !q.support_scans() {
        best.upper = math::greater(best.upper, best.axis.dot(&q.scan(&best.axis).w));
    }
    best.upper = math::greater(best.upper, 0.0);
    best.lower = best.lower.clamp(0.0, best.upper);
    best.upper.is_finite().then_some(best)
}

impl EpaScratch {
    fn clear(&mut self) {
        self.points.clear();
        self.faces.clear();
        self.free.clear();
        self.heap.clear();
        self.origin_inside = false;
    }

    /// Builds a tetrahedron of support points, starting from GJK's simplex.
    fn start(&mut self, q: &HullPair, seed: &Simplex) -> Option<()> {
        self.extent = Vec3::repeat(q.a.diameter + q.b.diameter);
        let mut corners = Corners::default();
        for p in seed.points() {
            corners.offer(*p);
        }
        for axis in [Vec3::x(), Vec3::y(), Vec3::z()] {
            if corners.len < 4 {
                corners.offer(q.scan(&axis));
                corners.offer(q.scan(&-axis));
            }
        }
        if corners.len == 2 {
            // A long oblique hull has the same extreme corner along every axis: search across the line of the two
            // corners.
            let along = corners.points[1].w - corners.points[0].w;
            let across = along.cross(&Vec3::ith(along.iamin(), 1.0));
            for n in [across, along.cross(&across)] {
                if corners.len < 4 {
                    corners.offer(q.scan(&n));
                    corners.offer(q.scan(&-n));
                }
            }
        }
        if corners.len == 3 {
            let [a, b, c, _] = corners.points.map(|p| p.w);
            let n = (b - a).cross(&(c - a));
            corners.offer(q.scan(&n));
            corners.offer(q.scan(&-n));
        }
        if corners.len < 4 {
            return None;
        }
        let [a, b, c, d] = corners.points;
        let outward = orient3d(&a.w, &b.w, &c.w, &d.w) < 0.0;
        self.points.extend(if outward { [a, b, c, d] } else { [a, c, b, d] });
        // Faces 0 1 2 / 0 3 1 / 1 3 2 / 2 3 0 are outward because d lies below the first.
        for (v, adjacent) in
            [([0, 1, 2], [1, 2, 3]), ([0, 3, 1], [3, 2, 0]), ([1, 3, 2], [1, 3, 0]), ([2, 3, 0], [2, 1, 0])]
        {
            self.add_face(v, adjacent);
        }
        self.origin_inside = self.heap.iter().all(|entry| entry.0.0.0 >= 0.0);
        Some(())
    }

    fn w(&self, vertex: u32) -> &Vec3 {
        &self.points[vertex as usize].w
    }

    /// Returns true if a point lies strictly beyond a face: exact, usually decided by the face's filter.
    fn sees(&self, p: &Vec3, face: &Face) -> bool {
        face.plane.certain_side(face.plane.height(p)).unwrap_or_else(|| {
            let [a, b, c] = face.v.map(|v| *self.w(v));
            orient3d(&a, &b, &c, p) > 0.0
        })
    }

    fn add_face(&mut self, v: [u32; 3], adjacent: [u32; 3]) -> u32 {
        let (a, b, c) = (*self.w(v[0]), *self.w(v[1]), *self.w(v[2]));
        let cross = (b - a).cross(&(c - a));
        let [e, f, g] = [(b - a).norm_squared(), (c - a).norm_squared(), (c - b).norm_squared()];
        let longest_sq = math::greater(math::greater(e, f), g);
        let length = cross.norm();
        let usable = length > 16.0 * UNIT_ROUNDOFF * longest_sq;
        let normal = if usable { cross / length } else { Vec3::zeros() };
        // The polytope only grows, so it keeps containing the origin.
        let outside = !self.origin_inside && orient3d(&a, &b, &c, &Vec3::zeros()) > 0.0;
        // For an inside origin the least plane distance is the least distance. A plane distance loses digits in
        // proportion to the triangle's thinness, so thin triangles use their closest point.
        let distance = if self.origin_inside && length > FAT_SHARE * longest_sq {
            normal.dot(&a).abs()
        } else {
            closest_on_triangle(&a, &b, &c).norm()
        };
        let plane = FilteredPlane::new(&a, &b, &c, &self.extent);
        let mut face = Face { v, adjacent, normal, plane, life: 0, alive: true, seen: false };
        let slot = if let Some(slot) = self.free.pop() {
            face.life = self.faces[slot as usize].life + 1;
            self.faces[slot as usize] = face;
            slot
        } else {
            self.faces.push(face);
            self.faces.len() as u32 - 1
        };
        self.heap.push((Reverse(Key(if outside { -distance } else { distance })), Reverse(slot), face.life));
        slot
    }

    /// Removes the nearest living face from the heap; returns its distance to the origin (mm), negative if the origin
    /// lies beyond the face, and its slot.
    fn nearest(&mut self) -> Option<(f64, u32)> {
        while let Some((Reverse(key), Reverse(slot), life)) = self.heap.pop() {
            let face = &self.faces[slot as usize];
            if face.alive && face.life == life {
                return Some((key.0, slot));
            }
        }
        None
    }

    /// Finds a support point strictly beyond the face, if any; the direction tried may improve the upper bound.
    fn beyond(&self, q: &HullPair, slot: u32, best: &mut Penetration, confirm: bool) -> Option<MinkowskiPoint> {
        let face = &self.faces[slot as usize];
        let mut axis = face.normal;
        if axis == Vec3::zeros() {
            // The face is too thin for a normal: use the direction from the origin to its nearest point.
            let [a, b, c] = face.v.map(|v| *self.w(v));
            axis = closest_on_triangle(&a, &b, &c).try_normalize(0.0)?;
        }
        let rises = |w: &MinkowskiPoint| self.sees(&w.w, face);
        let mut w = q.walk_to_support(&axis, &self.points[face.v[0] as usize]);
        if !q.support_scans() && (confirm || !rises(&w)) {
            w = q.scan(&axis);
        }
        let value = axis.dot(&w.w);
        if value < best.upper {
            best.upper = value;
            best.axis = axis;
        }
        rises(&w).then_some(w)
    }

    /// Adds a point beyond the face `from`: removes every face visible from the point and closes the hole with a fan.
    fn insert(&mut self, from: u32, w: MinkowskiPoint) -> bool {
        let apex = self.points.len() as u32;
        self.points.push(w);
        self.visible.clear();
        self.horizon.clear();
        self.visible.push(from);
        self.faces[from as usize].seen = true;
        let mut next = 0;
        while let Some(&slot) = self.visible.get(next) {
            next += 1;
            let face = self.faces[slot as usize];
            for i in 0..3 {
                let across = face.adjacent[i];
                if self.faces[across as usize].seen {
                    continue;
                }
                if self.sees(&w.w, &self.faces[across as usize]) {
                    self.faces[across as usize].seen = true;
                    self.visible.push(across);
                } else {
                    self.horizon.push((face.v[i], face.v[(i + 1) % 3], across));
                }
            }
        }
        for k in 0..self.visible.len() {
            let slot = self.visible[k];
            let face = &mut self.faces[slot as usize];
            (face.alive, face.seen) = (false, false);
            self.free.push(slot);
        }
        self.fan(apex)
    }

    /// Adds faces from every edge of the horizon to the apex, in cyclic order. Returns false if the edges form no
    /// cycle.
    fn fan(&mut self, apex: u32) -> bool {
        // Sort the edges into a cycle.
        for k in 1..self.horizon.len() {
            let end = self.horizon[k - 1].1;
            let Some(at) = (k..self.horizon.len()).find(|&m| self.horizon[m].0 == end) else { return false };
            self.horizon.swap(k, at);
        }
        let n = self.horizon.len();
        let mut slots = std::mem::take(&mut self.visible);
        slots.clear();
        for k in 0..n {
            let (from, to, across) = self.horizon[k];
            let slot = self.add_face([from, to, apex], [across, 0, 0]);
            if let Some(i) = (0..3).find(|&i| {
                let f = &self.faces[across as usize];
                f.v[i] == to && f.v[(i + 1) % 3] == from
            }) {
                self.faces[across as usize].adjacent[i] = slot;
            }
            slots.push(slot);
        }
        for k in 0..n {
            let face = &mut self.faces[slots[k] as usize];
            face.adjacent[1] = slots[(k + 1) % n];
            face.adjacent[2] = slots[(k + n - 1) % n];
        }
        self.visible = slots;
        true
    }
}
