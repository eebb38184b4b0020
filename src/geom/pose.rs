//! Placements: the affine map of the file, split into a rigid pose and a stretch to apply to the mesh.

use crate::geom::math::{Mat3, UNIT_ROUNDOFF, Vec3};

/// A rigid motion: maps `p` to `rotation · p + translation` (mm).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Rotation matrix, orthonormal to rounding, determinant +1.
    pub rotation: Mat3,
    /// Translation (mm).
    pub translation: Vec3,
}

impl Pose {
    /// Returns the identity.
    pub fn identity() -> Self {
        Self { rotation: Mat3::identity(), translation: Vec3::zeros() }
    }

    /// Maps a point.
    #[inline]
    pub fn point(&self, p: &Vec3) -> Vec3 {
        self.rotation * p + self.translation
    }

    /// Rotates a direction.
    #[inline]
    pub fn direction(&self, d: &Vec3) -> Vec3 {
        self.rotation * d
    }

    /// Returns the inverse motion.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, translation: -(rotation * self.translation) }
    }

    /// Composes two motions: `inner` first, then `self`.
    #[must_use]
    pub fn after(&self, inner: &Self) -> Self {
        Self {
            rotation: self.rotation * inner.rotation,
            translation: self.rotation * inner.translation + self.translation,
        }
    }

    /// Computes the pose of `other` in the frame of `self`: `self⁻¹ · other`. Subtracts the translations first: the
    /// error then scales with their difference instead of with the distance from the origin.
    #[must_use]
    pub fn relative(&self, other: &Self) -> Self {
        let back = self.rotation.transpose();
        Self { rotation: back * other.rotation, translation: back * (other.translation - self.translation) }
    }
}

/// An affine map: maps `p` to `linear · p + translation` (mm). Invertible and finite after validation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affine {
    /// Rows of the upper left 3×3 block.
    pub linear: Mat3,
    /// Translation (mm).
    pub translation: Vec3,
}

/// A placement split into a rigid motion and a deformation: `linear = rotation · stretch` up to `residual`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlacementSplit {
    /// The rigid motion.
    pub pose: Pose,
    /// Deformation of the mesh before the pose. Symmetric up to sign; the identity for a rigid placement, negative
    /// determinant for a mirrored one.
    pub stretch: Mat3,
    /// Largest entry of `|linear − rotation · stretch|`. Multiplied by the sum of a point's coordinate magnitudes, it
    /// bounds the error of each coordinate of the placed point.
    pub residual: f64,
}

impl PlacementSplit {
    /// Upper bound of the displacement (mm, ≥ 0) of points whose coordinates are at most `max_abs` (mm) in magnitude:
    /// three coordinates per sum, and √3 from the error of a coordinate to the length.
    pub fn displacement(&self, max_abs: f64) -> f64 {
        // The smallest number of three digits above 3·√3.
        5.2 * self.residual * max_abs
    }
}

/// Entries of the stretch are rounded to this multiple of its largest entry (rounded up to a power of two). A rotation
/// written with 12 or more digits then counts as rigid, and copies of one scale share one stretched mesh. `residual`
/// contains the error.
pub const STRETCH_GRID: f64 = 2.273_736_754_432_320_6e-13; // 2^-42

impl Affine {
    /// Returns the identity.
    pub fn identity() -> Self {
        Self { linear: Mat3::identity(), translation: Vec3::zeros() }
    }

    /// Composes two placements: `inner` first, then `self`. Places an instance of a sub-assembly.
    #[must_use]
    pub fn after(&self, inner: &Self) -> Self {
        Self { linear: self.linear * inner.linear, translation: self.linear * inner.translation + self.translation }
    }

    /// Splits the map by polar decomposition, with Newton's iteration `X ← (X + X⁻ᵀ)/2` (Higham, "Computing the Polar
    /// Decomposition — with Applications", 1986, §3). `None` for a singular or very ill-conditioned map; the reader
    /// refuses these.
    pub fn split(&self) -> Option<PlacementSplit> {
        let det = self.linear.determinant();
        if !det.is_finite() || det == 0.0 {
            return None;
        }
        // A mirrored map has the rotation of its negative: linear = R·S with S negative.
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
        // Matrices with entries of exactly 0 and ±1 stay exact.
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

/// Returns the smallest power of two at or above `x` > 0.
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
    fn displacement_bounds_the_length_of_the_error() {
        // Every entry of the error is as large as the residual, and the point is the farthest corner.
        let residual = 1e-3;
        let error = Mat3::repeat(residual) * Vec3::repeat(7.0);
        let split = PlacementSplit { pose: Pose::identity(), stretch: Mat3::identity(), residual };
        assert!(error.norm() <= split.displacement(7.0) && error.norm() > 0.99 * split.displacement(7.0));
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
