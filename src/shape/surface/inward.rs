//! Inward directions of the vertices of a surface.

use crate::geom::Vec3;
use crate::geom::math::rough_angle;
use crate::parallel;
use crate::shape::surface::Surface;
use std::ops::Range;

impl Surface {
    /// Inward direction of each vertex: the negated sum of the adjacent normals, weighted by angle, to single precision
    /// and at most 1 long. Zero at vertices of triangles without area and for a vanishing sum. The first call is O(n), on
    /// all threads for a large surface, with the same result.
    pub(crate) fn inward(&self) -> &[[f32; 3]] {
        self.inward.get_or_init(|| {
            let count = self.vertices.len();
            let threads = if self.triangles.len() < parallel::LARGE { 1 } else { parallel::threads() };
            // One range for each thread: every range reads all triangles.
            parallel::joined_lists(parallel::map_ranges(threads, count, count.div_ceil(threads), |range| {
                self.inward_of(&range)
            }))
        })
    }

    /// Inward direction of each vertex in a range, as [`Self::inward`] gives it. The sums are in the order of the
    /// triangles for every range.
    fn inward_of(&self, range: &Range<usize>) -> Vec<[f32; 3]> {
        let mut sum = vec![Vec3::zeros(); range.len()];
        for (t, ids) in (0..).zip(&self.triangles) {
            let ids = ids.map(|v| v as usize);
            if !ids.iter().any(|v| range.contains(v)) {
                continue;
            }
            let (corners, normal) = (self.triangle(t), self.normal_if_cheap(t));
            for k in (0..3).filter(|k| range.contains(&ids[*k])) {
                let (e, f) = (corners[(k + 1) % 3] - corners[k], corners[(k + 2) % 3] - corners[k]);
                sum[ids[k] - range.start] -= normal * rough_angle(&e, &f);
            }
        }
        for v in self.rough.iter().map(|&v| v as usize).filter(|v| range.contains(v)) {
            sum[v - range.start] = Vec3::zeros();
        }
        // Rounding to single precision adds less than this to a length.
        let length = 1.0 - f64::from(f32::EPSILON);
        let rounded = |d: Vec3| d.try_normalize(0.0).map_or([0.0; 3], |d| (d * length).map(|x| x as f32).into());
        sum.into_iter().map(rounded).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::TriMesh;
    use crate::shape::surface::Inside;
    use crate::testkit::solids::squared_box;

    #[test]
    fn ranges_of_vertices_have_the_inward_directions_of_all() {
        let tetrahedron = TriMesh {
            vertices: vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z(), Vec3::new(0.5, 0.0, 0.0)],
            // The last triangle has no area: its vertices keep their places.
            triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 4, 1]],
        };
        let open = TriMesh { triangles: tetrahedron.triangles[1..].to_vec(), ..tetrahedron.clone() };
        for mesh in [squared_box(9, |p| p.normalize() + p * 0.3), tetrahedron, open] {
            let s = Surface::new(&mesh, &Vec3::zeros(), Inside::Solid);
            let all = s.inward().to_vec();
            assert!(all.iter().any(|d| *d != [0.0; 3]));
            for split in 0..=all.len() {
                let parts = [s.inward_of(&(0..split)), s.inward_of(&(split..all.len()))].concat();
                assert_eq!(parts, all, "{split}");
            }
        }
    }
}
