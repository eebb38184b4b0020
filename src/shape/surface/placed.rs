//! Queries one solid of a pair in A's frame.

use crate::geom::{Pose, Vec3};
use crate::shape::surface::generalized_winding::generalized_winding;
use crate::shape::surface::nearest::Nearest;
use crate::shape::surface::winding_number::winding;
use crate::shape::surface::{Inside, Surface};

/// Cost of a ray, in rim edges of a winding number: a microsecond or two.
const RAY_COST: u64 = 100;

/// One of the two solids. All points are in A's frame (mm).
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedSurface<'a> {
    pub surface: &'a Surface,
    /// Pose of the solid in A's frame; `None` for A itself.
    pub pose: Option<&'a Pose>,
}

/// Closest surface point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearestPoint {
    pub triangle: u32,
    pub point: Vec3,
    /// Distance (mm, >= 0).
    pub distance: f64,
    /// Side of the triangle on which the point of the query lies, if it shows without a ray: true behind the triangle.
    is_behind: Option<bool>,
}

impl PlacedSurface<'_> {
    /// Transforms a point of A's frame to the solid's own.
    #[inline]
    pub(crate) fn local(&self, x: &Vec3) -> Vec3 {
        self.pose.map_or(*x, |p| p.rotation.tr_mul(&(x - p.translation)))
    }

    /// Transforms a point of the solid's frame to A's.
    #[inline]
    pub(crate) fn global(&self, x: &Vec3) -> Vec3 {
        self.pose.map_or(*x, |p| p.point(x))
    }

    /// Rotates a direction of the solid's frame to A's.
    #[inline]
    pub(crate) fn turned(&self, d: &Vec3) -> Vec3 {
        self.pose.map_or(*d, |p| p.direction(d))
    }

    /// Vertex in A's frame (mm).
    #[inline]
    pub(crate) fn vertex(&self, v: u32) -> Vec3 {
        self.global(&self.surface.vertices[v as usize])
    }

    /// Corners of a triangle, in A's frame (mm).
    #[inline]
    pub(crate) fn corners(&self, t: u32) -> [Vec3; 3] {
        let [a, b, c] = self.surface.triangle(t);
        [self.global(&a), self.global(&b), self.global(&c)]
    }

    /// Finds the closest surface point; `None` if its distance is at least `limit` (mm).
    pub(crate) fn nearest(&self, x: &Vec3, limit: f64) -> Option<NearestPoint> {
        let local = self.local(x);
        self.surface.nearest(&local, limit).map(|found| self.nearest_point(&local, &found))
    }

    /// Finds the closest surface point, from a triangle close to it on: costs less.
    pub(crate) fn nearest_from(&self, x: &Vec3, start: u32) -> NearestPoint {
        let local = self.local(x);
        self.nearest_point(&local, &self.surface.nearest_from(&local, start))
    }

    fn nearest_point(&self, local: &Vec3, found: &Nearest) -> NearestPoint {
        let Nearest { triangle, distance, .. } = *found;
        let is_behind = self.surface.is_behind(local, found);
        NearestPoint { triangle, point: self.global(&found.point), distance, is_behind }
    }

    /// True if `x` may lie in the solid. `near` is its closest surface point; a point on the surface counts as outside.
    /// The side of the closest triangle decides if this triangle is known to bound the solid. Otherwise the test uses an
    /// exact ray, because some faces of a self-intersecting surface point the wrong way. True also if no ray decides.
    pub(crate) fn holds(&self, x: &Vec3, near: &NearestPoint) -> bool {
        near.distance > 0.0 && self.shown_side(near).unwrap_or_else(|| self.may_contain(x))
    }

    /// True if `x` lies in the solid, by the exact tests of [`Self::holds`]; false if no ray decides.
    pub(crate) fn certainly_holds(&self, x: &Vec3, near: &NearestPoint) -> bool {
        near.distance > 0.0 && self.shown_side(near).unwrap_or_else(|| self.contains(x))
    }

    /// True if the point of a query lies in the solid, false outside; `None` if its closest triangle does not show it.
    fn shown_side(&self, near: &NearestPoint) -> Option<bool> {
        near.is_behind.filter(|_| self.surface.is_known_to_bound(near.triangle))
    }

    /// True if `x` lies in the solid, or if no ray decides for a solid with an inside.
    pub(crate) fn may_contain(&self, x: &Vec3) -> bool {
        match self.surface.inside {
            Inside::Undefined => self.contains(x),
            Inside::Solid => winding(self.surface, self.pose, x).is_none_or(|w| w >= 1),
        }
    }

    /// True if `x` lies in the solid, by exact ray. For a surface without an inside: true if most directions end on its
    /// inner side.
    pub(crate) fn contains(&self, x: &Vec3) -> bool {
        match self.surface.inside {
            Inside::Undefined => generalized_winding(self.surface, self.pose, x).is_some_and(|w| w.inside()),
            Inside::Solid => winding(self.surface, self.pose, x).is_some_and(|w| w >= 1),
        }
    }

    /// Cost of [`Self::contains`], in rim edges.
    pub(crate) fn containing_costs(&self) -> u64 {
        let rim = if self.surface.inside == Inside::Undefined { self.surface.boundary_edges().len() } else { 0 };
        RAY_COST + rim as u64
    }
}
