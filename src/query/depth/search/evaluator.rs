//! Evaluates points: the depths in both solids, and the best ball so far.

use crate::geom::Vec3;
use crate::geom::math::{greater, lesser};
use crate::shape::surface::placed::{NearestPoint, PlacedSurface};

/// A point and its depth in both solids (A's frame).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Witness {
    pub center: Vec3,
    /// Lesser of the two depths (mm); if positive, the radius of a ball in both solids.
    pub radius: f64,
    /// Closest point of each surface.
    pub points: [Vec3; 2],
}

/// Depth in one solid at a cell's centre.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Probe {
    pub signed: f64,
    pub triangle: u32,
}

/// Two placed solids with the best ball found in both. Lengths in mm, points in A's frame.
#[derive(Clone, Copy)]
pub(crate) struct Evaluator<'a> {
    pub(crate) sides: [PlacedSurface<'a>; 2],
    pub(crate) rounding: f64,
    /// True for each surface with triangles that may not bound its solid.
    pub(crate) may_have_inner: [bool; 2],
    pub(crate) best: Option<Witness>,
    /// Lower bound of the largest common radius from other sources, for example minus half the surfaces' distance.
    floor: f64,
}

impl<'a> Evaluator<'a> {
    /// Starts without a ball; `floor` is a lower bound of the largest common radius (mm).
    pub(crate) fn new(sides: [PlacedSurface<'a>; 2], floor: f64, rounding: f64) -> Self {
        Self { sides, rounding, may_have_inner: [false; 2], best: None, floor }
    }

    /// Records a lower bound of the largest common radius (mm).
    pub(crate) fn raise_floor(&mut self, radius: f64) {
        self.floor = greater(self.floor, radius);
    }

    /// Lower bound of the largest common radius (mm).
    pub(crate) fn lower(&self) -> f64 {
        self.best.map_or(self.floor, |w| greater(w.radius, self.floor))
    }

    /// Keeps a witness found elsewhere if it is better.
    pub(crate) fn keep_better(&mut self, found: Option<Witness>) {
        if let Some(found) = found
            && self.best.is_none_or(|best| found.radius > best.radius)
        {
            self.best = Some(found);
        }
    }

    /// Evaluates a point and keeps it if it is a better witness. Returns the nearest point and the signed depth for
    /// each surface.
    pub(crate) fn evaluate(&mut self, x: &Vec3) -> Option<[(NearestPoint, f64); 2]> {
        let at = [self.probe(0, x, None)?, self.probe(1, x, None)?];
        self.offer(x, &at);
        Some(at)
    }

    pub(crate) fn offer(&mut self, x: &Vec3, at: &[(NearestPoint, f64); 2]) {
        let radius = lesser(at[0].1, at[1].1);
        if self.best.is_some_and(|w| radius <= w.radius) {
            return;
        }
        // Exact tests verify a witness.
        if radius > 0.0 && !self.sides.iter().zip(at).all(|(side, at)| side.certainly_holds(x, &at.0)) {
            return;
        }
        self.best = Some(Witness { center: *x, radius, points: [at[0].0.point, at[1].0.point] });
    }

    /// Nearest surface point and signed depth at `x` (mm). `known` is a probe with its point.
    pub(crate) fn probe(&self, which: usize, x: &Vec3, known: Option<(&Probe, &Vec3)>) -> Option<(NearestPoint, f64)> {
        let side = &self.sides[which];
        let near = match known {
            None => side.nearest(x, f64::INFINITY)?,
            Some((probe, _)) => side.nearest_from(x, probe.triangle),
        };
        // The surface is farther from one of the two points than the other point is: both lie on one side.
        let is_same_side = |(probe, from): &(&Probe, &Vec3)| {
            let moved = (x - *from).norm();
            greater(probe.signed.abs(), near.distance) > moved * (1.0 + 1e-9) + self.rounding
        };
        let inside = match known.filter(is_same_side) {
            Some((probe, _)) => probe.signed > 0.0,
            None => side.holds(x, &near),
        };
        Some((near, if inside { near.distance } else { -near.distance }))
    }
}
