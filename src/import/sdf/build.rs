//! Links and joints of a description as a robot: a tree below the world. A link with a joint above it has the joint's
//! frame.

use crate::error::{Error, Problem};
use crate::geom::Affine;
use crate::import::collect::Collector;
use crate::import::element::Element;
use crate::import::refusal::{Refusal, problem};
use crate::import::robot::model::{Geometry, Joint, Link, Motion, Robot};
use crate::import::sdf::frames::{inverse, is_true};
use crate::import::sdf::include::FOLDER;
use crate::import::sdf::joints::{Written, read as read_joint};
use crate::import::sdf::scopes::{Item, Placed, Scopes};
use crate::import::sdf::shapes::shape;
use crate::json::wording::quoted;
use std::path::Path;

/// Pairs of links that the check ignores, with reasons.
type Apart = Vec<([usize; 2], String)>;

/// A robot, and pairs of its links that close a loop or that its models keep apart.
pub(crate) struct Built {
    pub(crate) robot: Robot,
    pub(crate) apart: Apart,
}

/// Most pairs of links of models whose links do not meet.
const MAX_PAIRS: usize = 1_000_000;

/// Builds the robot of a description.
///
/// # Errors
/// Refuses several worlds, unknown names, frames in a cycle, unknown types, and numbers that are none.
pub(crate) fn robot(root: &Element, collector: &mut Collector) -> Result<Built, Error> {
    let mut worlds = root.all("world");
    let top = worlds.next().unwrap_or(root);
    if let Some(second) = worlds.next() {
        let fix = "keep one world in a file";
        return Err(problem(second.place(), Refusal::Unsupported, "a second world", fix).into());
    }
    if !std::ptr::eq(top, root)
        && let Some(beside) = root.child("model")
    {
        let (what, fix) = ("a model beside a world", "move the model into the world");
        return Err(problem(beside.place(), Refusal::Unsupported, what, fix).into());
    }
    let single = top.all("model").count() == 1;
    let name = if single { top.child("model").and_then(|m| m.attribute("name")) } else { top.attribute("name") };
    let robot = Robot::new(name.map(str::to_owned).filter(|n| !n.is_empty()), "link");
    let scopes = Scopes::read(top, single)?;
    let mut builder = Builder { root, scopes, robot, collector };
    builder.robot.links.push(Link { name: "world".to_owned(), is_frame: true, ..Link::default() });
    let (above, mut pairs) = builder.tree()?;
    let frames = builder.link_frames(&above)?;
    for (k, frame) in frames.iter().enumerate() {
        builder.link(k, frame)?;
    }
    for (k, above) in above.iter().enumerate() {
        builder.joint(k, *above, &frames)?;
    }
    pairs.extend(apart(&builder.scopes)?);
    Ok(Built { robot: builder.robot, apart: pairs })
}

struct Builder<'a, 'c> {
    root: &'a Element,
    scopes: Scopes<'a>,
    robot: Robot,
    collector: &'c mut Collector,
}

/// Joint above a link: its index, and the link below it; `None` for the world.
type Above = Option<(usize, Option<usize>)>;

impl<'a> Builder<'a, '_> {
    /// Version of the file of a scope.
    fn version(&self, scope: usize) -> (u32, u32) {
        let mut at = Some(scope);
        let mut written = self.root.attribute("version");
        while let Some(scope) = at {
            if let Some(version) = self.scopes.all[scope].element.attribute("version:") {
                written = Some(version);
                break;
            }
            at = self.scopes.all[scope].above;
        }
        let mut numbers = written.unwrap_or("1.7").split('.').map(|n| n.trim().parse().unwrap_or(0));
        (numbers.next().unwrap_or(1), numbers.next().unwrap_or(0))
    }

    /// Folder of the file of a scope, if it is an included one.
    fn folder(&self, scope: usize) -> Option<&'a Path> {
        let mut at = Some(scope);
        while let Some(scope) = at {
            let own = &self.scopes.all[scope];
            if let Some(folder) = own.element.attribute(FOLDER) {
                return Some(Path::new(folder));
            }
            at = own.above;
        }
        None
    }

    /// Name of an element with those of its models.
    fn name(&self, placed: Placed<'_>) -> String {
        let own = placed.element.attribute("name").unwrap_or_default();
        let path = self.scopes.all[placed.scope].path.iter().map(String::as_str);
        path.chain([own]).collect::<Vec<_>>().join("::")
    }

    /// Link at an end of a joint; `None` for the world.
    fn end(&self, placed: Placed<'_>, key: &str) -> Result<Option<usize>, Problem> {
        let name = placed.element.child(key).map_or("", |e| e.text.as_str());
        if name == "world" {
            return Ok(None);
        }
        let item = self.scopes.find(placed.scope, name).filter(|item| !matches!(item, Item::Joint(_)));
        let link = item.and_then(|item| self.scopes.link_of(item));
        let what = || format!("`{key}` of joint {} names no link: {}", quoted(&self.name(placed)), quoted(name));
        link.map(Some).ok_or_else(|| placed.element.bad(what()))
    }

    /// Joint above each link. A joint that closes a loop is left out.
    fn tree(&mut self) -> Result<(Vec<Above>, Apart), Error> {
        let mut apart = Vec::new();
        let mut above: Vec<Above> = vec![None; self.scopes.links.len()];
        // Links that joints connect so far, by a link of each set.
        let mut set: Vec<usize> = (0..above.len()).collect();
        for (k, placed) in self.scopes.joints.iter().enumerate() {
            let (parent, child) = (self.end(*placed, "parent")?, self.end(*placed, "child")?);
            let Some(child) = child else {
                return Err(placed.element.bad("a joint whose child is the world").into());
            };
            let first = set_of(&mut set, child);
            let is_loop = parent.is_some_and(|parent| set_of(&mut set, parent) == first);
            if is_loop || above[child].is_some() {
                let name = self.name(*placed);
                self.collector.leave_out("joints of a closed loop", 1, &name);
                apart.push(([parent.map_or(0, |p| p + 1), child + 1], format!("joint {name}")));
            } else {
                above[child] = Some((k, parent));
                if let Some(parent) = parent {
                    let second = set_of(&mut set, parent);
                    set[first] = second;
                }
            }
        }
        Ok((above, apart))
    }

    /// Map of the frame of each link of the robot to the world: of its joint, if it moves.
    fn link_frames(&mut self, above: &[Above]) -> Result<Vec<Affine>, Error> {
        let mut frames = Vec::with_capacity(above.len());
        for (k, above) in above.iter().enumerate() {
            let link = self.scopes.links[k];
            let mut placed = link;
            if let Some((joint, _)) = above {
                let joint = self.scopes.joints[*joint];
                if read_joint(joint.element, self.version(joint.scope))?.motion != Motion::None {
                    placed = joint;
                }
            }
            frames.push(self.in_world(placed.frame, placed.element)?);
        }
        Ok(frames)
    }

    fn in_world(&mut self, frame: usize, at: &Element) -> Result<Affine, Problem> {
        self.scopes.frames.in_world(frame).ok_or_else(|| {
            at.bad("frames that relate to each other in a cycle, or a placement frame outside of its model")
        })
    }

    /// Adds a link; `frame` maps its frame in the robot to the world.
    fn link(&mut self, k: usize, frame: &Affine) -> Result<(), Error> {
        let placed = self.scopes.links[k];
        let name = self.name(placed);
        let mut path = self.scopes.all[placed.scope].path.clone();
        path.push(placed.element.attribute("name").unwrap_or_default().to_owned());
        let to_link = inverse(frame);
        let own = self.in_world(placed.frame, placed.element)?;
        let mut link = Link { name: name.clone(), path, ..Link::default() };
        for element in &placed.element.children {
            let kinds = match element.name.as_str() {
                "collision" => &mut link.collisions,
                "visual" => &mut link.visuals,
                _ => continue,
            };
            let level = element.attribute("name").map(str::to_owned);
            let place = format!("{name}::{}", level.as_deref().unwrap_or_default());
            let Some(geometry) = element.child("geometry") else { continue };
            let folder = self.folder(placed.scope);
            let Some(shape) = shape(geometry, folder, &place, self.collector)? else { continue };
            // Relates to the link by default, which has no name in its own scope.
            let is_related = element
                .child("pose")
                .is_some_and(|p| p.attribute("relative_to").or(p.attribute("frame")).is_some_and(|t| !t.is_empty()));
            let pose = element.child("pose").map(crate::import::sdf::frames::pose).transpose()?;
            let pose = pose.unwrap_or_else(Affine::identity);
            let origin = if is_related {
                let (above, _) = self.scopes.pose(element, placed.scope, "__model__")?;
                to_link.after(&self.in_world(above, element)?).after(&pose)
            } else if own == *frame {
                pose
            } else {
                to_link.after(&own).after(&pose)
            };
            kinds.push(Geometry { name: level.clone(), level, origin, shape, at: element.place() });
        }
        self.robot.link_of.insert(name, self.robot.links.len());
        self.robot.links.push(link);
        Ok(())
    }

    /// Adds the joint above a link: link `k` of the description is link `k + 1` of the robot.
    fn joint(&mut self, k: usize, above: Above, frames: &[Affine]) -> Result<(), Error> {
        let Some((index, parent)) = above else {
            self.robot.joints.push(Joint::fixed(String::new(), 0, k + 1, frames[k]));
            return Ok(());
        };
        let placed = self.scopes.joints[index];
        let name = self.name(placed);
        let written: Written<'a> = read_joint(placed.element, self.version(placed.scope))?;
        if written.is_drawn {
            self.collector.leave_out("joints of several axes", 1, &name);
        }
        let origin = parent.map_or(frames[k], |p| inverse(&frames[p]).after(&frames[k]));
        let axis = match written.expressed_in {
            None => written.axis,
            Some(frame) => {
                let frame = self.scopes.frame_named(placed.element, placed.scope, frame)?;
                let in_world = self.in_world(frame, placed.element)?.linear * written.axis;
                frames[k].linear.transpose() * in_world
            }
        };
        let prefix = name.strip_suffix(placed.element.attribute("name").unwrap_or_default()).unwrap_or_default();
        let mimic = written.mimic.map(|(other, factor, offset)| (format!("{prefix}{other}"), factor, offset));
        let joints = self.robot.joints.len();
        if self.robot.joint_of.insert(name.clone(), joints).is_some() {
            return Err(placed.element.bad(format!("two joints with the name {}", quoted(&name))).into());
        }
        let fixed = Joint::fixed(name, parent.map_or(0, |p| p + 1), k + 1, origin);
        let (motion, limits) = (written.motion, written.limits);
        self.robot.joints.push(Joint { motion, axis, limits, mimic, ..fixed });
        Ok(())
    }
}

/// Set of a link, by a link of it; shortens the way for the next call.
fn set_of(set: &mut [usize], mut link: usize) -> usize {
    while set[link] != link {
        set[link] = set[set[link]];
        link = set[link];
    }
    link
}

/// Pairs of links of one model of which one says that it meets no other: itself, or the nearest model with a word about
/// it. One link that says otherwise is enough for a contact.
fn apart(scopes: &Scopes<'_>) -> Result<Apart, Error> {
    let says = |element: &Element| element.child("self_collide").map(|e| is_true(&e.text));
    // The outermost model counts: the links of its nested models belong to it.
    let model_of = |scope: usize| {
        let mut at = scope;
        while let Some(above) = scopes.all[at].above {
            if scopes.all[above].above.is_none() {
                break;
            }
            at = above;
        }
        at
    };
    let is_apart = |a: Option<bool>, b: Option<bool>| [a, b].contains(&Some(false)) && ![a, b].contains(&Some(true));
    let mut found = Vec::new();
    let models: Vec<usize> = scopes.links.iter().map(|l| model_of(l.scope)).collect();
    let by_model = |scope: usize| {
        let mut scopes_above = std::iter::successors(Some(scope), |k| scopes.all[*k].above);
        scopes_above.find_map(|k| says(scopes.all[k].element))
    };
    let meets: Vec<Option<bool>> = scopes.links.iter().map(|l| says(l.element).or_else(|| by_model(l.scope))).collect();
    for (a, first) in models.iter().enumerate() {
        for (b, second) in models.iter().enumerate().skip(a + 1) {
            if first == second && is_apart(meets[a], meets[b]) {
                let element = scopes.all[*first].element;
                let name = element.attribute("name").unwrap_or_default();
                found.push(([a + 1, b + 1], format!("self_collide false, model {name}")));
                if found.len() > MAX_PAIRS {
                    return Err(element.too_large(format!("more than {MAX_PAIRS} pairs of links apart")).into());
                }
            }
        }
    }
    Ok(found)
}
