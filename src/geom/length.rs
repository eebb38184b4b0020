//! Lengths as people write them: a number, or a number with a unit ("1 mm", "0.5thou").

use crate::geom::unit::LengthUnit;
use std::iter::repeat_n;

/// Names of the units of written lengths, and their lengths in 0.1 µm. Every unit is a whole multiple of 0.1 µm, so the
/// ratio of two units is a ratio of integers. The micro sign and the Greek mu look the same.
const UNITS: [(&str, u64); 11] = [
    ("um", 10),
    ("µm", 10),
    ("μm", 10),
    ("mm", 10_000),
    ("cm", 100_000),
    ("m", 10_000_000),
    ("thou", 254),
    ("mil", 254),
    ("in", 254_000),
    ("inch", 254_000),
    ("ft", 3_048_000),
];

/// Spelled-out names of units, in the singular, and their lengths in 0.1 µm. Case and a plural `s` make no difference.
const SPELLINGS: [(&str, u64); 15] = [
    ("micron", 10),
    ("micrometer", 10),
    ("micrometre", 10),
    ("millimeter", 10_000),
    ("millimetre", 10_000),
    ("centimeter", 100_000),
    ("centimetre", 100_000),
    ("meter", 10_000_000),
    ("metre", 10_000_000),
    ("thou", 254),
    ("mil", 254),
    ("inch", 254_000),
    ("inches", 254_000),
    ("foot", 3_048_000),
    ("feet", 3_048_000),
];

/// Length of a unit (0.1 µm), by its name or another spelling. Short names have one case: `Mm` is a megametre.
pub(crate) fn unit_size(word: &str) -> Option<u64> {
    if let Some((_, size)) = UNITS.into_iter().find(|(name, _)| *name == word) {
        return Some(size);
    }
    let lower = word.to_lowercase();
    let singular = lower.strip_suffix('s').unwrap_or(&lower);
    SPELLINGS.into_iter().find(|(name, _)| *name == lower || *name == singular).map(|(_, size)| size)
}

/// Upper limit of the decimal places that a division by a unit adds to a quotient with a finite decimal form: the
/// largest power of 2 or 5 in a unit is that of a metre, 10⁷.
const MAX_ADDED_PLACES: usize = 7;

/// A length of at least 0 as written.
#[derive(Debug, Clone, PartialEq)]
pub enum Length {
    /// A number in the units of the assembly (finite, >= 0).
    Bare(f64),
    /// A decimal number with a unit.
    WithUnit {
        /// The number.
        decimal: Decimal,
        /// Length of the unit (0.1 µm).
        unit: u64,
    },
}

/// A decimal number without a sign: an integer times a power of ten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal {
    /// Digits 0 to 9 of the integer, at least one.
    digits: Vec<u8>,
    /// Exponent of the power of ten.
    exponent: i64,
}

/// Fault of a text in place of a length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LengthError<'t> {
    /// The text does not begin with a number.
    NoNumber,
    /// The number has another form than a JSON number; the fault and its correction.
    Malformed(&'static str, &'static str),
    /// The number has a minus sign.
    Negative,
    /// The number exceeds the range of floating-point numbers.
    NotFinite,
    /// The unit is missing.
    NoUnit,
    /// The unit has no such name.
    UnknownUnit(&'t str),
    /// White space other than one space between number and unit.
    Spaces,
}

impl Length {
    /// Parses a number, or a number with a unit.
    ///
    /// # Errors
    /// Returns the first fault.
    pub fn parse(text: &str) -> Result<Self, LengthError<'_>> {
        match text.parse::<f64>() {
            Ok(x) if !x.is_finite() => Err(LengthError::NotFinite),
            Ok(x) if x < 0.0 => Err(LengthError::Negative),
            // Adding 0.0 removes the sign of a negative zero.
            Ok(x) => Ok(Self::Bare(x + 0.0)),
            Err(_) => Self::parse_with_unit(text),
        }
    }

    /// Parses a number with a unit: a JSON number without a sign, at most one space, and the name of a unit or
    /// another spelling of it.
    ///
    /// # Errors
    /// Returns the first fault.
    pub fn parse_with_unit(text: &str) -> Result<Self, LengthError<'_>> {
        let trimmed = text.trim();
        let (number, rest) = split_number(trimmed)?;
        let name = rest.trim_start();
        if name.is_empty() {
            return Err(LengthError::NoUnit);
        }
        let Some(unit) = unit_size(name) else {
            return Err(LengthError::UnknownUnit(name));
        };
        if trimmed.len() < text.len() || !(rest == name || rest.strip_prefix(' ') == Some(name)) {
            return Err(LengthError::Spaces);
        }
        if number.parse().is_ok_and(f64::is_infinite) {
            return Err(LengthError::NotFinite);
        }
        Ok(Self::WithUnit { decimal: Decimal::new(number), unit })
    }

    /// Converts to mm, for an assembly in `units`.
    ///
    /// A length with a unit has the same bits as the same length as a bare number, if that number has a finite decimal
    /// form: "25.4 mm" is 1 inch, "1 in" is 25.4 mm. Otherwise ("0.01 mm" in inches) the result is the length in mm,
    /// rounded once.
    pub fn to_mm(&self, units: LengthUnit) -> f64 {
        match self {
            Self::Bare(x) => x * units.mm(),
            Self::WithUnit { decimal, unit } => match decimal.scaled(*unit, tenth_microns(units)) {
                Some(x) => x * units.mm(),
                // Millimetres divide every decimal number without remainder.
                None => decimal.scaled(*unit, tenth_microns(LengthUnit::Mm)).unwrap_or(f64::INFINITY),
            },
        }
    }
}

/// Length of a unit (0.1 µm).
pub(crate) fn tenth_microns(unit: LengthUnit) -> u64 {
    match unit {
        LengthUnit::Um => 10,
        LengthUnit::Mm => 10_000,
        LengthUnit::Cm => 100_000,
        LengthUnit::M => 10_000_000,
        LengthUnit::Inch => 254_000,
        LengthUnit::Ft => 3_048_000,
    }
}

/// Splits a text after the JSON number at its start.
fn split_number(text: &str) -> Result<(&str, &str), LengthError<'_>> {
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let unsigned = text.trim_start_matches(['+', '-']);
    if !unsigned.trim_start_matches('.').starts_with(|c: char| c.is_ascii_digit()) {
        return Err(LengthError::NoNumber);
    }
    match text.as_bytes()[0] {
        b'-' => return Err(LengthError::Negative),
        b'+' => return Err(LengthError::Malformed("a plus sign", "remove it")),
        b'.' => return Err(LengthError::Malformed("no digit before the point", "write a 0 there")),
        _ => {}
    }
    let mut end = digits(0);
    if end > 1 && text.starts_with('0') {
        return Err(LengthError::Malformed("a zero in front", "remove it"));
    }
    if text[end..].starts_with(',') {
        return Err(LengthError::Malformed("a comma in the number", "write a point for decimals"));
    }
    if text[end..].starts_with('.') {
        let places = digits(end + 1);
        if places == 0 {
            return Err(LengthError::Malformed("no digit after the point", "write a 0 there"));
        }
        end += 1 + places;
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let power = digits(end + 1 + sign);
        if power > 0 {
            end += 1 + sign + power;
        }
    }
    Ok(text.split_at(end))
}

impl Decimal {
    /// Reads a JSON number without a sign.
    fn new(number: &str) -> Self {
        let (mantissa, power) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let out_of_range = if power.starts_with('-') { i64::MIN } else { i64::MAX };
        let places = mantissa.split_once('.').map_or(0, |(_, places)| places.len());
        let exponent = power.parse().unwrap_or(out_of_range).saturating_sub_unsigned(places as u64);
        let digits = mantissa.bytes().filter(u8::is_ascii_digit).map(|b| b - b'0').collect();
        Self { digits, exponent }
    }

    /// Returns the number times `from / to`, rounded once; `None` if the product has no finite decimal form.
    fn scaled(&self, from: u64, to: u64) -> Option<f64> {
        let (digits, places) = quotient(&product(&self.digits, from), to)?;
        let exponent = self.exponent.saturating_sub_unsigned(places as u64);
        let digits: String = digits.into_iter().map(|d| char::from(b'0' + d)).collect();
        format!("{digits}e{exponent}").parse().ok()
    }
}

/// Digits of an integer times `factor`.
fn product(digits: &[u8], factor: u64) -> Vec<u8> {
    let mut carry = 0;
    let mut out = Vec::with_capacity(digits.len() + 8);
    for digit in digits.iter().rev() {
        carry += u64::from(*digit) * factor;
        out.push((carry % 10) as u8);
        carry /= 10;
    }
    while carry > 0 {
        out.push((carry % 10) as u8);
        carry /= 10;
    }
    out.reverse();
    out
}

/// Digits of an integer divided by `divisor`, and the number of decimal places among them; `None` if the quotient has
/// no finite decimal form.
fn quotient(digits: &[u8], divisor: u64) -> Option<(Vec<u8>, usize)> {
    let mut rest = 0;
    let mut out = Vec::with_capacity(digits.len());
    for digit in digits.iter().copied().chain(repeat_n(0, MAX_ADDED_PLACES)) {
        if rest == 0 && out.len() >= digits.len() {
            break;
        }
        rest = 10 * rest + u64::from(digit);
        out.push((rest / divisor) as u8);
        rest %= divisor;
    }
    let places = out.len() - digits.len();
    (rest == 0).then_some((out, places))
}
