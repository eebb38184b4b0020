//! Tests and measures pairs with a surface without a definite inside, by generalised winding numbers.
//!
//! [`interpenetrates`] decides if the distance describes the pair. [`BallSearch`] looks for a common ball. The search
//! also serves solids with unresolved self-unions: a common ball is the only certain result for them.

use crate::geom::math::{greater, lesser};
use crate::geom::triangle::Triangle;
use crate::geom::{Aabb, Vec3};
use crate::query::depth::search::Target;
use crate::query::depth::search::evaluator::Witness;
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::transversal_crossing;
use crate::shape::surface::Inside;
use crate::shape::surface::placed::{NearestPoint, PlacedSurface};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Budget of the inside tests (solid angles of boundary edges), about half a second. Beyond it a point may be inside.
const INSIDE_TEST_BUDGET: u64 = 25_000_000;

/// Distance of test points behind triangles (multiples of the slack).
const TEST_POINT_OFFSET: f64 = 16.0;

/// Upper limit of cells in the search for a common ball, at some ten microseconds each.
const MAX_CELLS: u32 = 4096;

/// Tests if the surfaces interpenetrate: they cross by more than `slack` (mm), a vertex of one, or the centre of a
/// touching triangle, is deeper than `slack` inside the other, or coincident triangles have both insides behind them,
/// as in two copies at one place. Also true if the budget ends first. If false, the distance of the surfaces describes
/// the pair completely.
pub(crate) fn interpenetrates(p: &Pairing, sides: &[PlacedSurface; 2], slack: f64, meet: bool) -> bool {
    let mut touched = [Vec::new(), Vec::new()];
    let mut behind = Vec::new();
    if meet
        && transversal_crossing::cross(p, slack, |i, j| {
            behind.extend(point_behind_overlap(&sides[0].corners(i), &sides[1].corners(j), slack));
            touched[0].push(i);
            touched[1].push(j);
        })
    {
        return true;
    }
    let mut budget = Budget(INSIDE_TEST_BUDGET);
    behind.iter().any(|x| sides.iter().all(|side| budget.is_inside(side, x, slack)))
        || (0..2).any(|k| some_inside(&sides[k], &sides[1 - k], &mut touched[1 - k], slack, meet, &mut budget))
}

/// Remaining budget for inside tests (solid angles of boundary edges).
struct Budget(u64);

impl Budget {
    /// Tests if a point (A's frame) is deeper inside than `slack` (mm); also true if the budget is too small for the
    /// test.
    fn is_inside(&mut self, side: &PlacedSurface, x: &Vec3, slack: f64) -> bool {
        let Some(left) = self.0.checked_sub(side.containing_costs()) else { return true };
        self.0 = left;
        side.contains(x) && side.nearest(x, slack).is_none()
    }
}

/// Test point behind the common area of two triangles. `None` unless the triangles face the same way and `t` overlaps
/// `on` within `slack` (mm) of its plane.
fn point_behind_overlap(on: &Triangle, t: &Triangle, slack: f64) -> Option<Vec3> {
    let normal = |[a, b, c]: &Triangle| (b - a).cross(&(c - a)).try_normalize(0.0);
    let (n, m) = (normal(on)?, normal(t)?);
    if n.dot(&m) <= 0.0 {
        return None;
    }
    // Clips `t` by the edges of `on`.
    let mut over: Vec<Vec3> = t.to_vec();
    for k in 0..3 {
        let inward = n.cross(&(on[(k + 1) % 3] - on[k]));
        let height = |x: &Vec3| inward.dot(&(x - on[k]));
        let mut kept = Vec::with_capacity(over.len() + 1);
        for (i, x) in over.iter().enumerate() {
            let y = &over[(i + 1) % over.len()];
            let (from, to) = (height(x), height(y));
            if from >= 0.0 {
                kept.push(*x);
            }
            if (from > 0.0 && to < 0.0) || (from < 0.0 && to > 0.0) {
                kept.push(x + (y - x) * (from / (from - to)));
            }
        }
        over = kept;
    }
    let longest = (0..3).map(|k| (on[(k + 1) % 3] - on[k]).norm()).fold(0.0, greater);
    let twice: Vec3 = (2..over.len()).map(|k| (over[k - 1] - over[0]).cross(&(over[k] - over[0]))).sum();
    let shared = twice.norm() > 2.0 * slack * longest && over.iter().all(|x| n.dot(&(x - on[0])).abs() <= slack);
    let middle: Vec3 = over.iter().sum::<Vec3>() / over.len().max(1) as f64;
    shared.then(|| middle - n * (TEST_POINT_OFFSET * slack))
}

/// Tests if a vertex of `of`, or the centre of one of its touching triangles, lies inside the other surface.
fn some_inside(
    inside: &PlacedSurface,
    of: &PlacedSurface,
    touched: &mut Vec<u32>,
    slack: f64,
    meet: bool,
    budget: &mut Budget,
) -> bool {
    let mut tell = |x: Vec3| inside.surface.bounds.contains(&inside.local(&x)) && budget.is_inside(inside, &x, slack);
    let vertex = |v: u32| of.global(&of.surface.vertices[v as usize]);
    if !meet && inside.surface.inside != Inside::Undefined {
        // Without contact each shell lies on one side of the other surface.
        return of.surface.shells.iter().any(|&v| tell(vertex(v)));
    }
    touched.sort_unstable();
    touched.dedup();
    touched.iter().any(|&t| {
        let [a, b, c] = of.corners(t);
        tell((a + b + c) / 3.0)
    }) || {
        let mut used = vec![false; of.surface.vertices.len()];
        of.surface
            .triangles
            .iter()
            .flatten()
            .any(|&v| !std::mem::replace(&mut used[v as usize], true) && tell(vertex(v)))
    }
}

/// Allowance for the rounding of a distance from a surface (share of it). A wrong limit only costs a second search.
const DISTANCE_ROUNDING: f64 = 1e-9;

struct Cell {
    /// Upper bound of the radius of a ball around a point of the cell and disjoint from both surfaces (mm).
    upper: f64,
    /// Breaks ties: the older cell first.
    order: u32,
    center: Vec3,
    half: Vec3,
    /// Distance of the centre from each surface (mm); infinite if unknown.
    distances: [f64; 2],
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

/// Best-first search for the largest ball around a point inside both surfaces and disjoint from them. The inside may
/// end in a hole, far from any surface. Cells are therefore bounded by distance alone; in a solid the side of the
/// centre bounds them, too.
pub(crate) struct BallSearch<'a> {
    sides: [PlacedSurface<'a>; 2],
    heap: BinaryHeap<Cell>,
    angles: u64,
    pub cells: u32,
}

impl<'a> BallSearch<'a> {
    /// Starts a search over a box (A's frame) around all common points.
    pub(crate) fn new(sides: [PlacedSurface<'a>; 2], region: &Aabb) -> Self {
        let mut search = Self { sides, heap: BinaryHeap::new(), angles: INSIDE_TEST_BUDGET, cells: 0 };
        if (0..3).all(|k| region.min[k] <= region.max[k]) {
            let half = (region.max - region.min) * 0.5;
            search.heap.push(Cell {
                upper: f64::INFINITY,
                order: 0,
                center: region.center(),
                half,
                distances: [f64::INFINITY; 2],
            });
        }
        search
    }

    /// Refines until the target is met, no better cell remains, or the search has used `budget` cells in total, at most
    /// 4096.
    pub(crate) fn refine(&mut self, target: &Target, budget: u32, best: &mut Option<Witness>) {
        let budget = budget.min(MAX_CELLS);
        while let Some(cell) = self.heap.pop() {
            let radius = best.map_or(0.0, |w| greater(w.radius, 0.0));
            let enough = target.level(radius);
            if radius > target.above || cell.upper <= enough || self.cells >= budget || self.angles == 0 {
                self.heap.push(cell);
                return;
            }
            if cell.order == 0 {
                self.add(cell.center, cell.half, cell.upper, cell.distances, best);
                continue;
            }
            let axis = cell.half.imax();
            let mut half = cell.half;
            half[axis] *= 0.5;
            for sign in [-1.0, 1.0] {
                let mut center = cell.center;
                center[axis] += sign * half[axis];
                // A distance changes at most by the step.
                let at_most = |d: f64| (d + half[axis]) * (1.0 + DISTANCE_ROUNDING);
                let [a, b] = cell.distances;
                self.add(center, half, cell.upper, [at_most(a), at_most(b)], best);
            }
        }
    }

    /// Adds a cell; `upper` bounds its radius, `at_most` the distance of its centre from each surface (mm).
    fn add(&mut self, center: Vec3, half: Vec3, upper: f64, at_most: [f64; 2], best: &mut Option<Witness>) {
        self.cells += 1;
        let reach = half.norm();
        let near = |k: usize| {
            let side = &self.sides[k];
            side.nearest(&center, at_most[k]).or_else(|| side.nearest(&center, f64::INFINITY))
        };
        let (Some(a), Some(b)) = (near(0), near(1)) else { return };
        let mut upper = lesser(upper, lesser(a.distance, b.distance) + reach);
        let mut inside = true;
        for (k, near) in [a, b].iter().enumerate() {
            let solid = self.sides[k].surface.inside == Inside::Solid;
            if solid && !self.holds(k, &center, near) {
                inside = false;
                upper = lesser(upper, reach - near.distance);
            }
        }
        let known = best.map_or(0.0, |w| greater(w.radius, 0.0));
        if upper <= known {
            return;
        }
        let radius = lesser(a.distance, b.distance);
        if inside && radius > known && (0..2).all(|k| self.contains(k, &center)) {
            *best = Some(Witness { center, radius, points: [a.point, b.point] });
        }
        self.heap.push(Cell { upper, order: self.cells, center, half, distances: [a.distance, b.distance] });
    }

    fn holds(&mut self, k: usize, x: &Vec3, near: &NearestPoint) -> bool {
        self.sides[k].holds(x, near)
    }

    fn contains(&mut self, k: usize, x: &Vec3) -> bool {
        self.angles = self.angles.saturating_sub(self.sides[k].containing_costs());
        self.sides[k].contains(x)
    }
}
