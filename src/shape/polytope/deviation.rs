//! Measures by how much a closed surface misses the boundary of its hull.

use crate::geom::Vec3;
use crate::geom::math::{UNIT_ROUNDOFF, greater, lesser};
use crate::shape::polytope::Convex;

/// Largest number of tests of a triangle with a facet: a solid that needs more counts as concave. About a millisecond.
const MAX_TESTS: usize = 4_000_000;

/// Largest difference of the parameters of two parallel normals, see [`FacetsByNormal`]: more than the rounding of the
/// normal of a triangle that is no sliver. A triangle without such a facet is compared with all facets.
const SAME_PARAMETER: f64 = 1e-6;

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
    /// up to rounding): the largest distance of a triangle from a facet near it. `None` for a surface that is not known
    /// to cover the hull once. `volume` is the signed volume inside the surface (mm³), `triangles` are `count` triangles
    /// in the hull's frame.
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
        if self.rank != 3 || !is_alike || count > MAX_TESTS {
            return None;
        }
        let facets = FacetsByNormal::new(self);
        let (mut tests, mut largest) = (MAX_TESTS, 0.0);
        for triangle in triangles {
            largest = greater(largest, facets.deviation(&triangle, &mut tests)?);
        }
        Some(largest)
    }
}

/// Facets of a hull in the order of a parameter of their normals. Few facets share a parameter, so the facet of a
/// triangle is found at once.
struct FacetsByNormal<'h> {
    hull: &'h Convex,
    /// Parameter of the normal and number of each facet, in increasing order.
    order: Vec<(f64, usize)>,
}

impl<'h> FacetsByNormal<'h> {
    fn new(hull: &'h Convex) -> Self {
        let mut order: Vec<_> = (0..hull.facet_count()).map(|f| (Self::parameter(&hull.normal(f)), f)).collect();
        order.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        Self { hull, order }
    }

    /// Coordinate of a unit normal along a direction that no symmetry of usual parts keeps.
    fn parameter(normal: &Vec3) -> f64 {
        normal.dot(&Vec3::new(0.352_3, 0.511_9, 0.783_5))
    }

    /// Upper bound of the distance of a triangle in the hull from the boundary (mm): the least distance from a facet
    /// with nearly the same normal, or that from the facet nearest to its middle. `None` once `tests` are used up.
    ///
    /// The plane of any facet gives a bound: the points beyond it are outside.
    fn deviation(&self, triangle: &[Vec3; 3], tests: &mut usize) -> Option<f64> {
        let [a, b, c] = triangle;
        let below = |facet: usize| {
            let (normal, offset) = (self.hull.normal(facet), self.hull.offset(facet));
            triangle.iter().map(|x| offset - normal.dot(x)).fold(0.0, greater)
        };
        let at = (b - a).cross(&(c - a)).try_normalize(0.0).map_or(f64::NAN, |n| Self::parameter(&n));
        let first = self.order.partition_point(|(x, _)| *x < at - SAME_PARAMETER);
        let alike = self.order[first..].iter().take_while(|(x, _)| *x <= at + SAME_PARAMETER);
        let mut found = f64::INFINITY;
        for (_, facet) in alike {
            *tests = tests.checked_sub(1)?;
            found = lesser(found, below(*facet));
        }
        if found > self.hull.slack + UNIT_ROUNDOFF * self.hull.diameter {
            *tests = tests.checked_sub(self.order.len())?;
            found = lesser(found, below(self.hull.depth(&((a + b + c) / 3.0)).0));
        }
        Some(found)
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

    /// Each triangle of the ball is a facet of its hull, except for those at a dent.
    #[test]
    fn a_fine_ball_is_convex_and_a_dent_of_it_counts() {
        let fine = ball(30.0, 5);
        assert!(fine.triangles.len() * fine.triangles.len() > 10 * MAX_TESTS);
        let found = deviation(&fine).expect("a convex solid");
        assert!(found < 1e-12, "{found}");
        let facets = hull_of(&fine.vertices).expect("a solid").triangles.len();
        assert_eq!(facets, fine.triangles.len());
        let outer = fine.vertices[7];
        let moved = |by: f64| TriMesh {
            vertices: fine.vertices.iter().map(|v| if *v == outer { outer * by } else { *v }).collect(),
            triangles: fine.triangles.clone(),
        };
        // A vertex less far out, but no dent: its triangles keep facets of their own.
        let found = deviation(&moved(1.0 - 1e-7)).expect("a convex solid");
        assert!(found < 1e-12, "{found}");
        let found = deviation(&moved(0.9995)).expect("nearly the volume of its hull");
        assert!(found > 0.005 && found < 0.015, "{found}");
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
