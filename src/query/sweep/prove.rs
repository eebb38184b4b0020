//! Proves that two surfaces never come within a distance during a run of one parameter.
//!
//! One branch and bound over (node of A) × (node of B) × (interval of the run), depth first, earlier intervals first.
//! docs/explanation/motion.md, claim 5.

use crate::geom::Vec3;
use crate::geom::triangle::{closest, intersects};
use crate::query::sweep::body::{Body, MovingPair};
use crate::query::sweep::cells::{Cells, merged};
use crate::query::sweep::tree::SweepTree;

/// Share of the larger node's radius: an interval with a larger displacement is split before the nodes are.
const SPLIT_INTERVAL_ABOVE: f64 = 0.5;

/// Two surfaces on their way, with the margins of every proof.
#[derive(Clone, Copy)]
pub(crate) struct Course<'a> {
    /// Tree of A, in A's frame.
    pub a: &'a SweepTree<'a>,
    /// Tree of B, in B's frame.
    pub b: &'a SweepTree<'a>,
    /// Rounding margin of every bound (mm, > 0).
    pub margin: f64,
    /// Displacement within an interval below which it is not split further (mm, > 0).
    pub floor: f64,
}

/// Surfaces within the distance at one value of the parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Violation {
    /// Value of the parameter.
    pub at: f64,
    /// Point of A and point of B (A's frame, mm).
    pub points: [Vec3; 2],
}

/// Meaning of two triangles that are too close in the middle of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// The rule is broken there.
    Broken,
    /// The rule holds on the whole interval.
    Holds,
    /// Neither is known.
    Open,
}

/// Result of a proof.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Proof {
    /// Earliest known violation; nothing is claimed beyond it.
    pub violation: Option<Violation>,
    /// Intervals without a proof, before the violation; sorted and separate. The last one ends at the violation.
    pub open: Vec<[f64; 2]>,
}

impl Proof {
    /// Interval that holds the first violation of all, if everything before it is proved but for `open`.
    pub(crate) fn first(&self) -> Option<[f64; 2]> {
        let at = self.violation?.at;
        Some(self.open.last().filter(|o| o[1] >= at).map_or([at; 2], |o| [o[0], at]))
    }
}

/// Budget of a run, in tests of two nodes or triangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget {
    /// Tests that remain.
    pub remaining: u64,
    /// Tests done.
    pub used: u64,
}

impl Budget {
    pub(crate) fn new(tests: u64) -> Self {
        Self { remaining: tests, used: 0 }
    }

    /// Takes some tests; false if fewer remain.
    #[inline]
    pub(crate) fn take(&mut self, tests: u64) -> bool {
        self.used += tests;
        let enough = self.remaining >= tests;
        self.remaining = self.remaining.saturating_sub(tests);
        enough
    }
}

impl Course<'_> {
    /// Tries to prove that the surfaces never come within `distance` (mm, >= 0). `judge` decides about an interval (its
    /// id in `cells`) with two triangles at most `distance` apart in its middle, given their closest points, once for each
    /// interval.
    pub(crate) fn prove(
        &self,
        cells: &mut Cells,
        distance: f64,
        budget: &mut Budget,
        mut judge: impl FnMut(&Cells, u32, [Vec3; 2], &mut Budget) -> Judgement,
    ) -> Proof {
        let mut violation: Option<Violation> = None;
        let mut open: Vec<[f64; 2]> = Vec::new();
        if self.a.is_empty() || self.b.is_empty() {
            // Nothing is known about a part without triangles.
            return Proof { violation, open: vec![[cells.get(0).from, cells.get(0).to]] };
        }
        let enough = distance + self.margin;
        let mut stack: Vec<(u32, u32, u32)> = vec![(0, 0, 0)];
        while let Some((i, j, id)) = stack.pop() {
            let cell = cells.get(id);
            if violation.is_some_and(|v| cell.from >= v.at) {
                continue;
            }
            if !budget.take(1) {
                open.push([cell.from, cell.to]);
                continue;
            }
            if let (Some(x), Some(y)) = (self.a.orbit(i), self.b.orbit(j))
                && x.distance_bound(y) > enough
            {
                continue;
            }
            let moving = MovingPair::new(self.a.body(i), self.b.body(j), &cell.frame);
            if let [Body::Triangle(s), Body::Triangle(t)] = &moving.bodies {
                let near = Near::of(s, t);
                if moving.distance_bound(enough, Some(near.points[1] - near.points[0])) > enough {
                    continue;
                }
                let (from, to, middle) = (cell.from, cell.to, cell.middle);
                let splits = cell.displacement > self.floor;
                let too_close = near.distance <= distance || (distance <= 0.0 && near.distance <= self.margin);
                if too_close {
                    if cells.is_settled(id) {
                        continue;
                    }
                    let judgement = match cells.get(id).judged {
                        Some(judgement) => judgement,
                        None => judge(cells, id, near.points, budget),
                    };
                    cells.judge(id, judgement);
                    match judgement {
                        Judgement::Holds => continue,
                        Judgement::Broken => {
                            if violation.is_none_or(|v| middle < v.at) {
                                violation = Some(Violation { at: middle, points: near.points });
                            }
                            match cells.halves(id).filter(|_| splits) {
                                Some([early, _]) => stack.push((i, j, early)),
                                None => open.push([from, middle]),
                            }
                            continue;
                        }
                        Judgement::Open => {}
                    }
                }
                match cells.halves(id).filter(|_| splits) {
                    Some([early, late]) => stack.extend([(i, j, late), (i, j, early)]),
                    None => open.push([from, to]),
                }
                continue;
            }
            if moving.distance_bound(enough, None) > enough {
                continue;
            }
            let (of_a, of_b) = (self.a.radius(i), self.b.radius(j));
            let larger = of_a.max(of_b);
            if moving.displacement() > SPLIT_INTERVAL_ABOVE * larger
                && cell.displacement > self.floor
                && let Some([early, late]) = cells.halves(id)
            {
                stack.extend([(i, j, late), (i, j, early)]);
            } else if self.a.triangle(i).is_none() && (of_a >= of_b || self.b.triangle(j).is_some()) {
                stack.extend(self.a.children(i).map(|c| (c, j, id)));
            } else {
                stack.extend(self.b.children(j).map(|c| (i, c, id)));
            }
        }
        if let Some(v) = violation {
            open.retain(|o| o[0] < v.at);
            for o in &mut open {
                o[1] = o[1].min(v.at);
            }
        }
        Proof { violation, open: merged(open) }
    }
}

/// Closest points of two triangles at one pose.
pub(crate) struct Near {
    /// Distance (mm, >= 0).
    pub distance: f64,
    /// Point of each triangle (mm).
    pub points: [Vec3; 2],
}

impl Near {
    pub(crate) fn of(s: &[Vec3; 3], t: &[Vec3; 3]) -> Self {
        let c = closest(s, t);
        let distance = if intersects(s, t) { 0.0 } else { c.squared.sqrt() };
        Self { distance, points: c.points }
    }
}
