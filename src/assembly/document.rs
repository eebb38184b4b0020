//! JSON in one pass: a document as one flat list of values, each of which knows where it begins. Accepts what is JSON to
//! the letter (RFC 8259) in at most [`MAX_NESTING`] levels; why something else is no JSON is for others to say.

/// Lists and objects may be nested this deep; `serde_json`, which words the errors, allows as many.
const MAX_NESTING: usize = 127;

/// Numbers of a larger magnitude may count as out of range, depending on who reads them.
const LARGE: f64 = 1e308;

/// Numbers of at most this many digits are integers below 2⁵³, and this power of ten and those below are exact: their
/// quotient needs one rounding (W. D. Clinger, "How to Read Floating Point Numbers Accurately", 1990, §3).
const FEW_DIGITS: usize = 15;

const POWERS: [f64; FEW_DIGITS + 1] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// A text that is JSON, as a list of values in the order in which they begin. Sixteen bytes a value.
#[derive(Debug)]
pub(crate) struct Document<'s> {
    text: &'s str,
    nodes: Vec<Node>,
    /// Texts with escapes, decoded.
    decoded: Vec<String>,
    /// Whether a number is so large that another reader may refuse it.
    pub has_large: bool,
}

/// A value or a key. What follows an object or a list are its members, a key before each member of an object.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// Byte offset of the first character, and below it, in [`KIND_BITS`], what it is.
    head: u64,
    /// A number's bits; a plain text's length in bytes; a text's position in `decoded`; of an object or a list, the node
    /// after all that is in it.
    rest: u64,
}

const KIND_BITS: u32 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Kind {
    Null,
    False,
    True,
    Number,
    Plain,
    Escaped,
    List,
    Object,
}

impl Kind {
    const ALL: [Self; 1 << KIND_BITS] =
        [Self::Null, Self::False, Self::True, Self::Number, Self::Plain, Self::Escaped, Self::List, Self::Object];
}

impl Node {
    fn new(start: usize, kind: Kind, rest: u64) -> Self {
        Self { head: (start as u64) << KIND_BITS | kind as u64, rest }
    }

    #[inline]
    fn kind(self) -> Kind {
        Kind::ALL[self.head as usize & (Kind::ALL.len() - 1)]
    }

    #[inline]
    fn start(self) -> usize {
        (self.head >> KIND_BITS) as usize
    }
}

impl<'s> Document<'s> {
    /// The document of a text; `None` where it is not JSON or nested too deep.
    pub fn new(text: &'s str) -> Option<Self> {
        // A value or key with what separates it from the next seldom takes less than six bytes.
        let nodes = Vec::with_capacity(text.len() / 6);
        let document = Self { text, nodes, decoded: Vec::new(), has_large: false };
        let mut scanner = Scanner { bytes: text.as_bytes(), at: 0, document };
        scanner.blank();
        scanner.value(MAX_NESTING)?;
        scanner.blank();
        (scanner.at == text.len()).then_some(scanner.document)
    }

    /// The outermost value.
    pub fn root(&self) -> Value<'_> {
        Value { document: self, at: 0 }
    }
}

/// A value of a document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Value<'d> {
    document: &'d Document<'d>,
    at: usize,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(crate) enum Json<'d> {
    Null,
    Bool(bool),
    /// Infinite where it is out of range.
    Number(f64),
    Text(&'d str),
    List(List<'d>),
    Object(Object<'d>),
}

impl<'d> Value<'d> {
    /// Byte offset of its first character.
    pub fn start(self) -> usize {
        self.node().start()
    }

    /// What it is.
    #[inline]
    pub fn json(self) -> Json<'d> {
        let node = self.node();
        let (document, at) = (self.document, self.at + 1);
        match node.kind() {
            Kind::Null => Json::Null,
            Kind::False => Json::Bool(false),
            Kind::True => Json::Bool(true),
            Kind::Number => Json::Number(f64::from_bits(node.rest)),
            Kind::Plain | Kind::Escaped => Json::Text(self.text()),
            Kind::List => Json::List(List { document, at, end: node.rest as usize }),
            Kind::Object => Json::Object(Object(List { document, at, end: node.rest as usize })),
        }
    }

    /// A number as it is written; empty for other values.
    pub fn number_as_written(self) -> &'d str {
        let rest = self.document.text.get(self.start()..).unwrap_or("");
        let is_other = |c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E');
        &rest[..rest.find(is_other).unwrap_or(rest.len())]
    }

    #[inline]
    fn node(self) -> Node {
        self.document.nodes[self.at]
    }

    /// The text of a text.
    #[inline]
    fn text(self) -> &'d str {
        let node = self.node();
        if node.kind() == Kind::Escaped {
            return &self.document.decoded[node.rest as usize];
        }
        let from = node.start() + 1;
        self.document.text.get(from..from + node.rest as usize).unwrap_or("")
    }

    /// The node after this value.
    #[inline]
    fn after(self) -> usize {
        let node = self.node();
        if matches!(node.kind(), Kind::List | Kind::Object) { node.rest as usize } else { self.at + 1 }
    }
}

/// The values of a list, in order.
#[derive(Debug, Clone)]
pub(crate) struct List<'d> {
    document: &'d Document<'d>,
    at: usize,
    end: usize,
}

impl<'d> Iterator for List<'d> {
    type Item = Value<'d>;

    #[inline]
    fn next(&mut self) -> Option<Value<'d>> {
        if self.at == self.end {
            return None;
        }
        let value = Value { document: self.document, at: self.at };
        self.at = value.after();
        Some(value)
    }
}

/// The members of an object, in order; a key may come more than once.
#[derive(Debug, Clone)]
pub(crate) struct Object<'d>(List<'d>);

/// A member of an object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member<'d> {
    pub key: &'d str,
    /// Byte offset of the key.
    pub start: usize,
    pub value: Value<'d>,
}

impl<'d> Iterator for Object<'d> {
    type Item = Member<'d>;

    #[inline]
    fn next(&mut self) -> Option<Member<'d>> {
        let key = self.0.next()?;
        let value = self.0.next()?;
        Some(Member { key: key.text(), start: key.start(), value })
    }
}

/// Reads a document from front to back. `None` means that it is not JSON.
struct Scanner<'s> {
    bytes: &'s [u8],
    at: usize,
    document: Document<'s>,
}

impl Scanner<'_> {
    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Passes over white space.
    #[inline]
    fn blank(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Passes over a byte that must come next.
    #[inline]
    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn push(&mut self, start: usize, kind: Kind, rest: u64) {
        self.document.nodes.push(Node::new(start, kind, rest));
    }

    /// A value that begins here, with at most `levels` of lists and objects.
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

    /// A list or an object.
    fn members(&mut self, kind: Kind, close: u8, levels: usize) -> Option<()> {
        let own = self.document.nodes.len();
        self.push(self.at, kind, 0);
        self.at += 1;
        self.blank();
        if self.peek()? == close {
            self.at += 1;
        } else {
            loop {
                if kind == Kind::Object {
                    self.text()?;
                    self.blank();
                    self.expect(b':')?;
                    self.blank();
                }
                self.value(levels)?;
                self.blank();
                let next = self.peek()?;
                self.at += 1;
                if next == close {
                    break;
                }
                if next != b',' {
                    return None;
                }
                self.blank();
            }
        }
        self.document.nodes[own].rest = self.document.nodes.len() as u64;
        Some(())
    }

    /// A text in quotes.
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

    /// A text with escapes, from the first of them on.
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

    /// The character of an escape.
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
                // Characters beyond 16 bits are written as two halves.
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
        let value = if plain && count <= FEW_DIGITS {
            let size = mantissa as f64 / POWERS[places];
            if negative { -size } else { size }
        } else {
            self.document.text.get(start..self.at)?.parse().ok()?
        };
        self.document.has_large |= value.abs() > LARGE;
        self.push(start, Kind::Number, value.to_bits());
        Some(())
    }

    /// At least one digit, appended to the number `before` them; what does not fit wraps around.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The value as `serde_json` would have it: of equal keys the last one, no places.
    fn plain(value: Value<'_>) -> serde_json::Value {
        match value.json() {
            Json::Null => serde_json::Value::Null,
            Json::Bool(b) => b.into(),
            Json::Number(x) => {
                // What serde_json makes of the same digits.
                let theirs: f64 = value.number_as_written().parse().expect("a number");
                assert_eq!(x.to_bits(), theirs.to_bits(), "{}", value.number_as_written());
                serde_json::from_str(value.number_as_written()).expect("a number")
            }
            Json::Text(t) => t.into(),
            Json::List(items) => items.map(plain).collect(),
            Json::Object(members) => members.map(|m| (m.key.to_owned(), plain(m.value))).collect(),
        }
    }

    /// Whether both readers take the text, and if so alike.
    fn agree(text: &str) -> bool {
        let theirs = serde_json::from_str::<serde_json::Value>(text);
        let Some(ours) = Document::new(text) else {
            assert!(theirs.is_err(), "only serde_json takes {text:?}");
            return false;
        };
        match theirs {
            Ok(theirs) => assert_eq!(plain(ours.root()), theirs, "{text:?}"),
            Err(e) => assert!(ours.has_large && e.to_string().starts_with("number out of range"), "{e}: {text:?}"),
        }
        true
    }

    #[test]
    fn what_is_json_is_read_and_what_is_not_is_refused() {
        for good in [
            "null",
            " [ ] ",
            "{\"a\":[1,-2.5e3,0.1,{}],\"b\":{\"c\":true,\"d\":false}}\n",
            r#""a\u00e9\ud83e\udd80\n\/\"\\\b\f\r\t""#,
            "[0,-0,0.0,1E+2,1e-400,123456789012345,1234567890123456789012,0.30000000000000004,1e308,1e999]",
            "{\"a\":1,\"a\":2}",
            "\"\u{7f} é\u{2028}\"",
        ] {
            assert!(agree(good), "{good}");
        }
        for bad in [
            "",
            " ",
            "[1,]",
            "{\"a\":1,}",
            "[1 2]",
            "{a:1}",
            "{\"a\" 1}",
            "01",
            "-",
            "1.",
            ".5",
            "+1",
            "1e",
            "1e+",
            "nul",
            "tru",
            "\"",
            "\"\\",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"\\ud800\"",
            "\"\\ud800\\u0041\"",
            "\"\\udc00\"",
            "\"\n\"",
            "[",
            "{",
            "{\"a\"",
            "{\"a\":",
            "[1",
            "1 2",
            "'a'",
            "//",
            "NaN",
            "\u{feff}1",
            "[1}",
            "-a",
            "\"\\u+123\"",
        ] {
            assert!(!agree(bad), "{bad}");
        }
    }

    #[test]
    fn nesting_ends_where_serde_json_ends_it() {
        for (levels, fits) in [(126, true), (127, true), (128, false), (5000, false)] {
            assert_eq!(agree(&format!("{}{}", "[".repeat(levels), "]".repeat(levels))), fits);
            let objects = format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
            assert_eq!(agree(&objects), fits);
        }
    }

    #[test]
    fn torn_and_mixed_up_texts_are_judged_as_serde_json_judges_them() {
        let whole =
            r#"{"version": 1, "n\u0061me": "é\n", "list": [-1.5e-3, 0, 12, true, null, {}], "p": {"a": [[], "x"]}}"#;
        let pool: Vec<char> = "{}[]\":,\\ \n0123456789.-+eEunrtfalse\u{e9}\u{1}".chars().collect();
        let mut seed = 11_u64;
        let mut random = |n: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % n
        };
        let mut taken = 0;
        for round in 0..40_000 {
            let mut text: Vec<char> = whole.chars().collect();
            for _ in 0..=round % 3 {
                let at = random(text.len());
                match random(3) {
                    0 => drop(text.remove(at)),
                    1 => text.insert(at, pool[random(pool.len())]),
                    _ => text[at] = pool[random(pool.len())],
                }
            }
            taken += u32::from(agree(&text.into_iter().collect::<String>()));
        }
        assert!((2000..38_000).contains(&taken), "{taken}");
    }

    #[test]
    fn short_numbers_are_rounded_once() {
        for k in 0..20_000_u64 {
            let digits = k.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 10_u64.pow(1 + (k % 17) as u32);
            let (front, places) = (digits / 10_u64.pow((k % 7) as u32), (k % 13) as usize);
            assert!(agree(&format!("[{front}.{digits:0>places$}, -{digits}, {front}.{digits}e{}]", k % 40)));
        }
    }

    #[test]
    fn values_know_where_they_begin() {
        let text = "{\"é\": [ 1 ,\"x\"], \"b\": null}";
        let document = Document::new(text).expect("JSON");
        let Json::Object(members) = document.root().json() else { panic!("an object") };
        let found: Vec<_> = members.map(|m| (m.key, m.start, m.value.start())).collect();
        assert_eq!(found, [("é", 1, 7), ("b", text.find("\"b\"").expect("there"), text.len() - 5)]);
    }
}
