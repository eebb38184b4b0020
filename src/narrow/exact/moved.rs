//! Where the vertices of a solid go when its surface moves inward, and how far that may be.

use super::super::surface::Surface;
use super::super::tri_tri::point_triangle;
use super::plane::{Plane, goes_on};
use crate::geom::math::{greater, lesser};
use crate::geom::{Pose, Vec3};
use std::cell::RefCell;
#[expect(clippy::disallowed_types, reason = "looked up by key, never iterated")]
use std::collections::HashMap;

/// No vertex moves by more than this many τ: at sharper corners the faces move less than they might.
pub(in crate::narrow) const FARTHEST: f64 = 4.0;

/// Projections onto the incident planes, at most; sharp corners take about thirty.
const MAX_SWEEPS: usize = 60;

/// Faces that move by this share of τ move far enough.
const FULL: f64 = 0.999;

/// How flat a surface must go on, at least, as a share of τ: else it is not asked, for it would cost more than it gains.
const FLAT_SHARE: f64 = 0.002;

/// How flat it must go on, in roundings of the coordinates: planes of small triangles are tilted by them.
const FLAT_IN_ROUNDINGS: f64 = 8.0;

/// Triangles no lower than this many τ tell their plane themselves.
const TALL: f64 = 8.0;

/// No more planes than this are looked at for one vertex.
const MAX_NEEDS: usize = 64;

/// Which side of a surface is taken for the solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::narrow) enum Taken {
    /// What the surface encloses.
    Inside,
    /// Everything else.
    Outside,
}

impl Taken {
    fn sign(self) -> f64 {
        if self == Self::Inside { 1.0 } else { -1.0 }
    }
}

/// In which plane a surface goes on beyond a triangle, and how far.
#[derive(Clone, Copy)]
enum Beyond {
    /// Under all places where its corners wish to go.
    All(Plane),
    /// As far as the triangles around each corner.
    Fans(Plane),
}

#[expect(clippy::disallowed_types, reason = "looked up by key, never iterated")]
type Known<T> = RefCell<HashMap<u32, T, rapidhash::fast::RandomState>>;

/// The value of a key, computed once.
fn known<T: Copy>(of: &Known<T>, key: u32, compute: impl FnOnce() -> T) -> T {
    if let Some(value) = of.borrow().get(&key) {
        return *value;
    }
    let value = compute();
    of.borrow_mut().insert(key, value);
    value
}

/// Where the vertices of one solid go, computed as they are asked for: the surface sweeps over no point that is deeper than τ.
pub(in crate::narrow) struct Moved<'a> {
    surface: &'a Surface,
    pose: Option<&'a Pose>,
    /// −1 where the outside is the solid.
    sign: f64,
    /// How far points move, at most, from what is left of the surface where it goes on (see `flat`).
    tau: f64,
    /// How far from a plane it still goes on in that plane; 0 where every triangle stands for itself.
    flat: f64,
    /// By vertex.
    places: Known<Vec3>,
    /// By vertex.
    wishes: Known<Vec3>,
    /// By triangle.
    on: Known<Option<Beyond>>,
}

impl<'a> Moved<'a> {
    /// The vertices of a surface that `pose` places in A's frame, `None` for A itself. Triangles within `flat` of one plane count as
    /// one face, unless that is 0 or too much beside `tau` (all in mm).
    pub(in crate::narrow) fn new(
        surface: &'a Surface,
        pose: Option<&'a Pose>,
        taken: Taken,
        tau: f64,
        flat: f64,
    ) -> Self {
        let most = FLAT_SHARE * tau;
        let flat = if flat <= most { lesser(FLAT_IN_ROUNDINGS * flat, most) } else { 0.0 };
        Self {
            surface,
            pose,
            sign: taken.sign(),
            tau: tau - 2.0 * flat,
            flat,
            places: RefCell::default(),
            wishes: RefCell::default(),
            on: RefCell::default(),
        }
    }

    /// In A's frame.
    pub(in crate::narrow) fn at(&self, v: u32) -> Vec3 {
        known(&self.places, v, || {
            let own = self.surface.vertices[v as usize];
            let d = self.inward(v);
            match self.pose {
                None => own + d,
                Some(pose) => pose.point(&own) + pose.direction(&d),
            }
        })
    }

    /// How a vertex moves, in the solid's frame: within τ of all triangles at it, or of the faces that go on beyond them.
    fn inward(&self, v: u32) -> Vec3 {
        let s = self.surface;
        let mut d = self.wish(v);
        // A vertex that moves by no more than τ stays within τ of whatever it belongs to.
        if d.norm_squared() <= self.tau * self.tau {
            return d;
        }
        let mut around = Vec::with_capacity(12);
        s.around_into(v, &mut around);
        let x = s.vertices[v as usize] + d;
        let mut farthest = 0.0;
        for &t in &around {
            let own = point_triangle(&x, &s.triangle(t)).squared.sqrt();
            let far = match if own > self.tau { self.goes_on(t) } else { None } {
                None => own,
                Some(Beyond::All(plane)) => lesser(own, plane.height(&x).abs()),
                Some(Beyond::Fans(plane)) => lesser(own, (x - self.landing(&plane, &around, &x)).norm()),
            };
            farthest = greater(farthest, far);
        }
        // The distance to what is convex and holds the vertex: of a shorter way it is shorter at least in proportion.
        if farthest > self.tau {
            d *= self.tau / farthest * (1.0 - 1e-9);
            let (plain, needs) = self.needs(v, &around);
            if lacking(&needs, &d) <= lacking(&needs, &plain) {
                return plain;
            }
        }
        d
    }

    /// Whether the surface goes on, beyond a triangle, towards where its corners wish to go.
    fn goes_on(&self, t: u32) -> Option<Beyond> {
        if self.flat <= 0.0 {
            return None;
        }
        known(&self.on, t, || {
            let s = self.surface;
            let mut fans: [Vec<u32>; 3] = Default::default();
            for (fan, v) in fans.iter_mut().zip(s.triangles[t as usize]) {
                s.around_into(v, fan);
            }
            let plane = self.plane(t, &fans);
            let wishes = s.triangles[t as usize].map(|v| s.vertices[v as usize] + self.wish(v));
            if goes_on(s, t, &wishes, &plane, self.flat) {
                return Some(Beyond::All(plane));
            }
            let landings = std::array::from_fn(|k| self.landing(&plane, &fans[k], &wishes[k]));
            goes_on(s, t, &landings, &plane, self.flat).then_some(Beyond::Fans(plane))
        })
    }

    /// The plane of a triangle, or where that is a sliver, which rounding turns as it likes, of the tallest triangle around in
    /// whose plane it lies.
    fn plane(&self, t: u32, fans: &[Vec<u32>; 3]) -> Plane {
        let s = self.surface;
        let mut tallest = height(&s.triangle(t));
        let mut plane = Plane::of(s, t);
        if tallest >= TALL * self.tau {
            return plane;
        }
        let corners = s.triangle(t);
        for &other in fans.iter().flatten() {
            let height = height(&s.triangle(other));
            if height > tallest {
                let there = Plane::of(s, other);
                if corners.iter().all(|p| there.height(p).abs() <= self.flat) {
                    (tallest, plane) = (height, there);
                }
            }
        }
        plane
    }

    /// The point of a plane that is nearest to `x`, as far as the triangles around a vertex lie in it.
    fn landing(&self, plane: &Plane, around: &[u32], x: &Vec3) -> Vec3 {
        let s = self.surface;
        let mut best = (f64::INFINITY, *x);
        for &t in around {
            let foot = point_triangle(x, &s.triangle(t));
            if foot.squared < best.0 && plane.height(&foot.point).abs() <= self.flat {
                best = (foot.squared, foot.point);
            }
        }
        plane.foot(&best.1)
    }

    /// Where a vertex would go if only the planes at it counted, and those it comes close to.
    fn wish(&self, v: u32) -> Vec3 {
        known(&self.wishes, v, || {
            // A triangle without area opens unless its corners stay on their line.
            if self.surface.is_rough(v) {
                return Vec3::zeros();
            }
            let mut around = Vec::with_capacity(12);
            self.surface.around_into(v, &mut around);
            let (plain, needs) = self.needs(v, &around);
            if plain == Vec3::zeros() {
                return plain;
            }
            let enough = (FULL - 1.0) * self.tau;
            if lacking(&needs, &plain) >= enough {
                return plain;
            }
            let d = self.onto_planes(plain, &needs);
            if lacking(&needs, &d) > lacking(&needs, &plain) { d } else { plain }
        })
    }

    /// By τ along the mean normal, which is always admissible; and the planes that should move.
    fn needs(&self, v: u32, around: &[u32]) -> (Vec3, Vec<Need>) {
        let s = self.surface;
        let at = s.vertices[v as usize];
        let mut mean = Vec3::zeros();
        let mut needs: Vec<Need> = Vec::with_capacity(around.len());
        for &t in around {
            let ids = s.triangles[t as usize];
            let k = ids.iter().position(|&i| i == v).unwrap_or(0);
            let (p, q) = (s.vertices[ids[(k + 1) % 3] as usize] - at, s.vertices[ids[(k + 2) % 3] as usize] - at);
            let n = s.normal(t) * self.sign;
            mean += n * libm::atan2(p.cross(&q).norm(), p.dot(&q));
            if !needs.iter().any(|m| m.normal.dot(&n) > 1.0 - 1e-14) {
                needs.push(Need { normal: n, by: self.tau, own: true });
            }
        }
        let plain = mean.try_normalize(0.0).map_or_else(Vec3::zeros, |m| m * (-self.tau * (1.0 - 1e-12)));
        if self.flat > 0.0 {
            self.add_near(v, around, &plain, &mut needs);
        }
        (plain, needs)
    }

    /// Adds the planes that a vertex lies closely behind: where they move inward, it would stay outside.
    fn add_near(&self, v: u32, around: &[u32], plain: &Vec3, needs: &mut Vec<Need>) {
        let s = self.surface;
        let at = s.vertices[v as usize];
        s.within(&at, self.tau, |t| {
            let n = s.normal(t) * self.sign;
            let behind = -n.dot(&(at - s.triangle(t)[0]));
            let by = self.tau - behind;
            // What faces the other way is the far side of a thin wall.
            if behind > self.flat && by > 0.0 && !around.contains(&t) && n.dot(plain) < 0.5 * self.tau {
                match needs.iter_mut().find(|m| !m.own && m.normal.dot(&n) > 1.0 - 1e-9) {
                    Some(same) => same.by = greater(same.by, by),
                    None => needs.push(Need { normal: n, by, own: false }),
                }
            }
            needs.len() < MAX_NEEDS
        });
    }

    /// To where all planes have moved by as much as they should, as far as that is possible and not too far.
    fn onto_planes(&self, start: Vec3, needs: &[Need]) -> Vec3 {
        let tau = self.tau;
        let mut d = start;
        for _ in 0..MAX_SWEEPS {
            let mut worst = 0.0;
            for need in needs {
                let miss = need.over(&d);
                if need.own || miss < 0.0 {
                    worst = greater(worst, miss.abs());
                    d += need.normal * miss;
                }
            }
            if worst <= 1e-6 * tau {
                break;
            }
        }
        // Planes that move by a hair less than τ leave room for the rounding of the test itself.
        d *= 1.0 - 1e-9;
        let length = d.norm();
        if length > FARTHEST * tau * (1.0 - 1e-9) {
            d *= FARTHEST * tau * (1.0 - 1e-9) / length;
        }
        d
    }
}

/// A plane that should move inward.
struct Need {
    /// Outward.
    normal: Vec3,
    /// By how much (mm).
    by: f64,
    /// Whether the vertex lies on it.
    own: bool,
}

impl Need {
    /// How much farther than needed the plane moves when its points move by `d`.
    fn over(&self, d: &Vec3) -> f64 {
        -self.normal.dot(d) - self.by
    }
}

/// The least that planes move farther than needed when their points move by `d`; negative where one does not move far enough.
fn lacking(needs: &[Need], d: &Vec3) -> f64 {
    needs.iter().map(|n| n.over(d)).fold(f64::INFINITY, lesser)
}

/// The height of a triangle over its longest side.
pub(super) fn height([a, b, c]: &[Vec3; 3]) -> f64 {
    let longest = greater((b - a).norm_squared(), greater((c - b).norm_squared(), (a - c).norm_squared())).sqrt();
    (b - a).cross(&(c - a)).norm() / longest
}
