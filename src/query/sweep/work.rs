//! Margins and budget of one pair in a run.

use crate::geom::Vec3;
use crate::geom::math::greater;
use crate::geom::tolerance::roundoff_mm;
use crate::motion::{Cell, Chain, Frame};
use crate::query::depth::SolidRef;
use crate::query::sweep::hulls::{MovingHulls, are_convex};
use crate::query::sweep::level::Level;
use crate::query::sweep::prove::Budget;
use crate::query::sweep::run::SweepLimits;
use crate::query::sweep::still::Still;
use crate::shape::polytope::Convex;
use crate::shape::surface::Surface;
use std::cell::OnceCell;

/// Slack of a limit over a run, as a share of the tolerance: a limit met with equality at one pose is not proved in the
/// neighbourhood of the pose otherwise.
const SLACK: f64 = 0.01;

/// Displacement of B, as a share of the tolerance, below which a cell is not split further.
const FLOOR: f64 = 0.001;

/// Margins of a run (mm).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Margins {
    /// Rounding margin of every bound (> 0).
    pub margin: f64,
    /// Slack of a limit.
    pub slack: f64,
    /// Displacement below which a cell is not split.
    pub floor: f64,
}

impl Margins {
    /// Margins of two solids with these hulls on a chain, over a cell that contains the run. A ball (centre, radius)
    /// lies around B in its own frame; `residual` is the loss of the placements (mm, >= 0).
    pub(crate) fn of(
        [a, b]: [&Convex; 2],
        (center, radius): (Vec3, f64),
        chain: &Chain,
        run: &Cell,
        limits: &SweepLimits,
        residual: f64,
    ) -> Self {
        let frame = Frame::new(chain, run);
        let moved = frame.spread_of_ball(&frame.pose.point(&center), radius).displacement;
        let reach = frame.pose.translation.norm() + moved;
        let size = center.norm() + radius;
        // Twice the roundings of a static pair: first-order motion takes a second sum over the same coordinates.
        let margin = 2.0 * roundoff_mm(a.diameter, b.diameter, reach) + chain.rounding(run, size) + residual;
        Self {
            margin,
            slack: greater(SLACK * limits.tolerance, 16.0 * margin),
            floor: greater(FLOOR * limits.tolerance, 4.0 * margin),
        }
    }
}

/// Margins of a run (mm), and its budget.
pub(crate) struct Work<'a> {
    pub still: Still<'a>,
    /// Slack of a limit over a run.
    pub slack: f64,
    /// Displacement below which a cell is not split.
    pub floor: f64,
    pub budget: Budget,
    pub frames: usize,
    /// True if both solids are convex: their hulls then stand for all triangles. Found on demand.
    convex: OnceCell<bool>,
}

impl<'a> Work<'a> {
    /// Margins of two solids on a chain, over a cell that contains the run. `lost` holds the rounding of both files and
    /// the loss of the placements (mm, >= 0).
    pub(crate) fn new(
        [a, b]: [SolidRef<'a>; 2],
        chain: &Chain,
        run: &Cell,
        limits: &SweepLimits,
        [quantum, residual]: [f64; 2],
        tests: u64,
    ) -> Self {
        let [_, ball] = balls([a, b]);
        let Margins { margin, slack, floor } = Margins::of([a.convex, b.convex], ball, chain, run, limits, residual);
        Self {
            convex: OnceCell::new(),
            still: Still { a, b, margin, rounding: margin + quantum },
            slack,
            floor,
            budget: Budget::new(tests),
            frames: 0,
        }
    }

    fn is_convex(&self) -> bool {
        *self.convex.get_or_init(|| are_convex([self.still.a, self.still.b], self.still.margin))
    }

    /// Level of a distance of the surfaces (mm, >= 0).
    pub(crate) fn level(&self, chain: &Chain, distance: f64) -> Level<'a> {
        let solids = [self.still.a, self.still.b];
        let hulls = self.is_convex().then(|| MovingHulls::new(solids.map(|s| s.convex)));
        Level::apart(solids.map(|s| s.surface), chain, distance).with_hulls(hulls)
    }

    /// Level of a depth (mm, > 0), with the insets for it.
    pub(crate) fn level_of_insets<'s>(&self, insets: &'s [Surface; 2], chain: &Chain, depth: f64) -> Level<'s> {
        let insets = insets.each_ref();
        let hulls = if self.is_convex() { MovingHulls::of_insets(insets) } else { None };
        Level::depth(insets, chain, depth).with_hulls(hulls)
    }
}

/// Balls around two solids, each in its own frame: centre, radius (mm).
pub(crate) fn balls(solids: [SolidRef; 2]) -> [(Vec3, f64); 2] {
    solids.map(|s| (s.surface.bounds.center(), 0.5 * s.surface.bounds.diagonal()))
}
