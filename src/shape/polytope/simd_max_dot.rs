//! Finds the largest of many dot products, several at a time.

use crate::geom::Vec3;
use pulp::{Arch, Simd, WithSimd};

/// Number of lanes of the widest vector among the dispatched instruction sets. Rows are padded to a multiple of it.
const WIDEST: usize = 8;

/// Vectors `p` as rows of coordinates, all with an offset or all without, ready for `largest p·d − offset`.
///
/// The instruction set is chosen at run time. Every lane computes the same products and sums in the same order,
/// unfused, so the result has the same bits on every machine.
#[derive(Debug, Clone)]
pub(crate) struct PointRows {
    /// Number of points, without the padding.
    count: usize,
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    /// Offsets, as long as the other rows, or empty.
    offset: Vec<f64>,
    arch: Arch,
}

impl PointRows {
    /// Builds the rows of the points, with one offset a point or none at all. Padding repeats the first entry and
    /// changes no maximum.
    pub(crate) fn new(points: &[Vec3], offsets: &[f64]) -> Self {
        let padded = points.len().next_multiple_of(WIDEST);
        let row = |of: &dyn Fn(usize) -> f64| (0..padded).map(|i| of(if i < points.len() { i } else { 0 })).collect();
        Self {
            count: points.len(),
            x: row(&|i| points[i].x),
            y: row(&|i| points[i].y),
            z: row(&|i| points[i].z),
            offset: if offsets.is_empty() { Vec::new() } else { row(&|i| offsets[i]) },
            arch: Arch::new(),
        }
    }

    /// Number of points.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Point `i`.
    #[inline]
    pub(crate) fn point(&self, i: usize) -> Vec3 {
        Vec3::new(self.x[i], self.y[i], self.z[i])
    }

    /// Offset of point `i`; 0 without offsets.
    #[inline]
    pub(crate) fn offset(&self, i: usize) -> f64 {
        self.offset.get(i).copied().unwrap_or(0.0)
    }

    /// Returns index and value of the largest `p·d − offset`, the smallest index among equals; `(0, −∞)` without
    /// points.
    #[inline]
    pub(crate) fn largest(&self, d: &Vec3) -> (usize, f64) {
        self.arch.dispatch(Largest { rows: self, d })
    }
}

struct Largest<'a> {
    rows: &'a PointRows,
    d: &'a Vec3,
}

/// Indices within the first vector, as floating-point numbers: one comparison then selects value and index alike.
static PLACES: [f64; WIDEST] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

impl WithSimd for Largest<'_> {
    type Output = (usize, f64);

    #[expect(clippy::inline_always, reason = "what is not inlined is not compiled for the chosen instruction set")]
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let rows = self.rows;
        let (x, y) = (S::as_simd_f64s(&rows.x).0, S::as_simd_f64s(&rows.y).0);
        let (z, offset) = (S::as_simd_f64s(&rows.z).0, S::as_simd_f64s(&rows.offset).0);
        let n = x.len();
        let (Some(y), Some(z), Some(&first)) = (y.get(..n), z.get(..n), S::as_simd_f64s(&PLACES).0.first()) else {
            return (0, f64::NEG_INFINITY);
        };
        let d = [simd.splat_f64s(self.d.x), simd.splat_f64s(self.d.y), simd.splat_f64s(self.d.z)];
        let mut state = Best {
            value: simd.splat_f64s(f64::NEG_INFINITY),
            at: simd.splat_f64s(0.0),
            place: first,
            step: simd.splat_f64s(S::F64_LANES as f64),
        };
        let mut i = 0;
        if let Some(offset) = offset.get(..n).filter(|_| !offset.is_empty()) {
            while i < n {
                let dot = dot(simd, [x[i], y[i], z[i]], d);
                state = state.consider(simd, simd.sub_f64s(dot, offset[i]));
                i += 1;
            }
        } else {
            while i < n {
                state = state.consider(simd, dot(simd, [x[i], y[i], z[i]], d));
                i += 1;
            }
        }
        let largest = simd.reduce_max_f64s(state.value);
        let holds = simd.equal_f64s(state.value, simd.splat_f64s(largest));
        let place = simd.reduce_min_f64s(simd.select_f64s(holds, state.at, simd.splat_f64s(f64::INFINITY)));
        (place as usize, largest)
    }
}

/// Best value of every lane so far.
#[derive(Clone, Copy)]
struct Best<S: Simd> {
    value: S::f64s,
    at: S::f64s,
    /// Indices of the next vector; `step` is their increment.
    place: S::f64s,
    step: S::f64s,
}

impl<S: Simd> Best<S> {
    #[expect(clippy::inline_always, reason = "see above")]
    #[inline(always)]
    fn consider(self, simd: S, here: S::f64s) -> Self {
        let better = simd.greater_than_f64s(here, self.value);
        Self {
            value: simd.select_f64s(better, here, self.value),
            at: simd.select_f64s(better, self.place, self.at),
            place: simd.add_f64s(self.place, self.step),
            step: self.step,
        }
    }
}

/// Computes `p·d` in every lane. It is a function because closures are not inlined for certain.
#[expect(clippy::inline_always, reason = "see above")]
#[inline(always)]
fn dot<S: Simd>(simd: S, p: [S::f64s; 3], d: [S::f64s; 3]) -> S::f64s {
    let xy = simd.add_f64s(simd.mul_f64s(p[0], d[0]), simd.mul_f64s(p[1], d[1]));
    simd.add_f64s(xy, simd.mul_f64s(p[2], d[2]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::rng::Rng;

    #[test]
    fn first_maximum_is_found_for_any_length() {
        let mut rng = Rng::new(1);
        // Draws from few values to make ties common.
        let mut next = || rng.below(7) as f64 - 3.0;
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
                assert_eq!(PointRows::new(&points, offsets).largest(&d), (first, best), "{n}");
            }
        }
        assert!(ties > 20, "the sample must hold ties: {ties}");
        assert_eq!(PointRows::new(&[], &[]).largest(&Vec3::x()), (0, f64::NEG_INFINITY));
    }
}
