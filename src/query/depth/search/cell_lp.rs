//! Solves a small linear programme over a box: the largest `r` under linear bounds, with a certificate.
//!
//! Unknowns are a point `y` of the box, relative to its centre, and `r`. Every bound is `r ≤ a + g·y`, every domain `0
//! ≤ b + d·y`. A dual simplex with a 4×4 basis (Chvátal, "Linear Programming", 1983, ch. 10) starts from one bound and
//! three sides of the box; this start is dual feasible.

use crate::geom::Vec3;
use crate::geom::math::{greater, lesser};

/// Upper limit of pivots; five are usual. With more, rounding makes the basis wander. The bound is valid at every stop.
const MAX_PIVOTS: usize = 48;

/// Least pivot: smaller ones amplify rounding. It only steers the search; the bound is recomputed from the multipliers.
const LEAST_PIVOT: f64 = 1e-11;

/// Constraint: `r ≤ value + slope·y` if `bounds_r`, else `0 ≤ value + slope·y`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Row {
    pub slope: Vec3,
    pub value: f64,
    pub bounds_r: bool,
}

impl Row {
    /// Builds a bound of `r`.
    pub(crate) fn bound(slope: Vec3, value: f64) -> Self {
        Self { slope, value, bounds_r: true }
    }

    /// Builds a side of the domain.
    pub(crate) fn domain(slope: Vec3, value: f64) -> Self {
        Self { slope, value, bounds_r: false }
    }

    /// Largest value over the box of half extents `half`.
    #[inline]
    pub(crate) fn highest(&self, half: &Vec3) -> f64 {
        self.value + spread(&self.slope, half)
    }
}

#[inline]
fn spread(slope: &Vec3, half: &Vec3) -> f64 {
    slope.x.abs() * half.x + slope.y.abs() * half.y + slope.z.abs() * half.z
}

/// Corners of a box relative to its centre.
pub(crate) fn corners_of_box(half: &Vec3) -> [Vec3; 8] {
    let sign = |corner: usize, k: usize| if corner >> k & 1 == 1 { half[k] } else { -half[k] };
    std::array::from_fn(|corner| Vec3::new(sign(corner, 0), sign(corner, 1), sign(corner, 2)))
}

/// Largest excess of distances over a linear function, at the corners of a box. A convex distance exceeds it nowhere
/// else by more.
pub(crate) fn excess(corners: &[Vec3; 8], distances: &[f64; 8], slope: &Vec3) -> f64 {
    corners.iter().zip(distances).map(|(y, d)| d - slope.dot(y)).fold(f64::NEG_INFINITY, greater)
}

/// Certified optimum of the programme.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Optimum {
    /// Upper bound of `r` over the domain in the box, certified by the multipliers; −∞ if the domain is empty.
    pub upper: f64,
    /// Approximate position of the optimum, inside the box and relative to its centre.
    pub at: Vec3,
}

/// One of the basis' constraints `h·(y, r) ≤ rhs`.
#[derive(Clone, Copy)]
enum Member {
    Row(usize),
    /// Side of the box: ±y ≤ half along an axis.
    Side(usize, f64),
}

/// Maximises `r` over the box of half extents `half`; ∞ if no row bounds `r`. Stops once the bound is at most `enough`.
/// Cost: about 50 ns a pivot, plus 2 ns a row and pivot.
pub(crate) fn maximize(rows: &[Row], half: &Vec3, enough: f64) -> Optimum {
    let count = rows.len();
    let row = |i: usize| &rows[i];
    // Starts from the tightest single bound.
    let mut start = None;
    let mut least = f64::INFINITY;
    for i in 0..count {
        let r = row(i);
        let highest = r.highest(half);
        if r.bounds_r {
            if highest < least {
                (least, start) = (highest, Some(i));
            }
        } else if highest < 0.0 {
            return Optimum { upper: f64::NEG_INFINITY, at: Vec3::zeros() };
        }
    }
    let Some(start) = start else { return Optimum { upper: f64::INFINITY, at: Vec3::zeros() } };
    let mut best = Optimum { upper: least, at: Vec3::zeros() };
    let mut basis = Basis::start(start, row(start), half);
    for _ in 0..MAX_PIVOTS {
        let z = basis.point();
        best.at = Vec3::from_fn(|k, _| lesser(greater(z[k], -half[k]), half[k]));
        if best.upper <= enough {
            break;
        }
        // The most violated constraint enters.
        let mut entering = None;
        let mut worst = 1e-14 * (1.0 + z[3].abs());
        for i in 0..count {
            let r = row(i);
            let allowed = r.value + r.slope.x * z[0] + r.slope.y * z[1] + r.slope.z * z[2];
            let violation = if r.bounds_r { z[3] - allowed } else { -allowed };
            if violation > worst {
                (worst, entering) = (violation, Some(Member::Row(i)));
            }
        }
        for k in 0..3 {
            let violation = z[k].abs() - half[k];
            if violation > worst {
                (worst, entering) = (violation, Some(Member::Side(k, 1.0_f64.copysign(z[k]))));
            }
        }
        let Some(entering) = entering else { break };
        let (normal, rhs) = match entering {
            Member::Row(i) => normal_of(row(i)),
            Member::Side(k, sign) => side(k, sign, half),
        };
        match basis.enter(entering, &normal, rhs) {
            Pivot::Done => {}
            Pivot::Unbounded(multipliers) => {
                if basis.is_empty(&multipliers, entering, row, half) {
                    best.upper = f64::NEG_INFINITY;
                }
                break;
            }
        }
        best.upper = lesser(best.upper, basis.certificate(row, half));
    }
    best
}

fn normal_of(r: &Row) -> ([f64; 4], f64) {
    ([-r.slope.x, -r.slope.y, -r.slope.z, if r.bounds_r { 1.0 } else { 0.0 }], r.value)
}

fn side(k: usize, sign: f64, half: &Vec3) -> ([f64; 4], f64) {
    let mut n = [0.0; 4];
    n[k] = sign;
    (n, half[k])
}

enum Pivot {
    Done,
    /// No member can leave: the multipliers combine the members to the new constraint and prove the five infeasible.
    Unbounded([f64; 4]),
}

/// Four constraints: the objective is a combination of their normals with multipliers >= 0.
struct Basis {
    members: [Member; 4],
    rhs: [f64; 4],
    /// Columns of the inverse of the normals' matrix (normals as rows): `inverse[i]` belongs to member i.
    inverse: [[f64; 4]; 4],
}

impl Basis {
    fn start(index: usize, row: &Row, half: &Vec3) -> Self {
        let mut basis = Self {
            members: [Member::Row(index); 4],
            rhs: [row.value; 4],
            inverse: [[0.0, 0.0, 0.0, 1.0], [0.0; 4], [0.0; 4], [0.0; 4]],
        };
        for k in 0..3 {
            let sign = 1.0_f64.copysign(row.slope[k]);
            basis.members[k + 1] = Member::Side(k, sign);
            basis.rhs[k + 1] = half[k];
            basis.inverse[k + 1][k] = sign;
            basis.inverse[k + 1][3] = row.slope[k].abs();
        }
        basis
    }

    /// Point of equality in all four constraints.
    fn point(&self) -> [f64; 4] {
        std::array::from_fn(|k| (0..4).map(|i| self.inverse[i][k] * self.rhs[i]).sum())
    }

    fn enter(&mut self, member: Member, normal: &[f64; 4], rhs: f64) -> Pivot {
        let along: [f64; 4] = std::array::from_fn(|i| (0..4).map(|k| self.inverse[i][k] * normal[k]).sum());
        let mut leaving = None;
        let mut least = f64::INFINITY;
        for (i, v) in along.iter().enumerate() {
            if *v > LEAST_PIVOT {
                let ratio = greater(self.inverse[i][3], 0.0) / v;
                if ratio < least {
                    (least, leaving) = (ratio, Some(i));
                }
            }
        }
        let Some(l) = leaving else { return Pivot::Unbounded(along) };
        let scale = 1.0 / along[l];
        let out = self.inverse[l].map(|x| x * scale);
        for (i, (column, v)) in self.inverse.iter_mut().zip(along).enumerate() {
            if i == l {
                *column = out;
            } else {
                column.iter_mut().zip(out).for_each(|(x, o)| *x -= o * v);
            }
        }
        self.members[l] = member;
        self.rhs[l] = rhs;
        Pivot::Done
    }

    /// Tests if the entering domain and the members, each times its negated multiplier, are infeasible in the box
    /// (Farkas' lemma). The sum is recomputed, so the proof survives rounding.
    fn is_empty<'r>(
        &self,
        multipliers: &[f64; 4],
        entering: Member,
        row: impl Fn(usize) -> &'r Row,
        half: &Vec3,
    ) -> bool {
        let (mut value, mut slope) = (0.0, Vec3::zeros());
        let terms = self.members.iter().zip(multipliers.map(|v| greater(-v, 0.0))).chain([(&entering, 1.0)]);
        for (member, multiplier) in terms {
            if let Member::Row(i) = member
                && multiplier > 0.0
            {
                let r = row(*i);
                // Any multipliers >= 0 prove it; bounds of `r` take the multiplier 0.
                if r.bounds_r {
                    continue;
                }
                value += multiplier * r.value;
                slope += r.slope * multiplier;
            }
        }
        value + spread(&slope, half) < 0.0
    }

    /// `Σλ·a + Σν·b + Σₖ eₖ·|Σλ·g + Σν·d|ₖ` with Σλ = 1: a valid bound of `r` despite rounding of the multipliers.
    fn certificate<'r>(&self, row: impl Fn(usize) -> &'r Row, half: &Vec3) -> f64 {
        let (mut total, mut value, mut slope) = (0.0, 0.0, Vec3::zeros());
        for (member, column) in self.members.iter().zip(&self.inverse) {
            if let Member::Row(i) = member {
                let multiplier = greater(column[3], 0.0);
                let r = row(*i);
                if r.bounds_r {
                    total += multiplier;
                }
                value += multiplier * r.value;
                slope += r.slope * multiplier;
            }
        }
        if total > 0.25 { (value + spread(&slope, half)) / total } else { f64::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::rng::Rng;

    #[test]
    fn a_ball_between_two_planes_touches_both() {
        let rows = [Row::bound(Vec3::z(), 1.0), Row::bound(-Vec3::z(), 0.5)];
        let found = maximize(&rows, &Vec3::repeat(4.0), f64::NEG_INFINITY);
        assert!((found.upper - 0.75).abs() < 1e-15 && (found.at.z + 0.25).abs() < 1e-15);
    }

    #[test]
    fn optimum_respects_box_and_domain() {
        let up = [Row::bound(Vec3::z(), 1.0)];
        let found = maximize(&up, &Vec3::new(1.0, 1.0, 2.0), f64::NEG_INFINITY);
        assert_eq!(found.upper, 3.0);
        let below = [up[0], Row::domain(-Vec3::z(), 0.25)];
        let found = maximize(&below, &Vec3::new(1.0, 1.0, 2.0), f64::NEG_INFINITY);
        assert!((found.upper - 1.25).abs() < 1e-15);
        let nowhere = [up[0], Row::domain(-Vec3::z(), -1.0), Row::domain(Vec3::z(), -1.0)];
        assert_eq!(maximize(&nowhere, &Vec3::repeat(2.0), f64::NEG_INFINITY).upper, f64::NEG_INFINITY);
    }

    #[test]
    fn cell_bound_is_tight_upper_bound() {
        let mut rng = Rng::new(1);
        let mut reached = 0;
        for round in 0..400 {
            let half = rng.in_cube().map(|x| 0.1 + x.abs());
            let rows: Vec<Row> =
                (0..=round % 20).map(|_| Row::bound(rng.in_cube().normalize(), rng.signed())).collect();
            let found = maximize(&rows, &half, f64::NEG_INFINITY);
            let value = |y: &Vec3| rows.iter().map(|r| r.value + r.slope.dot(y)).fold(f64::INFINITY, f64::min);
            for _ in 0..200 {
                let y = rng.in_cube().component_mul(&half);
                assert!(value(&y) <= found.upper + 1e-12);
            }
            reached += i32::from((value(&found.at) - found.upper).abs() < 1e-9);
        }
        assert!(reached > 395, "{reached}");
    }
}
