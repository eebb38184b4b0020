//! Scans of a run: the insets, the limits and the static queries that each of them uses.

use crate::geom::math::greater;
use crate::query::sweep::inset::{DIVIDED, WHOLE, are_small, has_up_to, insets_of_run};
use crate::query::sweep::level::{Level, Scan};
use crate::query::sweep::run::Sweep;
use crate::query::sweep::work::Work;
use crate::shape::surface::Surface;

/// Number of triangles of a pair up to which insets with divided edges narrow the ends of failing parts.
const DIVIDED_ENDS_UP_TO: usize = 4_000;

/// A scan for depths, with the insets of its level; without them by the hulls of convex solids.
pub(super) type DepthScan = (Option<[Surface; 2]>, Scan);

impl Sweep<'_> {
    /// Scans a part of the run at a level.
    pub(crate) fn scan(&self, level: &Level, work: &mut Work, range: [f64; 2], backward: bool) -> Scan {
        self.scan_down_to(level, work, range, backward, work.floor)
    }

    /// The same with another displacement below which no interval is split (mm).
    pub(crate) fn scan_down_to(
        &self,
        level: &Level,
        work: &mut Work,
        range: [f64; 2],
        backward: bool,
        floor: f64,
    ) -> Scan {
        let scan = level.scan(self, &work.still, floor, range, backward, &mut work.budget);
        work.frames += scan.frames;
        scan
    }

    /// True if insets with divided edges are worth their cost: they have several times as many triangles.
    pub(crate) fn divides_edges(&self) -> bool {
        are_small(self.a.surface, self.b.surface)
    }

    /// The same for the ends of failing parts alone.
    pub(super) fn divides_edges_of_ends(&self) -> bool {
        has_up_to(DIVIDED_ENDS_UP_TO, self.a.surface, self.b.surface)
    }

    /// Scans a run with a known broken pose for depths above its limits; `None` if no upper bound of a depth is
    /// possible. The hulls of convex solids come first: they take no insets, and many poses for a long contact alone.
    pub(super) fn depth_scan_of_broken(&self, work: &mut Work) -> Option<DepthScan> {
        let deepest = self.limits.deepest();
        if let Some(level) = work.level_of_convex(self.chain, deepest) {
            let scan = self.scan(&level, work, self.range, false);
            if scan.violation.is_some() {
                return Some((None, scan));
            }
        }
        self.depth_scan(work, deepest, None)
    }

    /// Scans the run for depths above a limit (mm); `None` if no upper bound of a depth is possible. A limit that is
    /// met with equality counts as kept: the second scan grants the slack. Insets with divided edges follow. A scan
    /// asks `confirms`, a static check as [`Sweep::confirms`], about the first broken pose that it finds.
    pub(super) fn depth_scan(
        &self,
        work: &mut Work,
        depth: f64,
        confirms: Option<&dyn Fn(f64) -> bool>,
    ) -> Option<DepthScan> {
        let mut found = None;
        let granted = depth + work.slack;
        let whole = [(depth, WHOLE), (granted, WHOLE)];
        let divided = DIVIDED.map(|divides| (granted, divides)).into_iter().filter(|_| self.divides_edges());
        for (granted, divides) in whole.into_iter().chain(divided) {
            let surfaces = insets_of_run(self, &work.still, granted, divides)?;
            let level = work.level_of_insets(&surfaces, self.chain, granted).confirmed_by(confirms);
            let scan = self.scan(&level, work, self.range, false);
            let done = scan.is_complete() || scan.violation.is_some();
            if done || found.is_none() {
                found = Some((Some(surfaces), scan));
            }
            if done {
                break;
            }
        }
        found
    }

    /// Scans for gaps below a clearance that is at most the tolerance (mm).
    pub(super) fn clearance_scan(&self, work: &mut Work, clearance: f64) -> Option<Scan> {
        let least = clearance - work.slack;
        if least > work.still.margin {
            let level = work.level(self.chain, least);
            return Some(self.scan(&level, work, self.range, false));
        }
        self.depth_scan(work, greater(-least, 0.5 * work.slack), None).map(|(_, scan)| scan)
    }
}
