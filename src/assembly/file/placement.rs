//! Reads placements: from the forms of the file to an affine map (mm).
//!
//! Notation: column vectors; `R` the linear part, `t` the translation; maps a point `p` of the part to `R·p + t`.

use crate::assembly::file::rotation::read_rotation;
use crate::geom::{Affine, LengthUnit, Mat3, Vec3};
use crate::json::document::{Json, Value};
use crate::json::position::JsonPath;
use crate::json::reader::Reader;

/// Largest accepted condition number of a linear part; above it the placement counts as singular. Such a placement
/// squeezes a metre into a nanometre and leaves only noise of a single-precision mesh.
const MAX_CONDITION: f64 = 1e9;

/// Largest difference between `RᵀR` and the identity for a rigid placement: compositions of such placements stay
/// regular.
const RIGID: f64 = 1e-6;

/// Last row of an affine map.
const LAST_ROW: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

const KEYS: [&str; 3] = ["matrix", "translation", "rotation"];

/// Returns the fix for a key of another program, with the same meaning as ours.
fn advice(key: &str) -> Option<&'static str> {
    Some(match key {
        "position" | "pos" | "location" | "origin" | "offset" | "xyz" | "translate" => "did you mean `translation`?",
        "orientation" | "rotate" => "did you mean `rotation`?",
        "transform" | "transformation" | "transform_matrix" => "did you mean `matrix`?",
        "scale" => "write a `matrix`, or the `units` of the part",
        "rpy" => "write `rotation` with `rpy_deg` or `rpy_rad`, by the unit of the angles",
        "axis" | "angle_deg" | "angle_rad" | "rpy_deg" | "rpy_rad" | "quaternion_xyzw" | "quaternion_wxyz" => {
            "write it inside `rotation`"
        }
        "quaternion" | "quat" => {
            "write `rotation` with `quaternion_xyzw` or `quaternion_wxyz`, by the order of the numbers"
        }
        _ => return None,
    })
}

/// Reads a placement, translation in mm; `None` after a problem.
pub(crate) fn read(
    reader: &mut Reader<'_>,
    value: Value<'_>,
    trail: &JsonPath<'_>,
    unit: LengthUnit,
) -> Option<Affine> {
    let expected = "an object with `matrix`, or with `translation` and `rotation`";
    let fields = reader.fields_with_advice(value, trail, &KEYS, expected, advice)?;
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

/// Reads a point, in mm.
pub(crate) fn read_point(
    reader: &mut Reader<'_>,
    value: Value<'_>,
    trail: &JsonPath<'_>,
    unit: LengthUnit,
) -> Option<Vec3> {
    let elements = reader.list::<3>(value, trail, "a list of 3 numbers, x, y and z")?;
    let [x, y, z] = [0, 1, 2].map(|k: usize| reader.coordinate(elements[k], &JsonPath::Index(trail, k), unit));
    Some(Vec3::new(x?, y?, z?))
}

/// Forms of a matrix, for messages.
const MATRIX_FORMS: &str = "4 or 3 rows of 4 numbers, or these 16 or 12 numbers, row after row";

/// Reads the rows of a matrix: lists, or all their numbers one after another. The last row is optional.
fn read_rows(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>) -> Option<Vec<[f64; 4]>> {
    let Json::List(items) = value.json() else {
        reader.wrong_kind(value, trail, MATRIX_FORMS);
        return None;
    };
    let items: Vec<Value<'_>> = items.collect();
    let is_flat = items.iter().all(|item| matches!(item.json(), Json::Number(_)));
    match items.len() {
        12 | 16 if is_flat => {
            let number = |(k, item): (usize, &Value<'_>)| reader.number(*item, &JsonPath::Index(trail, k), "a number");
            let numbers: Vec<f64> = items.iter().enumerate().map(number).collect::<Option<_>>()?;
            Some(numbers.chunks_exact(4).map(|row| [row[0], row[1], row[2], row[3]]).collect())
        }
        3 | 4 if !is_flat => {
            let row = |(k, item): (usize, &Value<'_>)| {
                reader.numbers(*item, &JsonPath::Index(trail, k), "a row of 4 numbers")
            };
            let rows: Vec<Option<[f64; 4]>> = items.iter().enumerate().map(row).collect();
            rows.into_iter().collect()
        }
        _ => {
            reader.wrong_kind(value, trail, MATRIX_FORMS);
            None
        }
    }
}

/// Reads a row-major matrix for column vectors.
fn read_matrix(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>, unit: LengthUnit) -> Option<Affine> {
    let rows = read_rows(reader, value, trail)?;
    let (&[a, b, c], last) = rows.split_first_chunk()?;
    if let Some(last) = last.first().filter(|row| **row != LAST_ROW) {
        let is_transposed = [a, b, c, *last].map(|row| row[3]) == LAST_ROW;
        let fix = if is_transposed {
            "the matrix is column-major: transpose it, so that the translation is the last column"
        } else {
            "expected 0 0 0 1: the translation is the last column of the rows above"
        };
        reader.problem(value.start(), trail, "the last row is not 0 0 0 1", fix);
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

#[cfg(test)]
mod tests {
    use super::*;

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
