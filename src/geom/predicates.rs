//! Exact orientation predicates (Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
//! Predicates", 1997, through the `robust` crate). The sign is exact for every finite input whose products neither
//! overflow nor underflow; no epsilon appears here. Coordinates are limited on reading so that they do neither.

use super::math::Vec3;
use robust::{Coord, Coord3D};

/// Positive when `d` lies on the side of the plane through `a`, `b`, `c` to which the normal `(b−a)×(c−a)` points (the
/// side from which the three run counter-clockwise), negative on the other, zero exactly on the plane. The magnitude is
/// an approximation of six times the signed volume of the tetrahedron.
#[inline]
pub fn orient3d(a: &Vec3, b: &Vec3, c: &Vec3, d: &Vec3) -> f64 {
    let k = |v: &Vec3| Coord3D { x: v.x, y: v.y, z: v.z };
    // robust (like Shewchuk) counts the side below the plane as positive.
    -robust::orient3d(k(a), k(b), k(c), k(d))
}

/// Positive when the 2-D points `a`, `b`, `c` turn left (counter-clockwise), zero when they are exactly collinear.
#[inline]
pub fn orient2d(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    let k = |v: [f64; 2]| Coord { x: v[0], y: v[1] };
    robust::orient2d(k(a), k(b), k(c))
}

/// Whether three points lie exactly on one line (two or three equal points do).
pub fn collinear(a: &Vec3, b: &Vec3, c: &Vec3) -> bool {
    let flat = |i: usize, j: usize| orient2d([a[i], a[j]], [b[i], b[j]], [c[i], c[j]]) == 0.0;
    flat(0, 1) && flat(1, 2) && flat(0, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orient3d_is_positive_on_the_side_of_the_normal() {
        let (a, b, c) = (Vec3::zeros(), Vec3::x(), Vec3::y());
        assert!(orient3d(&a, &b, &c, &Vec3::z()) > 0.0);
        assert!(orient3d(&a, &b, &c, &-Vec3::z()) < 0.0);
        assert_eq!(orient3d(&a, &b, &c, &Vec3::new(7.0, -3.0, 0.0)), 0.0);
        assert!(orient3d(&a, &b, &c, &Vec3::new(0.1, 0.1, 1e-300)) > 0.0);
    }

    #[test]
    fn collinear_is_exact() {
        let p = Vec3::new(0.1, 0.2, 0.3);
        assert!(collinear(&p, &(p * 2.0), &(p * 4.0)));
        assert!(!collinear(&p, &(p * 2.0), &(p * 4.0 + Vec3::new(1e-16, 0.0, 0.0).map(|x| x * 8.0))));
    }
}
