//! Computes boxes around all points deeper than τ in both solids, for intersecting inset surfaces.
//!
//! At every such point both inset surfaces have a winding number of at least 1, see
//! [`certificate`](super::certificate). Let K be a connected component of all points with this property. The outer
//! boundary of K consists of sheets of one inset surface inside the other. A sheet without crossings is a whole shell
//! inside the other solid; no boxes are returned then. In every other sheet, shared vertices and crossings connect all
//! pieces to a crossing piece. A sheet contains only the part of a crossing piece inside the other inset surface. Boxes
//! around sheets with a common point intersect. After merging intersecting boxes, one box therefore contains K.

use crate::geom::triangle::Triangle;
use crate::geom::{Aabb, Vec3};
use crate::query::depth::inset::certificate::InsetSurfaces;
use crate::query::depth::inset::surface::InsetSurface;
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::{Piece, intersections_of_pieces};
use crate::shape::surface::Surface;
use crate::shape::surface::winding_number::winding_of_pieces;
use std::cell::Cell;
use std::collections::BTreeMap;

/// Upper limit of crossings: with more, the boxes would cover nearly everything.
const MAX_CROSSINGS: usize = 4096;

/// Upper limit of rays, one for each piece or corner tested for being inside the other solid.
const MAX_RAYS: usize = 4096;

/// Upper limit of boxes; beyond it all are merged into one.
const MAX_BOXES: usize = 64;

/// Boxes (A's frame, mm) around every point deeper than τ in both closed solids; `margin` is the pair's η (mm). `None`
/// if a limit is exceeded, the ray of a piece is undecided, a shell may be nested, a triangle without area was dropped
/// at a vertex on the way, or τ <= 0. Cost: a full crossing test, plus one ray for each group of connected pieces near
/// a crossing, and for each corner with crossing pieces alone.
pub(crate) fn remaining_boxes(insets: &InsetSurfaces, margin: f64) -> Option<Vec<Aabb>> {
    if insets.tau <= 0.0 {
        return None;
    }
    if let Some(boxes) = &insets.boxes {
        return insets.remaining_boxes_within(boxes, MAX_CROSSINGS).map(few_boxes);
    }
    let mut left = RemainingBoxes {
        p: &insets.pairing,
        moved: &insets.surfaces,
        slack: insets.slack,
        crossed: Default::default(),
        sides: Default::default(),
        corners: Default::default(),
        rays: Cell::new(0),
    };
    let pairs = left.cross()?;
    let mut boxes: Vec<Aabb> = Vec::new();
    for [i, _] in pairs {
        if left.sides[0].contains_key(&i) {
            continue;
        }
        let mut found = left.around(i)?.inflated(2.0 * margin);
        while let Some(k) = boxes.iter().position(|b| b.meets(&found)) {
            found = found.union(&boxes.swap_remove(k));
        }
        boxes.push(found);
    }
    (0..2).all(|k| !left.has_nested_shell(k)).then(|| few_boxes(boxes))
}

/// Merges all boxes into one if they are many.
fn few_boxes(boxes: Vec<Aabb>) -> Vec<Aabb> {
    if boxes.len() <= MAX_BOXES { boxes } else { vec![boxes.iter().fold(Aabb::EMPTY, |all, b| all.union(b))] }
}

/// Bits of the coordinates of a point.
pub(super) fn bits(x: &Vec3) -> [u64; 3] {
    [x.x.to_bits(), x.y.to_bits(), x.z.to_bits()]
}

struct RemainingBoxes<'a> {
    p: &'a Pairing<'a>,
    moved: &'a [InsetSurface<'a>; 2],
    slack: f64,
    /// Crossing partners of each crossing piece.
    crossed: [BTreeMap<Piece, Vec<Piece>>; 2],
    /// Visited pieces: true if the piece crosses the other inset surface or lies inside it.
    sides: [BTreeMap<Piece, bool>; 2],
    /// Known corners of pieces (bits of the coordinates): true if inside the other inset surface. Pieces without
    /// crossings that have a common corner lie on one side, so that most need no ray.
    corners: [BTreeMap<[u64; 3], bool>; 2],
    rays: Cell<usize>,
}

impl<'a> RemainingBoxes<'a> {
    /// Finds all pairs of crossing pieces.
    fn cross(&mut self) -> Option<Vec<[Piece; 2]>> {
        let mut pairs = Vec::new();
        let [a, b] = self.moved;
        intersections_of_pieces(
            self.p,
            self.slack,
            None,
            |i| a.pieces(i),
            |j| b.pieces(j),
            |_, _| true,
            |i, j, _| {
                pairs.push([i, j]);
                pairs.len() <= MAX_CROSSINGS
            },
        );
        if pairs.len() > MAX_CROSSINGS {
            return None;
        }
        for &[i, j] in &pairs {
            self.crossed[0].entry(i).or_default().push(j);
            self.crossed[1].entry(j).or_default().push(i);
        }
        Some(pairs)
    }

    fn surface(&self, k: usize) -> &'a Surface {
        if k == 0 { self.p.a } else { self.p.b }
    }

    /// Box around everything connected to a crossing piece of A. The box holds only the part of a crossing piece inside
    /// the other inset surface: its corners there, and its crossings. A corner with an undecided ray counts as inside.
    fn around(&mut self, first: Piece) -> Option<Aabb> {
        let mut bounds = Aabb::EMPTY;
        let mut stack = vec![(0, first)];
        let mut of_crossing = Vec::new();
        self.sides[0].insert(first, true);
        while let Some((k, piece)) = stack.pop() {
            for next in self.beside(k, piece)? {
                if self.sides[k].contains_key(&next) {
                    continue;
                }
                let inside = self.crossed[k].contains_key(&next) || self.is_piece_inside(k, next)?;
                self.sides[k].insert(next, inside);
                if inside {
                    stack.push((k, next));
                }
            }
            let corners = self.corners_of(k, piece);
            let whole = Aabb::of_points(&corners);
            let Some(partners) = self.crossed[k].get(&piece) else {
                bounds = bounds.union(&whole);
                continue;
            };
            for &partner in partners {
                bounds = bounds.union(&whole.intersection(&Aabb::of_points(&self.corners_of(1 - k, partner))));
                if self.sides[1 - k].insert(partner, true).is_none() {
                    stack.push((1 - k, partner));
                }
            }
            of_crossing.extend(corners.map(|x| (k, x)));
        }
        for (k, x) in of_crossing {
            if bounds.contains(&x) {
                continue;
            }
            // The sides of most corners are known from pieces without crossings.
            let known = self.corners[k].get(&bits(&x)).copied();
            let inside = known.unwrap_or_else(|| self.is_inside(k, &x) != Some(false));
            self.corners[k].insert(bits(&x), inside);
            if inside {
                bounds = bounds.union(&Aabb::of_points(&[x]));
            }
        }
        Some(bounds)
    }

    fn corners_of(&self, k: usize, (t, i): Piece) -> Triangle {
        self.moved[k].pieces(t)[i as usize]
    }

    /// Pieces that share a vertex with a piece. `None` if a dropped triangle without area may hide a connection.
    fn beside(&self, k: usize, (t, i): Piece) -> Option<Vec<Piece>> {
        let corners = self.corners_of(k, (t, i));
        let mut around = Vec::new();
        let mut near = Vec::new();
        for v in self.surface(k).triangles[t as usize] {
            if self.surface(k).is_rough(v) {
                return None;
            }
            self.surface(k).around_into(v, &mut near);
            around.append(&mut near);
        }
        around.sort_unstable();
        around.dedup();
        let mut beside = Vec::new();
        for u in around {
            for (j, other) in self.moved[k].pieces(u).iter().enumerate() {
                if other.iter().any(|x| corners.contains(x)) {
                    beside.push((u, j as u32));
                }
            }
        }
        Some(beside)
    }

    /// Tests if a piece without crossings lies inside the other inset surface.
    fn is_piece_inside(&mut self, k: usize, piece: Piece) -> Option<bool> {
        let corners = self.corners_of(k, piece);
        let keys = corners.map(|x| bits(&x));
        let known = keys.iter().find_map(|key| self.corners[k].get(key).copied());
        let inside = if let Some(known) = known { known } else { self.is_inside(k, &corners[0])? };
        self.corners[k].extend(keys.map(|key| (key, inside)));
        Some(inside)
    }

    /// Tests if the other inset surface winds around a point of a piece without crossings.
    fn is_inside(&self, k: usize, x: &Vec3) -> Option<bool> {
        self.rays.set(self.rays.get() + 1);
        if self.rays.get() > MAX_RAYS {
            return None;
        }
        let (other, pose) = if k == 0 { (self.p.b, Some(self.p.b_in_a)) } else { (self.p.a, None) };
        let winding = winding_of_pieces(other, pose, x, self.slack, |t| self.moved[1 - k].pieces(t))?;
        Some(winding >= 1)
    }

    /// Tests if a shell without crossings lies, or may lie, in the other solid. All crossing shells are visited by now.
    fn has_nested_shell(&self, k: usize) -> bool {
        let mut near = Vec::new();
        let shells = &self.surface(k).shells;
        (0..shells.len()).any(|i| {
            let v = self.surface(k).shells[i];
            self.surface(k).around_into(v, &mut near);
            !near.iter().any(|&t| self.sides[k].range((t, 0)..(t + 1, 0)).next().is_some())
                && self.is_inside(k, &self.moved[k].at(v)) != Some(false)
        })
    }
}
