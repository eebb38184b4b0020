//! Poses from the keyframes of a model, and joints that follow others by its equalities.

use crate::error::Error;
use crate::import::collect::Collector;
use crate::import::element::Element;
use crate::import::mjcf::bodies::{Bodies, Slot};
use crate::import::mjcf::models::Scopes;
use crate::import::robot::model::{Poses, Robot};
use std::collections::BTreeMap;

/// Poses of the keyframes, in rad and m. A keyframe with another number of positions is left out.
pub(crate) fn keyframes(root: &Element, bodies: &Bodies, collector: &mut Collector) -> Poses {
    let width = |slot: &Slot| if let Slot::Drawn(n) = slot { *n } else { 1 };
    let all: usize = bodies.slots.iter().map(width).sum();
    let mut poses = Poses::new();
    for (k, key) in root.all("keyframe").flat_map(|section| section.all("key")).enumerate() {
        let name = key.attribute("name").map_or_else(|| format!("key-{k}"), str::to_owned);
        if key.attribute("mpos").is_some() || key.attribute("mquat").is_some() {
            collector.leave_out("keyframes of mocap bodies", 1, &name);
            continue;
        }
        let Some(written) = key.attribute("qpos") else { continue };
        let values = crate::import::xml::numbers(written).unwrap_or_default();
        if values.len() != all {
            collector.leave_out("keyframes with another number of positions", 1, &name);
            continue;
        }
        let (mut at, mut pose) = (0, BTreeMap::new());
        for slot in &bodies.slots {
            if let Slot::Joint(joint) = slot {
                pose.insert(bodies.robot.joints[*joint].name.clone(), values[at]);
            }
            at += width(slot);
        }
        poses.insert(name, pose);
    }
    poses
}

/// Lets joints follow others by linear equalities of the model; counts other equalities.
///
/// # Errors
/// Refuses numbers that are none, and unknown classes.
pub(crate) fn followers(
    root: &Element,
    scopes: &Scopes,
    robot: &mut Robot,
    collector: &mut Collector,
) -> Result<(), Error> {
    for element in root.all("equality").flat_map(|section| &section.children) {
        let styled = scopes.styled(element, None)?;
        let linear = styled.overlaid::<11>("polycoef")?;
        let is_linear = linear.iter().skip(2).all(|c| c.is_none_or(|c| c == 0.0));
        let [offset, factor] = [linear[0].unwrap_or(0.0), linear[1].unwrap_or(1.0)];
        let joint = |key: &str| robot.joint_of.get(element.attribute(key).unwrap_or_default()).copied();
        let names = (joint("joint1"), joint("joint2"));
        match (element.name.as_str(), names, styled.get("active")) {
            ("joint", (Some(own), Some(other)), None | Some("true")) if is_linear && own != other => {
                let (own_zero, other_zero) = (robot.joints[own].reference, robot.joints[other].reference);
                let name = robot.joints[other].name.clone();
                robot.joints[own].mimic = Some((name, factor, own_zero + offset - factor * other_zero));
            }
            _ => collector.leave_out("equalities", 1, element.attribute("name").unwrap_or_default()),
        }
    }
    Ok(())
}
