//! Joints and poses of the assembly from those of a robot: its axes in the frame of the root, as drawn.

use crate::geom::Affine;
use crate::geom::math::{greater, lesser};
use crate::import::collect::Collector;
use crate::import::folder::glob_of;
use crate::import::names::{Siblings, clean};
use crate::import::robot::kinematics::{NO_LIMIT, SAME_VALUE};
use crate::import::robot::model::{Joint, Motion, Poses, Robot};
use crate::import::robot::places::Placed;
use crate::import::{ImportedFollow, ImportedJoint, ImportedPose};
use crate::motion::AS_DRAWN;
use std::collections::{BTreeMap, BTreeSet};

/// Joints that move, by index in the robot.
struct Moving<'a> {
    robot: &'a Robot,
    values: &'a [f64],
    /// Name in the assembly of each joint that moves.
    names: BTreeMap<usize, String>,
    /// Joint that moves each link.
    carriers: Vec<Option<usize>>,
}

/// Builds the joints with a single value. `placements` are the places of the links, `placed` their instances. A joint
/// without a motion leaves its links to the joint above. Returns the name of each built joint by its index in the
/// robot, too.
pub(crate) fn joints(
    robot: &Robot,
    placements: &[Affine],
    values: &[f64],
    placed: &[Placed],
    collector: &mut Collector,
) -> (Vec<ImportedJoint>, BTreeMap<usize, String>) {
    let moving = Moving::new(robot, values, collector);
    let mut moves: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (link, placed) in placed.iter().enumerate() {
        if let Some(joint) = moving.carriers[link] {
            moves.entry(joint).or_default().extend(placed.ids.iter().map(|id| glob_of(id)));
        }
    }
    let mut joints = Vec::with_capacity(moving.names.len());
    for (k, name) in &moving.names {
        let joint = &robot.joints[*k];
        let frame = collector.turned().after(&placements[joint.parent]).after(&joint.origin);
        let follows = moving.follows(*k);
        joints.push(ImportedJoint {
            name: name.clone(),
            turns: joint.motion != Motion::Slide,
            lead: if let Motion::Screw(lead) = joint.motion { Some(1000.0 * lead) } else { None },
            axis: (frame.linear * joint.axis).normalize(),
            at: frame.translation,
            moves: moves.remove(k).unwrap_or_default(),
            on: moving.carriers[joint.parent].and_then(|on| moving.names.get(&on).cloned()),
            range: if follows.is_some() { None } else { moving.range(*k) },
            home: in_own_unit(joint, values[*k]),
            follows,
        });
    }
    (joints, moving.names)
}

impl<'a> Moving<'a> {
    fn new(robot: &'a Robot, values: &'a [f64], collector: &mut Collector) -> Self {
        let mut siblings = Siblings::default();
        let mut names = BTreeMap::new();
        for (k, joint) in robot.joints.iter().enumerate() {
            let is_free = match (joint.motion, limits(joint)) {
                (Motion::None, _) => false,
                (Motion::Screw(lead), _) if lead == 0.0 || lead.abs() >= NO_LIMIT => false,
                (Motion::Slide | Motion::Screw(_), None) if joint.mimic.is_some() => true,
                (Motion::Slide | Motion::Screw(_), None) => {
                    collector.leave_out("sliding joints without limits", 1, &joint.name);
                    false
                }
                (_, Some([low, high])) => low < high || joint.mimic.is_some(),
                (Motion::Turn, None) => true,
            };
            if is_free {
                let name = clean(&joint.name).unwrap_or_else(|| "joint".to_owned());
                names.insert(k, siblings.unique(name));
            }
        }
        let mut moving = Self { robot, values, names, carriers: Vec::new() };
        // A follower moves only with its leader. A sliding joint without limits moves only as a follower.
        loop {
            let slides = |k: usize| robot.joints[k].motion != Motion::Turn && limits(&robot.joints[k]).is_none();
            let leader = |k: usize| robot.joint_of.get(&robot.joints[k].mimic.as_ref()?.0);
            let rests = |k: usize| leader(k).is_some_and(|leader| !moving.names.contains_key(leader));
            let alone = |k: usize| slides(k) && moving.follows(k).is_none();
            let Some(k) = moving.names.keys().copied().find(|k| rests(*k) || alone(*k)) else { break };
            let what = if rests(k) { "followers of joints at rest" } else { "sliding joints without limits" };
            collector.leave_out(what, 1, &robot.joints[k].name);
            moving.names.remove(&k);
        }
        moving.carriers = carriers(robot, &moving.names);
        moving
    }

    /// Limits that hold the drawn value (degrees or mm); `None` without limits.
    fn range(&self, k: usize) -> Option<[f64; 2]> {
        let joint = &self.robot.joints[k];
        let home = in_own_unit(joint, self.values[k]);
        limits(joint).map(|limits| {
            let [low, high] = limits.map(|v| in_own_unit(joint, v));
            [lesser(low, home), greater(high, home)]
        })
    }

    /// Joint that a joint follows, in the units of both.
    fn follows(&self, k: usize) -> Option<ImportedFollow> {
        let joint = &self.robot.joints[k];
        let (other, factor, offset) = joint.mimic.as_ref()?;
        let leader = *self.robot.joint_of.get(other)?;
        let name = self.names.get(&leader)?.clone();
        let ratio = factor * in_own_unit(joint, 1.0) / in_own_unit(&self.robot.joints[leader], 1.0);
        let offset = in_own_unit(joint, *offset);
        (ratio.is_finite() && offset.is_finite()).then_some(ImportedFollow { joint: name, ratio, offset })
    }
}

/// Joint that moves each link: the nearest one above it with a name. The robot has no cycle. Cost: linear.
fn carriers(robot: &Robot, names: &BTreeMap<usize, String>) -> Vec<Option<usize>> {
    let mut above = vec![None; robot.links.len()];
    for (k, joint) in robot.joints.iter().enumerate() {
        above[joint.child] = Some(k);
    }
    let (mut carriers, mut seen) = (vec![None; robot.links.len()], vec![false; robot.links.len()]);
    let mut below = Vec::new();
    for link in 0..robot.links.len() {
        let mut at = link;
        let carrier = loop {
            if seen[at] {
                break carriers[at];
            }
            seen[at] = true;
            below.push(at);
            match above[at] {
                None => break None,
                Some(joint) if names.contains_key(&joint) => break Some(joint),
                Some(joint) => at = robot.joints[joint].parent,
            }
        };
        below.drain(..).for_each(|link| carriers[link] = carrier);
    }
    carriers
}

/// Limits of a joint; `None` for limits that mean none.
fn limits(joint: &Joint) -> Option<[f64; 2]> {
    joint.limits.filter(|limits| limits.iter().all(|x| x.abs() < NO_LIMIT))
}

/// Value of a joint in degrees or mm.
fn in_own_unit(joint: &Joint, value: f64) -> f64 {
    if joint.motion == Motion::Slide { 1000.0 * value } else { value.to_degrees() }
}

/// Value of a joint that does not move freely, in a pose (rad or m): as drawn, or that of the joint that it follows.
/// `None` for a value that follows in several steps.
fn expected(robot: &Robot, k: usize, pose: &BTreeMap<String, f64>, drawn: &[f64]) -> Option<f64> {
    let Some((other, factor, offset)) = &robot.joints[k].mimic else { return Some(drawn[k]) };
    let leader = *robot.joint_of.get(other)?;
    let is_free = robot.joints[leader].mimic.is_none();
    is_free.then(|| factor * pose.get(other).copied().unwrap_or(drawn[leader]) + offset)
}

/// Builds the poses, with the values of free joints alone. A pose outside the limits is left out.
pub(crate) fn poses(
    robot: &Robot,
    poses: &Poses,
    drawn: &[f64],
    (joints, names_of): &(Vec<ImportedJoint>, BTreeMap<usize, String>),
    collector: &mut Collector,
) -> Vec<ImportedPose> {
    let free: BTreeMap<&str, &ImportedJoint> =
        joints.iter().filter(|j| j.follows.is_none()).map(|j| (j.name.as_str(), j)).collect();
    let mut names = BTreeSet::new();
    let mut built = Vec::new();
    for (pose, values) in poses {
        let mut inside = true;
        let mut own = BTreeMap::new();
        for (name, value) in values {
            let Some(k) = robot.joint_of.get(name) else {
                collector.leave_out("values of missing joints", 1, &format!("{pose}: {name}"));
                continue;
            };
            let Some(free) = names_of.get(k).and_then(|name| free.get(name.as_str())) else {
                let known = expected(robot, *k, values, drawn);
                if known.is_none_or(|known| (known - value).abs() > SAME_VALUE) {
                    collector.leave_out("values of fixed and following joints", 1, &format!("{pose}: {name}"));
                }
                continue;
            };
            let value = in_own_unit(&robot.joints[*k], *value);
            inside &= value.abs() < NO_LIMIT && free.range.is_none_or(|[low, high]| low <= value && value <= high);
            own.insert(free.name.clone(), value);
        }
        let name = clean(pose).filter(|name| name != AS_DRAWN && names.insert(name.clone()));
        match name {
            Some(name) if inside => built.push(ImportedPose { name, values: own }),
            None => collector.leave_out("poses without a name of their own", 1, pose),
            _ => collector.leave_out("poses outside the limits of a joint", 1, pose),
        }
    }
    built
}
