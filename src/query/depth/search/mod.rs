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
//! - [`ascent`]: deep points without branch and bound.
pub(crate) mod ascent;
pub(crate) mod cell_bound;
pub(crate) mod cell_lp;
pub(crate) mod feature_bounds;
pub(crate) mod local_bounds;
pub(crate) mod patches;
#[cfg(test)]
pub(crate) mod tests;

use crate::geom::math::{greater, lesser};
use crate::geom::triangle::point_triangle;
use crate::geom::{Aabb, Vec3};
use crate::query::depth::refine::Precision;
use crate::query::depth::search::cell_lp::Row;
use crate::query::depth::search::local_bounds::LocalBounds;
use crate::shape::surface::placed::{NearestPoint, PlacedSurface};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A point and its depth in both solids (A's frame).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Witness {
    pub center: Vec3,
    /// Lesser of the two depths (mm); if positive, the radius of a ball in both solids.
    pub radius: f64,
    /// Closest point of each surface.
    pub points: [Vec3; 2],
}

/// Depth in one solid at a cell's centre.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Probe {
    pub signed: f64,
    pub triangle: u32,
}

struct Cell {
    /// Upper bound of the radius of a common ball around a point of the cell (mm).
    upper: f64,
    /// Breaks ties: the older cell first, independent of the heap.
    order: u32,
    center: Vec3,
    half: Vec3,
    probes: [Probe; 2],
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
    pub(crate) sides: [PlacedSurface<'a>; 2],
    pub(crate) rounding: f64,
    heap: BinaryHeap<Cell>,
    pub(crate) best: Option<Witness>,
    start: Vec3,
    /// Bounds of the largest common radius from other sources, for example minus half the surfaces' distance (mm).
    floor: f64,
    ceiling: f64,
    /// Boxes, and the largest depth in both solids outside of them (A's frame, mm).
    confines: (Vec<Aabb>, f64),
    /// Number of cells bounded so far.
    pub cells: u32,
    pub(crate) elements: [LocalBounds; 2],
    pub(crate) rows: Vec<Row>,
    pub(crate) cuts: Vec<Row>,
    pub(crate) cut_triangles: Vec<[u32; 2]>,
    /// Pairs of elements with a bound above the target: height, then the pair.
    pub(crate) pairs: Vec<(f64, u32, u32)>,
}

impl<'a> BranchAndBound<'a> {
    /// Starts a search over a box (A's frame) around all common points; `bounds` contains the largest common radius
    /// (mm).
    pub(crate) fn new(sides: [PlacedSurface<'a>; 2], region: &Aabb, bounds: [f64; 2], rounding: f64) -> Self {
        let mut depth = Self {
            sides,
            rounding,
            heap: BinaryHeap::new(),
            best: None,
            start: region.center(),
            floor: bounds[0],
            ceiling: bounds[1],
            confines: (Vec::new(), f64::INFINITY),
            cells: 0,
            elements: Default::default(),
            rows: Vec::new(),
            cuts: Vec::new(),
            cut_triangles: Vec::new(),
            pairs: Vec::new(),
        };
        if (0..3).all(|k| region.min[k] <= region.max[k]) {
            let half = (region.max - region.min) * 0.5;
            let cell = Cell {
                upper: bounds[1],
                order: 0,
                center: region.center(),
                half,
                probes: [Probe { signed: f64::NAN, triangle: 0 }; 2],
            };
            depth.heap.push(cell);
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
        self.sides
    }

    /// Records a lower bound of the largest common radius (mm).
    pub(crate) fn raise_floor(&mut self, radius: f64) {
        self.floor = greater(self.floor, radius);
    }

    /// Records an upper bound of the largest common radius (mm).
    pub(crate) fn lower_ceiling(&mut self, radius: f64) {
        self.ceiling = lesser(self.ceiling, radius);
    }

    /// Records boxes (A's frame): outside of them no point is deeper than `radius` (mm) in both.
    pub(crate) fn confine(&mut self, boxes: Vec<Aabb>, radius: f64) {
        self.confines = (boxes, radius);
        let cells = std::mem::take(&mut self.heap);
        self.heap =
            cells.into_iter().map(|c| Cell { upper: self.confined(&c.center, &c.half, c.upper), ..c }).collect();
    }

    /// Lowers a cell's bound if the cell lies outside the boxes of deep points.
    fn confined(&self, center: &Vec3, half: &Vec3, upper: f64) -> f64 {
        let (boxes, radius) = &self.confines;
        let cell = Aabb { min: center - half, max: center + half };
        if upper > *radius && !boxes.iter().any(|b| b.meets(&cell)) { *radius } else { upper }
    }

    /// Lower bound of the largest common radius (mm).
    pub(crate) fn lower(&self) -> f64 {
        self.best.map_or(self.floor, |w| greater(w.radius, self.floor))
    }

    /// Upper bound of the largest common radius (mm).
    pub(crate) fn upper(&self) -> f64 {
        let left = self.heap.peek().map_or(f64::NEG_INFINITY, |c| c.upper);
        greater(lesser(left, self.ceiling), self.lower())
    }

    /// Refines until the target is met, or until the search has used `budget` cells in total. Returns true if the
    /// target was met.
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
            if cell.probes[0].signed.is_nan() {
                self.add(cell.center, cell.half, cell.upper, None, target);
                continue;
            }
            let axis = cell.half.imax();
            let mut half = cell.half;
            half[axis] *= 0.5;
            for sign in [-1.0, 1.0] {
                let mut center = cell.center;
                center[axis] += sign * half[axis];
                self.add(center, half, cell.upper, Some((&cell.probes, half[axis])), target);
            }
        }
    }

    /// Evaluates a point and keeps it if it is a better witness. Returns the nearest point and the signed depth for
    /// each surface.
    pub(crate) fn evaluate(&mut self, x: &Vec3) -> Option<[(NearestPoint, f64); 2]> {
        let at = [self.probe(0, x, None)?, self.probe(1, x, None)?];
        self.offer(x, &at);
        Some(at)
    }

    pub(crate) fn offer(&mut self, x: &Vec3, at: &[(NearestPoint, f64); 2]) {
        let radius = lesser(at[0].1, at[1].1);
        if self.best.is_some_and(|w| radius <= w.radius) {
            return;
        }
        // Exact rays verify a witness.
        if radius > 0.0 && !self.sides.iter().all(|s| s.contains(x)) {
            return;
        }
        self.best = Some(Witness { center: *x, radius, points: [at[0].0.point, at[1].0.point] });
    }

    /// Nearest surface point and signed depth at `x` (mm). `known` is a probe at another point, with the distance to
    /// it.
    pub(crate) fn probe(&self, which: usize, x: &Vec3, known: Option<(&Probe, f64)>) -> Option<(NearestPoint, f64)> {
        let side = &self.sides[which];
        let near = match known {
            None => side.nearest(x, f64::INFINITY)?,
            Some((probe, _)) => {
                let foot = point_triangle(x, &side.corners(probe.triangle));
                let distance = foot.squared.sqrt();
                let hint = NearestPoint { triangle: probe.triangle, point: foot.point, distance };
                side.nearest(x, distance).unwrap_or(hint)
            }
        };
        let inside = match known {
            // The surface is farther from the known point than `x` is: both lie on one side.
            Some((probe, moved)) if probe.signed.abs() > moved * (1.0 + 1e-9) + self.rounding => probe.signed > 0.0,
            _ => side.holds(x, &near),
        };
        Some((near, if inside { near.distance } else { -near.distance }))
    }

    /// Bounds a cell and keeps it if it may contain a better ball.
    fn add(&mut self, center: Vec3, half: Vec3, upper: f64, parent: Option<(&[Probe; 2], f64)>, target: &Target) {
        self.cells += 1;
        let radius = half.norm();
        let mut at = [None; 2];
        for which in 0..2 {
            let known = parent.map(|(probes, moved)| (&probes[which], moved));
            at[which] = self.probe(which, &center, known);
            let Some((_, signed)) = at[which] else { return };
            if signed + radius <= self.lower() {
                return;
            }
        }
        let [Some(a), Some(b)] = at else { return };
        let at = [a, b];
        self.offer(&center, &at);
        let upper = self.confined(&center, &half, lesser(upper, lesser(a.1, b.1) + radius));
        let upper = self.bound(&center, &half, &at, upper, target);
        if upper > self.lower() {
            let probes = at.map(|(near, signed)| Probe { signed, triangle: near.triangle });
            self.heap.push(Cell { upper, order: self.cells, center, half, probes });
        }
    }
}
