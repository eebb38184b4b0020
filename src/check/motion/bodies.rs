//! Groups the instances that keep their relative pose in a run.

use crate::assembly::{Assembly, RuleTable};
use crate::motion::{JointIx, JointKind, Mechanism, Segment};
use std::collections::BTreeMap;

/// Values of the joints over a run.
pub(crate) struct Travel {
    /// Values at the start.
    pub start: Vec<f64>,
    /// Least value of each joint.
    pub from: Vec<f64>,
    /// Largest value of each joint.
    pub to: Vec<f64>,
    /// True for each joint with a value away from home.
    pub displaced: Vec<bool>,
    /// True for each joint with more than one value.
    pub swept: Vec<bool>,
}

impl Travel {
    pub(crate) fn of(mechanism: &Mechanism, segments: &[Segment]) -> Self {
        let at_start = |s: &Segment| {
            let q: Vec<f64> = s.ranges.iter().map(|r| r[0]).collect();
            s.laws.iter().map(|law| law.value(&q)).collect::<Vec<f64>>()
        };
        let start = segments.first().map(at_start).unwrap_or_default();
        let mut travel =
            Self { from: start.clone(), to: start.clone(), start, displaced: Vec::new(), swept: Vec::new() };
        for segment in segments {
            for k in 0..travel.start.len() {
                let [from, to] = segment.values_of(JointIx(k as u32));
                travel.from[k] = travel.from[k].min(from);
                travel.to[k] = travel.to[k].max(to);
            }
        }
        for (joint, (from, to)) in mechanism.joints().iter().zip(travel.from.iter().zip(&travel.to)) {
            let moves = joint.joint.kind != JointKind::Fixed;
            travel.swept.push(moves && from < to);
            travel.displaced.push(moves && (*from != joint.home || *to != joint.home));
        }
        travel
    }
}

/// Bodies of a run: instances with the same chosen joints below them keep their relative pose.
pub(crate) struct Bodies {
    /// Body of each instance: its nearest chosen joint; `None` for the ground.
    of: Vec<Option<JointIx>>,
}

impl Bodies {
    /// Bodies under the chosen joints.
    pub(crate) fn of(assembly: &Assembly, chosen: &[bool]) -> Self {
        let nearest = |joint: Option<JointIx>| {
            assembly.motion.mechanism.carriers(joint).into_iter().find(|j| chosen[j.0 as usize])
        };
        let of_joint: Vec<Option<JointIx>> = (0..chosen.len() as u32).map(|j| nearest(Some(JointIx(j)))).collect();
        Self { of: assembly.instances.iter().map(|i| i.joint.and_then(|j| of_joint[j.0 as usize])).collect() }
    }

    /// One body of all instances.
    pub(crate) fn whole(instances: usize) -> Self {
        Self { of: vec![None; instances] }
    }

    /// True if two instances belong to different bodies.
    pub(crate) fn differ(&self, a: u32, b: u32) -> bool {
        self.of.get(a as usize) != self.of.get(b as usize)
    }

    /// Number of pairs inside the bodies.
    pub(crate) fn pairs(&self) -> u64 {
        self.members().values().map(|m| m.len() as u64 * (m.len() as u64).saturating_sub(1) / 2).sum()
    }

    /// Number of ignored pairs inside the bodies.
    pub(crate) fn ignored(&self, rules: &RuleTable) -> u64 {
        self.members().values().map(|members| rules.ignored_among(members)).sum()
    }

    fn members(&self) -> BTreeMap<Option<JointIx>, Vec<u32>> {
        let mut members: BTreeMap<Option<JointIx>, Vec<u32>> = BTreeMap::new();
        for (body, instance) in self.of.iter().zip(0..) {
            members.entry(*body).or_default().push(instance);
        }
        members
    }
}
