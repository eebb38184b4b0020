//! Attributes of elements by the default classes of a model.

use crate::error::{Error, Problem};
use crate::import::element::Element;
use crate::import::mjcf::compiler::Compiler;
use crate::json::wording::quoted;
use std::collections::BTreeMap;

/// Name of the class at the top.
const MAIN: &str = "main";

/// Largest number of elements of one kind in a class: every element of the kind looks at them.
const MAX_SETTINGS: usize = 1000;

/// Default classes, each with the one that it stands in.
#[derive(Debug)]
pub(crate) struct Defaults {
    index_of: BTreeMap<String, usize>,
    classes: Vec<Class>,
}

#[derive(Debug, Default)]
struct Class {
    above: Option<usize>,
    /// Settings of each kind of element, in the order of the file.
    settings: BTreeMap<String, Vec<Element>>,
}

/// An element with its default class and the settings of its model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Styled<'a> {
    pub(crate) element: &'a Element,
    pub(crate) compiler: &'a Compiler,
    defaults: &'a Defaults,
    class: usize,
    /// Name of its settings in a class.
    kind: &'a str,
}

impl Defaults {
    /// Reads the classes of a model.
    ///
    /// # Errors
    /// Refuses a class without a name below another, and two classes of one name.
    pub(crate) fn read(root: &Element) -> Result<Self, Error> {
        let main = BTreeMap::from([(MAIN.to_owned(), 0)]);
        let mut defaults = Self { index_of: main, classes: vec![Class::default()] };
        for section in root.all("default") {
            // Several sections at the top continue the same class.
            if let Some(name) = section.attribute("class") {
                defaults.index_of.insert(name.to_owned(), 0);
            }
            defaults.fill(0, section)?;
        }
        Ok(defaults)
    }

    fn fill(&mut self, index: usize, class: &Element) -> Result<(), Problem> {
        for element in &class.children {
            if element.name != "default" {
                let settings = self.classes[index].settings.entry(element.name.clone()).or_default();
                if settings.len() >= MAX_SETTINGS {
                    let what = format!("more than {MAX_SETTINGS} `{}` in one default class", element.name);
                    return Err(element.too_large(what));
                }
                settings.push(element.clone());
                continue;
            }
            let name = element.attribute("class").unwrap_or_default();
            if name.is_empty() {
                return Err(element.bad("a default class without a name"));
            }
            let next = self.classes.len();
            self.classes.push(Class { above: Some(index), ..Class::default() });
            if self.index_of.insert(name.to_owned(), next).is_some() {
                return Err(element.bad(format!("two default classes with the name {}", quoted(name))));
            }
            self.fill(next, element)?;
        }
        Ok(())
    }

    /// An element with its own class, else with the class of its surroundings.
    ///
    /// # Errors
    /// Refuses an unknown class.
    pub(crate) fn styled<'a>(
        &'a self,
        element: &'a Element,
        surrounding: Option<&'a str>,
        compiler: &'a Compiler,
    ) -> Result<Styled<'a>, Problem> {
        let name = element.attribute("class").or(surrounding).unwrap_or(MAIN);
        let class = self.index_of.get(name).copied();
        let class = class.ok_or_else(|| element.bad(format!("no default class {}", quoted(name))))?;
        Ok(Styled { element, compiler, defaults: self, class, kind: &element.name })
    }
}

impl<'a> Styled<'a> {
    /// Values of an attribute: of the element, then of its classes from the nearest one.
    fn values(self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let by_class = std::iter::successors(Some(self.class), move |k| self.defaults.classes[*k].above);
        let of_class = move |k: usize| {
            let settings = self.defaults.classes[k].settings.get(self.kind);
            settings.into_iter().flatten().rev().filter_map(move |e| e.attribute(name))
        };
        self.element.attribute(name).into_iter().chain(by_class.flat_map(of_class))
    }

    /// The element with the settings of another kind.
    pub(crate) fn of_kind(self, kind: &'a str) -> Self {
        Self { kind, ..self }
    }

    /// Level that gives an attribute: 0 for the element, then its classes from the nearest one.
    pub(crate) fn level_of(self, name: &str) -> Option<usize> {
        if self.element.attribute(name).is_some() {
            return Some(0);
        }
        let by_class = std::iter::successors(Some(self.class), move |k| self.defaults.classes[*k].above);
        let gives = |k: usize| {
            let settings = self.defaults.classes[k].settings.get(self.kind);
            settings.into_iter().flatten().any(|e| e.attribute(name).is_some())
        };
        by_class.zip(1..).find(|(k, _)| gives(*k)).map(|(_, level)| level)
    }

    /// Value of an attribute.
    pub(crate) fn get(self, name: &'a str) -> Option<&'a str> {
        self.values(name).next()
    }

    /// Numbers of an attribute.
    ///
    /// # Errors
    /// Refuses another count, other words, and numbers that are not finite.
    pub(crate) fn numbers<const N: usize>(self, name: &'a str) -> Result<Option<[f64; N]>, Problem> {
        self.get(name).map(|written| self.element.exactly(name, written)).transpose()
    }

    /// Numbers of an attribute that may have fewer than `N`; the classes give the rest.
    ///
    /// # Errors
    /// Refuses more numbers, other words, and numbers that are not finite.
    pub(crate) fn overlaid<const N: usize>(self, name: &'a str) -> Result<[Option<f64>; N], Problem> {
        let mut out = [None; N];
        for written in self.values(name) {
            let found = crate::import::xml::numbers(written);
            let found = found.map_err(|why| self.element.bad(format!("`{name}`: {why}")))?;
            if found.len() > N {
                return Err(self.element.bad(format!("`{name}`: expected {N} numbers, found {}", found.len())));
            }
            for (slot, value) in out.iter_mut().zip(found) {
                slot.get_or_insert(value);
            }
        }
        Ok(out)
    }

    /// Whole number of an attribute.
    ///
    /// # Errors
    /// Refuses other words.
    pub(crate) fn bits(self, name: &'a str, otherwise: i32) -> Result<i32, Problem> {
        let parsed = |written: &str| {
            let what = || self.element.bad(format!("`{name}`: expected a whole number, found {}", quoted(written)));
            written.trim().parse().map_err(|_| what())
        };
        self.get(name).map_or(Ok(otherwise), parsed)
    }
}
