//! Finds the largest ball inside a convex solid by a small linear programme.
//!
//! The depth of a point in a convex solid is its distance to the nearest facet plane. The largest ball solves `max r :
//! nᵢ·x + r ≤ dᵢ` over all planes: four unknowns. A dual simplex with a 4×4 basis keeps dual feasibility. At every step
//! its objective bounds the optimum from above, its primal point is a witness from below, and their difference exposes
//! any numerical failure (R. Seidel, "Small-Dimensional Linear Programming and Convex Hulls Made Easy", 1991, for the
//! geometry; V. Chvátal, "Linear Programming", 1983, ch. 10, for the dual simplex).

use crate::geom::Vec3;
use crate::geom::math::{UNIT_ROUNDOFF, greater, lesser, norm1};
use crate::shape::polytope::{Convex, TETRAHEDRON};
use nalgebra::{Matrix4, Vector4};

/// Limit of pivots. More pivots mean a basis wandering by rounding; the bounds found so far are returned.
const MAX_PIVOTS: usize = 400;

/// Least usable pivot: smaller ones amplify rounding. Any basis gives valid bounds, so this value steers the search
/// only.
const MIN_PIVOT: f64 = 1e-12;

/// Early stop of the search: thickness certainly above `above`, or certainly at most `at_most` (mm).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goal {
    /// Stop once the lower bound exceeds this (mm).
    pub above: f64,
    /// Stop once the upper bound is at most this (mm).
    pub at_most: f64,
}

impl Goal {
    /// Continue until both bounds agree.
    pub const VALUE: Self = Self { above: f64::INFINITY, at_most: f64::NEG_INFINITY };
}

/// Bounds of the diameter of the largest ball in both hulls (mm): the true value lies in `[lower, upper]` up to the
/// pair's rounding margin. A negative upper bound proves the hulls apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thickness {
    /// Lower bound, certified: twice the radius of the ball around `center` (mm).
    pub lower: f64,
    /// Upper bound, certified: from the dual solution (mm).
    pub upper: f64,
    /// Best estimate between the bounds (mm): twice the depth of `center` under its nearest plane, without the slack.
    pub value: f64,
    /// Centre of the ball, in A's frame (mm).
    pub center: Vec3,
    /// Nearest facet of A and of B at `center`, each with the depth of `center` under it (mm); found with the last
    /// improvement of `center`.
    pub nearest: [(usize, f64); 2],
}

/// Half-space `normal·x ≤ offset`, with the depth of the queried point under it.
#[derive(Clone, Copy)]
pub(crate) struct Plane {
    pub normal: Vec3,
    pub offset: f64,
    pub depth: f64,
    /// Nearest facet of each solid and the depth under it (mm).
    pub nearest: [(usize, f64); 2],
}

/// Returns centre and certified radius (mm, >= 0) of the largest ball in a solid hull, in its centred frame.
pub fn inscribed(c: &Convex) -> (Vec3, f64) {
    let nearest = |x: &Vec3| {
        let (f, depth) = c.depth(x);
        Plane { normal: c.normal(f), offset: c.offset(f), depth, nearest: [(f, depth); 2] }
    };
    let solved = maximize(c, Some(Vec3::zeros()), Goal::VALUE, c.slack, nearest);
    let margin = crate::geom::tolerance::roundoff_mm(c.diameter, 0.0, 0.0);
    let radius = 0.5 * solved.lower - margin;
    if radius > 0.0 && c.inside_slivers(&solved.center) { (solved.center, radius) } else { (solved.center, 0.0) }
}

/// Solves the linear programme. `nearest` returns the plane nearest to a point, measured by depth.
pub(crate) fn maximize(
    a: &Convex,
    guess: Option<Vec3>,
    goal: Goal,
    slack: f64,
    nearest: impl Fn(&Vec3) -> Plane,
) -> Thickness {
    let tight = 16.0 * UNIT_ROUNDOFF * a.diameter;
    let mut best = Thickness {
        lower: f64::NEG_INFINITY,
        upper: f64::INFINITY,
        value: f64::NEG_INFINITY,
        center: a.inner_center,
        nearest: [(0, f64::NEG_INFINITY); 2],
    };
    let consider = |best: &mut Thickness, x: Vec3, plane: &Plane| {
        let lower = 2.0 * (plane.depth - slack);
        if lower > best.lower {
            (best.lower, best.value, best.center, best.nearest) = (lower, 2.0 * plane.depth, x, plane.nearest);
        }
        best.lower > goal.above
    };
    if let Some(x) = guess {
        let plane = nearest(&x);
        if consider(&mut best, x, &plane) {
            return best;
        }
    }
    let mut basis = Basis::from_supports(a);
    for _ in 0..MAX_PIVOTS {
        let Some(point) = basis.solve(a.diameter) else { break };
        best.upper = lesser(best.upper, 2.0 * point.dual);
        if best.upper <= goal.at_most {
            break;
        }
        let plane = nearest(&point.x);
        if consider(&mut best, point.x, &plane) || point.r - plane.depth <= tight {
            break;
        }
        if !basis.enter(&point, plane) {
            break;
        }
    }
    best.upper = greater(best.upper, best.lower);
    best.value = lesser(best.value, best.upper);
    best
}

/// Four planes with the origin in the convex hull of their normals.
struct Basis {
    planes: [(Vec3, f64); 4],
}

struct BasisPoint {
    x: Vec3,
    r: f64,
    /// Σ λ·d, plus the rounding residue of Σ λ·n times the box size: a valid bound after any sequence of pivots.
    dual: f64,
    lambda: Vector4<f64>,
    inverse_t: Matrix4<f64>,
}

impl Basis {
    /// Builds a basis from A's supporting planes along the four directions of a regular tetrahedron.
    fn from_supports(a: &Convex) -> Self {
        let planes = std::array::from_fn(|i| (Vec3::from(TETRAHEDRON[i]), a.tetrahedron[i]));
        Self { planes }
    }

    fn solve(&self, size: f64) -> Option<BasisPoint> {
        let rows = Matrix4::from_fn(|i, j| if j < 3 { self.planes[i].0[j] } else { 1.0 });
        let inverse = rows.try_inverse()?;
        let offsets = Vector4::from_fn(|i, _| self.planes[i].1);
        let y = inverse * offsets;
        let inverse_t = inverse.transpose();
        // Mᵀ λ = (0, 0, 0, 1)
        let lambda: Vector4<f64> = inverse_t.column(3).map(|l| greater(l, 0.0));
        let sum = lambda.sum();
        let left: Vec3 = (0..4).map(|i| self.planes[i].0 * lambda[i]).sum();
        let dual = (lambda.dot(&offsets) + norm1(&left) * size) / sum;
        (y.iter().all(|v| v.is_finite()) && sum > 0.5).then_some(BasisPoint {
            x: Vec3::new(y[0], y[1], y[2]),
            r: y[3],
            dual,
            lambda,
            inverse_t,
        })
    }

    /// Exchanges one plane of the basis for the violated plane. Returns false if the basis has it already or allows no
    /// exchange.
    fn enter(&mut self, at: &BasisPoint, plane: Plane) -> bool {
        let entering = (plane.normal, plane.offset);
        if self.planes.contains(&entering) {
            return false;
        }
        let column = Vector4::new(plane.normal.x, plane.normal.y, plane.normal.z, 1.0);
        let y = at.inverse_t * column;
        let mut leaving: Option<(usize, f64)> = None;
        for i in 0..4 {
            if y[i] > MIN_PIVOT {
                let ratio = at.lambda[i] / y[i];
                if leaving.is_none_or(|(k, best)| ratio < best || (ratio == best && y[i] > y[k])) {
                    leaving = Some((i, ratio));
                }
            }
        }
        let Some((i, _)) = leaving else { return false };
        self.planes[i] = entering;
        true
    }
}
