//! Where the vertices of a solid go when its surface moves inward, and how far that may be.

use crate::geom::math::{greater, lesser};
use crate::geom::triangle::{Triangle, point_triangle};
use crate::geom::{Pose, Vec3};
use crate::query::depth::inset::coplanar_extent::{Plane, continues_in_plane};
use crate::query::depth::inset::vertex_offset::{Known, SolidSide, VertexOffset, VertexOffsets, Wish, known, lacking};
use crate::query::depth::inset::vertex_split::{VertexSplit, off_segment, strip_triangles};
use crate::shape::surface::Surface;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// How far from a plane a surface may be that goes on in it, in roundings of the coordinates: planes of small triangles are tilted.
const FLAT_IN_ROUNDINGS: f64 = 8.0;

/// No more than this share of τ, since it comes off τ twice.
const FLAT_SHARE: f64 = 0.002;

/// But no less than this, in roundings: hardly a face would be flat.
const LEAST_FLAT_IN_ROUNDINGS: f64 = 0.25;

/// A rounding of more than this share of τ leaves too little to be gained.
const LARGEST_FLAT_SHARE: f64 = 0.02;

/// Triangles no lower than this many τ tell their plane themselves.
const OWN_PLANE_HEIGHT: f64 = 8.0;

/// In which plane a surface goes on beyond a triangle, and how far.
#[derive(Clone, Copy)]
enum Continuation {
    /// Under all places where its corners wish to go.
    All(Plane),
    /// As far as the triangles around each corner.
    Fans(Plane),
}

/// Where a vertex goes (A's frame): one place for all triangles, or one for each sector of them.
#[derive(Clone)]
enum VertexPosition {
    One(Vec3),
    Split(Rc<VertexSplit>),
}

/// Where the vertices of one solid go, computed as they are asked for: the surface sweeps over no point that is deeper than τ.
pub(crate) struct InsetSurface<'a> {
    surface: &'a Surface,
    pose: Option<&'a Pose>,
    /// How far points move, at most, from what is left of the surface where it goes on (see `flat`).
    tau: f64,
    /// How far from a plane it still goes on in that plane; 0 where every triangle stands for itself.
    flat: f64,
    wishes: VertexOffsets<'a>,
    /// By vertex.
    places: Known<VertexPosition>,
    /// By vertex: by how much those in one place move.
    ways: Known<Vec3>,
    /// By triangle.
    on: Known<Option<Continuation>>,
    /// By triangle.
    pieces: Known<Rc<[Triangle]>>,
    /// Whether any vertex that was asked for parts.
    parts: Cell<bool>,
}

impl<'a> InsetSurface<'a> {
    /// The vertices of a surface that `pose` places in A's frame, `None` for A itself. Where `rounding`, by which coordinates may be
    /// off, is more than 0 and little beside `tau` (all in mm), triangles in one plane count as one face, vertices follow planes that
    /// they lie closely behind, and part at reflex edges: more work, which allows faces to move by τ that else would move less.
    pub(crate) fn new(surface: &'a Surface, pose: Option<&'a Pose>, taken: SolidSide, tau: f64, rounding: f64) -> Self {
        let flat = if rounding <= LARGEST_FLAT_SHARE * tau {
            greater(LEAST_FLAT_IN_ROUNDINGS * rounding, lesser(FLAT_IN_ROUNDINGS * rounding, FLAT_SHARE * tau))
        } else {
            0.0
        };
        let tau = tau - 2.0 * flat;
        Self {
            surface,
            pose,
            tau,
            flat,
            wishes: VertexOffsets::new(surface, taken, tau, flat),
            places: RefCell::default(),
            ways: RefCell::default(),
            on: RefCell::default(),
            pieces: RefCell::default(),
            parts: Cell::new(false),
        }
    }

    /// Some place of a vertex, in A's frame: the only one, where every triangle stands for itself.
    pub(crate) fn at(&self, v: u32) -> Vec3 {
        match self.place(v) {
            VertexPosition::One(x) => x,
            VertexPosition::Split(split) => split.places[0],
        }
    }

    /// The corners of a triangle, in A's frame.
    pub(crate) fn triangle(&self, t: u32) -> Triangle {
        self.surface.triangles[t as usize].map(|v| self.corner(t, v))
    }

    /// Whether any vertex that was asked for parts, so that some triangles have more than one piece.
    pub(crate) fn parts(&self) -> bool {
        self.parts.get()
    }

    /// A triangle and what closes the surface where its vertices part, each piece for one of the triangles that it belongs to; in
    /// A's frame.
    pub(crate) fn pieces(&self, t: u32) -> Rc<[Triangle]> {
        known(&self.pieces, t, || {
            let s = self.surface;
            let ids = s.triangles[t as usize];
            let mut out: Vec<Triangle> = vec![self.triangle(t)];
            for (k, &v) in ids.iter().enumerate() {
                let end = ids[(k + 1) % 3];
                let (near, far) = (self.strip(v, end), self.strip(end, v));
                if (near.is_some() || far.is_some()) && t < s.neighbor_of(t, k) {
                    let mut near = near.unwrap_or_else(|| vec![self.corner(t, v)]);
                    let far = far.unwrap_or_else(|| vec![self.corner(t, end)]);
                    // Seen from the near end the other triangle comes first.
                    near.reverse();
                    strip_triangles(&near, &far, &mut out);
                }
                if let VertexPosition::Split(split) = self.place(v)
                    && split.sectors.around.iter().all(|r| t <= r.0)
                {
                    out.extend(split.cap());
                }
            }
            out.into()
        })
    }

    fn strip(&self, v: u32, end: u32) -> Option<Vec<Vec3>> {
        match self.place(v) {
            VertexPosition::One(_) => None,
            VertexPosition::Split(split) => split.strip(end).map(<[Vec3]>::to_vec),
        }
    }

    fn placed(&self, v: u32, d: &Vec3) -> Vec3 {
        let own = self.surface.vertices[v as usize];
        match self.pose {
            None => own + d,
            Some(pose) => pose.point(&own) + pose.direction(d),
        }
    }

    /// Where a corner of a triangle goes.
    fn corner(&self, t: u32, v: u32) -> Vec3 {
        match self.place(v) {
            VertexPosition::One(x) => x,
            VertexPosition::Split(split) => split.places[split.sectors.sector(t)],
        }
    }

    fn place(&self, v: u32) -> VertexPosition {
        known(&self.places, v, || match self.wishes.wish(v) {
            Wish::One(one) => VertexPosition::One(self.placed(v, &self.inward(v, &one))),
            Wish::Split(split) => self.parted(v, &split),
        })
    }

    /// A vertex in one place: within τ of all triangles at it, or of the faces that go on beyond them.
    fn inward(&self, v: u32, one: &VertexOffset) -> Vec3 {
        // A vertex that moves by no more than τ stays within τ of whatever it belongs to.
        if one.wish.norm_squared() <= self.tau * self.tau {
            return one.wish;
        }
        // Only vertices that part ask for others' ways, too.
        if self.flat > 0.0 { known(&self.ways, v, || self.way(v, one)) } else { self.way(v, one) }
    }

    /// The same of a vertex that wishes to move by more than τ.
    fn way(&self, v: u32, one: &VertexOffset) -> Vec3 {
        let mut around = Vec::with_capacity(12);
        self.surface.around_into(v, &mut around);
        let farthest = self.farthest(v, &one.wish, &around, &around);
        if farthest <= self.tau {
            return one.wish;
        }
        // The distance to what is convex and holds the vertex: of a shorter way it is shorter at least in proportion.
        let d = one.wish * (self.tau / farthest * (1.0 - 1e-9));
        if lacking(&one.needs, &d) > lacking(&one.needs, &one.plain) { d } else { one.plain }
    }

    /// A vertex that parts, unless an edge ends where another vertex, which does not part, goes too far from it.
    fn parted(&self, v: u32, split: &VertexSplit) -> VertexPosition {
        let s = self.surface;
        let around: Vec<u32> = split.sectors.around.iter().map(|r| r.0).collect();
        let at = s.vertices[v as usize];
        let strays = |end: u32| {
            let way = at - s.vertices[end as usize];
            let Wish::One(one) = self.wishes.wish(end) else { return false };
            off_segment(&self.inward(end, &one), &way) > self.tau
        };
        if split.ends().any(strays) || !self.stays_in_plane(v, split) {
            return VertexPosition::One(self.placed(v, &self.wishes.wish_of(v, &around, &around).plain));
        }
        let mut farthest = split.farthest * self.tau;
        for (sector, d) in split.places.iter().enumerate() {
            let of: Vec<u32> = split.sectors.around.iter().filter(|r| r.1 == sector).map(|r| r.0).collect();
            farthest = greater(farthest, self.farthest(v, d, &of, &around));
        }
        let back = lesser(1.0, self.tau / farthest * (1.0 - 1e-9));
        self.parts.set(true);
        VertexPosition::Split(Rc::new(split.mapped(|d| self.placed(v, &(d * back)))))
    }

    /// Whether the strip about the flat edge at which a vertex parts, if there is one, stays within τ of where the surface goes on in
    /// the plane there.
    fn stays_in_plane(&self, v: u32, split: &VertexSplit) -> bool {
        let Some(([t, next], end)) = split.sectors.flat_edge() else { return true };
        let s = self.surface;
        let plane = Plane::of(s, t);
        let [at, to] = [v, end].map(|v| s.vertices[v as usize]);
        let near = [t, next].map(|t| at + split.places[split.sectors.sector(t)]);
        let wish = self.wishes.wish(end);
        let far = [t, next].map(|t| to + wish.of(t));
        // Of a vertex in one place it is known by how much it comes nearer than it wishes; one that parts may come as far.
        let reached = |d: &Vec3| d.norm() <= self.tau || plane.height(&(to + d)).abs() <= self.tau;
        let far_reached = match &wish {
            Wish::One(one) => reached(&self.inward(end, one)),
            Wish::Split(_) => far.iter().all(|x| plane.height(x).abs() <= self.tau),
        };
        far_reached
            && near.iter().all(|x| plane.height(x).abs() <= self.tau)
            && height(&s.triangle(t)) > self.flat
            && continues_in_plane(s, t, &[near, far].concat(), &plane, self.flat)
    }

    /// How far a vertex that moves by `d` gets from triangles `of` it, or the faces that go on beyond them, at most.
    fn farthest(&self, v: u32, d: &Vec3, of: &[u32], around: &[u32]) -> f64 {
        let s = self.surface;
        let x = s.vertices[v as usize] + d;
        let mut farthest = 0.0;
        for &t in of {
            let own = point_triangle(&x, &s.triangle(t)).squared.sqrt();
            let far = match if own > self.tau { self.goes_on(t) } else { None } {
                None => own,
                Some(Continuation::All(plane)) => lesser(own, plane.height(&x).abs()),
                Some(Continuation::Fans(plane)) => lesser(own, (x - self.landing(&plane, around, &x)).norm()),
            };
            farthest = greater(farthest, far);
        }
        farthest
    }

    /// Whether the surface goes on, beyond a triangle, towards where its corners wish to go.
    fn goes_on(&self, t: u32) -> Option<Continuation> {
        if self.flat <= 0.0 {
            return None;
        }
        known(&self.on, t, || {
            let s = self.surface;
            // Which way an edge as short as rounding leads says nothing.
            if height(&s.triangle(t)) <= self.flat {
                return None;
            }
            let mut fans: [Vec<u32>; 3] = Default::default();
            for (fan, v) in fans.iter_mut().zip(s.triangles[t as usize]) {
                s.around_into(v, fan);
            }
            let plane = self.plane(t, &fans);
            let wishes = s.triangles[t as usize].map(|v| s.vertices[v as usize] + self.wishes.wish(v).of(t));
            if continues_in_plane(s, t, &wishes, &plane, self.flat) {
                return Some(Continuation::All(plane));
            }
            let landings: [Vec3; 3] = std::array::from_fn(|k| self.landing(&plane, &fans[k], &wishes[k]));
            continues_in_plane(s, t, &landings, &plane, self.flat).then_some(Continuation::Fans(plane))
        })
    }

    /// The plane of a triangle, or where that is a sliver, which rounding turns as it likes, of the tallest triangle around in
    /// whose plane it lies.
    fn plane(&self, t: u32, fans: &[Vec<u32>; 3]) -> Plane {
        let s = self.surface;
        let mut tallest = height(&s.triangle(t));
        let mut plane = Plane::of(s, t);
        if tallest >= OWN_PLANE_HEIGHT * self.tau {
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
}

/// The height of a triangle over its longest side.
pub(crate) fn height([a, b, c]: &[Vec3; 3]) -> f64 {
    let longest = greater((b - a).norm_squared(), greater((c - b).norm_squared(), (a - c).norm_squared())).sqrt();
    (b - a).cross(&(c - a)).norm() / longest
}
