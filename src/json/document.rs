//! A JSON document as one flat list of values with byte offsets. Accepts JSON (RFC 8259) of at most [`MAX_NESTING`]
//! levels, with line comments (`//`) and trailing commas. `syntax` words the errors.

use crate::json::scanner::Scanner;

/// Largest nesting of lists and objects; `serde_json`, the source of the error messages, has the same limit.
const MAX_NESTING: usize = 127;

/// A JSON text as a list of values, in the order of their first characters. Sixteen bytes a value.
#[derive(Debug)]
pub(crate) struct Document<'s> {
    pub(super) text: &'s str,
    pub(super) nodes: Vec<Node>,
    /// Decoded texts of the literals with escapes.
    pub(super) decoded: Vec<String>,
    /// True if a number is so large that another reader may refuse it.
    pub has_large: bool,
}

/// A value or a key. The members of an object or a list follow its node; in an object a key precedes each member.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// Byte offset of the first character, and below it, in [`KIND_BITS`], the kind.
    pub(super) head: u64,
    /// Bits of a number; length of a text without escapes (bytes); position of a decoded text in `decoded`; for an
    /// object or a list, the node after its last member.
    pub(super) rest: u64,
}

const KIND_BITS: u32 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
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
    pub(super) fn new(start: usize, kind: Kind, rest: u64) -> Self {
        Self { head: (start as u64) << KIND_BITS | kind as u64, rest }
    }

    #[inline]
    pub(super) fn kind(self) -> Kind {
        Kind::ALL[self.head as usize & (Kind::ALL.len() - 1)]
    }

    #[inline]
    fn start(self) -> usize {
        (self.head >> KIND_BITS) as usize
    }
}

impl<'s> Document<'s> {
    /// Reads a text; `None` if it is not JSON or nested too deep.
    pub fn new(text: &'s str) -> Option<Self> {
        // A value or key and its separator seldom take less than six bytes.
        let nodes = Vec::with_capacity(text.len() / 6);
        Scanner::new(Self { text, nodes, decoded: Vec::new(), has_large: false }).read(MAX_NESTING)
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

/// A value by kind.
#[derive(Debug, Clone)]
pub(crate) enum Json<'d> {
    Null,
    Bool(bool),
    /// Infinite if out of range.
    Number(f64),
    Text(&'d str),
    List(List<'d>),
    Object(Object<'d>),
}

impl<'d> Value<'d> {
    /// Byte offset of the first character of the value.
    pub fn start(self) -> usize {
        self.node().start()
    }

    /// Returns the value by kind.
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

    /// Returns a number as written; empty for other values.
    pub fn number_as_written(self) -> &'d str {
        let rest = self.document.text.get(self.start()..).unwrap_or("");
        let is_other = |c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E');
        &rest[..rest.find(is_other).unwrap_or(rest.len())]
    }

    #[inline]
    fn node(self) -> Node {
        self.document.nodes[self.at]
    }

    /// Returns the content of a text.
    #[inline]
    fn text(self) -> &'d str {
        let node = self.node();
        if node.kind() == Kind::Escaped {
            return &self.document.decoded[node.rest as usize];
        }
        let from = node.start() + 1;
        self.document.text.get(from..from + node.rest as usize).unwrap_or("")
    }

    /// Returns the node after this value.
    #[inline]
    fn after(self) -> usize {
        let node = self.node();
        if matches!(node.kind(), Kind::List | Kind::Object) { node.rest as usize } else { self.at + 1 }
    }
}

/// Iterates over the values of a list, in order.
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

/// Iterates over the members of an object, in order; keys may repeat.
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
