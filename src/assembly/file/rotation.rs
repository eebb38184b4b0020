//! Reads rotations: from the forms of the file to a matrix.

use crate::geom::math::sin_cos_deg;
use crate::geom::{Mat3, Vec3};
use crate::json::document::{Json, Value};
use crate::json::position::JsonPath;
use crate::json::reader::Reader;
use crate::json::wording::quoted;

const KEYS: [&str; 7] = ["quaternion_xyzw", "quaternion_wxyz", "axis", "angle_deg", "angle_rad", "rpy_deg", "rpy_rad"];
const FORMS: &str = "expected one of `quaternion_xyzw`, `quaternion_wxyz`, `axis` with `angle_deg` or `angle_rad`, \
                     `rpy_deg`, and `rpy_rad`";

/// Returns the fix for an unknown key that names no order or no unit: a similar key could have another meaning.
fn advice(key: &str) -> Option<&'static str> {
    if key.starts_with("quat") {
        return Some("write `quaternion_xyzw` or `quaternion_wxyz`, by the order of the numbers");
    }
    let names_unit = key.contains("deg") || key.contains("rad");
    match key {
        _ if names_unit => None,
        "rpy" | "roll_pitch_yaw" | "euler" => Some("write `rpy_deg` or `rpy_rad`, by the unit of the angles"),
        "angle" | "theta" => Some("write `angle_deg` or `angle_rad`, by the unit of the angle"),
        _ => None,
    }
}

/// Reads a rotation; `None` after a problem.
pub(crate) fn read_rotation(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>) -> Option<Mat3> {
    let fields = reader.fields_with_advice(value, trail, &KEYS, "an object with one form of rotation", advice)?;
    let given = |keys: &[&'static str]| keys.iter().copied().filter(|key| fields.has(key)).collect::<Vec<_>>();
    let forms = given(&["quaternion_xyzw", "quaternion_wxyz", "rpy_deg", "rpy_rad"]);
    let angles = given(&["angle_deg", "angle_rad"]);
    let by_axis = fields.has("axis") || !angles.is_empty();
    if forms.len() + usize::from(by_axis) != 1 || angles.len() > 1 {
        let what = if forms.is_empty() && !by_axis { "no rotation in it" } else { "more than one form of rotation" };
        reader.problem(value.start(), trail, what, FORMS);
        return None;
    }
    if let Some(key) = forms.first() {
        return read_form(reader, key, fields.get(key)?, &JsonPath::Key(trail, key));
    }
    match (fields.get("axis"), angles.first()) {
        (Some(axis), Some(key)) => {
            let axis = read_axis(reader, axis, &JsonPath::Key(trail, "axis"));
            let expected = if *key == "angle_deg" { "an angle in degrees" } else { "an angle in radians" };
            let angle = reader.number(fields.get(key)?, &JsonPath::Key(trail, key), expected);
            Some(about(&axis?, degrees(key, angle?)))
        }
        (Some(_), None) => {
            let fix = "add `angle_deg` or `angle_rad`";
            reader.problem(value.start(), trail, "`axis` without an angle", fix);
            None
        }
        (None, key) => {
            let what = format!("{} without `axis`", quoted(key.copied().unwrap_or_default()));
            reader.problem(value.start(), trail, what, "add `axis`");
            None
        }
    }
}

/// Reads a quaternion or three angles, by their key.
fn read_form(reader: &mut Reader<'_>, key: &str, value: Value<'_>, trail: &JsonPath<'_>) -> Option<Mat3> {
    match key {
        "quaternion_xyzw" => {
            let q = reader.numbers::<4>(value, trail, "a list of 4 numbers, x, y, z and w")?;
            read_quaternion(reader, q, "[0, 0, 0, 1]", value, trail)
        }
        "quaternion_wxyz" => {
            let [w, x, y, z] = reader.numbers::<4>(value, trail, "a list of 4 numbers, w, x, y and z")?;
            read_quaternion(reader, [x, y, z, w], "[1, 0, 0, 0]", value, trail)
        }
        _ => {
            let rpy = reader.numbers::<3>(value, trail, "a list of 3 angles: roll, pitch and yaw")?;
            Some(roll_pitch_yaw(&rpy.map(|angle| degrees(key, angle))))
        }
    }
}

/// Converts an angle to degrees, by the unit in its key. The nearest number to π/2 becomes 90.
fn degrees(key: &str, angle: f64) -> f64 {
    if key.ends_with("_rad") { angle.to_degrees() } else { angle }
}

fn read_quaternion(
    reader: &mut Reader<'_>,
    xyzw: [f64; 4],
    identity: &str,
    value: Value<'_>,
    trail: &JsonPath<'_>,
) -> Option<Mat3> {
    let rotation = from_quaternion(xyzw);
    if rotation.is_none() {
        let fix = format!("the identity is {identity}");
        reader.problem(value.start(), trail, "a quaternion of length zero", fix);
    }
    rotation
}

/// Reads an axis: a vector, or the name of a coordinate axis.
pub(crate) fn read_axis(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>) -> Option<Vec3> {
    let expected = "a list of 3 numbers, x, y and z, or one of `x`, `y`, `z`, `-x`, `-y` and `-z`";
    if let Json::Text(name) = value.json() {
        let (sign, letter) = name.strip_prefix('-').map_or((1.0, name), |letter| (-1.0, letter));
        let axis = match letter {
            "x" => Vec3::x(),
            "y" => Vec3::y(),
            "z" => Vec3::z(),
            _ => {
                reader.wrong_kind(value, trail, expected);
                return None;
            }
        };
        return Some(axis * sign);
    }
    let [x, y, z] = reader.numbers(value, trail, expected)?;
    let axis = unit_vector(&Vec3::new(x, y, z));
    if axis.is_none() {
        reader.problem(value.start(), trail, "an axis of length zero", "the z axis is [0, 0, 1]");
    }
    axis
}

/// Normalises a vector. Scales by the largest coordinate first, so that nothing overflows and coordinate axes stay
/// exact.
pub(crate) fn unit_vector(v: &Vec3) -> Option<Vec3> {
    let scale = v.abs().max();
    if scale == 0.0 {
        return None;
    }
    let v = v / scale;
    Some(v / libm::sqrt(v.dot(&v)))
}

/// Converts a quaternion x, y, z, w of any length but zero to a rotation. The entries are quotients of quadratic forms
/// (Shoemake, "Animating Rotation with Quaternion Curves", 1985, appendix I, not yet normalised): equal components
/// cancel exactly, and quarter turns give entries of 0 and ±1.
pub(crate) fn from_quaternion([x, y, z, w]: [f64; 4]) -> Option<Mat3> {
    let scale = [x, y, z, w].into_iter().map(f64::abs).fold(0.0, crate::geom::math::greater);
    if scale == 0.0 {
        return None;
    }
    let [x, y, z, w] = [x / scale, y / scale, z / scale, w / scale];
    let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
    let numerators = Mat3::new(
        (ww - zz) + (xx - yy),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        (ww - xx) + (yy - zz),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        (ww - xx) + (zz - yy),
    );
    Some(positive_zeros(numerators / ((xx + yy) + (zz + ww))))
}

/// Rotation about a unit axis by Rodrigues' formula, right-handed (degrees). `u² + c·(1 − u²)` on the diagonal keeps
/// coordinate axes exact.
pub(crate) fn about(u: &Vec3, angle_deg: f64) -> Mat3 {
    let (s, c) = sin_cos_deg(angle_deg);
    let turned =
        Mat3::from_fn(|i, j| if i == j { u[i] * u[i] + c * (1.0 - u[i] * u[i]) } else { u[i] * u[j] * (1.0 - c) });
    positive_zeros(turned + u.cross_matrix() * s)
}

/// Computes `Rz(yaw) · Ry(pitch) · Rx(roll)` (degrees): about fixed axes, roll first, like URDF.
pub(crate) fn roll_pitch_yaw(&[roll, pitch, yaw]: &[f64; 3]) -> Mat3 {
    positive_zeros(about(&Vec3::z(), yaw) * about(&Vec3::y(), pitch) * about(&Vec3::x(), roll))
}

/// Adding zero removes the sign of negative zeros: equal placements get equal bits.
fn positive_zeros(m: Mat3) -> Mat3 {
    m.map(|e| e + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembly::file::placement::is_rigid;

    fn close(a: &Mat3, b: &Mat3) -> bool {
        (a - b).abs().max() < 4e-16
    }

    #[test]
    fn quarter_turns_are_exact_in_every_form() {
        let rz = Mat3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0);
        let half = std::f64::consts::FRAC_1_SQRT_2;
        assert_eq!(about(&Vec3::z(), 90.0), rz);
        assert_eq!(about(&Vec3::z(), -270.0), rz);
        assert_eq!(roll_pitch_yaw(&[0.0, 0.0, 90.0]), rz);
        assert_eq!(from_quaternion([0.0, 0.0, half, half]), Some(rz));
        assert_eq!(from_quaternion([0.0, 0.0, 7.0, 7.0]), Some(rz));
        let rx = Mat3::new(1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0);
        let ry = Mat3::new(0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0);
        assert_eq!(roll_pitch_yaw(&[90.0, 90.0, 90.0]), rz * ry * rx);
        // 120° about the diagonal takes x to y to z.
        assert_eq!(from_quaternion([0.5; 4]), Some(Mat3::new(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0)));
    }

    #[test]
    fn general_rotations_agree_between_forms() {
        let axis = unit_vector(&Vec3::new(1.0, -2.0, 0.5)).expect("not zero");
        let r = about(&axis, 37.0);
        assert!(is_rigid(&r) && (r.determinant() - 1.0).abs() < 1e-15);
        assert!((r * axis - axis).norm() < 1e-15);
        let (s, c) = sin_cos_deg(18.5);
        assert!(close(&from_quaternion([axis.x * s, axis.y * s, axis.z * s, c]).expect("not zero"), &r));
        assert!(close(&about(&Vec3::x(), 30.0), &roll_pitch_yaw(&[30.0, 0.0, 0.0])));
        // Right-handed: x turns towards y about z.
        let (s, c) = sin_cos_deg(30.0);
        assert!((about(&Vec3::z(), 30.0) * Vec3::x() - Vec3::new(c, s, 0.0)).norm() < 1e-16);
        assert_eq!(from_quaternion([1e-300, 0.0, 0.0, 1e-300]).map(|m| m[(2, 1)]), Some(1.0));
    }

    #[test]
    fn radians_of_quarter_turns_are_exact() {
        use std::f64::consts::{FRAC_PI_2, PI};
        for (k, turn) in [(-4, -2.0 * PI), (-1, -FRAC_PI_2), (1, FRAC_PI_2), (2, PI), (3, 3.0 * FRAC_PI_2)] {
            assert_eq!(degrees("angle_rad", turn), 90.0 * f64::from(k));
            assert_eq!(degrees("angle_deg", turn), turn);
        }
        // Other angles agree to rounding.
        let (s, c) = (libm::sin(1.0), libm::cos(1.0));
        let r = about(&Vec3::z(), degrees("rpy_rad", 1.0));
        assert!((r[(1, 0)] - s).abs() < 1e-15 && (r[(0, 0)] - c).abs() < 1e-15);
    }
}
