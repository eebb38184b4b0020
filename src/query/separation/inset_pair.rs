//! The two solids drawn in by a hair: whether they still meet when B is moved.

use crate::geom::math::{greater, lesser};
use crate::geom::triangle::Triangle;
use crate::geom::{Pose, Vec3};
use crate::query::separation::ray_exit::exit;
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::{displaced_intersections, middle_of_crossing};
use crate::shape::surface::Surface;
use crate::shape::surface::winding_number::winding_of_pieces;

/// Sine of the angle below which an edge counts as flat.
const DEGENERATE_SINE: f64 = 1e-3;

/// A direction may be outside of the normals of an edge by this share of their angle: it may be one of them.
const EDGE_ROUNDING: f64 = 1e-6;

/// A face slides along directions whose sine against it is below this: it neither enters nor leaves what it meets.
const GRAZING: f64 = 1e-9;

/// Two surfaces, B placed, every vertex moved inward by half of the rounding margin at most: what touches does not meet, and of solids
/// whose drawn-in surfaces are apart nothing thicker than the margin is common (the shrink certificate, see docs/numerics.md).
pub(crate) struct InsetPair<'a> {
    a: &'a Surface,
    b: &'a Surface,
    b_in_a: &'a Pose,
    inward: [&'a [Vec3]; 2],
    /// By so much vertices are moved (mm).
    tau: f64,
}

/// Two triangles that meet when B is moved.
pub(crate) struct Crossing {
    pub triangles: [u32; 2],
    /// Corners; B's as they are before it is moved (A's frame).
    pub corners: [Triangle; 2],
}

/// Two triangles that meet when B is moved, and what surrounds them.
pub(crate) struct ContactPair {
    /// Corners; B's as they are before it is moved (A's frame).
    pub corners: [Triangle; 2],
    /// Their convex edges.
    pub edges: [[Option<Edge>; 3]; 2],
}

/// An edge at which a surface bends outward.
#[derive(Clone, Copy)]
pub(crate) struct Edge {
    pub way: Vec3,
    normals: [Vec3; 2],
}

impl Edge {
    /// Whether nothing of the two triangles at the edge is farther out along `d`, which is at a right angle to it.
    pub(crate) fn is_outermost(&self, d: &Vec3) -> bool {
        let [n, m] = &self.normals;
        let turn = n.cross(m);
        let least = -EDGE_ROUNDING * turn.norm_squared();
        d.dot(&(n + m)) > 0.0 && n.cross(d).dot(&turn) >= least && d.cross(m).dot(&turn) >= least
    }
}

/// The convex edges of a triangle; where two triangles lie in one plane, all but, there is none.
fn edges(s: &Surface, t: u32) -> [Option<Edge>; 3] {
    let ids = s.triangles[t as usize];
    let normal = s.cached_normal(t);
    std::array::from_fn(|k| {
        let other = s.neighbor_of(t, k);
        if other == u32::MAX {
            return None;
        }
        let (p, q) = (s.vertices[ids[k] as usize], s.vertices[ids[(k + 1) % 3] as usize]);
        let (way, beyond) = (q - p, s.cached_normal(other));
        // Seen along the edge the way on turns to the left, away from the outside.
        let convex = normal.cross(&beyond).dot(&way) > DEGENERATE_SINE * way.norm();
        convex.then_some(Edge { way, normals: [normal, beyond] })
    })
}

/// A place where surfaces meet, and which way they face there (A's frame).
#[derive(Clone, Copy)]
pub(crate) struct SharedPoint {
    at: Vec3,
    normals: [Vec3; 2],
}

/// Which solid reaches into the other, and a point of it (A's frame, B moved).
pub(crate) enum Nested {
    /// A's shell with this vertex lies in B.
    A(Vec3),
    B(Vec3),
}

impl<'a> InsetPair<'a> {
    /// Of two closed surfaces; nothing thicker than `margin` (mm) may be left in common.
    pub(crate) fn new(a: &'a Surface, b: &'a Surface, b_in_a: &'a Pose, margin: f64) -> Self {
        Self { a, b, b_in_a, inward: [a.inward(), b.inward()], tau: 0.5 * margin }
    }

    fn moved_by(&self, by: &Vec3) -> Pose {
        Pose { rotation: self.b_in_a.rotation, translation: self.b_in_a.translation + by }
    }

    fn vertex_a(&self, v: u32) -> Vec3 {
        self.a.vertices[v as usize] + self.inward[0][v as usize] * self.tau
    }

    fn vertex_b(&self, v: u32) -> Vec3 {
        self.b_in_a.point(&(self.b.vertices[v as usize] + self.inward[1][v as usize] * self.tau))
    }

    fn triangle_a(&self, t: u32) -> Triangle {
        self.a.triangles[t as usize].map(|v| self.vertex_a(v))
    }

    fn triangle_b(&self, t: u32) -> Triangle {
        self.b.triangles[t as usize].map(|v| self.vertex_b(v))
    }

    /// Visits the pairs of triangles that meet when B is moved, until `visit` returns false.
    pub(crate) fn crossings(&self, by: &Vec3, mut visit: impl FnMut(Crossing) -> bool) {
        let pose = self.moved_by(by);
        displaced_intersections(
            &Pairing { a: self.a, b: self.b, b_in_a: &pose },
            2.0 * self.tau,
            |i| self.triangle_a(i),
            |j| self.triangle_b(j).map(|x| x + by),
            |i, j| visit(Crossing { triangles: [i, j], corners: [self.triangle_a(i), self.triangle_b(j)] }),
        );
    }

    /// Some pairs of triangles that meet when B is moved.
    pub(crate) fn met(&self, by: &Vec3, most: usize) -> Vec<ContactPair> {
        let mut out = Vec::new();
        self.crossings(by, |crossing| {
            out.push(self.with_edges(&crossing));
            out.len() < most
        });
        out
    }

    /// Two triangles with their edges.
    pub(crate) fn with_edges(&self, crossing: &Crossing) -> ContactPair {
        let [i, j] = crossing.triangles;
        let turn = |e: Edge| Edge {
            way: self.b_in_a.direction(&e.way),
            normals: e.normals.map(|n| self.b_in_a.direction(&n)),
        };
        ContactPair { corners: crossing.corners, edges: [edges(self.a, i), edges(self.b, j).map(|e| e.map(turn))] }
    }

    /// A shell that lies in the other solid, or may do so, where the moved surfaces do not meet.
    pub(crate) fn nested(&self, by: &Vec3) -> Option<Nested> {
        let pose = self.moved_by(by);
        let slack = 2.0 * self.tau;
        let outside = |w: Option<i32>| w.is_some_and(|w| w < 1);
        let of_a = self.a.shells.iter().map(|&v| self.vertex_a(v)).find(|x| {
            let pieces = |j| [self.triangle_b(j).map(|y| y + by)];
            !outside(winding_of_pieces(self.b, Some(&pose), x, slack, pieces))
        });
        if let Some(x) = of_a {
            return Some(Nested::A(x));
        }
        let mut of_b = self.b.shells.iter().map(|&v| self.vertex_b(v) + by);
        of_b.find(|x| !outside(winding_of_pieces(self.a, None, x, slack, |i| [self.triangle_a(i)]))).map(Nested::B)
    }

    /// How much farther B has to go along `d`, at least, for a nested shell to come out; no farther than `limit` is looked.
    pub(crate) fn exit_distance(&self, by: &Vec3, nested: &Nested, d: &Vec3, limit: f64) -> f64 {
        match nested {
            Nested::A(x) => self.out_of_b(by, x, d, limit),
            Nested::B(x) => exit(self.a, x, d, limit),
        }
    }

    fn out_of_b(&self, by: &Vec3, x: &Vec3, d: &Vec3, limit: f64) -> f64 {
        let x = self.b_in_a.rotation.tr_mul(&(x - by - self.b_in_a.translation));
        exit(self.b, &x, &-self.b_in_a.rotation.tr_mul(d), limit)
    }

    /// Where two triangles meet.
    pub(crate) fn common(&self, by: &Vec3, crossing: &Crossing) -> SharedPoint {
        let ([a, b], [i, j]) = (&crossing.corners, crossing.triangles);
        let at = middle_of_crossing(a, &b.map(|x| x + by));
        SharedPoint { at, normals: [self.a.cached_normal(i), self.b_in_a.direction(&self.b.cached_normal(j))] }
    }

    /// How much farther B has to go along `d`, at least, for the two to be apart: what enters the other solid has to leave it.
    /// No farther than `limit` is looked.
    pub(crate) fn is_blocked(&self, by: &Vec3, common: &SharedPoint, d: &Vec3, limit: f64) -> f64 {
        let [a, b] = common.normals.map(|n| n.dot(d));
        let mut way = 0.0;
        // Exits are looked for up to the limit: what is infinite is beyond it.
        if a < -GRAZING {
            way = lesser(exit(self.a, &common.at, d, limit), limit);
        }
        if b > GRAZING && way < limit {
            way = greater(way, lesser(self.out_of_b(by, &common.at, d, limit), limit));
        }
        way
    }
}
