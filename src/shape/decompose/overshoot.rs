//! Computes a certified bound of a convex piece's overshoot beyond the solid, by branch and bound.
//!
//! The search splits the piece's box. For each box it bounds the distance between the piece's part in the box and the
//! solid: by distances to single triangles, by the distance of one point plus a radius, and inside the solid by the
//! planes of the triangles around. The box with the largest bound is split next.

use crate::geom::math::{greater, lesser};
use crate::geom::tolerance::roundoff_mm;
use crate::geom::triangle::point_triangle;
use crate::geom::{Aabb, Vec3};
use crate::shape::decompose::box_clip::ClippedBox;
use crate::shape::decompose::cell::Plane;
use crate::shape::decompose::quads::TrianglePairs;
use crate::shape::decompose::split::by_coordinates;
use crate::shape::polytope::simd_max_dot::PointRows;
use crate::shape::surface::Surface;
use crate::shape::surface::winding_number::winding_from;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Limit of boxes examined for one piece.
const MAX_BOXES: usize = 8000;

/// Limit of cuts of a box by planes of the piece, for one triangle.
const CUTS: usize = 4;

/// Largest number of triangles with planes used in one box.
const MAX_TRIANGLES: usize = 48;

/// Ratio of radii from which a smaller ball is tried again after one with too many triangles.
const FEW_TRIANGLES_SHARE: f64 = 0.6;

/// Relative distance beyond the known triangle up to which the search for the nearest triangle extends.
const OVERSHOOT_SLACK: f64 = 1e-9;

/// Goal of the search. Lengths in mm.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Goal {
    /// Stop at a point farther from the solid than this (mm).
    pub allowed: f64,
    /// Do not refine bounds of at most this (mm).
    pub enough: f64,
}

/// Overshoot of a piece.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Overshoot {
    /// Upper bound of the distance of the piece's points from the solid (mm).
    pub upper: f64,
    /// Closest surface point and a point of the piece outside the solid, if one was found farther than `allowed`.
    pub beyond: Option<[Vec3; 2]>,
}

/// Box with a bound of the distance between the piece's part in it and the solid (mm).
#[derive(Debug, Clone, Copy, PartialEq)]
struct SearchBox {
    bound: f64,
    center: Vec3,
    half: Vec3,
    /// Axis to split along.
    across: usize,
    /// Range in [`Search::cutting`] of the planes cutting the box.
    planes: [u32; 2],
    seen: PointKnowledge,
}

/// Knowledge from a point of a box.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PointKnowledge {
    from: Vec3,
    /// Triangle nearest to the point.
    triangle: u32,
    /// Distance to that triangle (mm).
    distance: f64,
    /// Winding number of the surface about the point, if computed and decided.
    winding: Option<i32>,
    /// Radius of a ball with too many triangles, around a point of an enclosing box (mm).
    crowded: f64,
}

impl Eq for SearchBox {}

impl Ord for SearchBox {
    fn cmp(&self, o: &Self) -> std::cmp::Ordering {
        self.bound.total_cmp(&o.bound).then_with(|| by_coordinates(&self.center, &o.center))
    }
}

impl PartialOrd for SearchBox {
    fn partial_cmp(&self, o: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(o))
    }
}

/// State of the search for one piece.
struct Search<'a> {
    patches: &'a TrianglePairs<'a>,
    surface: &'a Surface,
    planes: &'a [Plane],
    /// Planes as rows, for the largest height of a point above them.
    heights: PointRows,
    goal: Goal,
    /// Largest distance found (mm).
    lower: f64,
    found: Option<[Vec3; 2]>,
    /// Largest bound of boxes not refined further (mm).
    settled: f64,
    triangles: Vec<u32>,
    /// Clipped current box.
    held: ClippedBox,
    /// Indices of planes cutting boxes, box after box.
    cutting: Vec<u32>,
    /// Rounding error of a distance (mm).
    margin: f64,
}

/// Bounds the overshoot of the polytope behind `planes`, with these vertices, beyond the solid. Three facts carry the
/// bound: distances are 1-Lipschitz; the distance to a single triangle is convex; take a convex set around a point of
/// the solid, then the part of it behind the planes of all triangles meeting it is in the solid
/// (docs/explanation/numerics.md, Convex pieces).
pub(crate) fn overshoot(patches: &TrianglePairs, vertices: &[Vec3], planes: &[Plane], goal: Goal) -> Overshoot {
    let (surface, bounds) = (patches.surface, Aabb::of_points(vertices));
    let normals: Vec<Vec3> = planes.iter().map(|p| p.normal).collect();
    let offsets: Vec<f64> = planes.iter().map(|p| p.offset).collect();
    let heights = PointRows::new(&normals, &offsets);
    let mut search = Search {
        patches,
        surface,
        planes,
        heights,
        goal,
        lower: 0.0,
        found: None,
        settled: 0.0,
        triangles: Vec::new(),
        held: ClippedBox::default(),
        cutting: (0..planes.len() as u32).collect(),
        margin: roundoff_mm(surface.bounds.diagonal(), bounds.max_abs() + surface.bounds.max_abs(), 0.0),
    };
    let mut heap = BinaryHeap::new();
    let whole = (bounds.center(), (bounds.max - bounds.min) * 0.5);
    let nothing =
        PointKnowledge { from: whole.0, triangle: u32::MAX, distance: 0.0, winding: None, crowded: f64::INFINITY };
    heap.extend(search.part(whole, f64::INFINITY, [0, planes.len() as u32], &nothing));
    let mut boxes = 1;
    let top = loop {
        let Some(part) = heap.pop() else { break search.settled };
        if boxes >= MAX_BOXES || search.lower > goal.allowed {
            break greater(part.bound, search.settled);
        }
        for half in halves(&part) {
            heap.extend(search.part(half, part.bound, part.planes, &part.seen));
            boxes += 1;
        }
    };
    Overshoot { upper: top + search.margin, beyond: search.found.filter(|_| search.lower > goal.allowed) }
}

/// Splits a box in two.
fn halves(part: &SearchBox) -> [(Vec3, Vec3); 2] {
    let k = part.across;
    let mut half = part.half;
    half[k] *= 0.5;
    [-1.0, 1.0].map(|s| {
        let mut center = part.center;
        center[k] += s * half[k];
        (center, half)
    })
}

impl Search<'_> {
    /// Planes cutting a box.
    fn cuts(&self, cutting: Range<usize>) -> impl Iterator<Item = &Plane> {
        self.cutting[cutting].iter().map(|&k| &self.planes[k as usize])
    }

    /// Builds the box with its bound; `None` if the piece does not reach into it, or if the bound is good enough.
    /// `above`, `planes` and `seen` belong to an enclosing box.
    fn part(
        &mut self,
        (center, half): (Vec3, Vec3),
        above: f64,
        planes: [u32; 2],
        seen: &PointKnowledge,
    ) -> Option<SearchBox> {
        let start = self.cutting.len();
        let Some(point) = self.point_within(&center, &half, planes) else {
            self.cutting.truncate(start);
            return None;
        };
        let cutting = start..self.cutting.len();
        self.held.begin(&center, &half);
        let (bound, across, seen) = self.bound(&point, cutting.clone(), seen);
        let bound = lesser(above, bound);
        if bound <= self.goal.enough {
            self.settled = greater(self.settled, bound);
            self.cutting.truncate(start);
            return None;
        }
        let (center, half) = self.held.around();
        let across = across.unwrap_or(half.imax());
        Some(SearchBox { bound, center, half, across, planes: [cutting.start as u32, cutting.end as u32], seen })
    }

    /// Finds a point of the box, in the piece or near it; `None` if the piece lies outside the box. Adds the planes
    /// cutting the box to `cutting`.
    fn point_within(&mut self, center: &Vec3, half: &Vec3, planes: [u32; 2]) -> Option<Vec3> {
        let mut point = *center;
        let around = 2.0 * half.norm();
        for k in planes[0]..planes[1] {
            let which = self.cutting[k as usize];
            let plane = self.planes[which as usize];
            let height = plane.height(center);
            // A plane near the box still bounds the piece within balls around points of the box.
            if height <= -around {
                continue;
            }
            if height > 0.0 && height > plane.normal.abs().dot(half) {
                return None;
            }
            self.cutting.push(which);
            let now = plane.height(&point);
            if now > 0.0 {
                // Move towards the corner of the box deepest behind the plane.
                let deepest = center - half.zip_map(&plane.normal, |h, n| h * n.signum());
                let below = plane.height(&deepest);
                let share = if now - below > 0.0 { now / (now - below) } else { 1.0 };
                point += (deepest - point) * lesser(1.0, 0.5 + 0.5 * share);
            }
        }
        Some(point)
    }

    /// Bounds the distance of the piece's part in the box from a triangle's patch (mm), and returns the axis of its
    /// largest variation. `from` is `distance` (mm) away from the patch. Planes of the piece cut off the farthest
    /// points.
    fn farthest(&mut self, triangle: u32, from: &Vec3, distance: f64) -> (f64, Option<usize>) {
        self.held.ask(from, distance);
        let mut cuts = 0;
        loop {
            let Some(top) = self.held.top() else { return (0.0, None) };
            if top.most <= self.goal.enough {
                return (top.most, None);
            }
            if !top.is_known {
                (top.most, top.is_known) = (lesser(top.most, self.patches.distance(triangle, &top.at)), true);
                continue;
            }
            let (at, most) = (top.at, top.most);
            let (which, height) = self.heights.largest(&at);
            // The margin covers the rounding of the cut.
            let clear = height > self.margin && cuts < CUTS;
            if !(clear && self.planes.get(which).is_some_and(|p| self.held.cut(&p.moved(self.margin)))) {
                let way = (at - point_triangle(&at, &self.surface.triangle(triangle)).point).abs();
                return (most, Some(way.component_mul(&self.held.around().1).imax()));
            }
            cuts += 1;
        }
    }

    /// Bounds the overshoot of the piece's part in the box, from a point of the box. Returns the bound (mm), the axis
    /// to split along if it is not the longest, and the knowledge from the point. `before` is the knowledge from an
    /// enclosing box.
    fn bound(
        &mut self,
        point: &Vec3,
        cutting: Range<usize>,
        before: &PointKnowledge,
    ) -> (f64, Option<usize>, PointKnowledge) {
        let mut limit = f64::INFINITY;
        let mut by_triangle = (f64::INFINITY, None);
        if before.triangle != u32::MAX {
            // Any triangle gives a bound; try the nearest one of the enclosing box first.
            let distance = self.patches.distance(before.triangle, point);
            if distance <= self.goal.enough {
                by_triangle = self.farthest(before.triangle, point, distance);
                if by_triangle.0 <= self.goal.enough {
                    return (by_triangle.0, None, *before);
                }
            }
            let foot = point_triangle(point, &self.surface.triangle(before.triangle));
            limit = (foot.squared.sqrt() * (1.0 + OVERSHOOT_SLACK)).next_up();
        }
        let Some(near) = self.surface.nearest(point, limit) else { return (f64::INFINITY, None, *before) };
        let mut seen =
            PointKnowledge { from: *point, triangle: near.triangle, distance: near.distance, winding: None, ..*before };
        let mut least = near.distance + self.held.radius(point);
        let mut across = None;
        if least <= self.goal.enough {
            return (least, across, seen);
        }
        if near.triangle != before.triangle && near.distance <= self.goal.enough {
            let by_near = self.farthest(near.triangle, point, self.patches.distance(near.triangle, point));
            if by_near.0 < by_triangle.0 {
                by_triangle = by_near;
            }
        }
        if by_triangle.0 < least {
            (least, across) = by_triangle;
        }
        if least <= self.goal.enough {
            return (least, across, seen);
        }
        seen.winding = self.winding(point, before);
        if near.distance > 0.0 && seen.winding.is_some_and(|w| w >= 1) {
            // From here on, the size of the box counts.
            across = None;
            let radius = self.held.radius(point);
            least = lesser(least, greater(radius - near.distance, 0.0));
            if least > self.goal.enough {
                match self.overhang(point, radius, before.crowded, cutting) {
                    Some(by_planes) => least = lesser(least, by_planes),
                    None => seen.crowded = lesser(radius, seen.crowded),
                }
            }
        } else if near.distance > self.lower && self.cuts(cutting).all(|p| p.height(point) <= 0.0) {
            self.lower = near.distance;
            self.found = Some([near.point, *point]);
        }
        (least, across, seen)
    }

    /// Winding number about a point, derived from a known one at a nearby point if there is one.
    fn winding(&self, point: &Vec3, before: &PointKnowledge) -> Option<i32> {
        // The surface is farther than the distance between the two points: nothing of it lies between them.
        let same = (point - before.from).norm() + self.margin < before.distance;
        match before.winding {
            Some(known) if same => Some(known),
            known => winding_from(self.surface, known.map(|w| (&before.from, w)), point),
        }
    }

    /// Bounds the overshoot by the planes of the triangles around a point of the solid. The piece can be outside only
    /// above one of these planes, and there the segment back to the point soon enters the solid. `None` if there are
    /// too many triangles, as in a ball of radius `crowded` (mm).
    fn overhang(&mut self, point: &Vec3, radius: f64, crowded: f64, cutting: Range<usize>) -> Option<f64> {
        if radius > FEW_TRIANGLES_SHARE * crowded {
            return None;
        }
        let mut found = std::mem::take(&mut self.triangles);
        found.clear();
        self.surface.within(point, radius, |t| {
            found.push(t);
            found.len() <= MAX_TRIANGLES
        });
        let most = (found.len() <= MAX_TRIANGLES).then(|| self.overhang_of(&found, point, radius, cutting));
        self.triangles = found;
        most
    }

    fn overhang_of(&self, triangles: &[u32], point: &Vec3, radius: f64, cutting: Range<usize>) -> f64 {
        let mut most = 0.0;
        for &t in triangles {
            let normal = self.surface.normal(t);
            let depth = normal.dot(&(self.surface.triangle(t)[0] - point));
            // The segment back to the point cannot enter the solid through a triangle seen from behind.
            if depth <= 0.0 {
                continue;
            }
            let rise = self.height_bound(&normal, point, radius, cutting.clone()) - depth;
            if rise > 0.0 {
                most = greater(most, radius * rise / (rise + depth));
            }
        }
        most
    }

    /// Bounds the height of the piece's part in a ball above the ball's centre along a direction (mm). A single plane
    /// of the piece in that direction gives nearly all of the bound.
    fn height_bound(&self, direction: &Vec3, center: &Vec3, radius: f64, cutting: Range<usize>) -> f64 {
        let along = |p: &Plane| {
            let cos = lesser(1.0, p.normal.dot(direction));
            // From the centre: along the plane's normal up to the plane, then perpendicular to it up to the ball.
            let height = greater(-p.height(center), 0.0);
            if cos <= 0.0 {
                return radius;
            }
            let sin = greater(0.0, 1.0 - cos * cos).sqrt();
            if height >= radius * cos {
                radius
            } else {
                height * cos + sin * (radius * radius - height * height).sqrt()
            }
        };
        self.cuts(cutting).map(along).fold(radius, lesser)
    }
}
