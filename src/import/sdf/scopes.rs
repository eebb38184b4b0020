//! Models, links, joints and frames of a description by their names, each with the frame of its pose.

use crate::error::Problem;
use crate::import::element::Element;
use crate::import::sdf::frames::{Frames, pose};
use crate::json::wording::quoted;
use std::collections::BTreeMap;

/// Largest number of frames that are attached to each other in turn.
const MAX_ATTACHED: usize = 1000;

/// A world or a model.
#[derive(Debug)]
pub(crate) struct Scope<'a> {
    pub(crate) element: &'a Element,
    /// Scope around it.
    pub(crate) above: Option<usize>,
    /// Names from the top; empty for the world and for a single model.
    pub(crate) path: Vec<String>,
    pub(crate) frame: usize,
    items: BTreeMap<&'a str, Item>,
}

/// A named element of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Item {
    Link(usize),
    Joint(usize),
    /// An explicit frame.
    Frame(usize),
    Model {
        scope: usize,
    },
}

/// A link, a joint or an explicit frame with its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub(crate) element: &'a Element,
    pub(crate) scope: usize,
    pub(crate) frame: usize,
}

/// All elements of a description.
#[derive(Debug)]
pub(crate) struct Scopes<'a> {
    pub(crate) frames: Frames,
    /// Worlds and models.
    pub(crate) all: Vec<Scope<'a>>,
    pub(crate) links: Vec<Placed<'a>>,
    pub(crate) joints: Vec<Placed<'a>>,
    explicit: Vec<Placed<'a>>,
}

impl<'a> Scopes<'a> {
    /// Lists all elements of a world or a root, and the poses of their frames.
    ///
    /// # Errors
    /// Refuses two elements of one name, unknown frames, numbers that are none.
    pub(crate) fn read(top: &'a Element, single: bool) -> Result<Self, Problem> {
        let (links, joints, explicit) = (Vec::new(), Vec::new(), Vec::new());
        let mut read = Self { frames: Frames::new(), all: Vec::new(), links, joints, explicit };
        read.scope(top, None, &[], 0, single)?;
        for scope in 0..read.all.len() {
            read.relate_scope(scope)?;
        }
        for placed in read.links.clone() {
            read.relate(placed, placed.element, "__model__")?;
        }
        for placed in read.joints.clone() {
            let child = placed.element.child("child").map_or("", |e| e.text.as_str());
            // A joint stands at its child.
            read.relate(placed, placed.element, if child == "world" { "__model__" } else { child })?;
        }
        for placed in read.explicit.clone() {
            let to = placed.element.attribute("attached_to").filter(|t| !t.is_empty()).unwrap_or("__model__");
            read.relate(placed, placed.element, to)?;
        }
        Ok(read)
    }

    fn scope(
        &mut self,
        element: &'a Element,
        above: Option<usize>,
        path: &[String],
        frame: usize,
        single: bool,
    ) -> Result<usize, Problem> {
        let index = self.all.len();
        self.all.push(Scope { element, above, path: path.to_owned(), frame, items: BTreeMap::new() });
        for child in &element.children {
            let name = child.attribute("name").unwrap_or_default();
            let placed = |frame| Placed { element: child, scope: index, frame };
            let item = match child.name.as_str() {
                "link" | "joint" | "frame" | "model" if name.is_empty() => {
                    return Err(child.bad(format!("a {} without a name", child.name)));
                }
                "link" => {
                    self.links.push(placed(self.frames.add(frame)));
                    Item::Link(self.links.len() - 1)
                }
                "joint" => {
                    self.joints.push(placed(self.frames.add(frame)));
                    Item::Joint(self.joints.len() - 1)
                }
                "frame" => {
                    self.explicit.push(placed(self.frames.add(frame)));
                    Item::Frame(self.explicit.len() - 1)
                }
                "model" => {
                    let mut inner = path.to_owned();
                    // A single model names the assembly, and adds no level.
                    inner.extend((!single).then(|| name.to_owned()));
                    let frame = self.frames.add(frame);
                    Item::Model { scope: self.scope(child, Some(index), &inner, frame, false)? }
                }
                _ => continue,
            };
            // Old files give a link and a joint one name: the first one counts, as for its poses.
            self.all[index].items.entry(name).or_insert(item);
        }
        Ok(index)
    }

    /// Element of a name such as `arm::hand`, in a scope.
    pub(crate) fn find(&self, scope: usize, name: &str) -> Option<Item> {
        let mut at = scope;
        let mut levels = name.split("::").peekable();
        while let Some(level) = levels.next() {
            let item = match level {
                "__model__" => Item::Model { scope: at },
                "world" if self.all[at].above.is_none() => Item::Model { scope: at },
                _ => *self.all[at].items.get(level)?,
            };
            match (item, levels.peek()) {
                (item, None) => return Some(item),
                (Item::Model { scope }, Some(_)) => at = scope,
                _ => return None,
            }
        }
        None
    }

    /// Frame of an element.
    pub(crate) fn frame_of(&self, item: Item) -> usize {
        match item {
            Item::Link(k) => self.links[k].frame,
            Item::Joint(k) => self.joints[k].frame,
            Item::Frame(k) => self.explicit[k].frame,
            Item::Model { scope } => self.all[scope].frame,
        }
    }

    /// Frame of a name in a scope.
    ///
    /// # Errors
    /// Refuses an unknown name.
    pub(crate) fn frame_named(&self, at: &Element, scope: usize, name: &str) -> Result<usize, Problem> {
        let item = self.find(scope, name);
        item.map(|item| self.frame_of(item)).ok_or_else(|| at.bad(format!("no frame {}", quoted(name))))
    }

    /// Link that an element is fixed to: a link itself, the one of a frame, the first one of a model.
    pub(crate) fn link_of(&self, item: Item) -> Option<usize> {
        let mut item = item;
        for _ in 0..MAX_ATTACHED {
            item = match item {
                Item::Link(k) => return Some(k),
                Item::Joint(k) => {
                    let placed = self.joints[k];
                    self.find(placed.scope, &placed.element.child("child")?.text)?
                }
                Item::Frame(k) => {
                    let placed = self.explicit[k];
                    let to = placed.element.attribute("attached_to").filter(|t| !t.is_empty());
                    self.find(placed.scope, to.unwrap_or("__model__"))?
                }
                Item::Model { scope } => {
                    let own = &self.all[scope];
                    if let Some(name) = own.element.attribute("canonical_link").filter(|n| !n.is_empty()) {
                        self.find(scope, name)?
                    } else {
                        let first = self.links.iter().position(|l| l.scope == scope);
                        let nested = || self.all.iter().position(|s| s.above == Some(scope));
                        first.map(Item::Link).or_else(|| nested().map(|scope| Item::Model { scope }))?
                    }
                }
            };
        }
        None
    }

    /// Sets the pose of a model.
    fn relate_scope(&mut self, scope: usize) -> Result<(), Problem> {
        let (element, frame, above) = (self.all[scope].element, self.all[scope].frame, self.all[scope].above);
        let Some(above) = above else { return Ok(()) };
        self.relate(Placed { element, scope: above, frame }, element, "__model__")?;
        if let Some(name) = element.attribute("placement_frame").filter(|n| !n.is_empty()) {
            self.frames.all[frame].placed_by = Some(self.frame_named(element, scope, name)?);
        }
        Ok(())
    }

    /// Sets the pose of a frame by the `pose` of an element, in its scope.
    fn relate(&mut self, placed: Placed<'a>, element: &Element, otherwise: &str) -> Result<(), Problem> {
        let (above, pose) = self.pose(element, placed.scope, otherwise)?;
        let frame = &mut self.frames.all[placed.frame];
        (frame.above, frame.pose) = (Some(above), pose);
        Ok(())
    }

    /// Pose of an element and the frame that it relates to.
    ///
    /// # Errors
    /// Refuses an unknown frame, and numbers that are none.
    pub(crate) fn pose(
        &self,
        element: &Element,
        scope: usize,
        otherwise: &str,
    ) -> Result<(usize, crate::geom::Affine), Problem> {
        let written = element.child("pose");
        // Versions before 1.7 call the attribute `frame`.
        let to = written.and_then(|p| p.attribute("relative_to").or(p.attribute("frame"))).filter(|t| !t.is_empty());
        let above = self.frame_named(element, scope, to.unwrap_or(otherwise))?;
        Ok((above, written.map(pose).transpose()?.unwrap_or_else(crate::geom::Affine::identity)))
    }
}
