//! Steps along a run of two convex solids: how far their hulls certainly stay apart from one pose on.
//!
//! docs/explanation/motion.md, claim 4.

use crate::geom::Vec3;
use crate::geom::math::{UNIT_ROUNDOFF, lesser};
use crate::motion::{Frame, Twist};
use crate::query::convex::gjk::{GjkEnd, HullPair, separation_from};
use crate::query::sweep::hulls::{HullMotion, MAX_STEPS, MovingHulls};

/// Factor on a share that a vertex bounds: more than its rounding.
const BELOW: f64 = 1.0 - 8.0 * UNIT_ROUNDOFF;

/// A step from one pose of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct HullStep {
    /// Distance at the pose, or a lower bound of it if the step keeps the whole way (mm).
    pub distance: f64,
    /// Direction from A to B there (A's frame); zero for hulls that overlap.
    pub axis: Vec3,
    /// Largest displacement on the whole way (mm).
    pub displacement: f64,
    /// Share of the way with a proof.
    pub kept: f64,
    /// Share of the way with the prediction of a smaller distance; 1 without one.
    pub crossed: f64,
}

impl MovingHulls<'_> {
    /// Steps from the pose in the middle of a cell towards its end, for linear laws of one parameter. `levels` are a
    /// distance to keep and a smaller one (mm), `margin` is the rounding margin of the pair (mm), `direction` a guess
    /// of the direction from A to B.
    ///
    /// The remainder of a share of the way is at most its square times that of the whole way. So claim 4 holds for each
    /// share, towards one end alone. Its bound is a concave function of the share: above the level at both ends of a
    /// part of the way, it is so between them.
    pub(crate) fn step(&self, frame: &Frame, levels: [f64; 2], margin: f64, direction: Option<Vec3>) -> HullStep {
        let [a, b] = self.hulls.each_ref().map(AsRef::as_ref);
        let spreads = self.spreads(frame);
        let displacement = lesser(spreads[0].displacement, spreads[1].displacement);
        let b_in_a = self.b_in_a(&frame.pose);
        let direction = direction.unwrap_or_else(|| b_in_a.point(&b.inner_center) - a.inner_center);
        let pair = HullPair { a, b, b_in_a: &b_in_a };
        let found = separation_from(&pair, direction, levels[0] + displacement, margin);
        if found.ending == GjkEnd::BeyondLimit {
            return HullStep { distance: found.lower, axis: found.axis, displacement, kept: 1.0, crossed: 1.0 };
        }
        let none = HullStep { distance: found.upper, axis: found.axis, displacement, kept: 0.0, crossed: 0.0 };
        if found.axis == Vec3::zeros() || found.lower <= levels[0] {
            return none;
        }
        let [of_a, of_b] = self.motions(frame, spreads, &found.axis).map(|by| self.kept(frame, &by, levels));
        let [kept, crossed] = if of_a[0] > of_b[0] { of_a } else { of_b };
        HullStep { kept, crossed, ..none }
    }

    /// Largest displacement over a cell (mm): of the hull that moves less, seen from the other one.
    pub(crate) fn displacement(&self, frame: &Frame) -> f64 {
        let [of_a, of_b] = self.spreads(frame);
        lesser(of_a.displacement, of_b.displacement)
    }

    /// Shares of the way to the end of a cell by the motion of one hull: the first one with a proof that the hulls stay
    /// farther apart than `levels[0]` (mm), the second one with the prediction that they are at `levels[1]` (mm).
    fn kept(&self, frame: &Frame, by: &HullMotion, levels: [f64; 2]) -> [f64; 2] {
        let HullMotion { moving, n, standing, spread } = by;
        let (m, c) = frame.drifts.first().unwrap_or(&Twist::ZERO).along(n);
        // A moves against the drift, seen from B.
        let (m, c) = if *moving == 1 { (m, c) } else { (-m, -c) };
        let mut share = 1.0;
        for _ in 0..MAX_STEPS {
            // The nearest vertex at this share; its coordinate is linear in the share.
            let x = self.lowest(*moving, &frame.pose, &(n + m * share));
            let (above, fall) = (n.dot(&x) - standing - levels[0], -(m.dot(&x) + c));
            // Returns the first share at which this vertex has come nearer by `above`.
            let reaches = |above: f64, bend: f64| 2.0 * above / (fall + (fall * fall + 4.0 * bend * above).sqrt());
            if above >= share * (fall + spread.remainder * share) {
                let crossed = reaches(above + (levels[0] - levels[1]), -spread.remainder);
                return [share, if crossed >= share && share < 1.0 { lesser(crossed, 1.0) } else { 1.0 }];
            }
            if above <= 0.0 {
                break;
            }
            share = lesser(reaches(above, spread.remainder), share) * BELOW;
        }
        [0.0; 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::{Cell, Chain, ChainJoint};
    use crate::query::convex::gjk::separation;
    use crate::query::sweep::body_tests::random_chain;
    use crate::shape::hull::{convex_hull, facets};
    use crate::shape::polytope::Convex;
    use crate::testkit::rng::Rng;

    /// The hull of random points, in its centred frame.
    fn cloud(rng: &mut Rng, points: usize) -> Convex {
        let size = rng.scale(2.0, 30.0);
        let hull = convex_hull(&(0..points).map(|_| rng.in_ball() * size).collect::<Vec<Vec3>>());
        Convex::new(&hull, &facets(&hull))
    }

    #[test]
    fn hulls_stay_apart_on_the_way_that_a_step_keeps() {
        let full = std::env::var_os("INTERFERE_FULL").is_some();
        let mut rng = Rng::new(91);
        let (mut whole, mut part, mut sharp) = (0, 0, 0);
        for _ in 0..if full { 200_000 } else { 1500 } {
            let (a, b) = (cloud(&mut rng, 9), cloud(&mut rng, 40));
            let chain = random_chain(&mut rng);
            let first = |j: &ChainJoint| ChainJoint { law: j.law.restricted(&[0], &[0.0; 3]), ..j.clone() };
            let chain = Chain { joints: chain.joints.iter().map(first).collect(), ..chain };
            let (at, way) = (rng.signed(), rng.scale(0.02, 3.0));
            let hulls = MovingHulls::new([&a, &b]);
            let frame = Frame::new(&chain, &Cell { center: vec![at], half: vec![way] });
            let asked = rng.range(0.0, 8.0);
            let step = hulls.step(&frame, [asked, 0.5 * asked], 1e-10, Some(rng.direction()));
            let distance = |share: f64| {
                let pose = chain.pose(&[at + way * share]);
                separation(&HullPair { a: &a, b: &b, b_in_a: &pose }, f64::INFINITY, 1e-10).upper
            };
            whole += usize::from(step.kept == 1.0);
            if step.kept == 0.0 {
                assert!(distance(0.0) <= asked + 1e-9, "{} {asked}", distance(0.0));
                continue;
            }
            for k in 0..=8 {
                let d = distance(step.kept * f64::from(k) / 8.0);
                assert!(d > asked - 1e-9, "{k} {d} {asked} {step:?} {chain:?}");
            }
            if step.kept < 1.0 {
                part += 1;
                let left = (distance(step.kept) - asked) / (step.distance - asked);
                sharp += usize::from(left < 0.5);
            }
        }
        assert!(whole > 100 && part > 50 && 4 * sharp > part, "{whole} {part} {sharp}");
    }
}
