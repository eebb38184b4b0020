//! Oriented boxes.

use crate::geom::math::{Mat3, Vec3};

/// An oriented box: the points `center + axes · h` with `|h| ≤ half_extents` component-wise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Obb {
    /// Centre of the box, in the part's frame (mm).
    pub center: Vec3,
    /// Unit axes of the box as columns, right-handed.
    pub axes: Mat3,
    /// Half the side along each axis (mm, >= 0).
    pub half_extents: Vec3,
}

impl Obb {
    /// Half the surface area of the box (mm²); the cost that a fit minimises.
    pub fn half_area(&self) -> f64 {
        let h = &self.half_extents;
        4.0 * (h.x * h.y + h.y * h.z + h.z * h.x)
    }

    /// Tests if a point of the part's frame lies in the closed box, up to the rounding of the product with the axes.
    pub fn contains(&self, p: &Vec3) -> bool {
        let local = self.axes.tr_mul(&(p - self.center));
        (0..3).all(|k| local[k].abs() <= self.half_extents[k])
    }
}
