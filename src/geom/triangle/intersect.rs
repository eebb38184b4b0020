//! Exact tests: do two triangles meet, or cross?

use crate::geom::Vec3;
use crate::geom::math::lesser;
use crate::geom::predicates::{collinear, orient2d, orient3d};
use crate::geom::triangle::{Triangle, edges};

/// Tests if two closed triangles have a point in common; exact. Triangles without area count as segments or points.
///
/// Source: P. Guigue & O. Devillers, "Fast and Robust Triangle-Triangle Overlap Test Using Orientation Predicates",
/// 2003.
pub fn intersects(a: &Triangle, b: &Triangle) -> bool {
    let to_b = sides(b, a);
    if apart(to_b) {
        return false;
    }
    let to_a = sides(a, b);
    if apart(to_a) {
        return false;
    }
    if to_a == [0.0; 3] || to_b == [0.0; 3] {
        return intersects_flat(a, b);
    }
    let (p, q, s) = turned(a, b, to_a, to_b);
    intervals_meet(p, q, s)
}

/// Tests if the interiors of two triangles cross at an angle; exact. If one triangle belongs to a closed surface, the
/// other then has points on both sides of it.
pub fn crosses(a: &Triangle, b: &Triangle) -> bool {
    let on_both = |s: &[f64; 3]| s.iter().any(|&x| x > 0.0) && s.iter().any(|&x| x < 0.0);
    let to_b = sides(b, a);
    if !on_both(&to_b) {
        return false;
    }
    let to_a = sides(a, b);
    if !on_both(&to_a) {
        return false;
    }
    let (p, q, s) = turned(a, b, to_a, to_b);
    interval_ends(p, q, s).all(|x| x < 0.0)
}

/// Rotates the corners of `a` until the first is alone on its side of the plane of `b`. Swaps two corners of `b` if
/// this side is negative. Also returns the sides of the corners of `b`.
fn turned<'t>(
    a: &'t Triangle,
    b: &'t Triangle,
    to_a: [f64; 3],
    to_b: [f64; 3],
) -> ([&'t Vec3; 3], [&'t Vec3; 3], [f64; 3]) {
    let [p, q, r] = a;
    let (turned, swap) = match lone_corner(to_b) {
        (0, up) => ([p, q, r], !up),
        (1, up) => ([q, r, p], !up),
        (_, up) => ([r, p, q], !up),
    };
    if swap {
        (turned, [&b[0], &b[2], &b[1]], [to_a[0], to_a[2], to_a[1]])
    } else {
        (turned, [&b[0], &b[1], &b[2]], to_a)
    }
}

/// Side of each of the `points` relative to the plane of `of`: sign of [`orient3d`].
pub(crate) fn sides(of: &Triangle, points: &Triangle) -> [f64; 3] {
    let side = |p| orient3d(&of[0], &of[1], &of[2], p);
    [side(&points[0]), side(&points[1]), side(&points[2])]
}

fn apart(s: [f64; 3]) -> bool {
    (s[0] > 0.0 && s[1] > 0.0 && s[2] > 0.0) || (s[0] < 0.0 && s[1] < 0.0 && s[2] < 0.0)
}

/// Finds the corner that is alone on its side; true if this is the positive side. `s` has both signs or a zero, and a
/// number other than zero. A corner in the plane counts for either side.
fn lone_corner(s: [f64; 3]) -> (usize, bool) {
    for k in 0..3 {
        let (x, y, z) = (s[k], s[(k + 1) % 3], s[(k + 2) % 3]);
        if x > 0.0 && y <= 0.0 && z <= 0.0 {
            return (k, true);
        }
        if x < 0.0 && y >= 0.0 && z >= 0.0 {
            return (k, false);
        }
    }
    // Two corners on one side, one in the plane.
    let k = s.iter().position(|&x| x == 0.0).unwrap_or(0);
    (k, s[(k + 1) % 3] < 0.0)
}

/// Tests if the intervals of the two triangles on the common line of their planes meet. `a[0]` is alone on the positive
/// side of the plane of `b`; `s` are the sides of the corners of `b` relative to the plane of `a`.
fn intervals_meet(a: [&Vec3; 3], b: [&Vec3; 3], s: [f64; 3]) -> bool {
    interval_ends(a, b, s).all(|x| x <= 0.0)
}

/// Compares the ends of these intervals: each number is negative if one interval begins before the other ends, 0 if it
/// begins at the end of the other.
fn interval_ends<'t>(a: [&'t Vec3; 3], b: [&'t Vec3; 3], s: [f64; 3]) -> impl Iterator<Item = f64> + use<'t> {
    let [p, q, r] = a;
    let (k, up) = lone_corner(s);
    let [d, e, f] = [b[k], b[(k + 1) % 3], b[(k + 2) % 3]];
    let (q, r) = if up { (q, r) } else { (r, q) };
    [[q, d, p, e], [p, d, r, f]].into_iter().map(|[a, b, c, d]| orient3d(a, b, c, d))
}

/// Tests triangles in one plane, or without area.
fn intersects_flat(a: &Triangle, b: &Triangle) -> bool {
    match (collinear(&a[0], &a[1], &a[2]), collinear(&b[0], &b[1], &b[2])) {
        (false, false) => coplanar_meet(a, b),
        (false, true) => edges(b).any(|e| segment_meets(a, e)),
        (true, false) => edges(a).any(|e| segment_meets(b, e)),
        (true, true) => edges(a).any(|e| edges(b).any(|f| segments_meet(e, f))),
    }
}

/// Pairs of coordinates that remain after dropping one axis.
const PROJECTIONS: [(usize, usize); 3] = [(1, 2), (2, 0), (0, 1)];

/// Tests two triangles with area in one plane: they are disjoint if one has an edge with the whole other triangle
/// strictly outside.
fn coplanar_meet(a: &Triangle, b: &Triangle) -> bool {
    let Some((i, j)) = projection(a) else { return true };
    let flat = |t: &Triangle| [0, 1, 2].map(|k| [t[k][i], t[k][j]]);
    let (a, b) = (flat(a), flat(b));
    let separates = |s: &[[f64; 2]; 3], t: &[[f64; 2]; 3]| {
        let turn = orient2d(s[0], s[1], s[2]);
        (0..3).any(|k| t.iter().all(|&x| orient2d(s[k], s[(k + 1) % 3], x) * turn.signum() < 0.0))
    };
    !separates(&a, &b) && !separates(&b, &a)
}

/// Finds a projection along an axis in which the triangle has an area.
fn projection(t: &Triangle) -> Option<(usize, usize)> {
    PROJECTIONS.into_iter().find(|&(i, j)| orient2d([t[0][i], t[0][j]], [t[1][i], t[1][j]], [t[2][i], t[2][j]]) != 0.0)
}

/// Tests if a closed segment meets a closed triangle with area; exact.
pub(crate) fn segment_meets(t: &Triangle, [p, q]: [&Vec3; 2]) -> bool {
    let (from, to) = (orient3d(&t[0], &t[1], &t[2], p), orient3d(&t[0], &t[1], &t[2], q));
    if (from > 0.0 && to > 0.0) || (from < 0.0 && to < 0.0) {
        return false;
    }
    if from == 0.0 && to == 0.0 {
        let Some((i, j)) = projection(t) else { return true };
        let flat = |v: &Vec3| [v[i], v[j]];
        let [a, b, c] = [flat(&t[0]), flat(&t[1]), flat(&t[2])];
        let turn = orient2d(a, b, c).signum();
        let inside = |x: [f64; 2]| [(a, b), (b, c), (c, a)].into_iter().all(|(s, e)| orient2d(s, e, x) * turn >= 0.0);
        return inside(flat(p)) || inside(flat(q)) || edges(t).any(|e| segments_meet(e, [p, q]));
    }
    let around = [orient3d(p, q, &t[0], &t[1]), orient3d(p, q, &t[1], &t[2]), orient3d(p, q, &t[2], &t[0])];
    around.iter().all(|&s| s >= 0.0) || around.iter().all(|&s| s <= 0.0)
}

/// Tests if two closed segments meet; exact. They meet if they are coplanar and meet in every projection along an axis:
/// at least one projection maps their plane, or their line, one to one.
pub(crate) fn segments_meet([a, b]: [&Vec3; 2], [c, d]: [&Vec3; 2]) -> bool {
    orient3d(a, b, c, d) == 0.0
        && PROJECTIONS.into_iter().all(|(i, j)| {
            let flat = |v: &Vec3| [v[i], v[j]];
            flat_segments_meet([flat(a), flat(b)], [flat(c), flat(d)])
        })
}

fn flat_segments_meet([a, b]: [[f64; 2]; 2], [c, d]: [[f64; 2]; 2]) -> bool {
    let boxes =
        (0..2).all(|k| lesser(a[k], b[k]) <= -lesser(-c[k], -d[k]) && lesser(c[k], d[k]) <= -lesser(-a[k], -b[k]));
    let straddles = |x: f64, y: f64| !((x > 0.0 && y > 0.0) || (x < 0.0 && y < 0.0));
    boxes && straddles(orient2d(a, b, c), orient2d(a, b, d)) && straddles(orient2d(c, d, a), orient2d(c, d, b))
}
