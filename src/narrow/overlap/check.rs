//! Whether a surface is what another one should become.

use crate::geom::Vec3;
use crate::geom::math::{UNIT_ROUNDOFF, lesser};
use crate::narrow::surface::Surface;
use crate::narrow::tri_tri::point_triangle;
use crate::narrow::winding::{winding, winding_in_front};

/// How far rounding may have carried a cut from the triangles that cross there, in units of 2⁻⁵³ of the part's size; the
/// rounding margin of every pair of the part allows for 32.
const CUT_IN_ROUNDOFFS: f64 = 8.0;

/// Of a piece's two sides, points this many roundings away are looked at.
const ASIDE: f64 = 4.0;

/// Points of the part's box that are looked at on top.
const SAMPLES: u32 = 256;

/// Checks that `united` is the boundary of what `given` winds around at least once: closed; every piece lies on a triangle of
/// `given`, which it returns (as that triangle's source); the solid behind every piece and nothing in front; no triangle of
/// `given` that bounds the solid is missing; and both agree on points between. `None` where one of these fails.
pub(super) fn pieces_of(united: &Surface, given: &Surface) -> Option<Vec<u32>> {
    let near = CUT_IN_ROUNDOFFS * UNIT_ROUNDOFF * given.bounds.max_abs();
    if !united.rim().is_empty() {
        eprintln!("rim {}", united.rim().len());
        return None;
    }
    // In the order of the mesh that the surface was made of.
    let mut source = vec![0; united.triangles.len() + united.flat().len()];
    for t in 0..united.triangles.len() as u32 {
        let Some(on) = lies_on(united, t, given, near) else { eprintln!("lies {t} {:?} near {near:e} nearest {:?}", united.triangle(t), united.triangle(t).map(|p| given.nearest(&p, 1e9).map(|n| n.distance))); return None };
        source[united.source[t as usize] as usize] = given.source[on as usize];
        if !is_boundary(united, t, given, on, near) {
            eprintln!("boundary {t} {:?}", united.triangle(t));
            return None;
        }
    }
    let complete = (0..given.triangles.len() as u32).all(|t| {
        // Where a ray does not tell, the points between have to.
        winding_in_front(given, t) != Some(0)
            || united.nearest(&middle(given, t), 2.0 * near).is_some()
            || is_small(given, t, near)
            || is_crowded(given, t, &middle(given, t), near)
    });
    eprintln!("complete {complete} agree {}", agree(united, given, near));
    (complete && agree(united, given, near)).then_some(source)
}

fn middle(s: &Surface, t: u32) -> Vec3 {
    let [a, b, c] = s.triangle(t);
    (a + b + c) / 3.0
}

/// Whether the middle of a triangle is no farther from its rim than rounding may carry it.
fn is_small(s: &Surface, t: u32, near: f64) -> bool {
    let [a, b, c] = s.triangle(t);
    let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
    (b - a).cross(&(c - a)).norm() <= 16.0 * ASIDE * near * longest
}

/// The triangle of `given` that a piece lies on: all its corners are near it, so all of it is.
fn lies_on(united: &Surface, t: u32, given: &Surface, near: f64) -> Option<u32> {
    let corners = united.triangle(t);
    let normal = united.normal(t);
    let mut best: Option<(bool, u32)> = None;
    given.within(&middle(united, t), near, |g| {
        let triangle = given.triangle(g);
        if corners.iter().all(|p| point_triangle(p, &triangle).squared <= near * near) {
            let against = normal.dot(&given.normal(g)) <= 0.0;
            if best.is_none_or(|b| (against, given.source[g as usize]) < (b.0, given.source[b.1 as usize])) {
                best = Some((against, g));
            }
        }
        true
    });
    best.map(|b| b.1)
}

/// Whether nothing is in front of the middle of a piece and the solid is behind it; also where other triangles are so close that
/// rounding does not tell.
fn is_boundary(united: &Surface, t: u32, given: &Surface, on: u32, near: f64) -> bool {
    if is_small(united, t, near) {
        return true;
    }
    let (x, aside) = (middle(united, t), united.normal(t) * (ASIDE * near));
    let [front, behind] = [x + aside, x - aside].map(|x| winding(given, None, &x));
    front.is_some_and(|w| w <= 0) && behind.is_some_and(|w| w >= 1) || is_crowded(given, on, &x, near)
}

/// Whether a second triangle is so close to a point of one that rounding does not tell on which side.
fn is_crowded(given: &Surface, on: u32, x: &Vec3, near: f64) -> bool {
    let mut crowded = false;
    given.within(x, 4.0 * ASIDE * near, |g| {
        crowded |= g != on;
        !crowded
    });
    crowded
}

/// Whether both tell the same points inside.
fn agree(united: &Surface, given: &Surface, near: f64) -> bool {
    let size = given.bounds.max - given.bounds.min;
    (1..=SAMPLES).all(|k| {
        let x = given.bounds.min + Vec3::new(radical(k, 2), radical(k, 3), radical(k, 5)).component_mul(&size);
        let (is, should) = (winding(united, None, &x), winding(given, None, &x));
        let same = is.zip(should).is_none_or(|(is, should)| is == i32::from(should >= 1));
        same || given.nearest(&x, 2.0 * near).is_some()
    })
}

/// The `k`-th number of the van der Corput sequence of a base, between 0 and 1.
fn radical(mut k: u32, base: u32) -> f64 {
    let (mut x, mut unit) = (0.0, 1.0);
    while k > 0 {
        unit /= f64::from(base);
        x += unit * f64::from(k % base);
        k /= base;
    }
    lesser(x, 1.0)
}
