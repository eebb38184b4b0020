//! Planes, and the convex cells that they cut space into.

use crate::geom::{Aabb, Vec3};
use crate::shape::hull::convex_hull;

/// More corners than this are reduced to those of their hull.
const CORNERS_KEPT: usize = 24;

/// The points with `normal · x ≤ offset` lie behind the plane, the others in front.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plane {
    /// Unit.
    pub normal: Vec3,
    /// mm.
    pub offset: f64,
}

impl Plane {
    /// Signed height of a point above the plane (mm).
    #[inline]
    pub fn height(&self, x: &Vec3) -> f64 {
        self.normal.dot(x) - self.offset
    }

    /// The plane seen from the other side.
    pub fn turned(&self) -> Self {
        Self { normal: -self.normal, offset: -self.offset }
    }

    /// The plane moved forward (mm).
    pub fn moved(&self, by: f64) -> Self {
        Self { offset: self.offset + by, ..*self }
    }
}

/// A convex cell: what lies behind all of its planes, within the solid's box.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    /// Points of the cell among which are all of its corners, to rounding.
    pub corners: Vec<Vec3>,
}

impl Cell {
    /// The whole box.
    pub fn of(bounds: &Aabb) -> Self {
        let side = |k: usize, i: usize| if k >> i & 1 == 0 { bounds.min[i] } else { bounds.max[i] };
        Self { corners: (0..8).map(|k| Vec3::new(side(k, 0), side(k, 1), side(k, 2))).collect() }
    }

    /// What of the cell lies behind a plane. Where the plane cuts the segment of any two corners there is a point of the cell, and
    /// every new corner is one of these.
    pub fn behind(&self, plane: &Plane) -> Self {
        let heights: Vec<f64> = self.corners.iter().map(|x| plane.height(x)).collect();
        let kept = self.corners.iter().zip(&heights).filter(|(_, h)| **h <= 0.0).map(|(x, _)| *x);
        let mut corners: Vec<Vec3> = kept.collect();
        for (x, h) in self.corners.iter().zip(&heights).filter(|(_, h)| **h < 0.0) {
            for (y, g) in self.corners.iter().zip(&heights).filter(|(_, g)| **g > 0.0) {
                corners.push(x + (y - x) * (h / (h - g)));
            }
        }
        if corners.len() > CORNERS_KEPT {
            corners = convex_hull(&corners).vertices;
        }
        Self { corners }
    }
}
