//! The joints that a sweep can move, and the sweep of all of them at once.

use crate::assembly::Assembly;
use crate::assembly::motion::{Motion, NamedRun};
use crate::motion::{ALL_JOINTS, JointIx, RunKind};

impl Motion {
    /// Adds a sweep of all joints with a value of their own, over every combination of the values that keep their
    /// limits and those of their followers; a joint without limits makes one turn. Its name is [`ALL_JOINTS`], with a
    /// number if a run has this name. Returns false, and adds none, without such joints.
    pub fn sweep_all(&mut self) -> bool {
        let swept: Vec<_> =
            self.mechanism.free().map(|(ix, j)| (ix, self.mechanism.examined_range(ix, j.whole_range()))).collect();
        let Some((first, _)) = swept.first() else { return false };
        let at = self.joints[first.0 as usize].at.clone();
        let mut name = ALL_JOINTS.to_owned();
        for n in 2.. {
            if self.runs.iter().all(|run| run.name != name) {
                break;
            }
            name = format!("{ALL_JOINTS}-{n}");
        }
        self.runs.push(NamedRun { name, at, kind: RunKind::Box { swept, rest: Vec::new() } });
        true
    }
}

impl Assembly {
    /// Joints with a value of their own that moves a part: one on the joint, or on a joint that stands on it, follows
    /// it, or closes a loop that it drives. In the order of the file. Cost: linear, without loops.
    pub fn joints_to_sweep(&self) -> Vec<JointIx> {
        let mechanism = &self.motion.mechanism;
        let joints = mechanism.joints();
        let mut moving = vec![false; joints.len()];
        let mut waiting: Vec<JointIx> = self.instances.iter().filter_map(|instance| instance.joint).collect();
        while let Some(JointIx(k)) = waiting.pop() {
            if !std::mem::replace(&mut moving[k as usize], true) {
                let joint = &joints[k as usize];
                waiting.extend(joint.on.into_iter().chain(joint.follows.map(|follow| follow.leader)));
                let solving = mechanism.loops().iter().filter(|l| l.solves.contains(&JointIx(k)));
                waiting.extend(solving.flat_map(|one| mechanism.ring(one).concat()));
            }
        }
        mechanism.free().map(|(ix, _)| ix).filter(|ix| moving[ix.0 as usize]).collect()
    }
}
