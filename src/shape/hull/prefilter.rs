//! Drops points that are certainly inside before the main loop sees them.

use crate::geom::{Aabb, Vec3};
use crate::shape::hull::quickhull::quickhull;
use crate::shape::hull::seed::{Seed, seed};

/// The sample's size for `n` points: its own hull must cost little next to one pass over all of them.
fn sample_size(n: usize) -> usize {
    (n / 16).min(64 + n / 128)
}

/// Indices of points that may be extreme, always those of `keep`: all but those strictly inside an ellipsoid which lies
/// strictly inside the hull of a sample. In coordinates scaled to the box, the ellipsoid is the ball about the box's middle
/// that no plane of the sample's hull cuts. A margin of 10⁻⁹ of the box covers the
/// rounding of both: subtraction of the middle and scaling keep coordinates right to 3u of the box, planes are right to
/// 10⁻¹⁰ of it. Cost O(n).
pub(crate) fn survivors(points: &[Vec3], bounds: &Aabb, keep: [u32; 4]) -> Vec<u32> {
    let all = || (0..points.len() as u32).collect();
    let middle = bounds.center();
    let half = (bounds.max - bounds.min) * 0.5;
    let scale = half.map(|h| 1.0 / h);
    let scaled = |p: &Vec3| (p - middle).component_mul(&scale);
    let step = points.len() / sample_size(points.len()).max(1);
    let mut sample: Vec<Vec3> = points.iter().step_by(step.max(1)).map(scaled).collect();
    sample.extend(keep.iter().map(|&i| scaled(&points[i as usize])));
    let radius = inner_radius(&sample) - 1e-9;
    if radius <= 0.0 {
        return all();
    }
    let limit = radius * radius;
    (0..points.len() as u32)
        .filter(|&i| {
            let q = scaled(&points[i as usize]);
            q.norm_squared() >= limit || keep.contains(&i)
        })
        .collect()
}

/// Distance from the origin to the nearest plane of the points' hull, less its rounding error; not positive when the origin
/// is not inside or a plane is too uncertain.
fn inner_radius(sample: &[Vec3]) -> f64 {
    let bounds = Aabb::of_points(sample);
    let Seed::Solid(four) = seed(sample, &bounds) else { return 0.0 };
    let (surface, _) = quickhull(sample, four, (bounds.max - bounds.min) * (1.0 + f64::EPSILON), 0.0);
    let mut radius = f64::INFINITY;
    for t in surface.triangles() {
        let [a, b, c] = t.map(|i| sample[i as usize]);
        let (e, f) = (b - a, c - a);
        let normal = e.cross(&f);
        // The cross product is wrong by a few roundings of |e|·|f|.
        let length = normal.norm();
        if length * 1e-10 <= f64::EPSILON * e.norm() * f.norm() * 8.0 {
            return 0.0;
        }
        radius = radius.min(normal.dot(&a) / length);
    }
    radius
}
