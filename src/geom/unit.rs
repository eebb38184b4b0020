//! Length units. The library computes in millimetres; readers and writers convert once.

use serde::{Deserialize, Serialize};

/// A length unit of an assembly file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LengthUnit {
    /// Micrometre, 0.001 mm.
    Um,
    /// Millimetre.
    Mm,
    /// Centimetre, 10 mm.
    Cm,
    /// Metre, 1000 mm.
    M,
    /// Inch, exactly 25.4 mm.
    Inch,
    /// Foot, exactly 304.8 mm.
    Ft,
}

impl LengthUnit {
    /// Every unit, in the order of the documentation.
    pub const ALL: [Self; 6] = [Self::Um, Self::Mm, Self::Cm, Self::M, Self::Inch, Self::Ft];

    /// Length of the unit (mm).
    pub fn mm(self) -> f64 {
        match self {
            Self::Um => 0.001,
            Self::Mm => 1.0,
            Self::Cm => 10.0,
            Self::M => 1000.0,
            Self::Inch => 25.4,
            Self::Ft => 304.8,
        }
    }

    /// Volume of the cubed unit (mm³).
    pub fn mm3(self) -> f64 {
        self.mm() * self.mm() * self.mm()
    }

    /// Recovers the number of an input in this unit from its length in mm. A plain division is off by one bit for every
    /// sixth number (0.041 inch would come back as 0.04100000000000001). Of the neighbours with the same length in mm,
    /// returns the one with the fewest digits.
    pub fn as_given(self, mm: f64) -> f64 {
        let near = mm / self.mm();
        [near, near.next_down(), near.next_up()]
            .into_iter()
            .filter(|x| *x * self.mm() == mm)
            .min_by_key(|x| x.to_string().len())
            .unwrap_or(near)
    }

    /// Name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Um => "um",
            Self::Mm => "mm",
            Self::Cm => "cm",
            Self::M => "m",
            Self::Inch => "inch",
            Self::Ft => "ft",
        }
    }

    /// Formats a length (mm) for people, in this unit and with its name.
    pub fn format_length(self, mm: f64) -> String {
        format!("{} {}", format_number(mm / self.mm()), self.name())
    }

    /// Formats a length (mm, >= 0) for people who will move a part by it: never shorter than the length itself.
    pub(crate) fn format_length_at_least(self, mm: f64) -> String {
        format!("{} {}", format_number_at_least(mm / self.mm()), self.name())
    }

    /// Formats a length (mm) to this many significant digits, with the name of the unit.
    pub(crate) fn format_length_to(self, mm: f64, digits: usize) -> String {
        format!("{} {}", format_number_to(mm / self.mm(), digits), self.name())
    }

    /// Smallest number of significant digits, 4 at least, that tells each of these lengths (mm) from the others.
    pub(crate) fn digits_to_tell(self, lengths: &[f64]) -> usize {
        let tells = |digits: &usize| {
            let shown: Vec<String> = lengths.iter().map(|mm| self.format_length_to(*mm, *digits)).collect();
            lengths.iter().enumerate().all(|(i, x)| (0..i).all(|j| lengths[j] == *x || shown[j] != shown[i]))
        };
        (SHOWN_DIGITS..MOST_DIGITS).find(tells).unwrap_or(SHOWN_DIGITS)
    }

    /// Finds the unit of a name or of another spelling of it, such as `in`, `inches` or `millimetres`.
    pub fn from_spelling(word: &str) -> Option<Self> {
        let size = crate::geom::length::unit_size(word)?;
        Self::ALL.into_iter().find(|u| crate::geom::length::tenth_microns(*u) == size)
    }

    /// Finds the unit of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|u| u.name() == name)
    }
}

/// Significant digits of a number for people.
const SHOWN_DIGITS: usize = 4;

/// Limit of the digits that tell two numbers apart: beyond it they differ by rounding.
const MOST_DIGITS: usize = 13;

/// Difference within which two numbers count as one where a number is rounded up (share of it).
const SAME: f64 = 1e-9;

/// Formats a number for people: four significant digits, all digits of whole numbers up to 10¹⁵, no trailing zeros, 0
/// without a sign.
pub fn format_number(x: f64) -> String {
    format_number_to(x, SHOWN_DIGITS)
}

/// The same with this many significant digits (>= 1).
pub(crate) fn format_number_to(x: f64, digits: usize) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    if !x.is_finite() {
        return x.to_string();
    }
    // The exponent after rounding to these digits: 0.99996 becomes 1.000e0.
    let scientific = format!("{x:.*e}", digits - 1);
    let Some((mantissa, Ok(exponent))) = scientific.split_once('e').map(|(m, e)| (m, e.parse::<i32>())) else {
        return scientific;
    };
    if !(-4..15).contains(&exponent) {
        return format!("{}e{exponent}", without_trailing_zeros(mantissa));
    }
    let digits = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
    without_trailing_zeros(&format!("{x:.digits$}")).to_owned()
}

/// Like [`format_number`], but rounds a positive number up.
fn format_number_at_least(x: f64) -> String {
    let shown = format_number(x);
    let is_less = shown.parse::<f64>().is_ok_and(|shown| shown < x * (1.0 - SAME));
    if !is_less {
        return shown;
    }
    // Half a unit of the last digit more rounds to the next number. Whole numbers show all digits.
    let last = libm::floor(libm::log10(x)) + 1.0 - SHOWN_DIGITS as f64;
    format_number(x + 0.5 * libm::pow(10.0, last.min(0.0)))
}

fn without_trailing_zeros(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_never_shown_shorter_than_it_is() {
        for (mm, text) in [
            (123.44, "123.5 mm"),
            (123.4, "123.4 mm"),
            (123.399_999_999_999_9, "123.4 mm"),
            (0.500_04, "0.5001 mm"),
            (9.9999, "10 mm"),
            (12_345.4, "12346 mm"),
            (2e-7, "2e-7 mm"),
            (2.0001e-7, "2.001e-7 mm"),
        ] {
            assert_eq!(LengthUnit::Mm.format_length_at_least(mm), text);
        }
        assert_eq!(LengthUnit::Inch.format_length_at_least(25.4 * 1.000_01), "1.001 inch");
    }

    #[test]
    fn lengths_that_differ_are_shown_as_different() {
        let shown = |lengths: &[f64]| {
            let digits = LengthUnit::Mm.digits_to_tell(lengths);
            lengths.iter().map(|mm| LengthUnit::Mm.format_length_to(*mm, digits)).collect::<Vec<_>>()
        };
        assert_eq!(shown(&[123.4, 123.44]), ["123.4 mm", "123.44 mm"]);
        assert_eq!(shown(&[0.5, 0.500_000_7, 0.5]), ["0.5 mm", "0.500001 mm", "0.5 mm"]);
        assert_eq!(shown(&[0.123_456, 1.0]), ["0.1235 mm", "1 mm"]);
        // A difference by rounding alone stays unseen.
        assert_eq!(shown(&[0.1 + 0.2, 0.3]), ["0.3 mm", "0.3 mm"]);
    }
}
