//! Runs: the joint values that a check covers, as laws of all joints over a box of parameters.

use crate::motion::chain::{Cell, Law};
use crate::motion::mechanism::JointIx;
use std::collections::VecDeque;

/// Name of the drawing among the runs: no joint moves.
pub const AS_DRAWN: &str = "as-drawn";

/// Name of the sweep of all joints at once.
pub const ALL_JOINTS: &str = "all-joints";

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

/// Number of cells of a segment with one parameter.
const CELLS: usize = 64;

/// Excess of a solved value over a limit that counts as rounding (degrees or mm): of limits written with some digits,
/// and of the solution.
const LIMIT_SLACK: f64 = 1e-6;

/// Largest number of boxes in the search for a solved value outside of its limits.
const MAX_LIMIT_CELLS: usize = 4096;

impl Segment {
    /// Equal cells that cover the parameters: 64 for one, 8 × 8 for two, fewer steps for more; none for a pose.
    pub fn cells(&self) -> Vec<Cell> {
        if self.ranges.is_empty() {
            return Vec::new();
        }
        let mut steps: usize = 1;
        while (steps + 1).checked_pow(self.ranges.len() as u32).is_some_and(|all| all <= CELLS) {
            steps += 1;
        }
        let mut cells = vec![Cell { center: Vec::new(), half: Vec::new() }];
        for [from, to] in &self.ranges {
            let end = |k: usize| if k == steps { *to } else { from + (to - from) * (k as f64 / steps as f64) };
            let parts: Vec<Cell> = (0..steps).map(|k| Cell::between(end(k), end(k + 1))).collect();
            if self.ranges.len() == 1 {
                return parts;
            }
            let with = |cell: &Cell, part: &Cell| Cell {
                center: [cell.center.as_slice(), &part.center].concat(),
                half: [cell.half.as_slice(), &part.half].concat(),
            };
            cells = cells.iter().flat_map(|cell| parts.iter().map(move |part| with(cell, part))).collect();
        }
        cells
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
