//! How far a convex piece reaches beyond the solid: a certified bound, by branch and bound.

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

/// Boxes that are looked at for one piece, at most.
const MAX_BOXES: usize = 8000;

/// How often a box is cut by planes of the piece, at most, for the sake of one triangle.
const CUTS: usize = 4;

/// No more triangles than this are asked whether their planes cut a box.
const MAX_TRIANGLES: usize = 48;

/// A ball this part as large as one with too many may have less.
const FEW_TRIANGLES_SHARE: f64 = 0.6;

/// The nearest triangle is looked for among those that are farther than one at hand by this part of its distance at most.
const OVERSHOOT_SLACK: f64 = 1e-9;

/// What is asked of a piece. Lengths in mm.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Goal {
    /// The search ends where a point is found that is farther from the solid.
    pub allowed: f64,
    /// What is not farther need not be known better.
    pub enough: f64,
}

/// How far a piece reaches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Overshoot {
    /// No point of the piece is farther from the solid (mm).
    pub upper: f64,
    /// A point of the piece outside of the solid and its closest surface point, where one was found that is farther than allowed.
    pub beyond: Option<[Vec3; 2]>,
}

/// A box, and a bound of the distance of what of the piece lies in it from the solid.
#[derive(Debug, Clone, Copy, PartialEq)]
struct SearchBox {
    bound: f64,
    center: Vec3,
    half: Vec3,
    /// The axis across which it is cut.
    across: usize,
    /// Where in [`Search::cutting`] the planes stand that cut the box.
    planes: [u32; 2],
    seen: PointKnowledge,
}

/// What is known from a point of a box.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PointKnowledge {
    from: Vec3,
    /// The triangle nearest to it.
    triangle: u32,
    /// And how far it is (mm).
    distance: f64,
    /// How often the surface winds around the point, where that was asked and could be told.
    winding: Option<i32>,
    /// In a ball this large around a point of a box around there were too many triangles (mm).
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

/// A piece on its way to a bound.
struct Search<'a> {
    patches: &'a TrianglePairs<'a>,
    surface: &'a Surface,
    planes: &'a [Plane],
    /// Their heights above a point, the other way about.
    heights: PointRows,
    goal: Goal,
    /// The largest distance found (mm), and where.
    lower: f64,
    found: Option<[Vec3; 2]>,
    /// The largest bound that was known well enough.
    settled: f64,
    triangles: Vec<u32>,
    /// Of the box at hand.
    held: ClippedBox,
    /// Indices of planes that cut boxes, box after box.
    cutting: Vec<u32>,
    /// What rounding does to a distance (mm).
    margin: f64,
}

/// Bounds how far the polytope behind `planes`, with these vertices, reaches beyond the solid. Distances are 1-Lipschitz, and convex to
/// any one triangle; and what is behind the planes of all triangles that meet a convex set around a point of the solid is in the
/// solid (docs/numerics.md, Convex pieces).
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

/// A box in two.
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
    /// The planes that cut a box.
    fn cuts(&self, cutting: Range<usize>) -> impl Iterator<Item = &Plane> {
        self.cutting[cutting].iter().map(|&k| &self.planes[k as usize])
    }

    /// The box with its bound; nothing where the piece does not reach into it, or not far enough to matter. `above`, `planes` and `seen`
    /// are of a box around it.
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

    /// A point of the box, in the piece or near to it; `None` where the piece lies outside of the box. Keeps the planes that cut the box.
    fn point_within(&mut self, center: &Vec3, half: &Vec3, planes: [u32; 2]) -> Option<Vec3> {
        let mut point = *center;
        let around = 2.0 * half.norm();
        for k in planes[0]..planes[1] {
            let which = self.cutting[k as usize];
            let plane = self.planes[which as usize];
            let height = plane.height(center);
            // Near to the box it still tells what lies in balls around points of the box.
            if height <= -around {
                continue;
            }
            if height > 0.0 && height > plane.normal.abs().dot(half) {
                return None;
            }
            self.cutting.push(which);
            let now = plane.height(&point);
            if now > 0.0 {
                // Towards the corner of the box that lies deepest behind the plane.
                let deepest = center - half.zip_map(&plane.normal, |h, n| h * n.signum());
                let below = plane.height(&deepest);
                let share = if now - below > 0.0 { now / (now - below) } else { 1.0 };
                point += (deepest - point) * lesser(1.0, 0.5 + 0.5 * share);
            }
        }
        Some(point)
    }

    /// How far what of the piece lies in the box is from a triangle's patch at most, and the axis along which that differs most. `from` is
    /// `distance` (mm) away from the patch. Planes of the piece cut off what is farther than it matters.
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
            // Where it is cut is off by rounding.
            let clear = height > self.margin && cuts < CUTS;
            if !(clear && self.planes.get(which).is_some_and(|p| self.held.cut(&p.moved(self.margin)))) {
                let way = (at - point_triangle(&at, &self.surface.triangle(triangle)).point).abs();
                return (most, Some(way.component_mul(&self.held.around().1).imax()));
            }
            cuts += 1;
        }
    }

    /// A bound for what of the piece lies in the box, from a point of the box; the axis across which to cut it, if that is not the longest;
    /// what is seen from the point. `before` is what was seen from a box around it.
    fn bound(
        &mut self,
        point: &Vec3,
        cutting: Range<usize>,
        before: &PointKnowledge,
    ) -> (f64, Option<usize>, PointKnowledge) {
        let mut limit = f64::INFINITY;
        let mut by_triangle = (f64::INFINITY, None);
        if before.triangle != u32::MAX {
            // Any triangle bounds; the one nearest to the box around is at hand.
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
            // From here on what counts is the size of the box.
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

    /// How often the surface winds around a point; from what is known of a point near to it, if anything is.
    fn winding(&self, point: &Vec3, before: &PointKnowledge) -> Option<i32> {
        // Nothing of the surface lies between points that are nearer to each other than it.
        let same = (point - before.from).norm() + self.margin < before.distance;
        match before.winding {
            Some(known) if same => Some(known),
            known => winding_from(self.surface, known.map(|w| (&before.from, w)), point),
        }
    }

    /// The bound from the planes of the triangles around a point of the solid: only where the piece rises above one can it be outside.
    /// There, on the way back to the point, the solid is met soon. `None` where there are too many triangles, as in a ball `crowded`.
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
            // Seen from behind, a triangle is not where the way back enters the solid.
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

    /// How far what of the piece lies within a ball rises above its centre along a direction, at most: one plane of the piece in that
    /// direction tells most.
    fn height_bound(&self, direction: &Vec3, center: &Vec3, radius: f64, cutting: Range<usize>) -> f64 {
        let along = |p: &Plane| {
            let cos = lesser(1.0, p.normal.dot(direction));
            // From the centre: along the plane's normal as far as the plane, across it as far as the ball.
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
