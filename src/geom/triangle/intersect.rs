//! Whether two triangles meet, or cross; exact.

use crate::geom::Vec3;
use crate::geom::math::lesser;
use crate::geom::predicates::{collinear, orient2d, orient3d};
use crate::geom::triangle::{Triangle, edges};

/// Whether two closed triangles have a point in common; exact. Triangles without area are the segments or points that they
/// are.
///
/// Source: P. Guigue & O. Devillers, "Fast and Robust Triangle-Triangle Overlap Test Using Orientation Predicates", 2003.
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

/// Whether the insides of two triangles, without their edges, cross at an angle; exact. Where one lies on a closed surface
/// the other then has points on both sides of that surface.
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

/// A turned so that its first corner is alone on its side of B's plane, and B so that this side is the positive one, with the
/// sides of B's corners.
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

/// On which side of the plane of `of` each of the points lies.
pub(crate) fn sides(of: &Triangle, points: &Triangle) -> [f64; 3] {
    [0, 1, 2].map(|k| orient3d(&of[0], &of[1], &of[2], &points[k]))
}

fn apart(s: [f64; 3]) -> bool {
    (s[0] > 0.0 && s[1] > 0.0 && s[2] > 0.0) || (s[0] < 0.0 && s[1] < 0.0 && s[2] < 0.0)
}

/// The corner that is alone on its side, and whether this is the positive side; `s` is neither all positive, all negative
/// nor all zero. A corner in the plane goes with whatever leaves one corner alone.
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
    // Two on one side, one in the plane.
    let k = s.iter().position(|&x| x == 0.0).unwrap_or(0);
    (k, s[(k + 1) % 3] < 0.0)
}

/// The last step: where the planes cut, the triangles cover two intervals; whether these meet. `a[0]` is alone on the positive
/// side of the plane of `b`; `s` are the sides of `b`'s corners to A's plane.
fn intervals_meet(a: [&Vec3; 3], b: [&Vec3; 3], s: [f64; 3]) -> bool {
    interval_ends(a, b, s).all(|x| x <= 0.0)
}

/// Where the ends of these intervals lie to each other: not above 0 where the one begins before the other ends, 0 where one
/// ends where the other begins.
fn interval_ends<'t>(a: [&'t Vec3; 3], b: [&'t Vec3; 3], s: [f64; 3]) -> impl Iterator<Item = f64> + use<'t> {
    let [p, q, r] = a;
    let (k, up) = lone_corner(s);
    let [d, e, f] = [b[k], b[(k + 1) % 3], b[(k + 2) % 3]];
    let (q, r) = if up { (q, r) } else { (r, q) };
    [[q, d, p, e], [p, d, r, f]].into_iter().map(|[a, b, c, d]| orient3d(a, b, c, d))
}

/// Triangles in one plane, or without area.
fn intersects_flat(a: &Triangle, b: &Triangle) -> bool {
    match (collinear(&a[0], &a[1], &a[2]), collinear(&b[0], &b[1], &b[2])) {
        (false, false) => coplanar_meet(a, b),
        (false, true) => edges(b).any(|e| segment_meets(a, e)),
        (true, false) => edges(a).any(|e| segment_meets(b, e)),
        (true, true) => edges(a).any(|e| edges(b).any(|f| segments_meet(e, f))),
    }
}

/// The coordinates that are left when each axis is dropped.
const PROJECTIONS: [(usize, usize); 3] = [(1, 2), (2, 0), (0, 1)];

/// Two triangles with area in one plane: some edge has the other triangle strictly on its outer side where they are apart.
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

/// A view along an axis in which the triangle has an area.
fn projection(t: &Triangle) -> Option<(usize, usize)> {
    PROJECTIONS.into_iter().find(|&(i, j)| orient2d([t[0][i], t[0][j]], [t[1][i], t[1][j]], [t[2][i], t[2][j]]) != 0.0)
}

/// Whether a closed segment meets a closed triangle with area; exact.
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

/// Whether two closed segments meet; exact. They do where they lie in one plane and meet in every view along an axis: one
/// view at least shows their plane, or their line, without folding it.
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
