//! Typed reading of JSON with positions. A wrong value becomes a problem with its position, and reading continues.

use crate::error::{Location, Problem};
use crate::geom::LengthUnit;
use crate::geom::length::Length;
use crate::geom::tolerance::MAX_COORDINATE;
use crate::json::document::{Json, Member, Value};
use crate::json::document_kind::DocumentKind;
use crate::json::length_problem::length_problem;
use crate::json::position::{JsonPath, Source};
use crate::json::wording::{join_or, nearest, quoted};
use std::collections::BTreeMap;

/// Upper limit of known keys in an object.
const MAX_KEYS: usize = 20;

/// Spelling suggestions per file: each one compares all names, and only this many problems are printed.
const MAX_HINTS: u32 = 20;

/// Decodes UTF-8. Skips a byte order mark; some editors write one.
pub(crate) fn decode(shown: &str, bytes: Vec<u8>) -> Result<String, Box<Problem>> {
    let mut text = String::from_utf8(bytes).map_err(|e| {
        let byte = e.utf8_error().valid_up_to() as u64;
        let at = Location { byte: Some(byte), ..Location::file(shown) };
        let what = if is_utf16(e.as_bytes()) { "not UTF-8, probably UTF-16" } else { "not UTF-8" };
        Box::new(Problem::new(at, what, "save the file as UTF-8"))
    })?;
    if text.starts_with('\u{FEFF}') {
        text.drain(..'\u{FEFF}'.len_utf8());
    }
    Ok(text)
}

/// True for a text in UTF-16, by its byte order mark.
pub(crate) fn is_utf16(bytes: &[u8]) -> bool {
    matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..])
}

/// Reads values of one file and collects problems.
pub(crate) struct Reader<'s> {
    pub source: &'s Source,
    pub problems: Vec<Problem>,
    hints: u32,
}

/// The values of an object with known keys; of duplicates the first.
pub(crate) struct Fields<'d> {
    known: &'static [&'static str],
    values: [Option<Value<'d>>; MAX_KEYS],
}

impl<'d> Fields<'d> {
    #[inline]
    pub fn get(&self, key: &str) -> Option<Value<'d>> {
        self.slot(key).and_then(|k| self.values[k])
    }

    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    #[inline]
    fn slot(&self, key: &str) -> Option<usize> {
        self.known.iter().take(MAX_KEYS).position(|k| *k == key)
    }
}

/// Kind of a document of this program, by its keys.
pub(crate) fn document_kind(document: Value<'_>) -> Option<DocumentKind> {
    let Json::Object(members) = document.json() else { return None };
    let keys: Vec<&str> = members.map(|m| m.key).collect();
    DocumentKind::of(|key| keys.contains(&key))
}

impl<'s> Reader<'s> {
    pub fn new(source: &'s Source) -> Self {
        Self { source, problems: Vec::new(), hints: MAX_HINTS }
    }

    /// Records a problem at an offset.
    pub fn problem(&mut self, offset: usize, trail: &JsonPath<'_>, what: impl Into<String>, fix: impl Into<String>) {
        self.problems.push(Problem::new(self.source.at(offset, trail), what, fix));
    }

    /// Returns "did you mean …" if a known word is near, else the text of `otherwise`.
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

    /// Records a value of the wrong kind.
    pub fn wrong_kind(&mut self, value: Value<'_>, trail: &JsonPath<'_>, expected: &str) {
        let found = match value.json() {
            Json::Text(text) => format!("the text {}", quoted(text)),
            Json::Number(_) => format!("the number {}", crate::json::wording::one_line(value.number_as_written())),
            Json::Bool(b) => b.to_string(),
            Json::Object(_) => "an object".to_owned(),
            Json::List(items) => format!("a list of {}", items.count()),
            Json::Null => "null".to_owned(),
        };
        self.problem(value.start(), trail, format!("found {found}"), format!("expected {expected}"));
    }

    /// Returns the members of an object with arbitrary keys. Duplicate keys are problems; the first one counts.
    pub fn entries<'d>(&mut self, value: Value<'d>, trail: &JsonPath<'_>, expected: &str) -> Option<Vec<Member<'d>>> {
        let Json::Object(members) = value.json() else {
            self.wrong_kind(value, trail, expected);
            return None;
        };
        let mut first: BTreeMap<&str, usize> = BTreeMap::new();
        let mut kept = Vec::new();
        for member in members {
            let key = member.key;
            if let Some(earlier) = first.get(key) {
                let (line, column) = self.source.position(*earlier);
                self.problem(
                    member.start,
                    &JsonPath::Key(trail, key),
                    format!("duplicate key {}", quoted(key)),
                    format!("the first is at {line}:{column}: keep one of them"),
                );
            } else {
                first.insert(key, member.start);
                kept.push(member);
            }
        }
        Some(kept)
    }

    /// Returns the values of an object with known keys, at most [`MAX_KEYS`]; other keys are problems.
    pub fn fields<'d>(
        &mut self,
        value: Value<'d>,
        trail: &JsonPath<'_>,
        known: &'static [&'static str],
        expected: &str,
    ) -> Option<Fields<'d>> {
        self.fields_with_advice(value, trail, known, expected, |_| None)
    }

    /// Works as [`Reader::fields`]; `advice` returns the fix for an unknown key, before any search for a similar key.
    pub fn fields_with_advice<'d>(
        &mut self,
        value: Value<'d>,
        trail: &JsonPath<'_>,
        known: &'static [&'static str],
        expected: &str,
        advice: impl Fn(&str) -> Option<&'static str>,
    ) -> Option<Fields<'d>> {
        debug_assert!(known.len() <= MAX_KEYS, "{known:?}");
        let mut fields = Fields { known, values: [None; MAX_KEYS] };
        if let Json::Object(mut members) = value.json()
            && members.all(|m| match fields.slot(m.key) {
                Some(k) => fields.values[k].replace(m.value).is_none(),
                None => false,
            })
        {
            return Some(fields);
        }
        // Slow path for an object with errors.
        let mut fields = Fields { known, values: [None; MAX_KEYS] };
        for member in self.entries(value, trail, expected)? {
            let key = member.key;
            if let Some(k) = fields.slot(key) {
                fields.values[k] = Some(member.value);
            } else {
                let fix = match advice(key) {
                    Some(fix) => fix.to_owned(),
                    None => self.hint(key, known.iter().copied(), || format!("known here: {}", join_or(known))),
                };
                self.problem(member.start, &JsonPath::Key(trail, key), format!("unknown key {}", quoted(key)), fix);
            }
        }
        Some(fields)
    }

    /// Returns a text.
    pub fn text<'d>(&mut self, value: Value<'d>, trail: &JsonPath<'_>, expected: &str) -> Option<&'d str> {
        if let Json::Text(text) = value.json() {
            return Some(text);
        }
        self.wrong_kind(value, trail, expected);
        None
    }

    /// Returns `true` or `false`.
    pub fn boolean(&mut self, value: Value<'_>, trail: &JsonPath<'_>) -> Option<bool> {
        if let Json::Bool(b) = value.json() {
            return Some(b);
        }
        self.wrong_kind(value, trail, "`true` or `false`");
        None
    }

    /// Returns one of several words, as converted by `find`.
    pub fn word<T>(
        &mut self,
        value: Value<'_>,
        trail: &JsonPath<'_>,
        names: &[&'static str],
        find: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let expected = join_or(names);
        let word = self.text(value, trail, &expected)?;
        let found = find(word);
        if found.is_none() {
            let fix = self.hint(word, names.iter().copied(), || format!("expected {expected}"));
            self.problem(value.start(), trail, format!("unknown value {}", quoted(word)), fix);
        }
        found
    }

    /// Returns a finite number.
    pub fn number(&mut self, value: Value<'_>, trail: &JsonPath<'_>, expected: &str) -> Option<f64> {
        let Json::Number(x) = value.json() else {
            self.wrong_kind(value, trail, expected);
            return None;
        };
        if !x.is_finite() {
            self.problem(value.start(), trail, "not a finite number", format!("expected {expected}"));
            return None;
        }
        // Adding 0.0 removes the sign of a negative zero.
        Some(x + 0.0)
    }

    /// Returns a length in mm (>= 0): a number in `unit`, or a text with its own unit.
    pub fn length(&mut self, value: Value<'_>, trail: &JsonPath<'_>, unit: LengthUnit) -> Option<f64> {
        if let Json::Text(text) = value.json() {
            return self.length_with_unit(text, value.start(), trail, unit);
        }
        let x = self.number(value, trail, "a length, zero or more")?;
        if x < 0.0 {
            self.problem(value.start(), trail, format!("{x} is negative"), "expected a length, zero or more");
            return None;
        }
        self.within_range(x, value, trail, unit)
    }

    fn length_with_unit(&mut self, text: &str, offset: usize, trail: &JsonPath<'_>, unit: LengthUnit) -> Option<f64> {
        let (what, fix) = match Length::parse_with_unit(text).map(|length| length.to_mm(unit)) {
            Ok(mm) if mm <= MAX_COORDINATE => return Some(mm),
            Ok(_) => (format!("{} is beyond {MAX_COORDINATE:e} mm", quoted(text)), "write a smaller length".to_owned()),
            Err(e) => length_problem(text, &e),
        };
        self.problem(offset, trail, what, fix);
        None
    }

    /// Returns a coordinate in mm, given in `unit`.
    pub fn coordinate(&mut self, value: Value<'_>, trail: &JsonPath<'_>, unit: LengthUnit) -> Option<f64> {
        let x = self.number(value, trail, "a length as a number")?;
        self.within_range(x, value, trail, unit)
    }

    fn within_range(&mut self, x: f64, value: Value<'_>, trail: &JsonPath<'_>, unit: LengthUnit) -> Option<f64> {
        let mm = x * unit.mm();
        if mm.abs() <= MAX_COORDINATE {
            return Some(mm);
        }
        let what = format!("{x:e} {} is beyond {MAX_COORDINATE:e} mm", unit.name());
        self.problem(value.start(), trail, what, "write a smaller length, or correct `units`");
        None
    }

    /// Returns a list of exactly `N` values.
    pub fn list<'d, const N: usize>(
        &mut self,
        value: Value<'d>,
        trail: &JsonPath<'_>,
        expected: &str,
    ) -> Option<[Value<'d>; N]> {
        if let Json::List(mut items) = value.json() {
            let mut elements = [value; N];
            let filled = elements.iter_mut().zip(&mut items).map(|(slot, item)| *slot = item).count();
            if filled == N && items.next().is_none() {
                return Some(elements);
            }
        }
        self.wrong_kind(value, trail, expected);
        None
    }

    /// Returns a list of exactly `N` finite numbers.
    pub fn numbers<const N: usize>(
        &mut self,
        value: Value<'_>,
        trail: &JsonPath<'_>,
        expected: &str,
    ) -> Option<[f64; N]> {
        let elements = self.list::<N>(value, trail, expected)?;
        let mut out = [0.0; N];
        let mut whole = true;
        for (k, (slot, element)) in out.iter_mut().zip(elements).enumerate() {
            match self.number(element, &JsonPath::Index(trail, k), "a number") {
                Some(x) => *slot = x,
                None => whole = false,
            }
        }
        whole.then_some(out)
    }
}
