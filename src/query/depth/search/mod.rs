//! Finds the radius of the largest ball in both solids: best-first branch and bound over boxes.
//!
//! `f(x)` is the lesser of the depths of `x` in the two solids, negative outside. A linear programme bounds each cell,
//! from the local bounds of both solids (`local_bounds`) and from cuts valid everywhere in the cell: the distance to
//! any one triangle is convex, so its excess over a linear function is largest at a corner of the box. The search
//! evaluates f at the optimum of the programme. This yields the witness and the next cut (Kelley, "The Cutting-Plane
//! Method for Solving Convex Programs", 1960).
//!
//! - [`cell_bound`]: upper bound of one cell.
//! - [`local_bounds`], [`patches`], [`feature_bounds`]: bounds of the depth in one solid, from the triangles near a
//!   cell.
//! - [`cell_lp`]: the linear programme.
//! - [`evaluator`]: depths at a point, and the best ball so far.
//! - [`ascent`]: deep points without branch and bound.
pub(crate) mod ascent;
pub(crate) mod cell_bound;
pub(crate) mod cell_lp;
pub(crate) mod evaluator;
pub(crate) mod feature_bounds;
pub(crate) mod local_bounds;
pub(crate) mod patches;
#[cfg(test)]
pub(crate) mod tests;

use crate::geom::math::{greater, lesser};
use crate::geom::{Aabb, Vec3};
use crate::query::depth::Precision;
use crate::query::depth::search::cell_bound::{CellBounder, Scratch};
use crate::query::depth::search::evaluator::{Evaluator, Probe};
use crate::shape::surface::placed::{NearestPoint, PlacedSurface};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Number of cells bounded so far for each cell that is divided at once: a short search follows the best cell alone.
const CELLS_PER_PARENT: u32 = 64;

/// Largest number of cells divided at once.
const MAX_AT_ONCE: u32 = 16;

pub(crate) struct Cell {
    /// Upper bound of the radius of a common ball around a point of the cell (mm).
    pub(crate) upper: f64,
    /// Breaks ties: the older cell first, independent of the heap.
    pub(crate) order: u32,
    pub(crate) center: Vec3,
    pub(crate) half: Vec3,
    /// Facts about the cell; `None` before its own bound: the first cell of a search, and cells cut to a box.
    pub(crate) known: Option<CellFacts>,
}

/// Cell before its own bound.
#[derive(Clone, Copy)]
pub(crate) struct NewCell {
    /// Bound of the larger cell (mm).
    pub(crate) upper: f64,
    pub(crate) order: u32,
    pub(crate) center: Vec3,
    pub(crate) half: Vec3,
    /// Facts about the larger cell.
    pub(crate) known: Option<CellFacts>,
}

/// Facts about a cell that serve its parts, too.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CellFacts {
    /// Depths at one point.
    pub(crate) probes: [Probe; 2],
    /// This point (A's frame, mm).
    pub(crate) point: Vec3,
    /// Least search radius without usable elements, for each solid (mm).
    pub(crate) too_wide: [f64; 2],
}

impl PartialEq for Cell {
    fn eq(&self, o: &Self) -> bool {
        self.cmp(o) == Ordering::Equal
    }
}
impl Eq for Cell {}
impl PartialOrd for Cell {
    fn partial_cmp(&self, o: &Self) -> Option<Ordering> {
        Some(self.cmp(o))
    }
}
impl Ord for Cell {
    fn cmp(&self, o: &Self) -> Ordering {
        self.upper.total_cmp(&o.upper).then(o.order.cmp(&self.order))
    }
}

/// Goal of a refinement, in radii (mm).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    /// Met once the best ball is larger.
    pub above: f64,
    /// Met once no ball is larger.
    pub at_most: f64,
    /// Met once the bracket of the thickness has this width; `None` to ignore the width.
    pub width: Option<Precision>,
}

impl Target {
    pub(crate) fn level(&self, best: f64) -> f64 {
        greater(best + self.width.map_or(0.0, |w| 0.5 * w.of(2.0 * best)), self.at_most)
    }

    fn met(&self, best: f64, upper: f64) -> bool {
        best > self.above || upper <= self.level(best)
    }
}

/// The search and its state; a finer target resumes it.
pub(crate) struct BranchAndBound<'a> {
    pub(crate) evaluator: Evaluator<'a>,
    heap: BinaryHeap<Cell>,
    start: Vec3,
    /// Upper bound of the largest common radius from other sources (mm).
    ceiling: f64,
    /// Number of cells bounded so far.
    pub cells: u32,
    /// Number of cells made so far, those cut to boxes among them.
    made: u32,
    scratch: Scratch,
}

impl Cell {
    /// Box of the cell (A's frame).
    fn bounds(&self) -> Aabb {
        Aabb { min: self.center - self.half, max: self.center + self.half }
    }
}

impl<'a> BranchAndBound<'a> {
    /// Starts a search over a box (A's frame) around all common points; `bounds` contains the largest common radius
    /// (mm).
    pub(crate) fn new(sides: [PlacedSurface<'a>; 2], region: &Aabb, bounds: [f64; 2], rounding: f64) -> Self {
        let mut depth = Self {
            evaluator: Evaluator::new(sides, bounds[0], rounding),
            heap: BinaryHeap::new(),
            start: region.center(),
            ceiling: bounds[1],
            cells: 0,
            made: 0,
            scratch: Scratch::default(),
        };
        if (0..3).all(|k| region.min[k] <= region.max[k]) {
            let half = (region.max - region.min) * 0.5;
            let center = region.center();
            depth.heap.push(Cell { upper: bounds[1], order: 0, center, half, known: None });
        }
        depth
    }

    /// Sets the first point to evaluate (A's frame).
    pub(crate) fn starting_at(mut self, start: Vec3) -> Self {
        self.start = start;
        self
    }

    /// See [`Self::starting_at`].
    pub(crate) fn start(&self) -> Vec3 {
        self.start
    }

    /// The two solids.
    pub(crate) fn sides(&self) -> [PlacedSurface<'a>; 2] {
        self.evaluator.sides
    }

    /// Records a lower bound of the largest common radius (mm).
    pub(crate) fn raise_floor(&mut self, radius: f64) {
        self.evaluator.raise_floor(radius);
    }

    /// Records an upper bound of the largest common radius (mm).
    pub(crate) fn lower_ceiling(&mut self, radius: f64) {
        self.ceiling = lesser(self.ceiling, radius);
    }

    /// Records boxes (A's frame): outside of them no point is deeper than `radius` (mm) in both. Cuts the cells to the
    /// boxes: dividing a large cell down to a small box would take many cells.
    pub(crate) fn confine(&mut self, boxes: &[Aabb], radius: f64) {
        // Sorted, so that no order depends on the heap.
        for cell in std::mem::take(&mut self.heap).into_sorted_vec() {
            let whole = cell.bounds();
            if cell.upper <= radius || boxes.iter().any(|b| b.intersection(&whole) == whole) {
                self.heap.push(cell);
                continue;
            }
            for part in boxes.iter().filter(|b| b.meets(&whole)).map(|b| b.intersection(&whole)) {
                let (order, half) = (self.next_order(), (part.max - part.min) * 0.5);
                self.heap.push(Cell { order, center: part.center(), half, known: None, ..cell });
            }
            // The rest of the cell, outside of the boxes.
            self.heap.push(Cell { upper: radius, ..cell });
        }
    }

    /// Counts a cell, and returns its number.
    fn next_order(&mut self) -> u32 {
        self.made += 1;
        self.made
    }

    /// Lower bound of the largest common radius (mm).
    pub(crate) fn lower(&self) -> f64 {
        self.evaluator.lower()
    }

    /// Upper bound of the largest common radius (mm).
    pub(crate) fn upper(&self) -> f64 {
        let left = self.heap.peek().map_or(f64::NEG_INFINITY, |c| c.upper);
        greater(lesser(left, self.ceiling), self.lower())
    }

    /// Refines until the target is met, or until the search has used `budget` cells in total. Returns true if the
    /// target was met.
    ///
    /// A long search divides several cells at once, in parallel. Their number follows from the number of cells so far:
    /// the result is the same for every number of threads.
    pub(crate) fn refine(&mut self, target: &Target, budget: u32) -> bool {
        loop {
            let (lower, upper) = (self.lower(), self.upper());
            if target.met(lower, upper) {
                return true;
            }
            if self.cells >= budget {
                return false;
            }
            let Some(cell) = self.heap.pop() else { return true };
            let at_once = (self.cells / CELLS_PER_PARENT).min((budget - self.cells) / 2).clamp(1, MAX_AT_ONCE);
            let mut parents = vec![cell];
            while (parents.len() as u32) < at_once && self.heap.peek().is_some_and(|c| c.upper > target.level(lower)) {
                parents.extend(self.heap.pop());
            }
            self.divide(&parents, target);
        }
    }

    /// Divides cells, and keeps the parts that may contain a better ball.
    fn divide(&mut self, parents: &[Cell], target: &Target) {
        let parts: Vec<Vec<NewCell>> = parents.iter().map(|parent| self.parts(parent)).collect();
        if let [parts] = parts.as_slice() {
            let mut bounder = self.bounder();
            let kept = bounder.all_bounded(parts, target);
            self.evaluator = bounder.evaluator;
            self.heap.extend(kept);
            return;
        }
        let evaluator = self.evaluator;
        let bounded = |scratch: &mut Scratch, parts: &Vec<NewCell>| {
            let mut bounder = CellBounder { evaluator, scratch };
            let kept = bounder.all_bounded(parts, target);
            (bounder.evaluator.best, kept)
        };
        let found: Vec<_> = parts.par_iter().map_init(Scratch::default, bounded).collect();
        for (best, _) in &found {
            self.evaluator.keep_better(*best);
        }
        let lower = self.lower();
        self.heap.extend(found.into_iter().flat_map(|(_, kept)| kept).filter(|cell| cell.upper > lower));
    }

    /// Bounds cells beside the search.
    pub(crate) fn bounder(&mut self) -> CellBounder<'_, 'a> {
        CellBounder { evaluator: self.evaluator, scratch: &mut self.scratch }
    }

    /// The halves of a cell along its longest side; a cell before its own bound itself.
    fn parts(&mut self, parent: &Cell) -> Vec<NewCell> {
        let Cell { upper, center, mut half, known, .. } = *parent;
        if known.is_none() {
            self.cells += 1;
            return vec![NewCell { upper, order: self.next_order(), center, half, known: None }];
        }
        let axis = half.imax();
        half[axis] *= 0.5;
        let part = |sign: f64| {
            self.cells += 1;
            let mut center = center;
            center[axis] += sign * half[axis];
            NewCell { upper, order: self.next_order(), center, half, known }
        };
        [-1.0, 1.0].map(part).into()
    }

    /// Evaluates a point (A's frame) as [`Evaluator::evaluate`] does.
    pub(crate) fn evaluate(&mut self, x: &Vec3) -> Option<[(NearestPoint, f64); 2]> {
        self.evaluator.evaluate(x)
    }
}
