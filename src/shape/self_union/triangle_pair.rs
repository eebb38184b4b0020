//! Tests if two triangles of one surface have common points besides their shared corners and edges. Single precision
//! and bounds of rounding separate most pairs; exact predicates decide the rest.

use crate::geom::Vec3;
use crate::geom::math::{self, UNIT_ROUNDOFF};
use crate::geom::predicates::{orient2d, orient3d};
use crate::geom::triangle::{Triangle, intersects};
use crate::shape::surface::Surface;
use wide::f32x4;

/// Relative error bound of a triple product of differences: above this share of the product of their lengths, its sign
/// is certain.
pub(super) const SIGN_ERROR: f64 = 64.0 * UNIT_ROUNDOFF;

/// Relative error bound of a height over a triangle in single precision: smaller heights are recomputed in double
/// precision.
const CERTAIN_SINGLE: f32 = 16.0 * f32::EPSILON;

/// Box of a triangle, rounded outward; the fourth lane is 0.
#[inline]
pub(super) fn bounds([a, b, c]: &Triangle) -> (f32x4, f32x4) {
    let (low, high) = (math::min3(math::min3(*a, *b), *c), math::max3(math::max3(*a, *b), *c));
    let [min, max] = [low, high].map(|x| [x.x as f32, x.y as f32, x.z as f32]);
    (
        f32x4::new([min[0].next_down(), min[1].next_down(), min[2].next_down(), 0.0]),
        f32x4::new([max[0].next_up(), max[1].next_up(), max[2].next_up(), 0.0]),
    )
}

#[inline]
pub(super) fn boxes_meet(one: (f32x4, f32x4), other: (f32x4, f32x4)) -> bool {
    (one.0.simd_le(other.1) & other.0.simd_le(one.1)).all()
}

/// Data to separate most pairs of triangles quickly.
#[derive(Clone, Copy)]
pub(super) struct Element {
    /// Box as by [`bounds`].
    pub(super) min: f32x4,
    pub(super) max: f32x4,
    pub(super) normal: [f32; 3],
    /// Relative height up to which a direction may lie in the plane.
    blur: f32,
}

impl Element {
    pub(super) const EMPTY: Self = Self { min: f32x4::ZERO, max: f32x4::ZERO, normal: [0.0; 3], blur: 0.0 };

    pub(super) fn of(s: &Surface, t: u32) -> Self {
        let [a, b, c] = s.triangle(t);
        let (e, f) = (b - a, c - a);
        let n = e.cross(&f);
        let length = n.norm();
        let unit = n / length;
        // Bound of the normal's rotation by rounding: infinite for a triangle without area.
        let turned = SIGN_ERROR * (e.norm_squared() + f.norm_squared()) / length;
        let (min, max) = bounds(&[a, b, c]);
        Self { min, max, normal: [0, 1, 2].map(|k| unit[k] as f32), blur: turned as f32 + CERTAIN_SINGLE }
    }

    /// Returns 1 or −1 for the side of the plane of a direction, 0 if uncertain.
    #[inline]
    pub(super) fn side(&self, d: &Vec3) -> i32 {
        let d = [d.x as f32, d.y as f32, d.z as f32];
        let height = self.normal[0] * d[0] + self.normal[1] * d[1] + self.normal[2] * d[2];
        let least = self.blur * (d[0].abs() + d[1].abs() + d[2].abs());
        i32::from(height > least) - i32::from(height < -least)
    }
}

/// True if two triangles have a common point besides their shared corners and edges.
pub(super) fn intersects_beyond_shared(s: &Surface, (t, one): (u32, &Element), (u, other): (u32, &Element)) -> bool {
    let (own, theirs) = (s.triangles[t as usize], s.triangles[u as usize]);
    let shared = own.iter().filter(|v| theirs.contains(v)).count();
    // Rotate the corners: the shared ones come first.
    let place = |x: &[u32; 3], y: &[u32; 3]| {
        let has = |k: usize| y.contains(&x[k % 3]);
        let first = (0..3).find(|&k| has(k) && (shared == 1 || has(k + 1))).unwrap_or(0);
        [0, 1, 2].map(|k| s.vertices[x[(first + k) % 3] as usize])
    };
    match shared {
        0 => disjoint_triangles_intersect(one, &s.triangle(t), other, &s.triangle(u)),
        1 => {
            let (p, q) = (place(&own, &theirs), place(&theirs, &own));
            let [e, f, g, h] = [p[1] - p[0], p[2] - p[0], q[1] - q[0], q[2] - q[0]];
            // Except for the corner, one triangle lies entirely on one side of the other's plane.
            one.side(&g) * one.side(&h) <= 0 && other.side(&e) * other.side(&f) <= 0 && fans_intersect(&p, &q)
        }
        2 => {
            let (p, q) = (place(&own, &theirs), place(&theirs, &own));
            one.side(&(q[2] - p[0])) == 0 && folded(&p, &q)
        }
        _ => true,
    }
}

/// True if two triangles without a shared corner meet.
fn disjoint_triangles_intersect(one: &Element, t: &Triangle, other: &Element, u: &Triangle) -> bool {
    let beyond = |item: &Element, from: &Vec3, of: &Triangle| {
        let sides = of.map(|v| item.side(&(v - from)));
        sides[0] != 0 && sides[0] == sides[1] && sides[1] == sides[2]
    };
    !beyond(one, &t[0], u) && !beyond(other, &u[0], t) && !separated_in_plane(t, u) && intersects(t, u)
}

/// True if a plane perpendicular to one of two triangles, through one of its sides, certainly separates them. Nearly
/// all coplanar pairs end here; exact predicates are slow for them.
fn separated_in_plane(t: &Triangle, u: &Triangle) -> bool {
    let parted = |t: &Triangle, u: &Triangle| {
        let [e, f] = [t[1] - t[0], t[2] - t[0]];
        let n = e.cross(&f);
        let others = u.map(|x| x - t[0]);
        let farthest = others.iter().map(math::norm1).fold(math::norm1(&e) + math::norm1(&f), math::greater);
        [e, f - e, -f].iter().any(|side| {
            let d = side.cross(&n);
            let own = math::greater(0.0, math::greater(d.dot(&e), d.dot(&f)));
            let certain = SIGN_ERROR * math::norm1(&d) * farthest;
            others.iter().all(|x| d.dot(x) - own > certain)
        })
    };
    parted(t, u) || parted(u, t)
}

/// True if two triangles sharing their first corner meet anywhere else.
fn fans_intersect(t: &Triangle, u: &Triangle) -> bool {
    let [e, f, g, h] = [t[1] - t[0], t[2] - t[0], u[1] - u[0], u[2] - u[0]];
    let [le, lf, lg, lh] = [e, f, g, h].map(|d| d.norm());
    // True if both directions certainly point to the negative side of a plane through the corner. `size` bounds the
    // terms of the normal.
    let beyond = |n: &Vec3, size: f64, p: &Vec3, q: &Vec3, lp: f64, lq: f64| {
        n.dot(p) < -SIGN_ERROR * size * lp && n.dot(q) < -SIGN_ERROR * size * lq
    };
    // Direction from the middle of one triangle's fan to the other's: it separates most pairs at an angle.
    let across = (g / lg + h / lh) - (e / le + f / lf);
    if beyond(&across, 4.0, &e, &f, le, lf) && beyond(&-across, 4.0, &g, &h, lg, lh) {
        return false;
    }
    let clear = |e: &Vec3, f: &Vec3, g: &Vec3, h: &Vec3, [le, lf, lg, lh]: [f64; 4]| {
        let n = e.cross(f);
        let size = le * lf;
        beyond(&n, size, g, h, lg, lh)
            || beyond(&-n, size, g, h, lg, lh)
            // Both triangles may be coplanar: try planes perpendicular to them through the sides.
            || beyond(&n.cross(e), size * le, g, h, lg, lh)
            || beyond(&f.cross(&n), size * lf, g, h, lg, lh)
    };
    if clear(&e, &f, &g, &h, [le, lf, lg, lh]) || clear(&g, &h, &e, &f, [lg, lh, le, lf]) {
        return false;
    }
    // A side of one may continue straight in a side of the other: try the plane perpendicular to a bisector.
    let opposite = |e: &Vec3, f: &Vec3, g: &Vec3, h: &Vec3, [le, lf, lg, lh]: [f64; 4]| {
        let bisector = e / le + f / lf;
        beyond(&bisector, 2.0, g, h, lg, lh) && beyond(&-bisector, 2.0, e, f, le, lf)
    };
    if opposite(&e, &f, &g, &h, [le, lf, lg, lh]) || opposite(&g, &h, &e, &f, [lg, lh, le, lf]) {
        return false;
    }
    // Any further common point implies a point on the far side of one of the triangles.
    intersects(&[t[1], t[2], t[2]], u) || intersects(&[u[1], u[2], u[2]], t)
}

/// True if two triangles sharing their first two corners, in any order, lie on each other.
fn folded(t: &Triangle, u: &Triangle) -> bool {
    let (along, mine, theirs) = (t[1] - t[0], t[2] - t[0], u[2] - t[0]);
    let n = along.cross(&mine);
    let (size, length) = (along.norm() * mine.norm(), theirs.norm());
    if n.dot(&theirs).abs() > SIGN_ERROR * size * length {
        return false;
    }
    // Points away from the first triangle within its plane.
    if n.cross(&along).dot(&theirs) < -SIGN_ERROR * size * along.norm() * length {
        return false;
    }
    let side = |x: &Vec3, (i, j): (usize, usize)| orient2d([t[0][i], t[0][j]], [t[1][i], t[1][j]], [x[i], x[j]]);
    orient3d(&t[0], &t[1], &t[2], &u[2]) == 0.0
        && [(1, 2), (2, 0), (0, 1)].into_iter().any(|view| side(&t[2], view) * side(&u[2], view) > 0.0)
}
