//! The piece of a cell: the convex hull of what of the solid lies in it.

use super::cell::{Cell, Plane};
use super::lines::spread_direction;
use crate::geom::math::greater;
use crate::geom::tolerance::roundoff_mm;
use crate::geom::{Aabb, Vec3};
use crate::hull::{Facet, Hull, convex_hull, encloses, facets, measure};
use crate::narrow::Surface;
use crate::narrow::lanes::Lanes;
use crate::narrow::winding::winding;

/// Pieces flatter than this part of the solid's size are grown by as much on all sides.
const FLAT: f64 = 1e-9;

/// Hulls of more vertices than this are made simpler.
const MANY_VERTICES: usize = 100;

/// A simpler hull begins with the farthest vertices in so many directions,
const FIRST_TAKEN: u32 = 24;

/// and takes more in so many rounds at most.
const ROUNDS: usize = 6;

/// It is enlarged by this part more than it has to be, so that rounding leaves no vertex out.
const GROW_ROUNDING: f64 = 1e-12;

/// A cell of the solid, grown by the inflation, and the triangles that reach into it.
#[derive(Debug, Clone)]
pub(super) struct Region {
    /// What bounds the cell, grown.
    pub planes: Vec<Plane>,
    /// Of the grown cell.
    pub cell: Cell,
    /// Those corners of the cell that may lie in the solid.
    pub inner: Vec<Vec3>,
    /// Those that may reach into the grown cell.
    pub triangles: Vec<u32>,
}

impl Region {
    /// All of the solid.
    pub fn all(surface: &Surface) -> Self {
        let triangles = (0..surface.triangles.len() as u32).collect();
        Self { planes: Vec::new(), cell: Cell::of(&surface.bounds), inner: Vec::new(), triangles }
    }

    /// What lies behind a plane.
    pub fn behind(&self, plane: &Plane, surface: &Surface) -> Self {
        let reaches = |t: &u32| surface.triangle(*t).iter().any(|v| plane.height(v) <= 0.0);
        let mut planes = self.planes.clone();
        planes.push(*plane);
        let cell = self.cell.behind(plane);
        let inside = |x: &&Vec3| winding(surface, None, x).is_none_or(|w| w >= 1);
        Self {
            planes,
            inner: cell.corners.iter().filter(inside).copied().collect(),
            cell,
            triangles: self.triangles.iter().copied().filter(reaches).collect(),
        }
    }

    /// The hull of everything of the solid that lies in the region: extreme points of that hull are points where the surface is cut by
    /// the cell's planes, vertices in the cell, or corners of the cell that lie in the solid. It is grown by rounding. `None` where
    /// nothing of the solid is in the region.
    ///
    /// Where that hull has many vertices a simpler one around it takes its place that reaches no more than `spare` (mm) beyond it.
    pub fn piece(&self, surface: &Surface, spare: f64) -> Option<Hull> {
        let mut points = self.clipped(surface);
        points.extend_from_slice(&self.inner);
        if points.is_empty() {
            return None;
        }
        let hull = simpler(convex_hull(&points), spare);
        Some(grown(&hull, surface.bounds.diagonal(), surface.bounds.max_abs()))
    }

    /// The corners of the triangles, clipped to the cell.
    fn clipped(&self, surface: &Surface) -> Vec<Vec3> {
        let mut points = Vec::new();
        let mut taken = vec![false; surface.vertices.len()];
        let (mut polygon, mut next) = (Vec::new(), Vec::new());
        for &t in &self.triangles {
            let corners = surface.triangle(t);
            polygon.clear();
            polygon.extend(corners);
            let mut whole = true;
            for plane in &self.planes {
                if polygon.iter().all(|v| plane.height(v) <= 0.0) {
                    continue;
                }
                whole = false;
                clip(&polygon, plane, &mut next);
                std::mem::swap(&mut polygon, &mut next);
            }
            if whole {
                for v in surface.triangles[t as usize] {
                    if !std::mem::replace(&mut taken[v as usize], true) {
                        points.push(surface.vertices[v as usize]);
                    }
                }
            } else {
                points.extend_from_slice(&polygon);
            }
        }
        points
    }
}

/// What of a convex polygon lies behind a plane.
fn clip(polygon: &[Vec3], plane: &Plane, out: &mut Vec<Vec3>) {
    out.clear();
    let Some(mut last) = polygon.last() else { return };
    for next in polygon {
        let (h, g) = (plane.height(last), plane.height(next));
        if h * g < 0.0 {
            out.push(last + (next - last) * (h / (h - g)));
        }
        if g <= 0.0 {
            out.push(*next);
        }
        last = next;
    }
}

/// A hull enlarged about its middle by so much that every face moves out by the rounding of cut points; a flat one is made a solid
/// first.
fn grown(hull: &Hull, size: f64, max_abs: f64) -> Hull {
    // Twice what cut points are off by: then whoever checks it need not ask which side of a face rounding put a point on.
    let rounding = 2.0 * roundoff_mm(size, max_abs, 0.0);
    let thick = |hull: &Hull| {
        let middle = measure(hull).centroid;
        let planes = facets(hull);
        let depth = |f: &Facet| f.offset - f.normal.dot(&middle);
        (middle, planes.iter().map(depth).fold(f64::INFINITY, f64::min))
    };
    let mut solid = hull.clone();
    let (mut middle, mut depth) = if hull.rank == 3 { thick(hull) } else { (Vec3::zeros(), 0.0) };
    if depth.is_nan() || depth <= FLAT * size {
        let by = 2.0 * FLAT * size + rounding;
        let box_around = |v: &Vec3| {
            let around = Aabb { min: *v, max: *v }.inflated(by);
            Cell::of(&around).corners
        };
        solid = convex_hull(&hull.vertices.iter().flat_map(box_around).collect::<Vec<_>>());
        (middle, depth) = thick(&solid);
    }
    let by = rounding / depth;
    let vertices: Vec<Vec3> = solid.vertices.iter().map(|v| v + (v - middle) * by).collect();
    convex_hull(&vertices)
}

/// A hull of some of the vertices, enlarged about its middle until it holds the rest; the hull itself where it has few, or where that
/// saves little. Vertices farthest from the hull of those taken so far are taken until none is far.
fn simpler(hull: Hull, spare: f64) -> Hull {
    if hull.rank < 3 || hull.vertices.len() < MANY_VERTICES {
        return hull;
    }
    let all = Lanes::new(&hull.vertices, &[]);
    let mut kept: Vec<usize> = (0..FIRST_TAKEN).map(|k| all.largest(&spread_direction(f64::from(k))).0).collect();
    for _ in 0..ROUNDS {
        kept.sort_unstable();
        kept.dedup();
        if 2 * kept.len() > hull.vertices.len() {
            break;
        }
        let few: Vec<Vec3> = kept.iter().map(|&k| hull.vertices[k]).collect();
        let core = convex_hull(&few);
        if core.rank < 3 {
            break;
        }
        let middle = measure(&core).centroid;
        let planes = facets(&core);
        let depth = |f: &Facet| f.offset - f.normal.dot(&middle);
        let radius = few.iter().map(|v| (v - middle).norm()).fold(0.0, greater);
        let mut grow: f64 = 1.0;
        for f in &planes {
            let (top, _) = all.largest(&f.normal);
            let over = f.normal.dot(&(hull.vertices[top] - middle)) / depth(f);
            if (over - 1.0) * radius > spare {
                kept.push(top);
            }
            grow = greater(grow, over);
        }
        // A NaN passes nothing.
        if (grow - 1.0) * radius <= spare {
            let around =
                convex_hull(&few.iter().map(|v| middle + (v - middle) * (grow + GROW_ROUNDING)).collect::<Vec<_>>());
            // Slivers have no plane among the facets: where there are some, what is held is asked exactly.
            let with_planes: usize = facets(&around).iter().map(|f| f.triangles.len()).sum();
            if with_planes == around.triangles.len() || encloses(&around, &hull.vertices) {
                return around;
            }
            break;
        }
    }
    hull
}
