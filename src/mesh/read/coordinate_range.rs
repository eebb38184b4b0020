//! Accepted range of coordinates. Exact predicates form products of three differences. With every coordinate 0 or
//! between [`MIN_FILE_COORDINATE`] and [`MAX_COORDINATE`] in magnitude these products neither overflow nor lose bits to
//! underflow: `f64` has bits down to 2⁻¹⁰⁷⁴; a product of three numbers of at least 10⁻⁶⁰ ≈ 2⁻¹⁹⁹ has none below
//! 2⁻³·⁽¹⁹⁹⁺⁵²⁾ = 2⁻⁷⁵³. The rest is room for scaling to millimetres and for placing the part.

use crate::geom::Vec3;
use crate::geom::tolerance::MAX_COORDINATE;

/// Smaller magnitudes are read as 0 (file's unit). Far below the smallest number of a binary STL.
pub(crate) const MIN_FILE_COORDINATE: f64 = 1e-60;

/// Returns the accepted coordinate, magnitudes below [`MIN_FILE_COORDINATE`] and −0.0 as 0.0; `None` if it is not
/// finite or too large.
#[inline]
pub(crate) fn accept(x: f64) -> Option<f64> {
    let size = x.abs();
    if (MIN_FILE_COORDINATE..=MAX_COORDINATE).contains(&size) {
        Some(x)
    } else if size < MIN_FILE_COORDINATE {
        Some(0.0)
    } else {
        None
    }
}

/// Returns the point if all its coordinates are accepted.
pub(crate) fn accept_point(p: &Vec3) -> Option<Vec3> {
    Some(Vec3::new(accept(p.x)?, accept(p.y)?, accept(p.z)?))
}

/// Describes a refused coordinate: problem and fix.
pub(crate) fn refusal(x: f64) -> (String, String) {
    if x.is_finite() {
        (format!("the coordinate {x:e} is beyond {MAX_COORDINATE:e}"), "export the mesh in a larger unit".into())
    } else {
        (format!("a coordinate is {x}, not a finite number"), "export the mesh again".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_finite_coordinates_in_range_are_accepted() {
        assert_eq!(accept(-12.5), Some(-12.5));
        assert!(accept(-0.0).unwrap().is_sign_positive());
        assert_eq!(accept(1e-300), Some(0.0));
        assert_eq!(accept(f64::from(f32::from_bits(1))), Some(f64::from(f32::from_bits(1))));
        for x in [f64::NAN, f64::INFINITY, -1.1e15] {
            assert_eq!(accept(x), None);
        }
        assert!(refusal(f64::NAN).0.contains("NaN") && refusal(2e15).0.contains("2e15"));
    }
}
