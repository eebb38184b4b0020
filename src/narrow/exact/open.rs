//! Pairs with a surface that does not say what is inside: what their generalised winding numbers tell. The search for a common
//! ball also serves solids with parts of their surface inside, where no more than such a ball can be told.

use super::super::mesh_mesh::Pairing;
use super::super::surface::Inside;
use super::super::transversal;
use super::depth::{Target, Witness};
use super::side::{Near, Side};
use crate::geom::math::{greater, lesser};
use crate::geom::{Aabb, Vec3};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The most that is spent on looking for points of one surface inside the other, in solid angles of rim edges: half a second.
/// Beyond it there may be one.
const MAX_ANGLES: u64 = 25_000_000;

/// Cells looked at for a common ball, at most: some ten microseconds each.
const MAX_CELLS: u32 = 4096;

/// Whether the surfaces cross or a vertex of one lies inside the other, in each case by more than `slack` (mm); also where that
/// would take too long to rule out. If not, their distance is all there is to say.
pub(super) fn entangled(p: &Pairing, sides: &[Side; 2], slack: f64, meet: bool) -> bool {
    let mut touched = [Vec::new(), Vec::new()];
    if meet
        && transversal::cross(p, slack, |i, j| {
            touched[0].push(i);
            touched[1].push(j);
        })
    {
        return true;
    }
    let mut budget = MAX_ANGLES;
    (0..2).any(|k| some_inside(&sides[k], &sides[1 - k], &mut touched[1 - k], slack, meet, &mut budget))
}

/// Whether a vertex of `of`, or the middle of a triangle that touches, lies inside the other.
fn some_inside(inside: &Side, of: &Side, touched: &mut Vec<u32>, slack: f64, meet: bool, budget: &mut u64) -> bool {
    let mut tell = |x: Vec3| {
        if !holds(&inside.surface.bounds, &inside.local(&x)) {
            return false;
        }
        let Some(left) = budget.checked_sub(inside.containing_costs()) else { return true };
        *budget = left;
        inside.contains(&x) && inside.nearest(&x, slack).is_none()
    };
    let vertex = |v: u32| of.global(&of.surface.vertices[v as usize]);
    if !meet && inside.surface.inside != Inside::Undefined {
        // What does not meet the other lies on one side of it.
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

fn holds(b: &Aabb, x: &Vec3) -> bool {
    (0..3).all(|k| b.min[k] <= x[k] && x[k] <= b.max[k])
}

struct Cell {
    /// No ball around a point of the cell that keeps off both surfaces has a larger radius.
    upper: f64,
    /// Ties go to the older one.
    order: u32,
    center: Vec3,
    half: Vec3,
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

/// Looks for the largest ball that keeps off both surfaces around a point inside both, best cell first. What is inside may end
/// in a hole, where no surface is near: so cells are bounded by their distance alone, except in a solid.
pub(super) struct Search<'a> {
    sides: [Side<'a>; 2],
    heap: BinaryHeap<Cell>,
    angles: u64,
    pub cells: u32,
}

impl<'a> Search<'a> {
    /// A search over the box (A's frame), which holds all common points.
    pub(super) fn new(sides: [Side<'a>; 2], region: &Aabb) -> Self {
        let mut search = Self { sides, heap: BinaryHeap::new(), angles: MAX_ANGLES, cells: 0 };
        if (0..3).all(|k| region.min[k] <= region.max[k]) {
            let half = (region.max - region.min) * 0.5;
            search.heap.push(Cell { upper: f64::INFINITY, order: 0, center: region.center(), half });
        }
        search
    }

    /// Goes on until the target is met, nothing better is left or the budget is spent.
    pub(super) fn refine(&mut self, target: &Target, best: &mut Option<Witness>) {
        while let Some(cell) = self.heap.pop() {
            let radius = best.map_or(0.0, |w| greater(w.radius, 0.0));
            let enough = greater(radius + greater(target.relative * radius, target.absolute), target.at_most);
            if radius > target.above || cell.upper <= enough || self.cells >= MAX_CELLS || self.angles == 0 {
                self.heap.push(cell);
                return;
            }
            if cell.order == 0 {
                self.add(cell.center, cell.half, cell.upper, best);
                continue;
            }
            let axis = cell.half.imax();
            let mut half = cell.half;
            half[axis] *= 0.5;
            for sign in [-1.0, 1.0] {
                let mut center = cell.center;
                center[axis] += sign * half[axis];
                self.add(center, half, cell.upper, best);
            }
        }
    }

    fn add(&mut self, center: Vec3, half: Vec3, upper: f64, best: &mut Option<Witness>) {
        self.cells += 1;
        let reach = half.norm();
        let [Some(a), Some(b)] = [0, 1].map(|k: usize| self.sides[k].nearest(&center, f64::INFINITY)) else { return };
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
        self.heap.push(Cell { upper, order: self.cells, center, half });
    }

    fn holds(&mut self, k: usize, x: &Vec3, near: &Near) -> bool {
        self.sides[k].holds(x, near)
    }

    fn contains(&mut self, k: usize, x: &Vec3) -> bool {
        self.angles = self.angles.saturating_sub(self.sides[k].containing_costs());
        self.sides[k].contains(x)
    }
}
