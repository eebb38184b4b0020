//! One closed loop in its plane: the gap at its pin, its derivatives, and the values of its two solved joints.
//!
//! A loop has two sides, from the joints of both links of the pin down to the joint that carries both. Each side moves
//! the pin point by its turns and slides. The loop is closed where both sides move it to the same place: two equations
//! for two unknown values.

use crate::geom::math::{UNIT_ROUNDOFF, greater, sin_cos_deg};
use crate::motion::loops::ball::{Ball, Disc, GROWTH};

/// One degree (radians), rounded up.
const DEGREE: f64 = 0.017_453_292_519_943_3;

/// Largest number of steps of a solution. Each step of the chord method at least halves the error.
const STEPS: usize = 64;

/// Largest number of boxes tried around the solved values of a cell.
const BOXES: usize = 12;

/// Growth of a box that does not hold its image.
const WIDER: f64 = 1.1;

/// Largest share of a box that the change of the derivatives within it fills: the chord method shrinks an error to this
/// share in each step.
const CONTRACTION: f64 = 0.5;

/// A joint of a loop, in the plane of the loop. Lengths are mm, measured from the pin as drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum PlanarJoint {
    /// Turns about a point; the value is an angle (degrees).
    Turn {
        /// The point as drawn.
        at: [f64; 2],
        /// 1, or -1 for an axis against that of the pin.
        sign: f64,
    },
    /// Slides along a unit vector; the value is a length (mm).
    Slide {
        /// The direction as drawn.
        along: [f64; 2],
    },
}

/// A loop of planar joints with two unknown values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Closure {
    /// Joints of both sides, each from the link of the pin towards the ground; values are measured from the drawing.
    pub joints: [Vec<PlanarJoint>; 2],
    /// Positions of the two solved joints among all joints, those of the first side first.
    pub solved: [usize; 2],
}

/// Position of the pin seen from both sides, with its derivatives.
struct Derivatives {
    /// Place of the pin by the first side, less that by the second one (mm).
    gap: Disc,
    /// Change of `gap` for one unit of each joint (mm for a degree or mm).
    columns: Vec<Disc>,
}

/// Values of the solved joints over a cell, with what their derivatives need.
pub(crate) struct Enclosure {
    /// Values of all joints, measured from the drawing; the solved ones certified.
    pub values: Vec<Ball>,
    columns: Vec<Disc>,
    determinant: Ball,
}

impl Closure {
    fn sides(&self) -> impl Iterator<Item = (usize, &PlanarJoint, bool)> {
        let first = self.joints[0].len();
        let of =
            move |side: usize| self.joints[side].iter().enumerate().map(move |(k, j)| (side * first + k, j, side > 0));
        of(0).chain(of(1))
    }

    /// Sum of the distances of all axes from the pin (mm): the scale of the rounding of their coordinates.
    fn size(&self) -> f64 {
        let distance = |j: &PlanarJoint| match j {
            PlanarJoint::Turn { at: [x, y], .. } => x.abs() + y.abs(),
            PlanarJoint::Slide { .. } => 0.0,
        };
        self.joints.iter().flatten().map(distance).sum()
    }

    /// Moves the pin by both sides. O(joints²).
    fn derivatives(&self, values: &[Ball]) -> Derivatives {
        let mut columns = vec![Disc::ZERO; values.len()];
        let mut gap = Disc { mid: [0.0; 2], radius: 8.0 * UNIT_ROUNDOFF * self.size() };
        let mut from = 0;
        for (side, joints) in self.joints.iter().enumerate() {
            let mut pin = Disc::ZERO;
            for (k, joint) in (from..).zip(joints) {
                match joint {
                    PlanarJoint::Turn { at, sign } => {
                        let turn = sin_cos_deg(sign * values[k].mid);
                        let spread = values[k].radius * DEGREE;
                        let arm = (pin - Disc::exact(*at)).turned(turn, spread);
                        columns[from..k].iter_mut().for_each(|c| *c = c.turned(turn, spread));
                        columns[k] = arm.quarter_turn().times(Ball::exact(sign * DEGREE));
                        pin = Disc::exact(*at) + arm;
                    }
                    PlanarJoint::Slide { along } => {
                        columns[k] = Disc::exact(*along);
                        pin = pin + Disc::exact(*along).times(values[k]);
                    }
                }
            }
            if side == 1 {
                columns[from..].iter_mut().for_each(|c| *c = -*c);
            }
            gap = if side == 0 { gap + pin } else { gap - pin };
            from += joints.len();
        }
        Derivatives { gap, columns }
    }

    /// Solves the loop for its unknown values, from those in `values`: by Newton's method, or by the chord method with
    /// the derivatives at the joint values `chord`. The chord method converges within an enclosure around `chord`.
    /// Without convergence the loop stays open, and [`Self::enclose`] fails.
    pub(crate) fn solve(&self, values: &mut [f64], chord: Option<&[f64]>) {
        let [a, b] = self.solved;
        let at = |values: &[f64]| self.derivatives(&values.iter().copied().map(Ball::exact).collect::<Vec<_>>());
        let fixed = chord.map(|values| at(values).columns);
        for _ in 0..STEPS {
            let Derivatives { gap, columns } = at(values);
            // A closed loop keeps its values: the drawing stays as it is.
            if greater(gap.mid[0].abs(), gap.mid[1].abs()) <= gap.radius {
                return;
            }
            let columns = fixed.as_ref().unwrap_or(&columns);
            let determinant = columns[a].cross(&columns[b]).mid;
            let step = [gap.cross(&columns[b]).mid / determinant, columns[a].cross(&gap).mid / determinant];
            if !step.iter().all(|x| x.is_finite()) {
                return;
            }
            values[a] -= step[0];
            values[b] -= step[1];
        }
    }

    /// Encloses the solved values for every choice of the others within their bounds: Krawczyk's operator, with the
    /// mean value form in the given values (Neumaier, "Interval Methods for Systems of Equations", 1990, §5.1).
    ///
    /// The bounds hold exactly one solution for each choice. `None` where the operator does not contract.
    pub(crate) fn enclose(&self, mut values: Vec<Ball>) -> Option<Enclosure> {
        let [a, b] = self.solved;
        let middle: Vec<Ball> = values.iter().map(|v| Ball::exact(v.mid)).collect();
        let Derivatives { gap, columns } = self.derivatives(&middle);
        let determinant = columns[a].cross(&columns[b]).mid.abs();
        if determinant <= 0.0 || determinant.is_nan() {
            return None;
        }
        let [beside_a, beside_b] = [columns[b], columns[a]].map(|c| Disc::exact(c.mid));
        let off = [gap.cross(&beside_a), beside_b.cross(&gap)].map(|x| x.magnitude() / determinant);
        let others = |k: &usize| *k != a && *k != b;
        let mut wide = [0.0; 2];
        for _ in 0..BOXES {
            (values[a].radius, values[b].radius) = (wide[0], wide[1]);
            let columns = self.derivatives(&values).columns;
            let sum = |beside: &Disc| -> f64 {
                (0..values.len()).filter(others).map(|k| columns[k].cross(beside).magnitude() * values[k].radius).sum()
            };
            let change =
                |beside: &Disc| (columns[a].radius * wide[0] + columns[b].radius * wide[1]) * beside.magnitude();
            let [shift_a, shift_b] = [&beside_a, &beside_b].map(|c| sum(c) / determinant);
            let [change_a, change_b] = [&beside_a, &beside_b].map(|c| change(c) / determinant);
            let needed = [off[0] + shift_a + change_a, off[1] + shift_b + change_b].map(|x| x * GROWTH);
            let holds = needed[0] <= wide[0] && needed[1] <= wide[1];
            if holds && change_a <= CONTRACTION * wide[0] && change_b <= CONTRACTION * wide[1] {
                let determinant = columns[a].cross(&columns[b]);
                return (determinant.least_magnitude() > 0.0).then_some(Enclosure { values, columns, determinant });
            }
            wide = needed.map(|x| WIDER * x + f64::MIN_POSITIVE);
            if !(wide[0].is_finite() && wide[1].is_finite()) {
                return None;
            }
        }
        None
    }

    /// Rates of the solved joints, from those of all joints (entries of solved ones are not used).
    pub(crate) fn rates(&self, enclosure: &Enclosure, rates: &[Ball]) -> Option<[Ball; 2]> {
        let others = (0..rates.len()).filter(|k| !self.solved.contains(k));
        let pull = others.fold(Disc::ZERO, |sum, k| sum + enclosure.columns[k].times(rates[k]));
        self.divided(enclosure, &pull)
    }

    /// Second derivatives of the solved joints along two parameters. `rates` are those of all joints for each of the
    /// two, `bends` the second derivatives of all joints (entries of solved ones are not used).
    ///
    /// A turn nearer the ground than joint j, or j itself, turns the column of j: it gives the derivative of the
    /// column.
    pub(crate) fn bends(&self, enclosure: &Enclosure, rates: [&[Ball]; 2], bends: &[Ball]) -> Option<[Ball; 2]> {
        let others = (0..bends.len()).filter(|k| !self.solved.contains(k));
        let mut pull = others.fold(Disc::ZERO, |sum, k| sum + enclosure.columns[k].times(bends[k]));
        let [p, q] = rates;
        for (j, _, second) in self.sides() {
            let mut speed = Ball::ZERO;
            for (k, joint, _) in self.sides().filter(|(k, _, of_second)| *k >= j && *of_second == second) {
                let PlanarJoint::Turn { sign, .. } = joint else { continue };
                let both = if k == j { p[j] * q[j] } else { p[j] * q[k] + q[j] * p[k] };
                speed = speed + both * Ball::exact(sign * DEGREE);
            }
            pull = pull + enclosure.columns[j].quarter_turn().times(speed);
        }
        self.divided(enclosure, &pull)
    }

    /// Solves columns · x = -pull for the two solved joints (Cramer's rule).
    fn divided(&self, enclosure: &Enclosure, pull: &Disc) -> Option<[Ball; 2]> {
        let [a, b] = self.solved.map(|k| &enclosure.columns[k]);
        let pull = -*pull;
        Some([pull.cross(b).over(&enclosure.determinant)?, a.cross(&pull).over(&enclosure.determinant)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::rng::Rng;

    /// A four-bar as drawn: crank about (0, 0), coupler on it at (40, 0), rocker about (110, 0), pin between.
    fn four_bar() -> Closure {
        let pin = [83.636_363_636_363_64, 75.589_416_2];
        let turn = |x: f64, y: f64| PlanarJoint::Turn { at: [x - pin[0], y - pin[1]], sign: 1.0 };
        Closure { joints: [vec![turn(40.0, 0.0), turn(0.0, 0.0)], vec![turn(110.0, 0.0)]], solved: [0, 2] }
    }

    /// Hydraulic cylinder: a rod slides in a tube that turns, a door turns, the pin between rod and door.
    fn strut() -> Closure {
        let turn = |x: f64, y: f64, sign: f64| PlanarJoint::Turn { at: [x, y], sign };
        let slide = PlanarJoint::Slide { along: [0.6, 0.8] };
        Closure { joints: [vec![slide, turn(-60.0, -80.0, -1.0)], vec![turn(30.0, -90.0, 1.0)]], solved: [0, 1] }
    }

    #[test]
    fn no_sampled_solution_leaves_its_enclosure() {
        let mut rng = Rng::new(77);
        let mut enclosed = 0;
        for _ in 0..600 {
            let closure = if rng.below(2) == 0 { four_bar() } else { strut() };
            let input = (0..3).find(|k| !closure.solved.contains(k)).expect("an input");
            let mut middle = vec![0.0; 3];
            middle[input] = rng.signed() * 40.0;
            closure.solve(&mut middle, None);
            let reach = rng.scale(1e-6, 6.0);
            let balls: Vec<Ball> =
                (0..3).map(|k| Ball { mid: middle[k], radius: if k == input { reach } else { 0.0 } }).collect();
            let Some(found) = closure.enclose(balls) else { continue };
            enclosed += 1;
            let mut unit = [Ball::ZERO; 3];
            unit[input] = Ball::exact(1.0);
            let rates = closure.rates(&found, &unit).expect("rates");
            let mut all = unit;
            (all[closure.solved[0]], all[closure.solved[1]]) = (rates[0], rates[1]);
            let bends = closure.bends(&found, [&all, &all], &[Ball::ZERO; 3]).expect("bends");
            for _ in 0..6 {
                let at = middle[input] + reach * rng.signed() * 0.9;
                let solved = |x: f64| {
                    let mut values = middle.clone();
                    values[input] = x;
                    closure.solve(&mut values, Some(&middle));
                    closure.solved.map(|k| values[k])
                };
                let h = 1e-3 * reach;
                let (low, here, high) = (solved(at - h), solved(at), solved(at + h));
                for k in 0..2 {
                    let ball = found.values[closure.solved[k]];
                    assert!((here[k] - ball.mid).abs() <= ball.radius, "{here:?} {ball:?}");
                    let rate = (high[k] - low[k]) / (2.0 * h);
                    let error = 1e-4 * (1.0 + rates[k].mid.abs()) + 1e-11 / h;
                    assert!((rate - rates[k].mid).abs() <= rates[k].radius + error, "{rate} {rates:?}");
                    let bend = (high[k] - 2.0 * here[k] + low[k]) / (h * h);
                    let error = 1e-3 * bends[k].magnitude() + 1e-11 / (h * h);
                    assert!((bend - bends[k].mid).abs() <= bends[k].radius + error, "{bend} {bends:?} {reach}");
                }
            }
        }
        assert!(enclosed > 400, "{enclosed}");
    }

    #[test]
    fn bounds_of_a_small_cell_are_sharp() {
        let closure = four_bar();
        let mut middle = vec![0.0, 20.0, 0.0];
        closure.solve(&mut middle, None);
        let balls = |radius: f64| vec![Ball::exact(middle[0]), Ball { mid: middle[1], radius }, Ball::exact(middle[2])];
        let (wide, point) = (closure.enclose(balls(0.5)).unwrap(), closure.enclose(balls(0.0)).unwrap());
        let unit = [Ball::ZERO, Ball::exact(1.0), Ball::ZERO];
        let [of_wide, of_point] = [&wide, &point].map(|e| closure.rates(e, &unit).unwrap());
        for k in 0..2 {
            assert!(of_point[k].radius < 1e-12, "{of_point:?}");
            assert!(of_wide[k].radius < 0.1 * of_point[0].mid.abs(), "{of_wide:?} {of_point:?}");
        }
        assert!(point.values[0].radius < 1e-11);
    }

    #[test]
    fn a_stretched_loop_has_no_enclosure() {
        // Crank and coupler in one line with the rocker's pin out of reach.
        let closure = four_bar();
        let mut values = vec![0.0, 180.0, 0.0];
        closure.solve(&mut values, None);
        let balls = values.iter().map(|v| Ball { mid: *v, radius: 90.0 }).collect();
        assert!(closure.enclose(balls).is_none());
    }
}
