//! Decides exactly, without ties, if edges cross triangles: one solid counts as moved by the vector (e, e², e³) for an
//! infinitesimal e.
//!
//! Source: H. Edelsbrunner & E. P. Mücke, "Simulation of Simplicity: a Technique to Cope with Degenerate Cases in
//! Geometric Algorithms", 1990; here for one motion of one solid, so every determinant is linear in the motion.

use crate::geom::Vec3;
use crate::geom::math::UNIT_ROUNDOFF;
use crate::geom::predicates::{orient2d, orient3d, product_difference, share_a_coordinate};
use crate::geom::triangle::Triangle;
use std::cell::OnceCell;

/// One of the two solids of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Solid {
    A,
    B,
}

impl Solid {
    /// Returns the other solid.
    pub(crate) fn other(self) -> Self {
        if self == Self::A { Self::B } else { Self::A }
    }
}

fn sign(x: f64) -> i32 {
    i32::from(x > 0.0) - i32::from(x < 0.0)
}

/// Height of a point over a plane.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Height {
    /// Value of [`orient3d`], with an exact sign.
    pub value: f64,
    /// Side of the plane (−1, 1) after the perturbation; 0 only over a triangle without area.
    pub side: i32,
}

/// Plane of a triangle, prepared for several points.
#[derive(Debug, Clone)]
pub(crate) struct Plane {
    pub corners: Triangle,
    normal: Vec3,
    /// Sum of the magnitudes of the two products in each component of the normal.
    permanent: Vec3,
    /// Cached result of [`side_by_motion`], for a triangle of the unperturbed solid.
    still: OnceCell<i32>,
}

/// Error bound of a height, relative to its permanent. Source: J. R. Shewchuk, "Adaptive Precision Floating-Point
/// Arithmetic and Fast Robust Geometric Predicates", 1997, §4.3, has (7 + 56u)·u.
const HEIGHT_ERROR: f64 = 8.0 * UNIT_ROUNDOFF;

impl Plane {
    #[inline]
    pub(crate) fn new(t: &Triangle) -> Self {
        let (e, f) = (t[1] - t[0], t[2] - t[0]);
        let products = |i: usize, j: usize| (e[i] * f[j], e[j] * f[i]);
        let [x, y, z] = [products(1, 2), products(2, 0), products(0, 1)];
        Self {
            corners: *t,
            normal: Vec3::new(x.0 - x.1, y.0 - y.1, z.0 - z.1),
            permanent: Vec3::new(x.0.abs() + x.1.abs(), y.0.abs() + y.1.abs(), z.0.abs() + z.1.abs()),
            still: OnceCell::new(),
        }
    }

    /// Evaluates [`orient3d`] for a point, with an exact sign.
    #[inline]
    fn value(&self, x: &Vec3) -> f64 {
        let d = x - self.corners[0];
        let value = self.normal.dot(&d);
        // Underflow stays far below every height of significance.
        if value.abs() > HEIGHT_ERROR * self.permanent.dot(&d.abs()) + f64::MIN_POSITIVE {
            return value;
        }
        exact(&self.corners, x)
    }

    /// Computes the height of a point of the other solid; `still` is true if the triangle's solid is the unperturbed
    /// one.
    #[inline]
    pub(crate) fn height(&self, still: bool, x: &Vec3) -> Height {
        let value = self.value(x);
        let side = if value == 0.0 { self.perturbed_side(still) } else { sign(value) };
        Height { value, side }
    }

    /// Computes the heights of the corners of a triangle of the other solid.
    #[inline]
    fn heights(&self, still: bool, [a, b, c]: &Triangle) -> [Height; 3] {
        [self.height(still, a), self.height(still, b), self.height(still, c)]
    }

    /// Returns the side of a coplanar point after the perturbation.
    #[inline]
    fn perturbed_side(&self, still: bool) -> i32 {
        let side = *self.still.get_or_init(|| side_by_motion(&self.corners));
        if still { side } else { -side }
    }
}

/// Evaluates [`orient3d`]; returns 0 at once if all four points share a coordinate, as in coincident faces of most
/// parts.
fn exact([a, b, c]: &Triangle, x: &Vec3) -> f64 {
    if share_a_coordinate(a, b, c, x) { 0.0 } else { orient3d(a, b, c, x) }
}

/// Computes the side of a coplanar point after its own perturbation.
#[cold]
fn side_by_motion(t: &Triangle) -> i32 {
    let component = |i: usize, j: usize| {
        let [a, b, c] = t.each_ref().map(|p| [p[i], p[j]]);
        sign(orient2d(a, b, c))
    };
    // The first nonzero component of the normal decides: the perturbation changes the height by it.
    [(1, 2), (2, 0), (0, 1)].into_iter().map(|(i, j)| component(i, j)).find(|s| *s != 0).unwrap_or(0)
}

/// Computes the side on which an edge of the unperturbed solid passes an edge of the other: the sign of `orient3d(u, v,
/// p, q)` after the perturbation, 0 only for parallel edges. The second value is true if the perturbation decided the
/// sign.
#[inline]
pub(crate) fn edge_side([u, v]: [&Vec3; 2], [p, q]: [&Vec3; 2]) -> (i32, bool) {
    let value = exact(&[*u, *v, *p], q);
    if value == 0.0 { (passing_by_motion([u, v], [p, q]), true) } else { (sign(value), false) }
}

/// Computes [`edge_side`] for coplanar edges after the perturbation: the volume changes by (v − u) × (p − q).
#[cold]
fn passing_by_motion([u, v]: [&Vec3; 2], [p, q]: [&Vec3; 2]) -> i32 {
    [(1, 2), (2, 0), (0, 1)]
        .into_iter()
        .map(|(i, j)| product_difference([u[i], v[i]], [q[j], p[j]], [u[j], v[j]], [q[i], p[i]]))
        .find(|s| *s != 0)
        .unwrap_or(0)
}

/// Counts the crossing of a segment of the other solid and a triangle: 1 if the segment leaves, −1 if it enters, 0 if
/// it misses.
pub(crate) fn crossing_sign(t: &Triangle, still: bool, from: &Vec3, to: &Vec3) -> i32 {
    let plane = Plane::new(t);
    let (s, e) = (plane.height(still, from).side, plane.height(still, to).side);
    if s == e || s == 0 || e == 0 {
        return 0;
    }
    let pass = |k: usize| {
        let edge = [&t[k], &t[(k + 1) % 3]];
        if still { edge_side(edge, [from, to]).0 } else { edge_side([from, to], edge).0 }
    };
    let first = pass(0);
    if first == 0 || pass(1) != first || pass(2) != first { 0 } else { -s }
}

/// Edge of one triangle crossing the other triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Crossing {
    /// Solid of the edge.
    pub of: Solid,
    /// Index of the edge, from corner `edge` to the next corner.
    pub edge: usize,
    /// True if the edge enters the other solid here.
    pub enters: bool,
    /// Heights of the edge's ends over the other plane, up to a common factor; not both 0.
    pub ends: [f64; 2],
}

/// Intersection of a triangle of A and a triangle of B.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cut {
    /// Disjoint triangles.
    None,
    /// Segment from the first to the second crossing: on A's triangle, seen from outside, the inside of B is on the
    /// left.
    Segment([Crossing; 2]),
    /// Contradictory signs.
    Broken,
}

/// Intersects a triangle of A and a triangle of B; `moved` is the perturbed solid. The second value is true if the
/// result may depend on the choice of the perturbed solid.
pub(crate) fn cut(of_f: &Plane, of_g: &Plane, moved: Solid) -> (Cut, bool) {
    let (f, g) = (&of_f.corners, &of_g.corners);
    let over_f = of_f.heights(moved == Solid::B, g);
    // Coplanar triangles pass each other for either choice.
    if same_side(&over_f) && (!is_tied(&over_f) || over_f.iter().all(|h| h.value == 0.0)) {
        return (Cut::None, false);
    }
    let over_g = of_g.heights(moved == Solid::A, f);
    if same_side(&over_f) || same_side(&over_g) {
        return (Cut::None, is_tied(&over_g) || !same_side(&over_g));
    }
    let mut tied = is_tied(&over_f) || is_tied(&over_g);
    let mut known = [[None; 3]; 3];
    let mut pass = |i: usize, j: usize| {
        let (of_a, of_b) = ([&f[i], &f[(i + 1) % 3]], [&g[j], &g[(j + 1) % 3]]);
        // The sign is the same in either order of the edges.
        *known[i][j].get_or_insert_with(|| {
            let (side, meet) = if moved == Solid::B { edge_side(of_a, of_b) } else { edge_side(of_b, of_a) };
            tied |= meet;
            side
        })
    };
    let (mut from, mut to, mut count) = (None, None, 0);
    for (of, over) in [(Solid::A, &over_g), (Solid::B, &over_f)] {
        for k in 0..3 {
            let (s, e) = (over[k], over[(k + 1) % 3]);
            if s.side * e.side >= 0 {
                continue;
            }
            let side = |l: usize, pass: &mut dyn FnMut(usize, usize) -> i32| {
                if of == Solid::A { pass(k, l) } else { pass(l, k) }
            };
            let first = side(0, &mut pass);
            if first == 0 || side(1, &mut pass) != first || side(2, &mut pass) != first {
                continue;
            }
            let enters = s.side > 0;
            let crossing = Crossing { of, edge: k, enters, ends: [s.value, e.value] };
            count += 1;
            *(if enters == (of == Solid::A) { &mut to } else { &mut from }) = Some(crossing);
        }
    }
    let cut = match (count, from, to) {
        (0, ..) => Cut::None,
        (2, Some(from), Some(to)) => Cut::Segment([from, to]),
        _ => Cut::Broken,
    };
    (cut, tied)
}

/// Returns true if any of the three points lies in the plane.
#[inline]
fn is_tied(h: &[Height; 3]) -> bool {
    h.iter().any(|h| h.value == 0.0)
}

#[inline]
fn same_side(h: &[Height; 3]) -> bool {
    h[0].side != 0 && h[0].side == h[1].side && h[1].side == h[2].side
}
