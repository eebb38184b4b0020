//! Inward offset of each vertex of a solid under the constraints of adjacent and nearby planes.
//!
//! Every plane at a vertex should move inward by τ. The offset along the mean normal is always admissible, but may move
//! some planes by less. A damped least-squares solver then looks for an offset that satisfies all planes. The surface
//! in between is ignored here; [`super::surface`] applies its limits afterwards.

use crate::geom::math::{greater, lesser, rough_angle};
use crate::geom::{Mat3, Vec3};
use crate::query::depth::inset::found_offsets::FoundOffsets;
use crate::query::depth::inset::vertex_split::{Sectors, VertexSplit};
use crate::query::triangles::pairing::Pairing;
use crate::shape::surface::Surface;
use std::cell::RefCell;
#[expect(clippy::disallowed_types, reason = "looked up by key, never iterated")]
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Largest offset of a vertex (multiples of τ): at sharper corners the faces move by less than τ.
pub(crate) const MAX_OFFSET: f64 = 4.0;

/// The same limit for surfaces with blunt corners only (multiples of τ): a smaller limit leaves fewer candidate
/// crossings.
const MAX_OFFSET_BLUNT: f64 = 2.0;

/// The same limit for the two positions of a split convex vertex in a sweep (multiples of τ): two nearly coplanar faces
/// of the four put one of them far.
const MAX_RIDGE_OFFSET: f64 = 8.0;

/// Upper limit of solver steps; most corners take one or two.
const MAX_STEPS: usize = 8;

/// Damping of the least squares: directions with a smaller sum of squared constraints stay as they are.
const DAMPING: f64 = 1e-8;

/// Share of τ by which every face must move for the offset along the mean normal to be kept.
const FULL_MOVE_SHARE: f64 = 0.999;

/// Solver tolerance (share of τ): a plane this close counts as reached.
const SOLVER_TOLERANCE: f64 = 1e-6;

/// Upper limit of planes considered at one vertex.
const MAX_PLANES: usize = 64;

/// Least cosine between the outward normal of a plane and the offset along the mean normal for the plane to be the far
/// side of a thin wall.
const FAR_SIDE_COSINE: f64 = 0.5;

/// Side of a surface taken for the solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SolidSide {
    /// The enclosed side.
    Inside,
    /// The outer side.
    Outside,
}

impl SolidSide {
    fn sign(self) -> f64 {
        if self == Self::Inside { 1.0 } else { -1.0 }
    }
}

#[expect(clippy::disallowed_types, reason = "looked up by key, never iterated")]
pub(crate) type Known<T> = RefCell<HashMap<u32, T, rapidhash::fast::RandomState>>;

/// Cached value of a key, computed once.
pub(crate) fn known<T: Clone>(of: &Known<T>, key: u32, compute: impl FnOnce() -> T) -> T {
    if let Some(value) = of.borrow().get(&key) {
        return value.clone();
    }
    let value = compute();
    of.borrow_mut().insert(key, value.clone());
    value
}

/// Offset of a vertex demanded by the planes, before the limits of the surface in between (solid's frame, mm).
#[derive(Clone)]
pub(crate) enum Wish {
    One(Arc<VertexOffset>),
    Split(Arc<VertexSplit>),
}

impl Wish {
    /// Offset of a triangle's corner.
    pub(crate) fn of(&self, t: u32) -> Vec3 {
        match self {
            Self::One(one) => one.wish,
            Self::Split(split) => split.places[split.sectors.sector(t)],
        }
    }

    /// Visits the offsets behind the face of a triangle: that of its corner, and others that share the face.
    pub(crate) fn each_behind(&self, t: u32, mut visit: impl FnMut(&Vec3)) {
        match self {
            Self::One(one) => visit(&one.wish),
            Self::Split(split) => split.behind(t).for_each(|d| visit(&d)),
        }
    }
}

/// Offset for all triangles around a vertex, or for some of them (mm).
pub(crate) struct VertexOffset {
    pub wish: Vec3,
    /// Offset by τ along the mean inward normal; always admissible.
    pub plain: Vec3,
    /// Planes to be moved inward.
    pub needs: Vec<PlaneConstraint>,
}

/// Offset by τ along the mean inward normal of some triangles around a vertex (mm), and the planes of these triangles.
struct OwnPlanes {
    plain: Vec3,
    needs: Vec<PlaneConstraint>,
}

/// Offsets of one vertex that need the planes closely in front of it, one bit for each.
#[derive(Clone, Copy)]
struct LeftOffsets(u64);

impl LeftOffsets {
    fn add(&mut self, k: usize) {
        self.0 |= 1_u64.checked_shl(k as u32).unwrap_or(0);
    }

    /// True for every offset beyond the bits, too: more planes cost only time.
    fn is_left(self, k: usize) -> bool {
        k >= 64 || self.0 >> k & 1 == 1
    }
}

/// A plane to be moved inward.
#[derive(Clone, Copy)]
pub(crate) struct PlaneConstraint {
    /// Unit normal, outward.
    pub(super) normal: Vec3,
    /// Required inward movement (mm).
    pub(super) by: f64,
    /// True if the vertex lies on the plane.
    pub(super) own: bool,
}

impl PlaneConstraint {
    /// True if the plane has this normal (outward, length 1).
    pub(super) fn has_normal(&self, n: &Vec3) -> bool {
        self.normal.dot(n) > 1.0 - 1e-14
    }

    /// Surplus of the inward movement over the required one, if the plane's points move by `d` (mm).
    pub(super) fn over(&self, d: &Vec3) -> f64 {
        -self.normal.dot(d) - self.by
    }
}

/// Least surplus over all planes, if their points move by `d` (mm); negative if some plane moves too little.
pub(crate) fn lacking(needs: &[PlaneConstraint], d: &Vec3) -> f64 {
    needs.iter().map(|n| n.over(d)).fold(f64::INFINITY, lesser)
}

/// Vertex offsets of one solid, computed on demand.
pub(crate) struct VertexOffsets<'a> {
    pub surface: &'a Surface,
    pub taken: SolidSide,
    /// Intended inward movement of the faces (mm).
    pub tau: f64,
    /// Largest distance behind a plane for a vertex to lie in it (mm); 0 counts only the triangles at the vertex.
    pub flat: f64,
    /// Largest offset of a vertex (mm).
    pub farthest: f64,
    /// The same for the two positions of a split convex vertex (mm).
    pub farthest_of_ridge: f64,
    /// Offset of each vertex, and its limits.
    pub(super) found: Rc<FoundOffsets<'a>>,
}

/// Largest offset of a vertex of a surface (multiples of τ).
fn max_offset(surface: &Surface) -> f64 {
    greater(surface.miter(MAX_OFFSET), MAX_OFFSET_BLUNT)
}

/// Largest offset of a vertex of a pair, if its faces move by `tau` (mm).
pub(crate) fn slack(p: &Pairing, tau: f64) -> f64 {
    greater(max_offset(p.a), max_offset(p.b)) * tau
}

impl<'a> VertexOffsets<'a> {
    pub(crate) fn new(surface: &'a Surface, taken: SolidSide, tau: f64, flat: f64) -> Self {
        let farthest = max_offset(surface) * tau;
        Self { surface, taken, tau, flat, farthest, farthest_of_ridge: farthest, found: Rc::default() }
    }

    /// The same with long ridges: the two positions of a split convex vertex may lie farther.
    pub(crate) fn with_long_ridges(self) -> Self {
        Self { farthest_of_ridge: MAX_RIDGE_OFFSET * self.tau, ..self }
    }

    /// Takes the offsets found by `other`, of the same surface by the same `tau`, and shares new ones with it.
    pub(super) fn share_with(&mut self, other: &Self) {
        self.found = Rc::clone(&other.found);
    }

    /// Takes up offsets that the surface keeps, and returns them to it later. Offsets of an outside, without flat faces
    /// or with long ridges stay with this pair.
    pub(super) fn take_kept(&mut self) {
        if self.flat > 0.0 && self.taken == SolidSide::Inside && self.farthest_of_ridge == self.farthest {
            self.found = Rc::new(FoundOffsets::kept_by(self.surface, self.tau, self.flat));
        }
    }

    /// Offset of one vertex.
    pub(crate) fn wish(&self, v: u32) -> Wish {
        // Without flat faces each offset is read only once.
        if self.flat <= 0.0 {
            return self.new_wish(v);
        }
        known(self.found.wishes(), v, || self.new_wish(v))
    }

    fn new_wish(&self, v: u32) -> Wish {
        // Moving this vertex would open the surface at a dropped triangle without area.
        if self.surface.is_rough(v) {
            let none = Vec3::zeros();
            return Wish::One(Arc::new(VertexOffset { wish: none, plain: none, needs: Vec::new() }));
        }
        let mut around = Vec::with_capacity(12);
        self.surface.around_into(v, &mut around);
        let splits = self.flat > 0.0 && self.taken == SolidSide::Inside;
        if let Some(split) = splits.then(|| self.split(v, &around)).flatten() {
            return Wish::Split(Arc::new(split));
        }
        let one = self.wish_of(v, &around, &around);
        match splits.then(|| self.convex_split(v, &around, &one)).flatten() {
            Some(split) => Wish::Split(Arc::new(split)),
            None => Wish::One(Arc::new(one)),
        }
    }

    fn split(&self, v: u32, around: &[u32]) -> Option<VertexSplit> {
        let sectors = Sectors::of(self.surface, v, around, self.flat)?;
        // Keeps the strip of the flat edge within τ despite the solver tolerance.
        let scale = if sectors.flat_edge().is_some() { 1.0 - 2.0 * SOLVER_TOLERANCE } else { 1.0 };
        let own: Vec<_> = (0..sectors.count).map(|sector| self.own_planes(v, &sectors.faces(sector))).collect();
        let left = self.nearby_planes_left(v, around, &own);
        let place = |(k, own)| self.offset(v, around, own, left.is_left(k)).wish * scale;
        let places: Vec<Vec3> = own.into_iter().enumerate().map(place).collect();
        VertexSplit::new(self.surface, v, sectors, places, self.tau)
    }

    /// Offset of a vertex for some of the triangles around it.
    pub(crate) fn wish_of(&self, v: u32, of: &[u32], around: &[u32]) -> VertexOffset {
        let own = self.own_planes(v, of);
        let left = self.nearby_planes_left(v, around, std::slice::from_ref(&own));
        self.offset(v, around, own, left.is_left(0))
    }

    /// Offset of a vertex, given that along the mean normal and the planes at the vertex. `nearby` adds planes closely
    /// in front of the vertex.
    fn offset(&self, v: u32, around: &[u32], own: OwnPlanes, nearby: bool) -> VertexOffset {
        let OwnPlanes { plain, mut needs } = own;
        if nearby && !self.has_no_nearby_plane(v) {
            self.add_nearby_planes(v, around, &plain, &mut needs);
        }
        let mut wish = plain;
        if plain != Vec3::zeros() && !self.is_enough(&needs, &plain) {
            let d = self.solve_planes(plain, &needs, self.farthest);
            if lacking(&needs, &d) > lacking(&needs, &plain) {
                wish = d;
            }
        }
        VertexOffset { wish, plain, needs }
    }

    /// Offset by τ along the mean inward normal of some triangles around a vertex, and their planes.
    fn own_planes(&self, v: u32, of: &[u32]) -> OwnPlanes {
        let s = self.surface;
        let sign = self.taken.sign();
        let at = s.vertices[v as usize];
        let mut mean = Vec3::zeros();
        let mut needs: Vec<PlaneConstraint> = Vec::with_capacity(of.len());
        for &t in of {
            let ids = s.triangles[t as usize];
            let k = ids.iter().position(|&i| i == v).unwrap_or(0);
            let (p, q) = (s.vertices[ids[(k + 1) % 3] as usize] - at, s.vertices[ids[(k + 2) % 3] as usize] - at);
            let n = s.normal_if_cheap(t) * sign;
            mean += n * rough_angle(&p, &q);
            if !needs.iter().any(|m| m.has_normal(&n)) {
                needs.push(PlaneConstraint { normal: n, by: self.tau, own: true });
            }
        }
        let plain = mean.try_normalize(0.0).map_or_else(Vec3::zeros, |m| m * (-self.tau * (1.0 - 1e-12)));
        OwnPlanes { plain, needs }
    }

    /// True if the offset along the mean normal is kept for these planes.
    fn is_enough(&self, needs: &[PlaneConstraint], plain: &Vec3) -> bool {
        lacking(needs, plain) >= (FULL_MOVE_SHARE - 1.0) * self.tau
    }

    /// Finds the offsets along a mean normal that move their own planes, or planes closely in front of the vertex, by
    /// too little. One search for all offsets of the vertex. A list of all such planes would take longer: a test
    /// without a distance drops most triangles.
    fn nearby_planes_left(&self, v: u32, around: &[u32], own: &[OwnPlanes]) -> LeftOffsets {
        let mut left = LeftOffsets(0);
        // If the plain offset moves all planes far enough, it is the answer, and nearby planes change nothing.
        let moves = |k: &usize| self.flat > 0.0 && own[*k].plain != Vec3::zeros();
        let (enough, lacking): (Vec<usize>, Vec<usize>) =
            (0..own.len()).filter(moves).partition(|&k| self.is_enough(&own[k].needs, &own[k].plain));
        for k in lacking {
            left.add(k);
        }
        if enough.is_empty() {
            return left;
        }
        if self.has_no_nearby_plane(v) {
            return left;
        }
        let nearby = self.nearby_plane(v, around);
        let lacks = |t: u32| {
            let need = nearby(t)?;
            let mut found = LeftOffsets(0);
            for &k in &enough {
                let plain = &own[k].plain;
                if !self.is_far_side(&need, plain) && !self.is_enough(std::slice::from_ref(&need), plain) {
                    found.add(k);
                }
            }
            (found.0 != 0).then_some(found)
        };
        self.surface.within_where(&self.surface.vertices[v as usize], self.tau, lacks, |found| {
            left.0 |= found.0;
            !enough.iter().all(|&k| left.is_left(k))
        });
        left
    }

    /// True if the surface certainly has no plane closely in front of a vertex.
    fn has_no_nearby_plane(&self, v: u32) -> bool {
        self.taken == SolidSide::Inside && self.surface.is_clear_in_front(v, self.tau)
    }

    /// Adds the planes closely in front of a vertex: after they move inward, the vertex would lie outside of them.
    fn add_nearby_planes(&self, v: u32, around: &[u32], plain: &Vec3, needs: &mut Vec<PlaneConstraint>) {
        let nearby = self.nearby_plane(v, around);
        let counts = |t: u32| nearby(t).filter(|need| !self.is_far_side(need, plain));
        self.surface.within_where(&self.surface.vertices[v as usize], self.tau, counts, |need| {
            match needs.iter_mut().find(|m| !m.own && m.normal.dot(&need.normal) > 1.0 - 1e-9) {
                Some(same) => same.by = greater(same.by, need.by),
                None => needs.push(need),
            }
            needs.len() < MAX_PLANES
        });
    }

    /// The plane of a triangle, if a vertex lies closely behind it; `None` for those at the vertex.
    fn nearby_plane(&self, v: u32, around: &[u32]) -> impl Fn(u32) -> Option<PlaneConstraint> {
        let s = self.surface;
        let at = s.vertices[v as usize];
        move |t: u32| {
            let normal = s.normal_if_cheap(t) * self.taken.sign();
            let behind = -normal.dot(&(at - s.triangle(t)[0]));
            let by = self.tau - behind;
            let counts = behind > self.flat && by > 0.0 && !around.contains(&t);
            counts.then_some(PlaneConstraint { normal, by, own: false })
        }
    }

    /// True if a plane is the far side of a thin wall, for a vertex with this offset along its mean normal.
    fn is_far_side(&self, need: &PlaneConstraint, plain: &Vec3) -> bool {
        need.normal.dot(plain) >= FAR_SIDE_COSINE * self.tau
    }

    /// Offset satisfying all planes, as far as the solver and the length limit `most` (mm) allow. Each step solves for
    /// the planes at the vertex and for the unsatisfied ones (least squares). The damping is small: planes distinguished
    /// only by rounding cause no movement.
    pub(super) fn solve_planes(&self, start: Vec3, needs: &[PlaneConstraint], most: f64) -> Vec3 {
        let tau = self.tau;
        let mut d = start;
        for _ in 0..MAX_STEPS {
            let mut worst = 0.0;
            let mut normals = Mat3::from_diagonal_element(DAMPING);
            let mut missing = Vec3::zeros();
            for need in needs {
                let miss = need.over(&d);
                if need.own || miss < 0.0 {
                    worst = greater(worst, miss.abs());
                    normals += need.normal * need.normal.transpose();
                    missing += need.normal * miss;
                }
            }
            if worst <= SOLVER_TOLERANCE * tau {
                break;
            }
            let Some(factors) = normals.cholesky() else { break };
            let step = factors.solve(&missing);
            d += step;
            if step.norm_squared() <= SOLVER_TOLERANCE * SOLVER_TOLERANCE * tau * tau {
                break;
            }
        }
        // A movement slightly below τ leaves room for the rounding of the distance test itself.
        d *= 1.0 - 1e-9;
        let (length, most) = (d.norm(), most * (1.0 - 1e-9));
        if length > most {
            d *= most / length;
        }
        d
    }
}
