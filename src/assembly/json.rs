//! JSON with positions, read strictly: a document that is not JSON to the letter is refused, and every value knows where
//! it stands. What a reader does not like becomes a problem, and reading goes on.

use super::locate::{Source, Trail};
use super::words::{either, nearest, quoted};
use crate::error::{Location, Problem};
use crate::geom::LengthUnit;
use crate::geom::tolerance::MAX_COORDINATE;
use jsonc_parser::ast::{ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use std::collections::BTreeMap;

/// Near names are looked for this often in a file: each search reads all names, and no more problems are printed.
const HINTS: u32 = 20;

/// Text from bytes. A byte order mark is skipped: some editors write one, and it says nothing else.
pub(crate) fn decode(shown: &str, bytes: Vec<u8>) -> Result<String, Box<Problem>> {
    let mut text = String::from_utf8(bytes).map_err(|e| {
        let byte = e.utf8_error().valid_up_to() as u64;
        let utf16 = matches!(e.as_bytes(), [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]);
        let at = Location { byte: Some(byte), ..Location::file(shown) };
        let what = if utf16 { "not UTF-8, it looks like UTF-16" } else { "not UTF-8" };
        Box::new(Problem::new(at, what, "save the file as UTF-8"))
    })?;
    if text.starts_with('\u{FEFF}') {
        text.drain(..'\u{FEFF}'.len_utf8());
    }
    Ok(text)
}

/// The document's value, or the one problem that keeps it from being JSON. `serde_json` looks first: it names the place
/// well and refuses more than 128 nested levels before anything recursive sees them.
pub(crate) fn parse(source: &Source) -> Result<Value<'_>, Box<Problem>> {
    if let Err(e) = serde_json::from_str::<serde_json::Value>(&source.text) {
        return Err(Box::new(syntax_problem(source, &e)));
    }
    let collect = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: false };
    let strict = ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let problem = |offset: usize, what: String| {
        Box::new(Problem::new(source.at(offset, &Trail::Root), what, "write it in plain JSON"))
    };
    match parse_to_ast(&source.text, &collect, &strict) {
        Ok(parsed) => parsed.value.ok_or_else(|| problem(0, "the file is empty".to_owned())),
        Err(e) => Err(problem(e.range().start, format!("not JSON: {}", e.kind()))),
    }
}

fn syntax_problem(source: &Source, e: &serde_json::Error) -> Problem {
    let offset = source.offset(e.line(), e.column());
    let said = e.to_string();
    let said = said.split(" at line ").next().unwrap_or("");
    let rest = &source.text[offset..];
    let fix = if source.text.trim().is_empty() {
        "the file is empty"
    } else if e.is_eof() {
        "the file ends too early: close what is open"
    } else if rest.starts_with("//") || rest.starts_with("/*") {
        "JSON has no comments: remove it"
    } else if said.starts_with("trailing comma") {
        "remove the comma before it"
    } else if said.starts_with("recursion limit") {
        "nest at most 127 levels"
    } else if said.starts_with("number out of range") {
        "write a number below 1.8e308"
    } else if said.starts_with("trailing characters") {
        "remove what follows the document"
    } else if rest.starts_with('\'') {
        "quote with \" instead of '"
    } else {
        "correct the JSON here"
    };
    Problem::new(source.at(offset, &Trail::Root), format!("not JSON: {said}"), fix)
}

/// Reads values of one file and collects what is wrong with them.
pub(crate) struct Reader<'s> {
    pub source: &'s Source,
    pub problems: Vec<Problem>,
    hints: u32,
}

/// An object's values by key, the first of each.
pub(crate) struct Fields<'v, 's> {
    by_key: BTreeMap<&'v str, &'v ObjectProp<'s>>,
}

impl<'v, 's> Fields<'v, 's> {
    pub fn get(&self, key: &str) -> Option<&'v Value<'s>> {
        self.by_key.get(key).map(|p| &p.value)
    }

    pub fn has(&self, key: &str) -> bool {
        self.by_key.contains_key(key)
    }
}

impl<'s> Reader<'s> {
    pub fn new(source: &'s Source) -> Self {
        Self { source, problems: Vec::new(), hints: HINTS }
    }

    /// Notes a problem at an offset.
    pub fn problem(&mut self, offset: usize, trail: &Trail<'_>, what: impl Into<String>, fix: impl Into<String>) {
        self.problems.push(Problem::new(self.source.at(offset, trail), what, fix));
    }

    /// "did you mean …" where a known word is near, else what `otherwise` says.
    pub fn hint<'w>(
        &mut self,
        word: &str,
        known: impl IntoIterator<Item = &'w str>,
        otherwise: impl FnOnce() -> String,
    ) -> String {
        if self.hints == 0 {
            return otherwise();
        }
        self.hints -= 1;
        nearest(word, known).map_or_else(otherwise, |n| format!("did you mean {}?", quoted(n)))
    }

    /// Notes that a value is of the wrong kind.
    pub fn wrong_kind(&mut self, value: &Value<'_>, trail: &Trail<'_>, expected: &str) {
        let found = match value {
            Value::StringLit(s) => format!("the text {}", quoted(&s.value)),
            Value::NumberLit(n) => format!("the number {}", super::words::one_line(n.value)),
            Value::BooleanLit(b) => b.value.to_string(),
            Value::Object(_) => "an object".to_owned(),
            Value::Array(a) => format!("a list of {}", a.elements.len()),
            Value::NullKeyword(_) => "null".to_owned(),
        };
        self.problem(start(value), trail, format!("found {found}"), format!("expected {expected}"));
    }

    /// The values of an object with any keys, each with its key; duplicate keys are problems, the first one counts.
    pub fn entries<'v>(
        &mut self,
        value: &'v Value<'s>,
        trail: &Trail<'_>,
        expected: &str,
    ) -> Option<Vec<&'v ObjectProp<'s>>> {
        let Value::Object(object) = value else {
            self.wrong_kind(value, trail, expected);
            return None;
        };
        let mut first: BTreeMap<&str, usize> = BTreeMap::new();
        let mut kept = Vec::with_capacity(object.properties.len());
        for property in &object.properties {
            let key = property.name.as_str();
            if let Some(earlier) = first.get(key) {
                let (line, column) = self.source.position(*earlier);
                self.problem(
                    property.start(),
                    &Trail::Key(trail, key),
                    format!("duplicate key {}", quoted(key)),
                    format!("the first is at {line}:{column}: keep one of them"),
                );
            } else {
                first.insert(key, property.start());
                kept.push(property);
            }
        }
        Some(kept)
    }

    /// The values of an object whose keys are known; others are problems.
    pub fn fields<'v>(
        &mut self,
        value: &'v Value<'s>,
        trail: &Trail<'_>,
        known: &[&'static str],
        expected: &str,
    ) -> Option<Fields<'v, 's>> {
        let mut by_key = BTreeMap::new();
        for property in self.entries(value, trail, expected)? {
            let key = property.name.as_str();
            if known.contains(&key) {
                by_key.insert(key, property);
            } else {
                let fix = self.hint(key, known.iter().copied(), || format!("known here: {}", either(known)));
                self.problem(property.start(), &Trail::Key(trail, key), format!("unknown key {}", quoted(key)), fix);
            }
        }
        Some(Fields { by_key })
    }

    /// A text.
    pub fn text<'v>(&mut self, value: &'v Value<'s>, trail: &Trail<'_>, expected: &str) -> Option<&'v str> {
        if let Value::StringLit(s) = value {
            return Some(&s.value);
        }
        self.wrong_kind(value, trail, expected);
        None
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, value: &Value<'s>, trail: &Trail<'_>) -> Option<bool> {
        if let Value::BooleanLit(b) = value {
            return Some(b.value);
        }
        self.wrong_kind(value, trail, "`true` or `false`");
        None
    }

    /// One of several words.
    pub fn word<T>(
        &mut self,
        value: &Value<'s>,
        trail: &Trail<'_>,
        names: &[&'static str],
        find: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let expected = either(names);
        let word = self.text(value, trail, &expected)?;
        let found = find(word);
        if found.is_none() {
            let fix = self.hint(word, names.iter().copied(), || format!("expected {expected}"));
            self.problem(start(value), trail, format!("unknown value {}", quoted(word)), fix);
        }
        found
    }

    /// A finite number.
    pub fn number(&mut self, value: &Value<'s>, trail: &Trail<'_>, expected: &str) -> Option<f64> {
        let Value::NumberLit(literal) = value else {
            self.wrong_kind(value, trail, expected);
            return None;
        };
        match literal.value.parse::<f64>() {
            // Without the sign of a negative zero.
            Ok(x) if x.is_finite() => Some(x + 0.0),
            _ => {
                self.problem(start(value), trail, "not a finite number", format!("expected {expected}"));
                None
            }
        }
    }

    /// A length that is not negative, in mm.
    pub fn length(&mut self, value: &Value<'s>, trail: &Trail<'_>, unit: LengthUnit) -> Option<f64> {
        let x = self.number(value, trail, "a length, zero or more")?;
        if x < 0.0 {
            self.problem(start(value), trail, format!("{x} is negative"), "expected a length, zero or more");
            return None;
        }
        self.within_range(x, value, trail, unit)
    }

    /// A coordinate, in mm.
    pub fn coordinate(&mut self, value: &Value<'s>, trail: &Trail<'_>, unit: LengthUnit) -> Option<f64> {
        let x = self.number(value, trail, "a length as a number")?;
        self.within_range(x, value, trail, unit)
    }

    fn within_range(&mut self, x: f64, value: &Value<'s>, trail: &Trail<'_>, unit: LengthUnit) -> Option<f64> {
        let mm = x * unit.mm();
        if mm.abs() <= MAX_COORDINATE {
            return Some(mm);
        }
        let what = format!("{x:e} {} is beyond {MAX_COORDINATE:e} mm", unit.name());
        self.problem(start(value), trail, what, "write a smaller length, or correct `units`");
        None
    }

    /// A list of exactly `N` values.
    pub fn list<'v, const N: usize>(
        &mut self,
        value: &'v Value<'s>,
        trail: &Trail<'_>,
        expected: &str,
    ) -> Option<&'v [Value<'s>; N]> {
        if let Value::Array(array) = value
            && let Ok(elements) = array.elements.as_slice().try_into()
        {
            return Some(elements);
        }
        self.wrong_kind(value, trail, expected);
        None
    }

    /// A list of exactly `N` finite numbers.
    pub fn numbers<const N: usize>(
        &mut self,
        value: &Value<'s>,
        trail: &Trail<'_>,
        expected: &str,
    ) -> Option<[f64; N]> {
        let elements = self.list::<N>(value, trail, expected)?;
        let mut out = [0.0; N];
        let mut whole = true;
        for (k, (slot, element)) in out.iter_mut().zip(elements).enumerate() {
            match self.number(element, &Trail::Index(trail, k), "a number") {
                Some(x) => *slot = x,
                None => whole = false,
            }
        }
        whole.then_some(out)
    }
}

/// Where a value begins.
pub(crate) fn start(value: &Value<'_>) -> usize {
    value.start()
}
