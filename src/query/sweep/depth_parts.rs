//! Upper bounds of the depth over parts of a run: the depth at one pose of a part, and the motion within the part.
//!
//! If B moves by at most δ between two poses, their depths differ by at most δ (docs/explanation/motion.md, claim 1).
//! The hulls give the bound of a pose at once, the triangles a closer one.

use crate::geom::math::{greater, lesser};
use crate::query::sweep::depth::Ball;
use crate::query::sweep::run::Sweep;
use crate::query::sweep::work::Work;

/// Depth beyond the best one that a single pose is tested for: a share of the depth, and of the tolerance. Where many
/// poses are equally deep, a closer test costs most.
const GROWTH: [f64; 2] = [0.02, 0.25];

/// Budget of the upper bound at a single pose, in cells of its branch and bound. Deep overlaps of large parts may take
/// many times as much for a bound that is hardly closer.
pub(super) const CELLS_OF_POSE: u32 = 1_000;

/// The same for parts without a definite inside. Their cells give larger balls, and never an upper bound; the best pose
/// gets the full budget at the end.
const CELLS_OF_OPEN_POSE: u32 = 200;

/// Largest number of parts halved for bounds by the triangles.
pub(super) const MAX_POSES: usize = 24;

/// Largest number of parts halved for bounds by the hulls: each takes two linear programmes.
const MAX_POSES_OF_HULLS: usize = 128;

/// Number of poses that may fail to give a closer bound; then the bounds by poses end.
const HOPELESS_POSES: u32 = 3;

/// Part of the run with an upper bound of the depth (mm).
struct Part {
    range: [f64; 2],
    most: f64,
}

impl Part {
    /// Halves a part.
    fn halves(&self) -> [[f64; 2]; 2] {
        let [x, y] = self.range;
        let middle = x + 0.5 * (y - x);
        [[x, middle], [middle, y]]
    }
}

/// Parts that cover a run.
pub(super) struct Parts(Vec<Part>);

impl Parts {
    /// Takes a whole run with an upper bound of its depth (mm).
    pub(super) fn whole(range: [f64; 2], most: f64) -> Self {
        Self(vec![Part { range, most }])
    }

    /// Upper bound of the depth over the run (mm).
    pub(super) fn most(&self) -> f64 {
        self.0.iter().map(|p| p.most).fold(f64::NEG_INFINITY, greater)
    }

    /// Removes the first of the parts with the largest bound, unless all bounds are within `enough` (mm).
    fn take_above(&mut self, enough: f64) -> Option<Part> {
        let later = |k: usize, j: usize| if self.0[j].most > self.0[k].most { j } else { k };
        let k = (0..self.0.len()).reduce(later)?;
        (self.0[k].most > enough).then(|| self.0.swap_remove(k))
    }
}

impl Sweep<'_> {
    /// Bounds the depths of parts by the hulls, until the bracket is narrow. Keeps better balls on the way. Ends early
    /// after some poses where the hulls are deeper than every ball found.
    pub(super) fn by_hulls(&self, work: &Work, best: &mut Ball, parts: &mut Parts) {
        let mut hopeless = 0;
        for _ in 0..MAX_POSES_OF_HULLS {
            if hopeless >= HOPELESS_POSES {
                return;
            }
            let Some(part) = parts.take_above(self.narrow_end(best)) else { return };
            for [x, y] in part.halves() {
                let (q, moved) = (x + 0.5 * (y - x), self.moved(x, y));
                let at = work.still.depth_of_hulls(&self.chain.pose(&[q]), self.narrow_end(best) - moved);
                if at > self.narrow_end(best) {
                    self.look(work, q, best);
                    hopeless += u32::from(at > self.narrow_end(best));
                }
                parts.0.push(Part { range: [x, y], most: lesser(part.most, at + moved) });
            }
        }
    }

    /// Upper bound of the depth by the triangles at single poses (mm); keeps better balls on the way. Ends early after
    /// some poses without a bound below `upper`, the known one (mm): more poses would seldom help.
    pub(super) fn by_poses(&self, work: &Work, best: &mut Ball, upper: f64, mut parts: Parts) -> f64 {
        let mut hopeless = 0;
        let cells = if self.is_bounded() { CELLS_OF_POSE } else { CELLS_OF_OPEN_POSE };
        for _ in 0..MAX_POSES {
            let Some(part) = parts.take_above(self.narrow_end(best)) else { break };
            for [x, y] in part.halves() {
                let moved = self.moved(x, y);
                let at = self.bound(work, x + 0.5 * (y - x), moved, cells, best);
                hopeless += u32::from(at >= upper);
                if hopeless == HOPELESS_POSES {
                    return upper;
                }
                parts.0.push(Part { range: [x, y], most: lesser(part.most, at + moved) });
            }
        }
        parts.most()
    }

    /// Bounds the depth at one pose from above, no closer than the width of a bracket asks (mm), with a budget in
    /// cells; keeps the better ball. B moves by `moved` (mm) about the pose: a bound closer than half of that would not
    /// spare a further pose.
    pub(super) fn bound(&self, work: &Work, q: f64, moved: f64, cells: u32, best: &mut Ball) -> f64 {
        let least = greater(GROWTH[0] * best.depth, GROWTH[1] * self.limits.tolerance);
        let beyond = greater(least, lesser(0.5 * moved, best.depth));
        let found = work.still.gap_within_cells(&self.chain.pose(&[q]), best.depth + beyond, cells);
        let [least, most] = found.gap.to_depth();
        best.offer(q, least, found.points);
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::depth::tests::part_with;
    use crate::query::sweep::SweepLimits;
    use crate::query::sweep::tests::{TOLERANCE, random_chain, random_solid, sweep};
    use crate::shape::surface::Inside;
    use crate::testkit::rng::Rng;

    /// Number of poses sampled in each run.
    const SAMPLES: usize = 64;

    #[test]
    fn parts_cover_the_run_and_no_sampled_pose_is_deeper() {
        let limits = SweepLimits { tolerance: TOLERANCE, allow_depth: None, min_clearance: None, max_gap: None };
        let mut rng = Rng::new(77);
        let [mut narrow, mut hopeless, mut deep] = [0; 3];
        for _ in 0..60 {
            // Hulls of tubes are much deeper than any ball, those of blocks and prisms are not.
            let [a, b] = [0, 1].map(|_| part_with(&random_solid(&mut rng), Inside::Solid));
            let chain = random_chain(&mut rng);
            let run = sweep(&a, &b, &chain, limits, 0);
            let work = run.work();
            let mut best = Ball::none(0.0);
            run.look(&work, 0.0, &mut best);
            let mut parts = Parts::whole(run.range, run.thickest());
            run.by_hulls(&work, &mut best, &mut parts);
            if parts.most() <= run.narrow_end(&best) {
                narrow += 1;
            } else {
                hopeless += 1;
            }
            parts.0.sort_by(|x, y| x.range[0].total_cmp(&y.range[0]));
            assert_eq!((parts.0[0].range[0], parts.0[parts.0.len() - 1].range[1]), (-1.0, 1.0));
            assert!(parts.0.windows(2).all(|w| w[0].range[1] == w[1].range[0]));
            for k in 0..=SAMPLES {
                let q = -1.0 + 2.0 * k as f64 / SAMPLES as f64;
                let Some((depth, _)) = work.still.ball(&chain.pose(&[q]), None, f64::INFINITY) else { continue };
                deep += 1;
                let part = parts.0.iter().find(|p| p.range[0] <= q && q <= p.range[1]).expect("the parts cover all");
                assert!(depth <= part.most + 1e-9, "{q}: {depth} {} {chain:?}", part.most);
            }
        }
        assert!(narrow >= 5 && hopeless >= 5 && deep >= 500, "{narrow} {hopeless} {deep}");
    }
}
