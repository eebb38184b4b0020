//! One pose of a sweep, judged as in a static check.

use crate::geom::math::{greater, lesser};
use crate::geom::{Bounds, Pose, Vec3};
use crate::query::convex::common_ball_lp::{Goal, Thickness, overlap};
use crate::query::convex::gjk::HullPair;
use crate::query::depth::search::evaluator::{Evaluator, Witness};
use crate::query::depth::{OverlapQuery, OverlapSearch, PairRelation, Precision, SolidRef, classify};
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::{Distance, Gap, separation};

/// First step of an ascent in a thin overlap: this share of the smaller inscribed ball.
const FIRST_STEP: f64 = 0.01;

/// Diameter of a ball that counts as the largest one: this share of that of the hulls, or two margins less.
const NEARLY_LARGEST: f64 = 1.0 - 1e-6;

/// Two solids with the margins of a static query.
#[derive(Clone, Copy)]
pub(crate) struct Still<'a> {
    /// The first solid.
    pub a: SolidRef<'a>,
    /// The second solid.
    pub b: SolidRef<'a>,
    /// Rounding margin η of the pair, poses of the run included (mm).
    pub margin: f64,
    /// Margin for surfaces designed to coincide (mm).
    pub rounding: f64,
}

/// Gap at one pose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StillGap {
    /// Certified bounds of the gap, with the rounding margin (mm).
    pub gap: Bounds,
    /// Point of each part: closest points, or the surface points nearest to the deepest point (A's frame, mm).
    pub points: [Vec3; 2],
}

impl Still<'_> {
    /// Measures the gap. For solids that meet, narrows its bounds until the depth `threshold` (mm) lies outside, and to
    /// the precision, if one is given.
    pub(crate) fn gap(&self, pose: &Pose, threshold: f64, precision: Option<Precision>) -> StillGap {
        self.measured(pose, f64::INFINITY, |m| {
            m.decide_threshold(threshold);
            if let Some(width) = precision {
                m.refine_to(&width);
            }
        })
    }

    /// The gap as by [`Self::gap`], with a budget in cells of the branch and bound: where it is spent, the bounds stay
    /// as wide as they are.
    pub(crate) fn gap_within_cells(&self, pose: &Pose, threshold: f64, cells: u32) -> StillGap {
        self.measured(pose, f64::INFINITY, |m| m.decide_deep_threshold(threshold, cells))
    }

    /// The gap as by [`Self::gap`]; solids farther apart than `reach` (mm) have no upper bound.
    pub(crate) fn gap_within(&self, pose: &Pose, threshold: f64, reach: f64) -> StillGap {
        self.measured(pose, reach, |m| m.decide_threshold(threshold))
    }

    fn measured(&self, pose: &Pose, reach: f64, narrow: impl FnOnce(&mut OverlapSearch)) -> StillGap {
        let ask = OverlapQuery { margin: self.margin, rounding: self.rounding, reach, deep: None };
        match classify(self.a, self.b, pose, &ask).relation {
            PairRelation::Beyond(least) => StillGap {
                gap: Bounds { lower: least - self.margin, upper: f64::INFINITY },
                points: [Vec3::zeros(); 2],
            },
            PairRelation::Apart(apart) => {
                StillGap { gap: Bounds::exact(apart.distance).widened(self.margin), points: apart.points }
            }
            PairRelation::Meets(mut m) => {
                narrow(&mut m);
                StillGap { gap: m.gap_bounds().widened(self.margin), points: m.witness().0 }
            }
        }
    }

    /// Upper bound of the depth by the hulls (mm), no closer than `enough` (mm); infinite for flat hulls.
    pub(crate) fn deepest_by_hulls(&self, pose: &Pose, enough: f64) -> f64 {
        self.upper_of_hulls(pose, Goal { above: enough, at_most: enough - self.margin })
    }

    /// The same, as close as possible above `enough` (mm).
    pub(crate) fn depth_of_hulls(&self, pose: &Pose, enough: f64) -> f64 {
        self.upper_of_hulls(pose, Goal { above: f64::INFINITY, at_most: enough - self.margin })
    }

    fn upper_of_hulls(&self, pose: &Pose, goal: Goal) -> f64 {
        self.hulls(pose, goal).map_or(f64::INFINITY, |hulls| hulls.upper + self.margin)
    }

    /// Largest common ball of the hulls, a linear programme; `None` for flat hulls.
    fn hulls(&self, pose: &Pose, goal: Goal) -> Option<Thickness> {
        let [a, b] = [self.a.convex, self.b.convex];
        (a.rank == 3 && b.rank == 3).then(|| overlap(&HullPair { a, b, b_in_a: pose }, None, goal))
    }

    /// Searches a large common ball, as by [`Self::common_ball`]. Returns its diameter less the margin (mm), a lower
    /// bound of the depth, and the points of the surfaces nearest to its centre.
    pub(crate) fn ball(&self, pose: &Pose, start: Option<Vec3>, enough: f64) -> Option<(f64, [Vec3; 2])> {
        self.common_ball(pose, start, enough).map(|best| (2.0 * best.radius - self.margin, best.points))
    }

    /// Searches a large common ball: at the centre of the hulls' largest one, then by ascents from `start` (A's frame),
    /// from a crossing of the surfaces, and from the middles of both hulls. Ends at a ball thicker than `enough` (mm),
    /// or as large as that of the hulls; for convex solids, that is the first one. Returns its centre (A's frame),
    /// radius (mm, > 0) and the nearest points of both surfaces. Cheap, and never a proof that no ball exists.
    pub(crate) fn common_ball(&self, pose: &Pose, start: Option<Vec3>, enough: f64) -> Option<Witness> {
        let pairing = self.pairing(pose);
        let mut search = Evaluator::new(pairing.sides(), f64::NEG_INFINITY, self.margin);
        let mut radius = 0.5 * (enough + self.margin);
        if let Some(hulls) = self.hulls(pose, Goal { above: f64::INFINITY, at_most: 0.0 }) {
            let largest = 0.5 * hulls.upper;
            radius = lesser(radius, lesser(largest * NEARLY_LARGEST, largest - self.margin));
            search.evaluate(&hulls.center);
        }
        let (a, b) = (self.a.convex, self.b.convex);
        let crossing = || match separation(&pairing, self.margin, self.margin) {
            Distance::Within(gap) => Some((gap.points[0] + gap.points[1]) * 0.5),
            Distance::Beyond(_) => None,
        };
        let starts: [&dyn Fn() -> Option<Vec3>; 4] =
            [&|| start, &crossing, &|| Some(pose.point(&b.inner_center)), &|| Some(a.inner_center)];
        let large = lesser(a.inner_radius, b.inner_radius);
        let radius_of = |search: &Evaluator| search.best.map_or(0.0, |w| w.radius);
        for start in starts {
            if radius_of(&search) > radius {
                break;
            }
            let Some(x) = start() else { continue };
            search.ascend(&x, large, radius);
            let found = radius_of(&search);
            if found <= radius {
                // Thin overlaps take short steps.
                search.ascend(&x, lesser(large, greater(4.0 * found, FIRST_STEP * large)), radius);
            }
        }
        search.best.filter(|w| w.radius > 0.0)
    }

    fn pairing<'p>(&'p self, pose: &'p Pose) -> Pairing<'p> {
        Pairing { a: self.a.surface, b: self.b.surface, b_in_a: pose }
    }

    /// Distance of the two surfaces to rounding, and their closest points, if it is at most `limit` (mm).
    pub(crate) fn distance(&self, pose: &Pose, limit: f64) -> Option<(f64, [Vec3; 2])> {
        self.nearest(pose, limit).map(|gap| (gap.value, gap.points))
    }

    /// Closest points of the two surfaces with their triangles, if their distance is at most `limit` (mm).
    pub(crate) fn nearest(&self, pose: &Pose, limit: f64) -> Option<Gap> {
        match separation(&self.pairing(pose), limit, 0.0) {
            Distance::Within(gap) => Some(gap),
            Distance::Beyond(_) => None,
        }
    }

    /// True unless the surfaces, apart at this pose, bound solids that are apart as well: neither lies in the other.
    pub(crate) fn nested(&self, pose: &Pose) -> bool {
        let ask = OverlapQuery { margin: self.margin, rounding: self.rounding, reach: 0.0, deep: None };
        matches!(classify(self.a, self.b, pose, &ask).relation, PairRelation::Meets(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::depth::tests::part_with;
    use crate::shape::surface::Inside;
    use crate::testkit::poses::at;
    use crate::testkit::solids::{block, ring};

    #[test]
    fn blocks_share_the_ball_of_their_hulls() {
        let part = part_with(&block([-5.0, -3.0, -2.0], [5.0, 3.0, 2.0]), Inside::Solid);
        let still = Still { a: part.body(), b: part.body(), margin: 1e-10, rounding: 1e-10 };
        for (x, depth) in [(9.99, 0.01), (9.0, 1.0), (2.0, 4.0)] {
            let pose = at(x, 0.0, 0.0);
            let ball = still.common_ball(&pose, None, f64::INFINITY).expect("a common ball");
            assert!((2.0 * ball.radius - depth).abs() < 1e-9, "{x}: {}", ball.radius);
            // A bound is asked no closer than a limit: on either side of it, it says so.
            assert!(still.deepest_by_hulls(&pose, 1.01 * depth) <= 1.01 * depth, "{x}");
            assert!(still.deepest_by_hulls(&pose, 0.99 * depth) > 0.99 * depth, "{x}");
        }
        assert!(still.common_ball(&at(10.5, 0.0, 0.0), None, f64::INFINITY).is_none());
    }

    #[test]
    fn a_ball_in_a_ring_is_found_where_the_hulls_have_theirs_in_the_hole() {
        let hole = part_with(&ring(&[[5.0, 0.0], [8.0, 0.0], [8.0, 3.0], [5.0, 3.0]], 24), Inside::Solid);
        let bar = part_with(&block([-10.0, -1.0, 1.0], [10.0, 1.0, 2.0]), Inside::Solid);
        let still = Still { a: hole.body(), b: bar.body(), margin: 1e-10, rounding: 1e-10 };
        let pose = Pose { translation: bar.convex.origin - hole.convex.origin, ..Pose::identity() };
        let ball = still.common_ball(&pose, None, f64::INFINITY).expect("a common ball");
        assert!((ball.radius - 0.5).abs() < 1e-6, "{}", ball.radius);
        assert!(still.deepest_by_hulls(&pose, 0.5) >= 1.0 - 1e-9);
    }
}
