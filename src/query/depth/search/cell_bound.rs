//! Bounds the common radius over one cell of the search, by linear programmes over the local bounds of both solids and
//! cuts.
//!
//! A cut bounds the depth everywhere in the cell by the distance to one triangle, or to its plane where the surface
//! covers the whole cell in this plane. The local bounds are alternatives, so every pair of them (one from each solid)
//! has its own linear programme, and the largest optimum counts. The optimum's point gives the next cut.

use crate::geom::Vec3;
use crate::geom::math::{greater, lesser};
use crate::geom::triangle::point_triangle;
use crate::query::depth::inset::coplanar_extent::{Plane, covers_in_plane};
use crate::query::depth::search::cell_lp::{Optimum, Row, corners_of_box, excess, maximize};
use crate::query::depth::search::evaluator::{Evaluator, Probe};
use crate::query::depth::search::local_bounds::{LocalBounds, Region};
use crate::query::depth::search::{Cell, CellFacts, NewCell, Target};
use crate::shape::surface::placed::NearestPoint;

/// Upper limit of cuts in a cell's programme.
const MAX_CUTS: usize = 12;

/// Upper limit of programmes for one cell; beyond it, splitting the cell is cheaper.
const MAX_PROGRAMMES: usize = 400;

/// Upper limit of times that a cell shrinks to a part of it before its bound.
const MAX_SHRINKS: usize = 4;

/// Largest volume of a part that takes the place of its cell (share of the cell's volume).
const SMALLER: f64 = 0.9;

/// Widening of such a part (share of the cell's half extents): rounding of its sides.
const PART_ROUNDING: f64 = 1e-9;

/// Largest search radius for elements, as a share of one that gave none in a larger cell.
const SMALLER_RADIUS: f64 = 0.6;

/// Largest distance of a surface from the plane of a cut (share of the radius that the target leaves).
const OFF_PLANE_SHARE: f64 = 0.05;

/// Largest outward shift of a patch plane (share of the bracket's allowed width).
const SLACK_SHARE: f64 = 0.25;

/// Rows and elements of one cell, with their memory kept from cell to cell.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    elements: [LocalBounds; 2],
    rows: Vec<Row>,
    cuts: Vec<Row>,
    /// Least search radius without usable elements in this cell or in a larger one, for each solid (mm).
    too_wide: [f64; 2],
    /// Search radius of this cell's elements, for each solid (mm).
    reach: [f64; 2],
    /// Pairs of elements with a bound above the target: height, then the pair.
    pairs: Vec<(f64, u32, u32)>,
}

/// Box around the part of a cell in which every cut exceeds a level (mm): its centre relative to the cell's, and its
/// half extents. `None` unless it is smaller than the cell.
pub(crate) fn part_above(cuts: &[Row], half: &Vec3, level: f64) -> Option<(Vec3, Vec3)> {
    let (mut min, mut max) = (-half, *half);
    for row in cuts {
        let highest = row.highest(half);
        for k in 0..3 {
            let slope = row.slope[k];
            // The other two axes add at most as much as at their best side.
            let least = level - (highest - slope.abs() * half[k]);
            let wide = PART_ROUNDING * half[k];
            if slope > 0.0 {
                min[k] = greater(min[k], least / slope - wide);
            } else if slope < 0.0 {
                max[k] = lesser(max[k], least / slope + wide);
            }
        }
    }
    let part = (max - min) * 0.5;
    let share: f64 = part.component_div(half).iter().product();
    (part.min() > 0.0 && share <= SMALLER).then(|| ((min + max) * 0.5, part))
}

/// Bounds cells, and keeps the best ball met on the way.
pub(crate) struct CellBounder<'s, 'a> {
    pub(crate) evaluator: Evaluator<'a>,
    pub(crate) scratch: &'s mut Scratch,
}

impl CellBounder<'_, '_> {
    /// Bounds cells; returns those that may contain a better ball.
    pub(crate) fn all_bounded(&mut self, cells: &[NewCell], target: &Target) -> Vec<Cell> {
        let mut kept = Vec::with_capacity(2 * cells.len());
        for cell in cells {
            self.bound(*cell, MAX_SHRINKS, target, &mut kept);
        }
        kept
    }

    /// Bounds a cell, and adds it to `kept` if it may contain a better ball. Where the first cuts bound some of the cell
    /// by the target's level, only the part left is bounded further, `shrinks` times at most. Where all cuts do, only the
    /// part left is divided later. The whole cell is then kept with this level, too.
    fn bound(&mut self, cell: NewCell, shrinks: usize, target: &Target, kept: &mut Vec<Cell>) {
        let Some(at) = self.evaluated(&cell) else { return };
        let NewCell { order, center, half, known, .. } = cell;
        let probes = at.map(|(near, signed)| Probe { signed, triangle: near.triangle });
        self.scratch.too_wide = known.map_or([f64::INFINITY; 2], |known| known.too_wide);
        let mut upper = lesser(cell.upper, lesser(at[0].1, at[1].1) + half.norm());
        let level = target.level(self.evaluator.lower());
        if upper > level {
            self.scratch.cuts.clear();
            let far = self.cut(&center, &half, &center, &at, target);
            let part = if shrinks > 0 { part_above(&self.scratch.cuts, &half, level) } else { None };
            if let Some((shift, part)) = part {
                let known = Some(CellFacts { probes, point: center, too_wide: self.scratch.too_wide });
                kept.push(Cell { upper: level, order, center, half, known });
                let part = NewCell { upper, order, center: center + shift, half: part, known };
                return self.bound(part, shrinks - 1, target, kept);
            }
            upper = self.bound_by_cuts(&center, &half, &at, upper, far, target);
        }
        if upper <= self.evaluator.lower() {
            return;
        }
        let known = Some(CellFacts { probes, point: center, too_wide: self.scratch.too_wide });
        let level = target.level(self.evaluator.lower());
        let part = if upper > level { part_above(&self.scratch.cuts, &half, level) } else { None };
        if let Some((shift, part)) = part {
            kept.push(Cell { upper: level, order, center, half, known });
            kept.push(Cell { upper, order, center: center + shift, half: part, known });
        } else {
            kept.push(Cell { upper, order, center, half, known });
        }
    }

    /// Evaluates a cell's centre; `None` if the cell contains no better ball.
    fn evaluated(&mut self, cell: &NewCell) -> Option<[(NearestPoint, f64); 2]> {
        let lower = self.evaluator.lower();
        let probe = |which: usize| {
            let known = cell.known.as_ref().map(|known| (&known.probes[which], &known.point));
            self.evaluator.probe(which, &cell.center, known).filter(|at| at.1 + cell.half.norm() > lower)
        };
        let at = [probe(0)?, probe(1)?];
        self.evaluator.offer(&cell.center, &at);
        Some(at)
    }

    /// Upper bound after the first cuts; `far` as from [`Self::cut`] (mm).
    fn bound_by_cuts(
        &mut self,
        center: &Vec3,
        half: &Vec3,
        at: &[(NearestPoint, f64); 2],
        upper: f64,
        far: [f64; 2],
        target: &Target,
    ) -> f64 {
        let level = target.level(self.evaluator.lower());
        let mut found = maximize(&self.scratch.cuts, half, level);
        let mut upper = lesser(upper, found.upper);
        if upper <= level {
            return upper;
        }
        let Some(mut known) = self.gather(center, half, at, far, [level, upper]) else { return level };
        self.forget_what_is_too_much(&mut known, upper);
        self.pair_up(known, level);
        if known != [false; 2] {
            found = self.best_pair(known, half, level);
        }
        let hint = |which: usize| Probe { signed: at[which].1, triangle: at[which].0.triangle };
        let mut last = at.map(|(near, _)| near.triangle);
        loop {
            let level = target.level(self.evaluator.lower());
            upper = lesser(upper, found.upper);
            if upper <= level {
                return upper;
            }
            let x = center + found.at;
            let Some(a) = self.evaluator.probe(0, &x, Some((&hint(0), center))) else { return upper };
            let Some(b) = self.evaluator.probe(1, &x, Some((&hint(1), center))) else { return upper };
            self.evaluator.offer(&x, &[a, b]);
            let (nearest, count) = ([a.0.triangle, b.0.triangle], self.scratch.cuts.len());
            if nearest == last || count >= MAX_CUTS {
                return upper;
            }
            last = nearest;
            self.cut(center, half, &x, &[a, b], target);
            let at_optimum = |row: &Row| row.value + row.slope.dot(&found.at);
            let left = self.scratch.cuts[count..].iter().map(at_optimum).fold(f64::INFINITY, lesser);
            let level = target.level(self.evaluator.lower());
            // The optimum must fall as far below the level as it was above: other cuts seldom lower the bound enough.
            if left > level - (upper - level) {
                return upper;
            }
            found = self.best_pair(known, half, level);
        }
    }

    /// Collects the elements of both solids; true for each solid with known ones. `None` if one solid excludes every
    /// common radius above the level. `far` is the largest distance of the cell's points from a triangle of each solid
    /// (mm), `[level, upper]` the radii of interest (mm).
    fn gather(
        &mut self,
        center: &Vec3,
        half: &Vec3,
        at: &[(NearestPoint, f64); 2],
        far: [f64; 2],
        [level, upper]: [f64; 2],
    ) -> Option<[bool; 2]> {
        let radius = half.norm();
        let mut known = [false; 2];
        // The solid of the lesser depth is the more likely one to exclude the whole cell.
        for which in if at[0].1 <= at[1].1 { [0, 1] } else { [1, 0] } {
            let region = Region {
                center: *center,
                half: *half,
                reach: radius + lesser(at[which].1.abs() + radius, far[which]) + self.evaluator.rounding,
                slack: SLACK_SHARE * greater(level - self.evaluator.lower(), 0.0).min(level.abs()),
                rounding: self.evaluator.rounding,
                floor: level,
                ceiling: upper,
                nearest: at[which].0.triangle,
                depth: at[which].1,
            };
            if region.reach > SMALLER_RADIUS * self.scratch.too_wide[which] {
                continue;
            }
            self.scratch.reach[which] = region.reach;
            known[which] = self.scratch.elements[which].gather(
                &self.evaluator.sides[which],
                self.evaluator.may_have_inner[which],
                &region,
            );
            if !known[which] {
                self.scratch.too_wide[which] = region.reach;
            } else if self.scratch.elements[which].count() == 0 {
                return None;
            }
        }
        Some(known)
    }

    /// Drops the elements of one or both solids if more pairs reach `upper` than programmes may be solved: they could
    /// not lower the bound. Their search radius counts as too wide.
    fn forget_what_is_too_much(&mut self, known: &mut [bool; 2], upper: f64) {
        let elements = &self.scratch.elements;
        let reaching = |which: usize, known: &[bool; 2]| {
            let e = &elements[which];
            if known[which] { (0..e.count()).filter(|i| e.height(*i) >= upper).count() } else { 1 }
        };
        for _ in 0..2 {
            let [of_a, of_b] = [reaching(0, known), reaching(1, known)];
            if of_a * of_b > MAX_PROGRAMMES {
                let which = usize::from(of_b > of_a);
                known[which] = false;
                self.scratch.too_wide[which] = self.scratch.reach[which];
            }
        }
    }

    /// Collects all element pairs with a bound above `enough`, highest first. A solid without elements counts as one
    /// element without rows.
    fn pair_up(&mut self, known: [bool; 2], enough: f64) {
        self.scratch.pairs.clear();
        let [of_a, of_b] = &self.scratch.elements;
        let count = |which: usize, e: &LocalBounds| if known[which] { e.count() } else { 1 };
        let height = |which: usize, e: &LocalBounds, i: usize| if known[which] { e.height(i) } else { f64::INFINITY };
        for i in 0..count(0, of_a) {
            for j in 0..count(1, of_b) {
                let high = lesser(height(0, of_a, i), height(1, of_b, j));
                if high > enough {
                    self.scratch.pairs.push((high, i as u32, j as u32));
                }
            }
        }
        self.scratch.pairs.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
    }

    /// Largest optimum over all pairs, each with all cuts, at least `enough`. After [`MAX_PROGRAMMES`] the remaining pairs
    /// count with their heights.
    fn best_pair(&mut self, known: [bool; 2], half: &Vec3, enough: f64) -> Optimum {
        let mut best = Optimum { upper: enough, at: Vec3::zeros() };
        let Scratch { elements, rows, cuts, pairs, .. } = &mut *self.scratch;
        for (solved, (high, i, j)) in pairs.iter().enumerate() {
            if *high <= best.upper {
                // The other pairs are not higher.
                break;
            }
            if solved == MAX_PROGRAMMES {
                best.upper = *high;
                break;
            }
            rows.clear();
            rows.extend_from_slice(cuts);
            for (which, item) in [(0, *i), (1, *j)] {
                if known[which] {
                    rows.extend_from_slice(elements[which].rows(item as usize));
                    rows.extend_from_slice(elements[which].common());
                }
            }
            let found = maximize(rows, half, best.upper);
            let upper = lesser(*high, found.upper);
            if upper > best.upper {
                best = Optimum { upper, ..found };
            }
        }
        best
    }

    /// Adds a cut for each solid: the distance to the triangle nearest to `x`, or to its plane, bounds the depth over
    /// the cell. Returns the largest distance of the cell's points from the surface that each cut measures (mm).
    fn cut(
        &mut self,
        center: &Vec3,
        half: &Vec3,
        x: &Vec3,
        at: &[(NearestPoint, f64); 2],
        target: &Target,
    ) -> [f64; 2] {
        let left = target.level(self.evaluator.lower()) - self.evaluator.lower();
        let corners = corners_of_box(half);
        let mut far = [0.0; 2];
        for which in 0..2 {
            let side = &self.evaluator.sides[which];
            let near = &at[which].0;
            let triangle = side.corners(near.triangle);
            let slope = (x - near.point)
                .try_normalize(0.0)
                .unwrap_or_else(|| -side.turned(&side.surface.normal(near.triangle)));
            let distances = of_corners(&corners, |y| point_triangle(&(center + y), &triangle).squared.sqrt());
            let own = Row::bound(slope, excess(&corners, &distances, &slope));
            let cut = (own, distances.iter().copied().fold(0.0, greater));
            let off = OFF_PLANE_SHARE * left;
            let (row, farthest) = self.plane_cut(center, &corners, near.triangle, which, off, &own).unwrap_or(cut);
            far[which] = farthest;
            self.scratch.cuts.push(row);
        }
        far
    }

    /// Cut by the distance to the plane of a triangle, and the largest such distance in the cell (mm). `None` unless
    /// the surface covers the cell in this plane, within `off` (mm), and the cut is closer than `row` at the cell's
    /// centre.
    fn plane_cut(
        &self,
        center: &Vec3,
        corners: &[Vec3; 8],
        triangle: u32,
        which: usize,
        off: f64,
        row: &Row,
    ) -> Option<(Row, f64)> {
        let side = &self.evaluator.sides[which];
        let plane = Plane::of(side.surface, triangle);
        let (local, off_in_all) = (side.local(center), off + self.evaluator.rounding);
        let height = plane.height(&local);
        if !(off > 0.0 && height.abs() + off_in_all < row.value) {
            return None;
        }
        let is_flat = |t: u32| t != u32::MAX && side.surface.triangle(t).iter().all(|p| plane.height(p).abs() <= off);
        if !(0..3).any(|k| is_flat(side.surface.neighbor_of(triangle, k))) {
            // The triangle alone is the face.
            return None;
        }
        let placed = of_corners(corners, |y| side.local(&(center + y)));
        if !covers_in_plane(side.surface, triangle, &placed, &plane, off) {
            return None;
        }
        let slope = side.turned(&plane.normal) * height.signum();
        let distances = of_corners(&placed, |p| plane.height(p).abs() + off_in_all);
        let closer = Row::bound(slope, excess(corners, &distances, &slope));
        (closer.value < row.value).then(|| (closer, distances.iter().copied().fold(0.0, greater)))
    }
}

/// Value of a function at each corner of a cell. An array's own `map` is not always inlined.
#[inline]
fn of_corners<T: Default + Copy>(corners: &[Vec3; 8], value: impl Fn(&Vec3) -> T) -> [T; 8] {
    let mut values = [T::default(); 8];
    for (corner, out) in corners.iter().zip(&mut values) {
        *out = value(corner);
    }
    values
}
