//! Computes the distance of two convex hulls (GJK).

use crate::geom::tolerance::{GJK_MAX_ITERATIONS, GJK_RELATIVE};
use crate::geom::{Pose, Vec3};
use crate::query::convex::simplex::{MinkowskiPoint, Reduced, Simplex};
use crate::shape::polytope::Convex;

/// Reason for the end of the iteration. The interval is valid in each case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GjkEnd {
    /// The lower bound exceeds the limit, so the iteration stopped early.
    BeyondLimit,
    /// The bounds agree to rounding, or no vertex can bring them closer.
    Converged,
    /// The hulls touch or overlap, up to rounding.
    Touching,
    /// The iteration cap was reached.
    Capped,
}

/// Distance of two hulls: the true distance lies in `[lower, upper]`, up to the pair's rounding margin (mm).
#[derive(Debug, Clone, Copy)]
pub struct Separation {
    /// Certified lower bound (mm): `v·w/|v|` with `w` the true support point of A ⊖ B against `v`. A negative value has
    /// no meaning.
    pub lower: f64,
    /// Length of a vector from a point of B to a point of A (mm). 0 for `Touching`.
    pub upper: f64,
    /// Unit direction of `lower`, from A to B (A's frame). Zero vector if no lower bound was computed.
    pub axis: Vec3,
    /// Reason for the end of the iteration.
    pub ending: GjkEnd,
    /// Last simplex; its combination gives the two closest points.
    pub simplex: Simplex,
}

/// Two hulls and B's pose in A's centred frame.
#[derive(Clone, Copy)]
pub struct HullPair<'a> {
    /// Hull of A.
    pub a: &'a Convex,
    /// Hull of B.
    pub b: &'a Convex,
    /// Pose of B's centred frame in A's centred frame.
    pub b_in_a: &'a Pose,
}

impl HullPair<'_> {
    /// Computes the point of A ⊖ B of two vertices.
    #[inline]
    pub fn point(&self, a: usize, b: usize) -> MinkowskiPoint {
        let w = self.a.vertices[a] - self.b_in_a.point(&self.b.vertices[b]);
        MinkowskiPoint { w, a: a as u32, b: b as u32 }
    }

    /// Finds a support point of A ⊖ B along `d` by climbing from the vertices of `hint`.
    #[inline]
    pub fn walk_to_support(&self, d: &Vec3, hint: &MinkowskiPoint) -> MinkowskiPoint {
        let against = -(self.b_in_a.rotation.tr_mul(d));
        self.point(self.a.climb(d, hint.a as usize).0, self.b.climb(&against, hint.b as usize).0)
    }

    /// True if [`Self::climb`] already scans all vertices, so its result is certain up to rounding.
    #[inline]
    pub fn support_scans(&self) -> bool {
        self.a.climb_scans() && self.b.climb_scans()
    }

    /// Finds the support point of A ⊖ B along `d` by scanning all vertices: certain up to rounding.
    #[inline]
    pub fn scan(&self, d: &Vec3) -> MinkowskiPoint {
        let against = -(self.b_in_a.rotation.tr_mul(d));
        self.point(self.a.scan(d).0, self.b.scan(&against).0)
    }
}

/// Computes the distance of two hulls (Gilbert, Johnson & Keerthi 1988). Stops as soon as the lower bound exceeds
/// `limit` (mm) by more than `margin`, the pair's rounding margin; an infinite limit gives the distance itself. Usually
/// takes four to ten support points.
pub fn separation(q: &HullPair, limit: f64, margin: f64) -> Separation {
    separation_from(q, q.b_in_a.point(&q.b.inner_center) - q.a.inner_center, limit, margin)
}

/// The same, from a direction of any length that is thought to point from A to B (A's frame). It changes the number of
/// support points.
pub fn separation_from(q: &HullPair, direction: Vec3, limit: f64, margin: f64) -> Separation {
    let direction = if direction.norm_squared() > 0.0 { direction } else { -Vec3::x() };
    let first = q.walk_to_support(&direction, &MinkowskiPoint { w: Vec3::zeros(), a: 0, b: 0 });
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
    /// Point of the simplex closest to the origin.
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
        // Every ending relies on the true support point, so a stuck climb is confirmed by a scan.
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
                    // Rounding dominates from here on: restore the last simplex.
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

    /// Computes the upper bound from the weights, feasible under any rounding. Tries the normal of the last face for a
    /// better lower bound: this normal keeps its digits if the gap is tiny relative to the hulls.
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
