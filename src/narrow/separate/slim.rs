//! The two solids drawn in by a hair: whether they still meet when B is moved.

use super::super::mesh_mesh::{Pairing, crossings_moved, middle_of_common};
use super::super::surface::Surface;
use super::super::tri_tri::Triangle;
use super::super::winding::winding_of_pieces;
use super::ray::exit;
use crate::geom::math::{greater, lesser};
use crate::geom::{Pose, Vec3};

/// Two surfaces, B placed, every vertex moved inward by half of the rounding margin at most: what touches does not meet, and of solids
/// whose drawn-in surfaces are apart nothing thicker than the margin is common (the shrink certificate, see docs/numerics.md).
pub(super) struct Slim<'a> {
    a: &'a Surface,
    b: &'a Surface,
    b_in_a: &'a Pose,
    inward: [&'a [Vec3]; 2],
    /// By so much vertices are moved (mm).
    tau: f64,
}

/// Two triangles that meet when B is moved.
pub(super) struct Crossing {
    pub triangles: [u32; 2],
    /// Corners; B's as they are before it is moved (A's frame).
    pub corners: [Triangle; 2],
}

/// A place where surfaces meet, and which way they face there (A's frame).
#[derive(Clone, Copy)]
pub(super) struct Common {
    at: Vec3,
    normals: [Vec3; 2],
}

/// Which solid reaches into the other, and a point of it (A's frame, B moved).
pub(super) enum Nested {
    /// A's shell with this vertex lies in B.
    A(Vec3),
    B(Vec3),
}

impl<'a> Slim<'a> {
    /// Of two closed surfaces; nothing thicker than `margin` (mm) may be left in common.
    pub(super) fn new(a: &'a Surface, b: &'a Surface, b_in_a: &'a Pose, margin: f64) -> Self {
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
    pub(super) fn crossings(&self, by: &Vec3, mut visit: impl FnMut(Crossing) -> bool) {
        let pose = self.moved_by(by);
        crossings_moved(
            &Pairing { a: self.a, b: self.b, b_in_a: &pose },
            2.0 * self.tau,
            |i| self.triangle_a(i),
            |j| self.triangle_b(j).map(|x| x + by),
            |i, j| visit(Crossing { triangles: [i, j], corners: [self.triangle_a(i), self.triangle_b(j)] }),
        );
    }

    /// The corners of some pairs of triangles that meet when B is moved, B's as they are before.
    pub(super) fn met(&self, by: &Vec3, most: usize) -> Vec<[Triangle; 2]> {
        let mut out = Vec::new();
        self.crossings(by, |crossing| {
            out.push(crossing.corners);
            out.len() < most
        });
        out
    }

    /// A shell that lies in the other solid, or may do so, where the moved surfaces do not meet.
    pub(super) fn nested(&self, by: &Vec3) -> Option<Nested> {
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
    pub(super) fn way_out(&self, by: &Vec3, nested: &Nested, d: &Vec3, limit: f64) -> f64 {
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
    pub(super) fn common(&self, by: &Vec3, crossing: &Crossing) -> Common {
        let ([a, b], [i, j]) = (&crossing.corners, crossing.triangles);
        let at = middle_of_common(a, &b.map(|x| x + by));
        Common { at, normals: [self.a.normal(i), self.b_in_a.direction(&self.b.normal(j))] }
    }

    /// How much farther B has to go along `d`, at least, for the two to be apart: what enters the other solid has to leave it.
    /// No farther than `limit` is looked.
    pub(super) fn stuck(&self, by: &Vec3, common: &Common, d: &Vec3, limit: f64) -> f64 {
        let [a, b] = common.normals.map(|n| n.dot(d));
        let mut way = 0.0;
        // Exits are looked for up to the limit: what is infinite is beyond it.
        if a < 0.0 {
            way = lesser(exit(self.a, &common.at, d, limit), limit);
        }
        if b > 0.0 && way < limit {
            way = greater(way, lesser(self.out_of_b(by, &common.at, d, limit), limit));
        }
        way
    }
}
