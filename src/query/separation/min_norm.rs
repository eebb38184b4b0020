//! The shortest translation beyond a few planes.

use crate::geom::Vec3;
use crate::geom::math::{greater, lesser};

/// What a plane demands of a translation: at least `least` (mm) along a unit direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plane {
    pub normal: Vec3,
    pub least: f64,
}

/// Planes that are this close to parallel, or to one line, meet nowhere of use.
const PARALLEL: f64 = 1e-6;

/// The shortest vector that meets all demands, none of which may lack more than `lacking` (mm, no less than rounding); `None` where there
/// is none, or none that rounding would let find.
///
/// Incrementally: what meets the demands so far either meets the next one, too, or the answer lies in its plane, where the same is
/// asked with a dimension less (R. Seidel, "Small-Dimensional Linear Programming and Convex Hulls Made Easy", 1991; the norm of least
/// length in place of a linear one). Cost: O(n) where most demands are met, O(n³) at worst.
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

/// Of the line in which two planes meet, where `x` is its point nearest to the origin, the nearest that meets the other demands.
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

/// The point of both planes that is nearest to the origin.
fn on_two(p: &Plane, q: &Plane) -> Option<Vec3> {
    let c = p.normal.dot(&q.normal);
    let d = 1.0 - c * c;
    (d > PARALLEL).then(|| p.normal * ((p.least - c * q.least) / d) + q.normal * ((q.least - c * p.least) / d))
}
