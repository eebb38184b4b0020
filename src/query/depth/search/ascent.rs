//! Looks for a ball in both solids: climbs, and strides along the sheet between two surfaces.

use crate::geom::Vec3;
use crate::geom::math::{basis, greater, lesser};
use crate::query::depth::search::BranchAndBound;
use crate::query::depth::search::cell_lp::{Row, maximize};
use crate::shape::surface::placed::NearestPoint;

/// Steps of a climb, at most.
const MAX_STEPS: usize = 24;

/// A climb ends when its steps are this share of the first.
const STEP_SHARE: f64 = 0.02;

/// Looks of one settling, at most.
const MAX_SETTLING: usize = 4;

/// Strides along a sheet, at most, four looks around to each.
const MAX_STRIDES: usize = 12;

impl BranchAndBound<'_> {
    /// Climbs from a point towards a deeper one, in steps that begin with `step` (mm), until a ball of a radius above `enough` is
    /// found or the steps get small. Each step goes where the planes at the nearest points would be deepest.
    pub(crate) fn ascend(&mut self, start: &Vec3, step: f64, enough: f64) {
        let Some(mut at) = self.evaluate(start) else { return };
        let (mut x, mut half) = (*start, step);
        let smallest = STEP_SHARE * step;
        self.rows.clear();
        for _ in 0..MAX_STEPS {
            if self.best.is_some_and(|w| w.radius > enough) || half < smallest {
                break;
            }
            self.rows.extend([self.plane(0, &x, &x, &at[0]), self.plane(1, &x, &x, &at[1])]);
            let y = x + maximize(&self.rows, &Vec3::repeat(half), f64::NEG_INFINITY).at;
            let Some(there) = self.evaluate(&y) else { break };
            if lesser(there[0].1, there[1].1) > lesser(at[0].1, at[1].1) {
                (x, at) = (y, there);
                half *= 1.5;
                self.rows.clear();
            } else {
                // What is nearest there counts from here on.
                self.rows.extend([self.plane(0, &y, &x, &there[0]), self.plane(1, &y, &x, &there[1])]);
                half *= 0.5;
            }
        }
    }

    /// Goes from a point towards where it is as deep in one solid as in the other, until a ball of a radius above `enough` (mm) is
    /// found. The best point that was looked at, and the lesser depth there.
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
            // So that both are as deep if both slopes last; out of a solid only back onto its surface.
            let most = if radius < 0.0 { -radius } else { excess };
            let along = if low == 0 { a } else { b };
            x += along * lesser(excess / greater(1.0 - a.dot(&b), f64::MIN_POSITIVE), most);
        }
        best
    }

    /// Looks for a ball of a radius above `enough` (mm) along the sheet that two surfaces enclose where they overlap all over: in
    /// strides that begin with `longest` and settle between the surfaces.
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

    /// Where the signed depth near `x` increases: away from its nearest surface point.
    pub(crate) fn slope(&self, which: usize, x: &Vec3, at: &(NearestPoint, f64)) -> Vec3 {
        let side = &self.sides[which];
        ((x - at.0.point) * at.1.signum())
            .try_normalize(0.0)
            .unwrap_or_else(|| -side.turned(&side.surface.normal(at.0.triangle)))
    }

    /// The signed depth near `x` as the plane at its nearest surface point has it, about `center`.
    pub(crate) fn plane(&self, which: usize, x: &Vec3, center: &Vec3, at: &(NearestPoint, f64)) -> Row {
        let slope = self.slope(which, x, at);
        Row::bound(slope, at.1 + slope.dot(&(center - x)))
    }
}
