//! The radius of the largest ball in both solids: best-first branch and bound over boxes.
//!
//! `f(x)` is the lesser of the depths of `x` in the two solids, negative outside. A cell is bounded by what a linear programme
//! makes of the elements of both solids (see [`super::elements`]) and of cuts that hold everywhere: the distance to any one
//! triangle is convex, so over a box it exceeds a linear function most at a corner. Where the programme puts its optimum, f is
//! evaluated, which finds the witness and the next cut (Kelley, "The Cutting-Plane Method for Solving Convex Programs", 1960).

use super::super::tri_tri::point_triangle;
use super::elements::{Elements, Region};
use super::program::{Optimum, Row, maximize};
use super::side::{Near, Side};
use crate::geom::math::{greater, lesser};
use crate::geom::{Aabb, Vec3};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Cuts added to a cell's programme, at most; two or three are usual.
const MAX_CUTS: usize = 12;

/// Programmes solved for one cell and set of cuts, at most; a cell that needs more is better split.
const MAX_PROGRAMMES: usize = 48;

/// Patch planes may be moved outward by this share of the width that the bracket may have.
const SLACK_SHARE: f64 = 0.25;

/// A point and how deep it lies in both.
#[derive(Debug, Clone, Copy)]
pub(super) struct Witness {
    pub center: Vec3,
    /// The lesser depth: radius of a ball in both solids where positive (mm).
    pub radius: f64,
    /// The closest point of each surface.
    pub points: [Vec3; 2],
}

/// Depth in one solid at a cell's centre.
#[derive(Debug, Clone, Copy)]
struct Probe {
    signed: f64,
    triangle: u32,
}

struct Cell {
    /// No ball around a point of the cell has a larger radius.
    upper: f64,
    /// Ties go to the older one, so that nothing depends on the heap.
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

/// What a refinement is to reach, in radii (mm).
#[derive(Debug, Clone, Copy)]
pub(super) struct Target {
    /// Enough once the best ball is larger.
    pub above: f64,
    /// Enough once no ball is larger than this.
    pub at_most: f64,
    /// Enough once the bounds agree to this share of the best, or to the absolute width.
    pub relative: f64,
    /// See `relative`.
    pub absolute: f64,
}

impl Target {
    pub(super) fn level(&self, best: f64) -> f64 {
        let width = greater(self.relative * greater(best, 0.0), self.absolute);
        greater(best + width, self.at_most)
    }

    fn met(&self, best: f64, upper: f64) -> bool {
        best > self.above || upper <= self.level(best)
    }
}

/// The search and its state; it can be taken up again with a finer target.
pub(super) struct Depth<'a> {
    pub(super) sides: [Side<'a>; 2],
    rounding: f64,
    heap: BinaryHeap<Cell>,
    pub(super) best: Option<Witness>,
    start: Vec3,
    /// What is known otherwise of the largest common radius: minus half the surfaces' distance (mm).
    floor: f64,
    ceiling: f64,
    /// Outside of these boxes no point is deeper than that in both.
    confines: (Vec<Aabb>, f64),
    /// Cells bounded so far.
    pub cells: u32,
    elements: [Elements; 2],
    pub(super) rows: Vec<Row>,
    cuts: Vec<Row>,
    cut_triangles: Vec<[u32; 2]>,
    /// Pairs of elements whose programme is not yet below what is enough: height, then the pair.
    pairs: Vec<(f64, u32, u32)>,
}

impl<'a> Depth<'a> {
    /// A search over the box (A's frame), which holds all common points; the largest common radius lies within `bounds`.
    pub(super) fn new(sides: [Side<'a>; 2], region: &Aabb, bounds: [f64; 2], rounding: f64) -> Self {
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

    /// The search with a first point to look at.
    pub(super) fn starting_at(mut self, start: Vec3) -> Self {
        self.start = start;
        self
    }

    /// See [`Self::starting_at`].
    pub(super) fn start(&self) -> Vec3 {
        self.start
    }

    /// The two solids.
    pub(super) fn sides(&self) -> [Side<'a>; 2] {
        self.sides
    }

    /// Takes note that the largest common radius is not less.
    pub(super) fn raise_floor(&mut self, radius: f64) {
        self.floor = greater(self.floor, radius);
    }

    /// Takes note that no common ball has a larger radius.
    pub(super) fn lower_ceiling(&mut self, radius: f64) {
        self.ceiling = lesser(self.ceiling, radius);
    }

    /// Takes note that outside of some boxes (A's frame) no point is deeper than `radius` in both.
    pub(super) fn confine(&mut self, boxes: Vec<Aabb>, radius: f64) {
        self.confines = (boxes, radius);
        let cells = std::mem::take(&mut self.heap);
        self.heap =
            cells.into_iter().map(|c| Cell { upper: self.confined(&c.center, &c.half, c.upper), ..c }).collect();
    }

    /// What is left of a cell's bound by where deep points may be.
    fn confined(&self, center: &Vec3, half: &Vec3, upper: f64) -> f64 {
        let (boxes, radius) = &self.confines;
        let cell = Aabb { min: center - half, max: center + half };
        if upper > *radius && !boxes.iter().any(|b| b.meets(&cell)) { *radius } else { upper }
    }

    /// The largest common radius is not less.
    pub(super) fn lower(&self) -> f64 {
        self.best.map_or(self.floor, |w| greater(w.radius, self.floor))
    }

    /// No common ball is larger.
    pub(super) fn upper(&self) -> f64 {
        let left = self.heap.peek().map_or(f64::NEG_INFINITY, |c| c.upper);
        greater(lesser(left, self.ceiling), self.lower())
    }

    /// Refines until the target is met or `budget` cells are spent in all. Whether it was met.
    pub(super) fn refine(&mut self, target: &Target, budget: u32) -> bool {
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

    /// Looks at a point: whether it is a better witness. Returns what is nearest there.
    pub(super) fn look(&mut self, x: &Vec3) -> Option<[(Near, f64); 2]> {
        let at = [self.probe(0, x, None)?, self.probe(1, x, None)?];
        self.consider(x, &at);
        Some(at)
    }

    fn consider(&mut self, x: &Vec3, at: &[(Near, f64); 2]) {
        let radius = lesser(at[0].1, at[1].1);
        if self.best.is_some_and(|w| radius <= w.radius) {
            return;
        }
        // A witness is re-checked by exact rays.
        if radius > 0.0 && !self.sides.iter().all(|s| s.contains(x)) {
            return;
        }
        self.best = Some(Witness { center: *x, radius, points: [at[0].0.point, at[1].0.point] });
    }

    /// The nearest point and the signed depth; `known` is a probe at a distance from here.
    fn probe(&self, which: usize, x: &Vec3, known: Option<(&Probe, f64)>) -> Option<(Near, f64)> {
        let side = &self.sides[which];
        let near = match known {
            None => side.nearest(x, f64::INFINITY)?,
            Some((probe, _)) => {
                let foot = point_triangle(x, &side.corners(probe.triangle));
                let distance = foot.squared.sqrt();
                let hint = Near { triangle: probe.triangle, point: foot.point, distance };
                side.nearest(x, distance).unwrap_or(hint)
            }
        };
        let inside = match known {
            // Nothing of the surface lies between.
            Some((probe, moved)) if probe.signed.abs() > moved * (1.0 + 1e-9) + self.rounding => probe.signed > 0.0,
            _ => side.holds(x, &near),
        };
        Some((near, if inside { near.distance } else { -near.distance }))
    }

    /// Bounds a cell and keeps it, if a better ball may be in it.
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
        self.consider(&center, &at);
        let upper = self.confined(&center, &half, lesser(upper, lesser(a.1, b.1) + radius));
        let upper = self.bound(&center, &half, &at, upper, target);
        if upper > self.lower() {
            let probes = at.map(|(near, signed)| Probe { signed, triangle: near.triangle });
            self.heap.push(Cell { upper, order: self.cells, center, half, probes });
        }
    }

    /// The least bound that the means at hand give, not above `upper`; less care is taken below what the target asks for.
    pub(super) fn bound(
        &mut self,
        center: &Vec3,
        half: &Vec3,
        at: &[(Near, f64); 2],
        upper: f64,
        target: &Target,
    ) -> f64 {
        let mut upper = upper;
        let enough = |best: f64| target.level(best);
        if upper <= enough(self.lower()) {
            return upper;
        }
        self.cuts.clear();
        self.cut_triangles.clear();
        let far = self.cut(center, half, center, at);
        upper = lesser(upper, maximize(&self.cuts, half, enough(self.lower())).upper);
        if upper <= enough(self.lower()) {
            return upper;
        }
        let radius = half.norm();
        let level = enough(self.lower());
        let mut known = [false; 2];
        for which in 0..2 {
            let region = Region {
                center: *center,
                half: *half,
                reach: radius + lesser(at[which].1.abs() + radius, far[which]) + self.rounding,
                slack: SLACK_SHARE * greater(level - self.lower(), 0.0).min(level.abs()),
                rounding: self.rounding,
                floor: level,
                ceiling: upper,
                nearest: at[which].0.triangle,
                depth: at[which].1,
            };
            known[which] = self.elements[which].gather(&self.sides[which], &region);
        }
        self.forget_what_is_too_much(&mut known, upper);
        self.pair_up(known, level);
        loop {
            let found = self.best_pair(known, half, enough(self.lower()));
            upper = lesser(upper, found.upper);
            if upper <= enough(self.lower()) {
                return upper;
            }
            let x = center + found.at;
            let hint = |which: usize| Probe { signed: 0.0, triangle: at[which].0.triangle };
            let Some(a) = self.probe(0, &x, Some((&hint(0), 0.0))) else { return upper };
            let Some(b) = self.probe(1, &x, Some((&hint(1), 0.0))) else { return upper };
            self.consider(&x, &[a, b]);
            let repeated = self.cut_triangles.contains(&[a.0.triangle, b.0.triangle]);
            if repeated || self.cuts.len() >= MAX_CUTS {
                return upper;
            }
            self.cut(center, half, &x, &[a, b]);
        }
    }

    /// Where more pairs of elements reach up to a bound than programmes are solved, no other bound would come of them: goes on with
    /// the elements of one solid, or with none.
    fn forget_what_is_too_much(&self, known: &mut [bool; 2], upper: f64) {
        let reaching = |which: usize, known: &[bool; 2]| {
            let e = &self.elements[which];
            if known[which] { (0..e.count()).filter(|i| e.height(*i) >= upper).count() } else { 1 }
        };
        for _ in 0..2 {
            let [of_a, of_b] = [reaching(0, known), reaching(1, known)];
            if of_a * of_b > MAX_PROGRAMMES {
                known[usize::from(of_b > of_a)] = false;
            }
        }
    }

    /// All pairs of elements that may leave more than is enough, the most promising first. A side of which nothing is known has
    /// one element without rows.
    fn pair_up(&mut self, known: [bool; 2], enough: f64) {
        self.pairs.clear();
        let [of_a, of_b] = &self.elements;
        let count = |which: usize, e: &Elements| if known[which] { e.count() } else { 1 };
        let height = |which: usize, e: &Elements, i: usize| if known[which] { e.height(i) } else { f64::INFINITY };
        for i in 0..count(0, of_a) {
            for j in 0..count(1, of_b) {
                let high = lesser(height(0, of_a, i), height(1, of_b, j));
                if high > enough {
                    self.pairs.push((high, i as u32, j as u32));
                }
            }
        }
        self.pairs.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
    }

    /// The largest programme over the pairs left, each with all cuts; pairs that are below what is enough are dropped. After
    /// [`MAX_PROGRAMMES`] the heights of the rest count as they are.
    fn best_pair(&mut self, known: [bool; 2], half: &Vec3, enough: f64) -> Optimum {
        let mut best = Optimum { upper: enough, at: Vec3::zeros() };
        let mut solved = 0;
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.retain_mut(|(high, i, j)| {
            if *high <= enough {
                return false;
            }
            if solved == MAX_PROGRAMMES {
                best.upper = greater(best.upper, *high);
                return true;
            }
            solved += 1;
            self.rows.clear();
            self.rows.extend_from_slice(&self.cuts);
            for (which, item) in [(0, *i), (1, *j)] {
                if known[which] {
                    self.rows.extend_from_slice(self.elements[which].rows(item as usize));
                    self.rows.extend_from_slice(self.elements[which].common());
                }
            }
            let found = maximize(&self.rows, half, enough);
            *high = lesser(*high, found.upper);
            if *high > best.upper {
                best = Optimum { upper: *high, ..found };
            }
            *high > enough
        });
        self.pairs = pairs;
        best
    }

    /// Adds a cut for each solid: the distance to the triangle nearest to `x` bounds the depth of every point of the cell. How
    /// far the cell's points lie from that triangle at most.
    fn cut(&mut self, center: &Vec3, half: &Vec3, x: &Vec3, at: &[(Near, f64); 2]) -> [f64; 2] {
        self.cut_triangles.push([at[0].0.triangle, at[1].0.triangle]);
        let mut far = [0.0; 2];
        for which in 0..2 {
            let near = &at[which].0;
            let triangle = self.sides[which].corners(near.triangle);
            let slope = (x - near.point).try_normalize(0.0).unwrap_or_else(|| {
                let n = self.sides[which].turned(&self.sides[which].surface.normal(near.triangle));
                -n
            });
            let mut over = f64::NEG_INFINITY;
            for corner in 0..8 {
                let sign = |k: usize| if corner >> k & 1 == 1 { half[k] } else { -half[k] };
                let y = Vec3::new(sign(0), sign(1), sign(2));
                let from = center + y;
                let distance = point_triangle(&from, &triangle).squared.sqrt();
                far[which] = greater(far[which], distance);
                over = greater(over, distance - slope.dot(&y));
            }
            self.cuts.push(Row::bound(slope, over));
        }
        far
    }
}
