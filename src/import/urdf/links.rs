//! Links and joints of a URDF file as written. Reads what geometry needs; other elements have no effect.

use crate::assembly::file::rotation::{from_quaternion, roll_pitch_yaw, unit_vector};
use crate::error::{Error, Problem};
use crate::geom::{Affine, Mat3, Vec3};
use crate::import::refusal::{Refusal, problem};
use crate::import::robot::model::{Address, Geometry, Joint, Link, Motion, Robot, Shape};
use crate::import::xml::{attribute, child, children, is_own, parse as parse_xml, place, text};
use crate::json::wording::quoted;
use roxmltree::Node;

/// Content without effect: its kind, in the plural, and its name.
pub(crate) type LeftOutNames = Vec<(&'static str, String)>;

/// Parses a robot; returns the joints without effect, too.
///
/// # Errors
/// Refuses damaged XML and a document type, xacro, equal names, joints of missing links, numbers that are none.
pub(crate) fn parse(bytes: &[u8], file: &str) -> Result<(Robot, LeftOutNames), Error> {
    let text = text(bytes, file)?;
    let document = parse_xml(text, file)?;
    let root = document.root_element();
    refuse_xacro(root, file)?;
    let name = root.attribute("name").map(str::to_owned).filter(|n| !n.is_empty());
    let (mut robot, mut left_out) = (Robot::new(name, "link"), Vec::new());
    let mut problems = Vec::new();
    for node in children(root, "link") {
        match link(node, file) {
            Ok(link) => {
                if robot.link_of.insert(link.name.clone(), robot.links.len()).is_some() {
                    problems.push(bad(node, file, format!("two links with the name {}", quoted(&link.name))));
                }
                robot.links.push(link);
            }
            Err(problem) => problems.push(problem),
        }
    }
    for node in children(root, "joint") {
        let child = child(node, "child").and_then(|n| n.attribute("link"));
        if let Some(missing) = child.filter(|link| !robot.link_of.contains_key(*link)) {
            // Such a joint moves nothing.
            left_out.push(("joints of missing links", missing.to_owned()));
            continue;
        }
        match joint(node, file, &robot) {
            Ok(joint) => {
                if matches!(node.attribute("type"), Some("floating" | "planar")) {
                    left_out.push(("floating and planar joints", joint.name.clone()));
                }
                if robot.joint_of.insert(joint.name.clone(), robot.joints.len()).is_some() {
                    problems.push(bad(node, file, format!("two joints with the name {}", quoted(&joint.name))));
                }
                robot.joints.push(joint);
            }
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok((robot, left_out)) } else { Err(Error { problems }) }
}

fn bad(node: Node<'_, '_>, file: &str, what: impl AsRef<str>) -> Problem {
    problem(place(node, file), Refusal::Damaged, what, "correct the file")
}

/// Refuses a file that xacro has not expanded yet.
fn refuse_xacro(root: Node<'_, '_>, file: &str) -> Result<(), Error> {
    let is_xacro = |n: &Node<'_, '_>| n.tag_name().namespace().is_some_and(|ns| ns.contains("xacro"));
    let has_expression =
        |n: &Node<'_, '_>| n.attributes().any(|a| a.value().contains("${") || a.value().contains("$("));
    let found = root.descendants().find(|n| n.is_element() && (is_xacro(n) || has_expression(n)));
    match found {
        Some(node) => {
            let fix = format!("expand it first: xacro {file} > robot.urdf");
            Err(Error::from(problem(place(node, file), Refusal::Unsupported, "a xacro file", fix)))
        }
        None => Ok(()),
    }
}

fn link(node: Node<'_, '_>, file: &str) -> Result<Link, Problem> {
    let name = node.attribute("name").ok_or_else(|| bad(node, file, "a link without a name"))?;
    let all = |kind: &str| -> Result<Vec<Geometry>, Problem> {
        children(node, kind).filter_map(|n| geometry(n, file).transpose()).collect()
    };
    let (collisions, visuals) = (all("collision")?, all("visual")?);
    Ok(Link { name: name.to_owned(), path: vec![name.to_owned()], collisions, visuals, is_frame: false })
}

/// Reads a geometry; `None` without a shape.
fn geometry(node: Node<'_, '_>, file: &str) -> Result<Option<Geometry>, Problem> {
    let Some(shape) = child(node, "geometry").and_then(|g| g.children().find(|n| is_own(*n, g))) else {
        return Ok(None);
    };
    let size = |node: Node<'_, '_>, name: &str| -> Result<f64, Problem> {
        let found = attribute::<1>(node, name, file)?.map(|[x]| x).filter(|x| *x > 0.0);
        found.ok_or_else(|| bad(node, file, format!("`{name}` is not above 0")))
    };
    let found = match shape.tag_name().name() {
        "box" => {
            let edges = attribute::<3>(shape, "size", file)?.filter(|s| s.iter().all(|x| *x > 0.0));
            Shape::Box(edges.ok_or_else(|| bad(shape, file, "`size` of a box is not above 0"))?)
        }
        "cylinder" => Shape::Cylinder { radius: size(shape, "radius")?, length: size(shape, "length")? },
        "sphere" => Shape::Sphere(size(shape, "radius")?),
        "mesh" => {
            let Some(name) = shape.attribute("filename").filter(|f| !f.trim().is_empty()) else {
                return Err(bad(shape, file, "a mesh without a file"));
            };
            let linear = Mat3::from_diagonal(&Vec3::from(scale(shape, file)?));
            Shape::Mesh { file: Address::Uri(name.trim().to_owned()), map: Affine { linear, ..Affine::identity() } }
        }
        other => Shape::Other(other.to_owned()),
    };
    let origin = origin(node, file)?;
    let name = node.attribute("name").map(str::to_owned);
    Ok(Some(Geometry { name, level: None, origin, shape: found, at: place(shape, file) }))
}

/// Scale of a mesh: three numbers, or one for all axes.
pub(crate) fn scale(node: Node<'_, '_>, file: &str) -> Result<[f64; 3], Problem> {
    let Some(written) = node.attribute("scale") else { return Ok([1.0; 3]) };
    let numbers = crate::import::xml::numbers(written).map_err(|why| bad(node, file, format!("`scale`: {why}")))?;
    let scale = match numbers.as_slice() {
        [one] => [*one; 3],
        [x, y, z] => [*x, *y, *z],
        _ => return Err(bad(node, file, format!("`scale` of {} numbers", numbers.len()))),
    };
    if scale.contains(&0.0) { Err(bad(node, file, "a scale of 0")) } else { Ok(scale) }
}

/// Origin of an element: translation in mm; rotation about fixed axes, roll first.
fn origin(node: Node<'_, '_>, file: &str) -> Result<Affine, Problem> {
    let Some(node) = child(node, "origin") else { return Ok(Affine::identity()) };
    let [x, y, z] = attribute::<3>(node, "xyz", file)?.unwrap_or_default();
    let rpy = attribute::<3>(node, "rpy", file)?;
    let translation = Vec3::new(x, y, z) * 1000.0;
    if let Some(quaternion) = attribute::<4>(node, "quat_xyzw", file)? {
        if rpy.is_some() {
            return Err(bad(node, file, "an origin with both `rpy` and `quat_xyzw`"));
        }
        let linear = from_quaternion(quaternion).ok_or_else(|| bad(node, file, "a quaternion of length zero"))?;
        return Ok(Affine { linear, translation });
    }
    let rpy = rpy.unwrap_or_default();
    let linear = if rpy == [0.0; 3] { Mat3::identity() } else { roll_pitch_yaw(&rpy.map(f64::to_degrees)) };
    Ok(Affine { linear, translation })
}

fn joint(node: Node<'_, '_>, file: &str, robot: &Robot) -> Result<Joint, Problem> {
    let name = node.attribute("name").ok_or_else(|| bad(node, file, "a joint without a name"))?;
    let kind = node.attribute("type").unwrap_or_default();
    let motion = match kind {
        "revolute" | "continuous" => Motion::Turn,
        "prismatic" => Motion::Slide,
        "fixed" | "floating" | "planar" => Motion::None,
        other => return Err(bad(node, file, format!("joint {}: unknown type {}", quoted(name), quoted(other)))),
    };
    let end = |key: &str| {
        let link = child(node, key).and_then(|n| n.attribute("link"));
        let link = link.ok_or_else(|| bad(node, file, format!("joint {} without a {key}", quoted(name))))?;
        let known = robot.link_of.get(link).copied();
        known.ok_or_else(|| bad(node, file, format!("joint {} names no link: {}", quoted(name), quoted(link))))
    };
    let axis = child(node, "axis").map(|n| attribute::<3>(n, "xyz", file)).transpose()?.flatten();
    let axis = axis.map_or(Some(Vec3::x()), |a| unit_vector(&Vec3::from(a)));
    let axis = match (axis, motion) {
        (Some(axis), _) => axis,
        (None, Motion::None) => Vec3::x(),
        (None, _) => return Err(bad(node, file, format!("joint {} has an axis of length zero", quoted(name)))),
    };
    let limit = child(node, "limit").filter(|_| kind != "continuous");
    let bound = |limit: Node<'_, '_>, key: &str| attribute::<1>(limit, key, file).map(|v| v.map_or(0.0, |[x]| x));
    let limits = match limit.filter(|_| motion != Motion::None) {
        Some(limit) => {
            let [low, high] = [bound(limit, "lower")?, bound(limit, "upper")?];
            if low > high {
                let what = format!("joint {}: the lower limit {low} is above the upper limit {high}", quoted(name));
                return Err(bad(limit, file, what));
            }
            Some([low, high])
        }
        None => None,
    };
    let mimic = match child(node, "mimic") {
        Some(mimic) => {
            let other = mimic.attribute("joint").unwrap_or_default().to_owned();
            let factor = attribute::<1>(mimic, "multiplier", file)?.map_or(1.0, |[x]| x);
            let offset = attribute::<1>(mimic, "offset", file)?.map_or(0.0, |[x]| x);
            Some((other, factor, offset))
        }
        None => None,
    };
    let (parent, child) = (end("parent")?, end("child")?);
    let fixed = Joint::fixed(name.to_owned(), parent, child, origin(node, file)?);
    Ok(Joint { motion, axis, limits, mimic, ..fixed })
}
