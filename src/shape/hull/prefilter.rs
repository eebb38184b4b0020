//! Drops points certainly inside the hull before the main loop.

use crate::geom::{Aabb, Vec3};
use crate::shape::hull::quickhull::quickhull;
use crate::shape::hull::seed::{Seed, seed};

/// Size of the sample for `n` points: its hull must cost little compared with one pass over all points.
fn sample_size(n: usize) -> usize {
    (n / 16).min(64 + n / 128)
}

/// Indices of possibly extreme points, always including `keep`.
///
/// Drops the points strictly inside an ellipsoid, itself strictly inside the hull of a sample. In coordinates scaled to
/// the box, the ellipsoid is the largest ball about the box's middle inside the sample's hull. A margin of 10⁻⁹ of the
/// box covers the rounding of both: after subtracting the middle and scaling, coordinates are accurate to 3u of the
/// box, planes to 10⁻¹⁰ of it. Cost O(n).
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

/// Distance from the origin to the nearest plane of the points' hull; not positive if the origin is not inside or a
/// plane is too uncertain.
fn inner_radius(sample: &[Vec3]) -> f64 {
    let bounds = Aabb::of_points(sample);
    let Seed::Solid(four) = seed(sample, &bounds) else { return 0.0 };
    let (surface, _) = quickhull(sample, four, (bounds.max - bounds.min) * (1.0 + f64::EPSILON), 0.0);
    let mut radius = f64::INFINITY;
    for t in surface.triangles() {
        let [a, b, c] = t.map(|i| sample[i as usize]);
        let (e, f) = (b - a, c - a);
        let normal = e.cross(&f);
        // The error of the cross product is a few round-offs of |e|·|f|.
        let length = normal.norm();
        if length * 1e-10 <= f64::EPSILON * e.norm() * f.norm() * 8.0 {
            return 0.0;
        }
        radius = radius.min(normal.dot(&a) / length);
    }
    radius
}
