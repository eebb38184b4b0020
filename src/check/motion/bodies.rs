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
    /// Number of pairs inside the bodies.
    pairs: u64,
}

impl Bodies {
    /// Bodies under the chosen joints.
    pub(crate) fn of(assembly: &Assembly, chosen: &[bool]) -> Self {
        let nearest = |joint: Option<JointIx>| {
            assembly.motion.mechanism.carriers(joint).into_iter().find(|j| chosen[j.0 as usize])
        };
        let of_joint: Vec<Option<JointIx>> = (0..chosen.len() as u32).map(|j| nearest(Some(JointIx(j)))).collect();
        let of: Vec<_> = assembly.instances.iter().map(|i| i.joint.and_then(|j| of_joint[j.0 as usize])).collect();
        // Members of the ground, then those of each joint.
        let mut sizes = vec![0_u64; chosen.len() + 1];
        for body in &of {
            sizes[body.map_or(0, |j| j.0 as usize + 1)] += 1;
        }
        Self { of, pairs: sizes.into_iter().map(pairs_of).sum() }
    }

    /// One body of all instances.
    pub(crate) fn whole(instances: usize) -> Self {
        Self { of: vec![None; instances], pairs: pairs_of(instances as u64) }
    }

    /// True if two instances belong to different bodies.
    pub(crate) fn differ(&self, a: u32, b: u32) -> bool {
        self.of.get(a as usize) != self.of.get(b as usize)
    }

    /// Number of pairs inside the bodies.
    pub(crate) fn pairs(&self) -> u64 {
        self.pairs
    }

    /// Number of ignored pairs inside the bodies.
    pub(crate) fn ignored(&self, rules: &RuleTable) -> u64 {
        if rules.ignores_none() { 0 } else { self.members().values().map(|m| rules.ignored_among(m)).sum() }
    }

    fn members(&self) -> BTreeMap<Option<JointIx>, Vec<u32>> {
        let mut members: BTreeMap<Option<JointIx>, Vec<u32>> = BTreeMap::new();
        for (body, instance) in self.of.iter().zip(0..) {
            members.entry(*body).or_default().push(instance);
        }
        members
    }
}

/// Number of pairs of some instances.
fn pairs_of(count: u64) -> u64 {
    count * count.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembly::NewJoint;
    use crate::geom::{Affine, LengthUnit, Vec3};
    use crate::testkit::solids::block;

    #[test]
    fn pairs_inside_the_bodies_are_those_that_do_not_differ() {
        let mut builder = Assembly::builder("bodies", LengthUnit::Mm).part("cube", block([0.0; 3], [1.0; 3]));
        for k in 0..7 {
            builder = builder.instance(format!("i{k}"), "cube", Affine::identity());
        }
        let joint = || NewJoint::revolute(Vec3::z(), Vec3::zeros()).range(0.0, 90.0);
        let builder = builder.joint("a", joint().moves("i0").moves("i1").moves("i2")).joint("b", joint().moves("i3"));
        let assembly = builder.joint("c", joint().moves("i4").on("b")).build().expect("a valid assembly");
        for chosen in [[false, false, false], [true, false, false], [true, true, false], [true, true, true]] {
            let bodies = Bodies::of(&assembly, &chosen);
            let all = (0..7).flat_map(|a| (a + 1..7).map(move |b| (a, b)));
            assert_eq!(bodies.pairs(), all.filter(|(a, b)| !bodies.differ(*a, *b)).count() as u64, "{chosen:?}");
        }
        assert_eq!(Bodies::whole(7).pairs(), 21);
    }
}
