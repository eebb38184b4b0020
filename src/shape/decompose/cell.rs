//! Defines planes and the convex cells between them.

use crate::geom::{Aabb, Vec3};
use crate::shape::hull::convex_hull;

/// Number of corners above which a cell keeps only the corners of their hull.
const CORNERS_KEPT: usize = 24;

/// Plane: points with `normal · x ≤ offset` are behind it, all others in front.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plane {
    /// Unit normal.
    pub normal: Vec3,
    /// Offset along the normal (mm).
    pub offset: f64,
}

impl Plane {
    /// Signed height of a point above the plane (mm).
    #[inline]
    pub fn height(&self, x: &Vec3) -> f64 {
        self.normal.dot(x) - self.offset
    }

    /// Flips the plane.
    pub fn turned(&self) -> Self {
        Self { normal: -self.normal, offset: -self.offset }
    }

    /// Moves the plane forward (mm).
    pub fn moved(&self, by: f64) -> Self {
        Self { offset: self.offset + by, ..*self }
    }
}

/// Convex cell: the intersection of half-spaces with the solid's box.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    /// Points of the cell including all its corners, up to rounding (mm).
    pub corners: Vec<Vec3>,
}

impl Cell {
    /// Makes a cell of the whole box.
    pub fn of(bounds: &Aabb) -> Self {
        let side = |k: usize, i: usize| if k >> i & 1 == 0 { bounds.min[i] } else { bounds.max[i] };
        Self { corners: (0..8).map(|k| Vec3::new(side(k, 0), side(k, 1), side(k, 2))).collect() }
    }

    /// Clips the cell to a half-space. The plane's intersections with segments between any two corners are points of
    /// the cell, and every new corner is one of them.
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
