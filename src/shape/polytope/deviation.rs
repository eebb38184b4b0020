//! Measures by how much a closed surface misses the boundary of its hull.

use crate::geom::Vec3;
use crate::geom::math::greater;
use crate::shape::polytope::Convex;

/// Largest number of tests of a triangle with a facet: a solid that needs more counts as concave. About a millisecond.
const MAX_TESTS: usize = 4_000_000;

/// Relative tolerance between the volumes of a solid and of its hull: more than the rounding of both sums, and far less
/// than the whole volume of one cover more or less.
const VOLUME_ROUNDING: f64 = 1e-6;

impl Convex {
    /// Volume (mm³), 0 unless `rank` is 3. O(triangles).
    pub(crate) fn volume(&self) -> f64 {
        let six = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| self.vertices[v as usize]);
            a.dot(&b.cross(&c))
        };
        self.triangles.iter().map(six).sum::<f64>() / 6.0
    }

    /// Upper bound of the distance between the boundary of the hull and a closed, balanced surface with this hull (mm,
    /// up to rounding): the largest distance of a triangle from the facet nearest to its middle. `None` for a surface
    /// that is not known to cover the hull once. `volume` is the signed volume inside the surface (mm³), `triangles`
    /// are `count` triangles in the hull's frame.
    ///
    /// A surface within this distance of the hull's boundary covers it a whole number of times. Each time adds the
    /// volume of the hull, so equal volumes mean once: outside of a layer of this thickness, the winding numbers are
    /// those of the hull.
    pub(crate) fn deviation(
        &self,
        volume: f64,
        count: usize,
        triangles: impl Iterator<Item = [Vec3; 3]>,
    ) -> Option<f64> {
        let own = self.volume();
        let is_alike = (own - volume).abs() <= VOLUME_ROUNDING * own;
        if self.rank != 3 || !is_alike || count.saturating_mul(self.facet_count()) > MAX_TESTS {
            return None;
        }
        let below_facet = |[a, b, c]: [Vec3; 3]| {
            let (facet, _) = self.depth(&((a + b + c) / 3.0));
            let (normal, offset) = (self.normal(facet), self.offset(facet));
            [a, b, c].iter().map(|x| offset - normal.dot(x)).fold(0.0, greater)
        };
        Some(triangles.map(below_facet).fold(0.0, greater))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::TriMesh;
    use crate::shape::hull::{convex_hull, facets};
    use crate::testkit::rng::Rng;
    use crate::testkit::solids::{ball, block, hull_of, joined, prism, refined, reversed, ring};

    fn deviation(mesh: &TriMesh) -> Option<f64> {
        let hull = convex_hull(&mesh.vertices);
        let convex = Convex::new(&hull, &facets(&hull));
        let triangles = || mesh.triangles.iter().map(|t| t.map(|v| mesh.vertices[v as usize] - convex.origin));
        let volume = triangles().map(|[a, b, c]| a.dot(&b.cross(&c))).sum::<f64>() / 6.0;
        convex.deviation(volume, mesh.triangles.len(), triangles())
    }

    #[test]
    fn a_convex_solid_deviates_by_rounding_alone() {
        let mut rng = Rng::new(7);
        let cube = block([0.0; 3], [10.0; 3]);
        let finer = refined(&cube, &mut rng, 60);
        let ball = hull_of(&ball(3.0, 3).vertices).expect("a solid");
        for (k, mesh) in [cube, finer, ball, prism(512, 20.0, [0.0, 1.0])].iter().enumerate() {
            let mut turned = mesh.clone();
            let rotation = rng.rotation();
            turned.vertices.iter_mut().for_each(|v| *v = rotation * *v);
            for mesh in [mesh, &turned] {
                let found = deviation(mesh).expect("a convex solid");
                assert!(found < 1e-13, "{k}: {found}");
            }
        }
    }

    #[test]
    fn a_dent_counts_with_its_depth_and_a_second_cover_or_a_hollow_is_refused() {
        let mut rng = Rng::new(5);
        let cube = block([0.0; 3], [10.0; 3]);
        let mut dented = refined(&cube, &mut rng, 60);
        let k = dented.vertices.iter().position(|v| v.z == 0.0 && v.x.min(v.y) > 1.0 && v.x.max(v.y) < 9.0);
        dented.vertices[k.expect("a vertex within the face")].z = 1e-6;
        assert!((deviation(&dented).expect("nearly the volume of its hull") - 1e-6).abs() < 1e-12);
        let twice = joined(&[cube.clone(), cube.clone()]);
        let none = joined(&[cube.clone(), reversed(&cube)]);
        let hollow = joined(&[cube.clone(), reversed(&block([4.0; 3], [6.0; 3]))]);
        let groove = ring(&[[5.0, 0.0], [8.0, 0.0], [8.0, 3.0], [5.0, 3.0]], 24);
        for (k, mesh) in [twice, none, hollow, groove].iter().enumerate() {
            assert_eq!(deviation(mesh), None, "{k}");
        }
    }
}
