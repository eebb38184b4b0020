//! Numbers and vectors of a plane with an error bound: arithmetic that holds for every value within the bound.
//!
//! Midpoint-radius arithmetic (Rump, "Fast and parallel interval arithmetic", BIT 39, 1999, §2). Each operation adds
//! the rounding of its midpoint to the radius. Zero stays exactly zero.

use crate::geom::math::UNIT_ROUNDOFF;
use std::ops::{Add, Mul, Neg, Sub};

/// Factor on each radius: more than the rounding of the few operations that compute it.
pub(super) const GROWTH: f64 = 1.0 + 64.0 * UNIT_ROUNDOFF;

/// Roundings of one operation on midpoints, as a factor on the magnitude of its result and of its terms.
const ROUNDING: f64 = 4.0 * UNIT_ROUNDOFF;

/// A number: all values within `radius` of `mid`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ball {
    pub mid: f64,
    /// Error bound (>= 0).
    pub radius: f64,
}

impl Ball {
    pub(crate) const ZERO: Self = Self { mid: 0.0, radius: 0.0 };

    /// A number without an error.
    pub(crate) fn exact(mid: f64) -> Self {
        Self { mid, radius: 0.0 }
    }

    /// Largest magnitude of a value.
    pub(crate) fn magnitude(&self) -> f64 {
        (self.mid.abs() + self.radius) * GROWTH
    }

    /// Least magnitude of a value; 0 or less if zero is one.
    pub(crate) fn least_magnitude(&self) -> f64 {
        self.mid.abs() - self.radius * GROWTH
    }

    /// Quotient; `None` if the divisor may be zero.
    pub(crate) fn over(&self, divisor: &Self) -> Option<Self> {
        let least = divisor.least_magnitude();
        if least <= 0.0 || least.is_nan() {
            return None;
        }
        let mid = self.mid / divisor.mid;
        let radius = (self.radius + mid.abs() * divisor.radius) / least;
        Some(Self { mid, radius: (radius + ROUNDING * mid.abs()) * GROWTH })
    }
}

impl Add for Ball {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let rounding = ROUNDING * (self.mid.abs() + other.mid.abs());
        Self { mid: self.mid + other.mid, radius: (self.radius + other.radius + rounding) * GROWTH }
    }
}

impl Neg for Ball {
    type Output = Self;

    fn neg(self) -> Self {
        Self { mid: -self.mid, radius: self.radius }
    }
}

impl Mul for Ball {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let (mid, spread) = (self.mid * other.mid, self.mid.abs() * other.radius + self.radius * other.mid.abs());
        Self { mid, radius: (spread + self.radius * other.radius + ROUNDING * mid.abs()) * GROWTH }
    }
}

/// A vector of a plane: all vectors within `radius` of `mid`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Disc {
    pub mid: [f64; 2],
    /// Error bound (>= 0).
    pub radius: f64,
}

impl Disc {
    pub(crate) const ZERO: Self = Self { mid: [0.0; 2], radius: 0.0 };

    /// A vector without an error.
    pub(crate) fn exact(mid: [f64; 2]) -> Self {
        Self { mid, radius: 0.0 }
    }

    fn length(&self) -> f64 {
        (self.mid[0] * self.mid[0] + self.mid[1] * self.mid[1]).sqrt()
    }

    /// Largest length of a vector.
    pub(crate) fn magnitude(&self) -> f64 {
        (self.length() + self.radius) * GROWTH
    }

    /// Turns by a quarter, counterclockwise.
    pub(crate) fn quarter_turn(&self) -> Self {
        Self { mid: [-self.mid[1], self.mid[0]], radius: self.radius }
    }

    /// Turns by an angle with these values of cosine and sine at its midpoint, and `spread` to each side (radians).
    pub(crate) fn turned(&self, (sin, cos): (f64, f64), spread: f64) -> Self {
        let [x, y] = self.mid;
        let rounding = ROUNDING * self.length();
        let radius = self.radius + spread * (self.length() + self.radius) + rounding;
        Self { mid: [cos * x - sin * y, sin * x + cos * y], radius: radius * GROWTH }
    }

    /// Cross product x·y′ − y·x′.
    pub(crate) fn cross(&self, other: &Self) -> Ball {
        let mid = self.mid[0] * other.mid[1] - self.mid[1] * other.mid[0];
        let (a, b) = (self.length(), other.length());
        let radius = a * other.radius + self.radius * b + self.radius * other.radius + ROUNDING * a * b;
        Ball { mid, radius: radius * GROWTH }
    }

    /// Product with a number.
    pub(crate) fn times(&self, factor: Ball) -> Self {
        let length = self.length();
        let mid = self.mid.map(|x| x * factor.mid);
        let spread = length * factor.radius + self.radius * factor.magnitude();
        Self { mid, radius: (spread + ROUNDING * length * factor.mid.abs()) * GROWTH }
    }
}

impl Add for Disc {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let mid = [self.mid[0] + other.mid[0], self.mid[1] + other.mid[1]];
        let rounding = ROUNDING * (self.length() + other.length());
        Self { mid, radius: (self.radius + other.radius + rounding) * GROWTH }
    }
}

impl Neg for Disc {
    type Output = Self;

    fn neg(self) -> Self {
        Self { mid: self.mid.map(|x| -x), radius: self.radius }
    }
}

impl Sub for Disc {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::rng::Rng;

    fn ball(rng: &mut Rng) -> Ball {
        Ball { mid: rng.signed() * 5.0, radius: if rng.below(4) == 0 { 0.0 } else { rng.scale(1e-9, 0.5) } }
    }

    fn disc(rng: &mut Rng) -> Disc {
        Disc { mid: [rng.signed() * 5.0, rng.signed() * 5.0], radius: ball(rng).radius }
    }

    fn inside(rng: &mut Rng, b: &Ball) -> f64 {
        b.mid + b.radius * if rng.below(3) == 0 { 1.0 } else { rng.signed() }
    }

    fn point(rng: &mut Rng, d: &Disc) -> [f64; 2] {
        let (sin, cos) = libm::sincos(rng.signed() * 4.0);
        let r = d.radius * if rng.below(3) == 0 { 1.0 } else { rng.signed() };
        [d.mid[0] + r * cos, d.mid[1] + r * sin]
    }

    /// A little more than the rounding of the test's own arithmetic.
    const OWN: f64 = 1e-13;

    fn holds(b: &Ball, x: f64) -> bool {
        (x - b.mid).abs() <= b.radius + OWN
    }

    fn holds_vector(d: &Disc, x: [f64; 2]) -> bool {
        ((x[0] - d.mid[0]).powi(2) + (x[1] - d.mid[1]).powi(2)).sqrt() <= d.radius + OWN
    }

    #[test]
    fn results_hold_for_every_value_within_the_bounds() {
        let mut rng = Rng::new(5);
        let mut quotients = 0;
        for _ in 0..5000 {
            let (a, b) = (ball(&mut rng), ball(&mut rng));
            let (d, e) = (disc(&mut rng), disc(&mut rng));
            let (x, y) = (inside(&mut rng, &a), inside(&mut rng, &b));
            let (v, w) = (point(&mut rng, &d), point(&mut rng, &e));
            assert!(holds(&(a + b), x + y) && holds(&(a * b), x * y) && holds(&-a, -x));
            if let Some(quotient) = a.over(&b) {
                quotients += 1;
                assert!((x / y - quotient.mid).abs() <= quotient.radius * (1.0 + OWN) + OWN * (x / y).abs());
            }
            assert!(a.magnitude() >= x.abs() && a.least_magnitude() <= x.abs());
            assert!(holds(&d.cross(&e), v[0] * w[1] - v[1] * w[0]));
            assert!(holds_vector(&(d - e), [v[0] - w[0], v[1] - w[1]]));
            assert!(holds_vector(&d.times(a), [v[0] * x, v[1] * x]));
            assert!(holds_vector(&d.quarter_turn(), [-v[1], v[0]]));
            let (angle, spread) = (rng.signed() * 7.0, b.radius);
            let (sin, cos) = libm::sincos(angle + spread * rng.signed());
            let turned = [cos * v[0] - sin * v[1], sin * v[0] + cos * v[1]];
            assert!(holds_vector(&d.turned(libm::sincos(angle), spread), turned));
        }
        assert!(quotients > 3000, "{quotients}");
    }

    #[test]
    fn zero_stays_exact_and_divides_nothing() {
        let wide = Ball { mid: 3.0, radius: 1.0 };
        assert_eq!(wide * Ball::ZERO, Ball::ZERO);
        assert_eq!(Ball::ZERO + Ball::ZERO, Ball::ZERO);
        assert_eq!(Disc { mid: [1.0, 2.0], radius: 0.5 }.times(Ball::ZERO), Disc::ZERO);
        assert!(wide.over(&Ball { mid: 0.5, radius: 0.5 }).is_none());
    }
}
