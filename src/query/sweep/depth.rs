//! Bracket of the largest overlap depth of a run that interferes.
//!
//! A search over the poses gives a ball, the lower end. The upper end comes from the hulls, from insets just beyond
//! that ball, or from single poses with the motion in between (docs/explanation/motion.md, claims 1 and 6).

use crate::geom::math::{greater, lesser};
use crate::geom::{Bounds, Pose, Vec3};
use crate::query::convex::common_ball_lp::{Goal, overlap};
use crate::query::convex::gjk::HullPair;
use crate::query::depth::Precision;
use crate::query::depth::inset::certificate::InsetResult;
use crate::query::sweep::depth_parts::{CELLS_OF_POSE, MAX_POSES, Parts};
use crate::query::sweep::inset::{DIVIDED, DepthInsets, WHOLE, boundary};
use crate::query::sweep::level::Scan;
use crate::query::sweep::run::{Failing, Sweep, Worst};
use crate::query::sweep::work::Work;
use crate::shape::polytope::Convex;

/// Precision of the depth at the best pose: a share of the depth, and of the tolerance.
const PRECISION: [f64; 2] = [0.01, 0.1];

/// Poses tried in each failing part before the search narrows.
const POSES: usize = 6;

/// Steps of the search around the best pose.
const STEPS: usize = 14;

/// Depths tried by insets beyond the best ball: this multiple of it, and at least this share of the tolerance more.
/// The first two suffice for the promise.
const BEYOND: [[f64; 2]; 3] = [[1.03, 0.5], [1.049, 0.99], [1.5, 3.0]];

/// Width of the bracket that ends the search: a share of the depth; a tolerance is always enough.
const WIDTH: f64 = 0.05;

/// Displacement within the shortest intervals of a proof by insets of large parts: a share of the depth.
const INSET_FLOOR: f64 = 0.002;

/// Open intervals after which a proof by insets of small parts ends: only a complete proof counts.
const PATIENCE: u32 = 8;

/// Largest number of pairs of triangles for which the insets of one pose are tested first: far insets may cross almost
/// everywhere.
const MAX_PAIRS_AT_POSE: usize = 50_000_000;

/// Largest number of balls that insets lead to.
const MAX_INSETS: usize = 4;

/// Growth of a depth that counts as rounding of a search (share of the depth): of equally deep poses, the first one
/// stays.
const EQUALLY_DEEP: f64 = 1e-6;

/// Best ball so far.
#[derive(Clone, Copy)]
pub(super) struct Ball {
    at: f64,
    pub(super) depth: f64,
    points: [Vec3; 2],
}

impl Ball {
    /// No ball yet, at a pose to start from.
    pub(super) fn none(at: f64) -> Self {
        Self { at, depth: f64::NEG_INFINITY, points: [Vec3::zeros(); 2] }
    }

    /// Replaces the ball by a deeper one. A ball at another pose must be deeper by more than the rounding of a search.
    pub(super) fn offer(&mut self, at: f64, depth: f64, points: [Vec3; 2]) {
        let rounding = if at == self.at { 0.0 } else { EQUALLY_DEEP * greater(self.depth, 0.0) };
        if depth > self.depth + rounding {
            *self = Self { at, depth, points };
        }
    }
}

impl Sweep<'_> {
    /// Brackets the largest depth of the run, starting at a broken pose.
    pub(crate) fn largest_depth(&self, work: &mut Work, seed: f64, failing: &[Failing]) -> Worst {
        let mut best = Ball::none(seed);
        self.look(work, seed, &mut best);
        for part in failing {
            let (x, y) = (part.from[1], part.to[0]);
            let step = (y - x) / (POSES - 1) as f64;
            for k in 0..POSES {
                self.look(work, x + step * k as f64, &mut best);
            }
        }
        let mut step = failing.iter().map(|f| f.to[0] - f.from[1]).fold(0.0, greater) / (POSES - 1) as f64;
        for _ in 0..STEPS {
            let (at, before) = (best.at, best.depth);
            for q in [at - step, at + step] {
                if q >= self.range[0] && q <= self.range[1] {
                    self.look(work, q, &mut best);
                }
            }
            if best.depth <= before {
                step *= 0.5;
            }
        }
        let at = best.at;
        self.measure(work, at, &mut best);
        let mut parts = Parts::whole(self.range, self.thickest() + work.still.margin);
        self.by_hulls(work, &mut best, &mut parts);
        let mut upper = parts.most();
        if !self.is_narrow(&best, upper) {
            upper = lesser(upper, self.by_insets(work, &mut best));
        }
        // Least motion within one of so many parts.
        let [from, to] = self.range;
        let within_part = self.moved(from, to) / (2 * MAX_POSES) as f64;
        if !self.is_narrow(&best, upper) && best.depth + within_part < upper {
            upper = lesser(upper, self.by_poses(work, &mut best, upper, parts));
            if !self.is_bounded() {
                let at = best.at;
                self.bound(work, at, 0.0, CELLS_OF_POSE, &mut best);
            }
        }
        let gap = Bounds::from_depth(best.depth, greater(upper, best.depth));
        Worst { at: best.at, gap, points: best.points }
    }

    /// Upper bound of the depth over the run, from insets beyond the best ball (mm); infinite without one. Keeps better
    /// balls on the way.
    fn by_insets(&self, work: &mut Work, best: &mut Ball) -> f64 {
        let mut balls = 0;
        // Insets of large parts may meet without a common ball between them. More tries seldom help there.
        let small = self.divides_edges();
        let depths = if small { &BEYOND[..] } else { &BEYOND[..1] };
        let mut tries =
            depths.iter().flat_map(|beyond| [(beyond, WHOLE), (beyond, DIVIDED[0])]).filter(|t| small || t.1 == WHOLE);
        let mut next = tries.next();
        // The first proof of small parts leads to better balls at other poses, even if it fails.
        let mut leads = small;
        let [of_a, of_b] = [self.a, self.b].map(|s| s.surface.triangles.len());
        let tests_pose = of_a.saturating_mul(of_b) <= MAX_PAIRS_AT_POSE;
        while let Some(([share, more], divides)) = next {
            let depth = greater(best.depth * share, best.depth + more * self.limits.tolerance);
            let before = best.depth;
            let pose = self.chain.pose(&[best.at]);
            let Some(insets) = DepthInsets::new(&work.still, depth, divides) else { break };
            let untested = std::mem::take(&mut leads) || !tests_pose;
            let apart = if untested { Some(insets) } else { Self::insets_apart(work, insets, &pose, best) };
            if let Some(insets) = apart {
                let found = self.prove_depth(work, depth, insets);
                if found.is_complete() {
                    return depth;
                }
                if let Some(v) = found.violation {
                    self.look(work, v.at, best);
                }
            }
            if best.depth <= before {
                next = tries.next();
            } else {
                balls += 1;
                if balls == MAX_INSETS {
                    break;
                }
            }
        }
        f64::INFINITY
    }

    /// Scans the run with insets for a depth (mm).
    fn prove_depth(&self, work: &mut Work, depth: f64, insets: DepthInsets) -> Scan {
        let small = self.divides_edges();
        let surfaces = insets.of_run(self);
        let level =
            work.level_of_insets(&surfaces, self.chain, depth).complete_or_open(if small { PATIENCE } else { 0 });
        let floor = if small { work.floor } else { greater(INSET_FLOOR * depth, work.floor) };
        self.scan_down_to(&level, work, self.range, false, floor)
    }

    /// The insets, if they stay apart at the best pose: else they prove nothing about the run. This takes the offsets
    /// of few vertices. Keeps a better ball between insets that meet.
    fn insets_apart<'p>(
        work: &Work,
        insets: DepthInsets<'p>,
        pose: &'p Pose,
        best: &mut Ball,
    ) -> Option<DepthInsets<'p>> {
        let (result, insets) = insets.certify_at(pose);
        if let InsetResult::Meet(x) = result
            && let Some((depth, points)) = work.still.ball(pose, Some(x), f64::INFINITY)
        {
            best.offer(best.at, depth, points);
        }
        (result == InsetResult::Apart).then_some(insets)
    }

    /// Upper bound of the diameter of any ball in both parts, at any pose: that of the thinner hull (mm).
    pub(super) fn thickest(&self) -> f64 {
        let of = |hull: &Convex| {
            let itself = HullPair { a: hull, b: hull, b_in_a: &Pose::identity() };
            if hull.rank == 3 { overlap(&itself, None, Goal::VALUE).upper } else { 0.0 }
        };
        greater(lesser(of(self.a.convex), of(self.b.convex)), 0.0)
    }

    /// True if both parts have a definite inside: only these give upper bounds of a depth, beside their hulls.
    pub(super) fn is_bounded(&self) -> bool {
        [self.a, self.b].iter().all(|solid| boundary(solid.surface).is_some())
    }

    /// Largest upper end of a bracket as narrow as promised (mm).
    pub(super) fn narrow_end(&self, best: &Ball) -> f64 {
        best.depth + greater(WIDTH * best.depth, self.limits.tolerance)
    }

    fn is_narrow(&self, best: &Ball, upper: f64) -> bool {
        upper <= self.narrow_end(best)
    }

    /// Searches a ball at one pose; keeps the better one.
    pub(super) fn look(&self, work: &Work, q: f64, best: &mut Ball) {
        if let Some((depth, points)) = work.still.ball(&self.chain.pose(&[q]), None, f64::INFINITY) {
            best.offer(q, depth, points);
        }
    }

    /// Measures one pose to the precision of a report; keeps the better ball. Returns the upper bound of the depth
    /// (mm).
    fn measure(&self, work: &Work, q: f64, best: &mut Ball) -> f64 {
        let precision = Precision::new(PRECISION[0], PRECISION[1] * self.limits.tolerance);
        let found = work.still.gap(&self.chain.pose(&[q]), self.limits.tolerance, Some(precision));
        let [least, most] = found.gap.to_depth();
        best.offer(q, least, found.points);
        most
    }
}
