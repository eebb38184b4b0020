//! The two solids drawn in by a hair: whether they still meet when B is moved.

use super::super::exact::{FARTHEST, Moved, Taken};
use super::super::mesh_mesh::{Pairing, crossings_moved};
use super::super::surface::Surface;
use super::super::tri_tri::Triangle;
use super::super::winding::winding_of_pieces;
use super::ray::exit;
use crate::geom::{Pose, Vec3};

/// Two surfaces, B placed, every vertex moved inward: what touches does not meet, and nothing thicker than the margin can be common
/// to two solids whose drawn-in surfaces are apart (the shrink certificate, see docs/numerics.md).
pub(super) struct Slim<'a> {
    a: &'a Surface,
    b: &'a Surface,
    b_in_a: &'a Pose,
    moved: [Moved<'a>; 2],
    slack: f64,
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
        let tau = 0.5 * margin;
        let moved = [
            Moved::new(a, None, Taken::Inside, tau, 0.0),
            Moved::new(b, Some(b_in_a), Taken::Inside, tau, 0.0),
        ];
        Self { a, b, b_in_a, moved, slack: FARTHEST * tau }
    }

    fn moved_by(&self, by: &Vec3) -> Pose {
        Pose { rotation: self.b_in_a.rotation, translation: self.b_in_a.translation + by }
    }

    /// Visits the pairs of triangles that meet when B is moved, with their corners, B's as they were before that.
    pub(super) fn crossings(&self, by: &Vec3, mut visit: impl FnMut([u32; 2], [Triangle; 2]) -> bool) {
        let pose = self.moved_by(by);
        let p = Pairing { a: self.a, b: self.b, b_in_a: &pose };
        let [a, b] = &self.moved;
        crossings_moved(
            &p,
            self.slack,
            |i| a.triangle(i),
            |j| b.triangle(j).map(|x| x + by),
            |i, j| visit([i, j], [a.triangle(i), b.triangle(j)]),
        );
    }

    /// A shell that lies in the other solid, or may do so, where the moved surfaces do not meet.
    pub(super) fn nested(&self, by: &Vec3) -> Option<Nested> {
        let pose = self.moved_by(by);
        let [a, b] = &self.moved;
        let outside = |w: Option<i32>| w.is_some_and(|w| w < 1);
        let of_a = self.a.shells.iter().map(|&v| a.at(v)).find(|x| {
            !outside(winding_of_pieces(self.b, Some(&pose), x, self.slack, |j| [b.triangle(j).map(|y| y + by)]))
        });
        if let Some(x) = of_a {
            return Some(Nested::A(x));
        }
        let of_b = self.b.shells.iter().map(|&v| b.at(v) + by);
        let mut of_b = of_b.filter(|x| !outside(winding_of_pieces(self.a, None, x, self.slack, |i| [a.triangle(i)])));
        of_b.next().map(Nested::B)
    }

    /// How much farther B has to go along `d`, at least, for a nested shell to come out.
    pub(super) fn way_out(&self, by: &Vec3, nested: &Nested, d: &Vec3) -> f64 {
        match nested {
            Nested::A(x) => {
                let back = self.moved_by(by).inverse();
                exit(self.b, &back.point(x), &-back.direction(d))
            }
            Nested::B(x) => exit(self.a, x, d),
        }
    }
}
