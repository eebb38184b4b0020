//! The tree of joints of an assembly: joint values to the motion of each joint's frame, and the joints between two
//! parts.

use crate::geom::math::{Vec3, greater, lesser};
use crate::geom::pose::Pose;
use crate::motion::chain::{Chain, ChainJoint, Law};
use crate::motion::joint::{Joint, JointKind};
use crate::motion::loops::solution::Form;

/// Index of a joint in a [`Mechanism`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointIx(pub u32);

/// Coupling of a joint to another one: value = ratio · (value of the leader) + offset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Follow {
    /// The leading joint.
    pub leader: JointIx,
    /// Units of the follower for one unit of the leader, signed.
    pub ratio: f64,
    /// Value of the follower where the leader is 0.
    pub offset: f64,
}

/// A joint of a mechanism. Values are degrees for turns and screws, millimetres for slides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MechanismJoint {
    /// Kind and axis, as drawn.
    pub joint: Joint,
    /// Value as drawn.
    pub home: f64,
    /// Least and largest value; `None` without limits. A slide that follows no other joint has limits.
    pub range: Option<[f64; 2]>,
    /// Joint that this one stands on; `None` for the ground.
    pub on: Option<JointIx>,
    /// Coupling to another joint; `None` for a joint with a value of its own.
    pub follows: Option<Follow>,
}

impl MechanismJoint {
    /// Least and largest value by its own limits; without limits, one turn from the value as drawn.
    pub fn whole_range(&self) -> [f64; 2] {
        self.range.unwrap_or([self.home, self.home + 360.0])
    }
}

/// A loop: a pin that holds two links together. It determines the values of two joints.
///
/// The joints that carry one link alone, or the other alone, turn about axes parallel to the pin, or slide across it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loop {
    /// Joints that carry the two links.
    pub links: [JointIx; 2],
    /// A point of the pin's axis as drawn (mm).
    pub at: Vec3,
    /// Direction of the pin's axis, of length 1.
    pub axis: Vec3,
    /// Joints with the values that close the loop.
    pub solves: [JointIx; 2],
}

/// Computation of the values that depend on others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Step {
    /// Computes a follower.
    Follow(u32),
    /// Solves the loop with this index.
    Close(u32),
}

/// Joints that stand on each other and follow each other, both without a cycle, and loops.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mechanism {
    joints: Vec<MechanismJoint>,
    loops: Vec<Loop>,
    /// Joints in an order with each joint after the one that it stands on.
    by_stand: Vec<u32>,
    /// Followers and loops, each after the joints that it depends on.
    steps: Vec<Step>,
    /// Position of each joint among the solved joints of all loops, in the order of solution; `None` for the others.
    solved: Vec<Option<u32>>,
}

impl Mechanism {
    /// Orders the joints. Linear time.
    ///
    /// # Errors
    /// Returns the first cycle of `on` or of `follows`; every index must lie within `joints`.
    pub fn new(joints: Vec<MechanismJoint>) -> Result<Self, Vec<u32>> {
        let stand = |j: &MechanismJoint| j.on.map(|on| on.0);
        let lead = |j: &MechanismJoint| j.follows.map(|f| f.leader.0);
        let ordered = |next: fn(&MechanismJoint) -> Option<u32>| {
            let next: Vec<Option<u32>> = joints.iter().map(next).collect();
            sources_first(&next).map_err(|cycles| cycles.into_iter().next().unwrap_or_default())
        };
        let (by_stand, by_lead) = (ordered(stand)?, ordered(lead)?);
        let follows = |j: &u32| joints[*j as usize].follows.is_some();
        let steps = by_lead.into_iter().filter(follows).map(Step::Follow).collect();
        Ok(Self { by_stand, steps, solved: vec![None; joints.len()], loops: Vec::new(), joints })
    }

    /// Adds loops; every index must lie within the joints, and the solved joints within the ring of their loop.
    /// Quadratic in the number of loops.
    ///
    /// # Errors
    /// Returns the loops that cannot be solved one after another.
    pub fn with_loops(mut self, loops: Vec<Loop>) -> Result<Self, Vec<u32>> {
        let mut position = 0..;
        let unknown = |j: &JointIx| loops.iter().any(|l| l.solves.contains(j));
        let mut known: Vec<bool> = (0..self.joints.len() as u32)
            .map(|j| self.joints[j as usize].follows.is_none() && !unknown(&JointIx(j)))
            .collect();
        let (mut followers, mut open) = (std::mem::take(&mut self.steps), (0..loops.len() as u32).collect::<Vec<_>>());
        loop {
            let mut done = 0;
            followers.retain(|step| {
                let Step::Follow(j) = *step else { return true };
                let ready = self.joints[j as usize].follows.is_some_and(|f| known[f.leader.0 as usize]);
                if ready {
                    known[j as usize] = true;
                    self.steps.push(*step);
                    done += 1;
                }
                !ready
            });
            open.retain(|l| {
                let one = &loops[*l as usize];
                let waits = |j: &JointIx| !known[j.0 as usize] && !one.solves.contains(j);
                let ready = !self.ring(one).iter().flatten().any(waits);
                if ready {
                    for j in one.solves {
                        known[j.0 as usize] = true;
                        self.solved[j.0 as usize] = position.next();
                    }
                    self.steps.push(Step::Close(*l));
                    done += 1;
                }
                !ready
            });
            if done == 0 {
                break;
            }
        }
        self.loops = loops;
        if open.is_empty() { Ok(self) } else { Err(open) }
    }

    /// Joints that carry one link of a loop alone, for each link, from the link towards the ground. Without fixed
    /// joints.
    pub fn ring(&self, one: &Loop) -> [Vec<JointIx>; 2] {
        let moves = |j: &JointIx| self.joints[j.0 as usize].joint.kind != JointKind::Fixed;
        self.sides(Some(one.links[0]), Some(one.links[1])).map(|side| side.into_iter().filter(moves).collect())
    }

    /// The loops.
    pub fn loops(&self) -> &[Loop] {
        &self.loops
    }

    /// Loops in the order of their solution.
    pub fn closing(&self) -> impl Iterator<Item = &Loop> {
        let of = |step: &Step| if let Step::Close(l) = step { Some(&self.loops[*l as usize]) } else { None };
        self.steps.iter().filter_map(of)
    }

    /// All joints; a [`JointIx`] is an index into this list.
    pub fn joints(&self) -> &[MechanismJoint] {
        &self.joints
    }

    /// Joints with a value of their own: neither fixed, nor a follower, nor solved by a loop.
    pub fn free(&self) -> impl Iterator<Item = (JointIx, &MechanismJoint)> {
        (0..).map(JointIx).zip(&self.joints).filter(|(ix, _)| self.is_free(*ix))
    }

    /// True for a joint with a value of its own.
    pub fn is_free(&self, joint: JointIx) -> bool {
        let own = &self.joints[joint.0 as usize];
        own.follows.is_none() && own.joint.kind != JointKind::Fixed && !self.is_solved(joint)
    }

    /// True for a joint with a value that closes a loop.
    pub fn is_solved(&self, joint: JointIx) -> bool {
        self.solved[joint.0 as usize].is_some()
    }

    /// Forms of the values of all joints: `driven` joints as given, followers by their leaders, solved joints as terms
    /// of their own, the others at home.
    pub(super) fn forms(&self, driven: &[(JointIx, Form)]) -> Vec<Form> {
        let mut forms: Vec<Form> = self.joints.iter().map(|j| Form::constant(j.home)).collect();
        for (form, solved) in forms.iter_mut().zip(&self.solved) {
            if let Some(k) = solved {
                *form = Form { terms: vec![(*k, 1.0)], ..Form::default() };
            }
        }
        for (joint, form) in driven {
            forms[joint.0 as usize] = form.clone();
        }
        for step in &self.steps {
            let Step::Follow(j) = *step else { continue };
            if let Some(Follow { leader, ratio, offset }) = self.joints[j as usize].follows {
                forms[j as usize] = forms[leader.0 as usize].scaled(ratio, offset);
            }
        }
        forms
    }

    /// Values of all joints: `set` ones as given, followers by their leaders, the others at home. No loop is closed:
    /// solved joints keep the given values, or home.
    pub fn values(&self, set: &[(JointIx, f64)]) -> Vec<f64> {
        let given = set.iter().map(|(j, value)| (*j, Form::constant(*value)));
        let at_home = |(j, own): (JointIx, &MechanismJoint)| {
            (self.is_solved(j) && set.iter().all(|(s, _)| *s != j)).then(|| (j, Form::constant(own.home)))
        };
        let driven: Vec<(JointIx, Form)> =
            given.chain((0..).map(JointIx).zip(&self.joints).filter_map(at_home)).collect();
        self.forms(&driven).into_iter().map(|form| form.offset).collect()
    }

    /// Least and largest value (degrees, or mm for a slide) at which a joint with a value of its own and all joints
    /// that follow it keep their limits; infinite without limits. Its home stays inside. Joints that a loop solves do
    /// not count.
    pub fn limits(&self, joint: JointIx) -> [f64; 2] {
        let own = &self.joints[joint.0 as usize];
        let [mut low, mut high] = own.range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let (drawn, moved) = (self.values(&[(joint, own.home)]), self.values(&[(joint, own.home + 1.0)]));
        for (k, other) in self.joints.iter().enumerate().filter(|(k, _)| *k != joint.0 as usize) {
            let rate = moved[k] - drawn[k];
            let Some(range) = other.range.filter(|_| rate != 0.0) else { continue };
            let [p, q] = range.map(|value| own.home + (value - drawn[k]) / rate);
            low = greater(low, lesser(lesser(p, q), own.home));
            high = lesser(high, greater(greater(p, q), own.home));
        }
        [low, high]
    }

    /// Least and largest value to examine (degrees, or mm for a slide): the limits of the joint and of its followers. A
    /// joint without limits of its own takes `otherwise`, as far as its followers permit, if their limits are wider.
    pub fn examined_range(&self, joint: JointIx, otherwise: [f64; 2]) -> [f64; 2] {
        let limits = self.limits(joint);
        if limits[1] - limits[0] <= otherwise[1] - otherwise[0] || self.joints[joint.0 as usize].range.is_some() {
            return limits;
        }
        [greater(limits[0], otherwise[0]), lesser(limits[1], otherwise[1])]
    }

    /// Motion of each joint's frame at the values of all joints, `T(q) = E₁(q₁)·…·Eₖ(qₖ)` over the joints from the
    /// ground to this one (product of exponentials; Murray, Li & Sastry, "A Mathematical Introduction to Robotic
    /// Manipulation", 1994, §3.2). Maps points of the assembly as drawn to points after the motion.
    pub fn motions(&self, values: &[f64]) -> Vec<Pose> {
        let mut motions = vec![Pose::identity(); self.joints.len()];
        for &j in &self.by_stand {
            let MechanismJoint { joint, home, on, .. } = &self.joints[j as usize];
            let own = joint.motion(values[j as usize] - home);
            motions[j as usize] = on.map_or(own, |on| motions[on.0 as usize].after(&own));
        }
        motions
    }

    /// True if the parts moved by joint `a` and by joint `b` keep their relative pose at all values; `None` is a part
    /// at rest.
    pub fn is_static(&self, a: Option<JointIx>, b: Option<JointIx>) -> bool {
        let [of_a, of_b] = self.sides(a, b);
        of_a.iter().chain(&of_b).all(|j| self.joints[j.0 as usize].joint.kind == JointKind::Fixed)
    }

    /// Joints between a part moved by joint `a` and a part moved by joint `b`, without the joints that carry both;
    /// `None` is a part at rest. `drawn` are the poses of the two parts as drawn, `laws` those of all joints.
    pub fn chain_between(&self, a: Option<JointIx>, b: Option<JointIx>, drawn: [&Pose; 2], laws: &[Law]) -> Chain {
        let link = |j: &JointIx| {
            let MechanismJoint { joint, home, .. } = self.joints[j.0 as usize];
            ChainJoint { joint, law: laws[j.0 as usize].shifted(-home) }
        };
        let [of_a, of_b] = self.sides(a, b).map(|side| side.iter().map(link).collect::<Vec<_>>());
        Chain::new(drawn[0], drawn[1], &of_a, &of_b)
    }

    /// Joints between a part moved by joint `a` and a part moved by joint `b`, nearest B first, as in
    /// [`Self::chain_between`]; `None` is a part at rest.
    pub fn joints_between(&self, a: Option<JointIx>, b: Option<JointIx>) -> Vec<JointIx> {
        let [of_a, of_b] = self.sides(a, b);
        let moves = |j: &JointIx| self.joints[j.0 as usize].joint.kind != JointKind::Fixed;
        of_b.into_iter().chain(of_a.into_iter().rev()).filter(moves).collect()
    }

    /// Joints that carry one of two parts alone, from each part towards the ground.
    fn sides(&self, a: Option<JointIx>, b: Option<JointIx>) -> [Vec<JointIx>; 2] {
        let (mut of_a, mut of_b) = (self.carriers(a), self.carriers(b));
        let common = of_a.iter().rev().zip(of_b.iter().rev()).take_while(|(x, y)| x == y).count();
        of_a.truncate(of_a.len() - common);
        of_b.truncate(of_b.len() - common);
        [of_a, of_b]
    }

    /// Joints that carry a part moved by `joint`, from this one to the ground.
    pub fn carriers(&self, joint: Option<JointIx>) -> Vec<JointIx> {
        std::iter::successors(joint, |j| self.joints[j.0 as usize].on).collect()
    }
}

/// Orders the nodes of a graph with at most one successor each: every node comes after its successor.
///
/// # Errors
/// Returns all cycles, each from its node of least index along the successors.
pub fn sources_first(next: &[Option<u32>]) -> Result<Vec<u32>, Vec<Vec<u32>>> {
    /// Walk that visited a node first; 0 before a visit.
    const UNSEEN: u32 = 0;
    let mut walk_of = vec![UNSEEN; next.len()];
    let (mut order, mut cycles) = (Vec::with_capacity(next.len()), Vec::new());
    for (start, walk) in (0..next.len() as u32).zip(1..) {
        let mut path = Vec::new();
        let mut at = Some(start);
        while let Some(node) = at.filter(|n| walk_of[*n as usize] == UNSEEN) {
            walk_of[node as usize] = walk;
            path.push(node);
            at = next[node as usize];
        }
        if let Some(from) = at.and_then(|node| path.iter().position(|n| *n == node)) {
            let mut cycle = path[from..].to_vec();
            let least = (0..cycle.len()).min_by_key(|k| cycle[*k]).unwrap_or(0);
            cycle.rotate_left(least);
            cycles.push(cycle);
        }
        order.extend(path.into_iter().rev());
    }
    if cycles.is_empty() { Ok(order) } else { Err(cycles) }
}
