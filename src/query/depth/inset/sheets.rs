//! Pieces of two inset surfaces within a box, and the parts that they are connected to.
//!
//! A connected part without crossings lies on one side of the other inset surface, so one ray decides for all its pieces.

use crate::geom::clip::clip;
use crate::geom::triangle::{Triangle, point_triangle};
use crate::geom::union_find::UnionFind;
use crate::geom::{Aabb, Vec3};
use crate::query::depth::inset::certificate::InsetSurfaces;
use crate::query::depth::inset::inset_box::InsetBox;
use crate::query::depth::inset::remaining_boxes::bits;
use crate::query::triangles::Piece;
use std::collections::BTreeMap;

/// Piece of an inset surface that reaches a box.
struct Patch {
    piece: Piece,
    corners: Triangle,
    /// Part of the piece in the outer box, as a polygon.
    clipped: Vec<Vec3>,
    /// True if the piece lies in the inner box.
    is_whole: bool,
}

/// Pieces of both inset surfaces that reach a box.
pub(super) struct Sheets<'s, 'a> {
    insets: &'s InsetSurfaces<'a>,
    part: &'s InsetBox,
    patches: [Vec<Patch>; 2],
}

impl<'s, 'a> Sheets<'s, 'a> {
    pub(super) fn new(insets: &'s InsetSurfaces<'a>, part: &'s InsetBox) -> Self {
        let mut patches: [Vec<Patch>; 2] = Default::default();
        for (k, patches) in patches.iter_mut().enumerate() {
            for &t in &part.near[k] {
                for (i, corners) in insets.surfaces[k].pieces(t).iter().enumerate() {
                    let is_whole = corners.iter().all(|x| part.inner.contains(x));
                    let clipped = if is_whole { corners.to_vec() } else { clipped_to(corners, &part.outer) };
                    if !clipped.is_empty() {
                        patches.push(Patch { piece: (t, i as u32), corners: *corners, clipped, is_whole });
                    }
                }
            }
        }
        Self { insets, part, patches }
    }

    /// Connected parts of one surface in the box, as lists of patches.
    pub(super) fn parts(&self, k: usize) -> Vec<Vec<u32>> {
        self.parts_where(k, |_| true)
    }

    /// Connected parts of the patches of one surface that fulfil a condition.
    fn parts_where(&self, k: usize, is_taken: impl Fn(u32) -> bool) -> Vec<Vec<u32>> {
        let mut sets = UnionFind::new(self.patches[k].len());
        self.join(k, &is_taken, &mut |m, n| {
            sets.union(m, n, false);
        });
        let (set_of, count) = sets.label();
        let mut parts = vec![Vec::new(); count as usize];
        (0..).zip(set_of).filter(|(n, _)| is_taken(*n)).for_each(|(n, set)| parts[set as usize].push(n));
        parts.retain(|part| !part.is_empty());
        parts
    }

    /// Joins patches of one surface with a common corner in the inner box, or a common edge through it.
    fn join(&self, k: usize, is_taken: impl Fn(u32) -> bool, join: &mut impl FnMut(u32, u32)) {
        let mut at: BTreeMap<[[u64; 3]; 2], u32> = BTreeMap::new();
        for (n, patch) in (0..).zip(&self.patches[k]) {
            if !is_taken(n) {
                continue;
            }
            for i in 0..3 {
                let [p, q] = [patch.corners[i], patch.corners[(i + 1) % 3]];
                let key = if self.part.inner.contains(&p) {
                    [bits(&p); 2]
                } else if !self.part.inner.contains(&q) && !clipped_to(&[p, q, p], &self.part.inner).is_empty() {
                    let (p, q) = (bits(&p), bits(&q));
                    if p < q { [p, q] } else { [q, p] }
                } else {
                    continue;
                };
                let first = *at.entry(key).or_insert(n);
                if first != n {
                    join(first, n);
                }
            }
        }
    }

    /// Point of a part without crossings, and true if the other inset surface winds around the part; `None` if undecided.
    pub(super) fn side_of(&self, k: usize, part: &[u32]) -> Option<(Vec3, bool)> {
        let patches = || part.iter().map(|&n| &self.patches[k][n as usize]);
        let corner = patches().flat_map(|patch| &patch.corners).find(|x| self.part.inner.contains(x));
        if let Some(x) = corner {
            return Some((*x, self.insets.winds(1 - k, x)?));
        }
        // The middle of a polygon lies on its piece up to rounding.
        let polygon = &patches().next()?.clipped;
        let x = polygon.iter().sum::<Vec3>() / polygon.len() as f64;
        Some((x, self.winds_clearly(1 - k, &x)?))
    }

    /// Tests if the inset surface of solid `k` winds around a point of the outer box and all points within the margin;
    /// `None` if undecided.
    fn winds_clearly(&self, k: usize, x: &Vec3) -> Option<bool> {
        let margin = self.part.margin;
        let is_near = |t: &Triangle| {
            Aabb::of_points(t).inflated(margin).contains(x) && point_triangle(x, t).squared <= margin * margin
        };
        let surface = &self.insets.surfaces[k];
        if self.part.near[k].iter().any(|&t| surface.pieces(t).iter().any(is_near)) {
            return None;
        }
        self.insets.winds(k, x)
    }

    /// Boxes around the parts of both surfaces inside the other one. Those that leave the box are one part. `None` if
    /// a ray is undecided, if more than `most` are needed, or if a triangle without area was dropped at a part.
    pub(super) fn boxes(&self, crossings: &[[Piece; 2]], most: usize) -> Option<Vec<Aabb>> {
        let partners = self.partners(crossings);
        let mut rays = Rays { left: most, sides: Default::default() };
        let kept = [self.kept(0, &partners[0], &mut rays)?, self.kept(1, &partners[1], &mut rays)?];
        // The patches of both surfaces are numbered in one sequence.
        let number = |k: usize, n: u32| if k == 0 { n } else { self.patches[0].len() as u32 + n };
        let mut sets = UnionFind::new(self.patches[0].len() + self.patches[1].len());
        let mut leaving: Option<u32> = None;
        let mut around: Vec<(u32, Aabb)> = Vec::new();
        for k in 0..2 {
            self.join(k, |n| kept[k][n as usize], &mut |m, n| {
                sets.union(number(k, m), number(k, n), false);
            });
            for (n, patch) in (0..).zip(&self.patches[k]).filter(|(n, _)| kept[k][*n as usize]) {
                let partners = &partners[k][n as usize];
                for &m in partners {
                    sets.union(number(k, n), number(1 - k, m), false);
                }
                let inside = self.box_inside(k, patch, partners, &mut rays);
                if inside.is_none() {
                    sets.union(number(k, n), *leaving.get_or_insert(number(k, n)), false);
                }
                around.push((number(k, n), inside.unwrap_or_else(|| Aabb::of_points(&patch.clipped))));
            }
        }
        let mut boxes: BTreeMap<u32, Aabb> = BTreeMap::new();
        for (n, found) in around {
            let set = boxes.entry(sets.find(n).0).or_insert(Aabb::EMPTY);
            *set = set.union(&found);
        }
        let grown = |b: Aabb| b.intersection(&self.part.outer).inflated(2.0 * self.part.margin);
        (rays.left > 0).then(|| boxes.into_values().map(grown).collect())
    }

    /// Numbers of the patches that cross each patch.
    fn partners(&self, crossings: &[[Piece; 2]]) -> [Vec<Vec<u32>>; 2] {
        let numbers = self.patches.each_ref().map(|patches| {
            let numbered = (0..).zip(patches).map(|(n, patch)| (patch.piece, n));
            numbered.collect::<BTreeMap<Piece, u32>>()
        });
        let mut partners = self.patches.each_ref().map(|patches| vec![Vec::new(); patches.len()]);
        for [i, j] in crossings {
            if let (Some(&m), Some(&n)) = (numbers[0].get(i), numbers[1].get(j)) {
                partners[0][m as usize].push(n);
                partners[1][n as usize].push(m);
            }
        }
        partners
    }

    /// True for each patch of a surface that crosses the other inset surface or lies inside it. `None` if a ray is
    /// undecided, or if a triangle without area was dropped at such a patch: it may hide a connection.
    fn kept(&self, k: usize, partners: &[Vec<u32>], rays: &mut Rays) -> Option<Vec<bool>> {
        let is_crossing = |n: u32| !partners[n as usize].is_empty();
        let mut kept: Vec<bool> = partners.iter().map(|partners| !partners.is_empty()).collect();
        for part in self.parts_where(k, |n| !is_crossing(n)) {
            rays.left = rays.left.saturating_sub(1);
            let (_, is_inside) = if rays.left == 0 { None } else { self.side_of(k, &part) }?;
            for n in part {
                kept[n as usize] = is_inside;
                rays.sides[k].extend(self.patches[k][n as usize].corners.map(|x| (bits(&x), is_inside)));
            }
        }
        let surface = self.insets.surfaces[k].surface;
        let is_rough = |t: u32| surface.triangles[t as usize].iter().any(|&v| surface.is_rough(v));
        let may_hide = |(kept, patch): (&bool, &Patch)| *kept && is_rough(patch.piece.0);
        (!kept.iter().zip(&self.patches[k]).any(may_hide)).then_some(kept)
    }

    /// Box around the part of a patch inside the other inset surface: the crossings and the corners inside. A corner with
    /// an undecided ray counts as inside. `None` if the part may leave the box.
    fn box_inside(&self, k: usize, patch: &Patch, partners: &[u32], rays: &mut Rays) -> Option<Aabb> {
        let whole = Aabb::of_points(&patch.clipped);
        if partners.is_empty() {
            return patch.is_whole.then_some(whole);
        }
        if rays.left == 0 {
            return None;
        }
        let inner = &self.part.inner;
        let mut found = Aabb::EMPTY;
        for &n in partners {
            let crossing = whole.intersection(&Aabb::of_points(&self.patches[1 - k][n as usize].clipped));
            found = found.union(&crossing);
        }
        if !patch.is_whole {
            // The part inside ends at crossings. Without any at the border of the box, it leaves there only around a
            // corner of the polygon.
            if !(inner.contains(&found.min) && inner.contains(&found.max)) {
                return None;
            }
            for x in patch.clipped.iter().filter(|x| !inner.contains(x)) {
                rays.left = rays.left.saturating_sub(1);
                if self.winds_clearly(1 - k, x) != Some(false) {
                    return None;
                }
            }
        }
        for x in patch.corners.iter().filter(|x| inner.contains(x)) {
            if found.contains(x) {
                continue;
            }
            let is_inside = rays.sides[k].get(&bits(x)).copied().unwrap_or_else(|| {
                rays.left = rays.left.saturating_sub(1);
                self.insets.winds(1 - k, x) != Some(false)
            });
            rays.sides[k].insert(bits(x), is_inside);
            if is_inside {
                found = found.union(&Aabb::of_points([x]));
            }
        }
        Some(found)
    }
}

/// Rays cast to find the sides of pieces.
struct Rays {
    /// Number of rays still allowed.
    left: usize,
    /// Known corners of pieces of each surface (bits of the coordinates): true if inside the other inset surface.
    sides: [BTreeMap<[u64; 3], bool>; 2],
}

/// Clips a triangle to a box; empty outside.
fn clipped_to(corners: &Triangle, bounds: &Aabb) -> Vec<Vec3> {
    if !Aabb::of_points(corners).meets(bounds) {
        return Vec::new();
    }
    let (mut polygon, mut next) = (corners.to_vec(), Vec::new());
    for axis in 0..3 {
        for (sign, side) in [(1.0, bounds.max[axis]), (-1.0, -bounds.min[axis])] {
            let height = |x: &Vec3| sign * x[axis] - side;
            if polygon.iter().any(|x| height(x) > 0.0) {
                clip(&polygon, height, &mut next);
                std::mem::swap(&mut polygon, &mut next);
            }
        }
    }
    polygon
}
