//! Runs: the joint values that a check covers, as laws of all joints over a box of parameters.

use crate::motion::chain::{Cell, Law};
use crate::motion::mechanism::JointIx;
use std::collections::VecDeque;
use std::ops::Range;

/// Name of the drawing among the runs: no joint moves.
pub const AS_DRAWN: &str = "as-drawn";

/// Name of the sweep of all joints at once.
pub const ALL_JOINTS: &str = "all-joints";

/// Name for a new sweep of a joint, other than those taken.
pub(crate) fn sweep_name(joint: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut name = joint.replace('/', "-");
    while is_taken(&name) {
        name.push('+');
    }
    name
}

/// Joint values of a run. Joints without a value are at home.
#[derive(Debug, Clone, PartialEq)]
pub enum RunKind {
    /// One value of each joint.
    Pose {
        /// Values of the set joints.
        set: Vec<(JointIx, f64)>,
    },
    /// Configurations one after another; joints move linearly between them.
    Path {
        /// Values of the set joints at each configuration, two or more.
        configurations: Vec<Vec<(JointIx, f64)>>,
    },
    /// Every combination of the values of some joints.
    Box {
        /// Swept joints with their least and largest value.
        swept: Vec<(JointIx, [f64; 2])>,
        /// Values of other joints.
        rest: Vec<(JointIx, f64)>,
    },
}

impl RunKind {
    /// Name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pose { .. } => "pose",
            Self::Path { .. } => "path",
            Self::Box { .. } => "box",
        }
    }
}

/// A part of a run over which every joint value is linear in the parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// Law of each joint of the mechanism.
    pub laws: Vec<Law>,
    /// Least and largest value of each parameter; empty for a pose.
    pub ranges: Vec<[f64; 2]>,
}

/// Number of cells of a segment with one parameter, a power of two.
const CELLS: usize = 64;

/// Excess of a solved value over a limit that counts as rounding (degrees or mm): of limits written with some digits,
/// and of the solution.
const LIMIT_SLACK: f64 = 1e-6;

/// Largest number of boxes in the search for a solved value outside of its limits.
const MAX_LIMIT_CELLS: usize = 4096;

impl Segment {
    /// Number of equal cells that cover the parameters: 64 for one, 8 × 8 for two, fewer steps for more; none for a
    /// pose.
    pub fn cell_count(&self) -> usize {
        if self.ranges.is_empty() { 0 } else { self.steps().pow(self.ranges.len() as u32) }
    }

    /// Smallest cell around some of the equal cells, at least one. The last parameter counts fastest.
    pub fn cell(&self, cells: Range<usize>) -> Cell {
        let (steps, mut stride) = (self.steps(), self.cell_count());
        let part = |[from, to]: &[f64; 2]| {
            stride /= steps;
            let all = cells.clone().map(|k| k / stride % steps);
            let [first, last] = all.fold([steps, 0], |[first, last], k| [first.min(k), last.max(k + 1)]);
            let end = |k: usize| if k == steps { *to } else { from + (to - from) * (k as f64 / steps as f64) };
            [end(first), end(last)]
        };
        Cell::around(&self.ranges.iter().map(part).collect::<Vec<_>>())
    }

    /// Number of equal parts of each parameter: a power of two, with at most [`CELLS`] cells in all.
    fn steps(&self) -> usize {
        1 << (CELLS.ilog2() as usize / self.ranges.len().max(1))
    }

    /// A value of a solved joint outside of its limits, by more than [`LIMIT_SLACK`]; `None` without one. For several
    /// parameters, a search of limited cost finds it.
    pub fn solved_outside(&self, joint: JointIx, [low, high]: [f64; 2]) -> Option<f64> {
        let law = &self.laws[joint.0 as usize];
        let beyond = |value: f64, by: f64| value < low - by || value > high + by;
        if self.ranges.len() < 2 {
            return self.values_of(joint).into_iter().find(|value| beyond(*value, LIMIT_SLACK));
        }
        let mut queue = VecDeque::from([self.ranges.clone()]);
        for _ in 0..MAX_LIMIT_CELLS {
            let ranges = queue.pop_front()?;
            let cell = Cell::around(&ranges);
            let over = law.over(&cell, law.solved.as_ref().map(|own| own.over(&cell)).as_ref());
            if beyond(over.value, LIMIT_SLACK) {
                return Some(over.value);
            }
            if !beyond(over.value - over.reach, LIMIT_SLACK) && !beyond(over.value + over.reach, LIMIT_SLACK) {
                continue;
            }
            let share = |p: &usize| (ranges[*p][1] - ranges[*p][0]) / (self.ranges[*p][1] - self.ranges[*p][0]);
            let moves = (0..ranges.len()).filter(|p| ranges[*p][0] < ranges[*p][1]);
            let widest = moves.max_by(|p, q| share(p).total_cmp(&share(q)).then(q.cmp(p)))?;
            for half in [[ranges[widest][0], cell.center[widest]], [cell.center[widest], ranges[widest][1]]] {
                let mut ranges = ranges.clone();
                ranges[widest] = half;
                queue.push_back(ranges);
            }
        }
        None
    }

    /// Least and largest value of a joint over the segment.
    pub fn values_of(&self, joint: JointIx) -> [f64; 2] {
        self.laws[joint.0 as usize].value_range(&self.ranges)
    }
}
