//! Parses decimal numbers, correctly rounded. The fast path is from W. D. Clinger ("How to Read Floating Point Numbers
//! Accurately", 1990, §3): a mantissa up to 2⁵³, multiplied or divided by a power of ten up to 10²², needs one
//! rounding. The standard library parses the other numbers.

/// Powers of ten with an exact `f64`.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Below this limit the mantissa takes another digit without overflow.
const MANTISSA_LIMIT: u64 = 1_000_000_000_000_000_000;

/// A number and the position of its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Number {
    /// Value; infinite if the exponent is too large.
    pub value: f64,
    /// Position after the last byte.
    pub end: usize,
    /// True for more than nine significant digits, trailing zeros included.
    pub long: bool,
}

/// Parses the longest number at `start`: sign, digits with at most one point, exponent. `None` without a digit, so also
/// for `nan` and `inf`.
#[inline]
pub(crate) fn parse(bytes: &[u8], start: usize) -> Option<Number> {
    // Signs are unpredictable: branch-free.
    let sign = *bytes.get(start)?;
    let negative = sign == b'-';
    let mut at = start + usize::from(matches!(sign, b'-' | b'+'));
    let mut digits = Digits { mantissa: 0, dropped: 0 };
    let whole = at;
    at = digits.take(bytes, at);
    let mut count = at - whole;
    let mut scale = digits.dropped;
    if bytes.get(at) == Some(&b'.') {
        let fraction = at + 1;
        at = digits.take_eights(bytes, fraction);
        at = digits.take(bytes, at);
        count += at - fraction;
        scale = digits.dropped - (at - fraction) as i64;
    }
    if count == 0 {
        return None;
    }
    if let Some(b'e' | b'E') = bytes.get(at)
        && let Some((exponent, end)) = exponent(bytes, at + 1)
    {
        scale += exponent;
        at = end;
    }
    let long = digits.mantissa > 999_999_999;
    let value = if digits.dropped == 0 && digits.mantissa <= 1 << 53 && (-22..=22).contains(&scale) {
        let m = digits.mantissa as f64;
        let m = if scale < 0 { m / EXACT_POWERS[-scale as usize] } else { m * EXACT_POWERS[scale as usize] };
        f64::from_bits(m.to_bits() ^ u64::from(negative) << 63)
    } else {
        std::str::from_utf8(&bytes[start..at]).ok()?.parse().ok()?
    };
    Some(Number { value, end: at, long })
}

/// Below this limit the mantissa takes eight more digits.
const MANTISSA_LIMIT_EIGHT: u64 = 10_000_000_000;

const POWERS: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Counts the leading digits of the bytes and computes their number. Combines neighbouring digits into pairs, fours,
/// then eight, within one word.
#[inline]
fn leading_digits(bytes: [u8; 8]) -> (usize, u64) {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let digits = u64::from_le_bytes(bytes) ^ (EACH * u64::from(b'0'));
    // The top bit marks bytes above 9; a carry spoils only bytes after a mark.
    let others = (digits.wrapping_add(EACH * 0x76) | digits) & (EACH * 0x80);
    let count = others.trailing_zeros() / 8;
    // Shifts zeros in front of the digits and the other bytes out.
    let digits = digits.unbounded_shl(64 - 8 * count);
    let pairs = digits.wrapping_mul(1 + (10 << 8)) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(1 + (100 << 16)) >> 16 & 0x0000_ffff_0000_ffff;
    (count as usize, fours.wrapping_mul(1 + (10_000 << 32)) >> 32)
}

struct Digits {
    mantissa: u64,
    /// Number of digits dropped for lack of room.
    dropped: i64,
}

impl Digits {
    /// Takes up to eight digits at a time, while the mantissa has room for eight and eight bytes remain.
    #[inline]
    fn take_eights(&mut self, bytes: &[u8], mut at: usize) -> usize {
        while self.mantissa < MANTISSA_LIMIT_EIGHT
            && let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk())
        {
            let (count, value) = leading_digits(*eight);
            self.mantissa = self.mantissa * POWERS[count] + value;
            at += count;
            if count < 8 {
                break;
            }
        }
        at
    }

    #[inline]
    fn take(&mut self, bytes: &[u8], mut at: usize) -> usize {
        while let Some(digit) = bytes.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
            if self.mantissa < MANTISSA_LIMIT {
                self.mantissa = self.mantissa * 10 + u64::from(digit);
            } else {
                self.dropped += 1;
            }
            at += 1;
        }
        at
    }
}

/// Parses the exponent after its `e`, saturated; `None` without a digit.
fn exponent(bytes: &[u8], mut at: usize) -> Option<(i64, usize)> {
    let negative = bytes.get(at) == Some(&b'-');
    if let Some(b'-' | b'+') = bytes.get(at) {
        at += 1;
    }
    let first = at;
    let mut value = 0i64;
    while let Some(digit) = bytes.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
        value = (value * 10 + i64::from(digit)).min(100_000);
        at += 1;
    }
    (at > first).then_some((if negative { -value } else { value }, at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str) -> f64 {
        let n = parse(text.as_bytes(), 0).unwrap();
        assert_eq!(n.end, text.len(), "{text}");
        n.value
    }

    #[test]
    fn every_spelling_parses_like_std() {
        for text in [
            "0",
            "-0",
            "+1",
            "1.",
            ".5",
            "-.5e1",
            "1e5",
            "1E+05",
            "-1.968503950000000e+000",
            "9007199254740993",
            "123456789012345678901234567890",
            "0.1",
            "2.2250738585072014e-308",
            "1e-400",
            "1e22",
            "1e23",
            "0.30000000000000004",
            "0.00000000000000000000000000000000000001",
            "12345678901234567890.5",
        ] {
            assert_eq!(value(text).to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
        }
    }

    #[test]
    fn eight_byte_parsing_equals_single_byte_parsing() {
        let text = b"0123456789./:;-+eE \0\x7f\x80\xff\xb09876543210!12345678";
        for from in 0..text.len() - 7 {
            let eight: [u8; 8] = text[from..from + 8].try_into().unwrap();
            let count = eight.iter().take_while(|b| b.is_ascii_digit()).count();
            let value = eight[..count].iter().fold(0, |n, b| n * 10 + u64::from(b - b'0'));
            assert_eq!(leading_digits(eight), (count, value), "{eight:?}");
        }
    }

    #[test]
    fn words_are_refused_and_numbers_end_correctly() {
        for text in ["nan", "-nan", "inf", "-", ".", "e5", "", "+.e1", "blah"] {
            assert_eq!(parse(text.as_bytes(), 0), None, "{text}");
        }
        for (text, end) in [("1.5x", 3), ("1e", 1), ("2e+ ", 1), ("1.2.3", 3), ("1,5", 1), ("0x10", 1), ("1 2", 1)] {
            assert_eq!(parse(text.as_bytes(), 0).unwrap().end, end, "{text}");
        }
        assert!(parse(b"1e999", 0).unwrap().value.is_infinite());
    }

    proptest! {
        #[test]
        fn printed_numbers_come_back_bit_for_bit(x in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL, digits in 0usize..20) {
            for text in [format!("{x}"), format!("{x:e}"), format!("{x:.digits$e}")] {
                prop_assert_eq!(value(&text).to_bits(), text.parse::<f64>().unwrap().to_bits());
            }
        }
    }
}
