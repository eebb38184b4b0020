//! Which edges cross which triangles, without a tie: one solid stands as if it were moved by the vector (e, e², e³) for an e
//! smaller than any number. Source: H. Edelsbrunner & E. P. Mücke, "Simulation of Simplicity: a Technique to Cope with Degenerate Cases in
//! Geometric Algorithms", 1990; here for one motion of the one solid, in which every determinant is linear.

use crate::geom::Vec3;
use crate::geom::math::UNIT_ROUNDOFF;
use crate::geom::predicates::{orient2d, orient3d, product_difference};
use crate::geom::triangle::Triangle;
use std::cell::OnceCell;

/// One of the two solids of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Solid {
    A,
    B,
}

impl Solid {
    /// The other one.
    pub(crate) fn other(self) -> Self {
        if self == Self::A { Self::B } else { Self::A }
    }
}

fn sign(x: f64) -> i32 {
    i32::from(x > 0.0) - i32::from(x < 0.0)
}

/// A height over a plane.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Height {
    /// As [`orient3d`] has it.
    pub value: f64,
    /// On which side; 0 only over a triangle without area.
    pub side: i32,
}

/// The plane of a triangle, prepared for several points.
#[derive(Debug, Clone)]
pub(crate) struct Plane {
    pub corners: Triangle,
    normal: Vec3,
    /// Of the normal's two products each, the sum of the magnitudes.
    permanent: Vec3,
    /// As [`side_by_motion`] has it for the triangle of the solid that does not move.
    still: OnceCell<i32>,
}

/// The height over a plane is wrong by no more than this part of its permanent. Source: J. R. Shewchuk, "Adaptive Precision
/// Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997, §4.3, has (7 + 56u)·u.
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

    /// As [`orient3d`] has it, the sign exact.
    #[inline]
    fn value(&self, x: &Vec3) -> f64 {
        let d = x - self.corners[0];
        let value = self.normal.dot(&d);
        // What underflows is far below any height that counts.
        if value.abs() > HEIGHT_ERROR * self.permanent.dot(&d.abs()) + f64::MIN_POSITIVE {
            return value;
        }
        exact(&self.corners, x)
    }

    /// Where a point of the other solid lies; `still` says whether the triangle's solid is the one that does not move.
    #[inline]
    pub(crate) fn height(&self, still: bool, x: &Vec3) -> Height {
        let value = self.value(x);
        let side = if value == 0.0 { self.perturbed_side(still) } else { sign(value) };
        Height { value, side }
    }

    /// Where the corners of a triangle of the other solid lie.
    #[inline]
    fn heights(&self, still: bool, [a, b, c]: &Triangle) -> [Height; 3] {
        [self.height(still, a), self.height(still, b), self.height(still, c)]
    }

    /// The side of a point in the plane, once the one solid has moved.
    #[inline]
    fn perturbed_side(&self, still: bool) -> i32 {
        let side = *self.still.get_or_init(|| side_by_motion(&self.corners));
        if still { side } else { -side }
    }
}

/// [`orient3d`], at once where all four share a coordinate, as faces of most parts do that lie on each other.
fn exact([a, b, c]: &Triangle, x: &Vec3) -> f64 {
    let flush = |k: usize| a[k] == b[k] && b[k] == c[k] && c[k] == x[k];
    if flush(0) || flush(1) || flush(2) { 0.0 } else { orient3d(a, b, c, x) }
}

/// The side of a point in the plane, once it has moved.
#[cold]
fn side_by_motion(t: &Triangle) -> i32 {
    let component = |i: usize, j: usize| {
        let [a, b, c] = t.each_ref().map(|p| [p[i], p[j]]);
        sign(orient2d(a, b, c))
    };
    // The normal's first component that is not 0: by it the height changes where the point moves.
    [(1, 2), (2, 0), (0, 1)].into_iter().map(|(i, j)| component(i, j)).find(|s| *s != 0).unwrap_or(0)
}

/// On which side an edge of the solid that stands still passes an edge of the other: the sign of `orient3d(u, v, p, q)`; 0 only where
/// they are parallel. And whether they meet, so that motion told.
#[inline]
pub(crate) fn edge_side([u, v]: [&Vec3; 2], [p, q]: [&Vec3; 2]) -> (i32, bool) {
    let value = exact(&[*u, *v, *p], q);
    if value == 0.0 { (passing_by_motion([u, v], [p, q]), true) } else { (sign(value), false) }
}

/// The same of edges that meet, once the other has moved: the volume changes by (v − u) × (p − q).
#[cold]
fn passing_by_motion([u, v]: [&Vec3; 2], [p, q]: [&Vec3; 2]) -> i32 {
    [(1, 2), (2, 0), (0, 1)]
        .into_iter()
        .map(|(i, j)| product_difference([u[i], v[i]], [q[j], p[j]], [u[j], v[j]], [q[i], p[i]]))
        .find(|s| *s != 0)
        .unwrap_or(0)
}

/// What a segment of two points of the other solid counts for, as it meets a triangle: 1 where it leaves, −1 where it
/// enters, 0 where it misses.
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

/// An edge of one triangle that crosses the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Crossing {
    /// Whose edge it is.
    pub of: Solid,
    /// From corner `edge` to the next one.
    pub edge: usize,
    /// Whether the edge enters the other solid there.
    pub enters: bool,
    /// Heights of its two ends over the other's plane, up to a common factor; not both 0.
    pub ends: [f64; 2],
}

/// What two triangles, of A and of B, have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cut {
    /// Nothing.
    None,
    /// A segment, from and to: with the inside of B on the left on A's triangle, seen from outside.
    Segment([Crossing; 2]),
    /// What cannot be.
    Broken,
}

/// What a triangle of A and one of B have in common, `moved` the solid that moves; and whether that may differ where the other
/// moves.
pub(crate) fn cut(of_f: &Plane, of_g: &Plane, moved: Solid) -> (Cut, bool) {
    let (f, g) = (&of_f.corners, &of_g.corners);
    let over_f = of_f.heights(moved == Solid::B, g);
    // Faces in one plane pass each other, whichever moves.
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
        // The sign is the same whichever edge comes first.
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

/// Whether any of three points lies in the plane.
#[inline]
fn is_tied(h: &[Height; 3]) -> bool {
    h.iter().any(|h| h.value == 0.0)
}

#[inline]
fn same_side(h: &[Height; 3]) -> bool {
    h[0].side != 0 && h[0].side == h[1].side && h[1].side == h[2].side
}
