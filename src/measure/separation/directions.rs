//! Collects the candidate directions of separation.

use crate::geom::{Mat3, Pose, Vec3};
use crate::shape::surface::Surface;

/// Cosine of the angle within which two directions count as equal: one degree.
pub(crate) const SAME_DIRECTION_COSINE: f64 = 0.999_847_7;

/// Minimum distance of a box axis from every known direction (unit vectors).
const SIMILAR_DIRECTION_COSINE: f64 = 1e-9;

/// Maximum number of triangle normals taken as directions from each surface.
const MAX_NORMALS: usize = 12;

/// Directions in order of arrival: at least a degree apart, except for box axes.
#[derive(Default)]
pub(crate) struct Directions {
    pub all: Vec<Vec3>,
}

impl Directions {
    /// Adds a direction unless a similar one is present. Returns true if added.
    pub(crate) fn add(&mut self, d: &Vec3) -> bool {
        let Some(d) = d.try_normalize(1e-12) else { return false };
        let new = self.all.iter().all(|e| e.dot(&d) < SAME_DIRECTION_COSINE);
        if new {
            self.all.push(d);
        }
        new
    }

    fn add_both(&mut self, d: &Vec3) {
        self.add(d);
        self.add(&-d);
    }

    /// Adds both directions of each axis of the parts' own boxes (A's frame).
    pub(crate) fn add_axes(&mut self, axes: &[Mat3; 2]) {
        for m in axes {
            for k in 0..3 {
                let axis = m.column(k).into_owned();
                // A close fit is free only along its exact axis, so a direction within a degree cannot replace it.
                for d in [axis, -axis] {
                    if self.all.iter().all(|e| (e - d).norm() > SIMILAR_DIRECTION_COSINE) {
                        self.all.push(d);
                    }
                }
            }
        }
    }

    /// Adds directions derived from `met`, the sorted intersecting triangles of each surface: the mean normal and the
    /// normals of the largest faces (outward of A, inward of B), then the directions most nearly parallel to all faces.
    pub(crate) fn add_faces(&mut self, surfaces: [&Surface; 2], b_in_a: &Pose, met: &[Vec<u32>; 2]) {
        let a = grouped(surfaces[0], &met[0], |n| n);
        let b = grouped(surfaces[1], &met[1], |n| -b_in_a.direction(&n));
        for groups in [&a, &b] {
            self.add(&groups.iter().map(|g| g.0 * g.1).sum());
        }
        for groups in [&a, &b] {
            groups.iter().take(MAX_NORMALS).for_each(|g| {
                self.add(&g.0);
            });
        }
        let mut spread = Mat3::zeros();
        for (n, area) in a.iter().chain(&b) {
            spread += n * n.transpose() * *area;
        }
        if spread.iter().all(|x| x.is_finite()) {
            let eigen = spread.symmetric_eigen();
            let least = eigen.eigenvalues.imin();
            self.add_both(&eigen.eigenvectors.column(least).into_owned());
        }
        for groups in [&a, &b] {
            if let [first, second, ..] = groups[..] {
                self.add_both(&first.0.cross(&second.0));
            }
        }
    }
}

/// Groups the normals of triangles within a degree, with the sum of their areas, the largest first.
fn grouped(s: &Surface, triangles: &[u32], turned: impl Fn(Vec3) -> Vec3) -> Vec<(Vec3, f64)> {
    let mut groups: Vec<(Vec3, f64)> = Vec::new();
    for &t in triangles {
        let [a, b, c] = s.triangle(t);
        let area = 0.5 * (b - a).cross(&(c - a)).norm();
        let n = turned(s.normal(t));
        match groups.iter_mut().find(|g| g.0.dot(&n) >= SAME_DIRECTION_COSINE) {
            Some(g) => g.1 += area,
            None => groups.push((n, area)),
        }
    }
    groups.sort_by(|x, y| y.1.total_cmp(&x.1));
    groups
}
