//! Places and directions of the elements of a model.

use crate::assembly::file::rotation::{about, from_quaternion, unit_vector};
use crate::error::Problem;
use crate::geom::{Affine, Mat3, Vec3};
use crate::import::mjcf::defaults::Styled;

/// Directions in other words than a quaternion.
const WORDS: [&str; 4] = ["axisangle", "euler", "xyaxes", "zaxis"];

/// Map from the frame of an element to the frame that it stands in (mm).
///
/// # Errors
/// Refuses numbers that are none, two directions at once, and axes of length zero.
pub(crate) fn frame(styled: Styled<'_>) -> Result<Affine, Problem> {
    let [x, y, z] = styled.numbers::<3>("pos")?.unwrap_or_default();
    Ok(Affine { linear: direction(styled)?, translation: Vec3::new(x, y, z) * 1000.0 })
}

/// Direction of an element, by the nearest word: of the element, then of its classes from the inner one. A word and a
/// `quat` that stands nearer are refused: MuJoCo 3 reads the word, MuJoCo 4 the quaternion.
fn direction(styled: Styled<'_>) -> Result<Mat3, Problem> {
    let (element, compiler) = (styled.element, styled.compiler);
    let own: Vec<&str> = WORDS.into_iter().filter(|word| element.attribute(word).is_some()).collect();
    if own.len() > 1 {
        return Err(element.bad(format!("two directions: `{}` and `{}`", own[0], own[1])));
    }
    let nearest = WORDS.into_iter().filter_map(|word| Some((styled.level_of(word)?, word))).min();
    if let (Some((level, word)), Some(quat)) = (nearest, styled.level_of("quat"))
        && quat < level
    {
        return Err(element.bad(format!("a direction by `quat`, and by `{word}` of a class above it")));
    }
    let word = nearest.map(|(_, word)| word);
    let zero = || element.bad("a direction of length zero");
    match word {
        None => match styled.numbers::<4>("quat")? {
            None => Ok(Mat3::identity()),
            Some([w, x, y, z]) => from_quaternion([x, y, z, w]).ok_or_else(zero),
        },
        Some("axisangle") => {
            let [x, y, z, angle] = styled.numbers::<4>("axisangle")?.unwrap_or_default();
            let axis = unit_vector(&Vec3::new(x, y, z)).ok_or_else(zero)?;
            Ok(about(&axis, compiler.in_degrees(angle)))
        }
        Some("euler") => {
            let angles = styled.numbers::<3>("euler")?.unwrap_or_default();
            Ok(euler(compiler.order, angles.map(|a| compiler.in_degrees(a))))
        }
        Some("xyaxes") => {
            let [a, b, c, d, e, f] = styled.numbers::<6>("xyaxes")?.unwrap_or_default();
            let x = unit_vector(&Vec3::new(a, b, c)).ok_or_else(zero)?;
            let y = Vec3::new(d, e, f);
            let y = unit_vector(&(y - x * x.dot(&y))).ok_or_else(zero)?;
            Ok(Mat3::from_columns(&[x, y, x.cross(&y)]))
        }
        _ => {
            let [x, y, z] = styled.numbers::<3>("zaxis")?.unwrap_or_default();
            Ok(from_z(&unit_vector(&Vec3::new(x, y, z)).ok_or_else(zero)?))
        }
    }
}

/// Three turns (degrees): about the turned axes for small letters, about the fixed ones for capital letters.
pub(crate) fn euler(order: [u8; 3], degrees: [f64; 3]) -> Mat3 {
    order.iter().zip(degrees).fold(Mat3::identity(), |turned, (axis, angle)| {
        let unit = match axis.to_ascii_lowercase() {
            b'x' => Vec3::x(),
            b'y' => Vec3::y(),
            _ => Vec3::z(),
        };
        let turn = about(&unit, angle);
        if axis.is_ascii_lowercase() { turned * turn } else { turn * turned }
    })
}

/// The shortest turn of the z axis to a unit vector. Opposite vectors turn about the x axis.
pub(crate) fn from_z(to: &Vec3) -> Mat3 {
    let axis = Vec3::z().cross(to);
    let angle = libm::atan2(axis.norm(), to.z).to_degrees();
    match unit_vector(&axis) {
        Some(axis) => about(&axis, angle),
        None if to.z > 0.0 => Mat3::identity(),
        None => about(&Vec3::x(), 180.0),
    }
}
