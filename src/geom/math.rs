//! Scalars and vectors. Everything is `f64`. Trigonometry goes through `libm`: the platform's own differs in the last
//! bit from system to system, and results must be reproducible.

/// A point or a vector, three coordinates.
pub type Vec3 = nalgebra::Vector3<f64>;
/// A point or a vector of a plane, two coordinates.
pub type Vec2 = nalgebra::Vector2<f64>;
/// A 3×3 matrix.
pub type Mat3 = nalgebra::Matrix3<f64>;

/// The unit round-off of `f64`, 2⁻⁵³.
pub const UNIT_ROUNDOFF: f64 = f64::EPSILON / 2.0;

/// Sine and cosine of an angle in degrees; exact at multiples of 90° and bit-identical on every system.
pub fn sin_cos_deg(angle_deg: f64) -> (f64, f64) {
    let turn = libm::fmod(angle_deg, 360.0);
    let quarter = libm::round(turn / 90.0);
    let rest = (turn - 90.0 * quarter).to_radians();
    let (s, c) = (libm::sin(rest), libm::cos(rest));
    match (quarter as i64).rem_euclid(4) {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    }
}

/// Component-wise minimum.
pub fn min3(a: Vec3, b: Vec3) -> Vec3 {
    Vec3::new(lesser(a.x, b.x), lesser(a.y, b.y), lesser(a.z, b.z))
}

/// Component-wise maximum.
pub fn max3(a: Vec3, b: Vec3) -> Vec3 {
    Vec3::new(greater(a.x, b.x), greater(a.y, b.y), greater(a.z, b.z))
}

/// Returns the smaller of two numbers other than NaN; compiles to one instruction, unlike `f64::min`.
#[inline]
pub fn lesser(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

/// Returns the larger of two numbers other than NaN; compiles to one instruction, unlike `f64::max`.
#[inline]
pub fn greater(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// Rounds a number towards 0, to the `bits` leading bits (1 to 53) of its significand.
pub(crate) fn leading_bits(x: f64, bits: u32) -> f64 {
    f64::from_bits(x.to_bits() & (u64::MAX << (53 - bits)))
}

/// Sum of the magnitudes of the coordinates, an upper bound of the length.
#[inline]
pub fn norm1(v: &Vec3) -> f64 {
    v.x.abs() + v.y.abs() + v.z.abs()
}

/// Angle between two vectors (radians, 0 to π), off by at most 2·10⁻⁵; 0 if one of them is zero. For weights: it costs
/// less than `libm::atan2`. The polynomial: M. Abramowitz & I. A. Stegun (eds.), "Handbook of Mathematical
/// Functions", 1964, 4.4.47.
pub fn rough_angle(a: &Vec3, b: &Vec3) -> f64 {
    use std::f64::consts::{FRAC_PI_2, PI};
    let (sine, cosine) = (a.cross(b).norm(), a.dot(b));
    let (small, large) = if sine < cosine.abs() { (sine, cosine.abs()) } else { (cosine.abs(), sine) };
    if large <= 0.0 {
        return 0.0;
    }
    let x = small / large;
    let q = x * x;
    let arc = x * (0.999_866_0 + q * (-0.330_299_5 + q * (0.180_141_0 + q * (-0.085_133_0 + q * 0.020_835_1))));
    let acute = if sine < cosine.abs() { arc } else { FRAC_PI_2 - arc };
    if cosine < 0.0 { PI - acute } else { acute }
}

/// Returns two unit vectors that form a right-handed frame with the unit vector `normal` as the third.
pub fn basis(normal: &Vec3) -> (Vec3, Vec3) {
    let mut axis = Vec3::zeros();
    axis[normal.iamin()] = 1.0;
    let x = axis.cross(normal).normalize();
    (x, normal.cross(&x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarter_turns_are_exact() {
        for (deg, s, c) in
            [(0.0, 0.0, 1.0), (90.0, 1.0, 0.0), (180.0, 0.0, -1.0), (270.0, -1.0, 0.0), (-90.0, -1.0, 0.0)]
        {
            let (sin, cos) = sin_cos_deg(deg);
            assert_eq!((sin + 0.0, cos + 0.0), (s, c), "{deg}");
        }
        assert_eq!(sin_cos_deg(720.0 + 90.0).0, 1.0);
    }

    #[test]
    fn leading_bits_round_towards_zero() {
        for (x, bits, expected) in
            [(0.3, 1, 0.25), (0.25, 1, 0.25), (-7.9, 3, -7.0), (1.0 / 3.0, 53, 1.0 / 3.0), (0.0, 1, 0.0)]
        {
            assert_eq!(leading_bits(x, bits), expected, "{x}, {bits}");
        }
    }

    #[test]
    fn rough_angles_are_close() {
        let a = Vec3::new(3.0, 0.0, 0.0);
        for k in 0..=1000 {
            let angle = f64::from(k) * std::f64::consts::PI / 1000.0;
            let b = Vec3::new(libm::cos(angle), libm::sin(angle) * 0.6, -libm::sin(angle) * 0.8) * 0.01;
            assert!((rough_angle(&a, &b) - angle).abs() < 2e-5, "{angle}");
        }
        assert_eq!(rough_angle(&a, &Vec3::zeros()), 0.0);
    }

    #[test]
    fn known_angles() {
        let (s, c) = sin_cos_deg(30.0);
        assert!((s - 0.5).abs() < 1e-16 && (c - 0.75_f64.sqrt()).abs() < 2e-16);
        let (s, c) = sin_cos_deg(-135.0);
        assert!((s + 0.5_f64.sqrt()).abs() < 2e-16 && (c + 0.5_f64.sqrt()).abs() < 2e-16);
    }
}
