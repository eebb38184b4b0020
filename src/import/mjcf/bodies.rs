//! Bodies of a model as links, and their joints. A link has the frame of its last joint: the body's axes, about the
//! anchor of the joint.

use crate::error::{Error, Problem};
use crate::geom::{Affine, Vec3};
use crate::import::collect::Collector;
use crate::import::element::Element;
use crate::import::mjcf::defaults::Styled;
use crate::import::mjcf::frame::frame;
use crate::import::mjcf::geoms::Filter;
use crate::import::mjcf::models::Scopes;
use crate::import::mjcf::states::is_disabled;
use crate::import::names::Siblings;
use crate::import::robot::model::{Joint, Link, Motion, Robot};
use crate::json::wording::quoted;
use std::collections::BTreeSet;

/// Name of the body at the top.
const WORLD: &str = "world";

/// Bodies of a model.
#[derive(Debug)]
pub(crate) struct Bodies {
    pub(crate) robot: Robot,
    /// Filters of contacts of the geometries of each link: of its collisions, and of its visuals.
    pub(crate) filters: Vec<[Vec<Filter>; 2]>,
    /// Joints in the order of their positions in a state.
    pub(crate) slots: Vec<Slot>,
}

/// Positions of a joint in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    /// One number, of the joint with this index.
    Joint(usize),
    /// Several numbers of a joint that stays as drawn.
    Drawn(usize),
}

/// A body's surroundings.
#[derive(Clone, Copy)]
struct Above<'a> {
    link: usize,
    /// Map from the frame of the surroundings to the frame of the link (mm).
    to_link: Affine,
    class: Option<&'a str>,
}

/// An element of a body: what it stands in, and its default class.
type Inside<'a> = (Affine, Styled<'a>);

/// Elements of a body, frames resolved.
#[derive(Default)]
struct Content<'a> {
    joints: Vec<Inside<'a>>,
    geoms: Vec<Inside<'a>>,
    bodies: Vec<(Affine, Option<&'a str>, &'a Element)>,
}

impl Bodies {
    /// Reads the bodies of a model.
    ///
    /// # Errors
    /// Refuses two bodies or joints of one name, unknown classes, meshes and types, and numbers that are none.
    pub(crate) fn read(root: &Element, scopes: &Scopes, collector: &mut Collector) -> Result<Self, Error> {
        let name = root.attribute("model").map(str::to_owned).filter(|n| !n.is_empty());
        let robot = Robot { ground: Some(0), ..Robot::new(name, "body") };
        let bodies = Self { robot, filters: Vec::new(), slots: Vec::new() };
        let named = root.all("contact").flat_map(|c| c.all("pair"));
        let paired = named.flat_map(|p| [p.attribute("geom1"), p.attribute("geom2")]).flatten().collect();
        // A name of the file comes before one that the reader gives.
        let (mut names, mut joint_names) = (Siblings::default(), Siblings::default());
        for section in root.all("worldbody") {
            section.walk(&mut |element| {
                let siblings = match element.name.as_str() {
                    "body" => &mut names,
                    "joint" | "freejoint" => &mut joint_names,
                    _ => return,
                };
                siblings.reserve(element.attribute("name").unwrap_or_default());
            });
        }
        let mut reader = Reader { scopes, paired, bodies, names, joint_names, collector };
        let world = reader.link(WORLD, true);
        let above = Above { link: world, to_link: Affine::identity(), class: None };
        for section in root.all("worldbody") {
            let class = section.attribute("childclass");
            reader.fill(section, Above { class, ..above })?;
        }
        if reader.bodies.robot.links[world].geometries(false).is_empty() {
            reader.bodies.robot.links[world].is_frame = true;
        }
        reader.collector.numbered += reader.names.numbered;
        let robot = &mut reader.bodies.robot;
        robot.grounded = vec![false; robot.links.len()];
        robot.grounded[world] = true;
        // Parents stand before their children. A free or ball joint has a name, a fixed one has none.
        for joint in &robot.joints {
            let is_fixed = joint.motion == Motion::None && joint.name.is_empty();
            robot.grounded[joint.child] = is_fixed && robot.grounded[joint.parent];
        }
        robot.checks_neighbours = is_disabled(root, "filterparent");
        Ok(reader.bodies)
    }
}

struct Reader<'a, 'c> {
    scopes: &'a Scopes,
    /// Geometries in explicit pairs.
    paired: BTreeSet<&'a str>,
    bodies: Bodies,
    names: Siblings,
    joint_names: Siblings,
    collector: &'c mut Collector,
}

impl<'a> Reader<'a, '_> {
    /// Adds a link, of a body or between two joints of one.
    fn link(&mut self, name: &str, is_body: bool) -> usize {
        let robot = &mut self.bodies.robot;
        let index = robot.links.len();
        let (name, path) = (name.to_owned(), vec![name.to_owned()]);
        if is_body {
            robot.link_of.insert(name.clone(), index);
        }
        robot.links.push(Link { name, path, is_frame: !is_body, ..Link::default() });
        self.bodies.filters.push([Vec::new(), Vec::new()]);
        index
    }

    /// Reads a body below its surroundings.
    fn body(&mut self, element: &'a Element, above: Above<'a>) -> Result<(), Problem> {
        let styled = self.scopes.styled(element, None)?;
        let frame = above.to_link.after(&frame(styled)?);
        let name = match element.attribute("name") {
            Some(name) if self.bodies.robot.link_of.contains_key(name) => {
                return Err(element.bad(format!("two bodies with the name {}", quoted(name))));
            }
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => self.names.unique("body".to_owned()),
        };
        if element.attribute("mocap") == Some("true") {
            self.collector.leave_out("mocap bodies", 1, &name);
        }
        let class = element.attribute("childclass").or(above.class);
        let mut content = Content::default();
        self.resolve(element, Affine::identity(), class, &mut content)?;
        let (link, to_link) = self.joints(&name, above.link, frame, &content.joints)?;
        self.content(content, Above { link, to_link, class })
    }

    /// Reads the content of the world.
    fn fill(&mut self, world: &'a Element, above: Above<'a>) -> Result<(), Problem> {
        let mut content = Content::default();
        self.resolve(world, Affine::identity(), above.class, &mut content)?;
        self.content(content, above)
    }

    fn content(&mut self, content: Content<'a>, above: Above<'a>) -> Result<(), Problem> {
        for (frame, styled) in content.geoms {
            self.geom(styled, &above.to_link.after(&frame), above.link)?;
        }
        for (frame, class, element) in content.bodies {
            self.body(element, Above { to_link: above.to_link.after(&frame), class, ..above })?;
        }
        Ok(())
    }

    /// Lists the elements of a body, with the frames that they stand in.
    fn resolve(
        &mut self,
        element: &'a Element,
        at: Affine,
        class: Option<&'a str>,
        content: &mut Content<'a>,
    ) -> Result<(), Problem> {
        for child in &element.children {
            // An attached model has classes of its own.
            let class = class.filter(|_| child.scope == element.scope);
            match child.name.as_str() {
                "joint" | "freejoint" => content.joints.push((at, self.scopes.styled(child, class)?)),
                "geom" => content.geoms.push((at, self.scopes.styled(child, class)?)),
                "body" => content.bodies.push((at, class, child)),
                "frame" => {
                    let inner = at.after(&frame(self.scopes.styled(child, None)?)?);
                    self.resolve(child, inner, child.attribute("childclass").or(class), content)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Adds the joints of a body, each with the link that it carries. Returns the link of the body, and the map from
    /// the body's frame to its frame.
    fn joints(
        &mut self,
        body: &str,
        parent: usize,
        frame: Affine,
        joints: &[Inside<'a>],
    ) -> Result<(usize, Affine), Problem> {
        let (mut moving, mut drawn) = (Vec::new(), String::new());
        for (at, styled) in joints {
            let kind = if styled.element.name == "freejoint" { "free" } else { styled.get("type").unwrap_or("hinge") };
            match kind {
                "hinge" | "slide" => {
                    // The positions of a keyframe have the order of the file.
                    self.bodies.slots.push(Slot::Joint(self.bodies.robot.joints.len() + moving.len()));
                    moving.push((at, *styled, if kind == "hinge" { Motion::Turn } else { Motion::Slide }));
                }
                "free" | "ball" => {
                    self.bodies.slots.push(Slot::Drawn(if kind == "free" { 7 } else { 4 }));
                    styled.element.attribute("name").unwrap_or(body).clone_into(&mut drawn);
                    self.collector.leave_out("free and ball joints", 1, &drawn);
                }
                other => return Err(styled.element.bad(format!("unknown type of a joint: {}", quoted(other)))),
            }
        }
        let (mut link, mut to_link) = (parent, frame);
        let count = moving.len();
        for (k, (at, styled, motion)) in moving.into_iter().enumerate() {
            let [x, y, z] = styled.numbers::<3>("pos")?.unwrap_or_default();
            let anchor =
                at.after(&Affine { translation: Vec3::new(x, y, z) * 1000.0, ..Affine::identity() }).translation;
            let next = self.link(body, k + 1 == count);
            let origin = to_link.after(&Affine { translation: anchor, ..Affine::identity() });
            let otherwise = if count == 1 { body.to_owned() } else { format!("{body}.{}", k + 1) };
            let joint = self.joint(styled, motion, &otherwise)?;
            let axis = at.linear * joint.axis;
            self.bodies.robot.joints.push(Joint { parent: link, child: next, origin, axis, ..joint });
            (link, to_link) = (next, Affine { translation: -anchor, ..Affine::identity() });
        }
        if count == 0 {
            let next = self.link(body, true);
            self.bodies.robot.joints.push(Joint::fixed(drawn, parent, next, frame));
            (link, to_link) = (next, Affine::identity());
        }
        Ok((link, to_link))
    }

    /// Reads a joint; its place comes from the caller.
    fn joint(&mut self, styled: Styled<'_>, motion: Motion, otherwise: &str) -> Result<Joint, Problem> {
        let element = styled.element;
        let [x, y, z] = styled.numbers::<3>("axis")?.unwrap_or([0.0, 0.0, 1.0]);
        let axis = crate::assembly::file::rotation::unit_vector(&Vec3::new(x, y, z));
        let axis = axis.ok_or_else(|| element.bad("an axis of length zero"))?;
        let in_si = |value: f64| if motion == Motion::Turn { styled.compiler.radians(value) } else { value };
        let range = styled.numbers::<2>("range")?.filter(|[low, high]| low < high);
        let limits = match styled.get("limited") {
            Some("true") => range,
            Some("false") => None,
            _ => range.filter(|_| styled.compiler.limits_by_range),
        };
        let reference = styled.numbers::<1>("ref")?.map_or(0.0, |[x]| in_si(x));
        let limits = limits.map(|limits| limits.map(in_si));
        let index = self.bodies.robot.joints.len();
        let name = match element.attribute("name").filter(|n| !n.is_empty()) {
            Some(name) if self.bodies.robot.joint_of.contains_key(name) => {
                return Err(element.bad(format!("two joints with the name {}", quoted(name))));
            }
            Some(name) => name.to_owned(),
            None => self.joint_names.unique(otherwise.to_owned()),
        };
        self.bodies.robot.joint_of.insert(name.clone(), index);
        let fixed = Joint::fixed(name, 0, 0, Affine::identity());
        Ok(Joint { motion, axis, reference, limits, ..fixed })
    }

    /// Reads a geometry of a link; `at` maps its surroundings to the frame of the link.
    fn geom(&mut self, styled: Styled<'_>, at: &Affine, link: usize) -> Result<(), Problem> {
        let kind = styled.get("type").unwrap_or("sphere");
        if matches!(kind, "plane" | "hfield") {
            let what = if kind == "plane" { "planes" } else { "height fields" };
            self.collector.leave_out(what, 1, styled.element.attribute("name").unwrap_or_default());
            return Ok(());
        }
        let geometry = self.scopes.of(styled.element).assets.geometry(styled, kind, at)?;
        let filter = Filter::read(styled)?;
        let collides = filter.collides() || filter.name.as_deref().is_some_and(|n| self.paired.contains(n));
        let own = &mut self.bodies.robot.links[link];
        let kinds = if collides { &mut own.collisions } else { &mut own.visuals };
        kinds.push(geometry);
        self.bodies.filters[link][usize::from(!collides)].push(filter);
        Ok(())
    }
}
