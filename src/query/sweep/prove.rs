//! Proves that two surfaces never come within a distance during a run of one parameter.
//!
//! One branch and bound over (node of A) × (node of B) × (interval of the run), depth first, earlier intervals first.
//! docs/explanation/motion.md, claim 5.

use crate::geom::Vec3;
use crate::geom::math::greater;
use crate::geom::triangle::{closest, intersects};
use crate::motion::Frame;
use crate::query::sweep::body::{Body, MovingPair};
use crate::query::sweep::cells::{Cells, Interval, merged};
use crate::query::sweep::hulls::{HullsTested, MovingHulls};
use crate::query::sweep::tree::SweepTree;

/// Share of the larger node's radius: an interval with a larger displacement is split before the nodes are.
pub(crate) const SPLIT_INTERVAL_ABOVE: f64 = 0.5;

/// Number of open intervals after which the floor of a proof doubles: a run that stays open where the surfaces touch
/// all along would have as many as fit into it.
const OPEN_BEFORE_COARSER: u32 = 32;

/// Two surfaces on their way, with the margins of every proof.
#[derive(Clone, Copy)]
pub(crate) struct Course<'a> {
    /// Tree of A, in A's frame.
    pub a: &'a SweepTree<'a>,
    /// Tree of B, in B's frame.
    pub b: &'a SweepTree<'a>,
    /// Hulls that stand for all triangles of both, if these are convex.
    pub hulls: Option<&'a MovingHulls<'a>>,
    /// Rounding margin of every bound (mm, > 0).
    pub margin: f64,
    /// Displacement within an interval below which it is not split further (mm, > 0).
    pub floor: f64,
    /// Number of open intervals after which the whole run counts as open; unlimited without one.
    pub patience: Option<u32>,
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
    /// The rule is broken there, and the search ends: nothing is asked about other poses.
    Final,
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

    /// True if an interval has no proof, beside the one that ends at the violation.
    pub(crate) fn leaves_open(&self) -> bool {
        self.open.iter().any(|o| self.violation.is_none_or(|v| o[1] < v.at))
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

    /// Separates an equal share for the first of some tasks.
    pub(crate) fn share(&mut self, tasks: u64) -> Self {
        let share = self.remaining / tasks.max(1);
        self.remaining -= share;
        Self::new(share)
    }

    /// Takes back the rest of a share.
    pub(crate) fn give_back(&mut self, share: Self) {
        self.remaining += share.remaining;
        self.used += share.used;
    }

    /// Takes some tests; false if fewer remain.
    #[inline]
    pub(crate) fn take(&mut self, tests: u64) -> bool {
        self.used += tests;
        self.charge(tests)
    }

    /// Takes the price of a static query, in tests; false if fewer remain.
    #[inline]
    pub(crate) fn charge(&mut self, price: u64) -> bool {
        let enough = self.remaining >= price;
        self.remaining = self.remaining.saturating_sub(price);
        enough
    }
}

/// Result of one test: two nodes over one cell.
pub(crate) enum Tested {
    /// The nodes stay apart over the whole cell.
    Apart,
    /// Two triangles or convex solids without a proof, with their closest points in the middle of the cell.
    Surfaces(Near),
    /// Nodes without a proof, with a displacement that is large for their size.
    Fast,
    /// Nodes without a proof.
    Nodes,
}

impl Course<'_> {
    /// Tests two nodes over a cell; they are apart with a distance above `enough` (mm).
    #[inline]
    pub(crate) fn test(&self, [i, j]: [u32; 2], frame: &Frame, enough: f64) -> Tested {
        if self.are_orbits_apart([i, j], enough) {
            return Tested::Apart;
        }
        if let Some(hulls) = self.hulls {
            return match hulls.test(frame, enough, self.margin) {
                HullsTested::Apart => Tested::Apart,
                HullsTested::Near { near, .. } => Tested::Surfaces(near),
            };
        }
        let moving = MovingPair::new(self.a.body(i), self.b.body(j), frame);
        if let [Body::Triangle(s), Body::Triangle(t)] = &moving.bodies {
            let near = Near::of(s, t);
            let apart = moving.distance_bound(enough, Some(near.points[1] - near.points[0])) > enough;
            return if apart { Tested::Apart } else { Tested::Surfaces(near) };
        }
        if moving.distance_bound(enough, None) > enough {
            return Tested::Apart;
        }
        if self.is_fast([i, j], &moving) { Tested::Fast } else { Tested::Nodes }
    }

    /// Splits the larger node of a pair that is not two triangles.
    pub(crate) fn split_nodes(&self, [i, j]: [u32; 2], mut push: impl FnMut([u32; 2])) {
        if self.splits_a([i, j]) {
            self.a.children(i).filter(|c| self.a.is_active(*c)).for_each(|c| push([c, j]));
        } else {
            self.b.children(j).filter(|c| self.b.is_active(*c)).for_each(|c| push([i, c]));
        }
    }

    /// True if A's node is the one to split.
    pub(crate) fn splits_a(&self, [i, j]: [u32; 2]) -> bool {
        let larger_a = self.a.radius(i) >= self.b.radius(j) || self.b.triangle(j).is_some();
        self.a.triangle(i).is_none() && larger_a
    }

    /// True if the cell is to be split before these nodes.
    #[inline]
    pub(crate) fn is_fast(&self, [i, j]: [u32; 2], moving: &MovingPair) -> bool {
        moving.displacement() > SPLIT_INTERVAL_ABOVE * greater(self.a.radius(i), self.b.radius(j))
    }

    /// Proof of a run that needs no search; `None` if it needs one.
    pub(super) fn without_search(&self, range: [f64; 2]) -> Option<Proof> {
        if self.a.is_empty() || self.b.is_empty() {
            // A part without triangles has no proof.
            return Some(Proof { violation: None, open: vec![range] });
        }
        // Orbits may keep all triangles apart.
        let active = self.a.is_active(0) && self.b.is_active(0);
        (!active).then(|| Proof { violation: None, open: Vec::new() })
    }

    /// True if the orbits of two nodes keep them apart with a distance above `enough` (mm).
    pub(super) fn are_orbits_apart(&self, [i, j]: [u32; 2], enough: f64) -> bool {
        self.a.orbit(i).zip(self.b.orbit(j)).is_some_and(|(x, y)| x.distance_bound(y) > enough)
    }

    /// Proof by the orbits of the whole surfaces and of their triangles, as far as these are known; also that of a part
    /// without triangles.
    pub(crate) fn prove_by_orbits(&self, range: [f64; 2], distance: f64) -> Option<Proof> {
        let apart = || Proof { violation: None, open: Vec::new() };
        self.without_search(range).or_else(|| self.are_orbits_apart([0, 0], distance + self.margin).then(apart))
    }

    /// Tries to prove that the surfaces never come within `distance` (mm, >= 0). `judge` decides about an interval
    /// with two triangles at most `distance` apart in its middle, given their closest points, once for each
    /// interval.
    pub(crate) fn prove(
        &self,
        cells: &mut Cells,
        distance: f64,
        budget: &mut Budget,
        mut judge: impl FnMut(&Interval, [Vec3; 2], &mut Budget) -> Judgement,
    ) -> Proof {
        let enough = distance + self.margin;
        if let Some(proof) = self.without_search([cells.get(0).from, cells.get(0).to]) {
            return proof;
        }
        let mut search = Search::new((0, 0, 0));
        while let Some((i, j, id)) = search.stack.pop() {
            let cell = cells.get(id);
            if search.violation.is_some_and(|v| cell.from >= v.at) {
                continue;
            }
            if !budget.take(1) {
                search.open.push([cell.from, cell.to]);
                continue;
            }
            if cell.is_open && cell.judged == Some(Judgement::Open) {
                // Other triangles meet the same answer there.
                continue;
            }
            let splits = cell.displacement > search.floor(self.floor);
            let tested = self.test([i, j], &cell.frame, enough);
            let near = match tested {
                Tested::Apart => continue,
                Tested::Fast if splits && search.split_cell(cells, (i, j, id)) => continue,
                Tested::Fast | Tested::Nodes => {
                    self.split_nodes([i, j], |[i, j]| search.stack.push((i, j, id)));
                    continue;
                }
                Tested::Surfaces(near) => near,
            };
            if near.is_within(distance, self.margin) {
                let judgement = if cells.is_settled(id) { Some(Judgement::Holds) } else { cells.get(id).judged };
                let judgement = judgement.unwrap_or_else(|| judge(cells.get(id), near.points, budget));
                cells.judge(id, judgement);
                match judgement {
                    Judgement::Holds => continue,
                    Judgement::Broken => {
                        search.breaks(cells, (i, j, id), near.points, splits);
                        continue;
                    }
                    Judgement::Final => {
                        search.end_at(cells.get(id).middle, near.points, [cells.get(0).from, cells.get(0).to]);
                        break;
                    }
                    Judgement::Open => {}
                }
            }
            if !(splits && search.split_cell(cells, (i, j, id))) {
                let is_new = cells.open(id);
                let [own, whole] = [id, 0].map(|id| [cells.get(id).from, cells.get(id).to]);
                if search.gives_up(own, is_new, self.patience) {
                    search.open.push(whole);
                    break;
                }
            }
        }
        search.finish()
    }
}

/// State of a proof.
pub(super) struct Search<T> {
    pub violation: Option<Violation>,
    pub open: Vec<[f64; 2]>,
    /// Number of different intervals among them.
    pub opened: u32,
    /// Tests that remain; the last one comes next.
    pub stack: Vec<T>,
}

impl<T> Search<T> {
    pub(super) fn new(all: T) -> Self {
        Self { violation: None, open: Vec::new(), opened: 0, stack: vec![all] }
    }

    /// Displacement within an interval below which it is not split further (mm); `least` without open intervals.
    pub(super) fn floor(&self, least: f64) -> f64 {
        least * f64::from(self.opened / OPEN_BEFORE_COARSER).exp2()
    }

    /// Records a violation, if it is the earliest one.
    pub(super) fn record(&mut self, at: f64, points: [Vec3; 2]) {
        if self.violation.is_none_or(|v| at < v.at) {
            self.violation = Some(Violation { at, points });
        }
    }

    /// Records a violation that ends the search, and leaves the whole run open before it.
    pub(super) fn end_at(&mut self, at: f64, points: [Vec3; 2], whole: [f64; 2]) {
        self.violation = Some(Violation { at, points });
        self.open.push(whole);
    }

    /// Leaves an interval open; `is_new` unless it counts already. True once more intervals than `patience` are open.
    pub(super) fn gives_up(&mut self, interval: [f64; 2], is_new: bool, patience: Option<u32>) -> bool {
        self.open.push(interval);
        self.opened += u32::from(is_new);
        patience.is_some_and(|most| self.opened > most)
    }

    pub(super) fn finish(mut self) -> Proof {
        if let Some(v) = self.violation {
            self.open.retain(|o| o[0] < v.at);
            for o in &mut self.open {
                o[1] = o[1].min(v.at);
            }
        }
        Proof { violation: self.violation, open: merged(self.open) }
    }
}

/// A pair of nodes over an interval: node of A, node of B, id of the interval.
type NodeTest = (u32, u32, u32);

impl Search<NodeTest> {
    /// Continues with both halves of an interval, the earlier one first; false if no number lies inside.
    fn split_cell(&mut self, cells: &mut Cells, (i, j, id): NodeTest) -> bool {
        let Some([early, late]) = cells.halves(id) else { return false };
        self.stack.extend([(i, j, late), (i, j, early)]);
        true
    }

    /// Records a violation in the middle of an interval, and continues before it.
    fn breaks(&mut self, cells: &mut Cells, (i, j, id): NodeTest, points: [Vec3; 2], splits: bool) {
        let (from, at) = (cells.get(id).from, cells.get(id).middle);
        self.record(at, points);
        match cells.halves(id).filter(|_| splits) {
            Some([early, _]) => self.stack.push((i, j, early)),
            None => self.open.push([from, at]),
        }
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
    /// True if surfaces at this distance break the limit `distance` (mm, >= 0); `margin` is the rounding margin (mm).
    pub(crate) fn is_within(&self, distance: f64, margin: f64) -> bool {
        self.distance <= distance || (distance <= 0.0 && self.distance <= margin)
    }

    pub(crate) fn of(s: &[Vec3; 3], t: &[Vec3; 3]) -> Self {
        let c = closest(s, t);
        let distance = if intersects(s, t) { 0.0 } else { c.squared.sqrt() };
        Self { distance, points: c.points }
    }
}
