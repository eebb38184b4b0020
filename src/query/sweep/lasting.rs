//! A common ball that lasts: values of the parameter at which a ball found at one pose still lies in both solids.
//!
//! The ball travels with B, or rests in A. Its centre is a point of one part; a proof by planes shows how long it stays
//! away from the surface of the other part (docs/explanation/motion.md, claim 8). A ball that slides along a surface
//! costs nothing to first order.

use crate::geom::Vec3;
use crate::geom::math::{greater, lesser};
use crate::motion::{Chain, OrbitAxis};
use crate::query::sweep::cells::Cells;
use crate::query::sweep::prove::{Course, Judgement, Proof};
use crate::query::sweep::run::Sweep;
use crate::query::sweep::tree::SweepTree;
use crate::query::sweep::work::Work;
use crate::shape::surface::{Inside, Surface};

/// Size of the triangle that stands for a centre (share of the radius): the surface stays this much farther away.
const PIECE: f64 = 1e-3;

/// Displacement within the shortest intervals of a proof (share of what the ball has to spare): closer ends cost more
/// than they add.
const END: f64 = 0.05;

/// Trees of both surfaces as given, with the orbits of a single axis.
pub(super) struct LastingBalls<'s, 'a> {
    sweep: &'s Sweep<'a>,
    axis: Option<OrbitAxis>,
    trees: [SweepTree<'a>; 2],
}

impl<'s, 'a> LastingBalls<'s, 'a> {
    /// Copies both trees. O(n).
    pub(super) fn new(sweep: &'s Sweep<'a>) -> Self {
        let axis = OrbitAxis::of(sweep.chain);
        let trees = [tree(sweep.a.surface, 0, axis.as_ref()), tree(sweep.b.surface, 1, axis.as_ref())];
        Self { sweep, axis, trees }
    }

    /// Largest interval found around `at`, within `range`, at all values of which a common ball is certainly thicker
    /// than `depth` (mm); `at` alone without a thicker ball there. `start` is a point near the ball (A's frame). Cost:
    /// a few ascents, and four proofs for a point.
    pub(super) fn around(
        &self,
        work: &mut Work,
        depth: f64,
        at: f64,
        range: [f64; 2],
        start: Option<Vec3>,
    ) -> [f64; 2] {
        let pose = self.sweep.chain.pose(&[at]);
        let margin = work.still.margin;
        let radius = 0.5 * (depth + margin);
        let Some(ball) = work.still.common_ball(&pose, start, f64::INFINITY) else { return [at; 2] };
        if ball.radius <= radius + margin {
            return [at; 2];
        }
        let floor = greater(END * (ball.radius - radius), work.floor);
        let of_b = pose.rotation.tr_mul(&(ball.center - pose.translation));
        let mut found = [at; 2];
        for (side, center) in [ball.center, of_b].into_iter().enumerate() {
            let corners = [Vec3::zeros(), Vec3::x(), Vec3::y()].map(|e| center + e * (PIECE * ball.radius));
            let piece = Surface::of(corners.to_vec(), &[[0, 1, 2]], Inside::Undefined);
            let point = tree(&piece, side, self.axis.as_ref());
            let [a, b] = if side == 0 { [&point, &self.trees[1]] } else { [&self.trees[0], &point] };
            let course = Course { a, b, hulls: None, margin, floor, patience: None };
            let late = self.until(work, &course, radius, self.sweep.chain, [at, range[1]]);
            let early = -self.until(work, &course, radius, &self.sweep.chain.reversed(), [-at, -range[0]]);
            found = [lesser(found[0], early), greater(found[1], late)];
        }
        found
    }

    /// The value until which two surfaces certainly stay farther apart than `distance` (mm).
    fn until(&self, work: &mut Work, course: &Course, distance: f64, chain: &Chain, range: [f64; 2]) -> f64 {
        let mut cells = Cells::new(chain, range, self.sweep.spans());
        let judge = |_: &_, _, _: &mut _| Judgement::Broken;
        let Proof { violation, open } = course.prove(&mut cells, distance, &mut work.budget, judge);
        work.frames += cells.count();
        let end = open.first().map(|o| o[0]).into_iter().chain(violation.map(|v| v.at)).reduce(lesser);
        end.unwrap_or(range[1])
    }
}

/// Tree of a surface of A (`side` 0) or B, with its orbits about an axis.
fn tree<'t>(surface: &'t Surface, side: usize, axis: Option<&OrbitAxis>) -> SweepTree<'t> {
    let tree = SweepTree::new(surface);
    match axis {
        None => tree,
        Some(axis) if side == 0 => tree.with_orbits(axis, |x| *x),
        Some(axis) => tree.with_orbits(axis, |x| axis.pose.point(x)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::sweep::truth_cases_tests::hinges;
    use crate::query::sweep::truth_slides_tests::{cubes, feet};
    use crate::query::sweep::truth_tests::with_drawn_sweep;

    #[test]
    fn a_ball_lasts_only_where_the_depth_is_above_the_limit() {
        let mut lasted = 0;
        for case in feet().into_iter().chain(cubes()).chain(hinges()) {
            with_drawn_sweep(&case, |sweep| {
                let balls = LastingBalls::new(sweep);
                let mut work = sweep.work();
                let [from, to] = case.range;
                for k in 0..=6 {
                    let at = from + (to - from) * f64::from(k) / 6.0;
                    let [early, late] = balls.around(&mut work, 0.02, at, case.range, None);
                    assert!(from <= early && early <= at && at <= late && late <= to);
                    if early == late {
                        continue;
                    }
                    lasted += 1;
                    for share in [0.0, 0.3, 0.8, 1.0] {
                        let pose = sweep.chain.pose(&[early + (late - early) * share]);
                        let most = work.still.gap(&pose, 0.02, None).gap.to_depth()[1];
                        assert!(most > 0.02, "{} {at} {share}: {most}", case.name);
                    }
                }
            });
        }
        assert!(lasted > 20, "{lasted}");
    }

    #[test]
    fn a_pressed_foot_stays_broken_all_along_its_slide() {
        let pressed =
            feet().into_iter().find(|case| case.truth.gap == Some([-0.05; 2])).expect("a foot pressed by 0.05");
        with_drawn_sweep(&pressed, |sweep| {
            let mut work = sweep.work();
            let found = LastingBalls::new(sweep).around(&mut work, 0.01, 10.0, pressed.range, None);
            assert_eq!(found, pressed.range);
            assert!(work.budget.used < 2000, "{}", work.budget.used);
        });
    }
}
