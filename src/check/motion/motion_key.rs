//! Identifies the motion of a pair over a run, and measures its failing parts: what a baseline compares.

use crate::check::motion::sweep::{SweepAnswer, SweepQuery, radius};
use crate::check::pairs::canonical_pose;
use crate::motion::{Cell, Chain, Frame, JointKind};

/// Number of cells of a failing part for the length of its path: a turn in a few dozen chords.
const TRAVEL_CELLS: usize = 32;

/// Hash of both shapes and of their motion over the run.
pub(crate) fn inputs(query: &SweepQuery<'_>) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for shape in [query.first, query.second] {
        shape.identify(&mut hasher);
    }
    for (chain, segment, _) in &query.segments {
        let numbers = numbers_of(chain).into_iter().chain(segment.ranges.iter().flatten().copied());
        numbers.for_each(|x| {
            hasher.update(&x.to_le_bytes());
        });
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_be_bytes(first)
}

/// All numbers of a chain.
fn numbers_of(chain: &Chain) -> Vec<f64> {
    let mut numbers = canonical_pose::numbers(&chain.drawn).to_vec();
    for joint in &chain.joints {
        let kind = match joint.joint.kind {
            JointKind::Revolute => [0.0, 0.0],
            JointKind::Prismatic => [1.0, 0.0],
            JointKind::Screw { lead } => [2.0, lead],
            JointKind::Fixed => [3.0, 0.0],
        };
        numbers.extend(joint.joint.axis.iter().chain(joint.joint.at.iter()).copied().chain(kind));
        numbers.extend(joint.law.rates.iter().copied().chain([joint.law.offset]));
    }
    numbers
}

/// Bounds the path of the second shape over the failing parts, seen from the first one (mm, >= 0): twice the displacement
/// from the middle of each of some equal cells.
pub(crate) fn failing_travel(query: &SweepQuery<'_>, answer: &SweepAnswer) -> f64 {
    let mut travel = 0.0;
    for (found, (chain, _, _)) in answer.segments.iter().zip(&query.segments) {
        for part in found.failing.iter().flatten() {
            let [from, to] = [&part.from[1], &part.to[0]];
            let at = |k: usize, p: usize| from[p] + (to[p] - from[p]) * (k as f64 / TRAVEL_CELLS as f64);
            for k in 0..TRAVEL_CELLS {
                let cells: Vec<Cell> = (0..from.len()).map(|p| Cell::between(at(k, p), at(k + 1, p))).collect();
                let cell = Cell {
                    center: cells.iter().flat_map(|c| c.center.clone()).collect(),
                    half: cells.iter().flat_map(|c| c.half.clone()).collect(),
                };
                let frame = Frame::new(chain, &cell);
                travel += 2.0 * frame.spread_of_ball(&frame.pose.translation, radius(query.second)).displacement;
            }
        }
    }
    travel
}
