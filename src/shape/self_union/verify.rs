//! Checks the result of a self-union against the given surface.

use crate::geom::Vec3;
use crate::geom::math::{UNIT_ROUNDOFF, lesser};
use crate::geom::triangle::point_triangle;
use crate::shape::surface::Surface;
use crate::shape::surface::winding_number::{winding, winding_in_front};

/// Largest distance of a cut from the crossing triangles by rounding, in units of 2⁻⁵³ of the part's size. The rounding
/// margin of every pair of the part allows for 32.
pub(crate) const CUT_IN_ROUNDOFFS: f64 = 8.0;

/// Distance of the test points on both sides of a piece, in units of the largest cut error.
pub(crate) const TEST_POINT_OFFSET: f64 = 4.0;

/// Number of additional test points in the part's box.
pub(crate) const SAMPLES: u32 = 256;

/// True if `united` is the boundary of all points with a winding number of at least 1 about `given`. The checks:
/// `united` is closed; every piece lies on its source triangle (`source`, of `given`), with outside in front and the
/// solid behind; every triangle of `given` bounding the solid is present; and both agree on sample points. `in_front`
/// is the winding number in front of each triangle of `given`, if known.
pub(crate) fn is_union(united: &Surface, source: &[u32], given: &Surface, in_front: &[Option<i32>]) -> bool {
    let near = CUT_IN_ROUNDOFFS * UNIT_ROUNDOFF * given.bounds.max_abs();
    let mut whole = vec![false; given.triangles.len()];
    let sound = (0..united.triangles.len() as u32).all(|t| {
        let on = source[united.source[t as usize] as usize];
        // The distance to a triangle is convex: a piece is near if its corners are.
        let (triangle, piece) = (given.triangle(on), united.triangle(t));
        whole[on as usize] |= (0..3).all(|k| triangle.contains(&piece[k]));
        piece.iter().all(|p| point_triangle(p, &triangle).squared <= near * near)
            && match in_front[on as usize] {
                Some(front) => front == 0 && united.normal(t).dot(&given.normal(on)) > 0.0,
                None => is_boundary(united, t, given, on, near),
            }
    });
    let complete = (0..given.triangles.len() as u32).all(|t| {
        // If no ray decides, the sample points must.
        whole[t as usize]
            || in_front[t as usize].or_else(|| winding_in_front(given, t)) != Some(0)
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

/// True if the triangle is so thin that rounding may carry its middle over its rim.
pub(crate) fn is_small(s: &Surface, t: u32, near: f64) -> bool {
    let [a, b, c] = s.triangle(t);
    let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
    (b - a).cross(&(c - a)).norm() <= 16.0 * TEST_POINT_OFFSET * near * longest
}

/// True if the middle of a piece has outside in front and the solid behind. Also true if other triangles are too close
/// for a decision.
fn is_boundary(united: &Surface, t: u32, given: &Surface, on: u32, near: f64) -> bool {
    if is_small(united, t, near) {
        return true;
    }
    let (x, aside) = (middle(united, t), united.normal(t) * (TEST_POINT_OFFSET * near));
    let [front, behind] = [x + aside, x - aside].map(|x| winding(given, None, &x));
    front.is_some_and(|w| w <= 0) && behind.is_some_and(|w| w >= 1) || has_close_triangle(given, on, &x, near)
}

/// True if a second triangle is so close to the point that rounding hides the side of the point.
fn has_close_triangle(given: &Surface, on: u32, x: &Vec3, near: f64) -> bool {
    let mut crowded = false;
    given.within(x, 4.0 * TEST_POINT_OFFSET * near, |g| {
        crowded |= g != on;
        !crowded
    });
    crowded
}

/// True if both surfaces enclose the same sample points.
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

/// Number `k` of the van der Corput sequence in a base, between 0 and 1.
pub(crate) fn van_der_corput(mut k: u32, base: u32) -> f64 {
    let (mut x, mut unit) = (0.0, 1.0);
    while k > 0 {
        unit /= f64::from(base);
        x += unit * f64::from(k % base);
        k /= base;
    }
    lesser(x, 1.0)
}
