//! JSON in one pass: a document as one flat list of values, each of which knows where it begins. Accepts what is JSON to
//! the letter (RFC 8259) in at most [`MAX_NESTING`] levels; why something else is no JSON is for others to say.

use crate::json::scanner::Scanner;

/// Lists and objects may be nested this deep; `serde_json`, which words the errors, allows as many.
const MAX_NESTING: usize = 127;

/// A text that is JSON, as a list of values in the order in which they begin. Sixteen bytes a value.
#[derive(Debug)]
pub(crate) struct Document<'s> {
    pub(super) text: &'s str,
    pub(super) nodes: Vec<Node>,
    /// Texts with escapes, decoded.
    pub(super) decoded: Vec<String>,
    /// Whether a number is so large that another reader may refuse it.
    pub has_large: bool,
}

/// A value or a key. What follows an object or a list are its members, a key before each member of an object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// Byte offset of the first character, and below it, in [`KIND_BITS`], what it is.
    pub(super) head: u64,
    /// A number's bits; a plain text's length in bytes; a text's position in `decoded`; of an object or a list, the node
    /// after all that is in it.
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
    /// The document of a text; `None` where it is not JSON or nested too deep.
    pub fn new(text: &'s str) -> Option<Self> {
        // A value or key with what separates it from the next seldom takes less than six bytes.
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
