//! The joints between two parts, and the relative pose that they make.

use crate::geom::math::{UNIT_ROUNDOFF, greater};
use crate::geom::{Pose, Vec3};
use crate::motion::frame::PARALLEL;
use crate::motion::joint::{Joint, JointKind};
use crate::motion::loops::law::SolvedLaw;
use crate::motion::loops::table::SolvedCell;

/// Value of a joint as a function of the parameters of a run: Σ rateₚ · qₚ + offset, measured from home. A joint of a
/// loop adds the value that closes the loop.
#[derive(Debug, Clone, PartialEq)]
pub struct Law {
    /// Change of the linear part for one unit of each parameter (degrees or mm for a unit of the parameter).
    pub rates: Vec<f64>,
    /// Value of the linear part with all parameters 0 (degrees or mm, from home).
    pub offset: f64,
    /// Part that closes loops; `None` for a linear law.
    pub solved: Option<SolvedLaw>,
}

/// Value of a law over a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LawOver {
    /// Value at the centre (degrees or mm, from home).
    pub value: f64,
    /// Bound of the path of the value along any straight line from the centre (>= 0).
    pub reach: f64,
    /// Bound of the distance of the value from its first-order prediction (>= 0).
    pub bend: f64,
}

impl Law {
    /// Law of a joint that keeps one value in the whole run.
    pub fn constant(value: f64) -> Self {
        Self { rates: Vec::new(), offset: value, solved: None }
    }

    /// Law of a joint that depends on a single parameter, the first one.
    pub fn linear(rate: f64, offset: f64) -> Self {
        Self::of_rates(vec![rate], offset)
    }

    /// Law of a joint that depends on several parameters.
    pub fn of_rates(rates: Vec<f64>, offset: f64) -> Self {
        Self { rates, offset, solved: None }
    }

    /// Computes the value (degrees or mm, from home); missing rates and missing parameters count as 0.
    pub fn value(&self, q: &[f64]) -> f64 {
        self.linear_value(q) + self.solved.as_ref().map_or(0.0, |own| own.value(q))
    }

    /// The same, given the values of the solved joints of the chain there.
    fn value_with(&self, q: &[f64], solved: Option<&[f64]>) -> f64 {
        self.linear_value(q) + self.solved.as_ref().zip(solved).map_or(0.0, |(own, solved)| own.sum(solved))
    }

    fn linear_value(&self, q: &[f64]) -> f64 {
        self.rates.iter().zip(q).map(|(rate, q)| rate * q).sum::<f64>() + self.offset
    }

    /// Bounds the value over a cell; `solved` are the solved joints of the chain there.
    pub(crate) fn over(&self, cell: &Cell, solved: Option<&SolvedCell>) -> LawOver {
        let value = self.value_with(&cell.center, solved.map(|s| s.values.as_slice()));
        let reach = self.rates.iter().zip(&cell.half).map(|(rate, h)| (rate * h).abs()).sum::<f64>();
        let [path, bend] =
            self.solved.as_ref().zip(solved).map_or([0.0; 2], |(own, s)| [&s.reaches, &s.bends].map(|x| own.bound(x)));
        LawOver { value, reach: reach + path, bend }
    }

    /// Rate along one parameter at the centre of a cell; 0 if the law does not have it.
    pub(crate) fn rate(&self, p: usize, solved: Option<&SolvedCell>) -> f64 {
        let linear = self.rates.get(p).copied().unwrap_or(0.0);
        linear + self.solved.as_ref().zip(solved).map_or(0.0, |(own, solved)| own.rate(p, solved))
    }

    /// True if a parameter changes the value.
    pub fn depends_on(&self, p: usize) -> bool {
        self.rates.get(p).is_some_and(|r| *r != 0.0) || self.solved.as_ref().is_some_and(|s| s.depends_on(p))
    }

    /// True if some parameter changes the value.
    pub fn moves(&self) -> bool {
        (0..self.parameters()).any(|p| self.depends_on(p))
    }

    /// Number of parameters.
    pub fn parameters(&self) -> usize {
        self.rates.len().max(self.solved.as_ref().map_or(0, SolvedLaw::parameters))
    }

    /// Least and largest value over the ranges of the parameters; the bounds of a solved joint may be a little wider.
    pub fn value_range(&self, ranges: &[[f64; 2]]) -> [f64; 2] {
        let solved = self.solved.as_ref().map_or([0.0; 2], SolvedLaw::value_range);
        let start = solved.map(|value| value + self.offset);
        self.rates.iter().zip(ranges).fold(start, |[low, high], (rate, [from, to])| {
            let ends = [rate * from, rate * to];
            [low + ends[0].min(ends[1]), high + ends[0].max(ends[1])]
        })
    }

    /// The law of the value plus `offset`.
    #[must_use]
    pub fn shifted(&self, offset: f64) -> Self {
        Self { offset: self.offset + offset, ..self.clone() }
    }

    /// The same law on some of its parameters, in this order; the others keep the values `rest`. Rates on the others
    /// must be 0.
    #[must_use]
    pub(crate) fn restricted(&self, parameters: &[usize], rest: &[f64]) -> Self {
        Self {
            rates: parameters.iter().map(|p| self.rates.get(*p).copied().unwrap_or(0.0)).collect(),
            offset: self.offset,
            solved: self.solved.as_ref().map(|s| s.restricted(parameters, rest)),
        }
    }

    /// Numbers that define the law; `rounded` rounds those of loops.
    pub(crate) fn numbers(&self, rounded: impl Fn(f64) -> f64) -> Vec<f64> {
        let linear = self.rates.iter().copied().chain([self.offset]);
        linear.chain(self.solved.iter().flat_map(SolvedLaw::numbers).map(rounded)).collect()
    }

    /// Largest magnitude of the terms of the sum over a cell: the scale of its rounding.
    fn scale(&self, cell: &Cell) -> f64 {
        let ends = cell.center.iter().zip(&cell.half).map(|(c, h)| c.abs() + h);
        let linear = self.rates.iter().zip(ends).map(|(rate, q)| rate.abs() * q).sum::<f64>() + self.offset.abs();
        let solved = self.solved.as_ref().map_or([0.0; 2], SolvedLaw::value_range);
        linear + greater(solved[0].abs(), solved[1].abs())
    }

    fn negated(&self) -> Self {
        Self {
            rates: self.rates.iter().map(|r| -r).collect(),
            offset: -self.offset,
            solved: self.solved.as_ref().map(|s| s.scaled(-1.0)),
        }
    }

    fn reversed(&self) -> Self {
        Self {
            rates: self.rates.iter().map(|r| -r).collect(),
            offset: self.offset,
            solved: self.solved.as_ref().map(SolvedLaw::reversed),
        }
    }
}

/// A joint of a chain, with the law of its value.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainJoint {
    /// The joint as drawn.
    pub joint: Joint,
    /// Law of its value.
    pub law: Law,
}

/// Box of parameter values: centre ± half.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Centre of each parameter, in the unit of the parameter.
    pub center: Vec<f64>,
    /// Half width of each parameter (>= 0), rounded up: the box holds both ends.
    pub half: Vec<f64>,
}

impl Cell {
    /// Cell of one parameter between two values, `from` <= `to`.
    pub fn between(from: f64, to: f64) -> Self {
        let (center, half) = middle_and_half(from, to);
        Self { center: vec![center], half: vec![half] }
    }

    /// Cell of several parameters between their least and largest values.
    pub fn around(ranges: &[[f64; 2]]) -> Self {
        let (center, half) = ranges.iter().map(|[from, to]| middle_and_half(*from, *to)).unzip();
        Self { center, half }
    }

    /// Cell of one point.
    pub fn point(q: &[f64]) -> Self {
        Self { center: q.to_vec(), half: vec![0.0; q.len()] }
    }
}

/// Middle of two values, `from` <= `to`, and the largest distance from there, rounded up.
fn middle_and_half(from: f64, to: f64) -> (f64, f64) {
    let center = from + 0.5 * (to - from);
    (center, if to > from { (center - from).max(to - center).next_up() } else { 0.0 })
}

/// Motion of B in A's frame as a function of the parameters of a run: M(q) = `T_A`⁻¹ · `T_B`.
///
/// M(q) = E₁(v₁) · … · Eₙ(vₙ) · `drawn`, where joint 1 is nearest A (product of exponentials; Murray, Li & Sastry, "A
/// Mathematical Introduction to Robotic Manipulation", 1994, §3.2). All lengths are mm.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    /// Pose of B in A's frame as drawn.
    pub drawn: Pose,
    /// Joints between A and B, nearest B first. Axes lie in A's frame, as drawn; a joint on A's side has the negated
    /// law, because its motion is inverted.
    pub joints: Vec<ChainJoint>,
}

impl Chain {
    /// Builds the chain of two parts with the poses `a` and `b` as drawn. `a_side` and `b_side` hold the joints from
    /// each part down to the first joint that carries both parts, that one excluded, nearest the part first. Axes and
    /// poses are in the coordinates of the assembly as drawn. Fixed joints are left out.
    ///
    /// Axes change to A's frame, so the distance of the assembly from its origin costs digits only once.
    pub fn new(a: &Pose, b: &Pose, a_side: &[ChainJoint], b_side: &[ChainJoint]) -> Self {
        let moved = |j: &ChainJoint| Joint {
            kind: j.joint.kind,
            axis: a.rotation.tr_mul(&j.joint.axis),
            at: a.rotation.tr_mul(&(j.joint.at - a.translation)),
        };
        let of_b = b_side.iter().map(|j| ChainJoint { joint: moved(j), law: j.law.clone() });
        let of_a = a_side.iter().rev().map(|j| ChainJoint { joint: moved(j), law: j.law.negated() });
        let joints = of_b
            .chain(of_a)
            .filter(|j| j.joint.kind != JointKind::Fixed)
            .map(|j| ChainJoint { joint: near_origin(&j.joint), ..j })
            .collect();
        Self { drawn: a.relative(b), joints }
    }

    /// Number of parameters of the laws.
    pub fn parameters(&self) -> usize {
        self.joints.iter().map(|j| j.law.parameters()).max().unwrap_or(0)
    }

    /// True if no parameter moves B in A's frame.
    pub fn is_static(&self) -> bool {
        !self.joints.iter().any(|j| j.law.moves())
    }

    /// The same motion without the joints that keep one value: their motion enters the drawing and the axes of the
    /// joints nearer B.
    #[must_use]
    pub fn without_constants(&self) -> Self {
        let mut out = Self { drawn: self.drawn, joints: Vec::new() };
        for j in &self.joints {
            if j.law.moves() {
                out.joints.push(j.clone());
                continue;
            }
            let motion = j.joint.motion(j.law.value(&[]));
            out.drawn = after(&motion, &out.drawn);
            for inner in &mut out.joints {
                let (axis, at) = (motion.direction(&inner.joint.axis), motion.point(&inner.joint.at));
                inner.joint = Joint { axis, at, ..inner.joint };
            }
        }
        out
    }

    /// The same motion on the negated parameters.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let joints = self.joints.iter().map(|j| ChainJoint { joint: j.joint, law: j.law.reversed() }).collect();
        Self { drawn: self.drawn, joints }
    }

    /// Direction of the axes of all joints that turn, of length 1, in A's frame and in B's; `None` unless they are
    /// parallel at every pose.
    pub fn turn_direction(&self) -> Option<[Vec3; 2]> {
        let turns = |j: &&ChainJoint| matches!(j.joint.kind, JointKind::Revolute | JointKind::Screw { .. });
        let mut axes = self.joints.iter().filter(turns).map(|j| j.joint.axis);
        let first = axes.next()?;
        let is_parallel = axes.all(|axis| first.cross(&axis).norm() <= PARALLEL);
        is_parallel.then(|| [first, self.drawn.rotation.tr_mul(&first)])
    }

    /// Computes the pose of B in A's frame at the parameters `q`; off by at most [`Self::rounding`].
    pub fn pose(&self, q: &[f64]) -> Pose {
        let solved = self.solved_law().map(|law| law.solved(q));
        let mut pose = self.drawn;
        for j in &self.joints {
            pose = after(&j.joint.motion(j.law.value_with(q, solved.as_deref())), &pose);
        }
        pose
    }

    /// Bounds the solved joints of loops over a cell; `None` if no law has any.
    pub(crate) fn solved(&self, cell: &Cell) -> Option<SolvedCell> {
        self.solved_law().map(|law| law.over(cell))
    }

    /// A law that closes loops; all laws of the chain share its solved joints.
    fn solved_law(&self) -> Option<&SolvedLaw> {
        self.joints.iter().find_map(|j| j.law.solved.as_ref())
    }

    /// Bounds the rounding of [`Self::pose`] over a cell (mm, >= 0), for points of B at most `size` (mm) from the
    /// origin of B's frame.
    ///
    /// Each of the k joints adds a product of two poses and a rotation with entries off by a few roundings, hence 32·u
    /// of the largest coordinate on the way. The value of a joint is off by the rounding of the sum in its law; it
    /// moves a point by that times its distance from the axis.
    pub fn rounding(&self, cell: &Cell, size: f64) -> f64 {
        let mut reach = size + self.drawn.translation.norm();
        let mut values = 0.0;
        for j in &self.joints {
            reach += 2.0 * j.joint.at.norm();
            let solved = j.law.solved.as_ref().map_or(0.0, SolvedLaw::error);
            let terms = (2.0 + j.law.rates.len() as f64) * UNIT_ROUNDOFF * j.law.scale(cell) + solved;
            let travel = j.law.scale(cell);
            match j.joint.kind {
                JointKind::Fixed => {}
                JointKind::Prismatic => {
                    reach += travel;
                    values += terms;
                }
                JointKind::Revolute => values += terms.to_radians() * reach,
                JointKind::Screw { lead } => {
                    reach += (lead * travel / 360.0).abs();
                    values += terms.to_radians() * reach + (lead * terms / 360.0).abs();
                }
            }
        }
        32.0 * (1.0 + self.joints.len() as f64) * UNIT_ROUNDOFF * reach + 2.0 * values
    }
}

/// Composes two motions: `inner` first.
fn after(outer: &Pose, inner: &Pose) -> Pose {
    Pose { rotation: outer.rotation * inner.rotation, translation: outer.point(&inner.translation) }
}

/// The same joint, with the point of the axis nearest to the origin and the axis of length 1.
fn near_origin(joint: &Joint) -> Joint {
    let axis = joint.axis.try_normalize(0.0).unwrap_or(joint.axis);
    Joint { axis, at: joint.at - axis * axis.dot(&joint.at), ..*joint }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Vec3;
    use crate::testkit::rng::Rng;

    fn revolute(at: Vec3, law: Law) -> ChainJoint {
        ChainJoint { joint: Joint { kind: JointKind::Revolute, axis: Vec3::z(), at }, law }
    }

    #[test]
    fn two_links_reach_the_sum_of_their_angles() {
        let arm = Chain::new(
            &Pose::identity(),
            &Pose { translation: Vec3::new(30.0, 0.0, 0.0), ..Pose::identity() },
            &[],
            &[revolute(Vec3::x() * 20.0, Law::linear(-2.0, 0.0)), revolute(Vec3::zeros(), Law::linear(1.0, 90.0))],
        );
        // Shoulder at 90 degrees, elbow straight.
        assert!((arm.pose(&[0.0]).translation - Vec3::y() * 30.0).norm() < 1e-14);
        // Shoulder at 180 degrees, elbow folded back: the tip lies 10 mm from the elbow towards the shoulder.
        assert!((arm.pose(&[90.0]).translation - Vec3::x() * -10.0).norm() < 1e-14);
        assert_eq!(arm.parameters(), 1);
    }

    #[test]
    fn the_relative_pose_is_that_of_the_placed_parts() {
        let mut rng = Rng::new(11);
        for _ in 0..200 {
            let joint = |rng: &mut Rng| {
                let kinds = [JointKind::Revolute, JointKind::Prismatic, JointKind::Screw { lead: 2.0 }];
                let joint = Joint { kind: kinds[rng.below(3)], axis: rng.direction(), at: rng.in_cube() * 20.0 };
                let rates = if rng.below(3) == 0 { Vec::new() } else { vec![rng.signed() * 9.0, rng.signed()] };
                ChainJoint { joint, law: Law::of_rates(rates, rng.signed()) }
            };
            let (a, b) = (rng.pose(50.0), rng.pose(50.0));
            let (a_side, b_side): (Vec<_>, Vec<_>) = (
                (0..rng.below(3)).map(|_| joint(&mut rng)).collect(),
                (0..rng.below(3)).map(|_| joint(&mut rng)).collect(),
            );
            let chain = Chain::new(&a, &b, &a_side, &b_side);
            let q = [rng.signed() * 10.0, rng.signed()];
            let placed = |drawn: &Pose, joints: &[ChainJoint]| {
                joints.iter().fold(*drawn, |pose, j| after(&j.joint.motion(j.law.value(&q)), &pose))
            };
            let expected = placed(&a, &a_side).relative(&placed(&b, &b_side));
            let point = rng.in_cube() * 30.0;
            assert!((chain.pose(&q).point(&point) - expected.point(&point)).norm() < 1e-11);
            assert!((chain.without_constants().pose(&q).point(&point) - expected.point(&point)).norm() < 1e-11);
            assert!((chain.reversed().pose(&q.map(|q| -q)).point(&point) - expected.point(&point)).norm() < 1e-11);
            assert!(chain.rounding(&Cell::point(&q), 60.0) < 1e-10);
        }
    }

    #[test]
    fn joints_under_both_parts_cancel_and_fixed_ones_vanish() {
        let fixed = ChainJoint {
            joint: Joint { kind: JointKind::Fixed, axis: Vec3::z(), at: Vec3::zeros() },
            law: Law::linear(1.0, 0.0),
        };
        let chain = Chain::new(&Pose::identity(), &Pose::identity(), &[fixed], &[]);
        assert!(chain.joints.is_empty() && chain.is_static());
        assert_eq!(chain.pose(&[5.0]), Pose::identity());
    }

    #[test]
    fn a_cell_holds_both_ends() {
        let cell = Cell::between(0.1, 0.3);
        assert!(cell.center[0] - cell.half[0] <= 0.1 && cell.center[0] + cell.half[0] >= 0.3);
        assert_eq!(Cell::between(2.0, 2.0).half, [0.0]);
    }
}
