//! Writes JSON with one line per pair, part, instance, warning and mesh, for line-by-line comparison of two reports.
//! Deeper values share the line of their element.

use crate::json::wording::{has_unsafe_char, is_unsafe_char};
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io::{self, Write};

/// Writes a value as one document with a line break at the end. Streams: buffers only the writer's block.
///
/// # Errors
/// Returns the writer's error.
pub fn write_json(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    write_lines(value, 2, out)
}

/// Writes a value as one document; elements of the `levels` outer levels, and of arrays on the next, get a line each.
///
/// # Errors
/// Returns the writer's error.
pub fn write_lines(value: &impl Serialize, levels: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(1 << 16, out);
    value.serialize(&mut Serializer::with_formatter(&mut out, Lines { levels, ..Lines::default() }))?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Formats a value as one document in the same layout. Every finite number reads back bit for bit: −0 keeps its sign.
///
/// # Errors
/// Returns the serializer's error.
pub fn to_exact_json(value: &impl Serialize) -> io::Result<String> {
    let mut out = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut out, Lines { levels: 2, exact: true, ..Lines::default() }))?;
    out.push(b'\n');
    String::from_utf8(out).map_err(io::Error::other)
}

/// Formatter with one line per element in objects and arrays of the outer levels, and in arrays of the next.
#[derive(Debug, Default)]
struct Lines {
    levels: usize,
    /// One entry per open container: true if its elements get a line each.
    open: Vec<bool>,
    /// True if the innermost container has an element.
    filled: bool,
    /// True if -0 keeps its sign.
    exact: bool,
}

impl Lines {
    fn begin<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8], is_array: bool) -> io::Result<()> {
        let depth = self.open.len();
        self.open.push(depth < self.levels || (depth == self.levels && is_array));
        self.filled = false;
        out.write_all(bracket)
    }

    fn element<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        let breaks = self.open.last().copied().unwrap_or(false);
        match (breaks, first) {
            (true, true) => self.new_line(out),
            (true, false) => out.write_all(b",").and_then(|()| self.new_line(out)),
            (false, true) => Ok(()),
            (false, false) => out.write_all(b", "),
        }
    }

    fn new_line<W: ?Sized + Write>(&self, out: &mut W) -> io::Result<()> {
        out.write_all(b"\n")?;
        self.open.iter().try_for_each(|_| out.write_all(b"  "))
    }

    fn end<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        let breaks = self.open.pop().unwrap_or(false);
        if breaks && self.filled {
            self.new_line(out)?;
        }
        self.filled = true;
        out.write_all(bracket)
    }
}

impl Formatter for Lines {
    fn write_f64<W: ?Sized + Write>(&mut self, out: &mut W, value: f64) -> io::Result<()> {
        // Whole numbers without a fraction; -0 becomes 0 here. Every integer up to 2^53 is exact.
        if value == value.trunc() && value.abs() < 9e15 && !(self.exact && value == 0.0) {
            return write!(out, "{}", value as i64);
        }
        serde_json::ser::CompactFormatter.write_f64(out, value)
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        if !has_unsafe_char(fragment) {
            return out.write_all(fragment.as_bytes());
        }
        // Terminals act on characters allowed by JSON: DEL, C1 controls, direction changes of text.
        let mut utf16 = [0; 2];
        for c in fragment.chars() {
            if is_unsafe_char(c) {
                c.encode_utf16(&mut utf16).iter().try_for_each(|unit| write!(out, "\\u{unit:04x}"))?;
            } else {
                write!(out, "{c}")?;
            }
        }
        Ok(())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b"[", true)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.element(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b"{", false)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.element(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::rng::Rng;

    fn text(value: &impl Serialize) -> String {
        let mut out = Vec::new();
        write_json(value, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_are_short_and_zero_has_no_sign() {
        assert_eq!(
            text(&(((-0.0, 1.0, 31.2, 0.1 + 0.2, 1e-7, 1e300, f64::NAN),),)),
            "[\n  [\n    [\n      0,\n      1,\n      31.2,\n      0.30000000000000004,\n      1e-7,\n      1e+300,\n      null\n    ]\n  ]\n]\n"
        );
    }

    #[test]
    fn exact_json_numbers_roundtrip() {
        let mut rng = Rng::new(1);
        let random = (0..10_000).map(|_| f64::from_bits(rng.bits()));
        let special = [-0.0, 0.0, 5e-324, f64::MIN_POSITIVE, f64::MAX, 9e15, -9_007_199_254_740_993.0, 0.1 + 0.2];
        let numbers: Vec<f64> = random.filter(|x| x.is_finite()).chain(special).collect();
        let back: Vec<f64> = serde_json::from_str(&to_exact_json(&numbers).unwrap()).unwrap();
        assert!(numbers.iter().zip(&back).all(|(x, y)| x.to_bits() == y.to_bits()));
        assert!(numbers.len() > 9000 && numbers.len() == back.len());
    }

    #[test]
    fn empty_containers_stay_closed() {
        let empty: [u8; 0] = [];
        assert_eq!(text(&(empty, [[empty]])), "[\n  [],\n  [\n    [\n      []\n    ]\n  ]\n]\n");
    }

    #[test]
    fn strings_roundtrip_without_control_characters() {
        let name = "a\"\\\n\x1b\u{7f}\u{9b}\u{202e}ä軸";
        let json = text(&[name]);
        assert_eq!(json, "[\n  \"a\\\"\\\\\\n\\u001b\\u007f\\u009b\\u202eä軸\"\n]\n");
        assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), [name]);
    }
}
