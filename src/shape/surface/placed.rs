//! One solid of a pair as seen from A's frame.

use crate::geom::{Pose, Vec3};
use crate::shape::surface::generalized_winding::generalized_winding;
use crate::shape::surface::winding_number::winding;
use crate::shape::surface::{Inside, Surface};

/// What a ray costs, in rim edges of a winding number: a microsecond or two.
const RAY_COST: u64 = 100;

/// One of the two solids. Points go in and come out in A's frame.
#[derive(Clone, Copy)]
pub(crate) struct PlacedSurface<'a> {
    pub surface: &'a Surface,
    /// `None` for A itself.
    pub pose: Option<&'a Pose>,
}

/// The closest point of a surface to a point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearestPoint {
    pub triangle: u32,
    pub point: Vec3,
    /// ≥ 0 (mm).
    pub distance: f64,
}

impl PlacedSurface<'_> {
    /// A point of A's frame in the solid's own.
    #[inline]
    pub(crate) fn local(&self, x: &Vec3) -> Vec3 {
        self.pose.map_or(*x, |p| p.rotation.tr_mul(&(x - p.translation)))
    }

    /// A point of the solid's frame in A's.
    #[inline]
    pub(crate) fn global(&self, x: &Vec3) -> Vec3 {
        self.pose.map_or(*x, |p| p.point(x))
    }

    /// A direction of the solid's frame in A's.
    #[inline]
    pub(crate) fn turned(&self, d: &Vec3) -> Vec3 {
        self.pose.map_or(*d, |p| p.direction(d))
    }

    /// The corners of a triangle.
    #[inline]
    pub(crate) fn corners(&self, t: u32) -> [Vec3; 3] {
        self.surface.triangle(t).map(|v| self.global(&v))
    }

    /// The closest surface point, if it is nearer than `limit` (mm).
    pub(crate) fn nearest(&self, x: &Vec3, limit: f64) -> Option<NearestPoint> {
        let found = self.surface.nearest(&self.local(x), limit)?;
        Some(NearestPoint { triangle: found.triangle, point: self.global(&found.point), distance: found.distance })
    }

    /// Whether `x`, `near` being its closest surface point, may lie in the solid: by exact ray, since surfaces that cross
    /// themselves turn faces the wrong way; where no ray tells, it may. A point on the surface counts as outside.
    pub(crate) fn holds(&self, x: &Vec3, near: &NearestPoint) -> bool {
        if near.distance <= 0.0 {
            return false;
        }
        self.may_contain(x)
    }

    /// Whether `x` lies in the solid, or no ray tells.
    pub(crate) fn may_contain(&self, x: &Vec3) -> bool {
        match self.surface.inside {
            Inside::Undefined => self.contains(x),
            Inside::Solid => winding(self.surface, self.pose, x).is_none_or(|w| w >= 1),
        }
    }

    /// Whether `x` lies in the solid, by exact ray; in a surface without an inside, whether most directions end on its inner
    /// side.
    pub(crate) fn contains(&self, x: &Vec3) -> bool {
        match self.surface.inside {
            Inside::Undefined => generalized_winding(self.surface, self.pose, x).is_some_and(|w| w.inside()),
            Inside::Solid => winding(self.surface, self.pose, x).is_some_and(|w| w >= 1),
        }
    }

    /// What [`Self::contains`] costs, in rim edges.
    pub(crate) fn containing_costs(&self) -> u64 {
        let rim = if self.surface.inside == Inside::Undefined { self.surface.boundary_edges().len() } else { 0 };
        RAY_COST + rim as u64
    }
}
