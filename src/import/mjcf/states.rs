//! Poses from the keyframes of a model, and joints that follow others by its equalities.

use crate::error::Error;
use crate::import::collect::Collector;
use crate::import::element::Element;
use crate::import::mjcf::bodies::{Bodies, Slot};
use crate::import::mjcf::models::Scopes;
use crate::import::names::Siblings;
use crate::import::robot::model::{Poses, Robot};
use std::collections::BTreeMap;

/// Poses of the keyframes, in rad and m. A keyframe with another number of positions is left out.
pub(crate) fn keyframes(root: &Element, bodies: &Bodies, collector: &mut Collector) -> Poses {
    let width = |slot: &Slot| if let Slot::Drawn(n) = slot { *n } else { 1 };
    let all: usize = bodies.slots.iter().map(width).sum();
    let has_drawn = bodies.slots.iter().any(|slot| matches!(slot, Slot::Drawn(_)));
    let mut poses = Poses::new();
    let keys = || root.all("keyframe").flat_map(|section| section.all("key"));
    let mut names = Siblings::default();
    keys().filter_map(|key| key.attribute("name")).for_each(|name| names.reserve(name));
    for (k, key) in keys().enumerate() {
        let name = key.attribute("name").map_or_else(|| names.unique(format!("key-{k}")), str::to_owned);
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
        if has_drawn {
            collector.leave_out("positions of free and ball joints", 1, &name);
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

/// True if an option of the model disables a part of the simulation.
pub(crate) fn is_disabled(root: &Element, part: &str) -> bool {
    let flags = root.all("option").flat_map(|option| option.all("flag"));
    flags.filter_map(|flag| flag.attribute(part)).last() == Some("disable")
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
    let disabled = is_disabled(root, "equality");
    for element in root.all("equality").flat_map(|section| &section.children) {
        let styled = scopes.styled(element, None)?.of_kind("equality");
        let linear = styled.overlaid::<11>("polycoef")?;
        let is_linear = linear.iter().skip(2).all(|c| c.is_none_or(|c| c == 0.0));
        let [offset, factor] = [linear[0].unwrap_or(0.0), linear[1].unwrap_or(1.0)];
        let joint = |key: &str| robot.joint_of.get(element.attribute(key).unwrap_or_default()).copied();
        let names = (joint("joint1"), joint("joint2"));
        match (element.name.as_str(), names, styled.get("active")) {
            ("joint", (Some(own), Some(other)), None | Some("true")) if is_linear && own != other && !disabled => {
                let (own_zero, other_zero) = (robot.joints[own].reference, robot.joints[other].reference);
                let name = robot.joints[other].name.clone();
                robot.joints[own].mimic = Some((name, factor, own_zero + offset - factor * other_zero));
            }
            _ => collector.leave_out("equalities", 1, element.attribute("name").unwrap_or_default()),
        }
    }
    Ok(())
}
