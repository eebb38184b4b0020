//! Least distance of two surfaces over a run, as a certified bracket with the pose of its upper end.
//!
//! The branch and bound of `prove`, best first: the pair of nodes with the least lower bound comes next.

use crate::geom::math::{greater, lesser};
use crate::geom::{Bounds, Vec3};
use crate::query::sweep::body::{Body, MovingPair};
use crate::query::sweep::cells::Cells;
use crate::query::sweep::hulls::HullsTested;
use crate::query::sweep::prove::{Budget, Course, Near};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Largest number of pairs kept at once; beyond it the bracket stays as it is.
const MAX_PAIRS: usize = 1_000_000;

/// Share of the larger node's radius: an interval with a larger displacement is split before the nodes are.
const SPLIT_INTERVAL_ABOVE: f64 = 0.5;

/// Least distance over a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Least {
    /// Certified bounds of the least distance (mm).
    pub distance: Bounds,
    /// Value of the parameter at the upper end.
    pub at: f64,
    /// Closest points there (A's frame, mm).
    pub points: [Vec3; 2],
}

/// Pair of nodes over an interval.
struct Item {
    bound: f64,
    /// Order of insertion: equal bounds leave the heap in one order.
    number: u64,
    nodes: [u32; 2],
    cell: u32,
    /// Direction of the bound of the larger nodes before (A's frame): often the best one for these, too.
    direction: Vec3,
}

impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Item {}

impl PartialOrd for Item {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Item {
    fn cmp(&self, other: &Self) -> Ordering {
        // The last one of equal bounds comes first: the search goes down before it goes on.
        other.bound.total_cmp(&self.bound).then(self.number.cmp(&other.number))
    }
}

/// State of a search for the least distance.
struct Search<'s, 'a, 'c> {
    course: &'s Course<'a>,
    cells: &'s mut Cells<'c>,
    heap: BinaryHeap<Item>,
    number: u64,
    /// Best distance so far, its value of the parameter, its closest points.
    best: (f64, f64, [Vec3; 2]),
    /// Lower bound of everything dropped (mm).
    dropped: f64,
}

impl Course<'_> {
    /// Narrows the bracket of the least distance, starting from a known distance at one value, until it is no wider
    /// than `width` of its upper end (mm), or the budget is spent.
    pub(crate) fn least_distance(
        &self,
        cells: &mut Cells,
        known: (f64, f64, [Vec3; 2]),
        width: impl Fn(f64) -> f64,
        budget: &mut Budget,
    ) -> Least {
        let heap = BinaryHeap::new();
        let mut search = Search { course: self, cells, heap, number: 0, best: known, dropped: f64::INFINITY };
        if !self.a.is_empty() && !self.b.is_empty() {
            // A distance is never negative.
            search.push(0.0, Vec3::zeros(), [0, 0], 0);
        }
        while let Some(item) = search.heap.pop() {
            let enough = search.best.0 - width(search.best.0);
            if item.bound >= enough || !budget.take(1) || search.heap.len() > MAX_PAIRS {
                search.dropped = lesser(search.dropped, item.bound);
                break;
            }
            search.expand(&item, &width);
        }
        // Whatever left the heap without a successor has a bound of at least the best distance less the width.
        let (best, at, points) = search.best;
        let lower = lesser(search.dropped, best - width(best));
        Least { distance: Bounds { lower: greater(lower - self.margin, 0.0), upper: best + self.margin }, at, points }
    }
}

impl Search<'_, '_, '_> {
    fn push(&mut self, bound: f64, direction: Vec3, nodes: [u32; 2], cell: u32) {
        self.heap.push(Item { bound, number: self.number, nodes, cell, direction });
        self.number += 1;
    }

    /// Replaces a pair of nodes over an interval by smaller ones, unless its bound is enough.
    fn expand(&mut self, item: &Item, width: &impl Fn(f64) -> f64) {
        let Item { nodes: [i, j], cell: id, .. } = *item;
        let (a, b, margin) = (self.course.a, self.course.b, self.course.margin);
        let cell = self.cells.get(id);
        let mut bound = item.bound;
        let mut by_orbit = false;
        if let (Some(x), Some(y)) = (a.orbit(i), b.orbit(j)) {
            bound = greater(bound, x.distance_bound(y) - margin);
            by_orbit = bound > 0.0;
        }
        let stop = self.best.0 - width(self.best.0);
        if let Some(hulls) = self.course.hulls {
            match hulls.test(&cell.frame, stop + margin, margin) {
                HullsTested::Apart => {}
                HullsTested::Near { near, bound: least, .. } => {
                    let (at, bound) = (cell.middle, greater(bound, least - margin));
                    self.keep(&near, at);
                    self.halve_or_drop(item, bound, width);
                }
            }
            return;
        }
        let moving = MovingPair::new(a.body(i), b.body(j), &cell.frame);
        if let [Body::Triangle(s), Body::Triangle(t)] = &moving.bodies {
            let near = Near::of(s, t);
            let direction = Some(near.points[1] - near.points[0]);
            bound = greater(bound, moving.distance_bound(stop + margin, direction) - margin);
            let at = cell.middle;
            self.keep(&near, at);
            self.halve_or_drop(item, bound, width);
            return;
        }
        let (by_plane, direction) = moving.distance_bound_along(stop + margin, Some(item.direction));
        bound = greater(bound, by_plane - margin);
        if bound >= stop {
            return;
        }
        let (of_a, of_b) = (a.radius(i), b.radius(j));
        let fast = !by_orbit && moving.displacement() > SPLIT_INTERVAL_ABOVE * of_a.max(of_b);
        if fast && self.halve(bound, direction, [i, j], id) {
            return;
        }
        if a.triangle(i).is_none() && (of_a >= of_b || b.triangle(j).is_some()) {
            a.children(i).for_each(|c| self.push(bound, direction, [c, j], id));
        } else {
            b.children(j).for_each(|c| self.push(bound, direction, [i, c], id));
        }
    }

    /// Keeps the closest points at a value of the parameter, if they are the best ones so far.
    fn keep(&mut self, near: &Near, at: f64) {
        if near.distance < self.best.0 {
            self.best = (near.distance, at, near.points);
        }
    }

    /// Continues with both halves of an interval, unless its bound (mm) is enough.
    fn halve_or_drop(&mut self, item: &Item, bound: f64, width: &impl Fn(f64) -> f64) {
        if bound < self.best.0 - width(self.best.0) && !self.halve(bound, item.direction, item.nodes, item.cell) {
            self.dropped = lesser(self.dropped, bound);
        }
    }

    /// Continues with both halves of an interval; false at the floor.
    fn halve(&mut self, bound: f64, direction: Vec3, nodes: [u32; 2], id: u32) -> bool {
        let splits = self.cells.get(id).displacement > self.course.floor;
        let Some(halves) = self.cells.halves(id).filter(|_| splits) else { return false };
        for half in halves {
            self.push(bound, direction, nodes, half);
        }
        true
    }
}
