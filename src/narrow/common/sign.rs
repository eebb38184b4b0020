//! Which edges cross which triangles, without a tie: one solid stands as if it were moved by the vector (e, e², e³) for an e
//! smaller than any number. Source: H. Edelsbrunner & E. P. Mücke, "Simulation of Simplicity: a Technique to Cope with Degenerate Cases in
//! Geometric Algorithms", 1990; here for one motion of the one solid, in which every determinant is linear.

use crate::geom::Vec3;
use crate::geom::predicates::{orient2d, orient3d, product_difference};
use crate::narrow::tri_tri::Triangle;

/// One of the two solids of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Solid {
    A,
    B,
}

impl Solid {
    /// The other one.
    pub(super) fn other(self) -> Self {
        if self == Self::A { Self::B } else { Self::A }
    }
}

fn sign(x: f64) -> i32 {
    i32::from(x > 0.0) - i32::from(x < 0.0)
}

/// A height over a plane.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Height {
    /// As [`orient3d`] has it.
    pub value: f64,
    /// On which side; 0 only over a triangle without area.
    pub side: i32,
}

/// Where a point lies over the plane of a triangle of the other solid; `still` says whether the triangle's is the one that does
/// not move.
#[inline]
pub(super) fn height(t: &Triangle, still: bool, x: &Vec3) -> Height {
    let value = orient3d(&t[0], &t[1], &t[2], x);
    let side = if value == 0.0 { side_by_motion(t, still) } else { sign(value) };
    Height { value, side }
}

/// The side of a point in the plane, once the one solid has moved.
#[cold]
fn side_by_motion(t: &Triangle, still: bool) -> i32 {
    let component = |i: usize, j: usize| {
        let [a, b, c] = t.each_ref().map(|p| [p[i], p[j]]);
        sign(orient2d(a, b, c))
    };
    // The normal's first component that is not 0: by it the height changes where the point moves.
    let normal = [(1, 2), (2, 0), (0, 1)].into_iter().map(|(i, j)| component(i, j)).find(|s| *s != 0).unwrap_or(0);
    if still { normal } else { -normal }
}

/// On which side an edge of the solid that stands still passes an edge of the other: the sign of `orient3d(u, v, p, q)`; 0 only where they are parallel.
#[inline]
pub(super) fn passing([u, v]: [&Vec3; 2], [p, q]: [&Vec3; 2]) -> i32 {
    let value = orient3d(u, v, p, q);
    if value == 0.0 { passing_by_motion([u, v], [p, q]) } else { sign(value) }
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
pub(super) fn through(t: &Triangle, still: bool, from: &Vec3, to: &Vec3) -> i32 {
    let (s, e) = (height(t, still, from).side, height(t, still, to).side);
    if s == e || s == 0 || e == 0 {
        return 0;
    }
    let pass = |k: usize| {
        let edge = [&t[k], &t[(k + 1) % 3]];
        if still { passing(edge, [from, to]) } else { passing([from, to], edge) }
    };
    let first = pass(0);
    if first == 0 || pass(1) != first || pass(2) != first { 0 } else { -s }
}

/// An edge of one triangle that crosses the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Crossing {
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
pub(super) enum Cut {
    /// Nothing.
    None,
    /// A segment, from and to: with the inside of B on the left on A's triangle, seen from outside.
    Segment([Crossing; 2]),
    /// What cannot be.
    Broken,
}

/// What a triangle of A and one of B have in common, `moved` the solid that moves.
pub(super) fn cut(f: &Triangle, g: &Triangle, moved: Solid) -> Cut {
    let over_g = f.each_ref().map(|x| height(g, moved == Solid::A, x));
    if same_side(&over_g) {
        return Cut::None;
    }
    let over_f = g.each_ref().map(|x| height(f, moved == Solid::B, x));
    if same_side(&over_f) {
        return Cut::None;
    }
    let mut known = [[None; 3]; 3];
    let mut pass = |i: usize, j: usize| {
        let (of_a, of_b) = ([&f[i], &f[(i + 1) % 3]], [&g[j], &g[(j + 1) % 3]]);
        // The sign is the same whichever edge comes first.
        *known[i][j].get_or_insert_with(|| if moved == Solid::B { passing(of_a, of_b) } else { passing(of_b, of_a) })
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
    match (count, from, to) {
        (0, ..) => Cut::None,
        (2, Some(from), Some(to)) => Cut::Segment([from, to]),
        _ => Cut::Broken,
    }
}

#[inline]
fn same_side(h: &[Height; 3]) -> bool {
    h[0].side != 0 && h[0].side == h[1].side && h[1].side == h[2].side
}
