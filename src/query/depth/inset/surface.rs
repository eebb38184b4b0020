//! Inset surface of a solid: position of each vertex after the inward offset, limited to a distance of τ.
//!
//! [`super::vertex_offset`] computes the offset demanded by the planes. This file limits it: no point may move farther
//! than τ from the triangles it belongs to, or from the faces continuing beyond them in plane. Offsets that are too
//! long are scaled back. At reflex edges a vertex may be split ([`super::vertex_split`]); strips and caps then close
//! the inset surface.

use crate::geom::math::{greater, lesser};
use crate::geom::triangle::{Triangle, point_triangle};
use crate::geom::{Pose, Vec3};
use crate::query::depth::inset::coplanar_extent::{
    Plane, continues_in_plane, covers_in_plane, taller, triangle_height,
};
use crate::query::depth::inset::edge_cut::EdgeCut;
use crate::query::depth::inset::found_offsets::{Limits, SplitMove};
use crate::query::depth::inset::vertex_offset::{Known, SolidSide, VertexOffset, VertexOffsets, Wish, known, lacking};
use crate::query::depth::inset::vertex_split::VertexSplit;
use crate::query::triangles::Pieces;
use crate::shape::surface::Surface;
use smallvec::SmallVec;
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

/// Largest excess of a displacement over τ that is scaled back at once (share of τ). A larger one is first compared
/// with the faces that continue beyond the triangles.
const SCALED_BACK: f64 = 0.002;

/// Least height of a triangle to define its own plane (multiples of τ).
const OWN_PLANE_HEIGHT: f64 = 8.0;

/// Continuation of a surface in a plane beyond a triangle: the plane and the extent.
#[derive(Clone, Copy)]
pub(super) enum Continuation {
    /// Under all offset positions of the corners.
    All(Plane),
    /// Limited to the triangles around each corner.
    Fans(Plane),
}

/// Position of an offset vertex (A's frame, mm): one for all its triangles, or one for each sector.
#[derive(Clone)]
pub(super) enum VertexPosition {
    One(Vec3),
    Split(Rc<VertexSplit>),
}

/// Inset surface of one solid, computed on demand. The swept region contains no point deeper than τ.
pub(crate) struct InsetSurface<'a> {
    pub(crate) surface: &'a Surface,
    pose: Option<&'a Pose>,
    /// Inset distance less twice `flat` (mm): the limit for every point, measured from the surface or from its
    /// continuation in plane.
    pub(crate) tau: f64,
    /// Largest distance from a plane for a surface continuing in it (mm); 0 treats every triangle separately.
    pub(super) flat: f64,
    wishes: VertexOffsets<'a>,
    /// Position of each vertex.
    pub(super) places: Known<VertexPosition>,
    /// Pieces of each triangle, with strips and caps.
    pub(super) pieces: Known<Pieces>,
    /// Largest excess of a displacement over τ that is scaled back at once (share of τ).
    scaled_back: f64,
    /// True if long edges are divided.
    pub(crate) divides_edges: bool,
    /// Positions on each divided edge.
    pub(crate) cuts: Known<Option<Rc<EdgeCut>>>,
    /// True if any vertex computed so far is split.
    parts: Cell<bool>,
    /// True for each vertex that moves; all without a list.
    moving: Option<Rc<[bool]>>,
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
            pieces: RefCell::default(),
            scaled_back: SCALED_BACK,
            divides_edges: false,
            cuts: RefCell::default(),
            parts: Cell::new(false),
            moving: None,
        }
    }

    /// The same inset with the surface at another pose; keeps the offsets found so far.
    pub(crate) fn at_pose(self, pose: Option<&'a Pose>) -> Self {
        let (places, pieces, cuts) = (RefCell::default(), RefCell::default(), RefCell::default());
        Self { pose, places, pieces, cuts, parts: Cell::new(false), ..self }
    }

    /// Leaves all other vertices in place: any displacement of at most τ is valid for each vertex, and so is none.
    pub(crate) fn moving(self, moving: Option<Rc<[bool]>>) -> Self {
        Self { moving, ..self }
    }

    /// Divides long edges, so that faces move by almost τ except close to vertices with a short offset. Without effect
    /// for an outside, or without a rounding. Costs several pieces for each triangle with long edges.
    pub(crate) fn dividing_edges(self, divides: bool) -> Self {
        Self { divides_edges: divides && self.flat > 0.0 && self.wishes.taken == SolidSide::Inside, ..self }
    }

    /// Takes what `other` found for the same surface and the same `tau`, with or without divided edges, and shares new
    /// results with it: away from divided edges both have the same offsets. The same vertices move.
    pub(super) fn share_with(&mut self, other: &Self) {
        self.wishes.share_with(&other.wishes);
        self.moving.clone_from(&other.moving);
    }

    /// Takes up offsets that the surface keeps from other pairs, and returns them to it later. Comes before any position
    /// is computed.
    pub(super) fn take_kept_offsets(&mut self) {
        self.wishes.take_kept();
    }

    /// Moves more faces by the full τ, at more cost: positions of split convex vertices may lie farther, which makes
    /// more candidate pairs, and every displacement over τ is first compared with the faces beyond.
    pub(crate) fn with_full_moves(self) -> Self {
        Self { wishes: self.wishes.with_long_ridges(), scaled_back: 0.0, ..self }
    }

    /// Largest offset of a point on an edge (mm).
    pub(crate) fn farthest_on_edge(&self) -> f64 {
        self.wishes.farthest
    }

    /// Largest offset of a point (mm).
    pub(crate) fn farthest_offset(&self) -> f64 {
        greater(self.wishes.farthest, self.wishes.farthest_of_ridge)
    }

    /// Any position of a vertex (A's frame, mm); the only one unless the vertex is split.
    pub(crate) fn at(&self, v: u32) -> Vec3 {
        match self.place(v) {
            VertexPosition::One(at) => at,
            VertexPosition::Split(split) => split.places[0],
        }
    }

    /// Offset corners of a triangle (A's frame, mm).
    pub(crate) fn triangle(&self, t: u32) -> Triangle {
        // Written out: the compiler does not always inline the closure of an array's `map`.
        let [a, b, c] = self.surface.triangles[t as usize];
        [self.corner(t, a), self.corner(t, b), self.corner(t, c)]
    }

    /// True if any vertex computed so far is split, so that some triangles have several pieces.
    pub(crate) fn parts(&self) -> bool {
        self.parts.get()
    }

    /// Point displaced by `d` (both in the solid's frame), in A's frame (mm).
    pub(crate) fn placed(&self, x: &Vec3, d: &Vec3) -> Vec3 {
        match self.pose {
            None => x + d,
            Some(pose) => pose.point(x) + pose.direction(d),
        }
    }

    fn one(&self, v: u32, d: &Vec3) -> VertexPosition {
        VertexPosition::One(self.placed(&self.surface.vertices[v as usize], d))
    }

    /// Offset position of a triangle's corner.
    pub(super) fn corner(&self, t: u32, v: u32) -> Vec3 {
        match self.place(v) {
            VertexPosition::One(at) => at,
            VertexPosition::Split(split) => split.places[split.sectors.sector(t)],
        }
    }

    /// False for a vertex that keeps its place.
    pub(super) fn moves(&self, v: u32) -> bool {
        self.moving.as_ref().is_none_or(|moving| moving[v as usize])
    }

    pub(super) fn place(&self, v: u32) -> VertexPosition {
        if !self.moves(v) {
            return self.one(v, &Vec3::zeros());
        }
        known(&self.places, v, || match self.wishes.wish(v) {
            Wish::One(one) => self.one(v, &self.inward(v, &one)),
            Wish::Split(split) => self.parted(v, &split),
        })
    }

    /// Displacement of an unsplit vertex: within τ of all its triangles, or of the faces continuing beyond them.
    fn inward(&self, v: u32, one: &VertexOffset) -> Vec3 {
        // A displacement of at most τ stays within τ of everything at the vertex.
        if one.wish.norm_squared() <= self.tau * self.tau {
            return one.wish;
        }
        let mut around = Vec::with_capacity(12);
        self.surface.around_into(v, &mut around);
        let way = || self.way(v, one, &around);
        // Only neighbouring split vertices and insets with divided edges read a displacement again.
        if self.flat > 0.0 { known(&self.limits_at(&around).ways, v, way) } else { way() }
    }

    /// Limits that hold for some triangles.
    fn limits_at(&self, triangles: &[u32]) -> &Limits {
        self.wishes.found.limits(triangles.iter().any(|&t| self.may_divide(t)))
    }

    /// Displacement of an unsplit vertex with an offset longer than τ; `around` are the triangles at the vertex.
    fn way(&self, v: u32, one: &VertexOffset, around: &[u32]) -> Vec3 {
        let farthest = self.farthest(&self.surface.vertices[v as usize], &one.wish, around, around);
        if farthest <= self.tau {
            return one.wish;
        }
        // The distance to a convex set containing the vertex decreases at least in proportion to the displacement.
        let d = one.wish * (self.tau / farthest * (1.0 - 1e-9));
        if lacking(&one.needs, &d) > lacking(&one.needs, &one.plain) { d } else { one.plain }
    }

    /// Position of a split vertex. The vertex stays unsplit if the flat strip leaves its plane. It then moves along the
    /// mean normal, so by at most τ: a flat strip from the other end of an edge relies on that.
    ///
    /// The other end of a reflex edge may be unsplit: its position is within τ of a convex set that contains the edge,
    /// and so is the strip.
    fn parted(&self, v: u32, split: &VertexSplit) -> VertexPosition {
        // The limits of neighbours count, too: a vertex away from divided edges may have one at such an edge.
        let limits = self.wishes.found.limits(self.divides_edges);
        match known(&limits.splits, v, || self.split_move(v, split)) {
            SplitMove::Unsplit(d) => self.one(v, &d),
            SplitMove::Scaled(back) => {
                self.parts.set(true);
                let at = self.surface.vertices[v as usize];
                VertexPosition::Split(Rc::new(split.mapped(|d| self.placed(&at, &(d * back)))))
            }
        }
    }

    /// Limits the positions of a split vertex.
    fn split_move(&self, v: u32, split: &VertexSplit) -> SplitMove {
        let s = self.surface;
        let around: Vec<u32> = split.sectors.around.iter().map(|r| r.0).collect();
        let at = s.vertices[v as usize];
        if !self.stays_in_plane(v, split) {
            return SplitMove::Unsplit(self.wishes.wish_of(v, &around, &around).plain);
        }
        let mut farthest = split.farthest * self.tau;
        for (sector, d) in split.places.iter().enumerate() {
            farthest = greater(farthest, self.farthest(&at, d, &split.sectors.faces(sector), &around));
        }
        let back = lesser(1.0, self.tau / farthest * (1.0 - 1e-9));
        if split.sectors.are_convex() && back < 1.0 {
            let one = self.wishes.wish_of(v, &around, &around);
            if lacking(&one.needs, &one.plain) > (back - 1.0) * self.tau {
                return SplitMove::Unsplit(one.plain);
            }
        }
        SplitMove::Scaled(back)
    }

    /// Tests if the strip about the flat edge of a split stays within τ of the surface continuing in its plane. True
    /// without a flat edge.
    fn stays_in_plane(&self, v: u32, split: &VertexSplit) -> bool {
        let Some(([t, next], end)) = split.sectors.flat_edge() else { return true };
        let s = self.surface;
        let own = taller(s, [t, next]);
        let plane = Plane::of(s, own);
        let [at, to] = [v, end].map(|v| s.vertices[v as usize]);
        let near = [t, next].map(|t| at + split.places[split.sectors.sector(t)]);
        if triangle_height(&s.triangle(own)) <= self.flat {
            return false;
        }
        // Rounding tilts the planes of one face against each other. No corner of the edge is off this plane, so half of
        // the reduction of τ remains.
        let is_near = |x: &Vec3| plane.height(x).abs() <= self.tau + self.flat;
        if let Some(far) = self.point_near(v, end, &[t, next]) {
            let all = [near[0], near[1], far];
            return all.iter().all(is_near) && self.continues_along([t, next], [at, to], &all, &plane);
        }
        let wish = self.wishes.wish(end);
        let far = [t, next].map(|t| to + wish.of(t));
        // The displacement of an unsplit end is known; a split end moves by at most its offsets.
        let reached = |d: &Vec3| d.norm() <= self.tau || is_near(&(to + d));
        let far_reached = match &wish {
            Wish::One(one) => reached(&self.inward(end, one)),
            Wish::Split(_) => far.iter().all(is_near),
        };
        far_reached
            && near.iter().all(is_near)
            && self.continues_along([t, next], [at, to], &[near, far].concat(), &plane)
    }

    /// Tests if the surface covers some convex set in a plane that contains an edge and the projections of these
    /// points. `sides` are the triangles at the edge, `ends` its ends. Takes the hull of the first triangle, or that of
    /// the edge alone: beside a sharp reflex edge, a line from the third corner of a triangle to a projection leaves
    /// the surface.
    fn continues_along(&self, sides: [u32; 2], ends: [Vec3; 2], feet: &[Vec3], plane: &Plane) -> bool {
        let (s, flat) = (self.surface, self.flat);
        let all = [&ends, feet].concat();
        continues_in_plane(s, sides[0], feet, plane, flat)
            || sides.iter().any(|&t| covers_in_plane(s, t, &all, plane, flat))
    }

    /// Largest distance of a point, displaced by `d`, from its triangles `of` or from the faces continuing beyond them
    /// (mm). The point is a vertex or lies near it; `around` are the triangles at the vertex.
    pub(crate) fn farthest(&self, x: &Vec3, d: &Vec3, of: &[u32], around: &[u32]) -> f64 {
        let s = self.surface;
        let x = x + d;
        let mut farthest = 0.0;
        for &t in of {
            let own = point_triangle(&x, &s.triangle(t)).squared.sqrt();
            let far = match if own > self.tau * (1.0 + self.scaled_back) { self.goes_on(t) } else { None } {
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
        known(&self.limits_at(&[t]).on, t, || {
            let s = self.surface;
            // The direction of an edge as short as rounding is undefined.
            if triangle_height(&s.triangle(t)) <= self.flat {
                return None;
            }
            let corners = s.triangles[t as usize];
            let plane = self.plane(t);
            let mut wishes = self.edge_wishes(t);
            for (k, &v) in corners.iter().enumerate() {
                self.wishes.wish(v).each_behind(t, |d| wishes.push((k, s.vertices[v as usize] + d)));
            }
            let mut targets: SmallVec<[Vec3; 8]> = wishes.iter().map(|w| w.1).collect();
            if continues_in_plane(s, t, &targets, &plane, self.flat) {
                return Some(Continuation::All(plane));
            }
            let mut fan = Vec::with_capacity(12);
            for (k, &v) in corners.iter().enumerate() {
                s.around_into(v, &mut fan);
                let of_corner = wishes.iter().zip(&mut targets).filter(|(wish, _)| wish.0 == k);
                of_corner.for_each(|(_, x)| *x = self.landing(&plane, &fan, x));
            }
            continues_in_plane(s, t, &targets, &plane, self.flat).then_some(Continuation::Fans(plane))
        })
    }

    /// Plane of a triangle. A sliver, tilted by rounding, takes the plane of the tallest coplanar triangle around it.
    fn plane(&self, t: u32) -> Plane {
        let s = self.surface;
        let mut tallest = triangle_height(&s.triangle(t));
        let mut plane = Plane::of(s, t);
        if tallest >= OWN_PLANE_HEIGHT * self.tau {
            return plane;
        }
        let corners = s.triangle(t);
        let mut fan = Vec::with_capacity(12);
        for v in s.triangles[t as usize] {
            s.around_into(v, &mut fan);
            for &other in &fan {
                let height = triangle_height(&s.triangle(other));
                if height > tallest {
                    let there = Plane::of(s, other);
                    if corners.iter().all(|p| there.height(p).abs() <= self.flat) {
                        (tallest, plane) = (height, there);
                    }
                }
            }
        }
        plane
    }

    /// Projection of `x` onto a plane, limited to the given triangles that lie in the plane; unlimited if none does.
    fn landing(&self, plane: &Plane, triangles: &[u32], x: &Vec3) -> Vec3 {
        let mut best = (f64::INFINITY, *x);
        for &t in triangles {
            let corners = self.surface.triangle(t);
            if corners.iter().all(|p| plane.height(p).abs() <= self.flat) {
                let foot = point_triangle(x, &corners);
                if foot.squared < best.0 {
                    best = (foot.squared, foot.point);
                }
            }
        }
        plane.foot(&best.1)
    }
}
