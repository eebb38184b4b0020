//! Tests the inset surfaces of two solids within boxes alone.
//!
//! Let L be a closed box without a crossing of the inset surfaces. About each connected part of one inset surface in L,
//! the other one has a constant winding number. Let it be below 1 for every part, and let one point of L have a winding
//! number below 1 about one of the surfaces. *Then no point of L is deeper than τ in both solids*: such a point has
//! winding numbers of at least 1 about both inset surfaces ([`certificate`](super::certificate)). The straight path from
//! it to that one point would leave this state through a part of one surface, at a winding number of at least 1 about
//! the other.
//!
//! With crossings in L, let K be a connected component of the points in L with winding numbers of at least 1 about both.
//! Its outer boundary consists of sheets, as in [`remaining_boxes`](super::remaining_boxes), and of parts of the faces of
//! L. Sheets with a common point are connected: at a corner, at an edge or by a crossing they form a group, and where a
//! surface crosses itself their boxes meet. Groups that end at a face of L count as one. After merging boxes that meet,
//! one box holds all sheets of the outer boundary. It holds K, unless K holds a face of L without any sheet, and so a
//! corner of L.
//!
//! Vertices keep their places unless one of their triangles is near the other surface in L.

use crate::geom::{Aabb, Vec3};
use crate::query::depth::inset::certificate::{InsetResult, InsetSurfaces};
use crate::query::depth::inset::sheets::Sheets;
use crate::query::depth::inset::vertex_offset::SolidSide;
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::per_triangle::PerTriangle;
use crate::query::triangles::triangle_bounds::BoundedTriangle;
use crate::query::triangles::{Piece, Pieces, visit_crossing_pieces};
use crate::shape::surface::winding_number::winding_of_pieces;
use std::rc::Rc;

/// Reduction of a box that holds the balls of all points asked for (share of τ): their centres lie deeper. At less than
/// τ, the crossings around a deep point lie in the box, and give the start of an ascent.
const SHRINK: f64 = 0.75;

/// Pieces of each inset surface that a test has looked up.
type KnownPieces = [PerTriangle<Pieces>; 2];

/// Box in which the inset surfaces are tested.
pub(crate) struct InsetBox {
    /// Box, grown by the margin (A's frame, mm): pieces are connected at common points in it.
    pub(super) inner: Aabb,
    /// Box, grown by twice the margin (A's frame, mm): pieces and crossings in it count.
    pub(super) outer: Aabb,
    /// Pair's η (mm).
    pub(super) margin: f64,
    /// Triangles of each surface with pieces that may reach the box.
    pub(super) near: [Vec<u32>; 2],
    /// Pairs of triangles with pieces that may cross in the box.
    pairs: Vec<[u32; 2]>,
}

impl InsetBox {
    /// Collects the triangles near a box (A's frame, mm); pieces lie at most `slack` (mm) from their triangles.
    fn new(p: &Pairing, bounds: &Aabb, slack: f64, margin: f64) -> Self {
        let [inner, outer] = [1.0, 2.0].map(|k| bounds.inflated(k * margin));
        let reach = slack + 4.0 * margin;
        let (center, radius) = (outer.center(), 0.5 * outer.diagonal() + reach);
        let mut near: [Vec<(Aabb, BoundedTriangle, u32)>; 2] = Default::default();
        for (near, side) in near.iter_mut().zip(p.sides()) {
            let found = |t: u32| {
                let corners = side.corners(t);
                let around = Aabb::of_points(&corners).inflated(reach);
                around.meets(&outer).then(|| (around, BoundedTriangle::new(corners), t))
            };
            side.surface.within_where(&side.local(&center), radius, found, |one| {
                near.push(one);
                true
            });
        }
        let axis = (outer.max - outer.min).imax();
        let [of_a, of_b] = &mut near;
        of_b.sort_by(|s, t| s.0.min[axis].total_cmp(&t.0.min[axis]).then(s.2.cmp(&t.2)));
        let mut pairs = Vec::new();
        for (around, f, i) in of_a.iter() {
            for (other, g, j) in &of_b[..of_b.partition_point(|t| t.0.min[axis] <= around.max[axis])] {
                if other.max[axis] >= around.min[axis]
                    && around.intersection(other).meets(&outer)
                    && around.meets(other)
                    && f.distance_bound(g, 2.0 * reach) <= 2.0 * reach
                {
                    pairs.push([*i, *j]);
                }
            }
        }
        Self { inner, outer, margin, near: near.map(|near| near.iter().map(|t| t.2).collect()), pairs }
    }

    /// Marks the vertices of all triangles in pairs.
    fn mark_moving(&self, p: &Pairing, moving: &mut [Vec<bool>; 2]) {
        for pair in &self.pairs {
            for (k, surface) in [p.a, p.b].into_iter().enumerate() {
                for v in surface.triangles[pair[k] as usize] {
                    moving[k][v as usize] = true;
                }
            }
        }
    }
}

impl<'a> InsetSurfaces<'a> {
    /// Prepares inset surfaces by `tau` (mm) to be tested within boxes alone (A's frame, mm). A box holds the balls of
    /// radius `tau` around all points asked for. `rounding` and `divides` as in [`Self::new`]; `margin` is the
    /// pair's η (mm). Cost: time proportional to the triangles near the boxes, and to their pairs with boxes that meet.
    pub(crate) fn within(
        pairing: Pairing<'a>,
        tau: f64,
        [rounding, margin]: [f64; 2],
        divides: bool,
        boxes: &[Aabb],
    ) -> Self {
        let mut insets = Self::new(pairing, SolidSide::Inside, tau, rounding, divides);
        let shrunk = boxes.iter().map(|bounds| bounds.inflated(2.0 * margin - SHRINK * tau));
        let parts: Vec<InsetBox> = shrunk
            .filter(|bounds| (bounds.max - bounds.min).min() >= 0.0)
            .map(|bounds| InsetBox::new(&pairing, &bounds, insets.slack, margin))
            .collect();
        let mut moving = [pairing.a, pairing.b].map(|s| vec![false; s.vertices.len()]);
        for part in &parts {
            part.mark_moving(&pairing, &mut moving);
        }
        let [a, b] = insets.surfaces;
        let [of_a, of_b] = moving.map(Rc::from);
        insets.surfaces = [a.moving(Some(of_a)), b.moving(Some(of_b))];
        insets.boxes = Some(parts.into());
        insets
    }

    /// Tests if no point of the boxes is deeper than τ in both solids.
    pub(super) fn certify_within(&self, boxes: &[InsetBox]) -> InsetResult {
        let mut known = self.no_pieces();
        for part in boxes {
            let mut met = None;
            self.crossings_within(part, &mut known, |_, _, x| {
                met = Some(x);
                false
            });
            if let Some(x) = met {
                return InsetResult::Meet(x);
            }
        }
        for part in boxes {
            let sheets = Sheets::new(self, part);
            for k in 0..2 {
                for patches in sheets.parts(k) {
                    let Some((x, inside)) = sheets.side_of(k, &patches) else { return InsetResult::Nested };
                    if inside {
                        return InsetResult::Meet(x);
                    }
                }
            }
            if !part.inner.corners().iter().any(|x| self.is_in_both(x) == Some(false)) {
                return InsetResult::Nested;
            }
        }
        InsetResult::Apart
    }

    /// Boxes (A's frame, mm) around every point of the tested boxes deeper than τ in both solids. `None` if there are
    /// more than `most` crossings or rays, a ray is undecided, or a triangle without area was dropped on the way.
    pub(super) fn remaining_boxes_within(&self, boxes: &[InsetBox], most: usize) -> Option<Vec<Aabb>> {
        let mut left: Vec<Aabb> = Vec::new();
        let mut known = self.no_pieces();
        for part in boxes {
            for mut found in self.remaining_boxes_of(part, &mut known, most)? {
                while let Some(k) = left.iter().position(|b| b.meets(&found)) {
                    found = found.union(&left.swap_remove(k));
                }
                left.push(found);
            }
        }
        Some(left)
    }

    fn remaining_boxes_of(&self, part: &InsetBox, known: &mut KnownPieces, most: usize) -> Option<Vec<Aabb>> {
        let mut crossings = Vec::new();
        self.crossings_within(part, known, |i, j, _| {
            crossings.push([i, j]);
            crossings.len() <= most
        });
        if crossings.len() > most {
            return None;
        }
        if part.inner.corners().iter().any(|x| self.is_in_both(x) != Some(false)) {
            return Some(vec![part.outer]);
        }
        Sheets::new(self, part).boxes(&crossings, most)
    }

    /// No pieces of either inset surface looked up yet.
    fn no_pieces(&self) -> KnownPieces {
        self.surfaces.each_ref().map(|inset| PerTriangle::new(inset.surface.triangles.len()))
    }

    /// Visits the pairs of pieces that cross in a box, each with a point near the crossing, until `visit` returns false.
    fn crossings_within(
        &self,
        part: &InsetBox,
        [known_a, known_b]: &mut KnownPieces,
        mut visit: impl FnMut(Piece, Piece, Vec3) -> bool,
    ) {
        let [a, b] = &self.surfaces;
        for &[i, j] in &part.pairs {
            let (of_a, of_b) = (known_a.of(i, || a.pieces(i)), known_b.of(j, || b.pieces(j)));
            let proceeds = visit_crossing_pieces((i, of_a), (j, of_b), &mut |s, t, x| {
                let common = Aabb::of_points(&of_a[s.1 as usize]).intersection(&Aabb::of_points(&of_b[t.1 as usize]));
                !common.meets(&part.outer) || visit(s, t, x)
            });
            if !proceeds {
                return;
            }
        }
    }

    /// Tests if the inset surface of solid `k` winds around a point; `None` if no ray decides.
    pub(super) fn winds(&self, k: usize, x: &Vec3) -> Option<bool> {
        let side = self.pairing.sides()[k];
        let pieces = |t: u32| self.surfaces[k].pieces(t);
        Some(winding_of_pieces(side.surface, side.pose, x, self.slack, pieces)? >= 1)
    }

    /// Tests if both inset surfaces wind around a point; `None` if no ray decides.
    fn is_in_both(&self, x: &Vec3) -> Option<bool> {
        match self.winds(0, x) {
            Some(false) => Some(false),
            first => match self.winds(1, x) {
                Some(false) => Some(false),
                second => Some(first? && second?),
            },
        }
    }
}
