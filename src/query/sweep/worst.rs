//! Least distance of two surfaces over a run, as a certified bracket with the pose of its upper end.
//!
//! The branch and bound of `prove`, best first: the pair of nodes with the least lower bound comes next.

use crate::geom::math::{greater, lesser};
use crate::geom::{Bounds, Vec3};
use crate::query::sweep::body::{Body, MovingPair};
use crate::query::sweep::cells::Cells;
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

impl Course<'_> {
    /// Narrows the bracket of the least distance, starting from a known distance at one value, until it is no wider than
    /// `width` of its upper end (mm), or the budget is spent.
    pub(crate) fn least_distance(
        &self,
        cells: &mut Cells,
        known: (f64, f64, [Vec3; 2]),
        width: impl Fn(f64) -> f64,
        budget: &mut Budget,
    ) -> Least {
        let (mut best, mut at, mut points) = known;
        // Lower bound of everything dropped.
        let mut dropped = f64::INFINITY;
        let mut heap = BinaryHeap::new();
        let mut number = 0_u64;
        if !self.a.is_empty() && !self.b.is_empty() {
            // A distance is never negative.
            heap.push(Item { bound: 0.0, number, nodes: [0, 0], cell: 0 });
        }
        while let Some(item) = heap.pop() {
            if item.bound >= best - width(best) || !budget.take(1) || heap.len() > MAX_PAIRS {
                dropped = lesser(dropped, item.bound);
                break;
            }
            let ([i, j], id) = (item.nodes, item.cell);
            let cell = cells.get(id);
            let moving = MovingPair::new(self.a.body(i), self.b.body(j), &cell.frame);
            let mut bound = item.bound;
            let mut by_orbit = false;
            let mut next: [Option<(u32, u32, u32)>; 8] = [None; 8];
            let mut children = next.iter_mut();
            let mut add = |child| {
                if let Some(slot) = children.next() {
                    *slot = Some(child);
                }
            };
            if let (Some(x), Some(y)) = (self.a.orbit(i), self.b.orbit(j)) {
                bound = greater(bound, x.distance_bound(y) - self.margin);
                by_orbit = bound > 0.0;
            }
            let stop = best - width(best);
            if let [Body::Triangle(s), Body::Triangle(t)] = &moving.bodies {
                let near = Near::of(s, t);
                if near.distance < best {
                    (best, at, points) = (near.distance, cell.middle, near.points);
                }
                let direction = Some(near.points[1] - near.points[0]);
                bound = greater(bound, moving.distance_bound(stop + self.margin, direction) - self.margin);
                if bound < best - width(best) {
                    let splits = cell.displacement > self.floor;
                    let Some(halves) = cells.halves(id).filter(|_| splits) else {
                        dropped = lesser(dropped, bound);
                        continue;
                    };
                    for half in halves {
                        add((i, j, half));
                    }
                }
            } else {
                bound = greater(bound, moving.distance_bound(stop + self.margin, None) - self.margin);
                if bound < stop {
                    let (of_a, of_b) = (self.a.radius(i), self.b.radius(j));
                    if !by_orbit
                        && moving.displacement() > SPLIT_INTERVAL_ABOVE * of_a.max(of_b)
                        && cell.displacement > self.floor
                        && let Some(halves) = cells.halves(id)
                    {
                        for half in halves {
                            add((i, j, half));
                        }
                    } else if self.a.triangle(i).is_none() && (of_a >= of_b || self.b.triangle(j).is_some()) {
                        self.a.children(i).for_each(|c| add((c, j, id)));
                    } else {
                        self.b.children(j).for_each(|c| add((i, c, id)));
                    }
                }
            }
            for (i, j, id) in next.into_iter().flatten() {
                number += 1;
                heap.push(Item { bound, number, nodes: [i, j], cell: id });
            }
        }
        // Whatever left the heap without a successor has a bound of at least the best distance less the width.
        let lower = lesser(dropped, best - width(best));
        Least { distance: Bounds { lower: greater(lower - self.margin, 0.0), upper: best + self.margin }, at, points }
    }
}
