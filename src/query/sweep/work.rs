//! Margins and budget of one pair in a run.

use crate::geom::Vec3;
use crate::geom::math::greater;
use crate::geom::tolerance::roundoff_mm;
use crate::motion::{Cell, Chain, Frame};
use crate::query::depth::SolidRef;
use crate::query::sweep::prove::Budget;
use crate::query::sweep::run::SweepLimits;
use crate::query::sweep::still::Still;

/// Slack of a limit over a run, as a share of the tolerance: a limit met with equality at one pose is not proved in the
/// neighbourhood of the pose otherwise.
const SLACK: f64 = 0.01;

/// Displacement of B, as a share of the tolerance, below which a cell is not split further.
const FLOOR: f64 = 0.001;

/// Margins of a run (mm), and its budget.
pub(crate) struct Work<'a> {
    pub still: Still<'a>,
    /// Slack of a limit over a run.
    pub slack: f64,
    /// Displacement below which a cell is not split.
    pub floor: f64,
    pub budget: Budget,
    pub frames: usize,
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
        let frame = Frame::new(chain, run);
        let [_, (center, radius)] = balls([a, b]);
        let moved = frame.spread_of_ball(&frame.pose.point(&center), radius).displacement;
        let reach = frame.pose.translation.norm() + moved;
        let size = center.norm() + radius;
        // Twice the roundings of a static pair: first-order motion takes a second sum over the same coordinates.
        let margin =
            2.0 * roundoff_mm(a.convex.diameter, b.convex.diameter, reach) + chain.rounding(run, size) + residual;
        Self {
            still: Still { a, b, margin, rounding: margin + quantum },
            slack: greater(SLACK * limits.tolerance, 16.0 * margin),
            floor: greater(FLOOR * limits.tolerance, 4.0 * margin),
            budget: Budget::new(tests),
            frames: 0,
        }
    }
}

/// Balls around two solids, each in its own frame: centre, radius (mm).
pub(crate) fn balls(solids: [SolidRef; 2]) -> [(Vec3, f64); 2] {
    solids.map(|s| (s.surface.bounds.center(), 0.5 * s.surface.bounds.diagonal()))
}
