//! Where the vertices of a solid wish to go when its surface moves inward: as far as the planes at them and close by ask, whatever lies
//! in between.

use crate::geom::math::{greater, lesser};
use crate::geom::{Mat3, Vec3};
use crate::query::depth::inset::vertex_split::{Sectors, VertexSplit};
use crate::query::triangles::pairing::Pairing;
use crate::shape::surface::Surface;
use std::cell::RefCell;
#[expect(clippy::disallowed_types, reason = "looked up by key, never iterated")]
use std::collections::HashMap;
use std::rc::Rc;

/// No vertex moves by more than this many τ: at sharper corners the faces move less than they might.
pub(crate) const MAX_OFFSET: f64 = 4.0;

/// Where no corner is sharper than such a way allows, no vertex moves by more than this many τ: fewer triangles may meet then.
const MAX_OFFSET_BLUNT: f64 = 2.0;

/// Steps towards the planes that should move, at most; most corners take one or two.
const MAX_STEPS: usize = 8;

/// Added to the squares of what planes tell of a direction: what none tells by more than this stays as it is.
const DAMPING: f64 = 1e-8;

/// Faces that move by this share of τ move far enough.
const FULL_MOVE_SHARE: f64 = 0.999;

/// What is off its plane by no more than this share of τ has reached it.
const SOLVER_TOLERANCE: f64 = 1e-6;

/// No more planes than this are looked at for one vertex.
const MAX_PLANES: usize = 64;

/// A plane whose outward normal has this cosine or more with the way of a vertex is the far side of a thin wall.
const FAR_SIDE_COSINE: f64 = 0.5;

/// Which side of a surface is taken for the solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SolidSide {
    /// What the surface encloses.
    Inside,
    /// Everything else.
    Outside,
}

impl SolidSide {
    fn sign(self) -> f64 {
        if self == Self::Inside { 1.0 } else { -1.0 }
    }
}

#[expect(clippy::disallowed_types, reason = "looked up by key, never iterated")]
pub(crate) type Known<T> = RefCell<HashMap<u32, T, rapidhash::fast::RandomState>>;

/// The value of a key, computed once.
pub(crate) fn known<T: Clone>(of: &Known<T>, key: u32, compute: impl FnOnce() -> T) -> T {
    if let Some(value) = of.borrow().get(&key) {
        return value.clone();
    }
    let value = compute();
    of.borrow_mut().insert(key, value.clone());
    value
}

/// Where a vertex would go if only the planes at it counted, from where it was (the solid's frame).
#[derive(Clone)]
pub(crate) enum Wish {
    One(Rc<VertexOffset>),
    Split(Rc<VertexSplit>),
}

impl Wish {
    /// Of a corner of a triangle.
    pub(crate) fn of(&self, t: u32) -> Vec3 {
        match self {
            Self::One(one) => one.wish,
            Self::Split(split) => split.places[split.sectors.sector(t)],
        }
    }
}

/// The wish of all triangles around a vertex, or of some of them.
pub(crate) struct VertexOffset {
    pub wish: Vec3,
    /// By τ along the mean normal, which is always admissible.
    pub plain: Vec3,
    /// The planes that should move.
    pub needs: Vec<PlaneConstraint>,
}

/// A plane that should move inward.
pub(crate) struct PlaneConstraint {
    /// Outward.
    normal: Vec3,
    /// By how much (mm).
    by: f64,
    /// Whether the vertex lies on it.
    own: bool,
}

impl PlaneConstraint {
    /// How much farther than needed the plane moves when its points move by `d`.
    fn over(&self, d: &Vec3) -> f64 {
        -self.normal.dot(d) - self.by
    }
}

/// The least that planes move farther than needed when their points move by `d`; negative where one does not move far enough.
pub(crate) fn lacking(needs: &[PlaneConstraint], d: &Vec3) -> f64 {
    needs.iter().map(|n| n.over(d)).fold(f64::INFINITY, lesser)
}

/// The wishes of the vertices of one solid, computed as they are asked for.
pub(crate) struct VertexOffsets<'a> {
    pub surface: &'a Surface,
    pub taken: SolidSide,
    /// How far faces should move (mm).
    pub tau: f64,
    /// What lies no farther than this behind a plane lies in it; 0 where only the triangles at a vertex count (mm).
    pub flat: f64,
    /// No vertex moves by more than this (mm).
    farthest: f64,
    /// By vertex.
    known: Known<Wish>,
}

/// How many τ vertices of a surface move at most.
fn max_offset(surface: &Surface) -> f64 {
    greater(surface.miter(MAX_OFFSET), MAX_OFFSET_BLUNT)
}

/// How far vertices of a pair move at most where its faces move by `tau` (mm).
pub(crate) fn slack(p: &Pairing, tau: f64) -> f64 {
    greater(max_offset(p.a), max_offset(p.b)) * tau
}

impl<'a> VertexOffsets<'a> {
    pub(crate) fn new(surface: &'a Surface, taken: SolidSide, tau: f64, flat: f64) -> Self {
        Self { surface, taken, tau, flat, farthest: max_offset(surface) * tau, known: RefCell::default() }
    }

    /// Of one vertex.
    pub(crate) fn wish(&self, v: u32) -> Wish {
        // Nobody else asks.
        if self.flat <= 0.0 {
            return self.new_wish(v);
        }
        known(&self.known, v, || self.new_wish(v))
    }

    fn new_wish(&self, v: u32) -> Wish {
        // A triangle without area opens unless its corners stay on their line.
        if self.surface.is_rough(v) {
            let none = Vec3::zeros();
            return Wish::One(Rc::new(VertexOffset { wish: none, plain: none, needs: Vec::new() }));
        }
        let mut around = Vec::with_capacity(12);
        self.surface.around_into(v, &mut around);
        let split = if self.flat > 0.0 && self.taken == SolidSide::Inside { self.split(v, &around) } else { None };
        match split {
            Some(split) => Wish::Split(Rc::new(split)),
            None => Wish::One(Rc::new(self.wish_of(v, &around, &around))),
        }
    }

    fn split(&self, v: u32, around: &[u32]) -> Option<VertexSplit> {
        let sectors = Sectors::of(self.surface, v, around)?;
        // What stays in a plane is held to τ without being cut back.
        let scale = if sectors.flat_edge().is_some() { 1.0 - 2.0 * SOLVER_TOLERANCE } else { 1.0 };
        let places = (0..sectors.count).map(|sector| {
            let of: Vec<u32> = sectors.around.iter().filter(|r| r.1 == sector).map(|r| r.0).collect();
            self.wish_of(v, &of, around).wish * scale
        });
        let places: Vec<Vec3> = places.collect();
        VertexSplit::new(self.surface, v, sectors, places, self.tau)
    }

    /// Where some of the triangles around a vertex would have it.
    pub(crate) fn wish_of(&self, v: u32, of: &[u32], around: &[u32]) -> VertexOffset {
        let (plain, needs) = self.needs(v, of, around);
        let mut wish = plain;
        if plain != Vec3::zeros() && lacking(&needs, &plain) < (FULL_MOVE_SHARE - 1.0) * self.tau {
            let d = self.solve_planes(plain, &needs);
            if lacking(&needs, &d) > lacking(&needs, &plain) {
                wish = d;
            }
        }
        VertexOffset { wish, plain, needs }
    }

    /// By τ along the mean normal of some of the triangles around a vertex, which is always admissible; and the planes that should
    /// move.
    fn needs(&self, v: u32, of: &[u32], around: &[u32]) -> (Vec3, Vec<PlaneConstraint>) {
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
            mean += n * libm::atan2(p.cross(&q).norm(), p.dot(&q));
            if !needs.iter().any(|m| m.normal.dot(&n) > 1.0 - 1e-14) {
                needs.push(PlaneConstraint { normal: n, by: self.tau, own: true });
            }
        }
        let plain = mean.try_normalize(0.0).map_or_else(Vec3::zeros, |m| m * (-self.tau * (1.0 - 1e-12)));
        if self.flat > 0.0 && plain != Vec3::zeros() {
            self.add_nearby_planes(v, around, &plain, &mut needs);
        }
        (plain, needs)
    }

    /// Adds the planes that a vertex lies closely behind: where they move inward, it would stay outside.
    fn add_nearby_planes(&self, v: u32, around: &[u32], plain: &Vec3, needs: &mut Vec<PlaneConstraint>) {
        let s = self.surface;
        let at = s.vertices[v as usize];
        let wanted = |t: u32| {
            let normal = s.normal_if_cheap(t) * self.taken.sign();
            let behind = -normal.dot(&(at - s.triangle(t)[0]));
            let by = self.tau - behind;
            let far_side = normal.dot(plain) >= FAR_SIDE_COSINE * self.tau;
            let counts = behind > self.flat && by > 0.0 && !far_side && !around.contains(&t);
            counts.then_some(PlaneConstraint { normal, by, own: false })
        };
        s.within_where(&at, self.tau, wanted, |need| {
            match needs.iter_mut().find(|m| !m.own && m.normal.dot(&need.normal) > 1.0 - 1e-9) {
                Some(same) => same.by = greater(same.by, need.by),
                None => needs.push(need),
            }
            needs.len() < MAX_PLANES
        });
    }

    /// To where all planes have moved by as much as they should, as far as that is possible and not too far: in steps to the nearest
    /// point where they have, of those that do not move enough and those at the vertex (least squares, damped so little that
    /// planes which rounding alone tells apart move nothing).
    fn solve_planes(&self, start: Vec3, needs: &[PlaneConstraint]) -> Vec3 {
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
        // Planes that move by a hair less than τ leave room for the rounding of the test itself.
        d *= 1.0 - 1e-9;
        let (length, most) = (d.norm(), self.farthest * (1.0 - 1e-9));
        if length > most {
            d *= most / length;
        }
        d
    }
}
