//! When two pairs share one answer: the same two shapes in the same relative pose, bit for bit after a rounding that
//! depends on the pose alone.

use crate::geom::{Mat3, Pose, Vec3};

/// Adding and subtracting this rounds a rotation entry to a multiple of 2⁻⁵⁰ (the spacing of numbers between 4 and 8). That
/// moves no point of a part by more than three eighths of the pair's rounding margin.
const ROTATION_SHIFT: f64 = 6.0;

/// The pose of B's centred frame in A's, each given as its placement and the origin of its centred frame (mm).
///
/// The translations are subtracted first: nothing cancels but what the file itself put far out.
pub(super) fn relative(a: &Pose, a_origin: &Vec3, b: &Pose, b_origin: &Vec3) -> Pose {
    let relative = a.relative(b);
    Pose { rotation: relative.rotation, translation: relative.translation + relative.rotation * b_origin - a_origin }
}

/// The pose rounded so that equal placements written in different places of an assembly become bit-equal. `size` is the
/// sum of the two diameters (mm). No point moves by more than the pair's rounding margin.
pub(super) fn rounded(pose: &Pose, size: f64) -> Pose {
    // The additions of zero turn −0 into 0.
    let rotation: Mat3 = pose.rotation.map(|e| (e + ROTATION_SHIFT) - ROTATION_SHIFT + 0.0);
    let reach = size + pose.translation.norm();
    // Between a power of two P and 2P numbers are P·2⁻⁵² apart, and `reach` is less than P/2: what is added to 1.5·P lands there.
    let shift = 1.5 * power_of_two_below(4.0 * reach);
    Pose { rotation, translation: pose.translation.map(|e| (e + shift) - shift + 0.0) }
}

/// The largest power of two that is at most `x`; 0 for 0.
fn power_of_two_below(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & f64::INFINITY.to_bits())
}

/// The twelve numbers of a pose, for comparison and hashing; no −0 among them once it was rounded.
pub(super) fn numbers(pose: &Pose) -> [f64; 12] {
    let (r, t) = (&pose.rotation, &pose.translation);
    [r.m11, r.m21, r.m31, r.m12, r.m22, r.m32, r.m13, r.m23, r.m33, t.x, t.y, t.z]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::math::sin_cos_deg;
    use crate::geom::tolerance::roundoff_mm;

    fn pose(deg: f64, t: Vec3) -> Pose {
        let (s, c) = sin_cos_deg(deg);
        Pose { rotation: Mat3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0), translation: t }
    }

    #[test]
    fn the_same_relative_pose_elsewhere_has_the_same_bits() {
        let (a, b) = (pose(30.0, Vec3::new(1.0, 2.0, 3.0)), pose(75.0, Vec3::new(5.0, 2.5, 3.0)));
        let here = rounded(&relative(&a, &Vec3::zeros(), &b, &Vec3::zeros()), 20.0);
        let shift = Vec3::new(64.0, -32.0, 8.0);
        let far = |p: &Pose| Pose { translation: p.translation + shift, ..*p };
        let there = rounded(&relative(&far(&a), &Vec3::zeros(), &far(&b), &Vec3::zeros()), 20.0);
        assert_eq!(here, there);
    }

    #[test]
    fn rounding_moves_no_point_beyond_the_margin() {
        for deg in 0..360 {
            let p = pose(f64::from(deg) + 0.1234, Vec3::new(3.0, f64::from(deg), -7.0));
            let r = rounded(&p, 20.0);
            let corner = Vec3::new(5.0, -5.0, 5.0);
            let margin = roundoff_mm(10.0, 10.0, p.translation.norm());
            assert!((p.point(&corner) - r.point(&corner)).norm() <= margin, "{deg}");
        }
    }
}
