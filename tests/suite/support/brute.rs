//! Convex polyhedra compared feature by feature: slow and simple.

use interfere::internals::geom::{Affine, Vec3};
use interfere::internals::mesh::TriMesh;

/// A convex polyhedron in root coordinates.
pub struct Solid {
    vertices: Vec<Vec3>,
    triangles: Vec<[Vec3; 3]>,
    edges: Vec<[Vec3; 2]>,
}

impl Solid {
    /// A placed hull.
    pub fn new(hull: &TriMesh, placement: &Affine) -> Self {
        let vertices: Vec<Vec3> = hull.vertices.iter().map(|v| placement.linear * v + placement.translation).collect();
        let corner = |i: u32| vertices[i as usize];
        let triangles = hull.triangles.iter().map(|t| t.map(corner)).collect();
        let sides = hull.triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
        let edges = sides.filter(|e| e[0] < e[1]).map(|e| e.map(corner)).collect();
        Self { vertices, triangles, edges }
    }

    fn lowest(&self, along: &Vec3) -> f64 {
        self.vertices.iter().map(|v| v.dot(along)).fold(f64::INFINITY, f64::min)
    }

    fn normals(&self) -> impl Iterator<Item = Vec3> + '_ {
        self.triangles.iter().filter_map(|[a, b, c]| (b - a).cross(&(c - a)).try_normalize(0.0))
    }

    /// Widest gap along any face normal or cross product of edges; negative if none separates the two.
    fn separation(&self, other: &Self) -> f64 {
        let crossings = self.edges.iter().flat_map(|[a, b]| {
            other.edges.iter().filter_map(move |[c, d]| {
                let (u, v) = (b - a, d - c);
                let n = u.cross(&v);
                (n.norm() > 1e-9 * u.norm() * v.norm()).then(|| n.normalize())
            })
        });
        let axes = self.normals().chain(other.normals()).chain(crossings);
        axes.flat_map(|n| [n, -n]).map(|n| other.lowest(&n) + self.lowest(&-n)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Distance of the two; `None` if each axis shows at most `margin` between them.
    pub fn distance(&self, other: &Self, margin: f64) -> Option<f64> {
        if self.separation(other) <= margin {
            return None;
        }
        let corners = |a: &Self, b: &Self| {
            let pairs = a.vertices.iter().flat_map(|p| b.triangles.iter().map(move |t| to_triangle(p, t)));
            pairs.fold(f64::INFINITY, f64::min)
        };
        let edges = self.edges.iter().flat_map(|e| other.edges.iter().map(move |f| edge_to_edge(e, f)));
        Some(edges.fold(corners(self, other).min(corners(other, self)), f64::min))
    }
}

fn to_segment(p: &Vec3, [a, b]: &[Vec3; 2]) -> f64 {
    let d = b - a;
    let s = if d.norm_squared() > 0.0 { ((p - a).dot(&d) / d.norm_squared()).clamp(0.0, 1.0) } else { 0.0 };
    (a + d * s - p).norm()
}

fn to_triangle(p: &Vec3, t: &[Vec3; 3]) -> f64 {
    let n = (t[1] - t[0]).cross(&(t[2] - t[0]));
    let above = |k: usize| (t[(k + 1) % 3] - t[k]).cross(&(p - t[k])).dot(&n) >= 0.0;
    if n.norm_squared() > 0.0 && (0..3).all(above) {
        return ((p - t[0]).dot(&n) / n.norm()).abs();
    }
    (0..3).map(|k| to_segment(p, &[t[k], t[(k + 1) % 3]])).fold(f64::INFINITY, f64::min)
}

/// Distance of two segments with inner closest points, along the common perpendicular. End points are covered by
/// corners against triangles.
fn edge_to_edge(e: &[Vec3; 2], f: &[Vec3; 2]) -> f64 {
    let (u, v, w) = (e[1] - e[0], f[1] - f[0], e[0] - f[0]);
    let n = u.cross(&v);
    let (s, t) = (v.cross(&w).dot(&n) / n.norm_squared(), u.cross(&w).dot(&n) / n.norm_squared());
    // Parallel edges have n = 0, so s and t are NaN and outside every range.
    if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) { (w.dot(&n) / n.norm()).abs() } else { f64::INFINITY }
}

/// Triangles in root coordinates, of any shape.
pub struct Soup(Vec<[Vec3; 3]>);

impl Soup {
    /// A placed mesh.
    pub fn new(mesh: &TriMesh, placement: &Affine) -> Self {
        let at: Vec<Vec3> = mesh.vertices.iter().map(|v| placement.linear * v + placement.translation).collect();
        Self(mesh.triangles.iter().map(|t| t.map(|i| at[i as usize])).collect())
    }

    /// Smallest distance of two triangles; 0 if an edge of one pierces another.
    pub fn distance(&self, other: &Self) -> f64 {
        let mut least = f64::INFINITY;
        for s in &self.0 {
            for t in &other.0 {
                let sides = |t: &[Vec3; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
                let (of_s, of_t) = (sides(s), sides(t));
                if of_s.iter().any(|e| pierces(e, t)) || of_t.iter().any(|e| pierces(e, s)) {
                    return 0.0;
                }
                let corners = s.iter().map(|p| to_triangle(p, t)).chain(t.iter().map(|p| to_triangle(p, s)));
                let edges = of_s.iter().flat_map(|e| of_t.iter().map(move |f| edge_to_edge(e, f)));
                least = corners.chain(edges).fold(least, f64::min);
            }
        }
        least
    }
}

/// True if a segment passes through a triangle.
fn pierces([p, q]: &[Vec3; 2], [a, b, c]: &[Vec3; 3]) -> bool {
    let side = |a: &Vec3, b: &Vec3, c: &Vec3, x: &Vec3| (b - a).cross(&(c - a)).dot(&(x - a));
    if side(a, b, c, p) * side(a, b, c, q) > 0.0 {
        return false;
    }
    let around = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    around.iter().all(|s| *s >= 0.0) || around.iter().all(|s| *s <= 0.0)
}
