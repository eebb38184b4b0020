//! Removes single-precision rounding from a placement.

use crate::geom::{Affine, Mat3};

/// Largest difference from a rotation that counts as rounding of single precision.
const ROUNDING: f64 = 1e-6;

/// Replaces a linear part within rounding of a rotation, mirrored or not, by the nearest one; keeps other ones.
pub(crate) fn without_rounding(placement: Affine) -> Affine {
    let linear = nearest_rotation(&placement.linear).unwrap_or(placement.linear);
    Affine { linear, ..placement }
}

/// The nearest orthogonal matrix, the polar factor of [`Affine::split`]; `None` if it is farther than rounding.
pub(crate) fn nearest_rotation(linear: &Mat3) -> Option<Mat3> {
    let difference = (linear.transpose() * linear - Mat3::identity()).abs().max();
    if difference.is_nan() || difference > 2.0 * ROUNDING {
        return None;
    }
    if difference == 0.0 {
        return Some(*linear);
    }
    let placement = Affine { linear: *linear, ..Affine::identity() };
    // The split of a mirror image has the rotation of its negative.
    let q = placement.split()?.pose.rotation * linear.determinant().signum();
    // Entries within rounding of 0 and ±1 come from quarter turns.
    let snapped = q.map(|e| if (e - libm::round(e)).abs() <= ROUNDING { libm::round(e) + 0.0 } else { e });
    let is_exact = (snapped.transpose() * snapped - Mat3::identity()).abs().max() == 0.0;
    Some(if is_exact { snapped } else { q })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Vec3;
    use crate::testkit::poses::about_z;

    #[test]
    fn rounded_rotations_become_rotations() {
        for deg in [0.0, 33.3, 90.0, -120.0, 179.9] {
            let rounded = about_z(deg).map(|e| f64::from(e as f32));
            let found = nearest_rotation(&rounded).expect("near a rotation");
            assert!((found.transpose() * found - Mat3::identity()).abs().max() < 1e-15, "{deg}");
            assert!((found - about_z(deg)).abs().max() < 1e-7, "{deg}");
        }
        assert_eq!(nearest_rotation(&about_z(90.0).map(|e| e + 3e-8)), Some(about_z(90.0)));
        let mirror = Mat3::from_diagonal(&Vec3::new(1.0, 1.0, -1.000_000_1));
        assert_eq!(nearest_rotation(&mirror).map(|m| m.determinant()), Some(-1.0));
    }

    #[test]
    fn scales_and_shears_stay() {
        for linear in [Mat3::identity() * 1.001, Mat3::new(1.0, 1e-3, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)] {
            assert_eq!(nearest_rotation(&linear), None);
        }
        assert_eq!(nearest_rotation(&(Mat3::identity() * f64::NAN)), None);
    }
}
