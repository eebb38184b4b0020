//! Inset surface of a solid: position of each vertex after the inward offset, limited to a distance of τ.
//!
//! [`super::vertex_offset`] computes the offset demanded by the planes. This file limits it: no point may move farther
//! than τ from the triangles it belongs to, or from the faces continuing beyond them in plane. Offsets that are too
//! long are scaled back. At reflex edges a vertex may be split ([`super::vertex_split`]); strips and caps then close
//! the inset surface.

use crate::geom::math::{greater, lesser};
use crate::geom::triangle::{Triangle, point_triangle};
use crate::geom::{Pose, Vec3};
use crate::query::depth::inset::coplanar_extent::{Plane, continues_in_plane};
use crate::query::depth::inset::vertex_offset::{Known, SolidSide, VertexOffset, VertexOffsets, Wish, known, lacking};
use crate::query::depth::inset::vertex_split::{VertexSplit, off_segment, strip_triangles};
use crate::shape::surface::Surface;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Largest distance from a plane for a surface continuing in it (roundings of the coordinates): small triangles have
/// tilted planes.
const FLAT_IN_ROUNDINGS: f64 = 8.0;

/// Upper limit of this distance (share of τ), since it is subtracted from τ twice.
const FLAT_SHARE: f64 = 0.002;

/// Lower limit of this distance (roundings of the coordinates): below it hardly any face would be flat.
const LEAST_FLAT_IN_ROUNDINGS: f64 = 0.25;

/// Largest rounding (share of τ) for merging faces: beyond it the gain is too small.
const LARGEST_FLAT_SHARE: f64 = 0.02;

/// Least height of a triangle to define its own plane (multiples of τ).
const OWN_PLANE_HEIGHT: f64 = 8.0;

/// Continuation of a surface in a plane beyond a triangle: the plane and the extent.
#[derive(Clone, Copy)]
enum Continuation {
    /// Under all offset positions of the corners.
    All(Plane),
    /// Limited to the triangles around each corner.
    Fans(Plane),
}

/// Position of an offset vertex (A's frame, mm): one for all its triangles, or one for each sector.
#[derive(Clone)]
enum VertexPosition {
    One(Vec3),
    Split(Rc<VertexSplit>),
}

/// Inset surface of one solid, computed on demand. The swept region contains no point deeper than τ.
pub(crate) struct InsetSurface<'a> {
    surface: &'a Surface,
    pose: Option<&'a Pose>,
    /// Inset distance less twice `flat` (mm): the limit for every point, measured from the surface or from its
    /// continuation in plane.
    tau: f64,
    /// Largest distance from a plane for a surface continuing in it (mm); 0 treats every triangle separately.
    flat: f64,
    wishes: VertexOffsets<'a>,
    /// Position of each vertex.
    places: Known<VertexPosition>,
    /// Displacement of each unsplit vertex (mm).
    ways: Known<Vec3>,
    /// Continuation in plane beyond each triangle.
    on: Known<Option<Continuation>>,
    /// Pieces of each triangle, with strips and caps.
    pieces: Known<Rc<[Triangle]>>,
    /// True if any vertex computed so far is split.
    parts: Cell<bool>,
}

impl<'a> InsetSurface<'a> {
    /// Prepares the inset surface by `tau` (mm); `pose` places the surface in A's frame, `None` for A itself.
    /// `rounding` is the error of the coordinates (mm). If it is positive and small compared to `tau`, coplanar
    /// triangles count as one face, vertices respect the planes closely in front of them, and vertices split at reflex
    /// edges. This costs more, but more faces move by the full `tau`.
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

    /// Any position of a vertex (A's frame, mm); the only one unless the vertex is split.
    pub(crate) fn at(&self, v: u32) -> Vec3 {
        match self.place(v) {
            VertexPosition::One(x) => x,
            VertexPosition::Split(split) => split.places[0],
        }
    }

    /// Offset corners of a triangle (A's frame, mm).
    pub(crate) fn triangle(&self, t: u32) -> Triangle {
        self.surface.triangles[t as usize].map(|v| self.corner(t, v))
    }

    /// True if any vertex computed so far is split, so that some triangles have several pieces.
    pub(crate) fn parts(&self) -> bool {
        self.parts.get()
    }

    /// Pieces of a triangle (A's frame, mm): the offset triangle and the strips and caps at split vertices. Each strip
    /// and cap belongs to exactly one triangle.
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
                    // From the near end, the strip starts at the other triangle.
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

    /// Offset position of a triangle's corner.
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

    /// Displacement of an unsplit vertex: within τ of all its triangles, or of the faces continuing beyond them.
    fn inward(&self, v: u32, one: &VertexOffset) -> Vec3 {
        // A displacement of at most τ stays within τ of everything at the vertex.
        if one.wish.norm_squared() <= self.tau * self.tau {
            return one.wish;
        }
        // Only neighbouring split vertices read a displacement again.
        if self.flat > 0.0 { known(&self.ways, v, || self.way(v, one)) } else { self.way(v, one) }
    }

    /// Displacement of an unsplit vertex with an offset longer than τ.
    fn way(&self, v: u32, one: &VertexOffset) -> Vec3 {
        let mut around = Vec::with_capacity(12);
        self.surface.around_into(v, &mut around);
        let farthest = self.farthest(v, &one.wish, &around, &around);
        if farthest <= self.tau {
            return one.wish;
        }
        // The distance to a convex set containing the vertex decreases at least in proportion to the displacement.
        let d = one.wish * (self.tau / farthest * (1.0 - 1e-9));
        if lacking(&one.needs, &d) > lacking(&one.needs, &one.plain) { d } else { one.plain }
    }

    /// Position of a split vertex. The vertex stays unsplit if the unsplit other end of a reflex edge moves too far
    /// from this edge, or if the flat strip leaves its plane.
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

    /// Tests if the strip about the flat edge of a split stays within τ of the surface continuing in its plane. True
    /// without a flat edge.
    fn stays_in_plane(&self, v: u32, split: &VertexSplit) -> bool {
        let Some(([t, next], end)) = split.sectors.flat_edge() else { return true };
        let s = self.surface;
        let plane = Plane::of(s, t);
        let [at, to] = [v, end].map(|v| s.vertices[v as usize]);
        let near = [t, next].map(|t| at + split.places[split.sectors.sector(t)]);
        let wish = self.wishes.wish(end);
        let far = [t, next].map(|t| to + wish.of(t));
        // The displacement of an unsplit end is known; a split end moves by at most its offsets.
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

    /// Largest distance of a vertex, displaced by `d`, from its triangles `of` or from the faces continuing beyond them
    /// (mm).
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

    /// Continuation in plane beyond a triangle, towards the offset positions of its corners.
    fn goes_on(&self, t: u32) -> Option<Continuation> {
        if self.flat <= 0.0 {
            return None;
        }
        known(&self.on, t, || {
            let s = self.surface;
            // The direction of an edge as short as rounding is undefined.
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

    /// Plane of a triangle. A sliver, tilted by rounding, takes the plane of the tallest coplanar triangle around it.
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

    /// Point of a plane nearest to `x`, limited to the coplanar triangles around a vertex.
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

/// Height of a triangle over its longest side.
pub(crate) fn height([a, b, c]: &[Vec3; 3]) -> f64 {
    let longest = greater((b - a).norm_squared(), greater((c - b).norm_squared(), (a - c).norm_squared())).sqrt();
    (b - a).cross(&(c - a)).norm() / longest
}
