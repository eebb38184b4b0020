//! Words the faults of written lengths, for the assembly file and the command line.

use crate::geom::length::LengthError;
use crate::json::wording::{join_or, quoted};
use std::ops::RangeInclusive;

/// Names of the units of written lengths, in the order of the documentation.
pub(crate) const UNITS: [&str; 9] = ["um", "mm", "cm", "m", "thou", "mil", "in", "inch", "ft"];

/// Other spellings of the units; a typing error in one of them leads to its unit.
const SPELLINGS: [(&str, &str); 15] = [
    ("micron", "um"),
    ("micrometer", "um"),
    ("micrometre", "um"),
    ("millimeter", "mm"),
    ("millimetre", "mm"),
    ("centimeter", "cm"),
    ("centimetre", "cm"),
    ("meter", "m"),
    ("metre", "m"),
    ("inches", "inch"),
    ("\"", "inch"),
    ("\u{2033}", "inch"),
    ("foot", "ft"),
    ("feet", "ft"),
    ("'", "ft"),
];

/// Bytes of the words that the search for typing errors compares. Shorter words are too near to other units ("nm").
const COMPARED_BYTES: RangeInclusive<usize> = 4..=16;

/// Returns the fault of a text in place of a length, and its correction.
pub(crate) fn length_problem(text: &str, error: &LengthError<'_>) -> (String, String) {
    let written = quoted(text);
    match error {
        LengthError::NoNumber => {
            (format!("{written} does not begin with a number"), "expected a length such as `0.5 mm`".to_owned())
        }
        LengthError::Malformed(fault, correction) => (format!("{written} has {fault}"), (*correction).to_owned()),
        LengthError::Negative => (format!("{written} is negative"), "expected a length, zero or more".to_owned()),
        LengthError::NotFinite => (format!("{written} is not a finite number"), "write a smaller length".to_owned()),
        LengthError::NoUnit => {
            (format!("{written} has no unit"), "write the number without quotes, or add a unit such as `mm`".to_owned())
        }
        LengthError::UnknownUnit(unit) => {
            let known = || format!("expected {}", join_or(&UNITS));
            let fix = same_unit(unit).map_or_else(known, |name| format!("did you mean {}?", quoted(name)));
            (format!("unknown unit {}", quoted(unit)), fix)
        }
        LengthError::Spaces => {
            let words: Vec<&str> = text.split_whitespace().collect();
            let fix = format!("write {}", quoted(&words.join(" ")));
            (format!("{written} has white space beyond one space before the unit"), fix)
        }
    }
}

/// Finds the known unit of another spelling. Suggests no unit of another length: "nm" stays unknown.
pub(crate) fn same_unit(word: &str) -> Option<&'static str> {
    let spellings = || UNITS.into_iter().map(|name| (name, name)).chain(SPELLINGS);
    // A megametre is no millimetre.
    if word == "Mm" {
        return None;
    }
    let lower = word.to_lowercase();
    let singular = lower.strip_suffix('s').filter(|s| s.len() > 1).unwrap_or(&lower);
    if let Some((_, name)) = spellings().find(|(spelling, _)| *spelling == lower || *spelling == singular) {
        return Some(name);
    }
    let compared = |word: &str| COMPARED_BYTES.contains(&word.len());
    let is_near = |spelling: &str| compared(spelling) && strsim::osa_distance(spelling, singular) == 1;
    spellings().find(|(spelling, _)| compared(singular) && is_near(spelling)).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suggestion_names_the_same_unit() {
        for (word, name) in [
            ("MM", "mm"),
            ("Inch", "inch"),
            ("millimeters", "mm"),
            ("milimetre", "mm"),
            ("Micron", "um"),
            ("micormeter", "um"),
            ("mils", "mil"),
            ("thuo", "thou"),
            ("ihch", "inch"),
            ("\"", "inch"),
            ("feet", "ft"),
        ] {
            assert_eq!(same_unit(word), Some(name), "{word}");
        }
    }

    #[test]
    fn a_unit_of_another_length_gets_no_suggestion() {
        for word in
            ["nm", "km", "dm", "pm", "Mm", "mi", "mile", "miles", "yd", "yard", "nanometer", "kilometre", "", "s"]
        {
            assert_eq!(same_unit(word), None, "{word}");
        }
        assert_eq!(same_unit(&"inch".repeat(10_000)), None);
    }
}
