//! Solids as triangle lists, compared one by one: slow and simple, independent of the crate's geometry code.

use super::Rng;
use interfere::internals::geom::{Affine, Vec3};
use interfere::internals::mesh::TriMesh;

/// A placed closed surface.
pub struct Soup {
    triangles: Vec<[Vec3; 3]>,
    /// Least and greatest coordinates of each triangle.
    boxes: Vec<[Vec3; 2]>,
    /// Bounds of all triangles.
    bounds: [Vec3; 2],
}

fn bounds(points: impl Iterator<Item = Vec3>) -> [Vec3; 2] {
    points.fold([Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)], |[l, h], p| [l.inf(&p), h.sup(&p)])
}

/// Distance between two boxes.
fn box_gap(a: &[Vec3; 2], b: &[Vec3; 2]) -> f64 {
    (a[0] - b[1]).sup(&(b[0] - a[1])).sup(&Vec3::zeros()).norm()
}

/// Nearest point of a segment to `p`.
fn to_segment(p: &Vec3, [a, b]: &[Vec3; 2]) -> Vec3 {
    let d = b - a;
    let s = if d.norm_squared() > 0.0 { ((p - a).dot(&d) / d.norm_squared()).clamp(0.0, 1.0) } else { 0.0 };
    a + d * s
}

/// Distance of two segments with inner closest points; infinite otherwise. It is measured between points of the
/// segments, so rounding of parallel segments can only increase it.
fn edge_to_edge(e: &[Vec3; 2], f: &[Vec3; 2]) -> f64 {
    let (u, v, w) = (e[1] - e[0], f[1] - f[0], e[0] - f[0]);
    let n = u.cross(&v);
    let (s, t) = (v.cross(&w).dot(&n) / n.norm_squared(), u.cross(&w).dot(&n) / n.norm_squared());
    let inner = (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t);
    if inner { (w + u * s - v * t).norm() } else { f64::INFINITY }
}

/// Nearest point of a triangle to `p`.
pub fn nearest_on(p: &Vec3, [a, b, c]: &[Vec3; 3]) -> Vec3 {
    let n = (b - a).cross(&(c - a));
    let above = |u: &Vec3, v: &Vec3| (v - u).cross(&(p - u)).dot(&n) >= 0.0;
    if n.norm_squared() > 0.0 && above(a, b) && above(b, c) && above(c, a) {
        return p - n * ((p - a).dot(&n) / n.norm_squared());
    }
    let feet = [to_segment(p, &[*a, *b]), to_segment(p, &[*b, *c]), to_segment(p, &[*c, *a])];
    let nearer = |x: &&Vec3, y: &&Vec3| (p - **x).norm().total_cmp(&(p - **y).norm());
    *feet.iter().min_by(nearer).expect("three sides")
}

/// Solid angle of a triangle seen from `p`, positive from behind (van Oosterom & Strackee, "The solid angle of a plane
/// triangle", 1983).
fn solid_angle(p: &Vec3, t: &[Vec3; 3]) -> f64 {
    let [a, b, c] = t.map(|v| v - p);
    let [x, y, z] = [a.norm(), b.norm(), c.norm()];
    2.0 * libm::atan2(a.dot(&b.cross(&c)), x * y * z + a.dot(&b) * z + b.dot(&c) * x + c.dot(&a) * y)
}

/// Intersection of the segment from `p` to `q` with a triangle.
fn pierced(p: &Vec3, q: &Vec3, [a, b, c]: &[Vec3; 3]) -> Option<Vec3> {
    let n = (b - a).cross(&(c - a));
    let (above, below) = ((p - a).dot(&n), (q - a).dot(&n));
    if above * below > 0.0 || above == below {
        return None;
    }
    let x = p + (q - p) * (above / (above - below));
    let inside = |u: &Vec3, v: &Vec3| (v - u).cross(&(x - u)).dot(&n) >= 0.0;
    (inside(a, b) && inside(b, c) && inside(c, a)).then_some(x)
}

impl Soup {
    /// A mesh placed by a map without a mirror.
    pub fn new(mesh: &TriMesh, placement: &Affine) -> Self {
        let at = |i: u32| placement.linear * mesh.vertices[i as usize] + placement.translation;
        let triangles: Vec<[Vec3; 3]> = mesh.triangles.iter().map(|t| t.map(at)).collect();
        let boxes = triangles.iter().map(|t| bounds(t.iter().copied())).collect();
        Self { bounds: bounds(triangles.iter().flatten().copied()), triangles, boxes }
    }

    /// Winding number of the surface around `x`; close to an integer away from the surface.
    pub fn winding(&self, x: &Vec3) -> f64 {
        self.triangles.iter().map(|t| solid_angle(x, t)).sum::<f64>() / (4.0 * std::f64::consts::PI)
    }

    /// Distance from `x` to the surface.
    pub fn to_surface(&self, x: &Vec3) -> f64 {
        self.triangles.iter().map(|t| (x - nearest_on(x, t)).norm()).fold(f64::INFINITY, f64::min)
    }

    /// Distance from `x` to the surface, positive inside.
    pub fn signed(&self, x: &Vec3) -> f64 {
        let outside = (0..3).any(|k| x[k] < self.bounds[0][k] || x[k] > self.bounds[1][k]);
        if !outside && self.winding(x) > 0.5 { self.to_surface(x) } else { -self.to_surface(x) }
    }

    /// One corner of each triangle.
    pub fn corners(&self) -> impl Iterator<Item = Vec3> + '_ {
        self.triangles.iter().map(|t| t[0])
    }

    /// Collects the gradients of the signed distance to all triangles limiting it within `band` of `x`.
    fn slopes(&self, x: &Vec3, signed: f64, band: f64, out: &mut Vec<Vec3>) {
        let sign = if signed < 0.0 { -1.0 } else { 1.0 };
        // Outside, the nearest triangle alone limits the distance.
        let within = signed.abs() + if signed < 0.0 { 0.0 } else { band };
        for t in &self.triangles {
            let from = x - nearest_on(x, t);
            let distance = from.norm();
            if distance <= within && distance > 0.0 {
                out.push(from * (sign / distance));
            }
        }
    }

    /// Distance of the two surfaces; 0 if they cross.
    pub fn distance(&self, other: &Self) -> f64 {
        let mut best = f64::INFINITY;
        for (s, of_s) in self.triangles.iter().zip(&self.boxes) {
            if box_gap(of_s, &other.bounds) >= best {
                continue;
            }
            for (t, of_t) in other.triangles.iter().zip(&other.boxes) {
                if box_gap(of_s, of_t) < best {
                    best = best.min(between(s, t));
                }
            }
        }
        best
    }

    /// A point slightly below an edge of the surface.
    fn under_an_edge(&self, rng: &mut Rng, by: f64) -> Vec3 {
        let k = rng.below(self.triangles.len());
        let t = &self.triangles[k];
        let side = rng.below(3);
        let ends = [t[side], t[(side + 1) % 3]];
        let normal = |[a, b, c]: &[Vec3; 3]| (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        let across = self.triangles.iter().enumerate().filter(|(j, u)| *j != k && ends.iter().all(|e| u.contains(e)));
        let up = across.fold(normal(t), |n, (_, u)| n + normal(u));
        ends[0] + (ends[1] - ends[0]) * rng.unit() - up * by
    }

    /// Points on edges of one surface passing through the other.
    fn crossings(&self, other: &Self) -> Vec<Vec3> {
        let mut out = Vec::new();
        for (s, of_s) in self.triangles.iter().zip(&self.boxes) {
            for (t, of_t) in other.triangles.iter().zip(&other.boxes) {
                if box_gap(of_s, of_t) <= 0.0 {
                    for (p, q, t) in (0..3).flat_map(|k| [(&s[k], &s[(k + 1) % 3], t), (&t[k], &t[(k + 1) % 3], s)]) {
                        out.extend(pierced(p, q, t));
                    }
                }
            }
        }
        out
    }
}

/// Distance of two triangles; 0 if they cross.
fn between(s: &[Vec3; 3], t: &[Vec3; 3]) -> f64 {
    let side = |t: &[Vec3; 3], k: usize| [t[k], t[(k + 1) % 3]];
    let mut best = f64::INFINITY;
    for k in 0..3 {
        best = best.min((s[k] - nearest_on(&s[k], t)).norm()).min((t[k] - nearest_on(&t[k], s)).norm());
        for l in 0..3 {
            best = best.min(edge_to_edge(&side(s, k), &side(t, l)));
        }
        if pierced(&s[k], &s[(k + 1) % 3], t).or_else(|| pierced(&t[k], &t[(k + 1) % 3], s)).is_some() {
            return 0.0;
        }
    }
    best
}

/// Shortest vector in the hull of `vectors` (Frank & Wolfe, "An algorithm for quadratic programming", 1956).
fn shortest(vectors: &[Vec3]) -> Vec3 {
    let mut v = vectors[0];
    for _ in 0..60 {
        let least = vectors.iter().min_by(|p, q| p.dot(&v).total_cmp(&q.dot(&v))).expect("not empty");
        let towards = least - v;
        let gain = -v.dot(&towards);
        if gain <= 1e-9 * v.norm_squared() || towards.norm_squared() == 0.0 {
            break;
        }
        v += towards * (gain / towards.norm_squared()).min(1.0);
    }
    v
}

/// Effort of a search.
#[derive(Clone, Copy)]
pub struct Effort {
    /// Number of random points.
    pub tries: usize,
    /// Number of ascents.
    pub climbs: usize,
    /// Steps of each ascent.
    pub steps: usize,
}

/// Two solids and the search for the largest common ball.
pub struct Search<'a> {
    pub a: &'a Soup,
    pub b: &'a Soup,
}

impl Search<'_> {
    /// Depth of `x` in both solids: the smaller signed distance.
    pub fn depth(&self, x: &Vec3) -> f64 {
        let a = self.a.signed(x);
        a.min(self.b.signed(x))
    }

    /// Ascends from `x` along the direction increasing all distances close to limiting the ball.
    fn climb(&self, mut x: Vec3, mut step: f64, steps: usize) -> (Vec3, f64) {
        let mut best = self.depth(&x);
        let least = 1e-9 * step;
        let mut slopes = Vec::new();
        for _ in 0..steps {
            slopes.clear();
            for s in [self.a, self.b] {
                let signed = s.signed(&x);
                if signed <= best + 2.0 * step {
                    s.slopes(&x, signed, best + 2.0 * step - signed, &mut slopes);
                }
            }
            let uphill = if slopes.is_empty() { Vec3::zeros() } else { shortest(&slopes) };
            let ahead = uphill.try_normalize(1e-12).map(|d| x + d * step);
            match ahead.map(|p| (p, self.depth(&p))) {
                Some((p, depth)) if depth > best => {
                    (x, best) = (p, depth);
                    step *= 1.5;
                }
                _ => step *= 0.5,
            }
            if step < least {
                break;
            }
        }
        (x, best)
    }

    /// Centre and radius of the largest ball found; the radius is negative if there is none.
    pub fn deepest(&self, rng: &mut Rng, effort: Effort) -> (Vec3, f64) {
        let low = self.a.bounds[0].sup(&self.b.bounds[0]);
        let high = self.a.bounds[1].inf(&self.b.bounds[1]);
        let size = (high - low).norm().max(1e-3);
        let mut starts: Vec<(f64, Vec3)> = (0..effort.tries)
            .map(|_| {
                let x = low + (high - low).component_mul(&Vec3::new(rng.unit(), rng.unit(), rng.unit()));
                (self.depth(&x), x)
            })
            .collect();
        let crossings = self.a.crossings(self.b);
        for _ in 0..effort.tries.min(crossings.len()) {
            let [p, q] = [0, 1].map(|_| crossings[rng.below(crossings.len())]);
            starts.extend([p, (p + q) * 0.5].map(|x| (self.depth(&x), x)));
        }
        starts.sort_by(|p, q| q.0.total_cmp(&p.0));
        let mut best = (Vec3::zeros(), f64::NEG_INFINITY);
        for k in 0..effort.climbs {
            // From the best point, from a random one, or from below an edge: wedges of the intersection begin there.
            let (depth, x) = match k % 3 {
                0 => starts[(k / 3).min(starts.len() - 1)],
                1 => starts[rng.below(starts.len())],
                _ => {
                    let s = if rng.below(2) == 0 { self.a } else { self.b };
                    let below = size * rng.scale(1e-6, 1e-2);
                    let x = s.under_an_edge(rng, below);
                    (self.depth(&x), x)
                }
            };
            let found = self.climb(x, depth.abs().max(1e-3 * size), effort.steps);
            if found.1 > best.1 {
                best = found;
            }
        }
        best
    }
}
