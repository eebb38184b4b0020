//! Searches for a deep common ball: ascends the depth function, and walks along the sheet between two surfaces.

use crate::geom::Vec3;
use crate::geom::math::{basis, greater, lesser};
use crate::query::depth::search::cell_lp::{Row, maximize};
use crate::query::depth::search::evaluator::Evaluator;
use crate::shape::surface::placed::NearestPoint;

/// Upper limit of steps of an ascent.
const MAX_STEPS: usize = 24;

/// Final step of an ascent (share of the first step).
const STEP_SHARE: f64 = 0.02;

/// Upper limit of planes that an ascent keeps from successful steps.
const MAX_KEPT: usize = 12;

/// Upper limit of evaluations while balancing the two depths.
const MAX_SETTLING: usize = 4;

/// Upper limit of steps along a sheet; each step tries four directions.
const MAX_STRIDES: usize = 12;

impl Evaluator<'_> {
    /// Ascends from a point towards greater depth, in steps beginning with `step` (mm). Ends at a ball of a radius
    /// above `enough` (mm) or at small steps. Each step maximises the depth below the planes at the nearest surface
    /// points, by a linear programme. Planes of successful steps stay until a step fails: along a ridge of the depth, one
    /// plane at a time would lead from side to side.
    pub(crate) fn ascend(&mut self, start: &Vec3, step: f64, enough: f64) {
        let Some(mut at) = self.evaluate(start) else { return };
        let (mut x, mut half) = (*start, step);
        let smallest = STEP_SHARE * step;
        let mut rows: Vec<Row> = Vec::new();
        // Number of rows from successful steps.
        let mut kept = 0;
        for _ in 0..MAX_STEPS {
            if self.best.is_some_and(|w| w.radius > enough) || half < smallest {
                break;
            }
            rows.extend([self.plane(0, &x, &x, &at[0]), self.plane(1, &x, &x, &at[1])]);
            let y = x + maximize(&rows, &Vec3::repeat(half), f64::NEG_INFINITY).at;
            let Some(there) = self.evaluate(&y) else { break };
            if lesser(there[0].1, there[1].1) > lesser(at[0].1, at[1].1) {
                rows.drain(..rows.len().saturating_sub(MAX_KEPT));
                for row in &mut rows {
                    row.value += row.slope.dot(&(y - x));
                }
                kept = rows.len();
                (x, at) = (y, there);
                half *= 1.5;
            } else {
                // The planes at the end of a failed step constrain the next one. Planes from other places may have misled
                // this step.
                rows.drain(..kept);
                kept = 0;
                rows.extend([self.plane(0, &y, &x, &there[0]), self.plane(1, &y, &x, &there[1])]);
                half *= 0.5;
            }
        }
    }

    /// Moves from a point towards equal depth in both solids, until a ball of a radius above `enough` (mm) is found.
    /// Returns the best evaluated point (A's frame) and its lesser depth (mm).
    pub(crate) fn balance(&mut self, start: &Vec3, enough: f64) -> Option<(Vec3, f64)> {
        let mut x = *start;
        let mut best: Option<(Vec3, f64)> = None;
        for _ in 0..MAX_SETTLING {
            let at = self.evaluate(&x)?;
            let radius = lesser(at[0].1, at[1].1);
            if best.is_none_or(|b| radius > b.1) {
                best = Some((x, radius));
            }
            let (low, excess) = (usize::from(at[1].1 < at[0].1), (at[0].1 - at[1].1).abs());
            if radius > enough || excess <= STEP_SHARE * radius.abs() {
                break;
            }
            let [a, b] = [self.slope(0, &x, &at[0]), self.slope(1, &x, &at[1])];
            // This step equalises the depths if both slopes persist. Outside a solid it ends on the surface.
            let most = if radius < 0.0 { -radius } else { excess };
            let along = if low == 0 { a } else { b };
            x += along * lesser(excess / greater(1.0 - a.dot(&b), f64::MIN_POSITIVE), most);
        }
        best
    }

    /// Walks along the thin sheet between two surfaces, in search of a ball of a radius above `enough` (mm). Steps
    /// begin with `longest` (mm); each end point is balanced between the surfaces.
    pub(crate) fn walk_sheet(&mut self, start: &Vec3, longest: f64, enough: f64) {
        let Some((mut x, mut radius)) = self.balance(start, enough) else { return };
        let mut length = longest;
        for _ in 0..MAX_STRIDES {
            if radius > enough {
                return;
            }
            let Some(at) = self.evaluate(&x) else { return };
            let (u, v) = basis(&self.slope(0, &x, &at[0]));
            let found = [u, -u, v, -v].into_iter().find_map(|d| {
                let there = self.balance(&(x + d * length), enough)?;
                (there.1 > radius).then_some(there)
            });
            match found {
                Some(there) => (x, radius) = there,
                None => length *= 0.5,
            }
        }
    }

    /// Direction of increasing signed depth near `x`: away from the nearest surface point inside, towards it outside.
    pub(crate) fn slope(&self, which: usize, x: &Vec3, at: &(NearestPoint, f64)) -> Vec3 {
        let side = &self.sides[which];
        ((x - at.0.point) * at.1.signum())
            .try_normalize(0.0)
            .unwrap_or_else(|| -side.turned(&side.surface.normal(at.0.triangle)))
    }

    /// Linear model of the signed depth near `x`: the plane at its nearest surface point, relative to `center`.
    pub(crate) fn plane(&self, which: usize, x: &Vec3, center: &Vec3, at: &(NearestPoint, f64)) -> Row {
        let slope = self.slope(which, x, at);
        Row::bound(slope, at.1 + slope.dot(&(center - x)))
    }
}
