//! Largest gap of two solids over a run of one parameter or several: the proof that no gap exceeds a limit.
//!
//! A point of B and a triangle of A bound the gap from above at every pose, and so do a point of A and a triangle of B.
//! docs/explanation/motion.md, claim 9.

use crate::geom::math::{greater, lesser};
use crate::geom::triangle::{Triangle, point_triangle};
use crate::geom::{Bounds, Pose, Vec3};
use crate::motion::{Chain, Frame, Twist};
use crate::query::sweep::judge::price;
use crate::query::sweep::regions::Regions;
use crate::query::sweep::still::Still;
use crate::query::sweep::work::{Work, spans};
use crate::query::triangles::Gap;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Largest number of parameters with all combinations of their ends judged first.
const MAX_CORNER_PARAMETERS: usize = 6;

/// Largest number of parameters with a bound from all combinations of their ends; beyond, their motions add up.
const MAX_SUMMED_PARAMETERS: usize = 4;

/// Search for the largest gap.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GapLimit {
    /// Largest gap of a rule (mm, >= 0).
    pub largest: f64,
    /// True to bracket the largest gap of a broken limit; false if the status alone counts.
    pub measured: bool,
}

/// Pose with the largest certain gap so far.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WidestPose {
    /// Values of the parameters.
    pub at: Vec<f64>,
    /// Lower bound of the gap there (mm).
    pub least: f64,
    /// Closest points there (A's frame, mm).
    pub points: [Vec3; 2],
}

/// Largest gap over a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Widest {
    /// Pose with the largest certain gap, if one is certain.
    pub pose: Option<WidestPose>,
    /// Upper bound of the gap over the run (mm).
    pub most: f64,
    /// Cells that may exceed the limit.
    pub open: Vec<Vec<[f64; 2]>>,
}

impl Widest {
    /// Bounds of the largest gap (mm); the lower end is the gap at the pose.
    pub(crate) fn bounds(&self) -> Option<Bounds> {
        self.pose.as_ref().map(|p| Bounds { lower: p.least, upper: greater(self.most, p.least) })
    }

    /// True if a pose exceeds a gap (mm).
    pub(crate) fn exceeds(&self, gap: f64) -> bool {
        self.pose.as_ref().is_some_and(|p| p.least > gap)
    }
}

/// Gap over one cell.
pub(super) struct OverCell {
    /// Lower bound of the gap in the middle (mm).
    pub(super) least: f64,
    /// Upper bound of the gap over the cell (mm).
    pub(super) most: f64,
    points: [Vec3; 2],
}

impl OverCell {
    /// Bounds the gap over a cell with its frame and the displacement of B within it (mm).
    pub(super) fn new(still: &Still, frame: &Frame, displacement: f64, limit: f64) -> Self {
        let Some(near) = still.nearest(&frame.pose, f64::INFINITY) else {
            // A part without triangles has no gap.
            return Self::unknown();
        };
        let mut most = lesser(near.value + still.margin + displacement, by_pairs(still, frame, &near));
        let mut least = near.value - still.margin;
        if least > limit && still.nested(&frame.pose) {
            // Surfaces apart, solids one in the other: the gap is a depth.
            let gap = still.gap(&frame.pose, f64::INFINITY, None).gap;
            (least, most) = (gap.lower, lesser(most, gap.upper + displacement));
        }
        Self { least, most, points: near.points }
    }

    /// Nothing is known.
    fn unknown() -> Self {
        Self { least: f64::NEG_INFINITY, most: f64::INFINITY, points: [Vec3::zeros(); 2] }
    }
}

/// Upper bound of the gap over a cell (mm) by the closest points in its middle and their triangles.
pub(super) fn by_pairs(still: &Still, frame: &Frame, near: &Gap) -> f64 {
    lesser(point_of_b(still, frame, near), point_of_a(still, frame, near)) + still.margin
}

/// Upper bound of the distance of a point of B, which moves with a cell, from a triangle of A (mm).
fn point_of_b(still: &Still, frame: &Frame, near: &Gap) -> f64 {
    let y = near.points[1];
    let drifts = frame.drifts.iter().map(|t| t.of(&y)).collect::<Vec<_>>();
    let triangle = still.a.surface.triangle(near.triangles[0]);
    farthest(&y, &drifts, &triangle) + frame.spread_of_ball(&y, 0.0).remainder
}

/// Upper bound of the distance of a point of A, seen from B over a cell, from a triangle of B (mm).
fn point_of_a(still: &Still, frame: &Frame, near: &Gap) -> f64 {
    let x = near.points[0];
    let drifts = frame.drifts.iter().map(|t: &Twist| -t.of(&x)).collect::<Vec<_>>();
    let triangle = still.b.surface.triangle(near.triangles[1]).map(|corner| frame.pose.point(&corner));
    farthest(&x, &drifts, &triangle) + frame.spread_of_a(|axis| axis.distance(&x)).remainder
}

/// Largest distance of `x` + Σ ±drift from a triangle (mm): the distance from a triangle is convex, so the largest one
/// is at an end of each drift.
fn farthest(x: &Vec3, drifts: &[Vec3], triangle: &Triangle) -> f64 {
    let distance = |x: &Vec3| point_triangle(x, triangle).squared.sqrt();
    if drifts.len() > MAX_SUMMED_PARAMETERS {
        return distance(x) + drifts.iter().map(Vec3::norm).sum::<f64>();
    }
    let corner = |signs: usize| {
        drifts.iter().enumerate().fold(*x, |x, (p, drift)| if signs >> p & 1 == 0 { x + drift } else { x - drift })
    };
    (0..1_usize << drifts.len()).map(|signs| distance(&corner(signs))).fold(0.0, greater)
}

/// A cell with an upper bound of its gap.
#[derive(PartialEq)]
struct Item {
    most: f64,
    cell: u32,
}

impl Eq for Item {}

impl PartialOrd for Item {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Item {
    fn cmp(&self, other: &Self) -> Ordering {
        self.most.total_cmp(&other.most).then(other.cell.cmp(&self.cell))
    }
}

/// State of the search.
struct Search<'s, 'a> {
    work: &'s mut Work<'a>,
    regions: Regions<'s>,
    limit: f64,
    heap: BinaryHeap<Item>,
    best: Option<WidestPose>,
    /// Upper bound over the cells that left the heap (mm).
    dropped: f64,
    open: Vec<Vec<[f64; 2]>>,
}

/// Searches the largest gap over a run: `ranges` holds the least and largest value of each parameter. `width` gives the
/// width of the bracket that is asked for a gap (mm). Cost: one static query for each cell.
pub(crate) fn widest(
    work: &mut Work,
    chain: &Chain,
    ranges: &[[f64; 2]],
    limit: GapLimit,
    width: impl Fn(f64) -> f64,
) -> Widest {
    let granted = limit.largest + work.slack;
    let regions = Regions::new(chain, ranges, spans([work.still.a, work.still.b], chain));
    let mut search = Search {
        work,
        regions,
        limit: limit.largest,
        heap: BinaryHeap::new(),
        best: None,
        dropped: f64::NEG_INFINITY,
        open: Vec::new(),
    };
    search.look_at_ends(chain, ranges);
    search.add(0);
    while let Some(Item { most, cell }) = search.heap.pop() {
        let best = search.best.as_ref().map_or(f64::NEG_INFINITY, |b| b.least);
        let broken = best > granted;
        let done = if broken { !limit.measured || most - best <= width(best) } else { most <= granted };
        if done || search.work.budget.remaining == 0 {
            search.heap.push(Item { most, cell });
            break;
        }
        search.split(cell, most, granted);
    }
    search.finish(granted)
}

impl Search<'_, '_> {
    /// Looks at all combinations of the ends: a gap is often largest there.
    fn look_at_ends(&mut self, chain: &Chain, ranges: &[[f64; 2]]) {
        let ends = if ranges.len() <= MAX_CORNER_PARAMETERS { 1_usize << ranges.len() } else { 0 };
        for signs in 0..ends {
            let at: Vec<f64> = ranges.iter().enumerate().map(|(p, ends)| ends[signs >> p & 1]).collect();
            self.pay();
            let pose: Pose = chain.pose(&at);
            let Some(near) = self.work.still.nearest(&pose, f64::INFINITY) else { continue };
            let least = near.value - self.work.still.margin;
            if least > self.limit && !self.work.still.nested(&pose) {
                self.keep(at, least, near.points);
            }
        }
    }

    /// Charges one static query.
    fn pay(&mut self) -> bool {
        self.work.budget.charge(price([self.work.still.a.surface, self.work.still.b.surface]))
    }

    fn keep(&mut self, at: Vec<f64>, least: f64, points: [Vec3; 2]) {
        if self.best.as_ref().is_none_or(|b| least > b.least) {
            self.best = Some(WidestPose { at, least, points });
        }
    }

    /// Bounds a cell, and puts it into the queue.
    fn add(&mut self, cell: u32) {
        let paid = self.pay();
        let region = self.regions.get(cell);
        if !paid {
            // No gap is larger than the distance of a point of each part.
            let [a, b] = [self.work.still.a, self.work.still.b].map(|s| s.surface.vertices.first());
            let distance = a.zip(b).map_or(f64::INFINITY, |(a, b)| (region.frame.pose.point(b) - a).norm());
            self.dropped = greater(self.dropped, distance + region.displacement + self.work.still.margin);
            self.open.push(region.ends.clone());
            return;
        }
        let found = OverCell::new(&self.work.still, &region.frame, region.displacement, self.limit);
        if found.least > self.limit {
            let at = region.cell.center.clone();
            self.keep(at, found.least, found.points);
        }
        self.heap.push(Item { most: found.most, cell });
    }

    /// Replaces a cell by its halves; at the floor it stays as it is.
    fn split(&mut self, cell: u32, most: f64, granted: f64) {
        let still = &self.work.still;
        let region = self.regions.get(cell);
        let center = region.frame.pose.point(&still.b.surface.bounds.center());
        let radius = 0.5 * still.b.surface.bounds.diagonal();
        let splits = region.displacement > self.work.floor;
        let halves = self.regions.widest(cell, &center, radius).filter(|_| splits);
        if let Some(halves) = halves.and_then(|p| self.regions.halves(cell, p)) {
            for half in halves {
                self.add(half);
            }
            return;
        }
        self.dropped = greater(self.dropped, most);
        if most > granted {
            self.open.push(self.regions.get(cell).ends.clone());
        }
    }

    fn finish(mut self, granted: f64) -> Widest {
        let mut most = self.dropped;
        for item in self.heap.into_vec() {
            most = greater(most, item.most);
            if item.most > granted {
                self.open.push(self.regions.get(item.cell).ends.clone());
            }
        }
        self.work.frames += self.regions.count();
        Widest { pose: self.best, most, open: self.open }
    }
}
