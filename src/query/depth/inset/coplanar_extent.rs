//! Decides if a surface covers a convex polygon in the plane of a triangle: walks the triangles under the polygon.

use crate::geom::math::{basis, greater, lesser};
use crate::geom::{Vec2, Vec3};
use crate::shape::surface::Surface;
use smallvec::SmallVec;

/// Points in a plane: the corners of a convex polygon, counter-clockwise, or the points that it must contain. Most are
/// few, and need no allocation.
type Polygon = SmallVec<[Vec2; 16]>;

/// Upper limit of visited triangles; beyond it the answer is false.
const MAX_VISITED: usize = 256;

/// Least share of a polygon that the first triangle covers: with less, rounding decides if the walk enters the polygon.
const LEAST_START: f64 = 1e-6;

/// Share of the allowed distance from the surface by which the walk may leave out the border of a polygon. Rounding
/// moves a border off the edge of a face that it follows, and the walk would then leave the face.
const BORDER_SHARE: f64 = 0.4;

/// Share of the allowed distance that remains for the heights: √(0.4² + 0.9²) < 1.
const HEIGHT_SHARE: f64 = 0.9;

/// A plane: a point and the unit normal.
#[derive(Clone, Copy)]
pub(crate) struct Plane {
    pub origin: Vec3,
    pub normal: Vec3,
}

impl Plane {
    pub(crate) fn of(s: &Surface, t: u32) -> Self {
        Self { origin: s.triangle(t)[0], normal: s.normal_if_cheap(t) }
    }

    /// Height above the plane, positive along the normal (mm).
    pub(crate) fn height(&self, p: &Vec3) -> f64 {
        self.normal.dot(&(p - self.origin))
    }

    pub(crate) fn foot(&self, p: &Vec3) -> Vec3 {
        p - self.normal * self.height(p)
    }
}

/// The taller one of two triangles: its plane is the more exact one.
pub(crate) fn taller(s: &Surface, [t, next]: [u32; 2]) -> u32 {
    if triangle_height(&s.triangle(next)) > triangle_height(&s.triangle(t)) { next } else { t }
}

/// Height of a triangle over its longest side.
pub(crate) fn triangle_height([a, b, c]: &[Vec3; 3]) -> f64 {
    let longest = greater((b - a).norm_squared(), greater((c - b).norm_squared(), (a - c).norm_squared())).sqrt();
    (b - a).cross(&(c - a)).norm() / longest
}

/// Coordinates in a plane.
struct Chart<'a> {
    plane: &'a Plane,
    axes: (Vec3, Vec3),
}

impl<'a> Chart<'a> {
    fn new(plane: &'a Plane) -> Self {
        Self { plane, axes: basis(&plane.normal) }
    }

    fn flat(&self, p: &Vec3) -> Vec2 {
        let d = p - self.plane.origin;
        Vec2::new(self.axes.0.dot(&d), self.axes.1.dot(&d))
    }
}

/// True if every point of a polygon lies within `off` of the surface, to a few roundings (surface's frame, mm). The
/// polygon is the convex hull of triangle `t` and of `feet`, both projected onto the plane. False if the surface folds
/// within the polygon, since triangles beyond a fold cover nothing, or if a triangle is seen edge-on. Also false beyond
/// the limit of visited triangles, or if triangle `t` covers hardly any of the polygon. Cost: about a microsecond a
/// triangle under the polygon.
pub(crate) fn continues_in_plane(s: &Surface, t: u32, feet: &[Vec3], plane: &Plane, off: f64) -> bool {
    let chart = Chart::new(plane);
    let hull = convex(s.triangle(t).iter().chain(feet).map(|p| chart.flat(p)).collect());
    hull.len() >= 3 && is_covered(s, t, hull, &chart, off)
}

/// The same for the convex hull of `points` alone.
pub(crate) fn covers_in_plane(s: &Surface, t: u32, points: &[Vec3], plane: &Plane, off: f64) -> bool {
    let chart = Chart::new(plane);
    let hull = convex(points.iter().map(|p| chart.flat(p)).collect());
    hull.len() >= 3 && is_covered(s, t, hull, &chart, off)
}

/// True if every point of a convex polygon lies within `off` of the surface (mm). The walk starts at triangle `t`, and
/// covers the polygon without its border. False if the triangle covers hardly any of it.
fn is_covered(s: &Surface, t: u32, mut hull: Polygon, chart: &Chart, off: f64) -> bool {
    remove_border(&mut hull, BORDER_SHARE * off);
    let off = HEIGHT_SHARE * off;
    let first = s.triangle(t);
    let ring = first.map(|p| chart.flat(&p));
    let mut clipped = ClippedPolygon::default();
    if area(&ring) <= 0.0 || area(clipped.clip(&hull, &ring)) <= LEAST_START * area(&hull) {
        return false;
    }
    // The walk would end at once.
    if first.iter().all(|p| chart.plane.height(p).abs() <= off) && contains(&ring, &hull) {
        return true;
    }
    let mut seen: SmallVec<[u32; 16]> = SmallVec::new();
    seen.push(t);
    let mut next = 0;
    while let Some(&i) = seen.get(next) {
        next += 1;
        let placed = s.triangle(i);
        let ring = placed.map(|p| chart.flat(&p));
        let heights = placed.map(|p| chart.plane.height(&p));
        let (p, q) = (ring[1] - ring[0], ring[2] - ring[0]);
        let area = cross(&p, &q);
        if area <= 0.0 {
            return false;
        }
        let is_flat = heights.iter().all(|h| h.abs() <= off);
        // Interpolates the corners' heights over the polygon.
        let height = |x: &Vec2| {
            let d = x - ring[0];
            let (a, b) = (cross(&d, &q) / area, cross(&p, &d) / area);
            heights[0] + a * (heights[1] - heights[0]) + b * (heights[2] - heights[0])
        };
        if !is_flat && !clipped.clip(&hull, &ring).iter().all(|x| height(x).abs() <= off) {
            return false;
        }
        for k in 0..3 {
            if !enters(&hull, &ring[k], &ring[(k + 1) % 3]) {
                continue;
            }
            let other = s.neighbor_of(i, k);
            if other == u32::MAX || seen.len() == MAX_VISITED {
                return false;
            }
            if !seen.contains(&other) {
                seen.push(other);
            }
        }
    }
    true
}

/// Shrinks a convex polygon towards its middle: every point moves by at most `width` (mm), so every point of the given
/// polygon lies within `width` of the new one.
fn remove_border(hull: &mut [Vec2], width: f64) {
    let middle = hull.iter().sum::<Vec2>() / hull.len() as f64;
    let farthest = hull.iter().map(|p| (p - middle).norm_squared()).fold(0.0, greater).sqrt();
    // A polygon as small as the border keeps half of its size.
    let share = lesser(width / farthest, 0.5);
    for p in hull {
        *p += (middle - *p) * share;
    }
}

fn cross(a: &Vec2, b: &Vec2) -> f64 {
    a.x * b.y - a.y * b.x
}

/// True if a triangle, counter-clockwise, contains all points.
fn contains(ring: &[Vec2; 3], points: &[Vec2]) -> bool {
    (0..3).all(|k| {
        let (p, way) = (ring[k], ring[(k + 1) % 3] - ring[k]);
        points.iter().all(|x| cross(&way, &(x - p)) >= 0.0)
    })
}

/// Area of a convex polygon, counter-clockwise; 0 with less than three corners.
fn area(polygon: &[Vec2]) -> f64 {
    (2..polygon.len()).map(|k| 0.5 * cross(&(polygon[k - 1] - polygon[0]), &(polygon[k] - polygon[0]))).sum()
}

/// Convex hull of points in the plane, counter-clockwise (Andrew's monotone chain, 1979).
fn convex(mut points: Polygon) -> Polygon {
    points.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    let mut hull = Polygon::new();
    let half = |hull: &mut Polygon, points: &mut dyn Iterator<Item = &Vec2>| {
        let start = hull.len();
        for p in points {
            while hull.len() >= start + 2
                && cross(&(hull[hull.len() - 1] - hull[hull.len() - 2]), &(p - hull[hull.len() - 2])) <= 0.0
            {
                hull.pop();
            }
            hull.push(*p);
        }
        hull.pop();
    };
    half(&mut hull, &mut points.iter());
    half(&mut hull, &mut points.iter().rev());
    hull
}

/// Memory for the clipping of polygons.
#[derive(Default)]
struct ClippedPolygon {
    piece: Polygon,
    kept: Polygon,
}

impl ClippedPolygon {
    /// Intersection of a convex polygon with a triangle, both counter-clockwise; empty if they are disjoint.
    fn clip(&mut self, hull: &[Vec2], ring: &[Vec2; 3]) -> &[Vec2] {
        self.piece.clear();
        self.piece.extend_from_slice(hull);
        for k in 0..3 {
            let (p, d) = (ring[k], ring[(k + 1) % 3] - ring[k]);
            let side = |q: &Vec2| cross(&d, &(q - p));
            self.kept.clear();
            for (i, q) in self.piece.iter().enumerate() {
                let r = &self.piece[(i + 1) % self.piece.len()];
                let (from, to) = (side(q), side(r));
                if from >= 0.0 {
                    self.kept.push(*q);
                }
                if (from > 0.0 && to < 0.0) || (from < 0.0 && to > 0.0) {
                    self.kept.push(q + (r - q) * (from / (from - to)));
                }
            }
            std::mem::swap(&mut self.piece, &mut self.kept);
        }
        &self.piece
    }
}

/// True if a segment has points in the interior of a convex polygon. A segment along the boundary, or one ending there,
/// has none.
fn enters(hull: &[Vec2], p: &Vec2, q: &Vec2) -> bool {
    let (mut from, mut to) = (0.0, 1.0);
    for k in 0..hull.len() {
        let edge = hull[(k + 1) % hull.len()] - hull[k];
        let depth = |x: &Vec2| cross(&edge, &(x - hull[k]));
        let (a, b) = (depth(p), depth(q));
        if a <= 0.0 && b <= 0.0 {
            return false;
        }
        if a < 0.0 {
            from = greater(from, a / (a - b));
        } else if b < 0.0 {
            to = lesser(to, a / (a - b));
        }
    }
    from < to
}
