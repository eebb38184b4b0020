//! Bounds the overlap depth by the hulls of the lumps of the common solid.
//!
//! A ball in both solids lies in one lump of the common solid, and so in the hull of the corners of this lump. The
//! largest ball in this hull bounds the depth; for a convex lump it is the ball of the depth itself. Its planes come
//! one at a time (Kelley, "The Cutting-Plane Method for Solving Convex Programs", 1960): a linear programme places the
//! largest ball behind the planes found so far, and the nearest surface points of its centre give the next two planes,
//! moved out to the farthest corner.

use crate::geom::math::{greater, lesser};
use crate::geom::{Aabb, Vec3};
use crate::query::depth::bracket::{Event, OverlapSearch};
use crate::query::depth::precision::Precision;
use crate::query::depth::refine::ASCENT_STEP;
use crate::query::depth::search::cell_lp::{Row, maximize};
use crate::query::depth::search::evaluator::Witness;
use crate::shape::surface::placed::NearestPoint;

/// Upper limit of balls placed in one hull.
const MAX_BALLS: usize = 24;

/// Least reduction of the radius by a new plane at the centre of a ball (share of the excess over the wanted radius).
/// Less shows that the lump is not convex.
const LEAST_CUT: f64 = 0.1;

/// Largest share of the triangles around the common points for tests of insets near the lumps alone. With more, tests
/// without boxes cost less, and leave smaller boxes.
const FEW_NEAR: f64 = 0.35;

/// Largest number of triangles near the boxes, counted for each box: their pairs are tested one by one.
const MAX_NEAR: f64 = 3000.0;

/// Largest number of lumps in which ascents start: the deepest point is often in another lump than the best ball.
const MAX_CLIMBS: usize = 2;

/// Step between the triangles counted.
const SAMPLE_STEP: usize = 4;

/// Share of the bracket's width that the hulls may use.
const WIDTH_SHARE: f64 = 0.98;

/// Lumps that may hold a ball thicker than a level.
pub(crate) struct OpenLumps {
    /// Boxes of the lumps (A's frame, mm).
    pub boxes: Vec<Aabb>,
    /// Upper bound of the radius of a ball in any other lump (mm).
    pub others: f64,
}

impl OpenLumps {
    /// True if every ball thicker than `thickness` (mm) lies in the boxes. The best ball so far, in another place and
    /// larger than the bound there, contradicts this bound.
    pub(super) fn hold_balls_above(&self, thickness: f64, best: Option<Witness>) -> bool {
        let is_possible =
            |ball: Witness| ball.radius <= self.others || self.boxes.iter().any(|b| b.contains(&ball.center));
        2.0 * self.others <= thickness && best.is_none_or(is_possible)
    }
}

impl OverlapSearch<'_> {
    /// Bounds the depth by the corners of each lump of the common solid (A's frame, mm, up to the margin), down to
    /// `width`. Confines the search to the boxes of the lumps that may hold a thicker ball. Cost: for each of up to
    /// [`MAX_BALLS`] balls in a thick lump, a small linear programme, the nearest point of each surface, and O(n) for
    /// the corners.
    pub(crate) fn bound_by_lumps(&mut self, lumps: &[Vec<Vec3>], width: &Precision) {
        let (before, margin) = (self.lower, self.ask.margin);
        let width = width.less(6.0 * margin);
        let with_box = |corners| {
            let bounds = Aabb::of_points(corners);
            (0.5 * (bounds.max - bounds.min).min(), bounds, corners)
        };
        let mut order: Vec<(f64, Aabb, &Vec<Vec3>)> = lumps.iter().map(with_box).collect();
        // A thick lump first: its ball may rule out the others.
        order.sort_by(|p, q| q.0.total_cmp(&p.0));
        let mut found: Vec<(f64, Aabb)> = Vec::with_capacity(order.len());
        let mut centers: Vec<(f64, Vec3)> = Vec::new();
        for (thin, bounds, corners) in order {
            let mut radius = thin;
            if thin > self.wanted_radius(&width) {
                let center;
                (radius, center) = self.hull_radius(&LumpHull::new(corners, &bounds), &width);
                centers.extend(center.filter(|_| radius > self.wanted_radius(&width)));
            }
            found.push((radius + margin, bounds.inflated(margin)));
        }
        self.climb_in_lumps(centers, &width);
        if self.lower > before {
            self.events.push(Event::Ascent(self.lower));
        }
        let level = self.wanted_radius(&width);
        let (open, closed): (Vec<_>, Vec<_>) = found.into_iter().partition(|lump| lump.0 > level);
        let largest = |lumps: &[(f64, Aabb)]| lumps.iter().map(|lump| lump.0).fold(0.0, greater);
        let upper = greater(largest(&open), largest(&closed));
        // A thicker ball contradicts the bound, which then does not count.
        if 2.0 * upper < self.lower - margin {
            return;
        }
        self.events.push(Event::LumpBound(2.0 * upper, lumps.len()));
        self.upper = lesser(self.upper, greater(2.0 * upper, self.lower));
        self.depth.lower_ceiling(upper);
        if !open.is_empty() {
            let boxes: Vec<Aabb> = open.iter().map(|lump| lump.1).collect();
            let others = largest(&closed);
            self.depth.confine(&boxes, others);
            self.lumps = self.hold_few_triangles(&boxes).then_some(OpenLumps { boxes, others });
        }
    }

    /// True if few of the triangles around the common points are near some boxes (A's frame, mm).
    fn hold_few_triangles(&self, boxes: &[Aabb]) -> bool {
        let (mut near, mut all) = (0.0, 0.0);
        for side in self.sides() {
            for t in (0..side.surface.triangles.len() as u32).step_by(SAMPLE_STEP) {
                let around = Aabb::of_points(&side.corners(t));
                if around.meets(&self.region) {
                    all += 1.0;
                    near += boxes.iter().filter(|b| b.meets(&around)).count() as f64;
                }
            }
        }
        near <= FEW_NEAR * all && near * SAMPLE_STEP as f64 <= MAX_NEAR
    }

    /// Ascends from the best centres in the lumps, each with its lesser depth (mm). One lump has the best ball already.
    fn climb_in_lumps(&mut self, mut centers: Vec<(f64, Vec3)>, width: &Precision) {
        if centers.len() > 1 {
            centers.sort_by(|p, q| q.0.total_cmp(&p.0));
            for (_, center) in centers.iter().take(MAX_CLIMBS) {
                let thickness = greater(self.lower, width.of(self.lower));
                self.depth.evaluator.ascend(center, ASCENT_STEP * thickness, f64::INFINITY);
                self.take_bounds();
            }
        }
    }

    /// Radius down to which an upper bound of all balls suffices (mm).
    fn wanted_radius(&self, width: &Precision) -> f64 {
        0.5 * (greater(self.lower, 0.0) + WIDTH_SHARE * width.of(self.lower))
    }

    /// Upper bound of the radius of a ball in a hull (mm), down to the wanted radius or until new planes hardly reduce
    /// it. Keeps the balls that are met. Also returns the best centre, with its lesser depth (mm).
    fn hull_radius(&mut self, hull: &LumpHull, width: &Precision) -> (f64, Option<(f64, Vec3)>) {
        let mut rows = hull.sides();
        let mut center: Option<(f64, Vec3)> = None;
        let mut offer = |x: Vec3, at: &[(NearestPoint, f64); 2]| {
            let depth = lesser(at[0].1, at[1].1);
            if center.is_none_or(|best| depth > best.0) {
                center = Some((depth, x));
            }
        };
        let mut upper = hull.half.min();
        // The planes at a ball in the lump bound a thin lump at once. A deepest point in the middle is easy to find in a
        // picture.
        let best = self.depth.evaluator.best.map(|ball| ball.center).filter(|x| hull.bounds.contains(x));
        for x in best.into_iter().chain([hull.center]) {
            if let Some(at) = self.depth.evaluate(&x) {
                rows.extend(hull.planes(self, &x, &at));
                offer(x, &at);
            }
        }
        self.take_bounds();
        for _ in 0..MAX_BALLS {
            let wanted = self.wanted_radius(width);
            let largest = maximize(&rows, &hull.half, wanted);
            upper = lesser(upper, largest.upper);
            if upper <= wanted {
                break;
            }
            let x = hull.center + largest.at;
            let Some(at) = self.depth.evaluate(&x) else { break };
            self.take_bounds();
            offer(x, &at);
            let planes = hull.planes(self, &x, &at);
            rows.extend(planes);
            let most = upper - LEAST_CUT * (upper - self.wanted_radius(width));
            if planes.iter().all(|row| row.value + row.slope.dot(&largest.at) > most) {
                break;
            }
        }
        (upper, center)
    }
}

/// Hull of the corners of a lump.
struct LumpHull<'c> {
    corners: &'c [Vec3],
    bounds: Aabb,
    /// Centre and half extents of the box.
    center: Vec3,
    half: Vec3,
}

impl<'c> LumpHull<'c> {
    fn new(corners: &'c [Vec3], bounds: &Aabb) -> Self {
        Self { corners, bounds: *bounds, center: bounds.center(), half: (bounds.max - bounds.min) * 0.5 }
    }

    /// Bounds of the radius by the six sides of the box, relative to its centre.
    fn sides(&self) -> Vec<Row> {
        let sides = |k: usize| {
            let mut axis = Vec3::zeros();
            axis[k] = 1.0;
            [Row::bound(axis, self.half[k]), Row::bound(-axis, self.half[k])]
        };
        [0, 1, 2].into_iter().flat_map(sides).collect()
    }

    /// Bounds of the radius by a plane for each surface: across the way from a point to the nearest point of the
    /// surface, through the farthest corner.
    fn planes(&self, search: &OverlapSearch, x: &Vec3, at: &[(NearestPoint, f64); 2]) -> [Row; 2] {
        [0, 1].map(|k| {
            let inward = search.depth.evaluator.slope(k, x, &at[k]);
            let reach = self.corners.iter().map(|p| inward.dot(&(self.center - p))).fold(f64::NEG_INFINITY, greater);
            Row::bound(inward, reach)
        })
    }
}
