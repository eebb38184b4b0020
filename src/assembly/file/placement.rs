//! Reads placements: from the forms of the file to an affine map (mm).
//!
//! Notation: column vectors; `R` the linear part, `t` the translation; maps a point `p` of the part to `R·p + t`.

use crate::geom::math::sin_cos_deg;
use crate::geom::{Affine, LengthUnit, Mat3, Vec3};
use crate::json::document::Value;
use crate::json::position::JsonPath;
use crate::json::reader::Reader;

/// Largest accepted condition number of a linear part; above it the placement counts as singular. Such a placement
/// squeezes a metre into a nanometre and leaves only noise of a single-precision mesh.
const MAX_CONDITION: f64 = 1e9;

/// Largest difference between `RᵀR` and the identity for a rigid placement: compositions of such placements stay
/// regular.
const RIGID: f64 = 1e-6;

const KEYS: [&str; 3] = ["matrix", "translation", "rotation"];
const ROTATION_KEYS: [&str; 4] = ["quaternion_xyzw", "axis", "angle_deg", "rpy_deg"];
const FORMS: &str = "expected one of `quaternion_xyzw`, `axis` with `angle_deg`, and `rpy_deg`";

/// Reads a placement, translation in mm; `None` after a problem.
pub(crate) fn read(
    reader: &mut Reader<'_>,
    value: Value<'_>,
    trail: &JsonPath<'_>,
    unit: LengthUnit,
) -> Option<Affine> {
    let fields = reader.fields(value, trail, &KEYS, "an object with `matrix`, or with `translation` and `rotation`")?;
    let matrix = fields.get("matrix").map(|v| read_matrix(reader, v, &JsonPath::Key(trail, "matrix"), unit));
    let translation = fields.get("translation").map(|v| {
        let trail = JsonPath::Key(trail, "translation");
        read_point(reader, v, &trail, unit)
    });
    let rotation = fields.get("rotation").map(|v| read_rotation(reader, v, &JsonPath::Key(trail, "rotation")));
    if let Some(matrix) = matrix {
        if translation.is_some() || rotation.is_some() {
            let what = "both `matrix` and `translation` or `rotation`";
            reader.problem(value.start(), trail, what, "give the matrix alone: it contains both");
            return None;
        }
        return matrix;
    }
    Some(Affine {
        linear: rotation.unwrap_or_else(|| Some(Mat3::identity()))?,
        translation: translation.unwrap_or_else(|| Some(Vec3::zeros()))?,
    })
}

/// Explains a singular linear part, as a fragment; `None` if it can place a part.
pub(crate) fn singular(linear: &Mat3) -> Option<String> {
    let scale = linear.abs().max();
    if !linear.iter().all(|e| e.is_finite()) {
        return Some("not finite".to_owned());
    }
    let unit = *linear / if scale > 0.0 { scale } else { 1.0 };
    let condition = unit.try_inverse().map_or(f64::INFINITY, |inverse| unit.norm() * inverse.norm());
    if condition.is_nan() || condition > MAX_CONDITION {
        let number = if condition.is_finite() { format!("{condition:.1e}") } else { "infinite".to_owned() };
        return Some(format!("singular: the condition number is {number}, the limit is {MAX_CONDITION:e}"));
    }
    let map = Affine { linear: *linear, translation: Vec3::zeros() };
    map.split().is_none().then(|| "singular: the entries are too small or too large".to_owned())
}

/// True if a linear part is a rotation, mirrored or not.
pub(crate) fn is_rigid(linear: &Mat3) -> bool {
    (linear.transpose() * linear - Mat3::identity()).abs().max() <= RIGID
}

fn read_point(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>, unit: LengthUnit) -> Option<Vec3> {
    let elements = reader.list::<3>(value, trail, "a list of 3 numbers, x, y and z")?;
    let [x, y, z] = [0, 1, 2].map(|k: usize| reader.coordinate(elements[k], &JsonPath::Index(trail, k), unit));
    Some(Vec3::new(x?, y?, z?))
}

/// Reads a row-major matrix for column vectors.
fn read_matrix(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>, unit: LengthUnit) -> Option<Affine> {
    let rows = reader.list::<4>(value, trail, "4 rows of 4 numbers")?;
    let rows: [Option<[f64; 4]>; 4] =
        [0, 1, 2, 3].map(|k: usize| reader.numbers(rows[k], &JsonPath::Index(trail, k), "a row of 4 numbers"));
    let [Some(a), Some(b), Some(c), Some(last)] = rows else { return None };
    if last != [0.0, 0.0, 0.0, 1.0] {
        let fix = "expected 0 0 0 1: the translation is the last column of the rows above";
        reader.problem(value.start(), &JsonPath::Index(trail, 3), "the last row is not 0 0 0 1", fix);
        return None;
    }
    let linear = Mat3::new(a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]);
    if let Some(why) = singular(&linear) {
        reader.problem(value.start(), trail, why, "give an invertible matrix");
        return None;
    }
    let translation = Vec3::new(a[3], b[3], c[3]) * unit.mm();
    if translation.abs().max() > crate::geom::tolerance::MAX_COORDINATE {
        let what = format!("the translation is beyond {:e} mm", crate::geom::tolerance::MAX_COORDINATE);
        reader.problem(value.start(), trail, what, "write a smaller length, or correct `units`");
        return None;
    }
    Some(Affine { linear, translation })
}

fn read_rotation(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>) -> Option<Mat3> {
    let fields = reader.fields(value, trail, &ROTATION_KEYS, "an object with one form of rotation")?;
    let by_axis = fields.has("axis") || fields.has("angle_deg");
    match (fields.get("quaternion_xyzw"), by_axis, fields.get("rpy_deg")) {
        (Some(q), false, None) => read_quaternion(reader, q, &JsonPath::Key(trail, "quaternion_xyzw")),
        (None, true, None) => {
            let (Some(axis), Some(angle)) = (fields.get("axis"), fields.get("angle_deg")) else {
                let (has, misses) = if fields.has("axis") { ("axis", "angle_deg") } else { ("angle_deg", "axis") };
                reader.problem(value.start(), trail, format!("`{has}` without `{misses}`"), format!("add `{misses}`"));
                return None;
            };
            let axis = read_axis(reader, axis, &JsonPath::Key(trail, "axis"));
            let angle = reader.number(angle, &JsonPath::Key(trail, "angle_deg"), "an angle in degrees");
            Some(about(&axis?, angle?))
        }
        (None, false, Some(rpy)) => {
            let rpy = reader.numbers(rpy, &JsonPath::Key(trail, "rpy_deg"), "a list of 3 angles: roll, pitch and yaw");
            Some(roll_pitch_yaw(&rpy?))
        }
        (None, false, None) => {
            reader.problem(value.start(), trail, "no rotation in it", FORMS);
            None
        }
        _ => {
            reader.problem(value.start(), trail, "more than one form of rotation", FORMS);
            None
        }
    }
}

fn read_quaternion(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>) -> Option<Mat3> {
    let q = reader.numbers::<4>(value, trail, "a list of 4 numbers, x, y, z and w")?;
    let rotation = from_quaternion(q);
    if rotation.is_none() {
        reader.problem(value.start(), trail, "a quaternion of length zero", "the identity is [0, 0, 0, 1]");
    }
    rotation
}

fn read_axis(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>) -> Option<Vec3> {
    let [x, y, z] = reader.numbers(value, trail, "a list of 3 numbers, x, y and z")?;
    let axis = unit_vector(&Vec3::new(x, y, z));
    if axis.is_none() {
        reader.problem(value.start(), trail, "an axis of length zero", "the z axis is [0, 0, 1]");
    }
    axis
}

/// Normalises a vector. Scales by the largest coordinate first, so that nothing overflows and coordinate axes stay
/// exact.
fn unit_vector(v: &Vec3) -> Option<Vec3> {
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
fn from_quaternion([x, y, z, w]: [f64; 4]) -> Option<Mat3> {
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
fn about(u: &Vec3, angle_deg: f64) -> Mat3 {
    let (s, c) = sin_cos_deg(angle_deg);
    let turned =
        Mat3::from_fn(|i, j| if i == j { u[i] * u[i] + c * (1.0 - u[i] * u[i]) } else { u[i] * u[j] * (1.0 - c) });
    positive_zeros(turned + u.cross_matrix() * s)
}

/// Computes `Rz(yaw) · Ry(pitch) · Rx(roll)` (degrees): about fixed axes, roll first, like URDF.
fn roll_pitch_yaw(&[roll, pitch, yaw]: &[f64; 3]) -> Mat3 {
    positive_zeros(about(&Vec3::z(), yaw) * about(&Vec3::y(), pitch) * about(&Vec3::x(), roll))
}

/// Adding zero removes the sign of negative zeros: equal placements get equal bits.
fn positive_zeros(m: Mat3) -> Mat3 {
    m.map(|e| e + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn singular_map_error_states_condition_number() {
        assert_eq!(singular(&Mat3::identity()), None);
        assert_eq!(singular(&Mat3::from_diagonal(&Vec3::new(1.0, -1.0, 1e-6))), None);
        let flat = singular(&Mat3::from_diagonal(&Vec3::new(1.0, 1.0, 1e-12))).expect("singular");
        assert!(flat.contains("1.4e12"), "{flat}");
        let zero = singular(&Mat3::zeros()).expect("singular");
        assert!(zero.contains("infinite"), "{zero}");
        assert!(singular(&(Mat3::identity() * 1e-200)).is_some());
        assert!(singular(&(Mat3::identity() * f64::NAN)).is_some());
    }
}
