//! Converts lengths from millimetres to the report's unit, and formats lengths and counts for people.

use crate::geom::unit::format_number;
use crate::geom::{LengthUnit, Vec3};

/// Converts a length from mm to the report's unit.
pub fn length(mm: f64, unit: LengthUnit) -> f64 {
    mm / unit.mm()
}

/// Converts a volume from mm³ to the cube of the report's unit.
pub fn volume(mm3: f64, unit: LengthUnit) -> f64 {
    mm3 / unit.mm3()
}

/// Formats a volume (mm³) in the cube of the report's unit, with its name.
pub fn volume_text(mm3: f64, unit: LengthUnit) -> String {
    format!("{} {}³", format_number(volume(mm3, unit)), unit.name())
}

/// Converts a point or a translation from mm to the report's unit.
pub fn vector(mm: &Vec3, unit: LengthUnit) -> [f64; 3] {
    [length(mm.x, unit), length(mm.y, unit), length(mm.z, unit)]
}

/// Formats a point (mm) in the report's unit, with its name: `(1, 2.5, 0) mm`. All coordinates have the decimals of the
/// largest one, which shows four digits.
pub fn point_text(mm: &Vec3, unit: LengthUnit) -> String {
    let point = vector(mm, unit);
    let largest = point.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    // The largest coordinate is 0 for a point at the origin: its logarithm is minus infinity.
    let decimals = (3.0 - libm::floor(libm::log10(largest))).clamp(0.0, 15.0) as usize;
    let text = |x: f64| {
        let rounded = format!("{x:.decimals$}");
        // The number loses trailing zeros, and 0 its sign.
        rounded.parse::<f64>().map_or(rounded, |x| (x + 0.0).to_string())
    };
    let [x, y, z] = point.map(text);
    format!("({x}, {y}, {z}) {}", unit.name())
}

/// Converts a length from mm back to the number given in `unit`.
pub fn as_given(mm: f64, unit: LengthUnit) -> f64 {
    unit.as_given(mm)
}

/// Formats a length (mm) in the report's unit, with its name.
pub fn length_text(mm: f64, unit: LengthUnit) -> String {
    unit.format_length(mm)
}

/// Formats the length of a move (mm) in the report's unit, with its name: rounded up, so that the move suffices.
pub(crate) fn move_text(mm: f64, unit: LengthUnit) -> String {
    unit.format_length_at_least(mm)
}

/// Formats a count and its noun: `1 pair`, `2 pairs`.
pub fn count(n: u64, noun: &str) -> String {
    count_of(n, noun, &format!("{noun}s"))
}

/// Formats a count and a noun with an irregular plural.
pub fn count_of(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// Formats a unit vector: `+x`, `-y` or the like along an axis, else its coordinates to two decimals.
pub fn direction(v: &Vec3) -> String {
    for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
        // Closer to the axis than two decimals show.
        if v[k].abs() > 0.99999 {
            return format!("{}{axis}", if v[k] < 0.0 { '-' } else { '+' });
        }
    }
    let text = |x: f64| {
        let s = format!("{x:.2}");
        if s == "-0.00" { "0.00".to_owned() } else { s }
    };
    format!("({}, {}, {})", text(v.x), text(v.y), text(v.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_without_trailing_zeros() {
        for (x, text) in [
            (0.25, "0.25"),
            (9.8, "9.8"),
            (2.0, "2"),
            (-0.0, "0"),
            (0.0, "0"),
            (0.123_456, "0.1235"),
            (0.999_96, "1"),
            (12.345_6, "12.35"),
            (999.96, "1000"),
            (123_456.7, "123457"),
            (100.0, "100"),
            (0.000_123_456, "0.0001235"),
            (0.000_012_345, "1.234e-5"),
            (-0.000_001, "-1e-6"),
            (1e15, "1e15"),
            (1.5e300, "1.5e300"),
            (-3.5, "-3.5"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(format_number(x), text);
        }
    }

    #[test]
    fn lengths_carry_their_unit() {
        assert_eq!(length_text(25.4, LengthUnit::Inch), "1 inch");
        assert_eq!(length_text(0.25, LengthUnit::Mm), "0.25 mm");
        assert_eq!(length_text(-0.0, LengthUnit::M), "0 m");
    }

    #[test]
    fn volumes_go_with_the_cube() {
        assert_eq!(volume(1000.0, LengthUnit::Cm), 1.0);
        assert_eq!(volume_text(1500.0, LengthUnit::Cm), "1.5 cm³");
        assert_eq!(vector(&Vec3::new(10.0, -20.0, 0.0), LengthUnit::Cm), [1.0, -2.0, 0.0]);
    }

    #[test]
    fn a_point_has_the_decimals_of_its_largest_coordinate() {
        for (point, text) in [
            ([18.724, -6.3601, -220.53], "(18.7, -6.4, -220.5) mm"),
            ([-1.1e-5, 41.7, 98.85], "(0, 41.7, 98.85) mm"),
            ([0.5, 0.5, 0.5], "(0.5, 0.5, 0.5) mm"),
            ([0.0, -0.0, 0.0], "(0, 0, 0) mm"),
            ([123_456.7, 1.2, 0.0], "(123457, 1, 0) mm"),
            ([9.9999, 0.12345, 0.0], "(10, 0.123, 0) mm"),
        ] {
            assert_eq!(point_text(&Vec3::from(point), LengthUnit::Mm), text);
        }
    }

    #[test]
    fn a_given_length_comes_back_as_given() {
        for unit in LengthUnit::ALL {
            for n in 1..5000 {
                let x = f64::from(n) / 1000.0;
                assert_eq!(as_given(x * unit.mm(), unit), x, "{x} {}", unit.name());
            }
            assert_eq!(as_given(0.0, unit), 0.0);
        }
    }

    #[test]
    fn directions_name_the_axis_they_follow() {
        assert_eq!(direction(&Vec3::new(0.0, 0.0, -1.0)), "-z");
        assert_eq!(direction(&Vec3::new(1.0, 0.0, 0.0)), "+x");
        assert_eq!(direction(&Vec3::new(0.6, -0.8, -0.001)), "(0.60, -0.80, 0.00)");
    }

    #[test]
    fn one_pair_two_pairs() {
        assert_eq!((count(1, "pair"), count(0, "pair")), ("1 pair".to_owned(), "0 pairs".to_owned()));
    }
}
