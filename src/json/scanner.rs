//! Reads JSON from front to back into a document's list of values. Accepts two additions: line comments and trailing
//! commas.

use crate::json::document::{Document, Kind, Node};

/// Numbers above this magnitude may be out of range for other readers.
const LARGE_MAGNITUDE: f64 = 1e308;

/// Numbers with at most this many digits are integers below 2⁵³, and powers of ten up to this exponent are exact: their
/// quotient needs one rounding (W. D. Clinger, "How to Read Floating Point Numbers Accurately", 1990, §3).
const EXACT_DIGITS: usize = 15;

const POWERS: [f64; EXACT_DIGITS + 1] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// Reads a document from front to back. `None` means invalid JSON.
pub(crate) struct Scanner<'s> {
    bytes: &'s [u8],
    at: usize,
    document: Document<'s>,
}

impl<'s> Scanner<'s> {
    /// Starts at the text of an empty document.
    pub(crate) fn new(document: Document<'s>) -> Self {
        Self { bytes: document.text.as_bytes(), at: 0, document }
    }

    /// Reads the whole text: one value with white space around it and at most `levels` nested lists and objects.
    pub(crate) fn read(mut self, levels: usize) -> Option<Document<'s>> {
        self.skip_white_space();
        self.value(levels)?;
        self.skip_white_space();
        (self.at == self.bytes.len()).then_some(self.document)
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Skips white space and line comments.
    #[inline]
    fn skip_white_space(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                Some(b'/') if self.bytes.get(self.at + 1) == Some(&b'/') => self.skip_comment(),
                _ => return,
            }
        }
    }

    /// Skips a comment up to the end of its line.
    #[cold]
    fn skip_comment(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
    }

    /// Skips the one byte allowed here.
    #[inline]
    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn push(&mut self, start: usize, kind: Kind, rest: u64) {
        self.document.nodes.push(Node::new(start, kind, rest));
    }

    /// Reads the value at the current position, with at most `levels` nested lists and objects.
    fn value(&mut self, levels: usize) -> Option<()> {
        match self.peek()? {
            b'"' => self.text(),
            b'-' | b'0'..=b'9' => self.number(),
            b'[' => self.members(Kind::List, b']', levels.checked_sub(1)?),
            b'{' => self.members(Kind::Object, b'}', levels.checked_sub(1)?),
            b'n' => self.word(b"null", Kind::Null),
            b't' => self.word(b"true", Kind::True),
            b'f' => self.word(b"false", Kind::False),
            _ => None,
        }
    }

    fn word(&mut self, word: &[u8], kind: Kind) -> Option<()> {
        let start = self.at;
        self.at += word.len();
        self.push(start, kind, 0);
        (self.bytes.get(start..self.at)? == word).then_some(())
    }

    /// Reads a list or an object.
    fn members(&mut self, kind: Kind, close: u8, levels: usize) -> Option<()> {
        let own = self.document.nodes.len();
        self.push(self.at, kind, 0);
        self.at += 1;
        self.skip_white_space();
        if self.peek()? == close {
            self.at += 1;
        } else {
            loop {
                if kind == Kind::Object {
                    self.text()?;
                    self.skip_white_space();
                    self.expect(b':')?;
                    self.skip_white_space();
                }
                self.value(levels)?;
                self.skip_white_space();
                let next = self.peek()?;
                self.at += 1;
                if next == close {
                    break;
                }
                if next != b',' {
                    return None;
                }
                self.skip_white_space();
                // The comma before was a trailing one.
                if self.peek()? == close {
                    self.at += 1;
                    break;
                }
            }
        }
        self.document.nodes[own].rest = self.document.nodes.len() as u64;
        Some(())
    }

    /// Reads a text in quotes.
    #[inline]
    fn text(&mut self) -> Option<()> {
        let start = self.at;
        self.expect(b'"')?;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => return self.escaped(start),
                0..0x20 => return None,
                _ => self.at += 1,
            }
        }
        self.push(start, Kind::Plain, (self.at - start - 1) as u64);
        self.at += 1;
        Some(())
    }

    /// Reads a text with escapes, from the first escape on.
    #[cold]
    fn escaped(&mut self, start: usize) -> Option<()> {
        let text = self.document.text;
        let mut decoded = String::new();
        let mut copied = start + 1;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => {
                    decoded.push_str(text.get(copied..self.at)?);
                    decoded.push(self.escape()?);
                    copied = self.at;
                }
                0..0x20 => return None,
                _ => self.at += 1,
            }
        }
        decoded.push_str(text.get(copied..self.at)?);
        self.at += 1;
        self.push(start, Kind::Escaped, self.document.decoded.len() as u64);
        self.document.decoded.push(decoded);
        Some(())
    }

    /// Decodes an escape.
    fn escape(&mut self) -> Option<char> {
        let letter = *self.bytes.get(self.at + 1)?;
        self.at += 2;
        Some(match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.four_digits()?;
                // Characters beyond 16 bits are surrogate pairs.
                let halves = if (0xD800..0xDC00).contains(&unit) {
                    self.expect(b'\\')?;
                    self.expect(b'u')?;
                    vec![unit, self.four_digits()?]
                } else {
                    vec![unit]
                };
                char::decode_utf16(halves).next()?.ok()?
            }
            _ => return None,
        })
    }

    fn four_digits(&mut self) -> Option<u16> {
        let digits = self.bytes.get(self.at..self.at + 4)?;
        self.at += 4;
        digits.iter().try_fold(0, |sum, b| Some(sum << 4 | char::from(*b).to_digit(16)? as u16))
    }

    fn number(&mut self) -> Option<()> {
        let start = self.at;
        let negative = self.peek()? == b'-';
        self.at += usize::from(negative);
        let first = self.at;
        let mut mantissa = self.digits(0)?;
        if self.bytes[first] == b'0' && self.at > first + 1 {
            return None;
        }
        let mut count = self.at - first;
        let mut places = 0;
        let mut plain = true;
        if self.peek() == Some(b'.') {
            self.at += 1;
            let point = self.at;
            mantissa = self.digits(mantissa)?;
            places = self.at - point;
            count += places;
        }
        if let Some(b'e' | b'E') = self.peek() {
            plain = false;
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits(0)?;
        }
        let value = if plain && count <= EXACT_DIGITS {
            let size = mantissa as f64 / POWERS[places];
            if negative { -size } else { size }
        } else {
            self.document.text.get(start..self.at)?.parse().ok()?
        };
        self.document.has_large |= value.abs() > LARGE_MAGNITUDE;
        self.push(start, Kind::Number, value.to_bits());
        Some(())
    }

    /// Reads at least one digit and appends it to the number `before`; overflow wraps around.
    #[inline]
    fn digits(&mut self, before: u64) -> Option<u64> {
        let first = self.at;
        let mut value = before;
        while let Some(digit) = self.peek().map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
            self.at += 1;
        }
        (self.at > first).then_some(value)
    }
}
