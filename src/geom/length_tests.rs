//! Tests of written lengths: their grammar, their faults, and the exactness of the conversion.

use crate::geom::LengthUnit;
use crate::geom::length::{Length, LengthError};

fn mm(text: &str, units: LengthUnit) -> f64 {
    Length::parse(text).unwrap_or_else(|e| panic!("{text}: {e:?}")).to_mm(units)
}

/// Units of written lengths (0.1 µm).
const UNITS: [(&str, u64); 9] = [
    ("um", 10),
    ("mm", 10_000),
    ("cm", 100_000),
    ("m", 10_000_000),
    ("thou", 254),
    ("mil", 254),
    ("in", 254_000),
    ("inch", 254_000),
    ("ft", 3_048_000),
];

#[test]
fn a_bare_number_is_in_the_units_of_the_assembly() {
    for units in LengthUnit::ALL {
        assert_eq!(mm("0.041", units), 0.041 * units.mm());
        assert_eq!(mm("-0", units).to_bits(), 0);
    }
}

#[test]
fn every_unit_has_its_length() {
    for (text, expected) in [
        ("1um", 0.001),
        ("1µm", 0.001),
        ("1 \u{3bc}m", 0.001),
        ("1 mm", 1.0),
        ("1cm", 10.0),
        ("1m", 1000.0),
        ("1thou", 0.0254),
        ("1 mil", 0.0254),
        ("1in", 25.4),
        ("1 inch", 25.4),
        ("1ft", 304.8),
        ("1.5e-1 mm", 0.15),
        ("2E+1mm", 20.0),
        ("0.50mm", 0.5),
        ("0mm", 0.0),
    ] {
        assert_eq!(mm(text, LengthUnit::Mm).to_bits(), f64::to_bits(expected), "{text}");
    }
}

#[test]
fn a_unit_gives_the_bits_of_the_number_in_the_file_s_unit() {
    for units in LengthUnit::ALL {
        for thousandths in (1..2000_u32).chain([99_999, 1_234_567]) {
            let number = format!("{}", f64::from(thousandths) / 1000.0);
            assert_eq!(mm(&format!("{number} {}", units.name()), units), mm(&number, units), "{number} {units:?}");
        }
    }
    for (text, number, units) in [
        ("25.4 mm", "1", LengthUnit::Inch),
        ("1 in", "25.4", LengthUnit::Mm),
        ("3in", "76.2", LengthUnit::Mm),
        ("0.7mm", "0.07", LengthUnit::Cm),
        ("80 thou", "0.08", LengthUnit::Inch),
        ("0.5thou", "0.0127", LengthUnit::Mm),
        ("3 in", "0.25", LengthUnit::Ft),
        ("30.48 cm", "12", LengthUnit::Inch),
        ("10um", "0.00001", LengthUnit::M),
    ] {
        assert_eq!(mm(text, units).to_bits(), mm(number, units).to_bits(), "{text} {units:?}");
    }
}

#[test]
fn a_conversion_rounds_once() {
    for units in LengthUnit::ALL {
        let (_, to) = UNITS.into_iter().find(|(name, _)| *name == units.name()).unwrap();
        for (name, from) in UNITS {
            for hundredths in 1..500_u64 {
                // Both integers are below 2⁵³: the quotient rounds once.
                let (part, whole) = (hundredths * from, 100 * to);
                let has_finite_decimal = (part * 10_u64.pow(9)).is_multiple_of(whole);
                let expected =
                    if has_finite_decimal { part as f64 / whole as f64 * units.mm() } else { part as f64 / 1e6 };
                let text = format!("{}.{:02} {name}", hundredths / 100, hundredths % 100);
                assert_eq!(mm(&text, units).to_bits(), expected.to_bits(), "{text} {units:?}");
            }
        }
    }
    // Without a finite decimal number of inches or feet.
    assert_eq!([mm("0.01mm", LengthUnit::Inch), mm("1 cm", LengthUnit::Ft)], [0.01, 10.0]);
}

#[test]
fn long_and_extreme_numbers_keep_their_value() {
    let zeros = "0".repeat(400);
    assert_eq!(mm(&format!("1{zeros}e-400 in"), LengthUnit::Mm), 25.4);
    assert_eq!(mm(&format!("0.{zeros}1e401 in"), LengthUnit::Mm), 25.4);
    assert_eq!(mm("1e-99999999999999999999 mm", LengthUnit::Mm), 0.0);
    assert_eq!(mm("1e307 m", LengthUnit::Mm), f64::INFINITY);
}

#[test]
fn other_texts_are_faults() {
    for (text, error) in [
        ("", LengthError::NoNumber),
        ("mm", LengthError::NoNumber),
        ("thin", LengthError::NoNumber),
        ("e5 mm", LengthError::NoNumber),
        ("\u{2212}1 mm", LengthError::NoNumber),
        ("infmm", LengthError::NoNumber),
        ("+1mm", LengthError::Malformed("a plus sign", "remove it")),
        (".5mm", LengthError::Malformed("no digit before the point", "write a 0 there")),
        ("1.mm", LengthError::Malformed("no digit after the point", "write a 0 there")),
        ("01mm", LengthError::Malformed("a zero in front", "remove it")),
        ("1,5mm", LengthError::Malformed("a comma in the number", "write a point for decimals")),
        ("-1mm", LengthError::Negative),
        ("-0 mm", LengthError::Negative),
        ("-1", LengthError::Negative),
        ("inf", LengthError::NotFinite),
        ("nan", LengthError::NotFinite),
        ("1e999", LengthError::NotFinite),
        ("1e999 um", LengthError::NotFinite),
        ("1 ", LengthError::NoUnit),
        ("1 nm", LengthError::UnknownUnit("nm")),
        ("1 MM", LengthError::UnknownUnit("MM")),
        ("1emm", LengthError::UnknownUnit("emm")),
        ("1e+mm", LengthError::UnknownUnit("e+mm")),
        ("1 mm 2", LengthError::UnknownUnit("mm 2")),
        ("0x1 mm", LengthError::UnknownUnit("x1 mm")),
        ("1  mm", LengthError::Spaces),
        ("1\tmm", LengthError::Spaces),
        ("1\u{a0}mm", LengthError::Spaces),
        (" 1 mm", LengthError::Spaces),
        ("1 mm\n", LengthError::Spaces),
    ] {
        assert_eq!(Length::parse(text), Err(error), "{text:?}");
    }
    for text in ["1", "0.5", "1e3"] {
        assert_eq!(Length::parse_with_unit(text), Err(LengthError::NoUnit), "{text:?}");
    }
}
