//! The shrink certificate: a proof that nothing thicker than 2τ is common to two solids, from one crossing test.
//!
//! Every vertex v is moved inward by d with dist(v + d, T) ≤ τ for every triangle T at v. The distance to a triangle is convex,
//! so on the straight way from the surface to the moved one every point stays within τ of the surface: points deeper than τ keep
//! their winding number. If the moved surfaces do not meet and no shell of one lies in the other, no point has a winding number
//! of 1 or more in both, so no point is deeper than τ in both. The moved surfaces may cross themselves freely.

use super::super::mesh_mesh::{Pairing, crossing_moved};
use super::super::surface::Surface;
use super::super::tri_tri::point_triangle;
use super::super::winding::winding_moved;
use crate::geom::math::{greater, lesser};
use crate::geom::{Pose, Vec3};
use std::cell::RefCell;
#[expect(clippy::disallowed_types, reason = "looked up by key, never iterated")]
use std::collections::HashMap;

/// No vertex moves by more than this many τ: at sharper corners the faces move less than they might.
pub(in crate::narrow) const FARTHEST: f64 = 4.0;

/// Projections onto the incident planes, at most; sharp corners take about thirty.
const MAX_SWEEPS: usize = 60;

/// Faces that move by this share of τ move far enough.
const FULL: f64 = 0.999;

/// Which side of a surface is taken for the solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::narrow) enum Taken {
    /// What the surface encloses.
    Inside,
    /// Everything else.
    Outside,
}

impl Taken {
    fn sign(self) -> f64 {
        if self == Self::Inside { 1.0 } else { -1.0 }
    }
}

/// Where the vertices of one solid go, computed as they are asked for.
pub(in crate::narrow) struct Moved<'a> {
    surface: &'a Surface,
    pose: Option<&'a Pose>,
    taken: Taken,
    tau: f64,
    #[expect(clippy::disallowed_types, reason = "looked up by key, never iterated")]
    known: RefCell<HashMap<u32, Vec3, rapidhash::fast::RandomState>>,
}

impl<'a> Moved<'a> {
    /// The vertices of a surface that `pose` places in A's frame, `None` for A itself; `tau` in mm.
    pub(in crate::narrow) fn new(surface: &'a Surface, pose: Option<&'a Pose>, taken: Taken, tau: f64) -> Self {
        Self { surface, pose, taken, tau, known: RefCell::default() }
    }

    /// In A's frame.
    pub(in crate::narrow) fn at(&self, v: u32) -> Vec3 {
        if let Some(p) = self.known.borrow().get(&v) {
            return *p;
        }
        let own = self.surface.vertices[v as usize];
        let d = inward(self.surface, v, self.taken.sign(), self.tau);
        let p = match self.pose {
            None => own + d,
            Some(pose) => pose.point(&own) + pose.direction(&d),
        };
        self.known.borrow_mut().insert(v, p);
        p
    }
}

/// What a shrink shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Shrunk {
    /// No ball of a radius above τ lies in both.
    Apart,
    /// The moved surfaces meet here (A's frame).
    Meet(Vec3),
    /// They do not meet, but one reaches into the other's solid or may do so.
    Nested,
}

/// Whether no ball of a radius above `tau` (mm) lies in both closed solids, of B what the surface encloses or everything else.
/// Cost: a crossing test, plus about a microsecond a vertex near the other solid.
pub(super) fn shrink(p: &Pairing, taken_b: Taken, tau: f64) -> Shrunk {
    if tau <= 0.0 {
        return Shrunk::Nested;
    }
    let a = Moved::new(p.a, None, Taken::Inside, tau);
    let b = Moved::new(p.b, Some(p.b_in_a), taken_b, tau);
    let slack = FARTHEST * tau;
    if let Some(x) = crossing_moved(p, slack, |v| a.at(v), |v| b.at(v)) {
        return Shrunk::Meet(x);
    }
    // Not crossing, a shell lies on one side of the other surface as a whole.
    let in_b = |w: i32| (w >= 1) == (taken_b == Taken::Inside);
    let of_a = |v: u32| winding_moved(p.b, Some(p.b_in_a), &a.at(v), slack, |v| b.at(v)).is_some_and(|w| !in_b(w));
    let of_b = |v: u32| winding_moved(p.a, None, &b.at(v), slack, |v| a.at(v)).is_some_and(|w| w < 1);
    if p.a.shells.iter().all(|&v| of_a(v)) && p.b.shells.iter().all(|&v| of_b(v)) {
        Shrunk::Apart
    } else {
        Shrunk::Nested
    }
}

/// How a vertex moves, in the solid's frame: within τ of all triangles at it. `sign` is −1 where the outside is the solid.
fn inward(s: &Surface, v: u32, sign: f64, tau: f64) -> Vec3 {
    let at = s.vertices[v as usize];
    // A triangle without area opens unless its corners stay on their line.
    if s.is_rough(v) {
        return Vec3::zeros();
    }
    let mut around = Vec::with_capacity(12);
    s.around_into(v, &mut around);
    let mut mean = Vec3::zeros();
    let mut normals: Vec<Vec3> = Vec::with_capacity(around.len());
    for &t in &around {
        let ids = s.triangles[t as usize];
        let k = ids.iter().position(|&i| i == v).unwrap_or(0);
        let (p, q) = (s.vertices[ids[(k + 1) % 3] as usize] - at, s.vertices[ids[(k + 2) % 3] as usize] - at);
        let n = s.normal(t) * sign;
        mean += n * libm::atan2(p.cross(&q).norm(), p.dot(&q));
        if !normals.iter().any(|m| m.dot(&n) > 1.0 - 1e-14) {
            normals.push(n);
        }
    }
    // A vertex that moves by no more than τ stays within τ of whatever it belongs to.
    let Some(mean) = mean.try_normalize(0.0) else { return Vec3::zeros() };
    let plain = mean * (-tau * (1.0 - 1e-12));
    let least = |d: &Vec3| normals.iter().map(|n| -n.dot(d)).fold(f64::INFINITY, f64::min);
    if least(&plain) >= FULL * tau {
        return plain;
    }
    let mut d = plain;
    for _ in 0..MAX_SWEEPS {
        let mut worst = 0.0;
        for n in &normals {
            let miss = -n.dot(&d) - tau;
            worst = greater(worst, miss.abs());
            d += *n * miss;
        }
        if worst <= 1e-6 * tau {
            break;
        }
    }
    let length = d.norm();
    if length > FARTHEST * tau * (1.0 - 1e-9) {
        d *= FARTHEST * tau * (1.0 - 1e-9) / length;
    }
    // Planes that move by a hair less than τ leave room for the rounding of the test itself.
    d *= 1.0 - 1e-9;
    let x = at + d;
    let farthest = around.iter().map(|&t| point_triangle(&x, &s.triangle(t)).squared).fold(0.0, greater).sqrt();
    // The distance to a triangle at the vertex is convex and 0 at the vertex: of a shorter way it is shorter at least in proportion.
    if farthest > tau {
        d *= tau / farthest * (1.0 - 1e-9);
    }
    if lesser(least(&d), tau) > least(&plain) { d } else { plain }
}
