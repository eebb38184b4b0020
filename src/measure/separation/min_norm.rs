//! Computes the shortest translation beyond several planes.

use crate::geom::Vec3;
use crate::geom::math::{greater, lesser};

/// Half-space of translations: at least `least` (mm) along the unit direction `normal`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plane {
    pub normal: Vec3,
    pub least: f64,
}

/// Squared sine of the angle of two planes, and sine of the angle of a line and a plane, for counting as parallel:
/// their intersection is too far away to be useful.
const PARALLEL: f64 = 1e-6;

/// Finds the shortest vector in all half-spaces, each up to the tolerance `lacking` (mm, at least rounding). Returns
/// `None` if no such vector exists, or if rounding prevents finding it.
///
/// Incremental: the optimum so far either satisfies the next half-space, or the new optimum lies in its plane, a
/// problem of one dimension less (R. Seidel, "Small-Dimensional Linear Programming and Convex Hulls Made Easy", 1991;
/// with the norm in place of the linear objective). Cost: O(n) if most half-spaces are satisfied, O(n³) at worst.
pub(crate) fn min_norm_point(planes: &[Plane], lacking: f64) -> Option<Vec3> {
    let meets = |x: &Vec3, p: &Plane| p.normal.dot(x) >= p.least - lacking;
    let mut x = Vec3::zeros();
    for (i, p) in planes.iter().enumerate() {
        if meets(&x, p) {
            continue;
        }
        x = p.normal * p.least;
        for (j, q) in planes[..i].iter().enumerate() {
            if meets(&x, q) {
                continue;
            }
            x = on_two(p, q)?;
            let before = &planes[..j];
            if before.iter().all(|r| meets(&x, r)) {
                continue;
            }
            x = on_line(p, q, &x, before, lacking)?;
        }
    }
    planes.iter().all(|p| meets(&x, p)).then_some(x)
}

/// Finds the point nearest to the origin on the line of intersection of two planes and in the half-spaces `others`. `x`
/// is the point of the line nearest to the origin.
fn on_line(p: &Plane, q: &Plane, x: &Vec3, others: &[Plane], lacking: f64) -> Option<Vec3> {
    let way = p.normal.cross(&q.normal).try_normalize(0.0)?;
    let (mut from, mut to) = (f64::NEG_INFINITY, f64::INFINITY);
    for r in others {
        let (slope, rest) = (r.normal.dot(&way), r.least - r.normal.dot(x));
        if slope.abs() <= PARALLEL {
            if rest > lacking {
                return None;
            }
        } else if slope > 0.0 {
            from = greater(from, rest / slope);
        } else {
            to = lesser(to, rest / slope);
        }
    }
    let near = if from > 0.0 { from } else { lesser(to, 0.0) };
    (from <= to + lacking).then(|| x + way * near)
}

/// Computes the point of both planes nearest to the origin.
fn on_two(p: &Plane, q: &Plane) -> Option<Vec3> {
    let c = p.normal.dot(&q.normal);
    let d = 1.0 - c * c;
    (d > PARALLEL).then(|| p.normal * ((p.least - c * q.least) / d) + q.normal * ((q.least - c * p.least) / d))
}
