//! Elements of a description of several files, each with its place.

use crate::error::{Location, Problem};
use crate::import::refusal::{Refusal, problem};
use crate::import::xml::{content, is_own, numbers, parse, text};
use roxmltree::{Document, Node};
use std::rc::Rc;

/// Largest number of elements of a description, all files counted.
const MAX_ELEMENTS: usize = 1_000_000;

/// An element, its attributes and its child elements.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
    /// Text before the first child element, without white space around it.
    pub(crate) text: String,
    pub(crate) children: Vec<Element>,
    /// Index of the model whose settings hold for the element; 0 for the model at the top.
    pub(crate) scope: usize,
    file: Rc<str>,
    line: u32,
}

impl Element {
    /// Element of another name at the same place, without attributes.
    pub(crate) fn wrapper(&self, name: &str, children: Vec<Self>) -> Self {
        let (file, name) = (Rc::clone(&self.file), name.to_owned());
        Self { name, attributes: Vec::new(), text: String::new(), children, file, ..*self }
    }

    /// Length of the attributes (bytes).
    pub(crate) fn length(&self) -> usize {
        self.attributes.iter().map(|(name, value)| name.len() + value.len()).sum()
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Sets an attribute.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.remove(name);
        self.attributes.push((name.to_owned(), value.to_owned()));
    }

    /// Removes an attribute.
    pub(crate) fn remove(&mut self, name: &str) {
        self.attributes.retain(|(known, _)| known != name);
    }

    /// Child elements of a name.
    pub(crate) fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Self> {
        self.children.iter().filter(move |e| e.name == name)
    }

    /// First child element of a name.
    pub(crate) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|e| e.name == name)
    }

    pub(crate) fn place(&self) -> Location {
        Location { line: Some(self.line), ..Location::file(&*self.file) }
    }

    /// Problem of damaged content at this element.
    pub(crate) fn bad(&self, what: impl AsRef<str>) -> Problem {
        problem(self.place(), Refusal::Damaged, what, "correct the model")
    }

    /// Problem of a limit at this element.
    pub(crate) fn too_large(&self, what: impl AsRef<str>) -> Problem {
        problem(self.place(), Refusal::TooLarge, what, "split the model")
    }

    /// Numbers of a text at this element.
    ///
    /// # Errors
    /// Refuses another count, other words, and numbers that are not finite.
    pub(crate) fn exactly<const N: usize>(&self, name: &str, written: &str) -> Result<[f64; N], Problem> {
        let found = numbers(written).and_then(|found| {
            let count = found.len();
            found.try_into().map_err(|_| format!("expected {N} numbers, found {count}"))
        });
        found.map_err(|why| self.bad(format!("`{name}`: {why}")))
    }

    /// Visits this element and all below it, in the order of the file.
    pub(crate) fn walk<'e>(&'e self, visit: &mut impl FnMut(&'e Self)) {
        visit(self);
        for child in &self.children {
            child.walk(visit);
        }
    }

    /// Visits this element and all below it, in the order of the file, and lets the visitor change them.
    pub(crate) fn walk_mut(&mut self, visit: &mut impl FnMut(&mut Self)) {
        visit(self);
        for child in &mut self.children {
            child.walk_mut(visit);
        }
    }

    /// Largest number of elements that stand in each other, this one counted.
    pub(crate) fn depth(&self) -> usize {
        1 + self.children.iter().map(Self::depth).max().unwrap_or(0)
    }
}

/// Reads a document as elements; `count` counts them over several documents.
///
/// # Errors
/// Refuses damaged XML, a document type, and too many or too deep elements.
pub(crate) fn read(bytes: &[u8], file: &str, count: &mut usize) -> Result<Element, Problem> {
    let text = text(bytes, file)?;
    let document = parse(text, file)?;
    build(document.root_element(), &mut Lines::new(&document, file), count)
}

/// Builds an element and those below it: `parse` has limited their depth.
fn build(node: Node<'_, '_>, lines: &mut Lines<'_>, count: &mut usize) -> Result<Element, Problem> {
    let line = lines.at(node.range().start);
    let own = |a: roxmltree::Attribute<'_, '_>| (a.name().to_owned(), a.value().to_owned());
    let mut element = Element {
        name: node.tag_name().name().to_owned(),
        attributes: node.attributes().filter(|a| a.namespace().is_none()).map(own).collect(),
        text: content(node).trim().to_owned(),
        children: Vec::new(),
        scope: 0,
        file: Rc::clone(&lines.file),
        line,
    };
    *count += 1;
    if *count > MAX_ELEMENTS {
        return Err(element.too_large(format!("more than {MAX_ELEMENTS} elements")));
    }
    for child in node.children().filter(|child| is_own(*child, node)) {
        element.children.push(build(child, lines, count)?);
    }
    Ok(element)
}

/// Line numbers of ascending positions in a text.
struct Lines<'t> {
    text: &'t [u8],
    file: Rc<str>,
    position: usize,
    line: u32,
}

impl<'t> Lines<'t> {
    fn new(document: &'t Document<'_>, file: &str) -> Self {
        Self { text: document.input_text().as_bytes(), file: file.into(), position: 0, line: 1 }
    }

    fn at(&mut self, position: usize) -> u32 {
        let between = self.text.get(self.position..position).unwrap_or_default();
        self.line += between.split(|b| *b == b'\n').count().saturating_sub(1) as u32;
        self.position = position.max(self.position);
        self.line
    }
}
