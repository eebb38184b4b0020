//! Placements: an affine map as the file gives it, split into a rigid pose and the stretch that is baked into the mesh.

use crate::geom::math::{Mat3, UNIT_ROUNDOFF, Vec3};

/// A rigid motion: `p` lands at `rotation · p + translation` (mm).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// A rotation matrix, orthonormal to rounding, determinant +1.
    pub rotation: Mat3,
    /// In millimetres.
    pub translation: Vec3,
}

impl Pose {
    /// The pose that moves nothing.
    pub fn identity() -> Self {
        Self { rotation: Mat3::identity(), translation: Vec3::zeros() }
    }

    /// Where a point lands.
    #[inline]
    pub fn point(&self, p: &Vec3) -> Vec3 {
        self.rotation * p + self.translation
    }

    /// Where a direction points.
    #[inline]
    pub fn direction(&self, d: &Vec3) -> Vec3 {
        self.rotation * d
    }

    /// The inverse motion.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, translation: -(rotation * self.translation) }
    }

    /// The pose of `other` in the frame of `self`: `self⁻¹ · other`. The translations are subtracted first, so the error
    /// scales with their difference and not with their distance from the origin.
    #[must_use]
    pub fn relative(&self, other: &Self) -> Self {
        let back = self.rotation.transpose();
        Self { rotation: back * other.rotation, translation: back * (other.translation - self.translation) }
    }
}

/// An affine map: `p` lands at `linear · p + translation` (mm). Invertible and finite once it was validated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affine {
    /// Rows of the upper left 3×3 block.
    pub linear: Mat3,
    /// In millimetres.
    pub translation: Vec3,
}

/// A placement split into what moves and what deforms: `linear = rotation · stretch` up to `residual`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlacementSplit {
    /// The rigid motion.
    pub pose: Pose,
    /// Symmetric up to sign; the identity for a rigid placement, a negative determinant for a mirrored one. To be
    /// applied to the mesh before the pose.
    pub stretch: Mat3,
    /// Largest entry of `|linear − rotation · stretch|`: times a point's coordinate sum it bounds how far that point lands
    /// from where the file puts it.
    pub residual: f64,
}

/// Entries of the stretch are rounded to this multiple of its largest entry, so that a rotation written with 12 or more
/// digits counts as rigid and copies of one scale share one baked mesh. The error is carried along as `residual`.
pub const STRETCH_GRID: f64 = 2.273_736_754_432_320_6e-13; // 2^-42

impl Affine {
    /// The map that moves nothing.
    pub fn identity() -> Self {
        Self { linear: Mat3::identity(), translation: Vec3::zeros() }
    }

    /// `self` after `inner`: the placement of a sub-assembly applied to that of one of its instances.
    #[must_use]
    pub fn after(&self, inner: &Self) -> Self {
        Self { linear: self.linear * inner.linear, translation: self.linear * inner.translation + self.translation }
    }

    /// Polar decomposition by Newton's iteration `X ← (X + X⁻ᵀ)/2` (Higham, "Computing the Polar Decomposition — with
    /// Applications", 1986, §3). `None` for a singular or hopelessly ill-conditioned map, which the reader refuses.
    pub fn split(&self) -> Option<PlacementSplit> {
        let det = self.linear.determinant();
        if !det.is_finite() || det == 0.0 {
            return None;
        }
        // The rotation of a mirrored map is that of its negative: linear = R·S with S negative.
        let sign = if det < 0.0 { -1.0 } else { 1.0 };
        let mut x = self.linear * sign;
        let scale = x.abs().max();
        x /= scale;
        for _ in 0..100 {
            let inverse_t = x.try_inverse()?.transpose();
            let next = (x + inverse_t) * 0.5;
            let step = (next - x).abs().max();
            x = next;
            if step <= 4.0 * UNIT_ROUNDOFF {
                break;
            }
        }
        // Matrices of exact 0 and ±1 entries stay exact.
        let rotation = x.map(|e| if (e - libm::round(e)).abs() <= 4.0 * UNIT_ROUNDOFF { libm::round(e) } else { e });
        if !rotation.iter().all(|e| e.is_finite())
            || (rotation.transpose() * rotation - Mat3::identity()).abs().max() > 1e-14
        {
            return None;
        }
        let exact = rotation.transpose() * self.linear;
        let grid = STRETCH_GRID * power_of_two_above(exact.abs().max());
        let stretch = exact.map(|e| libm::round(e / grid) * grid + 0.0);
        let residual = (self.linear - rotation * stretch).abs().max();
        Some(PlacementSplit { pose: Pose { rotation, translation: self.translation }, stretch, residual })
    }
}

/// The smallest power of two that is at least `x` > 0.
fn power_of_two_above(x: f64) -> f64 {
    let (fraction, exponent) = libm::frexp(x);
    libm::ldexp(1.0, if fraction == 0.5 { exponent - 1 } else { exponent })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::math::sin_cos_deg;

    fn rz(deg: f64) -> Mat3 {
        let (s, c) = sin_cos_deg(deg);
        Mat3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)
    }

    #[test]
    fn a_rotation_splits_into_itself_and_the_identity() {
        for deg in [0.0, 90.0, 180.0, 33.3, -71.0] {
            let split = Affine { linear: rz(deg), translation: Vec3::x() }.split().expect("invertible");
            assert_eq!(split.stretch, Mat3::identity(), "{deg}");
            assert!((split.pose.rotation - rz(deg)).abs().max() < 1e-15);
            assert!(split.residual < 1e-15);
        }
    }

    #[test]
    fn mirror_scale_and_shear_go_into_the_stretch() {
        let mirror = Affine { linear: Mat3::from_diagonal(&Vec3::new(1.0, 1.0, -1.0)), translation: Vec3::zeros() };
        let s = mirror.split().expect("invertible");
        assert!(s.stretch.determinant() < 0.0 && s.pose.rotation.determinant() > 0.0);
        assert_eq!(s.pose.rotation * s.stretch, mirror.linear);
        let shear = Affine {
            linear: rz(20.0) * Mat3::new(1.0, 0.5, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.1),
            translation: Vec3::zeros(),
        };
        let s = shear.split().expect("invertible");
        assert!(s.residual < 1e-12);
        assert!((s.pose.rotation * s.stretch - shear.linear).abs().max() < 1e-12);
    }

    #[test]
    fn a_singular_map_has_no_split() {
        let flat = Affine { linear: Mat3::from_diagonal(&Vec3::new(1.0, 1.0, 0.0)), translation: Vec3::zeros() };
        assert!(flat.split().is_none());
    }

    #[test]
    fn relative_pose_undoes_the_first() {
        let a = Pose { rotation: rz(30.0), translation: Vec3::new(1e6, -2.0, 3.0) };
        let b = Pose { rotation: rz(-50.0), translation: Vec3::new(1e6 + 1.0, 5.0, 3.5) };
        let p = Vec3::new(0.3, 0.1, -0.7);
        let through = a.point(&a.relative(&b).point(&p));
        assert!((through - b.point(&p)).norm() < 1e-9);
    }
}
