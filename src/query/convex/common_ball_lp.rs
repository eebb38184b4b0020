//! Computes the largest ball in the intersection of two convex solids: the linear programme of [`ball_lp`] over the
//! planes of both.

use crate::geom::Vec3;
use crate::geom::math::lesser;
use crate::query::convex::gjk::HullPair;
use crate::shape::polytope::ball_lp::{self, Plane, maximize};

pub use ball_lp::{Goal, Thickness};

/// Brackets the depth of the overlap of two solids (`rank` 3), the diameter of their largest common ball. `guess` is
/// the point to try first (A's frame).
pub fn overlap(q: &HullPair, guess: Option<Vec3>, goal: Goal) -> Thickness {
    let slack = q.a.slack + q.b.slack;
    let nearest = |x: &Vec3| {
        let (fa, da) = q.a.depth(x);
        let in_b = q.b_in_a.rotation.tr_mul(&(x - q.b_in_a.translation));
        let (fb, db) = q.b.depth(&in_b);
        let nearest = [(fa, da), (fb, db)];
        if da <= db {
            Plane { normal: q.a.normal(fa), offset: q.a.offset(fa), depth: da, nearest }
        } else {
            let normal = q.b_in_a.direction(&q.b.normal(fb));
            Plane { normal, offset: q.b.offset(fb) + normal.dot(&q.b_in_a.translation), depth: db, nearest }
        }
    };
    let solved = maximize(q.a, guess, goal, slack, nearest);
    let in_b = q.b_in_a.rotation.tr_mul(&(solved.center - q.b_in_a.translation));
    if solved.lower > 0.0 && !(q.a.inside_slivers(&solved.center) && q.b.inside_slivers(&in_b)) {
        return Thickness { lower: f64::NEG_INFINITY, ..solved };
    }
    solved
}

/// Computes a lower bound of the diameter of the common ball at `x` (A's frame, mm); negative if `x` is outside one
/// solid.
pub fn at_point(q: &HullPair, x: &Vec3) -> f64 {
    let in_a = q.a.depth(x).1;
    if in_a <= 0.0 {
        return in_a;
    }
    let in_b = q.b_in_a.rotation.tr_mul(&(x - q.b_in_a.translation));
    let depth = lesser(in_a, q.b.depth(&in_b).1);
    if depth > 0.0 && !(q.a.inside_slivers(x) && q.b.inside_slivers(&in_b)) {
        return f64::NEG_INFINITY;
    }
    2.0 * (depth - q.a.slack - q.b.slack)
}
