//! Computes the relative pose of a pair, so that equal pairs share one answer.
//!
//! Two pairs are equal if they have the same two shapes in the same relative pose. The pose is compared bit for bit,
//! after a rounding that depends on the pose alone.

use crate::geom::math::UNIT_ROUNDOFF;
use crate::geom::{Mat3, Pose, Vec3};

/// Adding and subtracting this constant rounds a rotation entry to a multiple of 2⁻⁴⁶, the spacing of numbers between
/// 64 and 128. The multiple is far above the rounding errors of equal placements written elsewhere in an assembly.
const ROTATION_SHIFT: f64 = 96.0;

/// Grid of translations: a power of two between this many unit roundoffs of the pair's size plus distance, and twice as
/// many.
const TRANSLATION_ROUNDINGS: f64 = 128.0;

/// Largest residual of split placements covered by `shared_pose_mm`, in unit roundoffs of the pair's size plus
/// distance.
const RESIDUAL_ROUNDINGS: f64 = 64.0;

/// Pose of B's centred frame in A's. Each frame is given by its placement and its centred origin (mm).
///
/// The translations are subtracted first, so cancellation costs no more than the distances in the file itself.
pub(crate) fn relative(a: &Pose, a_origin: &Vec3, b: &Pose, b_origin: &Vec3) -> Pose {
    let relative = a.relative(b);
    Pose { rotation: relative.rotation, translation: relative.translation + relative.rotation * b_origin - a_origin }
}

/// Rounds a pose so that equal placements written in different places of an assembly become equal bit for bit. `size`
/// is the sum of the two diameters (mm). Every point moves by at most [`shared_pose_mm`].
pub(crate) fn rounded(pose: &Pose, size: f64) -> Pose {
    let rotation = orthonormal(&pose.rotation.map(rounded_entry));
    let translation = rounded_point(&pose.translation, size + pose.translation.norm());
    // Adding zero turns −0 into 0.
    Pose { rotation: rotation.map(|e| e + 0.0), translation }
}

/// Rounds an entry of a rotation or of a direction (-1 to 1).
pub(crate) fn rounded_entry(e: f64) -> f64 {
    (e + ROTATION_SHIFT) - ROTATION_SHIFT
}

/// Rounds a point to a grid for coordinates up to `reach` (mm, > 0); free of −0.
pub(crate) fn rounded_point(point: &Vec3, reach: f64) -> Vec3 {
    // Between a power of two P and 2P the spacing of numbers is 2u·P, and P is more than half of the given bound.
    let shift = 1.5 * power_of_two_below(TRANSLATION_ROUNDINGS * reach);
    point.map(|e| (e + shift) - shift + 0.0)
}

/// Residual of splitting two placements (mm, >= 0), rounded up so that equal poses seldom differ in it.
pub(crate) fn residual(lost: f64, pose: &Pose, size: f64) -> f64 {
    let small = RESIDUAL_ROUNDINGS * UNIT_ROUNDOFF * (size + pose.translation.norm());
    if lost <= small { 0.0 } else { 2.0 * power_of_two_below(lost) }
}

/// Rotation nearest to an almost orthonormal matrix: one step of Newton's iteration for the polar factor (N. J. Higham,
/// "Computing the Polar Decomposition – with Applications", 1986), without the inverse. Keeps quarter turns exactly.
fn orthonormal(m: &Mat3) -> Mat3 {
    m * (Mat3::from_diagonal_element(1.5) - m.tr_mul(m) * 0.5)
}

/// Largest power of two up to `x`; 0 for 0.
fn power_of_two_below(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & f64::INFINITY.to_bits())
}

/// The twelve numbers of a pose, for comparison and hashing; free of −0 after rounding.
pub(crate) fn numbers(pose: &Pose) -> [f64; 12] {
    let (r, t) = (&pose.rotation, &pose.translation);
    [r.m11, r.m21, r.m31, r.m12, r.m22, r.m32, r.m13, r.m23, r.m33, t.x, t.y, t.z]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::math::sin_cos_deg;
    use crate::geom::tolerance::shared_pose_mm;

    fn pose(deg: f64, t: Vec3) -> Pose {
        let (s, c) = sin_cos_deg(deg);
        Pose { rotation: Mat3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0), translation: t }
    }

    fn between(a: &Pose, b: &Pose) -> Pose {
        rounded(&relative(a, &Vec3::zeros(), b, &Vec3::zeros()), 20.0)
    }

    #[test]
    fn the_same_relative_pose_elsewhere_has_the_same_bits() {
        let (a, b) = (pose(30.0, Vec3::new(1.0, 2.0, 3.0)), pose(75.0, Vec3::new(5.0, 2.5, 3.0)));
        let here = between(&a, &b);
        let shift = Vec3::new(64.0, -32.0, 8.0);
        let far = |p: &Pose| Pose { translation: p.translation + shift, ..*p };
        assert_eq!(here, between(&far(&a), &far(&b)));
    }

    #[test]
    fn most_distant_turned_pairs_share_bits_with_first() {
        let (a, b) = (pose(30.0, Vec3::new(1.0, 2.0, 3.0)), pose(75.0, Vec3::new(5.0, 2.5, 3.0)));
        let here = between(&a, &b);
        let alike = (0..360).filter(|&deg| {
            let by = pose(f64::from(deg) + 0.4321, Vec3::new(900.1 - f64::from(deg), 3.3 * f64::from(deg), -77.7));
            let elsewhere = |p: &Pose| Pose {
                rotation: by.rotation * p.rotation,
                translation: by.rotation * p.translation + by.translation,
            };
            between(&elsewhere(&a), &elsewhere(&b)) == here
        });
        let alike = alike.count();
        assert!(alike >= 300, "{alike} of 360");
    }

    #[test]
    fn rounding_stays_within_margin_and_keeps_rotations() {
        for deg in 0..360 {
            let p = pose(f64::from(deg) + 0.1234, Vec3::new(3.0, f64::from(deg), -7.0));
            let r = rounded(&p, 20.0);
            let corner = Vec3::new(5.0, -5.0, 5.0);
            let margin = shared_pose_mm(10.0, 10.0, p.translation.norm());
            assert!((p.point(&corner) - r.point(&corner)).norm() <= margin, "{deg}");
            assert!((r.rotation.tr_mul(&r.rotation) - Mat3::identity()).amax() <= 1e-15, "{deg}");
        }
        let quarter = Pose { rotation: Mat3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0), ..Pose::identity() };
        assert_eq!(rounded(&quarter, 20.0), quarter);
    }

    #[test]
    fn residual_covers_the_splitting_error() {
        let p = pose(30.0, Vec3::new(3.0, 4.0, 0.0));
        assert_eq!(residual(1e-14, &p, 20.0), 0.0);
        for lost in [1e-12, 3e-9, 0.125] {
            let kept = residual(lost, &p, 20.0);
            assert!(lost < kept && kept <= 2.0 * lost, "{kept} for {lost}");
        }
        assert_eq!(residual(1.1e-9, &p, 20.0), residual(1.2e-9, &p, 20.0));
    }
}
