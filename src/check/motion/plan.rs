//! The segments of a run, and the instances that it moves.

use crate::assembly::motion::loops::beyond_motion;
use crate::assembly::{Assembly, NamedRun, RuleTable};
use crate::check::motion::RunChecker;
use crate::check::motion::bodies::{Bodies, Travel};
use crate::check::motion::motion_key;
use crate::check::motion::outcome::JointTravel;
use crate::check::motion::sweep::Effort;
use crate::check::motion::swept::Sweeps;
use crate::check::pairs::shard::SweptShare;
use crate::check::stages::answers::Checker;
use crate::error::{Error, Problem};
use crate::motion::Segment;

/// A run before its pairs are asked.
pub(crate) struct RunPlan {
    /// Segments of the run, with cells that cover their parameters.
    pub segments: Vec<Segment>,
    pub travel: Travel,
    /// Instances that keep their relative pose on the way.
    pub swept: Bodies,
    /// Joints away from home.
    pub joints: Vec<JointTravel>,
    /// Hash of the joint values.
    pub definition: u64,
}

impl RunPlan {
    /// Plans a run.
    ///
    /// # Errors
    /// Refuses joint values that drive a loop beyond its motion.
    pub(crate) fn of(assembly: &Assembly, run: &NamedRun) -> Result<Self, Error> {
        let mechanism = &assembly.motion.mechanism;
        let segments = mechanism.segments(&run.kind).map_err(|stop| {
            let (what, fix) = beyond_motion(&assembly.motion.joint_names(), mechanism, &stop, assembly.units);
            Error { problems: vec![Problem::new(run.at.clone(), what, fix)] }
        })?;
        Ok(Self::with(assembly, run, segments))
    }

    /// Plans a run with known segments.
    pub(crate) fn with(assembly: &Assembly, run: &NamedRun, segments: Vec<Segment>) -> Self {
        let mechanism = &assembly.motion.mechanism;
        let travel = Travel::of(mechanism, &segments);
        let swept = Bodies::of(assembly, &travel.swept);
        let joints = travel.joints(mechanism);
        let definition = motion_key::definition(&assembly.motion, run, &segments);
        Self { segments, travel, swept, joints, definition }
    }

    /// The pairs that the run sweeps past each other: those of a share; `rank` orders the instances by id.
    pub(crate) fn sweeps<'a>(
        &'a self,
        run: &'a RunChecker<'a>,
        checker: &'a Checker<'a>,
        rules: &'a RuleTable,
        (rank, share): (&'a [u32], SweptShare<'a>),
        effort: Effort,
    ) -> Sweeps<'a> {
        let Self { segments, swept, joints, .. } = self;
        Sweeps { run, checker, rules, swept, segments, joints, rank, effort, share }
    }
}
