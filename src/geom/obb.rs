//! Oriented boxes.

use super::math::{Mat3, Vec3};

/// An oriented box: the points `center + axes · h` with `|h| ≤ half_extents` component-wise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Obb {
    /// Middle of the box, in the part's frame (mm).
    pub center: Vec3,
    /// Columns are the box's unit axes, right-handed.
    pub axes: Mat3,
    /// Half the side along each axis, ≥ 0 (mm).
    pub half_extents: Vec3,
}
