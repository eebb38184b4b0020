//! The largest of many dot products, several at a time.

use crate::geom::Vec3;
use pulp::{Arch, Simd, WithSimd};

/// Rows are padded to a multiple of this, the widest vector of any instruction set that is dispatched to.
const WIDEST: usize = 8;

/// Vectors `p` with an offset each, as four rows, ready for `largest p·d − offset`.
///
/// The instruction set is chosen when the program runs. Every lane does the same products and sums in the same order and
/// none is fused, so the result has the same bits on every machine.
#[derive(Debug, Clone)]
pub(super) struct Lanes {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    offset: Vec<f64>,
    /// 0, 1, 2 … as numbers, so that a comparison selects value and place alike.
    index: Vec<f64>,
    arch: Arch,
}

impl Lanes {
    /// Rows of the points; without offsets they are zero. Padding repeats the first entry, which changes no maximum.
    pub(super) fn new(points: &[Vec3], offsets: &[f64]) -> Self {
        let padded = points.len().next_multiple_of(WIDEST);
        let row = |of: &dyn Fn(usize) -> f64| (0..padded).map(|i| of(if i < points.len() { i } else { 0 })).collect();
        Self {
            x: row(&|i| points[i].x),
            y: row(&|i| points[i].y),
            z: row(&|i| points[i].z),
            offset: row(&|i| offsets.get(i).copied().unwrap_or(0.0)),
            index: row(&|i| i as f64),
            arch: Arch::new(),
        }
    }

    /// Index and value of the largest `p·d − offset`, the smallest index among equals; `(0, −∞)` where there are none.
    #[inline]
    pub(super) fn largest(&self, d: &Vec3) -> (usize, f64) {
        self.arch.dispatch(Largest { rows: self, d })
    }
}

struct Largest<'a> {
    rows: &'a Lanes,
    d: &'a Vec3,
}

impl WithSimd for Largest<'_> {
    type Output = (usize, f64);

    #[expect(clippy::inline_always, reason = "what is not inlined is not compiled for the chosen instruction set")]
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let (x, y) = (S::as_simd_f64s(&self.rows.x).0, S::as_simd_f64s(&self.rows.y).0);
        let (z, offset) = (S::as_simd_f64s(&self.rows.z).0, S::as_simd_f64s(&self.rows.offset).0);
        let index = S::as_simd_f64s(&self.rows.index).0;
        let n = x.len();
        if y.len() != n || z.len() != n || offset.len() != n || index.len() != n {
            return (0, f64::NEG_INFINITY);
        }
        let d = [simd.splat_f64s(self.d.x), simd.splat_f64s(self.d.y), simd.splat_f64s(self.d.z)];
        let mut best = simd.splat_f64s(f64::NEG_INFINITY);
        let mut at = simd.splat_f64s(0.0);
        let mut i = 0;
        while i < n {
            let here = value(simd, [x[i], y[i], z[i]], offset[i], d);
            let better = simd.greater_than_f64s(here, best);
            best = simd.select_f64s(better, here, best);
            at = simd.select_f64s(better, index[i], at);
            i += 1;
        }
        let largest = simd.reduce_max_f64s(best);
        let holds = simd.equal_f64s(best, simd.splat_f64s(largest));
        let first = simd.reduce_min_f64s(simd.select_f64s(holds, at, simd.splat_f64s(f64::INFINITY)));
        (first as usize, largest)
    }
}

/// `p·d − offset` in every lane. A function and not a closure: only what is inlined here is compiled for the instruction
/// set that was chosen.
#[expect(clippy::inline_always, reason = "see above")]
#[inline(always)]
fn value<S: Simd>(simd: S, p: [S::f64s; 3], offset: S::f64s, d: [S::f64s; 3]) -> S::f64s {
    let xy = simd.add_f64s(simd.mul_f64s(p[0], d[0]), simd.mul_f64s(p[1], d[1]));
    simd.sub_f64s(simd.add_f64s(xy, simd.mul_f64s(p[2], d[2])), offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_largest_is_found_whatever_the_length() {
        let mut seed = 1_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Few different values, so that ties are common.
            ((seed >> 33) % 7) as f64 - 3.0
        };
        let mut ties = 0;
        for n in 1..100 {
            let points: Vec<Vec3> = (0..n).map(|_| Vec3::new(next(), next(), next())).collect();
            let offsets: Vec<f64> = (0..n).map(|_| next()).collect();
            let d = Vec3::new(next(), next(), 0.5);
            for offsets in [&offsets[..], &[]] {
                let value = |i: usize| points[i].dot(&d) - offsets.get(i).copied().unwrap_or(0.0);
                let best = (0..n).map(value).fold(f64::NEG_INFINITY, f64::max);
                let first = (0..n).find(|&i| value(i) == best).expect("there is a largest");
                ties += usize::from((first + 1..n).any(|i| value(i) == best));
                assert_eq!(Lanes::new(&points, offsets).largest(&d), (first, best), "{n}");
            }
        }
        assert!(ties > 20, "the sample must hold ties: {ties}");
        assert_eq!(Lanes::new(&[], &[]).largest(&Vec3::x()), (0, f64::NEG_INFINITY));
    }
}
