//! Builds the piece of a cell: the convex hull of the solid's part in it.

use crate::geom::clip::clip;
use crate::geom::tolerance::roundoff_mm;
use crate::geom::{Aabb, Vec3};
use crate::shape::decompose::cell::{Cell, Plane};
use crate::shape::decompose::simplify_hull::{HullAround, hull_around};
use crate::shape::hull::{Facet, Hull, convex_hull, facets, measure};
use crate::shape::surface::Surface;
use crate::shape::surface::winding_number::winding;

/// Depth of the centroid below the nearest face, relative to the solid's size, up to which a piece counts as flat. A
/// flat piece is grown by twice as much on all sides.
const FLAT_SHARE: f64 = 1e-9;

/// Cell grown by the inflation, with the triangles reaching into it.
#[derive(Debug, Clone)]
pub(crate) struct Region {
    /// Planes bounding the grown cell.
    pub planes: Vec<Plane>,
    /// Corners of the grown cell.
    pub cell: Cell,
    /// Corners of the cell possibly in the solid.
    pub inner: Vec<Vec3>,
    /// Triangles possibly reaching into the grown cell.
    pub triangles: Vec<u32>,
}

impl Region {
    /// Region of the whole solid.
    pub fn all(surface: &Surface) -> Self {
        let triangles = (0..surface.triangles.len() as u32).collect();
        Self { planes: Vec::new(), cell: Cell::of(&surface.bounds), inner: Vec::new(), triangles }
    }

    /// Clips the region to a half-space.
    pub fn behind(&self, plane: &Plane, surface: &Surface) -> Self {
        let reaches = |t: &u32| surface.triangle(*t).iter().any(|v| plane.height(v) <= 0.0);
        let mut planes = self.planes.clone();
        planes.push(*plane);
        let cell = self.cell.behind(plane);
        let inside = |x: &&Vec3| winding(surface, None, x).is_none_or(|w| w >= 1);
        let mut triangles = Vec::with_capacity(self.triangles.len());
        triangles.extend(self.triangles.iter().copied().filter(reaches));
        triangles.shrink_to_fit();
        Self { planes, inner: cell.corners.iter().filter(inside).copied().collect(), cell, triangles }
    }

    /// Builds the hull of the solid's part in the region, grown by rounding. `None` if the region contains nothing of
    /// the solid. Extreme points of the hull are intersections of the surface with the cell's planes, vertices in the
    /// cell, or corners of the cell in the solid.
    ///
    /// If the hull has many vertices, a simpler one around it is returned, with at most `spare` (mm) more overshoot.
    pub fn cell_hull(&self, surface: &Surface, spare: f64) -> Option<Hull> {
        let mut points = self.clipped(surface);
        points.extend_from_slice(&self.inner);
        if points.is_empty() {
            return None;
        }
        let size = surface.bounds.diagonal();
        // Twice the error of cut points: a later check can then ignore the side of a face to which rounding moved a
        // point.
        let rounding = 2.0 * roundoff_mm(size, surface.bounds.max_abs(), 0.0);
        Some(match hull_around(&points, spare, rounding) {
            HullAround::Simple(hull) => hull,
            HullAround::Exact(hull) => grown(&hull, size, rounding),
        })
    }

    /// Corners of the triangles, clipped to the cell.
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
                clip(&polygon, |v| plane.height(v), &mut next);
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

/// Enlarges a hull about its centroid until every face has moved out by the rounding of cut points. A flat hull is
/// thickened to a solid first.
fn grown(hull: &Hull, size: f64, rounding: f64) -> Hull {
    let thick = |hull: &Hull| {
        let middle = measure(hull).centroid;
        let planes = facets(hull);
        let depth = |f: &Facet| f.offset - f.normal.dot(&middle);
        (middle, planes.iter().map(depth).fold(f64::INFINITY, f64::min))
    };
    let mut solid = hull.clone();
    let (mut middle, mut depth) = if hull.rank == 3 { thick(hull) } else { (Vec3::zeros(), 0.0) };
    if depth.is_nan() || depth <= FLAT_SHARE * size {
        let by = 2.0 * FLAT_SHARE * size + rounding;
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
