//! Places of the links of a robot for joint values.

use crate::assembly::file::rotation::about;
use crate::error::{Error, Location, Warning, WarningCode};
use crate::geom::tolerance::MAX_COORDINATE;
use crate::geom::{Affine, Mat3, Vec3};
use crate::import::ImportOptions;
use crate::import::collect::Collector;
use crate::import::refusal::{Refusal, damaged, refuse};
use crate::import::robot::model::{Joint, Motion, Poses, Robot, unknown};
use crate::json::wording::quoted;
use std::collections::BTreeMap;

/// Relative rounding of a value that was converted from another unit.
const LIMIT_ROUNDING: f64 = 1e-9;

/// Smallest limit of a joint that means none (rad or m): SDF has a default of 10¹⁶, exporters write the largest number.
pub(crate) const NO_LIMIT: f64 = 1e15;

/// Largest difference between the value of a joint with `mimic` and its formula that counts as rounding (rad or m).
pub(crate) const SAME_VALUE: f64 = 1e-9;

/// Number of joints that a warning names.
const MAX_NAMED: usize = 5;

/// Value of each joint (rad or m): its reference within the limits, then the pose, then the given values; joints with
/// `mimic` follow.
///
/// # Errors
/// Refuses unknown names, values outside the limits of their joint or other than a follower has, values of joints
/// without a motion, and a cycle of `mimic`.
pub(crate) fn joint_values(
    robot: &Robot,
    poses: &Poses,
    file: &str,
    options: &ImportOptions,
    collector: &mut Collector,
) -> Result<Vec<f64>, Error> {
    let given = given_values(robot, poses, file, options)?;
    collector.warnings.extend(zero_outside_limits(robot, &given));
    for joint in &robot.joints {
        if joint.mimic.as_ref().is_some_and(|(other, ..)| !robot.joint_of.contains_key(other)) {
            collector.leave_out("mimics of missing joints", 1, &joint.name);
        }
    }
    let value = |joint: &Joint| {
        let value = value_of(robot, joint, &given, file)?;
        let what = || format!("joint {} has a value beyond {NO_LIMIT}", quoted(&joint.name));
        if value.abs() < NO_LIMIT { Ok(value) } else { Err(damaged(file, what())) }
    };
    robot.joints.iter().map(value).collect()
}

/// Values of joints by name: those of the pose, then the given ones. A follower has none of its own.
///
/// # Errors
/// As [`joint_values`].
fn given_values<'r>(
    robot: &Robot,
    poses: &'r Poses,
    file: &str,
    options: &'r ImportOptions,
) -> Result<BTreeMap<&'r str, f64>, Error> {
    let mut given: BTreeMap<&str, f64> = BTreeMap::new();
    if let Some(pose) = &options.pose {
        let Some(values) = poses.get(pose) else {
            return Err(unknown(file, "pose", pose, poses.keys()));
        };
        let own = values.iter().filter(|(name, _)| leader(robot, name).is_none());
        given.extend(own.map(|(name, value)| (name.as_str(), *value)));
    }
    let mut of_followers = Vec::new();
    for (name, value) in &options.joints {
        if !robot.joint_of.contains_key(name) {
            return Err(unknown(file, "joint", name, robot.joint_of.keys()));
        }
        let joint = &robot.joints[robot.joint_of[name]];
        let limits = joint.limits.filter(|_| joint.motion != Motion::None);
        let slack = LIMIT_ROUNDING * (1.0 + value.abs());
        if let Some([low, high]) = limits.filter(|[low, high]| *value < low - slack || *value > high + slack) {
            let unit = if joint.motion == Motion::Slide { "m" } else { "rad" };
            let what = format!("--joint {name}={value} lies outside the limits of the joint, {low} to {high} {unit}");
            return Err(Error::one(Location::file(file), what, "name a value within the limits"));
        }
        if joint.motion == Motion::None && *value != joint.reference {
            let what = format!("--joint {name}={value}: this joint has no value");
            return Err(Error::one(Location::file(file), what, "name a joint that turns or slides"));
        }
        if let Some(leader) = leader(robot, name) {
            of_followers.push((joint, value, leader));
        } else {
            given.insert(name, *value);
        }
    }
    for (joint, value, leader) in of_followers {
        let follows = value_of(robot, joint, &given, file)?;
        if (follows - value).abs() > SAME_VALUE {
            let what = format!("--joint {}={value}: this joint follows {}, to {follows}", joint.name, quoted(leader));
            return Err(Error::one(Location::file(file), what, format!("set {} instead", quoted(leader))));
        }
    }
    Ok(given)
}

/// Warns of joints whose reference lies outside their limits.
fn zero_outside_limits(robot: &Robot, given: &BTreeMap<&str, f64>) -> Option<Warning> {
    let mut outside = Vec::new();
    for joint in &robot.joints {
        if let (Some([low, high]), None, None) = (joint.limits, given.get(joint.name.as_str()), &joint.mimic)
            && joint.motion != Motion::None
            && (low > joint.reference || high < joint.reference)
        {
            outside.push(joint.name.as_str());
        }
    }
    if outside.is_empty() {
        return None;
    }
    let named = outside.iter().take(MAX_NAMED).copied().collect::<Vec<_>>().join(", ");
    let more = if outside.len() > MAX_NAMED { ", …" } else { "" };
    let drawn = if robot.joints.iter().all(|j| j.reference == 0.0) { "zero" } else { "the reference" };
    let message = format!(
        "{drawn} lies outside the limits of {} joints ({named}{more}): they stand at their nearest limit",
        outside.len()
    );
    Some(Warning::new(WarningCode::ZeroOutsideLimits, message))
}

impl Joint {
    /// Value as drawn: the reference, within the limits.
    fn drawn(&self) -> f64 {
        self.limits.map_or(self.reference, |[low, high]| self.reference.clamp(low, high))
    }
}

/// Name of the joint that a joint follows.
fn leader<'r>(robot: &'r Robot, name: &str) -> Option<&'r String> {
    let (other, ..) = robot.joints[*robot.joint_of.get(name)?].mimic.as_ref()?;
    robot.joint_of.contains_key(other).then_some(other)
}

/// Value of a joint; follows `mimic` to the joint that has one.
fn value_of(robot: &Robot, joint: &Joint, given: &BTreeMap<&str, f64>, file: &str) -> Result<f64, Error> {
    // The value is `factor` times the value of `at` plus `offset`.
    let (mut at, mut factor, mut offset) = (joint, 1.0, 0.0);
    for _ in 0..=robot.joints.len() {
        if let Some(value) = given.get(at.name.as_str()) {
            return Ok(factor * value + offset);
        }
        let Some((other, k, o)) = &at.mimic else {
            return Ok(factor * at.drawn() + offset);
        };
        let Some(next) = robot.joint_of.get(other) else {
            // The joint stands by itself; `joint_values` has counted it.
            return Ok(factor * at.drawn() + offset);
        };
        (offset, factor) = (factor * o + offset, factor * k);
        at = &robot.joints[*next];
    }
    Err(damaged(file, format!("joint {} mimics joints in a cycle", quoted(&joint.name))))
}

/// Place of each link in the frame of the root link (mm).
///
/// # Errors
/// Refuses a link with two parents, no root, several roots, and a cycle.
pub(crate) fn placements(robot: &Robot, values: &[f64], file: &str) -> Result<Vec<Affine>, Error> {
    let mut parent_of: Vec<Option<usize>> = vec![None; robot.links.len()];
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); robot.links.len()];
    for (k, joint) in robot.joints.iter().enumerate() {
        if let Some(first) = parent_of[joint.child].replace(k) {
            let link = quoted(&robot.links[joint.child].name);
            let (a, b) = (quoted(&robot.joints[first].name), quoted(&joint.name));
            return Err(damaged(file, format!("link {link} is the child of two joints, {a} and {b}")));
        }
        children[joint.parent].push(k);
    }
    let roots: Vec<usize> = (0..robot.links.len()).filter(|k| parent_of[*k].is_none()).collect();
    let root = match roots.as_slice() {
        [root] => *root,
        [] if robot.links.is_empty() => {
            let fix = "name the expanded robot, with its links";
            return Err(refuse(file, Refusal::NoGeometry, "a robot without links", fix));
        }
        [] => return Err(damaged(file, format!("joint cycle: {}", cycle(robot, &parent_of, 0)))),
        several => {
            let names: Vec<String> = several.iter().take(5).map(|k| quoted(&robot.links[*k].name)).collect();
            let what = format!("{} links without a joint above them: {}", several.len(), names.join(", "));
            return Err(damaged(file, what));
        }
    };
    let mut placed: Vec<Option<Affine>> = vec![None; robot.links.len()];
    placed[root] = Some(Affine::identity());
    let mut waiting = vec![root];
    while let Some(link) = waiting.pop() {
        let Some(at) = placed[link] else { continue };
        for k in &children[link] {
            let joint = &robot.joints[*k];
            let frame = at.after(&joint.origin);
            let child = frame.after(&moved(joint, values[*k]));
            let coordinates = frame.translation.iter().chain(&child.translation).chain(&frame.linear);
            // No number is near if it is none.
            if !coordinates.clone().all(|x| x.abs() <= MAX_COORDINATE) {
                let link = quoted(&robot.links[joint.child].name);
                return Err(damaged(file, format!("{} {link} stands too far away", robot.word)));
            }
            placed[joint.child] = Some(child);
            waiting.push(joint.child);
        }
    }
    match placed.iter().position(Option::is_none) {
        Some(link) => Err(damaged(file, format!("joint cycle: {}", cycle(robot, &parent_of, link)))),
        None => Ok(placed.into_iter().flatten().collect()),
    }
}

/// Names of the links of a cycle above a link.
fn cycle(robot: &Robot, parent_of: &[Option<usize>], from: usize) -> String {
    // After as many steps as there are links, the link is in the cycle.
    let above = |link: usize| parent_of[link].map_or(link, |joint| robot.joints[joint].parent);
    let start = (0..robot.links.len()).fold(from, |link, _| above(link));
    let mut names = vec![robot.links[start].name.clone()];
    let mut at = above(start);
    while at != start && names.len() < 20 {
        names.push(robot.links[at].name.clone());
        at = above(at);
    }
    names.push(robot.links[start].name.clone());
    names.reverse();
    crate::json::wording::one_line_of(&names.join(" → "), 400)
}

/// Motion of a joint by its value.
fn moved(joint: &Joint, value: f64) -> Affine {
    let by = value - joint.reference;
    let (turn, slide) = match joint.motion {
        Motion::Turn => (by, 0.0),
        Motion::Slide => (0.0, by),
        Motion::Screw(lead) => (by, lead * by / std::f64::consts::TAU),
        Motion::None => (0.0, 0.0),
    };
    let linear = if turn == 0.0 { Mat3::identity() } else { about(&joint.axis, turn.to_degrees()) };
    let translation = if slide == 0.0 { Vec3::zeros() } else { joint.axis * (1000.0 * slide) };
    Affine { linear, translation }
}
