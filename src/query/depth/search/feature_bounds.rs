//! Depth bounds from single faces, reflex edges and vertices, for triangles without a supporting plane.
//!
//! A supporting plane contains a whole patch on its inner side. A supported triangle has one of its own (see
//! `local_bounds`); all other triangles are bounded here, feature by feature.

use crate::geom::Vec3;
use crate::query::depth::search::cell_lp::{Row, corners_of_box, excess};
use crate::query::depth::search::local_bounds::{BoundBuilder, MAX_ITEMS, Role, Scratch};

/// Upper limit of features on unsupported triangles; beyond it the cell has no elements.
const MAX_FEATURES: usize = 64;

/// Upper limit of combinations of a supported triangle and a feature; beyond it only the triangle's rows bound them.
const MAX_COMBINED: usize = 64;

/// Widest wedge of the cone of normals at a reflex edge (radians). Half a wedge loosens the bound by 1/cos(0.1), half a
/// per cent.
const WEDGE: f64 = 0.2;

/// Largest sine of the inward bend at a flat edge. Domains are widened by this value times the search radius.
pub(crate) const FLAT: f64 = 1e-6;

/// Widest cone of normals for a plane at a vertex (cosine of the half angle).
const WIDEST_CONE: f64 = 0.5;

impl BoundBuilder<'_> {
    /// Adds the elements of a patch with unsupported triangles. The nearest point lies on one of their features or on a
    /// supported triangle. In the second case the distance to the nearest of their features is a bound, too. Returns
    /// false if there are too many features.
    pub(crate) fn features(&mut self, s: &mut Scratch) -> bool {
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
            if self.out.count() > MAX_ITEMS {
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

    /// Rows of a face: height below its plane, foot inside its edges.
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

    /// Tests if the cell may have a point in every domain.
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

    /// Collects the features of the patch's unsupported triangles, if they are nearest to some point of the cell.
    /// Returns false if there are too many.
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
                // The same face from its outer side.
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

    /// Adds the edges of a triangle, each edge once.
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
                    // The nearest unsupported triangle may lie outside N: only its domain is known.
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
                // Above a flat edge the faces on both sides are nearest.
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

    /// Adds the points beyond an edge of a triangle, between the edge's ends.
    fn beyond_edge(&self, s: &mut Scratch, p: &Vec3, q: &Vec3, d: &Vec3, inward: &Vec3) {
        let start = s.rows.len();
        s.rows.extend(self.ends(p, q, d));
        s.rows.push(Row::domain(-inward, self.widened() - inward.dot(&(self.center - p))));
        self.keep(s, start, Role::Among);
    }

    /// Domain between the ends of an edge.
    fn ends(&self, p: &Vec3, q: &Vec3, d: &Vec3) -> [Row; 2] {
        [
            Row::domain(*d, self.widened() + d.dot(&(self.center - p))),
            Row::domain(-d, self.widened() - d.dot(&(self.center - q))),
        ]
    }

    /// Adds a reflex edge: wedges of the directions in which it is nearest.
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
        let around = self.surface.triangles_around(v);
        let held = |t: &u32| {
            let place = s.candidates.binary_search(t).ok().and_then(|j| s.patch.binary_search(&(j as u32)).ok());
            place.is_none_or(|x| s.held[x])
        };
        let free: Vec<u32> = around.iter().copied().filter(|t| !held(t)).collect();
        if free.len() == around.len() {
            self.corner(s, v, around, true, if reflex { Role::Both } else { Role::Among });
            return;
        }
        // A supported triangle contributes only the edges shared with unsupported ones.
        self.corner(s, v, &free, false, Role::Among);
        if reflex {
            self.corner(s, v, around, true, Role::Nearest);
        }
    }

    /// Adds a vertex as the nearest point of `triangles`. `all` says that these are all triangles at the vertex; only
    /// then may it have a plane.
    fn corner(&mut self, s: &mut Scratch, v: u32, triangles: &[u32], all: bool, role: Role) {
        let at = self.surface.vertices[v as usize];
        let from = self.center - at;
        let start = s.rows.len();
        let mut mean = Vec3::zeros();
        for &t in triangles {
            mean -= self.surface.cached_normal(t);
            let ids = self.surface.triangles[t as usize];
            let k = ids.iter().position(|&i| i == v).unwrap_or(0);
            for end in [ids[(k + 1) % 3], ids[(k + 2) % 3]] {
                if let Some(d) = (self.surface.vertices[end as usize] - at).try_normalize(0.0) {
                    s.rows.push(Row::domain(-d, self.widened() - d.dot(&from)));
                }
            }
        }
        let mean = mean.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        let cosine = triangles.iter().map(|&t| -self.surface.cached_normal(t).dot(&mean)).fold(1.0, f64::min);
        if all && cosine >= WIDEST_CONE {
            let slope = mean / cosine;
            s.rows.push(Row::bound(slope, slope.dot(&from)));
        } else {
            s.rows.push(self.near_vertex(&from));
        }
        self.keep(s, start, role);
    }

    /// The distance to a vertex is convex: its excess over a linear function is largest at a corner of the box.
    fn near_vertex(&self, from: &Vec3) -> Row {
        let half = &self.region.half;
        let Some(slope) = from.try_normalize(0.0) else { return Row::bound(Vec3::zeros(), half.norm()) };
        let corners = corners_of_box(half).map(|y| self.turn.tr_mul(&y));
        let distances = corners.map(|y| (from + y).norm());
        Row::bound(slope, excess(&corners, &distances, &slope))
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
