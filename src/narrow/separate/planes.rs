//! The shortest translation beyond a few planes.

use crate::geom::Mat3;
use crate::geom::Vec3;

/// What a plane demands of a translation: at least `least` (mm) along a unit direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plane {
    pub normal: Vec3,
    pub least: f64,
}

/// What may be lacking of a demand, as a share of it: rounding of a solution.
const LACKING: f64 = 1e-10;

/// Planes that are this close to parallel, or to one line, meet nowhere of use.
const PARALLEL: f64 = 1e-6;

/// The shortest vector that meets all demands; `None` where there is none. The planes that it lies on are three at most, and of all
/// the places where up to three meet it is the nearest that meets the others' demands, too: so all are tried.
pub(super) fn nearest(planes: &[Plane]) -> Option<Vec3> {
    let mut best: Option<(f64, Vec3)> = None;
    let mut consider = |x: Option<Vec3>| {
        let Some(x) = x else { return };
        let squared = x.norm_squared();
        let meets = |p: &Plane| p.normal.dot(&x) >= p.least - LACKING * p.least.abs();
        if best.is_none_or(|b| squared < b.0) && planes.iter().all(meets) {
            best = Some((squared, x));
        }
    };
    for (i, p) in planes.iter().enumerate() {
        consider(Some(p.normal * p.least));
        for (j, q) in planes.iter().enumerate().skip(i + 1) {
            consider(on_two(p, q));
            for r in &planes[j + 1..] {
                consider(on_three(p, q, r));
            }
        }
    }
    best.map(|b| b.1)
}

fn on_two(p: &Plane, q: &Plane) -> Option<Vec3> {
    let c = p.normal.dot(&q.normal);
    let d = 1.0 - c * c;
    (d > PARALLEL).then(|| p.normal * ((p.least - c * q.least) / d) + q.normal * ((q.least - c * p.least) / d))
}

fn on_three(p: &Plane, q: &Plane, r: &Plane) -> Option<Vec3> {
    let m = Mat3::from_rows(&[p.normal.transpose(), q.normal.transpose(), r.normal.transpose()]);
    if m.determinant().abs() <= PARALLEL {
        return None;
    }
    Some(m.try_inverse()? * Vec3::new(p.least, q.least, r.least))
}
