//! Exact orientation predicates (Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
//! Predicates", 1997, through the `robust` crate). The sign is exact for every finite input if its products stay within
//! the range of `f64`: no overflow, no underflow. The mesh readers limit coordinates accordingly. No epsilon appears
//! here.

use crate::geom::math::{UNIT_ROUNDOFF, Vec3};
use robust::{Coord, Coord3D};

/// Positive if `d` lies on the side of the normal `(b−a)×(c−a)` of the plane through `a`, `b`, `c` (seen from there the
/// three run counter-clockwise), negative on the other side, zero exactly on the plane. The magnitude approximates six
/// times the volume of the tetrahedron.
///
/// Most signs follow from the rounded determinant and its error bound (Shewchuk, §4.3, table 3: bound A). The
/// expansions of `robust` decide the rest.
#[inline]
pub fn orient3d(a: &Vec3, b: &Vec3, c: &Vec3, d: &Vec3) -> f64 {
    let [p, q, r] = [a - d, b - d, c - d];
    let [qr, rq] = [q.x * r.y, r.x * q.y];
    let [rp, pr] = [r.x * p.y, p.x * r.y];
    let [pq, qp] = [p.x * q.y, q.x * p.y];
    let determinant = p.z * (qr - rq) + q.z * (rp - pr) + r.z * (pq - qp);
    let magnitude =
        (qr.abs() + rq.abs()) * p.z.abs() + (rp.abs() + pr.abs()) * q.z.abs() + (pq.abs() + qp.abs()) * r.z.abs();
    if determinant.abs() > ORIENT3D_ERROR * magnitude {
        // Shewchuk counts the side below the plane as positive.
        return -determinant;
    }
    orient3d_by_expansions(a, b, c, d)
}

/// Relative error of the rounded determinant of [`orient3d`], in units of the sum of its products' magnitudes.
const ORIENT3D_ERROR: f64 = (7.0 + 56.0 * UNIT_ROUNDOFF) * UNIT_ROUNDOFF;

#[cold]
fn orient3d_by_expansions(a: &Vec3, b: &Vec3, c: &Vec3, d: &Vec3) -> f64 {
    // Coincident faces often share corners.
    if share_a_coordinate(a, b, c, d) || d == a || d == b || d == c {
        return 0.0;
    }
    let k = |v: &Vec3| Coord3D { x: v.x, y: v.y, z: v.z };
    -robust::orient3d(k(a), k(b), k(c), k(d))
}

/// True if four points have one coordinate in common, as in most faces of most parts: they are in one plane.
#[inline]
pub(crate) fn share_a_coordinate(a: &Vec3, b: &Vec3, c: &Vec3, d: &Vec3) -> bool {
    let shared = |k: usize| a[k] == b[k] && b[k] == c[k] && c[k] == d[k];
    shared(0) || shared(1) || shared(2)
}

/// Positive if the 2-D points `a`, `b`, `c` turn left (counter-clockwise), zero if they are exactly collinear.
#[inline]
pub fn orient2d(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    let k = |v: [f64; 2]| Coord { x: v[0], y: v[1] };
    robust::orient2d(k(a), k(b), k(c))
}

/// Tests if three points lie exactly on one line; coinciding points count as collinear.
#[inline]
pub fn collinear(a: &Vec3, b: &Vec3, c: &Vec3) -> bool {
    // Rejects most triangles: two roundings of the differences and one of the product on either side, and one of the
    // last difference. The second term covers products that underflow.
    let (p, q) = ((a.x - c.x) * (b.y - c.y), (a.y - c.y) * (b.x - c.x));
    (p - q).abs() <= 8.0 * UNIT_ROUNDOFF * (p.abs() + q.abs()) + 1e-290 && exactly_collinear(a, b, c)
}

fn exactly_collinear(a: &Vec3, b: &Vec3, c: &Vec3) -> bool {
    let flat = |i: usize, j: usize| orient2d([a[i], a[j]], [b[i], b[j]], [c[i], c[j]]) == 0.0;
    flat(0, 1) && flat(1, 2) && flat(0, 2)
}

/// Computes the sign of `(x₁−x₀)·(y₁−y₀) − (z₁−z₀)·(w₁−w₀)`, exact: one coordinate of the cross product of two edges.
/// Each argument is a pair `[x₀, x₁]`.
///
/// Source: J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997,
/// §2: expansions.
pub fn product_difference(x: [f64; 2], y: [f64; 2], z: [f64; 2], w: [f64; 2]) -> i32 {
    let [dx, dy, dz, dw] = [x, y, z, w].map(|[from, to]| to - from);
    let none = |a: f64, b: f64| a == 0.0 || b == 0.0;
    if none(dx, dy) && none(dz, dw) {
        // A difference is zero only for equal numbers.
        return 0;
    }
    let (p, q) = (dx * dy, dz * dw);
    // Two roundings of the differences and one of the product on either side, and one of the last difference.
    if (p - q).abs() > 8.0 * UNIT_ROUNDOFF * (p.abs() + q.abs()) {
        return if p > q { 1 } else { -1 };
    }
    let exact = |[from, to]: [f64; 2]| {
        let (d, rest) = difference(to, from);
        [rest, d]
    };
    let mut sum = Expansion::default();
    for (sign, a, b) in [(1.0, exact(x), exact(y)), (-1.0, exact(z), exact(w))] {
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let (high, low) = product((sign * a[i], 0.0), (b[j], 0.0));
            sum.add(low);
            sum.add(high);
        }
    }
    sum.sign()
}

/// A number as an exact sum of non-overlapping terms, in increasing order of magnitude.
#[derive(Default)]
struct Expansion {
    terms: [f64; 16],
    count: usize,
}

impl Expansion {
    /// Adds a term; at most 16 in all (Shewchuk, grow-expansion).
    fn add(&mut self, x: f64) {
        let mut carry = x;
        for term in &mut self.terms[..self.count] {
            let sum = *term + carry;
            let part = sum - *term;
            let rest = (*term - (sum - part)) + (carry - part);
            (*term, carry) = (rest, sum);
        }
        self.terms[self.count] = carry;
        self.count += 1;
    }

    fn sign(&self) -> i32 {
        let last = self.terms[..self.count].iter().rev().find(|t| **t != 0.0);
        last.map_or(0, |t| if *t > 0.0 { 1 } else { -1 })
    }
}

/// Coordinates below this magnitude (except 0) can make a product of three differences underflow and lose the exact
/// sign. Every number at or above it is a multiple of 2⁻³⁵⁷; a product of three is a multiple of 2⁻¹⁰⁷¹.
pub const MIN_COORDINATE: f64 = f64::from_bits((1023 - 305) << 52);

/// The oriented plane through three points, prepared for many side tests. Computes the normal once. A bound of all
/// rounding errors decides most tests with one dot product; [`orient3d`] decides the rest.
///
/// Source: J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997,
/// §4.3: the determinant of three rows of rounded differences is wrong by at most (7 + 56u)·u times its permanent. Here
/// the extent of all points bounds the third row; 8 covers 7 + 56u and the rounding of the bound.
#[derive(Debug, Clone, Copy)]
pub struct FilteredPlane {
    normal: Vec3,
    origin: Vec3,
    error: f64,
}

impl FilteredPlane {
    /// Prepares the plane through `a`, `b`, `c` with normal `(b−a)×(c−a)`, for points that differ from `a` by at most
    /// `extent` in each coordinate.
    #[inline]
    pub fn new(a: &Vec3, b: &Vec3, c: &Vec3, extent: &Vec3) -> Self {
        let (e, f) = (b - a, c - a);
        let (yz, zy) = (e.y * f.z, e.z * f.y);
        let (zx, xz) = (e.z * f.x, e.x * f.z);
        let (xy, yx) = (e.x * f.y, e.y * f.x);
        let permanent =
            (yz.abs() + zy.abs()) * extent.x + (zx.abs() + xz.abs()) * extent.y + (xy.abs() + yx.abs()) * extent.z;
        // The second term covers products that underflow; it is far below the determinants of allowed coordinates, so
        // the filter stays fast.
        let error = 8.0 * (1.0 + 1e-9) * UNIT_ROUNDOFF * permanent + 1e-290;
        Self { normal: Vec3::new(yz - zy, zx - xz, xy - yx), origin: *a, error }
    }

    /// Approximates [`orient3d`] at `p`. Only for orders and farthest points; decisions need `certain_side`.
    #[inline]
    pub fn height(&self, p: &Vec3) -> f64 {
        self.normal.x * (p.x - self.origin.x)
            + self.normal.y * (p.y - self.origin.y)
            + self.normal.z * (p.z - self.origin.z)
    }

    /// Height of a point `distance` (mm) above the plane, on the scale of [`height`](Self::height).
    #[inline]
    pub fn height_at(&self, distance: f64) -> f64 {
        self.normal.norm() * distance
    }

    /// Certain side of a point with this [`height`](Self::height): `Some(true)` for the side of the normal, `None` if
    /// uncertain.
    #[inline]
    pub fn certain_side(&self, height: f64) -> Option<bool> {
        if height > self.error {
            Some(true)
        } else if height < -self.error {
            Some(false)
        } else {
            None
        }
    }
}

/// Computes `(b−a)×(c−a)` to a few round-offs of its own length, slivers included; their plain cross product is mostly
/// rounding error. Represents differences and products as unevaluated sums of two numbers. About 60 operations.
///
/// Source: T. J. Dekker, "A floating-point technique for extending the available precision", 1971.
pub fn accurate_normal(a: &Vec3, b: &Vec3, c: &Vec3) -> Vec3 {
    let e = [0, 1, 2].map(|k| difference(b[k], a[k]));
    let f = [0, 1, 2].map(|k| difference(c[k], a[k]));
    Vec3::from_fn(|k, _| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let (p, p_rest) = product(e[i], f[j]);
        let (q, q_rest) = product(e[j], f[i]);
        let (high, low) = difference(p, q);
        high + (low + (p_rest - q_rest))
    })
}

/// Computes `x − y` exactly, as a rounded value and the remainder.
fn difference(x: f64, y: f64) -> (f64, f64) {
    let d = x - y;
    let x_part = d + y;
    (d, (x - x_part) - (y - (x_part - d)))
}

/// Multiplies two such sums, up to the product of the remainders.
fn product(x: (f64, f64), y: (f64, f64)) -> (f64, f64) {
    let halves = |v: f64| {
        let t = 134_217_729.0 * v;
        let high = t - (t - v);
        (high, v - high)
    };
    let p = x.0 * y.0;
    let ((xh, xl), (yh, yl)) = (halves(x.0), halves(y.0));
    let rest = ((xh * yh - p) + xh * yl + xl * yh) + xl * yl;
    (p, rest + (x.0 * y.1 + x.1 * y.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::rng::Rng;

    #[test]
    fn orient3d_is_positive_on_the_side_of_the_normal() {
        let (a, b, c) = (Vec3::zeros(), Vec3::x(), Vec3::y());
        assert!(orient3d(&a, &b, &c, &Vec3::z()) > 0.0);
        assert!(orient3d(&a, &b, &c, &-Vec3::z()) < 0.0);
        assert_eq!(orient3d(&a, &b, &c, &Vec3::new(7.0, -3.0, 0.0)), 0.0);
        assert!(orient3d(&a, &b, &c, &Vec3::new(0.1, 0.1, 1e-300)) > 0.0);
        let [a, b, c] = [[0.1, 0.2, 0.3], [0.7, 0.9, 0.4], [-0.3, 0.5, 1.1]].map(Vec3::from);
        assert_eq!([a, b, c].map(|d| orient3d(&a, &b, &c, &d)), [0.0; 3]);
    }

    #[test]
    fn the_error_bound_never_contradicts_the_expansions() {
        let mut rng = Rng::new(2);
        let mut flat = 0;
        for round in 0..20_000 {
            let [a, b, c] = [(); 3].map(|()| rng.in_cube() * rng.scale(1e-3, 1e6));
            let (s, t) = (rng.range(-2.0, 2.0), rng.range(-2.0, 2.0));
            // Most points lie in the plane to a few units in the last place.
            let lift = if round % 4 == 0 { 0.0 } else { rng.scale(1e-18, 1.0) };
            let d = a + (b - a) * s + (c - a) * t + rng.in_ball() * lift;
            let exact = orient3d_by_expansions(&a, &b, &c, &d);
            assert_eq!(orient3d(&a, &b, &c, &d) > 0.0, exact > 0.0);
            assert_eq!(orient3d(&a, &b, &c, &d) < 0.0, exact < 0.0);
            flat += usize::from(exact.abs() < 1e-12 * ((b - a).norm() * (c - a).norm() * (d - a).norm()));
        }
        assert!(flat > 3000, "{flat}");
    }

    #[test]
    fn collinear_is_exact() {
        let p = Vec3::new(0.1, 0.2, 0.3);
        assert!(collinear(&p, &(p * 2.0), &(p * 4.0)));
        assert!(!collinear(&p, &(p * 2.0), &(p * 4.0 + Vec3::new(1e-16, 0.0, 0.0).map(|x| x * 8.0))));
    }

    #[test]
    fn a_filtered_plane_never_contradicts_the_exact_sign() {
        // Points on a plane up to a few units in the last place, and beyond.
        let (a, b, c) = (Vec3::new(0.1, 0.2, 0.3), Vec3::new(0.7, 0.9, 0.4), Vec3::new(-0.3, 0.5, 1.1));
        let plane = FilteredPlane::new(&a, &b, &c, &Vec3::repeat(4.0));
        let (mut certain, mut open) = (0, 0);
        for i in 0..4000_i32 {
            let (s, t) = (f64::from(i % 61) / 61.0, f64::from(i % 47) / 47.0);
            let lift = f64::from(i % 13 - 6) * 2.0_f64.powi(i % 7 * 4 - 54);
            let p = a + (b - a) * s + (c - a) * t + Vec3::new(0.3, -0.2, 0.9) * lift;
            match plane.certain_side(plane.height(&p)) {
                Some(side) => {
                    certain += 1;
                    assert_eq!(side, orient3d(&a, &b, &c, &p) > 0.0);
                }
                None => open += 1,
            }
        }
        assert!(certain > 1000 && open > 300, "{certain} {open}");
    }

    #[test]
    fn product_differences_have_the_sign_of_big_integers() {
        let mut rng = Rng::new(1);
        let mut next = |bits: u32| (rng.bits() >> (64 - bits)) as i64 - (1 << (bits - 1));
        let mut signs = [0; 3];
        for round in 0..20_000 {
            // Small numbers make zeros; large ones make differences and products that round.
            let bits = if round % 2 == 0 { 3 } else { 53 };
            let mut numbers = [0_i64; 8];
            for n in &mut numbers {
                *n = next(bits);
            }
            if round % 4 == 3 {
                // Uses the same product twice, once off by a unit.
                let last = next(2) / 2;
                let [a, b, c, d, ..] = numbers;
                numbers = [a, b, c, d, c, d, a, b + last];
            }
            let d = |k: usize| i128::from(numbers[2 * k + 1]) - i128::from(numbers[2 * k]);
            let wanted = (d(0) * d(1) - d(2) * d(3)).signum() as i32;
            let pair = |k: usize| [numbers[2 * k] as f64, numbers[2 * k + 1] as f64];
            assert_eq!(product_difference(pair(0), pair(1), pair(2), pair(3)), wanted, "{numbers:?}");
            signs[(wanted + 1) as usize] += 1;
        }
        assert!(signs.iter().all(|n| *n > 1000), "{signs:?}");
    }

    #[test]
    fn the_normal_of_a_sliver_is_accurate() {
        // Single-precision coordinates: differences, products and cross product fit in 128 bits.
        let grid = |x: f64| f64::from(x as f32);
        let (a, b) = (Vec3::new(0.1, 0.2, 0.3).map(grid), Vec3::new(7.1, 5.2, -3.3).map(grid));
        for i in 1..60 {
            let c = (a + (b - a) * (f64::from(i) / 60.0)).map(grid) + Vec3::new(0.0, 0.0, 2.0_f64.powi(-26));
            let n = accurate_normal(&a, &b, &c);
            let integer = |v: &Vec3| [0, 1, 2].map(|k| (v[k] * 2.0_f64.powi(30)) as i128);
            let (p, q, r) = (integer(&a), integer(&b), integer(&c));
            for k in 0..3 {
                let (u, v) = ((k + 1) % 3, (k + 2) % 3);
                let exact = (q[u] - p[u]) * (r[v] - p[v]) - (q[v] - p[v]) * (r[u] - p[u]);
                let exact = exact as f64 * 2.0_f64.powi(-60);
                assert!((n[k] - exact).abs() <= 2.0 * f64::EPSILON * exact.abs(), "{} {exact}", n[k]);
            }
        }
    }
}
