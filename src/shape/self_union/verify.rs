//! Whether a surface is what another one should become.

use crate::geom::Vec3;
use crate::geom::math::{UNIT_ROUNDOFF, lesser};
use crate::geom::triangle::point_triangle;
use crate::shape::surface::Surface;
use crate::shape::surface::winding_number::{winding, winding_in_front};

/// How far rounding may have carried a cut from the triangles that cross there, in units of 2⁻⁵³ of the part's size; the
/// rounding margin of every pair of the part allows for 32.
pub(crate) const CUT_IN_ROUNDOFFS: f64 = 8.0;

/// Of a piece's two sides, points this many roundings away are looked at.
pub(crate) const TEST_POINT_OFFSET: f64 = 4.0;

/// Points of the part's box that are looked at on top.
pub(crate) const SAMPLES: u32 = 256;

/// Checks that `united` is the boundary of what `given` winds around at least once: closed; every piece on its triangle (`source`,
/// of `given`), the solid behind it and nothing in front; no triangle of `given` that bounds the solid missing; and both agree
/// on points between.
pub(crate) fn is_union(united: &Surface, source: &[u32], given: &Surface) -> bool {
    let near = CUT_IN_ROUNDOFFS * UNIT_ROUNDOFF * given.bounds.max_abs();
    let on = |t: u32| source[united.source[t as usize] as usize];
    let sound = (0..united.triangles.len() as u32).all(|t| {
        // The distance to a triangle is convex: with its corners all of a piece is near.
        let triangle = given.triangle(on(t));
        united.triangle(t).iter().all(|p| point_triangle(p, &triangle).squared <= near * near)
            && is_boundary(united, t, given, on(t), near)
    });
    let complete = (0..given.triangles.len() as u32).all(|t| {
        // Where a ray does not tell, the points between have to.
        winding_in_front(given, t) != Some(0)
            || united.nearest(&middle(given, t), 2.0 * near).is_some()
            || is_small(given, t, near)
            || has_close_triangle(given, t, &middle(given, t), near)
    });
    united.is_closed() && sound && complete && agree(united, given, near)
}

pub(crate) fn middle(s: &Surface, t: u32) -> Vec3 {
    let [a, b, c] = s.triangle(t);
    (a + b + c) / 3.0
}

/// Whether the middle of a triangle is no farther from its rim than rounding may carry it.
pub(crate) fn is_small(s: &Surface, t: u32, near: f64) -> bool {
    let [a, b, c] = s.triangle(t);
    let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
    (b - a).cross(&(c - a)).norm() <= 16.0 * TEST_POINT_OFFSET * near * longest
}

/// Whether nothing is in front of the middle of a piece and the solid is behind it; also where other triangles are so close that
/// rounding does not tell.
fn is_boundary(united: &Surface, t: u32, given: &Surface, on: u32, near: f64) -> bool {
    if is_small(united, t, near) {
        return true;
    }
    let (x, aside) = (middle(united, t), united.normal(t) * (TEST_POINT_OFFSET * near));
    let [front, behind] = [x + aside, x - aside].map(|x| winding(given, None, &x));
    front.is_some_and(|w| w <= 0) && behind.is_some_and(|w| w >= 1) || has_close_triangle(given, on, &x, near)
}

/// Whether a second triangle is so close to a point of one that rounding does not tell on which side.
fn has_close_triangle(given: &Surface, on: u32, x: &Vec3, near: f64) -> bool {
    let mut crowded = false;
    given.within(x, 4.0 * TEST_POINT_OFFSET * near, |g| {
        crowded |= g != on;
        !crowded
    });
    crowded
}

/// Whether both tell the same points inside.
fn agree(united: &Surface, given: &Surface, near: f64) -> bool {
    let size = given.bounds.max - given.bounds.min;
    (1..=SAMPLES).all(|k| {
        let x = given.bounds.min
            + Vec3::new(van_der_corput(k, 2), van_der_corput(k, 3), van_der_corput(k, 5)).component_mul(&size);
        let (is, should) = (winding(united, None, &x), winding(given, None, &x));
        let same = is.zip(should).is_none_or(|(is, should)| is == i32::from(should >= 1));
        same || given.nearest(&x, 2.0 * near).is_some()
    })
}

/// The `k`-th number of the van der Corput sequence of a base, between 0 and 1.
pub(crate) fn van_der_corput(mut k: u32, base: u32) -> f64 {
    let (mut x, mut unit) = (0.0, 1.0);
    while k > 0 {
        unit /= f64::from(base);
        x += unit * f64::from(k % base);
        k /= base;
    }
    lesser(x, 1.0)
}
