//! One solid of a pair as seen from A's frame.

use super::super::surface::{Feature, Surface};
use super::super::winding::winding;
use crate::geom::{Pose, Vec3};

/// One of the two solids. Points go in and come out in A's frame.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub surface: &'a Surface,
    /// `None` for A itself.
    pub pose: Option<&'a Pose>,
}

/// The closest point of a surface to a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Near {
    pub triangle: u32,
    pub feature: Feature,
    pub point: Vec3,
    /// ≥ 0 (mm).
    pub distance: f64,
}

impl Side<'_> {
    /// A point of A's frame in the solid's own.
    #[inline]
    pub(super) fn local(&self, x: &Vec3) -> Vec3 {
        self.pose.map_or(*x, |p| p.rotation.tr_mul(&(x - p.translation)))
    }

    /// A point of the solid's frame in A's.
    #[inline]
    pub(super) fn global(&self, x: &Vec3) -> Vec3 {
        self.pose.map_or(*x, |p| p.point(x))
    }

    /// A direction of the solid's frame in A's.
    #[inline]
    pub(super) fn turned(&self, d: &Vec3) -> Vec3 {
        self.pose.map_or(*d, |p| p.direction(d))
    }

    /// The corners of a triangle.
    #[inline]
    pub(super) fn corners(&self, t: u32) -> [Vec3; 3] {
        self.surface.triangle(t).map(|v| self.global(&v))
    }

    /// The closest surface point, if it is nearer than `limit` (mm).
    pub(super) fn nearest(&self, x: &Vec3, limit: f64) -> Option<Near> {
        let found = self.surface.nearest(&self.local(x), limit)?;
        Some(Near {
            triangle: found.triangle,
            feature: found.feature,
            point: self.global(&found.point),
            distance: found.distance,
        })
    }

    /// Whether `x` lies in the solid, where `near` is its closest surface point. Above the middle of a face the face decides,
    /// elsewhere a ray; a point on the surface counts as outside.
    pub(super) fn holds(&self, x: &Vec3, near: &Near) -> bool {
        if near.distance <= 0.0 {
            return false;
        }
        if near.feature == Feature::Face {
            let [a, b, c] = self.corners(near.triangle);
            let height = (b - a).cross(&(c - a)).dot(&(x - near.point));
            let scale = (b - a).norm() * (c - a).norm() * near.distance;
            // A sliver's plane is mostly rounding.
            if height.abs() > 0.001 * scale {
                return height < 0.0;
            }
        }
        self.contains(x)
    }

    /// Whether `x` lies in the solid, by exact ray.
    pub(super) fn contains(&self, x: &Vec3) -> bool {
        winding(self.surface, self.pose, x).is_some_and(|w| w >= 1)
    }
}
