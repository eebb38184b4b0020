//! Copies of elements: of a part of a model by `replicate`, of another model by `attach` (DeepMind, "MuJoCo
//! documentation: XML Reference", `body/replicate` and `body/attach`). Each copy becomes a `frame`. Its names, and the
//! references to them, get a suffix or a prefix.

use crate::error::Problem;
use crate::geom::Vec3;
use crate::import::collect::Collector;
use crate::import::element::Element;
use crate::import::mjcf::compiler::Compiler;
use crate::import::mjcf::frame::euler;
use crate::import::mjcf::models::Model;
use crate::import::refusal::{Refusal, problem};
use crate::json::wording::quoted;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Largest number of copied elements of an import. A copy takes about 500 bytes.
const MAX_COPIED: usize = 100_000;

/// Largest length of the attributes of copied elements, and largest number of visited references.
const MAX_CHARACTERS: usize = 50_000_000;

/// Attributes that name elements, each with its kind.
const KEYS: [(&str, Kind); 6] = [
    ("body1", Kind::Body),
    ("body2", Kind::Body),
    ("geom1", Kind::Geom),
    ("geom2", Kind::Geom),
    ("joint1", Kind::Joint),
    ("joint2", Kind::Joint),
];

/// Kind of an element with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Body,
    Geom,
    Joint,
}

/// Names of bodies, geometries and joints.
type Names = BTreeSet<(Kind, String)>;

/// Copies made so far.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    elements: usize,
    characters: usize,
}

impl Budget {
    /// Counts copies of elements, before they are made.
    fn spend<'e>(
        &mut self,
        at: &Element,
        count: usize,
        copied: impl IntoIterator<Item = &'e Element>,
    ) -> Result<(), Problem> {
        let (mut elements, mut characters) = (0usize, 0usize);
        for element in copied {
            element.walk(&mut |e| {
                elements += 1;
                characters += e.length() + 8;
            });
        }
        self.elements = self.elements.saturating_add(elements.saturating_mul(count));
        self.characters = self.characters.saturating_add(characters.saturating_mul(count));
        if self.elements > MAX_COPIED || self.characters > MAX_CHARACTERS {
            return Err(at.too_large(format!("more than {MAX_COPIED} copied elements")));
        }
        Ok(())
    }
}

/// Puts copies into the world of a model.
pub(crate) struct Copies<'m> {
    compiler: &'m Compiler,
    models: &'m BTreeMap<String, Rc<Model>>,
    budget: &'m mut Budget,
    collector: &'m mut Collector,
    /// Elements of `contact` and `equality`.
    references: Vec<Element>,
}

impl<'m> Copies<'m> {
    /// Takes the references out of a model, to copy them with their elements.
    pub(crate) fn new(
        compiler: &'m Compiler,
        models: &'m BTreeMap<String, Rc<Model>>,
        budget: &'m mut Budget,
        collector: &'m mut Collector,
        root: &mut Element,
    ) -> Self {
        let mut references = Vec::new();
        for section in root.children.iter_mut().filter(|e| matches!(e.name.as_str(), "contact" | "equality")) {
            references.append(&mut section.children);
        }
        Self { compiler, models, budget, collector, references }
    }

    /// Puts the references back into a model.
    pub(crate) fn finish(self, root: &mut Element) {
        let (contacts, equalities): (Vec<_>, _) = self.references.into_iter().partition(is_contact);
        for (name, children) in [("contact", contacts), ("equality", equalities)] {
            root.children.push(root.wrapper(name, children));
        }
    }

    /// Replaces the copying elements below an element, from the inside.
    pub(crate) fn expand(&mut self, element: &mut Element) -> Result<(), Problem> {
        for mut child in std::mem::take(&mut element.children) {
            if child.name == "attach" {
                element.children.extend(self.attached(&child)?);
                continue;
            }
            self.expand(&mut child)?;
            if child.name == "replicate" {
                element.children.extend(self.replicas(&child)?);
            } else {
                element.children.push(child);
            }
        }
        Ok(())
    }

    /// Copies of the content of a `replicate`, each moved and turned from the one before it.
    fn replicas(&mut self, element: &Element) -> Result<Vec<Element>, Problem> {
        let count = element.attribute("count").unwrap_or_default().trim();
        let count: Option<usize> = count.parse().ok().filter(|count| *count > 0);
        let count = count.ok_or_else(|| element.bad("`count` of a `replicate` is no whole number above 0"))?;
        let numbers = |name: &str| element.attribute(name).map(|written| element.exactly::<3>(name, written));
        let offset = Vec3::from(numbers("offset").transpose()?.unwrap_or_default());
        let step = numbers("euler").transpose()?.unwrap_or_default();
        let separator = element.attribute("sep").unwrap_or_default();
        if holds_joint(element) {
            return Err(element.bad("a joint of a `replicate` without a body in between"));
        }
        self.budget.spend(element, count, [element])?;
        let digits = count.to_string().len();
        let suffixes: Vec<String> = (0..count).map(|k| format!("{separator}{k:0digits$}")).collect();
        let mut at = Vec3::zeros();
        let mut copies = Vec::with_capacity(count);
        for (k, suffix) in suffixes.iter().enumerate() {
            let mut frame = element.wrapper("frame", element.children.clone());
            frame.walk_mut(&mut |e| rename(e, "name", |name| format!("{name}{suffix}")));
            let angles = step.map(|angle| angle * k as f64);
            frame.set("pos", &format!("{} {} {}", at.x, at.y, at.z));
            frame.set("euler", &format!("{} {} {}", angles[0], angles[1], angles[2]));
            if let Some(class) = element.attribute("childclass") {
                frame.set("childclass", class);
            }
            copies.push(frame);
            at += euler(self.compiler.order, angles.map(|a| self.compiler.in_degrees(a))) * offset;
        }
        self.replicate_references(element, &suffixes)?;
        Ok(copies)
    }

    /// Copies the references to replicated elements. An equality stays as it is if it names an element outside: MuJoCo
    /// copies none of these.
    fn replicate_references(&mut self, element: &Element, suffixes: &[String]) -> Result<(), Problem> {
        self.budget.characters += self.references.len();
        let inside = names(&element.children);
        for reference in std::mem::take(&mut self.references) {
            let inner = keys(&reference).filter(|key| inside.contains(key)).count();
            if inner == 0 || (!is_contact(&reference) && inner < keys(&reference).count()) {
                self.references.push(reference);
                continue;
            }
            self.budget.spend(element, suffixes.len(), [&reference])?;
            let copy = |suffix: &String| renamed(&reference, &inside, |name| format!("{name}{suffix}"));
            self.references.extend(suffixes.iter().map(copy));
        }
        Ok(())
    }

    /// A copy of a body, a frame or the world of another model, each in a frame of that model.
    fn attached(&mut self, at: &Element) -> Result<Vec<Element>, Problem> {
        let Some(name) = at.attribute("model") else {
            let fix = "put the body into a model of its own";
            return Err(problem(at.place(), Refusal::Unsupported, "`attach` without `model`", fix));
        };
        let prefix = at.attribute("prefix").ok_or_else(|| at.bad("`attach` without `prefix`"))?;
        let model = self.models.get(name).ok_or_else(|| at.bad(format!("no model {}", quoted(name))))?;
        let mut copies = match (at.attribute("body"), at.attribute("frame")) {
            (None, None) => {
                self.budget.spend(at, 1, &model.worlds)?;
                model.worlds.iter().map(|world| classed(world, world.children.clone(), class_of(world))).collect()
            }
            (Some(_), Some(_)) => return Err(at.bad("`attach` with `body` and `frame`")),
            (body, frame) => {
                let kind = if body.is_some() { "body" } else { "frame" };
                let written = body.or(frame).unwrap_or_default();
                let found = model.worlds.iter().find_map(|world| find(world, None, kind, written));
                let found = found.ok_or_else(|| at.bad(format!("no {kind} {} in {}", quoted(written), quoted(name))));
                let (found, class) = found?;
                self.budget.spend(at, 1, [found])?;
                vec![classed(found, vec![found.clone()], class)]
            }
        };
        let inside = names(&copies);
        self.budget.spend(at, 1, &model.references)?;
        let (whole, cut): (Vec<&Element>, Vec<_>) =
            model.references.iter().partition(|r| keys(r).all(|key| inside.contains(&key)));
        let what = "contacts and equalities of attached models with other elements";
        self.collector.leave_out(what, cut.len() as u64, prefix);
        let prefixed = |name: &str| format!("{prefix}{name}");
        self.references.extend(whole.into_iter().map(|r| renamed(r, &inside, prefixed)));
        for copy in &mut copies {
            copy.walk_mut(&mut |e| rename(e, "name", prefixed));
        }
        Ok(copies)
    }
}

fn is_contact(reference: &Element) -> bool {
    matches!(reference.name.as_str(), "pair" | "exclude")
}

fn class_of(element: &Element) -> Option<&str> {
    element.attribute("childclass")
}

/// A frame around copies, with the class of their surroundings.
fn classed(at: &Element, children: Vec<Element>, class: Option<&str>) -> Element {
    let mut frame = at.wrapper("frame", children);
    if let Some(class) = class {
        frame.set("childclass", class);
    }
    frame
}

/// Finds an element by its kind and name, and the class of its surroundings.
fn find<'e>(
    element: &'e Element,
    class: Option<&'e str>,
    kind: &str,
    name: &str,
) -> Option<(&'e Element, Option<&'e str>)> {
    if element.name == kind && element.attribute("name") == Some(name) {
        return Some((element, class));
    }
    let class = class_of(element).or(class);
    element.children.iter().find_map(|child| find(child, class, kind, name))
}

/// True if a joint stands in an element without a body in between.
fn holds_joint(element: &Element) -> bool {
    element.children.iter().any(|child| match child.name.as_str() {
        "joint" | "freejoint" => true,
        "frame" => holds_joint(child),
        _ => false,
    })
}

/// Names below elements.
fn names(elements: &[Element]) -> Names {
    let mut found = Names::new();
    for element in elements {
        element.walk(&mut |e| {
            let kind = match e.name.as_str() {
                "body" => Kind::Body,
                "geom" => Kind::Geom,
                "joint" | "freejoint" => Kind::Joint,
                _ => return,
            };
            found.extend(e.attribute("name").map(|name| (kind, name.to_owned())));
        });
    }
    found
}

/// Names that a reference holds.
fn keys(reference: &Element) -> impl Iterator<Item = (Kind, String)> + '_ {
    KEYS.iter().filter_map(|(key, kind)| reference.attribute(key).map(|name| (*kind, name.to_owned())))
}

/// A copy of a reference, with other names for the elements of a set.
fn renamed(reference: &Element, inside: &Names, other: impl Fn(&str) -> String) -> Element {
    let mut copy = reference.clone();
    for (key, kind) in KEYS {
        let is_inside = copy.attribute(key).is_some_and(|name| inside.contains(&(kind, name.to_owned())));
        if is_inside {
            rename(&mut copy, key, &other);
        }
    }
    copy
}

fn rename(element: &mut Element, key: &str, other: impl Fn(&str) -> String) {
    if let Some(name) = element.attribute(key).map(other) {
        element.set(key, &name);
    }
}
