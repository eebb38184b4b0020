//! Boxes and triangles over one cell of a sweep: lower bounds of their distance.
//!
//! docs/explanation/motion.md, claim 4: a plane that separates two shapes at the centre of a cell separates them over
//! the whole cell, if the margin exceeds the drift along its normal and the remainder.

use crate::geom::math::{greater, lesser};
use crate::geom::{Pose, Vec3};
use crate::motion::{Frame, MovingAxis, Spread, Twist};
use std::cell::Cell;

/// Box of a tree or a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Body {
    /// All points of the box lie within the sum of its half axes about the centre, plus `skew` in any direction (mm).
    Box { center: Vec3, arms: [Vec3; 3], skew: f64 },
    /// A triangle.
    Triangle([Vec3; 3]),
}

impl Body {
    /// The body after a motion.
    #[inline]
    pub(crate) fn placed(&self, pose: &Pose) -> Self {
        match self {
            Self::Box { center, arms, skew } => {
                Self::Box { center: pose.point(center), arms: arms.each_ref().map(|a| pose.direction(a)), skew: *skew }
            }
            Self::Triangle(t) => Self::Triangle(t.each_ref().map(|x| pose.point(x))),
        }
    }

    /// A point in the middle.
    #[inline]
    pub(crate) fn center(&self) -> Vec3 {
        match self {
            Self::Box { center, .. } => *center,
            Self::Triangle([a, b, c]) => (a + b + c) / 3.0,
        }
    }

    /// Radius of a ball about the centre that contains the body (mm).
    pub(crate) fn radius(&self) -> f64 {
        match self {
            // The arms are perpendicular to single precision, and the skew exceeds what they miss.
            Self::Box { arms, skew, .. } => arms.iter().map(Vec3::norm_squared).sum::<f64>().sqrt() + 2.0 * skew,
            Self::Triangle(t) => {
                let c = self.center();
                t.iter().map(|x| (x - c).norm()).fold(0.0, greater)
            }
        }
    }

    /// Largest value of n · x over the body.
    #[inline]
    fn high(&self, n: &Vec3) -> f64 {
        match self {
            Self::Box { center, arms, skew } => {
                n.dot(center) + n.dot(&arms[0]).abs() + n.dot(&arms[1]).abs() + n.dot(&arms[2]).abs() + skew
            }
            Self::Triangle([a, b, c]) => greater(greater(n.dot(a), n.dot(b)), n.dot(c)),
        }
    }

    /// Directions across the body's faces, not of length 1.
    #[inline]
    fn normals(&self) -> [Vec3; 3] {
        match self {
            Self::Box { arms, .. } => *arms,
            Self::Triangle([a, b, c]) => [(b - a).cross(&(c - a)), Vec3::zeros(), Vec3::zeros()],
        }
    }
}

/// Edges of a triangle, or the axes of a box.
fn edges(body: &Body) -> [Vec3; 3] {
    match body {
        Body::Box { arms, .. } => *arms,
        Body::Triangle([a, b, c]) => [b - a, c - b, a - c],
    }
}

/// Direction across a plane between a body of A and one of B.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeparatingPlane {
    /// Direction from A to B, of length 1 (A's frame).
    pub direction: Vec3,
    /// True if the bound holds with B as the moving part; false with A, seen from B.
    pub moves_b: bool,
}

/// A body of A and one of B over one cell. The one that moves less counts as the moving one, seen from the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovingPair<'f> {
    /// Body of A, and body of B at the centre of the cell (A's frame).
    pub bodies: [Body; 2],
    moving: MovingBody<'f>,
    /// True if B's body is the moving one.
    moves_b: bool,
}

impl<'f> MovingPair<'f> {
    /// Places a body of B at the centre of a cell.
    pub(crate) fn new(a: &Body, b: &Body, frame: &'f Frame) -> Self {
        let placed = b.placed(&frame.pose);
        let (of_a, of_b) = (MovingBody::new(a, frame, false), MovingBody::new(&placed, frame, true));
        let moves_b = of_b.displacement <= of_a.displacement;
        Self { bodies: [*a, placed], moving: if moves_b { of_b } else { of_a }, moves_b }
    }

    /// The same pair with bounds that ignore the direction of the remainder.
    pub(crate) fn with_full_remainder(self) -> Self {
        Self { moving: MovingBody { frame: None, ..self.moving }, ..self }
    }

    /// Largest displacement of the moving body over the cell (mm).
    pub(crate) fn displacement(&self) -> f64 {
        self.moving.displacement
    }

    /// Lower bound of the distance of the two bodies over the whole cell, as [`MovingBody::distance_bound`].
    pub(crate) fn distance_bound(&self, enough: f64, closest: Option<Vec3>) -> f64 {
        self.moving.distance_bound(self.standing(), enough, closest, |_| {})
    }

    /// The same with the direction of the bound, of either sign; zero without one.
    pub(crate) fn distance_bound_along(&self, enough: f64, closest: Option<Vec3>) -> (f64, Vec3) {
        let mut best = Vec3::zeros();
        let bound = self.moving.distance_bound(self.standing(), enough, closest, |n| best = *n);
        (bound, best)
    }

    /// Finds a plane that keeps the bodies more than `enough` (mm) apart over the whole cell.
    pub(crate) fn separating_plane(&self, enough: f64, closest: Option<Vec3>) -> Option<SeparatingPlane> {
        let (bound, best) = self.distance_bound_along(enough, closest);
        // The engine points from the standing body to the moving one.
        let direction = if self.moves_b { best } else { -best };
        (bound > enough).then_some(SeparatingPlane { direction, moves_b: self.moves_b })
    }

    /// The body that does not count as the moving one.
    fn standing(&self) -> &Body {
        &self.bodies[usize::from(!self.moves_b)]
    }
}

/// A body over one cell, seen from the other part.
#[derive(Debug, Clone, Copy)]
struct MovingBody<'f> {
    /// The body at the centre of the cell (A's frame).
    body: Body,
    /// Drift of the centre of a box, or of the three corners of a triangle, from the centre of the cell to its end, for
    /// the first parameter.
    drift: [Vec3; 3],
    /// Drift of the three arms of a box, and of its skew.
    swing: ([Vec3; 3], f64),
    /// Largest displacement over the cell (mm).
    displacement: f64,
    /// Largest distance from the first-order motion over the cell (mm).
    remainder: f64,
    /// Drifts for all other parameters.
    others: &'f [Twist],
    /// Frame of the cell; `None` to ignore the direction of the remainder.
    frame: Option<&'f Frame>,
}

impl<'f> MovingBody<'f> {
    /// Bounds the motion of a body of B or of A, given in A's frame at the centre of the cell.
    fn new(body: &Body, frame: &'f Frame, of_b: bool) -> Self {
        let body = *body;
        // The sign of a drift has no effect: the cell extends equally far to both sides.
        let (twist, others) = frame.drifts.split_first().unwrap_or((&Twist::ZERO, &[]));
        let spread_of = |distance: &dyn Fn(&MovingAxis) -> f64| {
            if of_b { frame.spread(distance) } else { frame.spread_of_a(distance) }
        };
        let (spread, drift, swing) = match &body {
            Body::Box { center, arms, skew } => {
                let radius = body.radius();
                let spread = spread_of(&|a: &MovingAxis| {
                    let across: f64 = arms.iter().map(|arm| a.axis.cross(arm).norm()).sum();
                    a.distance(center) + lesser(across + skew, radius)
                });
                let swings = arms.each_ref().map(|arm| twist.turn.cross(arm));
                (spread, [twist.of(center); 3], (swings, twist.turn.norm() * skew))
            }
            Body::Triangle(t) => {
                let spread = spread_of(&|a: &MovingAxis| {
                    greater(greater(a.distance(&t[0]), a.distance(&t[1])), a.distance(&t[2]))
                });
                (spread, t.each_ref().map(|x| twist.of(x)), ([Vec3::zeros(); 3], 0.0))
            }
        };
        let Spread { displacement, remainder } = spread;
        Self { body, drift, swing, displacement, remainder, others, frame: Some(frame) }
    }

    /// Lower bound of n · x over the body and over the whole cell, for a unit vector n; no remainder exceeds
    /// `remainder` along n (mm).
    #[inline]
    fn low(&self, n: &Vec3, remainder: f64) -> f64 {
        match &self.body {
            Body::Box { center, arms, skew } => {
                let (swings, skew_swing) = &self.swing;
                let half = n.dot(&arms[0]).abs() + n.dot(&arms[1]).abs() + n.dot(&arms[2]).abs() + skew;
                let drift = n.dot(&self.drift[0]).abs()
                    + n.dot(&swings[0]).abs()
                    + n.dot(&swings[1]).abs()
                    + n.dot(&swings[2]).abs()
                    + skew_swing
                    + self.others.iter().map(|t| t.largest_along(n, center, arms, *skew)).sum::<f64>();
                n.dot(center) - half - lesser(drift + remainder, self.displacement)
            }
            Body::Triangle(t) => {
                let at = [n.dot(&t[0]), n.dot(&t[1]), n.dot(&t[2])];
                let others = |k: usize| self.others.iter().map(|o| n.dot(&o.of(&t[k])).abs()).sum::<f64>();
                let first = |k: usize| at[k] - n.dot(&self.drift[k]).abs() - others(k);
                let by_drift = lesser(lesser(first(0), first(1)), first(2)) - remainder;
                greater(by_drift, lesser(lesser(at[0], at[1]), at[2]) - self.displacement)
            }
        }
    }

    /// Lower bound of the distance from a body of the other part, over the whole cell (mm), up to rounding; <= 0 if no
    /// tried direction separates them. Returns early above `enough`. `closest` is a further direction to try. `improve`
    /// receives each direction with a better bound than those before.
    fn distance_bound(&self, a: &Body, enough: f64, closest: Option<Vec3>, mut improve: impl FnMut(&Vec3)) -> f64 {
        let between = self.body.center() - a.center();
        let best = Cell::new(f64::NEG_INFINITY);
        let mut try_direction = |n: Vec3| {
            let length = n.norm_squared();
            if length > 1e-280 && length < 1e280 {
                let n = n / length.sqrt();
                let n = if n.dot(&between) < 0.0 { -n } else { n };
                let high = a.high(&n);
                let mut bound = self.low(&n, self.remainder) - high;
                // The share of the remainder along n takes a root.
                if bound <= enough
                    && bound + self.remainder > enough
                    && let Some(frame) = self.frame
                {
                    bound = greater(bound, self.low(&n, self.remainder * frame.remainder_share(&n)) - high);
                }
                if bound > best.get() {
                    best.set(bound);
                    improve(&n);
                }
            }
            best.get() > enough
        };
        if closest.is_some_and(&mut try_direction) || try_direction(between) {
            return best.get();
        }
        let (of_a, of_b) = (a.normals(), self.body.normals());
        if of_a.iter().chain(&of_b).any(|n| try_direction(*n)) {
            return best.get();
        }
        let boxes = matches!(self.body, Body::Box { .. }) || matches!(a, Body::Box { .. });
        if boxes && best.get() > 0.0 {
            // Smaller boxes have better bounds than more directions.
            return best.get();
        }
        // Along these directions the shapes slide past each other without a drift.
        let drift = (self.drift[0] + self.drift[1] + self.drift[2]) / 3.0;
        let center = self.body.center();
        let (ea, eb) = (edges(a), edges(&self.body));
        for drift in std::iter::once(drift).chain(self.others.iter().map(|t| t.of(&center))) {
            let slides = of_a.iter().chain(&of_b).chain(&ea).chain(&eb).map(|e| e.cross(&drift));
            if drift != Vec3::zeros() && slides.into_iter().any(&mut try_direction) {
                return best.get();
            }
        }
        for e in &ea {
            for f in &eb {
                if try_direction(e.cross(f)) {
                    return best.get();
                }
            }
        }
        best.get()
    }
}
