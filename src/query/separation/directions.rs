//! Along which lines a way out is looked for.

use crate::geom::{Mat3, Pose, Vec3};
use crate::shape::surface::Surface;

/// Cosine of the angle within which two directions count as one: a degree.
pub(crate) const SAME_DIRECTION_COSINE: f64 = 0.999_847_7;

/// An axis of a box is another direction than those that are no nearer to it than this.
const SIMILAR_DIRECTION_COSINE: f64 = 1e-9;

/// Normals of triangles that are taken as directions, of each surface, at most.
const MAX_NORMALS: usize = 12;

/// Directions without a second one within a degree, in the order in which they came.
#[derive(Default)]
pub(crate) struct Directions {
    pub all: Vec<Vec3>,
}

impl Directions {
    /// Adds a direction, unless there is one like it. Whether it was added.
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

    /// Both ways along the axes of the parts' own boxes (A's frame).
    pub(crate) fn add_axes(&mut self, axes: &[Mat3; 2]) {
        for m in axes {
            for k in 0..3 {
                let axis = m.column(k).into_owned();
                // What fits along an axis is free along it alone, and not where it is off by a part of a degree.
                for d in [axis, -axis] {
                    if self.all.iter().all(|e| (e - d).norm() > SIMILAR_DIRECTION_COSINE) {
                        self.all.push(d);
                    }
                }
            }
        }
    }

    /// What the triangles tell that meet, of each surface in increasing order: outward of A and inward of B on the whole and face by
    /// face, and where nothing of them is in the way.
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

/// Normals of triangles, those within a degree as one, with their areas, the largest first.
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
