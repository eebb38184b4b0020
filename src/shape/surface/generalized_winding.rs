//! Computes the generalised winding number of any surface, open ones included: the share of all directions in which the
//! surface is seen from behind.
//!
//! Source: A. Jacobson, L. Kavan & O. Sorkine-Hornung, "Robust Inside-Outside Segmentation using Generalized Winding
//! Numbers", 2013, but without the sum over triangles. Take a ray from the point, and the cone over the rim from the
//! direction opposite to the ray. Surface and cone together cover all directions equally often, namely as often as the
//! ray crosses the surface, with sign (C. Martens & M. Bessmeltsev, "One-Shot Method for Computing Generalized Winding
//! Numbers", 2024). The cost is one ray and one solid angle for every rim edge (A. Van Oosterom & J. Strackee, "The
//! Solid Angle of a Plane Triangle", 1983).

use crate::geom::math::{UNIT_ROUNDOFF, norm1};
use crate::geom::{Pose, Vec3};
use crate::shape::surface::winding_number::{DIRECTIONS, Rays, winding};
use crate::shape::surface::{Inside, Surface};
use std::f64::consts::TAU;

/// Smallest angle between a usable ray and a rim edge (radians). Closer than this, rounding would decide on which side
/// the ray passes.
const RIM_CLEARANCE_RAD: f64 = 1e-9;

/// Rounding errors of a point in the other frame, in units of 2⁻⁵³ of the sizes.
const ROUNDOFFS_PER_ANGLE: f64 = 16.0;

/// Generalised winding number with its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GeneralizedWinding {
    /// Winding number: 1 deep inside a nearly closed surface, 0 far away, 1/2 on a missing lid.
    pub value: f64,
    /// Bound of the rounding error (>= 0).
    pub error: f64,
}

impl GeneralizedWinding {
    /// True if more than half of all directions certainly end on the surface's inner side.
    pub fn inside(&self) -> bool {
        self.value - self.error > 0.5
    }
}

/// Computes the generalised winding number of the placed surface about `x` (A's frame, mm). `None` if `x` lies on the
/// surface or on its rim. Cost: a ray, and some 20 ns for every rim edge.
pub fn generalized_winding(s: &Surface, pose: Option<&Pose>, x: &Vec3) -> Option<GeneralizedWinding> {
    if s.inside == Inside::Solid || s.boundary_edges().is_empty() {
        return winding(s, pose, x).map(|w| GeneralizedWinding { value: f64::from(w), error: 0.0 });
    }
    let rays = Rays::new(s, pose, x, 0.0);
    let mut placed = |v: u32| pose.map_or(s.vertices[v as usize], |p| p.point(&s.vertices[v as usize]));
    DIRECTIONS.iter().find_map(|d| {
        let (crossings, way) = rays.along(d, &mut placed);
        let crossings = f64::from(crossings?);
        let moved = ROUNDOFFS_PER_ANGLE * UNIT_ROUNDOFF * rays.size;
        let cone = cone(s, &rays.local, &(-way / way.norm()), moved)?;
        Some(GeneralizedWinding { value: crossings + cone.value, error: cone.error })
    })
}

/// Computes the share of all directions covered by the cone over the rim from the direction `pole`, seen from `x`.
/// Rounding may have moved `x` by `moved` (mm). `None` if an edge passes too close to the direction opposite to the
/// pole.
fn cone(s: &Surface, x: &Vec3, pole: &Vec3, moved: f64) -> Option<GeneralizedWinding> {
    let mut turn = AngleSum { re: 1.0, im: 0.0, full: 0 };
    let mut error = 0.0;
    for e in s.boundary_edges() {
        let (b, c) = (s.vertices[e.from as usize] - x, s.vertices[e.to as usize] - x);
        let (lb, lc) = (b.norm(), c.norm());
        let size = lb * lc;
        // Half the solid angle is the argument of `re + i·im`.
        let im = pole.dot(&b.cross(&c));
        let re = size + pole.dot(&b) * lc + pole.dot(&c) * lb + b.dot(&c);
        let blur = RIM_CLEARANCE_RAD + moved / lb + moved / lc;
        let length = norm1(&Vec3::new(re, im, 0.0));
        // False if an end of the edge is `x` itself: the blur is then infinite or NaN.
        let clear = length > blur * size;
        if !clear || (re < 0.0 && im.abs() <= blur * size) {
            return None;
        }
        error +=
            f64::from(e.net.abs()) * (ROUNDOFFS_PER_ANGLE * UNIT_ROUNDOFF + moved / lb + moved / lc) * size / length;
        let sign = f64::from(e.net.signum());
        (0..e.net.abs()).for_each(|_| turn.add(re / length, sign * im / length));
    }
    Some(GeneralizedWinding { value: turn.total(), error: error / TAU })
}

/// Sum of angles: the product of complex numbers, and the number of full turns.
struct AngleSum {
    re: f64,
    im: f64,
    full: i32,
}

impl AngleSum {
    /// Adds the argument of a complex number, between −π and π.
    fn add(&mut self, re: f64, im: f64) {
        let was = self.im >= 0.0;
        (self.re, self.im) = (self.re * re - self.im * im, self.re * im + self.im * re);
        if was == (im >= 0.0) && was != (self.im >= 0.0) {
            self.full += if was { 1 } else { -1 };
        }
        let scale = 1.0 / (self.re.abs() + self.im.abs());
        self.re *= scale;
        self.im *= scale;
    }

    /// Sum in full turns.
    fn total(&self) -> f64 {
        f64::from(self.full) + libm::atan2(self.im, self.re) / TAU
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Mat3;
    use crate::mesh::TriMesh;
    use crate::testkit::poses::oblique;
    use crate::testkit::rng::Rng;
    use crate::testkit::solids::block;

    /// Computes Jacobson's sum over all triangles.
    fn summed(s: &Surface, x: &Vec3) -> f64 {
        let angle = |t: [Vec3; 3]| {
            let [a, b, c] = t.map(|v| v - x);
            let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
            let re = la * lb * lc + a.dot(&b) * lc + a.dot(&c) * lb + b.dot(&c) * la;
            2.0 * libm::atan2(a.dot(&b.cross(&c)), re)
        };
        (0..s.triangles.len() as u32).map(|t| angle(s.triangle(t))).sum::<f64>() / (2.0 * TAU)
    }

    fn surface(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Surface {
        Surface::new(&TriMesh { vertices, triangles }, &Vec3::zeros(), Inside::Undefined)
    }

    #[test]
    fn generalized_winding_is_the_sum_of_solid_angles() {
        let mut rng = Rng::new(7);
        let pose = Pose { rotation: oblique(), translation: Vec3::new(3.0, -1.0, 2.0) };
        for round in 0..200 {
            // Separate triangles in even rounds, triangles with shared vertices in odd rounds.
            let count = 1 + round % 40;
            let vertices: Vec<Vec3> =
                (0..if round % 2 == 0 { 3 * count } else { 8 }).map(|_| rng.in_unit_cube()).collect();
            let n = vertices.len();
            let triangles: Vec<[u32; 3]> =
                (0..count as u32)
                    .map(|t| {
                        if round % 2 == 0 {
                            [3 * t, 3 * t + 1, 3 * t + 2]
                        } else {
                            [(); 3].map(|()| rng.below(n) as u32)
                        }
                    })
                    .filter(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0])
                    .collect();
            let s = surface(vertices, triangles);
            for _ in 0..20 {
                let x = rng.in_unit_cube() * 1.4 - Vec3::repeat(0.2);
                let sum = summed(&s, &x);
                let w = generalized_winding(&s, None, &x).unwrap();
                assert!((w.value - sum).abs() < 1e-12 + w.error, "{w:?} {sum}");
                assert!(w.error < 1e-9);
                let w = generalized_winding(&s, Some(&pose), &pose.point(&x)).unwrap();
                assert!((w.value - sum).abs() < 1e-12 + w.error, "{w:?} {sum}");
            }
        }
    }

    /// Makes a box without its lid at z = 1.
    fn open_box() -> Surface {
        let TriMesh { vertices, mut triangles } = block([0.0; 3], [1.0; 3]);
        triangles.retain(|t| t.iter().any(|&v| vertices[v as usize].z < 1.0));
        surface(vertices, triangles)
    }

    #[test]
    fn missing_lid_reduces_winding_by_its_solid_angle() {
        let s = open_box();
        assert_eq!(s.boundary_edges().len(), 4);
        let at = |x: f64, y: f64, z: f64| generalized_winding(&s, None, &Vec3::new(x, y, z));
        assert!((at(0.5, 0.5, 0.5).unwrap().value - 5.0 / 6.0).abs() < 1e-15);
        let on_lid = at(0.3, 0.4, 1.0).unwrap();
        assert!((on_lid.value - 0.5).abs() <= on_lid.error && !on_lid.inside());
        assert!(at(0.3, 0.4, 1.0 - 1e-9).unwrap().inside());
        assert!(at(0.3, 0.4, 1.0 + 1e-9).unwrap().value < 0.5);
        assert!(at(0.3, 0.4, 0.0).is_none() && at(0.0, 0.0, 0.0).is_none() && at(0.5, 0.0, 1.0).is_none());
        assert!(at(30.0, 0.4, 1.0).unwrap().value.abs() < 1e-3);
    }

    #[test]
    fn rounding_is_accounted_for_next_to_the_rim() {
        let s = open_box();
        let pose = Pose { rotation: Mat3::identity(), translation: Vec3::new(1e6, 0.0, 0.0) };
        for k in 0..40 {
            let step = 0.5_f64.powi(k);
            let x = Vec3::new(0.5, step, 1.0 + step);
            let Some(near) = generalized_winding(&s, None, &x) else { continue };
            assert!((near.value - 0.375).abs() < 0.5 * step + 1e-9 + near.error, "{k} {near:?}");
            if let Some(far) = generalized_winding(&s, Some(&pose), &pose.point(&x)) {
                assert!((near.value - far.value).abs() <= near.error + far.error, "{k} {near:?} {far:?}");
            }
        }
    }
}
