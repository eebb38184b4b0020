//! Distance of two convex hulls.

use crate::geom::tolerance::{GJK_MAX_ITERATIONS, GJK_RELATIVE};
use crate::geom::{Pose, Vec3};
use crate::query::convex::simplex::{MinkowskiPoint, Reduced, Simplex};
use crate::shape::polytope::Convex;

/// How an iteration ended. Each ending leaves a valid interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GjkEnd {
    /// The lower bound passed the limit: nothing finer was asked for.
    BeyondLimit,
    /// The bounds agree to rounding, or no vertex is left that could bring them closer.
    Converged,
    /// The hulls touch or overlap as far as rounding can tell.
    Touching,
    /// The iteration cap.
    Capped,
}

/// Distance of two hulls: the truth lies in `[lower, upper]` up to the pair's rounding margin, in mm.
#[derive(Debug, Clone, Copy)]
pub struct Separation {
    /// Certified: `v·w/|v|` with `w` the true support point of A ⊖ B against `v`. Negative says nothing.
    pub lower: f64,
    /// Length of a vector from a point of B to a point of A. 0 when `NotApart`.
    pub upper: f64,
    /// Unit, from A to B: the axis on which `lower` was found. Zero vector before any was.
    pub axis: Vec3,
    /// How it ended.
    pub ending: GjkEnd,
    /// The last simplex; its combination is the pair of closest points.
    pub simplex: Simplex,
}

/// The two hulls and B's pose in A's centred frame.
#[derive(Clone, Copy)]
pub struct HullPair<'a> {
    /// The first hull.
    pub a: &'a Convex,
    /// The second hull.
    pub b: &'a Convex,
    /// B's centred frame in A's centred frame.
    pub b_in_a: &'a Pose,
}

impl HullPair<'_> {
    /// The point of A ⊖ B of two vertices.
    #[inline]
    pub fn point(&self, a: usize, b: usize) -> MinkowskiPoint {
        let w = self.a.vertices[a] - self.b_in_a.point(&self.b.vertices[b]);
        MinkowskiPoint { w, a: a as u32, b: b as u32 }
    }

    /// Support point of A ⊖ B along `d` by climbing from the vertices of `hint`.
    #[inline]
    pub fn walk_to_support(&self, d: &Vec3, hint: &MinkowskiPoint) -> MinkowskiPoint {
        let against = -(self.b_in_a.rotation.tr_mul(d));
        self.point(self.a.climb(d, hint.a as usize).0, self.b.climb(&against, hint.b as usize).0)
    }

    /// Whether [`Self::climb`] is certain already.
    #[inline]
    pub fn support_scans(&self) -> bool {
        self.a.climb_scans() && self.b.climb_scans()
    }

    /// Support point of A ⊖ B along `d` by scanning all vertices: certain up to rounding.
    #[inline]
    pub fn scan(&self, d: &Vec3) -> MinkowskiPoint {
        let against = -(self.b_in_a.rotation.tr_mul(d));
        self.point(self.a.scan(d).0, self.b.scan(&against).0)
    }
}

/// Distance of two hulls (Gilbert, Johnson & Keerthi 1988), stopping as soon as it is known to exceed `limit` (mm) by more
/// than `margin`, the pair's rounding margin; pass an infinite limit for the distance itself. Four to ten support points
/// as a rule.
pub fn separation(q: &HullPair, limit: f64, margin: f64) -> Separation {
    let start = q.a.inner_center - q.b_in_a.point(&q.b.inner_center);
    let start = if start.norm_squared() > 0.0 { start } else { Vec3::x() };
    let first = q.walk_to_support(&-start, &MinkowskiPoint { w: Vec3::zeros(), a: 0, b: 0 });
    let mut state = State {
        out: Separation {
            lower: f64::NEG_INFINITY,
            upper: first.w.norm(),
            axis: Vec3::zeros(),
            ending: GjkEnd::Capped,
            simplex: Simplex::new(first),
        },
        v: first.w,
        last: first,
    };
    for _ in 0..GJK_MAX_ITERATIONS {
        if let Some(ending) = state.step(q, limit, margin) {
            state.out.ending = ending;
            break;
        }
    }
    state.polish(q, margin);
    state.out
}

struct State {
    out: Separation,
    /// The simplex's point closest to the origin.
    v: Vec3,
    last: MinkowskiPoint,
}

impl State {
    fn step(&mut self, q: &HullPair, limit: f64, margin: f64) -> Option<GjkEnd> {
        let length = self.v.norm();
        if length <= margin {
            return Some(self.not_apart());
        }
        let away = -self.v / length;
        let mut w = q.walk_to_support(&away, &self.last);
        let mut lower = -away.dot(&w.w);
        let tight = GJK_RELATIVE * length;
        let tight = if tight > 0.25 * margin { tight } else { 0.25 * margin };
        let stuck = |w: &MinkowskiPoint, lower: f64, s: &Simplex| {
            lower > limit + margin || length - lower <= tight || s.contains(w)
        };
        // Whatever ends the iteration must rest on the true support point.
        if stuck(&w, lower, &self.out.simplex) {
            if !q.support_scans() {
                w = q.scan(&away);
                lower = -away.dot(&w.w);
            }
            self.note(lower, away);
            if lower > limit + margin {
                return Some(GjkEnd::BeyondLimit);
            }
            if stuck(&w, lower, &self.out.simplex) {
                return Some(GjkEnd::Converged);
            }
        }
        self.last = w;
        let before = self.out.simplex;
        match self.out.simplex.push(w) {
            Reduced::Enclosed => Some(self.not_apart()),
            Reduced::Outside(v) => {
                if v.norm_squared() >= length * length {
                    // Rounding rules from here on: keep what was known.
                    self.out.simplex = before;
                    let w = q.scan(&away);
                    self.note(-away.dot(&w.w), away);
                    return Some(GjkEnd::Converged);
                }
                self.v = v;
                self.out.upper = v.norm();
                None
            }
        }
    }

    fn note(&mut self, lower: f64, axis: Vec3) {
        if lower > self.out.lower {
            self.out.lower = lower;
            self.out.axis = axis;
        }
    }

    fn not_apart(&mut self) -> GjkEnd {
        self.out.upper = 0.0;
        GjkEnd::Touching
    }

    /// The upper bound from the weights, which are feasible whatever rounding did; and one more try at the lower bound
    /// along the normal of the last face, which keeps its digits when the gap is tiny beside the hulls.
    fn polish(&mut self, q: &HullPair, margin: f64) {
        if !matches!(self.out.ending, GjkEnd::Converged | GjkEnd::Capped) {
            return;
        }
        self.out.upper = self.out.simplex.combine(|p| p.w).norm();
        if self.out.ending == GjkEnd::Capped && self.out.axis == Vec3::zeros() && self.v.norm() > 0.0 {
            let away = -self.v.normalize();
            self.note(-away.dot(&q.scan(&away).w), away);
        }
        if self.out.upper - self.out.lower > margin
            && let Some(n) = self.out.simplex.normal()
        {
            let n = n.normalize();
            let away = if n.dot(&self.v) > 0.0 { -n } else { n };
            self.note(-away.dot(&q.scan(&away).w), away);
        }
    }
}
