//! Motion of a chain over one cell of its parameters: bounds of displacement, first order and remainder.
//!
//! docs/explanation/motion.md proves the bounds (claims 2 and 3). They hold for every point of B; all computed values
//! are rounded outward by [`GROWTH`], and the rest of the rounding is part of [`Chain::rounding`].

use crate::geom::math::{UNIT_ROUNDOFF, greater, lesser};
use crate::geom::{Pose, Vec3};
use crate::motion::chain::{Cell, Chain};
use crate::motion::joint::JointKind;

/// Factor on every bound: more than the rounding of some ten products and sums of positive numbers for each joint.
const GROWTH: f64 = 1.0 + 256.0 * UNIT_ROUNDOFF;

/// Largest sine of the angle between axes that count as parallel: many roundings of two unit vectors.
pub(crate) const PARALLEL: f64 = 1e-13;

/// Largest share by which the angle of nearly parallel axes and the rounding may lengthen a remainder along them, or a
/// distance across them.
pub(crate) const SKEW: f64 = 1e-12;

/// An infinitesimal rigid motion: moves x by `turn` × x + `slide`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Twist {
    /// Angular part (radians).
    pub turn: Vec3,
    /// Change of the origin (mm).
    pub slide: Vec3,
}

impl Twist {
    /// No motion.
    pub const ZERO: Self = Self { turn: Vec3::new(0.0, 0.0, 0.0), slide: Vec3::new(0.0, 0.0, 0.0) };

    /// Computes the first-order change of a point (mm).
    #[inline]
    pub fn of(&self, x: &Vec3) -> Vec3 {
        self.turn.cross(x) + self.slide
    }

    /// First-order change of n · x: linear in x, n · (ω × x) = (n × ω) · x, and a constant (mm).
    #[inline]
    pub fn along(&self, n: &Vec3) -> (Vec3, f64) {
        (n.cross(&self.turn), n.dot(&self.slide))
    }

    /// Bounds the first-order change along the unit vector `n`, over all points of a box: those within the sum of its
    /// half axes about the centre, plus `skew` in any direction (mm, >= 0).
    #[inline]
    pub fn largest_along(&self, n: &Vec3, center: &Vec3, arms: &[Vec3; 3], skew: f64) -> f64 {
        let (m, c) = self.along(n);
        let of_arms = m.dot(&arms[0]).abs() + m.dot(&arms[1]).abs() + m.dot(&arms[2]).abs();
        (m.dot(center) + c).abs() + of_arms + self.turn.norm() * skew
    }
}

/// Axis of a joint at the centre of a cell, and the largest motion about it within the cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MovingAxis {
    /// Direction, of length 1 (A's frame).
    pub axis: Vec3,
    /// A point of the axis (A's frame, mm).
    pub at: Vec3,
    /// Largest angle from the centre of the cell (radians, >= 0); 0 for a slide.
    pub angle: f64,
    /// Longest chord of that angle on a circle of radius 1: 2·sin(min(angle, π)/2).
    chord: f64,
    /// Longest travel along the axis from the centre of the cell (mm, >= 0).
    pub travel: f64,
    /// Largest distance of the angle from its first-order prediction (radians, >= 0); 0 for a linear law.
    bend: f64,
    /// Largest distance of the travel from its first-order prediction (mm, >= 0); 0 for a linear law.
    travel_bend: f64,
}

impl MovingAxis {
    /// Distance of a point from the axis (mm, >= 0).
    #[inline]
    pub fn distance(&self, x: &Vec3) -> f64 {
        self.axis.cross(&(x - self.at)).norm()
    }
}

/// Largest motion of some points over a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Largest distance of a point from its position at the centre of the cell (mm, >= 0).
    pub displacement: f64,
    /// Largest distance of a point from the first-order prediction of its position (mm, >= 0).
    pub remainder: f64,
}

/// Chain at the centre of a cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Pose of B in A's frame at the centre.
    pub pose: Pose,
    /// Axes of all joints in A's frame at the centre, nearest B first.
    pub axes: Vec<MovingAxis>,
    /// Change of points (in A's frame at the centre) for each parameter from its centre to its end, to first order.
    pub drifts: Vec<Twist>,
    /// Direction of all joints that turn within the cell, if they are parallel and no slide is bent: all remainders are
    /// perpendicular to it (A's frame).
    turn_axis: Option<Vec3>,
}

impl Frame {
    /// Evaluates the chain at the centre of a cell. O(joints² + joints · parameters).
    pub fn new(chain: &Chain, cell: &Cell) -> Self {
        let solved = chain.solved(cell);
        let mut pose = chain.drawn;
        let mut axes: Vec<MovingAxis> = Vec::with_capacity(chain.joints.len());
        for j in &chain.joints {
            let law = j.law.over(cell, solved.as_ref());
            let motion = j.joint.motion(law.value);
            pose = Pose { rotation: motion.rotation * pose.rotation, translation: motion.point(&pose.translation) };
            for a in &mut axes {
                (a.axis, a.at) = (motion.direction(&a.axis), motion.point(&a.at));
            }
            let unit = unit(j.joint.kind);
            let reach = law.reach * GROWTH;
            let angle = reach * unit.0 * GROWTH;
            let chord = 2.0 * libm::sin(0.5 * angle.min(std::f64::consts::PI)) * GROWTH;
            let travel = (reach * unit.1).abs() * GROWTH;
            let [bend, travel_bend] = [unit.0, unit.1.abs()].map(|unit| law.bend * unit * GROWTH);
            axes.push(MovingAxis { axis: j.joint.axis, at: j.joint.at, angle, chord, travel, bend, travel_bend });
        }
        let drifts = (0..chain.parameters())
            .map(|p| {
                let half = cell.half.get(p).copied().unwrap_or(0.0);
                let mut sum = Twist::ZERO;
                for (j, a) in chain.joints.iter().zip(&axes) {
                    let unit = unit(j.joint.kind);
                    let step = j.law.rate(p, solved.as_ref()) * half;
                    let turn = a.axis * (step * unit.0);
                    sum.turn += turn;
                    sum.slide += a.axis * (step * unit.1) - turn.cross(&a.at);
                }
                sum
            })
            .collect();
        let turn_axis = common_direction(&axes);
        Self { pose, axes, drifts, turn_axis }
    }

    /// Upper bound of |n · e| / |e| for a unit vector n and any remainder e of the motion (at most 1).
    #[inline]
    pub fn remainder_share(&self, n: &Vec3) -> f64 {
        self.turn_axis.map_or(1.0, |axis| lesser(n.cross(&axis).norm() + SKEW, 1.0))
    }

    /// Largest value of n · x over the cell, to first order, over points of B. `high` returns the largest value of any
    /// m · x over the points at the centre of the cell (A's frame).
    pub fn first_order_high(&self, n: &Vec3, high: impl Fn(&Vec3) -> f64) -> f64 {
        let Some((first, others)) = self.drifts.split_first() else { return high(n) };
        let (m, c) = first.along(n);
        let by_first = greater(high(&(n + m)) + c, high(&(n - m)) - c);
        let largest = |twist: &Twist| {
            let (m, c) = twist.along(n);
            greater(high(&m) + c, high(&-m) - c)
        };
        by_first + others.iter().map(largest).sum::<f64>()
    }

    /// Bounds the motion of points of B over the cell. `distance` gives the largest distance of the points from an axis
    /// at the centre of the cell (mm).
    pub fn spread(&self, distance: impl Fn(&MovingAxis) -> f64) -> Spread {
        spread(self.axes.iter(), distance)
    }

    /// Bounds the motion of points of A over the cell, seen from B: joints count in the opposite order, and drifts have
    /// the opposite sign.
    pub fn spread_of_a(&self, distance: impl Fn(&MovingAxis) -> f64) -> Spread {
        spread(self.axes.iter().rev(), distance)
    }

    /// Bounds the motion of a ball of B over the cell; `center` is its centre at the centre of the cell (A's frame).
    pub fn spread_of_ball(&self, center: &Vec3, radius: f64) -> Spread {
        self.spread(|a| a.distance(center) + radius)
    }
}

/// Direction of all joints that turn, if they are parallel and no travel is bent.
fn common_direction(axes: &[MovingAxis]) -> Option<Vec3> {
    let mut turns = axes.iter().filter(|a| a.angle > 0.0 || a.bend > 0.0);
    let first = turns.next()?.axis;
    let is_planar = turns.all(|a| first.cross(&a.axis).norm() <= PARALLEL) && axes.iter().all(|a| a.travel_bend == 0.0);
    is_planar.then_some(first)
}

/// Motion by one unit of a joint's value: radians about the axis, mm along it.
#[inline]
fn unit(kind: JointKind) -> (f64, f64) {
    match kind {
        JointKind::Fixed => (0.0, 0.0),
        JointKind::Revolute => (1.0_f64.to_radians(), 0.0),
        JointKind::Prismatic => (0.0, 1.0),
        JointKind::Screw { lead } => (1.0_f64.to_radians(), lead / 360.0),
    }
}

/// Bounds the motion of points by joints, those nearest the points first.
fn spread<'f>(axes: impl Iterator<Item = &'f MovingAxis>, distance: impl Fn(&MovingAxis) -> f64) -> Spread {
    // Motion by the joints so far, and the sum of the largest speeds about their axes.
    let (mut moved, mut speeds, mut remainder) = (0.0, 0.0, 0.0);
    for a in axes {
        let step = if a.angle > 0.0 || a.bend > 0.0 {
            let r = distance(a) + moved;
            remainder += a.angle * (0.5 * a.angle * r + speeds) + hypotenuse(a.bend * r, a.travel_bend);
            speeds += hypotenuse(a.angle * r, a.travel);
            hypotenuse(a.chord * r, a.travel)
        } else {
            remainder += a.travel_bend;
            speeds += a.travel;
            a.travel
        };
        moved += step;
    }
    Spread { displacement: moved * GROWTH, remainder: remainder * GROWTH }
}

#[inline]
fn hypotenuse(x: f64, y: f64) -> f64 {
    if y > 0.0 { (x * x + y * y).sqrt() } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::chain::{ChainJoint, Law};
    use crate::motion::joint::Joint;
    use crate::testkit::rng::Rng;

    /// A chain of one to four joints of any kind on one or two parameters; some joints follow others, and some chains
    /// have parallel axes.
    fn random_chain(rng: &mut Rng) -> Chain {
        let parameters = 1 + rng.below(2);
        let common = (rng.below(3) == 0).then(|| rng.direction());
        let joints = (0..=rng.below(4))
            .map(|_| {
                let lead = rng.signed() * 20.0;
                let kind = [JointKind::Revolute, JointKind::Revolute, JointKind::Prismatic, JointKind::Screw { lead }];
                let joint = Joint {
                    kind: kind[rng.below(4)],
                    axis: common.unwrap_or_else(|| rng.direction()),
                    at: rng.in_cube() * 40.0,
                };
                let unit = if joint.kind == JointKind::Prismatic { 10.0 } else { 60.0 };
                let rates = (0..parameters).map(|_| if rng.below(4) == 0 { 0.0 } else { rng.signed() * unit });
                ChainJoint { joint, law: Law::of_rates(rates.collect(), rng.signed() * unit) }
            })
            .collect();
        Chain { drawn: rng.pose(30.0), joints }
    }

    fn random_cell(rng: &mut Rng, parameters: usize) -> Cell {
        Cell {
            center: (0..parameters).map(|_| rng.signed()).collect(),
            half: (0..parameters).map(|_| rng.scale(1e-4, 3.0)).collect(),
        }
    }

    #[test]
    fn no_sampled_pose_beats_displacement_or_remainder() {
        let full = std::env::var_os("INTERFERE_FULL").is_some();
        let mut rng = Rng::new(2024);
        let (mut largest, mut largest_rest) = (0.0_f64, 0.0_f64);
        for _ in 0..if full { 2_000_000 } else { 4000 } {
            let chain = random_chain(&mut rng);
            let cell = random_cell(&mut rng, chain.parameters());
            let frame = Frame::new(&chain, &cell);
            let (local, radius) = (rng.in_cube() * 20.0, rng.scale(1e-3, 10.0));
            let center = frame.pose.point(&local);
            let spread = frame.spread_of_ball(&center, radius);
            let rounding = chain.rounding(&cell, 50.0) * 4.0;
            for _ in 0..8 {
                let share: Vec<f64> =
                    cell.center.iter().map(|_| if rng.below(3) == 0 { 1.0 } else { rng.signed() }).collect();
                let q: Vec<f64> = cell.center.iter().zip(&cell.half).zip(&share).map(|((c, h), s)| c + h * s).collect();
                let y = local + rng.direction() * radius;
                let (before, after) = (frame.pose.point(&y), chain.pose(&q).point(&y));
                let moved = (after - before).norm();
                assert!(moved <= spread.displacement + rounding, "{moved} {spread:?} {chain:?} {cell:?}");
                let predicted =
                    frame.drifts.iter().zip(&share).fold(before, |x, (drift, s)| x + drift.of(&before) * *s);
                // The same motion, seen from B: where a point of A comes to in A's frame at the centre.
                let seen = frame.pose.point(&chain.pose(&q).inverse().point(&center));
                let of_a = frame.spread_of_a(|a| a.distance(&center));
                assert!((seen - center).norm() <= of_a.displacement + rounding, "{chain:?} {cell:?}");
                let against = frame.drifts.iter().zip(&share).fold(center, |x, (drift, s)| x - drift.of(&center) * *s);
                assert!((seen - against).norm() <= of_a.remainder + rounding, "{chain:?} {cell:?}");
                let n = rng.direction();
                let along = n.dot(&(after - predicted)).abs();
                assert!(along <= spread.remainder * frame.remainder_share(&n) + rounding, "{along} {chain:?} {cell:?}");
                let of_a_along = n.dot(&(seen - against)).abs();
                assert!(of_a_along <= of_a.remainder * frame.remainder_share(&n) + rounding, "{chain:?} {cell:?}");
                let rest = (after - predicted).norm();
                assert!(rest <= spread.remainder + rounding, "{rest} {spread:?} {chain:?} {cell:?}");
                largest = largest.max(moved / (spread.displacement + rounding));
                largest_rest = largest_rest.max(rest / (spread.remainder + rounding));
            }
        }
        // The bounds are sharp, not just large.
        assert!(largest > 0.999 && largest_rest > 0.9, "{largest} {largest_rest}");
    }

    #[test]
    fn coupled_turns_of_opposite_rate_have_one_velocity() {
        let turn = |at: Vec3, rate: f64| ChainJoint {
            joint: Joint { kind: JointKind::Revolute, axis: Vec3::z(), at },
            law: Law::linear(rate, 0.0),
        };
        let chain =
            Chain { drawn: Pose::identity(), joints: vec![turn(Vec3::x() * 50.0, -1.0), turn(Vec3::zeros(), 1.0)] };
        let frame = Frame::new(&chain, &Cell { center: vec![30.0], half: vec![1.0] });
        assert!(frame.drifts[0].turn.norm() < 1e-15);
        assert!((frame.drifts[0].slide.norm() - 50.0 * 1.0_f64.to_radians()).abs() < 1e-13);
    }

    #[test]
    fn a_slide_has_no_remainder_and_a_full_turn_a_displacement_of_a_diameter() {
        let joint =
            |kind| ChainJoint { joint: Joint { kind, axis: Vec3::z(), at: Vec3::zeros() }, law: Law::linear(1.0, 0.0) };
        let of = |kind, half: f64| {
            let chain = Chain { drawn: Pose::identity(), joints: vec![joint(kind)] };
            Frame::new(&chain, &Cell { center: vec![0.0], half: vec![half] }).spread_of_ball(&Vec3::x(), 1.0)
        };
        assert_eq!(of(JointKind::Prismatic, 5.0).remainder, 0.0);
        assert!((of(JointKind::Revolute, 1e5).displacement - 4.0).abs() < 1e-12);
    }
}
