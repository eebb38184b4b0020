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

/// Formats a number for people: four significant digits, all digits of whole numbers up to 10¹⁵, no trailing zeros, 0
/// without a sign.
pub fn format_number(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    if !x.is_finite() {
        return x.to_string();
    }
    // The exponent after rounding to four digits: 0.99996 becomes 1.000e0.
    let scientific = format!("{x:.3e}");
    let Some((mantissa, Ok(exponent))) = scientific.split_once('e').map(|(m, e)| (m, e.parse::<i32>())) else {
        return scientific;
    };
    if !(-4..15).contains(&exponent) {
        return format!("{}e{exponent}", without_trailing_zeros(mantissa));
    }
    let digits = usize::try_from(3 - exponent).unwrap_or(0);
    without_trailing_zeros(&format!("{x:.digits$}")).to_owned()
}

fn without_trailing_zeros(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}
