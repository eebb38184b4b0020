//! Results of the joints and runs of an assembly. Lengths in mm, angles in degrees.

use crate::assembly::Assembly;
use crate::check::{ClearedBy, Counts, DEFAULT_SWEEP_CELLS, PairOutcome, Status};
use crate::error::Location;
use crate::geom::Vec3;
use crate::motion::{AS_DRAWN, JointIx, JointKind};
use serde::{Deserialize, Serialize};

/// Joints, runs and their results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MotionOutcome {
    /// Joints in the order of the files.
    pub joints: Vec<JointOutcome>,
    /// Checked runs: poses, then sweeps, in the order of the file.
    pub runs: Vec<RunOutcome>,
    /// Names of the runs that this check leaves out; `as-drawn` is the drawing.
    pub left_out: Vec<String>,
    /// Largest number of tests for each pair of a sweep.
    pub sweep_cells: u64,
    /// True if the check was asked for the staircases of all listed rows.
    pub lists_curves: bool,
}

/// A joint in the outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointOutcome {
    /// Full name.
    pub name: String,
    /// Type as in the assembly file.
    pub kind: String,
    /// Direction of the axis (unit vector, root frame, as drawn).
    pub axis: Vec3,
    /// A point of the axis (mm, root frame, as drawn).
    pub at: Vec3,
    /// Travel for one turn (mm, signed); `None` unless it is a screw.
    pub lead: Option<f64>,
    /// Value as drawn.
    pub home: f64,
    /// Least and largest value; `None` without limits.
    pub range: Option<[f64; 2]>,
    /// Index of the joint that it stands on; `None` for the ground.
    pub on: Option<u32>,
    /// Index of the joint that it follows.
    pub follows: Option<u32>,
    /// True if its value closes a loop.
    pub solved: bool,
    /// Number of instances that it moves itself.
    pub instances: u64,
}

impl JointOutcome {
    /// True for a joint with a value of its own: it follows no other one, and closes no loop.
    pub fn has_own_value(&self) -> bool {
        self.follows.is_none() && !self.solved
    }
}

/// Values of a joint over a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointTravel {
    /// Index in [`MotionOutcome::joints`].
    pub joint: u32,
    /// Least value.
    pub from: f64,
    /// Largest value.
    pub to: f64,
}

/// Joint values on a part of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointSpan {
    /// Segment of a path: from configuration `segment` to the next one, from 0; 0 for a sweep of joints.
    pub segment: u32,
    /// Values of joints at the start of the part (`from`) and at its end (`to`), in the order of the run.
    pub joints: Vec<JointTravel>,
}

/// A part of a sweep that breaks a limit. Each end is a bracket of joint values, in the order of the run; its inner
/// side breaks the limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailingPart {
    /// Status of the poses inside.
    pub status: Status,
    /// Bracket of the start.
    pub from: JointSpan,
    /// Bracket of the end.
    pub to: JointSpan,
    /// True if every pose in between is shown to break the limit; false if some are unknown.
    pub throughout: bool,
}

/// A part of a sweep with bounds of its least gap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurvePart {
    /// Values of the joints at the start of the part and at its end.
    pub span: JointSpan,
    /// Certified lower bound of the least gap (mm, signed); `None` without one.
    pub lower: Option<f64>,
    /// Certified upper bound of the least gap (mm, signed); `None` without one.
    pub upper: Option<f64>,
}

/// A pair over all joint values of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweptPair {
    /// Share of the run with a proof of the status (0 to 1).
    pub proved: f64,
    /// Values of the joints of the run at the worst pose known; the measures of the row belong to this pose.
    pub worst: Option<JointSpan>,
    /// Bracket of the first pose within tolerance and clearance, if one is known.
    pub first: Option<JointSpan>,
    /// Parts that break a limit, in the order of the run; `None` for a pair that several joint values move.
    pub failing: Option<Vec<FailingPart>>,
    /// Parts without a proof, the first [`SweptPair::MAX_OPEN`] of them.
    pub open: Vec<JointSpan>,
    /// Number of parts without a proof.
    pub open_count: u64,
    /// Number of tests of two nodes or triangles.
    pub tests: u64,
    /// Number of cells of joint values.
    pub cells: u64,
    /// Slack granted to each limit (mm, >= 0).
    pub margin: f64,
    /// Number of segments of the run.
    pub segments: u32,
    /// Length of the path of the second instance, seen from the first one, over the failing parts: for the point that
    /// moves most, rounded up (mm, >= 0).
    pub failing_travel: f64,
    /// Staircase of the gap in the order of the run, if the check was asked for it; `None` for a pair that several
    /// joint values move.
    pub curve: Option<Vec<CurvePart>>,
}

impl SweptPair {
    /// Largest number of listed parts without a proof.
    pub const MAX_OPEN: usize = 16;
}

/// Result of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunOutcome {
    /// Name of the run.
    pub name: String,
    /// `pose`, `path` or `box`.
    pub kind: String,
    /// Location of its definition.
    pub at: Location,
    /// Hash of the joint values that it covers, in their order.
    pub definition: u64,
    /// Joints away from home.
    pub joints: Vec<JointTravel>,
    /// Number of checked pairs: the moving ones, and those under another rule than as drawn.
    pub pairs: u64,
    /// Number of pairs that the run moves.
    pub moving: u64,
    /// Checked pairs by status; the sum is `pairs`.
    pub counts: Counts,
    /// Clear pairs by stage.
    pub cleared_by: ClearedBy,
    /// Clear pairs of a sweep whose balls stay apart.
    pub cleared_by_swept_balls: u64,
    /// Rows as in [`Outcome::pairs`](crate::check::Outcome::pairs), for the checked pairs alone.
    pub rows: Vec<PairOutcome>,
    /// Largest slack granted to a limit by the triangles of a pair (mm, >= 0); 0 for a pose.
    pub margin: f64,
    /// Reason of the undecided pairs of a sweep.
    pub undecided_because: Option<String>,
}

/// One reason of several, the same in every order of the pairs.
pub(crate) fn least_reason(reasons: [Option<String>; 2]) -> Option<String> {
    reasons.into_iter().flatten().min()
}

impl RunOutcome {
    /// True for a run over a range of joint values.
    pub fn is_sweep(&self) -> bool {
        self.kind != "pose"
    }
}

impl MotionOutcome {
    /// True without a joint, a run and a run left out.
    pub(crate) fn is_empty(&self) -> bool {
        self.joints.is_empty() && self.runs.is_empty() && self.left_out.is_empty()
    }

    /// Describes the joints of an assembly, without a run.
    pub(crate) fn of(assembly: &Assembly) -> Self {
        let motion = &assembly.motion;
        let mut instances = vec![0; motion.joints.len()];
        for joint in assembly.instances.iter().filter_map(|instance| instance.joint) {
            instances[joint.0 as usize] += 1;
        }
        let joints = motion.joints.iter().zip(motion.mechanism.joints()).zip(instances).zip(0..);
        let describe = |(((named, own), instances), k): (
            ((&crate::assembly::NamedJoint, &crate::motion::MechanismJoint), u64),
            u32,
        )| {
            let (kind, lead) = match own.joint.kind {
                JointKind::Revolute => ("revolute", None),
                JointKind::Prismatic => ("prismatic", None),
                JointKind::Screw { lead } => ("screw", Some(lead)),
                JointKind::Fixed => ("fixed", None),
            };
            JointOutcome {
                name: named.name.clone(),
                kind: kind.to_owned(),
                axis: own.joint.axis,
                at: own.joint.at,
                lead,
                home: own.home,
                range: own.range,
                on: own.on.map(|j| j.0),
                follows: own.follows.map(|f| f.leader.0),
                solved: motion.mechanism.is_solved(JointIx(k)),
                instances,
            }
        };
        Self {
            joints: joints.map(describe).collect(),
            runs: Vec::new(),
            left_out: Vec::new(),
            sweep_cells: DEFAULT_SWEEP_CELLS,
            lists_curves: false,
        }
    }

    /// The joints, without runs.
    pub(crate) fn joints_alone(&self) -> Self {
        Self { joints: self.joints.clone(), runs: Vec::new(), left_out: Vec::new(), ..*self }
    }

    /// True if this check leaves the drawing out.
    pub fn is_without_drawing(&self) -> bool {
        self.left_out.iter().any(|name| name == AS_DRAWN)
    }
}
