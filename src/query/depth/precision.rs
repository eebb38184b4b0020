//! Required width of a depth bracket, by depth.

use crate::geom::math::{greater, lesser};

/// Required width of a depth bracket.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision {
    /// Share of the depth.
    relative: f64,
    /// Width always sufficient up to the depth `beyond` (mm).
    pub(crate) absolute: f64,
    /// Depth beyond which `closer` applies too (mm).
    beyond: f64,
    closer: [f64; 2],
}

impl Precision {
    /// Width of `relative` times the depth, at least `absolute` (mm).
    pub fn new(relative: f64, absolute: f64) -> Self {
        Self { relative, absolute, beyond: f64::INFINITY, closer: [0.0; 2] }
    }

    /// Adds a second width, `relative` and `absolute` (mm), for depths beyond `depth` (mm); the narrower one applies
    /// there.
    #[must_use]
    pub fn beyond(self, depth: f64, relative: f64, absolute: f64) -> Self {
        Self { beyond: depth, closer: [relative, absolute], ..self }
    }

    /// Width required at a depth (both in mm).
    pub(crate) fn of(&self, depth: f64) -> f64 {
        let depth = greater(depth, 0.0);
        let width = greater(self.relative * depth, self.absolute);
        let closer = greater(self.closer[0] * depth, self.closer[1]);
        if depth > self.beyond { lesser(width, closer) } else { width }
    }

    /// Reduces the absolute widths by `mm`, for rounding.
    pub(crate) fn less(self, mm: f64) -> Self {
        let less = |of: f64| greater(of - mm, 0.0);
        Self { absolute: less(self.absolute), closer: [self.closer[0], less(self.closer[1])], ..self }
    }
}
